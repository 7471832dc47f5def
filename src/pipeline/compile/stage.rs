//! The stages after which a build can stop.

/// A stage after which a build can stop. Stages compare by their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The syntax of the spec.
    Parse,
    /// Names, units and defaults of the spec.
    Resolve,
    /// The topology and, for a pod, its cross-connects.
    Synthesize,
    /// Distances and the maximum concurrent flow.
    Analyze,
    /// Routes and forwarding tables of every scenario.
    Route,
    /// The proofs of the checker.
    Check,
    /// The artifacts of the build, as bytes.
    Emit,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Stage; 7] = [
        Stage::Parse,
        Stage::Resolve,
        Stage::Synthesize,
        Stage::Analyze,
        Stage::Route,
        Stage::Check,
        Stage::Emit,
    ];

    /// The word that the command line uses for the stage.
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
