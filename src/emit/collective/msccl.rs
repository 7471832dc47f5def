//! MSCCL XML: a schedule as a program for the thread blocks of GPUs, which MSCCL and RCCL run.
//!
//! In: a scene and a schedule of rounds. Out: the text, valid in place and out of place. Every channel that
//! the schedule uses is a thread block that sends at its one end and one that receives at its other end, with
//! the chunks in the order of the plan. A send waits for the step that last wrote the chunk, and additions
//! into one place wait for each other in a chain, so that no step waits for two. What a chip is given is read
//! and never written: the first addition writes the sum elsewhere (`o`, or `s` where it only passes through),
//! and a copy at the end of a thread block takes along what a chip has itself. Limits are those of the
//! runtimes (msccl: src/include/msccl.h and src/graph/xml.cc; RCCL: src/include/msccl/msccl_struct.h).

use super::super::json::push;
use super::connections::Connections;
use super::errors::ProgramError;
use super::moves::{Move, Moves};
use super::places::{Place, Places};
use fabc_base::ids::{ChannelId, NodeId};
use fabc_base::limits::COLLECTIVE_BYTES;
use fabc_ir::{Scene, Schedule};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The name of the format.
const FORMAT: &str = "msccl";
/// Steps of a thread block.
const STEPS: usize = 256;
/// Steps of a thread block that every runtime takes: RCCL is built with 64.
const SAFE_STEPS: usize = 64;
/// Thread blocks of a chip.
const BLOCKS: usize = 216;
/// Thread blocks that others wait for: their numbers are signed bytes.
const WAITED_BLOCKS: usize = 128;
/// Connections each way of a chip under one number.
const PEERS: u32 = 32;
/// Numbers of connections between two chips.
const CHANS: u32 = 32;
/// Chunks that one step moves, at most.
const COUNT: u32 = 71;
/// Bytes of the file.
const BYTES: usize = 200_000_000;
/// Bytes of a step, at least.
const STEP_BYTES: u64 = 100;

/// A program, and how large it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MscclFile {
    /// The file.
    pub text: String,
    /// The most steps of a thread block.
    pub steps: usize,
    /// The most thread blocks of a chip.
    pub blocks: usize,
    /// What should be known before it is used.
    pub notes: Vec<String>,
}

/// What a thread block does.
struct Block {
    send: Option<u32>,
    receive: Option<u32>,
    chan: u32,
    steps: Vec<Step>,
}

struct Step {
    kind: &'static str,
    from: Place,
    to: Place,
    count: u32,
    /// Thread block and step that it waits for.
    after: Option<(u32, u32)>,
    /// Whether another one waits for it.
    awaited: bool,
}

/// The file of a schedule.
///
/// # Errors
/// A schedule that has no rounds; one that is larger than a runtime takes.
pub fn collective_msccl(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
) -> Result<MscclFile, ProgramError> {
    let laid = Moves::new(scene, schedule, FORMAT, BYTES as u64 / (2 * STEP_BYTES))?;
    let connections = Connections::new(&laid, STEPS, PEERS);
    let program = Program {
        places: Places::new(&laid),
        awaited: awaited(&laid),
        laid: &laid,
        connections: &connections,
    };
    let gpus = program.gpus()?;
    let most = |count: fn(&Vec<Block>) -> usize| gpus.iter().map(count).max().unwrap_or(0);
    let (steps, blocks) =
        (most(|blocks| blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0)), most(Vec::len));
    let text = program.text(fabric, &gpus);
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
fn awaited(laid: &Moves<'_>) -> Vec<bool> {
    // At home everything is added.
    let mut awaited = vec![laid.schedule.algorithm == CollectiveAlgorithm::Local; laid.moves.len()];
    laid.moves
        .iter()
        .flat_map(|one| [one.from, one.onto])
        .flatten()
        .for_each(|earlier| awaited[earlier as usize] = true);
    awaited
}

struct Program<'a> {
    laid: &'a Moves<'a>,
    connections: &'a Connections,
    places: Places,
    awaited: Vec<bool>,
}

impl Program<'_> {
    fn is_local(&self) -> bool {
        self.laid.schedule.algorithm == CollectiveAlgorithm::Local
    }

    /// `[chip]`: its thread blocks.
    fn gpus(&self) -> Result<Vec<Vec<Block>>, ProgramError> {
        let (laid, connections) = (self.laid, self.connections);
        let (mut into, mut out) = (vec![Vec::new(); laid.chips.len()], vec![Vec::new(); laid.chips.len()]);
        for (number, connection) in connections.all.iter().enumerate() {
            self.fits(connection.moves.len(), connection.chan, connection.channel)?;
            into[laid.rank(laid.receiver(connection.channel)) as usize].push(number as u32);
            out[laid.rank(laid.sender(connection.channel)) as usize].push(number as u32);
        }
        // `[connection]`: the thread block that receives.
        let mut receives = vec![0; connections.all.len()];
        into.iter().for_each(|into| {
            into.iter().enumerate().for_each(|(at, &number)| receives[number as usize] = at as u32)
        });
        let mut gpus = Vec::with_capacity(laid.chips.len());
        for (rank, &chip) in laid.chips.iter().enumerate() {
            let own = if self.is_local() { self.own_sums(chip, &receives)? } else { Vec::new() };
            let waited = into[rank].len() + own.len();
            let mut blocks = Vec::with_capacity(waited + out[rank].len());
            blocks.extend(into[rank].iter().map(|&number| self.receiving(number, &receives)));
            blocks.extend(own);
            blocks.extend(
                out[rank].iter().map(|&number| self.sending(number, &receives, into[rank].len() as u32)),
            );
            if blocks.len() > BLOCKS || waited > WAITED_BLOCKS {
                let (ins, outs, rest) = (into[rank].len(), out[rank].len(), waited - into[rank].len());
                let name = laid.scene.topology.name(chip);
                let what = format!(
                    "{name} would have {} thread blocks, {ins} that receive, {outs} that send and {rest} that add; {BLOCKS} are the most, and {WAITED_BLOCKS} that others wait for",
                    blocks.len()
                );
                return Err(ProgramError::too_large(FORMAT, &what));
            }
            self.take_along(chip, &mut blocks)?;
            gpus.push(blocks);
        }
        Ok(gpus)
    }

    fn fits(&self, steps: usize, chan: u32, channel: ChannelId) -> Result<(), ProgramError> {
        let name = || self.laid.scene.topology.channel_name(channel);
        if steps > STEPS {
            let (chips, parts) = (self.laid.chips.len(), self.laid.schedule.chunks);
            let what = format!(
                "{} would carry {steps} chunks ({chips} chips, {parts} chunks each) in as many steps of a thread block, and {STEPS} are the most",
                name()
            );
            return Err(ProgramError::too_large(FORMAT, &what));
        }
        if chan >= CHANS {
            let what = format!(
                "{} would be connection {chan} of its chips, and there are {CHANS}, with {PEERS} peers each",
                name()
            );
            return Err(ProgramError::too_large(FORMAT, &what));
        }
        Ok(())
    }

    fn receiving(&self, number: u32, receives: &[u32]) -> Block {
        let connection = &self.connections.all[number as usize];
        let step = |&at: &u32| {
            let one = &self.laid.moves[at as usize];
            let [from, to] =
                [self.added_to(one), self.places.kept(self.laid, self.laid.receiver(one.channel), one.chunk)];
            let from = if one.adds { from } else { self.read(one) };
            let after = one
                .onto
                .map(|onto| self.received(onto, receives))
                .filter(|&(block, _)| block != receives[number as usize]);
            Step {
                kind: if one.adds { "rrc" } else { "r" },
                from,
                to,
                count: 1,
                after,
                awaited: self.awaited[at as usize],
            }
        };
        let peer = self.laid.rank(self.laid.sender(connection.channel));
        Block {
            send: None,
            receive: Some(peer),
            chan: connection.chan,
            steps: connection.moves.iter().map(step).collect(),
        }
    }

    fn sending(&self, number: u32, receives: &[u32], sums: u32) -> Block {
        let connection = &self.connections.all[number as usize];
        let step = |&at: &u32| {
            let one = &self.laid.moves[at as usize];
            let to = self.places.kept(self.laid, self.laid.receiver(one.channel), one.chunk);
            let after = match one.from {
                Some(from) => Some(self.received(from, receives)),
                // What is to be added up at home was first put beside the rest.
                None if self.is_local() => {
                    let part = one.chunk % self.laid.schedule.chunks;
                    Some((sums + part / self.parts_of_a_block(), part % self.parts_of_a_block()))
                }
                None => None,
            };
            Step { kind: "s", from: self.read(one), to, count: 1, after, awaited: false }
        };
        let peer = self.laid.rank(self.laid.receiver(connection.channel));
        Block {
            send: Some(peer),
            receive: None,
            chan: connection.chan,
            steps: connection.moves.iter().map(step).collect(),
        }
    }

    /// Thread block and step that receive a move.
    fn received(&self, one: u32, receives: &[u32]) -> (u32, u32) {
        (receives[self.connections.of[one as usize] as usize], self.connections.at[one as usize])
    }
    /// Where the sender has what it sends.
    fn read(&self, one: &Move) -> Place {
        let sender = self.laid.sender(one.channel);
        match one.from {
            None if !self.is_local() => self.places.given(self.laid, one.chunk),
            _ => self.places.kept(self.laid, sender, one.chunk),
        }
    }
    /// What the receiver adds to.
    fn added_to(&self, one: &Move) -> Place {
        match one.onto {
            None => self.places.given(self.laid, one.chunk),
            Some(_) => self.places.kept(self.laid, self.laid.receiver(one.channel), one.chunk),
        }
    }

    /// Steps in which a part of all vectors is added up at home: its own is put beside the others first.
    fn sum_steps(&self) -> u32 {
        self.laid.chips.len() as u32 + 1
    }
    /// Parts that one thread block adds up.
    fn parts_of_a_block(&self) -> u32 {
        (STEPS as u32 / self.sum_steps()).max(1)
    }

    /// Thread blocks that add all vectors up, in the same order at every chip.
    fn own_sums(&self, chip: NodeId, receives: &[u32]) -> Result<Vec<Block>, ProgramError> {
        let (laid, parts) = (self.laid, self.laid.schedule.chunks);
        if self.sum_steps() as usize > STEPS {
            let what = format!(
                "{} vectors are added in {} steps of a thread block, and {STEPS} are the most",
                laid.chips.len(),
                self.sum_steps()
            );
            return Err(ProgramError::too_large(FORMAT, &what));
        }
        // `[column]`: the move that brings it.
        let mut came = vec![None; laid.columns()];
        let into =
            (0..laid.moves.len() as u32).filter(|&at| laid.receiver(laid.moves[at as usize].channel) == chip);
        into.for_each(|at| came[laid.column(laid.moves[at as usize].chunk) as usize] = Some(at));
        let mut blocks: Vec<Block> = Vec::new();
        for start in (0..parts).step_by(self.parts_of_a_block() as usize) {
            let those = start..parts.min(start + self.parts_of_a_block());
            let mut steps = Vec::with_capacity(those.len() * self.sum_steps() as usize);
            // Others wait for these, and the sums for others.
            for part in those.clone() {
                let own = Place { buffer: 's', at: laid.rank(chip) * parts + part };
                steps.push(Step {
                    kind: "cpy",
                    from: Place { buffer: 'i', at: part },
                    to: own,
                    count: 1,
                    after: None,
                    awaited: true,
                });
            }
            for (part, rank) in
                those.flat_map(|part| (0..laid.chips.len() as u32).map(move |rank| (part, rank)))
            {
                let after = came[(rank * parts + part) as usize].map(|at| self.received(at, receives));
                let kind = if rank == 0 { "cpy" } else { "re" };
                let from = Place { buffer: 's', at: rank * parts + part };
                steps.push(Step {
                    kind,
                    from,
                    to: Place { buffer: 'o', at: part },
                    count: 1,
                    after,
                    awaited: false,
                });
            }
            blocks.push(Block { send: None, receive: None, chan: 0, steps });
        }
        Ok(blocks)
    }

    /// What a chip has itself of a result that is put together is copied, by the thread block with the fewest
    /// steps of those that send.
    fn take_along(&self, chip: NodeId, blocks: &mut Vec<Block>) -> Result<(), ProgramError> {
        let Schedule { collective, chunks, root, .. } = *self.laid.schedule;
        let at = match collective {
            Collective::AllGather => self.laid.rank(chip) * chunks,
            Collective::Broadcast if root == Some(chip) => 0,
            _ => return Ok(()),
        };
        let copies = (0..chunks.div_ceil(COUNT)).map(|copy| {
            let (first, count) = (copy * COUNT, COUNT.min(chunks - copy * COUNT));
            let [from, to] = [Place { buffer: 'i', at: first }, Place { buffer: 'o', at: at + first }];
            Step { kind: "cpy", from, to, count, after: None, awaited: false }
        });
        let room = |block: &Block| block.send.is_some() && block.steps.len() + copies.len() <= STEPS;
        let fewest =
            (0..blocks.len()).filter(|&at| room(&blocks[at])).min_by_key(|&at| blocks[at].steps.len());
        match fewest {
            Some(at) => blocks[at].steps.extend(copies),
            None if copies.len() <= STEPS && blocks.len() < BLOCKS => {
                blocks.push(Block { send: None, receive: None, chan: 0, steps: copies.collect() });
            }
            None => {
                let what = format!(
                    "no thread block has room for the {} copies of {}",
                    copies.len(),
                    self.laid.scene.topology.name(chip)
                );
                return Err(ProgramError::too_large(FORMAT, &what));
            }
        }
        Ok(())
    }

    fn text(&self, fabric: &str, gpus: &[Vec<Block>]) -> String {
        let Schedule { collective, algorithm, .. } = self.laid.schedule;
        let chans = self.connections.all.iter().map(|connection| connection.chan + 1).max().unwrap_or(1);
        let steps: usize = gpus.iter().flatten().map(|block| block.steps.len()).sum();
        let mut out = String::with_capacity(steps * (STEP_BYTES as usize + 16));
        let names = (collective.name(), algorithm.name(), word(*collective), self.places.all(self.laid));
        let (name, how, coll, chunks) = names;
        push(
            &mut out,
            format_args!(
                "<algo name=\"fabc_{fabric}_{name}_{how}\" proto=\"Simple\" nchannels=\"{chans}\" nchunksperloop=\"{chunks}\" ngpus=\"{}\" coll=\"{coll}\" inplace=\"1\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{COLLECTIVE_BYTES}\">\n",
                gpus.len()
            ),
        );
        for (rank, blocks) in gpus.iter().enumerate() {
            let [i, o, s] = self.places.sizes(self.laid, rank);
            push(
                &mut out,
                format_args!("<gpu id=\"{rank}\" i_chunks=\"{i}\" o_chunks=\"{o}\" s_chunks=\"{s}\">\n"),
            );
            for (id, Block { send, receive, chan, steps }) in blocks.iter().enumerate() {
                let [send, receive] = [send, receive].map(|peer| peer.map_or(-1, i64::from));
                push(
                    &mut out,
                    format_args!("<tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{chan}\">\n"),
                );
                for (at, Step { kind, from, to, count, after, awaited }) in steps.iter().enumerate() {
                    let (block, step) =
                        after.map_or((-1, -1), |(block, step)| (i64::from(block), i64::from(step)));
                    let awaited = u8::from(*awaited);
                    push(
                        &mut out,
                        format_args!(
                            "<step s=\"{at}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{step}\" hasdep=\"{awaited}\"/>\n",
                            from.buffer, from.at, to.buffer, to.at
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

/// What the runtimes call a collective.
fn word(collective: Collective) -> &'static str {
    match collective {
        Collective::AllGather => "allgather",
        Collective::ReduceScatter => "reduce_scatter",
        Collective::AllReduce => "allreduce",
        Collective::Broadcast => "broadcast",
        Collective::Reduce => "reduce",
        Collective::AllToAll => "alltoall",
        // Never of rounds.
        Collective::Send => "custom",
    }
}
