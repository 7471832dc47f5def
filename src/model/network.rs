//! A network of routers without cubes: a family with its checked parameters, or a list from a file.
//!
//! Invariant: the parameters describe a connected network that fits the radix of the router. Generators in
//! `passes::wire` build it, predicates in `check::wiring` recognize it.

use super::word::words;
use crate::diag::Span;
use crate::ids::LinkTypeId;
use crate::syntax::graph_input;

/// A network as declared.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Which routers are joined.
    pub family: Family,
    /// The link inside a group (of families without groups: every link).
    pub local: LinkTypeId,
    /// The link between groups.
    pub global: LinkTypeId,
    /// Links that fail at random in the report, if it is to say so.
    pub failures: Option<Failures>,
    /// Where `topology = ..` stands.
    pub span: Span,
}

/// `failures { links <= 60 %; seeds = 100; }`: links fail one after the other, in random orders. It changes
/// no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failures {
    /// Percent of the links up to which distances are told, 1..=99.
    pub percent: u32,
    /// How many orders.
    pub seeds: u32,
}

/// The families of networks.
#[derive(Clone, PartialEq, Debug)]
pub enum Family {
    /// `torus a x b x ..`: a ring along every dimension, one link where the length is 2, none where it is 1.
    Torus(Vec<u32>),
    /// `mesh a x b x ..`: a path along every dimension.
    Mesh(Vec<u32>),
    /// `hyperx a x b x ..`: all routers that differ in one coordinate are joined.
    HyperX(Vec<u32>),
    /// `dragonfly { .. }`.
    Dragonfly(Dragonfly),
    /// `fat_tree { levels; arity; }`.
    FatTree {
        /// Levels of routers, 2 or more.
        levels: u32,
        /// Links up of every router but those of the top level, and links down of every router but the
        /// leaves.
        arity: u32,
    },
    /// `kautz { degree; length; }`.
    Kautz {
        /// Arcs out of, and into, a router.
        degree: u32,
        /// Letters of a word; the diameter.
        length: u32,
        /// Whether an arc is a channel or a link.
        arcs: Arcs,
    },
    /// `graph "file"`.
    Listed(Listed),
}

/// Groups of `a` routers, each a complete graph, with `h` global ports per router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dragonfly {
    /// Routers of a group.
    pub a: u32,
    /// Global ports of a router.
    pub h: u32,
    /// Groups, at most `a h + 1`.
    pub g: u32,
    /// Which global port leads to which group.
    pub arrangement: Arrangement,
}

/// Which global port of a group leads to which other group.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arrangement {
    /// Port k of group i leads to group i - k - 1 (modulo the groups): every rotation of the groups keeps the
    /// ports.
    #[default]
    Palmtree,
    /// Port k of group i leads to group k, groups from i on counted one further.
    Consecutive,
    /// Ports 2 j and 2 j + 1 of group i lead to groups i + j + 1 and i - j - 1.
    Fold,
}

words!(Arrangement { Palmtree = "palmtree", Consecutive = "consecutive", Fold = "fold" });

/// What an arc of a directed family is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arcs {
    /// One channel; nothing runs back.
    #[default]
    Simplex,
    /// A link of two channels; opposite arcs are one link.
    Duplex,
}

words!(Arcs { Simplex = "simplex", Duplex = "duplex" });

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

impl Network {
    /// Number of routers.
    pub fn router_count(&self) -> usize {
        self.family.router_count()
    }
    /// The hosts of every router, by id, where one that carries hosts has `each`; 0 for a router that only
    /// forwards. An endpoint inside its router (`each` is 0) counts as one.
    pub fn hosts(&self, each: u16) -> Vec<u16> {
        let each = each.max(1);
        match &self.family {
            Family::FatTree { levels, arity } => {
                let leaves = arity.pow(levels - 1) as usize;
                (0..self.router_count()).map(|router| if router < leaves { each } else { 0 }).collect()
            }
            Family::Listed(listed) => listed.routers.iter().map(|router| router.hosts.unwrap_or(each)).collect(),
            _ => vec![each; self.router_count()],
        }
    }
    /// The declared links that are in use, by id, each once.
    pub fn links_in_use(&self) -> Vec<LinkTypeId> {
        let mut used = match &self.family {
            Family::Listed(listed) => listed.links.iter().map(|link| link.link).collect(),
            Family::Dragonfly(Dragonfly { a, .. }) if *a > 1 => vec![self.local, self.global],
            Family::Dragonfly(_) => vec![self.global],
            _ => vec![self.local],
        };
        used.sort_unstable();
        used.dedup();
        used
    }
    /// A declared link that is in use.
    pub fn any_link(&self) -> LinkTypeId {
        match &self.family {
            Family::Listed(listed) => listed.links.first().map_or(self.local, |link| link.link),
            Family::Dragonfly(Dragonfly { a: 1, .. }) => self.global,
            _ => self.local,
        }
    }
}

impl Family {
    /// Every family, each with a topology as it is written.
    pub const FORMS: [(&'static str, &'static str); 7] = [
        ("torus", "torus 16 x 16` or `torus (side)"),
        ("mesh", "mesh 4 x 4 x 4` or `mesh (side)"),
        ("hyperx", "hyperx 9 x 9 x 8` or `hyperx (side)"),
        ("dragonfly", "dragonfly { a = 8; h = 4; }"),
        ("fat_tree", "fat_tree { levels = 3; arity = 18; }"),
        ("kautz", "kautz { degree = 4; length = 3; }"),
        ("graph", "graph \"lab.graphml\""),
    ];
    /// Number of routers.
    pub fn router_count(&self) -> usize {
        match self {
            Family::Torus(dims) | Family::Mesh(dims) | Family::HyperX(dims) => dims.iter().map(|&side| side as usize).product(),
            Family::Dragonfly(Dragonfly { a, g, .. }) => *a as usize * *g as usize,
            Family::FatTree { levels, arity } => *levels as usize * (*arity as usize).pow(levels - 1),
            Family::Kautz { degree, length, .. } => (*degree as usize + 1) * (*degree as usize).pow(length - 1),
            Family::Listed(listed) => listed.routers.len(),
        }
    }
    /// Routers of a group, and the number of groups; groups of one router where the family has none.
    pub fn blocks(&self) -> (u32, u32) {
        match self {
            Family::Dragonfly(Dragonfly { a, g, .. }) => (*a, *g),
            _ => (1, self.router_count() as u32),
        }
    }
    /// The word that a spec names it by.
    pub fn name(&self) -> &'static str {
        match self {
            Family::Torus(_) => "torus",
            Family::Mesh(_) => "mesh",
            Family::HyperX(_) => "hyperx",
            Family::Dragonfly(_) => "dragonfly",
            Family::FatTree { .. } => "fat_tree",
            Family::Kautz { .. } => "kautz",
            Family::Listed(_) => "graph",
        }
    }
    /// As the spec of a built directory writes it.
    pub fn written(&self) -> String {
        let by = |sides: &[u32]| sides.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ");
        match self {
            Family::Torus(sides) | Family::Mesh(sides) | Family::HyperX(sides) => format!("{} {}", self.name(), by(sides)),
            Family::Dragonfly(Dragonfly { a, h, g, arrangement }) => {
                format!("dragonfly {{ a = {a}; h = {h}; g = {g}; arrangement = {}; }}", arrangement.name())
            }
            Family::FatTree { levels, arity } => format!("fat_tree {{ levels = {levels}; arity = {arity}; }}"),
            Family::Kautz { degree, length, arcs } => {
                let arcs = if *arcs == Arcs::Duplex { " arcs = duplex;" } else { "" };
                format!("kautz {{ degree = {degree}; length = {length};{arcs} }}")
            }
            // Where its copy stands in what is built, so that it is said alike wherever the file came from.
            Family::Listed(listed) => format!("graph \"{}\"", graph_input(&listed.path)),
        }
    }
    /// Whether links are single channels.
    pub fn is_simplex(&self) -> bool {
        match self {
            Family::Kautz { arcs, .. } => *arcs == Arcs::Simplex,
            Family::Listed(listed) => listed.arcs == Arcs::Simplex,
            _ => false,
        }
    }
}
