//! Channel lengths known to be tight on whole families of pods: two-valued by kind (copper 1, fiber w), by
//! dimension, by cut; where chips send unequal amounts, also around the chips and cubes with the most to send
//! or receive per channel.
//!
//! Multiplicative weights come close to the best lengths but never quite there where a cut decides (tori, two
//! cubes); there these bound exactly. Source: measured; the dimension lengths are the bisection argument for
//! tori.

use fabc_base::ids::{ChannelId, Id, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::Demand;

/// Fiber lengths tried against copper length 1.
const FIBER: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// Cuts of each sort around what sends or receives most.
const AROUND: usize = 4;

/// Lengths to start the flow of a healthy pod from, `[channel class]` each.
pub fn start_lengths(topology: &Topology, demand: &Demand) -> Vec<Vec<u32>> {
    let channels = Classes::new(topology);
    let ports = topology.ports();
    let by = |f: &dyn Fn(usize) -> u32| (0..channels.kinds.len()).map(f).collect::<Vec<u32>>();
    let mut all = Vec::new();
    for fiber in FIBER {
        all.push(by(&|class| if channels.kinds[class] == Some(LinkClass::Global) { fiber } else { 1 }));
    }
    for dimensions in 1..8u32 {
        all.push(by(&|class| (dimensions >> ((class % ports) / 2)) & 1));
    }
    // The copper across one plane inside the cubes: decides where a dimension has no switches.
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
            all.push(by(&|class| {
                u32::from(on_plane(class, 2 * dimension) || on_plane(channels.reverse[class], 2 * dimension))
            }));
        }
    }
    // Fibers that stay within a cube count like copper; the pure cut between cubes, and softer versions of
    // it.
    for (inside, across) in [(0, 1), (1, 2), (1, 4), (1, 9)] {
        all.push(by(&|class| if channels.crossing[class] { across } else { inside }));
    }
    if !demand.is_uniform() {
        all.extend(around_the_busiest(topology, demand, &channels));
    }
    all
}

/// What is said of channel classes.
struct Classes {
    /// `[class]`: `None` for a dark port.
    kinds: Vec<Option<LinkClass>>,
    /// `[class]`: the class of the reverse channels.
    reverse: Vec<usize>,
    /// `[class]`: copper steps that can be taken against the direction of the class's port before it: the
    /// position along its dimension.
    depth: Vec<u32>,
    /// `[class]`: whether the channels join different cubes.
    crossing: Vec<bool>,
}

impl Classes {
    fn new(topology: &Topology) -> Self {
        let symmetry = topology.symmetry();
        let classes = topology.class_count(symmetry);
        let mut all = Self {
            kinds: vec![None; classes],
            reverse: vec![0; classes],
            depth: vec![0; classes],
            crossing: vec![false; classes],
        };
        for channel in topology.channels() {
            let class = topology.channel_class(symmetry, channel).index();
            let [from, to] = [topology.source(channel), topology.target(channel)]
                .map(|end| end.node.index() / symmetry.block_size());
            all.kinds[class] = Some(topology.link(channel).class);
            let reverse = topology.reverse(channel).expect("links of pods are duplex");
            all.reverse[class] = topology.channel_class(symmetry, reverse).index();
            all.depth[class] = copper_behind(topology, channel);
            all.crossing[class] = from != to;
        }
        all
    }
}

/// How many copper links in a row lead up to a channel in its own direction; copper runs within cubes, where
/// every line ends.
fn copper_behind(topology: &Topology, channel: ChannelId) -> u32 {
    let mut at = topology.source(channel);
    let mut steps = 0;
    loop {
        let back = PortId(at.port.0 ^ 1);
        let Some(behind) = topology
            .outgoing(at.node, back)
            .filter(|&behind| topology.link(behind).class == LinkClass::Local)
        else {
            return steps;
        };
        at.node = topology.target(behind).node;
        steps += 1;
    }
}

/// Length 1 on the channels out of, or into, a class of chips or cubes, 0 elsewhere: those classes whose
/// members have the most to send, or to receive, per channel. Where a chip or a cube decides, its own
/// channels are the cut.
fn around_the_busiest(topology: &Topology, demand: &Demand, channels: &Classes) -> Vec<Vec<u32>> {
    let (symmetry, ports) = (topology.symmetry(), topology.ports());
    let (classes, per_cube) = (channels.kinds.len(), symmetry.block_size());
    // By chip, then by cube: what the canonical members of each class send and receive beyond themselves.
    let mut chips = vec![[0u64; 2]; classes / ports];
    let mut whole = vec![[0u64; 2]; classes / ports / per_cube];
    for source in symmetry.canonical_nodes() {
        let from = symmetry.class(source);
        for (node, &weight) in topology.nodes().zip(&demand.row(source)) {
            let to = symmetry.class(node);
            let across = u64::from(weight) * u64::from(node.index() / per_cube != source.index() / per_cube);
            chips[from][0] += u64::from(weight);
            chips[to][1] += u64::from(weight);
            whole[from / per_cube][0] += across;
            whole[to / per_cube][1] += across;
        }
    }
    let mut found = Vec::new();
    for (amounts, chips_each, by_cube) in [(&chips, 1, false), (&whole, per_cube, true)] {
        let counts = |class: usize| channels.kinds[class].is_some() && (!by_cube || channels.crossing[class]);
        let width = chips_each * ports;
        let lit: Vec<u64> = (0..amounts.len())
            .map(|member| {
                (member * width..(member + 1) * width).filter(|&class| counts(class)).count() as u64
            })
            .collect();
        for direction in [0, 1] {
            let mut members: Vec<usize> = (0..amounts.len()).filter(|&member| lit[member] > 0).collect();
            // Most per channel first, compared as fractions; ties by id.
            members.sort_by(|&a, &b| {
                let side =
                    |one: usize, other: usize| u128::from(amounts[one][direction]) * u128::from(lit[other]);
                side(b, a).cmp(&side(a, b)).then(a.cmp(&b))
            });
            for &member in members.iter().take(AROUND) {
                let within = |class: usize| counts(class) && class / width == member;
                let length =
                    |class: usize| within(if direction == 0 { class } else { channels.reverse[class] });
                found.push(
                    (0..classes)
                        .map(|class| u32::from(channels.kinds[class].is_some() && length(class)))
                        .collect(),
                );
            }
        }
    }
    found
}
