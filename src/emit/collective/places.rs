//! The buffers of chips, in chunks: the input `i`, the output `o` and the scratch `s` of a collective.

use super::moves::ChunkMoves;
use fabc_base::ids::NodeId;
use fabc_model::{Collective, CollectiveAlgorithm};

/// A position in a buffer of a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BufferPlace {
    pub(super) buffer: char,
    pub(super) offset: u32,
}

/// Positions of sums that only pass through a chip.
pub(super) struct BufferPlaces {
    /// `[cell]`: its position in the scratch of its chip, if it has one.
    passing: Vec<u32>,
    /// `[rank]`: size of the scratch.
    scratch: Vec<u32>,
}

impl BufferPlaces {
    /// Assigns the scratch positions that a schedule needs.
    pub(super) fn new(chunk_moves: &ChunkMoves<'_>) -> Self {
        let scatters =
            matches!(chunk_moves.schedule.collective, Collective::ReduceScatter | Collective::Reduce);
        let mut passing = vec![u32::MAX; if scatters { chunk_moves.cells() } else { 0 }];
        let mut scratch = vec![0; chunk_moves.chips.len()];
        if chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local {
            scratch.fill(chunk_moves.columns() as u32);
        }
        for chunk_move in chunk_moves.moves.iter().filter(|_| scatters) {
            let to = chunk_moves.receiver(chunk_move.channel);
            let cell = chunk_moves.cell(to, chunk_move.chunk);
            if to != chunk_moves.owner(chunk_move.chunk) && passing[cell] == u32::MAX {
                let next = &mut scratch[chunk_moves.rank(to) as usize];
                passing[cell] = *next;
                *next += 1;
            }
        }
        Self { passing, scratch }
    }

    /// The position of a chunk in the input of a chip.
    pub(super) fn input_place(&self, chunk_moves: &ChunkMoves<'_>, chunk: u32) -> BufferPlace {
        let offset = match chunk_moves.schedule.collective {
            Collective::AllGather | Collective::Broadcast | Collective::Reduce => {
                chunk % chunk_moves.schedule.chunks
            }
            Collective::ReduceScatter | Collective::AllReduce | Collective::AllToAll | Collective::Send => {
                chunk_moves.column(chunk)
            }
        };
        BufferPlace { buffer: 'i', offset }
    }

    /// The position where a chip stores the result of a chunk.
    pub(super) fn result_place(&self, chunk_moves: &ChunkMoves<'_>, chip: NodeId, chunk: u32) -> BufferPlace {
        let output_place = BufferPlace { buffer: 'o', offset: chunk_moves.column(chunk) };
        match chunk_moves.schedule.collective {
            Collective::AllReduce if chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local => {
                BufferPlace { buffer: 's', ..output_place }
            }
            Collective::ReduceScatter | Collective::Reduce if chip != chunk_moves.owner(chunk) => {
                BufferPlace { buffer: 's', offset: self.passing[chunk_moves.cell(chip, chunk)] }
            }
            Collective::ReduceScatter => {
                BufferPlace { buffer: 'o', offset: chunk % chunk_moves.schedule.chunks }
            }
            _ => output_place,
        }
    }

    /// Chunks of one loop of the program.
    pub(super) fn loop_chunks(&self, chunk_moves: &ChunkMoves<'_>) -> u32 {
        let is_local = chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local;
        if is_local { chunk_moves.schedule.chunks } else { chunk_moves.columns() as u32 }
    }

    /// Chunks of the input, output and scratch of a chip.
    pub(super) fn buffer_sizes(&self, chunk_moves: &ChunkMoves<'_>, rank: usize) -> [u32; 3] {
        let (loop_chunks, shard) = (self.loop_chunks(chunk_moves), chunk_moves.schedule.chunks);
        let scratch = self.scratch[rank];
        match chunk_moves.schedule.collective {
            Collective::AllGather => [shard, loop_chunks, scratch],
            Collective::ReduceScatter => [loop_chunks, shard, scratch],
            _ => [loop_chunks, loop_chunks, scratch],
        }
    }
}
