//! Distance sums by bit-parallel breadth-first search: the inner loop of every search.
//!
//! A node holds one bit per source; the sources are the canonical nodes. A level is the OR over the neighbors
//! of a node, for all elements of the group at once: a row holds one canonical node in all its translations,
//! so that a shift is a rotation of a row. Copper has length 1; fibers have a small integer length of their
//! own, so that the sum is the denominator of a dual bound. `parity.rs` does the same for a fraction of the
//! work where all paths between two nodes have one parity; what is here serves every other shape.

use super::parity::{Parity, Reach, Sources};
use super::shape::{Shape, Slot};
use std::collections::BTreeMap;

/// Lengths of fibers, against copper length 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FiberLengths {
    /// A fiber from a cube to itself.
    pub(super) inside: usize,
    /// A fiber between two cubes.
    pub(super) across: usize,
}

impl FiberLengths {
    fn of(self, shape: &Shape, ocs: usize, slot: Slot) -> usize {
        if shape.inside(ocs, slot) { self.inside } else { self.across }
    }
}

/// Length of all channels of a wiring divided by the order of the group; `dark` is an OCS that does not
/// count.
pub(super) fn volume(shape: &Shape, wiring: &[Vec<Slot>], lengths: FiberLengths, dark: Option<usize>) -> u64 {
    let copper: usize = shape.mesh.iter().map(Vec::len).sum();
    let mut fiber = 0;
    for (ocs, slots) in wiring.iter().enumerate().filter(|(ocs, _)| dark != Some(*ocs)) {
        for &slot in slots {
            if let Some([a, b]) = shape.joined(ocs, slot) {
                fiber += lengths.of(shape, ocs, slot) * if a == b { 1 } else { 2 };
            }
        }
    }
    (copper + fiber) as u64
}

/// Reusable state of the evaluation of one [`Shape`].
#[derive(Clone, Debug)]
pub(super) struct Evaluator<'a> {
    shape: &'a Shape,
    /// Words per node: one bit per source.
    words: usize,
    /// Snapshots of the last levels, each `[canonical node][element][word]`; the elements stand twice in a
    /// row, so that a rotation is one contiguous read.
    levels: Vec<Vec<u64>>,
    /// `[shift][element]` for groups that are not cyclic.
    gather: Vec<Vec<u32>>,
    fibers: Vec<Vec<Reach>>,
    /// By length of the fibers: the cheaper search, where it applies.
    parities: BTreeMap<usize, Option<Parity>>,
    /// What the cheaper search looks at.
    sources: Sources,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(shape: &'a Shape) -> Self {
        let gather = if shape.group.factors.len() > 1 {
            (0..shape.order)
                .map(|shift| (0..shape.order).map(|element| shape.add(element, shift) as u32).collect())
                .collect()
        } else {
            Vec::new()
        };
        Self {
            shape,
            words: shape.nodes.div_ceil(64),
            levels: Vec::new(),
            gather,
            fibers: vec![Vec::new(); shape.nodes],
            parities: BTreeMap::new(),
            sources: Sources::All,
        }
    }

    /// For antipodal wirings only: half of the sources stand for all of them where that is cheaper.
    pub(super) fn of_antipodal(shape: &'a Shape) -> Self {
        Self { sources: Sources::Even, ..Self::new(shape) }
    }

    /// Sum of distances from the canonical nodes to all nodes, weighted with the demand, without the fibers
    /// of `dark`; stops and returns a value above `limit` as soon as the sum exceeds it. Nodes that cannot be
    /// reached make the sum huge.
    pub(super) fn distance_sum(
        &mut self,
        wiring: &[Vec<Slot>],
        lengths: FiberLengths,
        dark: Option<usize>,
        limit: u64,
    ) -> u64 {
        self.connect(wiring, lengths, dark);
        if lengths.inside == lengths.across {
            let (shape, length) = (self.shape, lengths.across);
            let parity = self.parities.entry(length).or_insert_with(|| Parity::new(shape, length));
            // Where some nodes cannot be reached, the plain search says how many.
            if let Some(sum) =
                parity.as_mut().and_then(|parity| parity.distance_sum(&self.fibers, self.sources, limit))
            {
                return sum;
            }
        }
        self.reach(lengths.inside.max(lengths.across), limit)
    }

    /// The same where the group is trivial and the fibers are given as neighbors of every node.
    pub(super) fn distance_sum_of(&mut self, neighbors: &[Vec<u32>], length: usize, limit: u64) -> u64 {
        for (fibers, neighbors) in self.fibers.iter_mut().zip(neighbors) {
            fibers.clear();
            fibers.extend(neighbors.iter().map(|&other| Reach { row: other as usize, shift: 0, length }));
        }
        self.reach(length, limit)
    }

    fn reach(&mut self, longest: usize, limit: u64) -> u64 {
        let (nodes, order, words) = (self.shape.nodes, self.shape.order, self.words);
        let half = order * words;
        let row = 2 * half;
        let keep = longest + 1;
        self.levels.resize_with(keep.max(self.levels.len()), Vec::new);
        for level in &mut self.levels[..keep] {
            level.clear();
            level.resize(nodes * row, 0);
        }
        for node in 0..nodes {
            let at = node * row + node / 64;
            self.levels[0][at] |= 1 << (node % 64);
            self.levels[0][at + half] |= 1 << (node % 64);
        }
        let everything = (nodes * order * nodes) as u64;
        let (mut reached, mut sum, mut quiet, mut time) = (nodes as u64, 0u64, 0, 0);
        let demand: u64 = self.shape.planes.iter().map(|plane| plane.weight * plane.total).sum();
        let weighted = !self.shape.planes.is_empty();
        let mut served = 0u64;
        while reached < everything {
            sum += if weighted { demand - served } else { everything - reached };
            if sum > limit {
                return sum;
            }
            time += 1;
            let mut now = std::mem::take(&mut self.levels[time % keep]);
            let before = &self.levels[(time - 1) % keep];
            let mut count = 0u64;
            served = 0;
            for node in 0..nodes {
                let (out, twin) = now[node * row..][..row].split_at_mut(half);
                out.copy_from_slice(&before[node * row..][..half]);
                for &neighbor in &self.shape.mesh[node] {
                    or(out, &before[neighbor * row..][..half]);
                }
                for &Reach { row: other, shift, length } in &self.fibers[node] {
                    if time < length {
                        continue;
                    }
                    // With length 1 the level before is the one that is read; the slot of `now` stands empty.
                    let past = if length == 1 { before } else { &self.levels[(time - length) % keep] };
                    match self.gather.get(shift) {
                        None => or(out, &past[other * row + shift * words..][..half]),
                        Some(from) => {
                            let past = &past[other * row..][..half];
                            for (out, &from) in out.chunks_exact_mut(words).zip(from) {
                                or(out, &past[from as usize * words..][..words]);
                            }
                        }
                    }
                }
                count += out.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
                for plane in &self.shape.planes {
                    let mask = &plane.mask[node * half..][..half];
                    served += plane.weight
                        * out
                            .iter()
                            .zip(mask)
                            .map(|(bits, mask)| u64::from((bits & mask).count_ones()))
                            .sum::<u64>();
                }
                twin.copy_from_slice(out);
            }
            self.levels[time % keep] = now;
            quiet = if count == reached { quiet + 1 } else { 0 };
            if quiet >= keep {
                return sum + (everything - reached) * 1000;
            }
            reached = count;
        }
        sum
    }

    /// Per canonical node, the rows that it reads through its fibers.
    fn connect(&mut self, wiring: &[Vec<Slot>], lengths: FiberLengths, dark: Option<usize>) {
        self.fibers.iter_mut().for_each(Vec::clear);
        for (ocs, slots) in wiring.iter().enumerate().filter(|(ocs, _)| dark != Some(*ocs)) {
            let ends = &self.shape.switches[ocs].ends;
            for &slot in slots {
                let Some([a, b]) = self.shape.joined(ocs, slot) else { continue };
                let length = lengths.of(self.shape, ocs, slot);
                self.fibers[ends[a].node].push(Reach { row: ends[b].node, shift: slot.shift, length });
                if a != b {
                    self.fibers[ends[b].node].push(Reach {
                        row: ends[a].node,
                        shift: self.shape.negative(slot.shift),
                        length,
                    });
                }
            }
        }
    }
}

fn or(out: &mut [u64], row: &[u64]) {
    out.iter_mut().zip(row).for_each(|(out, bits)| *out |= bits);
}
