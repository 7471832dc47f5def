//! Walks every ordered pair of endpoints, and looks for circles among the channels that wait for each other.

use super::dependencies::Dependencies;
use super::network::{DISCARDED, Lookup, MISSING, NO_LANE, NOWHERE, Network, Table, unpacked};
use super::verdict::{ForeignTables, Rejected, malformed};
use crate::CheckError;
use crate::deadlock::shortest_directed_cycle;
use fabc_model::VcCount;
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
    lost: u64,
    /// The first lost pair: (destination, source).
    first_lost: Option<(usize, usize)>,
    first_circling: Option<(usize, usize)>,
}

struct Judge<'a> {
    file: &'a str,
    network: &'a Network,
    table: &'a dyn Table,
    /// Of every router.
    inputs: usize,
    dependencies: Dependencies,
}

/// Judges tables; see [`super::foreign`].
pub(super) fn judge(file: &str, network: &Network, table: &dyn Table) -> Result<ForeignTables, Rejected> {
    let Some(dependencies) = Dependencies::new(network, table.vcs()) else {
        let what = "between the channels of this network more dependencies are possible than memory can hold";
        return Err(Rejected::Unreadable(Box::new(malformed(file, 1, what))));
    };
    let judge = Judge { file, network, table, inputs: table.lookup().inputs(network.ports, table.vcs()), dependencies };
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
        sum.first_lost = sum.first_lost.or(tally.first_lost);
        sum.first_circling = sum.first_circling.or(tally.first_circling);
    }
    let mut errors = Vec::new();
    errors.extend(sum.first_lost.map(|(dst, src)| judge.undelivered(dst, src, sum.lost, sum.pairs + sum.lost)));
    errors.extend(sum.first_circling.map(|(dst, src)| judge.circling(dst, src)));
    errors.extend(judge.deadlock());
    if !errors.is_empty() {
        return Err(Rejected::Convicted(errors));
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
        dependencies: judge.dependencies.count(),
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
        Tally { loads: vec![0; slots], vc_hops: vec![0; vcs], longest: 0, pairs: 0, lost: 0, first_lost: None, first_circling: None }
    }

    /// What happens to packets for an endpoint at a key, `router * inputs + input`.
    fn step(&self, row: &[u32], dst: usize, key: usize) -> Step {
        let (router, vcs) = (key / self.inputs, self.table.vcs());
        let end = &self.network.endpoints[dst];
        let home = end.router as usize == router;
        if home && end.port.is_none() {
            return Step::Arrived;
        }
        if let (Lookup::Count(count), true) = (self.table.lookup(), key % self.inputs == vcs) {
            return Step::Lost(match count {
                VcCount::Hops => "they have made as many hops as there are virtual channels to count them",
                VcCount::GlobalHops => "they have crossed as many global links as there are virtual channels to count them",
            });
        }
        match row[key] {
            MISSING => return Step::Lost("it has no entry for them"),
            DISCARDED => return Step::Lost("its SL2VL table discards them (VL 15)"),
            NO_LANE => return Step::Lost("its SL2VL tables have no line for these two ports"),
            _ => {}
        }
        let (port, vc) = unpacked(row[key]);
        if home && end.port.map(usize::from) == Some(port) {
            return Step::Arrived;
        }
        let slot = router * self.network.ports + port;
        match self.network.next[slot] {
            (NOWHERE, _) => Step::Lost("it sends them to a port that leads to no other router and not to the destination"),
            (to, in_port) => {
                let global = self.network.global.get(slot).is_some_and(|global| *global);
                let input = self.table.lookup().input(key % self.inputs, in_port as usize, vc, vcs, global);
                Step::Hop(slot, vc, to as usize * self.inputs + input)
            }
        }
    }

    /// Where packets of a pair start; `None` if their source discards them.
    fn start(&self, src: usize, dst: usize) -> Option<usize> {
        Some(self.network.endpoints[src].router as usize * self.inputs + self.table.start(src, dst)?)
    }

    fn walk_to(&self, part: Range<usize>) -> Tally {
        let mut tally = self.empty();
        let (mut row, mut path) = (Vec::new(), Vec::new());
        let weight = |end: usize| u64::from(self.network.endpoints[end].weight);
        for dst in part {
            self.table.fill(dst, &mut row);
            let mut fates = vec![Fate::Unknown; row.len()];
            for src in (0..self.network.endpoints.len()).filter(|src| *src != dst) {
                let start = self.start(src, dst);
                match start.map_or(Fate::Lost, |start| self.fate(&row, dst, start, &mut fates, &mut path)) {
                    Fate::Arrives => {}
                    fate => {
                        tally.lost += 1;
                        let first = if fate == Fate::Lost { &mut tally.first_lost } else { &mut tally.first_circling };
                        first.get_or_insert((dst, src));
                        continue;
                    }
                }
                let Some(mut key) = start else { continue };
                let (mut hops, mut held, load) = (0, None, weight(src) * weight(dst));
                while let Step::Hop(slot, vc, next) = self.step(&row, dst, key) {
                    tally.loads[slot] += load;
                    tally.vc_hops[vc] += 1;
                    if let Some(held) = held {
                        self.dependencies.insert(self.dependencies.number(held, (slot, vc)));
                    }
                    held = Some((slot, vc));
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
    fn fate(&self, row: &[u32], dst: usize, start: usize, fates: &mut [Fate], path: &mut Vec<usize>) -> Fate {
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
        let mut key = self.start(src, dst).unwrap_or(usize::MAX);
        let reason = loop {
            if key == usize::MAX {
                routers.push(self.network.endpoints[src].name.as_str());
                break "its SL2VL table discards them (VL 15)";
            }
            routers.push(self.network.names[key / self.inputs].as_str());
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
        let mut key = self.start(src, dst).unwrap_or(0);
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

    /// The conviction for a shortest circle of channels that wait for each other, each with a pair that
    /// waits.
    fn deadlock(&self) -> Option<CheckError> {
        let cycle = shortest_directed_cycle(&self.dependencies.graph())?;
        let cycle: Vec<(usize, usize)> = cycle.into_iter().map(|vertex| self.dependencies.held(vertex)).collect();
        let next = cycle.iter().cycle().skip(1);
        let numbers: Vec<u64> = cycle.iter().zip(next).map(|(held, next)| self.dependencies.number(*held, *next)).collect();
        let users = self.users(&numbers.iter().copied().collect());
        let lines: Vec<String> = cycle
            .iter()
            .zip(&numbers)
            .map(|(&(slot, vc), number)| {
                let channel = self.channel(slot, vc);
                let name = |end: usize| self.network.endpoints[end].name.as_str();
                users
                    .get(number)
                    .map_or(channel.clone(), |(src, dst)| format!("{channel}, held by packets from {} to {}", name(*src), name(*dst)))
            })
            .collect();
        Some(CheckError::Deadlock { scenario: self.file.to_owned(), length: cycle.len(), cycle: lines.join("\n"), span: None })
    }

    /// For each dependency asked for, the first pair that makes it: (source, destination).
    fn users(&self, wanted: &BTreeSet<u64>) -> BTreeMap<u64, (usize, usize)> {
        let mut found = BTreeMap::new();
        let (mut row, mut path) = (Vec::new(), Vec::new());
        for dst in 0..self.network.endpoints.len() {
            self.table.fill(dst, &mut row);
            let mut fates = vec![Fate::Unknown; row.len()];
            for src in (0..self.network.endpoints.len()).filter(|src| *src != dst) {
                if found.len() == wanted.len() {
                    return found;
                }
                let Some(start) = self.start(src, dst) else { continue };
                if self.fate(&row, dst, start, &mut fates, &mut path) != Fate::Arrives {
                    continue;
                }
                let (mut key, mut held) = (start, None);
                while let Step::Hop(slot, vc, next) = self.step(&row, dst, key) {
                    let number = held.map(|held| self.dependencies.number(held, (slot, vc)));
                    if let Some(number) = number.filter(|number| wanted.contains(number)) {
                        found.entry(number).or_insert((src, dst));
                    }
                    held = Some((slot, vc));
                    key = next;
                }
            }
        }
        found
    }
}
