//! The set of chips that has most to send for each channel out of it.
//!
//! A rate x per chip is possible if and only if from a source that gives x to each chip all of it flows to
//! any single chip, channels carrying 1; where it does not, a least cut gives a set S with fewer than x |S|
//! channels out of it, and x falls to their ratio (Newton's method, as Dinkelbach used it in 1967). Cuts of
//! as many channels as the least degree, or more, are never below the rate that this degree allows: what only
//! they part is contracted first, and mostly a single group is left. Flows by Dinic's blocking flows (1970),
//! in integers.

use super::cut::Groups;
use super::ground::Ground;
use fabc_base::ids::{Id, NodeId};
use std::collections::VecDeque;

/// `channels` out of `chips` chips, which are those of some groups.
pub(super) struct Tightest {
    pub(super) channels: u64,
    pub(super) chips: u64,
    /// `[group]`: whether its chips are in the set.
    pub(super) inside: Vec<bool>,
}

/// A set with fewer channels per chip than `channels / chips`, the fewest; none if there is none.
pub(super) fn tightest(groups: &Groups, channels: u64, chips: u64) -> Option<Tightest> {
    let mut best: Option<Tightest> = None;
    'falls: loop {
        let (channels, chips) = best.as_ref().map_or((channels, chips), |best| (best.channels, best.chips));
        // Only chips need what flows.
        for target in (0..groups.len()).filter(|&group| groups.sizes[group] > 0) {
            let mut network = Network::new(groups, channels, chips);
            let all: u64 = groups.sizes.iter().sum::<u64>() * channels;
            if groups.len() > 1 && network.flow(groups.len(), target) < all {
                let inside: Vec<bool> = network.level[..groups.len()].iter().map(Option::is_some).collect();
                let of = |group: usize| {
                    groups.joined[group]
                        .iter()
                        .filter(|(other, _)| !inside[*other as usize])
                        .map(|&(_, links)| links)
                };
                let members = || (0..groups.len()).filter(|&group| inside[group]);
                let found = (members().flat_map(of).sum(), members().map(|group| groups.sizes[group]).sum());
                best = Some(Tightest { channels: found.0, chips: found.1, inside });
                continue 'falls;
            }
        }
        return best;
    }
}

/// The least cut that parts a chip from the root: the channels into it (of a `reduced` one: out of it) and
/// the routers on the side of the chip.
pub(super) fn from_root(ground: &Ground<'_>, root: NodeId, reduced: bool) -> (u64, Vec<NodeId>) {
    let scene = ground.scene;
    let mut network = Network::empty(ground.nodes());
    for channel in scene.channels() {
        let [from, to] =
            [scene.topology.source(channel), scene.topology.target(channel)].map(|end| end.node.index());
        network.arc(
            if reduced { [to, from] } else { [from, to] },
            [scene.topology.channel_capacity(channel), 0],
        );
    }
    let rooms = network.room.clone();
    let mut best = (u64::MAX, Vec::new());
    for chip in scene.endpoints().filter(|&chip| chip != root) {
        network.room.clone_from(&rooms);
        let flow = network.flow(root.index(), chip.index());
        if flow < best.0 {
            // Dead routers are reached by nothing.
            let apart = |node: &NodeId| scene.lives(*node) && network.level[node.index()].is_none();
            best = (flow, scene.topology.nodes().filter(apart).collect());
        }
    }
    best
}

/// Arcs in pairs: `arc ^ 1` runs back.
struct Network {
    arcs: Vec<Vec<u32>>,
    head: Vec<u32>,
    room: Vec<u64>,
    level: Vec<Option<u32>>,
}

impl Network {
    fn empty(nodes: usize) -> Self {
        Self { arcs: vec![Vec::new(); nodes], head: Vec::new(), room: Vec::new(), level: Vec::new() }
    }

    /// The groups, and a source that gives each chip `channels` where a channel carries `chips`.
    fn new(groups: &Groups, channels: u64, chips: u64) -> Self {
        let count = groups.len();
        let mut network = Self::empty(count + 1);
        for group in 0..count {
            network.arc([count, group], [groups.sizes[group] * channels, 0]);
            for &(other, links) in groups.joined[group].iter().filter(|(other, _)| group < *other as usize) {
                network.arc([group, other as usize], [links * chips; 2]);
            }
        }
        network
    }

    fn arc(&mut self, ends: [usize; 2], rooms: [u64; 2]) {
        for side in 0..2 {
            self.arcs[ends[side]].push(self.head.len() as u32);
            self.head.push(ends[1 - side] as u32);
            self.room.push(rooms[side]);
        }
    }

    /// The largest flow; `level` then tells what is still reached from the source.
    fn flow(&mut self, source: usize, target: usize) -> u64 {
        let mut sum = 0;
        loop {
            self.levels(source);
            if self.level[target].is_none() {
                return sum;
            }
            let mut next = vec![0; self.arcs.len()];
            while let Some(more) = self.augment(source, target, &mut next) {
                sum += more;
            }
        }
    }

    fn levels(&mut self, source: usize) {
        self.level = vec![None; self.arcs.len()];
        self.level[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let deeper = self.level[node].map(|level| level + 1);
            for &arc in &self.arcs[node] {
                let head = self.head[arc as usize] as usize;
                if self.room[arc as usize] > 0 && self.level[head].is_none() {
                    self.level[head] = deeper;
                    queue.push_back(head);
                }
            }
        }
    }

    /// One path down the levels, filled; `next` skips arcs that led nowhere.
    fn augment(&mut self, source: usize, target: usize, next: &mut [usize]) -> Option<u64> {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != target {
            let deeper = self.level[node].map(|level| level + 1);
            match self.arcs[node].get(next[node]) {
                Some(&arc)
                    if self.room[arc as usize] > 0
                        && self.level[self.head[arc as usize] as usize] == deeper =>
                {
                    path.push(arc);
                    node = self.head[arc as usize] as usize;
                }
                Some(_) => next[node] += 1,
                None => {
                    let arc = path.pop()?;
                    node = self.head[arc as usize ^ 1] as usize;
                    next[node] += 1;
                }
            }
        }
        let least = path.iter().map(|&arc| self.room[arc as usize]).min().unwrap_or(0);
        for &arc in &path {
            self.room[arc as usize] -= least;
            self.room[arc as usize ^ 1] += least;
        }
        Some(least)
    }
}
