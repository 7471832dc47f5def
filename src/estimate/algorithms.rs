//! The algorithms of every collective on every shape.
//!
//! Sources: Thakur, Rabenseifner and Gropp (2005) for ring, halving and doubling; Bruck, Ho, Kipnis, Upfal
//! and Weathersby (1997) for gathers and all-to-alls in ceil(log2 N) steps of any N, Bar-Noy, Kipnis and
//! Schieber (1993) for sums in as many; Patarasuk and Yuan (2009) for the volume 2(N - 1)/N; Sanders, Speck
//! and Traff (2009) for two trees. What is pipelined counts the limit of small pieces: every hop once, every
//! byte once.

use super::cost::Cost;
use super::counts::{doublings, others};
use super::shape::Shape;
use fabc_model::Collective;

/// How many channels of a chip an algorithm uses at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// The one port that a chip has.
    Port,
    /// One of several: all of them together could do more.
    One,
    /// All.
    All,
}

impl Links {
    /// As in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Links::Port => "port",
            Links::One => "one",
            Links::All => "all",
        }
    }
}

/// An algorithm and what it takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Algorithm {
    /// As on the command line.
    pub name: &'static str,
    /// How it goes.
    pub what: &'static str,
    /// Channels at a time.
    pub links: Links,
    /// What it takes of a channel.
    pub cost: Cost,
}

/// Every algorithm of a collective on a shape with a closed form; none on a dragonfly. Reduce is broadcast
/// backwards, reduce-scatter is all-gather backwards: their rows are in the same order.
pub fn algorithms(kind: Collective, shape: &Shape) -> Vec<Algorithm> {
    let chips = shape.chips();
    let rows = match shape {
        Shape::Torus { sides, .. } => torus(kind, chips, sides, &shape.axis_loads(), shape.hops()),
        Shape::Mesh { sides } => mesh(kind, chips, sides, &shape.axis_loads(), shape.hops_from_the_middle()),
        Shape::Dragonfly { .. } => Vec::new(),
        _ => flat(kind, chips),
    };
    let links = |one: bool| match shape.ports() {
        1 => Links::Port,
        _ if one => Links::One,
        _ => Links::All,
    };
    rows.into_iter()
        .map(|(name, what, one, cost)| Algorithm { name, what, links: links(one), cost })
        .collect()
}

/// A collective in a switch that adds and copies: the latency is that of the switch, once for every way
/// through it.
pub fn in_switch(kind: Collective, chips: u64) -> Algorithm {
    let (steps, volume, what) = match kind {
        Collective::AllReduce => (2, 1.0, "the switch adds, then copies the sum to all"),
        Collective::AllGather => (2, others(chips), "the switch copies every shard to all others"),
        Collective::ReduceScatter => (2, others(chips), "the switch adds every shard for its owner"),
        Collective::Broadcast => (2, 1.0, "the switch copies to all"),
        Collective::Reduce => (1, 1.0, "the switch adds for the root"),
        Collective::AllToAll | Collective::Send => {
            (1, others(chips), "the switch sorts shards by their destinations")
        }
    };
    Algorithm { name: "in_switch", what, links: Links::Port, cost: Cost { steps, messages: 1, volume } }
}

/// Name, how it goes, whether it uses one channel at a time, cost.
type Entry = (&'static str, &'static str, bool, Cost);

const RING: &str = "neighbour to neighbour around a ring of all chips";
const RING_PIPELINED: &str = "small pieces along a chain of all chips";

/// A star, or all joined to all: every chip can send to every other one.
fn flat(kind: Collective, chips: u64) -> Vec<Entry> {
    let (n, l, g) = (chips - 1, doublings(chips), others(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            ("tree", "small pieces along a pair of trees that share the chips' work", true, Cost::of(l, 1.0)),
            ("ring", RING_PIPELINED, true, Cost::of(n, 1.0)),
            (
                "binomial",
                "whole vectors along one tree: its root moves the vector in every step",
                true,
                Cost::of(l, l as f64),
            ),
        ],
        Collective::AllReduce => vec![
            ("ring", RING, true, Cost::of(2 * n, 2.0 * g)),
            (
                "double_tree",
                "small pieces up and down a pair of trees: every chip sends each byte twice",
                true,
                Cost::of(2 * l, 2.0),
            ),
            (
                "halving_doubling",
                "halves, quarters, .. to partners, and back",
                true,
                Cost::of(2 * l, 2.0 * g),
            ),
            ("recursive_doubling", "whole vectors to partners", true, Cost::of(l, l as f64)),
        ],
        Collective::AllGather => vec![
            ("ring", RING, true, Cost::of(n, g)),
            ("doubling", "twice as many shards in every step, to partners", true, Cost::of(l, g)),
        ],
        Collective::ReduceScatter => {
            vec![
                ("ring", RING, true, Cost::of(n, g)),
                ("halving", "half as many shards in every step, to partners", true, Cost::of(l, g)),
            ]
        }
        Collective::AllToAll => vec![
            ("pairwise", "to another partner in every step", true, Cost::of(n, g)),
            (
                "bruck",
                "all shards whose distance has a bit, bit by bit",
                true,
                Cost::of(l, shards_moved_by_bits(chips) / chips as f64),
            ),
        ],
        // Nobody asks for it: there is no closed form.
        Collective::Send => Vec::new(),
    }
}

/// Shards that a chip moves if each goes as many times as its distance has bits: N/2 per bit of a power of
/// two.
fn shards_moved_by_bits(chips: u64) -> f64 {
    let n = u128::from(chips);
    let of = |bit: u32| ((n >> (bit + 1)) << bit) + (n % (1 << (bit + 1))).saturating_sub(1 << bit);
    (0..64).map(|bit| of(bit) as f64).sum()
}

fn sum(sides: &[u64], of: impl Fn(u64) -> u64) -> u64 {
    sides.iter().map(|&side| of(side)).sum()
}

/// Rings along the axes, one axis after the other.
fn torus(kind: Collective, chips: u64, sides: &[u64], loads: &[f64], half: u64) -> Vec<Entry> {
    let (round, log, g) = (sum(sides, |side| side - 1), sum(sides, doublings), others(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            ("both_ways", "small pieces along every ring, both ways at once", true, Cost::of(half, 1.0)),
            ("one_way", "small pieces along every ring, one way", true, Cost::of(round, 1.0)),
        ],
        Collective::AllToAll => direct(loads, half, sum(sides, |side| side - 1), chips),
        _ => by_axes(kind, round, log, g),
    }
}

/// Lines along the axes, one axis after the other.
fn mesh(kind: Collective, chips: u64, sides: &[u64], loads: &[f64], middle: u64) -> Vec<Entry> {
    let (round, log, g) = (sum(sides, |side| side - 1), sum(sides, doublings), others(chips));
    match kind {
        Collective::Broadcast | Collective::Reduce => vec![
            ("middle", "small pieces along every line, the root in the middle", true, Cost::of(middle, 1.0)),
            ("corner", "small pieces along every line, the root in a corner", true, Cost::of(round, 1.0)),
        ],
        Collective::AllToAll => direct(loads, round, round, chips),
        _ => {
            let mut rows = by_axes(kind, round, log, g);
            rows.truncate(1);
            let (name, _, one, cost) = rows[0];
            let worst = Cost { volume: 2.0 * cost.volume, ..cost };
            debug_assert_eq!(name, "ring");
            rows.push((
                "undisciplined",
                "the same with both ways of every line in each other's way: at most so long",
                one,
                worst,
            ));
            rows
        }
    }
}

/// Gathers, scatters and sums, axis by axis.
fn by_axes(kind: Collective, round: u64, log: u64, g: f64) -> Vec<Entry> {
    const BY_AXES: &str = "neighbour to neighbour along every axis, one axis after the other";
    const PARTNERS: &str =
        "to partners along every axis; a step to any distance counts as one, and its way as free";
    let (name, ways) = match kind {
        Collective::AllReduce => ("halving_doubling", 2),
        Collective::ReduceScatter => ("halving", 1),
        _ => ("doubling", 1),
    };
    let volume = ways as f64 * g;
    vec![
        ("ring", BY_AXES, true, Cost::of(ways * round, volume)),
        (name, PARTNERS, true, Cost::of(ways * log, volume)),
    ]
}

/// All-to-alls over shortest ways.
fn direct(loads: &[f64], hops: u64, by_axes: u64, chips: u64) -> Vec<Entry> {
    let (most, all) = (loads.iter().copied().fold(0.0, f64::max), loads.iter().sum());
    let minimal = Cost { steps: hops, messages: chips - 1, volume: most };
    let by_dimension = Cost { steps: hops, messages: by_axes, volume: all };
    vec![
        ("minimal", "all shards at once over shortest ways, ties split", false, minimal),
        ("by_dimension", "an exchange along every axis, one axis after the other", true, by_dimension),
    ]
}
