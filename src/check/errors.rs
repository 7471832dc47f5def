//! What the checker can convict of. Every message names routers, switches and files the way people do.

use super::require::RequireError;
use super::schedule::{ProgramFault, ScheduleError};
use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// One conviction.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum CheckError {
    /// A `require` line that the results do not meet.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Require(#[from] RequireError),

    /// A link that the spec does not have, or lacks.
    #[error("the wiring is not that of the spec: {what}")]
    #[diagnostic(
        code(FAB0402),
        help(
            "copper links are the meshes of the cubes and nothing else, and every fiber link runs through one OCS; a network has the links of its family and no others, on its ports"
        )
    )]
    Wiring {
        /// The link and what is wrong with it.
        what: String,
        /// The declaration it contradicts.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A router, a cabinet or a cable that is not where the spec, or its length, says.
    #[error("the floor is not that of the spec: {what}")]
    #[diagnostic(
        code(FAB0426),
        help("a cable is as long as the way between its cabinets, and of the link that its length asks for")
    )]
    Floor {
        /// What stands or runs elsewhere.
        what: String,
        /// The floor.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A setting that an OCS cannot take, or that does not fit the links.
    #[error("{ocs}: {what}")]
    #[diagnostic(
        code(FAB0403),
        help("an OCS joins each of its ports to at most one other, by the rule of its `couple`")
    )]
    CrossConnect {
        /// Name of the OCS.
        ocs: String,
        /// What is wrong.
        what: String,
        /// Its declaration.
        #[label("this switch")]
        span: Option<Span>,
    },

    /// A claimed symmetry that is none.
    #[error("the claimed symmetry is none: {what}")]
    #[diagnostic(
        code(FAB0404),
        help(
            "everything canonical stands for its images, so each element must carry links onto links of the same ports and kind and leave no cube in place"
        )
    )]
    Symmetry {
        /// Which element fails, and where.
        what: String,
    },

    /// Two routers that cannot reach each other.
    #[error("{scenario}: no way from {from} to {to}")]
    #[diagnostic(code(FAB0405), help("the lit links do not join all routers"))]
    Disconnected {
        /// The scenario, or what was looked at.
        scenario: String,
        /// A router.
        from: String,
        /// A router it does not reach.
        to: String,
        /// The topology or fault budget.
        #[label("so declared")]
        span: Option<Span>,
    },

    /// Hop distances that a breadth-first search refutes.
    #[error("the hop distances are wrong: {what} is claimed to be {claimed}, but it is {measured}")]
    #[diagnostic(code(FAB0406))]
    Distances {
        /// Which number.
        what: String,
        /// As claimed.
        claimed: String,
        /// As recomputed.
        measured: String,
    },

    /// Channel lengths that do not prove the bound.
    #[error("the channel lengths do not prove the upper end of the flow: {what}")]
    #[diagnostic(
        code(FAB0407),
        help(
            "lambda <= (sum of lengths of lit channels) / (sum of shortest lengths over ordered pairs), both sums exact"
        )
    )]
    Lengths {
        /// What is wrong.
        what: String,
    },

    /// A flow that is none, or not within its claimed load.
    #[error("the flow does not prove the lower end: {what}")]
    #[diagnostic(
        code(FAB0408),
        help(
            "at every router what flows in flows out, except at the source and for the `demand` that each router absorbs"
        )
    )]
    Flow {
        /// What is wrong.
        what: String,
    },

    /// Tree sets that share a switch or do not span.
    #[error("the disjoint trees are wrong: {what}")]
    #[diagnostic(
        code(FAB0409),
        help("the sets share no OCS, and the cross-connects of each set alone join all cubes")
    )]
    Trees {
        /// What is wrong.
        what: String,
    },

    /// A packet that a router has no entry for.
    #[error("{scenario}: {router} has no entry for packets to {dst} {arriving}")]
    #[diagnostic(code(FAB0410), help("the route from {src} to {dst} ends there, and the packet with it"))]
    MissingEntry {
        /// The scenario.
        scenario: String,
        /// The router that is asked.
        router: String,
        /// How the packet came in.
        arriving: String,
        /// Where the route starts.
        src: String,
        /// Where it should end.
        dst: String,
    },

    /// An entry that no router can follow or that does not belong there.
    #[error("{scenario}: table of {router}: {what}")]
    #[diagnostic(
        code(FAB0411),
        help(
            "every entry is keyed once, leaves by a lit port on a VC of the budget, and some route uses it"
        )
    )]
    BadEntry {
        /// The scenario.
        scenario: String,
        /// The router.
        router: String,
        /// The entry and what is wrong with it.
        what: String,
    },

    /// A packet that never arrives.
    #[error("{scenario}: packets from {src} to {dst} go round for ever:\n{cycle}")]
    #[diagnostic(
        code(FAB0412),
        help("the tables send the packet back to a router, port and VC where it has been")
    )]
    Loop {
        /// The scenario.
        scenario: String,
        /// Where the route starts.
        src: String,
        /// Where it should end.
        dst: String,
        /// The hops that repeat, one per line.
        cycle: String,
    },

    /// Channels that can wait on each other in a circle.
    #[error("{scenario}: {length} channels can wait on each other in a circle:\n{cycle}")]
    #[diagnostic(
        code(FAB0413),
        help(
            "packets can fill these buffers so that none of them ever moves; raise `vcs` or choose another routing"
        )
    )]
    Deadlock {
        /// The scenario.
        scenario: String,
        /// Channels in the circle.
        length: usize,
        /// One line per channel, with a route that waits for the next.
        cycle: String,
        /// The VC budget.
        #[label("within this many virtual channels")]
        span: Option<Span>,
    },

    /// Ranks that do not rise along a route.
    #[error("{scenario}: the proof of deadlock freedom is wrong: {what}")]
    #[diagnostic(code(FAB0414), help("ranks must rise from every hop of every route to the next"))]
    Rank {
        /// The scenario.
        scenario: String,
        /// Which dependency, which ranks.
        what: String,
    },

    /// Tables that use what the budget does not have.
    #[error("{scenario}: {what}")]
    #[diagnostic(code(FAB0415))]
    OverBudget {
        /// The scenario.
        scenario: String,
        /// What is used, and what the budget has.
        what: String,
        /// The VC budget.
        #[label("the budget")]
        span: Option<Span>,
    },

    /// Tables, ranks or certificates of the wrong shape.
    #[error("{scenario}: {what}")]
    #[diagnostic(code(FAB0416))]
    Shape {
        /// The scenario, or what the thing belongs to.
        scenario: String,
        /// What was expected and what is there.
        what: String,
    },

    /// Pairs whose packets get stuck, in tables of anybody.
    #[error("{tables}: {pairs} of {all} ordered pairs do not arrive; from {src} to {dst}:\n{walk}")]
    #[diagnostic(
        code(FAB0417),
        help(
            "the walk starts at the source and follows the tables to the router that can do nothing with the packet"
        )
    )]
    Undelivered {
        /// The file.
        tables: String,
        /// How many pairs do not arrive.
        pairs: u64,
        /// Of how many.
        all: u64,
        /// The source of the first of them.
        src: String,
        /// Its destination.
        dst: String,
        /// The routers on the way, and what happens at the last one.
        walk: String,
    },

    /// A file of anybody that is not what its format says.
    #[error("{file}:{line}: {what}")]
    #[diagnostic(code(FAB0418), help("`fabc explain FAB0418` lists the formats that are read"))]
    Malformed {
        /// As given.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was expected and what stands there.
        what: String,
    },

    /// A file that is missing, superfluous or not the one that was written.
    #[error("{path}: {what}")]
    #[diagnostic(code(FAB0420), help("`manifest.json` lists every other file with its size and blake3 hash"))]
    Files {
        /// Path within the directory.
        path: String,
        /// What is wrong.
        what: String,
    },

    /// A file that is not what its format says.
    #[error("{file}: cannot be read: {what}")]
    #[diagnostic(code(FAB0421), help("docs/artifacts.md describes the format"))]
    Unreadable {
        /// Path within the directory.
        file: String,
        /// What the reader expected, and the line and column.
        what: String,
    },

    /// Halves of a network that are none, or a lower end that does not follow.
    #[error("the bisection is not proved: {what}")]
    #[diagnostic(
        code(FAB0419),
        help("any halves bound the bisection from above; from below it is the second eigenvalue")
    )]
    Halves {
        /// What is wrong.
        what: String,
    },

    /// A count of a network that does not come out again.
    #[error("the graph is not as it was counted: {what}")]
    #[diagnostic(
        code(FAB0425),
        help("paths, disjoint ways and random failures are counted again from the links alone")
    )]
    Graph {
        /// What differs.
        what: String,
    },

    /// A file that contradicts the spec or another file.
    #[error("{file}: at `{place}`: {what}")]
    #[diagnostic(code(FAB0422))]
    Contradiction {
        /// Path within the directory.
        file: String,
        /// JSON place, such as `links[17].a`.
        place: String,
        /// What stands there and what should.
        what: String,
        /// The declaration it contradicts.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A number of the report that does not come out again.
    #[error("report.json: `{place}` says {claimed}, but it is {measured}")]
    #[diagnostic(
        code(FAB0423),
        help("recomputed from topology.json, ocs.json, the tables and the certificates alone")
    )]
    Report {
        /// JSON place, such as `scenarios.X[0,0].diameter`.
        place: String,
        /// As written.
        claimed: String,
        /// As recomputed.
        measured: String,
    },

    /// A file that does not come out again from what the directory proves.
    #[error("{file}:{line}: says `{found}`, but of what was proved fabc writes `{written}`{by}")]
    #[diagnostic(
        code(FAB0424),
        help("every file follows to the byte from the spec, the settings, the tables and the certificates")
    )]
    Remade {
        /// Path within the directory.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What should stand there.
        written: String,
        /// Which program wrote the directory, if it was not this one.
        by: String,
    },

    /// A plan in time that does not do what it is for.
    #[error("the schedule is wrong: {0}")]
    #[diagnostic(
        code(FAB0428),
        help(
            "replayed round by round: a chunk is sent on after it has come, and in the end each chip has got each chunk once"
        )
    )]
    Schedule(#[from] ScheduleError),

    /// A program for thread blocks that no runtime takes, that does not end, or that computes something else.
    #[error("the program is wrong: {0}")]
    #[diagnostic(
        code(FAB0429),
        help(
            "run step by step: both ends of a connection move the same chunks in the same order, and a step waits for what it uses"
        )
    )]
    Program(#[from] ProgramFault),

    /// Slices that are not apart, or not what their kinds are.
    #[error("the slices are not isolated: {what}")]
    #[diagnostic(
        code(FAB0430),
        help(
            "every cross-connect lies within one slice and is one of its kind, and no cube has two owners; recomputed from placement.json and all ocs.json alone"
        )
    )]
    Isolation {
        /// The cross-connect or the cubes, and the slices.
        what: String,
    },
}

impl CheckError {
    /// The same error, with the program that wrote the directory if it is not the one that verifies it.
    pub fn by(mut self, tool: &str, own: &str) -> Self {
        if let (CheckError::Remade { by, .. }, true) = (&mut self, tool != own) {
            *by = format!("; the manifest names {tool}, and this is {own}");
        }
        self
    }
    pub(super) fn symmetry(what: impl Into<String>) -> Self {
        CheckError::Symmetry { what: what.into() }
    }
}
