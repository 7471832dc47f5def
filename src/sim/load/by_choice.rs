//! Loads of ways that are chosen on the way, on average: towards every destination, what a router has is
//! split evenly over the channels that it draws from.
//!
//! Over a random router, what is sent comes twice: spread over all routers with endpoints, and from all of
//! them. Splits are exact as long as their common denominator is small; past that, parts are rounded up.

use super::super::choice::{Choice, Over};
use super::super::endpoints::Endpoints;
use super::super::layout::Layout;
use super::super::setting::Setting;
use super::super::traffic::{Expected, Pairs};
use super::astray::{Astray, Sums, Why};
use rayon::prelude::*;

/// Computes the loads of a traffic whose packets choose their ways.
pub(super) struct ChoiceLoads<'a> {
    pub(super) setting: &'a Setting,
    pub(super) layout: &'a Layout,
    pub(super) endpoints: &'a Endpoints,
    pub(super) choice: &'a Choice,
}

/// The sums, in finer parts than the traffic came in.
pub(super) struct Loads {
    pub(super) sums: Sums,
    /// So many make a part of the traffic.
    pub(super) finer: u128,
    /// Of ways that depend on queues: hops of the shortest ways, summed in the finer parts.
    pub(super) shortest_hops: Option<u128>,
}

/// The largest common denominator of splits, and what takes its place beyond.
const EXACT: u128 = 1 << 32;
const ROUNDED: u128 = 1 << 24;

/// What is sent to one router, by where it comes from.
type Column = Vec<(u32, u128)>;

impl ChoiceLoads<'_> {
    /// The loads of a traffic.
    pub(super) fn loads(&self, expected: &Expected) -> Result<Loads, Astray> {
        let pairs = expected.pairs.turned(self.layout.routers);
        let over = self.choice.over();
        let (vias, bystanders) = match over {
            Over::Valiant => (Some(Halves::new(&pairs, self)), self.choice.vias().len() as u128 - 2),
            Over::Shortest | Over::Queues => (None, 1),
        };
        let column = |to: u32| -> Column {
            match &vias {
                None => pairs.of(to, self.endpoints).map(|(from, parts)| (from, u128::from(parts))).collect(),
                Some(halves) => halves.column(&pairs, to, self),
            }
        };
        let splits = self.splits();
        let finer = bystanders * splits;
        let destinations = self.choice.vias();
        let add = |mut work: Work, &to: &u32| {
            self.towards(&mut work, to, column(to), splits);
            work
        };
        let start = || Work::new(self.layout);
        let work: Vec<Work> = destinations.par_iter().fold(start, add).collect();
        let mut sums = work
            .into_iter()
            .fold(Sums::new(self.layout.channels), |sums, work| sums.merged(work.sums))
            .arrived()?;
        sums.hops = sums.channels.iter().sum();
        // What stays at its router takes no hop.
        sums.weight = expected.total * finer;
        let cycles = |channel: usize| u128::from(self.setting.router + self.layout.ends[channel].latency);
        let moving: u128 =
            sums.channels.iter().enumerate().map(|(channel, load)| load * cycles(channel)).sum();
        let alone = self.setting.injection + self.setting.ejection() + self.setting.packet - 1;
        sums.cycles = moving + sums.weight * u128::from(alone);
        sums.most = sums.most * if over == Over::Shortest { 1 } else { 2 } + u64::from(alone);
        let least = |to: u32| {
            let hops =
                |(from, parts): (u32, u64)| u128::from(self.choice.least_hops(from, to)) * u128::from(parts);
            pairs.of(to, self.endpoints).map(hops).sum::<u128>()
        };
        let shortest_hops = (over == Over::Queues)
            .then(|| destinations.par_iter().map(|&to| least(to)).sum::<u128>() * finer);
        Ok(Loads { sums, finer, shortest_hops })
    }

    /// The common denominator of all splits on the way to any destination.
    fn splits(&self) -> u128 {
        let metric = self.choice.metric();
        let of = |&to: &u32| {
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
        let both = |one: Vec<u128>, other: Vec<u128>| {
            let (mut longer, shorter) = if one.len() < other.len() { (other, one) } else { (one, other) };
            longer.iter_mut().zip(shorter).for_each(|(level, other)| *level = multiple(*level, other));
            longer
        };
        let levels = self.choice.vias().par_iter().map(of).reduce(Vec::new, both);
        let product = levels
            .into_iter()
            .try_fold(1u128, |product, level| product.checked_mul(level).filter(|&product| product <= EXACT));
        product.unwrap_or(ROUNDED)
    }

    /// Adds everything that goes to one router.
    fn towards(&self, work: &mut Work, to: u32, column: Column, finer: u128) {
        let (metric, layout) = (self.choice.metric(), self.layout);
        let Work { sums, flow, slowest, order } = work;
        flow.fill(0);
        for (from, parts) in column {
            if metric.hops(from, to).is_none() {
                sums.strayed(Some(Astray { from, to, why: Why::Apart }));
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
            let through = |channel: u32| {
                u64::from(self.setting.router + layout.ends[channel as usize].latency)
                    + slowest[layout.ends[channel as usize].to as usize]
            };
            let most = metric.nexts(router, to).map(through).max().unwrap_or(0);
            slowest[router as usize] = most;
            if flow[router as usize] > 0 {
                sums.most = sums.most.max(most);
            }
        }
        for &router in order.iter().rev() {
            let moved = flow[router as usize];
            if moved == 0 {
                continue;
            }
            let each = moved.div_ceil(metric.nexts(router, to).count().max(1) as u128);
            for channel in metric.nexts(router, to) {
                sums.channels[channel as usize] += each;
                flow[layout.ends[channel as usize].to as usize] += each;
            }
        }
    }
}

/// What one thread works with.
struct Work {
    sums: Sums,
    flow: Vec<u128>,
    slowest: Vec<u64>,
    order: Vec<u32>,
}

impl Work {
    fn new(layout: &Layout) -> Self {
        Self {
            sums: Sums::new(layout.channels),
            flow: vec![0; layout.routers],
            slowest: vec![0; layout.routers],
            order: Vec::new(),
        }
    }
}

/// What every router sends to others, and hears from them.
struct Halves {
    sent: Vec<u128>,
    heard: Vec<u128>,
}

impl Halves {
    /// Of pairs by destination.
    fn new(pairs: &Pairs, of: &ChoiceLoads<'_>) -> Self {
        let mut halves = Self { sent: vec![0; of.layout.routers], heard: vec![0; of.layout.routers] };
        for to in 0..of.layout.routers as u32 {
            for (from, parts) in pairs.of(to, of.endpoints).filter(|(from, _)| *from != to) {
                halves.sent[from as usize] += u128::from(parts);
                halves.heard[to as usize] += u128::from(parts);
            }
        }
        halves
    }

    /// To a router: of every other one, all that it sends to third ones, on its first half; and all that
    /// third ones send to this one, on its second half.
    fn column(&self, pairs: &Pairs, to: u32, of: &ChoiceLoads<'_>) -> Column {
        let mut direct = vec![0; of.layout.routers];
        pairs.of(to, of.endpoints).for_each(|(from, parts)| direct[from as usize] = u128::from(parts));
        let others = of.choice.vias().iter().copied().filter(|&from| from != to);
        let both = |from: u32| self.sent[from as usize] + self.heard[to as usize] - 2 * direct[from as usize];
        others.map(|from| (from, both(from))).filter(|(_, parts)| *parts > 0).collect()
    }
}

/// The least common multiple; of large ones any.
fn multiple(one: u128, other: u128) -> u128 {
    let (mut a, mut b) = (one, other.max(1));
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).saturating_mul(other.max(1)).min(EXACT + 1)
}
