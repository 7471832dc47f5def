//! Writes collectives on a fabric: their times, for people, as `fabc.collectives/1` and as CSV. Also writes
//! single schedules, as `fabc.collective/1` and in formats of other programs.

mod bandwidths;
mod chakra;
mod closed_trace;
mod connections;
mod csv;
mod declared;
mod errors;
mod json;
mod moves;
mod msccl;
mod mscclpp;
mod mscclpp_blocks;
mod mscclpp_text;
mod perfetto;
mod picture;
mod places;
mod planned;
mod schedule;
mod summary;
mod text;
mod trace;

pub(super) use bandwidths::{Bandwidths, bandwidth_pictures};
pub use chakra::{ChakraSettings, collective_chakra};
pub use closed_trace::{ClosedTrace, collective_closed_trace, flits_of_bits};
pub use csv::collectives_csv;
pub use declared::collective_path;
pub(super) use declared::{push_declared, schedule_path, stated_collectives};
pub use errors::ProgramError;
pub use json::collectives_json;
pub(super) use msccl::ranked_msccl;
pub use msccl::{MscclFile, collective_msccl};
pub use mscclpp::{MscclppFile, collective_mscclpp};
pub use perfetto::collective_perfetto;
pub(super) use perfetto::{TraceName, push_trace_name, trace_microseconds};
pub(super) use picture::{algorithm_colors, busy_strip, time_curve};
pub use schedule::collective_json;
pub(super) use schedule::push_bound;
pub(super) use summary::{
    CollectiveTextRow, collective_title, conditions, nominal_and_worst_fault, scenario_rows,
};
pub use text::collectives_text;
pub use trace::{TRACE_MESSAGES, TraceFile, TraceSettings, collective_trace};

use super::number::fixed;
use fabc_ir::{ATTOSECONDS_OF_A_NANOSECOND, Fraction};

/// Converts attoseconds to microseconds with 3 decimals.
fn microseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, 1_000_000_000_000u64), 3)
}

/// Converts attoseconds to nanoseconds with 3 decimals.
pub(super) fn nanoseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, ATTOSECONDS_OF_A_NANOSECOND), 3)
}
