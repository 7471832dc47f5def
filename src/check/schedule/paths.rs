//! Verifies paths of pairs, and recomputes their time from the rule of their format.
//!
//! Every ordered pair of chips must have paths for all of its parts. The first leg of a path must start at
//! the source, and every other one where the leg before it ends: a chip sends on only what has come to it.
//! The last leg must end at the destination. A leg must be one path over lit channels through routers that
//! only forward. The load of the busiest channel must be the one that is claimed.
//!
//! In groups every ordered pair of a group must have its paths, and no other pair has any. A leg may pass
//! chips, which then only forward.

use super::ScheduleError;
use super::carried::{CarriedByChannel, busiest_load, lanes};
use super::pace::Pace;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{PairPath, PairPaths, Scene, Schedule};
use fabc_model::Collective;
use std::collections::BTreeMap;

fn violation(text: String) -> CheckError {
    ScheduleError::shape(text).into()
}

/// Paths that were proved to deliver everything.
pub(super) struct ProvedPaths<'a> {
    scene: &'a Scene<'a>,
    pair_paths: &'a PairPaths,
    carried: CarriedByChannel,
    most_legs: u64,
}

/// Verifies that paths perform an all-to-all.
pub(super) fn prove_paths<'a>(
    scene: &'a Scene<'a>,
    schedule: &Schedule,
    pair_paths: &'a PairPaths,
) -> Result<ProvedPaths<'a>, CheckError> {
    if schedule.collective != Collective::AllToAll {
        return Err(violation(format!("paths of pairs cannot perform {}", schedule.collective.name())));
    }
    let mut carried = CarriedByChannel::new();
    let mut sums: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
    let mut most_legs = 0;
    for (number, path) in pair_paths.paths.iter().enumerate() {
        verify_path(scene, schedule, path)
            .map_err(|violation| CheckError::from(ScheduleError::Path { path: number, violation }))?;
        *sums.entry((path.source, path.destination)).or_default() += u64::from(path.amount);
        most_legs = most_legs.max(path.legs.len() as u64);
        for leg in &path.legs {
            for &channel in leg {
                let sum = carried.entry(channel).or_default();
                sum.parts += u128::from(path.amount);
                sum.messages += 1;
            }
        }
    }
    verify_pairs(scene, schedule, pair_paths.parts, &sums)?;
    let proved = ProvedPaths { scene, pair_paths, carried, most_legs };
    let (parts, lanes) = proved.load();
    let claimed = pair_paths.load;
    if parts * u128::from(claimed.lanes) != u128::from(claimed.parts) * lanes {
        return Err(violation(format!(
            "the busiest channel carries {parts} parts on {lanes} lanes, not {} on {}",
            claimed.parts, claimed.lanes
        )));
    }
    Ok(proved)
}

/// Verifies that a path leads from its source to its destination, leg by leg.
fn verify_path(scene: &Scene<'_>, schedule: &Schedule, path: &PairPath) -> Result<(), String> {
    let topology = scene.topology;
    let stores = |node| schedule.groups.is_none() && scene.is_endpoint(node);
    let is_chip = |node: NodeId| node.index() < topology.node_count() && scene.is_endpoint(node);
    let PairPath { source, destination, amount, legs } = path;
    if !is_chip(*source) || !is_chip(*destination) || source == destination || *amount == 0 {
        return Err(format!(
            "it must carry parts between two surviving chips, and carries {amount} from {source} to {destination}"
        ));
    }
    let mut place = *source;
    for (index, leg) in legs.iter().enumerate() {
        let start = place;
        for (position, &channel) in leg.iter().enumerate() {
            if channel.index() >= topology.channel_count() || !scene.is_channel_lit(channel) {
                return Err(format!("leg {index} uses channel {channel}, which is dark or does not exist"));
            }
            if topology.source(channel).node != place {
                let name = topology.channel_name(channel);
                let held = topology.name(place);
                return Err(format!("leg {index} goes on with {name}, but the data is at {held}"));
            }
            if position > 0 && (stores(place) || !scene.lives(place)) {
                let name = topology.name(place);
                return Err(format!("leg {index} passes {name}, which does not only forward"));
            }
            place = topology.target(channel).node;
        }
        if place == start || !is_chip(place) {
            let name = topology.name(place);
            return Err(format!("leg {index} ends at {name}, and not at another surviving chip"));
        }
    }
    match place == *destination {
        true => Ok(()),
        false => {
            Err(format!("it ends at {} instead of {}", topology.name(place), topology.name(*destination)))
        }
    }
}

/// Verifies that every pair of chips has paths for all parts, and for no more.
fn verify_pairs(
    scene: &Scene<'_>,
    schedule: &Schedule,
    parts: u32,
    sums: &BTreeMap<(NodeId, NodeId), u64>,
) -> Result<(), CheckError> {
    let are_together = |one: NodeId, other: NodeId| {
        schedule.groups.as_ref().is_none_or(|groups| {
            groups.group_of(one).is_some() && groups.group_of(one) == groups.group_of(other)
        })
    };
    if let Some((from, to)) = sums.keys().find(|(from, to)| !are_together(*from, *to)) {
        let [from, to] = [from, to].map(|&end| scene.topology.name(end));
        return Err(violation(format!("there are paths from {from} to {to}, which is in another group")));
    }
    for source in scene.endpoints() {
        let others = scene.endpoints().filter(|&other| other != source && are_together(source, other));
        for destination in others {
            let sum = sums.get(&(source, destination)).copied().unwrap_or(0);
            if sum != u64::from(parts) || sum == 0 {
                return Err(violation(format!(
                    "the paths from {} to {} carry {sum} of {parts} parts",
                    scene.topology.name(source),
                    scene.topology.name(destination)
                )));
            }
        }
    }
    Ok(())
}

impl ProvedPaths<'_> {
    /// The most parts on a channel per lane, as (numerator, denominator).
    pub(super) fn load(&self) -> (u128, u128) {
        busiest_load(self.scene, &self.carried)
    }

    /// Legs that the first piece crosses, and one for each piece that follows.
    pub(super) fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + self.most_legs
    }

    /// Number of legs of all paths.
    pub(super) fn leg_count(&self) -> u64 {
        self.pair_paths.paths.iter().map(|path| path.legs.len() as u64).sum()
    }

    /// Time in pieces of the data of a pair on a channel of one lane, as if hops took no time.
    pub(super) fn volume(&self, pieces: u32) -> u64 {
        let topology = self.scene.topology;
        let load = |channel: ChannelId| self.carried[&channel].parts * u128::from(topology.slowness(channel));
        let unit = u128::from(topology.capacities().parts()) * u128::from(self.pair_paths.parts);
        self.duration_by(pieces, &load, &|_| 0).div_ceil(unit) as u64
    }

    /// Duration of `pieces` pieces of every part. `part` is the time of one on a channel of one lane.
    pub(super) fn duration(&self, pieces: u32, part: u128, pace: &Pace) -> u128 {
        let busy =
            |channel: ChannelId| self.carried[&channel].busy_time(lanes(self.scene, channel), part, pace);
        if pace.barrier {
            let period = self.carried.keys().map(|&channel| busy(channel)).max().unwrap_or(0);
            // Every channel of a leg but the first adds the overhead of a message.
            let flight = |leg: &Vec<ChannelId>| {
                leg.iter().map(|&channel| pace.hop_time(channel) + pace.overhead).sum::<u128>()
                    - pace.overhead
            };
            let legs = self.pair_paths.paths.iter().flat_map(|path| &path.legs);
            return (period + legs.map(flight).max().unwrap_or(0)) * u128::from(self.steps(pieces));
        }
        self.duration_by(pieces, &busy, &|channel| pace.hop_time(channel))
    }

    /// Duration without barriers, if a channel is `busy` so long with one piece of each part on it, and its
    /// hop takes `hop`. The first piece of a path takes as long for a leg as its busiest channel. Each
    /// further piece comes as much later as the busiest channel of all is busy.
    fn duration_by(
        &self,
        pieces: u32,
        busy: &dyn Fn(ChannelId) -> u128,
        hop: &dyn Fn(ChannelId) -> u128,
    ) -> u128 {
        let busy: BTreeMap<ChannelId, u128> =
            self.carried.keys().map(|&channel| (channel, busy(channel))).collect();
        let mut last_arrival = 0;
        for path in &self.pair_paths.paths {
            let mut arrival = 0;
            for leg in &path.legs {
                arrival += leg.iter().map(|channel| busy[channel]).max().unwrap_or(0);
                arrival += leg.iter().map(|&channel| hop(channel)).sum::<u128>();
            }
            last_arrival = last_arrival.max(arrival);
        }
        let period = busy.into_values().max().unwrap_or(0);
        last_arrival + u128::from(pieces - 1) * period
    }
}
