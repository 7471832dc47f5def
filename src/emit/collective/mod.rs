//! Collectives on a fabric: what they take, for people, as `fabc.collectives/1` and CSV; and one schedule, as
//! `fabc.collective/1` and for the programs of others.

mod chakra;
mod connections;
mod csv;
mod errors;
mod json;
mod moves;
mod msccl;
mod places;
mod schedule;
mod text;

pub use chakra::collective_chakra;
pub use csv::collectives_csv;
pub use errors::ProgramError;
pub use json::collectives_json;
pub use msccl::{MscclFile, collective_msccl};
pub use schedule::collective_json;
pub use text::collectives_text;

use super::number::fixed;
use crate::ir::{ATTOSECONDS_OF_A_NANOSECOND, Fraction};

/// Nanoseconds, to the picosecond.
fn nanoseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, ATTOSECONDS_OF_A_NANOSECOND), 3)
}
