//! The convictions of the checker. Every message names routers, switches and files as people do.

use super::require::RequireError;
use super::schedule::{ProgramFault, ScheduleError};
use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// A claim or a value that the checker refutes.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum CheckError {
    /// A `require` line that the results do not meet.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Require(#[from] RequireError),

    /// A link that the spec does not have, or one that is missing.
    #[error("the wiring does not match the spec: {violation}")]
    #[diagnostic(
        code(FAB0402),
        help(
            "copper links form exactly the meshes of the cubes, and every fiber link runs through one OCS. A network has exactly the links of its family, each on its own ports"
        )
    )]
    Wiring {
        /// The link and the rule that it violates.
        violation: String,
        /// The declaration that it contradicts.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A router, a cabinet or a cable whose place or length does not match the spec.
    #[error("the floor does not match the spec: {violation}")]
    #[diagnostic(
        code(FAB0426),
        help(
            "the length of a cable is the distance between its cabinets, and that length determines its link"
        )
    )]
    Floor {
        /// What stands or runs elsewhere.
        violation: String,
        /// The floor, where the spec declares it.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A link whose light does not reach its receiver, or a budget that is added up otherwise.
    #[error("the light does not match the spec: {violation}")]
    #[diagnostic(
        code(FAB0433),
        help(
            "a receiver gets what is sent less the losses of connectors, fiber and switch, and needs its sensitivity and the margin"
        )
    )]
    Light {
        /// The link and what is wrong with it.
        violation: String,
        /// The declaration of the link or of the switch.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A setting that an OCS cannot take, or that does not fit the links.
    #[error("{ocs}: {violation}")]
    #[diagnostic(
        code(FAB0403),
        help("an OCS joins each of its ports to at most one other, by the rule of its `couple`")
    )]
    CrossConnect {
        /// Name of the convicted OCS.
        ocs: String,
        /// The rule that its setting violates.
        violation: String,
        /// Where the spec declares it.
        #[label("this switch")]
        span: Option<Span>,
    },

    /// A claimed symmetry that does not hold.
    #[error("the claimed symmetry does not hold: {violation}")]
    #[diagnostic(
        code(FAB0404),
        help(
            "the files list only one router of each set of images. So every element must map links to links of the same ports and kind, and must move every cube"
        )
    )]
    Symmetry {
        /// Which element fails, and where.
        violation: String,
    },

    /// Two routers without a path between them.
    #[error("{scenario}: no path leads from {from} to {to}")]
    #[diagnostic(code(FAB0405), help("the lit links do not connect all routers"))]
    Disconnected {
        /// The scenario, or the part that was examined.
        scenario: String,
        /// A router of the fabric.
        from: String,
        /// A router that it does not reach.
        to: String,
        /// The declaration of the topology, or of the fault budget.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// Hop distances that a breadth-first search refutes.
    #[error("the hop distances are wrong: {quantity} is claimed to be {claimed}, but it is {measured}")]
    #[diagnostic(code(FAB0406))]
    Distances {
        /// The name of the number that differs.
        quantity: String,
        /// The value that is claimed.
        claimed: String,
        /// The value that was recomputed.
        measured: String,
    },

    /// Channel lengths that do not prove the upper bound.
    #[error("the channel lengths do not prove the upper bound on the flow: {violation}")]
    #[diagnostic(
        code(FAB0407),
        help(
            "lambda <= (sum of lengths of lit channels) / (sum of shortest lengths over ordered pairs), both sums exact"
        )
    )]
    Lengths {
        /// The channel, or the sum that differs.
        violation: String,
    },

    /// A flow that is not conserved, or that exceeds its claimed load.
    #[error("the flow does not prove its lower bound: {violation}")]
    #[diagnostic(
        code(FAB0408),
        help(
            "inflow equals outflow at every router, except at the source and for the `demand` that each router absorbs"
        )
    )]
    Flow {
        /// The router or the channel, and the numbers that differ.
        violation: String,
    },

    /// Sets of trees that share a switch or do not span all cubes.
    #[error("the disjoint trees are wrong: {violation}")]
    #[diagnostic(
        code(FAB0409),
        help("no two sets share an OCS, and the cross-connects of each set alone connect all cubes")
    )]
    Trees {
        /// The set and the rule that it violates.
        violation: String,
    },

    /// A packet that arrives at a router without an entry for it.
    #[error("{scenario}: {router} has no entry for packets to {dst} {arriving}")]
    #[diagnostic(
        code(FAB0410),
        help("the route from {src} to {dst} ends at that router, which discards the packet")
    )]
    MissingEntry {
        /// The scenario of the tables.
        scenario: String,
        /// The router without the entry.
        router: String,
        /// The input by which the packet arrived.
        arriving: String,
        /// The router where the route starts.
        src: String,
        /// The router where it should end.
        dst: String,
    },

    /// An entry that no router can follow, or that no route uses.
    #[error("{scenario}: table of {router}: {violation}")]
    #[diagnostic(
        code(FAB0411),
        help(
            "every key has one entry, which names a lit port and a VC within the budget, and which some route uses"
        )
    )]
    BadEntry {
        /// The scenario of the tables.
        scenario: String,
        /// The router that holds the entry.
        router: String,
        /// The entry and the rule that it violates.
        violation: String,
    },

    /// A packet that never arrives.
    #[error("{scenario}: packets from {src} to {dst} loop forever:\n{cycle}")]
    #[diagnostic(
        code(FAB0412),
        help("the tables send the packet back to a router, port and VC where it has been")
    )]
    Loop {
        /// The scenario of the tables.
        scenario: String,
        /// The router where the route starts.
        src: String,
        /// The router where it should end.
        dst: String,
        /// The hops that repeat, one per line.
        cycle: String,
    },

    /// Channels that can wait for each other in a cycle.
    #[error("{scenario}: {length} channels can wait on each other in a cycle:\n{cycle}")]
    #[diagnostic(
        code(FAB0413),
        help(
            "packets can fill these buffers so that none of them ever moves. Raise `vcs`, or choose another routing"
        )
    )]
    Deadlock {
        /// The scenario of the tables.
        scenario: String,
        /// Number of channels in the cycle.
        length: usize,
        /// One line per channel, with a route that waits for the next channel.
        cycle: String,
        /// The declaration of the VC budget.
        #[label("within this many virtual channels")]
        span: Option<Span>,
    },

    /// Ranks that do not rise along a route.
    #[error("{scenario}: the proof of deadlock freedom is wrong: {violation}")]
    #[diagnostic(code(FAB0414), help("ranks must rise from every hop of every route to the next"))]
    Rank {
        /// The scenario of the tables.
        scenario: String,
        /// The dependency and its two ranks.
        violation: String,
    },

    /// Tables that exceed the budget.
    #[error("{scenario}: {violation}")]
    #[diagnostic(code(FAB0415))]
    OverBudget {
        /// The scenario of the tables.
        scenario: String,
        /// The number used, and the number in the budget.
        violation: String,
        /// The declaration of the VC budget.
        #[label("the budget")]
        span: Option<Span>,
    },

    /// A worst permutation that is not proved.
    #[error("{scenario}: the worst permutation is not proved: {violation}")]
    #[diagnostic(code(FAB0431))]
    Permutation {
        /// The scenario of the tables.
        scenario: String,
        /// The rule that it violates.
        violation: String,
    },

    /// A configuration of a switch that does not give the groups of the tables.
    #[error("{path}: {violation}")]
    #[diagnostic(
        code(FAB0432),
        help("the files and the directory must come from one spec: emit them again, or undo the change")
    )]
    SwitchFile {
        /// Path of the file below its folder.
        path: String,
        /// What is wrong with it.
        violation: String,
    },

    /// Tables, ranks or certificates of the wrong shape.
    #[error("{scenario}: {violation}")]
    #[diagnostic(code(FAB0416))]
    Shape {
        /// The scenario, or the subject of the conviction.
        scenario: String,
        /// What was expected, and what is present.
        violation: String,
    },

    /// Pairs whose packets do not arrive, in third-party tables.
    #[error("{tables}: {pairs} of {ordered_pairs} ordered pairs do not arrive; from {src} to {dst}:\n{walk}")]
    #[diagnostic(
        code(FAB0417),
        help(
            "the walk starts at the source and follows the tables to the router that cannot forward the packet"
        )
    )]
    Undelivered {
        /// The file of the tables.
        tables: String,
        /// The number of pairs whose packets do not arrive.
        pairs: u64,
        /// The number of all pairs.
        ordered_pairs: u64,
        /// The source of the first such pair.
        src: String,
        /// The destination of the first such pair.
        dst: String,
        /// The routers along the walk, and the outcome at the last one.
        walk: String,
    },

    /// A router with hosts that forwards packets of others, in third-party tables of a network with tiers.
    #[error("{tables}: {router} has hosts, but it forwards packets {pair}:\n{walk}")]
    #[diagnostic(
        code(FAB0434),
        help(
            "in a network with tiers packets go up and then down, so no router with hosts lies between. Name other ports"
        )
    )]
    Forwarding {
        /// The file of the tables.
        tables: String,
        /// The router that has hosts and forwards.
        router: String,
        /// The two ends of the packets: `from leaf[0] to leaf[2]`.
        pair: String,
        /// The routers along the path.
        walk: String,
    },

    /// A third-party file that violates its format.
    #[error("{file}:{line}: {violation}")]
    #[diagnostic(code(FAB0418), help("`fabc explain FAB0418` lists the formats that are read"))]
    Malformed {
        /// The path as given by the user.
        file: String,
        /// The number of the line, from 1.
        line: usize,
        /// What was expected, and what is present.
        violation: String,
    },

    /// A file that is missing, superfluous or changed.
    #[error("{path}: {violation}")]
    #[diagnostic(code(FAB0420), help("`manifest.json` lists every other file with its size and blake3 hash"))]
    Files {
        /// The path within the directory.
        path: String,
        /// How the file differs from the manifest.
        violation: String,
    },

    /// A file of a directory that violates its format.
    #[error("{file}: cannot be read: {reason}")]
    #[diagnostic(code(FAB0421), help("docs/artifacts.md describes the format"))]
    Unreadable {
        /// The path within the directory.
        file: String,
        /// What the reader expected, with the line and the column.
        reason: String,
    },

    /// A bisection whose halves are invalid, or whose lower bound does not follow.
    #[error("the bisection is not proved: {violation}")]
    #[diagnostic(
        code(FAB0419),
        help("any two halves prove an upper bound. The second eigenvalue proves the lower one")
    )]
    Halves {
        /// The half or the bound, and the rule that it violates.
        violation: String,
    },

    /// A count of a network that the checker does not reproduce.
    #[error("a metric of the graph is wrong: {violation}")]
    #[diagnostic(
        code(FAB0425),
        help("shortest paths, disjoint paths and random failures are counted again from the links alone")
    )]
    Graph {
        /// The count, with both values.
        violation: String,
    },

    /// A file that contradicts the spec or another file.
    #[error("{file}: at `{place}`: {violation}")]
    #[diagnostic(code(FAB0422))]
    Contradiction {
        /// The path within the directory.
        file: String,
        /// The JSON place, such as `links[17].a`.
        place: String,
        /// The value at that place, and the expected one.
        violation: String,
        /// The declaration that it contradicts.
        #[label("declared here")]
        span: Option<Span>,
    },

    /// A number of the report that the checker does not reproduce.
    #[error("report.json: `{place}` says {claimed}, but it is {measured}")]
    #[diagnostic(
        code(FAB0423),
        help("recomputed from topology.json, ocs.json, the tables and the certificates alone")
    )]
    Report {
        /// The JSON place, such as `scenarios.X[0,0].diameter`.
        place: String,
        /// The value in the report.
        claimed: String,
        /// The value that was recomputed.
        measured: String,
    },

    /// A file that does not follow from what the directory proves.
    #[error(
        "{file}:{line}: says `{present}`, but from the proved values fabc writes `{expected}`{writer_note}"
    )]
    #[diagnostic(
        code(FAB0424),
        help("every file follows to the byte from the spec, the settings, the tables and the certificates")
    )]
    Remade {
        /// The path within the directory.
        file: String,
        /// The number of the line, from 1.
        line: usize,
        /// The text of this line.
        present: String,
        /// The text that fabc writes there.
        expected: String,
        /// A note on the program that wrote the directory, if it was another one.
        writer_note: String,
    },

    /// A schedule that violates a rule or a claim.
    #[error("the schedule is wrong: {0}")]
    #[diagnostic(
        code(FAB0428),
        help(
            "the schedule is replayed round by round. A chip sends a chunk only after it has received it, and receives each chunk exactly once"
        )
    )]
    Schedule(#[from] ScheduleError),

    /// A program for thread blocks that no runtime accepts, that does not end, or that computes another
    /// result.
    #[error("the program is wrong: {0}")]
    #[diagnostic(
        code(FAB0429),
        help(
            "the program is run step by step. Both ends of a connection move the same chunks in the same order, and a step waits for the data that it uses"
        )
    )]
    Program(#[from] ProgramFault),

    /// Slices that are not isolated, or that violate their kinds.
    #[error("the slices are not isolated: {violation}")]
    #[diagnostic(
        code(FAB0430),
        help(
            "every cross-connect lies within one slice, as its kind says, and no cube has two owners. This is recomputed from placement.json and all ocs.json alone"
        )
    )]
    Isolation {
        /// The cross-connect or the cubes, and the slices that share them.
        violation: String,
    },
}

impl CheckError {
    /// The same error, with a note on the program that wrote the directory if it is not `this_program`.
    pub fn with_writer(mut self, writer: &str, this_program: &str) -> Self {
        if let (CheckError::Remade { writer_note, .. }, true) = (&mut self, writer != this_program) {
            *writer_note = format!("; the manifest names {writer}, and this is {this_program}");
        }
        self
    }
    pub(super) fn symmetry(violation: impl Into<String>) -> Self {
        CheckError::Symmetry { violation: violation.into() }
    }
}
