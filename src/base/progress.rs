//! How long passes tell an observer where they are; what they tell decides nothing. The one answer they may
//! ask for is that of an explicit time limit.

/// Watches the passes; the commands draw bars, tests and libraries use [`Silent`].
pub trait Progress: Sync {
    /// A pass begins and will advance `total` times.
    fn begin(&self, pass: &str, total: u64);
    /// One more unit of the pass is done.
    fn advance(&self);
    /// The pass has ended.
    fn end(&self);
    /// Whether the running pass has run for this many seconds. Asked only where the spec sets a time limit;
    /// only the commands have a clock, for others time stands still.
    fn expired(&self, _seconds: u32) -> bool {
        false
    }
    /// What people should know before a long part begins.
    fn note(&self, _text: &str) {}
}

/// Watches nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _pass: &str, _total: u64) {}
    fn advance(&self) {}
    fn end(&self) {}
}
