//! Routes that do not arrive, and sums over those that do.

/// A route that does not arrive: its two routers, and the reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in super::super) struct Astray {
    pub(in super::super) from: u32,
    pub(in super::super) to: u32,
    pub(in super::super) why: AstrayReason,
}

/// The reason why a packet does not arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in super::super) enum AstrayReason {
    /// This router has no entry for it.
    NoEntry(u32),
    /// This router sends it where no lit link is.
    Dark(u32),
    /// It passes more queues than there are.
    Loop,
    /// No path leads to its destination.
    Apart,
}

/// Sums of loads over some routes.
#[derive(Clone, Default)]
pub(super) struct RouteSums {
    /// `[channel]` or `[class of channels]`: the load.
    pub(super) channels: Vec<u128>,
    pub(super) weight: u128,
    pub(super) hops: u128,
    pub(super) cycles: u128,
    /// The zero-load latency of the slowest route.
    pub(super) most: u64,
    /// The first route that does not arrive.
    pub(super) astray: Option<Astray>,
}

impl RouteSums {
    /// Empty sums over `channels` channels.
    pub(super) fn new(channels: usize) -> Self {
        Self { channels: vec![0; channels], ..Self::default() }
    }

    /// Both sums together, in any order.
    pub(super) fn merged(mut self, other: Self) -> Self {
        if self.channels.len() < other.channels.len() {
            return other.merged(self);
        }
        self.channels.iter_mut().zip(&other.channels).for_each(|(sum, more)| *sum += more);
        self.weight += other.weight;
        self.hops += other.hops;
        self.cycles += other.cycles;
        self.most = self.most.max(other.most);
        self.strayed(other.astray);
        self
    }

    /// Notes a route that does not arrive. The first one is kept, whichever thread found it.
    pub(super) fn strayed(&mut self, astray: Option<Astray>) {
        self.astray = [self.astray, astray].into_iter().flatten().min();
    }

    /// The sums, if all routes arrive.
    pub(super) fn arrived(self) -> Result<Self, Astray> {
        self.astray.map_or(Ok(self), Err)
    }
}
