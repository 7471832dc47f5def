//! What every crate above the kernel uses: ids, units, diagnostics, limits, random numbers, finite fields and
//! cells of CSV files.

pub mod algebra;
pub mod csv;
pub mod diag;
pub mod limits;
pub mod progress;
pub mod random;
pub mod units;

pub use fabc_topology::{divisors, ids};
