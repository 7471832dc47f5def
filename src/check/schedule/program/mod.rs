//! Judges a collective as a program for thread blocks (MSCCL XML), of whomever.
//!
//! First its structure, then whether the thread blocks come to an end, then what the collective's result is,
//! by running it with values that say of which chunk and of which GPUs they are; in place and out of place,
//! as the program claims. GPU r is the r-th chip of the network. Nothing is shared with what writes programs.

mod errors;
mod layout;
mod memory;
mod run;
mod shape;
mod values;

pub use errors::ProgramFault;

use fabc_base::ids::{Id, NodeId};
use fabc_ir::Scene;
use fabc_ir::read::MscclProgram;
use fabc_model::Collective;
use layout::Layout;
use memory::Memory;
use run::{Unseen, run};
use shape::Shape;
use std::collections::BTreeMap;

/// Transfers that a connection of a runtime holds: 8 slots of a buffer, of which a chunk takes 4 (NCCL_STEPS
/// and MSCCL_CHUNKSTEPS of the runtimes).
const HELD: u64 = 2;

/// What was found of a good program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedProgram {
    /// Its name, as it says.
    pub name: String,
    /// The collective, in the words of the format.
    pub collective: String,
    /// None where the result is not known (`custom`), which then was not judged.
    pub result: Option<Collective>,
    /// GPUs.
    pub gpus: u64,
    /// Chunks of a loop.
    pub chunks: u64,
    /// The root by its chip's name, where the collective has one.
    pub root: Option<String>,
    /// The most thread blocks of a GPU.
    pub blocks: u64,
    /// The most steps of a thread block.
    pub steps: u64,
    /// Steps of all.
    pub all_steps: u64,
    /// Connections that are used.
    pub connections: u64,
    /// Channels of the network that they go over, at least.
    pub channels: u64,
    /// The most connections that share a channel, if they are spread evenly over parallel ones.
    pub sharing: u64,
    /// Chunks that were sent.
    pub transfers: u64,
    /// Transfers that a connection must hold so that nobody waits for ever: 0 where both ends may meet.
    pub held: u64,
    /// For which calls it is.
    pub in_place: bool,
    /// For which calls it is.
    pub out_of_place: bool,
}

/// Judges a program on a scene.
///
/// # Errors
/// The first thing that is wrong.
pub(crate) fn program(scene: &Scene<'_>, program: &MscclProgram<'_>) -> Result<JudgedProgram, ProgramFault> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    if chips.len() != program.gpus.len() {
        let (gpus, chips) = (program.gpus.len(), chips.len());
        return Err(ProgramFault::shape(format!("it is for {gpus} gpus, but the network has {chips} chips")));
    }
    let layout = Layout::new(program)?;
    let shape = Shape::of(&layout)?;
    let (channels, sharing) = wired(scene, &chips, &layout)?;
    let held = (0..=HELD).find(|&slots| run(&layout, slots, &mut Unseen).is_ok());
    let Some(held) = held else {
        run(&layout, HELD, &mut Unseen)?;
        return Err(ProgramFault::shape("its thread blocks do not come to an end"));
    };
    let mut root = None;
    for in_place in [true, false] {
        let claimed = if in_place { program.in_place } else { program.out_of_place };
        if !claimed || shape.collective.is_none() {
            continue;
        }
        let shape = Shape { in_place, ..shape };
        let mut memory = Memory::new(&layout, shape);
        run(&layout, held, &mut memory)?;
        root = shape.results(&|gpu, at| memory.output(gpu, at))?;
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
        connections: layout.wires.values().filter(|wire| wire.transfers > 0).count() as u64,
        channels,
        sharing,
        transfers: moved.map(|step| u64::from(step.count)).sum(),
        held,
        in_place: program.in_place,
        out_of_place: program.out_of_place,
    })
}

/// Whether every connection has a lit channel; how many channels are used, and by how many connections.
fn wired(scene: &Scene<'_>, chips: &[NodeId], layout: &Layout<'_>) -> Result<(u64, u64), ProgramFault> {
    let mut rank = vec![u32::MAX; scene.topology.node_count()];
    chips.iter().enumerate().for_each(|(at, chip)| rank[chip.index()] = at as u32);
    let mut parallel: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for channel in scene.channels() {
        let [from, to] = [scene.topology.source(channel), scene.topology.target(channel)]
            .map(|end| rank[end.node.index()]);
        *parallel.entry((from, to)).or_default() += 1;
    }
    let mut used: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for &(from, to, chan) in layout.wires.keys() {
        if !parallel.contains_key(&(from, to)) {
            let [a, b] = [from, to].map(|gpu| scene.topology.name(chips[gpu as usize]));
            return Err(ProgramFault::Connection {
                from,
                to,
                chan,
                what: format!("no lit link leads from {a} to {b}"),
            });
        }
        *used.entry((from, to)).or_default() += 1;
    }
    let channels = used.iter().map(|(pair, &count)| count.min(parallel[pair])).sum();
    let sharing = used.iter().map(|(pair, &count)| count.div_ceil(parallel[pair])).max().unwrap_or(0);
    Ok((channels, sharing))
}
