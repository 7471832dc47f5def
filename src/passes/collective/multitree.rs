//! Trees that grow in turns, one epoch at a time: the baseline of MultiTree (Huang, Majumder, Kim, Muzahid,
//! Yum and Kim, ISCA 2021, algorithm 1), from the text of the paper.
//!
//! Every chip is the root of a tree along which its whole shard is gathered. In an epoch each channel serves
//! one tree, or as many as it has lanes; the trees take turns, and in its turn a tree adds the first chip
//! that a free channel joins to a member of an earlier epoch. When no tree can grow the next epoch begins.
//! Cost: chips squared, times channels of a chip, times epochs at most.

use super::ground::Ground;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Pull, Round};
use fixedbitset::FixedBitSet;

/// A tree that grows.
struct Tree {
    root: u32,
    members: FixedBitSet,
    /// Members of earlier epochs with a neighbor outside, in the order in which they came.
    open: Vec<u32>,
    /// Members of this epoch.
    new: Vec<u32>,
    /// What of `open` was looked at in this epoch: channels that are taken stay taken.
    looked: usize,
}

/// The epochs; the ground has no symmetry.
pub(super) fn multitree(ground: &Ground<'_>) -> Vec<Round> {
    let scene = ground.scene;
    let outputs: Vec<Vec<(ChannelId, u32)>> = scene
        .topology
        .nodes()
        .map(|node| {
            scene
                .channels_from(node)
                .map(|channel| (channel, scene.topology.target(channel).node.0))
                .collect()
        })
        .collect();
    let tree = |root: NodeId| {
        let mut members = FixedBitSet::with_capacity(ground.nodes());
        members.insert(root.index());
        Tree { root: root.0, members, open: vec![root.0], new: Vec::new(), looked: 0 }
    };
    let mut trees: Vec<Tree> = scene.endpoints().map(tree).collect();
    let mut rounds = Vec::new();
    let mut missing = trees.len() * (trees.len() - 1);
    while missing > 0 {
        // `[channel]`: what it can still carry in this epoch.
        let mut room: Vec<u64> =
            scene.topology.channels().map(|channel| scene.topology.channel_capacity(channel)).collect();
        let mut pulls: Vec<Pull> = Vec::new();
        loop {
            let before = pulls.len();
            for tree in &mut trees {
                if let Some(channel) = grow(tree, &outputs, &room) {
                    room[channel.index()] -= 1;
                    pulls.push(Pull { channel, chunks: vec![tree.root] });
                }
            }
            if pulls.len() == before {
                break;
            }
        }
        missing -= pulls.len();
        for tree in &mut trees {
            tree.looked = 0;
            tree.open.append(&mut tree.new);
            let Tree { open, members, .. } = tree;
            open.retain(|&member| {
                outputs[member as usize].iter().any(|&(_, to)| !members.contains(to as usize))
            });
        }
        pulls.sort_by_key(|pull| pull.channel);
        pulls.dedup_by(|next, kept| {
            let same = next.channel == kept.channel;
            if same {
                kept.chunks.append(&mut next.chunks);
            }
            same
        });
        rounds.push(Round { width: 1, pulls });
    }
    rounds
}

/// Adds a chip to a tree, by the channel that is returned.
fn grow(tree: &mut Tree, outputs: &[Vec<(ChannelId, u32)>], room: &[u64]) -> Option<ChannelId> {
    while let Some(&member) = tree.open.get(tree.looked) {
        let free = |&&(channel, to): &&(ChannelId, u32)| {
            room[channel.index()] > 0 && !tree.members.contains(to as usize)
        };
        if let Some(&(channel, to)) = outputs[member as usize].iter().find(free) {
            tree.members.insert(to as usize);
            tree.new.push(to);
            return Some(channel);
        }
        tree.looked += 1;
    }
    None
}
