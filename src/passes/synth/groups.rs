//! The groups of translations under which a pod is searched.
//!
//! Input: a pod and its demand. Output: the pod under each group that is worth a search, or the reason why
//! not all cubes are interchangeable. Groups that act by number come first. If they do not move every cube to
//! every other, groups that do are searched for. Searches that would take too much memory are refused before
//! they take any.

use super::SynthError;
use super::action::{self, GroupAction, kinds, largest_order};
use super::climb::RESTARTS;
use super::shape::PodShape;
use fabc_base::ids::BlockId;
use fabc_base::limits::BUILD_BYTES;
use fabc_model::{Budget, Demand, DemandShape, Fabric, FacePort, Ocs, Pod, SymmetryChoice, Synthesize};

/// The most chips for which the smaller groups are searched too. They may allow better wirings, and cost
/// little.
pub(super) const SMALL_POD: usize = 64;
/// The most chips for which the best restarts are finalists, among which the certified flow decides.
pub(super) const FINALISTS_POD: usize = 512;

/// The reason why not all cubes are interchangeable, or `None` if they are.
///
/// # Errors
/// [`SynthError::TooLarge`] if the test would take too much memory.
pub(super) fn asymmetry(demand: &Demand, pod: &Pod, budget: &Budget) -> Result<Option<String>, SynthError> {
    Ok(PodGroups::new(demand, pod, budget)?.asymmetry(pod, budget))
}

/// The pod under the groups that were found.
struct PodGroups {
    /// The cubes, one list per kind.
    kinds: Vec<Vec<BlockId>>,
    /// The pod under the largest groups that act by number.
    numbered: Vec<PodShape>,
    /// If those do not move every cube to every other: the pod under groups that do, if there are any.
    transitive: Vec<PodShape>,
    /// Whether the search for such groups did not try all of them.
    cut_short: bool,
}

impl PodGroups {
    fn new(demand: &Demand, pod: &Pod, budget: &Budget) -> Result<Self, SynthError> {
        let kinds = kinds(pod);
        let numbered = shapes_of_order(demand, pod, &kinds, largest_order(&kinds))?;
        let numbered_suffice = numbered[0].order == pod.cubes as usize;
        let (actions, cut_short) = if numbered_suffice {
            (Vec::new(), false)
        } else {
            action::transitive_actions(demand, pod, budget)
        };
        let transitive = actions.into_iter().map(|action| PodShape::new(demand, pod, action)).collect();
        Ok(Self { kinds, numbered, transitive, cut_short })
    }

    /// The reason why not all cubes are interchangeable, or `None` if they are.
    fn asymmetry(&self, pod: &Pod, budget: &Budget) -> Option<String> {
        if self.numbered[0].order == pod.cubes as usize || !self.transitive.is_empty() {
            return None;
        }
        let untried = match self.cut_short {
            true => "; not every group of all cubes was tried",
            // Without the faults the search might find more.
            false if self.kinds.len() > 1 && budget.faults.dark_ocses() > 0 => {
                "; a group that moves switches would be broken by their faults"
            }
            false => "",
        };
        if self.kinds.len() == 1 {
            return Some(format!("no group of translations of all cubes keeps the demand{untried}"));
        }
        let kind_in_words = |kind: &Vec<BlockId>| format!("{} like cube{}", kind.len(), kind[0]);
        let listed = 4;
        let mut list: Vec<String> = self.kinds.iter().take(listed).map(kind_in_words).collect();
        if self.kinds.len() > listed {
            list.push("..".to_owned());
        }
        let differing = first_difference(pod, self.kinds[0][0], self.kinds[1][0]);
        Some(format!("its cubes are of {} kinds ({}){differing}{untried}", self.kinds.len(), list.join(", ")))
    }

    /// The note on the group for the report, unless the group moves all cubes by number.
    fn note(&self, pod: &Pod, budget: &Budget) -> Option<String> {
        if let Some(shape) = self.transitive.first() {
            let moved = shape.switches.len() < pod.ocses.len();
            let description = if moved {
                "move switches along with the cubes"
            } else {
                "do not follow the numbers of the cubes"
            };
            return Some(format!("searched with translations of order {} that {description}", shape.order));
        }
        let description = match self.numbered[0].order {
            1 => "searched without symmetry".to_owned(),
            order => format!("searched with translations of order {order}"),
        };
        self.asymmetry(pod, budget).map(|reason| format!("{description}: {reason}"))
    }
}

/// The pod under every group that is searched, and the notes on them for the report.
///
/// # Errors
/// [`SynthError::TooLarge`] if the search would take too much memory.
pub(super) fn shapes_to_search(
    fabric: &Fabric,
    pod: &Pod,
    settings: Synthesize,
) -> Result<(Vec<PodShape>, Vec<String>), SynthError> {
    let pod_groups = (settings.symmetry != SymmetryChoice::None)
        .then(|| PodGroups::new(&fabric.demand, pod, &fabric.budget))
        .transpose()?;
    let notes: Vec<String> =
        pod_groups.iter().filter_map(|groups| groups.note(pod, &fabric.budget)).collect();
    let kinds = kinds(pod);
    let mut shapes = match pod_groups {
        None => shapes_of_order(&fabric.demand, pod, &kinds, 1)?,
        Some(PodGroups { numbered, transitive, .. }) if transitive.is_empty() => numbered,
        // The smaller group may win if the certified flow decides between finalists.
        Some(PodGroups { numbered, transitive, .. }) if pod.node_count() <= FINALISTS_POD => {
            transitive.into_iter().chain(numbered).collect()
        }
        Some(PodGroups { transitive, .. }) => transitive,
    };
    if pod.node_count() <= SMALL_POD && settings.symmetry == SymmetryChoice::Auto {
        let order = shapes.last().map_or(1, |shape| shape.order);
        for smaller in (1..order).rev().filter(|smaller| order.is_multiple_of(*smaller)) {
            shapes.extend(
                shapes_of_order(&fabric.demand, pod, &kinds, smaller)?
                    .into_iter()
                    .filter(|shape| shape.order == smaller),
            );
        }
    }
    Ok((shapes, notes))
}

/// Names an OCS that serves two cubes differently.
fn first_difference(pod: &Pod, first: BlockId, second: BlockId) -> String {
    let chips = pod.chips_per_cube();
    let ports_on_cube = |ocs: &Ocs, cube: BlockId| -> Vec<(bool, u32, u16)> {
        let side = |faces: &[FacePort], b: bool| {
            let on_cube = faces.iter().filter(|face| face.cube == cube);
            on_cube.map(|face| (b, face.node.0 % chips, face.port.0)).collect::<Vec<_>>()
        };
        [side(&ocs.a, false), side(&ocs.b, true)].concat()
    };
    match pod.ocses.iter().find(|ocs| ports_on_cube(ocs, first) != ports_on_cube(ocs, second)) {
        Some(ocs) => format!("; {} serves cube{first} and cube{second} differently", ocs.name),
        None => String::new(),
    }
}

/// The groups of this order that are tried: the cyclic one, and for few cubes every abelian one. From 16
/// cubes on the measured gain is within 0.1 %.
fn groups(order: usize) -> Vec<Vec<usize>> {
    match order {
        4 => vec![vec![4], vec![2, 2]],
        8 => vec![vec![8], vec![2, 4], vec![2, 2, 2]],
        9 => vec![vec![9], vec![3, 3]],
        _ => vec![vec![order]],
    }
}

/// The pod under the groups of the largest order that divides `largest` and keeps the demand.
fn shapes_of_order(
    demand: &Demand,
    pod: &Pod,
    kinds: &[Vec<BlockId>],
    largest: usize,
) -> Result<Vec<PodShape>, SynthError> {
    for order in (1..=largest).rev().filter(|order| largest.is_multiple_of(*order)) {
        check_memory(demand, pod, order)?;
        let actions = groups(order).into_iter().map(|factors| GroupAction::by_number(kinds, factors));
        let keeping = actions.filter(|action| demand.is_uniform() || action.keeps_demand_of_pod(demand, pod));
        let keeping: Vec<PodShape> = keeping.map(|action| PodShape::new(demand, pod, action)).collect();
        if !keeping.is_empty() {
            return Ok(keeping);
        }
    }
    unreachable!("the trivial group keeps any demand")
}

/// The levels of distances that all restarts together hold at once: the longest fiber that is tried, and
/// one more, in each.
const LEVELS: u64 = RESTARTS * 33;

/// Refuses, before it begins, a search under a group of this order that would take too much memory.
///
/// # Errors
/// [`SynthError::TooLarge`] if it would.
pub(super) fn check_memory(demand: &Demand, pod: &Pod, order: usize) -> Result<(), SynthError> {
    let (chips, differing) = (pod.node_count(), pod.node_count() / order);
    let words = differing.div_ceil(64) as u64;
    let level = 2 * chips as u64 * words * 8;
    let planes = match demand.shape() {
        DemandShape::Uniform => 0,
        DemandShape::Groups(components) => components.len() as u64,
        DemandShape::Matrix(_) => u64::from(u32::BITS - demand.largest().leading_zeros()),
    };
    let cuts = pod.cube.dims.iter().map(|&side| u64::from(side) - 1).sum::<u64>() * differing as u64;
    let need = level.saturating_mul(LEVELS).saturating_add(level / 2 * planes).saturating_add(cuts);
    if need <= BUILD_BYTES {
        return Ok(());
    }
    let [need, limit] = [need, BUILD_BYTES].map(|bytes| bytes as f64 / 1e9);
    Err(SynthError::TooLarge { differing, chips, need, limit, span: pod.topology_span })
}

/// Refuses a search that would take too much memory under the largest group that it could find.
///
/// # Errors
/// [`SynthError::TooLarge`] if it would.
pub(super) fn check_fits(fabric: &Fabric, pod: &Pod, settings: Synthesize) -> Result<(), SynthError> {
    let order = if settings.symmetry == SymmetryChoice::None { 1 } else { largest_order(&kinds(pod)) };
    check_memory(&fabric.demand, pod, order)
}
