//! Trees that grow in turns, one epoch at a time: the baseline of MultiTree (Huang, Majumder, Kim, Muzahid,
//! Yum and Kim, ISCA 2021, algorithm 1), written from the text of the paper.
//!
//! Every chip is the root of a tree along which its whole shard is gathered. In an epoch each channel serves
//! one tree, or one per lane. The trees take turns. In its turn a tree adds the first chip that a free
//! channel joins to a member of an earlier epoch. When no tree can grow the next epoch begins. Cost: chips
//! squared, times channels of a chip, times at most the number of epochs.

use super::canonical::CanonicalScene;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{GatherRound, Pull};
use fixedbitset::FixedBitSet;

/// A tree while it grows.
struct GrowingTree {
    root: u32,
    members: FixedBitSet,
    /// Members of earlier epochs with a neighbor outside the tree, in the order in which they joined.
    open: Vec<u32>,
    /// Members that joined in this epoch.
    added: Vec<u32>,
    /// Number of members of `open` scanned in this epoch. A used channel stays used, so none is scanned
    /// twice.
    scanned: usize,
}

/// The epochs as rounds. The scene must be without symmetry.
pub(super) fn multitree(canonical: &CanonicalScene<'_>) -> Vec<GatherRound> {
    let scene = canonical.scene;
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
        let mut members = FixedBitSet::with_capacity(canonical.nodes());
        members.insert(root.index());
        GrowingTree { root: root.0, members, open: vec![root.0], added: Vec::new(), scanned: 0 }
    };
    let mut trees: Vec<GrowingTree> = scene.endpoints().map(tree).collect();
    let mut rounds = Vec::new();
    let mut missing = trees.len() * (trees.len() - 1);
    while missing > 0 {
        // `[channel]`: chunks that it can still carry in this epoch.
        let mut capacity: Vec<u64> =
            scene.topology.channels().map(|channel| scene.topology.channel_capacity(channel)).collect();
        let mut pulls: Vec<Pull> = Vec::new();
        loop {
            let before = pulls.len();
            for tree in &mut trees {
                if let Some(channel) = grow(tree, &outputs, &capacity) {
                    capacity[channel.index()] -= 1;
                    pulls.push(Pull { channel, chunks: vec![tree.root] });
                }
            }
            if pulls.len() == before {
                break;
            }
        }
        missing -= pulls.len();
        for tree in &mut trees {
            tree.scanned = 0;
            tree.open.append(&mut tree.added);
            let GrowingTree { open, members, .. } = tree;
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
        rounds.push(GatherRound { width: 1, pulls });
    }
    rounds
}

/// Adds a chip to a tree and returns the channel to it.
fn grow(tree: &mut GrowingTree, outputs: &[Vec<(ChannelId, u32)>], capacity: &[u64]) -> Option<ChannelId> {
    while let Some(&member) = tree.open.get(tree.scanned) {
        let free = |&&(channel, to): &&(ChannelId, u32)| {
            capacity[channel.index()] > 0 && !tree.members.contains(to as usize)
        };
        if let Some(&(channel, to)) = outputs[member as usize].iter().find(free) {
            tree.members.insert(to as usize);
            tree.added.push(to);
            return Some(channel);
        }
        tree.scanned += 1;
    }
    None
}
