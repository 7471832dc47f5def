//! The buffers of chips, in chunks: the input `i`, the output `o` and the scratch `s` of a collective.

use super::moves::{ChunkMoves, ChunkNumbers};
use fabc_base::ids::NodeId;
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeMap;

/// A position in a buffer of a chip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct BufferPlace {
    pub(super) buffer: char,
    pub(super) offset: u32,
}

/// Positions of data that only passes through a chip.
pub(super) struct BufferPlaces {
    /// By rank and chunk: its position in the scratch of that chip.
    passing: BTreeMap<(u32, u32), u32>,
    /// `[rank]`: size of the scratch.
    scratch: Vec<u32>,
}

impl BufferPlaces {
    /// Assigns the scratch positions that a schedule needs.
    pub(super) fn new(chunk_moves: &ChunkMoves<'_>) -> Self {
        let mut passing = BTreeMap::new();
        let mut scratch = vec![0; chunk_moves.chips.len()];
        if chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local {
            scratch.fill(chunk_moves.columns() as u32);
        }
        let passes = chunk_moves.scatters_sums() || chunk_moves.numbers == ChunkNumbers::Pairs;
        for chunk_move in chunk_moves.moves.iter().filter(|_| passes) {
            if chunk_move.to != chunk_moves.owner(chunk_move.chunk) {
                let rank = chunk_moves.rank(chunk_move.to);
                passing.entry((rank, chunk_move.chunk)).or_insert_with(|| {
                    let next = &mut scratch[rank as usize];
                    *next += chunk_move.count;
                    *next - chunk_move.count
                });
            }
        }
        Self { passing, scratch }
    }

    /// The position of a chunk in the input of a chip.
    pub(super) fn input_place(&self, chunk_moves: &ChunkMoves<'_>, chunk: u32) -> BufferPlace {
        let offset = match chunk_moves.schedule.collective {
            Collective::AllGather | Collective::Broadcast | Collective::Reduce => chunk % chunk_moves.parts,
            Collective::AllToAll => {
                chunk_moves.pair(chunk).destination * chunk_moves.parts + chunk % chunk_moves.parts
            }
            Collective::ReduceScatter | Collective::AllReduce | Collective::Send => chunk_moves.column(chunk),
        };
        BufferPlace { buffer: 'i', offset }
    }

    /// The position where a chip stores the result of a chunk.
    pub(super) fn result_place(&self, chunk_moves: &ChunkMoves<'_>, chip: NodeId, chunk: u32) -> BufferPlace {
        if let Some(&offset) = self.passing.get(&(chunk_moves.rank(chip), chunk)) {
            return BufferPlace { buffer: 's', offset };
        }
        let part = chunk % chunk_moves.parts;
        match chunk_moves.schedule.collective {
            Collective::AllReduce if chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local => {
                BufferPlace { buffer: 's', offset: chunk_moves.column(chunk) }
            }
            Collective::AllToAll => {
                let offset = chunk_moves.pair(chunk).source * chunk_moves.parts + part;
                BufferPlace { buffer: 'o', offset }
            }
            Collective::ReduceScatter => BufferPlace { buffer: 'o', offset: part },
            _ => BufferPlace { buffer: 'o', offset: chunk_moves.column(chunk) },
        }
    }

    /// Chunks of one loop of the program.
    pub(super) fn loop_chunks(&self, chunk_moves: &ChunkMoves<'_>) -> u32 {
        let is_local = chunk_moves.schedule.algorithm == CollectiveAlgorithm::Local;
        if is_local { chunk_moves.parts } else { chunk_moves.columns() as u32 }
    }

    /// Chunks of the input, output and scratch of a chip.
    pub(super) fn buffer_sizes(&self, chunk_moves: &ChunkMoves<'_>, rank: usize) -> [u32; 3] {
        let (loop_chunks, shard) = (self.loop_chunks(chunk_moves), chunk_moves.parts);
        let scratch = self.scratch[rank];
        match chunk_moves.schedule.collective {
            Collective::AllGather => [shard, loop_chunks, scratch],
            Collective::ReduceScatter => [loop_chunks, shard, scratch],
            _ => [loop_chunks, loop_chunks, scratch],
        }
    }
}
