//! Fewer table entries: routes that share more of their lookup keys.
//!
//! Input: a finished [`Selection`] and the most entries a router may have. Output: the selection with the
//! least excess found, and of those the one with the least load. Invariants: as in `select`.
//!
//! A router needs one entry per destination for the packets injected there, and one for every (destination,
//! input port, input VC) by which some route arrives. So a price on the first route through a state makes
//! routes join others. The price doubles at routers that have too many entries until none has.

use super::potential::{LoadPotential, ONE};
use super::select::Selection;
use fabc_base::ids::Id;

/// Most rounds in which prices double.
const ROUNDS: u32 = 14;

impl Selection<'_> {
    /// `[node class]`: entries of its routers.
    pub(super) fn entries(&mut self) -> Vec<u32> {
        let quotient = self.quotient;
        let mut entries = vec![quotient.nodes as u32 - 1; quotient.symmetry.class_count()];
        for d in 0..quotient.symmetry.class_count() {
            let dst = quotient.symmetry.canonical_node(d);
            self.tally(d, dst.0);
            for &state in &self.used {
                let node = quotient.head[state as usize / quotient.vcs] as usize;
                if node != dst.index() {
                    entries[quotient.class[node] as usize] += 1;
                }
            }
            self.clear_counts();
        }
        entries
    }

    /// Re-chooses routes until no router has more than `max_entries` entries, or prices have doubled
    /// [`ROUNDS`] times.
    pub(super) fn merge_entries(&mut self, max_entries: u32) {
        let excess = |entries: &[u32]| {
            entries.iter().map(|&entries| entries.saturating_sub(max_entries)).max().unwrap_or(0)
        };
        let mut entries = self.entries();
        let mut best = (excess(&entries), self.max_load(), self.first.clone(), self.next.clone());
        for round in 0..ROUNDS {
            if excess(&entries) == 0 {
                break;
            }
            for (price, &entries) in self.entry_price.iter_mut().zip(&entries) {
                if entries > max_entries {
                    *price = (*price * 2).max(ONE / 64);
                }
            }
            let limit = self.max_load();
            self.potential =
                LoadPotential::exponential(limit, f64::from(limit) * 0.01 + 0.5, limit as usize * 2 + 64);
            for _ in 0..if round + 1 == ROUNDS { 6 } else { 3 } {
                self.sweep_with(ONE / 256, ONE / 1024);
            }
            entries = self.entries();
            if (excess(&entries), self.max_load()) < (best.0, best.1) {
                best = (excess(&entries), self.max_load(), self.first.clone(), self.next.clone());
            }
        }
        self.entry_price.fill(0);
        (self.first, self.next) = (best.2, best.3);
        self.recount();
    }
}
