//! Where the routers of a fabric stand in its picture: every family is drawn as what it is.
//!
//! In: a compiled fabric. Out: a point for every router, and the blocks that large pictures are divided into.
//! Invariant: coordinates are integers that follow from the fabric alone, on every machine.

mod clusters;
mod force;
mod lattice;
mod point;
mod tiers;

pub(super) use point::Point;

use crate::compiled::CompiledFabric;
use fabc_base::ids::Id;
use fabc_ir::RouterNames;
use fabc_model::{Family, Plant};

/// The places of all routers.
pub(super) struct Layout {
    /// `[router]`: where it stands in the picture.
    pub(super) points: Vec<Point>,
    /// How the picture is made, for readers: `groups on a ring`.
    pub(super) words: String,
    /// Length up to which links along an axis are straight. Longer ones bow around the routers between their
    /// ends. `None` where all links are straight.
    pub(super) straight: Option<Point>,
    /// Number of consecutive routers of a block. 1 without blocks.
    pub(super) block: usize,
    /// The word for a block.
    pub(super) block_word: &'static str,
}

/// Maximum routers of a picture that forces draw. A larger one is a ring.
const MOST_FORCED: usize = 400;

/// The layout of a fabric.
pub(super) fn layout(compiled: &CompiledFabric) -> Layout {
    let (points, words, straight) = match &compiled.fabric.plant {
        Plant::Pod(pod) => {
            let words = match pod.cubes {
                1 => "the layers of a cube, the lowest first".to_owned(),
                _ => "cubes on a lattice, each by its layers, the lowest first".to_owned(),
            };
            (lattice::cubes(pod), words, Some(lattice::straight(pod.cube.dims[1])))
        }
        Plant::Network(network) => family_points(compiled, network.family.unpermuted()),
    };
    let (block, block_word) = block(compiled);
    Layout { points, words, straight, block, block_word }
}

/// The blocks of consecutive routers into which a picture is divided.
fn block(compiled: &CompiledFabric) -> (usize, &'static str) {
    match compiled.topology.names() {
        RouterNames::Cubes(_) => {
            (compiled.fabric.pod().map_or(1, |pod| pod.chips_per_cube() as usize), "cube")
        }
        RouterNames::Blocks { size, word } => (*size as usize, word),
        RouterNames::Nested(blocks) => {
            (blocks.iter().rev().skip(1).map(|&count| count as usize).product(), "group")
        }
        RouterNames::Grid(sides) => (sides.last().map_or(1, |&side| side as usize), "row"),
        _ => match compiled.fabric.family().and_then(Family::group_size) {
            Some(size) => (size as usize, "group"),
            None => (1, "part"),
        },
    }
}

fn family_points(compiled: &CompiledFabric, family: &Family) -> (Vec<Point>, String, Option<Point>) {
    let topology = &compiled.topology;
    let count = topology.node_count();
    if let Some(points) = tiers::tiers(compiled) {
        return (points, "a row for every tier, hosts at the bottom".to_owned(), None);
    }
    let grid = |sides: &[u32]| match sides.len() {
        3 if sides.iter().all(|&side| side > 2) => {
            (lattice::layers(sides), "the layers of a lattice".to_owned(), Some(lattice::straight(sides[1])))
        }
        _ => (lattice::grid(sides), "a grid".to_owned(), Some(lattice::straight(0))),
    };
    match family {
        Family::HyperX(_) | Family::Torus(_) | Family::Mesh(_) | Family::Hypercube(_) => {
            match topology.names() {
                RouterNames::Grid(sides) if sides.len() == 1 && !matches!(family, Family::Mesh(_)) => {
                    ring(count)
                }
                RouterNames::Grid(sides) => grid(sides),
                _ => grid(&vec![2; count.ilog2() as usize]),
            }
        }
        Family::PolarFly(fly) if fly.copies == 0 => (
            clusters::polarfly(topology),
            "the quadrics above, a fan for each neighbor of one of them".to_owned(),
            None,
        ),
        Family::Delorme(_) | Family::QuadranglePairs(_) => match topology.names() {
            RouterNames::Tiers(tiers) if matches!(family, Family::Delorme(_)) => {
                (clusters::circles(tiers, 4), "the tree around one router, copies outside".to_owned(), None)
            }
            RouterNames::Tiers(tiers) => (
                lattice::tables(tiers),
                "a row for every point, a column for every line, copies below".to_owned(),
                Some(lattice::straight(0)),
            ),
            _ => ring(count),
        },
        Family::SlimFly(fly) => (
            clusters::halves(fly.q),
            "two halves of columns, as the field divides them".to_owned(),
            Some(lattice::straight(0)),
        ),
        _ => match topology.names() {
            RouterNames::Blocks { size, word } => {
                let inside = |router: usize| topology.is_endpoint(fabc_base::ids::NodeId::new(router));
                (clusters::groups(count, *size as usize, &inside), format!("{word}s on a ring"), None)
            }
            RouterNames::Nested(blocks) => {
                (clusters::nested(blocks), "groups of groups on rings".to_owned(), None)
            }
            _ => match family {
                Family::Kautz(_) | Family::GenKautz(_) | Family::Shortcuts(_) => ring(count),
                _ if count <= MOST_FORCED => {
                    (force::spread(topology), "linked routers near each other".to_owned(), None)
                }
                _ => ring(count),
            },
        },
    }
}

fn ring(count: usize) -> (Vec<Point>, String, Option<Point>) {
    (clusters::ring(count), "a ring with chords, clockwise by number".to_owned(), None)
}
