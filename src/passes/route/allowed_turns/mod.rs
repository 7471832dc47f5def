//! Allowed turns: shortest-path routing under one rank order of all (channel class, VC) symbols.
//!
//! When: any topology; the default. In: a topology, lit links, channel prices (the dual lengths of the flow). Out: one route per pair, agreeing wherever
//! routes share (dst, in_port, in_vc), rising in rank on every hop, so that no set of packets can deadlock under any demand. Method: a start order by greedy insertion
//! of turns with cycle detection (the allowed turns of the TONS paper, section 5), improved by weighted linear ordering so that as few pairs as possible lose all their
//! near-shortest paths; then route selection as descent of an exponential potential of the channel loads. Everything works on the quotient
//! under the symmetry of the pod. A fault is routed under the order of the healthy pod. Cost at 2 VCs, one core: see `docs/benchmarks.md`.

mod graph;
mod greedy;
mod order;
mod select;
mod starts;

use crate::ids::{IdVec, LinkId};
use crate::ir::{DualLengths, Routes, Symmetry, Topology};
use crate::progress::{Progress, Silent};
use graph::Graph;
pub use select::Selection;

/// Work of the method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Virtual channels to use, at most four of the budget.
    pub vcs: u8,
    /// Rounds of improving the rank order.
    pub order_rounds: u32,
    /// Sweeps of the route selection.
    pub sweeps: u32,
    /// Sweeps of a fault scenario, which starts from the routes of the healthy pod.
    pub fault_sweeps: u32,
    /// Seed of the order's tie-breaks.
    pub seed: u64,
}

impl Settings {
    /// The default work for a pod.
    pub fn for_pod(vcs: u8, nodes: usize) -> Self {
        // Small pods are cheap and have the least slack: one route more is 1.4 % at 128 chips.
        let sweeps = if nodes <= 256 { 150 } else { 100 };
        // Three VCs are practically unconstrained (measured); more than four only make the search larger.
        Self { vcs: vcs.min(4), order_rounds: 120, sweeps, fault_sweeps: 12, seed: 1 }
    }
}

/// A rank order of all (channel class, VC) symbols.
#[derive(Clone, Debug)]
pub struct TurnOrder {
    ranks: Vec<u32>,
    /// Pairs (of canonical destination) that have no near-shortest path under the order.
    pub lost_pairs: u64,
}

/// The order for the healthy pod.
pub fn order(topology: &Topology, prices: &DualLengths, settings: &Settings, progress: &dyn Progress) -> TurnOrder {
    let alive = IdVec::filled(true, topology.links().len());
    let graph = Graph::new(topology, topology.symmetry(), &alive, usize::from(settings.vcs));
    order::improve(&graph, &costs(&graph, &prices.lengths), settings, progress)
}

/// Routes a scenario under an order; where that leaves a pair without any path, the order is improved for the scenario first.
///
/// `healthy` is the selection of the healthy pod: a fault keeps what is still lit of it and mends the rest.
pub fn select(
    topology: &Topology,
    alive: &IdVec<LinkId, bool>,
    prices: &DualLengths,
    order: &TurnOrder,
    settings: &Settings,
    healthy: Option<&Selection>,
) -> (Routes, Selection) {
    let bound = prices.distance as f64 / prices.volume as f64;
    let vcs = usize::from(settings.vcs);
    if let Some(healthy) = healthy {
        let graph = Graph::new(topology, healthy.symmetry(), alive, vcs);
        let costs = costs(&graph, &graph::spread(topology, healthy.symmetry(), &prices.lengths));
        if let Ok(selected) = select::select(&graph, &costs, healthy.ranks(), bound, settings.fault_sweeps, Some(healthy)) {
            return (selected.routes(topology, &graph), selected);
        }
    }
    let graph = Graph::new(topology, topology.symmetry(), alive, vcs);
    let costs = costs(&graph, &prices.lengths);
    if let Ok(selected) = select::select(&graph, &costs, &order.ranks, bound, settings.sweeps, None) {
        return (selected.routes(topology, &graph), selected);
    }
    let own = order::improve(&graph, &costs, settings, &Silent);
    if let Ok(selected) = select::select(&graph, &costs, &own.ranks, bound, settings.sweeps, None) {
        return (selected.routes(topology, &graph), selected);
    }
    asymmetric(topology, alive, prices, bound, settings)
}

/// Where no order that keeps the symmetry connects all pairs (one VC does that): every channel its own class, starting from the up*/down* order,
/// under which every pair has a path.
fn asymmetric(
    topology: &Topology,
    alive: &IdVec<LinkId, bool>,
    prices: &DualLengths,
    bound: f64,
    settings: &Settings,
) -> (Routes, Selection) {
    let symmetry = Symmetry::trivial(topology.symmetry().chips_per_cube() as u32, topology.symmetry().cubes() as u32);
    let graph = Graph::new(topology, &symmetry, alive, usize::from(settings.vcs));
    let lengths = graph::spread(topology, &symmetry, &prices.lengths);
    let costs = costs(&graph, &lengths);
    let tree = starts::by_tree(&graph);
    // The work of a round grows with the number of destinations.
    let rounds = (settings.order_rounds as usize * 64 / graph.destinations.len().max(64)).max(8) as u32;
    let sweeps = (settings.sweeps as usize * 64 / graph.destinations.len().max(64)).max(24) as u32;
    let improved = order::improve_from(&graph, &costs, &Settings { order_rounds: rounds, ..*settings }, &tree);
    let selected = select::select(&graph, &costs, &improved, bound, sweeps, None).expect("the paths along the tree stay allowed");
    (selected.routes(topology, &graph), selected)
}

/// Cost of a hop per class: half hops, half price, so that a class without a price (beside the cut that decides) still costs something.
fn costs(graph: &Graph, lengths: &[u64]) -> Vec<u32> {
    const HOP: u64 = 1 << 10;
    let lit: Vec<u64> = {
        let mut lit = vec![false; graph.classes];
        graph.class.iter().filter(|&&class| class != graph::DARK).for_each(|&class| lit[class as usize] = true);
        (0..graph.classes).filter(|&class| lit[class]).map(|class| lengths[class]).collect()
    };
    let mean = (lit.iter().sum::<u64>() / lit.len().max(1) as u64).max(1);
    lengths.iter().map(|&length| (HOP + HOP * length.min(16 * mean) / mean) as u32).collect()
}
