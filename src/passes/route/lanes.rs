//! Virtual channels of next hops: as few as there is a proof for.
//!
//! In: next hops of shortest routes, by destination. Out: the same with virtual channels, and ranks of all
//! (channel, VC) that rise along every route. A packet that moves one virtual channel up at every hop waits
//! on higher ones only, whatever the network; some families need fewer, and each is tried before:
//!
//! - One: a megafly goes leaf, spine, spine, leaf, a fat tree up and then down, so that every hop is of a
//!   later kind than the one before; a mesh, hyperx or hypercube in axis order takes the axes one after the
//!   other, and along a mesh never turns. Rings of up to four have no two routes that meet all the way round.
//! - Two with a dateline: along a ring, VC 0 up to the link between the last router and the first one, VC 1
//!   behind it; routes that no such packet can join stay on VC 0. Source: Dally and Seitz (1987).
//! - The global hops so far: in a dragonfly no two local hops follow each other, so that the order is local
//!   in VC 0, global in VC 0, local in VC 1. Shortest routes of three hops begin with a local one (see
//!   [`minimal`](super::minimal)), so that none goes on behind its second global link, and two virtual
//!   channels do. Source: Kim and others (2008), who use one more for routes that are not minimal.
//!
//! None of that is taken on trust: ranks are those of the dependencies that the routes really make, and where
//! these run in a circle, as they may around a fault, the next way of counting is tried. Cost: a walk of
//! every route as far as it is new, and one topological sort.

use super::algebraic::dateline;
use super::ranks;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{LanedHops, Lanes, NextHops, Scene};
use fabc_model::{Fabric, Family, RoutingChoice, Torus, VcCount};
use fixedbitset::FixedBitSet;
use petgraph::graphmap::DiGraphMap;
use rayon::prelude::*;

/// A way to choose virtual channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// All on VC 0.
    Single,
    /// By where a ring is passed round.
    Datelines,
    /// By what the packet has counted.
    Count(VcCount),
}

/// The ways that a fabric routed by next hops may go, those of fewer virtual channels first; the last one
/// always can.
pub fn rules(fabric: &Fabric) -> &'static [Rule] {
    const HOPS: Rule = Rule::Count(VcCount::Hops);
    const GLOBAL: Rule = Rule::Count(VcCount::GlobalHops);
    let Some(family) = fabric.family() else { return &[HOPS] };
    match (fabric.routing, family) {
        (_, Family::Dragonfly(_)) => &[GLOBAL, HOPS],
        (RoutingChoice::Minimal, Family::Megafly(_)) => &[Rule::Single, GLOBAL, HOPS],
        (RoutingChoice::Minimal, Family::FatTree(_)) => &[Rule::Single, HOPS],
        (RoutingChoice::Algebraic, Family::Mesh(_) | Family::HyperX(_) | Family::Hypercube(_)) => {
            &[Rule::Single]
        }
        (RoutingChoice::Algebraic, Family::Torus(_)) => &[Rule::Single, Rule::Datelines],
        _ => &[HOPS],
    }
}

/// Whether routes should begin with a local hop where they can, so that global hops are few.
pub fn local_first(fabric: &Fabric) -> bool {
    rules(fabric)[0] == Rule::Count(VcCount::GlobalHops)
}

/// How many virtual channels the routes of a healthy fabric of this diameter take for certain, and by which
/// rule.
pub fn least(fabric: &Fabric, diameter: u32) -> (Rule, u32) {
    let first = rules(fabric)[0];
    match (first, fabric.family()) {
        (Rule::Count(VcCount::Hops), _) => (first, diameter),
        // One of the first two of three hops is global.
        (Rule::Count(VcCount::GlobalHops), _) => (first, if diameter < 3 { 1 } else { 2 }),
        // Routes of two hops start at every router of a longer ring.
        (_, Some(Family::Torus(Torus(sides)))) if sides.iter().any(|&side| side > 4) => (Rule::Datelines, 2),
        _ => (first, 1),
    }
}

/// Next hops with the first rule of [`rules`] that has a proof, which is also that of the fewest virtual
/// channels.
pub fn fewest(fabric: &Fabric, scene: &Scene<'_>, next: NextHops) -> (LanedHops, Rule) {
    let vcs = u32::from(fabric.budget.vcs);
    for &rule in rules(fabric) {
        let lanes = match rule {
            Rule::Single => listed(&next, |_, _| 0),
            Rule::Datelines => listed(&next, |from, to| dateline(fabric, from, to)),
            Rule::Count(count) => Lanes::Counted(count),
        };
        let used = used(scene, &next, &lanes);
        let vcs = vcs.max(used);
        let ranks = match rule {
            Rule::Count(VcCount::Hops) => {
                Some((0..scene.topology.class_count(&next.symmetry)).flat_map(|_| 0..vcs).collect())
            }
            _ => rising_ranks(scene, &next, &lanes, vcs),
        };
        if let Some(ranks) = ranks {
            return (LanedHops { next, lanes, used, vcs, ranks }, rule);
        }
    }
    unreachable!("the last rule of every network has a proof")
}

/// A virtual channel for every destination and router.
fn listed(next: &NextHops, vc: impl Fn(u32, u32) -> u8) -> Lanes {
    let nodes = 0..next.symmetry.node_count() as u32;
    let to = |to: &NodeId| nodes.clone().map(|from| if from == to.0 { 0 } else { vc(from, to.0) }).collect();
    Lanes::Listed(next.destinations.iter().map(to).collect())
}

/// How many virtual channels the routes use.
fn used(scene: &Scene<'_>, next: &NextHops, lanes: &Lanes) -> u32 {
    let to = |at: usize| {
        let hops = scene.endpoints().flat_map(|source| next.route(scene.topology, lanes, at, source));
        hops.map(|(_, vc)| vc + 1).max()
    };
    (0..next.destinations.len()).into_par_iter().filter_map(to).max().unwrap_or(1)
}

/// Ranks that rise along every route; `None` where channels can wait for each other in a circle.
fn rising_ranks(scene: &Scene<'_>, next: &NextHops, lanes: &Lanes, vcs: u32) -> Option<Vec<u32>> {
    let topology = scene.topology;
    let (classes, wide) = (topology.class_count(&next.symmetry), vcs as usize);
    let mut dependencies = DiGraphMap::<u32, ()>::new();
    // `[node * vcs + vc]`: whether what leaves there so, for the destination of the moment, has been
    // followed.
    let mut followed = FixedBitSet::with_capacity(topology.node_count() * wide);
    for at in 0..next.destinations.len() {
        followed.clear();
        for source in scene.endpoints() {
            let mut held = None;
            for (channel, vc) in next.route(topology, lanes, at, source) {
                let symbol = topology.channel_class(&next.symmetry, channel).0 * vcs + vc;
                if let Some(held) = held {
                    dependencies.add_edge(held, symbol, ());
                }
                // What it waits for from here on is known.
                if followed.put(topology.source(channel).node.index() * wide + vc as usize) {
                    break;
                }
                held = Some(symbol);
            }
        }
    }
    ranks::of_dependencies(classes * wide, &dependencies)
}
