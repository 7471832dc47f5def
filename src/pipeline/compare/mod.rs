//! Compares two builds, or a build with a fabric that was just compiled.
//!
//! In: the files of both sides. Out: the differences in terms of the fabric, and those beyond a tolerance.

mod compared;
mod side;
mod topology;
mod wiring;

pub use compared::{BuildComparison, compare_builds};
pub use fabc_passes::compare::Tolerance;
pub use side::{BuildSide, SideDetails};
