//! Judges a collective as a third-party execution plan of MSCCL++: thread blocks that write into the memory
//! of other GPUs, signal and wait.
//!
//! First the plan is resolved and held to the limits of the runtime (`layout`). Its operations become acts on
//! cells (`acts`), which are finer than chunks where thread blocks share an operation or a pipeline repeats
//! one (`grain`). Then all acts run (`machine`). Every access of a cell must be ordered with those before it
//! by clocks (`cells`, `clocks`), whatever the timing. At the end the result must be that of the collective.
//! Nothing is shared with the code that writes plans.

mod acts;
mod cells;
mod clocks;
mod counters;
mod grain;
mod layout;
mod machine;

use super::ProgramFault;
use super::reach::{Reach, UsedChannels, chips_of_gpus};
use super::shape::CollectiveShape;
use acts::PlanActs;
use cells::PlanMemory;
use fabc_base::ids::NodeId;
use fabc_ir::Scene;
use fabc_ir::read::MscclppPlan;
use fabc_model::Collective;
use grain::Grain;
use layout::{PlanLayout, WireKind};
use machine::{PlanMachine, Processes, chip_pairs};
use std::collections::BTreeMap;

/// Limit on the cells of all GPUs.
const MAX_CELLS: u64 = 1 << 26;
/// Limit on the numbers of all clocks: processes times thread blocks.
const MAX_CLOCKS: usize = 1 << 27;

/// The measurements of a valid plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedExecutionPlan {
    /// The name that the plan gives itself.
    pub name: String,
    /// The collective, in the words of the format.
    pub collective: String,
    /// The collective that was verified. `None` if the result is unknown, which is not judged.
    pub result: Option<Collective>,
    /// Number of GPUs that take part.
    pub gpus: u64,
    /// Number of chunks of the full vector.
    pub chunks: u64,
    /// The name of the root's chip, if the collective has a root.
    pub root: Option<String>,
    /// The largest number of thread blocks of a GPU.
    pub blocks: u64,
    /// The largest number of operations of a thread block, with those that a pipeline repeats.
    pub operations: u64,
    /// Number of operations of all thread blocks.
    pub all_operations: u64,
    /// Number of directions of memory channels through which something is signaled.
    pub memory_channels: u64,
    /// The same of port channels, with those that only write.
    pub port_channels: u64,
    /// Number of pairs of GPUs between which something goes.
    pub pairs: u64,
    /// The smallest number of network channels that these pairs need.
    pub channels: u64,
    /// The largest number of pairs that share a channel.
    pub sharing: u64,
    /// Chunks that leave by the busiest channel, if parallel channels share evenly. In thousandths.
    pub busiest: u64,
    /// Chunks that all GPUs move to others, in thousandths.
    pub moved: u64,
    /// Whether it is for calls in place, or out of place.
    pub in_place: bool,
}

/// Judges a plan on a scene.
///
/// # Errors
/// The first violation of a rule.
pub(crate) fn judge_execution_plan(
    scene: &Scene<'_>,
    plan: &MscclppPlan,
) -> Result<JudgedExecutionPlan, ProgramFault> {
    let chips = chips_of_gpus(scene, plan.gpus.len())?;
    let layout = PlanLayout::new(plan)?;
    let grain = Grain::new(plan)?;
    let shape = plan_shape(plan, grain.cells)?;
    let acts = PlanActs::new(&layout, grain)?;
    let processes = Processes::new(&acts);
    let blocks: usize = plan.gpus.iter().map(|gpu| gpu.blocks.len()).sum();
    if (blocks + plan.gpus.len()).saturating_mul(blocks) > MAX_CLOCKS {
        return Err(ProgramFault::shape(format!("{blocks} thread blocks are more than are judged")));
    }
    let scratch = |gpu: u32| plan.gpus[gpu as usize].scratch_chunks * grain.cells;
    let memory = PlanMemory::new(shape, grain.cells, &|gpu| processes.start(gpu), &scratch);
    let mut machine = PlanMachine::new(&layout, &acts, &processes, memory)?;
    let used = verify_channels(scene, &chips, &machine)?;
    machine.run()?;
    let root =
        shape.verify_results(&|gpu, at| machine.memory().output(gpu, at)).map_err(|fault| match fault {
            ProgramFault::Result { called, location, expected, present } if grain.cells > 1 => {
                let cut = format!(" (numbers count chunks cut into {})", grain.cells);
                ProgramFault::Result { called, location, expected, present: present + &cut }
            }
            other => other,
        })?;
    let thousandths = |cells: u64| cells * 1000 / u64::from(grain.cells);
    let busiest = Reach::new(scene).busiest(&chip_pairs(&chips, machine.moved()));
    let operations = || {
        let blocks = plan.gpus.iter().flat_map(|gpu| &gpu.blocks);
        blocks.map(|block| block.operations.iter().map(|operation| 1 + operation.repeated.len() as u64).sum())
    };
    let wires = machine.used_wires();
    let count_wires = |kind| wires.iter().filter(|wire| wire.kind == kind).count() as u64;
    Ok(JudgedExecutionPlan {
        name: plan.name.clone(),
        collective: plan.collective.clone(),
        result: shape.collective,
        gpus: chips.len() as u64,
        chunks: u64::from(shape.input.max(shape.output) / grain.cells),
        root: root.map(|root| scene.topology.name(chips[root as usize])),
        blocks: plan.gpus.iter().map(|gpu| gpu.blocks.len()).max().unwrap_or(0) as u64,
        operations: operations().max().unwrap_or(0),
        all_operations: operations().sum(),
        memory_channels: count_wires(WireKind::Memory),
        port_channels: count_wires(WireKind::Port),
        pairs: used.pairs,
        channels: used.used.channels,
        sharing: used.used.sharing,
        busiest: thousandths(busiest),
        moved: thousandths(machine.moved().values().sum()),
        in_place: plan.in_place,
    })
}

/// The pairs of GPUs that a plan joins, and the channels that they need.
struct JoinedPairs {
    pairs: u64,
    used: UsedChannels,
}

/// Verifies that lit links, or switches between them, join all GPUs that signal or write to each other.
fn verify_channels(
    scene: &Scene<'_>,
    chips: &[NodeId],
    machine: &PlanMachine<'_>,
) -> Result<JoinedPairs, ProgramFault> {
    let mut pairs: BTreeMap<(u32, u32), u64> = machine.written_pairs();
    for wire in machine.used_wires() {
        pairs.insert((wire.from, wire.to), 1);
    }
    let connected = chip_pairs(chips, &pairs);
    let used = Reach::new(scene).used_channels(&connected);
    let used = used.map_err(|(from, to)| ProgramFault::shape(super::unreached(scene, from, to)))?;
    Ok(JoinedPairs { pairs: pairs.len() as u64, used })
}

/// The shape of a plan in cells.
fn plan_shape(plan: &MscclppPlan, grain: u32) -> Result<CollectiveShape, ProgramFault> {
    let gpus = plan.gpus.len() as u32;
    let collective = match plan.collective.as_str() {
        "allreduce" => Some(Collective::AllReduce),
        "allgather" => Some(Collective::AllGather),
        "reducescatter" => Some(Collective::ReduceScatter),
        "broadcast" => Some(Collective::Broadcast),
        "reduce" => Some(Collective::Reduce),
        "alltoall" => Some(Collective::AllToAll),
        _ => None,
    };
    let Some(first) = plan.gpus.first() else { return Err(ProgramFault::shape("it has no gpus")) };
    let (mut input, mut output) = (first.input_chunks, first.output_chunks);
    // Plans in place may name one of the two buffers alone.
    let is_shared = plan.in_place && collective.is_some();
    match collective {
        Some(Collective::AllGather) if is_shared && input == 0 => input = output / gpus,
        Some(Collective::ReduceScatter) if is_shared && output == 0 => output = input / gpus,
        Some(Collective::AllGather | Collective::ReduceScatter) | None => {}
        Some(_) if is_shared => (input, output) = (input.max(output), input.max(output)),
        Some(_) => {}
    }
    let fits = match collective {
        Some(Collective::AllGather) => output == input.saturating_mul(gpus),
        Some(Collective::ReduceScatter) => input == output.saturating_mul(gpus),
        Some(Collective::AllToAll) => input == output && input % gpus == 0,
        Some(_) => input == output,
        None => true,
    };
    let is_even = plan
        .gpus
        .iter()
        .all(|gpu| (gpu.input_chunks, gpu.output_chunks) == (first.input_chunks, first.output_chunks));
    if !fits || !is_even || collective.is_some() && input.max(output) == 0 {
        return Err(ProgramFault::shape(format!(
            "an `{}` of {gpus} gpus cannot have {input} chunks of input and {output} of output",
            plan.collective
        )));
    }
    let scratch: u64 = plan.gpus.iter().map(|gpu| u64::from(gpu.scratch_chunks)).sum();
    let chunks = (u64::from(input) + u64::from(output)) * u64::from(gpus) + scratch;
    if chunks.saturating_mul(u64::from(grain)) > MAX_CELLS {
        return Err(ProgramFault::shape(format!(
            "{chunks} chunks of all gpus, cut into {grain}, are more than the {MAX_CELLS} that are judged"
        )));
    }
    Ok(CollectiveShape {
        collective,
        gpus,
        input: input * grain,
        output: output * grain,
        in_place: plan.in_place,
    })
}
