//! The ways of all messages, as the forwarding tables lead them.
//!
//! In: a scene and tables of any key. Out: for every pair its channels, by class under the symmetry of the
//! tables, and what they load. Where the tables are canonical and the scene keeps the symmetry only pairs
//! from canonical routers are walked; they stand for all, and cross a class as often as all pairs cross each
//! of its channels.

use super::error::CollectiveError;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{CollectiveBound, ForwardingTables, Scene, Symmetry, TableKey};

/// Between whom messages go: living chips, never one and itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Between {
    /// All of them.
    All,
    /// From all to all but this one.
    AllBut(NodeId),
    /// From all but this one to all.
    ButFrom(NodeId),
    /// From this one to all.
    From(NodeId),
    /// From all to this one.
    To(NodeId),
}

impl Between {
    fn has(self, source: NodeId, destination: NodeId) -> bool {
        source != destination
            && match self {
                Between::All => true,
                Between::AllBut(root) => destination != root,
                Between::ButFrom(root) => source != root,
                Between::From(root) => source == root,
                Between::To(root) => destination == root,
            }
    }
}

/// The ways of messages.
pub(super) struct Tabled {
    /// Whether canonical sources stand for all.
    pub(super) canonical: bool,
    /// (source, destination), ascending.
    pub(super) pairs: Vec<(NodeId, NodeId)>,
    /// `[pair]`: where its hops start; one more at the end.
    pub(super) starts: Vec<u32>,
    /// Channel classes.
    pub(super) hops: Vec<u32>,
    /// `[channel class]`: messages that cross each of its channels.
    pub(super) loads: Vec<u32>,
    /// `[channel class]`: messages that each of its channels carries while the slowest kind carries one.
    pub(super) lanes: Vec<u32>,
}

impl Tabled {
    /// Walks the ways of messages; without symmetry where they are not those of all.
    ///
    /// # Errors
    /// Tables of other routers; a pair that they do not lead to its end over lit channels; more than `most`
    /// hops.
    pub(super) fn walked(
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        between: Between,
        most: u64,
    ) -> Result<Self, CollectiveError> {
        let topology = scene.topology;
        let (nodes, listed) = (tables.symmetry.node_count(), tables.routers.len());
        if nodes != topology.node_count() || listed != tables.symmetry.class_count() {
            return Err(CollectiveError::OtherTables { tables: nodes, routers: topology.node_count() });
        }
        let canonical = between == Between::All
            && !tables.symmetry.is_trivial()
            && tables.symmetry == *topology.symmetry()
            && scene.keeps_symmetry();
        let symmetry: Symmetry = if canonical { tables.symmetry.clone() } else { tables.symmetry.without() };
        let mut tabled = Self {
            canonical,
            pairs: Vec::new(),
            starts: vec![0],
            hops: Vec::new(),
            loads: vec![0; topology.class_count(&symmetry)],
            lanes: vec![1; topology.class_count(&symmetry)],
        };
        for source in symmetry.canonical_nodes().filter(|&source| scene.is_endpoint(source)) {
            for destination in scene.endpoints().filter(|&destination| between.has(source, destination)) {
                tabled.walk(scene, tables, &symmetry, (source, destination))?;
                if tabled.hops.len() as u64 > most {
                    let chips = symmetry.class_count();
                    return Err(CollectiveError::TooLarge { chips, chunks: tabled.hops.len() as u64, most });
                }
            }
        }
        for channel in scene.channels() {
            tabled.lanes[topology.channel_class(&symmetry, channel).index()] =
                topology.channel_capacity(channel) as u32;
        }
        Ok(tabled)
    }

    /// What the tables load most for what it carries, as a bound; `loads` of its channel classes.
    pub(super) fn busiest(&self, scene: &Scene<'_>, loads: &[u32]) -> CollectiveBound {
        let topology = scene.topology;
        let symmetry =
            if self.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
        let bound = |channel: ChannelId| {
            let class = topology.channel_class(&symmetry, channel).index();
            CollectiveBound::Channel { channel, shards: loads[class], lanes: self.lanes[class] }
        };
        // Of equal ones the first.
        let busiest = scene
            .channels()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(bound)
            .max_by_key(CollectiveBound::volume);
        busiest.unwrap_or(CollectiveBound::Channel { channel: ChannelId(0), shards: 0, lanes: 1 })
    }

    /// Slots until every channel has carried its messages, if it always has one.
    pub(super) fn least_slots(&self, chunks: u32) -> u64 {
        let slots =
            |(&load, &lanes): (&u32, &u32)| (u64::from(load) * u64::from(chunks)).div_ceil(u64::from(lanes));
        self.loads.iter().zip(&self.lanes).map(slots).max().unwrap_or(0)
    }

    fn walk(
        &mut self,
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        symmetry: &Symmetry,
        (source, destination): (NodeId, NodeId),
    ) -> Result<(), CollectiveError> {
        let topology = scene.topology;
        // More hops than channels times virtual channels come to where they were.
        let most = topology.channel_count() * usize::from(tables.vcs.max(1));
        let (mut at, mut came, mut hops) = (source, (-1, -1), 0);
        while at != destination {
            let next = asked(tables, at, destination, came).filter(|_| hops < most);
            let next = next.and_then(|(port, vc)| Some((out(scene, at, port)?, vc)));
            let Some((channel, vc)) = next else {
                let [from, to, at] = [source, destination, at].map(|node| topology.name(node));
                return Err(CollectiveError::NoRoute { from, to, at });
            };
            let class = topology.channel_class(symmetry, channel).index();
            self.hops.push(class as u32);
            self.loads[class] += 1;
            let end = topology.target(channel);
            (at, hops) = (end.node, hops + 1);
            if tables.key == TableKey::DstInput {
                came = (end.port.0 as i16, vc as i8);
            }
        }
        self.pairs.push((source, destination));
        self.starts.push(self.hops.len() as u32);
        Ok(())
    }

    /// Hops of the longest way.
    pub(super) fn longest(&self) -> u32 {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }
}

/// The output (port, virtual channel) of a router for packets that came in so.
fn asked(
    tables: &ForwardingTables,
    at: NodeId,
    destination: NodeId,
    (in_port, in_vc): (i16, i8),
) -> Option<(u16, u8)> {
    let symmetry = &tables.symmetry;
    let back = symmetry.inverse(symmetry.element_to(at));
    let key = (symmetry.image(back, destination), in_port, in_vc);
    let entries = &tables.routers[symmetry.class(at)];
    let found =
        entries.get(entries.partition_point(|entry| (entry.dst, entry.in_port, entry.in_vc) < key))?;
    ((found.dst, found.in_port, found.in_vc) == key).then_some((found.out_port, found.out_vc))
}

fn out(scene: &Scene<'_>, at: NodeId, port: u16) -> Option<ChannelId> {
    if usize::from(port) < scene.topology.ports() { scene.outgoing(at, PortId(port)) } else { None }
}
