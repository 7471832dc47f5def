//! Static loads, and the bounds that follow from them.

use super::super::choice::Choice;
use super::super::endpoints::Endpoints;
use super::super::layout::Layout;
use super::super::routes::Routes;
use super::super::setting::Setting;
use super::super::traffic::Expected;
use super::astray::Astray;
use super::by_choice::ChoiceLoads;
use super::by_tables::Tables;
use fabc_ir::Fraction;

/// Loads and zero-load latencies of all routes that a traffic takes.
#[derive(Clone, PartialEq, Debug)]
pub struct StaticLoad {
    /// `[channel]`: flits per cycle at rate 1, times `unit`; of traffic that ends, flits of a run; of ways
    /// that are chosen on the way, on average; of those that depend on queues, of the shortest ways.
    pub channels: Vec<u128>,
    /// What loads are counted in: so many make a flit per cycle.
    pub unit: u128,
    /// The highest rate that no channel and no port of a host forbids, flits per cycle and sending endpoint;
    /// of traffic that ends, runs per cycle.
    pub bound: Fraction,
    /// What the bound follows from.
    pub limit: Limit,
    /// Endpoints that send.
    pub senders: u32,
    /// What a sending endpoint offers on average at rate 1: less than 1 where some send less than others.
    pub share: Fraction,
    /// Hops of a packet on average; of ways that depend on queues, of the shortest ones.
    pub hops: Fraction,
    /// Zero-load latency on average, from birth to the last flit, cycles.
    pub mean_cycles: Fraction,
    /// The same of the slowest route, or more.
    pub most_cycles: u64,
}

impl StaticLoad {
    /// Cycles without any move after which a run is given up while packets are inside.
    pub(in super::super) fn patience(&self) -> u32 {
        u32::try_from(4 * self.most_cycles).unwrap_or(u32::MAX).max(1000)
    }
}

/// What a static bound follows from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The loads of channels: this routing cannot do better.
    Loads,
    /// The hops of shortest ways: no routing can do better, and how much worse this one is, its queues
    /// decide.
    Hops,
}

/// What loads are computed from.
pub(in super::super) struct Ways<'a> {
    pub(in super::super) setting: &'a Setting,
    pub(in super::super) layout: &'a Layout,
    pub(in super::super) routes: &'a Routes,
    pub(in super::super) endpoints: &'a Endpoints,
    pub(in super::super) choice: Option<&'a Choice>,
}

/// Follows every route that a traffic takes.
pub(in super::super) fn load(ways: &Ways<'_>, expected: &Expected) -> Result<StaticLoad, Astray> {
    let &Ways { setting, layout, routes, endpoints, choice } = ways;
    let unit = u128::from(expected.unit);
    let (sums, unit, shortest) = match choice {
        None => (Tables { setting, layout, routes, endpoints }.sums(&expected.pairs)?, unit, None),
        Some(choice) => {
            let loads = ChoiceLoads { setting, layout, endpoints, choice }.loads(expected)?;
            (loads.sums, unit * loads.finer, loads.shortest_hops)
        }
    };
    let busiest = sums.channels.iter().copied().max().unwrap_or(0);
    let each = u128::from(expected.each);
    // What no port of a host forbids, in and out.
    let port = setting.ports().map(Fraction::whole);
    let through = |flits: Fraction| port.filter(|_| !flits.is_zero()).map(|port| port.over(flits));
    let ports = [through(expected.most_sending), through(expected.most_arriving)];
    let (channel, limit) = match shortest {
        None => ((busiest > 0).then(|| Fraction::new(unit, busiest * each)), Limit::Loads),
        Some(hops) => {
            ((hops > 0).then(|| Fraction::new(layout.lit as u128 * unit, hops * each)), Limit::Hops)
        }
    };
    // Packets that meet nobody are held up by nothing but their births.
    let offered = Fraction::whole(setting.packet);
    Ok(StaticLoad {
        bound: rounded(ports.into_iter().chain([channel]).flatten().min().unwrap_or(offered)),
        limit,
        unit,
        senders: expected.senders,
        share: expected.share,
        hops: rounded(Fraction::new(sums.hops, sums.weight)),
        mean_cycles: rounded(Fraction::new(sums.cycles, sums.weight)),
        most_cycles: sums.most,
        channels: sums.channels.iter().map(|load| load * each).collect(),
    })
}

/// A ratio of numbers that leave room to calculate with it: of larger ones the last bits are left out, so
/// that it is no larger than before.
fn rounded(value: Fraction) -> Fraction {
    let bits = u128::BITS - value.numerator().max(value.denominator()).leading_zeros();
    let shift = bits.saturating_sub(ROOM);
    Fraction::new(value.numerator() >> shift, (value.denominator() >> shift) + u128::from(shift > 0))
}

/// Bits of both numbers of a ratio.
const ROOM: u32 = 60;
