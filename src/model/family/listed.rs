//! Networks that a file lists.

use super::arcs::Arcs;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::inputs::graph_input;
use crate::tiers::{link_within_tier, router_tiers};
use fabc_base::ids::LinkTypeId;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("graph", "graph \"lab.graphml\"");

/// A network that a file lists.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    /// The path as written in the spec.
    pub path: String,
    /// The text of the file as the loader returned it.
    pub text: String,
    /// The routers, in the order of the file.
    pub routers: Vec<ListedRouter>,
    /// The links, in the order of the file.
    pub links: Vec<ListedLink>,
    /// Whether an edge is one channel, from its first end to its second, or a duplex link.
    pub arcs: Arcs,
}

/// A router that a file lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedRouter {
    /// Its name in the file.
    pub name: String,
    /// Its number of hosts, where the file gives it. 0 for a router without endpoint.
    pub hosts: Option<u16>,
}

/// A link that a file lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedLink {
    /// Its two routers, as indices into the list of routers. The source of a simplex link comes first.
    pub ends: ListedEnds,
    /// The declared link of which this is one.
    pub link: LinkTypeId,
    /// The ports at its two ends, where the file gives them.
    pub ports: ListedPorts,
}

/// The two routers of a link, as indices into the list of routers. The source of a simplex link comes first.
pub type ListedEnds = [u32; 2];

/// The ports of a link at its two ends, in the order of the ends. `None` where the file gives no port.
pub type ListedPorts = [Option<u16>; 2];

impl Listed {
    /// The first link that joins two routers of one tier. `None` if there is none.
    pub fn link_within_tier(&self) -> Option<&ListedLink> {
        link_within_tier(&self.endpoints(), &self.link_ends()).map(|link| &self.links[link])
    }

    /// `[router]`: whether it may send and receive.
    fn endpoints(&self) -> Vec<bool> {
        self.routers.iter().map(|router| router.hosts != Some(0)).collect()
    }

    fn link_ends(&self) -> Vec<[u32; 2]> {
        self.links.iter().map(|link| link.ends).collect()
    }
}

impl FamilyFacts for Listed {
    fn name(&self) -> &'static str {
        FORM.0
    }

    /// The path is that of the copy in the built directory. So the spec is the same wherever the file came
    /// from.
    fn written(&self) -> String {
        format!("graph \"{}\"", graph_input(&self.path))
    }

    fn router_count(&self) -> usize {
        self.routers.len()
    }

    fn fewest_links(&self) -> u64 {
        self.links.len() as u64 / self.routers.len().max(1) as u64
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        Vec::new()
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Listed(self.routers.iter().map(|router| router.name.clone()).collect())
    }

    fn has_tiers(&self) -> bool {
        !self.is_simplex() && router_tiers(&self.endpoints(), &self.link_ends()).is_some()
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
