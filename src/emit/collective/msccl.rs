//! Writes a schedule as MSCCL XML, a program for the thread blocks of GPUs that MSCCL and RCCL run.
//!
//! Input: a scene and a schedule. Output: the text, valid out of place, and in place unless it is an
//! all-to-all. Every connection of two chips becomes two thread blocks. One sends at its source, the other
//! receives at its target, with the chunks in the order of the schedule. A send waits for the step that last
//! wrote the chunk. Additions into one place wait for each other in a chain, so that no step waits for two
//! steps. The input of a chip is read and never written. The first addition writes the sum elsewhere: to `o`,
//! or to `s` if the sum only passes through. Copies at the end of a thread block add the chip's own part of
//! the result. Limits are those of the runtimes (msccl: src/include/msccl.h and src/graph/xml.cc; RCCL:
//! src/include/msccl/msccl_struct.h).

use super::super::json::push;
use super::connections::{ChipConnection, Connections};
use super::errors::ProgramError;
use super::moves::{ChunkMove, ChunkMoves};
use super::places::{BufferPlace, BufferPlaces};
use fabc_base::ids::NodeId;
use fabc_base::limits::COLLECTIVE_BYTES;
use fabc_ir::{Scene, Schedule};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The name of the format.
const FORMAT: &str = "msccl";
/// Maximum steps of a thread block.
const STEPS: usize = 256;
/// Steps of a thread block that every runtime accepts. RCCL is built with 64.
const SAFE_STEPS: usize = 64;
/// Maximum thread blocks of a chip.
const BLOCKS: usize = 216;
/// Maximum thread blocks that others wait for. Their numbers are signed bytes.
const WAITED_BLOCKS: usize = 128;
/// Maximum connections of a chip in one direction under one number.
const PEERS: u32 = 32;
/// Maximum connections between two chips.
const CHANS: u32 = 32;
/// Maximum chunks that one step moves.
const COUNT: u32 = 71;
/// Maximum bytes of the file.
const BYTES: usize = 200_000_000;
/// Minimum bytes of a step in the file.
const STEP_BYTES: u64 = 100;

/// A program with its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MscclFile {
    /// Text of the XML file.
    pub text: String,
    /// Steps of the thread block with the most steps.
    pub steps: usize,
    /// Thread blocks of the chip with the most.
    pub blocks: usize,
    /// Restrictions that a user should know, one sentence each.
    pub notes: Vec<String>,
}

/// The program of one thread block.
struct ThreadBlock {
    send: Option<u32>,
    receive: Option<u32>,
    chan: u32,
    steps: Vec<BlockStep>,
}

struct BlockStep {
    kind: &'static str,
    from: BufferPlace,
    to: BufferPlace,
    count: u32,
    /// Thread block and step that this step waits for.
    after: Option<(u32, u32)>,
    /// Whether another step waits for this one.
    awaited: bool,
}

/// The program of a schedule.
///
/// # Errors
/// [`ProgramError::Unwritten`] if the schedule has no rounds. [`ProgramError::TooLarge`] if it exceeds a
/// limit of the runtimes.
pub fn collective_msccl(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
) -> Result<MscclFile, ProgramError> {
    ranked_msccl(fabric, scene, schedule, scene.endpoints().collect())
}

/// The program of a schedule of these chips, in the order of their ranks.
///
/// # Errors
/// The same as those of [`collective_msccl`].
pub(crate) fn ranked_msccl(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
    chips: Vec<NodeId>,
) -> Result<MscclFile, ProgramError> {
    let chunk_moves = ChunkMoves::new(scene, schedule, chips, FORMAT, BYTES as u64 / (2 * STEP_BYTES))?;
    let connections = Connections::new(&chunk_moves, STEPS, PEERS);
    let program = MscclWriter {
        places: BufferPlaces::new(&chunk_moves),
        awaited: awaited_moves(&chunk_moves),
        chunk_moves: &chunk_moves,
        connections: &connections,
    };
    let gpus = program.thread_blocks()?;
    let maximum = |count: fn(&Vec<ThreadBlock>) -> usize| gpus.iter().map(count).max().unwrap_or(0);
    let (steps, blocks) = (
        maximum(|blocks| blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0)),
        maximum(Vec::len),
    );
    let text = program.xml(fabric, &gpus);
    if text.len() > BYTES {
        return Err(ProgramError::too_large(
            FORMAT,
            &format!("it would have {} B, and {BYTES} are the most", text.len()),
        ));
    }
    let mut notes = Vec::new();
    if steps > SAFE_STEPS {
        notes.push(format!("a thread block has {steps} steps: MSCCL takes {STEPS}, but RCCL {SAFE_STEPS}, unless it was built for more"));
    }
    Ok(MscclFile { text, steps, blocks, notes })
}

/// `[move]`: whether a send or an addition of its receiver waits for it.
fn awaited_moves(chunk_moves: &ChunkMoves<'_>) -> Vec<bool> {
    // The local algorithm adds everything that arrives.
    let mut awaited =
        vec![chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local; chunk_moves.moves.len()];
    chunk_moves
        .moves
        .iter()
        .flat_map(|chunk_move| [chunk_move.source_move, chunk_move.previous_addition])
        .flatten()
        .for_each(|earlier| awaited[earlier as usize] = true);
    awaited
}

struct MscclWriter<'a> {
    chunk_moves: &'a ChunkMoves<'a>,
    connections: &'a Connections,
    places: BufferPlaces,
    awaited: Vec<bool>,
}

impl MscclWriter<'_> {
    fn is_local(&self) -> bool {
        self.chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local
    }

    /// `[rank]`: the thread blocks of the chip.
    fn thread_blocks(&self) -> Result<Vec<Vec<ThreadBlock>>, ProgramError> {
        let (chunk_moves, connections) = (self.chunk_moves, self.connections);
        let (mut incoming, mut outgoing) =
            (vec![Vec::new(); chunk_moves.chips.len()], vec![Vec::new(); chunk_moves.chips.len()]);
        for (number, connection) in connections.connections.iter().enumerate() {
            self.check_connection(connection)?;
            incoming[chunk_moves.rank(connection.to) as usize].push(number as u32);
            outgoing[chunk_moves.rank(connection.from) as usize].push(number as u32);
        }
        // `[connection]`: index of the thread block that receives.
        let mut receives = vec![0; connections.connections.len()];
        incoming.iter().for_each(|incoming| {
            incoming.iter().enumerate().for_each(|(index, &number)| receives[number as usize] = index as u32)
        });
        let mut gpus = Vec::with_capacity(chunk_moves.chips.len());
        for (rank, &chip) in chunk_moves.chips.iter().enumerate() {
            let local_sums =
                if self.is_local() { self.local_sum_blocks(chip, &receives)? } else { Vec::new() };
            let waited = incoming[rank].len() + local_sums.len();
            let mut blocks = Vec::with_capacity(waited + outgoing[rank].len());
            blocks.extend(incoming[rank].iter().map(|&number| self.receiving_block(number, &receives)));
            blocks.extend(local_sums);
            blocks.extend(
                outgoing[rank]
                    .iter()
                    .map(|&number| self.sending_block(number, &receives, incoming[rank].len() as u32)),
            );
            if blocks.len() > BLOCKS || waited > WAITED_BLOCKS {
                let (ins, outs, rest) =
                    (incoming[rank].len(), outgoing[rank].len(), waited - incoming[rank].len());
                let name = chunk_moves.scene.topology.name(chip);
                let reason = format!(
                    "{name} would have {} thread blocks, {ins} that receive, {outs} that send and {rest} that add; {BLOCKS} are the most, and {WAITED_BLOCKS} that others wait for",
                    blocks.len()
                );
                return Err(ProgramError::too_large(FORMAT, &reason));
            }
            self.push_own_copies(chip, &mut blocks)?;
            gpus.push(blocks);
        }
        Ok(gpus)
    }

    fn check_connection(&self, connection: &ChipConnection) -> Result<(), ProgramError> {
        let (steps, chan) = (connection.moves.len(), connection.chan);
        let topology = self.chunk_moves.scene.topology;
        let name = || format!("{} -> {}", topology.name(connection.from), topology.name(connection.to));
        if steps > STEPS {
            let (chips, parts) = (self.chunk_moves.chips.len(), self.chunk_moves.parts);
            let reason = format!(
                "{} would carry {steps} chunks ({chips} chips, {parts} chunks each) in as many steps of a thread block, and {STEPS} are the most",
                name()
            );
            return Err(ProgramError::too_large(FORMAT, &reason));
        }
        if chan >= CHANS {
            let reason = format!(
                "{} would be connection {chan} of its chips, and there are {CHANS}, with {PEERS} peers each",
                name()
            );
            return Err(ProgramError::too_large(FORMAT, &reason));
        }
        Ok(())
    }

    fn receiving_block(&self, number: u32, receives: &[u32]) -> ThreadBlock {
        let connection = &self.connections.connections[number as usize];
        let step = |&index: &u32| {
            let chunk_move = &self.chunk_moves.moves[index as usize];
            let [from, to] = [
                self.addend_place(chunk_move),
                self.places.result_place(self.chunk_moves, chunk_move.to, chunk_move.chunk),
            ];
            let from = if chunk_move.adds { from } else { self.source_place(chunk_move) };
            let after = chunk_move
                .previous_addition
                .map(|onto| self.receiving_step(onto, receives))
                .filter(|&(block, _)| block != receives[number as usize]);
            BlockStep {
                kind: if chunk_move.adds { "rrc" } else { "r" },
                from,
                to,
                count: chunk_move.count,
                after,
                awaited: self.awaited[index as usize],
            }
        };
        let peer = self.chunk_moves.rank(connection.from);
        ThreadBlock {
            send: None,
            receive: Some(peer),
            chan: connection.chan,
            steps: connection.moves.iter().map(step).collect(),
        }
    }

    fn sending_block(&self, number: u32, receives: &[u32], sums: u32) -> ThreadBlock {
        let connection = &self.connections.connections[number as usize];
        let step = |&index: &u32| {
            let chunk_move = &self.chunk_moves.moves[index as usize];
            let to = self.places.result_place(self.chunk_moves, chunk_move.to, chunk_move.chunk);
            let after = match chunk_move.source_move {
                Some(from) => Some(self.receiving_step(from, receives)),
                // A vector that is added up locally was first copied next to the others.
                None if self.is_local() => {
                    let part = chunk_move.chunk % self.chunk_moves.schedule.chunks;
                    Some((sums + part / self.parts_per_block(), part % self.parts_per_block()))
                }
                None => None,
            };
            BlockStep {
                kind: "s",
                from: self.source_place(chunk_move),
                to,
                count: chunk_move.count,
                after,
                awaited: false,
            }
        };
        let peer = self.chunk_moves.rank(connection.to);
        ThreadBlock {
            send: Some(peer),
            receive: None,
            chan: connection.chan,
            steps: connection.moves.iter().map(step).collect(),
        }
    }

    /// Thread block and step that receive a move.
    fn receiving_step(&self, index: u32, receives: &[u32]) -> (u32, u32) {
        (
            receives[self.connections.connection_of[index as usize] as usize],
            self.connections.position_of[index as usize],
        )
    }
    /// Where the sender reads what it sends.
    fn source_place(&self, chunk_move: &ChunkMove) -> BufferPlace {
        match chunk_move.source_move {
            None if !self.is_local() => self.places.input_place(self.chunk_moves, chunk_move.chunk),
            _ => self.places.result_place(self.chunk_moves, chunk_move.from, chunk_move.chunk),
        }
    }
    /// Where the receiver reads what it adds to.
    fn addend_place(&self, chunk_move: &ChunkMove) -> BufferPlace {
        match chunk_move.previous_addition {
            None => self.places.input_place(self.chunk_moves, chunk_move.chunk),
            Some(_) => self.places.result_place(self.chunk_moves, chunk_move.to, chunk_move.chunk),
        }
    }

    /// Steps in which a chip adds up a part of all vectors. Its own vector is copied next to the others
    /// first.
    fn sum_steps(&self) -> u32 {
        self.chunk_moves.chips.len() as u32 + 1
    }
    /// Parts that one thread block adds up.
    fn parts_per_block(&self) -> u32 {
        (STEPS as u32 / self.sum_steps()).max(1)
    }

    /// Thread blocks that add up all vectors, in the same order at every chip.
    fn local_sum_blocks(&self, chip: NodeId, receives: &[u32]) -> Result<Vec<ThreadBlock>, ProgramError> {
        let (chunk_moves, parts) = (self.chunk_moves, self.chunk_moves.schedule.chunks);
        if self.sum_steps() as usize > STEPS {
            let reason = format!(
                "{} vectors are added in {} steps of a thread block, and {STEPS} are the most",
                chunk_moves.chips.len(),
                self.sum_steps()
            );
            return Err(ProgramError::too_large(FORMAT, &reason));
        }
        // `[column]`: the move that brings it.
        let mut arrivals = vec![None; chunk_moves.columns()];
        let incoming =
            (0..chunk_moves.moves.len() as u32).filter(|&index| chunk_moves.moves[index as usize].to == chip);
        incoming.for_each(|index| {
            arrivals[chunk_moves.column(chunk_moves.moves[index as usize].chunk) as usize] = Some(index)
        });
        let mut blocks: Vec<ThreadBlock> = Vec::new();
        for start in (0..parts).step_by(self.parts_per_block() as usize) {
            let block_parts = start..parts.min(start + self.parts_per_block());
            let mut steps = Vec::with_capacity(block_parts.len() * self.sum_steps() as usize);
            // Sends wait for these copies. The sums of the other vectors wait for their arrival.
            for part in block_parts.clone() {
                let scratch_place =
                    BufferPlace { buffer: 's', offset: chunk_moves.rank(chip) * parts + part };
                steps.push(BlockStep {
                    kind: "cpy",
                    from: BufferPlace { buffer: 'i', offset: part },
                    to: scratch_place,
                    count: 1,
                    after: None,
                    awaited: true,
                });
            }
            for (part, rank) in
                block_parts.flat_map(|part| (0..chunk_moves.chips.len() as u32).map(move |rank| (part, rank)))
            {
                let after = arrivals[(rank * parts + part) as usize]
                    .map(|index| self.receiving_step(index, receives));
                let kind = if rank == 0 { "cpy" } else { "re" };
                let from = BufferPlace { buffer: 's', offset: rank * parts + part };
                steps.push(BlockStep {
                    kind,
                    from,
                    to: BufferPlace { buffer: 'o', offset: part },
                    count: 1,
                    after,
                    awaited: false,
                });
            }
            blocks.push(ThreadBlock { send: None, receive: None, chan: 0, steps });
        }
        Ok(blocks)
    }

    /// Appends copies of the chip's own part of a result that is assembled from parts. They go to the sending
    /// thread block with the fewest steps.
    fn push_own_copies(&self, chip: NodeId, blocks: &mut Vec<ThreadBlock>) -> Result<(), ProgramError> {
        let Schedule { collective, root, .. } = *self.chunk_moves.schedule;
        let chunks = self.chunk_moves.parts;
        let own = self.chunk_moves.rank(chip) * chunks;
        let (input, offset) = match collective {
            Collective::AllGather => (0, own),
            Collective::AllToAll => (own, own),
            Collective::Broadcast if root == Some(chip) => (0, 0),
            _ => return Ok(()),
        };
        let copies = (0..chunks.div_ceil(COUNT)).map(|copy| {
            let (first, count) = (copy * COUNT, COUNT.min(chunks - copy * COUNT));
            let [from, to] = [
                BufferPlace { buffer: 'i', offset: input + first },
                BufferPlace { buffer: 'o', offset: offset + first },
            ];
            BlockStep { kind: "cpy", from, to, count, after: None, awaited: false }
        });
        let has_room =
            |block: &ThreadBlock| block.send.is_some() && block.steps.len() + copies.len() <= STEPS;
        let fewest = (0..blocks.len())
            .filter(|&index| has_room(&blocks[index]))
            .min_by_key(|&index| blocks[index].steps.len());
        match fewest {
            Some(index) => blocks[index].steps.extend(copies),
            None if copies.len() <= STEPS && blocks.len() < BLOCKS => {
                blocks.push(ThreadBlock { send: None, receive: None, chan: 0, steps: copies.collect() });
            }
            None => {
                let reason = format!(
                    "no thread block has room for the {} copies of {}",
                    copies.len(),
                    self.chunk_moves.scene.topology.name(chip)
                );
                return Err(ProgramError::too_large(FORMAT, &reason));
            }
        }
        Ok(())
    }

    fn xml(&self, fabric: &str, gpus: &[Vec<ThreadBlock>]) -> String {
        let Schedule { collective, algorithm, .. } = self.chunk_moves.schedule;
        let chans =
            self.connections.connections.iter().map(|connection| connection.chan + 1).max().unwrap_or(1);
        let steps: usize = gpus.iter().flatten().map(|block| block.steps.len()).sum();
        let mut out = String::with_capacity(steps * (STEP_BYTES as usize + 16));
        let names = (
            collective.name(),
            algorithm.name(),
            runtime_name(*collective),
            self.places.loop_chunks(self.chunk_moves),
        );
        let (name, how, coll, chunks) = names;
        let in_place = u8::from(self.chunk_moves.runs_in_place());
        push(
            &mut out,
            format_args!(
                "<algo name=\"fabc_{fabric}_{name}_{how}\" proto=\"Simple\" nchannels=\"{chans}\" nchunksperloop=\"{chunks}\" ngpus=\"{}\" coll=\"{coll}\" inplace=\"{in_place}\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{COLLECTIVE_BYTES}\">\n",
                gpus.len()
            ),
        );
        for (rank, blocks) in gpus.iter().enumerate() {
            let [i, o, s] = self.places.buffer_sizes(self.chunk_moves, rank);
            push(
                &mut out,
                format_args!("<gpu id=\"{rank}\" i_chunks=\"{i}\" o_chunks=\"{o}\" s_chunks=\"{s}\">\n"),
            );
            for (id, ThreadBlock { send, receive, chan, steps }) in blocks.iter().enumerate() {
                let [send, receive] = [send, receive].map(|peer| peer.map_or(-1, i64::from));
                push(
                    &mut out,
                    format_args!("<tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{chan}\">\n"),
                );
                for (index, BlockStep { kind, from, to, count, after, awaited }) in steps.iter().enumerate() {
                    let (block, step) =
                        after.map_or((-1, -1), |(block, step)| (i64::from(block), i64::from(step)));
                    let awaited = u8::from(*awaited);
                    push(
                        &mut out,
                        format_args!(
                            "<step s=\"{index}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{step}\" hasdep=\"{awaited}\"/>\n",
                            from.buffer, from.offset, to.buffer, to.offset
                        ),
                    );
                }
                out.push_str("</tb>\n");
            }
            out.push_str("</gpu>\n");
        }
        out.push_str("</algo>\n");
        out
    }
}

/// The name of a collective in the runtimes.
fn runtime_name(collective: Collective) -> &'static str {
    match collective {
        Collective::AllGather => "allgather",
        Collective::ReduceScatter => "reduce_scatter",
        Collective::AllReduce => "allreduce",
        Collective::Broadcast => "broadcast",
        Collective::Reduce => "reduce",
        Collective::AllToAll => "alltoall",
        // A send never has rounds.
        Collective::Send => "custom",
    }
}
