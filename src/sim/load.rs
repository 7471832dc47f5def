//! What a traffic puts on the channels, hop by hop along the tables: the promise that a run is held against.

use super::endpoints::Endpoints;
use super::layout::{Layout, NONE};
use super::parameters::Setting;
use super::routes::{Came, Routes};
use super::traffic::Pattern;
use crate::ids::Id;
use crate::ir::Fraction;
use rayon::prelude::*;

/// Loads and zero-load latencies of all routes that a traffic takes.
#[derive(Clone, PartialEq, Debug)]
pub struct StaticLoad {
    /// `[channel]`: flits per cycle at rate 1, times `unit`.
    pub channels: Vec<u64>,
    /// What loads are counted in: so many make a flit per cycle.
    pub unit: u64,
    /// The highest rate that no channel and no port of a host forbids, flits per cycle and sending endpoint.
    pub bound: Fraction,
    /// Endpoints that send.
    pub senders: u32,
    /// Hops of a packet on average.
    pub hops: Fraction,
    /// Zero-load latency on average, from birth to the last flit, cycles.
    pub mean_cycles: Fraction,
    /// The same of the slowest route.
    pub most_cycles: u64,
}

/// A route that does not arrive: from and to which router, and why.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Astray {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) why: Why,
}

/// What happens to a packet that does not arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// This router has no entry for it.
    NoEntry(u32),
    /// This router sends it where no lit link is.
    Dark(u32),
    /// It passes more queues than there are.
    Loop,
}

/// What loads are computed from.
pub(super) struct Ways<'a> {
    pub(super) setting: &'a Setting,
    pub(super) layout: &'a Layout,
    pub(super) routes: &'a Routes,
    pub(super) endpoints: &'a Endpoints,
}

/// Sums over some routes.
#[derive(Clone, Default)]
struct Sums {
    channels: Vec<u64>,
    weight: u128,
    hops: u128,
    cycles: u128,
    most: u64,
}

impl Sums {
    fn merged(mut self, other: Self) -> Self {
        if self.channels.len() < other.channels.len() {
            return other.merged(self);
        }
        self.channels.iter_mut().zip(&other.channels).for_each(|(sum, more)| *sum += more);
        self.weight += other.weight;
        self.hops += other.hops;
        self.cycles += other.cycles;
        self.most = self.most.max(other.most);
        self
    }
}

impl StaticLoad {
    /// Cycles without any move after which a run is given up while packets are inside.
    pub(super) fn patience(&self) -> u32 {
        u32::try_from(4 * self.most_cycles).unwrap_or(u32::MAX).max(1000)
    }
}

impl Ways<'_> {
    /// Walks every route that a traffic takes.
    pub(super) fn load(&self, pattern: &Pattern) -> Result<StaticLoad, Astray> {
        let (sums, unit, senders) = match pattern {
            Pattern::Uniform(count) => (self.uniform()?, u64::from(count - 1), *count),
            Pattern::Fixed(targets) => {
                let pairs: Vec<(u32, u32)> = (0..).zip(targets.iter().copied()).filter(|&(_, to)| to != NONE).collect();
                let mut sums = Sums { channels: vec![0; self.layout.channels], ..Sums::default() };
                for &(from, to) in &pairs {
                    let [from, to] = [from, to].map(|end| self.endpoints.router[end as usize]);
                    self.add(&mut sums, from, to, 1, |channel| channel as usize)?;
                }
                (sums, 1, pairs.len() as u32)
            }
        };
        let busiest = sums.channels.iter().copied().max().unwrap_or(0);
        let port = self.setting.ports().map(Fraction::whole);
        let channel = (busiest > 0).then(|| Fraction::new(unit, busiest));
        // Packets that meet nobody are held up by nothing but their births.
        let offered = Fraction::whole(self.setting.packet);
        Ok(StaticLoad {
            bound: [port, channel].into_iter().flatten().min().unwrap_or(offered),
            unit,
            senders,
            hops: Fraction::new(sums.hops, sums.weight),
            mean_cycles: Fraction::new(sums.cycles, sums.weight),
            most_cycles: sums.most,
            channels: sums.channels,
        })
    }

    /// Uniform traffic looks the same from all routers that the symmetry of the tables joins: the load of a
    /// class of channels from all routers is the load of one of them from canonical routers.
    fn uniform(&self) -> Result<Sums, Astray> {
        let (symmetry, ports) = (self.routes.symmetry(), self.layout.ports);
        let mut port_of = vec![0; self.layout.channels];
        for (slot, &channel) in self.layout.outgoing.iter().enumerate().filter(|(_, channel)| **channel != NONE) {
            port_of[channel as usize] = slot % ports;
        }
        let class = |channel: u32| {
            let from = crate::ids::NodeId(self.layout.from[channel as usize]);
            symmetry.class(from) * ports + port_of[channel as usize]
        };
        let canonical: Vec<u32> = symmetry.canonical_nodes().map(|node| node.index() as u32).collect();
        let of_source = |&from: &u32| {
            let mut sums = Sums { channels: vec![0; symmetry.class_count() * ports], ..Sums::default() };
            let here = self.endpoints.at(from as usize).len() as u64;
            for to in (0..self.layout.routers as u32).filter(|_| here > 0) {
                let there = self.endpoints.at(to as usize).len() as u64;
                let weight = if from == to { here * (here - 1) } else { here * there };
                if weight > 0 {
                    self.add(&mut sums, from, to, weight, class)?;
                }
            }
            Ok(sums)
        };
        let classes = canonical.par_iter().map(of_source).try_reduce(Sums::default, |one, other| Ok(one.merged(other)))?;
        let lit = self.layout.outgoing.iter().copied().filter(|&channel| channel != NONE);
        let mut channels = vec![0; self.layout.channels];
        lit.for_each(|channel| channels[channel as usize] = classes.channels[class(channel)]);
        Ok(Sums { channels, ..classes })
    }

    /// Adds the route between two routers.
    fn add(&self, sums: &mut Sums, from: u32, to: u32, weight: u64, place: impl Fn(u32) -> usize) -> Result<(), Astray> {
        let (mut hops, mut cycles) = (0u64, u64::from(self.setting.injection + self.setting.ejection() + self.setting.packet) - 1);
        self.walk(from, to, |channel| {
            sums.channels[place(channel)] += weight;
            hops += 1;
            cycles += u64::from(self.setting.router + self.layout.latency[channel as usize]);
        })?;
        sums.weight += u128::from(weight);
        sums.hops += u128::from(weight * hops);
        sums.cycles += u128::from(weight) * u128::from(cycles);
        sums.most = sums.most.max(cycles);
        Ok(())
    }

    /// Follows the tables from a router to another.
    fn walk(&self, from: u32, to: u32, mut hop: impl FnMut(u32)) -> Result<(), Astray> {
        let astray = |why| Astray { from, to, why };
        let (mut at, mut came) = (from, None);
        for _ in 0..=self.layout.channels * usize::from(self.routes.vcs()) {
            if at == to {
                return Ok(());
            }
            let (port, vc) = self.routes.next(at, to, came).ok_or(astray(Why::NoEntry(at)))?;
            let slot = at as usize * self.layout.ports + usize::from(port);
            let lit = (usize::from(port) < self.layout.ports).then(|| self.layout.outgoing[slot]).filter(|channel| *channel != NONE);
            let channel = lit.ok_or(astray(Why::Dark(at)))?;
            hop(channel);
            at = self.layout.to[channel as usize];
            came = Some(Came { port: self.layout.in_port[channel as usize], vc });
        }
        Err(astray(Why::Loop))
    }
}
