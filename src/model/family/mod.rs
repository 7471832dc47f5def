//! The families of networks. Each is a file of facts: its parameters, its word, sizes, names, hosts and
//! closed forms. Its generator stands in `passes::wire`, its predicate in `check::wiring`.

mod arcs;
mod bundlefly;
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
mod random_regular;
mod shortcuts;
mod slim_fly;
mod spectralfly;
mod synthesized;
mod xpander;

pub use arcs::Arcs;
pub use bundlefly::Bundlefly;
pub use dragonfly::Dragonfly;
pub use facts::{FamilyFacts, Form, FullestRouter, LinkCount};
pub use fat_tree::FatTree;
pub use gen_kautz::GenKautz;
pub use grids::{HyperX, Mesh, Torus};
pub use hypercube::Hypercube;
pub use kautz::Kautz;
pub use levels::{Level, Levels};
pub use listed::{Listed, ListedLink, ListedRouter};
pub use megafly::Megafly;
pub use permuted::{Duplicates, Method};
pub use polarfly::PolarFly;
pub use polarstar::{PolarStar, Supernode};
pub use random_regular::RandomRegular;
pub use shortcuts::{Reach, Shortcuts};
pub use slim_fly::{SlimFly, slim_fly_degree};
pub use spectralfly::{SpectralFly, is_bipartite_lps};
pub use synthesized::FreeGraph;
pub use xpander::Xpander;

use crate::closed_form::ClosedForm;
use crate::draw::Draw;
use fabc_topology::Names;

/// A family of networks, with its checked parameters.
#[derive(Clone, PartialEq, Debug)]
pub enum Family {
    /// `torus a x b x ..`.
    Torus(Torus),
    /// `mesh a x b x ..`.
    Mesh(Mesh),
    /// `hyperx a x b x ..`.
    HyperX(HyperX),
    /// `hypercube { dimensions; }`, `folded_hypercube { dimensions; }`.
    Hypercube(Hypercube),
    /// `polarstar { q; supernode; degree; }`.
    PolarStar(PolarStar),
    /// `polarfly { q; }`.
    PolarFly(PolarFly),
    /// `slim_fly { q; }`.
    SlimFly(SlimFly),
    /// `bundlefly { q; p; }`.
    Bundlefly(Bundlefly),
    /// `spectralfly { rho; q; }`.
    SpectralFly(SpectralFly),
    /// `dragonfly { .. }`.
    Dragonfly(Dragonfly),
    /// `levels { level ..; .. }`.
    Levels(Levels),
    /// `megafly { a; rho; arrangement; }`.
    Megafly(Megafly),
    /// `fat_tree { levels; arity; }`.
    FatTree(FatTree),
    /// `kautz { degree; length; }`.
    Kautz(Kautz),
    /// `gen_kautz { degree; routers; }`.
    GenKautz(GenKautz),
    /// `xpander { degree; lift; }`.
    Xpander(Xpander),
    /// `random_regular { routers; degree; }`.
    RandomRegular(RandomRegular),
    /// `ring_n`, `nbr`, `gau`: a ring with random shortcuts.
    Shortcuts(Shortcuts),
    /// `permute { of = ..; }`: the links of another family, with ends exchanged.
    Permuted(Permuted),
    /// `synthesize { routers; degree; }`: searched for short distances and a large flow.
    Synthesized(FreeGraph),
    /// `graph "file"`.
    Listed(Listed),
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

impl Family {
    /// Every family, each with a topology as it is written.
    pub const FORMS: [Form; 24] = [
        grids::TORUS,
        grids::MESH,
        grids::HYPERX,
        hypercube::PLAIN,
        hypercube::FOLDED,
        polarstar::FORM,
        polarfly::FORM,
        slim_fly::FORM,
        bundlefly::FORM,
        spectralfly::FORM,
        dragonfly::FORM,
        levels::FORM,
        megafly::FORM,
        fat_tree::FORM,
        kautz::FORM,
        gen_kautz::FORM,
        xpander::FORM,
        random_regular::FORM,
        shortcuts::RING_N,
        shortcuts::NBR,
        shortcuts::GAU,
        permuted::FORM,
        synthesized::FORM,
        listed::FORM,
    ];

    /// The words of those whose links are of two classes: inside blocks and between them.
    pub const GROUPED: [&'static str; 4] =
        [polarstar::FORM.0, bundlefly::FORM.0, dragonfly::FORM.0, megafly::FORM.0];

    /// The words of the families that formulas describe: those of [`Family::closed_form`].
    pub const DESCRIBED: [&'static str; 13] = [
        grids::TORUS.0,
        grids::MESH.0,
        grids::HYPERX.0,
        hypercube::PLAIN.0,
        hypercube::FOLDED.0,
        polarstar::FORM.0,
        polarfly::FORM.0,
        slim_fly::FORM.0,
        bundlefly::FORM.0,
        dragonfly::FORM.0,
        megafly::FORM.0,
        fat_tree::FORM.0,
        kautz::FORM.0,
    ];

    /// The facts of the family.
    pub fn facts(&self) -> &dyn FamilyFacts {
        match self {
            Family::Torus(family) => family,
            Family::Mesh(family) => family,
            Family::HyperX(family) => family,
            Family::Hypercube(family) => family,
            Family::PolarStar(family) => family,
            Family::PolarFly(family) => family,
            Family::SlimFly(family) => family,
            Family::Bundlefly(family) => family,
            Family::SpectralFly(family) => family,
            Family::Dragonfly(family) => family,
            Family::Levels(family) => family,
            Family::Megafly(family) => family,
            Family::FatTree(family) => family,
            Family::Kautz(family) => family,
            Family::GenKautz(family) => family,
            Family::Xpander(family) => family,
            Family::RandomRegular(family) => family,
            Family::Shortcuts(family) => family,
            Family::Permuted(family) => family,
            Family::Synthesized(family) => family,
            Family::Listed(family) => family,
        }
    }

    /// Of a permuted network its base, else the family.
    pub fn unpermuted(&self) -> &Family {
        match self {
            Family::Permuted(permuted) => &permuted.base,
            family => family,
        }
    }

    /// The sides of a torus, a mesh or a HyperX; `None` of other families.
    pub fn grid_sides(&self) -> Option<&[u32]> {
        match self {
            Family::Torus(Torus(sides)) | Family::Mesh(Mesh(sides)) | Family::HyperX(HyperX(sides)) => {
                Some(sides)
            }
            _ => None,
        }
    }

    /// Number of routers.
    pub fn router_count(&self) -> usize {
        self.facts().router_count()
    }

    /// The word that a spec names it by.
    pub fn name(&self) -> &'static str {
        self.facts().name()
    }

    /// As the spec of a built directory writes it.
    pub fn written(&self) -> String {
        self.facts().written()
    }

    /// The names of its routers.
    pub fn router_names(&self) -> Names {
        self.facts().router_names()
    }

    /// Routers of a block that symmetries move as a whole, and the number of blocks.
    pub fn blocks(&self) -> (u32, u32) {
        self.facts().blocks()
    }

    /// Routers of a group: of a supernode, a rack, a group of a dragonfly; `None` without groups.
    pub fn group_size(&self) -> Option<u32> {
        let size = self.facts().routers_of_group();
        (size > 1).then_some(size)
    }

    /// The order of the projective plane whose points its groups are, and the routers of a point.
    pub fn plane(&self) -> Option<[u32; 2]> {
        self.facts().plane()
    }

    /// Whether its links are of two classes.
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
        self.facts().replaces()
    }

    /// Whether its links may exchange ends.
    pub fn may_be_permuted(&self) -> bool {
        self.facts().may_be_permuted()
    }

    /// Whether its links are drawn or searched, so that parameters alone do not tell them.
    pub fn is_drawn(&self) -> bool {
        self.facts().is_drawn()
    }

    /// Whether links are single channels.
    pub fn is_simplex(&self) -> bool {
        self.facts().is_simplex()
    }

    /// What formulas say of a network; `None` of families without.
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
