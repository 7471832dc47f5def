//! The phases of a job as a file: `fabc.phases/1`, the normal form of a job that comes from a file.

use crate::job::{Job, JobOperation, JobOperationKind, JobPhase, RankGroups};

/// The format of a file of phases.
pub const PHASES_FORMAT: &str = "fabc.phases/1";

impl Job {
    /// The file of the phases of a job that comes from a file. `None` for any other job.
    pub fn phases_json(&self) -> Option<String> {
        if !self.from_file {
            return None;
        }
        let phases: Vec<String> = self.phases.iter().map(|phase| self.phase_json(phase)).collect();
        let (ranks, compute) = (self.rank_count().unwrap_or(0), self.compute_ps);
        Some(format!(
            "{{\"format\":\"{PHASES_FORMAT}\",\"ranks\":{ranks},\"compute_ps\":{compute},\"phases\":[\n{}\n]}}\n",
            phases.join(",\n")
        ))
    }

    fn phase_json(&self, phase: &JobPhase) -> String {
        let after: Vec<String> =
            phase.after.iter().map(|&before| format!("\"{}\"", self.phases[before].name)).collect();
        let operations: Vec<String> =
            phase.operations.iter().map(|operation| self.operation_json(operation)).collect();
        format!(
            " {{\"name\":\"{}\",\"after\":[{}],\"compute_ps\":{},\"operations\":[\n{}]}}",
            phase.name,
            after.join(","),
            phase.compute_ps,
            operations.join(",\n")
        )
    }

    fn operation_json(&self, operation: &JobOperation) -> String {
        let JobOperation { name, kind, bytes, times, .. } = operation;
        let send = match kind {
            JobOperationKind::Send { both, wrap } => format!(",\"both\":{both},\"wrap\":{wrap}"),
            JobOperationKind::Collective(_) => String::new(),
        };
        let algorithm = operation.algorithm;
        let algorithm = algorithm
            .map_or_else(String::new, |algorithm| format!(",\"algorithm\":\"{}\"", algorithm.name()));
        let list = |group: Vec<u32>| {
            let ranks: Vec<String> = group.iter().map(u32::to_string).collect();
            format!("[{}]", ranks.join(","))
        };
        let groups: Vec<String> = self.rank_groups(&operation.groups).into_iter().map(list).collect();
        format!(
            "  {{\"name\":\"{name}\",\"kind\":\"{}\"{send}{algorithm},\"bytes\":{bytes},\"times\":{times},\"groups\":[{}]}}",
            kind.name(),
            groups.join(",")
        )
    }
}

/// Checks that groups of ranks are those of an operation: each of at least two ranks, all of as many, and no
/// rank in two of them.
///
/// # Errors
/// The first group that is wrong.
pub fn check_groups_of_ranks(groups: &RankGroups, ranks: u64) -> Result<(), String> {
    let RankGroups::Listed(lists) = groups else { return Ok(()) };
    let size = lists.first().map_or(0, Vec::len);
    let mut group_of = vec![None; ranks as usize];
    for (number, list) in lists.iter().enumerate() {
        if list.len() < 2 {
            return Err(format!("group {number} has {} ranks: a group has two or more", list.len()));
        }
        if list.len() != size {
            return Err(format!(
                "group {number} has {} ranks, and the first one {size}: the groups of an operation have as many",
                list.len()
            ));
        }
        for &rank in list {
            match group_of.get_mut(rank as usize) {
                None => {
                    return Err(format!("group {number} has rank {rank}, and there are {ranks} ranks"));
                }
                Some(Some(first)) => {
                    return Err(format!("rank {rank} is in group {first} and in group {number}"));
                }
                Some(free) => *free = Some(number),
            }
        }
    }
    if lists.is_empty() { Err("it has no groups".to_owned()) } else { Ok(()) }
}
