//! Lists a schedule of rounds as single moves of chunks between chips, each with its dependencies.
//!
//! Input: a scene and a schedule, canonical or not. Output: all moves, in an order in which they could happen
//! one after the other. Moves over a channel keep the order of the schedule. Additions into one place depend
//! on each other in a chain. Time and memory are linear in the moves, and in chips times chunks.

use super::errors::ProgramError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Pull, Rounds, RunDirection, Scene, Schedule, Transfers};

/// One chunk that crosses one channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkMove {
    /// Index of the run of the rounds.
    pub(super) run: u32,
    /// Index of the round among those of all runs.
    pub(super) round: u32,
    /// The channel, in the direction of the chunk.
    pub(super) channel: ChannelId,
    /// Number of the chunk: source times parts, plus part.
    pub(super) chunk: u32,
    /// Whether the receiver adds the chunk to its own data.
    pub(super) adds: bool,
    /// The last move that brought the sender some of this chunk. `None` for data that the sender started
    /// with.
    pub(super) source_move: Option<u32>,
    /// The previous addition to the same place.
    pub(super) previous_addition: Option<u32>,
}

/// The moves of a schedule of rounds.
pub(super) struct ChunkMoves<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) schedule: &'a Schedule,
    /// The moves, in an order in which they could happen one after the other.
    pub(super) moves: Vec<ChunkMove>,
    /// Surviving chips, indexed by rank.
    pub(super) chips: Vec<NodeId>,
    /// `[router]`: its rank; `None` if it is not a surviving chip.
    ranks: Vec<Option<u32>>,
}

/// Marks a cell without a move.
const NONE: u32 = u32::MAX;

impl<'a> ChunkMoves<'a> {
    /// Lists the moves of a schedule of these chips, in the order of their ranks, for a format that holds at
    /// most `limit` moves.
    ///
    /// # Errors
    /// [`ProgramError::Unwritten`] if the schedule has no rounds. [`ProgramError::TooLarge`] if there are
    /// more moves.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &'a Schedule,
        chips: Vec<NodeId>,
        format: &'static str,
        limit: u64,
    ) -> Result<Self, ProgramError> {
        let rounds = match &schedule.transfers {
            Transfers::Rounds(rounds) => rounds,
            Transfers::Trees(_) => return Err(ProgramError::unwritten(format, "shared trees")),
            Transfers::Forest(_) => return Err(ProgramError::unwritten(format, "a forest")),
            Transfers::Paths(_) => return Err(ProgramError::unwritten(format, "paths of pairs")),
            Transfers::Timed(_) => return Err(ProgramError::unwritten(format, "vectors in cycles")),
            Transfers::Sends(_) => {
                return Err(ProgramError::unwritten(format, "messages along forwarding tables"));
            }
        };
        let elements = if rounds.canonical { scene.topology.symmetry().order() as u64 } else { 1 };
        let listed: u64 =
            rounds.rounds.iter().flat_map(|round| &round.pulls).map(|pull| pull.chunks.len() as u64).sum();
        let count = listed.saturating_mul(elements).saturating_mul(rounds.order.len() as u64);
        if count > limit.min(u64::from(NONE - 1)) {
            return Err(ProgramError::too_large(
                format,
                &format!("{count} sends and as many receives are more than the {limit} that fit into it"),
            ));
        }
        let mut ranks = vec![None; scene.topology.node_count()];
        chips.iter().enumerate().for_each(|(rank, chip)| ranks[chip.index()] = Some(rank as u32));
        let mut chunk_moves =
            Self { scene, schedule, moves: Vec::with_capacity(count as usize), chips, ranks };
        chunk_moves.push_moves(rounds);
        Ok(chunk_moves)
    }

    fn push_moves(&mut self, rounds: &Rounds) {
        // `[cell]`: index of the last move to it.
        let mut last = vec![NONE; self.cells()];
        for (run, &order) in rounds.order.iter().enumerate() {
            for position in 0..rounds.rounds.len() {
                let round = if order == RunDirection::Forward {
                    position
                } else {
                    rounds.rounds.len() - 1 - position
                };
                for (channel, chunk) in self.round_moves(rounds, round, order) {
                    let [from, to] =
                        [self.cell(self.sender(channel), chunk), self.cell(self.receiver(channel), chunk)];
                    let adds = order == RunDirection::Reverse;
                    let known = |number: u32| Some(number).filter(|&number| number != NONE);
                    let previous_addition = known(last[to]).filter(|_| adds);
                    let chunk_move = ChunkMove {
                        run: run as u32,
                        round: (run * rounds.rounds.len() + position) as u32,
                        channel,
                        chunk,
                        adds,
                        source_move: known(last[from]),
                        previous_addition,
                    };
                    last[to] = self.moves.len() as u32;
                    self.moves.push(chunk_move);
                }
            }
        }
    }

    /// The moves of a round. For every channel they are in the order in which it carries them.
    fn round_moves(&self, rounds: &Rounds, round: usize, order: RunDirection) -> Vec<(ChannelId, u32)> {
        let topology = self.scene.topology;
        let symmetry = topology.symmetry();
        let mut moves = Vec::new();
        let mut push_pull = |pull: &Pull, channel: ChannelId, image: &dyn Fn(u32) -> u32| {
            let channel =
                if order == RunDirection::Forward { Some(channel) } else { topology.reverse(channel) };
            let channel = channel.expect("reductions run on duplex links");
            let position = |index: usize| {
                if order == RunDirection::Forward { index } else { pull.chunks.len() - 1 - index }
            };
            moves.extend(
                pull.chunks
                    .iter()
                    .enumerate()
                    .map(|(index, &chunk)| (position(index), channel, image(chunk))),
            );
        };
        for pull in &rounds.rounds[round].pulls {
            if !rounds.canonical {
                push_pull(pull, pull.channel, &|chunk| chunk);
                continue;
            }
            let from = topology.source(pull.channel);
            for element in 0..symmetry.order() {
                let parts = self.schedule.chunks;
                let chunk =
                    |chunk: u32| symmetry.image(element, NodeId(chunk / parts)).0 * parts + chunk % parts;
                // An automorphism keeps port numbers.
                if let Some(channel) = topology.outgoing(symmetry.image(element, from.node), from.port) {
                    push_pull(pull, channel, &chunk);
                }
            }
        }
        moves.sort_unstable();
        moves.into_iter().map(|(_, channel, chunk)| (channel, chunk)).collect()
    }

    /// The chip that sends over a channel.
    pub(super) fn sender(&self, channel: ChannelId) -> NodeId {
        self.scene.topology.source(channel).node
    }
    /// The chip that receives over a channel.
    pub(super) fn receiver(&self, channel: ChannelId) -> NodeId {
        self.scene.topology.target(channel).node
    }
    /// The rank of a surviving chip.
    pub(super) fn rank(&self, chip: NodeId) -> u32 {
        self.ranks[chip.index()].unwrap_or(NONE)
    }
    /// The chip at which a chunk starts or ends.
    pub(super) fn owner(&self, chunk: u32) -> NodeId {
        NodeId(chunk / self.schedule.chunks)
    }
    /// The number of a chunk among those of surviving chips. With a root only the root's chunks count.
    pub(super) fn column(&self, chunk: u32) -> u32 {
        let part = chunk % self.schedule.chunks;
        if self.schedule.root.is_some() {
            part
        } else {
            self.rank(self.owner(chunk)) * self.schedule.chunks + part
        }
    }
    pub(super) fn columns(&self) -> usize {
        let sources = if self.schedule.root.is_some() { 1 } else { self.chips.len() };
        sources * self.schedule.chunks as usize
    }
    /// The index of a chip's data for a chunk.
    pub(super) fn cell(&self, chip: NodeId, chunk: u32) -> usize {
        self.rank(chip) as usize * self.columns() + self.column(chunk) as usize
    }
    pub(super) fn cells(&self) -> usize {
        self.chips.len() * self.columns()
    }
}
