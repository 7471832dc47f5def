//! Packs trees into arcs between chips, as many for every root as it has parts.
//!
//! Trees with equal edges so far are one batch with a multiplicity. A batch grows by one arc at a time. A
//! flow tells how many trees of the batch may take the arc, so that all others can still be completed (the
//! proof of Lovasz 1976 of the theorem of Edmonds 1973). First every batch takes arcs of its root that are
//! wide enough for all of its trees. Then one batch after the other is completed, breadth first. Where not
//! all of its trees may take an arc, it is divided. Cost: one flow for every arc that is tried.

use super::splitting::LogicalArcs;

/// Trees with the same root and the same edges.
#[derive(Clone)]
pub(super) struct TreeBatch {
    pub(super) root: usize,
    /// Number of trees that are alike.
    pub(super) multiplicity: u64,
    /// The chips that the trees reach, in the order in which they are reached.
    members: Vec<usize>,
    /// Number of arcs from its members that were tried: all to the next chips, member by member. What failed
    /// once fails always.
    tried: usize,
    /// The edges, each from a chip that was reached before.
    pub(super) arcs: Vec<[usize; 2]>,
}

/// Stands for more parts than all channels can carry.
const UNLIMITED: u64 = 1 << 48;

/// Packs trees for all supplies. `None` if they do not fit.
pub(super) fn pack_arborescences(arcs: &LogicalArcs) -> Option<Vec<TreeBatch>> {
    let mut free = Remaining { arcs: arcs.clone_capacities(), chips: arcs.chips };
    let roots = (0..arcs.chips).filter(|&chip| arcs.supplies[chip] > 0);
    let mut batches: Vec<TreeBatch> = roots
        .map(|root| TreeBatch {
            root,
            multiplicity: arcs.supplies[root],
            members: vec![root],
            tried: 0,
            arcs: Vec::new(),
        })
        .collect();
    for index in 0..batches.len() {
        while batches[index].members.len() < arcs.chips && free.grow(&mut batches, index, Growth::Whole) {}
        batches[index].tried = 0;
    }
    let mut index = 0;
    while index < batches.len() {
        while batches[index].members.len() < arcs.chips {
            if !free.grow(&mut batches, index, Growth::Divided) {
                return None;
            }
        }
        index += 1;
    }
    batches.sort_by_key(|batch| batch.root);
    Some(batches)
}

/// Which arcs a batch may take.
#[derive(Clone, Copy)]
enum Growth {
    /// Arcs of the root that all of its trees can take.
    Whole,
    /// Any arc that at least one tree can take.
    Divided,
}

/// The arcs that no tree has yet.
struct Remaining {
    arcs: LogicalArcs,
    chips: usize,
}

impl Remaining {
    /// Grows a batch by one arc. Trees of it that cannot take the arc become a batch of their own. Returns
    /// whether there was such an arc.
    fn grow(&mut self, batches: &mut Vec<TreeBatch>, index: usize, growth: Growth) -> bool {
        let chips = self.chips;
        let (growing, least) = match growth {
            Growth::Whole => (1, batches[index].multiplicity),
            Growth::Divided => (usize::MAX, 1),
        };
        while batches[index].tried / chips < batches[index].members.len().min(growing) {
            let batch = &mut batches[index];
            let from = batch.members[batch.tried / chips];
            let to = (from + batch.tried % chips) % chips;
            batch.tried += 1;
            let most = batch.multiplicity.min(self.arcs.capacity(from, to));
            if most < least || batch.members.contains(&to) {
                continue;
            }
            let trees = self.spare(from, to, most, batches, index);
            if trees < least {
                continue;
            }
            if trees < batches[index].multiplicity {
                let multiplicity = batches[index].multiplicity - trees;
                batches.push(TreeBatch { multiplicity, ..batches[index].clone() });
            }
            let batch = &mut batches[index];
            batch.multiplicity = trees;
            batch.members.push(to);
            batch.arcs.push([from, to]);
            self.arcs.reserve(from, to, trees);
            return true;
        }
        false
    }

    /// How many of at most `most` trees of a batch may take an arc, so that all other batches can be
    /// completed.
    fn spare(&self, from: usize, to: usize, most: u64, batches: &[TreeBatch], index: usize) -> u64 {
        // All trees that reach the end of the arc already reach it at once.
        let is_missing = |batch: &TreeBatch| !batch.members.contains(&to);
        let others =
            || batches.iter().enumerate().filter(|(other, batch)| *other != index && is_missing(batch));
        let mut network = self.arcs.network(self.chips, others().count());
        let mut kept = 0;
        for (node, (_, other)) in (self.chips..).zip(others()) {
            kept += other.multiplicity;
            network.add_arc([from, node], [other.multiplicity, 0]);
            for &member in &other.members {
                network.add_arc([node, member], [UNLIMITED, 0]);
            }
        }
        network.flow_up_to(from, to, kept + most).saturating_sub(kept).min(most)
    }
}
