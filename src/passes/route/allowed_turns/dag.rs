//! The near-shortest paths from every canonical source.
//!
//! Input: a [`TurnQuotient`] with prices. Output: per canonical source, the channels whose use costs at
//! most a tolerance more than a shortest path, by the node they lead to. Invariant: every such channel
//! leads away from the source, so the order of distance is a topological order.

use super::quotient::{DARK, TurnQuotient};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A channel on a near-shortest path.
#[derive(Clone, Copy)]
pub(super) struct DagStep {
    /// The channel, as `node * ports + port`.
    pub(super) channel: u32,
    /// By how much the path over it exceeds the shortest path to its head.
    pub(super) extra: u32,
}

/// The near-shortest paths from one source.
pub(super) struct Dag {
    pub(super) source: u32,
    /// All other nodes by rising distance from the source.
    pub(super) order: Vec<u32>,
    /// Where the steps into `order[i]` start, with one more at the end.
    pub(super) offsets: Vec<u32>,
    /// The steps, by the place of their head in `order`.
    pub(super) steps: Vec<DagStep>,
}

impl Dag {
    /// The steps that lead into `order[place]`.
    pub(super) fn steps_into(&self, place: usize) -> &[DagStep] {
        &self.steps[self.offsets[place] as usize..self.offsets[place + 1] as usize]
    }
    /// `[node]`: its place in `order`. That of the source is meaningless.
    pub(super) fn places(&self, nodes: usize) -> Vec<u32> {
        let mut places = vec![0; nodes];
        self.order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place as u32);
        places
    }
}

/// The near-shortest paths from every canonical node.
pub(super) fn near_shortest(quotient: &TurnQuotient, tolerance: u32) -> Vec<Dag> {
    let canonical: Vec<u32> = quotient.symmetry.canonical_nodes().map(|node| node.0).collect();
    let mut into = vec![Vec::new(); quotient.nodes];
    for (channel, &head) in quotient.head.iter().enumerate() {
        if head != DARK {
            into[head as usize].push((channel as u32, quotient.length[quotient.channel_class(channel)]));
        }
    }
    canonical.into_par_iter().map(|source| near_shortest_from(quotient, &into, source, tolerance)).collect()
}

fn near_shortest_from(quotient: &TurnQuotient, into: &[Vec<(u32, u32)>], source: u32, tolerance: u32) -> Dag {
    let mut distance = vec![u32::MAX; quotient.nodes];
    distance[source as usize] = 0;
    let mut order = Vec::with_capacity(quotient.nodes);
    let mut open = BinaryHeap::from([Reverse((0u32, source))]);
    while let Some(Reverse((reached, node))) = open.pop() {
        if distance[node as usize] < reached {
            continue;
        }
        if node != source {
            order.push(node);
        }
        for port in 0..quotient.ports {
            let channel = node as usize * quotient.ports + port;
            let head = quotient.head[channel];
            if head != DARK {
                let longer = reached + quotient.length[quotient.channel_class(channel)];
                if longer < distance[head as usize] {
                    distance[head as usize] = longer;
                    open.push(Reverse((longer, head)));
                }
            }
        }
    }
    let (mut offsets, mut steps) = (vec![0], Vec::new());
    for &node in &order {
        for &(channel, length) in &into[node as usize] {
            let tail_distance = distance[channel as usize / quotient.ports];
            // Every step leads away from the source, or the paths could have cycles.
            if tail_distance < distance[node as usize]
                && tail_distance + length <= distance[node as usize] + tolerance
            {
                steps.push(DagStep { channel, extra: tail_distance + length - distance[node as usize] });
            }
        }
        offsets.push(steps.len() as u32);
    }
    Dag { source, order, offsets, steps }
}
