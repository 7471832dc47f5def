//! How long an all-reduce by shared trees takes, from the rule that its format sets: a period is as long as
//! the channel that needs longest for a message of each of its trees; a channel has as many places in it as
//! fit, each as long as a message; the first piece of every tree takes, whenever all that it waits for is
//! there, the first place that is free from then on, and every later piece the same place one period later.
//! Of pieces that are ready together the first tree comes first, then the first router, and the way up before
//! the way down.

use fabc_base::ids::{ChannelId, Id, LinkId};
use fabc_ir::{Scene, SharedTrees};
use std::collections::{BTreeMap, BTreeSet};

/// A crossing of a tree: tree, the router below the link, whether it is on the way down.
type Crossing = (usize, usize, bool);

/// Trees that were proved to span.
pub(super) struct Pipeline<'a> {
    scene: &'a Scene<'a>,
    shared: &'a SharedTrees,
    /// Trees that cross each channel.
    crossed: BTreeMap<ChannelId, u128>,
    /// Hops from the farthest router to the root of its tree.
    pub(super) height: u64,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, shared: &'a SharedTrees) -> Self {
        let mut crossed: BTreeMap<ChannelId, u128> = BTreeMap::new();
        let mut height = 0;
        for tree in &shared.trees {
            for &up in tree.up.iter().flatten() {
                for channel in std::iter::once(up).chain(scene.topology.reverse(up)) {
                    *crossed.entry(channel).or_default() += 1;
                }
            }
            let hops = |start: usize| {
                std::iter::successors(tree.up[start], |up| tree.up[scene.topology.target(*up).node.index()])
                    .count()
            };
            height = height.max((0..tree.up.len()).map(hops).max().unwrap_or(0) as u64);
        }
        Self { scene, shared, crossed, height }
    }

    /// So many pieces of every tree, when a piece and the overhead of its message take so long on a channel
    /// of one lane, and a hop over a link so long.
    pub(super) fn takes(&self, pieces: u32, message: (u128, u128), hop: impl Fn(LinkId) -> u128) -> u128 {
        let period = self.period(message);
        period * u128::from(pieces - 1) + self.first(period, message, hop)
    }

    /// The same where every period is a round of its own, which the slowest hop ends.
    pub(super) fn in_rounds(&self, pieces: u32, message: (u128, u128), hop: u128) -> u128 {
        (self.period(message) + hop) * u128::from(self.steps(pieces))
    }

    fn period(&self, message: (u128, u128)) -> u128 {
        let busy = self.crossed.iter().map(|(channel, trees)| trees * self.on(*channel, message));
        busy.max().unwrap_or(message.0 + message.1)
    }

    /// What a message takes on a channel.
    fn on(&self, channel: ChannelId, (piece, overhead): (u128, u128)) -> u128 {
        piece.div_ceil(u128::from(self.scene.topology.channel_capacity(channel))) + overhead
    }

    /// Hops of the first piece, and one for each that follows it.
    pub(super) fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + 2 * self.height
    }

    /// When the first pieces are everywhere.
    fn first(&self, period: u128, message: (u128, u128), hop: impl Fn(LinkId) -> u128) -> u128 {
        let topology = self.scene.topology;
        let parent = |tree: usize, node: usize| {
            self.shared.trees[tree].up[node].map(|up| topology.target(up).node.index())
        };
        // Who waits for a crossing, and for how many everybody waits.
        let mut after: BTreeMap<Crossing, Vec<Crossing>> = BTreeMap::new();
        let mut missing: BTreeMap<Crossing, usize> = BTreeMap::new();
        for (number, tree) in self.shared.trees.iter().enumerate() {
            let below =
                |node: usize| (0..tree.up.len()).filter(move |&child| parent(number, child) == Some(node));
            let tops: Vec<usize> = below(tree.root.index()).collect();
            for node in (0..tree.up.len()).filter(|&node| tree.up[node].is_some()) {
                let above = parent(number, node).unwrap_or_default();
                let (up, down) = ((number, node, false), (number, node, true));
                // Up to the parent, whose own way up waits for it; at the root everything down waits for all.
                let waiting: Vec<Crossing> = match above == tree.root.index() {
                    true => tops.iter().map(|&top| (number, top, true)).collect(),
                    false => vec![(number, above, false)],
                };
                waiting.iter().for_each(|next| *missing.entry(*next).or_default() += 1);
                after.entry(up).or_default().extend(waiting);
                missing.entry(up).or_default();
                if above != tree.root.index() {
                    after.entry((number, above, true)).or_default().push(down);
                    *missing.entry(down).or_default() += 1;
                }
            }
        }
        let mut ready: BTreeMap<Crossing, u128> = BTreeMap::new();
        let mut open: BTreeSet<(u128, Crossing)> =
            missing.iter().filter(|(_, count)| **count == 0).map(|(crossing, _)| (0, *crossing)).collect();
        // By channel: when its first message starts, and which of its places are taken.
        let mut taken: BTreeMap<ChannelId, (u128, BTreeSet<u128>)> = BTreeMap::new();
        let mut end = 0;
        while let Some((since, crossing)) = open.pop_first() {
            let (number, node, down) = crossing;
            let up = self.shared.trees[number].up[node];
            let Some(channel) = up.and_then(|up| if down { topology.reverse(up) } else { Some(up) }) else {
                continue;
            };
            let takes = self.on(channel, message).max(1);
            let each = (period / takes).max(1);
            let (origin, places) = taken.entry(channel).or_insert_with(|| (since, BTreeSet::new()));
            // Whole periods, and then places that start in time.
            let waited = since - (*origin).min(since);
            let mut place =
                waited / period.max(1) * each + (waited % period.max(1)).div_ceil(takes).min(each);
            while !places.insert(place % each) {
                place += 1;
            }
            let there = *origin
                + place / each * period
                + place % each * takes
                + self.on(channel, message)
                + hop(topology.link_of(channel));
            end = end.max(there);
            for next in after.remove(&crossing).unwrap_or_default() {
                let at = ready.entry(next).or_default();
                *at = (*at).max(there);
                let left = missing.entry(next).or_default();
                *left -= 1;
                if *left == 0 {
                    open.insert((*at, next));
                }
            }
        }
        end
    }
}
