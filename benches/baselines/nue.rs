//! A Nue-like routing. Destinations are dealt to the layers by id. Within a layer every path is searched in
//! the dependency graph that the paths before it have left acyclic.
//!
//! After Domke, Hoefler and Matsuoka, HPDC 2016, and simpler than theirs: there is no backtracking. The paths
//! of a spanning tree are legal in every layer. A destination that some router cannot reach otherwise is
//! routed along the tree altogether.

use crate::acyclic::Acyclic;
use crate::graph::{Graph, Paths};
use crate::layered::weigh;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Routes with exactly `vcs` layers. Also returns the number of destinations that took the tree.
pub(crate) fn route(graph: &Graph, vcs: usize) -> (Paths, usize) {
    let layer_of = |dst: usize| dst * vcs / graph.nodes;
    let mut layers: Vec<Acyclic> = (0..vcs).map(|_| Acyclic::new(graph)).collect();
    let escapes: Vec<Tree> = (0..vcs).map(|layer| Tree::new(graph, |dst| layer_of(dst) == layer)).collect();
    for dst in 0..graph.nodes {
        let next = escapes[layer_of(dst)].towards(graph, dst);
        for src in (0..graph.nodes).filter(|&src| src != dst) {
            let to = graph.head[next[src] as usize] as usize;
            assert!(
                to == dst || layers[layer_of(dst)].add(graph, next[src], next[to]),
                "a tree has no cycle"
            );
        }
    }
    let mut weight = vec![(graph.nodes * 4) as u64; graph.channels()];
    let (mut trees, mut forced) = (Vec::new(), 0);
    for dst in 0..graph.nodes {
        let tree = towards(graph, &mut layers[layer_of(dst)], dst, &weight);
        forced += usize::from(tree.is_none());
        let next = tree.unwrap_or_else(|| escapes[layer_of(dst)].towards(graph, dst));
        weigh(graph, dst, &next, &mut weight);
        trees.push(next);
    }
    let mut paths = Paths::new();
    for src in 0..graph.nodes {
        for (dst, next) in trees.iter().enumerate() {
            let mut node = src;
            let path = std::iter::from_fn(|| {
                let channel = (node != dst).then(|| next[node])?;
                node = graph.head[channel as usize] as usize;
                Some((channel, layer_of(dst) as u8))
            });
            paths.push(path);
        }
    }
    (paths, forced)
}

/// A spanning tree around the router that is closest to the destinations of a layer.
struct Tree {
    root: usize,
    /// `[router]`: the channel to the router above it.
    up: Vec<u32>,
}

impl Tree {
    fn new(graph: &Graph, wanted: impl Fn(usize) -> bool) -> Self {
        let far = |node: usize| {
            graph
                .hops_from(node)
                .iter()
                .enumerate()
                .filter(|&(to, _)| wanted(to))
                .map(|(_, &hops)| u64::from(hops))
                .sum::<u64>()
        };
        let root = (0..graph.nodes).min_by_key(|&node| far(node)).expect("a pod has chips");
        let (via, _) = graph.tree_from(root);
        let up = via
            .into_iter()
            .map(|channel| if channel == u32::MAX { channel } else { graph.reverse[channel as usize] })
            .collect();
        Self { root, up }
    }

    /// The next channel of every router: up, and down again from the first router above the destination.
    fn towards(&self, graph: &Graph, dst: usize) -> Vec<u32> {
        let mut next = self.up.clone();
        let mut node = dst;
        next[dst] = u32::MAX;
        while node != self.root {
            let up = self.up[node];
            let above = graph.head[up as usize] as usize;
            next[above] = graph.reverse[up as usize];
            node = above;
        }
        next
    }
}

/// Dijkstra's algorithm backwards from the destination. A router joins the tree by a channel whose dependency
/// closes no cycle.
fn towards(graph: &Graph, layer: &mut Acyclic, dst: usize, weight: &[u64]) -> Option<Vec<u32>> {
    let mut next = vec![u32::MAX; graph.nodes];
    let mut joined = vec![false; graph.nodes];
    let mut open = BinaryHeap::new();
    let mut count = 1;
    joined[dst] = true;
    let push =
        |open: &mut BinaryHeap<_>, layer: &Acyclic, joined: &[bool], node: usize, far: u64, ahead: u32| {
            for channel in graph.into(node) {
                let refused = ahead != u32::MAX && layer.refused(channel as u32, ahead);
                if !joined[graph.tail(channel)] && !refused {
                    open.push(Reverse((far + weight[channel], channel as u32)));
                }
            }
        };
    push(&mut open, layer, &joined, dst, 0, u32::MAX);
    while let Some(Reverse((far, channel))) = open.pop() {
        let (node, ahead) = (graph.tail(channel as usize), graph.head[channel as usize] as usize);
        if joined[node] || (ahead != dst && !layer.add(graph, channel, next[ahead])) {
            continue;
        }
        joined[node] = true;
        next[node] = channel;
        count += 1;
        push(&mut open, layer, &joined, node, far, channel);
    }
    (count == graph.nodes).then_some(next)
}
