//! Writes Chakra execution traces for simulators: what every chip sends, receives and adds, one file per
//! chip.
//!
//! Input: a scene, a schedule of rounds, and the size of a vector. Output: files `<name>.<rank>.et`. Each is
//! a stream of length-delimited messages: first `GlobalMetadata`, then one `Node` per send, receive and
//! addition, in an order in which they can happen. A node lists its dependencies (`data_deps`). They are the
//! node that brought what it sends, the addition before it, and the previous node of its channel. The last
//! one is needed because a channel carries one chunk at a time and in order. Field numbers, attribute names
//! and types are those of the public schema (mlcommons/chakra, schema/protobuf/et_def.proto), as ASTRA-sim's
//! feeder reads them.

use super::super::Artifact;
use super::errors::ProgramError;
use super::moves::ChunkMoves;
use fabc_base::ids::{ChannelId, NodeId};
use fabc_ir::{Scene, Schedule};
use fabc_model::CollectiveAlgorithm;
use prost::Message;
use std::collections::BTreeMap;

/// The name of the format.
const FORMAT: &str = "chakra";
/// Maximum number of chips. Each has a file.
const CHIPS: usize = 256;
/// Maximum number of moves. A move takes about 200 bytes in the two files of its ends.
const MOVES: u64 = 1 << 20;
/// The version of the schema that the readers know.
const VERSION: &str = "0.0.4";
const ADDS: i32 = 4;
const SENDS: i32 = 5;
const RECEIVES: i32 = 6;

/// The message `GlobalMetadata` of the schema.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(string, tag = "1")]
    version: String,
    #[prost(message, repeated, tag = "2")]
    attributes: Vec<Attribute>,
}

/// The message `Node` of the schema.
#[derive(Clone, PartialEq, Message)]
struct ChakraNode {
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

/// The message `AttributeProto` of the schema.
#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(oneof = "AttributeValue", tags = "7, 9, 13, 27, 29")]
    value: Option<AttributeValue>,
}

/// The types of attribute values that fabc writes.
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

/// The nodes of one chip.
#[derive(Default)]
struct ChipTrace {
    nodes: Vec<ChakraNode>,
    /// By channel and direction: the last node on that channel.
    carried: BTreeMap<(ChannelId, bool), u64>,
}

impl ChipTrace {
    /// Adds a node and returns its id.
    fn push(&mut self, name: String, kind: i32, mut after: Vec<u64>, attributes: Vec<Attribute>) -> u64 {
        let id = self.nodes.len() as u64;
        after.sort_unstable();
        after.dedup();
        self.nodes.push(ChakraNode { id, name, kind, after, attributes });
        id
    }
}

/// The traces of all chips, for vectors of `bytes` bytes.
///
/// # Errors
/// [`ProgramError::Unwritten`] if the schedule has no rounds. [`ProgramError::TooLarge`] if there are too
/// many chips or moves.
pub fn collective_chakra(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
    bytes: u64,
) -> Result<Vec<Artifact>, ProgramError> {
    let chips = scene.endpoints().count();
    if chips > CHIPS {
        let reason = format!("{chips} chips are as many files, and {CHIPS} are the most");
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let chunk_moves = ChunkMoves::new(scene, schedule, scene.endpoints().collect(), FORMAT, MOVES)?;
    let name = format!("fabc_{fabric}_{}_{}", schedule.collective.name(), schedule.algorithm.name());
    let sizes = ChunkSizes::new(&chunk_moves, bytes);
    let mut traces: Vec<ChipTrace> = chunk_moves.chips.iter().map(|_| ChipTrace::default()).collect();
    // `[move]`: the node that its receiver depends on.
    let mut arrivals: Vec<u64> = Vec::with_capacity(chunk_moves.moves.len());
    // By sender and receiver: number of messages so far.
    let mut tags: BTreeMap<(NodeId, NodeId), i32> = BTreeMap::new();
    for chunk_move in &chunk_moves.moves {
        let [from, to] = [chunk_moves.sender(chunk_move.channel), chunk_moves.receiver(chunk_move.channel)];
        let [source, destination] = [from, to].map(|chip| chunk_moves.rank(chip));
        let tag = tags.entry((from, to)).and_modify(|tag| *tag += 1).or_insert(0);
        let size = sizes.bytes_of(chunk_moves.column(chunk_move.chunk));
        let message = |kind: &str| {
            let rank_attribute = |name, value: u32| attribute(name, AttributeValue::Int32(value as i32));
            let attributes = vec![
                attribute("is_cpu_op", AttributeValue::Bool(false)),
                rank_attribute("comm_src", source),
                rank_attribute("comm_dst", destination),
                attribute("comm_tag", AttributeValue::Int32(*tag)),
                attribute("comm_size", AttributeValue::Int64(size as i64)),
                attribute("chunk", AttributeValue::Uint64(u64::from(chunk_moves.column(chunk_move.chunk)))),
            ];
            (format!("{kind} {}", chunk_moves.column(chunk_move.chunk)), attributes)
        };
        let push_message = |trace: &mut ChipTrace, sends: bool, kind: i32, mut after: Vec<u64>| {
            after.extend(trace.carried.get(&(chunk_move.channel, sends)));
            let (name, attributes) = message(if sends { "send" } else { "receive" });
            let id = trace.push(name, kind, after, attributes);
            trace.carried.insert((chunk_move.channel, sends), id);
            id
        };
        let arrival = chunk_move.source_move.map(|earlier| arrivals[earlier as usize]);
        push_message(&mut traces[source as usize], true, SENDS, arrival.into_iter().collect());
        let trace = &mut traces[destination as usize];
        let mut node = push_message(trace, false, RECEIVES, Vec::new());
        if chunk_move.adds {
            let after = chunk_move.previous_addition.map(|earlier| arrivals[earlier as usize]);
            node = push_addition(
                trace,
                chunk_moves.column(chunk_move.chunk),
                size,
                after.into_iter().chain([node]).collect(),
            );
        }
        arrivals.push(node);
    }
    if schedule.algorithm == CollectiveAlgorithm::Local {
        push_local_sums(&chunk_moves, &sizes, &arrivals, &mut traces);
    }
    let metadata = Metadata {
        version: VERSION.to_owned(),
        attributes: vec![
            attribute("schema", AttributeValue::Text(VERSION.to_owned())),
            attribute("collective", AttributeValue::Text(schedule.collective.name().to_owned())),
            attribute("size", AttributeValue::Uint64(bytes)),
        ],
    };
    let file = |(rank, trace): (usize, ChipTrace)| {
        let mut bytes = metadata.encode_length_delimited_to_vec();
        trace.nodes.iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
        Artifact { path: format!("{name}.{rank}.et"), bytes }
    };
    Ok(traces.into_iter().enumerate().map(file).collect())
}

/// Adds a node for an addition of `size` bytes, with one operation per byte. Returns its id.
fn push_addition(trace: &mut ChipTrace, column: u32, size: u64, after: Vec<u64>) -> u64 {
    let attributes = vec![
        attribute("is_cpu_op", AttributeValue::Bool(false)),
        attribute("num_ops", AttributeValue::Int64(size as i64)),
        attribute("tensor_size", AttributeValue::Uint64(size)),
        attribute("chunk", AttributeValue::Uint64(u64::from(column))),
    ];
    trace.push(format!("add {column}"), ADDS, after, attributes)
}

/// Adds nodes in which every chip adds up all vectors, part by part, each when it has arrived.
fn push_local_sums(
    chunk_moves: &ChunkMoves<'_>,
    sizes: &ChunkSizes,
    arrivals: &[u64],
    traces: &mut [ChipTrace],
) {
    // By chip and part: the node of the sum so far.
    let mut sums: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (chunk_move, &node) in chunk_moves.moves.iter().zip(arrivals) {
        let (rank, part) = (
            chunk_moves.rank(chunk_moves.receiver(chunk_move.channel)),
            chunk_move.chunk % chunk_moves.schedule.chunks,
        );
        let before = sums.get(&(rank, part)).copied();
        let column = chunk_moves.column(chunk_move.chunk);
        let sum = push_addition(
            &mut traces[rank as usize],
            column,
            sizes.bytes_of(column),
            before.into_iter().chain([node]).collect(),
        );
        sums.insert((rank, part), sum);
    }
}

/// Splits a vector into chunks of almost equal size.
struct ChunkSizes {
    bytes: u128,
    parts: u128,
}

impl ChunkSizes {
    fn new(chunk_moves: &ChunkMoves<'_>, bytes: u64) -> Self {
        let is_local = chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local;
        let parts = if is_local { chunk_moves.schedule.chunks as usize } else { chunk_moves.columns() };
        Self { bytes: u128::from(bytes), parts: parts.max(1) as u128 }
    }
    fn bytes_of(&self, column: u32) -> u64 {
        let chunk = u128::from(column) % self.parts;
        let before = |chunk: u128| chunk * self.bytes / self.parts;
        (before(chunk + 1) - before(chunk)) as u64
    }
}
