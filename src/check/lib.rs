//! The independent checker: convicts what `passes` constructs; imports no pass.
//!
//! Comes in: finished values, or the files of a directory. Goes out: nothing but proofs and convictions.
//! Everything is recomputed in exact integers, by plain searches and by walking the tables the way a router
//! would. Order matters: [`wiring`] first, since the other checks trust the symmetry of a topology that it
//! has seen.

mod certificates;
mod claimed_repair;
mod convictions;
mod deltas;
mod directory;
mod errors;
mod exact;
mod faults;
mod field;
mod floor;
mod foreign;
mod hop_cycles;
mod intact;
mod limit;
mod measures;
mod mirrors;
mod network;
mod plan;
mod repair;
mod require;
mod scenario;
mod schedule;
mod slices;
mod staged;
mod trees;
mod wiring;

pub use certificates::{distances, dual, flow};
pub use claimed_repair::{EarlierRepair, RepairGround, claimed_repair};
pub use directory::{CERTIFICATES, MANIFEST, REPORT, SPEC};
pub use directory::{
    Certified, EachTables, Extent, Files, Proved, ProvedScenario, ProvedSchedule, ReadScenario, Stated,
    StatedTradeOff, directory, prove,
};
pub use directory::{
    ReadScene, ReadWiring, read_scenario, read_scene, read_tables, read_unrouted, read_wiring, scenario_names,
};
pub use errors::CheckError;
pub use faults::faults;
pub use floor::floor;
pub use foreign::{
    ForeignCollective, ForeignScene, ForeignTables, JudgedBy, Lanes, NamedFile, Rejected, foreign,
    foreign_collective, foreign_program, foreign_scene, is_program, program_on,
};
pub use intact::keeps_intact_routes;
pub use limit::limit;
pub use measures::Counts;
pub use network::{bisection, paths_and_failures};
pub use plan::plan;
pub use repair::{RepairWalk, least_load, parts, ranks_of_all, repair};
pub use require::RequireError;
pub use scenario::{carried, judge_tables};
pub use schedule::{
    HopTimes, JudgedProgram, Pace, ProgramFault, Replayed, ScheduleError, ScheduleTime, Spent, bound_time,
    collective_bounds, replaced, schedule, schedule_along, schedule_time, vectors, vectors_together,
};
pub use slices::Isolation;
pub use slices::isolated;
pub use staged::{PlanEnd, ProvedPlan, staged};
pub use trees::{tree_bounds, trees};
pub use wiring::unasked;
pub use wiring::{Sampled, Search, Wired, sampled, wiring};

pub use fabc_kernel::DeadlockFree;
