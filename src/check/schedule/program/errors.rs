//! The ways in which a program for thread blocks can fail. Places are lines of the file.

use thiserror::Error;

/// The first place at which a program fails.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProgramFault {
    /// Numbers that do not fit the network, the collective or each other.
    #[error("{violation}")]
    CollectiveShape {
        /// The rule that is violated.
        violation: String,
    },
    /// A number above the limit of a runtime.
    #[error("{place} {violation}")]
    Limit {
        /// The place in the file.
        place: String,
        /// The number, and the limit.
        violation: String,
    },
    /// A connection whose ends do not match.
    #[error("gpu {from} to gpu {to}, chan {chan}: {violation}")]
    Connection {
        /// The GPU of the sender.
        from: u32,
        /// The GPU of the receiver.
        to: u32,
        /// The number of the connection.
        chan: i64,
        /// The rule that is violated.
        violation: String,
    },
    /// Thread blocks that wait for each other for ever.
    #[error("{length} thread blocks wait for each other in a cycle:\n{cycle}")]
    Deadlock {
        /// Number of thread blocks in the cycle.
        length: usize,
        /// One line per thread block, with what it waits for.
        cycle: String,
    },
    /// A step that uses missing data, or that comes at the wrong time.
    #[error("{place} {violation}")]
    Step {
        /// The place in the file.
        place: String,
        /// The rule that the step violates.
        violation: String,
    },
    /// Two steps of a GPU that use the same location without waiting for each other.
    #[error("{place} {does} {location}, but does not wait for {other}, which {did} it")]
    Race {
        /// The later step, in the order of the search.
        place: String,
        /// What the later step does: `reads` or `writes`.
        does: &'static str,
        /// A location such as `o[3] of gpu 1`.
        location: String,
        /// The place of the earlier step.
        other: String,
        /// What the earlier step did: `reads` or `writes`.
        did: &'static str,
    },
    /// A result that differs from what the collective promises.
    #[error("{called}: {location} should end as {expected}, but ends as {present}")]
    Result {
        /// How the program was called: `in place` or `out of place`.
        called: &'static str,
        /// The location of the result.
        location: String,
        /// The value that it should have.
        expected: String,
        /// The value that it has.
        present: String,
    },
}

impl ProgramFault {
    pub(super) fn shape(violation: impl Into<String>) -> Self {
        ProgramFault::CollectiveShape { violation: violation.into() }
    }
}
