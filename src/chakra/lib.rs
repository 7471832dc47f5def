//! Chakra execution traces as the phases of a job.
//!
//! In: the trace of every rank, in the protobuf format of MLCommons Chakra, and the communicator groups. Out:
//! the phases of a step, with their operations in listed groups of ranks. Nothing here reads a disk: the
//! caller hands over bytes ([`RankTraces`]).
//!
//! 1. [`read_step`] decodes the trace of each rank in turn, and keeps only its counts: how often the rank
//!    takes part in each collective and message, which of them waits for which, and how long it computes.
//! 2. All ranks of a group must count its collectives alike, and so must the two ends of a message.
//! 3. Collectives of the same kind, size and count in groups that share no rank are one operation. Messages
//!    of the same size and count are chains of ranks.
//! 4. Operations that wait for each other in turn are one phase. A phase waits for those before it on the
//!    longest paths of dependencies.

mod attributes;
mod communicators;
mod counts;
mod errors;
mod events;
mod framing;
mod messages;
mod operations;
mod order;
mod step;
#[cfg(test)]
mod tests;
mod waits;

pub use counts::RankTraces;
pub use errors::{TraceError, TraceErrorKind};
pub use step::{TracedStep, read_step};
