//! Cuts of a coarse graph, refined level by level: Karypis & Kumar 1998, with our own refinement.
//!
//! Input: a graph, a stream of random numbers, and possibly halves. Output: two halves of exactly floor(N /
//! 2) and ceil(N / 2) routers. Vertices are matched along heavy edges, in random order, until few enough
//! remain. Unless halves are given, one side grows from a random vertex of the coarsest graph. On the way
//! back every level is refined. Cost: linear in the edges, times the passes.

use super::graph::CutGraph;
use super::refine::refine;
use fabc_base::random::Stream;

/// A matching that leaves more than this percentage of the vertices is the last one.
const SHRINKS_TO_PERCENT: usize = 95;

/// A matched pair holds at most one part in so many of all routers.
const HEAVIEST_PART: u32 = 12;

/// Two halves, `[router]`: new ones, or improved given ones, whose two sides no matching joins.
pub(super) fn halves(
    graph: &CutGraph,
    coarsest: usize,
    given_sides: Option<&[bool]>,
    stream: &mut Stream,
) -> Vec<bool> {
    let mut levels: Vec<(CutGraph, Vec<u32>)> = Vec::new();
    let mut sides_on_level = given_sides.map(<[bool]>::to_vec);
    loop {
        let finest = levels.last().map_or(graph, |(coarse, _)| coarse);
        if finest.len() <= coarsest {
            break;
        }
        let (coarse, parents) = coarsen(finest, sides_on_level.as_deref(), stream);
        if coarse.len() * 100 > finest.len() * SHRINKS_TO_PERCENT {
            break;
        }
        sides_on_level = sides_on_level.map(|sides| {
            let mut coarse_sides = vec![false; coarse.len()];
            parents.iter().zip(&sides).for_each(|(&parent, &side)| coarse_sides[parent as usize] = side);
            coarse_sides
        });
        levels.push((coarse, parents));
    }
    let mut sides = sides_on_level
        .unwrap_or_else(|| grow_half(levels.last().map_or(graph, |(coarse, _)| coarse), stream));
    for level in (0..=levels.len()).rev() {
        let level_graph = level.checked_sub(1).map_or(graph, |index| &levels[index].0);
        refine(level_graph, &mut sides, if level == 0 { 0 } else { level_graph.heaviest() });
        if let Some(index) = level.checked_sub(1) {
            sides = levels[index].1.iter().map(|&parent| sides[parent as usize]).collect();
        }
    }
    sides
}

/// A graph whose vertices are matched pairs, and the new vertex of every old one. If sides are given, a
/// pair lies on one side.
fn coarsen(graph: &CutGraph, sides: Option<&[bool]>, stream: &mut Stream) -> (CutGraph, Vec<u32>) {
    let max_weight = (graph.total() / HEAVIEST_PART).max(2);
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    stream.shuffle(&mut order);
    let mut parents = vec![u32::MAX; graph.len()];
    let mut members: Vec<[u32; 2]> = Vec::new();
    for vertex in order {
        if parents[vertex as usize] != u32::MAX {
            continue;
        }
        let one_side = |to: u32| sides.is_none_or(|sides| sides[to as usize] == sides[vertex as usize]);
        let light = |to: u32| graph.weights[vertex as usize] + graph.weights[to as usize] <= max_weight;
        let free = |to: u32| parents[to as usize] == u32::MAX && light(to) && one_side(to);
        // One of the heaviest edges, drawn at random.
        let edges = graph.edges(vertex as usize);
        let first = if edges.is_empty() { 0 } else { stream.below(edges.len()) };
        let candidates = edges[first..].iter().chain(&edges[..first]).filter(|&&(to, _)| free(to));
        let heaviest = candidates.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let pair = [vertex, heaviest.map_or(vertex, |&(to, _)| to)];
        pair.iter().for_each(|&member| parents[member as usize] = members.len() as u32);
        members.push(pair);
    }
    let members_of =
        |&[first, second]: &[u32; 2]| std::iter::once(first).chain((second != first).then_some(second));
    let weights = members
        .iter()
        .map(|pair| members_of(pair).map(|member| graph.weights[member as usize]).sum())
        .collect();
    let rows = members.iter().map(|pair| {
        let edges = members_of(pair).flat_map(|member| graph.edges(member as usize));
        edges.map(|&(to, links)| (parents[to as usize], links)).collect()
    });
    let coarse = CutGraph::new(rows, weights);
    (coarse, parents)
}

/// One side, grown from a random vertex in breadth-first order to half of the routers.
fn grow_half(graph: &CutGraph, stream: &mut Stream) -> Vec<bool> {
    let mut sides = vec![false; graph.len()];
    let mut seen = vec![false; graph.len()];
    let (half, mut weight) = (graph.total() / 2, 0);
    let start = stream.below(graph.len());
    for root in (start..graph.len()).chain(0..start) {
        let mut queue = if seen[root] { Vec::new() } else { vec![root] };
        seen[root] = true;
        let mut next = 0;
        while let Some(&vertex) = queue.get(next) {
            next += 1;
            if weight + graph.weights[vertex] <= half {
                weight += graph.weights[vertex];
                sides[vertex] = true;
            }
            let mut neighbors: Vec<u32> = graph.edges(vertex).iter().map(|&(to, _)| to).collect();
            stream.shuffle(&mut neighbors);
            queue.extend(
                neighbors
                    .into_iter()
                    .map(|to| to as usize)
                    .filter(|&to| !std::mem::replace(&mut seen[to], true)),
            );
        }
    }
    sides
}
