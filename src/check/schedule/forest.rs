//! Verifies a forest, and recomputes its time from the rule of its format.
//!
//! Every tree must lead from its root to all chips. Every edge must be paths over lit channels through
//! routers that only forward, for all parts of its tree. The trees of every root must carry all of its parts.
//! No channel may carry more than the forest claims. What a channel carries in the collective follows: the
//! parts of the paths over it, of those over its reverse in a reduction, of both in an all-reduce.
//!
//! In groups a tree must lead to the chips of the group of its root and to no others, and paths may pass
//! chips, which then only forward.

use super::ScheduleError;
use super::carried::{Carried, CarriedByChannel, busiest_load, lanes};
use super::pace::Pace;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Forest, ForestPath, ForestSend, ForestTree, Scene, Schedule};
use fabc_model::Collective;
use std::collections::BTreeMap;

fn violation(text: String) -> CheckError {
    ScheduleError::shape(text).into()
}

/// A forest that was proved to deliver everything.
pub(super) struct ProvedForest<'a> {
    scene: &'a Scene<'a>,
    forest: &'a Forest,
    carried: CarriedByChannel,
    /// How often a piece crosses its tree: twice in an all-reduce.
    crossings: u64,
    /// The most edges between a root and a chip.
    height: u64,
    collective: Collective,
}

/// Verifies that a forest performs its collective.
pub(super) fn prove_forest<'a>(
    scene: &'a Scene<'a>,
    schedule: &Schedule,
    forest: &'a Forest,
) -> Result<ProvedForest<'a>, CheckError> {
    let topology = scene.topology;
    let mut sums: BTreeMap<NodeId, u64> = BTreeMap::new();
    let mut loads = vec![Carried::default(); topology.channel_count()];
    let mut height = 0;
    for (number, tree) in forest.trees.iter().enumerate() {
        let convict = |violation| CheckError::from(ScheduleError::Tree { tree: number, violation });
        *sums.entry(tree.root).or_default() += u64::from(tree.multiplicity);
        height = verify_spanning(scene, schedule, tree).map_err(convict)?.max(height);
        for send in &tree.sends {
            verify_paths(scene, schedule, tree.multiplicity, send).map_err(convict)?;
            for path in &send.paths {
                for channel in &path.channels {
                    loads[channel.index()].parts += u128::from(path.amount);
                    loads[channel.index()].messages += 1;
                }
            }
        }
    }
    verify_sums(scene, schedule, forest, &sums)?;
    let (above, below) = (u128::from(forest.load.parts), u128::from(forest.load.lanes));
    for channel in topology.channels() {
        let parts = loads[channel.index()].parts;
        let lanes = u128::from(topology.channel_capacity(channel));
        if parts.saturating_mul(below) > above.saturating_mul(lanes) {
            return Err(violation(format!(
                "{} carries {parts} parts on {lanes} lanes, more than {above} / {below} per lane",
                topology.channel_name(channel)
            )));
        }
    }
    let (along, against) = match schedule.collective {
        Collective::AllGather | Collective::Broadcast => (true, false),
        Collective::ReduceScatter | Collective::Reduce => (false, true),
        Collective::AllReduce => (true, true),
        Collective::AllToAll | Collective::Send => {
            return Err(violation(format!("a forest cannot perform {}", schedule.collective.name())));
        }
    };
    let mut carried = CarriedByChannel::new();
    for channel in topology.channels().filter(|channel| loads[channel.index()].parts > 0) {
        let reverse = topology.reverse(channel).filter(|_| against);
        for used in [Some(channel).filter(|_| along), reverse].into_iter().flatten() {
            let sum = carried.entry(used).or_default();
            sum.parts += loads[channel.index()].parts;
            sum.messages += loads[channel.index()].messages;
        }
    }
    let crossings = u64::from(along) + u64::from(against);
    Ok(ProvedForest { scene, forest, carried, crossings, height, collective: schedule.collective })
}

/// Verifies that a tree reaches every chip (of its group) once, each from one that it reached before. Returns
/// its height.
fn verify_spanning(scene: &Scene<'_>, schedule: &Schedule, tree: &ForestTree) -> Result<u64, String> {
    let is_chip = |node: NodeId| node.index() < scene.topology.node_count() && scene.is_endpoint(node);
    if !is_chip(tree.root) || tree.multiplicity == 0 {
        return Err(format!("its root {} is not a surviving chip, or it carries no part", tree.root));
    }
    let mut depths = BTreeMap::from([(tree.root, 0)]);
    for send in &tree.sends {
        let Some(&depth) = depths.get(&send.from) else {
            return Err(format!("router {} hands on what no earlier edge brings to it", send.from));
        };
        if !is_chip(send.to) {
            return Err(format!("it leads to router {}, which is not a surviving chip", send.to));
        }
        if let Some(groups) = &schedule.groups
            && groups.group_of(send.to) != groups.group_of(tree.root)
        {
            return Err(format!("it leads to {}, which is in another group", scene.topology.name(send.to)));
        }
        if depths.insert(send.to, depth + 1).is_some() {
            return Err(format!("it leads to {} twice", scene.topology.name(send.to)));
        }
    }
    let missed = match &schedule.groups {
        Some(groups) => groups.members(tree.root).iter().copied().find(|chip| !depths.contains_key(chip)),
        None => scene.endpoints().find(|chip| !depths.contains_key(chip)),
    };
    match missed {
        Some(missed) => Err(format!("it does not reach {}", scene.topology.name(missed))),
        None => Ok(depths.into_values().max().unwrap_or(0)),
    }
}

/// Verifies that the paths of an edge carry all parts of its tree.
fn verify_paths(
    scene: &Scene<'_>,
    schedule: &Schedule,
    multiplicity: u32,
    send: &ForestSend,
) -> Result<(), String> {
    let stores = |node| schedule.groups.is_none() && scene.is_endpoint(node);
    let topology = scene.topology;
    let edge = || format!("{} to {}", topology.name(send.from), topology.name(send.to));
    let amounts: u64 = send.paths.iter().map(|path| u64::from(path.amount)).sum();
    if amounts != u64::from(multiplicity) {
        return Err(format!("{} carries {amounts} parts of {multiplicity}", edge()));
    }
    for ForestPath { amount, channels } in &send.paths {
        let mut node = send.from;
        for (index, &channel) in channels.iter().enumerate() {
            let is_usable = channel.index() < topology.channel_count()
                && scene.is_channel_lit(channel)
                && topology.reverse(channel).is_some();
            if !is_usable {
                return Err(format!("{} uses channel {channel}, which is no lit duplex channel", edge()));
            }
            if topology.source(channel).node != node {
                return Err(format!(
                    "the path of {} breaks off at {}",
                    edge(),
                    topology.channel_name(channel)
                ));
            }
            if index > 0 && (stores(node) || !scene.lives(node)) {
                return Err(format!(
                    "the path of {} passes {}, which does not only forward",
                    edge(),
                    topology.name(node)
                ));
            }
            node = topology.target(channel).node;
        }
        if node != send.to || *amount == 0 {
            return Err(format!("a path of {} ends elsewhere, or carries nothing", edge()));
        }
    }
    Ok(())
}

/// Verifies that all parts of every root are carried, and nothing else.
fn verify_sums(
    scene: &Scene<'_>,
    schedule: &Schedule,
    forest: &Forest,
    sums: &BTreeMap<NodeId, u64>,
) -> Result<(), CheckError> {
    // Chips in no group have no data.
    let is_grouped =
        |chip: &NodeId| schedule.groups.as_ref().is_none_or(|groups| groups.group_of(*chip).is_some());
    let all = || scene.endpoints().filter(is_grouped).collect();
    let roots: Vec<NodeId> = schedule.root.map_or_else(all, |root| vec![root]);
    if let Some(stranger) = sums.keys().find(|root| !roots.contains(root)) {
        let name = scene.topology.name(*stranger);
        return Err(violation(format!("a tree starts at {name}, which is not a root of the collective")));
    }
    for root in roots {
        let sum = sums.get(&root).copied().unwrap_or(0);
        if sum != u64::from(forest.parts) || sum == 0 {
            return Err(violation(format!(
                "the trees of {} carry {sum} of {} parts",
                scene.topology.name(root),
                forest.parts
            )));
        }
    }
    Ok(())
}

impl ProvedForest<'_> {
    /// The most parts on a channel per lane, as (numerator, denominator).
    pub(super) fn load(&self) -> (u128, u128) {
        busiest_load(self.scene, &self.carried)
    }

    /// Edges that the first piece crosses, and one for each piece that follows.
    pub(super) fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + self.height * self.crossings
    }

    /// Number of paths of edges, each used once or twice.
    pub(super) fn path_count(&self) -> u64 {
        let sends = self.forest.trees.iter().flat_map(|tree| &tree.sends);
        sends.map(|send| send.paths.len() as u64).sum::<u64>() * self.crossings
    }

    /// Time in pieces of the data of a root on a channel of one lane, as if hops took no time.
    pub(super) fn volume(&self, pieces: u32) -> u64 {
        let (parts, lanes) = self.load();
        (parts * u128::from(self.steps(pieces))).div_ceil(lanes * u128::from(self.forest.parts)) as u64
    }

    /// Duration of `pieces` pieces of every part. `part` is the time of one on a channel of one lane.
    pub(super) fn duration(&self, pieces: u32, part: u128, pace: &Pace) -> u128 {
        let busy = self.carried.iter();
        let busy = busy.map(|(&channel, carried)| carried.busy_time(lanes(self.scene, channel), part, pace));
        let period = busy.max().unwrap_or(0);
        if pace.barrier {
            // Every channel of a path but the first adds the overhead of a message.
            let whole = |path: &ForestPath, towards_root: bool| {
                self.flight(path, towards_root, pace) + pace.overhead * (path.channels.len() as u128 - 1)
            };
            let paths = self.forest.trees.iter().flat_map(|tree| &tree.sends).flat_map(|send| &send.paths);
            let slowest = paths.flat_map(|path| {
                self.directions().iter().map(move |&towards_root| whole(path, towards_root))
            });
            return (period + slowest.max().unwrap_or(0)) * u128::from(self.steps(pieces));
        }
        let last = |towards_root: bool| {
            let crossed =
                self.forest.trees.iter().map(|tree| self.last_arrival(tree, period, towards_root, pace));
            crossed.max().unwrap_or(0)
        };
        let first: u128 = self.directions().iter().map(|&towards_root| last(towards_root)).sum();
        first + u128::from(pieces - 1) * period
    }

    /// The directions in which pieces cross the trees, one after the other: whether towards the roots.
    fn directions(&self) -> &'static [bool] {
        match self.collective {
            Collective::AllReduce => &[true, false],
            Collective::ReduceScatter | Collective::Reduce => &[true],
            _ => &[false],
        }
    }

    /// Time that a piece is in flight on a path, or on the same path backwards.
    fn flight(&self, path: &ForestPath, towards_root: bool, pace: &Pace) -> u128 {
        let hop = |&channel: &ChannelId| match towards_root {
            true => pace.hop_time(self.scene.topology.reverse(channel).unwrap_or(channel)),
            false => pace.hop_time(channel),
        };
        path.channels.iter().map(hop).sum()
    }

    /// The time between the root of a tree and the chip that is last, for the first piece.
    fn last_arrival(&self, tree: &ForestTree, period: u128, towards_root: bool, pace: &Pace) -> u128 {
        let mut arrivals = BTreeMap::from([(tree.root, 0)]);
        for send in &tree.sends {
            let flights = send.paths.iter().map(|path| self.flight(path, towards_root, pace));
            let slowest = flights.max().unwrap_or(0);
            let arrival = arrivals[&send.from] + period + slowest;
            arrivals.insert(send.to, arrival);
        }
        arrivals.into_values().max().unwrap_or(0)
    }
}
