//! The algorithms of every collective on every shape.
//!
//! Sources: Thakur, Rabenseifner and Gropp (2005) for ring, halving and doubling. Bruck, Ho, Kipnis, Upfal
//! and Weathersby (1997) for gathers and all-to-alls in ceil(log2 N) steps for any N. Bar-Noy, Kipnis and
//! Schieber (1993) for sums in as many steps. Patarasuk and Yuan (2009) for the volume 2(N - 1)/N. Sanders,
//! Speck and Traff (2009) for two trees. The cost of a pipelined algorithm is the limit of small pieces:
//! every hop counts once and every byte counts once.

use super::cost::Cost;
use super::counts::{AxisWalk, doublings, remote_part};
use super::shape::FabricShape;
use fabc_model::Collective;

/// How many channels of a chip an algorithm uses at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkUse {
    /// The chip has only one port.
    Port,
    /// One of several ports. An algorithm that uses all of them could be faster.
    One,
    /// All ports of the chip.
    All,
}

impl LinkUse {
    /// Name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            LinkUse::Port => "port",
            LinkUse::One => "one",
            LinkUse::All => "all",
        }
    }
}

/// An algorithm and its cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Algorithm {
    /// Name on the command line.
    pub name: &'static str,
    /// Description of the algorithm, for people.
    pub description: &'static str,
    /// How many channels of a chip it uses at a time.
    pub links: LinkUse,
    /// Its cost on a channel.
    pub cost: Cost,
}

/// Every algorithm of a collective on a shape that has a closed form. A dragonfly has none. Reduce is
/// broadcast in reverse, and reduce-scatter is all-gather in reverse, so their rows have the same order.
pub fn algorithms(kind: Collective, shape: &FabricShape) -> Vec<Algorithm> {
    algorithms_by_axis(kind, shape, &[])
}

/// The same with nanoseconds of a hop by axis. Without any, all hops take the latency of the channel.
pub(super) fn algorithms_by_axis(kind: Collective, shape: &FabricShape, latencies: &[f64]) -> Vec<Algorithm> {
    let chips = shape.chips();
    let entries = match shape {
        FabricShape::Torus { sides, .. } => {
            let axes = Axes { sides, latencies, loads: &shape.axis_loads() };
            torus_entries(kind, chips, &axes, shape.walk(latencies))
        }
        FabricShape::Mesh { sides } => {
            let axes = Axes { sides, latencies, loads: &shape.axis_loads() };
            mesh_entries(kind, chips, &axes, shape.walk_from_the_middle(latencies))
        }
        FabricShape::Dragonfly { .. } => Vec::new(),
        _ => single_hop_entries(kind, chips),
    };
    let link_use = |single: bool| match shape.ports() {
        1 => LinkUse::Port,
        _ if single => LinkUse::One,
        _ => LinkUse::All,
    };
    entries
        .into_iter()
        .map(|(name, description, single, cost)| Algorithm {
            name,
            description,
            links: link_use(single),
            cost,
        })
        .collect()
}

/// A collective in a switch that adds and copies. The latency is that of the switch, once per pass through
/// it.
pub fn in_switch(kind: Collective, chips: u64) -> Algorithm {
    let (steps, volume, description) = match kind {
        Collective::AllReduce => (2, 1.0, "the switch adds, then copies the sum to all"),
        Collective::AllGather => (2, remote_part(chips), "the switch copies every shard to all others"),
        Collective::ReduceScatter => (2, remote_part(chips), "the switch adds every shard for its owner"),
        Collective::Broadcast => (2, 1.0, "the switch copies to all"),
        Collective::Reduce => (1, 1.0, "the switch adds for the root"),
        Collective::AllToAll | Collective::Send => {
            (1, remote_part(chips), "the switch sorts shards by their destinations")
        }
    };
    Algorithm {
        name: "in_switch",
        description,
        links: LinkUse::Port,
        cost: Cost { messages: 1, ..Cost::of_steps(steps, volume) },
    }
}

/// The reduce-scatter and the all-gather inside a group whose switch adds and copies, around an all-reduce of
/// the shards. The switch takes in the vector of every chip, and copies all sums to all.
pub(super) fn switch_halves(chips: u64) -> [Algorithm; 2] {
    let half = |description, volume| Algorithm {
        name: "in_switch",
        description,
        links: LinkUse::Port,
        cost: Cost { messages: 1, ..Cost::of_steps(2, volume) },
    };
    [
        half("the switch of a group adds every shard for its owner, and copies the sums", 1.0),
        half("the switch of a group copies every sum to all", 1.0 / chips as f64),
    ]
}

/// The bound of an all-reduce on chips behind a switch that adds and copies: every byte of a chip leaves it.
pub(super) fn switch_bound() -> Algorithm {
    Algorithm {
        name: "with_switches",
        description: "with arithmetic in switches: every vector leaves its chip once",
        links: LinkUse::Port,
        cost: Cost { messages: 1, ..Cost::of_steps(1, 1.0) },
    }
}

/// Name, description, whether it uses one channel at a time, and cost.
type AlgorithmEntry = (&'static str, &'static str, bool, Cost);

const RING: &str = "neighbour to neighbour around a ring of all chips";
const RING_PIPELINED: &str = "small pieces along a chain of all chips";

/// Algorithms of a star or of fully connected chips, where every chip sends directly to every other chip.
fn single_hop_entries(kind: Collective, chips: u64) -> Vec<AlgorithmEntry> {
    let (others, log, remote) = (chips - 1, doublings(chips), remote_part(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            (
                "tree",
                "small pieces along a pair of trees that share the chips' work",
                true,
                Cost::of_steps(log, 1.0),
            ),
            ("ring", RING_PIPELINED, true, Cost::of_steps(others, 1.0)),
            (
                "binomial",
                "whole vectors along one tree: its root moves the vector in every step",
                true,
                Cost::of_steps(log, log as f64),
            ),
        ],
        Collective::AllReduce => vec![
            ("ring", RING, true, Cost::of_steps(2 * others, 2.0 * remote)),
            (
                "double_tree",
                "small pieces up and down a pair of trees: every chip sends each byte twice",
                true,
                Cost::of_steps(2 * log, 2.0),
            ),
            (
                "halving_doubling",
                "halves, quarters, .. to partners, and back",
                true,
                Cost::of_steps(2 * log, 2.0 * remote),
            ),
            ("recursive_doubling", "whole vectors to partners", true, Cost::of_steps(log, log as f64)),
        ],
        Collective::AllGather => vec![
            ("ring", RING, true, Cost::of_steps(others, remote)),
            (
                "doubling",
                "twice as many shards in every step, to partners",
                true,
                Cost::of_steps(log, remote),
            ),
        ],
        Collective::ReduceScatter => {
            vec![
                ("ring", RING, true, Cost::of_steps(others, remote)),
                (
                    "halving",
                    "half as many shards in every step, to partners",
                    true,
                    Cost::of_steps(log, remote),
                ),
            ]
        }
        Collective::AllToAll => vec![
            ("pairwise", "to another partner in every step", true, Cost::of_steps(others, remote)),
            (
                "bruck",
                "all shards whose distance has a bit, bit by bit",
                true,
                Cost::of_steps(log, shards_moved_by_bits(chips) / chips as f64),
            ),
        ],
        // A send has no closed form, and no command asks for one.
        Collective::Send => Vec::new(),
    }
}

/// Shards that a chip moves if each is sent once per bit that is set in its distance. For a power of two this
/// is N/2 per bit.
fn shards_moved_by_bits(chips: u64) -> f64 {
    let n = u128::from(chips);
    let shards_with_bit =
        |bit: u32| ((n >> (bit + 1)) << bit) + (n % (1 << (bit + 1))).saturating_sub(1 << bit);
    (0..64).map(|bit| shards_with_bit(bit) as f64).sum()
}

/// The axes of a torus or mesh.
struct Axes<'a> {
    /// `[axis]`: its number of chips.
    sides: &'a [u64],
    /// Nanoseconds of a hop by axis, or empty where all are alike.
    latencies: &'a [f64],
    /// The load of the busiest channel of each axis in an all-to-all, in vectors.
    loads: &'a [f64],
}

impl Axes<'_> {
    fn walk(&self, hops: impl Fn(u64) -> u64) -> AxisWalk {
        AxisWalk::new(self.sides, self.latencies, hops)
    }
}

/// Algorithms on rings along the axes, one axis after the other.
fn torus_entries(kind: Collective, chips: u64, axes: &Axes<'_>, diameter: AxisWalk) -> Vec<AlgorithmEntry> {
    let (steps, log, remote) = (axes.walk(|side| side - 1), axes.walk(doublings), remote_part(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            (
                "both_ways",
                "small pieces along every ring, both ways at once",
                true,
                Cost::of_walk(diameter, 1.0),
            ),
            ("one_way", "small pieces along every ring, one way", true, Cost::of_walk(steps, 1.0)),
        ],
        Collective::AllToAll => all_to_all_entries(axes.loads, diameter, steps.steps, chips),
        _ => axis_by_axis_entries(kind, steps, log, remote),
    }
}

/// Algorithms on lines along the axes, one axis after the other.
fn mesh_entries(kind: Collective, chips: u64, axes: &Axes<'_>, middle: AxisWalk) -> Vec<AlgorithmEntry> {
    let (steps, log, remote) = (axes.walk(|side| side - 1), axes.walk(doublings), remote_part(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            (
                "middle",
                "small pieces along every line, the root in the middle",
                true,
                Cost::of_walk(middle, 1.0),
            ),
            (
                "corner",
                "small pieces along every line, the root in a corner",
                true,
                Cost::of_walk(steps, 1.0),
            ),
        ],
        Collective::AllToAll => all_to_all_entries(axes.loads, steps, steps.steps, chips),
        _ => {
            let mut rows = axis_by_axis_entries(kind, steps, log, remote);
            rows.truncate(1);
            let (name, _, single, cost) = rows[0];
            let worst = Cost { volume: 2.0 * cost.volume, ..cost };
            debug_assert_eq!(name, "ring");
            rows.push((
                "undisciplined",
                "the same with both ways of every line in each other's way: at most so long",
                single,
                worst,
            ));
            rows
        }
    }
}

/// Gathers, scatters and sums, axis by axis.
fn axis_by_axis_entries(
    kind: Collective,
    steps: AxisWalk,
    log: AxisWalk,
    remote: f64,
) -> Vec<AlgorithmEntry> {
    const BY_AXES: &str = "neighbour to neighbour along every axis, one axis after the other";
    const PARTNERS: &str =
        "to partners along every axis; a step to any distance counts as one, and its way as free";
    let (name, passes) = match kind {
        Collective::AllReduce => ("halving_doubling", 2),
        Collective::ReduceScatter => ("halving", 1),
        _ => ("doubling", 1),
    };
    let volume = passes as f64 * remote;
    vec![
        ("ring", BY_AXES, true, Cost::of_walk(steps.times(passes), volume)),
        (name, PARTNERS, true, Cost::of_walk(log.times(passes), volume)),
    ]
}

/// All-to-alls that send over shortest paths.
fn all_to_all_entries(loads: &[f64], hops: AxisWalk, by_axes: u64, chips: u64) -> Vec<AlgorithmEntry> {
    let (busiest, total) = (loads.iter().copied().fold(0.0, f64::max), loads.iter().sum());
    let minimal = Cost { messages: chips - 1, ..Cost::of_walk(hops, busiest) };
    let by_dimension = Cost { messages: by_axes, ..Cost::of_walk(hops, total) };
    vec![
        ("minimal", "all shards at once over shortest ways, ties split", false, minimal),
        ("by_dimension", "an exchange along every axis, one axis after the other", true, by_dimension),
    ]
}
