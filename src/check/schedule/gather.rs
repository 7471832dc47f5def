//! The replay of a gather: when every chip has got every chunk.

use super::ScheduleError;
use super::transfers::Plan;
use crate::CheckError;

/// Not yet.
const NEVER: u32 = u32::MAX;

/// Checks that chunks are sent by who has them only and that in the end each chip has got each chunk exactly
/// once, but its own.
pub(super) fn gather(plan: &Plan<'_>) -> Result<(), CheckError> {
    // `[cell]`: the round in which it comes.
    let mut came = vec![NEVER; plan.routers.len() * plan.columns];
    for transfer in &plan.transfers {
        let cell = &mut came[plan.cell(transfer.to)];
        let has = match *cell {
            _ if plan.owns(transfer.to.0, transfer.to.1) => Some("started with it"),
            NEVER => None,
            _ => Some("has got it before"),
        };
        if let Some(has) = has {
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            return Err(ScheduleError::Twice { round, channel: plan.name(transfer), chunk, has }.into());
        }
        *cell = transfer.round;
    }
    for transfer in plan.transfers.iter().filter(|transfer| !plan.owns(transfer.from.0, transfer.from.1)) {
        let since = came[plan.cell(transfer.from)];
        let usable = since != NEVER && u64::from(transfer.round) > u64::from(since) + u64::from(plan.latency);
        if !usable {
            let since = if since == NEVER {
                "never".to_owned()
            } else {
                format!("from round {since} on, {} later", plan.latency)
            };
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            return Err(ScheduleError::Early { round, channel: plan.name(transfer), chunk, since }.into());
        }
    }
    let missing = plan
        .cells()
        .find(|&(class, column)| came[plan.cell((class, column))] == NEVER && !plan.owns(class, column));
    missing.map_or(Ok(()), |(class, column)| {
        let chip = plan.scene.topology.name(plan.routers[class as usize]);
        Err(ScheduleError::Missing { chip, chunk: column + plan.base }.into())
    })
}
