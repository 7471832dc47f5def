//! Judges a collective as a third-party program for thread blocks (MSCCL XML).
//!
//! First its structure is verified, then whether all thread blocks end, then the result of the collective.
//! For the result the program runs with values that record their chunk and their GPUs, in place and out of
//! place, as the program claims. GPU r is the r-th chip of the network. Nothing is shared with the code that
//! writes programs.

mod errors;
mod layout;
mod memory;
mod one_sided;
mod reach;
mod run;
mod shape;
mod values;

pub use errors::ProgramFault;
pub use one_sided::JudgedExecutionPlan;
pub(crate) use one_sided::judge_execution_plan;

use fabc_base::ids::NodeId;
use fabc_ir::Scene;
use fabc_ir::read::MscclProgram;
use fabc_model::Collective;
use layout::ProgramLayout;
use memory::Memory;
use reach::{Reach, UsedChannels, chips_of_gpus};
use run::{NoObserver, run_program};
use shape::CollectiveShape;
use std::collections::BTreeMap;

/// Limit on the transfers that a connection of a runtime holds: 8 slots of a buffer, of which a chunk takes
/// 4 (NCCL_STEPS and MSCCL_CHUNKSTEPS of the runtimes).
const MAX_HELD: u64 = 2;

/// The measurements of a valid program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedProgram {
    /// The name that the program gives itself.
    pub name: String,
    /// The collective, in the words of the format.
    pub collective: String,
    /// The collective that was verified. `None` if the result is unknown (`custom`), which is not judged.
    pub result: Option<Collective>,
    /// Number of GPUs that take part.
    pub gpus: u64,
    /// Number of chunks of a loop.
    pub chunks: u64,
    /// The name of the root's chip, if the collective has a root.
    pub root: Option<String>,
    /// The largest number of thread blocks of a GPU.
    pub blocks: u64,
    /// The largest number of steps of a thread block.
    pub steps: u64,
    /// Number of steps of all thread blocks.
    pub all_steps: u64,
    /// Number of connections in use.
    pub connections: u64,
    /// The smallest number of network channels that they need.
    pub channels: u64,
    /// The largest number of connections on one channel, if they are spread evenly over parallel channels.
    pub sharing: u64,
    /// Number of chunks that were sent.
    pub transfers: u64,
    /// Transfers that a connection must hold to avoid a deadlock. It is 0 if both ends may meet.
    pub held: u64,
    /// Whether it is for calls in place.
    pub in_place: bool,
    /// Whether it is for calls out of place.
    pub out_of_place: bool,
}

/// Judges a program on a scene.
///
/// # Errors
/// The first violation of a rule.
pub(crate) fn judge_program(
    scene: &Scene<'_>,
    program: &MscclProgram<'_>,
) -> Result<JudgedProgram, ProgramFault> {
    let chips = chips_of_gpus(scene, program.gpus.len())?;
    let layout = ProgramLayout::new(program)?;
    let shape = CollectiveShape::new(&layout)?;
    let (channels, sharing) = count_channels(scene, &chips, &layout)?;
    let held = (0..=MAX_HELD).find(|&slots| run_program(&layout, slots, &mut NoObserver).is_ok());
    let Some(held) = held else {
        run_program(&layout, MAX_HELD, &mut NoObserver)?;
        return Err(ProgramFault::shape("its thread blocks never finish"));
    };
    let mut root = None;
    for in_place in [true, false] {
        let claimed = if in_place { program.in_place } else { program.out_of_place };
        if !claimed || shape.collective.is_none() {
            continue;
        }
        let shape = CollectiveShape { in_place, ..shape };
        let mut memory = Memory::new(&layout, shape);
        run_program(&layout, held, &mut memory)?;
        root = shape.verify_results(&|gpu, at| memory.output(gpu, at))?;
    }
    let blocks = || layout.blocks.iter().flatten();
    let moved = blocks().flat_map(|block| &block.steps).filter(|step| step.kind.sends());
    Ok(JudgedProgram {
        name: program.name.clone(),
        collective: program.collective.clone(),
        result: shape.collective,
        gpus: chips.len() as u64,
        chunks: u64::from(program.chunks),
        root: root.map(|root| scene.topology.name(chips[root as usize])),
        blocks: layout.blocks.iter().map(Vec::len).max().unwrap_or(0) as u64,
        steps: blocks().map(|block| block.steps.len()).max().unwrap_or(0) as u64,
        all_steps: blocks().map(|block| block.steps.len() as u64).sum(),
        connections: layout.connections.values().filter(|wire| wire.transfers > 0).count() as u64,
        channels,
        sharing,
        transfers: moved.map(|step| u64::from(step.count)).sum(),
        held,
        in_place: program.in_place,
        out_of_place: program.out_of_place,
    })
}

/// Verifies that every connection has a lit channel, or several through switches. Returns the number of
/// channels in use, and the largest number of connections per channel.
fn count_channels(
    scene: &Scene<'_>,
    chips: &[NodeId],
    layout: &ProgramLayout<'_>,
) -> Result<(u64, u64), ProgramFault> {
    let chip = |gpu: u32| chips[gpu as usize];
    let mut connected: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
    for &(from, to, _) in layout.connections.keys() {
        *connected.entry((chip(from), chip(to))).or_default() += 1;
    }
    let used = Reach::new(scene).used_channels(&connected);
    used.map(|UsedChannels { channels, sharing }| (channels, sharing)).map_err(|pair| {
        let cut = layout.connections.keys().find(|&&(from, to, _)| (chip(from), chip(to)) == pair);
        let &(from, to, chan) = cut.expect("the pair is that of a connection");
        ProgramFault::Connection { from, to, chan, violation: unreached(scene, pair.0, pair.1) }
    })
}

/// The violation of a connection between chips that nothing joins.
fn unreached(scene: &Scene<'_>, from: NodeId, to: NodeId) -> String {
    let [from, to] = [from, to].map(|chip| scene.topology.name(chip));
    format!("no lit link leads from {from} to {to}, and no switches join them")
}
