//! How packets find their ways, as it is asked for.

use crate::word::words;

/// How packets find their ways. All but the tables need a network of routers: a packet is on virtual channel
/// k on its hop number k, so that no packet ever waits for one on a lower channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    /// By the forwarding tables, on their virtual channels.
    Tables,
    /// At every hop by one of the channels that lead nearer, all alike.
    Min,
    /// By the channel to the router of the lowest number that is nearer.
    MinFirst,
    /// By the shortest way that the family itself prescribes.
    Family,
    /// To a random router, and from there on.
    Valiant,
    /// The shortest way or one over a random router, by the queues at the source.
    Ugal,
    /// The same by the queues on the whole way.
    UgalGlobal,
}

/// Which of the shortest ways the two halves of a longer one are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortest {
    /// At every hop any of those that lead nearer.
    Random,
    /// The router of the lowest number that is nearer.
    First,
    /// What the family prescribes.
    Family,
}

/// How candidates are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hops times (flits booked + flits of the packet), the least.
    Product,
    /// The shortest way unless its queue is more than twice that of the other and the bias, whatever the
    /// hops.
    Booksim,
}

words!(Routing {
    Tables = "tables",
    Min = "min",
    MinFirst = "min_first",
    Family = "family",
    Valiant = "valiant",
    Ugal = "ugal",
    UgalGlobal = "ugal_global",
});

words!(Shortest { Random = "random", First = "first", Family = "family" });

words!(Score { Product = "product", Booksim = "booksim" });

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Choosing {
    /// How packets find their ways; by default by the tables.
    pub routing: Option<Routing>,
    /// Of `valiant` and `ugal`: what the halves are; by default what a dragonfly prescribes, anywhere else
    /// any.
    pub shortest: Option<Shortest>,
    /// Of `ugal`: longer candidates; by default 4, one by the rule of BookSim.
    pub samples: Option<u16>,
    /// Of `ugal`: flits that are added to the score of a longer candidate; by default none, 30 by the rule of
    /// BookSim.
    pub bias: Option<u32>,
    /// Of `ugal`: how candidates are compared; by default by the product.
    pub score: Option<Score>,
}
