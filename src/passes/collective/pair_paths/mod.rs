//! All-to-alls over balanced paths, whatever the forwarding tables say.
//!
//! Input: a scene. Output: schedules that cut the data of every pair into whole parts, each with a path of
//! its own. A path may pass chips, which store the data and send it on. Routers that only forward pass it
//! through. The load of the busiest channel approaches the bound of the concurrent flow as the parts become
//! more ([`balance`]). Pieces of all parts follow each other, so the time approaches the load ([`timing`]).
//!
//! On one switch every chip sends straight to every other one, and the bound is met with one part.

mod balance;
mod ground;
mod timing;

pub use timing::PathTimetable;

use super::bounds;
use super::canonical::check_plannable;
use super::error::CollectiveError;
use super::load_potential::ChannelBalance;
use super::request::ScheduleRequest;
use super::volume::largest_volume;
use balance::PathBalance;
use fabc_ir::{
    ChipGroups, CollectiveBound, Fraction, LaneLoad, PairPath, PairPaths, Scene, Schedule, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use ground::PathGround;

/// The most chips between which paths are balanced.
const MOST_CHIPS: usize = 256;
/// The most parts of the data of a pair.
const MOST_PARTS: u32 = 64;
/// The most parts of all pairs together. Each costs some 100 bytes of schedule at worst.
const MOST_PARTS_OF_ALL: u64 = 1 << 19;
/// Numbers of parts that are doubled as long as that helps. Where channels share a load by thirds, numbers of
/// parts that 3 divides meet the bound.
const FIRST_PARTS: [u32; 4] = [1, 3, 5, 7];
/// The most ordered pairs for which more than the first of these numbers is tried.
const MOST_PAIRS_OF_ODD_PARTS: u64 = 1 << 12;
/// A load within this many parts per thousand of the bound is good enough.
const ENOUGH_PER_MILLE: u64 = 1;

/// Checks that paths can be balanced on a scene.
///
/// # Errors
/// Refuses what no collective can be planned on, and too many chips.
pub fn check_pair_paths(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    check_plannable(scene)?;
    let chips = scene.endpoints().count();
    match chips <= MOST_CHIPS {
        true => Ok(()),
        false => Err(CollectiveError::PathsTooLarge { chips, most: MOST_CHIPS }),
    }
}

/// All-to-alls over balanced paths, fewest parts of a pair first. Each puts a smaller share of the data on
/// the busiest channel than the one before. Where nothing lowers that share, the first one is the only one.
/// `known` are bounds besides those that every scene has.
///
/// # Errors
/// Fails as [`check_pair_paths`] does, and for a disconnected scene.
pub fn pair_paths(
    scene: &Scene<'_>,
    known: &[CollectiveBound],
    request: ScheduleRequest,
) -> Result<Vec<Schedule>, CollectiveError> {
    check_pair_paths(scene)?;
    let bounds = bounds(scene, Collective::AllToAll, None)?;
    let tightest = largest_volume(bounds.iter().chain(known));
    Ok(path_schedules(&PathGround::new(scene, None), tightest, request, &bounds))
}

/// The same in groups of chips that exchange data among themselves. `bounds` are those of all schedules.
///
/// # Errors
/// Fails as [`check_pair_paths`] does. That chips of a group reach each other, its bounds have shown.
pub fn pair_paths_in_groups(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    bounds: &[CollectiveBound],
    request: ScheduleRequest,
) -> Result<Vec<Schedule>, CollectiveError> {
    check_pair_paths(scene)?;
    let tightest = largest_volume(bounds);
    Ok(path_schedules(&PathGround::new(scene, Some(groups)), tightest, request, bounds))
}

/// Paths for all pairs, fewest parts first, each with a smaller share of the data on the busiest channel than
/// the one before. The first ones have the fewest hops. `bound` is the least load in parts per lane where
/// every pair has one part.
fn balances<'a>(ground: &'a PathGround<'a>, bound: Fraction) -> Vec<PathBalance<'a>> {
    let pairs = (ground.chips.len()
        * ground.groups.as_ref().map_or(ground.chips.len(), |groups| groups.size() as usize))
        as u64;
    let share = |balance: &PathBalance<'_>| balance.busiest().over(Fraction::integer(balance.parts));
    let enough = bound.times(Fraction::new(1000 + ENOUGH_PER_MILLE, 1000u64));
    let mut whole = PathBalance::new(ground, bound);
    // Paths of the fewest hops suit small vectors, even if they load channels unevenly.
    let mut tried = vec![whole.clone()];
    whole.improve(bound);
    for parts in FIRST_PARTS {
        if parts > 1 && (pairs > MOST_PAIRS_OF_ODD_PARTS || tried.iter().any(|tried| share(tried) <= enough))
        {
            break;
        }
        let mut balance = whole.clone();
        balance.cut(parts);
        loop {
            balance.improve(bound.times(Fraction::integer(balance.parts)));
            tried.push(balance.clone());
            let doubled = u64::from(balance.parts) * 2;
            if share(&balance) <= enough
                || doubled > u64::from(MOST_PARTS)
                || doubled * pairs > MOST_PARTS_OF_ALL
            {
                break;
            }
            balance.cut(2);
        }
    }
    tried.sort_by_key(|balance| balance.parts);
    let mut least: Option<Fraction> = None;
    tried.retain(|balance| {
        let is_less = least.is_none_or(|least| share(balance) < least);
        least = if is_less { Some(share(balance)) } else { least };
        is_less
    });
    tried
}

/// Schedules over balanced paths. `tightest` is the largest lower bound on their load.
fn path_schedules(
    ground: &PathGround<'_>,
    tightest: Fraction,
    request: ScheduleRequest,
    bounds: &[CollectiveBound],
) -> Vec<Schedule> {
    let balances = balances(ground, tightest);
    balances.iter().map(|balance| path_schedule(ground, balance, request, bounds)).collect()
}

fn path_schedule(
    ground: &PathGround<'_>,
    balance: &PathBalance<'_>,
    request: ScheduleRequest,
    bounds: &[CollectiveBound],
) -> Schedule {
    let chips = &ground.chips;
    let mut paths = Vec::new();
    for (pair, used) in balance.paths.iter().enumerate() {
        let [source, destination] = [chips[pair / chips.len()], chips[pair % chips.len()]];
        let mut used: Vec<&balance::UsedPath> = used.iter().collect();
        used.sort_by(|one, other| one.channels.cmp(&other.channels));
        paths.extend(used.into_iter().map(|path| PairPath {
            source,
            destination,
            amount: path.amount,
            legs: ground.legs(&path.channels),
        }));
    }
    let busiest = balance.busiest();
    let load = LaneLoad { parts: busiest.numerator() as u64, lanes: busiest.denominator() as u64 };
    Schedule {
        collective: Collective::AllToAll,
        algorithm: CollectiveAlgorithm::Paths,
        seed: request.seed,
        nodes: ground.scene.topology.node_count() as u32,
        chunks: 1,
        root: None,
        groups: ground.groups.clone(),
        transfers: Transfers::Paths(PairPaths { parts: balance.parts, load, paths }),
        bounds: bounds.to_vec(),
    }
}
