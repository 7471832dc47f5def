//! Orders to start from.
//!
//! In: a graph. Out: ranks of all its symbols. None of them needs to be good: `order` improves the best of them.

use super::graph::{DARK, Graph};
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

/// One random layer per VC.
pub(super) fn layered(graph: &Graph, random: &mut ChaCha8Rng) -> Vec<u32> {
    by_key(graph, |_, _| random.next_u64())
}

/// One layer per VC, in it one dimension after the other and positions in the direction of travel: dimension order with datelines between cubes.
pub(super) fn by_dimension(graph: &Graph) -> Vec<u32> {
    by_key(graph, |class, port| {
        let (dimension, backward) = (port / 2, port % 2 == 1);
        let position = (class / graph.ports) as u64;
        (((dimension as u64) << 1) | u64::from(backward)) << 40 | if backward { (1 << 39) - position } else { position }
    })
}

/// An order under which every pair has a path.
pub(super) struct TreeOrder {
    /// up*/down* in every VC: climb towards node 0, then descend.
    pub(super) ranks: Vec<u32>,
    /// Turn instances (`symbol * ports * vcs + onward`) of a spanning tree in VC 0: while they rise, every pair keeps its path along the tree.
    pub(super) turns: Vec<usize>,
}

/// The tree order of a graph without symmetry, where a class is a slot.
pub(super) fn by_tree(graph: &Graph) -> TreeOrder {
    let (level, order) = graph.distances(0, &vec![1; graph.classes]);
    let place = |node: usize| i64::from(level[node]) * graph.nodes as i64 + node as i64;
    let lit = |node: usize| graph.slots(node).filter(|&slot| graph.target[slot] != DARK);
    let mut symbols: Vec<(usize, bool, i64, usize)> = (0..graph.symbols())
        .map(|symbol| {
            let (slot, vc) = (symbol / graph.vcs, symbol % graph.vcs);
            let from = place(slot / graph.ports);
            let to = if graph.target[slot] == DARK { i64::MAX } else { place(graph.target[slot] as usize) };
            let down = to > from;
            (vc, down, if down { from } else { -from }, symbol)
        })
        .collect();
    symbols.sort_unstable();
    let mut ranks = vec![0; symbols.len()];
    symbols.into_iter().enumerate().for_each(|(rank, (_, _, _, symbol))| ranks[symbol] = rank as u32);

    // The slot to each node's parent, its smallest neighbour, and the slots back down.
    let up: Vec<Option<usize>> = (0..graph.nodes)
        .map(|node| {
            lit(node)
                .filter(|&slot| place(graph.target[slot] as usize) < place(node))
                .min_by_key(|&slot| place(graph.target[slot] as usize))
        })
        .collect();
    let mut down: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes];
    for &child in &order[1..] {
        let parent = graph.target[up[child as usize].expect("all but the root climb")] as usize;
        // With parallel links any of them leads back; the first one.
        down[parent].push(lit(parent).find(|&slot| graph.target[slot] == child).expect("links run both ways"));
    }
    let width = graph.ports * graph.vcs;
    let mut turns = Vec::new();
    for node in 0..graph.nodes {
        for &child in &down[node] {
            let from_child = up[graph.target[child] as usize].expect("a child has a parent");
            let turn = |slot: usize, onward: usize| slot * graph.vcs * width + (onward % graph.ports) * graph.vcs;
            turns.extend(up[node].map(|onward| turn(from_child, onward)));
            turns.extend(down[node].iter().filter(|&&other| other != child).map(|&onward| turn(from_child, onward)));
            turns.extend(down[graph.target[child] as usize].iter().map(|&onward| turn(child, onward)));
        }
    }
    TreeOrder { ranks, turns }
}

fn by_key(graph: &Graph, mut key: impl FnMut(usize, usize) -> u64) -> Vec<u32> {
    let mut symbols: Vec<(usize, u64, usize)> = (0..graph.symbols())
        .map(|symbol| (symbol % graph.vcs, key(symbol / graph.vcs, symbol / graph.vcs % graph.ports), symbol))
        .collect();
    symbols.sort_unstable();
    let mut ranks = vec![0; symbols.len()];
    symbols.into_iter().enumerate().for_each(|(rank, (_, _, symbol))| ranks[symbol] = rank as u32);
    ranks
}
