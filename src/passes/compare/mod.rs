//! Compare: how two builds differ, in the terms of a fabric.
//!
//! In: what both say of themselves. Out: the parts of an `ir::Diff`. Nothing is judged: that both are right
//! is what `fabc verify` is for.

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
