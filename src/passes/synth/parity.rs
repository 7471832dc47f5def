//! Distance sums where every path between two chips has the same parity: half the bits, half the work.
//!
//! In: the fibers of a wiring, as rows that are read; one cyclic group, at most 32 sources of each parity,
//! one length for all fibers. Out: the same sum as the plain search of `evaluate.rs`.
//!
//! The copper of a cube is bipartite: color a chip by x + y + z. Where every fiber that the switches allow
//! joins chips of different colors if its length is odd, and of the same color if it is even, the length of
//! any path has the parity of the colors of its ends. Level r of the search can then reach chip q newly only
//! from sources of color(q) + r, so that 32 bits a chip stand for 64 sources:
//!
//! now(r)\[q\] = now(r - 2)\[q\] | copper neighbors in now(r - 1) | fiber neighbors in now(r - length).
//!
//! With u(r) pairs of parity r not reached at level r, the sum is (pairs of odd parity) + 2 (u(0) + u(1) +
//! ..). Levels below 2 length know at most one fiber: they are written from lists, and whole rows start
//! there. In an antipodal wiring (`antipodal.rs`) the sources of odd color repeat those of even color, so
//! that only the rows with color(q) = r are needed, and the sum doubles. Cost of an evaluation on one core:
//! see docs/benchmarks.md.

mod count;

use super::shape::{Shape, Switch};
use count::{Chunk, Count, LANES};
use fabc_model::CoupleRule;
use std::collections::VecDeque;

/// Bits of one [`Chunk`] lane, and sources of one color, at most.
const SOURCES: u32 = u32::BITS;
/// Rows that are joined into one: the row itself and the neighbors at six ports.
const ROWS: usize = 7;
/// Below this order rows are mostly padding.
const LEAST_ORDER: usize = 8;

/// A way from a row into another: the row that is read, the shift it is read with, the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub(super) row: usize,
    pub(super) shift: usize,
    pub(super) length: usize,
}

/// Which sources are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sources {
    /// All.
    All,
    /// Those of even color, which stand for the others.
    Even,
}

/// Reusable state of the search for one [`Shape`] and one length of fibers.
#[derive(Clone, Debug)]
pub(super) struct Parity {
    order: usize,
    length: usize,
    /// Elements of a row that are computed: `order`, rounded up to whole chunks. A row repeats itself with
    /// period `order`, so that a rotation is one contiguous read.
    width: usize,
    /// Elements that a row holds.
    row: usize,
    /// `[canonical node]`.
    odd: Vec<bool>,
    mesh: Vec<Vec<usize>>,
    /// `[canonical node]`: nodes nearer by copper than the length of a fiber, nearest first, with distance.
    near: Vec<Vec<(usize, usize)>>,
    /// `[canonical node][distance][color]`: the sources of a color within a copper distance.
    ball: Vec<Vec<[u32; 2]>>,
    /// The last levels that are written from lists.
    early: Vec<Level>,
    /// The last full levels.
    late: Vec<Vec<u32>>,
}

/// A level that is written from lists; what was written is taken back before the next evaluation.
#[derive(Clone, Debug)]
struct Level {
    rows: Vec<u32>,
    written: Vec<usize>,
}

impl Parity {
    /// `None` where a shape does not fit: several factors of the group, too many sources, a demand, or fibers
    /// that may join chips whose colors do not fit the length.
    pub(super) fn new(shape: &Shape, length: usize) -> Option<Self> {
        let order = shape.order;
        if shape.group.factors.len() > 1 || !shape.planes.is_empty() || order < LEAST_ORDER {
            return None;
        }
        let odd = colors(&shape.mesh);
        let of_color = |color: bool| odd.iter().filter(|&&odd| odd == color).count() as u32;
        if of_color(false).max(of_color(true)) > SOURCES
            || !shape.switches.iter().all(|switch| fits(switch, &odd, length))
        {
            return None;
        }
        let copper: Vec<Vec<usize>> = (0..shape.nodes).map(|node| distances(&shape.mesh, node)).collect();
        let near = |node: usize| {
            let mut near: Vec<(usize, usize)> =
                copper[node].iter().copied().enumerate().filter(|&(_, far)| far < length).collect();
            near.sort_by_key(|&(other, far)| (far, other));
            near
        };
        let bit: Vec<usize> =
            (0..odd.len()).map(|node| (0..node).filter(|&before| odd[before] == odd[node]).count()).collect();
        let ball = |node: usize, within: usize| {
            let mut masks = [0; 2];
            (0..shape.nodes)
                .filter(|&other| copper[node][other] <= within)
                .for_each(|other| masks[usize::from(odd[other])] |= 1 << bit[other]);
            masks
        };
        let width = order.next_multiple_of(LANES);
        let row = order + width;
        let kept = length.max(2);
        Some(Self {
            order,
            length,
            width,
            row,
            near: (0..shape.nodes).map(near).collect(),
            ball: (0..shape.nodes)
                .map(|node| (0..2 * length).map(|within| ball(node, within)).collect())
                .collect(),
            mesh: shape.mesh.clone(),
            early: vec![Level { rows: vec![0; shape.nodes * row], written: Vec::new() }; kept],
            late: vec![vec![0; shape.nodes * row]; kept + 1],
            odd,
        })
    }

    /// Sum of distances from the canonical nodes to all nodes; stops and returns a value above `limit` as
    /// soon as the sum exceeds it. `None` where some node cannot be reached.
    pub(super) fn distance_sum(
        &mut self,
        fibers: &[Vec<Reach>],
        sources: Sources,
        limit: u64,
    ) -> Option<u64> {
        let ones = self.odd.iter().filter(|&&odd| odd).count() as u64;
        let zeros = self.odd.len() as u64 - ones;
        let (pairs, times) = match sources {
            Sources::All => ([zeros * zeros + ones * ones, 2 * zeros * ones], 1),
            Sources::Even => ([zeros * zeros, zeros * ones], 2),
        };
        let pairs = pairs.map(|pairs| pairs * self.order as u64);
        let mut sum = pairs[1];
        self.early.iter_mut().for_each(Level::clear);
        for time in 0..2 * self.length {
            sum += 2 * (pairs[time % 2] - self.write(fibers, sources, time));
        }
        // `left[r % 2]`: pairs that level r did not reach. Where it reached all, copper reaches all others in
        // one step, if every chip has a copper neighbor.
        let mut left = [u64::MAX; 2];
        let alone = self.mesh.iter().any(Vec::is_empty);
        let (mut time, mut quiet) = (2 * self.length, 0);
        while left[(time + 1) % 2] > 0 || (alone && left[time % 2] > 0) {
            let missing = pairs[time % 2] - self.advance(fibers, sources, time);
            quiet = if missing == left[time % 2] { quiet + 1 } else { 0 };
            // A level depends on the last ones only: where they brought nothing, none will.
            if quiet > self.late.len() && missing > 0 {
                return None;
            }
            left[time % 2] = missing;
            sum += 2 * missing;
            if sum * times > limit {
                return Some(sum * times);
            }
            time += 1;
        }
        Some(sum * times)
    }

    /// The color of the sources that a row holds at a level.
    fn color(&self, node: usize, time: usize) -> usize {
        usize::from(self.odd[node]) ^ (time % 2)
    }

    /// Pairs that are reached at a level with at most one fiber; writes the level if later ones read it.
    fn write(&mut self, fibers: &[Vec<Reach>], sources: Sources, time: usize) -> u64 {
        let counts = |color: usize| sources == Sources::All || color == 0;
        let own = |node: usize| {
            let color = self.color(node, time);
            if counts(color) { self.ball[node][time][color] } else { 0 }
        };
        let own: Vec<u32> = (0..self.odd.len()).map(own).collect();
        let mut reached = own.iter().map(|own| u64::from(own.count_ones())).sum();
        let Some(at) = (time + self.early.len()).checked_sub(2 * self.length) else { return reached };
        let mut level =
            std::mem::replace(&mut self.early[at], Level { rows: Vec::new(), written: Vec::new() });
        for (node, own) in own.into_iter().enumerate() {
            level.put(node * self.row..(node + 1) * self.row, 0, self.order, own);
        }
        if let Some(left) = time.checked_sub(self.length) {
            for (entry, fibers) in fibers.iter().enumerate() {
                for &Reach { row: exit, shift, .. } in fibers {
                    let element = (self.order - shift) % self.order;
                    for &(node, far) in self.near[entry].iter().take_while(|&&(_, far)| far <= left) {
                        let color = self.color(node, time);
                        if counts(color) {
                            let mask = self.ball[exit][left - far][color];
                            reached +=
                                level.put(node * self.row..(node + 1) * self.row, element, self.order, mask);
                        }
                    }
                }
            }
        }
        self.early[at] = level;
        reached
    }

    /// Computes a full level, and counts the pairs that are reached there.
    fn advance(&mut self, fibers: &[Vec<Reach>], sources: Sources, time: usize) -> u64 {
        let (first, slots) = (2 * self.length, self.late.len());
        let mut now = std::mem::take(&mut self.late[time % slots]);
        let past = |ago: usize| match (time - ago).checked_sub(first) {
            None => &self.early[time - ago + self.early.len() - first].rows,
            Some(_) => &self.late[(time - ago) % slots],
        };
        let (own, copper, fiber) = (past(2), past(1), past(self.length));
        let mut count = Count::default();
        for (node, fibers) in fibers.iter().enumerate() {
            if sources == Sources::Even && self.color(node, time) != 0 {
                continue;
            }
            fn chunks(level: &[u32], from: usize, width: usize) -> &[Chunk] {
                level[from..][..width].as_chunks().0
            }
            let mut rows = [chunks(own, node * self.row, self.width); ROWS];
            let copper = self.mesh[node].iter().map(|&other| chunks(copper, other * self.row, self.width));
            let fiber = fibers
                .iter()
                .map(|&Reach { row, shift, .. }| chunks(fiber, row * self.row + shift, self.width));
            let mut used = 1;
            for row in copper.chain(fiber) {
                rows[used] = row;
                used += 1;
            }
            let at = node * self.row;
            let out = now[at..][..self.width].as_chunks_mut().0;
            match used {
                1 => join::<1>(out, &rows, self.order, &mut count),
                2 => join::<2>(out, &rows, self.order, &mut count),
                3 => join::<3>(out, &rows, self.order, &mut count),
                4 => join::<4>(out, &rows, self.order, &mut count),
                5 => join::<5>(out, &rows, self.order, &mut count),
                6 => join::<6>(out, &rows, self.order, &mut count),
                _ => join::<ROWS>(out, &rows, self.order, &mut count),
            }
            now.copy_within(at..at + self.width, at + self.order);
        }
        self.late[time % slots] = now;
        count.total()
    }
}

impl Level {
    fn clear(&mut self) {
        self.written.drain(..).for_each(|at| self.rows[at] = 0);
    }

    /// Adds sources at one element of a row, wherever the row repeats it; how many are new.
    fn put(&mut self, row: std::ops::Range<usize>, element: usize, order: usize, mask: u32) -> u64 {
        let new = mask & !self.rows[row.start + element];
        if new != 0 {
            for at in (row.start + element..row.end).step_by(order) {
                self.rows[at] |= new;
                self.written.push(at);
            }
        }
        u64::from(new.count_ones())
    }
}

/// The union of the first `K` rows, and its bits in the first `order` elements: beyond, a row repeats itself.
/// Kept apart and written with plain loops, which compilers turn into vector instructions.
#[inline(never)]
fn join<const K: usize>(out: &mut [Chunk], rows: &[&[Chunk]; ROWS], order: usize, count: &mut Count) {
    let rows: [&[Chunk]; K] = std::array::from_fn(|row| &rows[row][..out.len()]);
    let (whole, rest) = (order / LANES, order % LANES);
    for at in 0..out.len() {
        let mut union = rows[0][at];
        for row in &rows[1..] {
            for lane in 0..LANES {
                union[lane] |= row[at][lane];
            }
        }
        out[at] = union;
        if at >= whole {
            union[rest..].fill(0);
        }
        count.add(&union);
    }
}

/// Whether whatever a switch may join has colors that fit the length.
fn fits(switch: &Switch, odd: &[bool], length: usize) -> bool {
    let fit = |a: usize, b: usize| (odd[a] != odd[b]) == (length % 2 == 1);
    let (a, b) = switch.ends.split_at(switch.a_count);
    match switch.rule {
        CoupleRule::Sided => a.iter().all(|a| b.iter().all(|b| fit(a.node, b.node))),
        CoupleRule::Any => switch.ends.iter().all(|a| switch.ends.iter().all(|b| fit(a.node, b.node))),
    }
}

/// Copper distances from a node; `usize::MAX` in other cubes.
fn distances(mesh: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut distance = vec![usize::MAX; mesh.len()];
    distance[from] = 0;
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        for &other in &mesh[node] {
            if distance[other] == usize::MAX {
                distance[other] = distance[node] + 1;
                open.push_back(other);
            }
        }
    }
    distance
}

/// `[canonical node]`: the color that differs between copper neighbors; false at the first node of a cube.
fn colors(mesh: &[Vec<usize>]) -> Vec<bool> {
    let mut odd = vec![None; mesh.len()];
    for first in 0..mesh.len() {
        if odd[first].is_none() {
            for (node, far) in
                distances(mesh, first).into_iter().enumerate().filter(|&(_, far)| far != usize::MAX)
            {
                odd[node] = Some(far % 2 == 1);
            }
        }
    }
    odd.into_iter().map(|odd| odd.expect("every node was reached from the first of its cube")).collect()
}

#[cfg(test)]
pub(super) mod tests;
