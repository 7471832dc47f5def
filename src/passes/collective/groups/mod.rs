//! Collectives that groups of chips do at the same time, each among its own chips.
//!
//! Input: a scene, groups that part its chips, and for some algorithms forwarding tables. Output: one
//! schedule of all groups: a forest with trees for the data of every chip, or for an all-to-all the paths of
//! all pairs. [`within`] packs trees into the channels between the chips of a group, at the optimum of the
//! tightest cut. [`relayed`] balances trees that may pass foreign chips. [`ring`] and [`star`] follow the
//! tables: around a cycle of each group, or from every chip straight to all others, as [`pairs`] do in an
//! all-to-all. A foreign chip on a path only forwards.

mod bounds;
mod lengths;
mod plan;
mod relayed;
mod tabled;
mod within;

pub use bounds::group_bounds;
pub use plan::check_duplex;
pub use relayed::relayed;
pub use tabled::{pairs, ring, star};
pub use within::{check_within, within};
