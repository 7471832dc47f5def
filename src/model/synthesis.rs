//! The settings of the search for the topology of a pod.

use super::switches::SwitchSettings;
use super::word::words;

/// A synthesis that starts from live cross-connects and may change few of them.
#[derive(Clone, PartialEq, Debug)]
pub struct NearSynthesis {
    /// The path of the live cross-connects as written in the spec.
    pub path: String,
    /// The text of the file, which a built directory keeps.
    pub text: String,
    /// The settings that the file states.
    pub settings: SwitchSettings,
    /// The most moves. A move is a cross-connect of the result that the live setting does not have.
    pub moves: u64,
    /// The settings of the search.
    pub search: Synthesize,
}

/// The settings of a search for a topology.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Synthesize {
    /// Whether cubes must be interchangeable.
    pub symmetry: SymmetryChoice,
    /// Amount of work, 1 by default. Evaluations of the search and rounds of the certificate grow with it.
    pub effort: u32,
    /// Seed of the random stream of the search.
    pub seed: u64,
    /// The method of the search.
    pub method: SynthesisMethod,
    /// The quantity that the search optimises.
    pub objective: Objective,
    /// Seconds after which the search stops. The result then depends on the machine.
    pub time_limit: Option<u32>,
}

impl Default for Synthesize {
    /// The settings where the spec gives none.
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

/// The effort that `effort = max` stands for.
pub const MAX_EFFORT: u32 = 24;

/// The quantity that `synthesize` optimises: `objective = ..`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// The concurrent flow, as large as possible.
    Flow,
    /// The fewest average hops, whatever the load of the fibers.
    Hops,
}

words!(Objective { Flow = "flow", Hops = "hops" });

/// The method of `synthesize`: `method = ..`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SynthesisMethod {
    /// Threshold accepting, for pods of any size.
    Search,
    /// The mixed-integer program, within `nodes` nodes of branch and bound. Small pods only.
    Milp {
        /// The most nodes of branch and bound.
        nodes: u32,
    },
    /// The linear relaxation, again and again, with the `fix` largest fractions rounded up each time. Small
    /// pods only.
    Relax {
        /// Number of choices that are fixed at a time.
        fix: u32,
    },
}

words!(SynthesisMethod {
    Self::Search => Self::Search => "search",
    Self::Milp { nodes: 1000 } => Self::Milp { .. } => "milp",
    Self::Relax { fix: 1 } => Self::Relax { .. } => "relax",
});

/// The symmetry that `synthesize` demands: `symmetry = ..`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryChoice {
    /// One translation of the cubes per OCS.
    Translation,
    /// Any matching of the ports per OCS.
    None,
    /// Translation where the pod allows it, otherwise none. The report says which.
    Auto,
}

words!(SymmetryChoice { Translation = "translation", None = "none", Auto = "auto" });
