//! Replays a reduction. Rounds run from the last to the first, and channels against their direction.
//! Arriving data is added to what is there.

use super::ScheduleError;
use super::transfers::{RoundTransfers, StateCell};
use crate::CheckError;

/// Verifies that each chip sends its sum of a chunk at most once and adds nothing to it afterwards. The
/// owners must end with the contributions of all chips. Sums that are sent only once have no contribution in
/// common.
pub(super) fn replay_reduction(plan: &RoundTransfers<'_>) -> Result<(), CheckError> {
    /// Marks a sum that has not been sent.
    const NEVER: i64 = i64::MIN;
    // `[cell]`: the round in which its sum was sent, and its number of contributions.
    let mut sent = vec![NEVER; plan.routers.len() * plan.columns];
    let mut sums = vec![1u64; sent.len()];
    // Within a round, first the sums leave, then they are added.
    let mut remaining = &plan.transfers[..];
    while let Some(last) = remaining.last() {
        let start = remaining.partition_point(|transfer| transfer.round < last.round);
        let (before, now) = remaining.split_at(start);
        remaining = before;
        for transfer in now {
            let cell = plan.cell(transfer.to);
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            if plan.owns(transfer.to) {
                return Err(ScheduleError::Twice {
                    round,
                    channel: plan.name(transfer),
                    chunk,
                    possession: "keeps the sum of it",
                }
                .into());
            }
            if sent[cell] != NEVER {
                return Err(ScheduleError::Twice {
                    round,
                    channel: plan.name(transfer),
                    chunk,
                    possession: "has sent its sum before",
                }
                .into());
            }
            sent[cell] = i64::from(transfer.round);
        }
        for transfer in now {
            let cell = plan.cell(transfer.from);
            if sent[cell] != NEVER {
                let (round, chunk) = (transfer.round as usize, transfer.chunk);
                let since = format!("sent on in round {}", sent[cell]);
                return Err(ScheduleError::Early { round, channel: plan.name(transfer), chunk, since }.into());
            }
            sums[cell] += sums[plan.cell(transfer.to)];
        }
    }
    // A sum arrives `latency` rounds after it was sent.
    for transfer in &plan.transfers {
        let onward = sent[plan.cell(transfer.from)];
        if onward != NEVER && i64::from(transfer.round) <= onward + i64::from(plan.latency) {
            let (round, chunk, since) =
                (transfer.round as usize, transfer.chunk, format!("sent on in round {onward}"));
            return Err(ScheduleError::Early { round, channel: plan.name(transfer), chunk, since }.into());
        }
    }
    let chips = plan.scene.endpoints().count() as u64;
    for state_cell in plan.cells() {
        let StateCell { class, column } = state_cell;
        let cell = plan.cell(state_cell);
        let (chip, chunk) = (|| plan.scene.topology.name(plan.routers[class as usize]), column + plan.base);
        if !plan.owns(state_cell) {
            if sent[cell] == NEVER {
                return Err(ScheduleError::Missing { chip: chip(), chunk }.into());
            }
        } else if sums[cell] != chips {
            return Err(ScheduleError::Sum { chip: chip(), chunk, contributions: sums[cell], chips }.into());
        }
    }
    Ok(())
}
