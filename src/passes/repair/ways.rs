//! The cheapest ways of rising rank to one destination, from every state, where keys that have an entry are
//! followed.
//!
//! Ranks make the states a directed graph without circles, so one look at each of them, the highest rank
//! first, is enough. Following an entry never leaves a packet without a way: what has an entry arrives.

use super::ground::Ground;
use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};

/// No way.
pub(super) const FAR: u64 = u64::MAX;

/// What a load is worth: 0.12 + exp(60 (load - L) / L) of L, what the healthy tables load most, in 4096ths.
const FLOOR: f64 = 0.12;
const STEEP: f64 = 60.0;
/// Where it stops growing.
const MOST: f64 = 10.0;
const ONE: f64 = 4096.0;
/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// What one more route costs on a channel that would then carry `load`.
pub(super) fn price(load: u64, most: u64) -> u64 {
    let over = (load as f64 - most as f64) / most.max(1) as f64;
    ((FLOOR + libm::exp((STEEP * over).min(MOST))) * ONE) as u64
}

/// The cheapest ways, as far as they were looked for.
#[derive(Default)]
pub(super) struct Ways {
    /// `[state]`: what is still to be paid there; [`FAR`] without a way.
    left: Vec<u64>,
    /// `[state]`: the same and what its channel costs.
    through: Vec<u64>,
    /// `[state]`: the state to go on with; [`NONE`] at the destination and without a way.
    next: Vec<u32>,
    /// Bit per place in [`Ground::falling`]: the state there is looked at again.
    again: Vec<u64>,
}

impl Ways {
    /// Looks for the ways to `dst`; `row` are its entries, every one of which arrives, `costs` those of
    /// `[router * ports + port]`.
    pub(super) fn find(&mut self, ground: &Ground<'_>, row: &[u32], dst: NodeId, costs: &[u64]) {
        for list in [&mut self.left, &mut self.through] {
            list.clear();
            list.resize(ground.head.len(), FAR);
        }
        self.next.clear();
        self.next.resize(ground.head.len(), NONE);
        for &state in &ground.falling {
            self.look(ground, row, dst, costs, state as usize);
        }
    }

    /// The same after ways were laid, of which `costs_more` was told: their keys have entries. Only states
    /// are looked at whose way went on by one of those that cost more or have more left.
    pub(super) fn find_again(
        &mut self,
        ground: &Ground<'_>,
        row: &[u32],
        dst: NodeId,
        costs: &[u64],
        laid: &[usize],
    ) {
        self.again.clear();
        self.again.resize(ground.falling.len().div_ceil(WORD), 0);
        for &state in laid {
            let first = state - state % ground.vcs;
            (first..first + ground.vcs).for_each(|state| self.go_again(ground, state));
            self.put_again(ground, state);
        }
        for word in 0..self.again.len() {
            while self.again[word] != 0 {
                let place = word * WORD + self.again[word].trailing_zeros() as usize;
                self.again[word] &= self.again[word] - 1;
                let at = ground.falling[place] as usize;
                let before = self.left[at];
                self.look(ground, row, dst, costs, at);
                if self.left[at] != before {
                    self.go_again(ground, at);
                }
            }
        }
    }

    /// A channel costs more since the ways were looked for.
    pub(super) fn costs_more(&mut self, ground: &Ground<'_>, slot: usize, cost: u64) {
        for state in slot * ground.vcs..(slot + 1) * ground.vcs {
            self.through[state] = cost.saturating_add(self.left[state]);
        }
    }

    /// Those whose way goes on by a state are looked at again: they have lower ranks, so they come later.
    fn go_again(&mut self, ground: &Ground<'_>, state: usize) {
        let router = state / ground.vcs / ground.ports;
        for &before in &ground.into[router] {
            if self.next[before as usize] == state as u32 {
                self.put_again(ground, before as usize);
            }
        }
    }

    fn put_again(&mut self, ground: &Ground<'_>, state: usize) {
        let place = ground.place[state] as usize;
        self.again[place / WORD] |= 1 << (place % WORD);
    }

    /// Finds what is left to be paid at a state, and the one to go on with.
    fn look(&mut self, ground: &Ground<'_>, row: &[u32], dst: NodeId, costs: &[u64], at: usize) {
        let head = ground.head[at] as usize;
        let (left, next) = if !ground.lives[head] {
            (FAR, NONE)
        } else if head == dst.index() {
            (0, NONE)
        } else {
            let key = ground.key[at] as usize;
            match row[key] {
                NONE => {
                    let rank = ground.rank[at];
                    self.least(ground.out[head].iter().take_while(|(next, _)| *next > rank))
                }
                output => {
                    let next = ground.after(key, output);
                    (self.through[next], next as u32)
                }
            }
        };
        self.left[at] = left;
        self.next[at] = if left == FAR { NONE } else { next };
        self.through[at] = costs[at / ground.vcs].saturating_add(left);
    }

    /// The cheapest of some states to go on with, of those that cost as much the least.
    fn least<'s>(&self, states: impl Iterator<Item = &'s (u32, u32)>) -> (u64, u32) {
        states.map(|&(_, state)| (self.through[state as usize], state)).min().unwrap_or((FAR, NONE))
    }

    /// The first state of the cheapest way of what is injected at a router.
    pub(super) fn from(&self, ground: &Ground<'_>, router: NodeId) -> Option<u32> {
        let (left, state) = self.least(ground.out[router.index()].iter());
        (left != FAR).then_some(state)
    }

    /// The state to go on with for a packet that is in another one.
    pub(super) fn after(&self, state: u32) -> Option<u32> {
        Some(self.next[state as usize]).filter(|&next| next != NONE)
    }

    /// Writes the entries of a way that starts at `key` with `first`, those that are not there yet, and tells
    /// of every state on it.
    pub(super) fn lay(
        &self,
        ground: &Ground<'_>,
        row: &mut [u32],
        key: usize,
        first: u32,
        mut each: impl FnMut(usize),
    ) {
        let (mut key, mut next) = (key, Some(first));
        while let Some(chosen) = next {
            if row[key] == NONE {
                row[key] = ground.output(chosen);
            }
            let state = ground.after(key, row[key]);
            each(state);
            next = self.after(state as u32);
            key = ground.key[state] as usize;
        }
    }
}
