//! The random choice of a network among all of its kind.

/// The random choice of a network among all of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// Seed of the random stream.
    pub seed: u64,
    /// The most draws until one is connected.
    pub attempts: u32,
    /// Number of connected draws, of which the one with the largest certified flow is taken.
    pub draws: u32,
}

/// The value of [`Draw::attempts`] where a spec does not give one.
pub const ATTEMPTS: u32 = 100;

impl Draw {
    /// The settings as a spec writes them: `seed = 1;`, and those that differ from their defaults.
    pub(super) fn written(&self) -> String {
        let setting = |name: &str, value: u32, default: u32| {
            if value == default { String::new() } else { format!(" {name} = {value};") }
        };
        format!(
            "seed = {};{}{}",
            self.seed,
            setting("attempts", self.attempts, ATTEMPTS),
            setting("draws", self.draws, 1)
        )
    }
}
