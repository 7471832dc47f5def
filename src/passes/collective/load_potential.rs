//! Balancing over channels by a potential that is exponential in their load.
//!
//! A channel costs the slope of the potential. What costs less than before is kept. Where nothing gets
//! cheaper any more, the width of the potential is halved: it then follows the busiest channels more closely.
//! Source: Bienstock 2002 (potential functions).

use fabc_ir::Fraction;

/// The largest exponent of a cost, so that sums of costs are finite.
const STEEPEST: f64 = 300.0;
/// The last width, in units of what one part adds to the busiest channel.
const LAST_WIDTH: f64 = 0.1;

/// A potential of the load of a channel per lane.
#[derive(Clone, Copy)]
pub(super) struct LoadPotential {
    /// The load per lane at which a lane costs 1.
    pub(super) full: f64,
    /// The width, in units of that load.
    pub(super) width: f64,
    /// The cost of every channel beside the slope, so that idle channels invite no detours.
    pub(super) base_cost: f64,
}

impl LoadPotential {
    fn slope(self, load: u64, lanes: u64) -> f64 {
        let per_lane = load as f64 / lanes as f64;
        libm::exp(((per_lane / self.full - 1.0) / self.width).min(STEEPEST))
    }

    /// The cost of one more part on a channel.
    pub(super) fn cost(self, load: u64, lanes: u64) -> f64 {
        self.slope(load, lanes) / lanes as f64 + self.base_cost
    }

    /// The potential of a channel.
    pub(super) fn value(self, load: u64, lanes: u64) -> f64 {
        self.full * self.width * self.slope(load, lanes) + self.base_cost * load as f64
    }
}

/// Parts on paths that can be balanced.
pub(super) trait ChannelBalance {
    /// The paths of all parts.
    type Paths: Clone;
    /// The first width of the potential, in units of the busiest load.
    const FIRST_WIDTH: f64;
    /// The most sweeps at one width.
    const SWEEPS: u32;

    /// The most parts on a channel per lane.
    fn busiest(&self) -> Fraction;
    fn paths(&self) -> &Self::Paths;
    /// Takes up other paths, and counts their loads.
    fn set_paths(&mut self, paths: Self::Paths);
    /// Takes up a potential of this load and width.
    fn set_potential(&mut self, full: f64, width: f64);
    /// Tries to make every part cheaper once. Returns the number of changes.
    fn sweep(&mut self) -> u64;

    /// Balances until the busiest channel carries at most `enough` per lane, or nothing helps.
    fn improve(&mut self, enough: Fraction) {
        let mut best = (self.busiest(), self.paths().clone());
        let mut width = Self::FIRST_WIDTH;
        while best.0 > enough {
            let before = best.0;
            let full = self.busiest().as_f64();
            self.set_potential(full, width);
            for _ in 0..Self::SWEEPS {
                let changes = self.sweep();
                let busiest = self.busiest();
                if busiest < best.0 {
                    best = (busiest, self.paths().clone());
                }
                if changes == 0 || best.0 <= enough {
                    break;
                }
            }
            if best.0 == before || width < LAST_WIDTH / full {
                break;
            }
            width *= 0.5;
        }
        self.set_paths(best.1);
    }
}
