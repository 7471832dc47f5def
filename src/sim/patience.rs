//! How long a source and a run wait: for the news of an arrival, and for anything to move.

use super::prepare::Prepared;

impl Prepared<'_> {
    /// The zero-load cycles of the news that a packet of the endpoint `to` has arrived at the endpoint
    /// `from`, by the tables. At least 1.
    pub(super) fn ack_cycles(&self, from: u32, to: u32) -> u32 {
        let ends = [from, to].map(|endpoint| self.endpoints.router[endpoint as usize]);
        (self.setting.ejection() + self.routes.cycles(&self.layout, ends)).max(1)
    }

    /// Cycles without any move after which a run with packets inside is given up.
    pub(super) fn patience(&self) -> u32 {
        let wait = self.setting.control.map_or(0, |control| control.wait);
        self.load.patience().saturating_add(wait)
    }
}
