//! A network whose links have exchanged ends, so that the lengths of its cables stay.

use super::facts::{FamilyFacts, FullestRouter};
use super::{Family, Form};
use crate::draw::Draw;
use crate::word::words;
use fabc_topology::Names;

pub(super) const FORM: Form = ("permute", "permute { of = hypercube { dimensions = 8; } method = partial; }");

/// `permute { of = ..; method; duplicates; seed; }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Permuted {
    /// What is permuted.
    pub base: Box<Family>,
    /// Which links may exchange ends.
    pub method: Method,
    /// What becomes of links that are there twice then.
    pub duplicates: Duplicates,
    /// Routers of a cabinet: they follow each other, and all cabinets are full.
    pub cabinet: u32,
    /// Which one.
    pub draw: Draw,
}

/// Which links may exchange ends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Method {
    /// Those within one cabinet, and those between the same two.
    #[default]
    Partial,
    /// For every two cabinets those within and between them.
    Full,
}

words!(Method { Partial = "partial", Full = "full" });

/// What becomes of links that are there twice.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Duplicates {
    /// They stay: as many cables, of the same lengths.
    #[default]
    Keep,
    /// One of them stays.
    Drop,
}

words!(Duplicates { Keep = "keep", Drop = "drop" });

impl FamilyFacts for Permuted {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let base = self.base.written();
        let end = if base.ends_with('}') { "" } else { ";" };
        let (method, duplicates) = (self.method.name(), self.duplicates.name());
        format!("permute {{ of = {base}{end} method = {method}; duplicates = {duplicates}; {} }}", self.draw.written())
    }

    fn router_count(&self) -> usize {
        self.base.router_count()
    }

    fn fewest_links(&self) -> u64 {
        self.base.facts().fewest_links()
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        self.base.facts().fullest_routers()
    }

    fn router_names(&self) -> Names {
        self.base.router_names()
    }

    fn has_hosts(&self, router: u32) -> bool {
        self.base.facts().has_hosts(router)
    }

    fn is_drawn(&self) -> bool {
        true
    }
}
