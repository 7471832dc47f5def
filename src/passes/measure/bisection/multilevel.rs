//! Cuts of a coarse graph, brought back level by level: Karypis & Kumar 1998, with our own refinement.
//!
//! In: a graph, a stream of random numbers, and perhaps halves. Out: two halves of exactly floor(N / 2) and
//! ceil(N / 2) routers. Vertices are matched along heavy edges, in random order, until so few are left as the
//! start wants; one side grows from a random vertex of the coarsest graph, unless halves are given; on the
//! way back every level is refined. Cost: linear in the edges, times the passes.

use super::graph::Graph;
use super::refine::refine;
use fabc_base::random::Stream;

/// A matching that leaves more than so many percent of the vertices is the last one.
const SHRINKS_TO_PERCENT: usize = 95;

/// A matched pair stands for at most one part in so many of all routers.
const HEAVIEST_PART: u32 = 12;

/// Two halves, `[router]`: new ones, or given ones made better, where no matching joins the two.
pub(super) fn halves(
    graph: &Graph,
    coarsest: usize,
    given: Option<&[bool]>,
    stream: &mut Stream,
) -> Vec<bool> {
    let mut levels: Vec<(Graph, Vec<u32>)> = Vec::new();
    let mut kept = given.map(<[bool]>::to_vec);
    loop {
        let finest = levels.last().map_or(graph, |(coarse, _)| coarse);
        if finest.len() <= coarsest {
            break;
        }
        let (coarse, parents) = matched(finest, kept.as_deref(), stream);
        if coarse.len() * 100 > finest.len() * SHRINKS_TO_PERCENT {
            break;
        }
        kept = kept.map(|sides| {
            let mut of_coarse = vec![false; coarse.len()];
            parents.iter().zip(&sides).for_each(|(&parent, &side)| of_coarse[parent as usize] = side);
            of_coarse
        });
        levels.push((coarse, parents));
    }
    let mut sides = kept.unwrap_or_else(|| grown(levels.last().map_or(graph, |(coarse, _)| coarse), stream));
    for level in (0..=levels.len()).rev() {
        let own = level.checked_sub(1).map_or(graph, |at| &levels[at].0);
        refine(own, &mut sides, if level == 0 { 0 } else { own.heaviest() });
        if let Some(at) = level.checked_sub(1) {
            sides = levels[at].1.iter().map(|&parent| sides[parent as usize]).collect();
        }
    }
    sides
}

/// A graph whose vertices are matched pairs, of one side each where sides are given, and the vertex that
/// every one has become.
fn matched(graph: &Graph, sides: Option<&[bool]>, stream: &mut Stream) -> (Graph, Vec<u32>) {
    let most = (graph.total() / HEAVIEST_PART).max(2);
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    stream.shuffle(&mut order);
    let mut parents = vec![u32::MAX; graph.len()];
    let mut members: Vec<[u32; 2]> = Vec::new();
    for vertex in order {
        if parents[vertex as usize] != u32::MAX {
            continue;
        }
        let one_side = |to: u32| sides.is_none_or(|sides| sides[to as usize] == sides[vertex as usize]);
        let light = |to: u32| graph.weights[vertex as usize] + graph.weights[to as usize] <= most;
        let free = |to: u32| parents[to as usize] == u32::MAX && light(to) && one_side(to);
        // Any of the heaviest edges: which one, is drawn.
        let edges = graph.edges(vertex as usize);
        let first = if edges.is_empty() { 0 } else { stream.below(edges.len()) };
        let turned = edges[first..].iter().chain(&edges[..first]).filter(|&&(to, _)| free(to));
        let heaviest = turned.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let pair = [vertex, heaviest.map_or(vertex, |&(to, _)| to)];
        pair.iter().for_each(|&member| parents[member as usize] = members.len() as u32);
        members.push(pair);
    }
    let both = |&[one, other]: &[u32; 2]| std::iter::once(one).chain((other != one).then_some(other));
    let weights =
        members.iter().map(|pair| both(pair).map(|member| graph.weights[member as usize]).sum()).collect();
    let rows = members.iter().map(|pair| {
        let edges = both(pair).flat_map(|member| graph.edges(member as usize));
        edges.map(|&(to, links)| (parents[to as usize], links)).collect()
    });
    let coarse = Graph::new(rows, weights);
    (coarse, parents)
}

/// One side, grown from a random vertex in the order of breadth-first search to half of the routers.
fn grown(graph: &Graph, stream: &mut Stream) -> Vec<bool> {
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
            let mut around: Vec<u32> = graph.edges(vertex).iter().map(|&(to, _)| to).collect();
            stream.shuffle(&mut around);
            queue.extend(
                around
                    .into_iter()
                    .map(|to| to as usize)
                    .filter(|&to| !std::mem::replace(&mut seen[to], true)),
            );
        }
    }
    sides
}
