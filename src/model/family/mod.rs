//! The families of networks. Each family is a file of facts: its parameters, its word, sizes, names, hosts
//! and closed forms. Its generator stands in `passes::wire`, its predicate in `check::wiring`.

mod arcs;
mod boxes;
mod bundlefly;
mod cayley;
mod clos;
mod clos_digits;
mod de_bruijn;
mod delorme;
mod dragonfly;
mod facts;
mod fat_tree;
mod gen_kautz;
mod grids;
mod hypercube;
mod kautz;
mod levels;
mod listed;
mod megafly;
mod permuted;
mod polarfly;
mod polarstar;
mod quadrangle_pairs;
mod random_regular;
mod shortcuts;
mod slim_fly;
mod spectralfly;
mod star_graph;
mod synthesized;
mod xpander;

pub use arcs::Arcs;
pub use boxes::{
    Attach, AttachBy, BoxKind, BoxPart, Boxes, InnerLink, InnerSwitch, LeafGroup, Outside, PlacedBoxes,
    PlacedNic,
};
pub use bundlefly::Bundlefly;
pub use cayley::Cayley;
pub use clos::{Clos, ClosForm, ClosStage};
pub use clos_digits::{ClosShifts, StageDigits};
pub use de_bruijn::DeBruijn;
pub use delorme::Delorme;
pub use dragonfly::Dragonfly;
pub use facts::{FamilyFacts, FamilyForm, FullestRouter, LinkCount};
pub use fat_tree::FatTree;
pub use gen_kautz::GenKautz;
pub use grids::{HyperX, Mesh, Torus};
pub use hypercube::Hypercube;
pub use kautz::Kautz;
pub use levels::{Level, Levels};
pub use listed::{Listed, ListedEnds, ListedLink, ListedPorts, ListedRouter};
pub use megafly::Megafly;
pub use permuted::{Duplicates, PermuteMethod};
pub use polarfly::PolarFly;
pub use polarstar::{PolarStar, Supernode};
pub use quadrangle_pairs::{PointsAndLines, Quadrangle, QuadranglePairs};
pub use random_regular::RandomRegular;
pub use shortcuts::{ShortcutReach, Shortcuts};
pub use slim_fly::{SlimFly, slim_fly_degree};
pub use spectralfly::{SpectralFly, is_bipartite_lps};
pub use star_graph::StarGraph;
pub use synthesized::{FreeGraph, GraphSymmetry};
pub use xpander::Xpander;

use crate::closed_form::ClosedForm;
use crate::draw::Draw;
use fabc_topology::RouterNames;

/// Declares the families. Each has a file of facts, and [`Family::facts`] finds them.
macro_rules! families {
    ($($(#[$meaning:meta])+ $family:ident($facts:ty),)+) => {
        /// A family of networks, with its checked parameters.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Family {
            $($(#[$meaning])+ $family($facts),)+
        }

        impl Family {
            /// The facts of the family.
            pub fn facts(&self) -> &dyn FamilyFacts {
                match self {
                    $(Family::$family(facts) => facts,)+
                }
            }
        }
    };
}

families! {
    /// Tori, as a spec writes them: `torus a x b x ..`.
    Torus(Torus),
    /// Meshes, as a spec writes them: `mesh a x b x ..`.
    Mesh(Mesh),
    /// HyperXs, as a spec writes them: `hyperx a x b x ..`.
    HyperX(HyperX),
    /// Hypercubes, plain or folded: `hypercube { dimensions; }`, `folded_hypercube { dimensions; }`.
    Hypercube(Hypercube),
    /// PolarStars, as a spec writes them: `polarstar { q; supernode; degree; }`.
    PolarStar(PolarStar),
    /// PolarFlies, as a spec writes them: `polarfly { q; }`.
    PolarFly(PolarFly),
    /// Delorme graphs, as a spec writes them: `delorme { q; copies; }`.
    Delorme(Delorme),
    /// Pairs of points and lines, written `quadrangle_pairs { quadrangle; q; copies; }`.
    QuadranglePairs(QuadranglePairs),
    /// Slim flies, as a spec writes them: `slim_fly { q; }`.
    SlimFly(SlimFly),
    /// Cayley graphs, written `cayley { m; n; r; generators; }`.
    Cayley(Cayley),
    /// Star graphs, written `star_graph { symbols; }`.
    StarGraph(StarGraph),
    /// Bundleflies, as a spec writes them: `bundlefly { q; p; }`.
    Bundlefly(Bundlefly),
    /// SpectralFlies, as a spec writes them: `spectralfly { rho; q; }`.
    SpectralFly(SpectralFly),
    /// Dragonflies, as a spec writes them: `dragonfly { a; h; g; arrangement; }`.
    Dragonfly(Dragonfly),
    /// Nested groups, as a spec writes them: `levels { level ..; .. }`.
    Levels(Levels),
    /// Megaflies, as a spec writes them: `megafly { a; rho; arrangement; }`.
    Megafly(Megafly),
    /// k-ary n-trees, as a spec writes them: `fat_tree { levels; arity; }`.
    FatTree(FatTree),
    /// Folded Clos networks, written `clos { .. }`, `leaf_spine { .. }` or `fat_tree { k; }`.
    Clos(Clos),
    /// Boxes of GPUs, written `boxes = n of name;`, and the network that joins them.
    Boxes(Boxes),
    /// Kautz graphs, as a spec writes them: `kautz { degree; length; }`.
    Kautz(Kautz),
    /// Generalized Kautz graphs, written `gen_kautz { degree; routers; }`.
    GenKautz(GenKautz),
    /// De Bruijn graphs, as a spec writes them: `de_bruijn { degree; length; }`.
    DeBruijn(DeBruijn),
    /// Xpanders of any lift, written `xpander { degree; lift; }`.
    Xpander(Xpander),
    /// Random regular graphs, written `random_regular { routers; degree; }`.
    RandomRegular(RandomRegular),
    /// `ring_n`, `nbr`, `gau`: a ring with random shortcuts.
    Shortcuts(Shortcuts),
    /// `permute { of = ..; }`: the links of another family, with ends exchanged.
    Permuted(Permuted),
    /// `synthesize { routers; degree; }`: searched for short distances and a large flow.
    Synthesized(FreeGraph),
    /// Networks from a file, written `graph "file"`.
    Listed(Listed),
}

/// Permuted networks, as a spec writes them: `permute { of = ..; method; duplicates; seed; }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Permuted {
    /// The family whose links are permuted.
    pub base: Box<Family>,
    /// The links that may exchange ends.
    pub method: PermuteMethod,
    /// What happens to links that become duplicates.
    pub duplicates: Duplicates,
    /// Number of routers of a cabinet. They have consecutive numbers, and all cabinets are full.
    pub cabinet: u32,
    /// The random choice of the permutation.
    pub draw: Draw,
}

impl Family {
    /// The goal that chooses among all families with a design space.
    const LARGEST: FamilyForm = ("network", "network { radix = 33; diameter = 3; routers = largest; }");

    /// Every family, with an example as a spec writes it.
    pub const FORMS: [FamilyForm; 34] = [
        grids::TORUS,
        grids::MESH,
        grids::HYPERX,
        hypercube::PLAIN,
        hypercube::FOLDED,
        polarstar::FORM,
        polarfly::FORM,
        delorme::FORM,
        quadrangle_pairs::FORM,
        cayley::FORM,
        star_graph::FORM,
        slim_fly::FORM,
        bundlefly::FORM,
        spectralfly::FORM,
        dragonfly::FORM,
        levels::FORM,
        megafly::FORM,
        fat_tree::FORM,
        clos::LEAF_SPINE,
        clos::GENERAL,
        boxes::RAILS,
        kautz::FORM,
        de_bruijn::FORM,
        gen_kautz::FORM,
        xpander::FORM,
        random_regular::FORM,
        random_regular::JELLYFISH,
        shortcuts::RING_N,
        shortcuts::NBR,
        shortcuts::GAU,
        permuted::FORM,
        synthesized::FORM,
        Family::LARGEST,
        listed::FORM,
    ];

    /// The words of the families whose links have two classes: inside groups and between them.
    pub const GROUPED: [&'static str; 4] =
        [polarstar::FORM.0, bundlefly::FORM.0, dragonfly::FORM.0, megafly::FORM.0];

    /// The words of the families that have a [`Family::closed_form`].
    pub const DESCRIBED: [&'static str; 21] = [
        grids::TORUS.0,
        grids::MESH.0,
        grids::HYPERX.0,
        hypercube::PLAIN.0,
        hypercube::FOLDED.0,
        polarstar::FORM.0,
        polarfly::FORM.0,
        delorme::FORM.0,
        quadrangle_pairs::FORM.0,
        cayley::FORM.0,
        star_graph::FORM.0,
        slim_fly::FORM.0,
        bundlefly::FORM.0,
        dragonfly::FORM.0,
        megafly::FORM.0,
        fat_tree::FORM.0,
        clos::LEAF_SPINE.0,
        clos::GENERAL.0,
        kautz::FORM.0,
        de_bruijn::FORM.0,
        Family::LARGEST.0,
    ];

    /// The base of a permuted network, otherwise the family itself.
    pub fn unpermuted(&self) -> &Family {
        match self {
            Family::Permuted(permuted) => &permuted.base,
            family => family,
        }
    }

    /// The sides of a torus, a mesh or a HyperX. `None` for other families.
    pub fn grid_sides(&self) -> Option<&[u32]> {
        match self {
            Family::Torus(Torus(sides)) | Family::Mesh(Mesh(sides)) | Family::HyperX(HyperX(sides)) => {
                Some(sides)
            }
            _ => None,
        }
    }

    /// Number of routers of the network.
    pub fn router_count(&self) -> usize {
        self.facts().router_count()
    }

    /// The word that a spec uses for it.
    pub fn name(&self) -> &'static str {
        self.facts().name()
    }

    /// The topology as the spec of a built directory writes it.
    pub fn written(&self) -> String {
        self.facts().written()
    }

    /// The names of its routers.
    pub fn router_names(&self) -> RouterNames {
        self.facts().router_names()
    }

    /// (routers of a block, number of blocks). A block is what symmetries move as a whole.
    pub fn blocks(&self) -> (u32, u32) {
        self.facts().blocks()
    }

    /// Number of routers of a group: of a supernode, a rack, a group of a dragonfly. `None` without groups.
    pub fn group_size(&self) -> Option<u32> {
        let size = self.facts().routers_of_group();
        (size > 1).then_some(size)
    }

    /// The order of the projective plane whose points are its groups, and the number of routers of a point.
    /// `None` for other families.
    pub fn plane(&self) -> Option<[u32; 2]> {
        self.facts().plane()
    }

    /// Whether its links have two classes.
    pub fn is_grouped(&self) -> bool {
        Family::GROUPED.contains(&self.unpermuted().name())
    }

    /// Whether `routing = algebraic` has a formula for it.
    pub fn has_formula(&self) -> bool {
        self.facts().has_formula()
    }

    /// Whether the rotations of its groups keep every port.
    pub fn rotates(&self) -> bool {
        self.facts().rotates()
    }

    /// Whether the last of its groups is spare and may take the place of any other.
    pub fn replaces(&self) -> bool {
        self.facts().has_replacement_group()
    }

    /// Whether `permute` may exchange ends of its links.
    pub fn may_be_permuted(&self) -> bool {
        self.facts().may_be_permuted()
    }

    /// Whether its links are drawn or searched, so that the parameters alone do not determine them.
    pub fn is_drawn(&self) -> bool {
        self.facts().is_drawn()
    }

    /// Whether its links are single channels.
    pub fn is_simplex(&self) -> bool {
        self.facts().is_simplex()
    }

    /// Its sizes and distances by formula. `None` for families without formulas.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        self.facts().closed_form()
    }
}

impl FamilyFacts for Permuted {
    fn name(&self) -> &'static str {
        permuted::FORM.0
    }

    fn written(&self) -> String {
        let base = self.base.written();
        let end = if base.ends_with('}') { "" } else { ";" };
        let (method, duplicates) = (self.method.name(), self.duplicates.name());
        format!(
            "permute {{ of = {base}{end} method = {method}; duplicates = {duplicates}; {} }}",
            self.draw.written()
        )
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

    fn router_names(&self) -> RouterNames {
        self.base.router_names()
    }

    fn has_hosts(&self, router: u32) -> bool {
        self.base.facts().has_hosts(router)
    }

    fn is_drawn(&self) -> bool {
        true
    }
}
