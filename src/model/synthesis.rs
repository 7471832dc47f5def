//! How the topology of a pod is searched for.

use super::switches::SwitchSettings;
use super::word::words;

/// A synthesis that starts from live cross-connects and may change few of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Near {
    /// Path of the live cross-connects as written in the spec.
    pub path: String,
    /// The text of the file, which a built directory keeps.
    pub text: String,
    /// The settings that the file states.
    pub settings: SwitchSettings,
    /// The most moves: cross-connects of the result that the live setting does not have.
    pub moves: u64,
    /// The other settings.
    pub search: Synthesize,
}

/// Settings of the synthesis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Synthesize {
    /// Whether cubes must be interchangeable.
    pub symmetry: SymmetryChoice,
    /// Work: 1 is the default; search evaluations and certificate rounds grow with it.
    pub effort: u32,
    /// Seed of the search.
    pub seed: u64,
    /// How the topology is found.
    pub method: SynthesisMethod,
    /// What the search maximises or minimises.
    pub objective: Objective,
    /// Seconds after which the search stops where it is; the result then depends on the machine.
    pub time_limit: Option<u32>,
}

impl Default for Synthesize {
    /// What holds where the spec is silent.
    fn default() -> Self {
        Self {
            symmetry: SymmetryChoice::Auto,
            effort: 1,
            seed: 1,
            objective: Objective::Flow,
            time_limit: None,
            method: SynthesisMethod::Search,
        }
    }
}

/// Effort that `effort = max` stands for.
pub const MAX_EFFORT: u32 = 24;

/// `objective = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// The largest concurrent flow.
    Flow,
    /// The fewest average hops, whatever the fibers bear.
    Hops,
}

words!(Objective { Flow = "flow", Hops = "hops" });

/// `method = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SynthesisMethod {
    /// Threshold accepting; any size.
    Search,
    /// The mixed-integer program, within `nodes` nodes of branch and bound; small pods.
    Milp {
        /// Branch-and-bound nodes.
        nodes: u32,
    },
    /// The linear relaxation, again and again, with the `fix` largest fractions rounded up each time; small
    /// pods.
    Relax {
        /// Choices that are fixed at a time.
        fix: u32,
    },
}

words!(SynthesisMethod {
    Self::Search => Self::Search => "search",
    Self::Milp { nodes: 1000 } => Self::Milp { .. } => "milp",
    Self::Relax { fix: 1 } => Self::Relax { .. } => "relax",
});

/// `symmetry = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryChoice {
    /// One translation of the cubes per OCS.
    Translation,
    /// Any matching.
    None,
    /// Translation where the pod allows it, otherwise none; the report says which.
    Auto,
}

words!(SymmetryChoice { Translation = "translation", None = "none", Auto = "auto" });
