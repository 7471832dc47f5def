//! Software-scheduled networks: the cycle of every vector on every channel, planned at compile time.
//!
//! In: a scene, how fast vectors are, a collective, and what was planned before on the same channels. Out: a
//! `Schedule` of single vectors. Vectors between all pairs follow balanced ways (`paths`), and a list
//! scheduler sends those first that have farthest to go; gathers are floods (`flood`); sums run along the
//! trees of a flood backwards, or by groups (`reduce`). Under the symmetry of the scene canonical chips alone
//! are planned for. All is integers; the same scene gives the same bytes on any number of threads. Source of
//! the machine and its plans: Abts and others, A software-defined tensor streaming multiprocessor for
//! large-scale machine learning, ISCA 2022.

mod bounds;
mod error;
mod farthest;
mod flood;
mod ground;
mod groups;
mod job;
mod list;
mod paths;
mod plan;
mod quickest;
mod reduce;
mod send;
mod taken;

pub use bounds::bound_cycles;
pub use error::ScheduledError;
pub use farthest::farthest;
pub use groups::{groups_are_joined, plan_groups};
pub use job::{Job, Messages, Site};
pub use plan::{bounds, least_cycles, plan};
