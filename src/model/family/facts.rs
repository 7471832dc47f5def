//! The facts that every family of networks states about itself.

use crate::closed_form::ClosedForm;
use crate::design_space::DesignSpace;
use fabc_topology::Names;

/// The word of a family, and a topology as it is written.
pub type Form = (&'static str, &'static str);

/// What follows from the parameters of a family alone, without wiring it.
pub trait FamilyFacts {
    /// The word that a spec names it by.
    fn name(&self) -> &'static str;

    /// As the spec of a built directory writes it.
    fn written(&self) -> String;

    /// Number of routers.
    fn router_count(&self) -> usize;

    /// Links of the router that has fewest, about. The estimates of memory count with it.
    fn fewest_links(&self) -> u64;

    /// The kinds of routers that may need most ports, each with the links of its fullest router. Of a list
    /// from a file there are none: each of its routers is a kind of its own.
    fn fullest_routers(&self) -> Vec<FullestRouter>;

    /// The names of its routers.
    fn router_names(&self) -> Names {
        Names::Numbered
    }

    /// Routers of a block that symmetries move as a whole, and the number of blocks. Blocks have one router
    /// where no symmetry moves more.
    fn blocks(&self) -> (u32, u32) {
        (1, self.router_count() as u32)
    }

    /// Routers of a group: of a supernode, a rack, a group of a dragonfly. 1 without groups.
    fn routers_of_group(&self) -> u32 {
        self.blocks().0
    }

    /// The order of the projective plane whose points its groups are, and the routers of a point.
    fn plane(&self) -> Option<[u32; 2]> {
        None
    }

    /// Whether a router carries hosts.
    fn has_hosts(&self, _router: u32) -> bool {
        true
    }

    /// Whether routers without hosts are spare: they take the place of others, and forward nothing before.
    fn has_spare(&self) -> bool {
        false
    }

    /// Whether `routing = algebraic` has a formula for it.
    fn has_formula(&self) -> bool {
        false
    }

    /// Whether the rotations of its groups keep every port.
    fn rotates(&self) -> bool {
        false
    }

    /// Whether the last of its groups is spare and may take the place of any other: rotations of the groups
    /// keep every port.
    fn replaces(&self) -> bool {
        false
    }

    /// Whether its links may exchange ends: links that its parameters tell, both ways, and no routers that
    /// are spare or of a level.
    fn may_be_permuted(&self) -> bool {
        false
    }

    /// Whether its links are drawn or searched, so that parameters alone do not tell them.
    fn is_drawn(&self) -> bool {
        false
    }

    /// Whether links are single channels.
    fn is_simplex(&self) -> bool {
        false
    }

    /// What formulas of the literature say of it, if there are any.
    fn closed_form(&self) -> Option<ClosedForm> {
        None
    }

    /// Plausible halves of the routers, `[router]`: where a cut of the whole network may run. Whoever uses
    /// them mends their balance.
    fn halves(&self) -> Vec<Vec<bool>> {
        Vec::new()
    }

    /// The designs that a goal chooses from, if it is one of them.
    fn design_space(&self) -> Option<DesignSpace> {
        None
    }

    /// Network ports of the fullest router of a design; `None` for a family without a design space.
    fn design_radix(&self) -> Option<u32> {
        None
    }
}

/// The fullest router of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FullestRouter {
    /// Which one, such as ``a leaf of this `megafly` ``.
    pub router: String,
    /// How many links of which kind it has.
    pub links: Vec<LinkCount>,
    /// Whether it carries hosts.
    pub has_hosts: bool,
}

/// Links of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkCount {
    /// How many.
    pub count: u64,
    /// Which ones, such as `links up`.
    pub kind: String,
}

impl FullestRouter {
    /// One that carries hosts.
    pub fn new(router: String, links: &[(u64, &str)]) -> Self {
        let links = links.iter().map(|&(count, kind)| LinkCount { count, kind: kind.to_owned() }).collect();
        Self { router, links, has_hosts: true }
    }

    /// The same, without hosts.
    pub(super) fn without_hosts(self) -> Self {
        Self { has_hosts: false, ..self }
    }

    /// Any router of a family in which all have as many links.
    pub(super) fn any(family: &str, links: u64) -> Vec<Self> {
        vec![Self::new(format!("a router of this `{family}`"), &[(links, "links")])]
    }

    /// Any router of a family in which all have as many simplex links out as in.
    pub(super) fn any_simplex(family: &str, outputs: u64) -> Vec<Self> {
        vec![Self::new(format!("a router of this `{family}`"), &[(outputs, "outputs (and as many inputs)")])]
    }

    /// Any router of a family whose links are inside groups and between them.
    pub(super) fn any_grouped(family: &str, local: u64, global: u64) -> Vec<Self> {
        vec![Self::new(format!("a router of this `{family}`"), &[(local, "local"), (global, "global")])]
    }
}
