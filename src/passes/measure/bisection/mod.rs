//! The bisection of a network: an interval for the least number of links between two halves of its routers.
//!
//! In: a connected topology of two-way links, and halves that its structure makes plausible. Out: two halves
//! of floor(N / 2) and ceil(N / 2) of all N routers with few links between them, and a number that no two
//! such halves go below. Parallel links count one by one, whatever they carry.
//!
//! The upper end is the best of many starts: multilevel cuts of mixed depth ([`multilevel`]), and what the
//! structure suggests (routers by id, halves of every block, the Fiedler vector, and what the family hands
//! over), each refined by moves ([`refine`]), and the best of them once more through all levels. The lower
//! end is lambda2 floor(N / 2) ceil(N / 2) / N, rounded up, with lambda2 of the Laplacian from [`spectrum`]:
//! for the vector that is ceil(N / 2) on one half and -floor(N / 2) on the other, the quadratic form is N^2
//! times the cut (Fiedler 1973; Mohar 1989). Ties: the first start. Cost: as many starts as
//! [`STARTS`] allows, fewer on graphs with many links; counted, never timed.

mod graph;
mod multilevel;
mod refine;
mod spectrum;

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_base::limits;
use fabc_base::random::Stream;
use fabc_ir::{Bisection, PassRecord, Topology};
use fabc_model::Demand;
use graph::Graph;
use rayon::prelude::*;
use refine::refine;
use spectrum::{Spectrum, spectrum};
use std::cmp::Ordering;

/// Multilevel starts, at most, and the links that all of them together begin with: as many starts as either
/// allows. Small graphs, whose best cuts are rare among good ones, have more.
const STARTS: [(usize, usize); 2] = [(128, 1 << 22), (1024, 1 << 21)];
/// Starts at most where nothing depends on the bisection.
const BRIEF_STARTS: usize = 64;
/// Fewest of them, however many links there are.
const FEWEST_STARTS: usize = 4;
/// The same of networks whose spectrum is not looked at, which are large, and where the structure tells more.
const LARGE_WORK: usize = 1 << 19;
/// Vertices at which coarsening ends, in turn: deep, and ever flatter.
const COARSEST: [usize; 4] = [40, 80, 240, usize::MAX];
/// One of so many starts, the best ones, is coarsened and refined again, so many times.
const BETTERED_PART: usize = 8;
const CYCLES: usize = 8;
/// The stream of the first start; the ones before are the spectrum's. Starts beyond the first kind share
/// streams with the cycles, which draw other things from them.
const FIRST_STREAM: u64 = 1;

/// Measures the bisection; `given` are halves, `[router]`, in any balance; `brief`: from few starts.
///
/// The topology must be connected and have two routers or more and no simplex link; see
/// [`fabc_ir::bisection_unmeasured`].
pub(super) fn bisection(
    topology: &Topology,
    demand: &Demand,
    given: &[Vec<bool>],
    brief: bool,
) -> (Bisection, PassRecord) {
    let graph = Graph::of(topology);
    let large = graph.len() > limits::SPECTRUM_ROUTERS;
    let spectrum = (!large).then(|| spectrum(&graph));
    // Floats are only compared.
    let by_value = |Spectrum { fiedler, .. }: &Spectrum| {
        first_half(graph.len(), |one, other| fiedler[one].total_cmp(&fiedler[other]))
    };
    let structural: Vec<Vec<bool>> =
        given.iter().cloned().chain(plausible(topology)).chain(spectrum.as_ref().map(by_value)).collect();
    let links = topology.links().len().max(1);
    let affordable = STARTS.map(|(most, work)| most.min(work / links));
    let multilevel =
        if large { LARGE_WORK / links } else { affordable[0].max(affordable[1]) }.max(FEWEST_STARTS);
    let multilevel = if brief { multilevel.min(BRIEF_STARTS) } else { multilevel };
    let cut_of = |start: usize| {
        let sides = match structural.get(start) {
            Some(sides) => {
                let mut sides = sides.clone();
                refine(&graph, &mut sides, 0);
                sides
            }
            None => {
                let at = start - structural.len();
                multilevel::halves(
                    &graph,
                    COARSEST[at % COARSEST.len()],
                    None,
                    &mut Stream::new(1, FIRST_STREAM + at as u64),
                )
            }
        };
        (graph.cut(&sides), start, sides)
    };
    let starts = structural.len() + multilevel;
    let mut found: Vec<(u64, usize, Vec<bool>)> = (0..starts).into_par_iter().map(cut_of).collect();
    found.sort_by_key(|&(cut, start, _)| (cut, start));
    found.truncate(multilevel.div_ceil(BETTERED_PART));
    let again = |&(cut, start, ref sides): &(u64, usize, Vec<bool>)| {
        let mut best = (cut, sides.clone());
        for cycle in 0..CYCLES {
            let mut stream = Stream::new(1, FIRST_STREAM + (STARTS[0].0 + start * CYCLES + cycle) as u64);
            let sides = multilevel::halves(&graph, COARSEST[0], Some(&best.1), &mut stream);
            let cut = graph.cut(&sides);
            // Coarse levels are balanced coarsely: what comes back may be worse.
            best = if cut <= best.0 { (cut, sides) } else { best };
        }
        (best.0, start, best.1)
    };
    let best = found.par_iter().map(again).min_by_key(|&(cut, start, _)| (cut, start));
    let (most, _, sides) = best.expect("there is a start");
    let value = spectrum.as_ref().and_then(|spectrum| spectrum.least);
    let by_spectrum = value.map_or(1, |value| lower_end(topology.node_count(), value)).clamp(1, most.max(1));
    let record = PassRecord {
        name: "bisection".to_owned(),
        stopped_by: if by_spectrum == most { "optimal" } else { "budget" }.to_owned(),
        counters: [
            ("starts", starts as u64),
            ("steps", spectrum.as_ref().map_or(0, |spectrum| spectrum.steps)),
        ]
        .map(|(name, count)| (name.to_owned(), count))
        .to_vec(),
        notes: match (value, large) {
            (Some(_), _) => Vec::new(),
            (None, true) => vec![
                "the spectrum of so many routers is not looked at: only the flow tells a lower end"
                    .to_owned(),
            ],
            (None, false) => {
                vec!["the iteration for the lower end did not settle: only the flow tells one".to_owned()]
            }
        },
    };
    (halved(topology, demand, &sides, by_spectrum), record)
}

/// ceil(lambda2 floor(N / 2) ceil(N / 2) / N).
fn lower_end(routers: usize, lambda2: f64) -> u64 {
    let (below, above) = ((routers / 2) as f64, routers.div_ceil(2) as f64);
    libm::ceil(lambda2 * below * above / routers as f64).max(1.0) as u64
}

/// What follows from two halves.
fn halved(topology: &Topology, demand: &Demand, sides: &[bool], by_spectrum: u64) -> Bisection {
    let ones = sides.iter().filter(|side| **side).count();
    // The smaller half; of equal ones that of router 0.
    let wanted = if ones * 2 == sides.len() { sides[0] } else { ones * 2 < sides.len() };
    let half: Vec<NodeId> = topology.nodes().filter(|node| sides[node.index()] == wanted).collect();
    let inside = |node: NodeId| sides[node.index()] == wanted;
    let across = || topology.links().iter().filter(|link| inside(link.a.node) != inside(link.b.node));
    let at_endpoints = across()
        .filter(|link| topology.is_endpoint(link.a.node) || topology.is_endpoint(link.b.node))
        .count() as u64;
    let [one, other] = [true, false].map(|from| across_from(topology, demand, &|node| inside(node) == from));
    // No demand at all is the widest.
    let wider = |(capacity, demand): (u64, u64), than: (u64, u64)| {
        u128::from(capacity) * u128::from(than.1) > u128::from(than.0) * u128::from(demand)
    };
    let (capacity, demand) = if wider(one, other) || one.1 == 0 { other } else { one };
    let narrowest = topology.links().ids().map(|link| topology.capacity(link)).min().unwrap_or(1);
    let narrowest_bps = narrowest * topology.capacities().unit_bps();
    Bisection {
        by_spectrum,
        by_flow: 0,
        most: across().count() as u64,
        at_endpoints,
        half,
        capacity,
        demand,
        narrowest_bps,
    }
}

/// Capacity of the channels that leave a half, and the demand from it to the other one.
fn across_from(topology: &Topology, demand: &Demand, inside: &dyn Fn(NodeId) -> bool) -> (u64, u64) {
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

/// The half of the routers that comes first in an order; equal ones follow each other by id.
fn first_half(routers: usize, order: impl Fn(usize, usize) -> Ordering) -> Vec<bool> {
    let mut sorted: Vec<usize> = (0..routers).collect();
    sorted.sort_by(|&one, &other| order(one, other));
    let mut sides = vec![false; routers];
    sorted[..routers / 2].iter().for_each(|&router| sides[router] = true);
    sides
}

/// Halves that any structure makes plausible.
fn plausible(topology: &Topology) -> Vec<Vec<bool>> {
    let routers = topology.node_count();
    let block = topology.symmetry().block_size().max(1);
    let mut halves = vec![first_half(routers, |_, _| Ordering::Equal)];
    if block > 1 {
        // The first half of every block; of an odd one, the middle router goes to either side in turn.
        let second = |router: usize| (2 * (router % block) + router / block % 2) / block;
        halves.push(first_half(routers, |one, other| second(one).cmp(&second(other))));
    }
    halves
}
