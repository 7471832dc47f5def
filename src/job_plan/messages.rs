//! The groups of chips of an operation, and the pairs between which it sends data of their own.

use fabc_base::ids::NodeId;
use fabc_ir::ChipGroups;
use fabc_model::{Collective, Job, JobOperation, JobOperationKind};

/// The chips of the groups of an operation.
pub fn operation_groups(job: &Job, operation: &JobOperation, ranks: &[NodeId]) -> ChipGroups {
    let groups = job.rank_groups(&operation.groups).into_iter();
    let chips = |group: Vec<u32>| group.into_iter().map(|rank| ranks[rank as usize]).collect();
    ChipGroups::new(groups.map(chips).collect())
}

/// The ordered pairs of chips between which data goes by itself: all pairs of a group, or the neighbours of a
/// `send`. Empty for operations that copy or add up.
pub fn message_pairs(kind: JobOperationKind, groups: &ChipGroups) -> Vec<(NodeId, NodeId)> {
    let of_group = |list: &Vec<NodeId>| -> Vec<(NodeId, NodeId)> {
        match kind {
            JobOperationKind::Collective(Collective::AllToAll) => {
                let others =
                    |&from: &NodeId| list.iter().filter(move |&&to| to != from).map(move |&to| (from, to));
                list.iter().flat_map(others).collect()
            }
            JobOperationKind::Collective(_) => Vec::new(),
            JobOperationKind::Send { both, wrap } => {
                let wrapped = wrap.then(|| (list[list.len() - 1], list[0]));
                let steps = list.windows(2).map(|pair| (pair[0], pair[1])).chain(wrapped);
                steps
                    .flat_map(|(from, to)| std::iter::once((from, to)).chain(both.then_some((to, from))))
                    .collect()
            }
        }
    };
    groups.lists().iter().flat_map(of_group).collect()
}

/// Whether an operation sends data of their own between pairs of a group, and neither copies nor adds up.
pub(super) fn goes_between_pairs(kind: JobOperationKind) -> bool {
    matches!(kind, JobOperationKind::Send { .. } | JobOperationKind::Collective(Collective::AllToAll))
}

/// The ordered pairs of [`message_pairs`], and those of gathers and scatters in groups of two. There each
/// chip sends its part to the other one.
pub fn exchanged_pairs(kind: JobOperationKind, groups: &ChipGroups) -> Vec<(NodeId, NodeId)> {
    match groups.size() {
        2 if is_gather(kind) => message_pairs(JobOperationKind::Collective(Collective::AllToAll), groups),
        _ => message_pairs(kind, groups),
    }
}

/// Whether an operation copies to all of a group, or adds up for each of it.
pub(super) fn is_gather(kind: JobOperationKind) -> bool {
    matches!(kind, JobOperationKind::Collective(Collective::AllGather | Collective::ReduceScatter))
}
