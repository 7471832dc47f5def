//! The replay of vectors that are copied: who has one since when.

use super::plan::{Replay, Step};
use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};

/// A vector that is copied: `came[router]` is when, and nothing where the replay ends.
pub(super) fn copies(of: &Replay<'_>, came: &mut [u64], steps: &[Step]) -> Result<u64, CheckError> {
    let vector = steps[0].vector;
    let failed = |cycle: u32, what: String| CheckError::from(ScheduleError::Vector { vector, cycle, what });
    came.fill(u64::MAX);
    let owner = of.owner(vector).or(of.schedule.root).unwrap_or(NodeId(0));
    came[owner.index()] = of.since(vector);
    let mut end = 0;
    for step in steps {
        let name = |node| of.scene.topology.name(node);
        if came[step.from.index()] > u64::from(step.cycle) {
            let since = came[step.from.index()];
            let since = if since == u64::MAX { "never".to_owned() } else { format!("in cycle {since}") };
            return Err(failed(step.cycle, format!("leaves {}, where it has come {since}", name(step.from))));
        }
        if came[step.to.index()] != u64::MAX {
            return Err(failed(step.cycle, format!("is sent to {}, which has it", name(step.to))));
        }
        came[step.to.index()] = u64::from(step.cycle) + u64::from(of.timed.pace.hop);
        end = end.max(came[step.to.index()]);
    }
    let lacks = |node: &&NodeId| came[node.index()] == u64::MAX;
    let missing = match of.destination(vector) {
        Some(to) => Some(&to).filter(lacks).copied(),
        None => of.members(vector).iter().find(lacks).copied(),
    };
    match missing {
        Some(node) => Err(failed(
            steps[steps.len() - 1].cycle,
            format!("never comes to {}", of.scene.topology.name(node)),
        )),
        None => Ok(end),
    }
}
