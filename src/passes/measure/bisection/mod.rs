//! The bisection of a network: an interval for the least number of links between two halves of its routers.
//!
//! Input: a connected topology of duplex links, and halves that its structure suggests. Output: two halves
//! of floor(N / 2) and ceil(N / 2) of all N routers with few links between them, and a lower bound on the
//! links between any two such halves. Parallel links count one by one, whatever they carry.
//!
//! The upper bound is the best of many starts. These are multilevel cuts of mixed depth ([`multilevel`]),
//! and cuts that the structure suggests: routers by id, halves of every block, the Fiedler vector, and the
//! halves of the family. Moves refine each of them ([`refine`]), and the best of them pass once more
//! through all levels.
//!
//! The first lower bound is lambda2 floor(N / 2) ceil(N / 2) / N, rounded up, with lambda2 of the Laplacian
//! from [`spectrum`]. Take the vector that is ceil(N / 2) on one half and -floor(N / 2) on the other: its
//! quadratic form is N^2 times the cut (Fiedler 1973; Mohar 1989). Where that is less than the upper bound,
//! [`lower`] proves more, and finds narrower halves.
//!
//! The first start wins ties. Cost: as many starts as [`STARTS`] allows, fewer on graphs with many links.
//! Starts are counted, never timed.

mod demands;
mod graph;
mod hosts;
mod lower;
mod multilevel;
mod refine;
mod relaxation;
mod search;
mod spectrum;
mod starts;

pub(super) use hosts::host_bisection;

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_base::limits;
use fabc_ir::{Bisection, PassRecord, Topology};
use fabc_model::Demand;
use graph::{CutGraph, first_half};
use lower::{Ends, narrowed_ends};
use spectrum::{Spectrum, spectrum};
use starts::best_cut;
use std::cmp::Ordering;

/// The most multilevel starts, and the links that all of them together begin with. There are as many starts
/// as either row allows. Small graphs, whose best cuts are rare among good ones, have more.
const STARTS: [(usize, usize); 2] = [(128, 1 << 22), (1024, 1 << 21)];
/// The most starts if nothing depends on the bisection.
const BRIEF_STARTS: usize = 64;
/// The fewest starts, however many links there are.
const FEWEST_STARTS: usize = 4;
/// The links of all starts for large networks, whose spectrum is not computed and whose structure suggests
/// more.
const LARGE_WORK: usize = 1 << 19;

/// Measures the bisection. `family_halves` are halves, `[router]`, in any balance. With `brief`, few starts
/// are made.
///
/// The topology must be connected and have two routers or more and no simplex link. See
/// [`fabc_ir::bisection_unmeasured`].
pub(super) fn bisection(
    topology: &Topology,
    demand: &Demand,
    family_halves: &[Vec<bool>],
    brief: bool,
) -> (Bisection, PassRecord) {
    let graph = CutGraph::from_topology(topology);
    let large = graph.len() > limits::SPECTRUM_ROUTERS;
    let spectrum = (!large).then(|| spectrum(&graph));
    // The floats are only compared.
    let by_value = |Spectrum { fiedler, .. }: &Spectrum| {
        first_half(graph.len(), |a, b| fiedler[a].total_cmp(&fiedler[b]))
    };
    let structural: Vec<Vec<bool>> = family_halves
        .iter()
        .cloned()
        .chain(structural_halves(topology))
        .chain(spectrum.as_ref().map(by_value))
        .collect();
    let links = topology.links().len().max(1);
    let affordable = STARTS.map(|(max_starts, work)| max_starts.min(work / links));
    let multilevel =
        if large { LARGE_WORK / links } else { affordable[0].max(affordable[1]) }.max(FEWEST_STARTS);
    let multilevel = if brief { multilevel.min(BRIEF_STARTS) } else { multilevel };
    let starts = structural.len() + multilevel;
    let (upper_bound, sides) = best_cut(&graph, &structural, multilevel);
    let value = spectrum.as_ref().and_then(|spectrum| spectrum.lower_bound);
    let by_spectrum =
        value.map_or(1, |value| spectral_bound(topology.node_count(), value)).clamp(1, upper_bound.max(1));
    let first = Ends { width: upper_bound, sides, by_search: 0, weights: None };
    let ends = if large || by_spectrum >= upper_bound {
        first
    } else {
        narrowed_ends(topology, &graph, by_spectrum, first, brief)
    };
    let lower_bound = by_spectrum.max(ends.at_least());
    let record = pass_record(spectrum.as_ref(), starts, &ends, lower_bound == ends.width);
    (measure_halves(topology, demand, by_spectrum, ends), record)
}

/// The record of the work. `spectrum` is `None` for a network whose spectrum is not computed.
fn pass_record(spectrum: Option<&Spectrum>, starts: usize, ends: &Ends, is_optimal: bool) -> PassRecord {
    let steps = spectrum.map_or(0, |spectrum| spectrum.steps);
    let note = match spectrum {
        None => Some("the network has too many routers for the spectrum: only the flow gives a lower bound"),
        Some(Spectrum { lower_bound: None, .. }) if ends.at_least() == 0 => {
            Some("the iteration for the lower end did not converge: only the flow gives a lower bound")
        }
        Some(_) => None,
    };
    PassRecord {
        name: "bisection".to_owned(),
        stopped_by: if is_optimal { "optimal" } else { "budget" }.to_owned(),
        counters: vec![("starts".to_owned(), starts as u64), ("steps".to_owned(), steps)],
        notes: note.map(str::to_owned).into_iter().collect(),
    }
}

/// The lower bound ceil(lambda2 floor(N / 2) ceil(N / 2) / N).
fn spectral_bound(routers: usize, lambda2: f64) -> u64 {
    let (below, above) = ((routers / 2) as f64, routers.div_ceil(2) as f64);
    libm::ceil(lambda2 * below * above / routers as f64).max(1.0) as u64
}

/// The result for two halves.
fn measure_halves(topology: &Topology, demand: &Demand, by_spectrum: u64, ends: Ends) -> Bisection {
    let Ends { sides, by_search, weights, .. } = ends;
    let ones = sides.iter().filter(|side| **side).count();
    // The smaller half. Of equal halves it is that of router 0.
    let smaller_side = if ones * 2 == sides.len() { sides[0] } else { ones * 2 < sides.len() };
    let half: Vec<NodeId> = topology.nodes().filter(|node| sides[node.index()] == smaller_side).collect();
    let inside = |node: NodeId| sides[node.index()] == smaller_side;
    let across = || topology.links().iter().filter(|link| inside(link.a.node) != inside(link.b.node));
    let at_endpoints = across()
        .filter(|link| topology.is_endpoint(link.a.node) || topology.is_endpoint(link.b.node))
        .count() as u64;
    let [leaving_true, leaving_false] =
        [true, false].map(|from| capacity_and_demand_from(topology, demand, &|node| inside(node) == from));
    // A half without demand counts as the widest.
    let wider = |(capacity, demand): (u64, u64), than: (u64, u64)| {
        u128::from(capacity) * u128::from(than.1) > u128::from(than.0) * u128::from(demand)
    };
    let (capacity, demand) =
        if wider(leaving_true, leaving_false) || leaving_true.1 == 0 { leaving_false } else { leaving_true };
    let narrowest = topology.links().ids().map(|link| topology.capacity(link)).min().unwrap_or(1);
    let narrowest_bps = narrowest * topology.capacities().unit_bps();
    Bisection {
        by_spectrum,
        by_flow: 0,
        by_search,
        weights,
        at_most: across().count() as u64,
        at_endpoints,
        half,
        capacity,
        demand,
        narrowest_bps,
    }
}

/// The capacity of the channels that leave a half, and the demand from it to the other one.
fn capacity_and_demand_from(
    topology: &Topology,
    demand: &Demand,
    inside: &dyn Fn(NodeId) -> bool,
) -> (u64, u64) {
    let leaves = |channel: &ChannelId| {
        inside(topology.source(*channel).node) && !inside(topology.target(*channel).node)
    };
    let capacity = topology.channels().filter(leaves).map(|channel| topology.channel_capacity(channel)).sum();
    let receivers: Vec<NodeId> = topology.endpoints().filter(|&node| !inside(node)).collect();
    if demand.is_uniform() {
        return (capacity, ((topology.endpoints().count() - receivers.len()) * receivers.len()) as u64);
    }
    let sent = |source: NodeId| receivers.iter().map(|&to| u64::from(demand.weight(source, to))).sum::<u64>();
    (capacity, topology.endpoints().filter(|&node| inside(node)).map(sent).sum())
}

/// Halves that the order of the routers and the blocks suggest.
fn structural_halves(topology: &Topology) -> Vec<Vec<bool>> {
    let routers = topology.node_count();
    let block = topology.symmetry().block_size().max(1);
    let mut halves = vec![first_half(routers, |_, _| Ordering::Equal)];
    if block > 1 {
        // The first half of every block. In blocks of odd size, the middle router goes to either side in
        // turn.
        let late_half = |router: usize| (2 * (router % block) + router / block % 2) / block;
        halves.push(first_half(routers, |a, b| late_half(a).cmp(&late_half(b))));
    }
    halves
}
