//! Who waits for whom when nothing moves any more, in words.

use super::errors::SimError;
use super::prepare::Prepared;
use fabc_base::ids::{ChannelId, NodeId};

/// A queue, and from where to where its first packet goes.
pub(super) struct Waiting {
    pub(super) channel: u32,
    pub(super) vc: u32,
    /// Endpoints.
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The circle that a walk from queue to queue comes to; all of the walk if it ends.
pub(super) fn circle(first: Option<u32>, next: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    let mut seen = Vec::new();
    let mut at = first;
    while let Some(queue) = at.filter(|queue| !seen.contains(queue)) {
        seen.push(queue);
        at = next(queue);
    }
    let start = at.and_then(|again| seen.iter().position(|queue| *queue == again));
    seen.split_off(start.unwrap_or(0))
}

/// Nothing has moved since a cycle, and these wait for each other; `at` says what is run.
pub(super) fn deadlock(of: &Prepared<'_>, at: &str, since: u32, circle: &[Waiting]) -> SimError {
    let router = |endpoint: u32| of.topology.name(NodeId(of.endpoints.router[endpoint as usize]));
    let line = |waiting: &Waiting| {
        let (channel, from, to) =
            (of.topology.channel_name(ChannelId(waiting.channel)), router(waiting.from), router(waiting.to));
        format!("  {channel} on VC {}, held by packets from {from} to {to}", waiting.vc)
    };
    let lines: Vec<String> = circle.iter().map(line).collect();
    SimError::Deadlock {
        scenario: of.scenario.clone(),
        at: at.to_owned(),
        cycle: since,
        length: lines.len(),
        circle: lines.join("\n"),
    }
}
