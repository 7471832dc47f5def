//! Channel lengths known to be tight on whole families of pods. They are two-valued by kind (copper 1,
//! fiber w), by dimension, or by cut. If chips send unequal amounts, there are also cuts around the chips
//! and cubes with the most to send or receive per channel.
//!
//! Multiplicative weights come close to the best lengths but never quite there if a cut decides (tori, two
//! cubes). There these bound exactly. Source: measured. The dimension lengths are the bisection argument
//! for tori.

use fabc_base::ids::{ChannelId, Id, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::Demand;

/// The fiber lengths tried against copper length 1.
const FIBER: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// The number of cuts of each sort around the members that send or receive most.
const AROUND: usize = 4;

/// The lengths to start the flow of a healthy pod from, `[channel class]` each.
pub fn start_lengths(topology: &Topology, demand: &Demand) -> Vec<Vec<u32>> {
    let channels = ClassFacts::new(topology);
    let ports = topology.ports();
    let by_class = |f: &dyn Fn(usize) -> u32| (0..channels.kinds.len()).map(f).collect::<Vec<u32>>();
    let mut seeds = Vec::new();
    for fiber in FIBER {
        seeds.push(by_class(&|class| {
            if channels.kinds[class] == Some(LinkClass::Global) { fiber } else { 1 }
        }));
    }
    for dimensions in 1..8u32 {
        seeds.push(by_class(&|class| (dimensions >> ((class % ports) / 2)) & 1));
    }
    // The copper across one plane inside the cubes decides if a dimension has no switches.
    let copper = |class: usize| channels.kinds[class] == Some(LinkClass::Local);
    let deepest = (0..channels.kinds.len())
        .filter(|&class| copper(class))
        .map(|class| channels.depth[class])
        .max()
        .unwrap_or(0);
    for dimension in 0..ports / 2 {
        for plane in 0..=deepest {
            let on_plane = |class: usize, port: usize| {
                copper(class) && class % ports == port && channels.depth[class] == plane
            };
            seeds.push(by_class(&|class| {
                u32::from(on_plane(class, 2 * dimension) || on_plane(channels.reverse[class], 2 * dimension))
            }));
        }
    }
    // The pure cut between cubes, and softer versions of it. Fibers that stay within a cube count like
    // copper.
    for (inside, across) in [(0, 1), (1, 2), (1, 4), (1, 9)] {
        seeds.push(by_class(&|class| if channels.crossing[class] { across } else { inside }));
    }
    if !demand.is_uniform() {
        seeds.extend(around_busiest(topology, demand, &channels));
    }
    seeds
}

/// Facts about the channel classes of a topology.
struct ClassFacts {
    /// `[class]`: the kind of its links, or `None` for a dark port.
    kinds: Vec<Option<LinkClass>>,
    /// `[class]`: the class of the reverse channels.
    reverse: Vec<usize>,
    /// `[class]`: the position along its dimension, as the copper steps possible against the direction of
    /// its port.
    depth: Vec<u32>,
    /// `[class]`: whether the channels join different cubes.
    crossing: Vec<bool>,
}

impl ClassFacts {
    fn new(topology: &Topology) -> Self {
        let symmetry = topology.symmetry();
        let classes = topology.class_count(symmetry);
        let mut facts = Self {
            kinds: vec![None; classes],
            reverse: vec![0; classes],
            depth: vec![0; classes],
            crossing: vec![false; classes],
        };
        for channel in topology.channels() {
            let class = topology.channel_class(symmetry, channel).index();
            let [from, to] = [topology.source(channel), topology.target(channel)]
                .map(|end| end.node.index() / symmetry.block_size());
            facts.kinds[class] = Some(topology.link(channel).class);
            let reverse = topology.reverse(channel).expect("links of pods are duplex");
            facts.reverse[class] = topology.channel_class(symmetry, reverse).index();
            facts.depth[class] = copper_behind(topology, channel);
            facts.crossing[class] = from != to;
        }
        facts
    }
}

/// The number of copper links in a row that lead up to a channel in its own direction. Copper runs within
/// cubes, where every line ends.
fn copper_behind(topology: &Topology, channel: ChannelId) -> u32 {
    let mut end = topology.source(channel);
    let mut steps = 0;
    loop {
        let back = PortId(end.port.0 ^ 1);
        let Some(behind) = topology
            .outgoing(end.node, back)
            .filter(|&behind| topology.link(behind).class == LinkClass::Local)
        else {
            return steps;
        };
        end.node = topology.target(behind).node;
        steps += 1;
    }
}

/// Lengths of 1 on the channels out of, or into, a class of chips or cubes, and 0 elsewhere. The classes
/// are those with the most to send, or to receive, per channel. If a chip or a cube decides, its own
/// channels are the cut.
fn around_busiest(topology: &Topology, demand: &Demand, channels: &ClassFacts) -> Vec<Vec<u32>> {
    let (symmetry, ports) = (topology.symmetry(), topology.ports());
    let (classes, per_cube) = (channels.kinds.len(), symmetry.block_size());
    // The amounts that the canonical members of each class send and receive beyond themselves, by chip,
    // then by cube.
    let mut chips = vec![[0u64; 2]; classes / ports];
    let mut cubes = vec![[0u64; 2]; classes / ports / per_cube];
    for source in symmetry.canonical_nodes() {
        let from = symmetry.class(source);
        for (node, &weight) in topology.nodes().zip(&demand.row(source)) {
            let to = symmetry.class(node);
            let across = u64::from(weight) * u64::from(node.index() / per_cube != source.index() / per_cube);
            chips[from][0] += u64::from(weight);
            chips[to][1] += u64::from(weight);
            cubes[from / per_cube][0] += across;
            cubes[to / per_cube][1] += across;
        }
    }
    let mut cut_lengths = Vec::new();
    for (amounts, chips_each, by_cube) in [(&chips, 1, false), (&cubes, per_cube, true)] {
        let counts = |class: usize| channels.kinds[class].is_some() && (!by_cube || channels.crossing[class]);
        let width = chips_each * ports;
        let lit: Vec<u64> = (0..amounts.len())
            .map(|member| {
                (member * width..(member + 1) * width).filter(|&class| counts(class)).count() as u64
            })
            .collect();
        for direction in [0, 1] {
            let mut members: Vec<usize> = (0..amounts.len()).filter(|&member| lit[member] > 0).collect();
            // The most per channel comes first, compared as fractions. The smaller id wins ties.
            members.sort_by(|&a, &b| {
                let side = |a: usize, b: usize| u128::from(amounts[a][direction]) * u128::from(lit[b]);
                side(b, a).cmp(&side(a, b)).then(a.cmp(&b))
            });
            for &member in members.iter().take(AROUND) {
                let within = |class: usize| counts(class) && class / width == member;
                let length =
                    |class: usize| within(if direction == 0 { class } else { channels.reverse[class] });
                cut_lengths.push(
                    (0..classes)
                        .map(|class| u32::from(channels.kinds[class].is_some() && length(class)))
                        .collect(),
                );
            }
        }
    }
    cut_lengths
}
