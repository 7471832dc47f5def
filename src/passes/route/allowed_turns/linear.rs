//! Turns between symbols, and the weighted linear ordering of the symbols.
//!
//! Input: a [`TurnQuotient`], a weight per turn, and an order. Output: an order in which less weight points
//! backwards. Invariant: the ranks are always a permutation of the symbols.

use super::quotient::{DARK, TurnQuotient};
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

/// Distance between the keys of neighbors after renumbering.
const SPACING: i64 = 1 << 32;

/// The graph of all turns: which symbol can follow which.
pub(super) struct TurnGraph {
    symbols: usize,
    /// Turns per symbol: output ports times VCs of the next router.
    fan: usize,
    /// `[symbol * fan + port * vcs + vc]`: the next symbol, or [`DARK`].
    after: Vec<u32>,
    /// Turns into a symbol: `[offsets[symbol]..offsets[symbol + 1]]`.
    offsets: Vec<u32>,
    into: Vec<u32>,
}

impl TurnGraph {
    /// All turns except those back through the same port.
    pub(super) fn new(quotient: &TurnQuotient) -> Self {
        let (symbols, fan) = (quotient.symbols(), quotient.ports * quotient.vcs);
        let mut after = vec![DARK; symbols * fan];
        for symbol in 0..symbols {
            let channel = quotient.canonical_channel(symbol / quotient.vcs);
            if quotient.head[channel] == DARK {
                continue;
            }
            let node = quotient.head[channel] as usize;
            for code in 0..fan {
                let out = node * quotient.ports + code / quotient.vcs;
                if quotient.head[out] != DARK && code / quotient.vcs != quotient.in_port[channel] as usize {
                    after[symbol * fan + code] =
                        (quotient.channel_class(out) * quotient.vcs + code % quotient.vcs) as u32;
                }
            }
        }
        let mut offsets = vec![0; symbols + 1];
        for &to in after.iter().filter(|&&to| to != DARK) {
            offsets[to as usize + 1] += 1;
        }
        for symbol in 0..symbols {
            offsets[symbol + 1] += offsets[symbol];
        }
        let mut into = vec![0; offsets[symbols] as usize];
        let mut filled = offsets.clone();
        for (turn, &to) in after.iter().enumerate().filter(|&(_, &to)| to != DARK) {
            into[filled[to as usize] as usize] = turn as u32;
            filled[to as usize] += 1;
        }
        Self { symbols, fan, after, offsets, into }
    }

    /// The number of turn slots, `symbols * fan`.
    pub(super) fn turns(&self) -> usize {
        self.after.len()
    }
    /// The symbol that a turn leaves.
    pub(super) fn from(&self, turn: usize) -> usize {
        turn / self.fan
    }
    /// The symbol that a turn leads to, or [`DARK`].
    pub(super) fn to(&self, turn: usize) -> u32 {
        self.after[turn]
    }
    /// The turn from a symbol to an output, given as `port * vcs + vc`.
    pub(super) fn turn(&self, from: usize, code: usize) -> usize {
        from * self.fan + code
    }
    /// The turns from one channel of `within` (by class) to another, in VC 0, that rise under an order.
    pub(super) fn rising_turns_within(
        &self,
        quotient: &TurnQuotient,
        within: &[bool],
        rank: &[u32],
    ) -> Vec<u32> {
        let first = |symbol: usize| symbol.is_multiple_of(quotient.vcs) && within[symbol / quotient.vcs];
        let rises = |&turn: &usize| {
            let (from, to) = (self.from(turn), self.after[turn]);
            to != DARK && first(from) && first(to as usize) && rank[from] < rank[to as usize]
        };
        (0..self.turns()).filter(rises).map(|turn| turn as u32).collect()
    }

    /// Moves every symbol to its best place among its neighbors. Repeats until nothing moves, at most
    /// `sweeps` times.
    pub(super) fn order(&self, weights: &[u64], rank: &mut [u32], sweeps: u32, rng: &mut ChaCha8Rng) {
        let mut keys: Vec<i64> = rank.iter().map(|&rank| i64::from(rank) * SPACING).collect();
        let mut visits: Vec<u32> = (0..self.symbols as u32).collect();
        let mut neighbors: Vec<(i64, i64)> = Vec::new();
        for _ in 0..sweeps {
            shuffle(&mut visits, rng);
            let mut moved = false;
            for &symbol in &visits {
                moved |= self.place(symbol as usize, weights, &mut keys, &mut neighbors);
            }
            renumber(&mut keys);
            if !moved {
                break;
            }
        }
        for (rank, &key) in rank.iter_mut().zip(&keys) {
            *rank = (key / SPACING) as u32;
        }
    }

    /// Moves one symbol to its best place and returns whether it moved. The keys of its neighbors cut the
    /// order into gaps.
    fn place(
        &self,
        symbol: usize,
        weights: &[u64],
        keys: &mut [i64],
        neighbors: &mut Vec<(i64, i64)>,
    ) -> bool {
        neighbors.clear();
        for &turn in &self.into[self.offsets[symbol] as usize..self.offsets[symbol + 1] as usize] {
            let weight = weights[turn as usize];
            if weight > 0 && self.from(turn as usize) != symbol {
                neighbors.push((keys[self.from(turn as usize)], -(weight as i64)));
            }
        }
        for code in 0..self.fan {
            let to = self.after[symbol * self.fan + code];
            let weight = weights[symbol * self.fan + code];
            if to != DARK && weight > 0 && to as usize != symbol {
                neighbors.push((keys[to as usize], weight as i64));
            }
        }
        if neighbors.is_empty() {
            return false;
        }
        neighbors.sort_unstable();
        // The cost before the first neighbor is a constant. Passing a predecessor mends its turn, passing a
        // successor breaks it.
        let (mut cost, mut least_cost, mut gap, mut current_cost, mut current_gap) = (0, 0, 0, 0, 0);
        for (at, &(key, weight)) in neighbors.iter().enumerate() {
            cost += weight;
            if cost < least_cost {
                (least_cost, gap) = (cost, at + 1);
            }
            if key < keys[symbol] {
                (current_cost, current_gap) = (cost, at + 1);
            }
        }
        if current_cost == least_cost || current_gap == gap {
            return false;
        }
        let low = if gap == 0 { neighbors[0].0 - 2 * SPACING } else { neighbors[gap - 1].0 };
        let high = if gap == neighbors.len() { low + 2 * SPACING } else { neighbors[gap].0 };
        if high - low < 2 {
            renumber(keys);
            return false;
        }
        keys[symbol] = low + (high - low) / 2;
        true
    }
}

/// Spreads the keys evenly. The smaller symbol breaks ties.
fn renumber(keys: &mut [i64]) {
    let mut order: Vec<(i64, u32)> =
        keys.iter().enumerate().map(|(symbol, &key)| (key, symbol as u32)).collect();
    order.sort_unstable();
    for (place, (_, symbol)) in order.into_iter().enumerate() {
        keys[symbol as usize] = place as i64 * SPACING;
    }
}

/// Shuffles by Fisher and Yates.
pub(super) fn shuffle(items: &mut [u32], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, (rng.next_u64() % (at as u64 + 1)) as usize);
    }
}
