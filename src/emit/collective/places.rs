//! Where chips keep chunks: the input `i`, the output `o` and the scratch `s` of a collective, in chunks.

use super::moves::Moves;
use fabc_base::ids::NodeId;
use fabc_model::{Collective, CollectiveAlgorithm};

/// A place of a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) buffer: char,
    pub(super) at: u32,
}

/// Scratch of sums that only pass through a chip.
pub(super) struct Places {
    /// `[cell]`: its place in the scratch of its chip, where it has one.
    passing: Vec<u32>,
    /// `[rank]`: how many of these there are.
    scratch: Vec<u32>,
}

impl Places {
    /// The places that a schedule needs.
    pub(super) fn new(laid: &Moves<'_>) -> Self {
        let scatters = matches!(laid.schedule.collective, Collective::ReduceScatter | Collective::Reduce);
        let mut passing = vec![u32::MAX; if scatters { laid.cells() } else { 0 }];
        let mut scratch = vec![0; laid.chips.len()];
        if laid.schedule.algorithm == CollectiveAlgorithm::Local {
            scratch.fill(laid.columns() as u32);
        }
        for one in laid.moves.iter().filter(|_| scatters) {
            let to = laid.receiver(one.channel);
            let cell = laid.cell(to, one.chunk);
            if to != laid.owner(one.chunk) && passing[cell] == u32::MAX {
                let next = &mut scratch[laid.rank(to) as usize];
                passing[cell] = *next;
                *next += 1;
            }
        }
        Self { passing, scratch }
    }

    /// Where a chip has what it is given of a chunk.
    pub(super) fn given(&self, laid: &Moves<'_>, chunk: u32) -> Place {
        let at = match laid.schedule.collective {
            Collective::AllGather | Collective::Broadcast | Collective::Reduce => {
                chunk % laid.schedule.chunks
            }
            Collective::ReduceScatter | Collective::AllReduce | Collective::AllToAll | Collective::Send => {
                laid.column(chunk)
            }
        };
        Place { buffer: 'i', at }
    }

    /// Where a chip keeps what comes of a chunk.
    pub(super) fn kept(&self, laid: &Moves<'_>, chip: NodeId, chunk: u32) -> Place {
        let whole = Place { buffer: 'o', at: laid.column(chunk) };
        match laid.schedule.collective {
            Collective::AllReduce if laid.schedule.algorithm == CollectiveAlgorithm::Local => {
                Place { buffer: 's', ..whole }
            }
            Collective::ReduceScatter | Collective::Reduce if chip != laid.owner(chunk) => {
                Place { buffer: 's', at: self.passing[laid.cell(chip, chunk)] }
            }
            Collective::ReduceScatter => Place { buffer: 'o', at: chunk % laid.schedule.chunks },
            _ => whole,
        }
    }

    /// Chunks of a loop of the program.
    pub(super) fn all(&self, laid: &Moves<'_>) -> u32 {
        let whole = laid.schedule.algorithm == CollectiveAlgorithm::Local;
        if whole { laid.schedule.chunks } else { laid.columns() as u32 }
    }

    /// Chunks of input, output and scratch of a chip.
    pub(super) fn sizes(&self, laid: &Moves<'_>, rank: usize) -> [u32; 3] {
        let (all, shard) = (self.all(laid), laid.schedule.chunks);
        let scratch = self.scratch[rank];
        match laid.schedule.collective {
            Collective::AllGather => [shard, all, scratch],
            Collective::ReduceScatter => [all, shard, scratch],
            _ => [all, all, scratch],
        }
    }
}
