//! What is wrong with a program for thread blocks. Places are those of the file.

use thiserror::Error;

/// A place of a program at which it fails.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProgramFault {
    /// Numbers that do not fit the network, the collective or each other.
    #[error("{what}")]
    Shape {
        /// What is wrong.
        what: String,
    },
    /// More than a runtime takes.
    #[error("{place} {what}")]
    Limit {
        /// Where.
        place: String,
        /// Which number, and what is allowed.
        what: String,
    },
    /// Ends of a connection that do not fit.
    #[error("gpu {from} to gpu {to}, chan {chan}: {what}")]
    Connection {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// Its number.
        chan: i64,
        /// What is wrong.
        what: String,
    },
    /// Thread blocks that wait for each other for ever.
    #[error("{length} thread blocks wait for each other in a circle:\n{circle}")]
    Deadlock {
        /// Thread blocks in the circle.
        length: usize,
        /// One line for each, with what it waits for.
        circle: String,
    },
    /// A step that uses what is not there, or comes when it should not.
    #[error("{place} {what}")]
    Step {
        /// Where.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Two steps of a GPU at one place, of which none waits for the other.
    #[error("{place} {does} {location}, but does not wait for {other}, which {did} it")]
    Race {
        /// The later one, in the order in which it was looked at.
        place: String,
        /// `reads` or `writes`.
        does: &'static str,
        /// `o[3] of gpu 1`.
        location: String,
        /// The other one.
        other: String,
        /// `reads` or `writes`.
        did: &'static str,
    },
    /// A result that is not what the collective promises.
    #[error("{called}: {location} should end as {expected}, but ends as {found}")]
    Result {
        /// `in place` or `out of place`.
        called: &'static str,
        /// Where.
        location: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl ProgramFault {
    pub(super) fn shape(what: impl Into<String>) -> Self {
        ProgramFault::Shape { what: what.into() }
    }
}
