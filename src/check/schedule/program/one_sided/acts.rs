//! Translates the operations of a plan into acts on cells: what is read, added up and written, and what is
//! signaled and waited for. Pipelines are unrolled.

use super::super::ProgramFault;
use super::grain::Grain;
use super::layout::{
    BlockResources, GpuBuffer, OperationAt, PlanBlockAt, PlanLayout, Wire, WireKind, buffer_number,
};
use fabc_ir::read::{MscclppBuffer, MscclppOperation};

/// Limit on the acts of all thread blocks.
const MAX_ACTS: usize = 1 << 22;

/// Consecutive cells of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellSpan {
    pub(super) buffer: GpuBuffer,
    pub(super) first: u32,
    /// Whether the cells hold packets, which carry a flag with their data.
    pub(super) packets: bool,
}

/// Data that moves: the sum of all sources is written to every target.
#[derive(Clone, Debug)]
pub(super) struct DataAct {
    pub(super) sources: Vec<CellSpan>,
    pub(super) targets: Vec<CellSpan>,
    pub(super) cells: u32,
    /// The channel whose proxy does it.
    pub(super) proxy: Option<Wire>,
}

/// What a thread block does in one go.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// All threads of the thread block meet.
    Meet,
    Barrier {
        number: u32,
        blocks: u32,
    },
    Signal {
        wire: Wire,
        relaxed: bool,
    },
    Wait {
        wire: Wire,
        relaxed: bool,
    },
    Flush(Wire),
    Acquire(u32),
    Release(u32),
    Data(DataAct),
}

/// An act with the operation that it is of.
#[derive(Clone, Debug)]
pub(super) struct PlacedAct {
    pub(super) place: OperationAt,
    pub(super) act: Act,
}

/// The acts of every thread block.
pub(super) struct PlanActs {
    /// `[gpu][thread block]`: its acts in order.
    pub(super) blocks: Vec<Vec<Vec<PlacedAct>>>,
}

/// Which cells of an operation a thread block does at once.
#[derive(Clone, Copy)]
struct Window {
    /// Cells before it, of those of the thread block.
    offset: u32,
    /// The most cells that it does.
    unit: u32,
}

impl PlanActs {
    pub(super) fn new(layout: &PlanLayout<'_>, grain: Grain) -> Result<Self, ProgramFault> {
        let (mut blocks, mut count) = (Vec::new(), 0);
        for gpu in &layout.plan.gpus {
            let mut of_gpu = Vec::with_capacity(gpu.blocks.len());
            for block in &gpu.blocks {
                let at = PlanBlockAt { gpu: gpu.id, block: block.id };
                let resources = &layout.resources[gpu.id as usize][block.id as usize];
                let mut translator = Translator { layout, grain, resources, acts: Vec::new() };
                for (operation, number) in block.operations.iter().zip(0..) {
                    let place = OperationAt { at, operation: number, inner: None };
                    translator.push_operation(place, operation)?;
                }
                count += translator.acts.len();
                if count > MAX_ACTS {
                    return Err(ProgramFault::shape(format!(
                        "its pipelines unroll to more than {MAX_ACTS} acts: the plan is not judged"
                    )));
                }
                of_gpu.push(translator.acts);
            }
            blocks.push(of_gpu);
        }
        Ok(Self { blocks })
    }
}

struct Translator<'a> {
    layout: &'a PlanLayout<'a>,
    grain: Grain,
    resources: &'a BlockResources,
    acts: Vec<PlacedAct>,
}

impl Translator<'_> {
    fn push_operation(
        &mut self,
        place: OperationAt,
        operation: &MscclppOperation,
    ) -> Result<(), ProgramFault> {
        let Some(iterations) = &operation.iterations else {
            return self.push_once(place, operation, Window { offset: 0, unit: u32::MAX });
        };
        let unit = self.grain.unit_cells(iterations.unit_size);
        let cells = iterations.num_chunks.saturating_mul(self.grain.cells);
        for iteration in 0..cells.div_ceil(unit.max(1)) {
            for (inner, repeated) in (0..).zip(&operation.repeated) {
                let place = OperationAt { inner: Some(inner), ..place };
                self.push_once(place, repeated, Window { offset: iteration * unit, unit })?;
            }
        }
        Ok(())
    }

    fn push(&mut self, place: OperationAt, act: Act) {
        self.acts.push(PlacedAct { place, act });
    }

    fn push_once(
        &mut self,
        place: OperationAt,
        operation: &MscclppOperation,
        window: Window,
    ) -> Result<(), ProgramFault> {
        let name = operation.name.as_str();
        match name {
            "nop" => self.push(place, Act::Meet),
            "barrier" => {
                let (Some(number), Some(blocks)) = (operation.barrier_id, operation.barrier_blocks) else {
                    return Err(place.limit("is a `barrier` without `barrier_id` and `num_threadblocks`"));
                };
                self.push(place, Act::Barrier { number, blocks });
            }
            "signal" | "rlxsignal" | "wait" | "rlxwait" | "flush" => {
                for wire in self.wires(place, operation)? {
                    let relaxed = name.starts_with("rlx") && wire.kind == WireKind::Memory;
                    let act = match name {
                        "flush" => Act::Flush(wire),
                        _ if name.ends_with("signal") => Act::Signal { wire, relaxed },
                        _ => Act::Wait { wire: wire.reversed(), relaxed },
                    };
                    self.push(place, act);
                }
            }
            "sem_acquire" | "sem_release" => {
                let semaphores = &self.layout.plan.gpus[place.at.gpu as usize].semaphores;
                for &semaphore in &operation.semaphore_ids {
                    if semaphore as usize >= semaphores.len() {
                        return Err(place.limit(format!("uses semaphore {semaphore}, which its gpu lacks")));
                    }
                    let is_release = name == "sem_release";
                    self.push(
                        place,
                        if is_release { Act::Release(semaphore) } else { Act::Acquire(semaphore) },
                    );
                }
            }
            _ => self.push_data(place, operation, window)?,
        }
        Ok(())
    }

    /// The channels of an operation.
    fn wires(&self, place: OperationAt, operation: &MscclppOperation) -> Result<Vec<Wire>, ProgramFault> {
        let kind = self.kind(place, operation)?;
        let wires = self.resources.wires.get(&kind).map_or(&[][..], Vec::as_slice);
        let find = |&id: &u32| {
            let wire = wires.get(id as usize).copied();
            wire.ok_or_else(|| place.limit(format!("uses channel {id}, which its thread block lacks")))
        };
        operation.channel_ids.iter().map(find).collect()
    }

    fn kind(&self, place: OperationAt, operation: &MscclppOperation) -> Result<WireKind, ProgramFault> {
        operation.channel_type.as_deref().and_then(WireKind::named).ok_or_else(|| {
            place.limit(format!("is `{}`, which needs a channel of type `memory` or `port`", operation.name))
        })
    }

    /// Pushes an operation that moves data.
    fn push_data(
        &mut self,
        place: OperationAt,
        operation: &MscclppOperation,
        window: Window,
    ) -> Result<(), ProgramFault> {
        let name = operation.name.as_str();
        let (sources, targets) = (&operation.sources, &operation.targets);
        // How many sources and targets of the own GPU stand before the others.
        let (least_sources, is_paired) = match name {
            "put" | "pws" | "pwsf" | "get" | "ppkt" => (1, true),
            "copy" | "cpkt" | "upkt" | "rppkt" | "gstore" | "gstorepkt" | "glres" => (1, false),
            "re" | "res" | "rre" | "rres" | "repkt" | "respkt" | "recpkt" | "recspkt" => (2, false),
            other => return Err(place.limit(format!("is `{other}`, and there is no such operation"))),
        };
        if sources.len() < least_sources || targets.is_empty() || is_paired && sources.len() != targets.len()
        {
            return Err(place.limit(format!(
                "is `{name}` with {} sources and {} targets",
                sources.len(),
                targets.len()
            )));
        }
        if is_paired {
            return self.push_pairs(place, operation, window);
        }
        let data = self.data_act(place, operation, window, DataBuffers { sources, targets })?;
        data.into_iter().for_each(|data| self.push(place, Act::Data(data)));
        Ok(())
    }

    /// What an operation, or a pair of its buffers, moves. `None` if no cells are left.
    fn data_act(
        &self,
        place: OperationAt,
        operation: &MscclppOperation,
        window: Window,
        buffers: DataBuffers<'_>,
    ) -> Result<Option<DataAct>, ProgramFault> {
        let (DataBuffers { sources, targets }, name) = (buffers, operation.name.as_str());
        let size = sources[0].size;
        if sources.iter().chain(targets).any(|buffer| buffer.size != size) {
            return Err(place.limit(format!("is `{name}` of buffers that are not of one size")));
        }
        let Some(window) = self.window(place, operation, window, size)? else { return Ok(None) };
        let spans = |buffers: &[MscclppBuffer], is_source: bool| -> Result<Vec<CellSpan>, ProgramFault> {
            let mut spans = Vec::with_capacity(buffers.len());
            for (position, buffer) in buffers.iter().enumerate() {
                let packets = holds_packets(name, is_source, position);
                let (given, needed) = (given_owner(buffer), needed_owner(name, is_source, position));
                if given != Some(needed) {
                    let side = if is_source { "source" } else { "target" };
                    let owner = needed.name();
                    return Err(place.limit(format!("is `{name}`, and its {side} {position} is not {owner}")));
                }
                for (buffer, index) in self.places(place, operation, buffer)? {
                    spans.push(self.span(buffer, index, window, packets));
                }
            }
            Ok(spans)
        };
        let (sources, targets) = (spans(sources, true)?, spans(targets, false)?);
        Ok(Some(DataAct { sources, targets, cells: window.unit, proxy: None }))
    }

    /// Pushes a copy of each source to its target.
    fn push_pairs(
        &mut self,
        place: OperationAt,
        operation: &MscclppOperation,
        window: Window,
    ) -> Result<(), ProgramFault> {
        let (name, kind) = (operation.name.as_str(), self.kind(place, operation)?);
        let signals = matches!(name, "pws" | "pwsf");
        if signals && kind == WireKind::Memory {
            return Err(place.limit(format!("is `{name}`, which signals on port channels alone")));
        }
        let first = &operation.sources[0].buffer;
        if operation.sources.iter().any(|source| source.buffer != *first) && kind == WireKind::Memory {
            return Err(
                place.limit(format!("is `{name}` from several buffers, but only that of the first is read"))
            );
        }
        let wires = match kind {
            WireKind::Port if name != "get" => self.wires(place, operation)?,
            _ => Vec::new(),
        };
        if kind == WireKind::Port && name != "get" && wires.len() != operation.targets.len() {
            return Err(place.limit(format!(
                "is `{name}` to {} targets through {} channels",
                operation.targets.len(),
                wires.len()
            )));
        }
        let pairs = operation.sources.chunks(1).zip(operation.targets.chunks(1));
        for (position, (sources, targets)) in pairs.enumerate() {
            let buffers = DataBuffers { sources, targets };
            let Some(data) = self.data_act(place, operation, window, buffers)? else { continue };
            let Some(&wire) = wires.get(position) else {
                self.push(place, Act::Data(data));
                continue;
            };
            if let Some(target) = data.targets.iter().find(|target| target.buffer.gpu != wire.to) {
                let (gpu, peer) = (target.buffer.gpu, wire.to);
                return Err(place.limit(format!("writes to gpu {gpu} through a channel to gpu {peer}")));
            }
            self.push(place, Act::Data(DataAct { proxy: Some(wire), ..data }));
            if signals {
                self.push(place, Act::Signal { wire, relaxed: false });
            }
            if name == "pwsf" {
                self.push(place, Act::Flush(wire));
            }
        }
        Ok(())
    }

    /// The cells that the thread block does of an operation. `None` if there are none left.
    fn window(
        &self,
        place: OperationAt,
        operation: &MscclppOperation,
        window: Window,
        size: u32,
    ) -> Result<Option<ShareWindow>, ProgramFault> {
        let cells = size.saturating_mul(self.grain.cells);
        let (share, shares) = operation.share.as_ref().map_or((0, 1), |share| (share.tb_id, share.tbg_size));
        if share >= shares {
            return Err(place.limit(format!("is share {share} of {shares}")));
        }
        let share_cells = cells / shares;
        if window.offset > share_cells {
            return Err(place.limit("is repeated beyond the end of its buffers"));
        }
        let unit = window.unit.min(share_cells - window.offset);
        Ok((unit > 0).then_some(ShareWindow {
            first: share * share_cells,
            offset: window.offset,
            unit,
            repeats: window.unit != u32::MAX,
        }))
    }

    /// The buffers that a source or target means, each with its first chunk.
    fn places(
        &self,
        place: OperationAt,
        operation: &MscclppOperation,
        buffer: &MscclppBuffer,
    ) -> Result<Vec<(GpuBuffer, u32)>, ProgramFault> {
        let own = place.at.gpu;
        let buffers: Vec<GpuBuffer> = match (&buffer.buffer, buffer.buffer_id, buffer.switch_channel_id) {
            (Some(letter), None, None) => {
                let Some(number) = buffer_number(letter) else {
                    return Err(
                        place.limit(format!("uses a buffer `{letter}`, which is none of `i`, `o`, `s`"))
                    );
                };
                vec![GpuBuffer { gpu: own, buffer: number }]
            }
            (None, Some(id), None) => {
                let kind = self.kind(place, operation)?;
                let found = self.resources.buffers.get(&kind).and_then(|buffers| buffers.get(id as usize));
                let lacks = || place.limit(format!("uses remote buffer {id}, which its thread block lacks"));
                vec![*found.ok_or_else(lacks)?]
            }
            (None, None, Some(id)) => {
                let Some(switch) = self.resources.switches.get(id as usize) else {
                    return Err(place.limit(format!("uses switch {id}, which its thread block lacks")));
                };
                switch.gpus.iter().map(|&gpu| GpuBuffer { gpu, buffer: switch.buffer }).collect()
            }
            _ => Vec::new(),
        };
        for &found in &buffers {
            let (chunks, end) = (self.layout.chunks(found), buffer.index.saturating_add(buffer.size));
            if buffer.size == 0 || end > chunks {
                let letter = super::super::layout::LETTERS[usize::from(found.buffer)];
                return Err(place.limit(format!(
                    "uses {} chunks from {letter}[{}] of gpu {}, which has {chunks} there",
                    buffer.size, buffer.index, found.gpu
                )));
            }
        }
        Ok(buffers.into_iter().map(|found| (found, buffer.index)).collect())
    }

    fn span(&self, buffer: GpuBuffer, index: u32, window: ShareWindow, packets: bool) -> CellSpan {
        let first = match self.grain.scratch_cells.filter(|_| buffer.buffer == 2 && window.repeats) {
            Some(chunk) => index * chunk + (window.first + window.offset) % chunk,
            None => index * self.grain.cells + window.first + window.offset,
        };
        CellSpan { buffer, first, packets }
    }
}

/// Sources and targets that belong together.
#[derive(Clone, Copy)]
struct DataBuffers<'a> {
    sources: &'a [MscclppBuffer],
    targets: &'a [MscclppBuffer],
}

/// The cells of an operation that are done at once.
#[derive(Clone, Copy)]
struct ShareWindow {
    /// The first cell of the share.
    first: u32,
    /// Cells before it within the share.
    offset: u32,
    unit: u32,
    /// Whether it is one of several iterations.
    repeats: bool,
}

/// Whose buffer a source or a target is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BufferOwner {
    Own,
    Remote,
    Switch,
}

impl BufferOwner {
    fn name(self) -> &'static str {
        match self {
            BufferOwner::Own => "a buffer of its gpu",
            BufferOwner::Remote => "a buffer of another gpu",
            BufferOwner::Switch => "a buffer of a switch",
        }
    }
}

/// Whose buffer is given. `None` if that is not exactly one.
fn given_owner(buffer: &MscclppBuffer) -> Option<BufferOwner> {
    match (&buffer.buffer, buffer.buffer_id, buffer.switch_channel_id) {
        (Some(_), None, None) => Some(BufferOwner::Own),
        (None, Some(_), None) => Some(BufferOwner::Remote),
        (None, None, Some(_)) => Some(BufferOwner::Switch),
        _ => None,
    }
}

/// Whose buffer an operation takes as a source or as a target.
fn needed_owner(name: &str, is_source: bool, position: usize) -> BufferOwner {
    let remote_from = |first: usize| match position < first {
        true => BufferOwner::Own,
        false => BufferOwner::Remote,
    };
    match (name, is_source) {
        ("glres", _) | ("gstore" | "gstorepkt", false) => BufferOwner::Switch,
        ("put" | "pws" | "pwsf" | "ppkt" | "rppkt", false) | ("get", true) => BufferOwner::Remote,
        ("rre" | "rres", true) | ("res" | "rres" | "respkt", false) => remote_from(1),
        ("recspkt", false) => remote_from(2),
        _ => BufferOwner::Own,
    }
}

/// Whether a source or a target of an operation holds packets.
fn holds_packets(name: &str, is_source: bool, position: usize) -> bool {
    match (name, is_source) {
        ("upkt" | "rppkt" | "gstorepkt", true) | ("cpkt" | "ppkt" | "rppkt" | "gstorepkt", false) => true,
        ("repkt" | "respkt" | "recpkt" | "recspkt", true) | ("respkt" | "recpkt" | "recspkt", false) => {
            position > 0
        }
        _ => false,
    }
}
