//! Writes Chakra execution traces for simulators: what every chip sends, receives and adds, one file per
//! chip.
//!
//! Input: a scene, a schedule of rounds, and the size of a vector. Output: files `<name>.<rank>.et`. Each is
//! a stream of length-delimited messages: first `GlobalMetadata`, then one `Node` per send, receive and
//! addition, in an order in which they can happen.
//!
//! A reader starts a node when all that it depends on has ended, of a send at the far end of its link. So
//! dependencies are what must have arrived before:
//!
//! - `data_deps`: the nodes whose data a node needs. A send needs what brought its chunk or added to it last.
//!   An addition needs what came, and the sum before it. A receive needs nothing of its own chip.
//! - `ctrl_deps`: the order of a channel, where it is part of the schedule. That is where rounds are slots,
//!   in which a channel carries a chunk while others are in flight. A send waits for the last send of its
//!   channel that the plan has at the far end by then. It never waits for one that is in flight: such a chain
//!   would pay the latency of a link for every chunk.
//!
//! Rounds of many chunks have no order within a channel that counts. Networks queue by themselves, and
//! readers take nodes that are ready by ascending ids.
//!
//! Field numbers, attribute names and types are those of the public schema (mlcommons/chakra,
//! schema/protobuf/et_def.proto), as ASTRA-sim's feeder reads them.

use super::super::Artifact;
use super::errors::ProgramError;
use super::moves::ChunkMoves;
use fabc_base::ids::{ChannelId, NodeId};
use fabc_ir::{Scene, Schedule, Transfers};
use fabc_model::CollectiveAlgorithm;
use prost::Message;
use std::collections::{BTreeMap, VecDeque};

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
    #[prost(uint64, repeated, tag = "4")]
    order: Vec<u64>,
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
}

impl ChipTrace {
    /// Adds a node and returns its id.
    fn push(&mut self, name: String, kind: i32, mut after: Vec<u64>, attributes: Vec<Attribute>) -> u64 {
        let id = self.nodes.len() as u64;
        after.sort_unstable();
        after.dedup();
        self.nodes.push(ChakraNode { id, name, kind, order: Vec::new(), after, attributes });
        id
    }
}

/// The sends of a channel so far.
#[derive(Default)]
struct ChannelSends {
    /// Round and node of those that are in flight, in their order.
    in_flight: VecDeque<(u32, u64)>,
    /// The node of the last one that has arrived.
    arrived: Option<u64>,
}

impl ChannelSends {
    /// The last send that has arrived when a round starts. Chunks are in flight for `latency` rounds after
    /// that in which they are sent.
    fn arrived_before(&mut self, round: u32, latency: u32) -> Option<u64> {
        let has_arrived = |(sent, _): &&(u32, u64)| u64::from(*sent) + u64::from(latency) < u64::from(round);
        while let Some(&(_, node)) = self.in_flight.front().filter(has_arrived) {
            self.arrived = Some(node);
            self.in_flight.pop_front();
        }
        self.arrived
    }
}

/// What traces of a schedule are for.
#[derive(Clone, Copy, Debug)]
pub struct ChakraSettings<'a> {
    /// Name of the fabric, for the names of files.
    pub fabric: &'a str,
    /// Bytes of the vector of a chip.
    pub bytes: u64,
    /// Bytes that a lane carries during a hop. 0 where that is not known.
    pub flight_bytes: u64,
}

/// The rounds that a chunk is in flight, where rounds are slots whose order counts. A schedule is made for
/// few latencies, so the bytes in flight may be more.
fn flight_of_slots(schedule: &Schedule, sizes: &ChunkSizes, flight_bytes: u64) -> Option<u32> {
    let Transfers::Rounds(rounds) = &schedule.transfers else { return None };
    let chunk_bytes = (sizes.bytes / sizes.parts).max(1);
    let flight = u128::from(flight_bytes).div_ceil(chunk_bytes).min(u32::MAX.into()) as u32;
    (rounds.latency > 0).then_some(rounds.latency.max(flight))
}

/// The traces of all chips.
///
/// # Errors
/// [`ProgramError::Unwritten`] if the schedule has no rounds. [`ProgramError::TooLarge`] if there are too
/// many chips or moves.
pub fn collective_chakra(
    scene: &Scene<'_>,
    schedule: &Schedule,
    ChakraSettings { fabric, bytes, flight_bytes }: ChakraSettings<'_>,
) -> Result<Vec<Artifact>, ProgramError> {
    let chips = scene.endpoints().count();
    if chips > CHIPS {
        let reason = format!("{chips} chips are as many files, and {CHIPS} are the most");
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let chunk_moves = ChunkMoves::of_rounds(scene, schedule, scene.endpoints().collect(), FORMAT, MOVES)?;
    let name = format!("fabc_{fabric}_{}_{}", schedule.collective.name(), schedule.algorithm.name());
    let sizes = ChunkSizes::new(&chunk_moves, bytes);
    let flight = flight_of_slots(schedule, &sizes, flight_bytes);
    let mut sends: BTreeMap<ChannelId, ChannelSends> = BTreeMap::new();
    let mut traces: Vec<ChipTrace> = chunk_moves.chips.iter().map(|_| ChipTrace::default()).collect();
    // `[move]`: the node that its receiver depends on.
    let mut arrivals: Vec<u64> = Vec::with_capacity(chunk_moves.moves.len());
    // By sender and receiver: number of messages so far.
    let mut tags: BTreeMap<(NodeId, NodeId), i32> = BTreeMap::new();
    for chunk_move in &chunk_moves.moves {
        let [from, to] = [chunk_move.from, chunk_move.to];
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
        let arrival = chunk_move.source_move.map(|earlier| arrivals[earlier as usize]);
        let (name, attributes) = message("send");
        let trace = &mut traces[source as usize];
        let id = trace.push(name, SENDS, arrival.into_iter().collect(), attributes);
        if let Some(latency) = flight {
            let of_channel = sends.entry(chunk_move.channel).or_default();
            let before = of_channel.arrived_before(chunk_move.round, latency);
            trace.nodes[id as usize].order.extend(before);
            of_channel.in_flight.push_back((chunk_move.round, id));
        }
        let trace = &mut traces[destination as usize];
        let (name, attributes) = message("receive");
        let mut node = trace.push(name, RECEIVES, Vec::new(), attributes);
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
        let (rank, part) = (chunk_moves.rank(chunk_move.to), chunk_move.chunk % chunk_moves.schedule.chunks);
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
