//! Routings whose paths stay in one layer (virtual channel) each: LASH and DFSSSP.
//!
//! LASH (Skeie, Lysne and Theiss, IPDPS 2002) takes a shortest path per pair. Each path goes to the first
//! layer whose dependencies stay acyclic with it.
//!
//! DFSSSP (Domke, Hoefler and Nagel, IPDPS 2011) takes shortest paths by weights that grow with the load, one
//! tree per destination. All paths start in the first layer. Of every cycle, the dependency with the fewest
//! paths moves on to the next layer.
//!
//! Both are our own implementations.

use crate::acyclic::Acyclic;
use crate::graph::{Graph, Paths};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Layers after which a baseline gives up: no router has more.
const MOST: usize = 64;

/// The paths of LASH. `None` beyond [`MOST`] layers.
pub(crate) fn lash(graph: &Graph) -> Option<Paths> {
    let mut layers: Vec<Acyclic> = vec![Acyclic::new(graph)];
    let mut paths = Paths::new();
    for src in 0..graph.nodes {
        let (via, _) = graph.tree_from(src);
        for dst in 0..graph.nodes {
            let mut path = Vec::new();
            let mut node = dst;
            while node != src {
                path.push(via[node]);
                node = graph.tail(via[node] as usize);
            }
            path.reverse();
            let layer_found = layers.iter_mut().position(|layer| layer.add_path(graph, &path));
            let layer = layer_found.unwrap_or_else(|| {
                layers.push(Acyclic::new(graph));
                assert!(
                    layers.last_mut().expect("just pushed").add_path(graph, &path),
                    "one path alone has no cycle"
                );
                layers.len() - 1
            });
            if layer >= MOST {
                return None;
            }
            paths.push(path.into_iter().map(|channel| (channel, layer as u8)));
        }
    }
    Some(paths)
}

/// The next channel of every router towards a destination, by shortest weight.
pub(crate) fn towards(graph: &Graph, dst: usize, weight: &[u64]) -> Vec<u32> {
    let mut next = vec![u32::MAX; graph.nodes];
    let mut distance = vec![u64::MAX; graph.nodes];
    distance[dst] = 0;
    let mut open = BinaryHeap::from([Reverse((0u64, dst))]);
    while let Some(Reverse((far, node))) = open.pop() {
        if far > distance[node] {
            continue;
        }
        for channel in graph.into(node) {
            let from = graph.tail(channel);
            if far + weight[channel] < distance[from] {
                distance[from] = far + weight[channel];
                next[from] = channel as u32;
                open.push(Reverse((distance[from], from)));
            }
        }
    }
    next
}

/// Adds the paths of one destination tree to the weights.
pub(crate) fn weigh(graph: &Graph, dst: usize, next: &[u32], weight: &mut [u64]) {
    for src in 0..graph.nodes {
        let mut node = src;
        while node != dst {
            weight[next[node] as usize] += 1;
            node = graph.head[next[node] as usize] as usize;
        }
    }
}

/// The paths of DFSSSP. `None` beyond [`MOST`] layers.
pub(crate) fn dfsssp(graph: &Graph) -> Option<Paths> {
    let nodes = graph.nodes;
    // One hop outweighs any load, so that paths are shortest first.
    let mut weight = vec![(nodes * nodes) as u64; graph.channels()];
    let mut next = Vec::new();
    for dst in 0..nodes {
        let tree = towards(graph, dst, &weight);
        weigh(graph, dst, &tree, &mut weight);
        next.push(tree);
    }
    let path = |pair: usize| {
        let (mut node, dst) = (pair / nodes, pair % nodes);
        let mut path = Vec::new();
        while node != dst {
            let channel = next[dst][node];
            path.push(channel);
            node = graph.head[channel as usize] as usize;
        }
        path
    };
    let mut layer_of = vec![0u8; nodes * nodes];
    let mut pairs: Vec<usize> = (0..nodes * nodes).collect();
    let mut layer = 0;
    loop {
        // Dependency -> the pairs that make it.
        let mut users: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for &pair in &pairs {
            for turn in path(pair).windows(2) {
                users.entry((turn[0], turn[1])).or_default().push(pair as u32);
            }
        }
        let mut count: BTreeMap<(u32, u32), usize> =
            users.iter().map(|(&turn, users)| (turn, users.len())).collect();
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); graph.channels()];
        count.keys().for_each(|&(from, to)| after[from as usize].push(to));
        let mut moved = Vec::new();
        let mut search = Search::new(graph.channels());
        while let Some(cycle) = search.cycle(&after) {
            let weakest =
                *cycle.iter().min_by_key(|turn| (count[turn], **turn)).expect("a cycle has dependencies");
            for &pair in &users[&weakest] {
                if layer_of[pair as usize] as usize != layer {
                    continue;
                }
                layer_of[pair as usize] += 1;
                moved.push(pair as usize);
                for turn in path(pair as usize).windows(2) {
                    let remaining = count.get_mut(&(turn[0], turn[1])).expect("counted above");
                    *remaining -= 1;
                    if *remaining == 0 {
                        after[turn[0] as usize].retain(|&to| to != turn[1]);
                    }
                }
            }
        }
        if moved.is_empty() {
            break;
        }
        moved.sort_unstable();
        pairs = moved;
        layer += 1;
        if layer >= MOST {
            return None;
        }
    }
    let mut paths = Paths::new();
    for (pair, &layer) in layer_of.iter().enumerate() {
        paths.push(path(pair).into_iter().map(|channel| (channel, layer)));
    }
    Some(paths)
}

/// Depth-first search for cycles in a graph that only loses edges: what is finished stays finished.
struct Search {
    done: Vec<bool>,
    root: usize,
}

impl Search {
    fn new(channels: usize) -> Self {
        Self { done: vec![false; channels], root: 0 }
    }

    fn cycle(&mut self, after: &[Vec<u32>]) -> Option<Vec<(u32, u32)>> {
        let mut place = vec![usize::MAX; after.len()];
        while self.root < after.len() {
            let mut stack: Vec<(usize, usize)> = Vec::new();
            if !self.done[self.root] {
                place[self.root] = 0;
                stack.push((self.root, 0));
            }
            while let Some(&(channel, edge)) = stack.last() {
                let Some(&to) = after[channel].get(edge) else {
                    self.done[channel] = true;
                    place[channel] = usize::MAX;
                    stack.pop();
                    continue;
                };
                stack.last_mut().expect("just looked").1 += 1;
                let to = to as usize;
                if place[to] != usize::MAX {
                    let mut cycle: Vec<(u32, u32)> = stack[place[to]..]
                        .windows(2)
                        .map(|pair| (pair[0].0 as u32, pair[1].0 as u32))
                        .collect();
                    cycle.push((channel as u32, to as u32));
                    return Some(cycle);
                }
                if !self.done[to] {
                    place[to] = stack.len();
                    stack.push((to, 0));
                }
            }
            self.root += 1;
        }
        None
    }
}
