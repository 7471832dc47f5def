//! Writes a schedule as an execution plan of MSCCL++: thread blocks that write into the memory of other GPUs,
//! signal and wait.
//!
//! Input: a scene and a schedule. Output: JSON. The chunks are dealt to groups. Of every group, each GPU has
//! one thread block, which does all that the GPU does with these chunks, round by round: it writes, signals
//! its peers, waits for its peers, and adds up what came. No thread block waits for another one of its GPU.
//! Rounds are in one order everywhere and signals never wait, so that all ends. First the thread blocks of a
//! group meet, since nobody may write before its peer has started. What is added up comes to a place of its
//! own in the scratch. Limits are those of the runtime (microsoft/mscclpp,
//! src/core/include/execution_common.hpp).

use super::errors::ProgramError;
use super::moves::ChunkMoves;
use super::mscclpp_blocks::{BlockProgram, GroupedMoves, PlanStages};
use super::mscclpp_text::{PlanHeader, plan_text};
use super::places::BufferPlaces;
use fabc_ir::{Scene, Schedule};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The name of the format.
const FORMAT: &str = "mscclpp";
/// Maximum operations of a thread block.
const OPERATIONS: usize = 64;
/// Maximum channels, and remote buffers, of one type of a thread block.
const CHANNELS: usize = 16;
/// Maximum thread blocks of a GPU. All must run at once, and a die of an MI250 has 104 multiprocessors.
const BLOCKS: usize = 104;
/// Thread blocks of a GPU that are tried first. One alone cannot fill a link.
const FIRST_BLOCKS: usize = 16;
/// Maximum moves of a schedule.
const MOVES: u64 = 1 << 20;

/// A plan with its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MscclppFile {
    /// Text of the JSON file.
    pub text: String,
    /// Operations of the thread block with the most operations.
    pub operations: usize,
    /// Thread blocks of each GPU.
    pub blocks: usize,
}

/// Why a number of groups does not do.
struct Excess {
    /// The thread block and its numbers.
    reason: String,
}

/// The plan of a schedule.
///
/// # Errors
/// [`ProgramError::Unwritten`] if plans cannot hold such a schedule. [`ProgramError::TooLarge`] if it exceeds
/// a limit of the runtime.
pub fn collective_mscclpp(
    fabric: &str,
    scene: &Scene<'_>,
    schedule: &Schedule,
) -> Result<MscclppFile, ProgramError> {
    if schedule.algorithm == CollectiveAlgorithm::Local {
        return Err(ProgramError::unwritten(FORMAT, "sums that every chip adds up alone"));
    }
    let chunk_moves = ChunkMoves::new(scene, schedule, scene.endpoints().collect(), FORMAT, MOVES)?;
    let places = BufferPlaces::new(&chunk_moves);
    let stages = PlanStages::new(&chunk_moves, &places);
    let chunks = GroupedMoves::chunks(&chunk_moves);
    let mut groups = FIRST_BLOCKS.min(chunks.len()).max(1);
    loop {
        let grouped = GroupedMoves::new(&chunk_moves, &chunks, groups);
        let gpus = grouped.blocks(&chunk_moves, &places, &stages);
        match find_excess(&chunk_moves, &gpus) {
            None => {
                let operations = gpus.iter().flatten().map(|block| block.operations.len()).max().unwrap_or(0);
                let header = PlanHeader {
                    name: format!(
                        "fabc_{fabric}_{}_{}",
                        schedule.collective.name(),
                        schedule.algorithm.name()
                    ),
                    collective: plan_name(schedule.collective),
                    in_place: schedule.collective == Collective::AllReduce,
                };
                let mut gpus = gpus;
                gpus.iter_mut().for_each(|blocks| blocks.retain(|block| !block.operations.is_empty()));
                let sizes = |rank: usize| {
                    let [input, output, _] = places.buffer_sizes(&chunk_moves, rank);
                    [input, output, stages.scratch[rank]]
                };
                let text = plan_text(&header, &gpus, &sizes);
                return Ok(MscclppFile { text, operations, blocks: groups });
            }
            Some(Excess { reason }) if groups >= BLOCKS.min(chunks.len()) => {
                let reason =
                    format!("{reason}, with {groups} thread blocks a chip for {} chunks", chunks.len());
                return Err(ProgramError::too_large(FORMAT, &reason));
            }
            Some(_) => groups = (groups * 3 / 2 + 1).min(BLOCKS).min(chunks.len()),
        }
    }
}

/// The first thread block that exceeds a limit.
fn find_excess(chunk_moves: &ChunkMoves<'_>, gpus: &[Vec<BlockProgram>]) -> Option<Excess> {
    for (&chip, blocks) in chunk_moves.chips.iter().zip(gpus) {
        for block in blocks {
            let channels = block.peers.values().map(Vec::len).max().unwrap_or(0);
            let buffers = block.buffers.values().map(Vec::len).max().unwrap_or(0);
            let numbers = [
                (block.operations.len(), OPERATIONS, "operations"),
                (channels, CHANNELS, "channels of one type"),
                (buffers, CHANNELS, "remote buffers of one type"),
            ];
            let excess = numbers.into_iter().find(|(count, most, _)| count > most);
            if let Some((count, most, what)) = excess {
                let name = chunk_moves.scene.topology.name(chip);
                let reason =
                    format!("a thread block of {name} would have {count} {what}, and {most} are the most");
                return Some(Excess { reason });
            }
        }
    }
    None
}

/// The name of a collective in the runtime.
fn plan_name(collective: Collective) -> &'static str {
    match collective {
        Collective::AllGather => "allgather",
        Collective::ReduceScatter => "reducescatter",
        Collective::AllReduce => "allreduce",
        Collective::Broadcast => "broadcast",
        Collective::Reduce => "reduce",
        Collective::AllToAll => "alltoall",
        Collective::Send => "sendrecv",
    }
}
