//! The stages that a build can be stopped after.

/// A stage that a build can be stopped after.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Syntax.
    Parse,
    /// Names, units, defaults.
    Resolve,
    /// Topology and cross-connects.
    Synthesize,
    /// Distances and flow.
    Analyze,
    /// Routes and tables of every scenario.
    Route,
    /// Proofs.
    Check,
    /// Artifacts.
    Emit,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Stage; 7] = [
        Stage::Parse,
        Stage::Resolve,
        Stage::Synthesize,
        Stage::Analyze,
        Stage::Route,
        Stage::Check,
        Stage::Emit,
    ];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Resolve => "resolve",
            Stage::Synthesize => "synthesize",
            Stage::Analyze => "analyze",
            Stage::Route => "route",
            Stage::Check => "check",
            Stage::Emit => "emit",
        }
    }
}
