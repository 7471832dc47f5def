//! Replays vectors that are copied, and records when each router has them.

use super::plan::{VectorReplay, VectorStep};
use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};

/// Replays a vector that is copied. `arrivals[router]` is a cycle, or `u64::MAX` if the vector is not there.
pub(super) fn replay_copies(
    replay: &VectorReplay<'_>,
    arrivals: &mut [u64],
    steps: &[VectorStep],
) -> Result<u64, CheckError> {
    let vector = steps[0].vector;
    let vector_error =
        |cycle: u32, violation: String| CheckError::from(ScheduleError::Vector { vector, cycle, violation });
    arrivals.fill(u64::MAX);
    let owner = replay.owner(vector).or(replay.schedule.root).unwrap_or(NodeId(0));
    arrivals[owner.index()] = replay.since(vector);
    let mut end = 0;
    for step in steps {
        let name = |node| replay.scene.topology.name(node);
        if arrivals[step.from.index()] > u64::from(step.cycle) {
            let since = arrivals[step.from.index()];
            let since = if since == u64::MAX { "never".to_owned() } else { format!("in cycle {since}") };
            return Err(vector_error(
                step.cycle,
                format!("leaves {}, where it arrives {since}", name(step.from)),
            ));
        }
        if arrivals[step.to.index()] != u64::MAX {
            return Err(vector_error(
                step.cycle,
                format!("is sent to {}, which has it already", name(step.to)),
            ));
        }
        arrivals[step.to.index()] = u64::from(step.cycle) + u64::from(replay.timed.pace.hop);
        end = end.max(arrivals[step.to.index()]);
    }
    let is_missing = |node: &&NodeId| arrivals[node.index()] == u64::MAX;
    let missing = match replay.destination(vector) {
        Some(to) => Some(&to).filter(is_missing).copied(),
        None => replay.members(vector).iter().find(is_missing).copied(),
    };
    match missing {
        Some(node) => Err(vector_error(
            steps[steps.len() - 1].cycle,
            format!("never arrives at {}", replay.scene.topology.name(node)),
        )),
        None => Ok(end),
    }
}
