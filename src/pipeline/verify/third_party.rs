//! Verdicts on third-party tables and schedules, from their files alone.

use super::worst_permutation;
use fabc_check::{
    ForeignCollective, ForeignTables, JudgedExecutionPlan, JudgedProgram, JudgedWith, LaneFiles, NamedFile,
    Rejected,
};
use fabc_ir::{GroupTables, Scene};

/// Verifies third-party tables on their network. Where they list next-hop groups, the worst permutation of
/// hosts is searched as well.
///
/// # Errors
/// [`Rejected::Unreadable`] for a file that violates its format, and [`Rejected::Convicted`] for tables that
/// lose packets or can deadlock.
pub fn verify_tables(
    tables: NamedFile<'_>,
    topology: NamedFile<'_>,
    lanes: Option<LaneFiles<'_>>,
) -> Result<ForeignTables, Rejected> {
    let search = |scene: &Scene<'_>, tables: &GroupTables| worst_permutation(scene, tables);
    fabc_check::judge_foreign(tables, topology, lanes, &search)
}

/// A third-party schedule that was judged.
pub enum ForeignSchedule {
    /// A program for thread blocks (MSCCL XML).
    Program(JudgedProgram),
    /// An execution plan of MSCCL++.
    ExecutionPlan(JudgedExecutionPlan),
    /// A schedule of a collective in the format of fabc.
    Collective(ForeignCollective),
}

/// Verifies a third-party schedule on a network. Its content says which kind it is. `tables` are those that
/// its messages follow.
///
/// # Errors
/// [`Rejected::Unreadable`] for a file that violates its format, and [`Rejected::Convicted`] for a schedule
/// that violates its collective.
pub fn verify_foreign_schedule(
    schedule: NamedFile<'_>,
    network: NamedFile<'_>,
    tables: Option<NamedFile<'_>>,
) -> Result<ForeignSchedule, Rejected> {
    if fabc_check::is_program(schedule.bytes) {
        return fabc_check::foreign_program(schedule, network).map(ForeignSchedule::Program);
    }
    if fabc_check::is_execution_plan(schedule.bytes) {
        return fabc_check::foreign_execution_plan(schedule, network).map(ForeignSchedule::ExecutionPlan);
    }
    fabc_check::foreign_collective(schedule, JudgedWith { network, tables }).map(ForeignSchedule::Collective)
}
