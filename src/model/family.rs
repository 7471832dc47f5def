//! The families of networks, each with its checked parameters, and what follows from those alone.

use super::arrangement::Arrangement;
use super::draw::Draw;
use super::free_graph::{Arcs, FreeGraph};
use super::inputs::graph_input;
use super::levels::Levels;
use super::permuted::{Duplicates, Method};
use super::shortcuts::Shortcuts;
use super::word::words;
use fabc_base::algebra::{self, Plane};
use fabc_base::ids::LinkTypeId;

/// The families of networks.
#[derive(Clone, PartialEq, Debug)]
pub enum Family {
    /// `torus a x b x ..`: a ring along every dimension, one link where the length is 2, none where it is 1.
    Torus(Vec<u32>),
    /// `mesh a x b x ..`: a path along every dimension.
    Mesh(Vec<u32>),
    /// `hyperx a x b x ..`: all routers that differ in one coordinate are joined.
    HyperX(Vec<u32>),
    /// `hypercube { dimensions; }`, `folded_hypercube { dimensions; }`.
    Hypercube {
        /// Bits of a router's number.
        dimensions: u32,
        /// Whether a router is joined to the one of opposite bits, too.
        folded: bool,
    },
    /// `polarstar { q; supernode; degree; }`.
    PolarStar(PolarStar),
    /// `polarfly { q; }`: the points of a projective plane, joined where they are orthogonal.
    PolarFly {
        /// Order of the field.
        q: u32,
    },
    /// `slim_fly { q; }`: the graph of McKay, Miller and Siran.
    SlimFly {
        /// Order of the field.
        q: u32,
    },
    /// `bundlefly { q; p; }`: a slim fly whose routers are Paley graphs.
    Bundlefly {
        /// Order of the field of the slim fly.
        q: u32,
        /// Order of the Paley graphs.
        p: u32,
    },
    /// `spectralfly { rho; q; }`: the graph of Lubotzky, Phillips and Sarnak.
    SpectralFly {
        /// An odd prime; every router has rho + 1 links.
        rho: u32,
        /// Another, larger than 2 sqrt(rho).
        q: u32,
    },
    /// `dragonfly { .. }`.
    Dragonfly(Dragonfly),
    /// `levels { level ..; .. }`.
    Levels(Levels),
    /// `megafly { a; rho; arrangement; }`.
    Megafly(Megafly),
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
    /// `gen_kautz { degree; routers; }`.
    GenKautz {
        /// Arcs out of, and into, a router, but for arcs to itself, which are not there.
        degree: u32,
        /// Number of routers, more than `degree`.
        routers: u32,
        /// Whether an arc is a channel or a link.
        arcs: Arcs,
    },
    /// `xpander { degree; lift; }`: a random lift of the complete graph.
    Xpander {
        /// Links of a router; there are `degree + 1` meta-nodes.
        degree: u32,
        /// Routers of a meta-node.
        lift: u32,
        /// Which one.
        draw: Draw,
    },
    /// `random_regular { routers; degree; }` (Jellyfish).
    RandomRegular {
        /// Number of routers.
        routers: u32,
        /// Links of a router.
        degree: u32,
        /// Which one.
        draw: Draw,
    },
    /// `ring_n`, `nbr`, `gau`: a ring with random shortcuts.
    Shortcuts(Shortcuts),
    /// `permute { of = ..; }`: the links of another family, with ends exchanged.
    Permuted(Permuted),
    /// `synthesize { routers; degree; }`: searched for short distances and a large flow.
    Synthesized(FreeGraph),
    /// `graph "file"`.
    Listed(Listed),
}

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

/// The star product of the points of a projective plane with a supernode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolarStar {
    /// Order of the field.
    pub q: u32,
    /// What stands in every point.
    pub supernode: Supernode,
    /// Links of a router inside its supernode.
    pub degree: u32,
}

/// What stands in every point of a PolarStar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Supernode {
    /// The inductive quad: 2 degree + 2 routers.
    Iq,
    /// The Paley graph of 2 degree + 1 routers.
    Paley,
    /// degree + 1 routers, every two joined.
    Complete,
}

words!(Supernode { Iq = "iq", Paley = "paley", Complete = "complete" });

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
    /// Whether the last group has no hosts, so that any group may become it.
    pub spare: bool,
}

/// Groups of a / 2 leaves and a / 2 spines, each a complete bipartite graph; one link between every two of
/// the rho a / 2 + 1 groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Megafly {
    /// Routers of a group, an even number: the leaves, then the spines.
    pub a: u32,
    /// Global ports of a spine.
    pub rho: u32,
    /// Which global port leads to which group.
    pub arrangement: Arrangement,
}

impl PolarStar {
    /// What stands in every point.
    pub fn graph(&self) -> algebra::Supernode {
        match self.supernode {
            Supernode::Iq => algebra::Supernode::inductive_quad(self.degree),
            Supernode::Paley => algebra::Supernode::paley(self.supernode_size()),
            Supernode::Complete => algebra::Supernode::complete(self.supernode_size()),
        }
    }
    /// Routers of a supernode.
    pub fn supernode_size(&self) -> u32 {
        match self.supernode {
            Supernode::Iq => 2 * self.degree + 2,
            Supernode::Paley => 2 * self.degree + 1,
            Supernode::Complete => self.degree + 1,
        }
    }
}

impl Permuted {
    /// As a spec writes it.
    fn written(&self) -> String {
        let base = self.base.written();
        let end = if base.ends_with('}') { "" } else { ";" };
        let (method, duplicates) = (self.method.name(), self.duplicates.name());
        format!("permute {{ of = {base}{end} method = {method}; duplicates = {duplicates}; {} }}", self.draw.written())
    }
}

impl Megafly {
    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.rho * (self.a / 2) + 1
    }
    /// The spines alone: a dragonfly but for the links inside its groups.
    pub fn spines(&self) -> Dragonfly {
        Dragonfly { a: self.a / 2, h: self.rho, g: self.groups(), arrangement: self.arrangement, spare: false }
    }
}

/// Whether a spectralfly is twice as large: where rho is no square modulo q, and the graph is bipartite.
pub fn is_bipartite_lps(rho: u32, q: u32) -> bool {
    !(1..q).any(|root| root * root % q == rho % q)
}

impl Family {
    /// Every family, each with a topology as it is written.
    pub const FORMS: [(&'static str, &'static str); 24] = [
        ("torus", "torus 16 x 16` or `torus (side)"),
        ("mesh", "mesh 4 x 4 x 4` or `mesh (side)"),
        ("hyperx", "hyperx 9 x 9 x 8` or `hyperx (side)"),
        ("hypercube", "hypercube { dimensions = 8; }"),
        ("folded_hypercube", "folded_hypercube { dimensions = 8; }"),
        ("polarstar", "polarstar { q = 11; supernode = iq; degree = 3; }"),
        ("polarfly", "polarfly { q = 13; }"),
        ("slim_fly", "slim_fly { q = 13; }"),
        ("bundlefly", "bundlefly { q = 7; p = 9; }"),
        ("spectralfly", "spectralfly { rho = 23; q = 13; }"),
        ("dragonfly", "dragonfly { a = 8; h = 4; }"),
        ("levels", "levels { level 8; level 33 { ports = 4; } }"),
        ("megafly", "megafly { a = 16; rho = 8; }"),
        ("fat_tree", "fat_tree { levels = 3; arity = 18; }"),
        ("kautz", "kautz { degree = 4; length = 3; }"),
        ("gen_kautz", "gen_kautz { degree = 4; routers = 60; }"),
        ("xpander", "xpander { degree = 11; lift = 20; }"),
        ("random_regular", "random_regular { routers = 240; degree = 11; }"),
        ("ring_n", "ring_n { routers = 256; degree = 8; }"),
        ("nbr", "nbr { routers = 256; degree = 8; p = 0.5; }"),
        ("gau", "gau { routers = 256; degree = 8; alpha = 0.5; }"),
        ("permute", "permute { of = hypercube { dimensions = 8; } method = partial; }"),
        ("synthesize", "synthesize { routers = 60; degree = 4; }"),
        ("graph", "graph \"lab.graphml\""),
    ];
    /// Number of routers.
    pub fn router_count(&self) -> usize {
        match self {
            Family::Torus(dims) | Family::Mesh(dims) | Family::HyperX(dims) => dims.iter().map(|&side| side as usize).product(),
            Family::Hypercube { dimensions, .. } => 1 << dimensions,
            Family::PolarStar(star) => Plane::count(star.q) as usize * star.supernode_size() as usize,
            Family::PolarFly { q } => Plane::count(*q) as usize,
            Family::SlimFly { q } => 2 * *q as usize * *q as usize,
            Family::Bundlefly { q, p } => 2 * *q as usize * *q as usize * *p as usize,
            Family::SpectralFly { rho, q } => {
                let half = *q as usize * (*q as usize * *q as usize - 1) / 2;
                if is_bipartite_lps(*rho, *q) { 2 * half } else { half }
            }
            Family::Dragonfly(Dragonfly { a, g, .. }) => *a as usize * *g as usize,
            Family::Levels(levels) => levels.router_count(),
            Family::Megafly(megafly) => megafly.a as usize * megafly.groups() as usize,
            Family::FatTree { levels, arity } => *levels as usize * (*arity as usize).pow(levels - 1),
            Family::Kautz { degree, length, .. } => (*degree as usize + 1) * (*degree as usize).pow(length - 1),
            Family::GenKautz { routers, .. } | Family::RandomRegular { routers, .. } => *routers as usize,
            Family::Xpander { degree, lift, .. } => (*degree as usize + 1) * *lift as usize,
            Family::Shortcuts(shortcuts) => shortcuts.routers as usize,
            Family::Permuted(permuted) => permuted.base.router_count(),
            Family::Synthesized(free) => free.routers as usize,
            Family::Listed(listed) => listed.routers.len(),
        }
    }
    /// Routers of a block that symmetries move as a whole, and the number of blocks; blocks of one router
    /// where no symmetry moves more.
    pub fn blocks(&self) -> (u32, u32) {
        match self {
            Family::Dragonfly(Dragonfly { a, g, .. }) => (*a, *g),
            Family::Megafly(megafly) => (megafly.a, megafly.groups()),
            Family::Levels(levels) if levels.0.len() > 1 => levels.outermost(),
            _ => (1, self.router_count() as u32),
        }
    }
    /// Routers of a group: of a supernode, a rack, a group of a dragonfly; `None` without groups.
    pub fn group_size(&self) -> Option<u32> {
        let size = match self {
            Family::PolarStar(star) => star.supernode_size(),
            Family::Bundlefly { p, .. } => *p,
            Family::Xpander { lift, .. } => *lift,
            family => family.blocks().0,
        };
        (size > 1).then_some(size)
    }
    /// The order of the projective plane whose points its groups are, and the routers of a point.
    pub fn plane(&self) -> Option<[u32; 2]> {
        match self {
            Family::PolarStar(star) => Some([star.q, star.supernode_size()]),
            Family::PolarFly { q } => Some([*q, 1]),
            _ => None,
        }
    }
    /// The words of those whose links are of two classes: inside blocks and between them.
    pub const GROUPED: [&'static str; 4] = ["polarstar", "bundlefly", "dragonfly", "megafly"];
    /// Whether its links are of two classes.
    pub fn is_grouped(&self) -> bool {
        Family::GROUPED.contains(&self.unpermuted().name())
    }
    /// Of a permuted network its base, else the family.
    pub fn unpermuted(&self) -> &Family {
        match self {
            Family::Permuted(permuted) => &permuted.base,
            family => family,
        }
    }
    /// Whether `routing = algebraic` has a formula for it.
    pub fn has_formula(&self) -> bool {
        let grid = matches!(self, Family::Torus(_) | Family::Mesh(_) | Family::HyperX(_) | Family::Hypercube { .. });
        grid || matches!(self, Family::PolarStar(_) | Family::Dragonfly(_))
    }
    /// Whether the rotations of its groups keep every port.
    pub fn rotates(&self) -> bool {
        match self {
            Family::Dragonfly(Dragonfly { arrangement, spare, .. }) => *arrangement != Arrangement::Consecutive && !spare,
            Family::Megafly(Megafly { arrangement, .. }) => *arrangement != Arrangement::Consecutive,
            Family::Levels(levels) => levels.rotates(),
            _ => false,
        }
    }
    /// Whether the last of its groups is spare and may take the place of any other: rotations of the groups
    /// keep every port.
    pub fn replaces(&self) -> bool {
        match self {
            Family::Dragonfly(Dragonfly { arrangement, spare, .. }) => *arrangement != Arrangement::Consecutive && *spare,
            Family::Levels(levels) => levels.replaces(),
            _ => false,
        }
    }
    /// The word that a spec names it by.
    pub fn name(&self) -> &'static str {
        match self {
            Family::Torus(_) => "torus",
            Family::Mesh(_) => "mesh",
            Family::HyperX(_) => "hyperx",
            Family::Hypercube { folded: false, .. } => "hypercube",
            Family::Hypercube { folded: true, .. } => "folded_hypercube",
            Family::PolarStar(_) => "polarstar",
            Family::PolarFly { .. } => "polarfly",
            Family::SlimFly { .. } => "slim_fly",
            Family::Bundlefly { .. } => "bundlefly",
            Family::SpectralFly { .. } => "spectralfly",
            Family::Dragonfly(_) => "dragonfly",
            Family::Levels(_) => "levels",
            Family::Megafly(_) => "megafly",
            Family::FatTree { .. } => "fat_tree",
            Family::Kautz { .. } => "kautz",
            Family::GenKautz { .. } => "gen_kautz",
            Family::Xpander { .. } => "xpander",
            Family::RandomRegular { .. } => "random_regular",
            Family::Shortcuts(shortcuts) => shortcuts.reach.name(),
            Family::Permuted(_) => "permute",
            Family::Synthesized(_) => "synthesize",
            Family::Listed(_) => "graph",
        }
    }
    /// As the spec of a built directory writes it.
    pub fn written(&self) -> String {
        let by = |sides: &[u32]| sides.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ");
        let arcs = |arcs: &Arcs| if *arcs == Arcs::Duplex { " arcs = duplex;" } else { "" };
        let name = self.name();
        match self {
            Family::Torus(sides) | Family::Mesh(sides) | Family::HyperX(sides) => format!("{name} {}", by(sides)),
            Family::Hypercube { dimensions, .. } => format!("{name} {{ dimensions = {dimensions}; }}"),
            Family::PolarStar(PolarStar { q, supernode, degree }) => {
                format!("{name} {{ q = {q}; supernode = {}; degree = {degree}; }}", supernode.name())
            }
            Family::PolarFly { q } | Family::SlimFly { q } => format!("{name} {{ q = {q}; }}"),
            Family::Bundlefly { q, p } => format!("{name} {{ q = {q}; p = {p}; }}"),
            Family::SpectralFly { rho, q } => format!("{name} {{ rho = {rho}; q = {q}; }}"),
            Family::Dragonfly(Dragonfly { a, h, g, arrangement, spare }) => {
                let spare = if *spare { " spare = 1;" } else { "" };
                format!("{name} {{ a = {a}; h = {h}; g = {g}; arrangement = {};{spare} }}", arrangement.name())
            }
            Family::Levels(levels) => levels.written(),
            Family::Megafly(Megafly { a, rho, arrangement }) => {
                format!("{name} {{ a = {a}; rho = {rho}; arrangement = {}; }}", arrangement.name())
            }
            Family::FatTree { levels, arity } => format!("{name} {{ levels = {levels}; arity = {arity}; }}"),
            Family::Kautz { degree, length, arcs: are } => {
                format!("{name} {{ degree = {degree}; length = {length};{} }}", arcs(are))
            }
            Family::GenKautz { degree, routers, arcs: are } => {
                format!("{name} {{ degree = {degree}; routers = {routers};{} }}", arcs(are))
            }
            Family::Xpander { degree, lift, draw } => format!("{name} {{ degree = {degree}; lift = {lift}; {} }}", draw.written()),
            Family::RandomRegular { routers, degree, draw } => {
                format!("{name} {{ routers = {routers}; degree = {degree}; {} }}", draw.written())
            }
            Family::Shortcuts(shortcuts) => shortcuts.written(),
            Family::Permuted(permuted) => permuted.written(),
            Family::Synthesized(FreeGraph { routers, degree, arcs: are, effort, seed, cable }) => {
                let cable = cable.map_or(String::new(), |weight| format!(" cable = {};", FreeGraph::weight(weight)));
                let are = if *are == Arcs::Simplex { " arcs = simplex;" } else { "" };
                format!("{name} {{ degree = {degree}; routers = {routers};{are} effort = {effort}; seed = {seed};{cable} }}")
            }
            // Where its copy stands in what is built, so that it is said alike wherever the file came from.
            Family::Listed(listed) => format!("{name} \"{}\"", graph_input(&listed.path)),
        }
    }
    /// Whether its links may exchange ends: links that its parameters tell, both ways, and no routers that
    /// are spare or of a level.
    pub fn may_be_permuted(&self) -> bool {
        let grid = matches!(self, Family::Torus(_) | Family::Mesh(_) | Family::HyperX(_) | Family::Hypercube { .. });
        let plain = matches!(self, Family::PolarFly { .. } | Family::SlimFly { .. } | Family::SpectralFly { .. });
        let grouped = matches!(self, Family::PolarStar(_) | Family::Bundlefly { .. } | Family::Megafly(_));
        match self {
            Family::Dragonfly(dragonfly) => !dragonfly.spare,
            Family::Levels(levels) => levels.0.iter().all(|level| !level.spare),
            _ => grid || plain || grouped,
        }
    }
    /// Whether its links are drawn or searched, so that parameters alone do not tell them.
    pub fn is_drawn(&self) -> bool {
        let random = matches!(self, Family::Xpander { .. } | Family::RandomRegular { .. } | Family::Shortcuts(_) | Family::Permuted(_));
        random || matches!(self, Family::Synthesized(_))
    }
    /// Whether links are single channels.
    pub fn is_simplex(&self) -> bool {
        match self {
            Family::Kautz { arcs, .. } | Family::GenKautz { arcs, .. } => *arcs == Arcs::Simplex,
            Family::Synthesized(free) => free.arcs == Arcs::Simplex,
            Family::Listed(listed) => listed.arcs == Arcs::Simplex,
            _ => false,
        }
    }
}
