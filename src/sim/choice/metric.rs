//! Distances between routers, and the channels that lead nearer.

use super::super::layout::{NONE, NetworkLayout};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Breadth, End, GroupTables, Neighbors, Scene};
use rayon::prelude::*;

/// The channels from which packets draw their next hop.
pub(in super::super) enum NextHopRule {
    /// All channels that lead nearer, with equal chances.
    Any,
    /// The channel that leads to the router with the lowest number.
    First,
    /// All channels that lead nearer by a hop inside the group or to the group of the destination. Groups
    /// have this many routers.
    Groups(u32),
    /// All channels on shortest paths that go up through tiers and then down: `[router]`, its tier.
    UpDown(Vec<u32>),
    /// All channels of the next-hop group of the router and the destination.
    Tables {
        /// The group tables of the scenario.
        tables: GroupTables,
        /// Whether routers with endpoints forward packets. GPUs of boxes do not.
        endpoints_forward: bool,
    },
    /// The channel of a formula, as a port: `[row of the destination * routers + router]`.
    Ports(Vec<u16>),
}

/// Hops between routers, with the rule for the next one.
pub(in super::super) struct HopMetric {
    routers: usize,
    ports: usize,
    step: NextHopRule,
    /// `[router * ports + place]`: the lit channels, or [`NONE`]. They are in the order of ports, or of the
    /// routers that they lead to where the first one is taken.
    outgoing: Vec<u32>,
    /// `[router * ports + place]`: the router that it leads to, or [`NONE`].
    heads: Vec<u32>,
    /// `[router]`: its row as a destination, or [`NONE`].
    row: Vec<u32>,
    /// `[row * routers + router]`: the hops, or [`APART`] where no path leads.
    hops: Vec<u8>,
    /// `[row * routers + router]`: the places of the channels that packets draw from, as bits. Empty where
    /// there are too many ports or pairs.
    drawn: Vec<u64>,
}

/// The most pairs of routers for which the channels are listed beforehand: 128 MiB.
const MOST_DRAWN: usize = 1 << 24;

/// Stands for no path. Longer paths count as none.
const APART: u8 = u8::MAX;

impl HopMetric {
    /// Measures the hops to some destinations, over lit links.
    pub(super) fn new(
        scene: &Scene<'_>,
        layout: &NetworkLayout,
        destinations: &[u32],
        step: NextHopRule,
    ) -> Self {
        let mut row = vec![NONE; layout.routers];
        destinations.iter().zip(0..).for_each(|(&to, place)| row[to as usize] = place);
        let head = |channel: u32| if channel == NONE { NONE } else { layout.ends[channel as usize].to };
        let mut outgoing = layout.outgoing.clone();
        if matches!(step, NextHopRule::First) {
            outgoing
                .chunks_mut(layout.ports.max(1))
                .for_each(|channels| channels.sort_by_key(|&channel| head(channel)));
        }
        let heads = outgoing.iter().map(|&channel| head(channel)).collect();
        let into = Neighbors::into_of(scene);
        let hops_to = |&to: &u32| match step {
            NextHopRule::Groups(size) => across_groups(&into, to, size),
            NextHopRule::UpDown(ref tiers) => up_and_down(&into, tiers, to),
            NextHopRule::Tables { ref tables, endpoints_forward } => {
                along_groups(scene, tables, endpoints_forward, to)
            }
            _ => breadth_first(&into, to),
        };
        let hops = destinations.par_iter().map(hops_to).collect::<Vec<_>>().concat();
        let mut metric = Self {
            routers: layout.routers,
            ports: layout.ports,
            step,
            outgoing,
            heads,
            row,
            hops,
            drawn: Vec::new(),
        };
        if metric.ports <= u64::BITS as usize && metric.hops.len() <= MOST_DRAWN {
            let routers = metric.routers as u32;
            let places = |(&to, from): (&u32, u32)| {
                let first = from as usize * metric.ports;
                metric.candidate_slots(from, to).fold(0, |bits, slot| bits | 1 << (slot - first))
            };
            metric.drawn = destinations
                .par_iter()
                .flat_map_iter(|to| (0..routers).map(move |from| (to, from)).map(places))
                .collect();
        }
        metric
    }

    /// Hops from a router to one of the destinations, if a path leads there.
    pub(in super::super) fn hops(&self, from: u32, to: u32) -> Option<u8> {
        let hops = self.hops[self.row[to as usize] as usize * self.routers + from as usize];
        Some(hops).filter(|&hops| hops != APART)
    }

    /// Whether a path leads from each of these routers to every other one.
    pub(in super::super) fn joins_all(&self, among: &[u32]) -> bool {
        among.iter().all(|&to| among.iter().all(|&from| self.hops(from, to).is_some()))
    }

    /// The most hops between two of these routers, as far as paths lead.
    pub(in super::super) fn reach(&self, among: &[u32]) -> u8 {
        let farthest = |&to: &u32| among.iter().filter_map(|&from| self.hops(from, to)).max().unwrap_or(0);
        among.iter().map(farthest).max().unwrap_or(0)
    }

    /// The channels from which a packet for another router draws.
    pub(in super::super) fn nexts(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        let first = from as usize * self.ports;
        let listed = self.drawn(from, to);
        let searched = listed.is_none().then(|| self.candidate_slots(from, to));
        let slots = listed
            .into_iter()
            .flat_map(places)
            .map(move |place| first + place)
            .chain(searched.into_iter().flatten());
        slots.map(|slot| self.outgoing[slot])
    }

    fn drawn(&self, from: u32, to: u32) -> Option<u64> {
        self.drawn.get(self.row[to as usize] as usize * self.routers + from as usize).copied()
    }

    /// The slots of these channels, found by looking at all channels of the router.
    fn candidate_slots(&self, from: u32, to: u32) -> impl Iterator<Item = usize> {
        let first = from as usize * self.ports;
        let ports = match &self.step {
            NextHopRule::Ports(ports) => {
                let port = usize::from(ports[self.row[to as usize] as usize * self.routers + from as usize]);
                port.min(self.ports)..self.ports.min(port.saturating_add(1))
            }
            _ => 0..self.ports,
        };
        let max_channels = if matches!(self.step, NextHopRule::First) { 1 } else { usize::MAX };
        let row = &self.hops[self.row[to as usize] as usize * self.routers..][..self.routers];
        let distance = row[from as usize];
        let group: &[u16] = match &self.step {
            NextHopRule::Tables { tables, .. } => tables.group(NodeId(from), NodeId(to)),
            _ => &[],
        };
        let leads = move |slot: &usize| {
            let head = self.heads[*slot];
            let nearer = head != NONE && row[head as usize].checked_add(1) == Some(distance);
            match &self.step {
                NextHopRule::Groups(size) => {
                    nearer && (head / size == from / size || head / size == to / size)
                }
                NextHopRule::Tables { .. } => {
                    head != NONE && group.binary_search(&((*slot - first) as u16)).is_ok()
                }
                NextHopRule::UpDown(tiers) => {
                    let tier = tiers[from as usize];
                    nearer && (tiers[head as usize] > tier) != (u32::from(distance) == tier)
                }
                _ => nearer,
            }
        };
        ports.map(move |port| first + port).filter(leads).take(max_channels)
    }

    /// The channel number `turn` of these, counted round.
    pub(in super::super) fn next_in_turn(&self, from: u32, to: u32, turn: u32) -> Option<u32> {
        let count = self.nexts(from, to).count();
        if count == 0 { None } else { self.nexts(from, to).nth(turn as usize % count) }
    }

    /// Draws one of these channels by a random number.
    pub(in super::super) fn next(&self, from: u32, to: u32, random: u64) -> Option<u32> {
        let draw = |count: usize| {
            if count > 1 { fabc_base::random::pick(random, count as u64) as usize } else { 0 }
        };
        match self.drawn(from, to) {
            Some(bits) => {
                let place = places(bits).nth(draw(bits.count_ones() as usize))?;
                Some(self.outgoing[from as usize * self.ports + place])
            }
            None => self.nexts(from, to).nth(draw(self.nexts(from, to).count())),
        }
    }
}

/// The places of the bits that are set, ascending.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}

/// Hops from every router to one.
fn breadth_first(into: &Neighbors, to: u32) -> Vec<u8> {
    let mut search = Breadth::default();
    into.search(NodeId(to), &mut search);
    search.hops.iter().map(|&hops| u8::try_from(hops).unwrap_or(APART)).collect()
}

/// The same, where no hop up follows a hop down. A router goes down if that is possible at all. Then it has
/// as many hops as its tier says.
fn up_and_down(into: &Neighbors, tiers: &[u32], to: u32) -> Vec<u8> {
    let mut hops = vec![APART; into.len()];
    hops[to as usize] = 0;
    let mut reached = vec![to];
    let mut place = 0;
    while let Some(&router) = reached.get(place) {
        place += 1;
        let tier = tiers[router as usize];
        let descends = u32::from(hops[router as usize]) == tier;
        for &before in into.neighbors_of(router) {
            let is_valid = descends || tiers[before as usize] < tier;
            if is_valid && hops[before as usize] == APART && hops[router as usize] < APART - 1 {
                hops[before as usize] = hops[router as usize] + 1;
                reached.push(before);
            }
        }
    }
    hops
}

/// The same along next-hop groups, for the longest path that members of the groups can take. A router has no
/// path if some path of its group does not arrive: a member has no lit channel, leads back to the router, or
/// leads through an endpoint that forwards nothing.
fn along_groups(scene: &Scene<'_>, tables: &GroupTables, endpoints_forward: bool, to: u32) -> Vec<u8> {
    let routers = scene.topology.node_count();
    let destination = NodeId(to);
    let members = |router: usize| tables.group(NodeId(router as u32), destination);
    let mut open: Vec<usize> = (0..routers).map(|router| members(router).len()).collect();
    let mut hops = vec![APART; routers];
    hops[to as usize] = 0;
    let mut longest = vec![0u8; routers];
    let mut reached = vec![destination];
    while let Some(router) = reached.pop() {
        if !endpoints_forward && router != destination && scene.topology.is_endpoint(router) {
            continue;
        }
        for channel in scene.channels_into(router) {
            let End { node, port } = scene.topology.source(channel);
            let before = node.index();
            if node == destination || members(before).binary_search(&port.0).is_err() {
                continue;
            }
            longest[before] = longest[before].max(hops[router.index()].saturating_add(1));
            open[before] -= 1;
            if open[before] == 0 && longest[before] < APART {
                hops[before] = longest[before];
                reached.push(node);
            }
        }
    }
    hops
}

/// The same, where a group of `size` routers is left only by a channel to the group of the destination. There
/// is at most one hop before it, and one after it.
fn across_groups(into: &Neighbors, to: u32, size: u32) -> Vec<u8> {
    let mut hops = vec![APART; into.len()];
    hops[to as usize] = 0;
    let group = |router: u32| router / size;
    into.neighbors_of(to)
        .iter()
        .filter(|&&from| group(from) == group(to))
        .for_each(|&from| hops[from as usize] = 1);
    // The last router before the group of the destination, then the other routers of its group.
    let inside: Vec<u32> = (group(to) * size..(group(to) + 1) * size).collect();
    for &end in &inside {
        let behind = hops[end as usize];
        for &from in
            into.neighbors_of(end).iter().filter(|&&from| group(from) != group(to) && behind != APART)
        {
            hops[from as usize] = hops[from as usize].min(behind + 1);
        }
    }
    let gates: Vec<(u32, u8)> = (0u32..)
        .zip(hops.iter().copied())
        .filter(|&(from, hops)| group(from) != group(to) && hops != APART)
        .collect();
    for (gate, behind) in gates {
        for &from in into.neighbors_of(gate).iter().filter(|&&from| group(from) == group(gate)) {
            hops[from as usize] = hops[from as usize].min(behind + 1);
        }
    }
    hops
}
