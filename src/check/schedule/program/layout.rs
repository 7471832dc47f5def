//! Verifies the structure of a program: numbers within the limits of the runtimes, connections with two
//! ends, and waits that can be expressed.
//!
//! The limits are those of msccl (src/include/msccl.h, src/graph/xml.cc) and RCCL (msccl_struct.h).

use super::ProgramFault;
use fabc_ir::read::{MscclBlock, MscclGpu, MscclKind, MscclProgram, MscclStep};
use std::collections::BTreeMap;

/// Limit on the steps of a thread block.
const MAX_STEPS: u32 = 256;
/// Limit on the thread blocks of a GPU.
const MAX_BLOCKS: u32 = 216;
/// Limit on thread blocks that others can wait for. Runtimes keep their numbers in signed bytes.
const MAX_AWAITED_BLOCKS: u32 = 128;
/// Limit on connections per direction of a GPU with the same number.
const MAX_PEERS: usize = 32;
/// Limit on the numbers of connections.
const MAX_CHANS: i64 = 32;
/// A step must have fewer chunks than this.
const CHUNKS_LIMIT: u32 = 72;

/// A thread block, by the number of its GPU and its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockAt {
    pub(super) gpu: u32,
    pub(super) block: u32,
}

/// A connection between two thread blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Connection {
    pub(super) sender: BlockAt,
    pub(super) receiver: BlockAt,
    /// Number of transfers over it.
    pub(super) transfers: u32,
}

/// A program whose structure is valid.
pub(super) struct ProgramLayout<'a> {
    pub(super) program: &'a MscclProgram<'a>,
    /// The GPUs, in the order of their numbers.
    pub(super) gpus: Vec<&'a MscclGpu>,
    /// `[gpu]`: its thread blocks by number.
    pub(super) blocks: Vec<Vec<&'a MscclBlock>>,
    /// The connections, by (sender, receiver, number).
    pub(super) connections: BTreeMap<(u32, u32, i64), Connection>,
}

/// The name of a step in messages, such as `gpu 1, thread block 2, step 3`.
pub(super) fn step_name(at: BlockAt, step: u32) -> String {
    let BlockAt { gpu, block } = at;
    format!("gpu {gpu}, thread block {block}, step {step}")
}

impl<'a> ProgramLayout<'a> {
    pub(super) fn new(program: &'a MscclProgram<'a>) -> Result<Self, ProgramFault> {
        let mut gpus: Vec<&MscclGpu> = program.gpus.iter().collect();
        gpus.sort_by_key(|gpu| gpu.id);
        if let Some((expected_id, gpu)) =
            gpus.iter().enumerate().find(|(expected_id, gpu)| gpu.id as usize != *expected_id)
        {
            let (line, id) = (program.line(gpu.place), gpu.id);
            return Err(ProgramFault::shape(format!(
                "line {line}: gpus are numbered from 0, but gpu {id} is where gpu {expected_id} should be"
            )));
        }
        if gpus.len() != program.ranks as usize {
            return Err(ProgramFault::shape(format!(
                "`ngpus` is {}, but there are {}",
                program.ranks,
                gpus.len()
            )));
        }
        if !program.in_place && !program.out_of_place {
            return Err(ProgramFault::shape("it is neither for calls in place nor for calls out of place"));
        }
        if let [Some(min_bytes), Some(max_bytes)] = program.bytes
            && min_bytes > max_bytes
        {
            return Err(ProgramFault::shape(format!(
                "it is for no size: `minBytes` is {min_bytes}, and `maxBytes` {max_bytes}"
            )));
        }
        let blocks = gpus.iter().map(|gpu| blocks_by_number(program, gpu)).collect::<Result<_, _>>()?;
        let mut layout = Self { program, gpus, blocks, connections: BTreeMap::new() };
        for gpu in 0..layout.gpus.len() as u32 {
            layout.connect_blocks(gpu)?;
            for block in 0..layout.blocks[gpu as usize].len() as u32 {
                layout.verify_steps(BlockAt { gpu, block })?;
            }
        }
        layout.verify_connections()?;
        Ok(layout)
    }

    pub(super) fn block(&self, at: BlockAt) -> &'a MscclBlock {
        self.blocks[at.gpu as usize][at.block as usize]
    }

    fn limit(&self, place: String, violation: impl Into<String>) -> ProgramFault {
        ProgramFault::Limit { place, violation: violation.into() }
    }

    /// Finds the thread blocks at the ends of connections.
    fn connect_blocks(&mut self, gpu: u32) -> Result<(), ProgramFault> {
        let mut peers = [BTreeMap::new(), BTreeMap::new()];
        for number in 0..self.blocks[gpu as usize].len() as u32 {
            let block = self.block(BlockAt { gpu, block: number });
            let place =
                || format!("line {}: gpu {gpu}, thread block {number}", self.program.line(block.place));
            let chans = MAX_CHANS.min(i64::from(self.program.chans));
            let local = block.send.is_none() && block.receive.is_none();
            if block.chan >= chans || block.chan < if local { -1 } else { 0 } {
                return Err(self.limit(
                    place(),
                    format!("has chan {}, but numbers go from 0 to {}", block.chan, chans - 1),
                ));
            }
            for (direction, peer) in [block.send, block.receive].into_iter().enumerate() {
                let Some(peer) = peer else { continue };
                if peer == gpu || peer >= self.program.ranks {
                    let violation = if peer == gpu {
                        "has its own gpu as a peer".to_owned()
                    } else {
                        format!("has gpu {peer} as a peer, which does not exist")
                    };
                    return Err(self.limit(place(), violation));
                }
                let count: &mut usize = peers[direction].entry(block.chan).or_default();
                *count += 1;
                if *count > MAX_PEERS {
                    return Err(self.limit(
                        place(),
                        format!("is one more than {MAX_PEERS} peers under chan {}", block.chan),
                    ));
                }
                let (from, to) = if direction == 0 { (gpu, peer) } else { (peer, gpu) };
                let none = BlockAt { gpu: u32::MAX, block: u32::MAX };
                let wire = self.connections.entry((from, to, block.chan)).or_insert(Connection {
                    sender: none,
                    receiver: none,
                    transfers: 0,
                });
                let end = if direction == 0 { &mut wire.sender } else { &mut wire.receiver };
                if *end != none {
                    let does = if direction == 0 { "send" } else { "receive" };
                    let violation =
                        format!("thread blocks {} and {number} of gpu {gpu} both {does}", end.block);
                    return Err(ProgramFault::Connection { from, to, chan: block.chan, violation });
                }
                *end = BlockAt { gpu, block: number };
            }
        }
        Ok(())
    }

    /// Verifies the steps of a thread block.
    fn verify_steps(&self, at: BlockAt) -> Result<(), ProgramFault> {
        let block = self.block(at);
        for (position, step) in block.steps.iter().enumerate() {
            let place = || format!("line {}: {}", self.program.line(step.place), step_name(at, step.number));
            let reject = |violation: String| Err(self.limit(place(), violation));
            if step.number >= MAX_STEPS {
                return reject(format!("is beyond the {MAX_STEPS} steps of a thread block"));
            }
            if step.number as usize != position {
                return reject(format!("stands where step {position} belongs"));
            }
            if step.count >= CHUNKS_LIMIT || (step.count == 0) != (step.kind == MscclKind::Nothing) {
                return reject(format!(
                    "is `{}` of {} chunks: steps move 1 to {}, and `nop` 0",
                    step.kind.name(),
                    step.count,
                    CHUNKS_LIMIT - 1
                ));
            }
            if step.kind.sends() && block.send.is_none() || step.kind.receives() && block.receive.is_none() {
                return reject(format!("is `{}`, for which its thread block has no peer", step.kind.name()));
            }
            let [reads, writes] = used_buffers(step);
            for ((buffer, offset), uses) in [(step.from, reads), (step.to, writes)] {
                let size = i64::from(self.gpus[at.gpu as usize].sizes[usize::from(buffer)]);
                if uses && (offset < 0 || offset + i64::from(step.count) > size) {
                    let (letter, last) = (LETTERS[usize::from(buffer)], offset + i64::from(step.count) - 1);
                    return reject(format!("uses {letter}[{offset}] to {letter}[{last}] of {size} chunks"));
                }
            }
            self.verify_wait(at, step)?;
            let follows = block.steps.get(position + 1);
            if step.kind == MscclKind::Nothing && follows.is_none_or(|next| next.after.is_none()) {
                return reject("is a `nop`, and the step after it does not wait".to_owned());
            }
        }
        Ok(())
    }

    fn verify_wait(&self, at: BlockAt, step: &MscclStep) -> Result<(), ProgramFault> {
        let Some((block, number)) = step.after else { return Ok(()) };
        let place = || format!("line {}: {}", self.program.line(step.place), step_name(at, step.number));
        if block >= MAX_AWAITED_BLOCKS {
            return Err(self.limit(
                place(),
                format!("waits for thread block {block}, but only those below {MAX_AWAITED_BLOCKS} can be waited for"),
            ));
        }
        let awaited_step = self.blocks[at.gpu as usize]
            .get(block as usize)
            .and_then(|awaited_step| awaited_step.steps.get(number as usize));
        let violation = match awaited_step {
            None => "which does not exist",
            Some(awaited_step) if awaited_step.kind == MscclKind::Nothing => {
                "which is a `nop` and never reports that it is done"
            }
            Some(awaited_step) if !awaited_step.awaited => {
                "which does not report that it is done (`hasdep` is 0)"
            }
            Some(_) if block == at.block && number >= step.number => "which is not before it",
            Some(_) => return Ok(()),
        };
        Err(self.limit(place(), format!("waits for step {number} of thread block {block}, {violation}")))
    }

    /// Verifies that both ends of every connection move the same chunks in the same order.
    fn verify_connections(&mut self) -> Result<(), ProgramFault> {
        let mut counted = Vec::with_capacity(self.connections.len());
        for (&(from, to, chan), wire) in &self.connections {
            let mismatch = |violation: String| ProgramFault::Connection { from, to, chan, violation };
            let steps = |BlockAt { gpu, block }, selects: fn(MscclKind) -> bool| -> Vec<&MscclStep> {
                let blocks = self.blocks.get(gpu as usize);
                let block = blocks.and_then(|blocks| blocks.get(block as usize));
                block.map_or(Vec::new(), |block| {
                    block.steps.iter().filter(|step| selects(step.kind)).collect()
                })
            };
            let (sent, received) =
                (steps(wire.sender, MscclKind::sends), steps(wire.receiver, MscclKind::receives));
            if sent.len() != received.len() {
                return Err(mismatch(format!(
                    "{} transfers are sent, and {} are received",
                    sent.len(),
                    received.len()
                )));
            }
            for (position, (a, b)) in sent.iter().zip(&received).enumerate() {
                let places = || {
                    format!("({}, {})", step_name(wire.sender, a.number), step_name(wire.receiver, b.number))
                };
                if a.count != b.count {
                    return Err(mismatch(format!(
                        "transfer {position} is sent as {} chunks and received as {} {}",
                        a.count,
                        b.count,
                        places()
                    )));
                }
                // A direct write goes to the place that the sender names.
                if a.kind == MscclKind::Send && b.kind == MscclKind::Receive && a.to != b.to {
                    let shown =
                        |(buffer, offset): (u8, i64)| format!("{}[{offset}]", LETTERS[usize::from(buffer)]);
                    let violation = format!(
                        "transfer {position} is sent to {} and received in {} {}",
                        shown(a.to),
                        shown(b.to),
                        places()
                    );
                    return Err(mismatch(violation));
                }
            }
            counted.push(sent.len() as u32);
        }
        self.connections.values_mut().zip(counted).for_each(|(wire, transfers)| wire.transfers = transfers);
        Ok(())
    }
}

/// Buffers as the format writes them: input, output, scratch.
pub(super) const LETTERS: [char; 3] = ['i', 'o', 's'];

/// Whether a step uses its source and its destination on its own GPU.
pub(super) fn used_buffers(step: &MscclStep) -> [bool; 2] {
    match step.kind {
        MscclKind::Send | MscclKind::ReceiveReduceSend => [true, false],
        MscclKind::Receive | MscclKind::ReceiveCopySend => [false, true],
        MscclKind::ReceiveReduceCopy
        | MscclKind::ReceiveReduceCopySend
        | MscclKind::Copy
        | MscclKind::Reduce => [true, true],
        MscclKind::Nothing => [false, false],
    }
}

/// The thread blocks of a GPU, by number.
fn blocks_by_number<'a>(
    program: &MscclProgram<'_>,
    gpu: &'a MscclGpu,
) -> Result<Vec<&'a MscclBlock>, ProgramFault> {
    let mut blocks: Vec<&MscclBlock> = gpu.blocks.iter().collect();
    blocks.sort_by_key(|block| (block.id, block.place));
    for (number, block) in blocks.iter().enumerate() {
        let violation = match () {
            _ if block.id >= MAX_BLOCKS => format!("is beyond the {MAX_BLOCKS} thread blocks of a gpu"),
            _ if (block.id as usize) < number => "has the number of another one".to_owned(),
            _ if block.id as usize > number => format!("has no thread block {number} before it"),
            _ => continue,
        };
        let place = format!("line {}: gpu {}, thread block {}", program.line(block.place), gpu.id, block.id);
        return Err(ProgramFault::Limit { place, violation });
    }
    Ok(blocks)
}
