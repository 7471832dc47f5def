//! The time of an all-to-all over paths of pairs.
//!
//! Every part is cut into pieces. A *period* is the time in which the busiest channel carries one piece of
//! each part on it. A piece crosses a leg at the rate that the busiest channel of the leg has for it when all
//! of the parts there are sent at once. So no channel ever carries more than its bandwidth, whenever pieces
//! start. The chip at the end of a leg sends a piece on when all of it has come. The pieces of a part follow
//! each other, one period apart. The time is that of the slowest first piece, and one period for each further
//! piece.
//!
//! Each message also pays its overhead on every channel of its leg, so a channel is busy for the messages on
//! it as well. With barriers a round is a period, and ends when the slowest leg has delivered.

use super::super::channel_load::ChannelLoad;
use super::super::pipelined::fastest_pieces;
use super::super::time_split::split_time;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveCost, CollectiveTime, MessageStart, PairPaths, Scene, Schedule};
use std::collections::BTreeSet;

/// A path of a pair, laid out.
struct PathUse {
    /// Number of parts that take it.
    amount: u32,
    legs: Vec<LegUse>,
}

/// A leg of a path, laid out.
struct LegUse {
    from: NodeId,
    to: NodeId,
    channels: Vec<ChannelId>,
    /// The different loads of its channels, as indexes of [`PathTimetable::loads`].
    loads: Vec<u32>,
}

/// Paths of pairs, laid out so that many costs and sizes can be timed.
pub struct PathTimetable {
    paths: Vec<PathUse>,
    /// The different loads of channels, ascending.
    loads: Vec<ChannelLoad>,
    /// Units of the load of one part on one lane.
    load_unit: u64,
    most_legs: u32,
    parts: u64,
    /// Parts of the full vector of a chip.
    vector_parts: u64,
    nodes: u32,
}

impl LegUse {
    /// Attoseconds that a piece is in flight.
    fn flight_time(&self, cost: &CollectiveCost) -> u128 {
        self.channels.iter().map(|&channel| cost.hop_over(channel)).sum()
    }
    /// Attoseconds of the overhead of a message for every channel but the first.
    fn later_overheads(&self, cost: &CollectiveCost) -> u128 {
        cost.overhead * (self.channels.len() as u128 - 1)
    }
    /// The largest value of its channels. `values` are by load.
    fn most(&self, values: &[u128]) -> u128 {
        self.loads.iter().map(|&load| values[load as usize]).max().unwrap_or(0)
    }
}

impl PathTimetable {
    /// Lays out the legs of all paths, and what they load on channels.
    pub fn new(scene: &Scene<'_>, schedule: &Schedule, pair_paths: &PairPaths) -> Self {
        let topology = scene.topology;
        let mut carried = vec![(0u64, 0u64); topology.channel_count()];
        for path in &pair_paths.paths {
            for channel in path.channels() {
                let (parts, messages) = &mut carried[channel.index()];
                *parts += u64::from(path.amount);
                *messages += 1;
            }
        }
        let load = |channel: ChannelId| {
            let (parts, messages) = carried[channel.index()];
            let lanes = topology.channel_capacity(channel).max(1);
            ChannelLoad { lanes, parts, messages }
        };
        let used = pair_paths.paths.iter().flat_map(|path| path.channels()).collect::<BTreeSet<_>>();
        let loads: Vec<ChannelLoad> =
            used.into_iter().map(load).collect::<BTreeSet<_>>().into_iter().collect();
        let leg = |channels: &Vec<ChannelId>| {
            let index = |&channel: &ChannelId| loads.partition_point(|known| *known < load(channel)) as u32;
            LegUse {
                from: topology.source(channels[0]).node,
                to: topology.target(channels[channels.len() - 1]).node,
                channels: channels.clone(),
                loads: channels.iter().map(index).collect::<BTreeSet<_>>().into_iter().collect(),
            }
        };
        Self {
            most_legs: pair_paths.paths.iter().map(|path| path.legs.len() as u32).max().unwrap_or(1),
            load_unit: topology.capacities().parts(),
            parts: u64::from(pair_paths.parts),
            vector_parts: u64::from(pair_paths.parts) * schedule.sharers(scene.endpoints().count() as u64),
            nodes: topology.node_count() as u32,
            paths: pair_paths
                .paths
                .iter()
                .map(|path| PathUse { amount: path.amount, legs: path.legs.iter().map(leg).collect() })
                .collect(),
            loads,
        }
    }

    /// The number of pieces of a part with the least time for vectors of `bytes` bytes. A requested number is
    /// only clamped. No piece is smaller than a flit.
    pub fn pieces(&self, cost: &CollectiveCost, bytes: u64, requested: Option<u32>) -> u32 {
        let flits = bytes / (self.vector_parts * u64::from(cost.flit_bytes.max(1)));
        fastest_pieces(flits, self.nodes, requested, |pieces| self.total_time(cost, bytes, pieces))
    }

    /// The time for vectors of `bytes` bytes with `pieces` pieces of a part, split by what it is spent on.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> CollectiveTime {
        split_time(cost, |cost| self.total_time(cost, bytes, pieces))
    }

    /// The total of [`PathTimetable::time`], computed faster.
    pub fn total_time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
        let busy = self.busy_times(cost, bytes, pieces);
        let period = busy.iter().copied().max().unwrap_or(0);
        if cost.barrier {
            let legs = self.paths.iter().flat_map(|path| &path.legs);
            let flight = legs.map(|leg| leg.flight_time(cost) + leg.later_overheads(cost)).max().unwrap_or(0);
            return (period + flight) * u128::from(self.steps(pieces));
        }
        period * u128::from(pieces - 1) + self.slowest(|leg| leg.most(&busy) + leg.flight_time(cost))
    }

    /// The largest sum over the legs of a path.
    fn slowest(&self, of_leg: impl Fn(&LegUse) -> u128) -> u128 {
        self.paths.iter().map(|path| path.legs.iter().map(&of_leg).sum()).max().unwrap_or(0)
    }

    /// Number of rounds: the most legs of a path, and one for every further piece.
    pub fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + u64::from(self.most_legs)
    }

    /// Time in units of one piece of the data of a pair on a channel of one lane, where hops take no time.
    pub fn volume(&self, pieces: u32) -> u64 {
        let units: Vec<u128> = self
            .loads
            .iter()
            .map(|load| u128::from(load.parts) * u128::from(self.load_unit / load.lanes))
            .collect();
        let period = units.iter().copied().max().unwrap_or(0);
        let all = period * u128::from(pieces - 1) + self.slowest(|leg| leg.most(&units));
        all.div_ceil(u128::from(self.load_unit) * u128::from(self.parts.max(1))) as u64
    }

    /// Number of messages between chips, each of one piece of a part.
    pub fn transfers(&self, pieces: u32) -> u64 {
        let legs = self.paths.iter().map(|path| u64::from(path.amount) * path.legs.len() as u64);
        legs.sum::<u64>() * u64::from(pieces)
    }

    /// Number of pieces of parts in the vector of a chip.
    pub fn vector_pieces(&self, pieces: u32) -> u64 {
        self.vector_parts * u64::from(pieces)
    }

    /// When each piece of a part leaves a chip, in the timing of [`PathTimetable::time`] without barriers.
    /// The parts of a path leave one after the other while its pieces cross a leg.
    pub fn starts(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<MessageStart> {
        let busy = self.busy_times(cost, bytes, pieces);
        let period = busy.iter().copied().max().unwrap_or(0);
        let mut starts = Vec::with_capacity(self.transfers(pieces) as usize);
        for PathUse { amount, legs } in &self.paths {
            let amount = u128::from(*amount);
            let mut since = cost.overhead;
            for leg in legs {
                let crossing = leg.most(&busy);
                for number in 0..amount * u128::from(pieces) {
                    let (piece, part) = (number / amount, number % amount);
                    let attoseconds = since + piece * period + part * (crossing / amount);
                    starts.push(MessageStart { from: leg.from, to: leg.to, attoseconds });
                }
                since += crossing + leg.flight_time(cost);
            }
        }
        starts
    }

    /// `[load]`: the time in which a channel with that load carries one piece of each part on it.
    fn busy_times(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<u128> {
        let part = cost.transfer_time(bytes, self.vector_pieces(pieces));
        self.loads.iter().map(|load| load.busy_time(cost, part)).collect()
    }
}
