//! Lists a schedule as single moves of chunks between chips, each with its dependencies.
//!
//! Input: a scene and a schedule of rounds, a forest, shared trees or paths of pairs. Output: all moves, in
//! an order in which they could happen one after the other. Moves over a connection keep that order.
//! Additions into one place depend on each other in a chain. Time and memory are linear in the moves, and in
//! chips times chunks.

use super::errors::ProgramError;
use super::planned::{self, ForestPathPlace, PlannedMove, is_inside};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Pull, Rounds, RunDirection, Scene, Schedule, Transfers};
use fabc_model::Collective;
use std::collections::BTreeMap;

/// Consecutive chunks that go from one chip to another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkMove {
    /// Index of the run of the rounds.
    pub(super) run: u32,
    /// Index of the round among those of all runs.
    pub(super) round: u32,
    /// The chip that sends the chunks.
    pub(super) from: NodeId,
    /// The chip that receives the chunks.
    pub(super) to: NodeId,
    /// The channel by which the chunks leave the sender. Routers that only forward may follow.
    pub(super) channel: ChannelId,
    /// Number of the first chunk.
    pub(super) chunk: u32,
    /// How many chunks move together.
    pub(super) count: u32,
    /// Whether both chips are in one box: at most one switch is between them, over links inside a block.
    pub(super) is_near: bool,
    /// Whether the receiver adds the chunk to its own data.
    pub(super) adds: bool,
    /// The last move that brought the sender some of this chunk. `None` for data that the sender started
    /// with.
    pub(super) source_move: Option<u32>,
    /// The previous addition to the same place.
    pub(super) previous_addition: Option<u32>,
    /// Its path in a forest. `None` in other schedules.
    pub(super) path: Option<ForestPathPlace>,
}

/// What the number of a chunk means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ChunkNumbers {
    /// Source times parts, plus part. Only the parts of a root count if there is one.
    Sources,
    /// Number of the tree, for trees with these roots.
    Trees(Vec<NodeId>),
    /// Rank of the source times chips, plus rank of the destination, both times parts, plus part.
    Pairs,
}

/// The moves of a schedule.
pub(super) struct ChunkMoves<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) schedule: &'a Schedule,
    /// Number of chunks of a source, a tree or a pair.
    pub(super) parts: u32,
    pub(super) numbers: ChunkNumbers,
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
    /// [`ProgramError::Unwritten`] if the format cannot hold such a schedule. [`ProgramError::TooLarge`] if
    /// there are more moves.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &'a Schedule,
        chips: Vec<NodeId>,
        format: &'static str,
        limit: u64,
    ) -> Result<Self, ProgramError> {
        match schedule.transfers {
            Transfers::Trees(_) | Transfers::Forest(_) | Transfers::Paths(_) if schedule.groups.is_some() => {
                Err(ProgramError::unwritten(format, "a forest or paths of several groups"))
            }
            _ => Self::also_in_groups(scene, schedule, chips, format, limit),
        }
    }

    /// The same for formats in which several groups may do a collective at the same time.
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    pub(super) fn also_in_groups(
        scene: &'a Scene<'a>,
        schedule: &'a Schedule,
        chips: Vec<NodeId>,
        format: &'static str,
        limit: u64,
    ) -> Result<Self, ProgramError> {
        let mut chunk_moves = Self::without_moves(scene, schedule, chips);
        let planned = match &schedule.transfers {
            Transfers::Rounds(_) => {
                return Self::of_rounds(scene, schedule, chunk_moves.chips, format, limit);
            }
            Transfers::Timed(_) => return Err(ProgramError::unwritten(format, "vectors in cycles")),
            Transfers::Sends(_) => {
                return Err(ProgramError::unwritten(format, "messages along forwarding tables"));
            }
            Transfers::Trees(shared) => {
                chunk_moves.parts = 1;
                let roots = shared.trees.iter().map(|tree| tree.root).collect();
                chunk_moves.numbers = ChunkNumbers::Trees(roots);
                planned::tree_moves(scene, shared)
            }
            Transfers::Forest(forest) => {
                chunk_moves.parts = forest.parts;
                planned::forest_moves(scene, schedule.collective, forest)
            }
            Transfers::Paths(pair_paths) => {
                chunk_moves.parts = pair_paths.parts;
                chunk_moves.numbers = ChunkNumbers::Pairs;
                planned::path_moves(
                    scene,
                    pair_paths,
                    &|chip| chunk_moves.rank(chip),
                    chunk_moves.chips.len(),
                )
            }
        };
        check_count(planned.len() as u64, format, limit)?;
        let mut last = LastMoves::default();
        planned.into_iter().for_each(|planned| chunk_moves.push_planned(planned, &mut last));
        Ok(chunk_moves)
    }

    /// Lists the moves of a schedule of rounds, as [`Self::new`].
    ///
    /// # Errors
    /// The same as those of [`Self::new`]. All other schedules cannot be held.
    pub(super) fn of_rounds(
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
        check_count(count, format, limit)?;
        let mut chunk_moves = Self::without_moves(scene, schedule, chips);
        chunk_moves.moves.reserve(count as usize);
        chunk_moves.push_rounds(rounds);
        Ok(chunk_moves)
    }

    fn without_moves(scene: &'a Scene<'a>, schedule: &'a Schedule, chips: Vec<NodeId>) -> Self {
        let mut ranks = vec![None; scene.topology.node_count()];
        chips.iter().enumerate().for_each(|(rank, chip)| ranks[chip.index()] = Some(rank as u32));
        let (parts, numbers, moves) = (schedule.chunks, ChunkNumbers::Sources, Vec::new());
        Self { scene, schedule, parts, numbers, moves, chips, ranks }
    }

    /// Adds a move, after the moves that it depends on.
    fn push_planned(&mut self, planned: PlannedMove, last: &mut LastMoves) {
        let PlannedMove { run, round, chunk, count, from, to, channel, is_near, adds, path, .. } = planned;
        let known = |chip: NodeId| last.by_chip_and_chunk.get(&(chip, chunk)).copied();
        let (source_move, previous_addition) = (known(from), known(to).filter(|_| adds));
        last.by_chip_and_chunk.insert((to, chunk), self.moves.len() as u32);
        self.moves.push(ChunkMove {
            run,
            round,
            from,
            to,
            channel,
            chunk,
            count,
            is_near,
            adds,
            source_move,
            previous_addition,
            path,
        });
    }

    fn push_rounds(&mut self, rounds: &Rounds) {
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
                        [self.scene.topology.source(channel), self.scene.topology.target(channel)]
                            .map(|end| end.node);
                    let [from_cell, to_cell] = [self.cell(from, chunk), self.cell(to, chunk)];
                    let adds = order == RunDirection::Reverse;
                    let known = |number: u32| Some(number).filter(|&number| number != NONE);
                    let previous_addition = known(last[to_cell]).filter(|_| adds);
                    let chunk_move = ChunkMove {
                        run: run as u32,
                        round: (run * rounds.rounds.len() + position) as u32,
                        from,
                        to,
                        channel,
                        chunk,
                        count: 1,
                        is_near: is_inside(self.scene, channel),
                        adds,
                        source_move: known(last[from_cell]),
                        previous_addition,
                        path: None,
                    };
                    last[to_cell] = self.moves.len() as u32;
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

    /// The rank of a surviving chip.
    pub(super) fn rank(&self, chip: NodeId) -> u32 {
        self.ranks[chip.index()].unwrap_or(NONE)
    }
    /// The chip at which a chunk starts or ends.
    pub(super) fn owner(&self, chunk: u32) -> NodeId {
        match &self.numbers {
            ChunkNumbers::Sources => NodeId(chunk / self.parts),
            ChunkNumbers::Trees(roots) => roots[chunk as usize],
            ChunkNumbers::Pairs => self.chips[self.pair(chunk).destination as usize],
        }
    }
    /// The ranks between which a chunk of a pair goes.
    pub(super) fn pair(&self, chunk: u32) -> RankPair {
        let (pair, ranks) = (chunk / self.parts, self.chips.len() as u32);
        RankPair { source: pair / ranks, destination: pair % ranks }
    }
    /// The number of a chunk among those of surviving chips. With a root only the root's chunks count.
    pub(super) fn column(&self, chunk: u32) -> u32 {
        match &self.numbers {
            ChunkNumbers::Sources if self.schedule.root.is_some() => chunk % self.parts,
            ChunkNumbers::Sources => self.rank(self.owner(chunk)) * self.parts + chunk % self.parts,
            ChunkNumbers::Trees(_) | ChunkNumbers::Pairs => chunk,
        }
    }
    /// Number of chunks of a full vector.
    pub(super) fn columns(&self) -> usize {
        let sources = match &self.numbers {
            ChunkNumbers::Trees(roots) => roots.len(),
            ChunkNumbers::Sources if self.schedule.root.is_some() => 1,
            ChunkNumbers::Sources | ChunkNumbers::Pairs => self.chips.len(),
        };
        sources * self.parts as usize
    }
    /// The index of a chip's data for a chunk.
    fn cell(&self, chip: NodeId, chunk: u32) -> usize {
        self.rank(chip) as usize * self.columns() + self.column(chunk) as usize
    }
    fn cells(&self) -> usize {
        self.chips.len() * self.columns()
    }
    /// Whether the sums of the schedule end at single chips, so that others pass them on.
    pub(super) fn scatters_sums(&self) -> bool {
        matches!(self.schedule.collective, Collective::ReduceScatter | Collective::Reduce)
    }
    /// Whether a program of it may have its input and its output in one buffer. Messages of pairs would
    /// overwrite what is still to be sent.
    pub(super) fn runs_in_place(&self) -> bool {
        self.numbers != ChunkNumbers::Pairs
    }
}

/// The ends of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RankPair {
    pub(super) source: u32,
    pub(super) destination: u32,
}

/// The last moves so far.
#[derive(Default)]
struct LastMoves {
    /// The last move that brought a chip a chunk.
    by_chip_and_chunk: BTreeMap<(NodeId, u32), u32>,
}

fn check_count(count: u64, format: &'static str, limit: u64) -> Result<(), ProgramError> {
    if count <= limit.min(u64::from(NONE - 1)) {
        return Ok(());
    }
    let reason = format!("{count} sends and as many receives are more than the {limit} that fit into it");
    Err(ProgramError::too_large(format, &reason))
}
