//! What changes between two settings, as edges between cubes, and which change waits for which.

use fabc_base::ids::{BlockId, OcsId};
use fabc_ir::{Change, Mirrors};
use fabc_model::{CoupleRule, Pod};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet};

/// The changes that were made, by their numbers.
pub(super) type State = FixedBitSet;

/// One cross-connect that is not in both settings.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) ocs: OcsId,
    pub(super) change: Change,
    pub(super) pair: [u32; 2],
    /// The cubes it joins, perhaps twice the same.
    pub(super) cubes: [u32; 2],
    /// Of an add, the removes that free its ports; of a remove, the adds that wait for it.
    pub(super) waits: Vec<usize>,
}

/// All changes, removes first, each kind ascending by switch and ports.
#[derive(Debug)]
pub(super) struct Changes {
    cubes: usize,
    /// Cubes joined by the cross-connects of both settings: a component for every cube.
    kept: Parts,
    pub(super) all: Vec<Edge>,
    removes: usize,
}

/// Connected parts of the pod.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// Per cube, a cube that stands for its part.
    pub(super) of: Vec<u32>,
    /// Number of parts.
    pub(super) count: usize,
}

impl Parts {
    fn single(cubes: usize) -> Self {
        Self { of: (0..cubes as u32).collect(), count: cubes }
    }
    fn find(&mut self, mut cube: u32) -> u32 {
        while self.of[cube as usize] != cube {
            self.of[cube as usize] = self.of[self.of[cube as usize] as usize];
            cube = self.of[cube as usize];
        }
        cube
    }
    /// Joins the parts of two cubes; whether they were two.
    fn join(&mut self, [a, b]: [u32; 2]) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let two = a != b;
        if two {
            // The smaller number stands for both, so that representatives do not depend on the order.
            self.of[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
        two
    }
    fn flat(mut self) -> Self {
        for cube in 0..self.of.len() as u32 {
            self.of[cube as usize] = self.find(cube);
        }
        self
    }
    /// Whether two cubes are in one part.
    pub(super) fn joined(&self, [a, b]: [u32; 2]) -> bool {
        self.of[a as usize] == self.of[b as usize]
    }
}

impl Changes {
    pub(super) fn between(pod: &Pod, live: &Mirrors, new: &Mirrors) -> Self {
        let mut kept = Parts::single(pod.cubes as usize);
        let (mut removes, mut adds) = (Vec::new(), Vec::new());
        for (id, ocs) in pod.ocses.enumerate() {
            let cubes = |pair: [u32; 2]| ocs.faces(pair).map(|face| face.cube.0);
            let edge = |change: Change, &pair: &[u32; 2]| Edge {
                ocs: id,
                change,
                pair,
                cubes: cubes(pair),
                waits: Vec::new(),
            };
            live[id].intersection(&new[id]).for_each(|&pair| _ = kept.join(cubes(pair)));
            removes.extend(live[id].difference(&new[id]).map(|pair| edge(Change::Remove, pair)));
            adds.extend(new[id].difference(&live[id]).map(|pair| edge(Change::Add, pair)));
        }
        let count = removes.len();
        let mut all = removes;
        all.extend(adds);
        // (switch, whether the port counts in `b`, index) of every port that a remove frees.
        let mut frees: BTreeMap<(OcsId, bool, u32), usize> = BTreeMap::new();
        let ports = |edge: &Edge| {
            let sided = pod.ocses[edge.ocs].rule == CoupleRule::Sided;
            [(edge.ocs, false, edge.pair[0]), (edge.ocs, sided, edge.pair[1])]
        };
        for (at, edge) in all[..count].iter().enumerate() {
            ports(edge).into_iter().for_each(|port| _ = frees.insert(port, at));
        }
        for add in count..all.len() {
            let before: BTreeSet<usize> =
                ports(&all[add]).iter().filter_map(|port| frees.get(port).copied()).collect();
            for remove in before {
                all[add].waits.push(remove);
                all[remove].waits.push(add);
            }
        }
        Self { cubes: pod.cubes as usize, kept: kept.flat(), all, removes: count }
    }

    /// Nothing is changed yet.
    pub(super) fn start(&self) -> State {
        FixedBitSet::with_capacity(self.all.len())
    }
    /// Numbers of the removes.
    pub(super) fn removes(&self) -> std::ops::Range<usize> {
        0..self.removes
    }
    /// Numbers of the adds.
    pub(super) fn adds(&self) -> std::ops::Range<usize> {
        self.removes..self.all.len()
    }
    /// The switches that change, ascending.
    pub(super) fn switches(&self) -> Vec<OcsId> {
        self.all.iter().map(|edge| edge.ocs).collect::<BTreeSet<_>>().into_iter().collect()
    }
    /// Whether a cross-connect of the changes is lit.
    pub(super) fn is_lit(&self, state: &State, change: usize) -> bool {
        state.contains(change) != (change < self.removes)
    }
    /// Whether an add that was not made has its ports free.
    pub(super) fn is_open(&self, state: &State, add: usize) -> bool {
        !state.contains(add) && self.all[add].waits.iter().all(|&remove| state.contains(remove))
    }
    /// Number of cubes.
    pub(super) fn cubes(&self) -> usize {
        self.cubes
    }

    /// The parts that lit cross-connects leave; stops as soon as there is one.
    pub(super) fn parts(&self, state: &State) -> Parts {
        self.parts_by(|change| self.is_lit(state, change))
    }
    /// The parts joined by what is lit now and stays lit to the end.
    pub(super) fn permanent(&self, state: &State) -> Parts {
        self.parts_by(|change| change >= self.removes && state.contains(change))
    }
    /// Whether the pod is whole with every changing cross-connect of one switch dark.
    pub(super) fn is_whole_without(&self, state: &State, ocs: OcsId) -> bool {
        self.parts_by(|change| self.all[change].ocs != ocs && self.is_lit(state, change)).count == 1
    }
    fn parts_by(&self, lit: impl Fn(usize) -> bool) -> Parts {
        let mut parts = self.kept.clone();
        for change in self.adds().chain(self.removes()) {
            if parts.count == 1 {
                break;
            }
            if lit(change) {
                parts.join(self.all[change].cubes);
            }
        }
        parts.flat()
    }

    /// The switches with a change between these cubes and the others, ascending.
    pub(super) fn between_parts(&self, apart: &[BlockId]) -> Vec<OcsId> {
        let crosses = |edge: &&Edge| {
            let [a, b] = edge.cubes.map(|cube| apart.binary_search(&BlockId(cube)).is_ok());
            a != b
        };
        self.all.iter().filter(crosses).map(|edge| edge.ocs).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The next change of one switch: an add as soon as its ports are free, else the remove that an add waits
    /// for the least.
    pub(super) fn next_on(&self, state: &State, ocs: OcsId) -> Option<usize> {
        let own = |range: std::ops::Range<usize>| {
            let from = range.start + self.all[range.clone()].partition_point(|edge| edge.ocs < ocs);
            (from..range.end).take_while(move |&change| self.all[change].ocs == ocs)
        };
        own(self.adds()).find(|&add| self.is_open(state, add)).or_else(|| {
            own(self.removes())
                .filter(|&remove| !state.contains(remove))
                .min_by_key(|&remove| (self.still_waits(state, remove), remove))
        })
    }
    /// After a remove, how many more removes the first add behind it waits for; large if none waits.
    pub(super) fn still_waits(&self, state: &State, remove: usize) -> usize {
        let open = |&&add: &&usize| !state.contains(add);
        let more = |&add: &usize| {
            self.all[add].waits.iter().filter(|&&other| other != remove && !state.contains(other)).count()
        };
        self.all[remove].waits.iter().filter(open).map(more).min().unwrap_or(usize::MAX)
    }
}

/// The removes among `changes` whose cross-connect is the only way between two parts of what is lit, given
/// `inside` the parts that are joined for good: an edge within one of those is no bridge.
pub(super) fn bridges(changes: &Changes, state: &State, inside: &Parts) -> FixedBitSet {
    let lit: Vec<usize> = (0..changes.all.len())
        .filter(|&change| changes.is_lit(state, change) && !inside.joined(changes.all[change].cubes))
        .collect();
    let mut around: Vec<Vec<(u32, usize)>> = vec![Vec::new(); changes.cubes()];
    for &change in &lit {
        let [a, b] = changes.all[change].cubes.map(|cube| inside.of[cube as usize]);
        around[a as usize].push((b, change));
        around[b as usize].push((a, change));
    }
    // Depth first: an edge down to a part that cannot get back above it by another edge is a bridge.
    let mut found = changes.start();
    let mut entered = vec![u32::MAX; changes.cubes()];
    let mut low = entered.clone();
    let mut clock = 0;
    for root in 0..changes.cubes() {
        if entered[root] != u32::MAX || around[root].is_empty() {
            continue;
        }
        let mut stack: Vec<(u32, usize, usize)> = vec![(root as u32, usize::MAX, 0)];
        while let Some((part, through, next)) = stack.last_mut() {
            let (at, through) = (*part as usize, *through);
            if *next == 0 {
                (entered[at], low[at]) = (clock, clock);
                clock += 1;
            }
            let Some(&(to, change)) = around[at].get(*next) else {
                stack.pop();
                if let Some(&(above, ..)) = stack.last() {
                    low[above as usize] = low[above as usize].min(low[at]);
                    if low[at] > entered[above as usize] {
                        found.insert(through);
                    }
                }
                continue;
            };
            *next += 1;
            if change == through {
                continue;
            }
            match entered[to as usize] {
                u32::MAX => stack.push((to, change, 0)),
                earlier => low[at] = low[at].min(earlier),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes only, between cubes.
    fn ring(cubes: usize, ends: &[[u32; 2]]) -> Changes {
        let edge = |&cubes: &[u32; 2]| Edge {
            ocs: OcsId(0),
            change: Change::Remove,
            pair: cubes,
            cubes,
            waits: Vec::new(),
        };
        Changes {
            cubes,
            kept: Parts::single(cubes),
            all: ends.iter().map(edge).collect(),
            removes: ends.len(),
        }
    }

    #[test]
    fn bridges_are_the_edges_on_no_circle() {
        // A triangle, a bridge, a double edge, a loop, another bridge.
        let changes = ring(6, &[[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 3], [4, 4], [5, 4]]);
        let state = changes.start();
        assert_eq!(bridges(&changes, &state, &Parts::single(6)).ones().collect::<Vec<_>>(), [3, 7]);
        for change in 0..8 {
            let mut after = state.clone();
            after.insert(change);
            assert_eq!(changes.parts(&after).count > 1, [3, 7].contains(&change), "{change}");
        }
    }
}
