//! Gathers and broadcasts over trees whose edges are paths through routers that only forward.
//!
//! Input: a scene of duplex links, and a root where there is one. Output: for every root, trees over the
//! chips that together carry its data to all chips. No channel carries more than the tightest cut allows.
//! Routers that only forward never copy.
//!
//! The rate is the exact optimum of the cut, or the best one for a given number of parts. First all routers
//! that only forward are split off ([`splitting`]): what remains are arcs between chips, each with the paths
//! that it stands for. Then trees are packed into these arcs ([`arborescences`]). Both steps lose nothing
//! (Bang-Jensen, Frank and Jackson 1995; Edmonds 1973; as in ForestColl, arXiv 2402.06787). Cost: for each
//! router that only forwards, a flow to every chip for each pair of its neighbors.
//!
//! Where rotations move every chip, few trees and their images do ([`rotated`]). They are lower, and serve
//! larger fabrics. Their load need not be the optimum.

mod arborescences;
mod branching;
mod ground;
mod kept_flow;
mod rotated;
mod rotations;
mod splitting;
mod timing;

pub use timing::ForestTimetable;

use super::bounds;
use super::canonical::check_plannable;
use super::error::CollectiveError;
use super::request::ScheduleRequest;
use arborescences::pack_arborescences;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::NodeId;
use fabc_ir::{
    CollectiveBound, Forest, ForestPath, ForestSend, ForestTree, Fraction, Scene, Schedule, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use ground::{ForestGround, ForestRate};
use rotated::RotatedFabric;
use splitting::LogicalArcs;

/// The most chips for which trees are packed without rotations.
const MOST_CHIPS: usize = 64;
/// The most chips for which trees are rotated.
const MOST_ROTATED_CHIPS: usize = 1024;
/// The most trees of a root that are rotated unasked.
const MOST_ROTATED_TREES: u32 = 16;
/// The most edges of all rotated trees together.
const MOST_ROTATED_EDGES: usize = 1 << 21;
/// The most routers of any kind.
const MOST_ROUTERS: usize = 256;

/// Checks that a forest can be packed on a scene. Around a root there are no rotations.
///
/// # Errors
/// Refuses what no collective can be planned on, a link that runs one way, and too many chips or routers.
pub fn check_forest(scene: &Scene<'_>, collective: Collective) -> Result<(), CollectiveError> {
    check_plannable(scene)?;
    if let Some(link) = scene.first_simplex() {
        return Err(CollectiveError::Simplex { link: scene.topology.link_name(link) });
    }
    let (chips, routers) = (scene.endpoints().count(), scene.topology.node_count());
    let is_rotated = || {
        !collective.is_rooted()
            && chips <= MOST_ROTATED_CHIPS
            && RotatedFabric::new(&ForestGround::new(scene, None)).is_some()
    };
    if (chips > MOST_CHIPS || routers > MOST_ROUTERS) && !is_rotated() {
        return Err(too_large(&ForestGround::new(scene, None)));
    }
    Ok(())
}

/// An all-gather, or with a root a broadcast, over packed trees. `parts` is the number of parts of the data
/// of a root, each of which goes down one tree. Without it the trees meet the bound of the tightest cut.
///
/// # Errors
/// Fails as [`check_forest`] does, for a disconnected scene, and for a root that is no surviving chip.
pub fn forest(
    scene: &Scene<'_>,
    root: Option<NodeId>,
    parts: Option<u32>,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    let collective = if root.is_some() { Collective::Broadcast } else { Collective::AllGather };
    check_forest(scene, collective)?;
    let bounds = bounds(scene, collective, root)?;
    let ground = ForestGround::new(scene, root);
    let is_large = ground.chips > MOST_CHIPS || ground.nodes.len() > MOST_ROUTERS;
    // Few trees are lower if they are images of each other.
    let rotated =
        if root.is_none() && (is_large || parts.is_some()) { RotatedFabric::new(&ground) } else { None };
    if let Some(rotated) = rotated {
        let affordable = (MOST_ROTATED_EDGES / (ground.chips * ground.chips)).max(1) as u32;
        let most = parts.unwrap_or(MOST_ROTATED_TREES).min(affordable);
        let (parts, trees) = rotated.trees(most, bounds[0].volume().as_f64());
        return Ok(forest_schedule(&ground, root, request, bounds, (parts, trees)));
    }
    if is_large {
        return Err(too_large(&ground));
    }
    let rate = match parts {
        None => ground.optimal_rate(&bounds[0]),
        Some(parts) => rate_for_parts(&ground, u64::from(parts.max(1)), bounds[0].volume()),
    };
    let trees = packed_trees(&ground, &rate).ok_or(CollectiveError::TooFew { chips: ground.chips })?;
    Ok(forest_schedule(&ground, root, request, bounds, (rate.parts as u32, trees)))
}

/// The tightest cut of a gather within a group, and the fewest parts with which trees meet it. In the scene
/// only the chips of the group live.
///
/// # Errors
/// Refuses a scene in which nothing can be planned.
pub(super) fn tightest_within(scene: &Scene<'_>) -> Result<(CollectiveBound, u32), CollectiveError> {
    let bounds = bounds(scene, Collective::AllGather, None)?;
    let parts = ForestGround::new(scene, None).optimal_rate(&bounds[0]).parts as u32;
    Ok((bounds[0].clone(), parts))
}

/// Trees that carry the data of every chip of a group, in so many parts, to all others at the least load.
///
/// # Errors
/// Refuses a scene in which nothing can be planned.
pub(super) fn pack_within(scene: &Scene<'_>, parts: u32) -> Result<Vec<ForestTree>, CollectiveError> {
    let (bound, _) = tightest_within(scene)?;
    let ground = ForestGround::new(scene, None);
    let rate = rate_for_parts(&ground, u64::from(parts), bound.volume());
    packed_trees(&ground, &rate).ok_or(CollectiveError::TooFew { chips: ground.chips })
}

fn forest_schedule(
    ground: &ForestGround<'_>,
    root: Option<NodeId>,
    request: ScheduleRequest,
    bounds: Vec<CollectiveBound>,
    packed: (u32, Vec<ForestTree>),
) -> Schedule {
    let (parts, trees) = packed;
    let load = ground.load(&trees);
    Schedule {
        collective: if root.is_some() { Collective::Broadcast } else { Collective::AllGather },
        algorithm: CollectiveAlgorithm::Forest,
        seed: request.seed,
        nodes: ground.scene.topology.node_count() as u32,
        chunks: 1,
        root,
        groups: None,
        transfers: Transfers::Forest(Forest { parts, load, trees }),
        bounds,
    }
}

fn too_large(ground: &ForestGround<'_>) -> CollectiveError {
    CollectiveError::ForestTooLarge {
        chips: ground.chips,
        routers: ground.nodes.len(),
        most_chips: MOST_CHIPS,
        most_routers: MOST_ROUTERS,
    }
}

/// The least capacities with which so many parts reach all chips. `volume` bounds them from below.
fn rate_for_parts(ground: &ForestGround<'_>, parts: u64, volume: Fraction) -> ForestRate {
    let lanes = ground.scene.channels().map(|channel| ground.scene.topology.channel_capacity(channel));
    let unit = lanes
        .fold(1, |unit, lanes| unit / greatest_common_divisor(unit, u128::from(lanes)) * u128::from(lanes));
    let rate = |scaled: u128| ForestRate { parts, capacities: ground.capacities(scaled, unit) };
    let is_enough = |scaled: u128| {
        let rate = rate(scaled);
        LogicalArcs::new(ground, &rate).deficiency(u64::MAX) == 0
    };
    let mut high = volume.times(Fraction::integer(u128::from(parts) * unit)).ceil().max(1);
    let mut low = high - 1;
    while !is_enough(high) {
        (low, high) = (high, high * 2);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_enough(middle) { high = middle } else { low = middle }
    }
    rate(high)
}

/// Packs trees at a rate. `None` if they do not fit.
fn packed_trees(ground: &ForestGround<'_>, rate: &ForestRate) -> Option<Vec<ForestTree>> {
    let mut arcs = LogicalArcs::new(ground, rate);
    arcs.split_off_forwarders()?;
    let batches = pack_arborescences(&arcs)?;
    let mut trees = Vec::with_capacity(batches.len());
    for batch in &batches {
        let mut sends = Vec::with_capacity(batch.arcs.len());
        for &[from, to] in &batch.arcs {
            let paths = arcs.take(from, to, batch.multiplicity);
            let paths = paths.into_iter().map(|share| ForestPath {
                amount: share.amount as u32,
                channels: ground.without_loops(&share.channels),
            });
            sends.push(ForestSend {
                from: ground.nodes[from],
                to: ground.nodes[to],
                paths: merged_paths(paths.collect()),
            });
        }
        trees.push(ForestTree {
            root: ground.nodes[batch.root],
            multiplicity: batch.multiplicity as u32,
            sends,
        });
    }
    Some(trees)
}

/// Paths with the amounts of equal ones added up.
fn merged_paths(mut paths: Vec<ForestPath>) -> Vec<ForestPath> {
    paths.sort_by(|one, other| one.channels.cmp(&other.channels));
    paths.dedup_by(|next, kept| {
        let same = next.channels == kept.channels;
        kept.amount += if same { next.amount } else { 0 };
        same
    });
    paths
}
