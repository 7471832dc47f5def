//! Collectives on a fabric: what they take, for people, as `fabc.collectives/1` and CSV; and one schedule, as
//! `fabc.collective/1` and for the programs of others.

mod bandwidths;
mod chakra;
mod connections;
mod csv;
mod declared;
mod errors;
mod json;
mod moves;
mod msccl;
mod picture;
mod places;
mod schedule;
mod summary;
mod text;
mod trace;

pub(super) use bandwidths::{Bandwidths, over_bandwidths};
pub use chakra::collective_chakra;
pub use csv::collectives_csv;
pub use declared::collective_path;
pub(super) use declared::push_declared;
pub use errors::ProgramError;
pub use json::collectives_json;
pub use msccl::{MscclFile, collective_msccl};
pub(super) use picture::{colors, over_sizes, over_steps};
pub use schedule::collective_json;
pub(super) use schedule::push_bound;
pub(super) use summary::{
    CollectiveLine, collective_lines, collective_title, conditions, nominal_and_worst_fault,
};
pub use text::collectives_text;
pub use trace::{TRACE_MESSAGES, TraceFile, TraceTold, collective_trace};

use super::number::fixed;
use fabc_ir::{ATTOSECONDS_OF_A_NANOSECOND, Fraction};

/// Microseconds, to the nanosecond.
fn microseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, 1_000_000_000_000u64), 3)
}

/// Nanoseconds, to the picosecond.
fn nanoseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, ATTOSECONDS_OF_A_NANOSECOND), 3)
}
