//! Replays messages from all chips to all others, hop by hop along the forwarding tables.

use super::ScheduleError;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, RoutedMessage, Scene, Schedule, Sends, Symmetry, TableEntry, TableKey};
use fabc_model::Collective;
use fixedbitset::FixedBitSet;

/// The messages that tables put on channels.
pub(super) struct MessageLoads {
    pub(super) symmetry: Symmetry,
    /// `[channel class]`: messages that cross each of its channels.
    loads: Vec<u64>,
    /// `[channel class]`: capacity of each of its channels, in units of the common bandwidth.
    pub(super) lanes: Vec<u32>,
    /// The lists of messages, in the order in which they are sent.
    pub(super) lists: Vec<MessageSends>,
}

/// A list of messages that are all available when the first of them is sent.
#[derive(Clone)]
pub(super) struct MessageSends {
    /// (slot, channel class, message) of every send. Slots ascend.
    pub(super) sends: Vec<(u32, u32, u32)>,
    /// Number of messages in the list.
    pub(super) count: usize,
}

impl MessageSends {
    /// Number of slots until the last message is sent.
    pub(super) fn slots(&self) -> u64 {
        self.sends.last().map_or(0, |(slot, ..)| u64::from(*slot) + 1)
    }
}

/// Whether a source has a message for a destination.
type SenderPairs = dyn Fn(NodeId, NodeId) -> bool;

impl MessageLoads {
    /// Number of slots of all lists in sequence.
    pub(super) fn slots(&self) -> u64 {
        self.lists.iter().map(MessageSends::slots).sum()
    }
    /// Messages that cross a channel of the scene, counting each time that they are sent.
    pub(super) fn load_on(&self, scene: &Scene<'_>, channel: ChannelId) -> u64 {
        self.loads[scene.topology.channel_class(&self.symmetry, channel).index()]
    }
}

/// Tables with sorted entries, for lookups by binary search.
struct SortedTables<'a> {
    tables: &'a ForwardingTables,
    /// `[router class]`: its entries by (destination, input).
    sorted: Vec<Vec<TableEntry>>,
}

impl<'a> SortedTables<'a> {
    fn new(scene: &Scene<'_>, tables: &'a ForwardingTables) -> Result<Self, CheckError> {
        let classes = tables.symmetry.class_count();
        if tables.symmetry.node_count() != scene.topology.node_count() || tables.routers.len() != classes {
            return Err(ScheduleError::shape("its tables belong to another network").into());
        }
        let mut sorted = tables.routers.clone();
        sorted.iter_mut().for_each(|entries| entries.sort_unstable());
        Ok(Self { tables, sorted })
    }

    /// The port and virtual channel by which packets from an input leave a router.
    fn output_of(&self, router: NodeId, destination: NodeId, input: (i16, i8)) -> Option<(PortId, u8)> {
        let symmetry = &self.tables.symmetry;
        let canonical_destination =
            symmetry.image(symmetry.inverse(symmetry.element_to(router)), destination);
        let input = if self.tables.key == TableKey::DstInput { input } else { (-1, -1) };
        let entries = &self.sorted[symmetry.class(router)];
        let index = entries
            .binary_search_by_key(&(canonical_destination, input), |entry| {
                (entry.dst, (entry.in_port, entry.in_vc))
            })
            .ok()?;
        Some((PortId(entries[index].out_port), entries[index].out_vc))
    }
}

/// The ways that tables lead packets.
pub(crate) struct TableWalk<'a> {
    scene: &'a Scene<'a>,
    sorted: SortedTables<'a>,
}

impl<'a> TableWalk<'a> {
    pub(crate) fn new(scene: &'a Scene<'a>, tables: &'a ForwardingTables) -> Result<Self, CheckError> {
        Ok(Self { scene, sorted: SortedTables::new(scene, tables)? })
    }

    /// The lit channels from a chip to another one, hop by hop.
    ///
    /// # Errors
    /// The router at which packets are lost, or go round and round.
    pub(crate) fn way(&self, source: NodeId, destination: NodeId) -> Result<Vec<ChannelId>, String> {
        let topology = self.scene.topology;
        let most = topology.channel_count() * usize::from(self.sorted.tables.vcs.max(1));
        let (mut router, mut input, mut way) = (source, (-1, -1), Vec::new());
        while router != destination {
            let output = self.sorted.output_of(router, destination, input);
            let output = output.filter(|(port, _)| port.index() < topology.ports() && way.len() < most);
            let next = output.and_then(|(port, vc)| Some((self.scene.outgoing(router, port)?, vc)));
            let Some((channel, vc)) = next else {
                let [to, at] = [destination, router].map(|node| topology.name(node));
                return Err(format!("the tables lose packets to {to} at {at}"));
            };
            way.push(channel);
            let target = topology.target(channel);
            (router, input) = (target.node, (target.port.0 as i16, vc as i8));
        }
        Ok(way)
    }
}

/// Verifies a schedule of messages, and returns the loads of the tables.
///
/// Every chip must send all parts of its message to every other chip once. With a root, a broadcast first
/// leaves the root and is then gathered by all others. A reduction is scattered among all others and then
/// comes to the root. Each message must follow the tables over lit channels, in slots that leave time to
/// arrive. No channel may carry more chunks in a slot than it has lanes.
pub(super) fn replay_messages(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    schedule: &Schedule,
    sends: &Sends,
) -> Result<MessageLoads, CheckError> {
    if sends.canonical {
        fabc_kernel::check_lit_automorphisms(scene, &tables.symmetry)?;
    }
    if let (true, Some(root)) = (sends.canonical, schedule.root) {
        return Err(ScheduleError::shape(format!(
            "it has the root {root}, so it must list all chips and not only one per symmetry class"
        ))
        .into());
    }
    let symmetry =
        if sends.canonical { tables.symmetry.clone() } else { scene.topology.symmetry().to_trivial() };
    let sorted_tables = SortedTables::new(scene, tables)?;
    let mut loads = vec![0u64; scene.topology.class_count(&symmetry)];
    let mut lanes = vec![1; loads.len()];
    for channel in scene.channels() {
        lanes[scene.topology.channel_class(&symmetry, channel).index()] =
            scene.topology.channel_capacity(channel) as u32;
    }
    let mut replay = |messages: &[RoutedMessage], is_pair: &SenderPairs| {
        verify_complete(scene, schedule.chunks, messages, is_pair, &symmetry)?;
        let mut list_loads = vec![0u64; loads.len()];
        let sends =
            replay_list(scene, &sorted_tables, &symmetry, messages, sends.latency, &mut list_loads, &lanes)?;
        loads.iter_mut().zip(&list_loads).for_each(|(total, load)| *total += load);
        Ok::<MessageSends, CheckError>(MessageSends { sends, count: messages.len() })
    };
    let lists = match (schedule.collective, schedule.root) {
        (Collective::Broadcast, Some(root)) => {
            vec![
                replay(&sends.rooted, &move |from, _| from == root)?,
                replay(&sends.messages, &move |_, to| to != root)?,
            ]
        }
        (Collective::Reduce, Some(root)) => {
            vec![
                replay(&sends.messages, &move |from, _| from != root)?,
                replay(&sends.rooted, &move |_, to| to == root)?,
            ]
        }
        _ if !sends.rooted.is_empty() => {
            return Err(ScheduleError::shape("it lists messages from or to a root, but has no root").into());
        }
        (Collective::AllReduce, _) => {
            let once = replay(&sends.messages, &|_, _| true)?;
            loads.iter_mut().for_each(|load| *load *= 2);
            vec![once.clone(), once]
        }
        _ => vec![replay(&sends.messages, &|_, _| true)?],
    };
    Ok(MessageLoads { symmetry, loads, lanes, lists })
}

/// Replays a list of messages. Returns its sends by slot.
fn replay_list(
    scene: &Scene<'_>,
    sorted_tables: &SortedTables<'_>,
    symmetry: &Symmetry,
    messages: &[RoutedMessage],
    latency: u32,
    loads: &mut [u64],
    lanes: &[u32],
) -> Result<Vec<(u32, u32, u32)>, CheckError> {
    let mut occupied: Vec<(u32, u32, u32)> = Vec::new();
    let mut path = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        follow_tables(scene, sorted_tables, message, &mut path)?;
        for (hop, (&channel, &slot)) in path.iter().zip(&message.slots).enumerate() {
            let before = hop.checked_sub(1).map(|before| message.slots[before]);
            if before.is_some_and(|before| u64::from(slot) <= u64::from(before) + u64::from(latency)) {
                let violation = format!(
                    "is sent in slot {slot}, but its previous hop is in slot {} and takes {latency} more slots",
                    message.slots[hop - 1]
                );
                return Err(message_error(scene, message, violation));
            }
            let class = scene.topology.channel_class(symmetry, channel).index();
            occupied.push((slot, class as u32, number as u32));
            loads[class] += u64::from(message.part == 0);
        }
    }
    occupied.sort_unstable();
    let slot_and_channel = |send: &(u32, u32, u32)| (send.0, send.1);
    let is_crowded = |sends: &&[(u32, u32, u32)]| sends.len() as u64 > u64::from(lanes[sends[0].1 as usize]);
    if let Some(&[(slot, class, _), ..]) =
        occupied.chunk_by(|first, next| slot_and_channel(first) == slot_and_channel(next)).find(is_crowded)
    {
        let channel = scene
            .channels()
            .find(|&channel| scene.topology.channel_class(symmetry, channel).index() == class as usize);
        let channel =
            channel.map_or_else(|| class.to_string(), |channel| scene.topology.channel_name(channel));
        return Err(ScheduleError::Busy { slot, channel }.into());
    }
    Ok(occupied)
}

/// Verifies that a list has all messages, each once.
fn verify_complete(
    scene: &Scene<'_>,
    chunks: u32,
    messages: &[RoutedMessage],
    is_pair: &SenderPairs,
    symmetry: &Symmetry,
) -> Result<(), CheckError> {
    let nodes = scene.topology.node_count();
    let sources = symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node));
    let destinations_of =
        |from: NodeId| scene.endpoints().filter(|&to| to != from && is_pair(from, to)).count();
    let expected = sources.map(destinations_of).sum::<usize>() as u128 * u128::from(chunks);
    if messages.len() as u128 != expected {
        return Err(ScheduleError::shape(format!(
            "{} parts of messages are sent, but there are {expected}",
            messages.len()
        ))
        .into());
    }
    let parts = chunks as usize;
    // The set has about as many bits as there are parts of messages.
    let mut listed = FixedBitSet::with_capacity(symmetry.class_count() * nodes * parts);
    for message in messages {
        let RoutedMessage { source, destination, part, .. } = message;
        let known =
            [source, destination].iter().all(|node| node.index() < nodes && scene.is_endpoint(**node));
        if !known || source == destination || !is_pair(*source, *destination) || *part as usize >= parts {
            let violation = format!(
                "part {part} of a message from {source} to {destination} does not belong to this collective"
            );
            return Err(ScheduleError::shape(violation).into());
        }
        if symmetry.canonical_node(symmetry.class(*source)) != *source {
            return Err(message_error(scene, message, "is listed, but its source is not a canonical router"));
        }
        if listed.put((symmetry.class(*source) * nodes + destination.index()) * parts + *part as usize) {
            return Err(message_error(scene, message, "is sent twice"));
        }
    }
    Ok(())
}

/// The channels of a message along the tables. There must be as many as it has slots.
fn follow_tables(
    scene: &Scene<'_>,
    sorted_tables: &SortedTables<'_>,
    message: &RoutedMessage,
    path: &mut Vec<ChannelId>,
) -> Result<(), CheckError> {
    path.clear();
    let topology = scene.topology;
    let (mut router, mut input) = (message.source, (-1, -1));
    while router != message.destination {
        let lost = || {
            message_error(
                scene,
                message,
                format!("is lost at {}, which has no entry for it", topology.name(router)),
            )
        };
        let (port, vc) = sorted_tables.output_of(router, message.destination, input).ok_or_else(lost)?;
        let channel = if port.index() < topology.ports() { scene.outgoing(router, port) } else { None };
        let channel = channel.ok_or_else(|| {
            message_error(
                scene,
                message,
                format!("leaves {} by a channel that is dark or does not exist", topology.name(router)),
            )
        })?;
        path.push(channel);
        if path.len() > message.slots.len() {
            return Err(message_error(
                scene,
                message,
                format!("has slots for {} hops, but its route has more", message.slots.len()),
            ));
        }
        let end = topology.target(channel);
        (router, input) = (end.node, (end.port.0 as i16, vc as i8));
    }
    if path.len() < message.slots.len() {
        return Err(message_error(
            scene,
            message,
            format!("has slots for {} hops, but its route has {}", message.slots.len(), path.len()),
        ));
    }
    Ok(())
}

fn message_error(scene: &Scene<'_>, message: &RoutedMessage, violation: impl Into<String>) -> CheckError {
    let [source_name, destination] =
        [message.source, message.destination].map(|node| scene.topology.name(node));
    ScheduleError::Message { source_name, destination, part: message.part, violation: violation.into() }
        .into()
}
