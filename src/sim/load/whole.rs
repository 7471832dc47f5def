//! Static loads, and the bounds that follow from them.

use super::super::choice::PathChoice;
use super::super::endpoints::EndpointMap;
use super::super::layout::NetworkLayout;
use super::super::routes::TableRoutes;
use super::super::setting::Setting;
use super::super::traffic::ExpectedTraffic;
use super::astray::{Astray, RouteSums};
use super::by_choice::ChoiceLoads;
use super::by_tables::TableLoads;
use fabc_ir::Fraction;

/// Loads and zero-load latencies of all routes that a traffic takes.
#[derive(Clone, PartialEq, Debug)]
pub struct StaticLoad {
    /// `[channel]`: flits per cycle at rate 1, times `unit`. A flit over a slower channel counts for as many
    /// as the fastest one moves in that time. For traffic that ends, flits of a run. For chosen paths, the
    /// average. For paths that depend on queues, the average over shortest paths.
    pub channels: Vec<u128>,
    /// The unit of loads: this many make a flit per cycle.
    pub unit: u128,
    /// The highest rate that all channels and ports of hosts allow, in flits per cycle and sending endpoint.
    /// For traffic that ends, runs per cycle.
    pub bound: Fraction,
    /// The reason for the bound.
    pub limit: Limit,
    /// The number of endpoints that send.
    pub senders: u32,
    /// The average offer of a sending endpoint at rate 1. It is less than 1 where some send less than others.
    pub share: Fraction,
    /// The average hops of a packet. For paths that depend on queues, those of the shortest ones.
    pub hops: Fraction,
    /// The average zero-load latency from birth to the last flit, in cycles.
    pub mean_cycles: Fraction,
    /// The zero-load latency of the slowest route in cycles, or an upper bound on it.
    pub most_cycles: u64,
}

impl StaticLoad {
    /// The cycles of a packet over the busiest channel, if any is used. Of equals, it is the slowest.
    pub(in super::super) fn busiest_cycles(&self, layout: &NetworkLayout) -> Option<u32> {
        let used = self.channels.iter().zip(&layout.ends).filter(|(load, _)| **load > 0);
        used.map(|(&load, ends)| (load, ends.packet)).max().map(|(_, cycles)| cycles)
    }
    /// Cycles without any move after which a run with packets inside is given up.
    pub(in super::super) fn patience(&self) -> u32 {
        u32::try_from(4 * self.most_cycles).unwrap_or(u32::MAX).max(1000)
    }
}

/// The reason for a static bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The loads of channels. This routing cannot do better.
    Loads,
    /// The hops of shortest paths. No routing can do better. How much worse this one is depends on its
    /// queues.
    Hops,
}

/// The values that loads are computed from.
pub(in super::super) struct LoadInputs<'a> {
    pub(in super::super) setting: &'a Setting,
    pub(in super::super) layout: &'a NetworkLayout,
    pub(in super::super) routes: &'a TableRoutes,
    pub(in super::super) endpoints: &'a EndpointMap,
    pub(in super::super) choice: Option<&'a PathChoice>,
}

/// Follows the routes back, from every destination of a traffic to its sources by the tables.
pub(in super::super) fn walk_back(inputs: &LoadInputs<'_>, expected: &ExpectedTraffic) -> Result<(), Astray> {
    let &LoadInputs { setting, layout, routes, endpoints, .. } = inputs;
    let back = expected.pairs.by_destination(layout.routers);
    TableLoads { setting, layout, routes, endpoints }.sums(&back).map(|_| ())
}

/// Follows every route that a traffic takes, and derives the bounds.
pub(in super::super) fn load(
    inputs: &LoadInputs<'_>,
    expected: &ExpectedTraffic,
) -> Result<StaticLoad, Astray> {
    let &LoadInputs { setting, layout, routes, endpoints, choice } = inputs;
    let unit = u128::from(expected.unit);
    let (sums, unit, shortest) = match choice {
        None => {
            let tables = TableLoads { setting, layout, routes, endpoints };
            (tables.with_direct(tables.sums(&expected.pairs)?, &expected.direct), unit, None)
        }
        Some(choice) => {
            let loads = ChoiceLoads { setting, layout, endpoints, choice }.loads(expected)?;
            (loads.sums, unit * loads.finer, loads.shortest_hops)
        }
    };
    let (sums, unit) = in_cycles(sums, unit, setting, layout);
    let busiest = sums.channels.iter().copied().max().unwrap_or(0);
    let flits_each = u128::from(expected.each);
    // The rates that the ports of hosts allow, in and out.
    let rate = |ports: u32| Fraction::new(u64::from(ports) * u64::from(setting.packet), setting.host_cycles);
    let port = setting.ports().map(rate);
    let through = |flits: Fraction| port.filter(|_| !flits.is_zero()).map(|port| port.over(flits));
    let ports = [through(expected.most_sending), through(expected.most_arriving)];
    let (channel, limit) = match shortest {
        None => ((busiest > 0).then(|| Fraction::new(unit, busiest * flits_each)), Limit::Loads),
        Some(hops) => {
            ((hops > 0).then(|| Fraction::new(layout.lit as u128 * unit, hops * flits_each)), Limit::Hops)
        }
    };
    // Packets that meet no other packet are limited only by their births.
    let offered = Fraction::integer(setting.packet);
    Ok(StaticLoad {
        bound: rounded(ports.into_iter().chain([channel]).flatten().min().unwrap_or(offered)),
        limit,
        unit,
        senders: expected.senders,
        share: expected.share,
        hops: rounded(Fraction::new(sums.hops, sums.weight)),
        mean_cycles: rounded(Fraction::new(sums.cycles, sums.weight)),
        most_cycles: sums.most,
        channels: sums.channels.iter().map(|load| load * flits_each).collect(),
    })
}

/// The sums in which a flit counts for the cycles that a channel takes to move it. They come in parts of a
/// cycle, so that all are integers.
fn in_cycles(
    mut sums: RouteSums,
    unit: u128,
    setting: &Setting,
    layout: &NetworkLayout,
) -> (RouteSums, u128) {
    if !setting.has_unlike_links() {
        return (sums, unit);
    }
    for (load, ends) in sums.channels.iter_mut().zip(&layout.ends) {
        *load *= u128::from(ends.packet);
    }
    (sums, unit * u128::from(setting.packet))
}

/// A ratio of numbers that leave room for calculations. Of larger numbers, the last bits are dropped, such
/// that the ratio does not grow.
fn rounded(value: Fraction) -> Fraction {
    let bits = u128::BITS - value.numerator().max(value.denominator()).leading_zeros();
    let shift = bits.saturating_sub(ROOM);
    Fraction::new(value.numerator() >> shift, (value.denominator() >> shift) + u128::from(shift > 0))
}

/// The bits of both numbers of such a ratio.
const ROOM: u32 = 60;
