//! Sums of vectors: along the trees of a flood that runs backwards, or by groups.
//!
//! In: chips, how many vectors. Out: tasks with the value that each carries (numbers: `ir::Timed`). In the
//! trees of a flood every chip sends its sum to whom it would get the vector from. By groups (`hops`) every
//! chip tells its group what it has, sums of groups cross the cables between groups, and are told on: three
//! hops. By `portions` one group sums a vector: its value of every group crosses a cable, the group's chips
//! tell each other, and the sum goes the same ways back: five hops.

use super::error::ScheduledError;
use super::flood::{Crossing, Held};
use super::ground::Ground;
use super::list::{Task, Tasks};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Sum, Total};
use fabc_model::CollectiveAlgorithm;

/// Turns of portions that are looked through for one like the first.
const MOST_TURNS: usize = 64;

/// Tasks, and which value each carries, by its number.
pub(super) struct Sums {
    pub(super) tasks: Tasks,
    /// `[task]`
    pub(super) values: Vec<u64>,
    pub(super) recipe: Recipe,
}

/// What sums are made of: by level from 1 on, and in the end.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) sums: Vec<Sum>,
    pub(super) result: Total,
}

impl Recipe {
    /// Nothing is summed.
    pub(super) const NONE: Self = Self { sums: Vec::new(), result: Total::Told };

    pub(super) fn levels(&self) -> u32 {
        self.sums.len() as u32 + 1
    }
}

/// The trees of a flood.
pub(super) struct Trees<'a> {
    ground: &'a Ground<'a>,
    held: Held<'a>,
    crossings: &'a [Crossing],
    /// `[crossing]`: those by which its receiver sends the vector on start there in `followers`; one more at
    /// the end.
    starts: Vec<u32>,
    followers: Vec<u32>,
    /// `[crossing]`: the number of the vector for its receiver.
    received: Vec<u64>,
    /// `[crossing]`: the one by which its sender got the vector.
    before: Vec<Option<u32>>,
    /// `[crossing]`: the level of what its receiver sends back.
    heights: Vec<u32>,
}

impl<'a> Trees<'a> {
    /// Those of a flood, in the order of time.
    pub(super) fn new(ground: &'a Ground<'a>, held: Held<'a>, crossings: &'a [Crossing]) -> Self {
        let count = held.count(ground);
        let mut came = vec![u32::MAX; ground.chips.len() * count as usize];
        let (mut received, mut before) =
            (Vec::with_capacity(crossings.len()), Vec::with_capacity(crossings.len()));
        for (at, crossing) in crossings.iter().enumerate() {
            let lane = &ground.lanes[crossing.lane as usize];
            let sender = came[(lane.from as u64 * count + crossing.vector) as usize];
            let there = held.across(ground, crossing.lane as usize, crossing.vector);
            came[(lane.class as u64 * count + there) as usize] = at as u32;
            received.push(there);
            before.push((sender != u32::MAX).then_some(sender));
        }
        let mut starts = vec![0u32; crossings.len() + 1];
        before.iter().flatten().for_each(|&before| starts[before as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut followers = vec![0u32; starts[crossings.len()] as usize];
        for (at, before) in before.iter().enumerate().filter_map(|(at, before)| Some((at, (*before)?))) {
            followers[next[before as usize] as usize] = at as u32;
            next[before as usize] += 1;
        }
        let mut heights = vec![0u32; crossings.len()];
        for at in (0..crossings.len()).rev() {
            if let Some(before) = before[at] {
                heights[before as usize] = heights[before as usize].max(heights[at] + 1);
            }
        }
        Self { ground, held, crossings, starts, followers, received, before, heights }
    }

    fn followers(&self, at: usize) -> &[u32] {
        &self.followers[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Every chip sums what comes from below with its own; `all`: then everybody is told.
    pub(super) fn recipe(&self, all: bool) -> Recipe {
        let highest = self.heights.iter().copied().max().unwrap_or(0) + u32::from(all);
        let sum = |level| Sum { from: 0, below: level, own: Some(0) };
        let result = if all { Total::Told } else { Total::Summed(sum(highest + 1)) };
        Recipe { sums: (1..=highest).map(sum).collect(), result }
    }

    /// The lane of a crossing backwards, and the value that goes there.
    pub(super) fn back(&self, at: usize, levels: u32) -> (usize, u64) {
        let lane = &self.ground.lanes[self.crossings[at].lane as usize];
        let back = self.ground.lane(lane.class, lane.back);
        let value = self.received[at] * u64::from(levels) + u64::from(self.heights[at]);
        (back, value * self.ground.nodes() as u64 + u64::from(self.ground.chips[lane.class].0))
    }

    /// The value that crosses forwards once everything is summed.
    pub(super) fn forth(&self, at: usize, levels: u32) -> u64 {
        let vector = self.crossings[at].vector;
        let value = vector * u64::from(levels) + u64::from(levels - 1);
        value * self.ground.nodes() as u64 + u64::from(self.held.owner(vector).0)
    }

    /// The tasks of a reduction, `all`: and of telling everybody.
    pub(super) fn tasks(&self, all: bool) -> Sums {
        let recipe = self.recipe(all);
        let levels = recipe.levels();
        let mut sums = Sums { tasks: Tasks::default(), values: Vec::new(), recipe };
        // Backwards, so that those who are waited for come first: crossing `at` is task `last - at`.
        let last = self.crossings.len() as u32 - 1;
        let mut before: Vec<u32> = Vec::new();
        for at in (0..self.crossings.len()).rev() {
            before.clear();
            before.extend(self.followers(at).iter().map(|&after| last - after));
            let (lane, value) = self.back(at, levels);
            sums.add(Task { lane: lane as u32, rank: 0, sums: !before.is_empty() }, value, &before);
        }
        if !all {
            return sums;
        }
        // What the owners of vectors wait for.
        let count = self.held.count(self.ground);
        let mut roots: Vec<(u64, u32)> = (0..self.crossings.len())
            .filter(|&at| self.before[at].is_none())
            .map(|at| {
                let crossing = &self.crossings[at];
                (self.ground.lanes[crossing.lane as usize].from as u64 * count + crossing.vector, at as u32)
            })
            .collect();
        roots.sort_unstable();
        let mut group: Vec<u32> = Vec::new();
        for at in 0..self.crossings.len() {
            let crossing = &self.crossings[at];
            let value = self.forth(at, levels);
            let lane = crossing.lane;
            match self.before[at] {
                Some(before) => {
                    sums.add(Task { lane, rank: 0, sums: false }, value, &[last + 1 + before]);
                }
                None => {
                    let key = self.ground.lanes[lane as usize].from as u64 * count + crossing.vector;
                    let first = roots.partition_point(|(other, _)| *other < key);
                    group.clear();
                    group.extend(
                        roots[first..].iter().take_while(|(other, _)| *other == key).map(|(_, at)| last - at),
                    );
                    sums.add(Task { lane, rank: 0, sums: true }, value, &group);
                }
            }
        }
        sums
    }
}

impl Sums {
    fn add(&mut self, task: Task, value: u64, before: &[u32]) -> u32 {
        self.values.push(value);
        self.tasks.add(task, before)
    }
}

/// Chips in groups that are complete graphs, any two of which are joined.
pub(super) struct Groups<'a> {
    ground: &'a Ground<'a>,
    /// `[router]`: its group.
    group_of: Vec<u32>,
    groups: Vec<Vec<NodeId>>,
    /// `[from * groups + to]`: the lanes between two groups.
    cables: Vec<Vec<u32>>,
    /// `[router]`: the lanes to the others of its group.
    local: Vec<Vec<u32>>,
}

impl<'a> Groups<'a> {
    /// The chips of blocks of so many, or all as one group where all are joined; on a ground without
    /// symmetry.
    ///
    /// # Errors
    /// [`ScheduledError::NoGroups`] of an algorithm.
    pub(super) fn new(
        ground: &'a Ground<'a>,
        block: usize,
        algorithm: CollectiveAlgorithm,
    ) -> Result<Self, ScheduledError> {
        let joined = |members: &[NodeId]| {
            members.iter().all(|&node| {
                let neighbors = ground.lanes_of(node.index()).map(|lane| ground.lanes[lane].to);
                let mut others: Vec<NodeId> = neighbors.filter(|to| members.contains(to)).collect();
                others.sort_unstable();
                others.dedup();
                others.len() == members.len() - 1
            })
        };
        let degree = ground.living.iter().map(|node| ground.lanes_of(node.index()).len()).min().unwrap_or(0);
        let block =
            if degree + 1 >= ground.living.len() && joined(&ground.living) { ground.nodes() } else { block };
        let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); ground.nodes().div_ceil(block)];
        ground.living.iter().for_each(|&node| groups[node.index() / block].push(node));
        groups.retain(|members| !members.is_empty());
        let mut group_of = vec![u32::MAX; ground.nodes()];
        for (group, members) in groups.iter().enumerate() {
            members.iter().for_each(|node| group_of[node.index()] = group as u32);
        }
        let count = groups.len();
        let (mut cables, mut local) = (vec![Vec::new(); count * count], vec![Vec::new(); ground.nodes()]);
        for (number, lane) in ground.lanes.iter().enumerate() {
            let (from, to) = (group_of[lane.from] as usize, group_of[lane.to.index()] as usize);
            if from != to {
                cables[from * count + to].push(number as u32);
            } else if !local[lane.from].iter().any(|&other: &u32| ground.lanes[other as usize].to == lane.to)
            {
                local[lane.from].push(number as u32);
            }
        }
        let apart = (0..count * count).any(|pair| pair / count != pair % count && cables[pair].is_empty());
        if block == 1 && count > 1 || apart || !groups.iter().all(|members| joined(members)) {
            return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
        }
        Ok(Self { ground, group_of, groups, cables, local })
    }

    /// Groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Vectors after which portions take the same cables again, if those are not many.
    pub(super) fn turn(&self) -> Option<u64> {
        let most = self.cables.iter().map(Vec::len).max()?;
        let turns = (1..=MOST_TURNS)
            .find(|&turns| self.cables.iter().all(|cables| turns.is_multiple_of(cables.len().max(1))));
        turns.filter(|_| most > 0).map(|turns| (turns * self.len()) as u64)
    }

    /// The cable from a group to another that a vector takes.
    fn cable(&self, from: usize, to: usize, turn: u64) -> u32 {
        let cables = &self.cables[from * self.len() + to];
        cables[(turn % cables.len() as u64) as usize]
    }

    fn value(&self, vector: u64, (level, levels): (u32, u32), origin: usize) -> u64 {
        (vector * u64::from(levels) + u64::from(level)) * self.ground.nodes() as u64 + origin as u64
    }

    /// An all-reduce of so many vectors, every one in as few hops as there are.
    pub(super) fn hops(&self, vectors: u64) -> Sums {
        // Of its own group everybody has heard; of others each tells the sum of those whose cables it has.
        let own = Sum { from: 0, below: 1, own: Some(0) };
        let recipe = match self.len() {
            1 => Recipe { sums: Vec::new(), result: Total::Summed(own) },
            _ => Recipe {
                sums: vec![own, Sum { from: 1, below: 2, own: None }],
                result: Total::Summed(Sum { from: 1, below: 3, own: Some(1) }),
            },
        };
        let levels = recipe.levels();
        let mut sums = Sums { tasks: Tasks::default(), values: Vec::new(), recipe };
        let lanes = &self.ground.lanes;
        for vector in 0..vectors {
            let mut told: Vec<Vec<u32>> = vec![Vec::new(); self.ground.nodes()];
            for &node in &self.ground.living {
                for &lane in &self.local[node.index()] {
                    let value = self.value(vector, (0, levels), node.index());
                    let task = sums.add(Task { lane, rank: 1, sums: false }, value, &[]);
                    told[lanes[lane as usize].to.index()].push(task);
                }
            }
            let mut crossed: Vec<Vec<u32>> = vec![Vec::new(); self.ground.nodes()];
            for (from, to) in (0..self.len())
                .flat_map(|from| (0..self.len()).map(move |to| (from, to)))
                .filter(|(from, to)| from != to)
            {
                let cable = self.cable(from, to, vector);
                let origin = lanes[cable as usize].from;
                let value = self.value(vector, (1, levels), origin);
                let task = sums.add(Task { lane: cable, rank: 2, sums: true }, value, &told[origin]);
                crossed[lanes[cable as usize].to.index()].push(task);
            }
            for node in self.ground.living.iter().filter(|node| !crossed[node.index()].is_empty()) {
                let value = self.value(vector, (2, levels), node.index());
                for &lane in &self.local[node.index()] {
                    sums.add(Task { lane, rank: 3, sums: true }, value, &crossed[node.index()]);
                }
            }
        }
        sums
    }

    /// An all-reduce of so many vectors, each summed by one group.
    pub(super) fn portions(&self, vectors: u64) -> Sums {
        const LEVELS: u32 = 4;
        let sum = |level: u32, own| Sum { from: level - 1, below: level, own: Some(own) };
        let recipe = Recipe { sums: vec![sum(1, 0), sum(2, 0), sum(3, 2)], result: Total::Told };
        let mut sums = Sums { tasks: Tasks::default(), values: Vec::new(), recipe };
        let lanes = &self.ground.lanes;
        let count = self.len();
        for vector in 0..vectors {
            let (own, turn) = ((vector % count as u64) as usize, vector / count as u64);
            let mut came: Vec<Vec<u32>> = vec![Vec::new(); self.ground.nodes()];
            for from in (0..count).filter(|&from| from != own) {
                let cable = self.cable(from, own, turn);
                let holder = lanes[cable as usize].from;
                let mut told = Vec::new();
                for node in self.groups[from].iter().filter(|node| node.index() != holder) {
                    let to_holder = |lane: &&u32| lanes[**lane as usize].to.index() == holder;
                    if let Some(&lane) = self.local[node.index()].iter().find(to_holder) {
                        let value = self.value(vector, (0, LEVELS), node.index());
                        told.push(sums.add(Task { lane, rank: 1, sums: false }, value, &[]));
                    }
                }
                let task = Task { lane: cable, rank: 2, sums: true };
                let crossed = sums.add(task, self.value(vector, (1, LEVELS), holder), &told);
                came[lanes[cable as usize].to.index()].push(crossed);
            }
            let mut told: Vec<Vec<u32>> = came.clone();
            for node in &self.groups[own] {
                for &lane in &self.local[node.index()] {
                    let value = self.value(vector, (2, LEVELS), node.index());
                    let task = sums.add(Task { lane, rank: 3, sums: true }, value, &came[node.index()]);
                    told[lanes[lane as usize].to.index()].push(task);
                }
            }
            for to in (0..count).filter(|&to| to != own) {
                let cable = self.cable(own, to, turn);
                let origin = lanes[cable as usize].from;
                let value = self.value(vector, (3, LEVELS), origin);
                let crossed = sums.add(Task { lane: cable, rank: 4, sums: true }, value, &told[origin]);
                let end = lanes[cable as usize].to.index();
                debug_assert_eq!(self.group_of[end] as usize, to);
                for &lane in &self.local[end] {
                    sums.add(Task { lane, rank: 5, sums: false }, value, &[crossed]);
                }
            }
        }
        sums
    }
}
