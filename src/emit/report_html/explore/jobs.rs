//! The schedules of collectives as events: which channel is busy from when on, and for how long.

use crate::compiled::CompiledFabric;
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Rounds, RunDirection, Timed, Topology, Transfers};
use serde_json::{Value, json};

/// Maximum events of a page.
const EVENTS: usize = 160_000;

/// A channel that is busy for a while.
pub(super) struct BusyChannel {
    pub(super) start: u64,
    pub(super) time: u64,
    pub(super) channel: ChannelId,
}

/// The events of one schedule, by start.
pub(super) struct JobEvents {
    name: String,
    title: String,
    /// What times count: cycles, or times that a chunk keeps a channel busy.
    unit: &'static str,
    /// Whether channels of canonical routers stand for their images.
    canonical: bool,
    /// Whether these are the channels into canonical routers, not those out of them.
    into: bool,
    pub(super) events: Vec<BusyChannel>,
}

/// The schedules of the healthy fabric that are made of rounds or cycles, as many as fit.
pub(super) fn job_events(compiled: &CompiledFabric) -> Vec<JobEvents> {
    let topology = &compiled.topology;
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    let jobs = results.filter_map(|(declared, result)| {
        let schedule = &result.nominal()?.schedule;
        let title = format!("{} by {}", schedule.collective.name(), schedule.algorithm.name());
        let (unit, canonical, into, events) = match &schedule.transfers {
            Transfers::Timed(timed) => ("cycles", timed.canonical, false, timed_events(topology, timed)),
            Transfers::Rounds(rounds) => {
                let reversed = rounds.order == [RunDirection::Reverse];
                ("chunk times", rounds.canonical, !reversed, round_events(topology, rounds, reversed))
            }
            _ => return None,
        };
        Some(JobEvents { name: declared.name.clone(), title, unit, canonical, into, events })
    });
    let mut sum = 0;
    let fits = |job: &JobEvents| {
        sum += job.events.len();
        sum <= EVENTS
    };
    jobs.take_while(fits).collect()
}

fn timed_events(topology: &Topology, timed: &Timed) -> Vec<BusyChannel> {
    let event = |send: &fabc_ir::TimedSend| {
        let channel = topology.outgoing(send.chip, send.port)?;
        let start = u64::from(send.cycle - timed.start);
        Some(BusyChannel { start, time: timed.pace.slot.into(), channel })
    };
    timed.sends.iter().filter_map(event).collect()
}

/// The rounds one after the other, each as long as its widest channel. A reduction runs backwards.
fn round_events(topology: &Topology, rounds: &Rounds, reversed: bool) -> Vec<BusyChannel> {
    let mut start = 0;
    let mut events = Vec::new();
    let in_order = (0..rounds.rounds.len()).map(|index| match reversed {
        true => &rounds.rounds[rounds.rounds.len() - 1 - index],
        false => &rounds.rounds[index],
    });
    for round in in_order {
        for pull in &round.pulls {
            let reverse = || topology.reverse(pull.channel).unwrap_or(pull.channel);
            let channel = if reversed { reverse() } else { pull.channel };
            let lanes = topology.channel_capacity(channel).max(1);
            events.push(BusyChannel { start, time: (pull.chunks.len() as u64).div_ceil(lanes), channel });
        }
        start += u64::from(round.width);
    }
    events
}

impl JobEvents {
    /// What the head says of it.
    pub(super) fn value(&self) -> Value {
        let end = self.events.iter().map(|event| event.start + event.time).max().unwrap_or(0);
        json!({
            "name": self.name,
            "title": self.title,
            "unit": self.unit,
            "canonical": u8::from(self.canonical),
            "into": u8::from(self.into),
            "end": end,
            "events": self.events.len(),
        })
    }

    /// The numbers of its events: for each the time since the start of the one before, its own time, and its
    /// channel as the router and port that it leaves.
    pub(super) fn numbers<'a>(&'a self, topology: &'a Topology) -> impl Iterator<Item = u64> + 'a {
        let mut before = 0;
        self.events.iter().flat_map(move |event| {
            let since = event.start - std::mem::replace(&mut before, event.start);
            let end = topology.source(event.channel);
            [since, event.time, end.node.index() as u64, end.port.index() as u64]
        })
    }
}
