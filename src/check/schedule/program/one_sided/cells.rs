//! The memory of all GPUs while a plan runs: values with their contributors, and the last users of every
//! cell.
//!
//! Two accesses of one cell, of which one writes, must be in an order that does not depend on time. Within a
//! thread block that takes a meeting of its threads between them, unless both treat the same cells. Then each
//! thread meets its own data. Between thread blocks it takes signals, barriers or semaphores. What is read
//! must also be visible. A cell first has what its GPU has when it starts, so that nobody may touch it before
//! a signal of that GPU. Packets carry a flag. So reading them waits for their writer, and for the writers of
//! the packets from which that made them.

use super::super::ProgramFault;
use super::super::layout::LETTERS;
use super::super::shape::CollectiveShape;
use super::super::values::ChunkValue;
use super::acts::CellSpan;
use super::clocks::Clocks;
use super::layout::OperationAt;

/// A use of a cell by an act of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) process: u32,
    /// Its number among the acts of the process.
    pub(super) time: u32,
    /// The first cell, and the number of cells, that the act uses there.
    pub(super) first: u32,
    pub(super) cells: u32,
    /// The operation. `None` for the start of a GPU.
    pub(super) place: Option<OperationAt>,
}

/// A cell of memory with its last users.
#[derive(Clone)]
struct PlanCell {
    value: Option<ChunkValue>,
    packets: bool,
    writer: Access,
    readers: Vec<Access>,
    /// Of packets: the accesses without which they would not be there.
    origins: Vec<Access>,
}

/// The act that uses cells.
pub(super) struct Actor<'a> {
    pub(super) access: Access,
    pub(super) clocks: &'a Clocks,
    /// The accesses without which the packets that it reads there would not be.
    pub(super) origins: &'a [Access],
}

impl Actor<'_> {
    /// Whether an access precedes, and whether what it did is visible where that is asked for.
    fn follows(&self, earlier: &Access, visibly: bool) -> bool {
        let Access { process, time, first, cells, .. } = self.access;
        if earlier.process == process {
            let is_same_act = earlier.time == time;
            if is_same_act || (earlier.first, earlier.cells) == (first, cells) {
                return true;
            }
        }
        let is_origin = |origin: &Access| origin.process == earlier.process && origin.time >= earlier.time;
        if !visibly && self.origins.iter().any(is_origin) {
            return true;
        }
        let clock = if visibly { &self.clocks.visible } else { &self.clocks.done };
        clock[earlier.process as usize] > earlier.time
    }
}

/// The memory of all GPUs.
pub(super) struct PlanMemory {
    shape: CollectiveShape,
    /// Number of cells of a chunk.
    grain: u32,
    cells: Vec<Vec<PlanCell>>,
}

impl PlanMemory {
    /// The memory before anything has run. `start` is the process of the start of a GPU, `scratch` the cells
    /// of its scratch.
    pub(super) fn new(
        shape: CollectiveShape,
        grain: u32,
        start: &dyn Fn(u32) -> u32,
        scratch: &dyn Fn(u32) -> u32,
    ) -> Self {
        let cells = (0..shape.gpus).map(|gpu| {
            let writer = Access { process: start(gpu), time: 0, first: 0, cells: 0, place: None };
            let empty =
                PlanCell { value: None, packets: false, writer, readers: Vec::new(), origins: Vec::new() };
            let mut cells = vec![empty; shape.cells(scratch(gpu))];
            for place in 0..shape.input {
                cells[shape.cell(gpu, 0, place)].value = Some(shape.given(gpu, place));
            }
            cells
        });
        Self { shape, grain, cells: cells.collect() }
    }

    /// The value at a place of an output.
    pub(super) fn output(&self, gpu: u32, at: u32) -> Option<&ChunkValue> {
        self.cells[gpu as usize][self.shape.cell(gpu, 1, at)].value.as_ref()
    }

    fn cell(&mut self, span: CellSpan, offset: u32) -> &mut PlanCell {
        let index = self.shape.cell(span.buffer.gpu, span.buffer.buffer, span.first + offset);
        &mut self.cells[span.buffer.gpu as usize][index]
    }

    fn location(&self, span: CellSpan, offset: u32) -> String {
        let letter = LETTERS[usize::from(span.buffer.buffer)];
        format!("{letter}[{}] of gpu {}", (span.first + offset) / self.grain, span.buffer.gpu)
    }

    /// Whether packets of a span are not there yet.
    pub(super) fn lacks_packets(&mut self, span: CellSpan, cells: u32) -> bool {
        span.packets
            && (0..cells).any(|offset| {
                let cell = self.cell(span, offset);
                !cell.packets || cell.value.is_none()
            })
    }

    /// The accesses without which the packets of a cell would not be there.
    pub(super) fn packet_origins(&mut self, span: CellSpan, offset: u32) -> &[Access] {
        if span.packets { &self.cell(span, offset).origins } else { &[] }
    }

    /// Reads a cell.
    ///
    /// # Errors
    /// A race with its writer, an empty cell, or packets that are read as plain data.
    pub(super) fn read(
        &mut self,
        actor: &Actor<'_>,
        span: CellSpan,
        offset: u32,
    ) -> Result<ChunkValue, ProgramFault> {
        let location = self.location(span, offset);
        let cell = self.cell(span, offset);
        if cell.packets != span.packets && cell.value.is_some() {
            let as_what = if span.packets { "packets" } else { "plain data" };
            return Err(step(actor, format!("reads {location} as {as_what}, which it is not")));
        }
        let is_start = cell.writer.place.is_none();
        if !span.packets && !actor.follows(&cell.writer, !is_start) {
            return Err(race(actor, "reads", location, &cell.writer, "writes"));
        }
        let Some(value) = cell.value.clone() else {
            return Err(step(actor, format!("reads {location}, which is empty")));
        };
        if cell.readers.last() != Some(&actor.access) {
            cell.readers.push(actor.access);
        }
        Ok(value)
    }

    /// Writes a cell.
    ///
    /// # Errors
    /// A race with its writer or with a reader.
    pub(super) fn write(
        &mut self,
        actor: &Actor<'_>,
        span: CellSpan,
        offset: u32,
        value: ChunkValue,
    ) -> Result<(), ProgramFault> {
        let location = self.location(span, offset);
        let cell = self.cell(span, offset);
        if let Some(reader) = cell.readers.iter().find(|reader| !actor.follows(reader, false)) {
            return Err(race(actor, "writes", location, reader, "reads"));
        }
        let is_start = cell.writer.place.is_none();
        let is_ordered = actor.follows(&cell.writer, !is_start && !span.packets);
        if !(is_ordered || is_start && span.packets) {
            return Err(race(actor, "writes", location, &cell.writer, "writes"));
        }
        let mut origins = Vec::new();
        if span.packets {
            origins.extend(actor.origins.iter().chain([&actor.access]));
        }
        let (writer, packets) = (actor.access, span.packets);
        *cell = PlanCell { value: Some(value), packets, writer, readers: Vec::new(), origins };
        Ok(())
    }

    /// Verifies that a GPU ends after everything that others do in its memory, and that its proxies read.
    ///
    /// # Errors
    /// The first access that may come later. `is_own` says whether a process is a thread block of it.
    pub(super) fn verify_end(
        &self,
        gpu: u32,
        end: &Clocks,
        is_own: &dyn Fn(u32) -> bool,
    ) -> Result<(), ProgramFault> {
        for cell in &self.cells[gpu as usize] {
            let is_late = |access: &&Access| {
                access.place.is_some()
                    && !is_own(access.process)
                    && end.done[access.process as usize] <= access.time
            };
            let writer = Some(&cell.writer).filter(|_| !cell.packets);
            let readers = cell.readers.iter().filter(|_| !cell.packets);
            let late = writer.into_iter().map(|access| (access, "writes to"));
            let late = late.chain(readers.map(|access| (access, "reads from")));
            if let Some((access, does)) = late.into_iter().find(|(access, _)| is_late(access)) {
                let place = access.place.map_or_else(String::new, OperationAt::name);
                let violation = format!("{does} gpu {gpu}, which may end before that is done");
                return Err(ProgramFault::Step { place, violation });
            }
        }
        Ok(())
    }
}

/// The fault of an act.
pub(super) fn step(actor: &Actor<'_>, violation: String) -> ProgramFault {
    let place = actor.access.place.map_or_else(String::new, OperationAt::name);
    ProgramFault::Step { place, violation }
}

fn race(
    actor: &Actor<'_>,
    does: &'static str,
    location: String,
    other: &Access,
    did: &'static str,
) -> ProgramFault {
    let place = actor.access.place.map_or_else(String::new, OperationAt::name);
    match other.place {
        Some(other) => ProgramFault::Race { place, does, location, other: other.name(), did },
        None => {
            let violation = format!("{does} {location}, but does not wait until that gpu has started");
            ProgramFault::Step { place, violation }
        }
    }
}
