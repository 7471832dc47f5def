//! Walks every ordered pair of endpoints, and looks for circles among the channels that wait for each other.

use super::ForeignTables;
use super::network::{MISSING, NOWHERE, Network, Table};
use crate::check::CheckError;
use crate::check::deadlock::shortest_directed_cycle;
use fixedbitset::FixedBitSet;
use petgraph::graph::{DiGraph, NodeIndex};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Most routers of a walk that a message names.
const NAMED: usize = 40;

/// Where the packets that stand at some input of some router end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unknown,
    /// On the path that is being followed.
    Open,
    Arrives,
    Lost,
    Circles,
}

/// Sums over some destinations.
struct Tally {
    /// `[router * ports + port]`
    loads: Vec<u64>,
    vc_hops: Vec<u64>,
    longest: u64,
    pairs: u64,
    /// `[(channel * vcs + vc) * ports * vcs + next port * vcs + next vc]`
    seen: FixedBitSet,
    lost: u64,
    /// The first lost pair: (destination, source).
    first_lost: Option<(usize, usize)>,
    first_circling: Option<(usize, usize)>,
}

struct Judge<'a> {
    file: &'a str,
    network: &'a Network,
    table: &'a dyn Table,
}

/// Judges tables; see [`super::foreign`].
pub(super) fn judge(file: &str, network: &Network, table: &dyn Table) -> Result<ForeignTables, Vec<CheckError>> {
    let judge = Judge { file, network, table };
    let endpoints = network.endpoints.len();
    // A fixed cut into parts, merged in order: the same verdict with any number of threads.
    let part = endpoints.div_ceil(32).max(1);
    let parts: Vec<Range<usize>> = (0..endpoints).step_by(part).map(|start| start..endpoints.min(start + part)).collect();
    let tallies: Vec<Tally> = parts.into_par_iter().map(|part| judge.walk_to(part)).collect();
    let mut sum = judge.empty();
    for tally in tallies {
        sum.loads.iter_mut().zip(&tally.loads).for_each(|(sum, more)| *sum += more);
        sum.vc_hops.iter_mut().zip(&tally.vc_hops).for_each(|(sum, more)| *sum += more);
        sum.longest = sum.longest.max(tally.longest);
        sum.pairs += tally.pairs;
        sum.lost += tally.lost;
        sum.seen.union_with(&tally.seen);
        sum.first_lost = sum.first_lost.or(tally.first_lost);
        sum.first_circling = sum.first_circling.or(tally.first_circling);
    }
    let mut errors = Vec::new();
    errors.extend(sum.first_lost.map(|(dst, src)| judge.undelivered(dst, src, sum.lost, sum.pairs + sum.lost)));
    errors.extend(sum.first_circling.map(|(dst, src)| judge.circling(dst, src)));
    errors.extend(judge.deadlock(&sum.seen));
    if !errors.is_empty() {
        return Err(errors);
    }
    let busiest = (0..sum.loads.len()).rev().max_by_key(|slot| sum.loads[*slot]).unwrap_or(0);
    Ok(ForeignTables {
        routers: network.routers() as u64,
        endpoints: endpoints as u64,
        channels: network.next.iter().filter(|(to, _)| *to != NOWHERE).count() as u64,
        pairs: sum.pairs,
        hops: sum.vc_hops.iter().sum(),
        longest: sum.longest,
        max_channel_load: sum.loads[busiest],
        busiest: network.channel_name(busiest),
        vc_hops: sum.vc_hops,
        dependencies: sum.seen.count_ones(..) as u64,
    })
}

/// What a router does with a packet.
enum Step {
    Arrived,
    /// Why it goes no further.
    Lost(&'static str),
    /// (Channel as `router * ports + port`, VC, the key it comes to.)
    Hop(usize, usize, usize),
}

impl Judge<'_> {
    fn empty(&self) -> Tally {
        let (slots, vcs) = (self.network.next.len(), self.table.vcs());
        Tally {
            loads: vec![0; slots],
            vc_hops: vec![0; vcs],
            longest: 0,
            pairs: 0,
            seen: FixedBitSet::with_capacity(slots * vcs * self.network.ports * vcs),
            lost: 0,
            first_lost: None,
            first_circling: None,
        }
    }

    /// What happens to packets for an endpoint at a key, `router * inputs + input`.
    fn step(&self, row: &[u16], dst: usize, key: usize) -> Step {
        let (inputs, ports) = (self.table.inputs(), self.network.ports);
        let router = key / inputs;
        let end = &self.network.endpoints[dst];
        let home = end.router as usize == router;
        if home && end.port.is_none() {
            return Step::Arrived;
        }
        if row[key] == MISSING {
            return Step::Lost("it has no entry for them");
        }
        let (port, vc) = (usize::from(row[key] & 0xff), usize::from(row[key] >> 8));
        if home && end.port.map(usize::from) == Some(port) {
            return Step::Arrived;
        }
        let slot = router * ports + port;
        match self.network.next[slot] {
            (NOWHERE, _) => Step::Lost("it sends them to a port that leads to no other router and not to the destination"),
            (to, in_port) => {
                let input = if inputs == 1 { 0 } else { 1 + in_port as usize * self.table.vcs() + vc };
                Step::Hop(slot, vc, to as usize * inputs + input)
            }
        }
    }

    fn start(&self, src: usize) -> usize {
        self.network.endpoints[src].router as usize * self.table.inputs()
    }

    fn walk_to(&self, part: Range<usize>) -> Tally {
        let mut tally = self.empty();
        let (vcs, outputs) = (self.table.vcs(), self.network.ports * self.table.vcs());
        let (mut row, mut path) = (Vec::new(), Vec::new());
        for dst in part {
            self.table.fill(dst, &mut row);
            let mut fates = vec![Fate::Unknown; row.len()];
            for src in (0..self.network.endpoints.len()).filter(|src| *src != dst) {
                match self.fate(&row, dst, self.start(src), &mut fates, &mut path) {
                    Fate::Arrives => {}
                    fate => {
                        tally.lost += 1;
                        let first = if fate == Fate::Lost { &mut tally.first_lost } else { &mut tally.first_circling };
                        first.get_or_insert((dst, src));
                        continue;
                    }
                }
                let (mut key, mut hops, mut held) = (self.start(src), 0, None);
                while let Step::Hop(slot, vc, next) = self.step(&row, dst, key) {
                    tally.loads[slot] += 1;
                    tally.vc_hops[vc] += 1;
                    if let Some(held) = held {
                        tally.seen.insert(held * outputs + slot % self.network.ports * vcs + vc);
                    }
                    held = Some(slot * vcs + vc);
                    hops += 1;
                    key = next;
                }
                tally.longest = tally.longest.max(hops);
                tally.pairs += 1;
            }
        }
        tally
    }

    /// Where packets that stand at a key end; every key is followed once.
    fn fate(&self, row: &[u16], dst: usize, start: usize, fates: &mut [Fate], path: &mut Vec<usize>) -> Fate {
        path.clear();
        let mut key = start;
        let fate = loop {
            match fates[key] {
                Fate::Unknown => {}
                Fate::Open => break Fate::Circles,
                known => break known,
            }
            fates[key] = Fate::Open;
            path.push(key);
            match self.step(row, dst, key) {
                Step::Arrived => break Fate::Arrives,
                Step::Lost(_) => break Fate::Lost,
                Step::Hop(_, _, next) => key = next,
            }
        };
        path.iter().for_each(|key| fates[*key] = fate);
        fate
    }

    fn undelivered(&self, dst: usize, src: usize, lost: u64, all: u64) -> CheckError {
        let mut row = Vec::new();
        self.table.fill(dst, &mut row);
        let mut routers = Vec::new();
        let mut key = self.start(src);
        let reason = loop {
            routers.push(self.network.names[key / self.table.inputs()].as_str());
            match self.step(&row, dst, key) {
                Step::Hop(_, _, next) => key = next,
                Step::Lost(reason) => break reason,
                Step::Arrived => break "they arrive",
            }
        };
        let last = routers[routers.len() - 1];
        let cut = routers.len().saturating_sub(NAMED);
        let from = if cut > 0 { format!("({cut} routers) -> ") } else { String::new() };
        CheckError::Undelivered {
            tables: self.file.to_owned(),
            pairs: lost,
            all,
            src: self.network.endpoints[src].name.clone(),
            dst: self.network.endpoints[dst].name.clone(),
            walk: format!("  {from}{}\n  at {last}: {reason}", routers[cut..].join(" -> ")),
        }
    }

    fn circling(&self, dst: usize, src: usize) -> CheckError {
        let mut row = Vec::new();
        self.table.fill(dst, &mut row);
        let mut seen = BTreeMap::new();
        let mut hops = Vec::new();
        let mut key = self.start(src);
        while let Step::Hop(slot, vc, next) = self.step(&row, dst, key) {
            if let Some(first) = seen.insert(key, hops.len()) {
                hops.drain(..first);
                break;
            }
            hops.push(self.channel(slot, vc));
            key = next;
        }
        CheckError::Loop {
            scenario: self.file.to_owned(),
            src: self.network.endpoints[src].name.clone(),
            dst: self.network.endpoints[dst].name.clone(),
            cycle: hops.join("\n"),
        }
    }

    fn channel(&self, slot: usize, vc: usize) -> String {
        let vc = if self.table.vcs() > 1 { format!(" on VC {vc}") } else { String::new() };
        format!("  {}{vc}", self.network.channel_name(slot))
    }

    /// The conviction for a shortest circle of channels that wait for each other, each with a pair that waits.
    fn deadlock(&self, seen: &FixedBitSet) -> Option<CheckError> {
        let (vcs, ports) = (self.table.vcs(), self.network.ports);
        let outputs = ports * vcs;
        let vertices = self.network.next.len() * vcs;
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(vertices, seen.count_ones(..));
        for _ in 0..vertices {
            graph.add_node(());
        }
        for number in seen.ones() {
            let (held, output) = (number / outputs, number % outputs);
            let (to, _) = self.network.next[held / vcs];
            graph.add_edge(NodeIndex::new(held), NodeIndex::new(to as usize * outputs + output), ());
        }
        let cycle = shortest_directed_cycle(&graph)?;
        let numbers: Vec<usize> =
            cycle.iter().zip(cycle.iter().cycle().skip(1)).map(|(held, next)| held * outputs + next % outputs).collect();
        let users = self.users(&numbers.iter().copied().collect());
        let lines: Vec<String> = cycle
            .iter()
            .zip(&numbers)
            .map(|(held, number)| {
                let channel = self.channel(held / vcs, held % vcs);
                let name = |end: usize| self.network.endpoints[end].name.as_str();
                users
                    .get(number)
                    .map_or(channel.clone(), |(src, dst)| format!("{channel}, held by packets from {} to {}", name(*src), name(*dst)))
            })
            .collect();
        Some(CheckError::Deadlock { scenario: self.file.to_owned(), length: cycle.len(), cycle: lines.join("\n"), span: None })
    }

    /// For each dependency asked for, the first pair that makes it: (source, destination).
    fn users(&self, wanted: &BTreeSet<usize>) -> BTreeMap<usize, (usize, usize)> {
        let (vcs, outputs) = (self.table.vcs(), self.network.ports * self.table.vcs());
        let mut found = BTreeMap::new();
        let (mut row, mut path) = (Vec::new(), Vec::new());
        for dst in 0..self.network.endpoints.len() {
            self.table.fill(dst, &mut row);
            let mut fates = vec![Fate::Unknown; row.len()];
            for src in (0..self.network.endpoints.len()).filter(|src| *src != dst) {
                if found.len() == wanted.len() {
                    return found;
                }
                if self.fate(&row, dst, self.start(src), &mut fates, &mut path) != Fate::Arrives {
                    continue;
                }
                let (mut key, mut held) = (self.start(src), None);
                while let Step::Hop(slot, vc, next) = self.step(&row, dst, key) {
                    let number = held.map(|held: usize| held * outputs + slot % self.network.ports * vcs + vc);
                    if let Some(number) = number.filter(|number| wanted.contains(number)) {
                        found.entry(number).or_insert((src, dst));
                    }
                    held = Some(slot * vcs + vc);
                    key = next;
                }
            }
        }
        found
    }
}
