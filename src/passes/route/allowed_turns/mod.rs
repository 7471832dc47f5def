//! Allowed-turns routing: one rank order of the channels, and single-path routes that climb it.
//!
//! Comes in: a topology, which links are lit, prices of the channels, a budget of virtual channels. Goes out: [`Routes`] for every
//! ordered pair. Invariants: the rank of (channel class, VC) rises along every route, so no set of channels can wait on itself, whatever the
//! demand; routes agree wherever they share (destination, input port, input VC).
//!
//! The idea of allowing as many turns as acyclicity permits, and choosing routes among them, is that of TONS (allowed turns with priorities,
//! appendix C); the start order inserts turns by falling priority with online cycle detection (Pearce and Kelly, "A dynamic
//! topological sort algorithm for directed acyclic graphs", 2006). On top of it: everything works on the quotient by the pod's
//! translations ([`quotient`]), the order is improved by a local search ([`improve`]), and routes are selected consistently by
//! descending an exponential potential ([`select`]).

mod dag;
mod improve;
mod linear;
mod potential;
mod quotient;
#[path = "select.rs"]
mod selection;

use crate::diag::Failure;
use crate::ids::{ChannelId, Id, IdVec, LinkId, NodeId, PortId, Vc};
use crate::ir::{DualLengths, Hop, Routes, Topology};
use crate::progress::Progress;
use linear::TurnGraph;
use miette::Diagnostic;
use quotient::Quotient;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use selection::Selection;
use thiserror::Error;

/// How much work goes into the order and the selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Virtual channels of the budget, 1..=8.
    pub vcs: u8,
    /// Rounds of order improvement.
    pub order_rounds: u32,
    /// Sweeps of the selection.
    pub sweeps: u32,
    /// Seed of the order improvement.
    pub seed: u64,
}

impl Settings {
    /// The default work for a topology of this size.
    pub fn for_size(nodes: usize, vcs: u8) -> Self {
        let order_rounds = match nodes {
            0..=1024 => 120,
            1025..=4096 => 60,
            _ => 40,
        };
        Self { vcs, order_rounds, sweeps: 50, seed: 1 }
    }
}

/// The order of all (channel class, VC), optimised for the healthy pod; it serves faults as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnOrder {
    /// Virtual channels that routes use (never more than the budget).
    pub vcs: u8,
    /// `[channel class * vcs + vc]` under the topology's symmetry.
    pub ranks: Vec<u32>,
    /// Ordered pairs with a canonical source that have no near-shortest path under this order.
    pub lost: u64,
}

/// Why there are no routes.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum RouteError {
    /// The lit links do not connect the pod.
    #[error("node {node} cannot be reached from node 0: the lit links do not connect the pod")]
    #[diagnostic(code(FAB0301))]
    Disconnected {
        /// A node that cannot be reached.
        node: NodeId,
    },
    /// No legal path in the VC budget.
    #[error("no deadlock-free route from node {src} to node {dst} with {vcs} virtual channel(s)")]
    #[diagnostic(code(FAB0302), help("raise `vcs` in the budget"))]
    NoLegalPath {
        /// Source of the pair.
        src: NodeId,
        /// Destination of the pair.
        dst: NodeId,
        /// Virtual channels of the budget.
        vcs: u8,
    },
}

impl From<RouteError> for Failure {
    fn from(error: RouteError) -> Self {
        Failure::infeasible(error)
    }
}

/// Virtual channels worth using: three are as good as any number.
fn used_vcs(settings: &Settings) -> usize {
    usize::from(settings.vcs.min(3))
}

/// Finds the order of a healthy pod.
pub fn order(topology: &Topology, prices: &DualLengths, settings: &Settings, progress: &dyn Progress) -> TurnOrder {
    let vcs = used_vcs(settings);
    let alive = IdVec::filled(true, topology.links().len());
    let quotient = Quotient::new(topology, &alive, prices, vcs, false);
    let tolerance = quotient::MEAN_LENGTH / 10;
    let dags = dag::near_shortest(&quotient, tolerance);
    let graph = TurnGraph::new(&quotient);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    progress.begin("order", u64::from(settings.order_rounds));
    let mut symbols: Vec<u32> = Vec::with_capacity(quotient.symbols());
    for vc in 0..vcs {
        let mut layer: Vec<u32> = (0..quotient.classes()).map(|class| (class * vcs + vc) as u32).collect();
        linear::shuffle(&mut layer, &mut rng);
        symbols.extend(layer);
    }
    let mut start = vec![0; symbols.len()];
    for (rank, symbol) in symbols.into_iter().enumerate() {
        start[symbol as usize] = rank as u32;
    }
    let ordered = improve::improve(&quotient, &dags, &graph, start, settings.order_rounds, &mut rng, &|| progress.advance());
    progress.end();
    TurnOrder { vcs: vcs as u8, ranks: ordered.rank, lost: ordered.lost }
}

/// Selects routes under an order.
///
/// # Errors
/// [`RouteError::Disconnected`] where the lit links do not connect the pod, [`RouteError::NoLegalPath`] where the budget does not suffice.
pub fn select(
    topology: &Topology,
    alive: &IdVec<LinkId, bool>,
    prices: &DualLengths,
    order: &TurnOrder,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Routes, RouteError> {
    let vcs = usize::from(order.vcs);
    let quotient = Quotient::new(topology, alive, prices, vcs, false);
    if let Some(node) = quotient.unreachable() {
        return Err(RouteError::Disconnected { node });
    }
    let ranks = order.ranks.clone();
    let mut selection = Selection::new(&quotient, &ranks);
    selection.start().map_err(|(src, dst)| RouteError::NoLegalPath { src, dst, vcs: settings.vcs })?;
    progress.begin("select", u64::from(settings.sweeps));
    let bound = (1.0 / prices.bound()).max(1.0);
    selection.descend(bound, settings.sweeps, &|| progress.advance());
    progress.end();
    Ok(finish(topology, &quotient, &selection, &ranks, settings.vcs))
}

/// Writes the routes out.
fn finish(topology: &Topology, quotient: &Quotient, selection: &Selection, ranks: &[u32], budget: u8) -> Routes {
    let destinations = quotient.symmetry.class_count();
    let mut offsets = Vec::with_capacity(destinations * quotient.nodes + 1);
    let mut hops = Vec::with_capacity(selection.hops() as usize);
    offsets.push(0);
    let channels: Vec<ChannelId> = topology
        .nodes()
        .flat_map(|node| (0..quotient.ports).map(move |port| topology.outgoing(node, PortId::new(port)).unwrap_or(ChannelId(u32::MAX))))
        .collect();
    for d in 0..destinations {
        for src in 0..quotient.nodes {
            selection.route(d, src, |state| hops.push(Hop { channel: channels[state / quotient.vcs], vc: Vc::new(state % quotient.vcs) }));
            offsets.push(hops.len() as u32);
        }
    }
    let mut spare = ranks.len() as u32;
    let mut all = Vec::with_capacity(quotient.classes() * usize::from(budget));
    for class in 0..quotient.classes() {
        for vc in 0..usize::from(budget) {
            all.push(if vc < quotient.vcs {
                ranks[class * quotient.vcs + vc]
            } else {
                spare += 1;
                spare
            });
        }
    }
    Routes { vcs: budget, symmetry: quotient.symmetry.clone(), offsets, hops, ranks: all }
}
