//! The differences between two builds, in terms of the fabric.
//!
//! Input: the reports, wirings and tables of both builds. Output: the parts of an `ir::Diff`. This pass does
//! not check either build. `fabc verify` does that.

mod entries;
mod figures;
mod joined;
mod lines;
mod nearest;
mod renaming;
mod tolerance;

pub use entries::{TableChanges, table_changes};
pub use figures::{contract, faults, figures};
pub use lines::lines_apart;
pub use renaming::{Renaming, renaming};
pub use tolerance::{Tolerance, beyond};
