//! How many runs of simulations a verification makes again.

/// `2` or `all`: runs of every simulation that are made again beside those that decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remake(Option<usize>);

impl Remake {
    /// How many; `None` for all.
    pub fn runs(self) -> Option<usize> {
        self.0
    }
}

/// Reads `2` or `all`.
pub(super) fn remake(text: &str) -> Result<Remake, String> {
    match text {
        "all" => Ok(Remake(None)),
        number => number.parse().map(|runs| Remake(Some(runs))).map_err(|_| "it is a number of runs, or `all`".to_owned()),
    }
}
