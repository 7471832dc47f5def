//! A Nue-like routing: destinations are dealt to the layers, and within a layer every path is searched in the dependency graph that the
//! paths before it have left acyclic.
//!
//! After Domke, Hoefler and Matsuoka, HPDC 2016, and simpler than theirs: no backtracking. The paths of a spanning tree are legal in every
//! layer; a destination that some router cannot reach otherwise is routed along the tree altogether.

use crate::acyclic::Acyclic;
use crate::graph::{Graph, Paths};
use crate::layered::weigh;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Routes with exactly `vcs` layers; the number of destinations that took the tree comes with the paths.
pub(crate) fn route(graph: &Graph, vcs: usize) -> (Paths, usize) {
    let root = (0..graph.nodes).min_by_key(|&node| graph.hops_from(node).iter().map(|&hops| u64::from(hops)).sum::<u64>()).expect("chips");
    let mut parent = vec![u32::MAX; graph.nodes];
    let (mut queue, mut at) = (vec![root], 0);
    while at < queue.len() {
        for channel in graph.out(queue[at]) {
            let to = graph.head[channel] as usize;
            if to != root && parent[to] == u32::MAX {
                parent[to] = graph.reverse[channel];
                queue.push(to);
            }
        }
        at += 1;
    }
    let tree = |dst: usize| {
        let mut next = parent.clone();
        let mut node = dst;
        next[dst] = u32::MAX;
        while node != root {
            let up = parent[node];
            let above = graph.head[up as usize] as usize;
            next[above] = graph.reverse[up as usize];
            node = above;
        }
        next
    };
    let mut layers: Vec<Acyclic> = (0..vcs).map(|_| Acyclic::new(graph)).collect();
    for layer in &mut layers {
        for dst in 0..graph.nodes {
            let next = tree(dst);
            for src in (0..graph.nodes).filter(|&src| src != dst) {
                let to = graph.head[next[src] as usize] as usize;
                assert!(to == dst || layer.add(graph, next[src], next[to]), "a tree has no cycle");
            }
        }
    }
    let mut weight = vec![(graph.nodes * 4) as u64; graph.channels()];
    let (mut trees, mut forced) = (Vec::new(), 0);
    for dst in 0..graph.nodes {
        let found = towards(graph, &mut layers[dst % vcs], dst, &weight);
        forced += usize::from(found.is_none());
        let next = found.unwrap_or_else(|| tree(dst));
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
                Some((channel, (dst % vcs) as u8))
            });
            paths.push(path);
        }
    }
    (paths, forced)
}

/// Dijkstra's algorithm backwards from the destination; a router joins the tree by a channel whose dependency closes no cycle.
fn towards(graph: &Graph, layer: &mut Acyclic, dst: usize, weight: &[u64]) -> Option<Vec<u32>> {
    let mut next = vec![u32::MAX; graph.nodes];
    let mut joined = vec![false; graph.nodes];
    let mut open = BinaryHeap::new();
    let mut count = 1;
    joined[dst] = true;
    let push = |open: &mut BinaryHeap<_>, layer: &Acyclic, joined: &[bool], node: usize, far: u64, ahead: u32| {
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
