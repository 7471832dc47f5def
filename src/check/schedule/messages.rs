//! The replay of messages from all to all: each hop by hop, as the forwarding tables lead it.

use super::ScheduleError;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_ir::{Entry, ForwardingTables, Message, Scene, Schedule, Sends, Symmetry, TableKey};
use fabc_model::Collective;
use fixedbitset::FixedBitSet;

/// What the tables load.
pub(super) struct Loads {
    pub(super) symmetry: Symmetry,
    /// `[channel class]`: messages that cross each of its channels.
    of: Vec<u64>,
    /// `[channel class]`: times the unit of all bandwidths that each carries.
    pub(super) lanes: Vec<u32>,
    /// Lists of messages in the order in which they are sent.
    pub(super) legs: Vec<Leg>,
}

/// Messages that are all there when the first of them is sent.
#[derive(Clone)]
pub(super) struct Leg {
    /// (slot, channel class, message) of every send; slots ascend.
    pub(super) sends: Vec<(u32, u32, u32)>,
    /// Messages.
    pub(super) count: usize,
}

impl Leg {
    /// Slots until the last is sent.
    pub(super) fn slots(&self) -> u64 {
        self.sends.last().map_or(0, |(slot, ..)| u64::from(*slot) + 1)
    }
}

/// Who has a message for whom.
type Pairs = dyn Fn(NodeId, NodeId) -> bool;

impl Loads {
    /// Slots of all lists, one after the other.
    pub(super) fn slots(&self) -> u64 {
        self.legs.iter().map(Leg::slots).sum()
    }
    /// Messages that cross a channel of the scene, each time that they are sent.
    pub(super) fn on(&self, scene: &Scene<'_>, channel: ChannelId) -> u64 {
        self.of[scene.topology.channel_class(&self.symmetry, channel).index()]
    }
}

/// Tables that are asked by binary search.
struct Asked<'a> {
    tables: &'a ForwardingTables,
    /// `[router class]`: its entries by (destination, input).
    sorted: Vec<Vec<Entry>>,
}

impl<'a> Asked<'a> {
    fn new(scene: &Scene<'_>, tables: &'a ForwardingTables) -> Result<Self, CheckError> {
        let classes = tables.symmetry.class_count();
        if tables.symmetry.node_count() != scene.topology.node_count() || tables.routers.len() != classes {
            return Err(ScheduleError::shape("its tables are of other routers").into());
        }
        let mut sorted = tables.routers.clone();
        sorted.iter_mut().for_each(|entries| entries.sort_unstable());
        Ok(Self { tables, sorted })
    }

    /// By which port and virtual channel packets for a destination leave a router that they came to so.
    fn leave(&self, at: NodeId, destination: NodeId, input: (i16, i8)) -> Option<(PortId, u8)> {
        let symmetry = &self.tables.symmetry;
        let here = symmetry.image(symmetry.inverse(symmetry.element_to(at)), destination);
        let input = if self.tables.key == TableKey::DstInput { input } else { (-1, -1) };
        let entries = &self.sorted[symmetry.class(at)];
        let found = entries
            .binary_search_by_key(&(here, input), |entry| (entry.dst, (entry.in_port, entry.in_vc)))
            .ok()?;
        Some((PortId(entries[found].out_port), entries[found].out_vc))
    }
}

/// Checks that every chip sends every other one all parts of its message once (with a root: what a broadcast
/// needs to leave it and to be gathered by the others, what a reduction needs to be scattered by the others
/// and to come to it), that each goes the way of the tables to its end, over lit channels, in slots that
/// leave time to arrive, and that no channel carries more chunks in a slot than it has lanes. Gives back what
/// the tables load.
pub(super) fn messages(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    schedule: &Schedule,
    sends: &Sends,
) -> Result<Loads, CheckError> {
    if sends.canonical {
        fabc_kernel::automorphisms_of_lit(scene, &tables.symmetry)?;
    }
    if let (true, Some(root)) = (sends.canonical, schedule.root) {
        return Err(
            ScheduleError::shape(format!("its root {root} has no images that it could stand for")).into()
        );
    }
    let symmetry =
        if sends.canonical { tables.symmetry.clone() } else { scene.topology.symmetry().without() };
    let asked = Asked::new(scene, tables)?;
    let mut of = vec![0u64; scene.topology.class_count(&symmetry)];
    let mut lanes = vec![1; of.len()];
    for channel in scene.channels() {
        lanes[scene.topology.channel_class(&symmetry, channel).index()] =
            scene.topology.channel_capacity(channel) as u32;
    }
    let mut replay = |list: &[Message], pairs: &Pairs| {
        complete(scene, schedule.chunks, list, pairs, &symmetry)?;
        let mut loads = vec![0u64; of.len()];
        let sends = leg(scene, &asked, &symmetry, (list, sends.latency), (&mut loads, &lanes))?;
        of.iter_mut().zip(&loads).for_each(|(all, load)| *all += load);
        Ok::<Leg, CheckError>(Leg { sends, count: list.len() })
    };
    let legs = match (schedule.collective, schedule.root) {
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
            return Err(ScheduleError::shape("it lists what leaves or comes to a root, and has none").into());
        }
        (Collective::AllReduce, _) => {
            let once = replay(&sends.messages, &|_, _| true)?;
            of.iter_mut().for_each(|load| *load *= 2);
            vec![once.clone(), once]
        }
        _ => vec![replay(&sends.messages, &|_, _| true)?],
    };
    Ok(Loads { symmetry, of, lanes, legs })
}

/// Replays a list of messages: its sends by slot.
fn leg(
    scene: &Scene<'_>,
    asked: &Asked<'_>,
    symmetry: &Symmetry,
    (list, latency): (&[Message], u32),
    (loads, lanes): (&mut [u64], &[u32]),
) -> Result<Vec<(u32, u32, u32)>, CheckError> {
    let mut used: Vec<(u32, u32, u32)> = Vec::new();
    let mut way = Vec::new();
    for (number, message) in list.iter().enumerate() {
        follow(scene, asked, message, &mut way)?;
        for (hop, (&channel, &slot)) in way.iter().zip(&message.slots).enumerate() {
            let before = hop.checked_sub(1).map(|before| message.slots[before]);
            if before.is_some_and(|before| u64::from(slot) <= u64::from(before) + u64::from(latency)) {
                let what = format!(
                    "is sent on in slot {slot}, but it came by one of slot {}, {latency} later",
                    message.slots[hop - 1]
                );
                return Err(failed(scene, message, what));
            }
            let class = scene.topology.channel_class(symmetry, channel).index();
            used.push((slot, class as u32, number as u32));
            loads[class] += u64::from(message.part == 0);
        }
    }
    used.sort_unstable();
    let at = |send: &(u32, u32, u32)| (send.0, send.1);
    let crowded = |sends: &&[(u32, u32, u32)]| sends.len() as u64 > u64::from(lanes[sends[0].1 as usize]);
    if let Some(&[(slot, class, _), ..]) = used.chunk_by(|one, next| at(one) == at(next)).find(crowded) {
        let channel = scene
            .channels()
            .find(|&channel| scene.topology.channel_class(symmetry, channel).index() == class as usize);
        let channel =
            channel.map_or_else(|| class.to_string(), |channel| scene.topology.channel_name(channel));
        return Err(ScheduleError::Busy { slot, channel }.into());
    }
    Ok(used)
}

/// Checks that all messages of a list are there, each once.
fn complete(
    scene: &Scene<'_>,
    chunks: u32,
    list: &[Message],
    pairs: &Pairs,
    symmetry: &Symmetry,
) -> Result<(), CheckError> {
    let nodes = scene.topology.node_count();
    let sources = symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node));
    let of = |from: NodeId| scene.endpoints().filter(|&to| to != from && pairs(from, to)).count();
    let expected = sources.map(of).sum::<usize>() as u128 * u128::from(chunks);
    if list.len() as u128 != expected {
        return Err(ScheduleError::shape(format!(
            "{} parts of messages are sent, and there are {expected}",
            list.len()
        ))
        .into());
    }
    let parts = chunks as usize;
    // There are about as many cells as parts of messages.
    let mut seen = FixedBitSet::with_capacity(symmetry.class_count() * nodes * parts);
    for message in list {
        let Message { source, destination, part, .. } = message;
        let known =
            [source, destination].iter().all(|node| node.index() < nodes && scene.is_endpoint(**node));
        if !known || source == destination || !pairs(*source, *destination) || *part as usize >= parts {
            let what =
                format!("part {part} of a message from {source} to {destination} is nothing that is sent");
            return Err(ScheduleError::shape(what).into());
        }
        if symmetry.canonical_node(symmetry.class(*source)) != *source {
            return Err(failed(scene, message, "is listed, though its source is no canonical router"));
        }
        if seen.put((symmetry.class(*source) * nodes + destination.index()) * parts + *part as usize) {
            return Err(failed(scene, message, "is sent twice"));
        }
    }
    Ok(())
}

/// The channels of a message, which must be as many as it has slots.
fn follow(
    scene: &Scene<'_>,
    asked: &Asked<'_>,
    message: &Message,
    way: &mut Vec<ChannelId>,
) -> Result<(), CheckError> {
    way.clear();
    let topology = scene.topology;
    let (mut at, mut input) = (message.source, (-1, -1));
    while at != message.destination {
        let lost = || {
            failed(scene, message, format!("is lost at {}: the tables lead it no further", topology.name(at)))
        };
        let (port, vc) = asked.leave(at, message.destination, input).ok_or_else(lost)?;
        let channel = if port.index() < topology.ports() { scene.outgoing(at, port) } else { None };
        let channel = channel.ok_or_else(|| {
            failed(scene, message, format!("leaves {} by no lit channel", topology.name(at)))
        })?;
        way.push(channel);
        if way.len() > message.slots.len() {
            return Err(failed(
                scene,
                message,
                format!("has slots for {} hops, and its way has more", message.slots.len()),
            ));
        }
        let end = topology.target(channel);
        (at, input) = (end.node, (end.port.0 as i16, vc as i8));
    }
    if way.len() < message.slots.len() {
        return Err(failed(
            scene,
            message,
            format!("has slots for {} hops, and its way has {}", message.slots.len(), way.len()),
        ));
    }
    Ok(())
}

fn failed(scene: &Scene<'_>, message: &Message, what: impl Into<String>) -> CheckError {
    let [source_name, destination] =
        [message.source, message.destination].map(|node| scene.topology.name(node));
    ScheduleError::Message { source_name, destination, part: message.part, what: what.into() }.into()
}
