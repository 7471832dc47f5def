//! How passes report their progress to an observer. What they report decides nothing. The one answer that
//! they may ask for is whether an explicit time limit has expired.

/// Watches the passes. The commands draw bars, tests and libraries use [`Silent`].
pub trait Progress: Sync {
    /// A pass begins and will advance `total` times.
    fn begin(&self, pass: &str, total: u64);
    /// One more unit of the pass is done.
    fn advance(&self);
    /// Says that the pass has ended.
    fn end(&self);
    /// Whether the running pass has run for this many seconds. A pass asks only where the spec sets a time
    /// limit. Only the commands have a clock: for others time stands still.
    fn expired(&self, _seconds: u32) -> bool {
        false
    }
    /// Tells people something before a long part begins.
    fn note(&self, _text: &str) {}
}

/// An observer that ignores everything.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _pass: &str, _total: u64) {}
    fn advance(&self) {}
    fn end(&self) {}
}
