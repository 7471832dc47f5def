//! Software-scheduled networks: the cycle of every vector on every channel, planned at compile time.
//!
//! Input: a scene, the pace of vectors, a collective, and earlier schedules on the same channels. Output: a
//! `Schedule` of single vectors. Vectors between all pairs follow balanced paths (`paths`), and a list
//! scheduler sends those with the most hops left first. Gathers are floods (`flood`). Sums run along the
//! trees of a flood backwards, or by groups (`reduce`). Under the symmetry of the scene only canonical chips
//! are planned for. All quantities are integers, and the same scene gives the same bytes on any number of
//! threads.
//!
//! Source of the machine and its schedules: Abts and others, A software-defined tensor streaming
//! multiprocessor for large-scale machine learning, ISCA 2022.

mod bounds;
mod busy;
mod error;
mod farthest;
mod flood;
mod graph;
mod groups;
mod job;
mod list;
mod paths;
mod plan;
mod quickest;
mod reduce;
mod send;
mod sums;

pub use bounds::bound_cycles;
pub use error::ScheduledError;
pub use farthest::farthest;
pub use groups::{groups_are_joined, plan_groups};
pub use job::{MessageSet, PlanningSite, VectorJob};
pub use plan::{bounds, least_cycles, plan};
