//! How long a source and a run wait: for the news of an arrival, and for anything to move.

use super::mark_laws::longest_pause;
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
        let Some(control) = self.setting.control else { return self.load.patience() };
        let pause = control.marks.map_or(0, |marks| longest_pause(&marks, self.setting.packet));
        self.load.patience().saturating_add(control.wait).saturating_add(pause)
    }
}
