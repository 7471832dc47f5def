//! The best cut of many starts.
//!
//! Input: a graph, and halves that something suggests or a number of multilevel cuts. Output: the smallest
//! cut and its sides. Moves refine every start, and the best of them pass through all levels again. The
//! first start wins ties.

use super::graph::CutGraph;
use super::multilevel;
use super::refine::refine;
use fabc_base::random::Stream;
use rayon::prelude::*;

/// The numbers of vertices at which coarsening ends, used in turn: deep, then ever flatter.
const COARSEST: [usize; 4] = [40, 80, 240, usize::MAX];
/// One of this many starts, the best ones, is coarsened and refined again, so many times.
const BETTERED_PART: usize = 8;
const CYCLES: usize = 8;
/// The stream of the first start. The streams before it belong to the spectrum. Starts beyond the first
/// kind share streams with the cycles, which draw other things from them.
const FIRST_STREAM: u64 = 1;
/// The streams of the cycles begin behind those of so many starts.
const CYCLE_STREAMS: usize = 128;

/// The smallest cut of all starts, and its sides, `[vertex]`. Starts are those that the structure suggests
/// and a number of multilevel ones. The first start wins ties.
pub(super) fn best_cut(graph: &CutGraph, structural: &[Vec<bool>], multilevel: usize) -> (u64, Vec<bool>) {
    let sides_from = |start: usize| match structural.get(start) {
        Some(sides) => {
            let mut sides = sides.clone();
            refine(graph, &mut sides, 0);
            sides
        }
        None => {
            let number = start - structural.len();
            multilevel::halves(
                graph,
                COARSEST[number % COARSEST.len()],
                None,
                &mut Stream::new(1, FIRST_STREAM + number as u64),
            )
        }
    };
    best_cut_of(graph, multilevel.div_ceil(BETTERED_PART), structural.len() + multilevel, &sides_from)
}

/// The smallest cut of so many starts, and its sides. So many of the best are coarsened and refined again.
fn best_cut_of(
    graph: &CutGraph,
    bettered: usize,
    starts: usize,
    sides_from: &(dyn Fn(usize) -> Vec<bool> + Sync),
) -> (u64, Vec<bool>) {
    let cut_from = |start: usize| {
        let sides = sides_from(start);
        (graph.cut(&sides), start, sides)
    };
    let mut cuts: Vec<(u64, usize, Vec<bool>)> = (0..starts).into_par_iter().map(cut_from).collect();
    cuts.sort_by_key(|&(cut, start, _)| (cut, start));
    cuts.truncate(bettered);
    let improved_cut = |&(cut, start, ref sides): &(u64, usize, Vec<bool>)| {
        let mut best = (cut, sides.clone());
        for cycle in 0..CYCLES {
            let mut stream = Stream::new(1, FIRST_STREAM + (CYCLE_STREAMS + start * CYCLES + cycle) as u64);
            let sides = multilevel::halves(graph, COARSEST[0], Some(&best.1), &mut stream);
            let cut = graph.cut(&sides);
            // Coarse levels are balanced coarsely, so the new cut may be worse.
            best = if cut <= best.0 { (cut, sides) } else { best };
        }
        (best.0, start, best.1)
    };
    let best = cuts.par_iter().map(improved_cut).min_by_key(|&(cut, start, _)| (cut, start));
    let (cut, _, sides) = best.expect("there is a start");
    (cut, sides)
}

/// The smallest cut that moves reach from any of these halves, and its sides. The first one wins ties. The
/// best eighth passes through all levels as often as that of other starts.
pub(super) fn best_of_halves(graph: &CutGraph, halves: Vec<Vec<bool>>) -> (u64, Vec<bool>) {
    best_cut_of(graph, halves.len().div_ceil(BETTERED_PART), halves.len(), &|start| {
        let mut sides = halves[start].clone();
        refine(graph, &mut sides, 0);
        sides
    })
}
