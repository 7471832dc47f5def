//! The independent checker. It verifies what `passes` constructs, and uses no pass.
//!
//! Input: finished values, or the files of a directory. Output: proofs and convictions. The checker
//! recomputes everything in exact integers, by plain searches and by walking the tables as a router would.
//!
//! Order matters: [`verify_wiring`] runs first, because the other checks trust the symmetry of a topology
//! that it has verified.

mod certificates;
mod claimed_repair;
mod collision;
mod convictions;
mod deltas;
mod directory;
mod errors;
mod exact;
mod faults;
mod field;
mod floor;
mod foreign;
mod hardware;
mod healthy_values;
mod hop_cycles;
mod intact;
mod job;
mod light;
mod limit;
mod measures;
mod mirrors;
mod network;
mod permutation;
mod plan;
mod repair;
mod repair_blocks;
mod require;
mod scenario;
mod schedule;
mod slices;
mod staged;
mod survivors;
mod switch_files;
mod tiers;
mod trees;
mod weights;
mod wiring;

pub use certificates::{verify_distances, verify_dual, verify_flow, verify_shortest};
pub use claimed_repair::{EarlierRepair, RepairBaseline, verify_claimed_repair};
pub use collision::{CountedExpectations, verify_collisions};
pub use directory::{CERTIFICATES, MANIFEST, REPORT, SPEC};
pub use directory::{
    Extent, Files, ProvedDirectory, ProvedScenario, ProvedSchedule, ReadScenario, ScenarioProof,
    StatedClaims, StatedTradeOff, TableVisitor, VisitedTables, prove_directory, prove_job_files,
    prove_schedules, verify_directory, verify_light_file,
};
pub use directory::{
    ReadScene, ReadSimulated, ReadWiring, read_scenario, read_scene, read_simulated, read_tables,
    read_unrouted, read_wiring, scenario_names,
};
pub use errors::CheckError;
pub use faults::verify_faults;
pub use floor::verify_floor;
pub use foreign::{
    ForeignCollective, ForeignScene, ForeignTables, JudgedWith, LaneFiles, NamedFile, NextHopVerdict,
    PathOrder, PermutationSearch, Rejected, execution_plan_on, foreign_collective, foreign_execution_plan,
    foreign_program, foreign_scene, is_execution_plan, is_program, judge_foreign, program_on,
};
pub use hardware::verify_hardware;
pub use intact::keeps_intact_routes;
pub use light::{verify_light, verify_placed_light};
pub use limit::verify_limit;
pub use measures::ScenarioCounts;
pub use network::{verify_bisection, verify_host_bisection, verify_paths_and_failures};
pub use permutation::verify_permutation;
pub use plan::recount_plan;
pub use repair::{RepairWalk, ranks_by_port, verify_repair};
pub use repair_blocks::verify_repair_blocks;
pub use require::RequireError;
pub use scenario::{judge_groups, judge_tables, verify_walk};
pub use schedule::{
    HopTimes, JudgedExecutionPlan, JudgedProgram, Pace, ProgramFault, Replayed, ScheduleError, ScheduleTime,
    Spent, bound_time, schedule_time, vectors_together, verify_collective_bounds, verify_group_bounds,
    verify_message_schedule, verify_replaceable, verify_schedule, verify_switch_bound, verify_vectors,
};
pub use slices::Isolation;
pub use slices::verify_isolation;
pub use staged::{PlanEnd, ProvedPlan, verify_stages};
pub use survivors::{connected_parts, load_lower_bound};
pub use switch_files::{BgpNetwork, StaticRoutes};
pub use trees::{verify_tree_bounds, verify_trees};
pub use wiring::draw_shortfall;
pub use wiring::{Sampled, Search, Wired, verify_sample, verify_wiring};

pub use fabc_kernel::{DeadlockFree, GroupsProved};
