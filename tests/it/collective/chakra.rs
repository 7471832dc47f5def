//! Chakra traces, read by a walker that shares nothing with fabc. Every send has its receive, no ranks wait
//! for each other in a cycle, and the result is that of the collective, in whatever order ready nodes run. A
//! send waits for its data alone.

use crate::collective::graphs::{grid, path, ring};
use crate::collective::programs::schedules;
use fabc::emit::{Artifact, ChakraSettings, collective_chakra};
use fabc::ir::{Scene, Schedule, Transfers};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_slots, by_steps, trees};
use std::collections::{BTreeMap, BTreeSet};

/// A field of a message: a number, or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let (&first, rest) = bytes.split_first().expect("a number ends");
        *bytes = rest;
        value |= u64::from(first & 127) << shift;
        if first < 128 {
            return value;
        }
    }
    panic!("a number of more than ten bytes")
}

fn delimited<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = varint(bytes) as usize;
    let (first, rest) = bytes.split_at(length);
    *bytes = rest;
    first
}

/// The fields of a message, in order.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut nodes = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => Field::Bytes(delimited(&mut bytes)),
            other => panic!("wire type {other}"),
        };
        nodes.push((key >> 3, field));
    }
    nodes
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[derive(Clone, Debug, Default)]
struct TraceNode {
    id: u64,
    kind: u64,
    after: Vec<u64>,
    /// Nodes that are over before, whatever their data.
    order: Vec<u64>,
    /// By name: number of the field, value.
    attributes: BTreeMap<String, (u64, u64)>,
}

impl TraceNode {
    fn read(bytes: &[u8]) -> Self {
        let mut node = Self::default();
        for (number, field) in fields(bytes) {
            match (number, field) {
                (1, Field::Number(id)) => node.id = id,
                (2, Field::Bytes(_)) => {}
                (3, Field::Number(kind)) => node.kind = kind,
                (4 | 5, field) => {
                    let ids = if number == 4 { &mut node.order } else { &mut node.after };
                    match field {
                        Field::Number(id) => ids.push(id),
                        Field::Bytes(mut packed) => {
                            while !packed.is_empty() {
                                ids.push(varint(&mut packed));
                            }
                        }
                    }
                }
                (10, Field::Bytes(attribute)) => {
                    let mut name = String::new();
                    for (number, field) in fields(attribute) {
                        match field {
                            Field::Bytes(bytes) if number == 1 => name = text(bytes),
                            Field::Number(value) => {
                                node.attributes.insert(name.clone(), (number, value));
                            }
                            Field::Bytes(_) => panic!("no text is an attribute of a node"),
                        }
                    }
                }
                (other, _) => panic!("field {other}"),
            }
        }
        node
    }
    fn value(&self, name: &str) -> u64 {
        self.attributes.get(name).unwrap_or_else(|| panic!("{name} of {self:?}")).1
    }
}

/// Version, and nodes, of a file.
fn trace(file: &Artifact) -> (String, Vec<TraceNode>) {
    let mut bytes = &file.bytes[..];
    let metadata = delimited(&mut bytes);
    let version = fields(metadata).into_iter().find_map(|(number, field)| match field {
        Field::Bytes(bytes) if number == 1 => Some(text(bytes)),
        _ => None,
    });
    let mut nodes = Vec::new();
    while !bytes.is_empty() {
        nodes.push(TraceNode::read(delimited(&mut bytes)));
    }
    (version.unwrap(), nodes)
}

const ADDS: u64 = 4;
const SENDS: u64 = 5;
const RECEIVES: u64 = 6;

/// The contributors to a vector, by chunk.
type Held = BTreeMap<u64, BTreeSet<usize>>;

/// In which order a chip looks for nodes that are ready.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ReadyOrder {
    Ascending,
    Descending,
}

/// Runs the traces: what every chip has of every chunk in the end.
fn replayed(
    traces: &[Vec<TraceNode>],
    mut held: Vec<Held>,
    adds_at_home: bool,
    order: ReadyOrder,
) -> Vec<Held> {
    let mut done: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); traces.len()];
    let mut in_flight: BTreeMap<(u64, u64, u64), (u64, BTreeSet<usize>)> = BTreeMap::new();
    // Values that came and are to be added, by chip and node.
    let mut came: BTreeMap<(usize, u64), BTreeSet<usize>> = BTreeMap::new();
    let node_count: usize = traces.iter().map(Vec::len).sum();
    let mut finished = 0;
    while finished < node_count {
        let before = finished;
        for (rank, nodes) in traces.iter().enumerate() {
            for position in 0..nodes.len() {
                let node = match order {
                    ReadyOrder::Ascending => &nodes[position],
                    ReadyOrder::Descending => &nodes[nodes.len() - 1 - position],
                };
                let mut before = node.after.iter().chain(&node.order);
                if done[rank].contains(&node.id) || !before.all(|before| done[rank].contains(before)) {
                    continue;
                }
                let chunk = node.value("chunk");
                match node.kind {
                    SENDS => {
                        assert_eq!(node.value("comm_src"), rank as u64);
                        let message =
                            (node.value("comm_src"), node.value("comm_dst"), node.value("comm_tag"));
                        let contributors = held[rank]
                            .get(&chunk)
                            .unwrap_or_else(|| panic!("{rank} has no chunk {chunk}"))
                            .clone();
                        assert!(
                            in_flight.insert(message, (node.value("comm_size"), contributors)).is_none(),
                            "two messages {message:?}"
                        );
                    }
                    RECEIVES => {
                        assert_eq!(node.value("comm_dst"), rank as u64);
                        let message =
                            (node.value("comm_src"), node.value("comm_dst"), node.value("comm_tag"));
                        let Some((size, contributors)) = in_flight.remove(&message) else { continue };
                        assert_eq!(size, node.value("comm_size"), "{message:?}");
                        let added =
                            nodes.iter().any(|other| other.kind == ADDS && other.after.contains(&node.id));
                        if added && !adds_at_home {
                            came.insert((rank, node.id), contributors);
                        } else {
                            held[rank].insert(chunk, contributors);
                        }
                    }
                    ADDS => {
                        assert_eq!(node.value("num_ops"), node.value("tensor_size"));
                        let arrived = node.after.iter().find_map(|after| came.remove(&(rank, *after)));
                        if !adds_at_home {
                            let sum = held[rank].entry(chunk).or_default();
                            for value in arrived.expect("something came") {
                                assert!(sum.insert(value), "{value} is added twice");
                            }
                        }
                    }
                    other => panic!("node type {other}"),
                }
                done[rank].insert(node.id);
                finished += 1;
            }
        }
        assert!(finished > before, "{} of {node_count} nodes wait forever", node_count - finished);
    }
    assert!(in_flight.is_empty(), "{} messages are never received", in_flight.len());
    held
}

/// Reads a trace of every chip, contributors ids and dependencies ascend.
fn read_traces(name: &str, files: &[Artifact]) -> Vec<Vec<TraceNode>> {
    let mut traces = Vec::new();
    for (rank, file) in files.iter().enumerate() {
        assert!(
            file.path.starts_with("fabc_net_") && file.path.ends_with(&format!(".{rank}.et")),
            "{}",
            file.path
        );
        let (version, nodes) = trace(file);
        assert_eq!(version, "0.0.4");
        assert!(
            nodes.iter().enumerate().all(|(id, node)| node.id == id as u64
                && node.after.iter().chain(&node.order).all(|before| *before < node.id)),
            "{name}"
        );
        traces.push(nodes);
    }
    traces
}

/// A send needs the data of the node that wrote its chunk last, if any, and of no other. A receive needs
/// none. A send may wait for an earlier one to the same chip.
fn check_dependencies(name: &str, traces: &[Vec<TraceNode>]) {
    for nodes in traces {
        // By chunk: the receive or the addition that wrote it last.
        let mut writers: BTreeMap<u64, u64> = BTreeMap::new();
        for node in nodes {
            let chunk = node.value("chunk");
            match node.kind {
                SENDS => {
                    let writer: Vec<u64> = writers.get(&chunk).copied().into_iter().collect();
                    assert_eq!(node.after, writer, "{name}: {node:?}");
                    let ends = |node: &TraceNode| (node.kind, node.value("comm_dst"));
                    let is_earlier = |id: &u64| *id < node.id && ends(&nodes[*id as usize]) == ends(node);
                    assert!(node.order.len() <= 1 && node.order.iter().all(is_earlier), "{name}: {node:?}");
                }
                RECEIVES => {
                    assert!(node.after.is_empty() && node.order.is_empty(), "{name}: {node:?}");
                    writers.insert(chunk, node.id);
                }
                _ => {
                    assert!(node.after.contains(&writers[&chunk]), "{name}: {node:?}");
                    writers.insert(chunk, node.id);
                }
            }
        }
    }
}

fn settings(bytes: u64) -> ChakraSettings<'static> {
    ChakraSettings { fabric: "net", bytes, flight_bytes: 0 }
}

/// Writes the traces of a schedule, and checks their fields, their messages and their result.
fn check_traces(name: &str, scene: &Scene<'_>, schedule: &Schedule) {
    let (chips, chunks, size) = (scene.endpoints().count(), u64::from(schedule.chunks), 1_000_003);
    let files =
        collective_chakra(scene, schedule, settings(size)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(files.len(), chips, "{name}");
    let traces = read_traces(name, &files);
    // One to one, by source, destination, tag and size.
    let messages = |kind: u64| -> Vec<[u64; 4]> {
        let of_kind = traces.iter().flatten().filter(|node| node.kind == kind);
        let mut endpoint_pairs: Vec<[u64; 4]> = of_kind
            .map(|node| ["comm_src", "comm_dst", "comm_tag", "comm_size"].map(|key| node.value(key)))
            .collect();
        endpoint_pairs.sort_unstable();
        endpoint_pairs
    };
    let (sent, received) = (messages(SENDS), messages(RECEIVES));
    assert_eq!(sent, received, "{name}");
    assert!(sent.windows(2).all(|pair| pair[0][..3] != pair[1][..3]), "{name}: a tag twice");
    // Fields of the public schema: int32, int64 and bool.
    let first = traces.iter().flatten().find(|node| node.kind == SENDS).unwrap();
    let kinds =
        ["comm_src", "comm_dst", "comm_tag", "comm_size", "is_cpu_op"].map(|key| first.attributes[key].0);
    assert_eq!(kinds, [7, 7, 7, 9, 27], "{name}");
    let rooted = schedule.root.is_some();
    let columns = if rooted { chunks } else { chips as u64 * chunks };
    let root = schedule.root.map(|root| scene.endpoints().position(|chip| chip == root).unwrap());
    let local = schedule.algorithm == CollectiveAlgorithm::Local;
    let gathers = matches!(schedule.collective, Collective::AllGather | Collective::Broadcast) || local;
    let owner = |chunk: u64| root.unwrap_or((chunk / chunks) as usize);
    let start = (0..chips).map(|rank| {
        (0..columns)
            .filter(|&chunk| !gathers || owner(chunk) == rank)
            .map(|chunk| (chunk, BTreeSet::from([rank])))
            .collect()
    });
    let start: Vec<Held> = start.collect();
    let results = replayed(&traces, start.clone(), local, ReadyOrder::Ascending);
    assert_eq!(results, replayed(&traces, start, local, ReadyOrder::Descending), "{name}");
    if !local {
        check_dependencies(name, &traces);
    }
    let everybody: BTreeSet<usize> = (0..chips).collect();
    for (rank, held) in results.iter().enumerate() {
        for chunk in 0..columns {
            let (holders, owner_rank) = (held.get(&chunk), owner(chunk));
            match schedule.collective {
                _ if gathers => {
                    assert_eq!(
                        holders,
                        Some(&BTreeSet::from([owner_rank])),
                        "{name}: chunk {chunk} at {rank}"
                    )
                }
                Collective::AllReduce => {
                    assert_eq!(holders, Some(&everybody), "{name}: chunk {chunk} at {rank}")
                }
                _ if owner_rank == rank => {
                    assert_eq!(holders, Some(&everybody), "{name}: chunk {chunk} at {rank}")
                }
                _ => {}
            }
        }
    }
    // At home all others are added.
    let additions = traces.iter().map(|nodes| nodes.iter().filter(|node| node.kind == ADDS).count() as u64);
    if local {
        assert!(additions.clone().all(|count| count == (chips as u64 - 1) * chunks), "{name}");
    }
    // All chunks together are the vector.
    if schedule.collective == Collective::Broadcast {
        let came: u64 = received.iter().filter(|message| message[1] == 0).map(|message| message[3]).sum();
        assert_eq!(came, if root == Some(0) { 0 } else { size }, "{name}");
    }
}

#[test]
fn traces_do_what_the_schedule_does() {
    for (name, topology) in
        [("ring 4", ring(4)), ("2x2", grid([2, 2], true)), ("path 3", path(3)), ("3x3", grid([3, 3], true))]
    {
        let scene = Scene::healthy(&topology);
        for chunks in [1, 3] {
            for (kind, schedule) in schedules(&scene, chunks) {
                check_traces(&format!("{kind} on {name}"), &scene, &schedule);
            }
        }
    }
}

/// The slots that traces take on a network that queues messages as they become ready, ids first. A message
/// takes a slot of its channel, and its receive and its send end `flight` slots later. `heeded` are the nodes
/// that a node waits for.
fn slots_taken(traces: &[Vec<TraceNode>], flight: u64, heeded: impl Fn(&TraceNode) -> Vec<u64>) -> u64 {
    let key = |node: &TraceNode| ["comm_src", "comm_dst", "comm_tag"].map(|name| node.value(name));
    let mut ends: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    let mut arrivals: BTreeMap<[u64; 3], u64> = BTreeMap::new();
    // By sender and receiver: when each message became ready, and its node.
    let mut queues: BTreeMap<(u64, u64), BTreeSet<(u64, u64)>> = BTreeMap::new();
    let mut queued: BTreeSet<(usize, u64)> = BTreeSet::new();
    let count: usize = traces.iter().map(Vec::len).sum();
    let mut slot = 0;
    while ends.len() < count {
        // Ids ascend along dependencies, so that one pass finds all that is ready.
        for (rank, nodes) in traces.iter().enumerate() {
            for node in nodes.iter().filter(|node| !queued.contains(&(rank, node.id))).collect::<Vec<_>>() {
                let is_over = |id: &u64| ends.get(&(rank, *id)).is_some_and(|end| *end <= slot);
                let has_come =
                    node.kind != RECEIVES || arrivals.get(&key(node)).is_some_and(|arrival| *arrival <= slot);
                if !has_come || !heeded(node).iter().all(is_over) {
                    continue;
                }
                queued.insert((rank, node.id));
                if node.kind == SENDS {
                    let pair = (node.value("comm_src"), node.value("comm_dst"));
                    queues.entry(pair).or_default().insert((slot, node.id));
                } else {
                    ends.insert((rank, node.id), slot);
                }
            }
        }
        for (&(source, _), queue) in &mut queues {
            let Some((_, id)) = queue.pop_first() else { continue };
            let node = &traces[source as usize][id as usize];
            ends.insert((source as usize, id), slot + 1 + flight);
            arrivals.insert(key(node), slot + 1 + flight);
        }
        slot += 1;
        assert!(slot < 100_000, "{} of {count} nodes wait forever", count - ends.len());
    }
    ends.into_values().max().unwrap_or(0)
}

#[test]
fn traces_of_slots_take_the_time_of_the_plan() {
    let topology = grid([4, 4], true);
    let scene = Scene::healthy(&topology);
    let mut chained_is_slower = 0;
    for (chunks, latency) in [(1, 1), (3, 1), (2, 4), (6, 4)] {
        let request = ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() };
        let slots = by_slots(&scene, request).unwrap();
        let Transfers::Rounds(rounds) = &slots.transfers else { panic!("rounds") };
        let planned = rounds.rounds.len() as u64 + u64::from(latency);
        let files = collective_chakra(&scene, &slots, settings(1 << 20)).unwrap();
        let traces = read_traces("slots", &files);
        let both = |node: &TraceNode| node.after.iter().chain(&node.order).copied().collect();
        let taken = slots_taken(&traces, latency.into(), both);
        assert!(taken <= planned, "{taken} slots of {planned}, {chunks} chunks, latency {latency}");
        // A chain of all sends of a channel would pay the latency for each of them.
        let mut chained = traces.clone();
        for nodes in &mut chained {
            let mut last: BTreeMap<u64, u64> = BTreeMap::new();
            for node in nodes.iter_mut().filter(|node| node.kind == SENDS) {
                node.order = last.insert(node.value("comm_dst"), node.id).into_iter().collect();
            }
        }
        chained_is_slower += u64::from(slots_taken(&chained, latency.into(), both) > planned);
    }
    assert_eq!(chained_is_slower, 4);
    // Rounds of many chunks have no order within a channel.
    let steps = by_steps(&scene, ScheduleRequest { chunks: Some(2), ..ScheduleRequest::default() });
    let files = collective_chakra(&scene, &steps.unwrap().remove(0), settings(1 << 20)).unwrap();
    let traces = read_traces("steps", &files);
    assert!(traces.iter().flatten().all(|node| node.order.is_empty()));
}

#[test]
fn chips_and_kinds_that_are_not_traced_are_refused() {
    let long = path(257);
    let scene = Scene::healthy(&long);
    let gather = by_steps(&scene, ScheduleRequest { chunks: Some(1), ..ScheduleRequest::default() })
        .unwrap()
        .remove(0);
    let error = collective_chakra(&scene, &gather, settings(1 << 20)).unwrap_err().to_string();
    assert!(error.contains("257 chips are as many files, and 256 are the most"), "{error}");
    let ring = ring(4);
    let scene = Scene::healthy(&ring);
    let error =
        collective_chakra(&scene, &trees(&scene, ScheduleRequest::default()).unwrap(), settings(1 << 20))
            .unwrap_err()
            .to_string();
    assert!(error.contains("`chakra` cannot hold this schedule, which has"), "{error}");
}
