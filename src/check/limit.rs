//! Verifies that the universal limit follows from its argument. Both sides of the fraction are recomputed
//! from the pod alone.
//!
//! The tree of cubes is counted a second time, but plainly: every position as a target, without symmetry,
//! with the whole history in memory.

mod few_links;
mod one_hop;

use super::CheckError;
use fabc_base::ids::NodeId;
use fabc_ir::{LimitArgument, UniversalLimit};
use fabc_model::{Capacities, CoupleRule, Demand, FacePort, Pod};
use few_links::FewLinks;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Recomputes a claimed limit.
///
/// # Errors
/// An argument that does not fit the pod, or a sum that differs.
pub fn verify_limit(
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
    claimed: &UniversalLimit,
) -> Result<(), CheckError> {
    let violation = |text: String| CheckError::Lengths { violation: format!("universal limit: {text}") };
    let (volume, distance) = measure(pod, demand, capacities, &claimed.argument).map_err(violation)?;
    if (volume, distance) != (claimed.volume, claimed.distance) {
        let (volume_claimed, distance_claimed) = (claimed.volume, claimed.distance);
        return Err(violation(format!(
            "it is claimed to be {volume_claimed} / {distance_claimed}, but the argument gives {volume} / {distance}"
        )));
    }
    Ok(())
}

/// The (volume, distance) that an argument proves, or the reason why it does not fit the pod.
pub(super) fn measure(
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
    argument: &LimitArgument,
) -> Result<(u128, u128), String> {
    if !demand.is_uniform() {
        return Err("its argument holds for uniform demand only".to_owned());
    }
    let nodes = pod.node_count() as u128;
    let (volume, distance) = match argument {
        LimitArgument::Tree { copper, fiber, levels } => {
            measure_tree(pod, capacities, copper, *fiber as usize, *levels as usize)?
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
            let copper = nodes / u128::from(dim) * u128::from(capacities.capacity(pod.cube.mesh));
            (
                copper
                    + fibers_across(pod, capacities, |face| {
                        pod.coordinates(face.node)[axis as usize] < below
                    }),
                side * (nodes - side),
            )
        }
        &LimitArgument::Cubes { first, count } => {
            if count == 0 || count >= pod.cubes || first > pod.cubes - count {
                return Err(format!(
                    "the pod has no {count} cubes from cube {first} on, with other cubes besides"
                ));
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

/// An upper bound on the capacity of the fibers between the faces inside a set and the others.
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
        across += fibers as u128 * u128::from(capacities.capacity(ocs.link));
    }
    across
}

/// Recomputes both sides of the fraction from a tree of cubes with the lengths of the argument.
fn measure_tree(
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
        return Err("it counts more levels than any path of the pod is long".to_owned());
    }
    let tree = CubeTree::new(pod, capacities, copper, fiber, levels);
    let positions = pod.chips_per_cube() as usize;
    let distance: u128 = (0..positions).into_par_iter().map(|target| tree.distance_to(target)).sum();
    Ok((tree.volume, distance * u128::from(pod.cubes)))
}

/// The face ports of a cube, and the sets of face ports that switches can connect them to.
struct FaceSets {
    /// (position, port) of each face port that a switch connects.
    slots: Vec<(usize, u16)>,
    /// The different sets of reachable face ports, as indices of `slots`.
    sets: Vec<Vec<usize>>,
    /// `[slot]`: the index of its set.
    set_of: Vec<usize>,
    /// Upper bound on the capacity of all fibers.
    fibers: u128,
}

impl FaceSets {
    fn new(pod: &Pod, capacities: &Capacities) -> Self {
        // The face ports that each face port of a cube may be connected to, in any cube.
        let mut reachable: BTreeMap<(usize, u16), BTreeSet<(usize, u16)>> = BTreeMap::new();
        let mut fibers = 0u128;
        let slot =
            |face: &FacePort| ((face.node.0 - face.cube.0 * pod.chips_per_cube()) as usize, face.port.0);
        for ocs in pod.ocses.iter() {
            let sides: Vec<BTreeSet<(usize, u16)>> =
                [&ocs.a, &ocs.b].iter().map(|faces| faces.iter().map(slot).collect()).collect();
            let (near, far) =
                if ocs.rule == CoupleRule::Sided { (&sides[0], &sides[1]) } else { (&sides[0], &sides[0]) };
            let fiber_count =
                if ocs.rule == CoupleRule::Sided { ocs.a.len().min(ocs.b.len()) } else { ocs.a.len() / 2 };
            fibers += fiber_count as u128 * u128::from(capacities.capacity(ocs.link));
            for (from, to) in [(near, far), (far, near)] {
                from.iter()
                    .filter(|_| !to.is_empty())
                    .for_each(|&from| reachable.entry(from).or_default().extend(to));
            }
        }
        let slots: Vec<(usize, u16)> = reachable.keys().copied().collect();
        let sets: BTreeSet<&BTreeSet<(usize, u16)>> = reachable.values().collect();
        let sets: Vec<Vec<usize>> = sets
            .iter()
            .map(|set| set.iter().map(|slot| slots.binary_search(slot).unwrap_or(0)).collect())
            .collect();
        let set_of: Vec<usize> = {
            let numbers: BTreeMap<Vec<(usize, u16)>, usize> = sets
                .iter()
                .enumerate()
                .map(|(index, set)| (set.iter().map(|&slot| slots[slot]).collect(), index))
                .collect();
            reachable.values().map(|set| numbers[&set.iter().copied().collect::<Vec<_>>()]).collect()
        };
        Self { slots, sets, set_of, fibers }
    }
}

/// The tree of cubes under the lengths of an argument.
struct CubeTree<'a> {
    pod: &'a Pod,
    fiber: usize,
    levels: usize,
    /// `[axis][from][to]`: copper length along one axis.
    along: Vec<Vec<Vec<usize>>>,
    faces: FaceSets,
    /// Upper bound on the sum of length x capacity over all channels of the pod.
    volume: u128,
}

impl<'a> CubeTree<'a> {
    fn new(
        pod: &'a Pod,
        capacities: &Capacities,
        copper: &[Vec<u32>; 3],
        fiber: usize,
        levels: usize,
    ) -> Self {
        let dims = pod.cube.dims.map(|dim| dim as usize);
        let along = (0..3)
            .map(|axis| {
                let place: Vec<usize> = (0..dims[axis])
                    .map(|index| copper[axis][..index].iter().map(|&length| length as usize).sum())
                    .collect();
                place.iter().map(|&from| place.iter().map(|&to| from.abs_diff(to)).collect()).collect()
            })
            .collect();
        let faces = FaceSets::new(pod, capacities);
        let meshes: u128 = (0..3)
            .map(|axis| {
                copper[axis].iter().map(|&length| u128::from(length)).sum::<u128>()
                    * (pod.chips_per_cube() as usize / dims[axis]) as u128
            })
            .sum();
        let copper = meshes * u128::from(pod.cubes) * u128::from(capacities.capacity(pod.cube.mesh));
        let volume = 2 * (copper + faces.fibers * fiber as u128);
        Self { pod, fiber, levels, along, faces, volume }
    }

    /// Sum of distances from all positions to the nearest copies of one position, one per cube.
    fn distance_to(&self, target: usize) -> u128 {
        let cubes = u64::from(self.pod.cubes);
        let mut sum = 0;
        self.count_copies(target, |within| {
            let before = sum;
            sum += within.iter().map(|&copies| u128::from(cubes.saturating_sub(copies))).sum::<u128>();
            sum != before
        });
        sum
    }

    /// Counts the copies of one position around all positions. `go_on` gets those within each distance, and
    /// says whether the next distance is counted too.
    fn count_copies(&self, target: usize, mut go_on: impl FnMut(&[u64]) -> bool) {
        let Self { pod, fiber, levels, along, faces: FaceSets { slots, sets, set_of, .. }, .. } = self;
        let (positions, cubes) = (pod.chips_per_cube() as usize, u64::from(pod.cubes));
        let dims = pod.cube.dims.map(|dim| dim as usize);
        let coordinates =
            |position: usize| pod.coordinates(NodeId(position as u32)).map(|coordinate| coordinate as usize);
        // `passed[axis][d][position]`: copies within distance d, behind exits that differ from the position
        // on no later axis.
        let mut passed: [Vec<Vec<u64>>; 3] = Default::default();
        let mut exits: Vec<Vec<u64>> = Vec::new();
        let mut behind: Vec<Vec<u64>> = Vec::new();
        for d in 0..*levels {
            let mut within = vec![0; positions];
            if let Some(then) = d.checked_sub(*fiber) {
                for axis in 0..3 {
                    let before = if axis == 0 { &exits } else { &passed[axis - 1] };
                    let stride = [1, dims[0], dims[0] * dims[1]][axis];
                    let sums = (0..positions).map(|position| {
                        let coordinate = coordinates(position)[axis];
                        let line = position - coordinate * stride;
                        let lengths = along[axis][coordinate].iter().enumerate();
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
            for (position, copies) in within.iter_mut().enumerate() {
                let (from, to) = (coordinates(position), coordinates(target));
                *copies +=
                    u64::from((0..3).map(|axis| along[axis][from[axis]][to[axis]]).sum::<usize>() <= d);
            }
            if !go_on(&within) {
                break;
            }
            let entered: Vec<u64> = (0..slots.len())
                .map(|slot| {
                    (within[slots[slot].0]
                        - d.checked_sub(*fiber).map_or(0, |then: usize| behind[then][slot]))
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
    }
}

/// What bounds traffic among near chips in every topology of a pod.
pub(crate) struct NearestChips {
    /// The most lanes of all channels together.
    pub(crate) lanes: u128,
    /// How few links a set of chips has, if that is known.
    pub(crate) few_links: Option<FewLinks>,
    /// `[position]`: the distances to the nearest chips, ascending, without the chip itself.
    distances: Vec<Vec<u64>>,
    cubes: u128,
}

impl NearestChips {
    /// Counts all chips around every position, in the tree of cubes with links of length 1.
    pub(crate) fn new(pod: &Pod, capacities: &Capacities) -> Self {
        let dims = pod.cube.dims.map(|dim| dim as usize);
        let positions = pod.chips_per_cube() as usize;
        let copper = dims.map(|dim| vec![1; dim - 1]);
        let tree = CubeTree::new(pod, capacities, &copper, 1, pod.node_count() + 1);
        let cubes = u64::from(pod.cubes);
        let mut distances = vec![Vec::new(); positions];
        for target in 0..positions {
            let mut hops = 0;
            let mut known = vec![0; positions];
            let mut idle = 0;
            tree.count_copies(target, |within| {
                idle += 1;
                for position in 0..positions {
                    let copies = within[position].min(cubes);
                    let new = copies - known[position];
                    idle = if new > 0 { 0 } else { idle };
                    distances[position].extend(std::iter::repeat_n(hops, new as usize));
                    known[position] = copies;
                }
                hops += 1;
                // Every path of this tree goes on within the three sides of a cube and a fiber.
                known.iter().any(|&copies| copies < cubes) && idle <= dims.iter().sum::<usize>() + 1
            });
        }
        for of_position in &mut distances {
            of_position.sort_unstable();
            of_position.remove(0);
        }
        let FaceSets { slots, sets, set_of, .. } = &tree.faces;
        let position = |slot: usize| slots[slot].0;
        let faces = set_of
            .iter()
            .enumerate()
            .map(|(slot, &set)| (position(slot), sets[set].iter().map(|&far| position(far)).collect()));
        let few_links = FewLinks::new(pod, capacities, faces);
        Self { lanes: tree.volume, few_links, distances, cubes: u128::from(cubes) }
    }

    /// The least sum of hops from all chips to `others` other chips each.
    pub(crate) fn hops_to(&self, others: usize) -> u128 {
        let nearest = |of_position: &Vec<u64>| of_position.iter().take(others).sum::<u64>();
        self.distances.iter().map(|of_position| u128::from(nearest(of_position))).sum::<u128>() * self.cubes
    }
}
