//! The sums of a job: an all-reduce or a reduce-scatter along the trees of a flood, or by groups.
//!
//! Input: a planner. Output: its sends, and the recipe of the sums.

use super::busy::BusyCycles;
use super::error::ScheduledError;
use super::flood::{InitialVectors, Shares, VectorCrossing};
use super::graph::LaneGraph;
use super::job::VectorPlanner;
use super::list::schedule_tasks;
use super::plan::{SINGLE_TRY_RECEPTIONS, SendsAndRecipe, last_cycle};
use super::reduce::{ChipGroups, FloodTrees, SumTasks};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::TimedSend;
use fabc_model::{Collective, CollectiveAlgorithm, SlotPace};
use rayon::prelude::*;

impl VectorPlanner<'_> {
    /// The sends of an all-reduce or a reduce-scatter by one algorithm.
    ///
    /// # Errors
    /// Groups that are not complete or not joined.
    pub(super) fn sum_vectors(
        &self,
        algorithm: CollectiveAlgorithm,
    ) -> Result<SendsAndRecipe, ScheduledError> {
        let Self { graph, job, .. } = self;
        let is_all_reduce = job.collective == Collective::AllReduce;
        let sums = match algorithm {
            CollectiveAlgorithm::Hops => {
                ChipGroups::new(graph, job.block, algorithm)?.all_reduce_by_hops(job.vectors)
            }
            CollectiveAlgorithm::Portions => {
                let groups = ChipGroups::new(graph, job.block, algorithm)?;
                if groups.len() < 2 {
                    return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
                }
                groups.all_reduce_by_portions(job.vectors)
            }
            _ => return Ok(self.trees(is_all_reduce)),
        };
        let cycles = self.list_sums(&sums, |vector| vector as u32, 0, u32::MAX);
        Ok((self.sends(&sums.tasks, &cycles, &sums.values), sums.recipe))
    }

    /// The cycles of tasks in the order of their ranks. Tasks of the first of `turns` turns get a rank higher
    /// by `spread`, those of later turns by less. Of equal ranks the earlier turn goes first.
    fn list_sums(
        &self,
        sums: &SumTasks,
        turn: impl Fn(u64) -> u32 + Sync,
        spread: u32,
        turns: u32,
    ) -> Vec<u32> {
        let SumTasks { tasks, values, recipe } = sums;
        let (levels, nodes) = (recipe.sums.len() as u64 + 1, self.graph.nodes() as u64);
        let rank_and_tie = |task: u32| {
            let turn = turn(values[task as usize] / nodes / levels);
            let raised = u64::from(spread) * u64::from(turns - turn) / u64::from(turns);
            (tasks.entries[task as usize].rank + raised as u32, !turn)
        };
        schedule_tasks(
            tasks,
            self.graph.lane_ends(),
            &self.busy,
            self.site.pace,
            self.job.start,
            rank_and_tie,
        )
    }

    /// The trees of a flood. The flood is replayed backwards and then forwards, or its tasks are scheduled
    /// anew if that is shorter.
    fn trees(&self, is_all_reduce: bool) -> SendsAndRecipe {
        let Self { graph, job, site, .. } = self;
        let (vectors, chips) = (job.vectors, graph.participants.len() as u64);
        let owners: Vec<NodeId> =
            (0..vectors).map(|vector| graph.participants[(vector * chips / vectors) as usize]).collect();
        let initial = match is_all_reduce {
            true if graph.is_canonical() => InitialVectors::Each(vectors / chips),
            true => InitialVectors::By(&owners),
            false => InitialVectors::Each(vectors),
        };
        // A vector that arrives is summed before it is sent on.
        let pace = SlotPace { hop: site.pace.hop + site.pace.reduce, deskew: 0, ..site.pace };
        let shares =
            if is_all_reduce { Shares::for_trees(graph, initial, pace.slot) } else { Shares::default() };
        let crossings = self.flood(initial, pace, &shares, &BusyCycles::default());
        let trees = FloodTrees::new(graph, initial, &crossings);
        let mut sums = trees.tasks(is_all_reduce);
        sums.tasks.rank_by_tail(site.pace);
        let turn_of_vector = turns_by_chip(graph, initial);
        let turn = |vector: u64| match initial {
            InitialVectors::Each(per_chip) => (vector % per_chip) as u32,
            InitialVectors::By(_) => turn_of_vector[vector as usize],
        };
        // Results of the first turns may be broadcast while later turns are still summed. Without this,
        // channels are idle while the last sums are made, and again while the last of them are broadcast.
        let longest = sums.tasks.entries.iter().map(|task| task.rank).max().unwrap_or(0);
        let turns = 1 + (0..vectors).map(turn).max().unwrap_or(0);
        let spreads: &[u32] = match sums.tasks.entries.len() as u64 {
            _ if !is_all_reduce || turns == 1 => &[0],
            // For many turns the spread order has always been shorter.
            SINGLE_TRY_RECEPTIONS.. => &[longest / 2],
            _ => &[0, longest / 2],
        };
        let schedule_with = |&spread: &u32| self.list_sums(&sums, turn, spread, turns);
        let candidates = spreads.par_iter().map(schedule_with).collect::<Vec<_>>();
        let cycles =
            candidates.into_iter().min_by_key(|cycles| cycles.iter().max().copied()).unwrap_or_default();
        let last = last_cycle(&crossings);
        let duration = last.saturating_sub(job.start) + pace.hop;
        // The broadcast follows after all is summed, and takes as long as the flood. A channel that has just
        // carried a sum is free after a slot, which may be longer than a hop.
        let broadcast_shift = duration + site.pace.slot.saturating_sub(pace.hop);
        let replayed_end =
            if is_all_reduce { last + broadcast_shift } else { job.start + duration - pace.hop };
        let listed_end = cycles.iter().max().copied().unwrap_or(0);
        if listed_end < replayed_end || !self.busy.is_empty() || site.pace.deskew > 0 {
            return (self.sends(&sums.tasks, &cycles, &sums.values), sums.recipe);
        }
        let sends = self.replayed_sends(
            &trees,
            &crossings,
            Replay {
                duration,
                hop: pace.hop,
                broadcast_shift: is_all_reduce.then_some(broadcast_shift),
                levels: sums.recipe.levels(),
            },
        );
        (sends, sums.recipe)
    }

    /// The sends of a flood that runs backwards, and then forwards if there is a broadcast.
    fn replayed_sends(
        &self,
        trees: &FloodTrees<'_>,
        crossings: &[VectorCrossing],
        replay: Replay,
    ) -> Vec<TimedSend> {
        let Replay { duration, hop, broadcast_shift, levels } = replay;
        let send = |lane: usize, cycle: u32, vector: u64| {
            let lane = &self.graph.lanes[lane];
            TimedSend { cycle, chip: self.graph.chips[lane.from], port: lane.port, vector }
        };
        let mut sends = Vec::new();
        for (index, crossing) in crossings.iter().enumerate() {
            let (lane, vector) = trees.reversed_crossing(index, levels);
            let before_end = crossing.cycle - self.job.start + hop;
            sends.push(send(lane, self.job.start + duration - before_end, vector));
            if let Some(shift) = broadcast_shift {
                let vector = trees.broadcast_value(index, levels);
                sends.push(send(crossing.lane as usize, crossing.cycle + shift, vector));
            }
        }
        sends
    }
}

/// How a flood is replayed.
struct Replay {
    /// Cycles from the start until the flood has arrived.
    duration: u32,
    /// Cycles from a send until the vector is there and summed.
    hop: u32,
    /// Cycles from the flood to its copy in the broadcast. `None` without a broadcast.
    broadcast_shift: Option<u32>,
    levels: u32,
}

/// `[vector]`: its turn. The first vectors of all chips have the first turn, then all second ones. Empty if
/// all chips have equally many vectors.
fn turns_by_chip(graph: &LaneGraph<'_>, initial: InitialVectors<'_>) -> Vec<u32> {
    let InitialVectors::By(owners) = initial else { return Vec::new() };
    let mut turns = vec![0u32; graph.nodes()];
    let mut next_turn = |owner: &NodeId| {
        turns[owner.index()] += 1;
        turns[owner.index()] - 1
    };
    owners.iter().map(&mut next_turn).collect()
}
