//! Lower bounds of the bisection beyond that of the spectrum, and narrower halves that come with them.
//!
//! Input: a graph and the best halves so far. Output: the ends of the interval. A small graph is searched to
//! the end ([`search`]). Otherwise the relaxation by vectors gives weights of the routers that prove a bound
//! ([`relaxation`]). In networks some of whose routers have no hosts, demands along shortest paths lift it
//! further ([`demands`]). Random planes cut the vectors into halves, and moves refine these.

use super::demands::lift_by_demands;
use super::graph::CutGraph;
use super::relaxation::{PairWeights, RANK, Relaxation};
use super::search;
use super::starts::best_of_halves;
use fabc_ir::{CutWeights, Topology};

/// Fewest and most sweeps of the relaxation, and the weights x dimensions of all of them together.
const SWEEPS: [usize; 2] = [40, 2000];
const SWEEP_WORK: usize = 1 << 31;
/// Steps of the iteration for the least eigenvalue.
const EIGENVALUE_STEPS: usize = 300;
/// Random planes that cut the vectors, and if nothing depends on the bisection.
const PLANES: [usize; 2] = [128, 8];
/// Demands are sought where the lower bound is below this percentage of the upper one.
const GOOD_PERCENT: u64 = 95;

/// The ends of the interval.
pub(super) struct Ends {
    /// The links between the best halves.
    pub(super) width: u64,
    /// `[router]`: whether it is in the half that is listed, or in the other one.
    pub(super) sides: Vec<bool>,
    /// The width, if a search found it. Otherwise 0.
    pub(super) by_search: u64,
    /// Weights that prove more than the spectrum.
    pub(super) weights: Option<CutWeights>,
}

impl Ends {
    /// The lower bound that is known here. 0 if there is none.
    pub(super) fn at_least(&self) -> u64 {
        self.by_search.max(self.weights.as_ref().map_or(0, |weights| weights.least))
    }
}

/// Narrows the interval between `by_spectrum` and the width of `ends`.
pub(super) fn narrowed_ends(
    topology: &Topology,
    graph: &CutGraph,
    by_spectrum: u64,
    ends: Ends,
    brief: bool,
) -> Ends {
    let mut ends = ends;
    if let Some(found) = search::least_cut(graph) {
        if found.links < ends.width {
            (ends.width, ends.sides) = (found.links, found.sides);
        }
        ends.by_search = found.links;
        return ends;
    }
    let links = PairWeights::of_links(graph);
    let mut relaxation = Relaxation::start(graph);
    let sweeps = SWEEP_WORK / (links.entry_count() * RANK).max(1);
    relaxation.settle(&links, sweeps.clamp(SWEEPS[0], SWEEPS[1]));
    adopt_halves(graph, &relaxation, &mut ends, brief);
    let mut best = relaxation.certificate(&links, Vec::new(), EIGENVALUE_STEPS);
    if best.least.max(by_spectrum) * 100 < ends.width * GOOD_PERCENT {
        let has_hosts: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
        if let Some((lifted, relaxation)) = lift_by_demands(graph, &has_hosts, &relaxation, ends.width) {
            adopt_halves(graph, &relaxation, &mut ends, brief);
            if lifted.least > best.least {
                best = lifted;
            }
        }
    }
    ends.weights = Some(best).filter(|weights| weights.least > by_spectrum && weights.least <= ends.width);
    ends
}

/// Cuts the vectors by random planes, and keeps the best halves if they are narrower.
fn adopt_halves(graph: &CutGraph, relaxation: &Relaxation, ends: &mut Ends, brief: bool) {
    let (width, sides) = best_of_halves(graph, relaxation.halves(PLANES[usize::from(brief)]));
    if width < ends.width {
        (ends.width, ends.sides) = (width, sides);
    }
}
