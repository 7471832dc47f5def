//! Distance sums by bit-parallel breadth-first search: the inner loop of every search.
//!
//! A node holds one bit per source. The sources are the canonical nodes. A level is the OR over the
//! neighbors of a node, for all elements of the group at once. A row holds one canonical node in all its
//! translations, so that a shift is a rotation of a row. Copper has length 1. Fibers have a small integer
//! length of their own, so that the sum is the denominator of a dual bound.
//!
//! `parity.rs` does the same for a fraction of the work if all paths between two nodes have the same
//! parity. This file serves every other shape.

use super::parity::{ParitySearch, RowRead, Sources};
use super::shape::{PodShape, WiringSlot};
use std::collections::BTreeMap;

/// The lengths of fibers, against copper length 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FiberLengths {
    /// The length of a fiber from a cube to itself.
    pub(super) inside: usize,
    /// The length of a fiber between two cubes.
    pub(super) across: usize,
}

impl FiberLengths {
    fn length(self, shape: &PodShape, ocs: usize, slot: WiringSlot) -> usize {
        if shape.is_inside_cube(ocs, slot) { self.inside } else { self.across }
    }
}

/// The total length of all channels of a wiring divided by the order of the group, without the fibers of
/// `dark`.
pub(super) fn volume(
    shape: &PodShape,
    wiring: &[Vec<WiringSlot>],
    lengths: FiberLengths,
    dark: Option<usize>,
) -> u64 {
    let copper: usize = shape.mesh.iter().map(Vec::len).sum();
    let mut fiber = 0;
    for (ocs, slots) in wiring.iter().enumerate().filter(|(ocs, _)| dark != Some(*ocs)) {
        for &slot in slots {
            if let Some([a, b]) = shape.joined(ocs, slot) {
                fiber += lengths.length(shape, ocs, slot) * if a == b { 1 } else { 2 };
            }
        }
    }
    (copper + fiber) as u64
}

/// The reusable state of the evaluation of one [`PodShape`].
#[derive(Clone, Debug)]
pub(super) struct Evaluator<'a> {
    shape: &'a PodShape,
    /// The words per node, with one bit per source.
    words: usize,
    /// Snapshots of the last levels, each `[canonical node][element][word]`. A row holds its elements
    /// twice, so that a rotation is one contiguous read.
    levels: Vec<Vec<u64>>,
    /// `[shift][element]`: the element to read, for groups that are not cyclic.
    gather: Vec<Vec<u32>>,
    fibers: Vec<Vec<RowRead>>,
    /// By length of the fibers: the cheaper search, or `None` if it does not apply.
    parities: BTreeMap<usize, Option<ParitySearch>>,
    /// The sources of the cheaper search.
    sources: Sources,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(shape: &'a PodShape) -> Self {
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

    /// An evaluator for antipodal wirings only: half of the sources stand for all of them if that is
    /// cheaper.
    pub(super) fn for_antipodal(shape: &'a PodShape) -> Self {
        Self { sources: Sources::Even, ..Self::new(shape) }
    }

    /// The sum of distances from the canonical nodes to all nodes, weighted with the demand, without the
    /// fibers of `dark`. Stops and returns a value above `limit` as soon as the sum exceeds it. Unreachable
    /// nodes make the sum huge.
    pub(super) fn distance_sum(
        &mut self,
        wiring: &[Vec<WiringSlot>],
        lengths: FiberLengths,
        dark: Option<usize>,
        limit: u64,
    ) -> u64 {
        self.connect(wiring, lengths, dark);
        if lengths.inside == lengths.across {
            let (shape, length) = (self.shape, lengths.across);
            let parity = self.parities.entry(length).or_insert_with(|| ParitySearch::new(shape, length));
            // If some nodes are unreachable, the plain search counts them.
            if let Some(sum) =
                parity.as_mut().and_then(|parity| parity.distance_sum(&self.fibers, self.sources, limit))
            {
                return sum;
            }
        }
        self.search_levels(lengths.inside.max(lengths.across), limit)
    }

    /// As [`Evaluator::distance_sum`], for the trivial group and fibers given as neighbors of every node.
    pub(super) fn distance_sum_of_neighbors(
        &mut self,
        neighbors: &[Vec<u32>],
        length: usize,
        limit: u64,
    ) -> u64 {
        for (fibers, neighbors) in self.fibers.iter_mut().zip(neighbors) {
            fibers.clear();
            fibers.extend(neighbors.iter().map(|&neighbor| RowRead {
                row: neighbor as usize,
                shift: 0,
                length,
            }));
        }
        self.search_levels(length, limit)
    }

    fn search_levels(&mut self, longest: usize, limit: u64) -> u64 {
        let (nodes, order, words) = (self.shape.nodes, self.shape.order, self.words);
        let half_row = order * words;
        let row = 2 * half_row;
        let keep = longest + 1;
        self.levels.resize_with(keep.max(self.levels.len()), Vec::new);
        for level in &mut self.levels[..keep] {
            level.clear();
            level.resize(nodes * row, 0);
        }
        for node in 0..nodes {
            let first_word = node * row + node / 64;
            self.levels[0][first_word] |= 1 << (node % 64);
            self.levels[0][first_word + half_row] |= 1 << (node % 64);
        }
        let all_pairs = (nodes * order * nodes) as u64;
        let (mut reached, mut sum, mut quiet, mut time) = (nodes as u64, 0u64, 0, 0);
        let demand: u64 = self.shape.planes.iter().map(|plane| plane.weight * plane.total).sum();
        let weighted = !self.shape.planes.is_empty();
        let mut served = 0u64;
        while reached < all_pairs {
            sum += if weighted { demand - served } else { all_pairs - reached };
            if sum > limit {
                return sum;
            }
            time += 1;
            let mut current = std::mem::take(&mut self.levels[time % keep]);
            let before = &self.levels[(time - 1) % keep];
            let mut count = 0u64;
            served = 0;
            for node in 0..nodes {
                let (out, twin) = current[node * row..][..row].split_at_mut(half_row);
                out.copy_from_slice(&before[node * row..][..half_row]);
                for &neighbor in &self.shape.mesh[node] {
                    or(out, &before[neighbor * row..][..half_row]);
                }
                for &RowRead { row: source_row, shift, length } in &self.fibers[node] {
                    if time < length {
                        continue;
                    }
                    // With length 1 the level before is read, because the slot of the current level is
                    // empty.
                    let past = if length == 1 { before } else { &self.levels[(time - length) % keep] };
                    match self.gather.get(shift) {
                        None => or(out, &past[source_row * row + shift * words..][..half_row]),
                        Some(from) => {
                            let past = &past[source_row * row..][..half_row];
                            for (out, &from) in out.chunks_exact_mut(words).zip(from) {
                                or(out, &past[from as usize * words..][..words]);
                            }
                        }
                    }
                }
                count += out.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
                for plane in &self.shape.planes {
                    let mask = &plane.mask[node * half_row..][..half_row];
                    served += plane.weight
                        * out
                            .iter()
                            .zip(mask)
                            .map(|(bits, mask)| u64::from((bits & mask).count_ones()))
                            .sum::<u64>();
                }
                twin.copy_from_slice(out);
            }
            self.levels[time % keep] = current;
            quiet = if count == reached { quiet + 1 } else { 0 };
            if quiet >= keep {
                return sum + (all_pairs - reached) * 1000;
            }
            reached = count;
        }
        sum
    }

    /// Lists for every canonical node the rows that it reads through its fibers.
    fn connect(&mut self, wiring: &[Vec<WiringSlot>], lengths: FiberLengths, dark: Option<usize>) {
        self.fibers.iter_mut().for_each(Vec::clear);
        for (ocs, slots) in wiring.iter().enumerate().filter(|(ocs, _)| dark != Some(*ocs)) {
            let face_ends = &self.shape.switches[ocs].ends;
            for &slot in slots {
                let Some([a, b]) = self.shape.joined(ocs, slot) else { continue };
                let length = lengths.length(self.shape, ocs, slot);
                self.fibers[face_ends[a].node].push(RowRead {
                    row: face_ends[b].node,
                    shift: slot.shift,
                    length,
                });
                if a != b {
                    self.fibers[face_ends[b].node].push(RowRead {
                        row: face_ends[a].node,
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
