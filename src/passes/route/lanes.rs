//! Virtual channels of next hops: as few as there is a proof for.
//!
//! Input: next hops of shortest routes, by destination. Output: the same with virtual channels, and ranks
//! of all (channel, VC) that rise along every route. In any network a packet may move one virtual channel
//! up at every hop, so that it waits on higher ones only. Some families need fewer, and fabc tries their
//! rules first:
//!
//! - One VC. In a megafly a route goes leaf, spine, spine, leaf. Over tiers it goes up and then down.
//!   Every hop is of a later kind than the one before. In axis order, a mesh, hyperx or hypercube takes the
//!   axes one after the other, and along an axis of a mesh it never turns. On rings of up to four routers
//!   no routes close a cycle.
//! - Two VCs with a dateline. Along a ring, packets use VC 0 up to the link between the last router and the
//!   first one, and VC 1 after it. Routes that no such packet can join stay on VC 0. Source: Dally and
//!   Seitz (1987).
//! - The count of global hops. In a dragonfly no two local hops follow each other, so that the order is
//!   local in VC 0, global in VC 0, local in VC 1. Shortest routes of three hops begin with a local hop
//!   (see [`minimal`](super::minimal)). So no route continues after its second global hop, and two VCs
//!   suffice. Source: Kim and others (2008), who use one more for routes that are not minimal.
//!
//! No rule is taken on trust. The ranks come from the dependencies that the routes make. Where these form a
//! cycle, as they may around a fault, fabc tries the next rule. Cost: a walk of every route up to the part
//! already walked, and one topological sort.

use super::algebraic::dateline;
use super::ranks;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{NextHops, RankedHops, Scene, VcRule};
use fabc_model::{Fabric, Family, RoutingChoice, Torus, VcCount};
use fixedbitset::FixedBitSet;
use petgraph::graphmap::DiGraphMap;
use rayon::prelude::*;

/// A rule that gives each hop its virtual channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneRule {
    /// All hops use VC 0.
    Single,
    /// The VC changes where a route crosses the dateline of a ring.
    Datelines,
    /// The VC is the packet's count of earlier hops, all or only global ones.
    Count(VcCount),
}

/// The rules to try for a fabric routed by next hops, those of fewer virtual channels first. The last rule
/// always has a proof.
pub fn rules(fabric: &Fabric) -> &'static [LaneRule] {
    const HOPS: LaneRule = LaneRule::Count(VcCount::Hops);
    const GLOBAL: LaneRule = LaneRule::Count(VcCount::GlobalHops);
    let Some(family) = fabric.family() else { return &[HOPS] };
    match (fabric.routing, family) {
        (_, Family::Dragonfly(_)) => &[GLOBAL, HOPS],
        (RoutingChoice::Minimal, Family::Megafly(_)) => &[LaneRule::Single, GLOBAL, HOPS],
        (RoutingChoice::Minimal, family) if family.facts().has_tiers() => &[LaneRule::Single, HOPS],
        (RoutingChoice::Algebraic, Family::Mesh(_) | Family::HyperX(_) | Family::Hypercube(_)) => {
            &[LaneRule::Single]
        }
        (RoutingChoice::Algebraic, Family::Torus(_)) => &[LaneRule::Single, LaneRule::Datelines],
        _ => &[HOPS],
    }
}

/// Whether routes should begin with a local hop where they can, so that they have few global hops.
pub fn local_first(fabric: &Fabric) -> bool {
    rules(fabric)[0] == LaneRule::Count(VcCount::GlobalHops)
}

/// The first rule of a healthy fabric of this diameter, and the number of virtual channels that its routes
/// need for certain.
pub fn certain_vcs(fabric: &Fabric, diameter: u32) -> (LaneRule, u32) {
    let rule = rules(fabric)[0];
    match (rule, fabric.family()) {
        (LaneRule::Count(VcCount::Hops), _) => (rule, diameter),
        // One of the first two of three hops is global.
        (LaneRule::Count(VcCount::GlobalHops), _) => (rule, if diameter < 3 { 1 } else { 2 }),
        // Routes of two hops start at every router of a longer ring.
        (_, Some(Family::Torus(Torus(sides)))) if sides.iter().any(|&side| side > 4) => {
            (LaneRule::Datelines, 2)
        }
        _ => (rule, 1),
    }
}

/// Gives next hops their virtual channels by the first of the [`rules`] that has a proof. That rule also
/// needs the fewest.
pub fn assign_fewest(fabric: &Fabric, scene: &Scene<'_>, next: NextHops) -> (RankedHops, LaneRule) {
    let vcs = u32::from(fabric.budget.vcs);
    for &rule in rules(fabric) {
        let lanes = match rule {
            LaneRule::Single => list_vcs(&next, |_, _| 0),
            LaneRule::Datelines => list_vcs(&next, |from, to| dateline(fabric, from, to)),
            LaneRule::Count(count) => VcRule::Counted(count),
        };
        let used_vcs = used_vcs(scene, &next, &lanes);
        let vcs = vcs.max(used_vcs);
        let ranks = match rule {
            LaneRule::Count(VcCount::Hops) => {
                Some((0..scene.topology.class_count(&next.symmetry)).flat_map(|_| 0..vcs).collect())
            }
            _ => rising_ranks(scene, &next, &lanes, vcs),
        };
        if let Some(ranks) = ranks {
            return (RankedHops { next, lanes, used: used_vcs, vcs, ranks }, rule);
        }
    }
    unreachable!("the last rule of every network has a proof")
}

/// A listed virtual channel for every destination and router.
fn list_vcs(next: &NextHops, vc: impl Fn(u32, u32) -> u8) -> VcRule {
    let nodes = 0..next.symmetry.node_count() as u32;
    let vcs_towards = |destination: &NodeId| {
        nodes.clone().map(|from| if from == destination.0 { 0 } else { vc(from, destination.0) }).collect()
    };
    VcRule::Listed(next.destinations.iter().map(vcs_towards).collect())
}

/// The number of virtual channels that the routes use.
fn used_vcs(scene: &Scene<'_>, next: &NextHops, lanes: &VcRule) -> u32 {
    let vcs_needed = |place: usize| {
        let hops = scene.endpoints().flat_map(|source| next.route(scene.topology, lanes, place, source));
        hops.map(|(_, vc)| vc + 1).max()
    };
    (0..next.destinations.len()).into_par_iter().filter_map(vcs_needed).max().unwrap_or(1)
}

/// Ranks that rise along every route, or `None` where channels can wait for each other in a cycle.
fn rising_ranks(scene: &Scene<'_>, next: &NextHops, lanes: &VcRule, vcs: u32) -> Option<Vec<u32>> {
    let topology = scene.topology;
    let (classes, width) = (topology.class_count(&next.symmetry), vcs as usize);
    let mut dependencies = DiGraphMap::<u32, ()>::new();
    // `[node * vcs + vc]`: whether packets for the current destination that leave the router so have been
    // followed already.
    let mut followed = FixedBitSet::with_capacity(topology.node_count() * width);
    for place in 0..next.destinations.len() {
        followed.clear();
        for source in scene.endpoints() {
            let mut held = None;
            for (channel, vc) in next.route(topology, lanes, place, source) {
                let symbol = topology.channel_class(&next.symmetry, channel).0 * vcs + vc;
                if let Some(held) = held {
                    dependencies.add_edge(held, symbol, ());
                }
                // The dependencies from here on are known.
                if followed.put(topology.source(channel).node.index() * width + vc as usize) {
                    break;
                }
                held = Some(symbol);
            }
        }
    }
    ranks::from_dependencies(classes * width, &dependencies)
}
