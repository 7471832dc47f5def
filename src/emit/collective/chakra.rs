//! Chakra execution traces: what every chip sends, receives and adds, one file per chip, for simulators.
//!
//! In: a scene, a schedule of rounds, the size of a vector. Out: files `<name>.<rank>.et`, each a stream of
//! messages with their lengths before them: first `GlobalMetadata`, then a `Node` for every send, receive and
//! addition, in an order in which they can happen. A node lists what it waits for (`data_deps`): the node
//! that brought what it sends, its addition before it, and, since a channel carries one chunk at a time and
//! in order, what its channel carried before. Field numbers, names of attributes and their types are those of
//! the public schema (mlcommons/chakra, schema/protobuf/et_def.proto), as ASTRA-sim's feeder reads them.

use super::super::Artifact;
use super::errors::ProgramError;
use super::moves::Moves;
use fabc_base::ids::{ChannelId, NodeId};
use fabc_ir::{Scene, Schedule};
use fabc_model::CollectiveAlgorithm;
use prost::Message;
use std::collections::BTreeMap;

/// The name of the format.
const FORMAT: &str = "chakra";
/// Chips, at most: one file each.
const CHIPS: usize = 256;
/// Moves, at most: some 200 bytes at both ends together.
const MOVES: u64 = 1 << 20;
/// The version of the schema that the readers know.
const VERSION: &str = "0.0.4";
/// Kinds of nodes (`NodeType`).
const ADDS: i32 = 4;
const SENDS: i32 = 5;
const RECEIVES: i32 = 6;

/// `GlobalMetadata`.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(string, tag = "1")]
    version: String,
    #[prost(message, repeated, tag = "2")]
    attributes: Vec<Attribute>,
}

/// `Node`.
#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "5")]
    after: Vec<u64>,
    #[prost(message, repeated, tag = "10")]
    attributes: Vec<Attribute>,
}

/// `AttributeProto`.
#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(oneof = "AttributeValue", tags = "7, 9, 13, 27, 29")]
    value: Option<AttributeValue>,
}

/// The kinds of values that are written.
#[derive(Clone, PartialEq, prost::Oneof)]
enum AttributeValue {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute { name: name.to_owned(), value: Some(value) }
}

/// What one chip does.
#[derive(Default)]
struct Trace {
    nodes: Vec<Node>,
    /// By channel and direction: the node of what it carried last.
    carried: BTreeMap<(ChannelId, bool), u64>,
}

impl Trace {
    /// Adds a node; its number.
    fn push(&mut self, name: String, kind: i32, mut after: Vec<u64>, attributes: Vec<Attribute>) -> u64 {
        let id = self.nodes.len() as u64;
        after.sort_unstable();
        after.dedup();
        self.nodes.push(Node { id, name, kind, after, attributes });
        id
    }
}

/// The traces of all chips, for vectors of `bytes` bytes.
///
/// # Errors
/// A schedule that has no rounds; more chips or moves than are written.
pub fn collective_chakra(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
    bytes: u64,
) -> Result<Vec<Artifact>, ProgramError> {
    let chips = scene.endpoints().count();
    if chips > CHIPS {
        let what = format!("{chips} chips are as many files, and {CHIPS} are the most");
        return Err(ProgramError::too_large(FORMAT, &what));
    }
    let laid = Moves::new(scene, schedule, FORMAT, MOVES)?;
    let name = format!("fabc_{fabric}_{}_{}", schedule.collective.name(), schedule.algorithm.name());
    let sizes = Sizes::new(&laid, bytes);
    let mut traces: Vec<Trace> = laid.chips.iter().map(|_| Trace::default()).collect();
    // `[move]`: the node that its receiver waits for.
    let mut came: Vec<u64> = Vec::with_capacity(laid.moves.len());
    // By sender and receiver: how many messages there were.
    let mut tags: BTreeMap<(NodeId, NodeId), i32> = BTreeMap::new();
    for one in &laid.moves {
        let [from, to] = [laid.sender(one.channel), laid.receiver(one.channel)];
        let [source, destination] = [from, to].map(|chip| laid.rank(chip));
        let tag = tags.entry((from, to)).and_modify(|tag| *tag += 1).or_insert(0);
        let size = sizes.of(laid.column(one.chunk));
        let message = |kind: &str| {
            let whole = |name, value: u32| attribute(name, AttributeValue::Int32(value as i32));
            let attributes = vec![
                attribute("is_cpu_op", AttributeValue::Bool(false)),
                whole("comm_src", source),
                whole("comm_dst", destination),
                attribute("comm_tag", AttributeValue::Int32(*tag)),
                attribute("comm_size", AttributeValue::Int64(size as i64)),
                attribute("chunk", AttributeValue::Uint64(u64::from(laid.column(one.chunk)))),
            ];
            (format!("{kind} {}", laid.column(one.chunk)), attributes)
        };
        let next = |trace: &mut Trace, sends: bool, kind: i32, mut after: Vec<u64>| {
            after.extend(trace.carried.get(&(one.channel, sends)));
            let (name, attributes) = message(if sends { "send" } else { "receive" });
            let id = trace.push(name, kind, after, attributes);
            trace.carried.insert((one.channel, sends), id);
            id
        };
        let held = one.from.map(|earlier| came[earlier as usize]);
        next(&mut traces[source as usize], true, SENDS, held.into_iter().collect());
        let trace = &mut traces[destination as usize];
        let mut node = next(trace, false, RECEIVES, Vec::new());
        if one.adds {
            let after = one.onto.map(|earlier| came[earlier as usize]);
            node = adds(trace, laid.column(one.chunk), size, after.into_iter().chain([node]).collect());
        }
        came.push(node);
    }
    if schedule.algorithm == CollectiveAlgorithm::Local {
        sum_up(&laid, &sizes, &came, &mut traces);
    }
    let metadata = Metadata {
        version: VERSION.to_owned(),
        attributes: vec![
            attribute("schema", AttributeValue::Text(VERSION.to_owned())),
            attribute("collective", AttributeValue::Text(schedule.collective.name().to_owned())),
            attribute("size", AttributeValue::Uint64(bytes)),
        ],
    };
    let file = |(rank, trace): (usize, Trace)| {
        let mut bytes = metadata.encode_length_delimited_to_vec();
        trace.nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
        Artifact { path: format!("{name}.{rank}.et"), bytes }
    };
    Ok(traces.into_iter().enumerate().map(file).collect())
}

/// An addition of `size` bytes, one operation a byte.
fn adds(trace: &mut Trace, column: u32, size: u64, after: Vec<u64>) -> u64 {
    let attributes = vec![
        attribute("is_cpu_op", AttributeValue::Bool(false)),
        attribute("num_ops", AttributeValue::Int64(size as i64)),
        attribute("tensor_size", AttributeValue::Uint64(size)),
        attribute("chunk", AttributeValue::Uint64(u64::from(column))),
    ];
    trace.push(format!("add {column}"), ADDS, after, attributes)
}

/// Everybody adds all vectors up, part by part, each when it is there.
fn sum_up(laid: &Moves<'_>, sizes: &Sizes, came: &[u64], traces: &mut [Trace]) {
    // By chip and part: the sum so far.
    let mut sums: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (one, &node) in laid.moves.iter().zip(came) {
        let (rank, part) = (laid.rank(laid.receiver(one.channel)), one.chunk % laid.schedule.chunks);
        let before = sums.get(&(rank, part)).copied();
        let column = laid.column(one.chunk);
        let sum = adds(
            &mut traces[rank as usize],
            column,
            sizes.of(column),
            before.into_iter().chain([node]).collect(),
        );
        sums.insert((rank, part), sum);
    }
}

/// How many bytes chunks have: all together the vector, whose rest is spread.
struct Sizes {
    bytes: u128,
    parts: u128,
}

impl Sizes {
    fn new(laid: &Moves<'_>, bytes: u64) -> Self {
        let whole = laid.schedule.algorithm == CollectiveAlgorithm::Local;
        let parts = if whole { laid.schedule.chunks as usize } else { laid.columns() };
        Self { bytes: u128::from(bytes), parts: parts.max(1) as u128 }
    }
    fn of(&self, column: u32) -> u64 {
        let at = u128::from(column) % self.parts;
        let before = |at: u128| at * self.bytes / self.parts;
        (before(at + 1) - before(at)) as u64
    }
}
