//! The memory of the GPUs while a program runs: values with their contributors, and the last users of each
//! cell.
//!
//! Suppose that two steps of a GPU use one cell, and one of them writes it. Then they must be in an order
//! that does not depend on time. The order may follow from a thread block, from a step that is waited for,
//! or through other GPUs from data that was sent and received. The capacity of a connection gives no order.
//!
//! Usually the clocks of the GPU's own thread blocks show the order. Otherwise returning data may contain
//! what was read, if that was sent only once. Otherwise a search goes back from the later step.

use super::ProgramFault;
use super::layout::{BlockAt, LETTERS, ProgramLayout, step_name, used_buffers};
use super::run::StepObserver;
use super::shape::CollectiveShape;
use super::values::ChunkValue;
use fabc_ir::read::{MscclKind, MscclStep};

/// Limit on the steps that all searches visit.
const MAX_SEARCHED_STEPS: u64 = 1 << 30;
/// The number that marks a missing step.
const NO_STEP: u32 = u32::MAX;

/// The values of a transfer in flight.
pub(super) type SentValues = Vec<Option<ChunkValue>>;

/// A step of a GPU, by its thread block and its number.
#[derive(Clone, Copy)]
struct StepAt {
    block: u32,
    step: u32,
}

/// A place in a buffer of a GPU.
#[derive(Clone, Copy)]
struct Location {
    buffer: u8,
    offset: u32,
}

/// A cell of memory, for one chunk.
#[derive(Clone, Default)]
struct MemoryCell {
    value: Option<ChunkValue>,
    writer: Option<StepAt>,
    /// The steps that have read the value since it was written.
    readers: Vec<StepAt>,
}

/// The memory of all GPUs.
pub(super) struct Memory<'a> {
    layout: &'a ProgramLayout<'a>,
    shape: CollectiveShape,
    /// `[gpu][cell]`: contents and last users.
    cells: Vec<Vec<MemoryCell>>,
    /// `[gpu][place of the input]`: how often it was sent, alone or in a sum, and the first step that sent
    /// it.
    sent: Vec<Vec<(u32, u32)>>,
    /// `[gpu]`: the index of its first thread block.
    first_block: Vec<usize>,
    /// `[thread block]`: the index of its first step.
    first_step: Vec<usize>,
    /// `[thread block][other block of the GPU]`: number of steps of the other block that precede the current
    /// step.
    clocks: Vec<Vec<u32>>,
    /// `[step]`: the clock at its end, if others wait for it.
    end_clocks: Vec<Option<Box<[u32]>>>,
    /// `[step]`: its position in the order of execution.
    order: Vec<u32>,
    begun: u32,
    /// `[step]`: the step of another GPU that sent what it received.
    sender: Vec<u32>,
    /// `[step]`: the last search that visited it.
    visited_by: Vec<u32>,
    searches: u32,
    searched_steps: u64,
}

impl<'a> Memory<'a> {
    pub(super) fn new(layout: &'a ProgramLayout<'a>, shape: CollectiveShape) -> Self {
        let (mut first_block, mut first_step, mut clocks, mut step_count) =
            (Vec::new(), Vec::new(), Vec::new(), 0);
        for blocks in &layout.blocks {
            first_block.push(first_step.len());
            for block in blocks {
                first_step.push(step_count);
                step_count += block.steps.len();
                clocks.push(vec![0; blocks.len()]);
            }
        }
        let cells = (0..shape.gpus).map(|gpu| {
            let mut cells = vec![MemoryCell::default(); shape.cells(layout.gpus[gpu as usize].sizes[2])];
            (0..shape.input)
                .for_each(|place| cells[shape.cell(gpu, 0, place)].value = Some(shape.given(gpu, place)));
            cells
        });
        let mut memory = Self {
            layout,
            shape,
            cells: cells.collect(),
            sent: vec![vec![(0, NO_STEP); shape.input as usize]; shape.gpus as usize],
            first_block,
            first_step,
            clocks,
            end_clocks: vec![None; step_count],
            order: vec![NO_STEP; step_count],
            begun: 0,
            sender: vec![NO_STEP; step_count],
            visited_by: vec![0; step_count],
            searches: 0,
            searched_steps: 0,
        };
        memory.pair_steps();
        memory
    }

    /// The value at a place of an output.
    pub(super) fn output(&self, gpu: u32, at: u32) -> Option<&ChunkValue> {
        self.cells[gpu as usize][self.shape.cell(gpu, 1, at)].value.as_ref()
    }

    /// Finds the sending step of every receiving step.
    fn pair_steps(&mut self) {
        for wire in self.layout.connections.values().filter(|wire| wire.transfers > 0) {
            let numbers = |at: BlockAt, selects: fn(MscclKind) -> bool| -> Vec<usize> {
                let steps = self.layout.block(at).steps.iter().filter(|step| selects(step.kind));
                steps.map(|step| self.step_index(at, step.number)).collect()
            };
            let (sent, received) =
                (numbers(wire.sender, MscclKind::sends), numbers(wire.receiver, MscclKind::receives));
            sent.into_iter()
                .zip(received)
                .for_each(|(sender, receiver)| self.sender[receiver] = sender as u32);
        }
    }

    fn block_index(&self, at: BlockAt) -> usize {
        self.first_block[at.gpu as usize] + at.block as usize
    }
    fn step_index(&self, at: BlockAt, step: u32) -> usize {
        self.first_step[self.block_index(at)] + step as usize
    }

    /// Whether a step of a GPU precedes the current step of one of its thread blocks. `arrived` is the value
    /// that the current step received.
    fn is_before(
        &mut self,
        candidate: StepAt,
        at: BlockAt,
        now: u32,
        arrived: Option<&ChunkValue>,
    ) -> Result<bool, ProgramFault> {
        let StepAt { block, step } = candidate;
        if block == at.block || self.clocks[self.block_index(at)][block as usize] > step {
            return Ok(true);
        }
        let earlier = self.step_index(BlockAt { gpu: at.gpu, block }, step);
        if let Some(value) = arrived.filter(|value| value.has(at.gpu)) {
            let (times, first_sender) =
                self.sent[at.gpu as usize][self.shape.given_at(at.gpu, value.chunk) as usize];
            if times == 1 && first_sender as usize == earlier {
                return Ok(true);
            }
        }
        self.search_back(earlier, self.step_index(at, now))
    }

    /// Searches back from the later step for the earlier one.
    fn search_back(&mut self, earlier: usize, later: usize) -> Result<bool, ProgramFault> {
        self.searches += 1;
        let earliest = self.order[earlier];
        let mut open = vec![later];
        while let Some(step) = open.pop() {
            if step == earlier {
                return Ok(true);
            }
            if self.order[step] < earliest
                || std::mem::replace(&mut self.visited_by[step], self.searches) == self.searches
            {
                continue;
            }
            self.searched_steps += 1;
            if self.searched_steps > MAX_SEARCHED_STEPS {
                let violation = format!(
                    "ordering the steps takes a search of more than {MAX_SEARCHED_STEPS} steps: the program is not judged"
                );
                return Err(ProgramFault::shape(violation));
            }
            let block = self.first_step.partition_point(|&first| first <= step) - 1;
            // Empty thread blocks start where the next one does. The last of them has the step.
            let gpu = self.first_block.partition_point(|&first| first <= block) - 1;
            let (block_in_gpu, number) = (block - self.first_block[gpu], step - self.first_step[block]);
            if number > 0 {
                open.push(step - 1);
            }
            let awaited = self.layout.blocks[gpu][block_in_gpu].steps[number].after;
            open.extend(
                awaited.map(|(other, number)| {
                    self.step_index(BlockAt { gpu: gpu as u32, block: other }, number)
                }),
            );
            open.extend(
                Some(self.sender[step]).filter(|&sender| sender != NO_STEP).map(|sender| sender as usize),
            );
        }
        Ok(false)
    }

    fn race_fault(
        &self,
        at: BlockAt,
        step: &MscclStep,
        location: Location,
        other: StepAt,
        verbs: [&'static str; 2],
    ) -> ProgramFault {
        let Location { buffer, offset } = location;
        ProgramFault::Race {
            place: step_name(at, step.number),
            does: verbs[0],
            location: format!("{}[{offset}]", LETTERS[usize::from(buffer)]),
            other: format!("step {} of thread block {}", other.step, other.block),
            did: verbs[1],
        }
    }

    fn read(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        location: Location,
    ) -> Result<ChunkValue, ProgramFault> {
        let cell = self.shape.cell(at.gpu, location.buffer, location.offset);
        if let Some(writer) = self.cells[at.gpu as usize][cell].writer
            && !self.is_before(writer, at, step.number, None)?
        {
            return Err(self.race_fault(at, step, location, writer, ["reads", "writes"]));
        }
        let cell_read = &mut self.cells[at.gpu as usize][cell];
        cell_read.readers.push(StepAt { block: at.block, step: step.number });
        cell_read.value.clone().ok_or_else(|| {
            let violation = format!(
                "reads {}[{}], which is empty",
                LETTERS[usize::from(location.buffer)],
                location.offset
            );
            ProgramFault::Step { place: step_name(at, step.number), violation }
        })
    }

    fn write(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        location: Location,
        value: ChunkValue,
        arrived: Option<&ChunkValue>,
    ) -> Result<(), ProgramFault> {
        let cell = self.shape.cell(at.gpu, location.buffer, location.offset);
        let MemoryCell { writer, readers, .. } = std::mem::take(&mut self.cells[at.gpu as usize][cell]);
        for other in readers {
            if !self.is_before(other, at, step.number, arrived)? {
                return Err(self.race_fault(at, step, location, other, ["writes", "reads"]));
            }
        }
        if let Some(other) = writer
            && !self.is_before(other, at, step.number, arrived)?
        {
            return Err(self.race_fault(at, step, location, other, ["writes", "writes"]));
        }
        let writer = Some(StepAt { block: at.block, step: step.number });
        self.cells[at.gpu as usize][cell] = MemoryCell { value: Some(value), writer, readers: Vec::new() };
        Ok(())
    }

    /// Executes one chunk of a step. Returns the value that it sends.
    fn run_chunk(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        offset: u32,
        arrived: Option<ChunkValue>,
    ) -> Result<Option<ChunkValue>, ProgramFault> {
        let place = |(buffer, first): (u8, i64)| Location { buffer, offset: first as u32 + offset };
        let [reads, writes] = used_buffers(step);
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
        // A copy of a cell onto itself, as in place, changes nothing.
        let cell = |Location { buffer, offset }| self.shape.cell(at.gpu, buffer, offset);
        let is_same_cell = step.kind == MscclKind::Copy && cell(place(step.from)) == cell(place(step.to));
        if let Some(value) = value.clone().filter(|_| writes && !is_same_cell) {
            self.write(at, step, place(step.to), value, arrived.as_ref())?;
        }
        if let Some(sent) = value.as_ref().filter(|value| step.kind.sends() && value.has(at.gpu)) {
            let number = self.step_index(at, step.number) as u32;
            let (times, first_sender) =
                &mut self.sent[at.gpu as usize][self.shape.given_at(at.gpu, sent.chunk) as usize];
            (*times, *first_sender) = (*times + 1, (*first_sender).min(number));
        }
        Ok(value)
    }

    fn sum(
        &self,
        at: BlockAt,
        step: &MscclStep,
        a: &ChunkValue,
        b: &ChunkValue,
    ) -> Result<ChunkValue, ProgramFault> {
        a.sum(b, self.shape.gpus)
            .map_err(|violation| ProgramFault::Step { place: step_name(at, step.number), violation })
    }
}

impl StepObserver for Memory<'_> {
    type Packet = SentValues;

    fn begin(&mut self, at: BlockAt, step: &MscclStep) {
        let (block, number) = (self.block_index(at), self.step_index(at, step.number));
        (self.order[number], self.begun) = (self.begun, self.begun + 1);
        if let Some((other, awaited)) = step.after {
            let end = self.end_clocks[self.step_index(BlockAt { gpu: at.gpu, block: other }, awaited)]
                .clone()
                .unwrap_or_default();
            self.clocks[block]
                .iter_mut()
                .zip(end)
                .for_each(|(clock, end_clock)| *clock = (*clock).max(end_clock));
        }
    }

    fn act(
        &mut self,
        at: BlockAt,
        step: &MscclStep,
        received: Option<SentValues>,
    ) -> Result<SentValues, ProgramFault> {
        let mut arrived = received.unwrap_or_default().into_iter();
        (0..step.count).map(|offset| self.run_chunk(at, step, offset, arrived.next().flatten())).collect()
    }

    fn finish(&mut self, at: BlockAt, step: &MscclStep) {
        let block = self.block_index(at);
        self.clocks[block][at.block as usize] = step.number + 1;
        if step.awaited {
            let number = self.step_index(at, step.number);
            self.end_clocks[number] = Some(self.clocks[block].clone().into());
        }
    }
}
