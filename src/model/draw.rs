//! Which of all random networks of a kind.

/// Which of all random networks of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// The random stream.
    pub seed: u64,
    /// Draws until one is connected, at most.
    pub attempts: u32,
    /// Of how many the one with the largest certified flow is taken.
    pub draws: u32,
}

/// Draws until one is connected, where a spec does not say.
pub const ATTEMPTS: u32 = 100;

impl Draw {
    /// As in a spec: `seed = 1;`, and what is no default.
    pub(super) fn written(&self) -> String {
        let of = |name: &str, value: u32, default: u32| {
            if value == default { String::new() } else { format!(" {name} = {value};") }
        };
        format!(
            "seed = {};{}{}",
            self.seed,
            of("attempts", self.attempts, ATTEMPTS),
            of("draws", self.draws, 1)
        )
    }
}
