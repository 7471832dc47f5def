//! Regular graphs that a search makes for short distances and a large flow.

use super::arcs::Arcs;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::word::words;

pub(super) const FORM: FamilyForm = ("synthesize", "synthesize { routers = 60; degree = 4; }");

/// A regular graph that a search makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeGraph {
    /// Number of routers, more than `degree`.
    pub routers: u32,
    /// Number of links of a router. Where arcs are simplex, of arcs out of it and of arcs into it.
    pub degree: u32,
    /// Whether an arc is a channel or a duplex link.
    pub arcs: Arcs,
    /// Amount of work of the search, 1 or more.
    pub effort: u32,
    /// Seed of the random stream.
    pub seed: u64,
    /// Weight of a relative change of the cable length against the same relative change of the distances, in
    /// thousandths. `None` where cables do not count.
    pub cable: Option<u32>,
    /// Whether the graphs of the search have symmetries.
    pub symmetry: GraphSymmetry,
}

/// Whether a search of graphs keeps symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum GraphSymmetry {
    /// Graphs of several groups of symmetries race.
    #[default]
    Auto,
    /// Graphs with and without symmetries.
    None,
}

words!(GraphSymmetry { Auto = "auto", None = "none" });

impl FreeGraph {
    /// Whether graphs with symmetries race. Cables differ in length, so that no symmetry keeps them, and arcs
    /// that are channels have no inverses.
    pub fn seeks_symmetry(&self) -> bool {
        self.symmetry == GraphSymmetry::Auto && self.arcs == Arcs::Duplex && self.cable.is_none()
    }
    /// A weight in thousandths as a spec writes it.
    pub fn weight(thousandths: u32) -> String {
        let digits = format!("{:03}", thousandths % 1000);
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() {
            (thousandths / 1000).to_string()
        } else {
            format!("{}.{digits}", thousandths / 1000)
        }
    }
}

impl FamilyFacts for FreeGraph {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let FreeGraph { routers, degree, arcs, effort, seed, cable, symmetry } = self;
        let symmetry = if *symmetry == GraphSymmetry::None { " symmetry = none;" } else { "" };
        let cable = cable.map_or(String::new(), |weight| format!(" cable = {};", FreeGraph::weight(weight)));
        let arcs = if *arcs == Arcs::Simplex { " arcs = simplex;" } else { "" };
        format!(
            "synthesize {{ degree = {degree}; routers = {routers};{arcs} effort = {effort}; seed = {seed};{cable}{symmetry} }}"
        )
    }

    fn router_count(&self) -> usize {
        self.routers as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::by_arcs(FORM.0, self.arcs, self.degree, u64::from(self.degree))
    }

    fn is_drawn(&self) -> bool {
        true
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
