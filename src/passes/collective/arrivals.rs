//! Bounds by arrival: data from far chips is long on its way, and then fills the channels of a router.
//!
//! Input: a scene whose channels differ in latency. Output: bounds, each a router with the chips at least as
//! far from it as some time. The quickest paths give the times (Dijkstra's algorithm), so a path of fast
//! links is near whatever its number of hops. Each bound is a line over the size: a latency, and the time of
//! a volume. Only lines that are the highest for some size are kept. Cost: one run of Dijkstra's algorithm
//! per router.

use super::delays::{PathDirection, least_times};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, CollectiveBound, CollectiveCost, Fraction, Scene};
use fabc_model::Collective;
use rayon::prelude::*;

/// Limit on routers times channels. Beyond it only the first routers are looked at.
const WORK_LIMIT: usize = 1 << 22;

/// A bound as a line over the size.
#[derive(Clone, Copy)]
struct BoundLine {
    node: NodeId,
    /// Attoseconds from the nearest far chip.
    delay: u128,
    channels: u64,
    shards: u64,
}

/// The bounds by arrival. None where all lit channels have the same latency. In `groups` only chips of one
/// group have data for each other.
pub fn arrival_bounds(
    scene: &Scene<'_>,
    cost: &CollectiveCost,
    collective: Collective,
    root: Option<NodeId>,
    groups: Option<&ChipGroups>,
) -> Vec<CollectiveBound> {
    let Some(hops) = &cost.channel_hops else { return Vec::new() };
    let view = ArrivalView { scene, cost, collective, groups };
    let lines = match (collective, root) {
        (Collective::Broadcast, Some(root)) => {
            let times = least_times(scene, root, PathDirection::From, |channel| hops.by_channel[channel]);
            let others = scene.endpoints().filter(|&chip| chip != root);
            others.map(|node| view.line(node, times[node.index()], 1)).collect()
        }
        (Collective::Reduce, Some(root)) => view.lines(root),
        (Collective::Broadcast | Collective::Reduce | Collective::Send, _) => Vec::new(),
        _ => {
            let routers = view.routers();
            let lines: Vec<Vec<BoundLine>> =
                routers.par_iter().map(|&node| highest_lines(view.lines(node))).collect();
            lines.concat()
        }
    };
    highest_lines(lines).into_iter().map(|line| view.bound(line, root)).collect()
}

struct ArrivalView<'a> {
    scene: &'a Scene<'a>,
    cost: &'a CollectiveCost,
    collective: Collective,
    groups: Option<&'a ChipGroups>,
}

impl ArrivalView<'_> {
    /// The chips that bounds are about. Where images of a channel have its latency, one chip of each class.
    fn routers(&self) -> Vec<NodeId> {
        let topology = self.scene.topology;
        let are_alike = self
            .scene
            .channels()
            .all(|channel| self.cost.hop_over(channel) == self.cost.hop_over_images(channel));
        let canonical = self.groups.is_none() && self.scene.keeps_symmetry() && are_alike;
        let is_listed = |chip: &NodeId| {
            let symmetry = topology.symmetry();
            !canonical || symmetry.canonical_node(symmetry.class(*chip)) == *chip
        };
        let most = (WORK_LIMIT / topology.channel_count().max(1)).max(1);
        let is_member = |chip: &NodeId| self.groups.is_none_or(|groups| groups.group_of(*chip).is_some());
        self.scene.endpoints().filter(is_listed).filter(is_member).take(most).collect()
    }

    /// The chips that have data for a router, or need data of it, ascending.
    fn partners(&self, node: NodeId) -> Vec<NodeId> {
        let all = match self.groups {
            Some(groups) => groups.members(node).to_vec(),
            None => self.scene.endpoints().collect(),
        };
        let mut partners: Vec<NodeId> = all.into_iter().filter(|&chip| chip != node).collect();
        // Ranks of a job come in any order.
        partners.sort_unstable();
        partners
    }

    /// In a reduce-scatter a router sends a shard for every other chip. Else it receives.
    fn direction(&self) -> PathDirection {
        match self.collective {
            Collective::ReduceScatter => PathDirection::From,
            _ => PathDirection::To,
        }
    }

    /// `[router]`: the time of the quickest path between it and `node`.
    fn times(&self, node: NodeId) -> Vec<u128> {
        least_times(self.scene, node, self.direction(), |channel| self.cost.hop_over(channel))
    }

    fn line(&self, node: NodeId, delay: u128, shards: u64) -> BoundLine {
        let lanes = |channel: ChannelId| self.scene.topology.channel_capacity(channel);
        let channels = match self.direction() {
            PathDirection::From => self.scene.channels_from(node).map(lanes).sum(),
            PathDirection::To => self.scene.channels_into(node).map(lanes).sum(),
        };
        BoundLine { node, delay, channels, shards }
    }

    /// The lines of a router, one for every time at which a chip is. A sum is complete everywhere only after
    /// the farthest chip was heard.
    fn lines(&self, node: NodeId) -> Vec<BoundLine> {
        let times = self.times(node);
        let mut delays: Vec<u128> = self.partners(node).into_iter().map(|chip| times[chip.index()]).collect();
        delays.sort_unstable_by(|a, b| b.cmp(a));
        let chips = delays.len() as u64 + 1;
        match self.collective {
            Collective::Reduce => {
                delays.first().map(|&delay| self.line(node, delay, 1)).into_iter().collect()
            }
            Collective::AllReduce => {
                delays.first().map(|&delay| self.line(node, delay, chips)).into_iter().collect()
            }
            _ => {
                let is_last = |index: usize| delays.get(index + 1) != Some(&delays[index]);
                (0..delays.len())
                    .filter(|&index| is_last(index))
                    .map(|index| self.line(node, delays[index], index as u64 + 1))
                    .collect()
            }
        }
    }

    fn bound(&self, line: BoundLine, root: Option<NodeId>) -> CollectiveBound {
        let BoundLine { node, delay, channels, shards } = line;
        let far = match (self.collective, root) {
            (Collective::Broadcast, Some(root)) => vec![root],
            _ => {
                let times = self.times(node);
                let mut far = self.partners(node);
                far.retain(|chip| times[chip.index()] >= delay);
                far
            }
        };
        CollectiveBound::Arrival { node, far, channels: channels as u32, shards: shards as u32 }
    }
}

/// The lines that are the highest for some size, by falling volume.
fn highest_lines(mut lines: Vec<BoundLine>) -> Vec<BoundLine> {
    let volume = |line: &BoundLine| Fraction::new(line.shards, line.channels.max(1));
    lines.sort_by(|a, b| volume(b).cmp(&volume(a)).then(b.delay.cmp(&a.delay)).then(a.node.cmp(&b.node)));
    let mut highest: Vec<BoundLine> = Vec::new();
    for line in lines {
        if highest.last().is_some_and(|last| line.delay <= last.delay) {
            continue;
        }
        while let [.., before, last] = highest[..] {
            if !is_covered(before, last, line) {
                break;
            }
            highest.pop();
        }
        highest.push(line);
    }
    highest
}

/// Whether a line is nowhere above both of the lines beside it. `before` has more volume and less delay,
/// `after` has less volume and more delay.
fn is_covered(before: BoundLine, line: BoundLine, after: BoundLine) -> bool {
    let lost = |from: BoundLine, to: BoundLine| {
        u128::from(from.shards) * u128::from(to.channels) - u128::from(to.shards) * u128::from(from.channels)
    };
    (line.delay - before.delay) * lost(before, after) * u128::from(line.channels)
        <= (after.delay - before.delay) * lost(before, line) * u128::from(after.channels)
}
