//! The time of an all-reduce by shared trees. Pieces follow each other up and down every tree.
//!
//! Input: the trees, and the costs of hops, messages and bytes. Output: attoseconds. The vector is cut into
//! one share per tree, and a share into pieces. A piece is summed up its tree and copied back down. Over a
//! channel it is one message.
//!
//! While every tree advances by one piece, a link of m trees carries m pieces in each direction. So all
//! transfers repeat in a period of m messages, and each channel has m places in it. The first pieces take
//! places in the order in which their parts are ready. Each takes the first free place on a channel of its
//! path. Every later piece uses the same places one period later, so no two pieces meet. The time is that of
//! the first piece and one period for each further one.
//!
//! With barriers a period is a round of its own, ended by the slowest hop of a tree. A piece then makes one
//! hop of its tree in a round. Additions take no time. Cost: routers times trees, by a heap.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChannelHops, CollectiveCost, CollectiveTime, MessageStart, SharedTrees, Topology};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Limit on the pieces of a share.
const MOST_PIECES: u32 = 1 << 16;

/// A channel as one tree uses it.
struct ChannelUse {
    channel: ChannelId,
    /// The uses that wait for this one.
    successors: Vec<u32>,
    /// Number of uses that this one waits for.
    predecessors: u32,
}

/// Trees, laid out so that many costs and sizes can be timed.
pub struct PipelinedTrees {
    /// Uses of channels, tree by tree.
    channel_uses: Vec<ChannelUse>,
    /// `[tree]`: end of its uses in `channel_uses`.
    tree_ends: Vec<usize>,
    /// `[channel]`: pieces that it carries while the slowest kind carries one.
    lanes: Vec<u128>,
    /// For every number of lanes, the trees of the busiest channel that has it.
    busiest: BTreeMap<u128, u128>,
    /// A common multiple of all numbers of lanes.
    common: u128,
    /// Hops from the farthest chip to its root.
    height: u64,
    nodes: u32,
}

/// A piece on a channel of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceCrossing {
    /// Index of the tree of the piece.
    pub tree: usize,
    /// The channel that the piece crosses.
    pub channel: ChannelId,
    /// When its message starts with its overhead, attoseconds.
    pub start: u128,
}

/// The cost of one piece.
#[derive(Clone, Copy)]
struct PieceCost<'a> {
    /// Attoseconds in which a channel of one lane carries the piece.
    chunk: u128,
    overhead: u128,
    /// Attoseconds of a hop, where channels are alike.
    hop: u128,
    /// Attoseconds of a hop by channel, where channels differ.
    channel_hops: Option<&'a ChannelHops>,
}

impl PieceCost<'_> {
    /// Attoseconds of a hop over a channel.
    fn hop_over(&self, channel: ChannelId) -> u128 {
        self.channel_hops.map_or(self.hop, |hops| hops.by_channel[channel])
    }

    /// Attoseconds of its message on a channel of `lanes` lanes.
    fn message(&self, lanes: u128) -> u128 {
        self.chunk.div_ceil(lanes) + self.overhead
    }
}

/// The places of a channel in every period, from its first message on.
struct PeriodPlaces {
    from: u128,
    taken: Vec<bool>,
    message: u128,
    period: u128,
}

impl PipelinedTrees {
    /// Lays out spanning trees. A tree that has a link uses one of its channels up and the other down.
    pub fn new(topology: &Topology, shared: &SharedTrees) -> Self {
        let (mut channel_uses, mut tree_ends): (Vec<ChannelUse>, Vec<usize>) = (Vec::new(), Vec::new());
        for tree in &shared.trees {
            // `[router]`: its use up and its use down.
            let mut use_numbers = vec![None; tree.up.len()];
            for (node, up) in tree.up.iter().enumerate() {
                let Some(up) = *up else { continue };
                use_numbers[node] = Some((channel_uses.len() as u32, channel_uses.len() as u32 + 1));
                let down = topology.reverse(up).expect("trees run on duplex links");
                channel_uses.extend([up, down].map(|channel| ChannelUse {
                    channel,
                    successors: Vec::new(),
                    predecessors: 0,
                }));
            }
            let uses_down_from_root: Vec<u32> = root_children(topology, &tree.up, tree.root)
                .filter_map(|child| use_numbers[child])
                .map(|(_, down)| down)
                .collect();
            let mut follow = |first_piece: u32, next: u32| {
                channel_uses[first_piece as usize].successors.push(next);
                channel_uses[next as usize].predecessors += 1;
            };
            for (node, up) in tree.up.iter().enumerate() {
                let (Some((up_use, down_use)), Some(up)) = (use_numbers[node], *up) else { continue };
                match use_numbers[topology.target(up).node.index()] {
                    Some((parent_up_use, parent_down_use)) => {
                        follow(up_use, parent_up_use);
                        follow(parent_down_use, down_use);
                    }
                    // The sum is complete when all children of the root have sent theirs.
                    None => uses_down_from_root.iter().for_each(|&down| follow(up_use, down)),
                }
            }
            tree_ends.push(channel_uses.len());
        }
        let mut crossed = vec![0u128; topology.channel_count()];
        channel_uses.iter().for_each(|channel_use| crossed[channel_use.channel.index()] += 1);
        let lanes: Vec<u128> =
            topology.channels().map(|channel| u128::from(topology.channel_capacity(channel))).collect();
        let mut busiest = BTreeMap::from([(1, 1)]);
        for (&lanes, trees) in lanes.iter().zip(crossed) {
            let trees_of_busiest = busiest.entry(lanes).or_insert(1);
            *trees_of_busiest = trees.max(*trees_of_busiest);
        }
        Self {
            channel_uses,
            tree_ends,
            lanes,
            busiest,
            common: u128::from(topology.capacities().parts()),
            height: u64::from(shared.height(topology)),
            nodes: topology.node_count() as u32,
        }
    }

    /// The number of pieces of a share with the least estimated time for vectors of `bytes` bytes. The
    /// estimate does not lay out the first piece. Candidates are powers of two, three times powers of two,
    /// and the limit. A requested number is only clamped. No piece is smaller than a flit.
    pub fn pieces(&self, cost: &CollectiveCost, bytes: u64, requested: Option<u32>) -> u32 {
        let flits = bytes / (self.tree_count() * u64::from(cost.flit_bytes.max(1)));
        let time = |pieces: u32| {
            let piece = self.piece(cost, bytes, pieces);
            let (hops, hop) = (2 * u128::from(self.height), self.slowest_hop(piece));
            if cost.barrier {
                return self.time_with_barriers(pieces, piece);
            }
            self.period(piece) * u128::from(pieces - 1) + hops * (piece.message(1) + hop)
        };
        fastest_pieces(flits, self.nodes, requested, time)
    }

    /// The time for vectors of `bytes` bytes with `pieces` pieces of a share, split by what it is spent on.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> CollectiveTime {
        let piece = self.piece(cost, bytes, pieces);
        let total_of = self.total_of(cost.barrier, pieces, piece);
        let plain = PieceCost { overhead: 0, ..piece };
        let without_overhead = if cost.overhead == 0 {
            total_of
        } else {
            self.total_of(cost.barrier, pieces, plain).min(total_of)
        };
        // Places are taken in order of arrival, so a shorter hop may cost a little time.
        let volume = self
            .total_of(cost.barrier, pieces, PieceCost { hop: 0, channel_hops: None, ..plain })
            .min(without_overhead);
        CollectiveTime { volume, latency: without_overhead - volume, overhead: total_of - without_overhead }
    }

    /// The total of [`PipelinedTrees::time`], computed faster.
    pub fn total_time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
        self.total_of(cost.barrier, pieces, self.piece(cost, bytes, pieces))
    }

    /// Number of rounds: the hops of the first piece, and one for every further piece.
    pub fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + 2 * self.height
    }

    /// Time in units of one piece on a channel, where hops take no time.
    pub fn volume(&self, pieces: u32) -> u64 {
        self.total_of(
            false,
            pieces,
            PieceCost { chunk: self.common, overhead: 0, hop: 0, channel_hops: None },
        )
        .div_ceil(self.common) as u64
    }

    /// When the first piece of every tree crosses each of its channels, without barriers. Piece p follows at
    /// most p periods later.
    pub fn crossings(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<PieceCrossing> {
        let mut crossings = Vec::with_capacity(self.channel_uses.len());
        self.first_piece(self.piece(cost, bytes, pieces), |index, start| {
            crossings.push(PieceCrossing {
                tree: self.tree_ends.partition_point(|&end| end <= index),
                channel: self.channel_uses[index].channel,
                start,
            });
        });
        crossings
    }

    /// Number of transfers of a piece over a channel.
    pub fn transfers(&self, pieces: u32) -> u64 {
        self.channel_uses.len() as u64 * u64::from(pieces)
    }

    /// Number of pieces in the vector of a chip.
    pub fn parts(&self, pieces: u32) -> u64 {
        self.tree_count() * u64::from(pieces)
    }

    /// When each piece leaves over each channel, in the timing of [`PipelinedTrees::time`] without barriers.
    pub fn starts(
        &self,
        topology: &Topology,
        cost: &CollectiveCost,
        bytes: u64,
        pieces: u32,
    ) -> Vec<MessageStart> {
        let period = self.period(self.piece(cost, bytes, pieces));
        let crossings = self.crossings(cost, bytes, pieces);
        let piece_crossings =
            crossings.iter().flat_map(|crossing| (0..u128::from(pieces)).map(move |piece| (crossing, piece)));
        let start = |(crossing, piece): (&PieceCrossing, u128)| {
            let [from, to] = [topology.source(crossing.channel).node, topology.target(crossing.channel).node];
            MessageStart { from, to, attoseconds: crossing.start + cost.overhead + piece * period }
        };
        piece_crossings.map(start).collect()
    }

    fn tree_count(&self) -> u64 {
        self.tree_ends.len().max(1) as u64
    }

    fn piece<'a>(&self, cost: &'a CollectiveCost, bytes: u64, pieces: u32) -> PieceCost<'a> {
        let chunk = cost.transfer_time(bytes, self.parts(pieces));
        PieceCost { chunk, overhead: cost.overhead, hop: cost.hop, channel_hops: cost.channel_hops.as_ref() }
    }

    /// The time in which every channel carries one piece of each of its trees.
    fn period(&self, piece: PieceCost<'_>) -> u128 {
        self.busiest.iter().map(|(&lanes, trees)| piece.message(lanes) * trees).max().unwrap_or(0)
    }

    /// The longest time of a hop over a channel of a tree.
    fn slowest_hop(&self, piece: PieceCost<'_>) -> u128 {
        let hops = self.channel_uses.iter().map(|channel_use| piece.hop_over(channel_use.channel));
        hops.max().unwrap_or(piece.hop)
    }

    fn time_with_barriers(&self, pieces: u32, piece: PieceCost<'_>) -> u128 {
        (self.period(piece) + self.slowest_hop(piece)) * u128::from(self.steps(pieces))
    }

    fn total_of(&self, barrier: bool, pieces: u32, piece: PieceCost<'_>) -> u128 {
        if barrier {
            self.time_with_barriers(pieces, piece)
        } else {
            self.period(piece) * u128::from(pieces - 1) + self.first_piece(piece, |_, _| ())
        }
    }

    /// When the first piece of every tree is everywhere. `on_start` receives the use of a channel and when
    /// the piece starts on it.
    fn first_piece(&self, piece: PieceCost<'_>, mut on_start: impl FnMut(usize, u128)) -> u128 {
        let period = self.period(piece);
        let mut places: Vec<Option<PeriodPlaces>> = (0..self.lanes.len()).map(|_| None).collect();
        let mut waits: Vec<u32> =
            self.channel_uses.iter().map(|channel_use| channel_use.predecessors).collect();
        let mut ready_times = vec![0u128; self.channel_uses.len()];
        let free =
            self.channel_uses.iter().zip(0u32..).filter(|(channel_use, _)| channel_use.predecessors == 0);
        let mut open: BinaryHeap<Reverse<(u128, u32)>> = free.map(|(_, index)| Reverse((0, index))).collect();
        let mut end = 0;
        while let Some(Reverse((ready, index))) = open.pop() {
            let channel_use = &self.channel_uses[index as usize];
            let message = piece.message(self.lanes[channel_use.channel.index()]);
            let channel_places = &mut places[channel_use.channel.index()];
            let start =
                channel_places.get_or_insert_with(|| PeriodPlaces::new(ready, message, period)).take(ready);
            on_start(index as usize, start);
            let arrival = start + message + piece.hop_over(channel_use.channel);
            end = end.max(arrival);
            for &next in &channel_use.successors {
                ready_times[next as usize] = ready_times[next as usize].max(arrival);
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    open.push(Reverse((ready_times[next as usize], next)));
                }
            }
        }
        end
    }
}

/// The number of pieces with the least time, of those that are tried for a share of so many flits.
pub(super) fn fastest_pieces(
    flits: u64,
    nodes: u32,
    requested: Option<u32>,
    time: impl Fn(u32) -> u128,
) -> u32 {
    piece_counts(flits, nodes, requested).into_iter().min_by_key(|&pieces| time(pieces)).unwrap_or(1)
}

/// The numbers of pieces that are tried for a share of so many flits: powers of two, three times powers of
/// two, and the limit. Of a requested number, only it or the limit.
fn piece_counts(flits: u64, nodes: u32, requested: Option<u32>) -> Vec<u32> {
    // Pieces of all chips are numbered in 32 bits.
    let limit = MOST_PIECES.min(u32::MAX / nodes.max(1)).min(u32::try_from(flits).unwrap_or(u32::MAX)).max(1);
    if let Some(requested) = requested {
        return vec![requested.clamp(1, limit)];
    }
    let powers = std::iter::successors(Some(1u32), |pieces| pieces.checked_mul(2));
    let counts = powers.flat_map(|power| [power, power / 2 * 3]).filter(|&pieces| pieces > 0);
    counts.take_while(|&pieces| pieces <= limit).chain([limit]).collect()
}

/// The children of the root of a tree.
fn root_children<'a>(
    topology: &'a Topology,
    up: &'a [Option<ChannelId>],
    root: NodeId,
) -> impl Iterator<Item = usize> + 'a {
    let hangs_on_root = move |channel: ChannelId| topology.target(channel).node == root;
    up.iter().enumerate().filter(move |(_, up)| up.is_some_and(hangs_on_root)).map(|(node, _)| node)
}

impl PeriodPlaces {
    fn new(from: u128, message: u128, period: u128) -> Self {
        // A message takes no time where there is nothing to send.
        let count = period.checked_div(message).unwrap_or(1).max(1);
        Self { from, taken: vec![false; count as usize], message, period }
    }

    /// Takes the first free place at or after `ready`. Place i starts i messages after the start of each
    /// period.
    fn take(&mut self, ready: u128) -> u128 {
        let Self { from, taken, message, period } = self;
        let count = taken.len() as u128;
        let since = ready.saturating_sub(*from);
        let (periods, rest) =
            (since.checked_div(*period).unwrap_or(0), since.checked_rem(*period).unwrap_or(0));
        let later = periods * count + rest.div_ceil((*message).max(1)).min(count);
        let free = (later..later + count).find(|place| !taken[(place % count) as usize]).unwrap_or(later);
        taken[(free % count) as usize] = true;
        *from + free / count * *period + free % count * *message
    }
}
