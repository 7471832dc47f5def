//! Sums of vectors: along the trees of a flood that runs backwards, or by groups.
//!
//! Input: chips and the number of vectors. Output: tasks with the number of the value that each carries (see
//! `ir::Timed`). In the trees of a flood every chip sends its sum to the chip from which it would get the
//! vector.
//!
//! By groups there are two algorithms. With `hops` every chip sends its data to its group, sums of groups
//! cross the cables between groups, and every receiver passes them on in its group: three hops. With
//! `portions` one group sums a vector. The value of every other group crosses a cable, the chips of the
//! summing group exchange values, and the sum returns on the same paths: five hops.

use super::error::ScheduledError;
use super::flood::{InitialVectors, VectorCrossing};
use super::graph::LaneGraph;
use super::list::{LaneTask, Tasks};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ResultRule, SumRule};
use fabc_model::CollectiveAlgorithm;

/// Limit on the turns that are searched for one with the same cables as the first.
const TURNS_LIMIT: usize = 64;

/// Tasks, and the number of the value that each carries.
pub(super) struct SumTasks {
    pub(super) tasks: Tasks,
    pub(super) values: Vec<u64>,
    pub(super) recipe: Recipe,
}

/// How sums are composed: by level from 1 on, and the final result.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) sums: Vec<SumRule>,
    pub(super) result: ResultRule,
}

impl Recipe {
    /// The recipe of a schedule without sums.
    pub(super) const NONE: Self = Self { sums: Vec::new(), result: ResultRule::Told };

    pub(super) fn levels(&self) -> u32 {
        self.sums.len() as u32 + 1
    }
}

/// The trees of a flood.
pub(super) struct FloodTrees<'a> {
    graph: &'a LaneGraph<'a>,
    initial: InitialVectors<'a>,
    crossings: &'a [VectorCrossing],
    /// `[crossing]`: index in `followers` of the first crossing by which its receiver passes the vector on,
    /// with one more entry at the end.
    starts: Vec<u32>,
    followers: Vec<u32>,
    /// `[crossing]`: the number of the vector at its receiver.
    received: Vec<u64>,
    /// `[crossing]`: the crossing by which its sender got the vector.
    predecessor_of: Vec<Option<u32>>,
    /// `[crossing]`: the level of the sum that its receiver sends back.
    heights: Vec<u32>,
}

impl<'a> FloodTrees<'a> {
    /// The trees of a flood. `crossings` are in the order of time.
    pub(super) fn new(
        graph: &'a LaneGraph<'a>,
        initial: InitialVectors<'a>,
        crossings: &'a [VectorCrossing],
    ) -> Self {
        let count = initial.count(graph);
        let mut crossing_of = vec![u32::MAX; graph.chips.len() * count as usize];
        let (mut received, mut predecessor_of) =
            (Vec::with_capacity(crossings.len()), Vec::with_capacity(crossings.len()));
        for (index, crossing) in crossings.iter().enumerate() {
            let lane = &graph.lanes[crossing.lane as usize];
            let sender_crossing = crossing_of[(lane.from as u64 * count + crossing.vector) as usize];
            let number_there = initial.across(graph, crossing.lane as usize, crossing.vector);
            crossing_of[(lane.class as u64 * count + number_there) as usize] = index as u32;
            received.push(number_there);
            predecessor_of.push((sender_crossing != u32::MAX).then_some(sender_crossing));
        }
        let mut starts = vec![0u32; crossings.len() + 1];
        predecessor_of.iter().flatten().for_each(|&predecessor| starts[predecessor as usize + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut followers = vec![0u32; starts[crossings.len()] as usize];
        for (index, predecessor) in predecessor_of
            .iter()
            .enumerate()
            .filter_map(|(index, predecessor)| Some((index, (*predecessor)?)))
        {
            followers[next[predecessor as usize] as usize] = index as u32;
            next[predecessor as usize] += 1;
        }
        let mut heights = vec![0u32; crossings.len()];
        for index in (0..crossings.len()).rev() {
            if let Some(predecessor) = predecessor_of[index] {
                heights[predecessor as usize] = heights[predecessor as usize].max(heights[index] + 1);
            }
        }
        Self { graph, initial, crossings, starts, followers, received, predecessor_of, heights }
    }

    fn followers(&self, crossing: usize) -> &[u32] {
        &self.followers[self.starts[crossing] as usize..self.starts[crossing + 1] as usize]
    }

    /// Every chip adds its own value to the sums from below. In an all-reduce every chip then receives the
    /// result.
    pub(super) fn recipe(&self, is_all_reduce: bool) -> Recipe {
        let highest = self.heights.iter().copied().max().unwrap_or(0) + u32::from(is_all_reduce);
        let sum = |level| SumRule { from: 0, below: level, own_level: Some(0) };
        let result = if is_all_reduce { ResultRule::Told } else { ResultRule::Summed(sum(highest + 1)) };
        Recipe { sums: (1..=highest).map(sum).collect(), result }
    }

    /// The lane against a crossing, and the value that it carries.
    pub(super) fn reversed_crossing(&self, index: usize, levels: u32) -> (usize, u64) {
        let lane = &self.graph.lanes[self.crossings[index].lane as usize];
        let back = self.graph.lane(lane.class, lane.back);
        let value = self.received[index] * u64::from(levels) + u64::from(self.heights[index]);
        (back, value * self.graph.nodes() as u64 + u64::from(self.graph.chips[lane.class].0))
    }

    /// The value that a crossing carries once everything is summed.
    pub(super) fn broadcast_value(&self, index: usize, levels: u32) -> u64 {
        let vector = self.crossings[index].vector;
        let value = vector * u64::from(levels) + u64::from(levels - 1);
        value * self.graph.nodes() as u64 + u64::from(self.initial.owner(vector).0)
    }

    /// The tasks of a reduction, and for an all-reduce those of the broadcast of the result.
    pub(super) fn tasks(&self, is_all_reduce: bool) -> SumTasks {
        let recipe = self.recipe(is_all_reduce);
        let levels = recipe.levels();
        let mut sums = SumTasks { tasks: Tasks::default(), values: Vec::new(), recipe };
        // Backwards, so that predecessors come first: crossing `index` is task `last - index`.
        let last = self.crossings.len() as u32 - 1;
        let mut predecessors: Vec<u32> = Vec::new();
        for index in (0..self.crossings.len()).rev() {
            predecessors.clear();
            predecessors.extend(self.followers(index).iter().map(|&follower| last - follower));
            let (lane, value) = self.reversed_crossing(index, levels);
            sums.add(
                LaneTask { lane: lane as u32, rank: 0, sums: !predecessors.is_empty() },
                value,
                &predecessors,
            );
        }
        if !is_all_reduce {
            return sums;
        }
        // The crossings that start at the owners of vectors.
        let count = self.initial.count(self.graph);
        let mut roots: Vec<(u64, u32)> = (0..self.crossings.len())
            .filter(|&index| self.predecessor_of[index].is_none())
            .map(|index| {
                let crossing = &self.crossings[index];
                (self.graph.lanes[crossing.lane as usize].from as u64 * count + crossing.vector, index as u32)
            })
            .collect();
        roots.sort_unstable();
        let mut root_tasks: Vec<u32> = Vec::new();
        for index in 0..self.crossings.len() {
            let crossing = &self.crossings[index];
            let value = self.broadcast_value(index, levels);
            let lane = crossing.lane;
            match self.predecessor_of[index] {
                Some(predecessor) => {
                    sums.add(LaneTask { lane, rank: 0, sums: false }, value, &[last + 1 + predecessor]);
                }
                None => {
                    let key = self.graph.lanes[lane as usize].from as u64 * count + crossing.vector;
                    let first = roots.partition_point(|(root_key, _)| *root_key < key);
                    root_tasks.clear();
                    root_tasks.extend(
                        roots[first..]
                            .iter()
                            .take_while(|(root_key, _)| *root_key == key)
                            .map(|(_, index)| last - index),
                    );
                    sums.add(LaneTask { lane, rank: 0, sums: true }, value, &root_tasks);
                }
            }
        }
        sums
    }
}

impl SumTasks {
    fn add(&mut self, task: LaneTask, value: u64, before: &[u32]) -> u32 {
        self.values.push(value);
        self.tasks.add(task, before)
    }
}

/// Chips in groups that are complete graphs, with a cable between any two groups.
pub(super) struct ChipGroups<'a> {
    graph: &'a LaneGraph<'a>,
    /// `[router]`: the number of its group.
    group_of: Vec<u32>,
    groups: Vec<Vec<NodeId>>,
    /// `[from * groups + to]`: the lanes from one group to another.
    cables: Vec<Vec<u32>>,
    /// `[router]`: the lanes to the others of its group.
    local_lanes: Vec<Vec<u32>>,
}

impl<'a> ChipGroups<'a> {
    /// Groups of `block` consecutive chips, or one group if all chips are joined. The graph must be without
    /// symmetry.
    ///
    /// # Errors
    /// [`ScheduledError::NoGroups`] if a group is not complete or two groups share no cable.
    pub(super) fn new(
        graph: &'a LaneGraph<'a>,
        block: usize,
        algorithm: CollectiveAlgorithm,
    ) -> Result<Self, ScheduledError> {
        let is_complete = |members: &[NodeId]| {
            members.iter().all(|&node| {
                let neighbors = graph.lanes_of(node.index()).map(|lane| graph.lanes[lane].to);
                let mut neighbors_inside: Vec<NodeId> = neighbors.filter(|to| members.contains(to)).collect();
                neighbors_inside.sort_unstable();
                neighbors_inside.dedup();
                neighbors_inside.len() == members.len() - 1
            })
        };
        let degree =
            graph.participants.iter().map(|node| graph.lanes_of(node.index()).len()).min().unwrap_or(0);
        let block = if degree + 1 >= graph.participants.len() && is_complete(&graph.participants) {
            graph.nodes()
        } else {
            block
        };
        let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes().div_ceil(block)];
        graph.participants.iter().for_each(|&node| groups[node.index() / block].push(node));
        groups.retain(|members| !members.is_empty());
        let mut group_of = vec![u32::MAX; graph.nodes()];
        for (group, members) in groups.iter().enumerate() {
            members.iter().for_each(|node| group_of[node.index()] = group as u32);
        }
        let count = groups.len();
        let (mut cables, mut local_lanes) =
            (vec![Vec::new(); count * count], vec![Vec::new(); graph.nodes()]);
        for (number, lane) in graph.lanes.iter().enumerate() {
            let (from, to) = (group_of[lane.from] as usize, group_of[lane.to.index()] as usize);
            if from != to {
                cables[from * count + to].push(number as u32);
            } else if !local_lanes[lane.from]
                .iter()
                .any(|&known: &u32| graph.lanes[known as usize].to == lane.to)
            {
                local_lanes[lane.from].push(number as u32);
            }
        }
        let has_gap = (0..count * count).any(|pair| pair / count != pair % count && cables[pair].is_empty());
        if block == 1 && count > 1 || has_gap || !groups.iter().all(|members| is_complete(members)) {
            return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
        }
        Ok(Self { graph, group_of, groups, cables, local_lanes })
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Number of vectors after which portions use the same cables again. `None` if that number is large.
    pub(super) fn vectors_per_turn(&self) -> Option<u64> {
        let longest = self.cables.iter().map(Vec::len).max()?;
        let turns = (1..=TURNS_LIMIT)
            .find(|&turns| self.cables.iter().all(|cables| turns.is_multiple_of(cables.len().max(1))));
        turns.filter(|_| longest > 0).map(|turns| (turns * self.len()) as u64)
    }

    /// The cable from one group to another that a vector takes.
    fn cable(&self, from: usize, to: usize, turn: u64) -> u32 {
        let cables = &self.cables[from * self.len() + to];
        cables[(turn % cables.len() as u64) as usize]
    }

    fn value(&self, vector: u64, level: u32, levels: u32, origin: usize) -> u64 {
        (vector * u64::from(levels) + u64::from(level)) * self.graph.nodes() as u64 + origin as u64
    }

    /// An all-reduce of `vectors` vectors, each in three hops or fewer.
    pub(super) fn all_reduce_by_hops(&self, vectors: u64) -> SumTasks {
        // Every chip has received the values of its own group. For each other group it passes on the sum of
        // the groups whose cables it has.
        let own_sum = SumRule { from: 0, below: 1, own_level: Some(0) };
        let recipe = match self.len() {
            1 => Recipe { sums: Vec::new(), result: ResultRule::Summed(own_sum) },
            _ => Recipe {
                sums: vec![own_sum, SumRule { from: 1, below: 2, own_level: None }],
                result: ResultRule::Summed(SumRule { from: 1, below: 3, own_level: Some(1) }),
            },
        };
        let levels = recipe.levels();
        let mut sums = SumTasks { tasks: Tasks::default(), values: Vec::new(), recipe };
        let lanes = &self.graph.lanes;
        for vector in 0..vectors {
            let mut tasks_told: Vec<Vec<u32>> = vec![Vec::new(); self.graph.nodes()];
            for &node in &self.graph.participants {
                for &lane in &self.local_lanes[node.index()] {
                    let value = self.value(vector, 0, levels, node.index());
                    let task = sums.add(LaneTask { lane, rank: 1, sums: false }, value, &[]);
                    tasks_told[lanes[lane as usize].to.index()].push(task);
                }
            }
            let mut tasks_crossed: Vec<Vec<u32>> = vec![Vec::new(); self.graph.nodes()];
            for (from, to) in (0..self.len())
                .flat_map(|from| (0..self.len()).map(move |to| (from, to)))
                .filter(|(from, to)| from != to)
            {
                let cable = self.cable(from, to, vector);
                let origin = lanes[cable as usize].from;
                let value = self.value(vector, 1, levels, origin);
                let task =
                    sums.add(LaneTask { lane: cable, rank: 2, sums: true }, value, &tasks_told[origin]);
                tasks_crossed[lanes[cable as usize].to.index()].push(task);
            }
            for node in self.graph.participants.iter().filter(|node| !tasks_crossed[node.index()].is_empty())
            {
                let value = self.value(vector, 2, levels, node.index());
                for &lane in &self.local_lanes[node.index()] {
                    sums.add(LaneTask { lane, rank: 3, sums: true }, value, &tasks_crossed[node.index()]);
                }
            }
        }
        sums
    }

    /// An all-reduce of `vectors` vectors, each summed by one group.
    pub(super) fn all_reduce_by_portions(&self, vectors: u64) -> SumTasks {
        const LEVELS: u32 = 4;
        let sum =
            |level: u32, own_level| SumRule { from: level - 1, below: level, own_level: Some(own_level) };
        let recipe = Recipe { sums: vec![sum(1, 0), sum(2, 0), sum(3, 2)], result: ResultRule::Told };
        let mut sums = SumTasks { tasks: Tasks::default(), values: Vec::new(), recipe };
        let lanes = &self.graph.lanes;
        let count = self.len();
        for vector in 0..vectors {
            let (summing_group, turn) = ((vector % count as u64) as usize, vector / count as u64);
            let mut arrived_tasks: Vec<Vec<u32>> = vec![Vec::new(); self.graph.nodes()];
            for from in (0..count).filter(|&from| from != summing_group) {
                let cable = self.cable(from, summing_group, turn);
                let holder = lanes[cable as usize].from;
                let mut local_tasks = Vec::new();
                for node in self.groups[from].iter().filter(|node| node.index() != holder) {
                    let to_holder = |lane: &&u32| lanes[**lane as usize].to.index() == holder;
                    if let Some(&lane) = self.local_lanes[node.index()].iter().find(to_holder) {
                        let value = self.value(vector, 0, LEVELS, node.index());
                        local_tasks.push(sums.add(LaneTask { lane, rank: 1, sums: false }, value, &[]));
                    }
                }
                let task = LaneTask { lane: cable, rank: 2, sums: true };
                let crossing_task = sums.add(task, self.value(vector, 1, LEVELS, holder), &local_tasks);
                arrived_tasks[lanes[cable as usize].to.index()].push(crossing_task);
            }
            let mut local_tasks: Vec<Vec<u32>> = arrived_tasks.clone();
            for node in &self.groups[summing_group] {
                for &lane in &self.local_lanes[node.index()] {
                    let value = self.value(vector, 2, LEVELS, node.index());
                    let task =
                        sums.add(LaneTask { lane, rank: 3, sums: true }, value, &arrived_tasks[node.index()]);
                    local_tasks[lanes[lane as usize].to.index()].push(task);
                }
            }
            for to in (0..count).filter(|&to| to != summing_group) {
                let cable = self.cable(summing_group, to, turn);
                let origin = lanes[cable as usize].from;
                let value = self.value(vector, 3, LEVELS, origin);
                let crossing_task =
                    sums.add(LaneTask { lane: cable, rank: 4, sums: true }, value, &local_tasks[origin]);
                let receiver = lanes[cable as usize].to.index();
                debug_assert_eq!(self.group_of[receiver] as usize, to);
                for &lane in &self.local_lanes[receiver] {
                    sums.add(LaneTask { lane, rank: 5, sums: false }, value, &[crossing_task]);
                }
            }
        }
        sums
    }
}
