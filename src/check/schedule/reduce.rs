//! The replay of a reduction: rounds from the last to the first, every channel against its direction, and
//! what arrives is added to what is there.

use super::ScheduleError;
use super::transfers::Plan;
use crate::CheckError;

/// Checks that each chip sends its sum of a chunk at most once and adds nothing to it afterwards, and that
/// the owners end with the contributions of all. Sums that are sent once only have no contribution in common.
pub(super) fn reduce(plan: &Plan<'_>) -> Result<(), CheckError> {
    /// Not sent.
    const NEVER: i64 = i64::MIN;
    // `[cell]`: the round in which its sum was sent, and how many it is of.
    let mut sent = vec![NEVER; plan.routers.len() * plan.columns];
    let mut sums = vec![1u64; sent.len()];
    // Of one round at first the sums that leave, then what they are added to.
    let mut rest = &plan.transfers[..];
    while let Some(last) = rest.last() {
        let start = rest.partition_point(|transfer| transfer.round < last.round);
        let (before, now) = rest.split_at(start);
        rest = before;
        for transfer in now {
            let cell = plan.cell(transfer.to);
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            if plan.owns(transfer.to.0, transfer.to.1) {
                return Err(ScheduleError::Twice {
                    round,
                    channel: plan.name(transfer),
                    chunk,
                    has: "keeps the sum of it",
                }
                .into());
            }
            if sent[cell] != NEVER {
                return Err(ScheduleError::Twice {
                    round,
                    channel: plan.name(transfer),
                    chunk,
                    has: "has sent its sum before",
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
    // What is on its way is there `latency` rounds later.
    for transfer in &plan.transfers {
        let onward = sent[plan.cell(transfer.from)];
        if onward != NEVER && i64::from(transfer.round) <= onward + i64::from(plan.latency) {
            let (round, chunk, since) =
                (transfer.round as usize, transfer.chunk, format!("sent on in round {onward}"));
            return Err(ScheduleError::Early { round, channel: plan.name(transfer), chunk, since }.into());
        }
    }
    let chips = plan.scene.endpoints().count() as u64;
    for (class, column) in plan.cells() {
        let cell = plan.cell((class, column));
        let (chip, chunk) = (|| plan.scene.topology.name(plan.routers[class as usize]), column + plan.base);
        if !plan.owns(class, column) {
            if sent[cell] == NEVER {
                return Err(ScheduleError::Missing { chip: chip(), chunk }.into());
            }
        } else if sums[cell] != chips {
            return Err(ScheduleError::Sum { chip: chip(), chunk, contributions: sums[cell], chips }.into());
        }
    }
    Ok(())
}
