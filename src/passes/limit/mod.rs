//! The universal limit: an upper bound on lambda that holds for every topology that the switches of a pod
//! can realise.
//!
//! Input: `Pod`, without its topology choice. Output: [`UniversalLimit`], the smallest of the bounds below,
//! as an exact fraction.
//!
//! **Tree of cubes.** Give every fiber one length. Give the copper links lengths that depend only on their
//! place in the cube, the same in all topologies. By linear-programming duality lambda <= volume / S for
//! any topology. Here volume is the sum of length x capacity of its channels, and S the sum of its shortest
//! lengths over ordered pairs. Volume: a switch carries at most min(|A|, |B|) fibers (half of its ports
//! under `any of`).
//!
//! For S, fix a router at position p, and a position q. A shortest path never goes back through the fiber
//! by which it came. So the list of the face ports through which it leaves its cubes describes it, and in a
//! given topology this list determines the cube where it ends. Think of all such lists as a tree of cubes:
//! a fresh cube behind every face port. Every tree cube has a copy of q. Every real router at position q
//! within a length d of p has a copy of its own within d in the tree. The real pod has exactly C routers at
//! q, one per cube. So the C nearest copies of q in the tree are together no farther than the C real ones.
//! Adding up over p and q bounds S from below. (For p = q the router itself is the nearest copy, at length
//! 0.)
//!
//! The tree still depends on where a fiber comes out, if several positions are on one switch. The counts
//! take the largest number of copies over all possible ends, separately for every fiber, q and d. So they
//! are again never below those of a real wiring. Dark ports, and fibers back into the same cube, only
//! remove copies.
//!
//! Every choice of lengths gives a bound. Volume is linear in them and S concave, so along any line the
//! bound falls to its minimum and then rises. First the fiber length grows from 1 (all copper 1) until the
//! bound rises. Then all lengths are divided finer, and a descent changes one at a time: those of the
//! copper planes, by classes under the symmetries of the cube, and that of the fiber.
//!
//! **Cuts.** See `cuts.rs`: planes through all cubes, and sets of cubes. The planes bind if the fibers
//! never cross them, as without z switches.
//!
//! **One-hop words.** See `one_hop.rs`: the cubes behind the face ports of a cube are at most C, which the
//! tree ignores. This lowers the bound by another 0.1 to 0.5 % at 16 to 36 cubes of 4x4x4.

mod cuts;
mod dense;
mod one_hop;
mod shape;
mod tree;

pub use dense::DenseGroups;
use fabc_ir::{LimitArgument, PassRecord, UniversalLimit};
use fabc_model::{Capacities, Demand, Pod};
use shape::CubeShape;
use tree::Lengths;

/// The largest fiber length that the scan tries, in copper lengths.
const LONGEST_FIBER: usize = 64;
/// The parts that one copper length is divided into for the descent, one division after the other.
const PARTS: [usize; 3] = [4, 2, 2];
/// The most length settings that the descent tries.
const DESCENT: u64 = 500;
/// The most counts of all trees together. A count looks at one position from another, at one distance.
/// Longer distances are cut off, which leaves a valid bound.
const COUNTS: usize = 1 << 31;

/// The strongest of the bounds. The tree wins ties. `None` for a pod of one router, which has no pairs.
///
/// Also `None` for a demand that is not uniform: the nearest copies in the tree need not be those that
/// receive much.
pub fn universal(
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
) -> (Option<UniversalLimit>, PassRecord) {
    let record = |counters, notes| PassRecord {
        name: "limit".to_owned(),
        stopped_by: "done".to_owned(),
        counters,
        notes,
    };
    if !demand.is_uniform() {
        return (
            None,
            record(
                Vec::new(),
                vec!["no universal bound: its argument holds for uniform demand only".to_owned()],
            ),
        );
    }
    let shape = CubeShape::new(pod, capacities);
    let remaining = COUNTS / shape.positions().pow(2);
    let mut trees = TreeSearch { shape, remaining, distances: 0, lengths: 0 };
    let tree_bound = trees.strongest_tree();
    let (one_hop, costs) = trees.one_hop_bound();
    let of_trees = one_hop
        .filter(|packed| tree_bound.as_ref().is_none_or(|tree| packed.compare(tree).is_lt()))
        .or(tree_bound);
    let (best, cuts) = strongest(pod, capacities, of_trees);
    let mut counters =
        vec![("lengths", trees.lengths), ("distances", trees.distances as u64), ("cuts", cuts)];
    counters.extend(costs.map(|costs| ("costs_of_words", costs)));
    let counters = counters.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    (best, record(counters, Vec::new()))
}

/// The result of [`universal`] without the one-hop words, if it takes at most `max_counts` counts. A count
/// looks at one position from one of every class, at one distance. `None` also if it would take more.
pub fn universal_within(
    max_counts: usize,
    pod: &Pod,
    demand: &Demand,
    capacities: &Capacities,
) -> Option<UniversalLimit> {
    if !demand.is_uniform() {
        return None;
    }
    let shape = CubeShape::new(pod, capacities);
    let remaining =
        (max_counts / (shape.classes.len() * shape.positions())).min(COUNTS / shape.positions().pow(2));
    let mut trees = TreeSearch { shape, remaining, distances: 0, lengths: 0 };
    let tree_bound = trees.strongest_tree();
    if trees.remaining == 0 { None } else { strongest(pod, capacities, tree_bound).0 }
}

/// The strongest of the bounds of trees and cuts, and the number of cuts.
fn strongest(
    pod: &Pod,
    capacities: &Capacities,
    tree_bound: Option<UniversalLimit>,
) -> (Option<UniversalLimit>, u64) {
    let (mut best, mut count) = (tree_bound, 0);
    for cut in cuts::planes(pod, capacities).chain(cuts::cubes(pod, capacities)) {
        count += 1;
        if best.as_ref().is_none_or(|best| cut.compare(best).is_lt()) {
            best = Some(cut);
        }
    }
    (best, count)
}

struct TreeSearch {
    shape: CubeShape,
    /// The number of distances that may still be examined.
    remaining: usize,
    /// The number of distances examined, over all lengths.
    distances: usize,
    /// The number of length settings tried.
    lengths: u64,
}

impl TreeSearch {
    /// The best bound over the lengths tried. `None` if the budget allows not even one distance.
    fn strongest_tree(&mut self) -> Option<UniversalLimit> {
        // `lengths[k]` is that of the copper in plane class k, the last one that of the fiber.
        let mut lengths = vec![1; self.shape.planes.len() + 1];
        let fiber = lengths.len() - 1;
        let mut best = self.bound(&lengths)?;
        if self.shape.fibers == 0 && fiber < 2 {
            return Some(best);
        }
        while lengths[fiber] < LONGEST_FIBER && self.shape.fibers > 0 {
            lengths[fiber] += 1;
            if !self.improves(&lengths, &mut best) {
                lengths[fiber] -= 1;
                break;
            }
        }
        let last_length = self.lengths + DESCENT;
        for parts in PARTS {
            lengths.iter_mut().for_each(|length| *length *= parts);
            self.descend(&mut lengths, &mut best, last_length);
        }
        Some(best)
    }

    /// Changes one length, or two against each other, along each direction as long as the bound improves.
    fn descend(&mut self, lengths: &mut [usize], best: &mut UniversalLimit, end: u64) {
        let moves: Vec<Vec<(usize, isize)>> = {
            let single = (0..lengths.len()).flat_map(|k| [vec![(k, 1)], vec![(k, -1)]]);
            let pairs = (0..lengths.len())
                .flat_map(|k| (0..lengths.len()).map(move |lower| vec![(k, 1), (lower, -1)]));
            single.chain(pairs.filter(|pair| pair[0].0 != pair[1].0)).collect()
        };
        let mut changed = true;
        while std::mem::replace(&mut changed, false) {
            for steps in &moves {
                loop {
                    let mut next = lengths.to_vec();
                    let all_positive = steps.iter().all(|&(k, step)| {
                        next[k] = next[k].saturating_add_signed(step);
                        next[k] > 0
                    });
                    if !all_positive || self.lengths >= end || !self.improves(&next, best) {
                        break;
                    }
                    lengths.copy_from_slice(&next);
                    changed = true;
                }
            }
        }
    }

    /// Whether these lengths give a better bound. If so, keeps it.
    fn improves(&mut self, lengths: &[usize], best: &mut UniversalLimit) -> bool {
        match self.bound(lengths) {
            Some(bound) if bound.compare(best).is_lt() => {
                *best = bound;
                true
            }
            _ => false,
        }
    }

    fn bound(&mut self, lengths: &[usize]) -> Option<UniversalLimit> {
        if self.remaining == 0 {
            return None;
        }
        let shape = &self.shape;
        let (planes, fiber) = (&lengths[..lengths.len() - 1], lengths[lengths.len() - 1]);
        let mut copper = shape.dims.map(|dim| vec![0; dim - 1]);
        for (class, &length) in shape.planes.iter().zip(planes) {
            class.iter().for_each(|&(axis, below)| copper[axis][below] = length);
        }
        let lengths = Lengths { copper, fiber };
        let volume = volume(shape, &lengths);
        let (distance, levels) = tree::distance(shape, &lengths, self.remaining);
        self.remaining -= levels;
        self.distances += levels;
        self.lengths += 1;
        let copper = lengths.copper.map(|planes| planes.into_iter().map(|length| length as u32).collect());
        let argument = LimitArgument::Tree { copper, fiber: fiber as u32, levels: levels as u32 };
        (distance > 0).then_some(UniversalLimit { volume, distance, argument })
    }

    /// The bound of the one-hop words, and the work that it took. Nothing if the words do not apply.
    fn one_hop_bound(&self) -> (Option<UniversalLimit>, Option<u64>) {
        let Some(packing) = one_hop::pack(&self.shape) else { return (None, None) };
        let one_hop::OneHopPacking { lengths, distance, prices, deficit, own_deficit, costs } = packing;
        let volume = volume(&self.shape, &lengths);
        let argument =
            LimitArgument::OneHop { fiber: lengths.fiber as u32, prices, deficits: [deficit, own_deficit] };
        (Some(UniversalLimit { volume, distance, argument }), Some(costs))
    }
}

/// What bounds traffic among near chips in every topology of a pod.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearestChips {
    /// The most lanes of all channels together.
    pub lanes: u128,
    /// What bounds the links among groups of chips. `None` where nothing is known.
    pub dense: Option<DenseGroups>,
    /// `[position][hops]`: the most chips that can be so far away from a chip at that position.
    chips_at: Vec<Vec<u64>>,
    cubes: u64,
}

impl NearestChips {
    /// Counts the chips around every position, in the tree of cubes with links of length 1.
    pub fn new(pod: &Pod, capacities: &Capacities) -> Self {
        let shape = CubeShape::new(pod, capacities);
        let copper = shape.dims.map(|dim| vec![1; dim - 1]);
        let lengths = Lengths { copper, fiber: 1 };
        let fibers = pod.ocses.iter().map(|ocs| capacities.capacity(ocs.link));
        Self {
            lanes: volume(&shape, &lengths),
            dense: DenseGroups::new(&shape, fibers.max().unwrap_or(0)),
            chips_at: tree::chips_at(&shape, &lengths),
            cubes: shape.cubes,
        }
    }

    /// The least sum of hops from all chips to `others` other chips each.
    pub fn hops_to(&self, others: u64) -> u128 {
        let of_position = |chips_at: &Vec<u64>| {
            let (mut left, mut sum) = (others, 0u128);
            // The chip itself is at distance 0.
            for (hops, &chips) in chips_at.iter().enumerate().skip(1) {
                let taken = chips.min(left);
                sum += u128::from(taken) * hops as u128;
                left -= taken;
            }
            sum
        };
        self.chips_at.iter().map(of_position).sum::<u128>() * u128::from(self.cubes)
    }
}

/// The largest possible sum of length x capacity over all channels.
fn volume(shape: &CubeShape, lengths: &Lengths) -> u128 {
    let mut volume = u128::from(shape.fibers) * lengths.fiber as u128;
    for (axis, planes) in lengths.copper.iter().enumerate() {
        let area =
            u128::from(shape.cubes * shape.mesh_capacity) * (shape.positions() / shape.dims[axis]) as u128;
        volume += area * planes.iter().sum::<usize>() as u128;
    }
    2 * volume
}
