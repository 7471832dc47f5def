//! What the GPUs have while a program runs: values with their contributors, and who used a place last.
//!
//! Two steps of a GPU that use one place, and of which one writes it, must be in an order that does not hang
//! on time: by the order of a thread block, by a step that is waited for, or around other GPUs by what was
//! sent and received. How much a connection holds is no order. Mostly the clocks of a GPU's own thread blocks
//! show it; or what comes back has in it what was read, which was sent but once; or else a search goes back
//! from the later step.

use super::ProgramFault;
use super::layout::{BlockAt, LETTERS, Layout, name, used};
use super::run::Follow;
use super::shape::Shape;
use super::values::Value;
use fabc_ir::read::{MscclKind, MscclStep};

/// Steps that searches may look at, all together.
const LOOKS: u64 = 1 << 30;
/// No step.
const NONE: u32 = u32::MAX;

/// Values that are on their way.
pub(super) type Sent = Vec<Option<Value>>;

/// A step of a GPU: thread block and number.
type StepAt = (u32, u32);

/// A place for a chunk.
#[derive(Clone, Default)]
struct Cell {
    value: Option<Value>,
    wrote: Option<StepAt>,
    /// Since then.
    read: Vec<StepAt>,
}

/// The memory of all GPUs.
pub(super) struct Memory<'a> {
    layout: &'a Layout<'a>,
    shape: Shape,
    /// `[gpu][cell]`.
    cells: Vec<Vec<Cell>>,
    /// `[gpu][place of the input]`: how often it was sent, alone or in a sum, and by which step first.
    sent: Vec<Vec<(u32, u32)>>,
    /// `[gpu]`: its first thread block among all.
    first: Vec<usize>,
    /// `[thread block]`: its first step among all.
    steps: Vec<usize>,
    /// `[thread block][other one of the GPU]`: how many steps of that are before what it does now.
    clocks: Vec<Vec<u32>>,
    /// `[step]`: the clock at its end, where others wait for it.
    ends: Vec<Option<Box<[u32]>>>,
    /// `[step]`: the how manieth it was.
    order: Vec<u32>,
    begun: u32,
    /// `[step]`: the step of another GPU that sent what it received.
    sender: Vec<u32>,
    /// `[step]`: the search that looked at it last.
    seen: Vec<u32>,
    searches: u32,
    looks: u64,
}

impl<'a> Memory<'a> {
    pub(super) fn new(layout: &'a Layout<'a>, shape: Shape) -> Self {
        let (mut first, mut steps, mut clocks, mut all) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for blocks in &layout.blocks {
            first.push(steps.len());
            for block in blocks {
                steps.push(all);
                all += block.steps.len();
                clocks.push(vec![0; blocks.len()]);
            }
        }
        let cells = (0..shape.gpus).map(|gpu| {
            let mut cells = vec![Cell::default(); shape.cells(layout.gpus[gpu as usize].sizes[2])];
            (0..shape.input).for_each(|at| cells[shape.cell(gpu, 0, at)].value = Some(shape.given(gpu, at)));
            cells
        });
        let mut memory = Self {
            layout,
            shape,
            cells: cells.collect(),
            sent: vec![vec![(0, NONE); shape.input as usize]; shape.gpus as usize],
            first,
            steps,
            clocks,
            ends: vec![None; all],
            order: vec![NONE; all],
            begun: 0,
            sender: vec![NONE; all],
            seen: vec![0; all],
            searches: 0,
            looks: 0,
        };
        memory.pair();
        memory
    }

    /// What is in a place of an output.
    pub(super) fn output(&self, gpu: u32, at: u32) -> Option<&Value> {
        self.cells[gpu as usize][self.shape.cell(gpu, 1, at)].value.as_ref()
    }

    /// Which step sends what a step receives.
    fn pair(&mut self) {
        for wire in self.layout.wires.values().filter(|wire| wire.transfers > 0) {
            let numbers = |at: BlockAt, which: fn(MscclKind) -> bool| -> Vec<usize> {
                let steps = self.layout.block(at).steps.iter().filter(|step| which(step.kind));
                steps.map(|step| self.global(at, step.number)).collect()
            };
            let (sent, received) =
                (numbers(wire.sender, MscclKind::sends), numbers(wire.receiver, MscclKind::receives));
            sent.into_iter()
                .zip(received)
                .for_each(|(sender, receiver)| self.sender[receiver] = sender as u32);
        }
    }

    fn block(&self, (gpu, block): BlockAt) -> usize {
        self.first[gpu as usize] + block as usize
    }
    fn global(&self, at: BlockAt, step: u32) -> usize {
        self.steps[self.block(at)] + step as usize
    }

    /// Whether a step of a GPU is before what one of its thread blocks does now; `arrived` is what has come
    /// to it.
    fn before(
        &mut self,
        (block, step): StepAt,
        at: BlockAt,
        now: u32,
        arrived: Option<&Value>,
    ) -> Result<bool, ProgramFault> {
        if block == at.1 || self.clocks[self.block(at)][block as usize] > step {
            return Ok(true);
        }
        let earlier = self.global((at.0, block), step);
        if let Some(value) = arrived.filter(|value| value.has(at.0)) {
            let (times, by) = self.sent[at.0 as usize][self.shape.given_at(at.0, value.chunk) as usize];
            if times == 1 && by as usize == earlier {
                return Ok(true);
            }
        }
        self.search(earlier, self.global(at, now))
    }

    /// Goes back from a step to all that was before it, until an earlier one is found.
    fn search(&mut self, earlier: usize, later: usize) -> Result<bool, ProgramFault> {
        self.searches += 1;
        let since = self.order[earlier];
        let mut open = vec![later];
        while let Some(step) = open.pop() {
            if step == earlier {
                return Ok(true);
            }
            if self.order[step] < since
                || std::mem::replace(&mut self.seen[step], self.searches) == self.searches
            {
                continue;
            }
            self.looks += 1;
            if self.looks > LOOKS {
                let what = format!(
                    "more than {LOOKS} steps were looked at to find out which is before which: this is not judged"
                );
                return Err(ProgramFault::shape(what));
            }
            let block = self.steps.partition_point(|&first| first <= step) - 1;
            // Empty thread blocks start where the next one does; the last of them has the step.
            let gpu = self.first.partition_point(|&first| first <= block) - 1;
            let (own, number) = (block - self.first[gpu], step - self.steps[block]);
            if number > 0 {
                open.push(step - 1);
            }
            let waited = self.layout.blocks[gpu][own].steps[number].after;
            open.extend(waited.map(|(other, number)| self.global((gpu as u32, other), number)));
            open.extend(
                Some(self.sender[step]).filter(|&sender| sender != NONE).map(|sender| sender as usize),
            );
        }
        Ok(false)
    }

    fn race(
        &self,
        at: BlockAt,
        step: &MscclStep,
        location: (u8, u32),
        other: StepAt,
        words: [&'static str; 2],
    ) -> ProgramFault {
        let (buffer, offset) = location;
        ProgramFault::Race {
            place: name(at, step.number),
            does: words[0],
            location: format!("{}[{offset}]", LETTERS[usize::from(buffer)]),
            other: format!("step {} of thread block {}", other.1, other.0),
            did: words[1],
        }
    }

    fn read(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        (buffer, offset): (u8, u32),
    ) -> Result<Value, ProgramFault> {
        let cell = self.shape.cell(at.0, buffer, offset);
        if let Some(wrote) = self.cells[at.0 as usize][cell].wrote
            && !self.before(wrote, at, step.number, None)?
        {
            return Err(self.race(at, step, (buffer, offset), wrote, ["reads", "writes"]));
        }
        let found = &mut self.cells[at.0 as usize][cell];
        found.read.push((at.1, step.number));
        found.value.clone().ok_or_else(|| {
            let what = format!("reads {}[{offset}], in which nothing is", LETTERS[usize::from(buffer)]);
            ProgramFault::Step { place: name(at, step.number), what }
        })
    }

    fn write(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        (buffer, offset): (u8, u32),
        value: Value,
        arrived: Option<&Value>,
    ) -> Result<(), ProgramFault> {
        let cell = self.shape.cell(at.0, buffer, offset);
        let Cell { wrote, read, .. } = std::mem::take(&mut self.cells[at.0 as usize][cell]);
        for other in read {
            if !self.before(other, at, step.number, arrived)? {
                return Err(self.race(at, step, (buffer, offset), other, ["writes", "reads"]));
            }
        }
        if let Some(other) = wrote
            && !self.before(other, at, step.number, arrived)?
        {
            return Err(self.race(at, step, (buffer, offset), other, ["writes", "writes"]));
        }
        let wrote = Some((at.1, step.number));
        self.cells[at.0 as usize][cell] = Cell { value: Some(value), wrote, read: Vec::new() };
        Ok(())
    }

    /// One chunk of a step: what it leaves to be sent.
    fn one(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        offset: u32,
        arrived: Option<Value>,
    ) -> Result<Option<Value>, ProgramFault> {
        let place = |(buffer, first): (u8, i64)| (buffer, first as u32 + offset);
        let [reads, writes] = used(step);
        let from = if reads { Some(self.read(at, step, place(step.from))?) } else { None };
        let value = match step.kind {
            MscclKind::Nothing => return Ok(None),
            MscclKind::Send | MscclKind::Copy => from,
            MscclKind::Receive | MscclKind::ReceiveCopySend => arrived.clone(),
            MscclKind::Reduce => Some(self.read(at, step, place(step.to))?)
                .zip(from)
                .map(|(a, b)| self.sum(at, step, &a, &b))
                .transpose()?,
            MscclKind::ReceiveReduceSend
            | MscclKind::ReceiveReduceCopy
            | MscclKind::ReceiveReduceCopySend => {
                from.zip(arrived.clone()).map(|(a, b)| self.sum(at, step, &a, &b)).transpose()?
            }
        };
        // A copy onto itself, as in place, changes nothing.
        let cell = |(buffer, offset): (u8, u32)| self.shape.cell(at.0, buffer, offset);
        let same = step.kind == MscclKind::Copy && cell(place(step.from)) == cell(place(step.to));
        if let Some(value) = value.clone().filter(|_| writes && !same) {
            self.write(at, step, place(step.to), value, arrived.as_ref())?;
        }
        if let Some(sent) = value.as_ref().filter(|value| step.kind.sends() && value.has(at.0)) {
            let number = self.global(at, step.number) as u32;
            let (times, by) = &mut self.sent[at.0 as usize][self.shape.given_at(at.0, sent.chunk) as usize];
            (*times, *by) = (*times + 1, (*by).min(number));
        }
        Ok(value)
    }

    fn sum(&self, at: BlockAt, step: &MscclStep, a: &Value, b: &Value) -> Result<Value, ProgramFault> {
        a.sum(b, self.shape.gpus).map_err(|what| ProgramFault::Step { place: name(at, step.number), what })
    }
}

impl Follow for Memory<'_> {
    type Packet = Sent;

    fn begin(&mut self, at: BlockAt, step: &MscclStep) {
        let (block, number) = (self.block(at), self.global(at, step.number));
        (self.order[number], self.begun) = (self.begun, self.begun + 1);
        if let Some((other, awaited)) = step.after {
            let end = self.ends[self.global((at.0, other), awaited)].clone().unwrap_or_default();
            self.clocks[block].iter_mut().zip(end).for_each(|(now, then)| *now = (*now).max(then));
        }
    }

    fn act(&mut self, at: BlockAt, step: &MscclStep, received: Option<Sent>) -> Result<Sent, ProgramFault> {
        let mut arrived = received.unwrap_or_default().into_iter();
        (0..step.count).map(|offset| self.one(at, step, offset, arrived.next().flatten())).collect()
    }

    fn finish(&mut self, at: BlockAt, step: &MscclStep) {
        let block = self.block(at);
        self.clocks[block][at.1 as usize] = step.number + 1;
        if step.awaited {
            let number = self.global(at, step.number);
            self.ends[number] = Some(self.clocks[block].clone().into());
        }
    }
}
