//! Why an operation on a built directory ends without a result.
//!
//! A [`Refusal`] says that an operation cannot be done, and a [`Convicted`] lists what the checker found in
//! the files. Both are values: the caller decides how they are shown.

use fabc_base::diag::SourceMap;
use fabc_check::CheckError;
use fabc_passes::slices::PlaceError;
use miette::Diagnostic;
use thiserror::Error;

/// Why an operation cannot be done.
#[derive(Debug, Error, Diagnostic)]
pub enum Refusal {
    /// Not a directory of fabc, or a damaged one.
    #[error("`{path}` is not a directory that `fabc build` wrote: {reason}")]
    #[diagnostic(
        code(FAB0510),
        help("name the directory of the fabric itself, such as `out/pod_256`. If it is one, build it again")
    )]
    NotBuilt {
        /// The directory, or a file in it.
        path: String,
        /// What is missing or damaged.
        reason: String,
    },
    /// The router does not exist.
    #[error("there is no router `{name}`")]
    #[diagnostic(code(FAB0511), help("routers are {range}"))]
    UnknownRouter {
        /// The name that no router has.
        name: String,
        /// The first and the last router.
        range: String,
    },
    /// There are no tables for a scenario.
    #[error("there are no tables for the scenario `{name}`")]
    #[diagnostic(code(FAB0512), help("{hint}"))]
    UnknownScenario {
        /// The name of the scenario.
        name: String,
        /// Where the names of scenarios are, or why there are none.
        hint: String,
    },
    /// A command for switches on a fabric that has none.
    #[error("`{fabric}` has no optical circuit switches")]
    #[diagnostic(code(FAB0533), help("only a pod has cross-connects that a plan can change"))]
    NoSwitches {
        /// The name of the fabric.
        fabric: String,
    },
    /// A word that names nothing: a slice, a collective, an algorithm, a scenario.
    #[error("there is no {kind} `{name}`")]
    #[diagnostic(code(FAB0561), help("{hint}"))]
    UnknownWord {
        /// The kind of thing: `collective`, `scenario`, ..
        kind: String,
        /// The word that names nothing.
        name: String,
        /// Words that are near or known.
        hint: String,
    },
    /// A root that is missing, superfluous, or no chip.
    #[error("{problem}")]
    #[diagnostic(code(FAB0562), help("{hint}"))]
    Root {
        /// Why it is no root of the collective.
        problem: String,
        /// How a root is named, or where none is needed.
        hint: String,
    },
    /// An availability that cannot be computed: of a network, or with options that do not fit.
    #[error("{problem}")]
    #[diagnostic(code(FAB0571), help("{hint}"))]
    Availability {
        /// The option, or the kind of directory.
        problem: String,
        /// An option or a directory that would fit.
        hint: String,
    },
    /// Years of a pod that cannot be played.
    #[error("{problem}")]
    #[diagnostic(code(FAB0578), help("{hint}"))]
    Years {
        /// The option, or the kind of directory.
        problem: String,
        /// An option or a directory that would fit.
        hint: String,
    },
    /// A policy of `fabc operate` that does not fit the pod, or has unknown words.
    #[error("{problem}")]
    #[diagnostic(code(FAB0579), help("{hint}"))]
    Policy {
        /// The setting or value that is wrong.
        problem: String,
        /// Settings or values that would fit.
        hint: String,
    },
    /// No part of this name can be down.
    #[error("there is no switch, router, link or block of routers `{name}`")]
    #[diagnostic(code(FAB0572), help("{hint}"))]
    UnknownPart {
        /// The name that no part has.
        name: String,
        /// Examples of names in this fabric.
        hint: String,
    },
    /// After the failures no two endpoints survive.
    #[error("fewer than two {word}s survive these failures")]
    #[diagnostic(
        code(FAB0573),
        help("`--down` names all parts that are down at the same time. Are these really all down?")
    )]
    NothingLeft {
        /// The word for routers in this fabric.
        word: &'static str,
    },
    /// The surviving network is disconnected.
    #[error("the surviving network is disconnected into {parts} parts: {components}")]
    #[diagnostic(
        code(FAB0574),
        help("`--partial` serves the largest part, of {largest} {word}s. All others keep their tables")
    )]
    RepairApart {
        /// The number of connected parts.
        parts: usize,
        /// Descriptions of the first parts.
        components: String,
        /// Routers of the largest part.
        largest: usize,
        /// The word for routers in this fabric.
        word: &'static str,
    },
    /// An algorithm that follows one path per pair, on a directory with next-hop groups.
    #[error("`{algorithm}` follows one path per pair, but the tables of `{path}` have groups of next hops")]
    #[diagnostic(
        code(FAB0576),
        help(
            "build with `routing = minimal;`, or let chips hand data on: `--algorithm forest`, or `paths` for an all-to-all"
        )
    )]
    ManyPaths {
        /// The algorithm whose messages follow tables.
        algorithm: &'static str,
        /// The directory with these tables.
        path: String,
    },
    /// No route leads from one router to another.
    #[error("there is no route from `{source_router}` to `{destination}`: {problem}")]
    #[diagnostic(code(FAB0577), help("{hint}"))]
    NoRoute {
        /// The router where the route would start.
        source_router: String,
        /// The router where it would end.
        destination: String,
        /// The reason, as a clause.
        problem: String,
        /// A pair or a scenario that has one.
        hint: String,
    },
    /// Tables of a kind that cannot be repaired.
    #[error("these tables cannot be repaired: {problem}")]
    #[diagnostic(code(FAB0575), help("{hint}"))]
    NoRepair {
        /// Why they cannot be repaired.
        problem: &'static str,
        /// A build whose tables can be repaired.
        hint: &'static str,
    },
    /// Slices that cannot be placed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unplaced(#[from] PlaceError),
    /// There are no tables for some moment of a plan.
    #[error("there are no tables for the change: {problem}")]
    #[diagnostic(code(FAB0581), help("{hint}"))]
    NoWay {
        /// The moment that has no tables.
        problem: String,
        /// What would allow the change.
        hint: String,
    },
}

impl Refusal {
    /// The exit code of a process that ends because of it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Refusal::NoWay { .. }
            | Refusal::RepairApart { .. }
            | Refusal::Unplaced(PlaceError::NoRoom { .. }) => 3,
            _ => 2,
        }
    }
}

/// The errors of a directory that the checker convicted, with the sources of its spec.
#[derive(Debug)]
pub struct Convicted {
    /// Everything that is wrong. Never empty.
    pub errors: Vec<CheckError>,
    /// The files that the errors point into.
    pub sources: SourceMap,
}

impl Convicted {
    /// A conviction because of a single error.
    pub fn because(error: CheckError, sources: &SourceMap) -> Self {
        Self { errors: vec![error], sources: sources.clone() }
    }

    /// A conviction because a file is not what fabc writes there.
    pub fn file(path: &str, violation: &str, sources: &SourceMap) -> Self {
        let error = CheckError::Files { path: path.to_owned(), violation: violation.to_owned() };
        Self::because(error, sources)
    }
}
