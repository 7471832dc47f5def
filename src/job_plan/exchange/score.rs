//! The score of a placement, and how an exchange changes it.

use super::traffic::{Gather, JobTraffic, Messages, NO_GROUP};
use fabc_base::ids::{ChannelId, Id, NodeId};

/// Marks a node that is no rank.
const NO_RANK: u32 = u32::MAX;
/// Lanes that count for a chip without a neighbor of its own group.
const NO_LANES: f64 = 0.5;
/// Exchanges after which sums are added anew, so that rounding does not grow.
const ADDED_ANEW: u64 = 1024;

/// The ranks of a placement that is searched, with the loads of its channels.
pub(super) struct ExchangeScore<'a> {
    traffic: &'a JobTraffic<'a>,
    /// `[rank]`: the chip that is this rank now.
    ranks: Vec<NodeId>,
    /// `[node]`: the rank of a chip, or [`NO_RANK`].
    rank_of: Vec<u32>,
    /// `[phase][channel]`: the load, in units of the traffic.
    loads: Vec<Vec<i64>>,
    /// `[phase]`: the sum of the powers of the times of its channels.
    channel_sums: Vec<f64>,
    /// `[gather]`: the sum of the powers of the times of its chips.
    chip_sums: Vec<f64>,
    total: f64,
    /// What the last exchange changed, until it is kept or taken back.
    last: LastExchange,
    exchanges: u64,
}

/// All values before an exchange that it changes.
#[derive(Default)]
struct LastExchange {
    /// Every rank that moved, with its chip before.
    moved: Vec<(u32, NodeId)>,
    /// Phase, channel and change of every load that it touched. A channel may be there more than once.
    loads: Vec<(usize, ChannelId, i64)>,
    channel_sums: Vec<f64>,
    chip_sums: Vec<f64>,
    total: f64,
}

impl<'a> ExchangeScore<'a> {
    pub(super) fn new(traffic: &'a JobTraffic<'a>, start: &[NodeId]) -> Self {
        let topology = traffic.scene.topology;
        let mut rank_of = vec![NO_RANK; topology.node_count()];
        start.iter().enumerate().for_each(|(rank, chip)| rank_of[chip.index()] = rank as u32);
        let mut score = Self {
            traffic,
            ranks: start.to_vec(),
            rank_of,
            loads: vec![vec![0; topology.channel_count()]; traffic.phases],
            channel_sums: Vec::new(),
            chip_sums: Vec::new(),
            total: 0.0,
            last: LastExchange::default(),
            exchanges: 0,
        };
        for messages in &traffic.messages {
            for (from, targets) in messages.sends.iter().enumerate() {
                for &to in targets {
                    let path = traffic.path(start[from], start[to as usize]);
                    path.iter().for_each(|channel| {
                        score.loads[messages.phase][channel.index()] += messages.units;
                    });
                }
            }
        }
        score.add_anew();
        score
    }

    /// The score: an estimate of the seconds of a step.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// `[rank]`: the chip that is this rank now.
    pub(super) fn ranks(&self) -> &[NodeId] {
        &self.ranks
    }

    /// The rank of a chip.
    pub(super) fn rank_of(&self, chip: NodeId) -> u32 {
        self.rank_of[chip.index()]
    }

    /// Moves some ranks to new chips, each chip to one rank. Returns the hops of messages that it counted.
    pub(super) fn exchange(&mut self, moved: &[(u32, NodeId)]) -> u64 {
        self.last.channel_sums.clone_from(&self.channel_sums);
        self.last.chip_sums.clone_from(&self.chip_sums);
        self.last.total = self.total;
        self.last.loads.clear();
        let chips = self.affected_chips(moved);
        self.add_chips(&chips, -1.0);
        self.count_messages(moved, -1);
        self.last.moved = moved.iter().map(|&(rank, _)| (rank, self.ranks[rank as usize])).collect();
        self.place(moved);
        self.count_messages(moved, 1);
        self.add_chips(&chips, 1.0);
        let changes = std::mem::take(&mut self.last.loads);
        for &(phase, channel, change) in &changes {
            let before = self.channel_power(phase, channel);
            self.loads[phase][channel.index()] += change;
            self.channel_sums[phase] += self.channel_power(phase, channel) - before;
        }
        let hops = changes.len() as u64;
        self.last.loads = changes;
        self.total = self.sum_of_means();
        hops
    }

    /// Confirms the last exchange, so that it can no longer be taken back.
    pub(super) fn keep(&mut self) {
        self.exchanges += 1;
        if self.exchanges.is_multiple_of(ADDED_ANEW) {
            self.add_anew();
        }
    }

    /// Takes the last exchange back.
    pub(super) fn take_back(&mut self) {
        let moved = std::mem::take(&mut self.last.moved);
        self.place(&moved);
        for &(phase, channel, change) in &self.last.loads {
            self.loads[phase][channel.index()] -= change;
        }
        std::mem::swap(&mut self.channel_sums, &mut self.last.channel_sums);
        std::mem::swap(&mut self.chip_sums, &mut self.last.chip_sums);
        self.total = self.last.total;
    }

    fn place(&mut self, moved: &[(u32, NodeId)]) {
        for &(rank, chip) in moved {
            self.ranks[rank as usize] = chip;
            self.rank_of[chip.index()] = rank;
        }
    }

    /// Notes the load of all messages from or to ranks that move, `sign` times.
    fn count_messages(&mut self, moved: &[(u32, NodeId)], sign: i64) {
        let traffic = self.traffic;
        let moves = |rank: u32| moved.iter().any(|&(other, _)| other == rank);
        for messages in &traffic.messages {
            if is_without_effect(traffic, messages, moved) {
                continue;
            }
            let (phase, units) = (messages.phase, messages.units * sign);
            let ranks = &self.ranks;
            let changes = &mut self.last.loads;
            let mut count = |from: u32, to: u32| {
                let path = traffic.path(ranks[from as usize], ranks[to as usize]);
                changes.extend(path.iter().map(|&channel| (phase, channel, units)));
            };
            for &(rank, _) in moved {
                messages.sends[rank as usize].iter().for_each(|&to| count(rank, to));
                // Messages from other ranks that move are counted there.
                let still = messages.hears[rank as usize].iter().filter(|&&from| !moves(from));
                still.for_each(|&from| count(from, rank));
            }
        }
    }

    /// The chips whose own ranks or neighbors change.
    fn affected_chips(&self, moved: &[(u32, NodeId)]) -> Vec<NodeId> {
        if self.traffic.gathers.is_empty() {
            return Vec::new();
        }
        let of_chip =
            |&(_, chip): &(u32, NodeId)| self.traffic.neighbors[chip.index()].iter().copied().chain([chip]);
        let mut chips: Vec<NodeId> = moved.iter().flat_map(of_chip).collect();
        chips.sort_unstable();
        chips.dedup();
        chips
    }

    /// Adds the powers of the times of chips to the sums of gathers, `sign` times.
    fn add_chips(&mut self, chips: &[NodeId], sign: f64) {
        for (index, gather) in self.traffic.gathers.iter().enumerate() {
            let sum: f64 = chips.iter().map(|&chip| self.chip_power(gather, chip)).sum();
            self.chip_sums[index] += sign * sum;
        }
    }

    fn add_anew(&mut self) {
        let (scene, phases) = (self.traffic.scene, self.traffic.phases);
        let channel_sum =
            |phase| scene.channels().map(|channel| self.channel_power(phase, channel)).sum::<f64>();
        self.channel_sums = (0..phases).map(channel_sum).collect();
        let chip_sum = |gather| self.ranks.iter().map(|&chip| self.chip_power(gather, chip)).sum::<f64>();
        self.chip_sums = self.traffic.gathers.iter().map(chip_sum).collect();
        self.total = self.sum_of_means();
    }

    /// The twelfth power of the time of a channel.
    fn channel_power(&self, phase: usize, channel: ChannelId) -> f64 {
        let lanes = self.traffic.scene.topology.channel_capacity(channel).max(1) as f64;
        let load = self.loads[phase][channel.index()] as f64;
        twelfth_power(load * self.traffic.unit_seconds / lanes)
    }

    /// The twelfth power of the time in which a chip hears its group over the lanes from chips of the group.
    fn chip_power(&self, gather: &Gather, chip: NodeId) -> f64 {
        let rank = self.rank_of(chip);
        if rank == NO_RANK {
            return 0.0;
        }
        let (topology, group_of) =
            (self.traffic.scene.topology, &self.traffic.groups[gather.groups].group_of);
        // A rank in no group hears nothing.
        if group_of[rank as usize] == NO_GROUP {
            return 0.0;
        }
        let lanes = |channel| {
            let other = self.rank_of(topology.source(channel).node);
            let is_inside = other != NO_RANK && group_of[other as usize] == group_of[rank as usize];
            if is_inside { topology.channel_capacity(channel) } else { 0 }
        };
        let lanes: u64 = self.traffic.scene.channels_into(chip).map(lanes).sum();
        twelfth_power(gather.seconds / (lanes as f64).max(NO_LANES))
    }

    fn sum_of_means(&self) -> f64 {
        let channels = self.traffic.scene.topology.channel_count().max(1) as f64;
        let chips = self.ranks.len().max(1) as f64;
        let phases = self.channel_sums.iter().map(|sum| twelfth_root(sum.max(0.0) / channels));
        let gathers = self.chip_sums.iter().map(|sum| twelfth_root(sum.max(0.0) / chips));
        phases.sum::<f64>() + gathers.sum::<f64>()
    }
}

/// Whether all ranks that move stay in their group of an operation that treats these alike.
fn is_without_effect(traffic: &JobTraffic<'_>, messages: &Messages, moved: &[(u32, NodeId)]) -> bool {
    let Some(groups) = messages.alike else { return false };
    let mut groups = moved.iter().map(|&(rank, _)| traffic.groups[groups].group_of[rank as usize]);
    let Some(first) = groups.next() else { return true };
    groups.all(|group| group == first)
}

/// Only products, so that every machine has the same digits.
fn twelfth_power(value: f64) -> f64 {
    let fourth = value * value * (value * value);
    fourth * fourth * fourth
}

fn twelfth_root(value: f64) -> f64 {
    libm::cbrt(value.sqrt().sqrt())
}
