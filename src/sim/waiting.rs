//! Describes a deadlock: which queues wait for each other.

use super::errors::SimError;
use super::prepare::Prepared;
use fabc_base::ids::{ChannelId, NodeId};

/// A queue, and the source and destination of its first packet.
pub(super) struct WaitingQueue {
    pub(super) channel: u32,
    pub(super) vc: u32,
    /// The source and destination endpoints.
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The cycle that a walk from queue to queue comes to. It is the whole walk if the walk ends.
pub(super) fn wait_cycle(first: Option<u32>, next: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    let mut seen = Vec::new();
    let mut current = first;
    while let Some(queue) = current.filter(|queue| !seen.contains(queue)) {
        seen.push(queue);
        current = next(queue);
    }
    let start = current.and_then(|again| seen.iter().position(|queue| *queue == again));
    seen.split_off(start.unwrap_or(0))
}

/// The error of a deadlock: nothing has moved since a cycle, and these queues wait for each other. `at` is
/// the rate or the traffic of the run.
pub(super) fn deadlock(
    prepared: &Prepared<'_>,
    at: &str,
    since: u32,
    wait_cycle: &[WaitingQueue],
) -> SimError {
    let router = |endpoint: u32| prepared.topology.name(NodeId(prepared.endpoints.router[endpoint as usize]));
    let line = |waiting: &WaitingQueue| {
        let (channel, from, to) = (
            prepared.topology.channel_name(ChannelId(waiting.channel)),
            router(waiting.from),
            router(waiting.to),
        );
        format!("  {channel} on VC {}, held by packets from {from} to {to}", waiting.vc)
    };
    let lines: Vec<String> = wait_cycle.iter().map(line).collect();
    SimError::Deadlock {
        scenario: prepared.scenario.clone(),
        at: at.to_owned(),
        cycle: since,
        length: lines.len(),
        wait_cycle: lines.join("\n"),
    }
}
