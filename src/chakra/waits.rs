//! The graph of a trace, and which of its events waits for which.

use crate::errors::TraceError;
use crate::messages::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of events by index: the first one is over before the second one starts.
pub(crate) type EventWaits = BTreeSet<(u32, u32)>;

/// The nodes of a trace with their dependencies.
#[derive(Default)]
pub(crate) struct TraceGraph {
    place_of: BTreeMap<u64, u32>,
    /// `[node]`: its id in the trace.
    ids: Vec<u64>,
    /// `[node]`: the ids of the nodes that it waits for.
    dependencies: Vec<Vec<u64>>,
    /// `[node]`: its event, if it has one.
    events: Vec<Option<u32>>,
}

/// Sets of events. Equal sets are kept once, because many nodes have the same one.
#[derive(Default)]
struct EventSets {
    sets: Vec<Vec<u32>>,
    index_of: BTreeMap<Vec<u32>, u32>,
    /// Unions that were formed, by the indices of both sets.
    unions: BTreeMap<(u32, u32), u32>,
}

impl EventSets {
    fn intern(&mut self, set: Vec<u32>) -> u32 {
        let sets = &mut self.sets;
        *self.index_of.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as u32 - 1
        })
    }

    fn union(&mut self, first: u32, second: u32) -> u32 {
        if first == second {
            return first;
        }
        let key = (first.min(second), first.max(second));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let all: BTreeSet<u32> =
            [first, second].iter().flat_map(|&set| self.sets[set as usize].iter().copied()).collect();
        let union = self.intern(all.into_iter().collect());
        self.unions.insert(key, union);
        union
    }
}

impl TraceGraph {
    /// Adds a node. Returns its place.
    ///
    /// # Errors
    /// Refuses an id that another node has.
    pub(crate) fn add(&mut self, rank: u32, node: &Node) -> Result<u32, TraceError> {
        let place = self.ids.len() as u32;
        if self.place_of.insert(node.id, place).is_some() {
            return Err(TraceError::NodeTwice { rank, node: node.id });
        }
        self.ids.push(node.id);
        self.dependencies.push(node.data_deps.iter().chain(&node.ctrl_deps).copied().collect());
        self.events.push(None);
        Ok(place)
    }

    pub(crate) fn set_event(&mut self, place: u32, event: u32) {
        self.events[place as usize] = Some(event);
    }

    /// The number of nodes so far.
    pub(crate) fn len(&self) -> u64 {
        self.ids.len() as u64
    }

    /// The events that wait for each other, directly or through other nodes.
    ///
    /// # Errors
    /// Refuses a dependency on a node that is not there, and nodes that wait for each other.
    pub(crate) fn waits(&self, rank: u32) -> Result<EventWaits, TraceError> {
        let mut sets = EventSets::default();
        let none = sets.intern(Vec::new());
        let (mut before, mut waits) = (vec![none; self.ids.len()], EventWaits::new());
        // `(set, event)` whose pairs are in `waits`.
        let mut noted: BTreeSet<(u32, u32)> = BTreeSet::new();
        let (order, targets) = self.order(rank)?;
        for place in order {
            let mut set = before[place as usize];
            if let Some(event) = self.events[place as usize] {
                if noted.insert((set, event)) {
                    waits.extend(sets.sets[set as usize].iter().map(|&earlier| (earlier, event)));
                }
                let own = sets.intern(vec![event]);
                set = sets.union(set, own);
            }
            for &later in &targets[place as usize] {
                before[later as usize] = sets.union(before[later as usize], set);
            }
        }
        Ok(waits)
    }

    /// The nodes in an order in which none waits for a later one, and `[node]`: those that wait for it.
    fn order(&self, rank: u32) -> Result<(Vec<u32>, Vec<Vec<u32>>), TraceError> {
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); self.ids.len()];
        let mut open: Vec<usize> = vec![0; self.ids.len()];
        for (place, dependencies) in self.dependencies.iter().enumerate() {
            for &dependency in dependencies {
                let Some(&before) = self.place_of.get(&dependency) else {
                    return Err(TraceError::NoDependency { rank, node: self.ids[place], dependency });
                };
                targets[before as usize].push(place as u32);
                open[place] += 1;
            }
        }
        let mut order: Vec<u32> =
            (0..open.len()).filter(|&place| open[place] == 0).map(|p| p as u32).collect();
        let mut next = 0;
        while let Some(&place) = order.get(next) {
            next += 1;
            for &later in &targets[place as usize] {
                open[later as usize] -= 1;
                if open[later as usize] == 0 {
                    order.push(later);
                }
            }
        }
        match open.iter().position(|&waits| waits > 0) {
            Some(place) => Err(TraceError::Circle { rank, node: self.ids[place] }),
            None => Ok((order, targets)),
        }
    }
}
