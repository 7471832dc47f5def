//! Resolves the channels and buffers of an execution plan, and holds it to the limits of the runtime.
//!
//! The limits are those of microsoft/mscclpp (src/core/include/execution_common.hpp).

use super::super::ProgramFault;
use fabc_ir::read::{MscclppBlock, MscclppGpu, MscclppOperation, MscclppPlan};
use std::collections::BTreeMap;

/// Limit on the operations of a thread block. A pipeline counts as well as all that it repeats.
const MAX_OPERATIONS: usize = 64;
/// Limit on the channels, and on the remote buffers, of one type of a thread block.
const MAX_CHANNELS: usize = 16;
/// Limit on the channels of an operation.
const MAX_OPERATION_CHANNELS: usize = 8;
/// Limit on the sources, and on the targets, of an operation.
const MAX_OPERATION_BUFFERS: usize = 10;
/// Limit on the numbers of barriers, and on the semaphores of an operation.
const MAX_SYNCERS: u32 = 16;

/// The kinds of channels that signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum WireKind {
    /// Loads and stores into the memory of a peer.
    Memory,
    /// A proxy that writes for the GPU, through a copy engine or a network card.
    Port,
}

impl WireKind {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "memory" => Some(Self::Memory),
            "port" => Some(Self::Port),
            _ => None,
        }
    }
}

/// One direction of a channel: how the `number`-th channel of a kind from one GPU to another one signals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wire {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: WireKind,
    pub(super) number: u32,
}

impl Wire {
    pub(super) fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

/// A thread block of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PlanBlockAt {
    pub(super) gpu: u32,
    pub(super) block: u32,
}

/// An operation of a plan. `inner` is its number within a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OperationAt {
    pub(super) at: PlanBlockAt,
    pub(super) operation: u32,
    pub(super) inner: Option<u32>,
}

impl OperationAt {
    pub(super) fn name(self) -> String {
        let OperationAt { at: PlanBlockAt { gpu, block }, operation, inner } = self;
        let inner = inner.map_or_else(String::new, |inner| format!(".{inner}"));
        format!("gpu {gpu}, thread block {block}, operation {operation}{inner}")
    }

    pub(super) fn limit(self, violation: impl Into<String>) -> ProgramFault {
        ProgramFault::Limit { place: self.name(), violation: violation.into() }
    }
}

/// A buffer of a GPU: `i`, `o` and `s` are 0, 1 and 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct GpuBuffer {
    pub(super) gpu: u32,
    pub(super) buffer: u8,
}

/// The buffers that a switch joins.
#[derive(Clone, Debug)]
pub(super) struct SwitchGroup {
    pub(super) buffer: u8,
    pub(super) gpus: Vec<u32>,
}

/// The channels and buffers of a GPU, in the order of their numbers.
#[derive(Default)]
struct GpuResources {
    wires: BTreeMap<WireKind, Vec<Wire>>,
    switches: Vec<SwitchGroup>,
}

/// The channels and buffers of a thread block, in the order of their numbers.
#[derive(Default)]
pub(super) struct BlockResources {
    pub(super) wires: BTreeMap<WireKind, Vec<Wire>>,
    pub(super) switches: Vec<SwitchGroup>,
    pub(super) buffers: BTreeMap<WireKind, Vec<GpuBuffer>>,
}

/// A plan whose structure is valid.
pub(super) struct PlanLayout<'a> {
    pub(super) plan: &'a MscclppPlan,
    /// `[gpu][thread block]`: what it uses.
    pub(super) resources: Vec<Vec<BlockResources>>,
}

/// The number of a buffer. `None` if there is no such buffer.
pub(super) fn buffer_number(letter: &str) -> Option<u8> {
    ["i", "o", "s"].iter().position(|known| *known == letter).map(|number| number as u8)
}

impl<'a> PlanLayout<'a> {
    pub(super) fn new(plan: &'a MscclppPlan) -> Result<Self, ProgramFault> {
        if let Some((number, gpu)) =
            plan.gpus.iter().enumerate().find(|(number, gpu)| gpu.id as usize != *number)
        {
            return Err(ProgramFault::shape(format!(
                "gpus are numbered from 0 in their order, but gpu {} is where gpu {number} should be",
                gpu.id
            )));
        }
        let mut resources = Vec::with_capacity(plan.gpus.len());
        for gpu in &plan.gpus {
            let gpu_resources = gpu_resources(gpu, plan.gpus.len())?;
            let mut blocks = Vec::with_capacity(gpu.blocks.len());
            for (number, block) in gpu.blocks.iter().enumerate() {
                if block.id as usize != number {
                    return Err(ProgramFault::shape(format!(
                        "thread blocks are numbered from 0 in their order, but thread block {} of gpu {} is where {number} should be",
                        block.id, gpu.id
                    )));
                }
                blocks.push(block_resources(plan, gpu, block, &gpu_resources)?);
                verify_limits(gpu, block)?;
            }
            resources.push(blocks);
        }
        Ok(Self { plan, resources })
    }

    /// Number of chunks of a buffer.
    pub(super) fn chunks(&self, buffer: GpuBuffer) -> u32 {
        let gpu = &self.plan.gpus[buffer.gpu as usize];
        [gpu.input_chunks, gpu.output_chunks, gpu.scratch_chunks][usize::from(buffer.buffer)]
    }
}

fn gpu_resources(gpu: &MscclppGpu, gpus: usize) -> Result<GpuResources, ProgramFault> {
    let reject = |violation: String| Err(ProgramFault::shape(format!("gpu {}: {violation}", gpu.id)));
    let mut resources = GpuResources::default();
    let mut counts: BTreeMap<(WireKind, u32), u32> = BTreeMap::new();
    for channels in &gpu.channels {
        if channels.channel_type == "switch" {
            let Some(buffer) = channels.buffer_type.as_deref().and_then(buffer_number) else {
                return reject("a switch channel joins no buffer `i`, `o` or `s`".to_owned());
            };
            for group in &channels.rank_groups {
                if let Some(rank) = group.ranks.iter().find(|&&rank| rank as usize >= gpus) {
                    return reject(format!("a switch joins gpu {rank}, which does not exist"));
                }
                resources.switches.push(SwitchGroup { buffer, gpus: group.ranks.clone() });
            }
            continue;
        }
        let Some(kind) = WireKind::named(&channels.channel_type) else {
            return reject(format!("there are no channels of type `{}`", channels.channel_type));
        };
        for &peer in &channels.connected_to {
            if peer as usize >= gpus || peer == gpu.id {
                return reject(format!("a channel leads to gpu {peer}, which is no other gpu of the plan"));
            }
            let number = counts.entry((kind, peer)).or_default();
            let wire = Wire { from: gpu.id, to: peer, kind, number: *number };
            *number += 1;
            resources.wires.entry(kind).or_default().push(wire);
        }
    }
    Ok(resources)
}

fn block_resources(
    plan: &MscclppPlan,
    gpu: &MscclppGpu,
    block: &MscclppBlock,
    of_gpu: &GpuResources,
) -> Result<BlockResources, ProgramFault> {
    let reject = |violation: String| {
        let place = format!("gpu {}, thread block {}", gpu.id, block.id);
        Err(ProgramFault::Limit { place, violation })
    };
    let mut resources = BlockResources::default();
    for channels in &block.channels {
        for &id in &channels.channel_ids {
            let lacks =
                || reject(format!("uses {} channel {id}, which its gpu lacks", channels.channel_type));
            if channels.channel_type == "switch" {
                let Some(switch) = of_gpu.switches.get(id as usize) else { return lacks() };
                resources.switches.push(switch.clone());
                continue;
            }
            let kind = WireKind::named(&channels.channel_type);
            let wires = kind.and_then(|kind| of_gpu.wires.get(&kind));
            let (Some(kind), Some(&wire)) = (kind, wires.and_then(|wires| wires.get(id as usize))) else {
                return lacks();
            };
            resources.wires.entry(kind).or_default().push(wire);
        }
    }
    for buffers in &block.remote_buffer_refs {
        let Some(kind) = WireKind::named(&buffers.access_channel_type) else {
            return reject(format!(
                "uses buffers through channels of type `{}`",
                buffers.access_channel_type
            ));
        };
        for &id in &buffers.remote_buffer_ids {
            let Some(remote) = gpu.remote_buffers.get(id as usize) else {
                return reject(format!("uses remote buffer {id}, which its gpu lacks"));
            };
            let is_open = remote.access_channel_types.iter().any(|name| WireKind::named(name) == Some(kind));
            match (buffer_number(&remote.buffer), is_open) {
                (Some(buffer), true) if (remote.rank as usize) < plan.gpus.len() => {
                    resources.buffers.entry(kind).or_default().push(GpuBuffer { gpu: remote.rank, buffer });
                }
                _ => {
                    return reject(format!(
                        "uses remote buffer {id} through {} channels, which it is not open to",
                        buffers.access_channel_type
                    ));
                }
            }
        }
    }
    let counts = resources.wires.values().map(Vec::len).chain(resources.buffers.values().map(Vec::len));
    match counts.chain([resources.switches.len()]).max() {
        Some(most) if most > MAX_CHANNELS => reject(format!(
            "has {most} channels or remote buffers of one type, and {MAX_CHANNELS} are the most"
        )),
        _ => Ok(resources),
    }
}

fn verify_limits(gpu: &MscclppGpu, block: &MscclppBlock) -> Result<(), ProgramFault> {
    let at = PlanBlockAt { gpu: gpu.id, block: block.id };
    let count: usize = block.operations.iter().map(|operation| 1 + operation.repeated.len()).sum();
    if count > MAX_OPERATIONS {
        let place = format!("gpu {}, thread block {}", gpu.id, block.id);
        let violation = format!("has {count} operations, and {MAX_OPERATIONS} are the most");
        return Err(ProgramFault::Limit { place, violation });
    }
    for (number, operation) in (0..).zip(&block.operations) {
        let place = OperationAt { at, operation: number, inner: None };
        verify_operation_limits(place, operation)?;
        for (inner, repeated) in (0..).zip(&operation.repeated) {
            verify_operation_limits(OperationAt { inner: Some(inner), ..place }, repeated)?;
            if !repeated.repeated.is_empty() || repeated.name == "pipeline" {
                return Err(place.limit("is a pipeline in a pipeline"));
            }
        }
    }
    Ok(())
}

fn verify_operation_limits(place: OperationAt, operation: &MscclppOperation) -> Result<(), ProgramFault> {
    let channels = operation.channel_ids.len();
    if channels > MAX_OPERATION_CHANNELS {
        return Err(
            place.limit(format!("uses {channels} channels, and {MAX_OPERATION_CHANNELS} are the most"))
        );
    }
    let buffers = operation.sources.len().max(operation.targets.len());
    if buffers > MAX_OPERATION_BUFFERS {
        return Err(place.limit(format!("uses {buffers} buffers, and {MAX_OPERATION_BUFFERS} are the most")));
    }
    if operation.barrier_id.is_some_and(|barrier| barrier >= MAX_SYNCERS) {
        return Err(place.limit(format!("uses a barrier beyond the {MAX_SYNCERS} of a gpu")));
    }
    if operation.semaphore_ids.len() > MAX_SYNCERS as usize {
        return Err(place.limit(format!("uses more than {MAX_SYNCERS} semaphores")));
    }
    Ok(())
}
