//! Replays a gather, and determines when every chip has received every chunk.

use super::ScheduleError;
use super::transfers::{RoundTransfers, StateCell};
use crate::CheckError;

/// Marks a chunk that has not arrived.
const NEVER: u32 = u32::MAX;

/// Verifies that only chips that have a chunk send it. In the end each chip must have received each chunk
/// once, except its own.
pub(super) fn replay_gather(plan: &RoundTransfers<'_>) -> Result<(), CheckError> {
    // `[cell]`: the round in which the chunk arrives.
    let mut arrival = vec![NEVER; plan.routers.len() * plan.columns];
    for transfer in &plan.transfers {
        let cell = &mut arrival[plan.cell(transfer.to)];
        let possession = match *cell {
            _ if plan.owns(transfer.to) => Some("started with it"),
            NEVER => None,
            _ => Some("has got it before"),
        };
        if let Some(possession) = possession {
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            return Err(
                ScheduleError::Twice { round, channel: plan.name(transfer), chunk, possession }.into()
            );
        }
        *cell = transfer.round;
    }
    for transfer in plan.transfers.iter().filter(|transfer| !plan.owns(transfer.from)) {
        let since = arrival[plan.cell(transfer.from)];
        let is_usable =
            since != NEVER && u64::from(transfer.round) > u64::from(since) + u64::from(plan.latency);
        if !is_usable {
            let since = if since == NEVER {
                "never".to_owned()
            } else {
                format!("from round {since} on, {} later", plan.latency)
            };
            let (round, chunk) = (transfer.round as usize, transfer.chunk);
            return Err(ScheduleError::Early { round, channel: plan.name(transfer), chunk, since }.into());
        }
    }
    let missing = plan.cells().find(|&cell| arrival[plan.cell(cell)] == NEVER && !plan.owns(cell));
    missing.map_or(Ok(()), |StateCell { class, column }| {
        let chip = plan.scene.topology.name(plan.routers[class as usize]);
        Err(ScheduleError::Missing { chip, chunk: column + plan.base }.into())
    })
}
