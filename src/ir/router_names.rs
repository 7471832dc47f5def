//! How the routers of a fabric are called.

use fabc_model::{Dragonfly, Fabric, Family, Plant};
use fabc_topology::Names;

/// The names of a fabric's routers and ports.
pub fn router_names(fabric: &Fabric) -> Names {
    let family = match &fabric.plant {
        Plant::Pod(pod) => return Names::Cubes(pod.cube.dims),
        Plant::Network(network) => &network.family,
    };
    family_names(family)
}

/// The names of a family's routers.
fn family_names(family: &Family) -> Names {
    match family {
        Family::Permuted(permuted) => family_names(&permuted.base),
        Family::Torus(sides) | Family::Mesh(sides) | Family::HyperX(sides) => Names::Grid(sides.as_slice().into()),
        Family::SlimFly { q } => Names::Grid([2, *q, *q].as_slice().into()),
        Family::PolarStar(star) => Names::Blocks { word: "supernode", size: star.supernode_size() },
        Family::Bundlefly { p, .. } => Names::Blocks { word: "supernode", size: *p },
        Family::Hypercube { .. } | Family::PolarFly { .. } | Family::SpectralFly { .. } | Family::GenKautz { .. } => Names::Numbered,
        Family::RandomRegular { .. } | Family::Shortcuts(_) | Family::Synthesized(_) => Names::Numbered,
        Family::Xpander { lift, .. } => Names::Blocks { word: "node", size: *lift },
        Family::Megafly(megafly) => Names::Blocks { word: "group", size: megafly.a },
        Family::Dragonfly(Dragonfly { a, .. }) => Names::Blocks { word: "group", size: *a },
        Family::Levels(levels) => match *levels.0.iter().map(|level| level.blocks).collect::<Vec<u32>>() {
            [_] => Names::Numbered,
            [size, _] => Names::Blocks { word: "group", size },
            ref blocks => Names::Nested(blocks.into()),
        },
        Family::FatTree { levels, arity } => Names::Blocks { word: "level", size: arity.pow(levels - 1) },
        Family::Kautz { degree, length, .. } => Names::Words { degree: *degree, length: *length },
        Family::Listed(listed) => Names::Listed(listed.routers.iter().map(|router| router.name.clone()).collect()),
    }
}
