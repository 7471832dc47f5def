//! The facts that every family of networks states about itself.

use super::arcs::Arcs;
use crate::closed_form::ClosedForm;
use crate::design_space::DesignSpace;
use fabc_topology::{RouterNames, TierNames};

/// (word of a family, example of a topology as a spec writes it).
pub type FamilyForm = (&'static str, &'static str);

/// Everything that follows from the parameters of a family alone, without wiring it.
pub trait FamilyFacts {
    /// The word that a spec uses for it.
    fn name(&self) -> &'static str;

    /// The topology as the spec of a built directory writes it.
    fn written(&self) -> String;

    /// Number of routers of the network.
    fn router_count(&self) -> usize;

    /// About the smallest number of links of a router. The estimates of memory use it.
    fn fewest_links(&self) -> u64;

    /// The kinds of routers that may need most ports, each with the links of its fullest router. Empty for a
    /// list from a file, where each router is a kind of its own.
    fn fullest_routers(&self) -> Vec<FullestRouter>;

    /// The names of its routers.
    fn router_names(&self) -> RouterNames {
        RouterNames::Numbered
    }

    /// (routers of a block, number of blocks). A block is what symmetries move as a whole. Blocks have one
    /// router where no symmetry moves more.
    fn blocks(&self) -> (u32, u32) {
        (1, self.router_count() as u32)
    }

    /// Number of routers of a group: of a supernode, a rack, a group of a dragonfly. 1 without groups.
    fn routers_of_group(&self) -> u32 {
        self.blocks().0
    }

    /// The order of the projective plane whose points are its groups, and the number of routers of a point.
    fn plane(&self) -> Option<[u32; 2]> {
        None
    }

    /// Whether a router carries hosts.
    fn has_hosts(&self, _router: u32) -> bool {
        true
    }

    /// Whether routers without hosts are spare. They forward nothing until they take the place of others.
    fn has_spare(&self) -> bool {
        false
    }

    /// Whether it has tiers: endpoints at the bottom, and links between neighboring tiers only.
    fn has_tiers(&self) -> bool {
        false
    }

    /// The most hosts of a router that its form allows. `None` where the radix alone decides.
    fn most_hosts(&self) -> Option<u32> {
        None
    }

    /// Whether `routing = algebraic` has a formula for it.
    fn has_formula(&self) -> bool {
        false
    }

    /// Whether the rotations of its groups keep every port.
    fn rotates(&self) -> bool {
        false
    }

    /// Whether the last of its groups is spare and may take the place of any other. The rotations of the
    /// groups then keep every port.
    fn has_replacement_group(&self) -> bool {
        false
    }

    /// Whether `permute` may exchange ends of its links. The parameters must determine the links, the links
    /// must be duplex, and no router may be spare or belong to a level.
    fn may_be_permuted(&self) -> bool {
        false
    }

    /// Whether its links are drawn or searched, so that the parameters alone do not determine them.
    fn is_drawn(&self) -> bool {
        false
    }

    /// Whether links are single channels.
    fn is_simplex(&self) -> bool {
        false
    }

    /// Its sizes and distances by formulas of the literature, if there are any.
    fn closed_form(&self) -> Option<ClosedForm> {
        None
    }

    /// Plausible halves of the routers, each as `[router]`: whether it is in the half. A bisection may start
    /// from them. Callers repair their balance.
    fn halves(&self) -> Vec<Vec<bool>> {
        Vec::new()
    }

    /// The design space that it belongs to, if there is one.
    fn design_space(&self) -> Option<DesignSpace> {
        None
    }

    /// The most network ports of one router of a design. `None` for a family without a design space.
    fn design_radix(&self) -> Option<u32> {
        None
    }
}

/// The links of the fullest router of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FullestRouter {
    /// The router in words, such as ``a leaf of this `megafly` ``.
    pub router: String,
    /// The number of its links by kind.
    pub links: Vec<LinkCount>,
    /// Whether routers of this kind carry hosts.
    pub has_hosts: bool,
}

/// A number of links of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkCount {
    /// The number of links of this kind.
    pub count: u64,
    /// The kind in words, such as `links up`.
    pub kind: String,
}

impl FullestRouter {
    /// A router that carries hosts, with its links as (count, kind).
    pub fn new(router: String, links: &[(u64, &str)]) -> Self {
        let links = links.iter().map(|&(count, kind)| LinkCount { count, kind: kind.to_owned() }).collect();
        Self { router, links, has_hosts: true }
    }

    /// The same router without hosts.
    pub(super) fn without_hosts(self) -> Self {
        Self { has_hosts: false, ..self }
    }

    /// Any router of a family in which all have as many links.
    pub(super) fn any(family: &str, links: u64) -> Vec<Self> {
        vec![Self::new(format!("a router of this `{family}`"), &[(links, "links")])]
    }

    /// Any router of a family of arcs. With simplex links it has `degree` of them out and as many in, with
    /// duplex links `most` of them.
    pub(super) fn by_arcs(family: &str, arcs: Arcs, degree: u32, most: u64) -> Vec<Self> {
        let links = match arcs {
            Arcs::Simplex => (u64::from(degree), "outputs (and as many inputs)"),
            Arcs::Duplex => (most, "links"),
        };
        vec![Self::new(format!("a router of this `{family}`"), &[links])]
    }

    /// Any router of a family whose links are inside groups and between them.
    pub(super) fn any_grouped(family: &str, local: u64, global: u64) -> Vec<Self> {
        vec![Self::new(format!("a router of this `{family}`"), &[(local, "local"), (global, "global")])]
    }
}

/// The setting `copies` of a family, empty without copies.
pub(super) fn copies_setting(copies: u32) -> String {
    if copies == 0 { String::new() } else { format!(" copies = {copies};") }
}

/// The names of consecutive routers from `first` on: a word and coordinates, the last one fastest.
pub(super) fn tier_of_names(word: &str, first: u32, sides: &[u32]) -> TierNames {
    TierNames { word: word.to_owned(), first, sides: sides.to_vec() }
}
