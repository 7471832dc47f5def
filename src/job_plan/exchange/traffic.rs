//! What a job sends, in ranks, and the paths between chips.

use crate::chip_paths::ChipPaths;
use crate::messages::{message_pairs, operation_groups};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, Scene};
use fabc_model::{Collective, Job, JobOperation, JobOperationKind};

/// Marks a rank in no group.
pub(super) const NO_GROUP: u32 = u32::MAX;
/// The bytes of the largest message are so many units of a load.
const LARGEST_UNITS: u128 = 1 << 20;

/// What a job sends in ranks, and the paths of a scene.
pub(super) struct JobTraffic<'a> {
    pub(super) scene: &'a Scene<'a>,
    /// `None` where messages follow no tables.
    pub(super) paths: Option<&'a ChipPaths>,
    /// Operations whose messages follow the tables.
    pub(super) messages: Vec<Messages>,
    /// Operations that copy or add up.
    pub(super) gathers: Vec<Gather>,
    /// The groups of every operation.
    pub(super) groups: Vec<GroupsOfRanks>,
    /// `[node]`: the chips beside it.
    pub(super) neighbors: Vec<Vec<NodeId>>,
    /// Seconds that a lane needs for a unit of load.
    pub(super) unit_seconds: f64,
    /// How many phases the job has.
    pub(super) phases: usize,
}

/// The groups of an operation, in ranks.
pub(super) struct GroupsOfRanks {
    /// `[group]`: the ranks in it, ascending.
    pub(super) lists: Vec<Vec<u32>>,
    /// `[rank]`: the index of its list, or [`NO_GROUP`].
    pub(super) group_of: Vec<u32>,
}

/// The messages of an operation.
pub(super) struct Messages {
    pub(super) phase: usize,
    /// The load of each, in units.
    pub(super) units: i64,
    /// `[rank]`: the ranks that it sends to.
    pub(super) sends: Vec<Vec<u32>>,
    /// `[rank]`: the ranks that it hears from.
    pub(super) hears: Vec<Vec<u32>>,
    /// The index of its groups, if an exchange within a group has no effect.
    pub(super) alike: Option<usize>,
}

/// An operation that copies or adds up.
pub(super) struct Gather {
    /// The index of its groups.
    pub(super) groups: usize,
    /// The seconds that it would take with one lane into every chip.
    pub(super) seconds: f64,
}

impl<'a> JobTraffic<'a> {
    /// Prepares the traffic of a job with `ranks` ranks.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        paths: Option<&'a ChipPaths>,
        unit_bps: u64,
        job: &Job,
        ranks: usize,
    ) -> Self {
        // Ranks stand for chips in the groups of operations.
        let identity: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        let grouped = |(phase, operation): (usize, &'_ JobOperation)| {
            (phase, operation.clone(), operation_groups(job, operation, &identity))
        };
        let phases = job.phases.iter().enumerate();
        let operations: Vec<(usize, JobOperation, ChipGroups)> = phases
            .flat_map(|(phase, of)| of.operations.iter().map(move |operation| (phase, operation)))
            .map(grouped)
            .collect();
        let parts = operations.iter().map(|(_, operation, groups)| part_bytes(operation, groups.size()));
        let largest = parts.max().unwrap_or(0).max(1);
        let byte_seconds = 8.0 / unit_bps.max(1) as f64;
        let (mut messages, mut gathers, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (phase, operation, chips) in &operations {
            let part = part_bytes(operation, chips.size());
            let pairs = message_pairs(operation.kind, chips);
            if pairs.is_empty() {
                let is_both = operation.kind == JobOperationKind::Collective(Collective::AllReduce);
                let shards = (chips.size() - 1) * if is_both { 2 } else { 1 };
                let seconds = part as f64 * shards as f64 * byte_seconds;
                gathers.push(Gather { groups: groups.len(), seconds });
            } else if paths.is_some() {
                let alike = matches!(operation.kind, JobOperationKind::Collective(_)).then_some(groups.len());
                let units = (part * LARGEST_UNITS / largest).max(1) as i64;
                messages.push(Messages::new(*phase, units, alike, &pairs, ranks));
            }
            groups.push(GroupsOfRanks::new(chips, ranks));
        }
        Self {
            scene,
            paths,
            messages,
            gathers,
            groups,
            neighbors: chips_beside(scene),
            unit_seconds: largest as f64 * byte_seconds / LARGEST_UNITS as f64,
            phases: job.phases.len(),
        }
    }
}

/// Bytes of a step that a message or a shard has.
fn part_bytes(operation: &JobOperation, group: u64) -> u128 {
    operation.skewed_bytes() / u128::from(operation.kind.parts(group))
}

/// `[node]`: the chips that hear it directly.
fn chips_beside(scene: &Scene<'_>) -> Vec<Vec<NodeId>> {
    let topology = scene.topology;
    let mut is_chip = vec![false; topology.node_count()];
    topology.endpoints().for_each(|chip| is_chip[chip.index()] = true);
    let beside = |node| {
        let targets = scene.channels_from(node).map(|channel| topology.target(channel).node);
        targets.filter(|target| is_chip[target.index()]).collect()
    };
    (0..topology.node_count()).map(NodeId::new).map(beside).collect()
}

impl JobTraffic<'_> {
    /// The channels of a message, in their order.
    pub(super) fn path(&self, from: NodeId, to: NodeId) -> &[ChannelId] {
        self.paths.map_or(&[], |paths| paths.between(from, to))
    }
}

impl GroupsOfRanks {
    fn new(groups: &ChipGroups, ranks: usize) -> Self {
        let numbers = |list: &Vec<NodeId>| list.iter().map(|rank| rank.0).collect();
        let lists: Vec<Vec<u32>> = groups.lists().iter().map(numbers).collect();
        let mut group_of = vec![NO_GROUP; ranks];
        for (group, list) in lists.iter().enumerate() {
            list.iter().for_each(|&rank| group_of[rank as usize] = group as u32);
        }
        Self { lists, group_of }
    }
}

impl Messages {
    fn new(phase: usize, units: i64, alike: Option<usize>, pairs: &[(NodeId, NodeId)], ranks: usize) -> Self {
        let (mut sends, mut hears) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
        for (from, to) in pairs {
            sends[from.index()].push(to.0);
            hears[to.index()].push(from.0);
        }
        Self { phase, units, sends, hears, alike }
    }
}
