//! The paths of all messages, as the forwarding tables lead them.
//!
//! Input: a scene, and tables with any key. Output: the channel classes on the path of every pair under the
//! symmetry of the tables, and the loads of these classes. Where the tables are canonical and the scene keeps
//! the symmetry, only pairs from canonical routers are walked. They stand for all pairs: they cross a class
//! as often as all pairs together cross each of its channels.

use super::error::CollectiveError;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{CollectiveBound, ForwardingTables, Scene, Symmetry, TableKey};

/// The pairs of surviving chips that messages go between. No chip sends to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MessagePairs {
    /// From every chip to every other one.
    All,
    /// From all to all except this one.
    AllBut(NodeId),
    /// From all except this one to all.
    ButFrom(NodeId),
    /// From this one to all.
    From(NodeId),
    /// From all to this one.
    To(NodeId),
}

impl MessagePairs {
    fn contains(self, source: NodeId, destination: NodeId) -> bool {
        source != destination
            && match self {
                MessagePairs::All => true,
                MessagePairs::AllBut(root) => destination != root,
                MessagePairs::ButFrom(root) => source != root,
                MessagePairs::From(root) => source == root,
                MessagePairs::To(root) => destination == root,
            }
    }
}

/// The paths of a set of messages.
pub(super) struct MessagePaths {
    /// Whether canonical sources stand for all sources.
    pub(super) canonical: bool,
    /// (source, destination) of each message, ascending.
    pub(super) pairs: Vec<(NodeId, NodeId)>,
    /// `[pair]`: start of its hops in `hops`, with one more entry at the end.
    pub(super) starts: Vec<u32>,
    /// The channel class of each hop.
    pub(super) hops: Vec<u32>,
    /// `[channel class]`: number of messages that cross each of its channels.
    pub(super) loads: Vec<u32>,
    /// `[channel class]`: messages that each of its channels carries while the slowest kind carries one.
    pub(super) lanes: Vec<u32>,
}

impl MessagePaths {
    /// Walks the paths of all pairs of messages. Symmetry is used only where messages go from all to all.
    ///
    /// # Errors
    /// Refuses tables of other routers, a pair that they do not deliver over lit channels, and more than
    /// `hop_limit` hops.
    pub(super) fn walk_all(
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        between: MessagePairs,
        hop_limit: u64,
    ) -> Result<Self, CollectiveError> {
        let topology = scene.topology;
        check_tables(scene, tables)?;
        let canonical = between == MessagePairs::All
            && !tables.symmetry.is_trivial()
            && tables.symmetry == *topology.symmetry()
            && scene.keeps_symmetry();
        let symmetry: Symmetry =
            if canonical { tables.symmetry.clone() } else { tables.symmetry.to_trivial() };
        let mut paths = Self {
            canonical,
            pairs: Vec::new(),
            starts: vec![0],
            hops: Vec::new(),
            loads: vec![0; topology.class_count(&symmetry)],
            lanes: vec![1; topology.class_count(&symmetry)],
        };
        for source in symmetry.canonical_nodes().filter(|&source| scene.is_endpoint(source)) {
            for destination in scene.endpoints().filter(|&destination| between.contains(source, destination))
            {
                paths.walk_pair(scene, tables, &symmetry, source, destination)?;
                if paths.hops.len() as u64 > hop_limit {
                    let chips = symmetry.class_count();
                    return Err(CollectiveError::TooLarge {
                        chips,
                        chunks: paths.hops.len() as u64,
                        most: hop_limit,
                    });
                }
            }
        }
        for channel in scene.channels() {
            paths.lanes[topology.channel_class(&symmetry, channel).index()] =
                topology.channel_capacity(channel) as u32;
        }
        Ok(paths)
    }

    /// The bound of the channel with the largest load for its bandwidth. `loads` is by channel class.
    pub(super) fn busiest(&self, scene: &Scene<'_>, loads: &[u32]) -> CollectiveBound {
        let topology = scene.topology;
        let symmetry =
            if self.canonical { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
        let bound = |channel: ChannelId| {
            let class = topology.channel_class(&symmetry, channel).index();
            CollectiveBound::Channel { channel, shards: loads[class], lanes: self.lanes[class] }
        };
        // Of equal channels the first one counts.
        let busiest = scene
            .channels()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(bound)
            .max_by_key(CollectiveBound::volume);
        busiest.unwrap_or(CollectiveBound::Channel { channel: ChannelId(0), shards: 0, lanes: 1 })
    }

    /// Slots until every channel has carried its messages, if it is never idle.
    pub(super) fn least_slots(&self, chunks: u32) -> u64 {
        let slots =
            |(&load, &lanes): (&u32, &u32)| (u64::from(load) * u64::from(chunks)).div_ceil(u64::from(lanes));
        self.loads.iter().zip(&self.lanes).map(slots).max().unwrap_or(0)
    }

    fn walk_pair(
        &mut self,
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        symmetry: &Symmetry,
        source: NodeId,
        destination: NodeId,
    ) -> Result<(), CollectiveError> {
        let topology = scene.topology;
        walk_tables(scene, tables, source, destination, |channel| {
            let class = topology.channel_class(symmetry, channel).index();
            self.hops.push(class as u32);
            self.loads[class] += 1;
        })?;
        self.pairs.push((source, destination));
        self.starts.push(self.hops.len() as u32);
        Ok(())
    }

    /// Hops of the longest path.
    pub(super) fn longest_path_hops(&self) -> u32 {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }
}

/// Checks that tables are those of a scene.
///
/// # Errors
/// Refuses tables of other routers.
pub(super) fn check_tables(scene: &Scene<'_>, tables: &ForwardingTables) -> Result<(), CollectiveError> {
    let (nodes, listed) = (tables.symmetry.node_count(), tables.routers.len());
    let routers = scene.topology.node_count();
    match nodes == routers && listed == tables.symmetry.class_count() {
        true => Ok(()),
        false => Err(CollectiveError::OtherTables { tables: nodes, routers }),
    }
}

/// Calls `each` for the channels by which tables lead packets from a chip to another one, hop by hop.
///
/// # Errors
/// Refuses a pair that the tables do not deliver over lit channels.
pub fn walk_tables(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    source: NodeId,
    destination: NodeId,
    mut each: impl FnMut(ChannelId),
) -> Result<(), CollectiveError> {
    let topology = scene.topology;
    // A path of more hops than channels times virtual channels repeats a state.
    let hop_limit = topology.channel_count() * usize::from(tables.vcs.max(1));
    let (mut router, mut input, mut hops) = (source, (-1, -1), 0);
    while router != destination {
        let next = table_output(tables, router, destination, input.0, input.1).filter(|_| hops < hop_limit);
        let next = next.and_then(|(port, vc)| Some((output_channel(scene, router, port)?, vc)));
        let Some((channel, vc)) = next else {
            let [from, to, at] = [source, destination, router].map(|node| topology.name(node));
            return Err(CollectiveError::NoRoute { from, to, at });
        };
        each(channel);
        let target = topology.target(channel);
        (router, hops) = (target.node, hops + 1);
        if tables.key == TableKey::DstInput {
            input = (target.port.0 as i16, vc as i8);
        }
    }
    Ok(())
}

/// The output (port, virtual channel) of a router for packets from an input (port, virtual channel).
fn table_output(
    tables: &ForwardingTables,
    router: NodeId,
    destination: NodeId,
    in_port: i16,
    in_vc: i8,
) -> Option<(u16, u8)> {
    let symmetry = &tables.symmetry;
    let to_canonical = symmetry.inverse(symmetry.element_to(router));
    let key = (symmetry.image(to_canonical, destination), in_port, in_vc);
    let entries = &tables.routers[symmetry.class(router)];
    let entry =
        entries.get(entries.partition_point(|entry| (entry.dst, entry.in_port, entry.in_vc) < key))?;
    ((entry.dst, entry.in_port, entry.in_vc) == key).then_some((entry.out_port, entry.out_vc))
}

fn output_channel(scene: &Scene<'_>, router: NodeId, port: u16) -> Option<ChannelId> {
    if usize::from(port) < scene.topology.ports() { scene.outgoing(router, PortId(port)) } else { None }
}
