//! The routing of a simulation, as a spec asks for it.

use crate::word::words;

/// How packets choose their routes. All methods but `Tables` need a network of routers. There, a packet is on
/// virtual channel k on its hop k, so that no packet ever waits for one on a lower channel. Under `Spray` and
/// `Ecmp` one channel is enough, because no hop up follows a hop down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketRouting {
    /// By the forwarding tables, on their virtual channels.
    Tables,
    /// At every hop by any of the channels that lead nearer, with equal probability.
    Min,
    /// At every hop to the router of the lowest number that is nearer.
    MinFirst,
    /// By the shortest path that the family itself prescribes.
    Family,
    /// To a random router, and from there to the destination.
    Valiant,
    /// The shortest path or one over a random router, chosen by the queues at the source.
    Ugal,
    /// The same choice, by the queues along the whole path.
    UgalGlobal,
    /// Up through the tiers and then down: every packet by the next port of the group in turn. Networks with
    /// tiers only.
    Spray,
    /// Up through the tiers and then down: all packets of a flow by one port, chosen by a hash.
    Ecmp,
}

impl PacketRouting {
    /// Whether packets take any member of a next-hop group.
    pub fn has_groups(self) -> bool {
        matches!(self, PacketRouting::Spray | PacketRouting::Ecmp)
    }
    /// Whether packets number their hops by virtual channels.
    pub fn counts_hops(self) -> bool {
        !matches!(self, PacketRouting::Tables | PacketRouting::Spray | PacketRouting::Ecmp)
    }
}

/// The choice among shortest paths for the two halves of a path over a random router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HalfRoutes {
    /// At every hop any of the routers that are nearer.
    Random,
    /// At every hop the router of the lowest number that is nearer.
    First,
    /// The path that the family prescribes.
    Family,
}

/// The comparison between candidate paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// The least product: hops times (flits booked + flits of the packet).
    Product,
    /// The shortest path, unless its queue is more than twice that of the other path plus the bias, whatever
    /// the hops.
    Booksim,
}

words!(PacketRouting {
    Tables = "tables",
    Min = "min",
    MinFirst = "min_first",
    Family = "family",
    Valiant = "valiant",
    Ugal = "ugal",
    UgalGlobal = "ugal_global",
    Spray = "spray",
    Ecmp = "ecmp",
});

words!(HalfRoutes { Random = "random", First = "first", Family = "family" });

words!(Score { Product = "product", Booksim = "booksim" });

/// The routing settings of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RoutingSettings {
    /// The method. `None`: the tables.
    pub routing: Option<PacketRouting>,
    /// For `valiant` and `ugal`: the paths of the two halves. `None`: what a dragonfly prescribes, in other
    /// networks any.
    pub shortest: Option<HalfRoutes>,
    /// For `ugal`: number of longer candidates. `None`: 4, or 1 by the rule of BookSim.
    pub samples: Option<u16>,
    /// For `ugal`: flits added to the score of a longer candidate. `None`: 0, or 30 by the rule of BookSim.
    pub bias: Option<u32>,
    /// For `ugal`: the comparison. `None`: the product.
    pub score: Option<Score>,
    /// For `ecmp`: number of flows of every ordered pair of hosts. `None`: as many as the routing of the
    /// fabric has, or 1.
    pub flows: Option<u32>,
}
