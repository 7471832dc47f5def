//! Chakra traces, read by a walker that shares nothing with fabc. Every send has its receive, no ranks wait
//! for each other in a cycle, and the result is that of the collective.

use crate::collective::graphs::{grid, path, ring};
use crate::collective::programs::schedules;
use fabc::emit::{Artifact, collective_chakra};
use fabc::ir::{Scene, Schedule};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_steps, trees};
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
                (5, Field::Number(id)) => node.after.push(id),
                (5, Field::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        node.after.push(varint(&mut packed));
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

/// Runs the traces: what every chip has of every chunk in the end.
fn replayed(traces: &[Vec<TraceNode>], mut held: Vec<Held>, adds_at_home: bool) -> Vec<Held> {
    let mut done: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); traces.len()];
    let mut in_flight: BTreeMap<(u64, u64, u64), (u64, BTreeSet<usize>)> = BTreeMap::new();
    // Values that came and are to be added, by chip and node.
    let mut came: BTreeMap<(usize, u64), BTreeSet<usize>> = BTreeMap::new();
    let node_count: usize = traces.iter().map(Vec::len).sum();
    let mut finished = 0;
    while finished < node_count {
        let before = finished;
        for (rank, nodes) in traces.iter().enumerate() {
            for node in nodes {
                if done[rank].contains(&node.id) || !node.after.iter().all(|after| done[rank].contains(after))
                {
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
            nodes
                .iter()
                .enumerate()
                .all(|(id, node)| node.id == id as u64 && node.after.iter().all(|after| *after < node.id)),
            "{name}"
        );
        traces.push(nodes);
    }
    traces
}

/// Writes the traces of a schedule, and checks their fields, their messages and their result.
fn check_traces(name: &str, scene: &Scene<'_>, schedule: &Schedule) {
    let (chips, chunks, size) = (scene.endpoints().count(), u64::from(schedule.chunks), 1_000_003);
    let files =
        collective_chakra("net", scene, schedule, size).unwrap_or_else(|error| panic!("{name}: {error}"));
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
    let results = replayed(&traces, start.collect(), local);
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

#[test]
fn chips_and_kinds_that_are_not_traced_are_refused() {
    let long = path(257);
    let scene = Scene::healthy(&long);
    let gather = by_steps(&scene, ScheduleRequest { chunks: Some(1), ..ScheduleRequest::default() })
        .unwrap()
        .remove(0);
    let error = collective_chakra("net", &scene, &gather, 1 << 20).unwrap_err().to_string();
    assert!(error.contains("257 chips are as many files, and 256 are the most"), "{error}");
    let ring = ring(4);
    let scene = Scene::healthy(&ring);
    let error =
        collective_chakra("net", &scene, &trees(&scene, ScheduleRequest::default()).unwrap(), 1 << 20)
            .unwrap_err()
            .to_string();
    assert!(error.contains("`chakra` holds schedules of rounds"), "{error}");
}
