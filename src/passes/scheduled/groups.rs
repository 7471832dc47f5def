//! A collective in every group of some chips by itself, all of them at once.
//!
//! In: a scene, what is planned, and how many consecutive chips are a group. Out: one plan of all groups.
//! Each keeps to the channels between its own chips, so that no two meet; a group whose chips are not joined
//! among themselves has none. Vectors that are numbered without their chips are numbered group by group;
//! where groups sum in unlike numbers of steps, the last step of each has the number of the highest.

use super::bounds;
use super::error::ScheduledError;
use super::ground::Ground;
use super::job::{Job, Site};
use super::plan::plan;
use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveBound, Scene, Schedule, Timed, TimedSend, Total, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The chips, which are groups of so many one after the other.
///
/// # Errors
/// Their number is no multiple of the size, or that is below 2.
fn chips_in_groups(scene: &Scene<'_>, size: usize) -> Result<Vec<NodeId>, ScheduledError> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    match size >= 2 && chips.len().is_multiple_of(size) {
        true => Ok(chips),
        false => Err(ScheduledError::Groups { size, chips: chips.len() }),
    }
}

/// Checks that the chips are so many groups, each joined by channels between its own chips.
///
/// # Errors
/// The first group that is not.
pub fn groups_are_joined(scene: &Scene<'_>, size: usize) -> Result<(), ScheduledError> {
    chips_in_groups(scene, size)?
        .chunks(size)
        .try_for_each(|members| Ground::new(&scene.within(members), false, Some(members)).map(|_| ()))
}

/// Plans a collective in groups of so many chips.
///
/// # Errors
/// What is wrong with a group; chips that are not so many groups.
pub fn plan_groups(
    site: Site<'_>,
    job: Job<'_>,
    algorithm: CollectiveAlgorithm,
    size: usize,
) -> Result<Schedule, ScheduledError> {
    let chips = chips_in_groups(site.scene, size)?;
    let mut plans = Vec::new();
    let mut bounds = Vec::new();
    for members in chips.chunks(size) {
        let scene = site.scene.within(members);
        plans.push(plan(Site { scene: &scene, ..site }, Job { members: Some(members), ..job }, algorithm)?);
        // Vectors may go where they like, for all that a bound knows.
        bounds.extend(bounds::latencies(&Ground::new(site.scene, false, Some(members))?, job.collective));
    }
    merged(&plans, (job, algorithm), strongest(bounds))
}

/// Of every distance the bound that says most.
fn strongest(bounds: Vec<CollectiveBound>) -> Vec<CollectiveBound> {
    let mut best: Vec<CollectiveBound> = Vec::new();
    let parts = |bound: &CollectiveBound| match *bound {
        CollectiveBound::Latency { distance, shards, channels, .. } => {
            (distance, u64::from(shards), u64::from(channels))
        }
        _ => (0, 0, 1),
    };
    for bound in bounds {
        let (distance, shards, channels) = parts(&bound);
        match best.iter_mut().find(|other| parts(other).0 == distance) {
            Some(other) => {
                let (_, over, under) = parts(other);
                if shards * under > over * channels {
                    *other = bound;
                }
            }
            None => best.push(bound),
        }
    }
    best
}

fn merged(
    plans: &[Schedule],
    (job, algorithm): (Job<'_>, CollectiveAlgorithm),
    bounds: Vec<CollectiveBound>,
) -> Result<Schedule, ScheduledError> {
    let all: Vec<&Timed> = plans.iter().filter_map(Schedule::timed).collect();
    let levels = all.iter().map(|timed| timed.levels()).max().unwrap_or(1);
    let same = |timed: &Timed| (timed.sums.clone(), timed.result);
    let highest = all.iter().find(|timed| timed.levels() == levels).map(|timed| same(timed));
    let along_trees = algorithm == CollectiveAlgorithm::Trees || job.collective == Collective::ReduceScatter;
    if !along_trees && all.iter().any(|timed| Some(same(timed)) != highest) {
        return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
    }
    let mut sends = Vec::new();
    for (group, timed) in all.iter().enumerate() {
        let (own, nodes) = (u64::from(timed.levels()), u64::from(plans[group].nodes));
        let number = |vector: u64| {
            if !job.collective.sums() {
                return vector;
            }
            let (value, origin) = (vector / nodes, vector % nodes);
            let told = matches!(timed.result, Total::Told);
            let level = if told && value % own == own - 1 { u64::from(levels) - 1 } else { value % own };
            let first = if job.collective == Collective::AllReduce { group as u64 * job.vectors } else { 0 };
            ((first + value / own) * u64::from(levels) + level) * nodes + origin
        };
        sends.extend(timed.sends.iter().map(|send| TimedSend { vector: number(send.vector), ..*send }));
    }
    sends.sort_unstable();
    let end = all.iter().map(|timed| timed.end).max().unwrap_or(job.start);
    let (Some(&first), Some((sums, result))) = (all.first(), highest) else {
        return Err(ScheduledError::TooFew { chips: 0 });
    };
    let timed =
        Timed { groups: all.len() as u32, end, sums, result, messages: Vec::new(), sends, ..first.clone() };
    Ok(Schedule { transfers: Transfers::Timed(timed), bounds, ..plans[0].clone() })
}
