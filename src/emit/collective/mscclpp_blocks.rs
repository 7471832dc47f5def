//! The thread blocks of an execution plan: the operations of every group of chunks at every GPU.

use super::moves::{ChunkMove, ChunkMoves};
use super::places::{BufferPlace, BufferPlaces};
use fabc_model::Collective;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum channels of an operation.
const TOGETHER: usize = 8;
/// Maximum sources of an addition besides the first one.
const ADDENDS: usize = 9;

/// The types of channels between GPUs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ChannelKind {
    /// Inside a box: stores into the memory of the peer.
    Memory,
    /// Between boxes: a proxy writes.
    Port,
}

impl ChannelKind {
    const ALL: [ChannelKind; 2] = [ChannelKind::Memory, ChannelKind::Port];

    fn of_move(chunk_move: &ChunkMove) -> Self {
        if chunk_move.is_near { Self::Memory } else { Self::Port }
    }
}

/// A buffer of another GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PeerBuffer {
    pub(super) rank: u32,
    pub(super) buffer: char,
}

/// Consecutive chunks of the own GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct OwnChunks {
    pub(super) place: BufferPlace,
    pub(super) count: u32,
}

/// A write into the memory of another GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PeerWrite {
    pub(super) source: OwnChunks,
    /// The number of the buffer among those of the thread block.
    pub(super) buffer: usize,
    pub(super) offset: u32,
    /// The number of the channel among those of the thread block.
    pub(super) channel: usize,
}

/// An operation of a thread block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlanOperation {
    /// All threads of the thread block meet.
    Meet,
    Signal {
        kind: ChannelKind,
        channels: Vec<usize>,
        relaxed: bool,
    },
    Wait {
        kind: ChannelKind,
        channels: Vec<usize>,
        relaxed: bool,
    },
    Copy {
        source: OwnChunks,
        target: BufferPlace,
    },
    /// The first source and the others are added up.
    Add {
        sources: Vec<OwnChunks>,
        target: BufferPlace,
    },
    Put {
        kind: ChannelKind,
        writes: Vec<PeerWrite>,
    },
}

/// A thread block with what it uses.
#[derive(Clone, Default)]
pub(super) struct BlockProgram {
    pub(super) operations: Vec<PlanOperation>,
    /// By type: the peers of its channels.
    pub(super) peers: BTreeMap<ChannelKind, Vec<u32>>,
    /// By type: the buffers of peers that it writes.
    pub(super) buffers: BTreeMap<ChannelKind, Vec<PeerBuffer>>,
}

/// Places in the scratch for what is to be added up.
pub(super) struct PlanStages {
    /// `[move]`: where an addend comes to.
    stages: Vec<u32>,
    /// `[rank]`: chunks of the scratch.
    pub(super) scratch: Vec<u32>,
}

impl PlanStages {
    pub(super) fn new(chunk_moves: &ChunkMoves<'_>, places: &BufferPlaces) -> Self {
        let ranks = 0..chunk_moves.chips.len();
        let mut scratch: Vec<u32> = ranks.map(|rank| places.buffer_sizes(chunk_moves, rank)[2]).collect();
        let mut stages = vec![0; chunk_moves.moves.len()];
        for (stage, chunk_move) in stages.iter_mut().zip(&chunk_moves.moves).filter(|(_, moved)| moved.adds) {
            let next = &mut scratch[chunk_moves.rank(chunk_move.to) as usize];
            *stage = *next;
            *next += chunk_move.count;
        }
        Self { stages, scratch }
    }
}

/// The moves of every thread block.
pub(super) struct GroupedMoves {
    groups: usize,
    /// By rank, group and round: moves that the thread block sends and receives.
    rounds: BTreeMap<(u32, u32, u32), RoundMoves>,
}

/// The moves of a thread block in a round.
#[derive(Default)]
struct RoundMoves {
    sent: Vec<u32>,
    received: Vec<u32>,
}

impl GroupedMoves {
    /// The numbers of all chunks that move together.
    pub(super) fn chunks(chunk_moves: &ChunkMoves<'_>) -> Vec<u32> {
        let chunks: BTreeSet<u32> = chunk_moves.moves.iter().map(|moved| moved.chunk).collect();
        chunks.into_iter().collect()
    }

    /// Deals the chunks to groups in turn.
    pub(super) fn new(chunk_moves: &ChunkMoves<'_>, chunks: &[u32], groups: usize) -> Self {
        let mut rounds: BTreeMap<(u32, u32, u32), RoundMoves> = BTreeMap::new();
        for (index, moved) in (0..).zip(&chunk_moves.moves) {
            let position = chunks.binary_search(&moved.chunk).unwrap_or(0);
            let group = (position % groups) as u32;
            let [from, to] = [moved.from, moved.to].map(|chip| chunk_moves.rank(chip));
            rounds.entry((from, group, moved.round)).or_default().sent.push(index);
            rounds.entry((to, group, moved.round)).or_default().received.push(index);
        }
        Self { groups, rounds }
    }

    /// `[rank][group]`: the thread blocks of a plan.
    pub(super) fn blocks(
        &self,
        chunk_moves: &ChunkMoves<'_>,
        places: &BufferPlaces,
        stages: &PlanStages,
    ) -> Vec<Vec<BlockProgram>> {
        let ranks = 0..chunk_moves.chips.len() as u32;
        let block = |rank: u32, group: u32| {
            let of_block = || self.rounds.range((rank, group, 0)..=(rank, group, u32::MAX));
            let mut builder = BlockBuilder {
                chunk_moves,
                places,
                stages,
                peers: peers(chunk_moves, of_block().map(|(_, moves)| moves)),
                must_meet: false,
                block: BlockProgram::default(),
            };
            builder.block.peers = builder.peers.clone();
            builder.push_meeting();
            if group as usize == rank as usize % self.groups {
                builder.push_own_copies(rank);
            }
            for (_, moves) in of_block() {
                builder.push_round(moves);
            }
            builder.push_closing(of_block().map(|(_, moves)| moves));
            builder.block
        };
        ranks.map(|rank| (0..self.groups as u32).map(|group| block(rank, group)).collect()).collect()
    }
}

/// By type: the peers of a thread block.
fn peers<'a>(
    chunk_moves: &ChunkMoves<'_>,
    rounds: impl Iterator<Item = &'a RoundMoves>,
) -> BTreeMap<ChannelKind, Vec<u32>> {
    let mut peers: BTreeMap<ChannelKind, BTreeSet<u32>> = BTreeMap::new();
    for moves in rounds {
        let moved = |&index: &u32| &chunk_moves.moves[index as usize];
        let sent = moves.sent.iter().map(moved).map(|moved| (ChannelKind::of_move(moved), moved.to));
        let received =
            moves.received.iter().map(moved).map(|moved| (ChannelKind::of_move(moved), moved.from));
        for (kind, chip) in sent.chain(received) {
            peers.entry(kind).or_default().insert(chunk_moves.rank(chip));
        }
    }
    peers.into_iter().map(|(kind, peers)| (kind, peers.into_iter().collect())).collect()
}

struct BlockBuilder<'a> {
    chunk_moves: &'a ChunkMoves<'a>,
    places: &'a BufferPlaces,
    stages: &'a PlanStages,
    peers: BTreeMap<ChannelKind, Vec<u32>>,
    /// Whether the threads must meet before they use what came, or what was added up.
    must_meet: bool,
    block: BlockProgram,
}

impl BlockBuilder<'_> {
    fn push(&mut self, operation: PlanOperation) {
        self.block.operations.push(operation);
    }

    /// Lets the threads meet if they must.
    fn meet(&mut self) {
        if std::mem::take(&mut self.must_meet) {
            self.push(PlanOperation::Meet);
        }
    }

    fn channel(&self, kind: ChannelKind, rank: u32) -> usize {
        let peers = self.peers.get(&kind).map_or(&[][..], Vec::as_slice);
        peers.iter().position(|&peer| peer == rank).unwrap_or(peers.len())
    }

    fn buffer(&mut self, kind: ChannelKind, buffer: PeerBuffer) -> usize {
        let buffers = self.block.buffers.entry(kind).or_default();
        buffers.iter().position(|&known| known == buffer).unwrap_or_else(|| {
            buffers.push(buffer);
            buffers.len() - 1
        })
    }

    fn push_signals(&mut self, kind: ChannelKind, channels: &[usize], relaxed: bool) {
        for channels in channels.chunks(TOGETHER) {
            self.push(PlanOperation::Signal { kind, channels: channels.to_vec(), relaxed });
        }
    }

    fn push_waits(&mut self, kind: ChannelKind, channels: &[usize], relaxed: bool) {
        for channels in channels.chunks(TOGETHER) {
            self.push(PlanOperation::Wait { kind, channels: channels.to_vec(), relaxed });
        }
    }

    /// Waits until all peers have started.
    fn push_meeting(&mut self) {
        let counts: Vec<(ChannelKind, Vec<usize>)> =
            self.peers.iter().map(|(&kind, peers)| (kind, (0..peers.len()).collect())).collect();
        for (kind, channels) in &counts {
            self.push_signals(*kind, channels, *kind == ChannelKind::Memory);
        }
        for (kind, channels) in &counts {
            self.push_waits(*kind, channels, *kind == ChannelKind::Memory);
        }
        self.must_meet = !counts.is_empty();
    }

    /// Copies the own part of a result that is assembled from parts.
    fn push_own_copies(&mut self, rank: u32) {
        let (chunks, own) = (self.chunk_moves.parts, rank * self.chunk_moves.parts);
        let root = self.chunk_moves.schedule.root.map(|root| self.chunk_moves.rank(root));
        let (input, output) = match self.chunk_moves.schedule.collective {
            Collective::AllGather => (0, own),
            Collective::AllToAll => (own, own),
            Collective::Broadcast if root == Some(rank) => (0, 0),
            _ => return,
        };
        self.push(PlanOperation::Copy {
            source: OwnChunks { place: BufferPlace { buffer: 'i', offset: input }, count: chunks },
            target: BufferPlace { buffer: 'o', offset: output },
        });
    }

    fn push_round(&mut self, moves: &RoundMoves) {
        let chunk_moves = self.chunk_moves;
        let moved = |&index: &u32| (index, chunk_moves.moves[index as usize]);
        let sent: Vec<(u32, ChunkMove)> = moves.sent.iter().map(moved).collect();
        let received: Vec<(u32, ChunkMove)> = moves.received.iter().map(moved).collect();
        if !sent.is_empty() {
            self.meet();
            ChannelKind::ALL.into_iter().for_each(|kind| self.push_writes(kind, &sent));
            self.push(PlanOperation::Meet);
        }
        for kind in ChannelKind::ALL {
            let channels = self.channels(kind, &sent, |moved| moved.to);
            self.push_signals(kind, &channels, false);
        }
        for kind in ChannelKind::ALL {
            let channels = self.channels(kind, &received, |moved| moved.from);
            self.push_waits(kind, &channels, false);
        }
        self.must_meet |= !received.is_empty();
        self.push_additions(&received);
    }

    /// The channels of moves of a type, ascending.
    fn channels(
        &self,
        kind: ChannelKind,
        moves: &[(u32, ChunkMove)],
        peer: impl Fn(&ChunkMove) -> fabc_base::ids::NodeId,
    ) -> Vec<usize> {
        let of_kind =
            moves.iter().map(|(_, moved)| moved).filter(|moved| ChannelKind::of_move(moved) == kind);
        let channels: BTreeSet<usize> =
            of_kind.map(|moved| self.channel(kind, self.chunk_moves.rank(peer(moved)))).collect();
        channels.into_iter().collect()
    }

    fn push_writes(&mut self, kind: ChannelKind, sent: &[(u32, ChunkMove)]) {
        // By the buffer that is read: an operation reads one buffer.
        let mut writes: BTreeMap<char, Vec<PeerWrite>> = BTreeMap::new();
        for &(index, moved) in sent.iter().filter(|(_, moved)| ChannelKind::of_move(moved) == kind) {
            let place = match moved.source_move {
                None => self.places.input_place(self.chunk_moves, moved.chunk),
                Some(_) => self.places.result_place(self.chunk_moves, moved.from, moved.chunk),
            };
            let target = match moved.adds {
                true => BufferPlace { buffer: 's', offset: self.stages.stages[index as usize] },
                false => self.places.result_place(self.chunk_moves, moved.to, moved.chunk),
            };
            let rank = self.chunk_moves.rank(moved.to);
            let write = PeerWrite {
                source: OwnChunks { place, count: moved.count },
                buffer: self.buffer(kind, PeerBuffer { rank, buffer: target.buffer }),
                offset: target.offset,
                channel: self.channel(kind, rank),
            };
            let list = writes.entry(place.buffer).or_default();
            let follows = |last: &&mut PeerWrite| {
                let end = last.source.place.offset + last.source.count;
                (last.channel, last.buffer) == (write.channel, write.buffer)
                    && (end, last.offset + last.source.count) == (place.offset, write.offset)
            };
            match list.iter_mut().find(follows) {
                Some(last) => last.source.count += moved.count,
                None => list.push(write),
            }
        }
        for writes in writes.into_values() {
            for writes in writes.chunks(TOGETHER) {
                self.push(PlanOperation::Put { kind, writes: writes.to_vec() });
            }
        }
    }

    /// Adds what came in a round to what the GPU has.
    fn push_additions(&mut self, received: &[(u32, ChunkMove)]) {
        // By chunk: the own place, and the addends.
        let mut sums: BTreeMap<u32, Vec<(u32, ChunkMove)>> = BTreeMap::new();
        for &(index, moved) in received.iter().filter(|(_, moved)| moved.adds) {
            sums.entry(moved.chunk).or_default().push((index, moved));
        }
        let mut waves: Vec<Vec<PlanOperation>> = Vec::new();
        for addends in sums.values() {
            for (wave, addends) in addends.chunks(ADDENDS).enumerate() {
                let (_, first) = addends[0];
                let count = first.count;
                let result = self.places.result_place(self.chunk_moves, first.to, first.chunk);
                let own = match first.previous_addition {
                    None => self.places.input_place(self.chunk_moves, first.chunk),
                    Some(_) => result,
                };
                let stage = |(index, _): &(u32, ChunkMove)| {
                    let place = BufferPlace { buffer: 's', offset: self.stages.stages[*index as usize] };
                    OwnChunks { place, count }
                };
                let own = OwnChunks { place: own, count };
                let sources = std::iter::once(own).chain(addends.iter().map(stage)).collect();
                if waves.len() <= wave {
                    waves.push(Vec::new());
                }
                waves[wave].push(PlanOperation::Add { sources, target: result });
            }
        }
        for additions in waves {
            self.meet();
            additions.into_iter().for_each(|addition| self.push(addition));
            self.must_meet = true;
        }
    }

    /// Lets the senders between boxes know that all has come, so that none ends while its proxy reads.
    fn push_closing<'m>(&mut self, rounds: impl Iterator<Item = &'m RoundMoves> + Clone) {
        let chunk_moves = self.chunk_moves;
        let all = |select: fn(&RoundMoves) -> &Vec<u32>| -> Vec<(u32, ChunkMove)> {
            let indices = rounds.clone().flat_map(select);
            indices.map(|&index| (index, chunk_moves.moves[index as usize])).collect()
        };
        let (sent, received) = (all(|moves| &moves.sent), all(|moves| &moves.received));
        let senders = self.channels(ChannelKind::Port, &received, |moved| moved.from);
        let receivers = self.channels(ChannelKind::Port, &sent, |moved| moved.to);
        if !senders.is_empty() {
            self.meet();
        }
        self.push_signals(ChannelKind::Port, &senders, false);
        self.push_waits(ChannelKind::Port, &receivers, false);
    }
}
