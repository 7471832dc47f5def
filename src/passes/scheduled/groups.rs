//! A collective in every group of consecutive chips by itself, all groups at once.
//!
//! Input: a scene, a job, and the number of chips in a group. Output: one schedule of all groups. Each group
//! uses only the channels between its own chips, so groups never meet. A group that is disconnected by itself
//! has no schedule. Vectors that are numbered without their chips are numbered group by group. Groups may sum
//! in different numbers of steps. The last step of each group then gets the number of the highest step.

use super::bounds;
use super::error::ScheduledError;
use super::graph::LaneGraph;
use super::job::{PlanningSite, VectorJob};
use super::plan::plan;
use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveBound, ResultRule, Scene, Schedule, Timed, TimedSend, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The chips, in groups of `size` consecutive ones.
///
/// # Errors
/// Fails if the number of chips is no multiple of `size`, or if `size` is below 2.
fn chips_in_groups(scene: &Scene<'_>, size: usize) -> Result<Vec<NodeId>, ScheduledError> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    match size >= 2 && chips.len().is_multiple_of(size) {
        true => Ok(chips),
        false => Err(ScheduledError::Groups { size, chips: chips.len() }),
    }
}

/// Checks that the chips form groups of `size`, each connected by channels between its own chips.
///
/// # Errors
/// Describes the first group that is disconnected, or the number of chips that does not divide.
pub fn groups_are_joined(scene: &Scene<'_>, size: usize) -> Result<(), ScheduledError> {
    chips_in_groups(scene, size)?
        .chunks(size)
        .try_for_each(|members| LaneGraph::new(&scene.within(members), false, Some(members)).map(|_| ()))
}

/// Plans a collective in groups of `size` chips.
///
/// # Errors
/// Fails if a group cannot be planned, or if the chips do not form groups of `size`.
pub fn plan_groups(
    site: PlanningSite<'_>,
    job: VectorJob<'_>,
    algorithm: CollectiveAlgorithm,
    size: usize,
) -> Result<Schedule, ScheduledError> {
    let chips = chips_in_groups(site.scene, size)?;
    let mut plans = Vec::new();
    let mut bounds = Vec::new();
    for members in chips.chunks(size) {
        let scene = site.scene.within(members);
        plans.push(plan(
            PlanningSite { scene: &scene, ..site },
            VectorJob { members: Some(members), ..job },
            algorithm,
        )?);
        // The bound must hold for vectors on any path, also outside the group.
        bounds.extend(bounds::latencies(&LaneGraph::new(site.scene, false, Some(members))?, job.collective));
    }
    merge_plans(&plans, job, algorithm, strongest(bounds))
}

/// For every distance the strongest bound.
fn strongest(bounds: Vec<CollectiveBound>) -> Vec<CollectiveBound> {
    let mut best: Vec<CollectiveBound> = Vec::new();
    let distance_and_ratio = |bound: &CollectiveBound| match *bound {
        CollectiveBound::Latency { distance, shards, channels, .. } => {
            (distance, u64::from(shards), u64::from(channels))
        }
        _ => (0, 0, 1),
    };
    for bound in bounds {
        let (distance, shards, channels) = distance_and_ratio(&bound);
        match best.iter_mut().find(|other| distance_and_ratio(other).0 == distance) {
            Some(other) => {
                let (_, best_shards, best_channels) = distance_and_ratio(other);
                if shards * best_channels > best_shards * channels {
                    *other = bound;
                }
            }
            None => best.push(bound),
        }
    }
    best
}

fn merge_plans(
    plans: &[Schedule],
    job: VectorJob<'_>,
    algorithm: CollectiveAlgorithm,
    bounds: Vec<CollectiveBound>,
) -> Result<Schedule, ScheduledError> {
    let all_timed: Vec<&Timed> = plans.iter().filter_map(Schedule::timed).collect();
    let levels = all_timed.iter().map(|timed| timed.levels()).max().unwrap_or(1);
    let recipe_of = |timed: &Timed| (timed.sums.clone(), timed.result);
    let highest = all_timed.iter().find(|timed| timed.levels() == levels).map(|timed| recipe_of(timed));
    let along_trees = algorithm == CollectiveAlgorithm::Trees || job.collective == Collective::ReduceScatter;
    if !along_trees && all_timed.iter().any(|timed| Some(recipe_of(timed)) != highest) {
        return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
    }
    let mut sends = Vec::new();
    for (group, timed) in all_timed.iter().enumerate() {
        let (own_levels, nodes) = (u64::from(timed.levels()), u64::from(plans[group].nodes));
        let number = |vector: u64| {
            if !job.collective.adds_up() {
                return vector;
            }
            let (value, origin) = (vector / nodes, vector % nodes);
            let is_told = matches!(timed.result, ResultRule::Told);
            let level = if is_told && value % own_levels == own_levels - 1 {
                u64::from(levels) - 1
            } else {
                value % own_levels
            };
            let first = if job.collective == Collective::AllReduce { group as u64 * job.vectors } else { 0 };
            ((first + value / own_levels) * u64::from(levels) + level) * nodes + origin
        };
        sends.extend(timed.sends.iter().map(|send| TimedSend { vector: number(send.vector), ..*send }));
    }
    sends.sort_unstable();
    let end = all_timed.iter().map(|timed| timed.end).max().unwrap_or(job.start);
    let (Some(&first), Some((sums, result))) = (all_timed.first(), highest) else {
        return Err(ScheduledError::TooFew { chips: 0 });
    };
    let timed = Timed {
        groups: all_timed.len() as u32,
        end,
        sums,
        result,
        messages: Vec::new(),
        sends,
        ..first.clone()
    };
    Ok(Schedule { transfers: Transfers::Timed(timed), bounds, ..plans[0].clone() })
}
