//! A wild-first routing for tori and twisted tori under faults.
//!
//! The idea is that of Zu et al., "Resiliency at Scale: Managing Google's TPUv4 Machine Learning
//! Supercomputer", NSDI 2024. A packet may first take "wild" hops that are not minimal, and then follows
//! dimension order. The wild hops of a pair are chosen offline for balance.
//!
//! Here the wild hops run x, y, z without crossing a dateline, on a virtual channel of their own (2). The
//! rest is dimension order with datelines on 0 and 1. These three channels are acyclic by construction: wild
//! hops wait for wild hops in mesh order or for dimension order, which never waits for them. A pair gets at
//! most one wild hop where that serves it, and more only where a fault leaves no other path. Several sweeps
//! over all pairs take the candidate with the least sum of cubed loads. Routes depend on the source, so there
//! are no tables.

use crate::graph::{DARK, Graph, Paths};
use std::collections::VecDeque;

const SWEEPS: usize = 4;
/// Hops beyond the fewest that a candidate may take.
const SLACK: usize = 1;
/// The most wild hops. Half a pod of 4 x 8 x 8 away is enough around any single OCS.
const WILD: usize = 8;

/// Which ring a channel runs on, and whether it crosses that ring's dateline.
struct Rings {
    dateline: Vec<bool>,
    /// `[dimension]`: length of its longest ring.
    length: [usize; 3],
}

impl Rings {
    /// Rings of the healthy torus: straight on through the same port. The dateline lies before the smallest
    /// router.
    fn new(healthy: &Graph) -> Self {
        let mut dateline = Vec::with_capacity(healthy.channels());
        let mut length = [1; 3];
        for start in 0..healthy.channels() {
            let (port, mut node, mut least, mut hops) =
                (start % healthy.ports, healthy.tail(start), usize::MAX, 0);
            loop {
                least = least.min(node);
                node = healthy.head[node * healthy.ports + port] as usize;
                hops += 1;
                if node == healthy.tail(start) {
                    break;
                }
            }
            // Both directions of a ring have the same dateline link: the one into the smallest router by a +
            // port.
            let forward = if port % 2 == 0 { start } else { healthy.reverse[start] as usize };
            dateline.push(healthy.head[forward] as usize == least);
            length[port / 2] = length[port / 2].max(hops);
        }
        Self { dateline, length }
    }
}

type Path = Vec<(u32, u8)>;

/// Routes a torus, some of whose links are dark. Returns the pairs that get no path, if there are any.
pub(crate) fn route(healthy: &Graph, lit: &Graph) -> Result<Paths, Vec<(usize, usize)>> {
    let rings = Rings::new(healthy);
    let nodes = lit.nodes;
    let ordered: Vec<Vec<Vec<Path>>> = (0..nodes).map(|src| dimension_order(lit, &rings, src)).collect();
    let onward = |via: usize, dst: usize| &ordered[via][dst];
    let wild: Vec<Vec<(usize, Path)>> = (0..nodes).map(|src| wild_hops(lit, &rings, src)).collect();
    let mut candidates: Vec<Vec<Path>> = Vec::with_capacity(nodes * nodes);
    let mut lost = Vec::new();
    for (src, wild) in wild.iter().enumerate() {
        for dst in 0..nodes {
            let mut paths: Vec<Path> = Vec::new();
            let mut stop = usize::MAX;
            for (via, first) in wild.iter().filter(|_| src != dst) {
                if first.len() > 1.max(stop) {
                    break;
                }
                for rest in onward(*via, dst) {
                    let back =
                        first.last().zip(rest.first()).is_some_and(|(a, b)| lit.reverse[a.0 as usize] == b.0);
                    if !back {
                        paths.push(first.iter().chain(rest).copied().collect());
                    }
                }
                if !paths.is_empty() && stop == usize::MAX {
                    stop = first.len();
                }
            }
            let fewest = paths.iter().map(Vec::len).min();
            match fewest {
                Some(fewest) => paths.retain(|path| path.len() <= fewest + SLACK),
                None if src != dst => lost.push((src, dst)),
                None => {}
            }
            candidates.push(paths);
        }
    }
    if !lost.is_empty() {
        return Err(lost);
    }
    let mut load = vec![0u64; lit.channels()];
    let mut chosen = vec![usize::MAX; nodes * nodes];
    for _ in 0..SWEEPS {
        for pair in (0..nodes * nodes).filter(|&pair| !candidates[pair].is_empty()) {
            if chosen[pair] != usize::MAX {
                candidates[pair][chosen[pair]].iter().for_each(|&(channel, _)| load[channel as usize] -= 1);
            }
            let cost = |path: &Path| {
                path.iter().map(|&(channel, _)| (load[channel as usize] + 1).pow(3)).sum::<u64>()
            };
            let best = (0..candidates[pair].len())
                .min_by_key(|&k| (cost(&candidates[pair][k]), k))
                .expect("not empty");
            candidates[pair][best].iter().for_each(|&(channel, _)| load[channel as usize] += 1);
            chosen[pair] = best;
        }
    }
    let mut paths = Paths::new();
    for (of_pair, &best) in candidates.iter().zip(&chosen) {
        paths.push(of_pair.get(best).into_iter().flatten().copied());
    }
    Ok(paths)
}

/// All dimension-order paths from a router with the fewest hops, by destination: x, then y, then z, none
/// farther than half a ring.
fn dimension_order(lit: &Graph, rings: &Rings, src: usize) -> Vec<Vec<Path>> {
    let mut paths: Vec<(usize, Path)> = vec![(src, Vec::new())];
    for dimension in 0..3 {
        let mut longer = Vec::new();
        for (from, path) in &paths {
            for port in [2 * dimension, 2 * dimension + 1] {
                let (mut node, mut path, mut vc) = (*from, path.clone(), 0);
                for _ in 0..rings.length[dimension] / 2 {
                    let channel = node * lit.ports + port;
                    if lit.head[channel] == DARK {
                        break;
                    }
                    vc = if rings.dateline[channel] { 1 } else { vc };
                    path.push((channel as u32, vc));
                    node = lit.head[channel] as usize;
                    longer.push((node, path.clone()));
                }
            }
        }
        paths.extend(longer);
    }
    let mut best: Vec<Vec<Path>> = vec![Vec::new(); lit.nodes];
    for (node, path) in paths {
        let fewest = best[node].first().map_or(usize::MAX, Vec::len);
        if path.len() < fewest {
            best[node].clear();
        }
        if path.len() <= fewest {
            best[node].push(path);
        }
    }
    best
}

/// The routers in reach of wild hops, nearest first, and the router itself with none. Wild hops keep mesh
/// order and cross no dateline.
fn wild_hops(lit: &Graph, rings: &Rings, src: usize) -> Vec<(usize, Path)> {
    // A state is a router and the last port taken. Later hops go straight on or along a later dimension.
    let mut seen = vec![false; lit.channels()];
    let mut reached = vec![(src, Vec::new())];
    let mut open: VecDeque<(usize, Option<usize>, Path)> = VecDeque::from([(src, None, Vec::new())]);
    while let Some((node, last, path)) = open.pop_front() {
        for channel in lit.out(node).filter(|&channel| !rings.dateline[channel]) {
            let port = channel % lit.ports;
            let onward = last.is_none_or(|last| port == last || port / 2 > last / 2);
            if !onward || path.len() == WILD || std::mem::replace(&mut seen[channel], true) {
                continue;
            }
            let mut path = path.clone();
            path.push((channel as u32, 2));
            let to = lit.head[channel] as usize;
            reached.push((to, path.clone()));
            open.push_back((to, Some(port), path));
        }
    }
    reached
}
