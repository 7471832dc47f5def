//! The structure of a program: numbers within the limits of the runtimes, connections with two ends, waiting
//! that can be expressed.
//!
//! Limits are those of msccl (src/include/msccl.h, src/graph/xml.cc) and RCCL (msccl_struct.h).

use super::ProgramFault;
use fabc_ir::read::{MscclBlock, MscclGpu, MscclKind, MscclProgram, MscclStep};
use std::collections::BTreeMap;

/// Steps of a thread block.
const STEPS: u32 = 256;
/// Thread blocks of a GPU.
const BLOCKS: u32 = 216;
/// Thread blocks that can be waited for: their numbers are kept in signed bytes.
const WAITED: u32 = 128;
/// Connections each way of a GPU under one number.
const PEERS: usize = 32;
/// Numbers of connections.
const CHANS: i64 = 32;
/// Chunks of a step: fewer than these.
const COUNT: u32 = 72;

/// A thread block by GPU and number.
pub(super) type BlockAt = (u32, u32);

/// A connection: the thread blocks at its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wire {
    pub(super) sender: BlockAt,
    pub(super) receiver: BlockAt,
    /// Transfers over it.
    pub(super) transfers: u32,
}

/// A program whose structure is right.
pub(super) struct Layout<'a> {
    pub(super) program: &'a MscclProgram<'a>,
    /// By number.
    pub(super) gpus: Vec<&'a MscclGpu>,
    /// `[gpu]`: its thread blocks by number.
    pub(super) blocks: Vec<Vec<&'a MscclBlock>>,
    /// By sender, receiver and number.
    pub(super) wires: BTreeMap<(u32, u32, i64), Wire>,
}

/// `gpu 1, thread block 2, step 3`, as people find it in the file.
pub(super) fn name((gpu, block): BlockAt, step: u32) -> String {
    format!("gpu {gpu}, thread block {block}, step {step}")
}

impl<'a> Layout<'a> {
    pub(super) fn new(program: &'a MscclProgram<'a>) -> Result<Self, ProgramFault> {
        let mut gpus: Vec<&MscclGpu> = program.gpus.iter().collect();
        gpus.sort_by_key(|gpu| gpu.id);
        if let Some((at, gpu)) = gpus.iter().enumerate().find(|(at, gpu)| gpu.id as usize != *at) {
            let (line, id) = (program.line(gpu.place), gpu.id);
            return Err(ProgramFault::shape(format!(
                "line {line}: gpus are numbered from 0, but gpu {id} is where gpu {at} should be"
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
        if let [Some(least), Some(most)] = program.bytes
            && least > most
        {
            return Err(ProgramFault::shape(format!(
                "it is for no size: `minBytes` is {least}, and `maxBytes` {most}"
            )));
        }
        let blocks = gpus.iter().map(|gpu| blocks(program, gpu)).collect::<Result<_, _>>()?;
        let mut layout = Self { program, gpus, blocks, wires: BTreeMap::new() };
        for gpu in 0..layout.gpus.len() as u32 {
            layout.connect(gpu)?;
            for at in 0..layout.blocks[gpu as usize].len() as u32 {
                layout.steps((gpu, at))?;
            }
        }
        layout.ends()?;
        Ok(layout)
    }

    pub(super) fn block(&self, (gpu, block): BlockAt) -> &'a MscclBlock {
        self.blocks[gpu as usize][block as usize]
    }

    fn limit(&self, place: String, what: impl Into<String>) -> ProgramFault {
        ProgramFault::Limit { place, what: what.into() }
    }

    /// Thread blocks at the ends of connections.
    fn connect(&mut self, gpu: u32) -> Result<(), ProgramFault> {
        let mut peers = [BTreeMap::new(), BTreeMap::new()];
        for at in 0..self.blocks[gpu as usize].len() as u32 {
            let block = self.block((gpu, at));
            let place = || format!("line {}: gpu {gpu}, thread block {at}", self.program.line(block.place));
            let chans = CHANS.min(i64::from(self.program.chans));
            let local = block.send.is_none() && block.receive.is_none();
            if block.chan >= chans || block.chan < if local { -1 } else { 0 } {
                return Err(self.limit(
                    place(),
                    format!("has chan {}, but numbers go from 0 to {}", block.chan, chans - 1),
                ));
            }
            for (way, peer) in [block.send, block.receive].into_iter().enumerate() {
                let Some(peer) = peer else { continue };
                if peer == gpu || peer >= self.program.ranks {
                    let what = if peer == gpu {
                        "has its own gpu as a peer".to_owned()
                    } else {
                        format!("has gpu {peer} as a peer, which does not exist")
                    };
                    return Err(self.limit(place(), what));
                }
                let count: &mut usize = peers[way].entry(block.chan).or_default();
                *count += 1;
                if *count > PEERS {
                    return Err(self.limit(
                        place(),
                        format!("is one more than {PEERS} peers under chan {}", block.chan),
                    ));
                }
                let (from, to) = if way == 0 { (gpu, peer) } else { (peer, gpu) };
                let none = (u32::MAX, u32::MAX);
                let wire = self.wires.entry((from, to, block.chan)).or_insert(Wire {
                    sender: none,
                    receiver: none,
                    transfers: 0,
                });
                let end = if way == 0 { &mut wire.sender } else { &mut wire.receiver };
                if *end != none {
                    let does = if way == 0 { "send" } else { "receive" };
                    let what = format!("thread blocks {} and {at} of gpu {gpu} both {does}", end.1);
                    return Err(ProgramFault::Connection { from, to, chan: block.chan, what });
                }
                *end = (gpu, at);
            }
        }
        Ok(())
    }

    /// Single steps.
    fn steps(&self, at: BlockAt) -> Result<(), ProgramFault> {
        let block = self.block(at);
        for (position, step) in block.steps.iter().enumerate() {
            let place = || format!("line {}: {}", self.program.line(step.place), name(at, step.number));
            let wrong = |what: String| Err(self.limit(place(), what));
            if step.number >= STEPS {
                return wrong(format!("is beyond the {STEPS} steps of a thread block"));
            }
            if step.number as usize != position {
                return wrong(format!("stands where step {position} belongs"));
            }
            if step.count >= COUNT || (step.count == 0) != (step.kind == MscclKind::Nothing) {
                return wrong(format!(
                    "is `{}` of {} chunks: steps move 1 to {}, and `nop` 0",
                    step.kind.name(),
                    step.count,
                    COUNT - 1
                ));
            }
            if step.kind.sends() && block.send.is_none() || step.kind.receives() && block.receive.is_none() {
                return wrong(format!("is `{}`, for which its thread block has no peer", step.kind.name()));
            }
            let [reads, writes] = used(step);
            for ((buffer, offset), uses) in [(step.from, reads), (step.to, writes)] {
                let size = i64::from(self.gpus[at.0 as usize].sizes[usize::from(buffer)]);
                if uses && (offset < 0 || offset + i64::from(step.count) > size) {
                    let (letter, last) = (LETTERS[usize::from(buffer)], offset + i64::from(step.count) - 1);
                    return wrong(format!("uses {letter}[{offset}] to {letter}[{last}] of {size} chunks"));
                }
            }
            self.waits(at, step)?;
            let follows = block.steps.get(position + 1);
            if step.kind == MscclKind::Nothing && follows.is_none_or(|next| next.after.is_none()) {
                return wrong(
                    "is a `nop`, which waits for a step that follows, and that must wait, too".to_owned(),
                );
            }
        }
        Ok(())
    }

    fn waits(&self, at: BlockAt, step: &MscclStep) -> Result<(), ProgramFault> {
        let Some((block, number)) = step.after else { return Ok(()) };
        let place = || format!("line {}: {}", self.program.line(step.place), name(at, step.number));
        if block >= WAITED {
            return Err(self.limit(
                place(),
                format!("waits for thread block {block}, but only those below {WAITED} can be waited for"),
            ));
        }
        let other =
            self.blocks[at.0 as usize].get(block as usize).and_then(|other| other.steps.get(number as usize));
        let what = match other {
            None => "which does not exist",
            Some(other) if other.kind == MscclKind::Nothing => {
                "which is a `nop` and never says that it is done"
            }
            Some(other) if !other.awaited => "which does not say that it is done (`hasdep` is 0)",
            Some(_) if block == at.1 && number >= step.number => "which is not before it",
            Some(_) => return Ok(()),
        };
        Err(self.limit(place(), format!("waits for step {number} of thread block {block}, {what}")))
    }

    /// Both ends of every connection move as much, in the same order.
    fn ends(&mut self) -> Result<(), ProgramFault> {
        let mut counted = Vec::with_capacity(self.wires.len());
        for (&(from, to, chan), wire) in &self.wires {
            let wrong = |what: String| ProgramFault::Connection { from, to, chan, what };
            let steps = |(gpu, at): BlockAt, which: fn(MscclKind) -> bool| -> Vec<&MscclStep> {
                let blocks = self.blocks.get(gpu as usize);
                let block = blocks.and_then(|blocks| blocks.get(at as usize));
                block.map_or(Vec::new(), |block| block.steps.iter().filter(|step| which(step.kind)).collect())
            };
            let (sent, received) =
                (steps(wire.sender, MscclKind::sends), steps(wire.receiver, MscclKind::receives));
            if sent.len() != received.len() {
                return Err(wrong(format!(
                    "{} transfers are sent, and {} are received",
                    sent.len(),
                    received.len()
                )));
            }
            for (position, (a, b)) in sent.iter().zip(&received).enumerate() {
                let places =
                    || format!("({}, {})", name(wire.sender, a.number), name(wire.receiver, b.number));
                if a.count != b.count {
                    return Err(wrong(format!(
                        "transfer {position} is sent as {} chunks and received as {} {}",
                        a.count,
                        b.count,
                        places()
                    )));
                }
                // Writes that go straight into the buffer of the receiver go by what the sender says.
                if a.kind == MscclKind::Send && b.kind == MscclKind::Receive && a.to != b.to {
                    let shown =
                        |(buffer, offset): (u8, i64)| format!("{}[{offset}]", LETTERS[usize::from(buffer)]);
                    let what = format!(
                        "transfer {position} is sent to {} and received in {} {}",
                        shown(a.to),
                        shown(b.to),
                        places()
                    );
                    return Err(wrong(what));
                }
            }
            counted.push(sent.len() as u32);
        }
        self.wires.values_mut().zip(counted).for_each(|(wire, transfers)| wire.transfers = transfers);
        Ok(())
    }
}

/// Buffers as they are written.
pub(super) const LETTERS: [char; 3] = ['i', 'o', 's'];

/// Whether a step uses its source and its destination, both of its own GPU.
pub(super) fn used(step: &MscclStep) -> [bool; 2] {
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

/// The thread blocks of a GPU by number.
fn blocks<'a>(program: &MscclProgram<'_>, gpu: &'a MscclGpu) -> Result<Vec<&'a MscclBlock>, ProgramFault> {
    let mut blocks: Vec<&MscclBlock> = gpu.blocks.iter().collect();
    blocks.sort_by_key(|block| (block.id, block.place));
    for (at, block) in blocks.iter().enumerate() {
        let what = match () {
            _ if block.id >= BLOCKS => format!("is beyond the {BLOCKS} thread blocks of a gpu"),
            _ if (block.id as usize) < at => "has the number of another one".to_owned(),
            _ if block.id as usize > at => format!("has no thread block {at} before it"),
            _ => continue,
        };
        let place = format!("line {}: gpu {}, thread block {}", program.line(block.place), gpu.id, block.id);
        return Err(ProgramFault::Limit { place, what });
    }
    Ok(blocks)
}
