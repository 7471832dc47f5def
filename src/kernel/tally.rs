//! What a walk counts, and the first pairs and entries at which it fails.

/// What a walk counted: sums over the destinations that were walked.
pub struct Walked {
    /// `[router class * ports + port]`: load of the channel class, in parts of a unit.
    pub loads: Vec<u64>,
    /// `[vc]`: hops on that virtual channel.
    pub vc_hops: Vec<u64>,
    /// `[h]`: pairs whose route has h hops.
    pub route_hops: Vec<u64>,
    /// Cycles of all routes and their images together.
    pub cycles_total: u64,
    /// Cycles of the slowest route.
    pub cycles_most: u64,
}

/// The reasons why a walk failed.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct FailedWalk {
    /// The number of pairs whose packets do not arrive.
    pub lost: u64,
    pub first_lost: Option<EndpointPair>,
    /// The first pair whose packets loop.
    pub first_looping: Option<EndpointPair>,
    /// The first entry that no packet uses: its destination, and its place in the row of that destination.
    pub first_unused: Option<(usize, usize)>,
}

/// An ordered pair of endpoints. Pairs are ordered by their destination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct EndpointPair {
    pub destination: usize,
    pub source: usize,
}

/// What becomes of packets that stand at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PacketFate {
    Unknown,
    /// On the path that is being followed now.
    Open,
    Arrives,
    Lost,
    Loops,
}

/// Sums over the destinations of one part.
pub(crate) struct WalkTally {
    pub walked: Walked,
    pub failed: FailedWalk,
}

impl WalkTally {
    /// Adds the counts of another part. Its destinations must be later ones.
    pub(crate) fn add(&mut self, other: &Self) {
        let (sum, more) = (&mut self.walked, &other.walked);
        add_lists(&mut sum.loads, &more.loads);
        add_lists(&mut sum.vc_hops, &more.vc_hops);
        add_lists(&mut sum.route_hops, &more.route_hops);
        sum.cycles_total += more.cycles_total;
        sum.cycles_most = sum.cycles_most.max(more.cycles_most);
        let (sum, more) = (&mut self.failed, &other.failed);
        sum.lost += more.lost;
        sum.first_lost = sum.first_lost.or(more.first_lost);
        sum.first_looping = sum.first_looping.or(more.first_looping);
        sum.first_unused = sum.first_unused.or(more.first_unused);
    }
}

impl FailedWalk {
    /// Notes a pair whose packets do not arrive.
    pub(crate) fn note(&mut self, pair: EndpointPair, fate: PacketFate) {
        let first = match fate {
            PacketFate::Lost => &mut self.first_lost,
            PacketFate::Loops => &mut self.first_looping,
            PacketFate::Unknown | PacketFate::Open | PacketFate::Arrives => return,
        };
        first.get_or_insert(pair);
        self.lost += 1;
    }
}

/// Adds a list to another one, element by element. The shorter list counts as padded with zeros.
pub(crate) fn add_lists(sum: &mut Vec<u64>, more: &[u64]) {
    sum.resize(sum.len().max(more.len()), 0);
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}
