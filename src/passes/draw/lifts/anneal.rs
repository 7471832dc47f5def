//! Simulated annealing of a base graph, so that the distances of its lift become short.

use super::base::BaseGraph;
use super::distances::{Aim, DistanceRows, LiftDistances};
use fabc_base::random::Stream;

/// Moves that are tried for this median.
const SAMPLES: usize = 60;

/// How long and how hot a run is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// Number of evaluations of distances.
    pub(super) evaluations: u64,
    /// The first temperature, in medians of the change of cost that a random move makes.
    pub(super) hottest: f64,
    /// The last temperature, in the same unit.
    pub(super) coldest: f64,
    /// What a pair beyond the aimed diameter costs beside its distance.
    pub(super) beyond: u64,
}

/// The best base graph of a run.
pub(super) struct Annealed {
    pub(super) graph: BaseGraph,
    pub(super) distances: LiftDistances,
}

/// Anneals a base graph. `aim` is the diameter beyond which pairs cost more. `None` if no connected lift is
/// met.
pub(super) fn anneal(
    mut graph: BaseGraph,
    schedule: Schedule,
    aim: u32,
    stream: &mut Stream,
) -> Option<Annealed> {
    let mut rows = DistanceRows::new(&graph);
    let aim = Aim { diameter: aim, beyond: schedule.beyond };
    let (mut current, median) = start(&mut graph, &mut rows, aim, stream);
    let mut best: Option<Annealed> = None;
    let Schedule { evaluations, hottest, coldest, .. } = schedule;
    let (mut done, mut tried) = (0, 0);
    while done < evaluations && tried < 20 * evaluations {
        tried += 1;
        let Some(change) = graph.change(stream) else { continue };
        done += 1;
        let progress = done as f64 / evaluations as f64;
        let heat = median * hottest * libm::pow(coldest / hottest, progress);
        let uniform = (stream.below_u64(1 << 53) + 1) as f64 / (1u64 << 53) as f64;
        let limit = current.map_or(f64::INFINITY, |cost| cost as f64 - heat * libm::log(uniform));
        let Some(found) = rows.cost(&graph, aim, limit) else {
            graph.undo(&change);
            continue;
        };
        current = Some(found.cost);
        if best.as_ref().is_none_or(|best| found.distances < best.distances) {
            best = Some(Annealed { graph: graph.clone(), distances: found.distances });
        }
    }
    best
}

/// The cost of the first graph, if it is connected, and the median change of cost of a move.
fn start(
    graph: &mut BaseGraph,
    rows: &mut DistanceRows,
    aim: Aim,
    stream: &mut Stream,
) -> (Option<u64>, f64) {
    let mut cost_of = |graph: &BaseGraph| rows.cost(graph, aim, f64::INFINITY).map(|found| found.cost);
    let current = cost_of(graph);
    let mut changes: Vec<u64> = Vec::new();
    for _ in 0..SAMPLES {
        let Some(change) = graph.change(stream) else { continue };
        changes.extend(current.zip(cost_of(graph)).map(|(before, after)| before.abs_diff(after)));
        graph.undo(&change);
    }
    changes.sort_unstable();
    (current, changes.get(changes.len() / 2).map_or(1.0, |&change| change.max(1) as f64))
}
