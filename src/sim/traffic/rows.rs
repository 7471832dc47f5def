//! Destinations that are drawn: every row has parts, ranges of endpoints that are alike, and weights.

use super::super::layout::NONE;
use fabc_base::random::{again, one_of};

/// A range of endpoints that a source sends to, all alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Part {
    pub(in super::super) first: u32,
    pub(in super::super) count: u32,
    /// Of the whole range.
    pub(in super::super) weight: u64,
}

/// What every endpoint sends where.
#[derive(Default)]
pub(in super::super) struct Rows {
    /// `[endpoint]`: its row; [`NONE`] of one that sends nothing.
    row: Vec<u32>,
    /// `[row]`: its first part; one more at the end.
    starts: Vec<u32>,
    parts: Vec<Part>,
    slots: Vec<Slot>,
    /// `[row]`: the sum of its weights.
    totals: Vec<u64>,
    /// `[row]`: what an endpoint of the row offers, in parts of `most`.
    shares: Vec<u64>,
    most: u64,
}

/// How a part is drawn (Walker, 1977): one of the slots, all alike; below `cut` of the sum of all weights it
/// is the part of the same number, or else another one.
#[derive(Clone, Copy)]
struct Slot {
    cut: u64,
    other: u32,
}

impl Rows {
    /// Of endpoints that have no rows yet.
    pub(super) fn new(endpoints: u32) -> Self {
        Self { row: vec![NONE; endpoints as usize], starts: vec![0], most: 1, ..Self::default() }
    }

    /// Gives endpoints a row of their own; where no part has weight, they send nothing. `share` is what each
    /// of them offers, compared with the others.
    pub(super) fn add(
        &mut self,
        endpoints: std::ops::Range<u32>,
        parts: impl IntoIterator<Item = Part>,
        share: u64,
    ) {
        let first = self.parts.len();
        self.parts.extend(parts.into_iter().filter(|part| part.weight > 0 && part.count > 0));
        let total: u64 = self.parts[first..].iter().map(|part| part.weight).sum();
        if total == 0 || share == 0 {
            self.parts.truncate(first);
            return;
        }
        self.row[endpoints.start as usize..endpoints.end as usize].fill(self.totals.len() as u32);
        self.slots.extend(slots(&self.parts[first..], total));
        self.starts.push(self.parts.len() as u32);
        self.totals.push(total);
        self.shares.push(share);
        self.most = self.most.max(share);
    }

    /// Whether no endpoint sends.
    pub(super) fn is_empty(&self) -> bool {
        self.row.iter().all(|row| *row == NONE)
    }

    /// Whether an endpoint sends at all.
    pub(super) fn sends(&self, source: u32) -> bool {
        self.row[source as usize] != NONE
    }

    /// The parts of an endpoint that sends, and the sum of their weights.
    pub(super) fn of(&self, source: u32) -> (&[Part], u64) {
        let row = self.row[source as usize] as usize;
        (&self.parts[self.starts[row] as usize..self.starts[row + 1] as usize], self.totals[row])
    }

    /// What an endpoint that sends offers, in parts of the second number, that of the largest ones.
    pub(super) fn share(&self, source: u32) -> [u64; 2] {
        [self.shares[self.row[source as usize] as usize], self.most]
    }

    /// Where an endpoint that sends sends a packet, by a random number.
    pub(super) fn draw(&self, source: u32, random: u64) -> u32 {
        let row = self.row[source as usize] as usize;
        let (first, last) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        let slot = one_of(random, (last - first) as u64) as usize;
        let second = again(random);
        let own = one_of(second, self.totals[row]) < self.slots[first + slot].cut;
        let part = self.parts[first + if own { slot } else { self.slots[first + slot].other as usize }];
        part.first + one_of(again(second), part.count.into()) as u32
    }
}

/// Every slot has the weight of all parts over their number: light parts fill theirs up with a piece of a
/// heavy one.
fn slots(parts: &[Part], total: u64) -> Vec<Slot> {
    let count = parts.len() as u128;
    // Times the number of parts, so that a slot holds `total`.
    let mut left: Vec<u128> = parts.iter().map(|part| u128::from(part.weight) * count).collect();
    let mut slots: Vec<Slot> = (0..parts.len() as u32).map(|own| Slot { cut: total, other: own }).collect();
    let (mut light, mut heavy): (Vec<usize>, Vec<usize>) =
        (0..parts.len()).partition(|&at| left[at] < u128::from(total));
    while let (Some(&small), Some(&large)) = (light.last(), heavy.last()) {
        light.pop();
        slots[small] = Slot { cut: left[small] as u64, other: large as u32 };
        left[large] -= u128::from(total) - left[small];
        if left[large] < u128::from(total) {
            heavy.pop();
            light.push(large);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_drawn_by_their_weights() {
        let weights = [1u64, 2, 3, 10, 0, 4];
        let mut rows = Rows::new(2);
        let parts = weights.iter().zip(0..).map(|(&weight, at)| Part { first: at * 10, count: 5, weight });
        rows.add(0..1, parts, 1);
        assert!(rows.sends(0) && !rows.sends(1));
        let (mut drawn, mut places) = ([0u32; 6], [0u32; 5]);
        let mut random = 1;
        for _ in 0..200_000 {
            random = again(random);
            let to = rows.draw(0, random);
            drawn[to as usize / 10] += 1;
            places[to as usize % 10] += 1;
        }
        for (&weight, drawn) in weights.iter().zip(drawn) {
            let expected = 10_000.0 * weight as f64;
            assert!(
                (f64::from(drawn) - expected).abs() <= 5.0 * libm::sqrt(expected),
                "{drawn}, expected {expected}"
            );
        }
        assert!(places.iter().all(|&drawn| drawn.abs_diff(40_000) < 1000), "{places:?}");
    }
}
