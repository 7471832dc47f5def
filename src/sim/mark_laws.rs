//! How a source answers marks: by a smaller window (DCTCP), or by a lower rate (DCQCN).
//!
//! *DCTCP* (M. Alizadeh and others, "Data Center TCP", SIGCOMM 2010). A source keeps a mean of the share of
//! marked packets, alpha. Once per window, alpha := (1 - g) alpha + g x (share in this window). The window
//! shrinks to (1 - alpha / 2) of itself if any of its packets was marked, and grows by the share of those
//! that were not.
//!
//! *DCQCN* (Y. Zhu and others, "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015). A source
//! begins at its line rate. With a mark, at most once per notification interval, the target becomes the
//! current rate, the current rate shrinks to (1 - alpha / 2) of itself, and alpha := (1 - g) alpha + g. With
//! every tick of a timer without a mark, alpha := (1 - g) alpha, and the rate becomes the mean of itself and
//! the target. From the fifth tick on, the target grows by a step as well. There is no byte counter, and no
//! faster growth after that.

use super::setting::SourceMarks;
use fabc_model::MarkLaw;

/// Ticks in which a rate recovers before its target grows.
const RECOVERY_TICKS: u32 = 5;

/// The step of the target, over the line rate.
const STEP: f64 = 1.0 / 256.0;

/// The lowest rate, over the line rate.
const LOWEST: f64 = 1.0 / 1024.0;

/// Notifications come at most so many times per tick.
const NOTIFICATIONS_PER_TICK: u32 = 4;

/// The state of a source that answers marks.
#[derive(Clone)]
pub(super) struct MarkedSource {
    settings: SourceMarks,
    /// The mean share of marked packets.
    alpha: f64,
    /// DCTCP: the packets that may be in flight, at most so many.
    window: f64,
    most: f64,
    /// DCTCP: arrivals since the window changed, and those of them that were marked.
    arrived: u32,
    marked: u32,
    /// DCQCN, in packets per cycle: the line rate, the current rate and the target.
    line_rate: f64,
    rate: f64,
    target: f64,
    /// DCQCN: ticks since the last notification, and the cycles of the last tick and the last notification.
    ticks: u32,
    last_tick: u32,
    last_notice: Option<u32>,
    /// DCQCN: the cycle from which the next packet may leave.
    next: f64,
}

/// The longest time for which a rate keeps packets of so many flits back, in cycles.
pub(super) fn longest_pause(settings: &SourceMarks, packet: u32) -> u32 {
    match settings.law {
        MarkLaw::Dctcp => 0,
        MarkLaw::Dcqcn => libm::ceil(f64::from(packet) / (f64::from(settings.line_rate) * LOWEST)) as u32,
    }
}

impl MarkedSource {
    /// A source before its first packet, of which at most `most` packets may be in flight.
    pub(super) fn new(settings: SourceMarks, most: u32, packet: u32) -> Self {
        let line_rate = f64::from(settings.line_rate) / f64::from(packet);
        Self {
            settings,
            alpha: 0.0,
            window: f64::from(most),
            most: f64::from(most),
            arrived: 0,
            marked: 0,
            line_rate,
            rate: line_rate,
            target: line_rate,
            ticks: 0,
            last_tick: 0,
            last_notice: None,
            next: 0.0,
        }
    }

    /// The packets that may be in flight.
    pub(super) fn window(&self) -> u32 {
        self.window as u32
    }

    /// The cycles until the next packet may leave.
    pub(super) fn pause(&self, now: u32) -> u32 {
        libm::ceil((self.next - f64::from(now)).max(0.0)) as u32
    }

    /// Notes that a packet leaves.
    pub(super) fn sends(&mut self, now: u32) {
        if self.settings.law == MarkLaw::Dcqcn {
            self.tick(now);
            self.next = self.next.max(f64::from(now)) + 1.0 / self.rate;
        }
    }

    /// Answers the news of an arrival.
    pub(super) fn arrived(&mut self, marked: bool, now: u32) {
        match self.settings.law {
            MarkLaw::Dctcp => self.count(marked),
            MarkLaw::Dcqcn => {
                self.tick(now);
                let interval = (self.settings.timer / NOTIFICATIONS_PER_TICK).max(1);
                if marked && self.last_notice.is_none_or(|last| now - last >= interval) {
                    self.slow_down(now);
                }
            }
        }
    }

    /// DCTCP: counts an arrival. With the last one of a window, the window changes.
    fn count(&mut self, marked: bool) {
        self.arrived += 1;
        self.marked += u32::from(marked);
        if self.arrived < self.window() {
            return;
        }
        let gain = self.settings.gain.as_f64();
        let share = f64::from(self.marked) / f64::from(self.arrived);
        self.alpha = (1.0 - gain) * self.alpha + gain * share;
        let kept = if self.marked > 0 { self.window * (1.0 - self.alpha / 2.0) } else { self.window };
        self.window = (kept + 1.0 - share).clamp(1.0, self.most);
        (self.arrived, self.marked) = (0, 0);
    }

    /// DCQCN: a notification lowers the rate, and raises the mean share.
    fn slow_down(&mut self, now: u32) {
        let gain = self.settings.gain.as_f64();
        self.target = self.rate;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(self.line_rate * LOWEST);
        self.alpha = (1.0 - gain) * self.alpha + gain;
        (self.ticks, self.last_tick, self.last_notice) = (0, now, Some(now));
    }

    /// DCQCN: the rate grows with the ticks since the last one.
    fn tick(&mut self, now: u32) {
        let (gain, line_rate) = (self.settings.gain.as_f64(), self.line_rate);
        while now - self.last_tick >= self.settings.timer {
            self.last_tick += self.settings.timer;
            self.ticks += 1;
            self.alpha *= 1.0 - gain;
            if self.ticks > RECOVERY_TICKS {
                self.target = (self.target + line_rate * STEP).min(line_rate);
            }
            self.rate = self.rate.midpoint(self.target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_model::Rate;

    fn source(law: MarkLaw) -> MarkedSource {
        let settings =
            SourceMarks { law, mark: 100, gain: Rate::millionths(500_000), timer: 100, line_rate: 6 };
        MarkedSource::new(settings, 8, 6)
    }

    /// By hand, with g = 1/2: a window of 8 with four marks has alpha = 1/4 and becomes 8 x 7/8 + 1/2 = 7.5.
    /// Without any in the next one, alpha is 1/8, and the window grows to 8, and to no more.
    #[test]
    fn a_window_shrinks_with_its_marks_and_grows_without() {
        let mut source = source(MarkLaw::Dctcp);
        (0..8).for_each(|k| source.arrived(k < 4, 0));
        assert_eq!((source.window, source.alpha), (7.5, 0.25));
        (0..7).for_each(|_| source.arrived(false, 0));
        assert_eq!((source.window, source.alpha), (8.0, 0.125));
        (0..8).for_each(|_| source.arrived(false, 0));
        assert_eq!(source.window(), 8);
        (0..500).for_each(|_| source.arrived(true, 0));
        assert_eq!(source.window(), 1);
        assert_eq!(source.pause(3), 0, "only its window keeps packets back");
    }

    /// By hand, with g = 1/2 and a line rate of a packet per cycle. The first mark changes only alpha, to
    /// 1/2. The second one, after an interval of 25 cycles, takes the rate to 3/4 and alpha to 3/4. A tick
    /// later it is 7/8.
    #[test]
    fn a_rate_shrinks_with_a_mark_and_grows_with_time() {
        let mut source = source(MarkLaw::Dcqcn);
        source.arrived(true, 0);
        assert_eq!((source.rate, source.alpha), (1.0, 0.5));
        source.arrived(true, 24);
        assert_eq!(source.rate, 1.0, "within the interval");
        source.arrived(true, 25);
        assert_eq!((source.rate, source.target, source.alpha), (0.75, 1.0, 0.75));
        source.sends(30);
        assert_eq!((source.pause(30), source.pause(32)), (2, 0));
        source.arrived(false, 125);
        assert_eq!((source.rate, source.alpha), (0.875, 0.375));
        source.arrived(false, 100_000);
        assert!(source.rate > 0.999 && source.rate <= 1.0, "{}", source.rate);
        (0..400).for_each(|k| source.arrived(true, 100_000 + 25 * k));
        assert_eq!(source.rate, LOWEST);
    }
}
