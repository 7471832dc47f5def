//! Pipelines of trees and paths as events: one piece of every tree or path, in the places that it takes.
//!
//! All further pieces follow in the same places, one period later each. Here a hop takes no time of its own,
//! so that the places follow from the schedule alone. Pieces take the first free place of a channel in the
//! order in which they are ready, ties by tree and hop. Cost: crossings, by a heap.

use super::busy::BusyChannel;
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Forest, ForestTree, PairPaths, SharedTrees, SpanningTree, Topology};
use fabc_model::Collective;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Maximum events of one schedule. Beyond it, only its first trees or paths are shown.
const EVENTS: usize = 24_000;

/// The events of a pipeline, by start, and how much of it they show.
pub(super) struct Pipeline {
    pub(super) events: Vec<BusyChannel>,
    /// Shown trees or paths, of so many.
    pub(super) shown: usize,
    pub(super) all: usize,
}

/// One piece over one channel.
struct Crossing {
    channel: ChannelId,
    /// How long it keeps one lane busy, in times of the smallest piece.
    time: u64,
    /// The crossings that wait for this one.
    next: Vec<usize>,
    /// How many this one waits for.
    waits: usize,
}

#[derive(Default)]
struct Crossings(Vec<Crossing>);

impl Crossings {
    fn push(&mut self, channel: ChannelId, time: u64) -> usize {
        self.0.push(Crossing { channel, time, next: Vec::new(), waits: 0 });
        self.0.len() - 1
    }

    fn follow(&mut self, first: usize, next: usize) {
        self.0[first].next.push(next);
        self.0[next].waits += 1;
    }

    /// Channels one after the other. Returns the last crossing, and `before` without channels.
    fn push_path(&mut self, channels: &[ChannelId], time: u64, before: &[usize]) -> Vec<usize> {
        let mut last = before.to_vec();
        for &channel in channels {
            let crossing = self.push(channel, time);
            last.iter().for_each(|&earlier| self.follow(earlier, crossing));
            last = vec![crossing];
        }
        last
    }

    /// The up and down crossings of a tree.
    fn push_spanning_tree(&mut self, topology: &Topology, tree: &SpanningTree) {
        let mut pairs: Vec<Option<(usize, usize)>> = vec![None; tree.up.len()];
        for (node, up) in tree.up.iter().enumerate() {
            let Some((up, down)) = up.and_then(|up| Some((up, topology.reverse(up)?))) else { continue };
            pairs[node] = Some((self.push(up, 1), self.push(down, 1)));
        }
        let parent = |node: usize| tree.up[node].map(|up| topology.target(up).node);
        let from_root: Vec<usize> = (0..pairs.len())
            .filter(|&node| parent(node) == Some(tree.root))
            .filter_map(|node| Some(pairs[node]?.1))
            .collect();
        for (node, pair) in pairs.iter().enumerate() {
            let Some((up, down)) = *pair else { continue };
            match parent(node).and_then(|parent| pairs[parent.index()]) {
                Some((parent_up, parent_down)) => {
                    self.follow(up, parent_up);
                    self.follow(parent_down, down);
                }
                None => from_root.iter().for_each(|&first| self.follow(up, first)),
            }
        }
    }

    fn push_forest_tree(&mut self, tree: &ForestTree) {
        let mut arrivals: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for send in &tree.sends {
            let before = arrivals.get(&send.from.0).cloned().unwrap_or_default();
            for path in &send.paths {
                let last = self.push_path(&path.channels, path.amount.into(), &before);
                arrivals.entry(send.to.0).or_default().extend(last);
            }
        }
    }

    /// The events of all crossings, by start.
    fn placed(mut self, topology: &Topology) -> Vec<BusyChannel> {
        let mut free: BTreeMap<ChannelId, u64> = BTreeMap::new();
        let mut ready_at = vec![0u64; self.0.len()];
        let mut ready: BinaryHeap<Reverse<(u64, usize)>> = (0..self.0.len())
            .filter(|&crossing| self.0[crossing].waits == 0)
            .map(|crossing| Reverse((0, crossing)))
            .collect();
        let mut events = Vec::with_capacity(self.0.len());
        while let Some(Reverse((at, crossing))) = ready.pop() {
            let Crossing { channel, time, ref next, .. } = self.0[crossing];
            let lanes = topology.channel_capacity(channel).max(1);
            let (time, free) = (time.div_ceil(lanes), free.entry(channel).or_default());
            let start = at.max(*free);
            let end = start + time;
            *free = end;
            events.push(BusyChannel { start, time, channel });
            for later in next.clone() {
                ready_at[later] = ready_at[later].max(end);
                self.0[later].waits -= 1;
                if self.0[later].waits == 0 {
                    ready.push(Reverse((ready_at[later], later)));
                }
            }
        }
        events.sort_by_key(|event| (event.start, event.channel));
        events
    }
}

/// Shared trees: sums go up, results down.
pub(super) fn tree_events(topology: &Topology, shared: &SharedTrees) -> Pipeline {
    let size = |tree: &SpanningTree| 2 * tree.up.iter().flatten().count();
    let shown = beginning(&shared.trees, size);
    let mut crossings = Crossings::default();
    shared.trees[..shown].iter().for_each(|tree| crossings.push_spanning_tree(topology, tree));
    Pipeline { events: crossings.placed(topology), shown, all: shared.trees.len() }
}

/// Trees over chips: data goes from their roots to all chips. Sums go the other way, against time.
pub(super) fn forest_events(topology: &Topology, forest: &Forest, collective: Collective) -> Pipeline {
    let size = |tree: &ForestTree| {
        tree.sends.iter().flat_map(|send| &send.paths).map(|path| path.channels.len()).sum::<usize>()
    };
    let shown = beginning(&forest.trees, size);
    let mut crossings = Crossings::default();
    forest.trees[..shown].iter().for_each(|tree| crossings.push_forest_tree(tree));
    let down = crossings.placed(topology);
    let events = match collective {
        Collective::ReduceScatter | Collective::Reduce => backwards(topology, &down),
        Collective::AllReduce => {
            let up = backwards(topology, &down);
            let after = end(&up);
            let later = |event: BusyChannel| BusyChannel { start: event.start + after, ..event };
            up.into_iter().chain(down.into_iter().map(later)).collect()
        }
        _ => down,
    };
    Pipeline { events, shown, all: forest.trees.len() }
}

/// Paths of pairs, each leg after the one before.
pub(super) fn path_events(topology: &Topology, pair_paths: &PairPaths) -> Pipeline {
    let shown = beginning(&pair_paths.paths, |path| path.channels().count());
    let mut crossings = Crossings::default();
    for path in &pair_paths.paths[..shown] {
        crossings.push_path(&path.channels().collect::<Vec<_>>(), path.amount.into(), &[]);
    }
    Pipeline { events: crossings.placed(topology), shown, all: pair_paths.paths.len() }
}

/// How many from the beginning have at most the maximum of events, and one at least.
fn beginning<T>(list: &[T], size: impl Fn(&T) -> usize) -> usize {
    let mut sum = 0;
    let fits = |item: &&T| {
        sum += size(item);
        sum <= EVENTS
    };
    list.iter().take_while(fits).count().max(1).min(list.len())
}

/// The same events against time, over the reverse of each channel.
fn backwards(topology: &Topology, events: &[BusyChannel]) -> Vec<BusyChannel> {
    let whole = end(events);
    let mut back: Vec<BusyChannel> = events
        .iter()
        .map(|&BusyChannel { start, time, channel }| BusyChannel {
            start: whole - start - time,
            time,
            channel: topology.reverse(channel).unwrap_or(channel),
        })
        .collect();
    back.sort_by_key(|event| (event.start, event.channel));
    back
}

fn end(events: &[BusyChannel]) -> u64 {
    events.iter().map(|event| event.start + event.time).max().unwrap_or(0)
}
