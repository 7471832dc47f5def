//! A gather as a flood: whenever a channel is free it takes the rarest of some vectors that its target lacks.
//!
//! Input: chips up to symmetry, and the vectors that each starts with. Output: the vectors that cross each
//! lane, and when. Every chip receives each vector exactly once. A seed draws the vectors that are compared.
//! Of equally rare ones the first drawn is sent. Cost: O(receptions x ports).

use super::busy::BusyCycles;
use super::graph::LaneGraph;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use fabc_model::SlotPace;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The chips at which vectors start.
#[derive(Clone, Copy, Debug)]
pub(super) enum InitialVectors<'a> {
    /// Every router starts with this many vectors, numbered `router * vectors + part`.
    Each(u64),
    /// `[vector]`: its chip. The graph must be without symmetry.
    By(&'a [NodeId]),
}

/// A vector that crosses a lane, by its number at the canonical chip that sends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorCrossing {
    pub(super) cycle: u32,
    pub(super) lane: u32,
    pub(super) vector: u64,
}

impl InitialVectors<'_> {
    /// Number of vectors, those of all routers.
    pub(super) fn count(self, graph: &LaneGraph<'_>) -> u64 {
        match self {
            InitialVectors::Each(vectors) => graph.nodes() as u64 * vectors,
            InitialVectors::By(owners) => owners.len() as u64,
        }
    }
    /// The number of a vector at the other end of a lane.
    pub(super) fn across(self, graph: &LaneGraph<'_>, lane: usize, vector: u64) -> u64 {
        match self {
            InitialVectors::Each(vectors) => graph.rename_at_home(graph.lanes[lane].element, vector, vectors),
            InitialVectors::By(_) => vector,
        }
    }
    /// The chip that starts with a vector.
    pub(super) fn owner(self, vector: u64) -> NodeId {
        match self {
            InitialVectors::Each(vectors) => NodeId((vector / vectors) as u32),
            InitialVectors::By(owners) => owners[vector as usize],
        }
    }
    /// `[router]`: number of vectors that start there.
    fn vectors_at_start(self, graph: &LaneGraph<'_>) -> Vec<u64> {
        let mut vectors_at_start = vec![0u64; graph.nodes()];
        match self {
            InitialVectors::Each(vectors) => {
                graph.participants.iter().for_each(|node| vectors_at_start[node.index()] = vectors)
            }
            InitialVectors::By(owners) => {
                owners.iter().for_each(|owner| vectors_at_start[owner.index()] += 1)
            }
        }
        vectors_at_start
    }
    /// Lower bound on the cycle in which the last crossing starts. Vectors from chips more than some hops
    /// away arrive later, and all of them come by the channels into a chip.
    pub(super) fn least_cycles(self, graph: &LaneGraph<'_>, pace: SlotPace) -> u32 {
        let vectors_at_start = self.vectors_at_start(graph);
        let mut latest = 0;
        for &node in graph.chips.iter().filter(|&&node| graph.takes_part(node)) {
            let (hops, inputs) = (graph.hops_from(node), graph.scene.channels_into(node).count() as u64);
            let mut farther: Vec<u64> = Vec::new();
            for source in &graph.participants {
                let hops = hops[source.index()] as usize;
                farther.resize(farther.len().max(hops), 0);
                farther[..hops].iter_mut().for_each(|count| *count += vectors_at_start[source.index()]);
            }
            for (distance, count) in farther.into_iter().enumerate().filter(|(_, count)| *count > 0) {
                latest = latest.max(
                    distance as u64 * u64::from(pace.hop)
                        + (count.div_ceil(inputs) - 1) * u64::from(pace.slot),
                );
            }
        }
        u32::try_from(latest).unwrap_or(u32::MAX)
    }
    /// An index that vectors have in common if they are images of each other.
    fn orbit_of(self, graph: &LaneGraph<'_>, vector: u64) -> usize {
        match self {
            InitialVectors::Each(vectors) => {
                (graph.symmetry.class(self.owner(vector)) as u64 * vectors + vector % vectors) as usize
            }
            InitialVectors::By(_) => vector as usize,
        }
    }
}

/// Random stream of the first chip.
const FIRST_STREAM: u64 = 1 << 32;

/// The share of a flood that each lane carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// `[lane]`: least cycles from one vector to the next, in units of 1 / [`PARTS`]. If empty, a slot.
    cycles_per_vector: Vec<u64>,
}

/// Number of parts of a cycle.
const PARTS: f64 = 256.0;
/// Sweeps over the chips. After these, shares change by less than a vector.
const SWEEPS: usize = 200;
/// Cycles of a flood by shares, in 64ths of the least cycles of its busiest lane.
const STRETCH: f64 = 66.0;

impl Shares {
    /// The shares of trees that run both ways. What crosses a lane in the flood returns on the reverse lane.
    /// So a pair of lanes carries as much as any other pair if chip v takes `c / 2 + x[v] - x[u]` vectors
    /// from u. Chips receive all vectors that they need if the differences of x around each chip sum up
    /// accordingly. That is a Laplacian system.
    pub(super) fn for_trees(graph: &LaneGraph<'_>, initial: InitialVectors<'_>, slot: u32) -> Self {
        let missing: Vec<f64> = initial
            .vectors_at_start(graph)
            .into_iter()
            .map(|own_count| (initial.count(graph) - own_count) as f64)
            .collect();
        let classes = graph.chips.len();
        let lane_ends: Vec<(usize, usize)> = graph.lanes.iter().map(|lane| (lane.from, lane.class)).collect();
        let mut degree = vec![0.0; classes];
        lane_ends.iter().for_each(|&(_, to)| degree[to] += 1.0);
        let wanted_vectors =
            |class: usize| if degree[class] > 0.0 { missing[graph.chips[class].index()] } else { 0.0 };
        let half_share = (0..classes).map(wanted_vectors).sum::<f64>() / lane_ends.len() as f64;
        let mut potential = vec![0.0; classes];
        for _ in 0..SWEEPS {
            for class in (0..classes).filter(|&class| degree[class] > 0.0) {
                let neighbors: f64 = graph.lanes_of(class).map(|lane| potential[lane_ends[lane].1]).sum();
                potential[class] =
                    (wanted_vectors(class) - degree[class] * half_share + neighbors) / degree[class];
            }
        }
        let shares: Vec<f64> = lane_ends
            .iter()
            .map(|&(from, to)| (half_share + potential[to] - potential[from]).max(1.0))
            .collect();
        let period = shares.iter().copied().fold(1.0, f64::max) * f64::from(slot) * STRETCH / 64.0;
        Self { cycles_per_vector: shares.into_iter().map(|share| (PARTS * period / share) as u64).collect() }
    }

    /// The cycle before which a lane does not send its next vector.
    fn next(&self, lane: usize, sent: u64, start: u32) -> u32 {
        let wait = self
            .cycles_per_vector
            .get(lane)
            .map_or(0, |cycles_per_vector| sent * cycles_per_vector / PARTS as u64);
        start.saturating_add(u32::try_from(wait).unwrap_or(u32::MAX))
    }
}

/// (cycle of arrival, number of the vector at the chip), by time.
type VectorArrival = (u32, u32);

/// A lane as its target sees it.
struct LaneInput {
    lane: usize,
    /// Vectors that the target may lack, by their numbers there.
    pool: Vec<u32>,
    /// The cycle in which the lane is free again.
    free: u32,
    sent: u64,
}

/// A chip that receives by the lanes to it. What it receives in a window of time depends only on what started
/// before the window.
struct FloodChip {
    inputs: Vec<LaneInput>,
    /// Vectors that it has or that are in flight to it.
    reached: fixedbitset::FixedBitSet,
    draw: Stream,
    /// The crossings to it that started in this window.
    received: Vec<VectorCrossing>,
}

/// The inputs of a flood.
#[derive(Clone, Copy)]
pub(super) struct FloodSetting<'a> {
    pub(super) graph: &'a LaneGraph<'a>,
    pub(super) initial: InitialVectors<'a>,
    pub(super) pace: SlotPace,
    pub(super) shares: &'a Shares,
    /// The first cycle in which anything may be sent.
    pub(super) start: u32,
    pub(super) busy: &'a BusyCycles,
    /// Number of vectors of which a lane takes the rarest.
    pub(super) candidates: usize,
}

/// The state of a flood beside its chips.
struct FloodState<'a> {
    setting: FloodSetting<'a>,
    /// `[orbit]`: chips that have it before this window.
    holders: Vec<u32>,
}

impl FloodChip {
    /// Receives the vectors that cross its lanes in a window. `came` holds the arrivals at every chip in the
    /// window. Returns the earliest cycle in which a lane with something for it may send next.
    fn take_window(
        &mut self,
        state: &FloodState<'_>,
        arrivals: &[Vec<VectorArrival>],
        window: Range<u32>,
    ) -> Option<u32> {
        let FloodSetting { graph, initial, pace, shares, start, busy, .. } = state.setting;
        self.received.clear();
        // Arrivals at the source of each lane that are in its pool, and lanes by the cycle in which they send
        // next.
        let mut seen = vec![0; self.inputs.len()];
        let mut next_sends: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        let earliest = |input: &LaneInput, pooled: u32| {
            let next = shares.next(input.lane, input.sent, start).max(input.free).max(pooled);
            busy.free(input.lane, next, pace)
        };
        let arrivals_at_source = |input: &LaneInput| &arrivals[graph.lanes[input.lane].from];
        for (index, input) in self.inputs.iter().enumerate() {
            let pooled = if input.pool.is_empty() {
                arrivals_at_source(input).first().map(|&(cycle, _)| cycle)
            } else {
                Some(window.start)
            };
            next_sends.extend(pooled.map(|pooled| Reverse((earliest(input, pooled), index))));
        }
        let mut next_cycle = None;
        while let Some(Reverse((cycle_now, index))) = next_sends.pop() {
            let input = &mut self.inputs[index];
            if cycle_now >= window.end {
                next_cycle = Some(cycle_now);
                break;
            }
            let new_arrivals =
                arrivals_at_source(input)[seen[index]..].iter().take_while(|(cycle, _)| *cycle <= cycle_now);
            let number_across =
                |&(_, vector): &VectorArrival| initial.across(graph, input.lane, u64::from(vector)) as u32;
            let before = input.pool.len();
            input.pool.extend(new_arrivals.map(number_across));
            seen[index] += input.pool.len() - before;
            let Some(pooled) = draw_rarest(&mut input.pool, &self.reached, &mut self.draw, state) else {
                let pooled = arrivals_at_source(input).get(seen[index]).map(|&(cycle, _)| cycle);
                next_sends.extend(pooled.map(|pooled| Reverse((earliest(input, pooled), index))));
                continue;
            };
            self.reached.insert(pooled as usize);
            let vector = match initial {
                InitialVectors::Each(vectors) => {
                    graph.image(graph.lanes[input.lane].element, u64::from(pooled), vectors)
                }
                InitialVectors::By(_) => u64::from(pooled),
            };
            self.received.push(VectorCrossing { cycle: cycle_now, lane: input.lane as u32, vector });
            input.sent += 1;
            input.free = cycle_now + pace.slot;
            next_sends.push(Reverse((earliest(input, cycle_now), index)));
        }
        for (input, seen) in self.inputs.iter_mut().zip(seen) {
            let new_arrivals = &arrivals[graph.lanes[input.lane].from][seen..];
            input.pool.extend(
                new_arrivals
                    .iter()
                    .map(|&(_, vector)| initial.across(graph, input.lane, u64::from(vector)) as u32),
            );
        }
        next_cycle
    }
}

/// The rarest of some vectors drawn from a pool. Vectors that the chip has already are removed from the pool.
fn draw_rarest(
    pool: &mut Vec<u32>,
    reached: &fixedbitset::FixedBitSet,
    draw: &mut Stream,
    state: &FloodState<'_>,
) -> Option<u32> {
    let FloodSetting { graph, initial, candidates, .. } = state.setting;
    let mut best: Option<(u32, u32)> = None;
    let mut examined = 0;
    while examined < candidates && !pool.is_empty() {
        let drawn = draw.below(pool.len());
        let vector = pool[drawn];
        if reached.contains(vector as usize) {
            pool.swap_remove(drawn);
            continue;
        }
        let holders = state.holders[initial.orbit_of(graph, u64::from(vector))];
        if best.is_none_or(|(fewest, _)| holders < fewest) {
            best = Some((holders, vector));
        }
        examined += 1;
    }
    best.map(|(_, vector)| vector)
}

/// A flood from cycle `start` on. Every crossing comes after the one by which its sender got the vector.
///
/// Time passes in windows of a hop. A vector that starts in a window arrives after it, so chips do not wait
/// for each other within a window. They know how rare a vector is at the beginning of the window.
pub(super) fn flood(setting: FloodSetting<'_>, seed: u64) -> Vec<VectorCrossing> {
    let FloodSetting { graph, initial, pace, start, .. } = setting;
    let count = initial.count(graph) as usize;
    let classes = graph.chips.len();
    let orbits = match initial {
        InitialVectors::Each(vectors) => classes * vectors as usize,
        InitialVectors::By(owners) => owners.len(),
    };
    let mut state = FloodState { setting, holders: vec![0; orbits] };
    let chip = |class: usize| FloodChip {
        inputs: Vec::new(),
        reached: fixedbitset::FixedBitSet::with_capacity(count),
        draw: Stream::new(seed, FIRST_STREAM + class as u64),
        received: Vec::new(),
    };
    let mut chips: Vec<FloodChip> = (0..classes).map(chip).collect();
    for (lane, output) in graph.lanes.iter().enumerate() {
        chips[output.class].inputs.push(LaneInput { lane, pool: Vec::new(), free: start, sent: 0 });
    }
    // `[class]`: arrivals in this window.
    let mut arrivals: Vec<Vec<VectorArrival>> = vec![Vec::new(); classes];
    for vector in 0..count as u64 {
        let owner = initial.owner(vector);
        let class = graph.symmetry.class(owner);
        if graph.chips[class] == owner && graph.takes_part(owner) {
            chips[class].reached.insert(vector as usize);
            state.holders[initial.orbit_of(graph, vector)] += 1;
            arrivals[class].push((start, vector as u32));
        }
    }
    let mut crossings: Vec<VectorCrossing> = Vec::new();
    let mut window = Some(start);
    while let Some(window_start) = window {
        let window_end = window_start.saturating_add(pace.hop);
        let next_cycles = chips
            .par_iter_mut()
            .map(|chip| chip.take_window(&state, &arrivals, window_start..window_end))
            .collect::<Vec<_>>();
        let mut next = next_cycles.into_iter().flatten().min();
        for (arrivals, chip) in arrivals.iter_mut().zip(&chips) {
            arrivals.clear();
            for &VectorCrossing { cycle, lane, vector } in &chip.received {
                let at_receiver = initial.across(graph, lane as usize, vector);
                state.holders[initial.orbit_of(graph, at_receiver)] += 1;
                arrivals.push((cycle + pace.hop, at_receiver as u32));
            }
            next = next.into_iter().chain(arrivals.first().map(|&(cycle, _)| cycle)).min();
            crossings.extend_from_slice(&chip.received);
        }
        window = next.map(|next| next.max(window_end));
    }
    crossings
}
