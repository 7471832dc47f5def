//! How long an all-reduce by shared trees takes: pieces follow each other up and down every tree.
//!
//! In: the trees, what hops, messages and bytes take. Out: attoseconds. The vector is cut into as many shares
//! as there are trees, a share into pieces; a piece is summed up its tree and copied back down, and over a
//! channel it is one message. A link of m trees carries one piece of each of them either way for every piece
//! that moves on, so all is repeated every m messages: each channel has m places in that period, and the
//! first piece of every tree, in the order in which its parts are there, takes the first place that is free
//! where it passes. Later pieces use the same places one period later each. So no two meet, and the time is
//! that of the first piece and one period for each further one. With barriers a period is a round of its own,
//! ended by a hop, and a piece makes one hop of its tree in a round. Additions take no time. Cost: routers
//! times trees, by a heap.

use fabc_base::ids::{ChannelId, Id, LinkId, NodeId};
use fabc_ir::{CollectiveCost, CollectiveTime, LinkHops, SharedTrees, Start, Topology};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The most pieces of a share.
const MOST_PIECES: u32 = 1 << 16;

/// A channel as a tree uses it.
struct Use {
    channel: ChannelId,
    link: LinkId,
    /// The uses that wait for this one.
    then: Vec<u32>,
    /// Uses that this one waits for.
    after: u32,
}

/// Trees that can be timed again and again.
pub struct Pipelined {
    /// Tree by tree.
    uses: Vec<Use>,
    /// `[tree]`: where its uses end.
    ends: Vec<usize>,
    /// `[channel]`: pieces that it carries while the slowest kind carries one.
    lanes: Vec<u128>,
    /// For every number of lanes the trees of the channel that is in most.
    busiest: BTreeMap<u128, u128>,
    /// A multiple of all numbers of lanes.
    common: u128,
    /// Hops from the farthest chip to its root.
    height: u64,
    nodes: u32,
}

/// A piece on a channel of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// Of which tree.
    pub tree: usize,
    /// The channel.
    pub channel: ChannelId,
    /// When its message starts, overhead first, attoseconds.
    pub start: u128,
}

/// What one piece costs.
#[derive(Clone, Copy)]
struct Piece<'a> {
    /// Attoseconds in which a channel of one lane carries it.
    chunk: u128,
    overhead: u128,
    /// Attoseconds of a hop over the slowest link.
    hop: u128,
    /// The same by link, where they differ.
    link_hops: Option<&'a LinkHops>,
}

impl Piece<'_> {
    /// Attoseconds of a hop over a link.
    fn hop_over(&self, link: LinkId) -> u128 {
        self.link_hops.map_or(self.hop, |hops| hops.of_images[link])
    }

    /// What its message takes on a channel of so many lanes.
    fn message(&self, lanes: u128) -> u128 {
        self.chunk.div_ceil(lanes) + self.overhead
    }
}

/// What a channel has places for, from the first message on it on.
struct Places {
    from: u128,
    taken: Vec<bool>,
    message: u128,
    period: u128,
}

impl Pipelined {
    /// Lays out trees that span. Of a link both channels are in every tree that has it, one up, one down.
    pub fn new(topology: &Topology, shared: &SharedTrees) -> Self {
        let (mut uses, mut ends): (Vec<Use>, Vec<usize>) = (Vec::new(), Vec::new());
        for tree in &shared.trees {
            // `[router]`: its use up and its use down.
            let mut numbers = vec![None; tree.up.len()];
            for (node, up) in tree.up.iter().enumerate() {
                let Some(up) = *up else { continue };
                numbers[node] = Some((uses.len() as u32, uses.len() as u32 + 1));
                let down = topology.reverse(up).expect("trees run on duplex links");
                uses.extend([up, down].map(|channel| Use {
                    channel,
                    link: topology.link_of(channel),
                    then: Vec::new(),
                    after: 0,
                }));
            }
            let roots: Vec<u32> = tops(topology, &tree.up, tree.root)
                .filter_map(|child| numbers[child])
                .map(|(_, down)| down)
                .collect();
            let mut follow = |first: u32, next: u32| {
                uses[first as usize].then.push(next);
                uses[next as usize].after += 1;
            };
            for (node, up) in tree.up.iter().enumerate() {
                let (Some((own_up, own_down)), Some(up)) = (numbers[node], *up) else { continue };
                match numbers[topology.target(up).node.index()] {
                    Some((above_up, above_down)) => {
                        follow(own_up, above_up);
                        follow(above_down, own_down);
                    }
                    // The sum is complete when all children of the root are in.
                    None => roots.iter().for_each(|&down| follow(own_up, down)),
                }
            }
            ends.push(uses.len());
        }
        let mut crossed = vec![0u128; topology.channel_count()];
        uses.iter().for_each(|one| crossed[one.channel.index()] += 1);
        let lanes: Vec<u128> =
            topology.channels().map(|channel| u128::from(topology.channel_capacity(channel))).collect();
        let mut busiest = BTreeMap::from([(1, 1)]);
        for (&lanes, trees) in lanes.iter().zip(crossed) {
            let most = busiest.entry(lanes).or_insert(1);
            *most = trees.max(*most);
        }
        Self {
            uses,
            ends,
            lanes,
            busiest,
            common: u128::from(topology.capacities().parts()),
            height: u64::from(shared.height(topology)),
            nodes: topology.node_count() as u32,
        }
    }

    /// The pieces of a share with which a vector of so many bytes takes least by what is known without laying
    /// the first one out: a power of two, or three times one, or as many as asked for; none below a flit.
    pub fn pieces(&self, cost: &CollectiveCost, bytes: u64, asked: Option<u32>) -> u32 {
        let flits = bytes / (self.count() * u64::from(cost.flit_bytes.max(1)));
        // Pieces of all chips are numbered in 32 bits.
        let most = MOST_PIECES
            .min(u32::MAX / self.nodes.max(1))
            .min(u32::try_from(flits).unwrap_or(u32::MAX))
            .max(1);
        if let Some(asked) = asked {
            return asked.clamp(1, most);
        }
        let powers = std::iter::successors(Some(1u32), |pieces| pieces.checked_mul(2));
        let counts = powers
            .flat_map(|power| [power, power / 2 * 3])
            .filter(|&pieces| pieces > 0)
            .take_while(|&pieces| pieces <= most);
        let time = |&pieces: &u32| {
            let piece = self.piece(cost, bytes, pieces);
            let ways = 2 * u128::from(self.height);
            if cost.barrier {
                return self.barriers(pieces, piece);
            }
            self.period(piece) * u128::from(pieces - 1) + ways * (piece.message(1) + piece.hop)
        };
        counts.chain([most]).min_by_key(time).unwrap_or(1)
    }

    /// How long it takes for vectors of so many bytes, in so many pieces of a share, and on what that is
    /// spent.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> CollectiveTime {
        let whole = self.piece(cost, bytes, pieces);
        let all = self.total(cost.barrier, pieces, whole);
        let plain = Piece { overhead: 0, ..whole };
        let without_overhead =
            if cost.overhead == 0 { all } else { self.total(cost.barrier, pieces, plain).min(all) };
        // Places are taken as they come, so that a shorter hop may, by a little, cost time.
        let volume = self
            .total(cost.barrier, pieces, Piece { hop: 0, link_hops: None, ..plain })
            .min(without_overhead);
        CollectiveTime { volume, latency: without_overhead - volume, overhead: all - without_overhead }
    }

    /// How long it takes: all of [`Pipelined::time`], for less.
    pub fn whole(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
        self.total(cost.barrier, pieces, self.piece(cost, bytes, pieces))
    }

    /// Rounds one after the other: hops of the first piece, and one for every further piece.
    pub fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + 2 * self.height
    }

    /// Times that a channel needs for a piece, one after the other, where hops take no time.
    pub fn volume(&self, pieces: u32) -> u64 {
        self.total(false, pieces, Piece { chunk: self.common, overhead: 0, hop: 0, link_hops: None })
            .div_ceil(self.common) as u64
    }

    /// When the first piece of every tree crosses each of its channels, without barriers; piece p does so p
    /// times as many messages later as a link has trees, at most.
    pub fn crossings(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<Crossing> {
        let mut found = Vec::with_capacity(self.uses.len());
        self.first(self.piece(cost, bytes, pieces), |at, start| {
            found.push(Crossing {
                tree: self.ends.partition_point(|&end| end <= at),
                channel: self.uses[at].channel,
                start,
            });
        });
        found
    }

    /// Times that a piece goes over a channel.
    pub fn transfers(&self, pieces: u32) -> u64 {
        self.uses.len() as u64 * u64::from(pieces)
    }

    /// Parts of the vector of a chip that pieces are.
    pub fn parts(&self, pieces: u32) -> u64 {
        self.count() * u64::from(pieces)
    }

    /// When each piece leaves over each channel, as [`Pipelined::time`] has it without barriers.
    pub fn starts(&self, topology: &Topology, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<Start> {
        let period = self.period(self.piece(cost, bytes, pieces));
        let crossings = self.crossings(cost, bytes, pieces);
        let all =
            crossings.iter().flat_map(|crossing| (0..u128::from(pieces)).map(move |piece| (crossing, piece)));
        let start = |(crossing, piece): (&Crossing, u128)| {
            let [from, to] = [topology.source(crossing.channel).node, topology.target(crossing.channel).node];
            Start { from, to, at: crossing.start + cost.overhead + piece * period }
        };
        all.map(start).collect()
    }

    fn count(&self) -> u64 {
        self.ends.len().max(1) as u64
    }

    fn piece<'a>(&self, cost: &'a CollectiveCost, bytes: u64, pieces: u32) -> Piece<'a> {
        let chunk = cost.carried(bytes, self.parts(pieces));
        Piece { chunk, overhead: cost.overhead, hop: cost.hop, link_hops: cost.link_hops.as_ref() }
    }

    /// In which every channel carries a piece of each of its trees.
    fn period(&self, piece: Piece<'_>) -> u128 {
        self.busiest.iter().map(|(&lanes, trees)| piece.message(lanes) * trees).max().unwrap_or(0)
    }

    fn barriers(&self, pieces: u32, piece: Piece<'_>) -> u128 {
        (self.period(piece) + piece.hop) * u128::from(self.steps(pieces))
    }

    fn total(&self, barrier: bool, pieces: u32, piece: Piece<'_>) -> u128 {
        if barrier {
            self.barriers(pieces, piece)
        } else {
            self.period(piece) * u128::from(pieces - 1) + self.first(piece, |_, _| ())
        }
    }

    /// When the first piece of every tree is everywhere; tells when it starts on each of its channels.
    fn first(&self, piece: Piece<'_>, mut tell: impl FnMut(usize, u128)) -> u128 {
        let period = self.period(piece);
        let mut places: Vec<Option<Places>> = (0..self.lanes.len()).map(|_| None).collect();
        let mut waits: Vec<u32> = self.uses.iter().map(|one| one.after).collect();
        let mut there = vec![0u128; self.uses.len()];
        let free = self.uses.iter().zip(0u32..).filter(|(one, _)| one.after == 0);
        let mut open: BinaryHeap<Reverse<(u128, u32)>> = free.map(|(_, at)| Reverse((0, at))).collect();
        let mut end = 0;
        while let Some(Reverse((ready, at))) = open.pop() {
            let own = &self.uses[at as usize];
            let message = piece.message(self.lanes[own.channel.index()]);
            let of_channel = &mut places[own.channel.index()];
            let start = of_channel.get_or_insert_with(|| Places::new(ready, message, period)).take(ready);
            tell(at as usize, start);
            let came = start + message + piece.hop_over(own.link);
            end = end.max(came);
            for &next in &own.then {
                there[next as usize] = there[next as usize].max(came);
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    open.push(Reverse((there[next as usize], next)));
                }
            }
        }
        end
    }
}

/// The children of the root of a tree.
fn tops<'a>(
    topology: &'a Topology,
    up: &'a [Option<ChannelId>],
    root: NodeId,
) -> impl Iterator<Item = usize> + 'a {
    let below = move |channel: ChannelId| topology.target(channel).node == root;
    up.iter().enumerate().filter(move |(_, up)| up.is_some_and(below)).map(|(node, _)| node)
}

impl Places {
    fn new(from: u128, message: u128, period: u128) -> Self {
        // A message takes no time where there is nothing to send.
        let count = period.checked_div(message).unwrap_or(1).max(1);
        Self { from, taken: vec![false; count as usize], message, period }
    }

    /// Takes the first free place from a time on: place i starts i messages after the first one, in every
    /// period.
    fn take(&mut self, ready: u128) -> u128 {
        let Self { from, taken, message, period } = self;
        let count = taken.len() as u128;
        let since = ready.saturating_sub(*from);
        let (periods, rest) =
            (since.checked_div(*period).unwrap_or(0), since.checked_rem(*period).unwrap_or(0));
        let later = periods * count + rest.div_ceil((*message).max(1)).min(count);
        let free = (later..later + count).find(|at| !taken[(at % count) as usize]).unwrap_or(later);
        taken[(free % count) as usize] = true;
        *from + free / count * *period + free % count * *message
    }
}
