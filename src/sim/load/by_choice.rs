//! Average loads of chosen paths. Towards every destination, the traffic of a router is split evenly over the
//! channels that it draws from.
//!
//! Where relays hand packets on, every leg of a path counts as traffic of its own.
//!
//! Over a random router, the traffic counts twice: once spread over all routers with endpoints, and once from
//! all of them. Splits are exact as long as their common denominator is small. Beyond that, parts are rounded
//! up.

use super::super::choice::{KnownLoad, PathChoice};
use super::super::endpoints::EndpointMap;
use super::super::layout::NetworkLayout;
use super::super::setting::Setting;
use super::super::traffic::{ExpectedTraffic, RouterPairs};
use super::astray::{Astray, AstrayReason, RouteSums};
use fabc_base::divisors::least_common_multiple;
use rayon::prelude::*;

/// Computes the loads of a traffic whose packets choose their paths.
pub(super) struct ChoiceLoads<'a> {
    pub(super) setting: &'a Setting,
    pub(super) layout: &'a NetworkLayout,
    pub(super) endpoints: &'a EndpointMap,
    pub(super) choice: &'a PathChoice,
}

/// The sums, in finer parts than those of the traffic.
pub(super) struct ScaledLoads {
    pub(super) sums: RouteSums,
    /// The number of finer parts per part of the traffic.
    pub(super) finer: u128,
    /// For paths that depend on queues: the hops of the shortest paths, summed in the finer parts.
    pub(super) shortest_hops: Option<u128>,
}

/// The largest exact common denominator of splits, and the one that replaces larger ones.
const EXACT: u128 = 1 << 32;
const ROUNDED: u128 = 1 << 24;

/// The traffic to one router, by source router.
type DestinationColumn = Vec<(u32, u128)>;

impl ChoiceLoads<'_> {
    /// The loads of a traffic, or the first route that does not arrive.
    pub(super) fn loads(&self, expected: &ExpectedTraffic) -> Result<ScaledLoads, Astray> {
        let (pairs, relayed) = self.by_legs(expected)?;
        let known_load = self.choice.known_load();
        let (vias, bystanders) = match known_load {
            KnownLoad::Valiant => {
                (Some(ValiantHalves::new(&pairs, self)), self.choice.vias().len() as u128 - 2)
            }
            KnownLoad::Shortest | KnownLoad::Queues => (None, 1),
        };
        let column = |to: u32| -> DestinationColumn {
            match &vias {
                None => pairs
                    .of_router(to, self.endpoints)
                    .map(|(from, parts)| (from, u128::from(parts)))
                    .collect(),
                Some(halves) => halves.column(&pairs, to, self),
            }
        };
        let splits = self.splits();
        let finer = bystanders * splits;
        let destinations = self.choice.vias();
        let add = |mut work: LoadWork, &to: &u32| {
            self.add_destination(&mut work, to, column(to), splits);
            work
        };
        let start = || LoadWork::new(self.layout);
        let work: Vec<LoadWork> = destinations.par_iter().fold(start, add).collect();
        let mut sums = work
            .into_iter()
            .fold(RouteSums::new(self.layout.channels), |sums, work| sums.merged(work.sums))
            .arrived()?;
        sums.hops = sums.channels.iter().sum();
        // What stays at its router takes no hop.
        sums.weight = expected.total * finer;
        let moving: u128 = (0u32..)
            .zip(&sums.channels)
            .map(|(channel, load)| load * u128::from(self.layout.hop_cycles(channel)))
            .sum();
        let alone = self.setting.injection + self.setting.ejection() + self.setting.host_cycles - 1;
        // A relay receives a packet whole, and lets it be born again in the next cycle.
        let born_again = relayed.parts * finer * u128::from(alone + 1);
        sums.cycles += moving + sums.weight * u128::from(alone) + born_again;
        sums.most = sums.most * if known_load == KnownLoad::Shortest { 1 } else { 2 } + u64::from(alone);
        sums.most = (sums.most + 1) * u64::from(relayed.most_legs) - 1;
        let least_hops = |to: u32| {
            let hops =
                |(from, parts): (u32, u64)| u128::from(self.choice.least_hops(from, to)) * u128::from(parts);
            pairs.of_router(to, self.endpoints).map(hops).sum::<u128>()
        };
        let shortest_hops = (known_load == KnownLoad::Queues)
            .then(|| destinations.par_iter().map(|&to| least_hops(to)).sum::<u128>() * finer);
        Ok(ScaledLoads { sums, finer, shortest_hops })
    }

    /// The traffic between routers by destination. Every leg of a path over relays is traffic of its own.
    fn by_legs(&self, expected: &ExpectedTraffic) -> Result<(RouterPairs, RelayedTraffic), Astray> {
        let mut relayed = RelayedTraffic { parts: 0, most_legs: 1 };
        if !self.choice.has_relays() {
            return Ok((expected.pairs.by_destination(self.layout.routers), relayed));
        }
        let mut rows = vec![Vec::new(); self.layout.routers];
        for from in 0..self.layout.routers as u32 {
            for (to, parts) in expected.pairs.of_router(from, self.endpoints) {
                let legs = self.choice.legs(from, to).ok_or(Astray { from, to, why: AstrayReason::Loop })?;
                relayed.parts += u128::from(parts) * (legs.len() as u128 - 1);
                relayed.most_legs = relayed.most_legs.max(legs.len() as u32);
                legs.into_iter().for_each(|(from, to)| rows[to as usize].push((from, parts)));
            }
        }
        Ok((RouterPairs::gathered(rows), relayed))
    }

    /// The common denominator of all splits on the way to any destination.
    fn splits(&self) -> u128 {
        let metric = self.choice.metric();
        let level_splits = |&to: &u32| {
            let mut levels = Vec::new();
            for from in
                (0..self.layout.routers as u32).filter(|&from| from != to && metric.hops(from, to).is_some())
            {
                let hops = metric.hops(from, to).map_or(0, usize::from);
                if levels.len() <= hops {
                    levels.resize(hops + 1, 1);
                }
                levels[hops] = multiple(levels[hops], metric.nexts(from, to).count() as u128);
            }
            levels
        };
        let merge_levels = |first: Vec<u128>, second: Vec<u128>| {
            let (mut longer, shorter) =
                if first.len() < second.len() { (second, first) } else { (first, second) };
            longer.iter_mut().zip(shorter).for_each(|(level, second)| *level = multiple(*level, second));
            longer
        };
        let levels = self.choice.vias().par_iter().map(level_splits).reduce(Vec::new, merge_levels);
        let product = levels
            .into_iter()
            .try_fold(1u128, |product, level| product.checked_mul(level).filter(|&product| product <= EXACT));
        product.unwrap_or(ROUNDED)
    }

    /// The cycles of the slowest path behind a channel, with the wait until flits come in time. `paths` has
    /// those of the slowest paths that begin with the channels there.
    fn longest_behind(&self, channel: u32, to: u32, paths: &[u64]) -> u64 {
        let ends = &self.layout.ends[channel as usize];
        let wait = |cycles: u32| u64::from(ends.packet.saturating_sub(cycles));
        if ends.to == to {
            return wait(self.setting.host_cycles);
        }
        let behind = |next: u32| wait(self.layout.ends[next as usize].packet) + paths[next as usize];
        self.choice.metric().nexts(ends.to, to).map(behind).max().unwrap_or(0)
    }

    /// The cycles that packets wait behind a channel because the next one is faster, so that their flits come
    /// in time. `flow` is the traffic over the channel to one router, in parts.
    fn waits_for_flits(&self, channel: u32, to: u32, flow: u128) -> u128 {
        let ends = &self.layout.ends[channel as usize];
        let wait = |cycles: u32| u128::from(ends.packet.saturating_sub(cycles));
        if ends.to == to {
            return flow * wait(self.setting.host_cycles);
        }
        let metric = self.choice.metric();
        let next = |next: u32| wait(self.layout.ends[next as usize].packet);
        let count = metric.nexts(ends.to, to).count().max(1) as u128;
        flow * metric.nexts(ends.to, to).map(next).sum::<u128>() / count
    }

    /// Adds the traffic to one router.
    fn add_destination(&self, work: &mut LoadWork, to: u32, column: DestinationColumn, finer: u128) {
        let (metric, layout) = (self.choice.metric(), self.layout);
        let LoadWork { sums, flow, slowest, paths, order } = work;
        flow.fill(0);
        for (from, parts) in column {
            if metric.hops(from, to).is_none() {
                sums.strayed(Some(Astray { from, to, why: AstrayReason::Apart }));
            }
            flow[from as usize] = parts * finer;
        }
        order.clear();
        order.extend(
            (0..layout.routers as u32).filter(|&router| metric.hops(router, to).is_some_and(|hops| hops > 0)),
        );
        order.sort_unstable_by_key(|&router| (metric.hops(router, to), router));
        slowest[to as usize] = 0;
        for &router in order.iter() {
            let mut longest = 0;
            for channel in metric.nexts(router, to) {
                let behind = match self.setting.has_unlike_links() {
                    true => self.longest_behind(channel, to, paths),
                    false => slowest[layout.ends[channel as usize].to as usize],
                };
                let path = u64::from(layout.hop_cycles(channel)) + behind;
                paths[channel as usize] = path;
                longest = longest.max(path);
            }
            slowest[router as usize] = longest;
            if flow[router as usize] > 0 {
                sums.most = sums.most.max(longest);
            }
        }
        for &router in order.iter().rev() {
            let moved = flow[router as usize];
            if moved == 0 {
                continue;
            }
            let split = moved.div_ceil(metric.nexts(router, to).count().max(1) as u128);
            for channel in metric.nexts(router, to) {
                sums.channels[channel as usize] += split;
                flow[layout.ends[channel as usize].to as usize] += split;
                if self.setting.has_unlike_links() {
                    sums.cycles += self.waits_for_flits(channel, to, split);
                }
            }
        }
    }
}

/// The part of the traffic that goes by relays.
#[derive(Clone, Copy)]
struct RelayedTraffic {
    /// The parts of the traffic that relays hand on, once for every relay.
    parts: u128,
    /// The most legs of a path.
    most_legs: u32,
}

/// The sums and working space of one thread.
struct LoadWork {
    sums: RouteSums,
    flow: Vec<u128>,
    /// `[router]`: the cycles of its slowest path.
    slowest: Vec<u64>,
    /// `[channel]`: the cycles of the slowest path that begins with it.
    paths: Vec<u64>,
    order: Vec<u32>,
}

impl LoadWork {
    fn new(layout: &NetworkLayout) -> Self {
        Self {
            sums: RouteSums::new(layout.channels),
            flow: vec![0; layout.routers],
            slowest: vec![0; layout.routers],
            paths: vec![0; layout.channels],
            order: Vec::new(),
        }
    }
}

/// The traffic that every router sends to others, and that it receives from them.
struct ValiantHalves {
    sent: Vec<u128>,
    heard: Vec<u128>,
}

impl ValiantHalves {
    /// The halves of pairs that are listed by destination.
    fn new(pairs: &RouterPairs, loads: &ChoiceLoads<'_>) -> Self {
        let mut halves = Self { sent: vec![0; loads.layout.routers], heard: vec![0; loads.layout.routers] };
        for to in 0..loads.layout.routers as u32 {
            for (from, parts) in pairs.of_router(to, loads.endpoints).filter(|(from, _)| *from != to) {
                halves.sent[from as usize] += u128::from(parts);
                halves.heard[to as usize] += u128::from(parts);
            }
        }
        halves
    }

    /// The traffic to a router on both halves. Every other router sends it a share of all that goes to third
    /// routers on their first half. It also gets all that third routers send to this one, on its second half.
    fn column(&self, pairs: &RouterPairs, to: u32, loads: &ChoiceLoads<'_>) -> DestinationColumn {
        let mut direct = vec![0; loads.layout.routers];
        pairs
            .of_router(to, loads.endpoints)
            .for_each(|(from, parts)| direct[from as usize] = u128::from(parts));
        let others = loads.choice.vias().iter().copied().filter(|&from| from != to);
        let halves_from =
            |from: u32| self.sent[from as usize] + self.heard[to as usize] - 2 * direct[from as usize];
        others.map(|from| (from, halves_from(from))).filter(|(_, parts)| *parts > 0).collect()
    }
}

/// The least common multiple. For large numbers, some number beyond the exact limit.
fn multiple(first: u128, second: u128) -> u128 {
    least_common_multiple(first, second.max(1), EXACT).unwrap_or(EXACT + 1)
}
