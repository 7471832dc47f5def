//! The slots of every OCS near a live setting, their moves and their score.

use crate::synth::action::{GroupAction, kinds};
use crate::synth::evaluate::Evaluator;
use crate::synth::score::{SCALE, score};
use crate::synth::shape::PodShape;
use crate::synth::wiring::topology_from_fibers;
use fabc_base::ids::Id;
use fabc_model::{Demand, FacePort, NearSynthesis, Objective, Ocs, Pod};
use std::collections::BTreeMap;

/// The two ports of a slot, which are joined. `None` is an idle port.
pub(super) type PortSlot = [Option<FacePort>; 2];

/// The fibers of one OCS. A slot that would join a chip to itself stays dark.
pub(super) fn pairs(slots: &[PortSlot]) -> impl Iterator<Item = [FacePort; 2]> {
    slots.iter().filter_map(|&[a, b]| Some([a?, b?])).filter(|[a, b]| a.node != b.node)
}

/// All ports of a pod, as `[OCS]`: its slots.
pub(super) type PortSlots = Vec<Vec<PortSlot>>;

/// The slots of one OCS. A port that is not connected has a slot of its own.
pub(super) fn port_slots(ocs: &Ocs, pairs: &[[FacePort; 2]]) -> Vec<PortSlot> {
    let mut slots: Vec<PortSlot> = pairs.iter().map(|&[a, b]| [Some(a), Some(b)]).collect();
    let free = |face: &&FacePort| !pairs.iter().flatten().any(|used| used == *face);
    slots.extend(ocs.a.iter().filter(free).map(|&a| [Some(a), None]));
    slots.extend(ocs.b.iter().filter(free).map(|&b| [None, Some(b)]));
    slots
}

/// The pod around a live wiring, as the search sees it.
pub(super) struct Neighborhood<'a> {
    pub(super) demand: &'a Demand,
    pub(super) pod: &'a Pod,
    /// The pod under the trivial group, in which every chip is a source.
    pub(super) shape: PodShape,
    /// The port that a port is joined to in the live wiring.
    pub(super) live: BTreeMap<FacePort, FacePort>,
    pub(super) moves: u64,
    /// The fiber lengths whose bounds decide.
    pub(super) lengths: Vec<usize>,
    /// Whether the time limit of the spec has passed.
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Neighborhood<'a> {
    pub(super) fn new(
        demand: &'a Demand,
        pod: &'a Pod,
        near: &NearSynthesis,
        live_pairs: &[Vec<[FacePort; 2]>],
        expired: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let live = live_pairs.iter().flatten().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        let mut area = Neighborhood {
            demand,
            pod,
            shape: PodShape::new(demand, pod, GroupAction::by_number(&kinds(pod), vec![1])),
            live,
            moves: near.moves,
            lengths: vec![1],
            expired,
        };
        if near.search.objective == Objective::Hops {
            return area;
        }
        let slots: PortSlots =
            pod.ocses.iter().zip(live_pairs).map(|(ocs, pairs)| port_slots(ocs, pairs)).collect();
        // The lengths whose bounds on the live wiring are within 3 % of the largest: three at most. For
        // large pods, where an evaluation is long, one.
        let candidates: &[usize] = if pod.node_count() > 1024 { &[1, 2, 3, 4] } else { &[1, 2, 3, 4, 6, 8] };
        let mut evaluator = Evaluator::new(&area.shape);
        let bounds: Vec<u64> = candidates
            .iter()
            .map(|&length| area.score_at(&slots, length, u64::MAX, &mut evaluator))
            .collect();
        let largest = bounds.iter().copied().max().unwrap_or(0);
        let mut near: Vec<usize> = (0..bounds.len()).filter(|&at| bounds[at] >= largest / 100 * 97).collect();
        near.sort_by_key(|&at| std::cmp::Reverse(bounds[at]));
        near.truncate(if pod.node_count() > 1024 { 1 } else { 3 });
        area.lengths = near.into_iter().map(|at| candidates[at]).collect();
        area
    }

    /// Whether a slot is a move.
    pub(super) fn is_move(&self, slot: PortSlot) -> bool {
        pairs(&[slot]).any(|[a, b]| self.live.get(&a) != Some(&b))
    }
    /// The number of moves of all slots.
    pub(super) fn moves(&self, slots: &PortSlots) -> u64 {
        slots.iter().flatten().filter(|&&slot| self.is_move(slot)).count() as u64
    }

    /// The neighbors through fibers, and the total length of all channels.
    pub(super) fn fiber_neighbors(&self, slots: &PortSlots, length: usize) -> (Vec<Vec<u32>>, u64) {
        let mut fibers: Vec<Vec<u32>> = vec![Vec::new(); self.shape.nodes];
        for [a, b] in slots.iter().flat_map(|slots| pairs(slots)) {
            fibers[a.node.index()].push(b.node.0);
            fibers[b.node.index()].push(a.node.0);
        }
        let copper: usize = self.shape.mesh.iter().map(Vec::len).sum();
        let volume = (copper + fibers.iter().map(Vec::len).sum::<usize>() * length) as u64;
        (fibers, volume)
    }
    pub(super) fn score_at(
        &self,
        slots: &PortSlots,
        length: usize,
        limit: u64,
        evaluator: &mut Evaluator<'_>,
    ) -> u64 {
        let (fibers, volume) = self.fiber_neighbors(slots, length);
        // Above this sum the score is above the limit.
        let enough = (u128::from(limit.saturating_add(1)) * u128::from(volume) / u128::from(SCALE))
            .min(u128::from(u64::MAX)) as u64;
        score(evaluator.distance_sum_of_neighbors(&fibers, length, enough), volume)
    }
    /// The largest bound. Stops and returns a value above `limit` as soon as one exceeds it.
    pub(super) fn score(&self, slots: &PortSlots, limit: u64, evaluator: &mut Evaluator<'_>) -> u64 {
        let mut worst = 0;
        for &length in &self.lengths {
            worst = worst.max(self.score_at(slots, length, limit, evaluator));
            if worst > limit {
                break;
            }
        }
        worst
    }
    /// Hops over all ordered pairs, and the best upper bound on the concurrent flow in parts per trillion,
    /// rounded up. `None` if the pod is disconnected.
    pub(super) fn measure(&self, slots: &PortSlots) -> Option<(u64, u64)> {
        topology_from_fibers(
            self.pod,
            self.demand,
            &slots.iter().flat_map(|slots| pairs(slots)).collect::<Vec<_>>(),
        )
        .ok()?;
        let mut evaluator = Evaluator::new(&self.shape);
        let mut sum = |length: usize| {
            let (fibers, volume) = self.fiber_neighbors(slots, length);
            (evaluator.distance_sum_of_neighbors(&fibers, length, u64::MAX), volume)
        };
        let (hops, _) = sum(1);
        let bound = self.lengths.iter().map(|&length| {
            let (distance, volume) = sum(length);
            (u128::from(volume) * 1_000_000_000_000).div_ceil(u128::from(distance.max(1))) as u64
        });
        Some((hops, bound.min().unwrap_or(u64::MAX)))
    }

    /// How far above the current score a change may lead at first, as in `search`.
    pub(super) fn threshold(&self, slots: &PortSlots) -> u64 {
        let nodes = self.shape.nodes as u64;
        score(nodes.isqrt() * nodes / 64, self.fiber_neighbors(slots, self.lengths[0]).1)
    }
}
