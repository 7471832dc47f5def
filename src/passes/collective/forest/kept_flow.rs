//! A flow that is kept while capacities change.
//!
//! A flow from one node to another is stored as what every arc can still carry. Where a capacity falls below
//! the flow on its arc, the excess is sent along other paths, by shortest ones (Edmonds and Karp 1972).

/// What the arcs between all nodes can still carry beside a flow.
#[derive(Clone)]
pub(super) struct KeptFlow {
    nodes: usize,
    /// `[from * nodes + to]`: the rest of the capacity, and the flow from `to` to `from`. Negative while an
    /// excess waits for another path.
    rest: Vec<i64>,
    /// Scratch space: `[node]`: the node before it on a path.
    before: Vec<u32>,
    queue: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl KeptFlow {
    /// No flow, with capacities `[from * nodes + to]`.
    pub(super) fn new(nodes: usize, capacities: &[u64]) -> Self {
        let rest = capacities.iter().map(|&capacity| capacity as i64).collect();
        Self { nodes, rest, before: vec![UNSEEN; nodes], queue: Vec::with_capacity(nodes) }
    }

    /// Sends up to `amount` more from a node to another one. Returns what finds no path.
    pub(super) fn send(&mut self, from: usize, to: usize, amount: u64) -> u64 {
        let mut missing = amount as i64;
        while missing > 0 && self.find_path(from, to) {
            let mut most = missing;
            let mut node = to;
            while node != from {
                let before = self.before[node] as usize;
                most = most.min(self.rest[before * self.nodes + node]);
                node = before;
            }
            node = to;
            while node != from {
                let before = self.before[node] as usize;
                self.rest[before * self.nodes + node] -= most;
                self.rest[node * self.nodes + before] += most;
                node = before;
            }
            missing -= most;
        }
        missing as u64
    }

    /// Changes the capacity of an arc by a difference. Returns by how much the flow exceeds it then. That
    /// excess is taken off the arc: it ends at `from`, and is missing at `to`.
    pub(super) fn change(&mut self, from: usize, to: usize, difference: i64) -> u64 {
        let arc = from * self.nodes + to;
        self.rest[arc] += difference;
        let excess = (-self.rest[arc]).max(0);
        self.rest[arc] += excess;
        self.rest[to * self.nodes + from] -= excess;
        excess as u64
    }

    fn find_path(&mut self, from: usize, to: usize) -> bool {
        self.before.fill(UNSEEN);
        self.before[from] = from as u32;
        self.queue.clear();
        self.queue.push(from as u32);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let row = node as usize * self.nodes;
            for other in 0..self.nodes {
                if self.rest[row + other] > 0 && self.before[other] == UNSEEN {
                    self.before[other] = node;
                    if other == to {
                        return true;
                    }
                    self.queue.push(other as u32);
                }
            }
        }
        false
    }
}
