//! A bound on detours: routes of too many hops are laid anew, and stay short.
//!
//! Input: a finished [`Selection`], the most hops of a route, and the routers that send and receive. Output:
//! the same selection with as few routes beyond that as the order of the channels permits. Destinations with
//! such routes are visited at rising prices of a hop. Further sweeps take load off the busiest channels
//! again. They undo every visit that makes a route of its destination too long.

use super::{Aim, NONE, Selection, split_lane};
use crate::route::allowed_turns::potential::{LoadPotential, ONE};
use fabc_base::ids::Id;
use fixedbitset::FixedBitSet;

/// Prices of a hop that are tried in turn, as shares of the price of a route on the busiest channel.
const HOP_PRICES: [u64; 5] = [ONE >> 4, ONE >> 2, ONE, ONE << 3, ONE << 8];
/// Sweeps that lower the load, and sweeps that trim detours.
const SWEEPS: [u32; 2] = [12, 3];

/// Routes of a destination, as they were before a visit.
struct SavedRoutes {
    first: Vec<u16>,
    next: Vec<u16>,
}

impl Selection<'_> {
    /// Shortens the routes between `endpoints` to at most `most` hops, where the order permits it.
    pub(in crate::route::allowed_turns) fn shorten(
        &mut self,
        Aim { bound, target_load }: Aim,
        most: u32,
        endpoints: &FixedBitSet,
    ) {
        let destinations = self.quotient.symmetry.class_count();
        let long: Vec<usize> = (0..destinations).filter(|&d| self.longest(d, endpoints) > most).collect();
        if long.is_empty() {
            return;
        }
        let narrowest = (bound * 0.002).max(0.5);
        self.price_loads(narrowest);
        for d in long {
            for price in HOP_PRICES {
                self.hop_price.fill(price);
                self.visit(d);
                if self.longest(d, endpoints) <= most {
                    break;
                }
            }
        }
        let mut best = (self.max_load(), self.first.clone(), self.next.clone());
        self.restless = true;
        for sweep in 0..SWEEPS[0] {
            if best.0 <= target_load {
                break;
            }
            self.price_loads(narrowest * f64::from(SWEEPS[0] - sweep));
            self.hop_price.fill(0);
            self.sweep_within(most, endpoints);
            if self.max_load() < best.0 {
                best = (self.max_load(), self.first.clone(), self.next.clone());
            }
        }
        self.restless = false;
        (self.first, self.next) = (best.1, best.2);
        self.recount();
        let limit = self.max_load();
        self.potential = LoadPotential::wall(limit, limit as usize * 2 + 64);
        self.hop_price.fill(ONE >> 6);
        for _ in 0..SWEEPS[1] {
            self.sweep_within(most, endpoints);
        }
    }

    /// Prices loads by the busiest channel. Prices fall by a factor of e over `width`.
    fn price_loads(&mut self, width: f64) {
        let limit = self.max_load();
        self.potential = LoadPotential::exponential(limit, width, limit as usize * 2 + 64);
    }

    /// Visits every destination, and undoes the visits that make a route too long.
    fn sweep_within(&mut self, most: u32, endpoints: &FixedBitSet) {
        let (nodes, states) = (self.quotient.nodes, self.quotient.states());
        for d in 0..self.quotient.symmetry.class_count() {
            let before = self.longest(d, endpoints);
            let saved = SavedRoutes {
                first: self.first[d * nodes..(d + 1) * nodes].to_vec(),
                next: self.next[d * states..(d + 1) * states].to_vec(),
            };
            self.visit(d);
            if self.longest(d, endpoints) > most.max(before) {
                self.count_destination(d, false);
                self.first[d * nodes..(d + 1) * nodes].copy_from_slice(&saved.first);
                self.next[d * states..(d + 1) * states].copy_from_slice(&saved.next);
                self.count_destination(d, true);
            }
        }
    }

    /// Adds the routes to a destination to all loads, or takes them away.
    fn count_destination(&mut self, d: usize, add: bool) {
        self.tally(d, self.quotient.symmetry.canonical_node(d).0);
        for &state in &self.used {
            let (class, vc) = split_lane(self.lane[state as usize]);
            let count = self.count[state as usize];
            let (load, hops) = (count.weight * self.quotient.slowness[class], u64::from(count.routes));
            if add {
                self.load[class] += load;
                self.vc_hops[vc] += hops;
            } else {
                self.load[class] -= load;
                self.vc_hops[vc] -= hops;
            }
        }
        self.clear_counts();
    }

    /// Hops of the longest route from an endpoint to a canonical destination. 0 where that is no endpoint.
    pub(in crate::route::allowed_turns) fn longest(&self, d: usize, endpoints: &FixedBitSet) -> u32 {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d).index();
        if !endpoints.contains(dst) {
            return 0;
        }
        let hops = |src: usize| {
            let mut hops = 0;
            if self.first[d * quotient.nodes + src] != NONE {
                self.route(d, src, |_| hops += 1);
            }
            hops
        };
        endpoints.ones().filter(|&src| src != dst).map(hops).max().unwrap_or(0)
    }
}
