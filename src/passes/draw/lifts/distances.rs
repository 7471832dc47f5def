//! The distances of a lift, from one router of every orbit.
//!
//! Every router has a set with one bit per vertex of the base graph: bit i says that router (i, identity) is
//! near. From level to level, a router takes the sets of its neighbors in. A row holds the sets of the
//! routers (j, (a, e)) for all a. The neighbors of a row over one dart are another row, shifted by a
//! rotation. Rows are stored twice over, so that a shifted row is a slice.

use super::base::{BaseGraph, DartTarget};
use super::group::{Element, Group};

/// The distances of a connected lift.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LiftDistances {
    /// The largest distance of a pair.
    pub(super) diameter: u32,
    /// The sum of the distances from one router of every orbit to all routers.
    pub(super) sum: u64,
}

/// What a search aims at besides short distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// The diameter that no pair should exceed.
    pub(super) diameter: u32,
    /// What a pair farther apart costs beside its distance.
    pub(super) beyond: u64,
}

/// What a lift costs in the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiftCost {
    /// The sum of distances, and more for pairs beyond the diameter that is aimed at.
    pub(super) cost: u64,
    pub(super) distances: LiftDistances,
}

/// Memory for the distances of lifts of one size.
pub(super) struct DistanceRows {
    /// Number of bytes of a set.
    width: usize,
    /// Bytes of a row, stored once.
    row: usize,
    near: Vec<u8>,
    next: Vec<u8>,
}

/// Number of bytes of a set of so many bits.
fn bytes_of_set(bits: usize) -> usize {
    if bits > 32 { bits.div_ceil(64) * 8 } else { bits.div_ceil(8).next_power_of_two() }
}

impl DistanceRows {
    pub(super) fn new(graph: &BaseGraph) -> Self {
        let width = bytes_of_set(graph.vertices());
        let row = graph.group.t as usize * width;
        let bytes = graph.vertices() * graph.group.k as usize * 2 * row;
        Self { width, row, near: vec![0; bytes], next: vec![0; bytes] }
    }

    /// Steps of work of an evaluation of a lift of this diameter: rows times darts, in words of 8 bytes and
    /// some steps per slice.
    pub(super) fn work(vertices: u64, degree: u32, group: &Group, diameter: u32) -> u64 {
        let words = u64::from(group.t) * bytes_of_set(vertices as usize) as u64 / 8 + 4;
        let slices = vertices * u64::from(group.k) * (u64::from(degree) + 2);
        words * slices * u64::from(diameter.max(2))
    }

    /// The cost of a lift. `None` as soon as it is above `limit`, and for a lift that is not connected.
    pub(super) fn cost(&mut self, graph: &BaseGraph, aim: Aim, limit: f64) -> Option<LiftCost> {
        let vertices = graph.vertices() as u64;
        let all = vertices * vertices * u64::from(graph.group.order());
        self.start(graph);
        let mut far = all - vertices * (graph.degree as u64 + 1);
        let mut sum = all - vertices + far;
        let (mut diameter, mut beyond) = (1, if aim.diameter == 1 { far } else { 0 });
        while far > 0 {
            if (sum + aim.beyond * beyond) as f64 > limit {
                return None;
            }
            diameter += 1;
            let now_far = all - self.advance(graph);
            if now_far == far {
                return None;
            }
            far = now_far;
            sum += far;
            beyond += if diameter == aim.diameter { far } else { 0 };
        }
        let cost = sum + aim.beyond * beyond;
        (cost as f64 <= limit).then_some(LiftCost { cost, distances: LiftDistances { diameter, sum } })
    }

    /// The sets of distance 1.
    fn start(&mut self, graph: &BaseGraph) {
        self.near.fill(0);
        for vertex in 0..graph.vertices() {
            self.set(graph, (vertex, Element::IDENTITY), vertex);
            for dart in vertex * graph.degree..(vertex + 1) * graph.degree {
                self.set(graph, graph.target(dart), vertex);
            }
        }
    }

    /// Notes that a router is near to the one of vertex `source`.
    fn set(&mut self, graph: &BaseGraph, router: DartTarget, source: usize) {
        let (vertex, element) = router;
        let place = (vertex * graph.group.k as usize + element.e as usize) * 2 * self.row;
        let byte = place + element.a as usize * self.width + source / 8;
        for byte in [byte, byte + self.row] {
            self.near[byte] |= 1 << (source % 8);
        }
    }

    /// Takes the sets of all neighbors in. Returns the number of pairs that are near now.
    fn advance(&mut self, graph: &BaseGraph) -> u64 {
        let (row, group) = (self.row, &graph.group);
        let mut count = 0;
        for vertex in 0..graph.vertices() {
            for e in 0..group.k {
                let place = (vertex * group.k as usize + e as usize) * 2 * row;
                let (sets, copy) = self.next[place..place + 2 * row].split_at_mut(row);
                sets.copy_from_slice(&self.near[place..place + row]);
                for dart in vertex * graph.degree..(vertex + 1) * graph.degree {
                    let (neighbor, voltage) = graph.target(dart);
                    let line = neighbor * group.k as usize + ((e + voltage.e) % group.k) as usize;
                    let from = line * 2 * row + group.twisted(e, voltage.a) as usize * self.width;
                    for (set, near) in sets.iter_mut().zip(&self.near[from..from + row]) {
                        *set |= near;
                    }
                }
                let (words, rest) = sets.as_chunks::<8>();
                count +=
                    words.iter().map(|&word| u64::from(u64::from_ne_bytes(word).count_ones())).sum::<u64>();
                count += rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
                copy.copy_from_slice(sets);
            }
        }
        std::mem::swap(&mut self.near, &mut self.next);
        count
    }
}
