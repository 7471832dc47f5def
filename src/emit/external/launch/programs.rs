//! Programs for the groups of the operations of jobs, as MSCCL XML.
//!
//! A program is for one communicator: rank i of it is the i-th rank of the group, ascending. An operation has
//! programs for all of its groups or for none.

use super::super::chunks::{EmitError, Take};
use super::group_schedule::group_schedule;
use super::launched::{LaunchedJob, LaunchedJobs};
use crate::collective::{collective_msccl, ranked_msccl};
use fabc_base::ids::NodeId;
use fabc_ir::{JobOperationOutcome, Scene, Topology, Transfers};
use fabc_model::{Job, JobOperation, JobOperationKind, RankGroups};

/// A program with the name of its file.
struct GroupProgram {
    path: String,
    text: String,
}

/// Writes the programs of all jobs. Returns a note about every operation that has none.
///
/// # Errors
/// [`EmitError::NoProgram`] if no operation has programs.
pub(super) fn write_programs<E: From<EmitError>>(
    launched: &LaunchedJobs<'_>,
    take: &mut Take<'_, E>,
) -> Result<Vec<String>, E> {
    let (mut notes, mut any) = (Vec::new(), false);
    for LaunchedJob { job, result } in &launched.jobs {
        let planned = result.nominal().map_or(&[][..], |outcome| &outcome.phases);
        for (phase, outcome) in job.phases.iter().zip(planned) {
            for (operation, outcome) in phase.operations.iter().zip(&outcome.operations) {
                let name = format!("{}.{}.{}", job.name, phase.name, operation.name);
                match operation_programs(launched.topology, job, &result.ranks, operation, outcome, &name) {
                    Ok(programs) => {
                        any = true;
                        notes.extend(programs.notes.iter().map(|note| format!("{name}: {note}")));
                        for GroupProgram { path, text } in programs.files {
                            take(&path, text.as_bytes())?;
                        }
                    }
                    Err(reason) => notes.push(format!("`msccl` has no program of {name}: {reason}")),
                }
            }
        }
    }
    if any { Ok(notes) } else { Err(EmitError::NoProgram { reasons: notes.join("\n") }.into()) }
}

/// The programs of an operation.
struct OperationPrograms {
    files: Vec<GroupProgram>,
    /// What a user should know of them, each once.
    notes: Vec<String>,
}

/// The programs of all groups of an operation, or the reason why there are none.
fn operation_programs(
    topology: &Topology,
    job: &Job,
    ranks: &[NodeId],
    operation: &JobOperation,
    outcome: &JobOperationOutcome,
    name: &str,
) -> Result<OperationPrograms, String> {
    let Some(schedule) = &outcome.schedule else {
        return Err(match operation.kind {
            JobOperationKind::Send { .. } => "a send is no collective".to_owned(),
            JobOperationKind::Collective(_) => {
                "every rank sends to every other one, as runtimes do it by themselves".to_owned()
            }
        });
    };
    let mut programs = OperationPrograms { files: Vec::new(), notes: Vec::new() };
    for (number, group) in job.rank_groups(&operation.groups).into_iter().enumerate() {
        let members: Vec<NodeId> = group.iter().map(|&rank| ranks[rank as usize]).collect();
        let title = format!("{name}.{}", group_label(job, operation, number, group[0]));
        let program = match &schedule.transfers {
            Transfers::Forest(forest) => {
                let alone = group_schedule(topology, schedule, forest, &members)?;
                collective_msccl(&title, &Scene::healthy(&alone.topology), &alone.schedule)
            }
            _ => ranked_msccl(&title, &Scene::healthy(topology), schedule, members),
        };
        let program = program.map_err(|error| error.to_string())?;
        programs.notes.extend(program.notes);
        programs.files.push(GroupProgram { path: format!("{title}.xml"), text: program.text });
    }
    programs.notes.sort_unstable();
    programs.notes.dedup();
    Ok(programs)
}

/// The name of a group: the coordinates of its ranks on the axes along which they do not differ. Groups that
/// are listed have numbers.
fn group_label(job: &Job, operation: &JobOperation, number: usize, rank: u32) -> String {
    let RankGroups::Along(over) = &operation.groups else { return format!("group{number}") };
    let fixed = job.axes.iter().enumerate().filter(|(axis, _)| !over.contains(axis));
    let coordinates: Vec<String> =
        fixed.map(|(index, axis)| format!("{}{}", axis.name, job.coordinate(rank, index))).collect();
    if coordinates.is_empty() { "all".to_owned() } else { coordinates.join("-") }
}
