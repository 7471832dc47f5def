//! Graphs from files.

use super::arcs::Arcs;
use super::facts::{FamilyFacts, Form, FullestRouter};
use crate::inputs::graph_input;
use fabc_base::ids::LinkTypeId;
use fabc_topology::Names;

pub(super) const FORM: Form = ("graph", "graph \"lab.graphml\"");

/// A graph from a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    /// Path as written in the spec.
    pub path: String,
    /// The file's text as the loader returned it.
    pub text: String,
    /// Routers in file order.
    pub routers: Vec<ListedRouter>,
    /// Links in file order.
    pub links: Vec<ListedLink>,
    /// Whether an edge is one channel, from its first end to its second.
    pub arcs: Arcs,
}

/// A router of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedRouter {
    /// Its name in the file.
    pub name: String,
    /// Its hosts, where the file says so; 0 for a router without endpoint.
    pub hosts: Option<u16>,
}

/// A link of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedLink {
    /// Its ends, by the order of routers; of a simplex link, the source first.
    pub ends: [u32; 2],
    /// Which declared link it is.
    pub link: LinkTypeId,
    /// Its ports, where the file says so.
    pub ports: [Option<u16>; 2],
}

impl FamilyFacts for Listed {
    fn name(&self) -> &'static str {
        FORM.0
    }

    /// The file is its copy in what is built, so that the spec is the same wherever the file came from.
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

    fn router_names(&self) -> Names {
        Names::Listed(self.routers.iter().map(|router| router.name.clone()).collect())
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
