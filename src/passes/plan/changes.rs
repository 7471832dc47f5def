//! The changes between two settings, as edges between cubes, and the changes that each waits for.

use fabc_base::ids::{BlockId, OcsId};
use fabc_ir::{Mirrors, StepChange};
use fabc_model::{CoupleRule, Pod};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet};

/// Set of the changes made so far, by their numbers.
pub(super) type ChangeSet = FixedBitSet;

/// The two ports of a cross-connect on its switch.
pub(super) type ConnectedPorts = [u32; 2];
/// Two cubes, which may be the same.
pub(super) type CubePair = [u32; 2];

/// A cross-connect that only one setting has.
#[derive(Clone, Debug)]
pub(super) struct CubeEdge {
    pub(super) ocs: OcsId,
    pub(super) change: StepChange,
    pub(super) pair: ConnectedPorts,
    /// The cubes that it joins, which may be the same.
    pub(super) cubes: CubePair,
    /// For an add: the removes that free its ports. For a remove: the adds that wait for it.
    pub(super) waits: Vec<usize>,
}

/// All changes, removes first. Each kind ascends by switch and ports.
#[derive(Debug)]
pub(super) struct PodChanges {
    cubes: usize,
    /// The parts of the pod joined by the cross-connects that both settings have.
    kept: CubeParts,
    pub(super) edges: Vec<CubeEdge>,
    removes: usize,
}

/// The connected parts of the pod.
#[derive(Clone, Debug)]
pub(super) struct CubeParts {
    /// `[cube]`: the cube that represents its part.
    pub(super) part_of: Vec<u32>,
    pub(super) count: usize,
}

impl CubeParts {
    fn single(cubes: usize) -> Self {
        Self { part_of: (0..cubes as u32).collect(), count: cubes }
    }
    fn find(&mut self, mut cube: u32) -> u32 {
        while self.part_of[cube as usize] != cube {
            self.part_of[cube as usize] = self.part_of[self.part_of[cube as usize] as usize];
            cube = self.part_of[cube as usize];
        }
        cube
    }
    /// Joins the parts of two cubes, and returns whether they were different.
    fn join(&mut self, cubes: [u32; 2]) -> bool {
        let [a, b] = cubes;
        let (a, b) = (self.find(a), self.find(b));
        let were_apart = a != b;
        if were_apart {
            // The smaller number represents both, so that representatives do not depend on the order.
            self.part_of[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
        were_apart
    }
    fn flattened(mut self) -> Self {
        for cube in 0..self.part_of.len() as u32 {
            self.part_of[cube as usize] = self.find(cube);
        }
        self
    }
    /// Whether two cubes are in one part.
    pub(super) fn joined(&self, cubes: [u32; 2]) -> bool {
        let [a, b] = cubes;
        self.part_of[a as usize] == self.part_of[b as usize]
    }
}

impl PodChanges {
    /// The changes between two settings. Of a replaced switch, all cross-connects change: every add waits for
    /// all removes.
    pub(super) fn between_settings(pod: &Pod, live: &Mirrors, new: &Mirrors, replaced: &[OcsId]) -> Self {
        let mut kept = CubeParts::single(pod.cubes as usize);
        let (mut removes, mut adds) = (Vec::new(), Vec::new());
        for (id, ocs) in pod.ocses.enumerate() {
            let cubes = |pair: [u32; 2]| ocs.faces(pair).map(|face| face.cube.0);
            let edge = |change: StepChange, &pair: &[u32; 2]| CubeEdge {
                ocs: id,
                change,
                pair,
                cubes: cubes(pair),
                waits: Vec::new(),
            };
            if replaced.contains(&id) {
                removes.extend(live[id].iter().map(|pair| edge(StepChange::Remove, pair)));
                adds.extend(new[id].iter().map(|pair| edge(StepChange::Add, pair)));
                continue;
            }
            live[id].intersection(&new[id]).for_each(|&pair| _ = kept.join(cubes(pair)));
            removes.extend(live[id].difference(&new[id]).map(|pair| edge(StepChange::Remove, pair)));
            adds.extend(new[id].difference(&live[id]).map(|pair| edge(StepChange::Add, pair)));
        }
        let count = removes.len();
        let mut edges = removes;
        edges.extend(adds);
        // (switch, whether the port counts in `b`, port) of every port that a remove frees, with that remove.
        let mut removes_by_port: BTreeMap<(OcsId, bool, u32), usize> = BTreeMap::new();
        let ports = |edge: &CubeEdge| {
            let sided = pod.ocses[edge.ocs].rule == CoupleRule::Sided;
            [(edge.ocs, false, edge.pair[0]), (edge.ocs, sided, edge.pair[1])]
        };
        for (index, edge) in edges[..count].iter().enumerate() {
            ports(edge).into_iter().for_each(|port| _ = removes_by_port.insert(port, index));
        }
        for add in count..edges.len() {
            let blocking_removes: BTreeSet<usize> = if replaced.contains(&edges[add].ocs) {
                (0..count).filter(|&remove| edges[remove].ocs == edges[add].ocs).collect()
            } else {
                ports(&edges[add]).iter().filter_map(|port| removes_by_port.get(port).copied()).collect()
            };
            for remove in blocking_removes {
                edges[add].waits.push(remove);
                edges[remove].waits.push(add);
            }
        }
        Self { cubes: pod.cubes as usize, kept: kept.flattened(), edges, removes: count }
    }

    /// Number of cross-connects of a switch that both settings have and that stay.
    pub(super) fn kept_on(&self, ocs: OcsId, settings: [&Mirrors; 2]) -> usize {
        let [live, new] = settings;
        let removed = self.edges[self.removes()].iter().filter(|edge| edge.ocs == ocs);
        live[ocs].intersection(&new[ocs]).count().min(live[ocs].len() - removed.count())
    }

    pub(super) fn start(&self) -> ChangeSet {
        FixedBitSet::with_capacity(self.edges.len())
    }
    /// The range of the removes in `edges`.
    pub(super) fn removes(&self) -> std::ops::Range<usize> {
        0..self.removes
    }
    /// The range of the adds in `edges`.
    pub(super) fn adds(&self) -> std::ops::Range<usize> {
        self.removes..self.edges.len()
    }
    /// The switches that change, ascending.
    pub(super) fn switches(&self) -> Vec<OcsId> {
        self.edges.iter().map(|edge| edge.ocs).collect::<BTreeSet<_>>().into_iter().collect()
    }
    /// Whether a cross-connect of the changes is lit.
    pub(super) fn is_lit(&self, state: &ChangeSet, change: usize) -> bool {
        state.contains(change) != (change < self.removes)
    }
    /// Whether an add is not made yet and its ports are free.
    pub(super) fn is_open(&self, state: &ChangeSet, add: usize) -> bool {
        !state.contains(add) && self.edges[add].waits.iter().all(|&remove| state.contains(remove))
    }
    pub(super) fn cubes(&self) -> usize {
        self.cubes
    }

    /// The parts that lit cross-connects join. Stops as soon as one part is left.
    pub(super) fn parts(&self, state: &ChangeSet) -> CubeParts {
        self.parts_of(|change| self.is_lit(state, change))
    }
    /// The parts joined by cross-connects that are lit now and stay lit to the end.
    pub(super) fn permanent_parts(&self, state: &ChangeSet) -> CubeParts {
        self.parts_of(|change| change >= self.removes && state.contains(change))
    }
    /// Whether the pod is connected with every changing cross-connect of one switch dark.
    pub(super) fn is_connected_without(&self, state: &ChangeSet, ocs: OcsId) -> bool {
        self.parts_of(|change| self.edges[change].ocs != ocs && self.is_lit(state, change)).count == 1
    }
    fn parts_of(&self, lit: impl Fn(usize) -> bool) -> CubeParts {
        let mut parts = self.kept.clone();
        for change in self.adds().chain(self.removes()) {
            if parts.count == 1 {
                break;
            }
            if lit(change) {
                parts.join(self.edges[change].cubes);
            }
        }
        parts.flattened()
    }

    /// The switches with a change between these cubes and the others, ascending.
    pub(super) fn switches_between(&self, cubes: &[BlockId]) -> Vec<OcsId> {
        let crosses = |edge: &&CubeEdge| {
            let [a, b] = edge.cubes.map(|cube| cubes.binary_search(&BlockId(cube)).is_ok());
            a != b
        };
        self.edges.iter().filter(crosses).map(|edge| edge.ocs).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The next change of one switch: the first add with free ports, or else the remove whose add waits for
    /// the fewest removes.
    pub(super) fn next_on(&self, state: &ChangeSet, ocs: OcsId) -> Option<usize> {
        let changes_of_switch = |range: std::ops::Range<usize>| {
            let from = range.start + self.edges[range.clone()].partition_point(|edge| edge.ocs < ocs);
            (from..range.end).take_while(move |&change| self.edges[change].ocs == ocs)
        };
        changes_of_switch(self.adds()).find(|&add| self.is_open(state, add)).or_else(|| {
            changes_of_switch(self.removes())
                .filter(|&remove| !state.contains(remove))
                .min_by_key(|&remove| (self.removes_before_add(state, remove), remove))
        })
    }
    /// The number of further removes that the first add behind a remove waits for, or `usize::MAX` if none
    /// waits.
    pub(super) fn removes_before_add(&self, state: &ChangeSet, remove: usize) -> usize {
        let is_pending = |&&add: &&usize| !state.contains(add);
        let other_removes = |&add: &usize| {
            self.edges[add].waits.iter().filter(|&&other| other != remove && !state.contains(other)).count()
        };
        self.edges[remove].waits.iter().filter(is_pending).map(other_removes).min().unwrap_or(usize::MAX)
    }
}

/// The removes whose cross-connect is a bridge between two parts of the lit pod. `inside` are the parts
/// joined permanently. An edge within one of those is no bridge.
pub(super) fn bridges(changes: &PodChanges, state: &ChangeSet, inside: &CubeParts) -> FixedBitSet {
    let lit: Vec<usize> = (0..changes.edges.len())
        .filter(|&change| changes.is_lit(state, change) && !inside.joined(changes.edges[change].cubes))
        .collect();
    let mut neighbors: Vec<Vec<(u32, usize)>> = vec![Vec::new(); changes.cubes()];
    for &change in &lit {
        let [a, b] = changes.edges[change].cubes.map(|cube| inside.part_of[cube as usize]);
        neighbors[a as usize].push((b, change));
        neighbors[b as usize].push((a, change));
    }
    // Depth first. An edge down to a part is a bridge if the part cannot get back above the edge by another
    // one.
    let mut bridge_set = changes.start();
    let mut entered = vec![u32::MAX; changes.cubes()];
    let mut low = entered.clone();
    let mut clock = 0;
    for root in 0..changes.cubes() {
        if entered[root] != u32::MAX || neighbors[root].is_empty() {
            continue;
        }
        let mut stack: Vec<(u32, usize, usize)> = vec![(root as u32, usize::MAX, 0)];
        while let Some((part, through, next)) = stack.last_mut() {
            let (part_number, through) = (*part as usize, *through);
            if *next == 0 {
                (entered[part_number], low[part_number]) = (clock, clock);
                clock += 1;
            }
            let Some(&(target, change)) = neighbors[part_number].get(*next) else {
                stack.pop();
                if let Some(&(parent, ..)) = stack.last() {
                    low[parent as usize] = low[parent as usize].min(low[part_number]);
                    if low[part_number] > entered[parent as usize] {
                        bridge_set.insert(through);
                    }
                }
                continue;
            };
            *next += 1;
            if change == through {
                continue;
            }
            match entered[target as usize] {
                u32::MAX => stack.push((target, change, 0)),
                entry_time => low[part_number] = low[part_number].min(entry_time),
            }
        }
    }
    bridge_set
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes that only remove cross-connects between cubes.
    fn ring(cubes: usize, ends: &[[u32; 2]]) -> PodChanges {
        let edge = |&cubes: &[u32; 2]| CubeEdge {
            ocs: OcsId(0),
            change: StepChange::Remove,
            pair: cubes,
            cubes,
            waits: Vec::new(),
        };
        PodChanges {
            cubes,
            kept: CubeParts::single(cubes),
            edges: ends.iter().map(edge).collect(),
            removes: ends.len(),
        }
    }

    #[test]
    fn bridges_are_the_edges_on_no_cycle() {
        // A triangle, a bridge, a double edge, a loop, another bridge.
        let changes = ring(6, &[[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 3], [4, 4], [5, 4]]);
        let state = changes.start();
        assert_eq!(bridges(&changes, &state, &CubeParts::single(6)).ones().collect::<Vec<_>>(), [3, 7]);
        for change in 0..8 {
            let mut after = state.clone();
            after.insert(change);
            assert_eq!(changes.parts(&after).count > 1, [3, 7].contains(&change), "{change}");
        }
    }
}
