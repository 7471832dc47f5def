//! How far it is from router to router, and which channels lead nearer.

use super::super::layout::{Layout, NONE};
use fabc_base::ids::NodeId;
use fabc_ir::{Breadth, Neighbors, Scene};
use rayon::prelude::*;

/// Which channels packets draw from.
pub(in super::super) enum Step {
    /// All that lead nearer, all alike.
    Any,
    /// The one that leads to the router of the lowest number.
    First,
    /// All that lead nearer by a hop inside the group or to the group of the destination: groups of so many
    /// routers.
    Groups(u32),
    /// The one of a formula: `[row of the destination * routers + router]`, as a port.
    Ports(Vec<u16>),
}

/// Hops between routers.
pub(in super::super) struct Metric {
    routers: usize,
    ports: usize,
    step: Step,
    /// `[router * ports + place]`: the lit channels, or [`NONE`]: by port, or, where the first one is taken,
    /// by the router that they lead to.
    outgoing: Vec<u32>,
    /// `[router * ports + place]`: the router that it leads to, or [`NONE`].
    heads: Vec<u32>,
    /// `[router]`: its row as a destination, or [`NONE`].
    row: Vec<u32>,
    /// `[row * routers + router]`; [`APART`] where no way leads.
    hops: Vec<u8>,
    /// `[row * routers + router]`: the places of the channels that packets draw from, a bit each; empty where
    /// that would be too many, or too much.
    drawn: Vec<u64>,
}

/// Pairs of routers up to which the channels that packets draw from are listed beforehand: 128 MiB.
const MOST_DRAWN: usize = 1 << 24;

/// No way, or one of so many hops.
const APART: u8 = u8::MAX;

impl Metric {
    /// Towards some routers, over lit links.
    pub(super) fn new(scene: &Scene<'_>, layout: &Layout, destinations: &[u32], step: Step) -> Self {
        let mut row = vec![NONE; layout.routers];
        destinations.iter().zip(0..).for_each(|(&to, at)| row[to as usize] = at);
        let head = |channel: u32| if channel == NONE { NONE } else { layout.ends[channel as usize].to };
        let mut outgoing = layout.outgoing.clone();
        if matches!(step, Step::First) {
            outgoing
                .chunks_mut(layout.ports.max(1))
                .for_each(|channels| channels.sort_by_key(|&channel| head(channel)));
        }
        let heads = outgoing.iter().map(|&channel| head(channel)).collect();
        let into = Neighbors::into_of(scene);
        let of = |&to: &u32| match step {
            Step::Groups(size) => across_groups(&into, to, size),
            _ => breadth_first(&into, to),
        };
        let hops = destinations.par_iter().map(of).collect::<Vec<_>>().concat();
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
                metric.looked(from, to).fold(0, |bits, slot| bits | 1 << (slot - first))
            };
            metric.drawn = destinations
                .par_iter()
                .flat_map_iter(|to| (0..routers).map(move |from| (to, from)).map(places))
                .collect();
        }
        metric
    }

    /// Hops from a router to one of the destinations, if a way leads there.
    pub(in super::super) fn hops(&self, from: u32, to: u32) -> Option<u8> {
        let hops = self.hops[self.row[to as usize] as usize * self.routers + from as usize];
        Some(hops).filter(|&hops| hops != APART)
    }

    /// The most hops of a way between two of these routers, as far as ways lead.
    pub(in super::super) fn reach(&self, among: &[u32]) -> u8 {
        let of = |&to: &u32| among.iter().filter_map(|&from| self.hops(from, to)).max().unwrap_or(0);
        among.iter().map(of).max().unwrap_or(0)
    }

    /// The channels that a packet for another router draws from.
    pub(in super::super) fn nexts(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        let first = from as usize * self.ports;
        let listed = self.drawn(from, to);
        let looked = listed.is_none().then(|| self.looked(from, to));
        let slots = listed
            .into_iter()
            .flat_map(places)
            .map(move |place| first + place)
            .chain(looked.into_iter().flatten());
        slots.map(|slot| self.outgoing[slot])
    }

    fn drawn(&self, from: u32, to: u32) -> Option<u64> {
        self.drawn.get(self.row[to as usize] as usize * self.routers + from as usize).copied()
    }

    /// Slots of the channels that a packet for another router draws from, found by looking at all.
    fn looked(&self, from: u32, to: u32) -> impl Iterator<Item = usize> {
        let first = from as usize * self.ports;
        let ports = match &self.step {
            Step::Ports(ports) => {
                let port = usize::from(ports[self.row[to as usize] as usize * self.routers + from as usize]);
                port.min(self.ports)..self.ports.min(port.saturating_add(1))
            }
            _ => 0..self.ports,
        };
        let most = if matches!(self.step, Step::First) { 1 } else { usize::MAX };
        let row = &self.hops[self.row[to as usize] as usize * self.routers..][..self.routers];
        let here = row[from as usize];
        let leads = move |slot: &usize| {
            let head = self.heads[*slot];
            let nearer = head != NONE && row[head as usize].checked_add(1) == Some(here);
            match self.step {
                Step::Groups(size) => nearer && (head / size == from / size || head / size == to / size),
                _ => nearer,
            }
        };
        ports.map(move |port| first + port).filter(leads).take(most)
    }

    /// One of them, by a random number.
    pub(in super::super) fn next(&self, from: u32, to: u32, random: u64) -> Option<u32> {
        let draw = |count: usize| {
            if count > 1 { fabc_base::random::one_of(random, count as u64) as usize } else { 0 }
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

/// The same where groups of `size` routers are left by a channel to the group of the destination alone: with
/// at most a hop before it and one behind it.
fn across_groups(into: &Neighbors, to: u32, size: u32) -> Vec<u8> {
    let mut hops = vec![APART; into.len()];
    hops[to as usize] = 0;
    let group = |router: u32| router / size;
    into.of(to).iter().filter(|&&from| group(from) == group(to)).for_each(|&from| hops[from as usize] = 1);
    // The last router before the group of the destination, then those beside it.
    let inside: Vec<u32> = (group(to) * size..(group(to) + 1) * size).collect();
    for &end in &inside {
        let behind = hops[end as usize];
        for &from in into.of(end).iter().filter(|&&from| group(from) != group(to) && behind != APART) {
            hops[from as usize] = hops[from as usize].min(behind + 1);
        }
    }
    let gates: Vec<(u32, u8)> = (0u32..)
        .zip(hops.iter().copied())
        .filter(|&(from, hops)| group(from) != group(to) && hops != APART)
        .collect();
    for (gate, behind) in gates {
        for &from in into.of(gate).iter().filter(|&&from| group(from) == group(gate)) {
            hops[from as usize] = hops[from as usize].min(behind + 1);
        }
    }
    hops
}
