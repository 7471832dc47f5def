//! Whether the universal limit follows from its argument: both sides of the fraction recomputed from the pod
//! alone.
//!
//! The tree is counted once more, but plainly: every position as a target, no symmetry, the whole history
//! kept.

mod one_hop;

use super::CheckError;
use fabc_base::ids::NodeId;
use fabc_ir::{LimitArgument, UniversalLimit};
use fabc_model::{Capacities, CoupleRule, Demand, FacePort, Pod};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Recomputes a claimed limit.
///
/// # Errors
/// An argument that does not fit the pod, or a sum that differs.
pub fn limit(
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
    claimed: &UniversalLimit,
) -> Result<(), CheckError> {
    let wrong = |what: String| CheckError::Lengths { what: format!("universal limit: {what}") };
    let (volume, distance) = measure(pod, demand, capacities, &claimed.argument).map_err(wrong)?;
    if (volume, distance) != (claimed.volume, claimed.distance) {
        let (was, over) = (claimed.volume, claimed.distance);
        return Err(wrong(format!(
            "claimed to be {was} / {over}, but the argument gives {volume} / {distance}"
        )));
    }
    Ok(())
}

/// (Volume, distance) that an argument gives, or why it does not fit the pod.
pub(super) fn measure(
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
    argument: &LimitArgument,
) -> Result<(u128, u128), String> {
    if !demand.is_uniform() {
        return Err("holds for uniform demand only".to_owned());
    }
    let nodes = pod.node_count() as u128;
    let (volume, distance) = match argument {
        LimitArgument::Tree { copper, fiber, levels } => {
            tree(pod, capacities, copper, *fiber as usize, *levels as usize)?
        }
        LimitArgument::OneHop { fiber, prices, deficits } => {
            one_hop::one_hop(pod, capacities, *fiber, prices, *deficits)?
        }
        &LimitArgument::Plane { axis, below } => {
            let dim = *pod.cube.dims.get(axis as usize).ok_or("no such axis")?;
            if below == 0 || below >= dim {
                return Err(format!("no plane below coordinate {below} of {dim}"));
            }
            let side = nodes / u128::from(dim) * u128::from(below);
            let copper = nodes / u128::from(dim) * u128::from(capacities.of(pod.cube.mesh));
            (
                copper + fibers_across(pod, capacities, |face| pod.at(face.node)[axis as usize] < below),
                side * (nodes - side),
            )
        }
        &LimitArgument::Cubes { first, count } => {
            if count == 0 || count >= pod.cubes || first > pod.cubes - count {
                return Err(format!("no {count} cubes from {first} with others beside them"));
            }
            let side = u128::from(count) * u128::from(pod.chips_per_cube());
            (
                fibers_across(pod, capacities, |face| (first..first + count).contains(&face.cube.0)),
                side * (nodes - side),
            )
        }
    };
    if distance == 0 { Err("no pair has a positive distance".to_owned()) } else { Ok((volume, distance)) }
}

/// Capacity of the fibers that can lead from the faces inside a set to the others, at most.
fn fibers_across(pod: &Pod, capacities: &Capacities, inside: impl Fn(&FacePort) -> bool) -> u128 {
    let mut across = 0u128;
    for ocs in pod.ocses.iter() {
        let split = |faces: &[FacePort]| {
            let within = faces.iter().filter(|face| inside(face)).count();
            (within, faces.len() - within)
        };
        let ((a_in, a_out), (b_in, b_out)) = (split(&ocs.a), split(&ocs.b));
        let fibers = match ocs.rule {
            CoupleRule::Sided => a_in.min(b_out) + a_out.min(b_in),
            CoupleRule::Any => a_in.min(a_out),
        };
        across += fibers as u128 * u128::from(capacities.of(ocs.link));
    }
    across
}

fn tree(
    pod: &Pod,
    capacities: &Capacities,
    copper: &[Vec<u32>; 3],
    fiber: usize,
    levels: usize,
) -> Result<(u128, u128), String> {
    let dims = pod.cube.dims.map(|dim| dim as usize);
    if (0..3).any(|axis| copper[axis].len() + 1 != dims[axis])
        || copper.iter().flatten().any(|&length| length == 0)
        || fiber == 0
    {
        return Err("every plane of the cube and the fiber need a positive length".to_owned());
    }
    let longest = copper.iter().flatten().map(|&length| length as usize).chain([fiber]).max().unwrap_or(1);
    if longest > 1 << 16 || levels > longest * pod.node_count() {
        return Err("it counts farther than any path of the pod leads".to_owned());
    }
    let positions = pod.chips_per_cube() as usize;
    // What every face port of a cube may be wired to, in any cube; and what all fibers can carry.
    let mut ends: BTreeMap<(usize, u16), BTreeSet<(usize, u16)>> = BTreeMap::new();
    let mut fibers = 0u128;
    let slot = |face: &FacePort| ((face.node.0 - face.cube.0 * pod.chips_per_cube()) as usize, face.port.0);
    for ocs in pod.ocses.iter() {
        let sides: Vec<BTreeSet<(usize, u16)>> =
            [&ocs.a, &ocs.b].iter().map(|faces| faces.iter().map(slot).collect()).collect();
        let (near, far) =
            if ocs.rule == CoupleRule::Sided { (&sides[0], &sides[1]) } else { (&sides[0], &sides[0]) };
        let most = if ocs.rule == CoupleRule::Sided { ocs.a.len().min(ocs.b.len()) } else { ocs.a.len() / 2 };
        fibers += most as u128 * u128::from(capacities.of(ocs.link));
        for (from, to) in [(near, far), (far, near)] {
            from.iter().filter(|_| !to.is_empty()).for_each(|&from| ends.entry(from).or_default().extend(to));
        }
    }
    let slots: Vec<(usize, u16)> = ends.keys().copied().collect();
    let sets: BTreeSet<&BTreeSet<(usize, u16)>> = ends.values().collect();
    let sets: Vec<Vec<usize>> = sets
        .iter()
        .map(|set| set.iter().map(|slot| slots.binary_search(slot).unwrap_or(0)).collect())
        .collect();
    let set_of: Vec<usize> = {
        let index: BTreeMap<Vec<(usize, u16)>, usize> = sets
            .iter()
            .enumerate()
            .map(|(at, set)| (set.iter().map(|&slot| slots[slot]).collect(), at))
            .collect();
        ends.values().map(|set| index[&set.iter().copied().collect::<Vec<_>>()]).collect()
    };
    // `along[axis][from][to]`: copper length on one axis.
    let along: Vec<Vec<Vec<usize>>> = (0..3)
        .map(|axis| {
            let place: Vec<usize> = (0..dims[axis])
                .map(|at| copper[axis][..at].iter().map(|&length| length as usize).sum())
                .collect();
            place.iter().map(|&from| place.iter().map(|&to| from.abs_diff(to)).collect()).collect()
        })
        .collect();
    let at = |position: usize| pod.at(NodeId(position as u32)).map(|at| at as usize);
    let cubes = u64::from(pod.cubes);
    let to_position = |target: usize| -> u128 {
        // `passed[axis][d][position]`: copies behind the exits that differ from the position on no later
        // axis, within d.
        let mut passed: [Vec<Vec<u64>>; 3] = Default::default();
        let mut exits: Vec<Vec<u64>> = Vec::new();
        let mut behind: Vec<Vec<u64>> = Vec::new();
        let mut sum = 0;
        for d in 0..levels {
            let mut within = vec![0; positions];
            if let Some(then) = d.checked_sub(fiber) {
                for axis in 0..3 {
                    let before = if axis == 0 { &exits } else { &passed[axis - 1] };
                    let stride = [1, dims[0], dims[0] * dims[1]][axis];
                    let sums = (0..positions).map(|position| {
                        let own = at(position)[axis];
                        let line = position - own * stride;
                        let lengths = along[axis][own].iter().enumerate();
                        lengths
                            .filter(|&(_, &length)| length <= then)
                            .map(|(to, &length)| before[then - length][line + to * stride])
                            .sum()
                    });
                    let sums = sums.collect();
                    passed[axis].push(sums);
                }
                within.clone_from(&passed[2][then]);
            }
            let before = sum;
            for (position, copies) in within.iter_mut().enumerate() {
                let (here, there) = (at(position), at(target));
                *copies +=
                    u64::from((0..3).map(|axis| along[axis][here[axis]][there[axis]]).sum::<usize>() <= d);
                sum += u128::from(cubes.saturating_sub(*copies));
            }
            if sum == before {
                break;
            }
            let entered: Vec<u64> = (0..slots.len())
                .map(|slot| {
                    (within[slots[slot].0] - d.checked_sub(fiber).map_or(0, |then: usize| behind[then][slot]))
                        .min(cubes)
                })
                .collect();
            let best: Vec<u64> =
                sets.iter().map(|set| set.iter().map(|&slot| entered[slot]).max().unwrap_or(0)).collect();
            let mut leaving = vec![0; positions];
            for (slot, &set) in set_of.iter().enumerate() {
                leaving[slots[slot].0] += best[set];
            }
            behind.push(set_of.iter().map(|&set| best[set]).collect());
            exits.push(leaving);
        }
        sum
    };
    let distance: u128 = (0..positions).into_par_iter().map(to_position).sum();
    let meshes: u128 = (0..3)
        .map(|axis| {
            copper[axis].iter().map(|&length| u128::from(length)).sum::<u128>()
                * (positions / dims[axis]) as u128
        })
        .sum();
    let cubes = u128::from(pod.cubes);
    Ok((
        2 * (meshes * cubes * u128::from(capacities.of(pod.cube.mesh)) + fibers * fiber as u128),
        distance * cubes,
    ))
}
