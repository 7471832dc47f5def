//! Distance sums if every path between two chips has the same parity: half the bits, half the work.
//!
//! Input: the fibers of a wiring, as rows that are read. The group is cyclic, with at most 32 sources of
//! each parity, and all fibers have the same length. Output: the same sum as the plain search of
//! `evaluate.rs`.
//!
//! The copper of a cube is bipartite: color a chip by x + y + z. Suppose that every fiber that the switches
//! allow joins chips of different colors if its length is odd, and of the same color if it is even. Then
//! the length of any path has the parity of the colors of its ends. Level r of the search can reach chip q
//! newly only from sources of color(q) + r, so that 32 bits a chip stand for 64 sources:
//!
//! now(r)\[q\] = now(r - 2)\[q\] | copper neighbors in now(r - 1) | fiber neighbors in now(r - length).
//!
//! With u(r) pairs of parity r not reached at level r, the sum is (pairs of odd parity) + 2 (u(0) + u(1) +
//! ..). Levels below 2 length know at most one fiber. They are written from lists, and whole rows start
//! there. In an antipodal wiring (`antipodal.rs`) the sources of odd color repeat those of even color. So
//! only the rows with color(q) = r are needed, and the sum doubles. What that saves of a plain search: see
//! docs/benchmarks.md.

mod count;

use super::shape::{PodShape, Switch};
use count::{BitCounter, Chunk, LANES};
use fabc_model::CoupleRule;
use std::collections::VecDeque;

/// The bits of one [`Chunk`] lane, which are the most sources of one color.
const SOURCES: u32 = u32::BITS;
/// The most rows that are joined into one: the row itself and the neighbors at six ports.
const ROWS: usize = 7;
/// The least order. Below it rows are mostly padding.
const LEAST_ORDER: usize = 8;

/// A fiber from another row into a row: the row to read, the shift to read it with, the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowRead {
    pub(super) row: usize,
    pub(super) shift: usize,
    pub(super) length: usize,
}

/// The sources of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sources {
    /// The sources of both colors.
    All,
    /// The sources of even color, which stand for the others.
    Even,
}

/// The reusable state of the search for one [`PodShape`] and one length of fibers.
#[derive(Clone, Debug)]
pub(super) struct ParitySearch {
    order: usize,
    length: usize,
    /// The elements of a row that are computed: `order`, rounded up to whole chunks. A row repeats itself
    /// with period `order`, so that a rotation is one contiguous read.
    width: usize,
    /// The number of elements that a row holds.
    row: usize,
    /// `[canonical node]`: whether its color is odd.
    odd: Vec<bool>,
    mesh: Vec<Vec<usize>>,
    /// `[canonical node]`: the nodes nearer by copper than the length of a fiber, nearest first, with
    /// distance.
    near: Vec<Vec<(usize, usize)>>,
    /// `[canonical node][distance][color]`: the sources of a color within a copper distance.
    ball: Vec<Vec<[u32; 2]>>,
    /// The last levels that are written from lists.
    early: Vec<ListedLevel>,
    /// The last levels that are full.
    late: Vec<Vec<u32>>,
}

/// A level that is written from lists. Its entries are cleared before the next evaluation.
#[derive(Clone, Debug)]
struct ListedLevel {
    rows: Vec<u32>,
    written: Vec<usize>,
}

impl ParitySearch {
    /// The state for a shape, or `None` if the shape does not fit. That is so for several factors of the
    /// group, too many sources, a demand, or fibers that may join chips whose colors do not fit the length.
    pub(super) fn new(shape: &PodShape, length: usize) -> Option<Self> {
        let order = shape.order;
        if shape.group.factors.len() > 1 || !shape.planes.is_empty() || order < LEAST_ORDER {
            return None;
        }
        let odd = colors(&shape.mesh);
        let count_of_color = |color: bool| odd.iter().filter(|&&odd| odd == color).count() as u32;
        if count_of_color(false).max(count_of_color(true)) > SOURCES
            || !shape.switches.iter().all(|switch| fits_colors(switch, &odd, length))
        {
            return None;
        }
        let copper: Vec<Vec<usize>> = (0..shape.nodes).map(|node| distances(&shape.mesh, node)).collect();
        let near = |node: usize| {
            let mut near: Vec<(usize, usize)> =
                copper[node].iter().copied().enumerate().filter(|&(_, far)| far < length).collect();
            near.sort_by_key(|&(chip, far)| (far, chip));
            near
        };
        let bit: Vec<usize> =
            (0..odd.len()).map(|node| (0..node).filter(|&before| odd[before] == odd[node]).count()).collect();
        let ball = |node: usize, within: usize| {
            let mut masks = [0; 2];
            (0..shape.nodes)
                .filter(|&chip| copper[node][chip] <= within)
                .for_each(|chip| masks[usize::from(odd[chip])] |= 1 << bit[chip]);
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
            early: vec![ListedLevel { rows: vec![0; shape.nodes * row], written: Vec::new() }; kept],
            late: vec![vec![0; shape.nodes * row]; kept + 1],
            odd,
        })
    }

    /// The sum of distances from the canonical nodes to all nodes. Stops and returns a value above `limit`
    /// as soon as the sum exceeds it. `None` if some node is unreachable.
    pub(super) fn distance_sum(
        &mut self,
        fibers: &[Vec<RowRead>],
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
        self.early.iter_mut().for_each(ListedLevel::clear);
        for time in 0..2 * self.length {
            sum += 2 * (pairs[time % 2] - self.write(fibers, sources, time));
        }
        // `unreached[r % 2]`: the pairs that level r did not reach. If it reached all, copper reaches all
        // others in one step, provided that every chip has a copper neighbor.
        let mut unreached = [u64::MAX; 2];
        let alone = self.mesh.iter().any(Vec::is_empty);
        let (mut time, mut quiet) = (2 * self.length, 0);
        while unreached[(time + 1) % 2] > 0 || (alone && unreached[time % 2] > 0) {
            let missing = pairs[time % 2] - self.advance(fibers, sources, time);
            quiet = if missing == unreached[time % 2] { quiet + 1 } else { 0 };
            // A level depends on the last ones only. If they brought nothing, none will.
            if quiet > self.late.len() && missing > 0 {
                return None;
            }
            unreached[time % 2] = missing;
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

    /// Returns the pairs that are reached at a level with at most one fiber. Writes the level if later ones
    /// read it.
    fn write(&mut self, fibers: &[Vec<RowRead>], sources: Sources, time: usize) -> u64 {
        let counts = |color: usize| sources == Sources::All || color == 0;
        let direct = |node: usize| {
            let color = self.color(node, time);
            if counts(color) { self.ball[node][time][color] } else { 0 }
        };
        let direct: Vec<u32> = (0..self.odd.len()).map(direct).collect();
        let mut reached = direct.iter().map(|direct| u64::from(direct.count_ones())).sum();
        let Some(slot) = (time + self.early.len()).checked_sub(2 * self.length) else { return reached };
        let mut level =
            std::mem::replace(&mut self.early[slot], ListedLevel { rows: Vec::new(), written: Vec::new() });
        for (node, direct) in direct.into_iter().enumerate() {
            level.put(node * self.row..(node + 1) * self.row, 0, self.order, direct);
        }
        if let Some(fiber_time) = time.checked_sub(self.length) {
            for (entry, fibers) in fibers.iter().enumerate() {
                for &RowRead { row: exit, shift, .. } in fibers {
                    let element = (self.order - shift) % self.order;
                    for &(node, far) in self.near[entry].iter().take_while(|&&(_, far)| far <= fiber_time) {
                        let color = self.color(node, time);
                        if counts(color) {
                            let mask = self.ball[exit][fiber_time - far][color];
                            reached +=
                                level.put(node * self.row..(node + 1) * self.row, element, self.order, mask);
                        }
                    }
                }
            }
        }
        self.early[slot] = level;
        reached
    }

    /// Computes a full level, and counts the pairs that it reaches.
    fn advance(&mut self, fibers: &[Vec<RowRead>], sources: Sources, time: usize) -> u64 {
        let (first, slots) = (2 * self.length, self.late.len());
        let mut current = std::mem::take(&mut self.late[time % slots]);
        let past = |ago: usize| match (time - ago).checked_sub(first) {
            None => &self.early[time - ago + self.early.len() - first].rows,
            Some(_) => &self.late[(time - ago) % slots],
        };
        let (two_before, copper, fiber) = (past(2), past(1), past(self.length));
        let mut count = BitCounter::default();
        for (node, fibers) in fibers.iter().enumerate() {
            if sources == Sources::Even && self.color(node, time) != 0 {
                continue;
            }
            fn chunks(level: &[u32], from: usize, width: usize) -> &[Chunk] {
                level[from..][..width].as_chunks().0
            }
            let mut rows = [chunks(two_before, node * self.row, self.width); ROWS];
            let copper =
                self.mesh[node].iter().map(|&neighbor| chunks(copper, neighbor * self.row, self.width));
            let fiber = fibers
                .iter()
                .map(|&RowRead { row, shift, .. }| chunks(fiber, row * self.row + shift, self.width));
            let mut used = 1;
            for row in copper.chain(fiber) {
                rows[used] = row;
                used += 1;
            }
            let offset = node * self.row;
            let out = current[offset..][..self.width].as_chunks_mut().0;
            match used {
                1 => join::<1>(out, &rows, self.order, &mut count),
                2 => join::<2>(out, &rows, self.order, &mut count),
                3 => join::<3>(out, &rows, self.order, &mut count),
                4 => join::<4>(out, &rows, self.order, &mut count),
                5 => join::<5>(out, &rows, self.order, &mut count),
                6 => join::<6>(out, &rows, self.order, &mut count),
                _ => join::<ROWS>(out, &rows, self.order, &mut count),
            }
            current.copy_within(offset..offset + self.width, offset + self.order);
        }
        self.late[time % slots] = current;
        count.total()
    }
}

impl ListedLevel {
    fn clear(&mut self) {
        self.written.drain(..).for_each(|at| self.rows[at] = 0);
    }

    /// Adds sources at one element of a row, wherever the row repeats it. Returns how many are new.
    fn put(&mut self, row: std::ops::Range<usize>, element: usize, order: usize, mask: u32) -> u64 {
        let new = mask & !self.rows[row.start + element];
        if new != 0 {
            for index in (row.start + element..row.end).step_by(order) {
                self.rows[index] |= new;
                self.written.push(index);
            }
        }
        u64::from(new.count_ones())
    }
}

/// The union of the first `K` rows, and the count of its bits in the first `order` elements. After those a
/// row repeats itself. The function stays separate and uses plain loops, which compilers turn into vector
/// instructions.
#[inline(never)]
fn join<const K: usize>(out: &mut [Chunk], rows: &[&[Chunk]; ROWS], order: usize, count: &mut BitCounter) {
    let rows: [&[Chunk]; K] = std::array::from_fn(|row| &rows[row][..out.len()]);
    let (whole, rest) = (order / LANES, order % LANES);
    for index in 0..out.len() {
        let mut union = rows[0][index];
        for row in &rows[1..] {
            for lane in 0..LANES {
                union[lane] |= row[index][lane];
            }
        }
        out[index] = union;
        if index >= whole {
            union[rest..].fill(0);
        }
        count.add(&union);
    }
}

/// Whether all ends that a switch may join have colors that fit the length.
fn fits_colors(switch: &Switch, odd: &[bool], length: usize) -> bool {
    let fit = |a: usize, b: usize| (odd[a] != odd[b]) == (length % 2 == 1);
    let (a, b) = switch.ends.split_at(switch.a_count);
    match switch.rule {
        CoupleRule::Sided => a.iter().all(|a| b.iter().all(|b| fit(a.node, b.node))),
        CoupleRule::Any => switch.ends.iter().all(|a| switch.ends.iter().all(|b| fit(a.node, b.node))),
    }
}

/// The copper distances from a node, `usize::MAX` in other cubes.
fn distances(mesh: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut distance = vec![usize::MAX; mesh.len()];
    distance[from] = 0;
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        for &neighbor in &mesh[node] {
            if distance[neighbor] == usize::MAX {
                distance[neighbor] = distance[node] + 1;
                open.push_back(neighbor);
            }
        }
    }
    distance
}

/// `[canonical node]`: the color that differs between copper neighbors, false at the first node of a cube.
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
