//! The duration of an all-reduce by shared trees, from the rule of its format.
//!
//! A period is as long as the slowest channel needs for one message of each of its trees. A channel has as
//! many places in a period as fit, each as long as a message. The first piece of a tree takes the first free
//! place after everything that it waits for has arrived. Every later piece takes the same place one period
//! later. Of pieces that are ready together the first tree comes first, then the first router, and the
//! direction up before the direction down.

use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Scene, SharedTrees};
use std::collections::{BTreeMap, BTreeSet};

/// A crossing of a tree: (tree, router below the link, whether it goes down).
type TreeCrossing = (usize, usize, bool);

/// The timing of spanning trees that were proved to span.
pub(super) struct TreePipeline<'a> {
    scene: &'a Scene<'a>,
    shared: &'a SharedTrees,
    /// Number of trees that cross each channel.
    trees_on_channel: BTreeMap<ChannelId, u128>,
    /// Largest number of hops from a router to the root of its tree.
    pub(super) height: u64,
}

impl<'a> TreePipeline<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, shared: &'a SharedTrees) -> Self {
        let mut trees_on_channel: BTreeMap<ChannelId, u128> = BTreeMap::new();
        let mut height = 0;
        for tree in &shared.trees {
            for &up in tree.up.iter().flatten() {
                for channel in std::iter::once(up).chain(scene.topology.reverse(up)) {
                    *trees_on_channel.entry(channel).or_default() += 1;
                }
            }
            let hops = |start: usize| {
                std::iter::successors(tree.up[start], |up| tree.up[scene.topology.target(*up).node.index()])
                    .count()
            };
            height = height.max((0..tree.up.len()).map(hops).max().unwrap_or(0) as u64);
        }
        Self { scene, shared, trees_on_channel, height }
    }

    /// Duration of `pieces` pieces of every tree. `message` is the time of a piece and the overhead of its
    /// message on a channel of one lane. `hop` is the time of a hop over a channel.
    pub(super) fn duration(
        &self,
        pieces: u32,
        message: (u128, u128),
        hop: impl Fn(ChannelId) -> u128,
    ) -> u128 {
        let period = self.period(message);
        period * u128::from(pieces - 1) + self.first_pieces_end(period, message, hop)
    }

    /// Duration if every period is a round of its own, which ends with the slowest hop of any tree.
    pub(super) fn duration_in_rounds(
        &self,
        pieces: u32,
        message: (u128, u128),
        hop: impl Fn(ChannelId) -> u128,
    ) -> u128 {
        let slowest = self.trees_on_channel.keys().map(|&channel| hop(channel)).max().unwrap_or(0);
        (self.period(message) + slowest) * u128::from(self.steps(pieces))
    }

    fn period(&self, message: (u128, u128)) -> u128 {
        let busy =
            self.trees_on_channel.iter().map(|(channel, trees)| trees * self.message_time(*channel, message));
        busy.max().unwrap_or(message.0 + message.1)
    }

    /// Time of a message on a channel.
    fn message_time(&self, channel: ChannelId, message: (u128, u128)) -> u128 {
        let (piece, overhead) = message;
        piece.div_ceil(u128::from(self.scene.topology.channel_capacity(channel))) + overhead
    }

    /// Hops of the first piece, and one for each piece that follows.
    pub(super) fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + 2 * self.height
    }

    /// The time at which the first pieces have arrived everywhere.
    fn first_pieces_end(&self, period: u128, message: (u128, u128), hop: impl Fn(ChannelId) -> u128) -> u128 {
        let topology = self.scene.topology;
        let parent = |tree: usize, node: usize| {
            self.shared.trees[tree].up[node].map(|up| topology.target(up).node.index())
        };
        // The crossings that wait for a crossing, and the number of crossings that each waits for.
        let mut after: BTreeMap<TreeCrossing, Vec<TreeCrossing>> = BTreeMap::new();
        let mut missing: BTreeMap<TreeCrossing, usize> = BTreeMap::new();
        for (number, tree) in self.shared.trees.iter().enumerate() {
            let below =
                |node: usize| (0..tree.up.len()).filter(move |&child| parent(number, child) == Some(node));
            let tops: Vec<usize> = below(tree.root.index()).collect();
            for node in (0..tree.up.len()).filter(|&node| tree.up[node].is_some()) {
                let above = parent(number, node).unwrap_or_default();
                let (up, down) = ((number, node, false), (number, node, true));
                // The crossing of the parent waits for this one. At the root, all crossings down wait for
                // all crossings up.
                let waiting: Vec<TreeCrossing> = match above == tree.root.index() {
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
        let mut ready: BTreeMap<TreeCrossing, u128> = BTreeMap::new();
        let mut open: BTreeSet<(u128, TreeCrossing)> =
            missing.iter().filter(|(_, count)| **count == 0).map(|(crossing, _)| (0, *crossing)).collect();
        // By channel: the start of its first message, and the places that are taken.
        let mut taken: BTreeMap<ChannelId, (u128, BTreeSet<u128>)> = BTreeMap::new();
        let mut end = 0;
        while let Some((since, crossing)) = open.pop_first() {
            let (number, node, down) = crossing;
            let up = self.shared.trees[number].up[node];
            let Some(channel) = up.and_then(|up| if down { topology.reverse(up) } else { Some(up) }) else {
                continue;
            };
            let message_time = self.message_time(channel, message).max(1);
            let places_per_period = (period / message_time).max(1);
            let (origin, places) = taken.entry(channel).or_insert_with(|| (since, BTreeSet::new()));
            // Full periods, and then places that start early enough.
            let waited = since - (*origin).min(since);
            let mut place = waited / period.max(1) * places_per_period
                + (waited % period.max(1)).div_ceil(message_time).min(places_per_period);
            while !places.insert(place % places_per_period) {
                place += 1;
            }
            let arrival = *origin
                + place / places_per_period * period
                + place % places_per_period * message_time
                + self.message_time(channel, message)
                + hop(channel);
            end = end.max(arrival);
            for next in after.remove(&crossing).unwrap_or_default() {
                let ready_at = ready.entry(next).or_default();
                *ready_at = (*ready_at).max(arrival);
                let missing_count = missing.entry(next).or_default();
                *missing_count -= 1;
                if *missing_count == 0 {
                    open.insert((*ready_at, next));
                }
            }
        }
        end
    }
}
