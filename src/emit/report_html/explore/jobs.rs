//! The schedules of collectives as events: which channel is busy from when on, and for how long.

use super::busy::BusyChannel;
use super::pipelines::{Pipeline, forest_events, path_events, tree_events};
use crate::compiled::CompiledFabric;
use crate::external::NominalTables;
use crate::tables::keeps_topology_symmetry;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Rounds, RoutedMessage, RunDirection, Schedule, Sends, Timed, Topology, Transfers};
use serde_json::{Value, json};

/// Maximum events of a page.
const EVENTS: usize = 160_000;

/// The events of one schedule, by start.
pub(super) struct JobEvents {
    name: String,
    title: String,
    /// What times count: cycles, slots, or times that a chunk, a piece or a part keeps a channel busy.
    unit: &'static str,
    /// Whether channels of canonical routers stand for their images.
    canonical: bool,
    /// Whether these are the channels into canonical routers, not those out of them.
    into: bool,
    pub(super) events: Vec<BusyChannel>,
}

/// The schedules of the healthy fabric: those that the page draws, and the names of the others.
pub(super) struct DrawnSchedules {
    pub(super) drawn: Vec<JobEvents>,
    pub(super) undrawn: Vec<String>,
}

/// The schedules of the healthy fabric, as many as fit.
pub(super) fn job_events(compiled: &CompiledFabric) -> DrawnSchedules {
    let mut found = DrawnSchedules { drawn: Vec::new(), undrawn: Vec::new() };
    let mut sum = 0;
    for (declared, result) in compiled.fabric.collectives.iter().zip(&compiled.collectives) {
        let Some(nominal) = result.nominal() else { continue };
        // A large schedule leaves room for smaller ones after it.
        match schedule_events(compiled, &declared.name, &nominal.schedule) {
            Some(job) if sum + job.events.len() <= EVENTS => {
                sum += job.events.len();
                found.drawn.push(job);
            }
            _ => found.undrawn.push(declared.name.clone()),
        }
    }
    found
}

/// The events of one schedule. `None` where the page cannot say which channels its messages take.
fn schedule_events(compiled: &CompiledFabric, name: &str, schedule: &Schedule) -> Option<JobEvents> {
    let topology = &compiled.topology;
    let title = format!("{} by {}", schedule.collective.name(), schedule.algorithm.name());
    let job = |title, unit, canonical, into, events| {
        Some(JobEvents { name: name.to_owned(), title, unit, canonical, into, events })
    };
    let pipeline = |word: &str, unit, Pipeline { events, shown, all }: Pipeline| {
        let part = if shown < all { format!("the first {shown} of {all}") } else { format!("all {all}") };
        job(format!("{title}, a piece of {part} {word}"), unit, false, false, events)
    };
    match &schedule.transfers {
        Transfers::Timed(timed) => {
            job(title, "cycles", timed.canonical, false, timed_events(topology, timed))
        }
        Transfers::Rounds(rounds) => {
            let reversed = rounds.order == [RunDirection::Reverse];
            let events = round_events(topology, rounds, reversed);
            job(title, "chunk times", rounds.canonical, !reversed, events)
        }
        Transfers::Trees(shared) => pipeline("trees", "piece times", tree_events(topology, shared)),
        Transfers::Forest(forest) => {
            let events = forest_events(topology, forest, schedule.collective);
            pipeline("trees", "part times", events)
        }
        Transfers::Paths(paths) => pipeline("paths", "part times", path_events(topology, paths)),
        Transfers::Sends(sends) => {
            let (canonical, events) = send_events(compiled, schedule, sends)?;
            job(title, "slots", canonical, false, events)
        }
    }
}

/// The hops of messages in their slots, and whether those of canonical routers stand for all. `None` without
/// tables, and where messages stand for others under a symmetry that the page does not list.
fn send_events(
    compiled: &CompiledFabric,
    schedule: &Schedule,
    sends: &Sends,
) -> Option<(bool, Vec<BusyChannel>)> {
    let topology = &compiled.topology;
    let tables = NominalTables::from_compiled(compiled)?;
    let is_listed = keeps_topology_symmetry(tables.symmetry(), topology.symmetry());
    if sends.canonical && !is_listed && !tables.symmetry().is_trivial() {
        return None;
    }
    let (mut begin, mut events) = (0, Vec::new());
    for list in schedule.message_lists(sends) {
        for message in list {
            let route = tables.route(message.source, message.destination);
            let hop = |(&slot, (router, port, _)): (&u32, (NodeId, PortId, u8))| {
                let channel = topology.outgoing(router, port)?;
                Some(BusyChannel { start: begin + u64::from(slot), time: 1, channel })
            };
            events.extend(message.slots.iter().zip(route).filter_map(hop));
        }
        begin += u64::from(RoutedMessage::slots_of(list));
    }
    events.sort_by_key(|event| (event.start, event.channel));
    Some((sends.canonical && is_listed, events))
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
