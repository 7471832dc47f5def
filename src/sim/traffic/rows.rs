//! Destinations that are drawn at random. Every row has parts, which are ranges of equal endpoints with
//! weights.

use super::super::layout::NONE;
use fabc_base::random::{next_bits, pick};

/// A range of endpoints to which a source sends, with equal chances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct DestinationPart {
    pub(in super::super) first: u32,
    pub(in super::super) count: u32,
    /// The weight of the whole range.
    pub(in super::super) weight: u64,
}

/// The destinations of every endpoint.
#[derive(Default)]
pub(in super::super) struct DestinationRows {
    /// `[endpoint]`: its row, or [`NONE`] for an endpoint that sends nothing.
    row: Vec<u32>,
    /// `[row]`: its first part. One more entry holds the end.
    starts: Vec<u32>,
    parts: Vec<DestinationPart>,
    slots: Vec<DrawSlot>,
    /// `[row]`: the sum of its weights.
    totals: Vec<u64>,
    /// `[row]`: the offer of an endpoint of the row, compared with `most`.
    shares: Vec<u64>,
    most: u64,
}

/// A slot for drawing a part (Walker, 1977). All slots have equal chances. Below `cut`, of the sum of all
/// weights, the slot stands for the part with its number, otherwise for another one.
#[derive(Clone, Copy)]
struct DrawSlot {
    cut: u64,
    other: u32,
}

impl DestinationRows {
    /// Rows for endpoints that send nothing yet.
    pub(super) fn new(endpoints: u32) -> Self {
        Self { row: vec![NONE; endpoints as usize], starts: vec![0], most: 1, ..Self::default() }
    }

    /// Gives endpoints a row of their own. They send nothing if no part has weight. `share` is the offer of
    /// each of them, compared with the others.
    pub(super) fn add(
        &mut self,
        endpoints: std::ops::Range<u32>,
        parts: impl IntoIterator<Item = DestinationPart>,
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

    /// Whether no endpoint sends anything.
    pub(super) fn is_empty(&self) -> bool {
        self.row.iter().all(|row| *row == NONE)
    }

    /// Whether an endpoint sends at all.
    pub(super) fn sends(&self, source: u32) -> bool {
        self.row[source as usize] != NONE
    }

    /// The parts of an endpoint that sends, and the sum of their weights.
    pub(super) fn parts_of(&self, source: u32) -> (&[DestinationPart], u64) {
        let row = self.row[source as usize] as usize;
        (&self.parts[self.starts[row] as usize..self.starts[row + 1] as usize], self.totals[row])
    }

    /// The offer of an endpoint that sends, and the largest offer of any endpoint.
    pub(super) fn share(&self, source: u32) -> [u64; 2] {
        [self.shares[self.row[source as usize] as usize], self.most]
    }

    /// The destination of a packet of an endpoint that sends, by a random number.
    pub(super) fn draw(&self, source: u32, random: u64) -> u32 {
        let row = self.row[source as usize] as usize;
        let (first, last) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        let slot = pick(random, (last - first) as u64) as usize;
        let second = next_bits(random);
        let is_first = pick(second, self.totals[row]) < self.slots[first + slot].cut;
        let part = self.parts[first + if is_first { slot } else { self.slots[first + slot].other as usize }];
        part.first + pick(next_bits(second), part.count.into()) as u32
    }
}

/// Every slot has the weight of all parts over their number. A light part fills its slot up with a piece of a
/// heavy one.
fn slots(parts: &[DestinationPart], total: u64) -> Vec<DrawSlot> {
    let count = parts.len() as u128;
    // Weights times the number of parts, so that a slot holds `total`.
    let mut remaining: Vec<u128> = parts.iter().map(|part| u128::from(part.weight) * count).collect();
    let mut slots: Vec<DrawSlot> =
        (0..parts.len() as u32).map(|index| DrawSlot { cut: total, other: index }).collect();
    let (mut light, mut heavy): (Vec<usize>, Vec<usize>) =
        (0..parts.len()).partition(|&index| remaining[index] < u128::from(total));
    while let (Some(&small), Some(&large)) = (light.last(), heavy.last()) {
        light.pop();
        slots[small] = DrawSlot { cut: remaining[small] as u64, other: large as u32 };
        remaining[large] -= u128::from(total) - remaining[small];
        if remaining[large] < u128::from(total) {
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
        let mut rows = DestinationRows::new(2);
        let parts =
            weights.iter().zip(0..).map(|(&weight, at)| DestinationPart { first: at * 10, count: 5, weight });
        rows.add(0..1, parts, 1);
        assert!(rows.sends(0) && !rows.sends(1));
        let (mut drawn, mut places) = ([0u32; 6], [0u32; 5]);
        let mut random = 1;
        for _ in 0..200_000 {
            random = next_bits(random);
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
