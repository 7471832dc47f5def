//! Largest flows by blocking flows (Dinic 1970), in integers.

use std::collections::VecDeque;

/// A residual network. Arcs come in pairs: `arc ^ 1` is the reverse of `arc`.
pub(super) struct FlowNetwork {
    arcs: Vec<Vec<u32>>,
    head: Vec<u32>,
    /// `[arc]`: the flow that may still be added.
    pub(super) residual: Vec<u64>,
    /// `[node]`: its distance from the source of the last flow in the residual network.
    pub(super) level: Vec<Option<u32>>,
}

impl FlowNetwork {
    /// A network of so many nodes without arcs.
    pub(super) fn empty(nodes: usize) -> Self {
        Self { arcs: vec![Vec::new(); nodes], head: Vec::new(), residual: Vec::new(), level: Vec::new() }
    }

    /// Joins two nodes in both directions, with a capacity for each.
    pub(super) fn add_arc(&mut self, nodes: [usize; 2], capacities: [u64; 2]) {
        for side in 0..2 {
            self.arcs[nodes[side]].push(self.head.len() as u32);
            self.head.push(nodes[1 - side] as u32);
            self.residual.push(capacities[side]);
        }
    }

    /// The largest flow. Afterwards `level` tells which nodes the source still reaches.
    pub(super) fn flow(&mut self, source: usize, target: usize) -> u64 {
        self.flow_up_to(source, target, u64::MAX)
    }

    /// The largest flow, or a flow of at least `enough`.
    pub(super) fn flow_up_to(&mut self, source: usize, target: usize, enough: u64) -> u64 {
        let mut sum = 0;
        while sum < enough {
            self.label_levels(source);
            if self.level[target].is_none() {
                break;
            }
            let mut next = vec![0; self.arcs.len()];
            while let Some(more) = self.augment_path(source, target, &mut next) {
                sum += more;
            }
        }
        sum
    }

    fn label_levels(&mut self, source: usize) {
        self.level = vec![None; self.arcs.len()];
        self.level[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let deeper = self.level[node].map(|level| level + 1);
            for &arc in &self.arcs[node] {
                let head = self.head[arc as usize] as usize;
                if self.residual[arc as usize] > 0 && self.level[head].is_none() {
                    self.level[head] = deeper;
                    queue.push_back(head);
                }
            }
        }
    }

    /// Fills one path down the levels and returns its flow. `next` skips arcs that lead nowhere.
    fn augment_path(&mut self, source: usize, target: usize, next: &mut [usize]) -> Option<u64> {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != target {
            let deeper = self.level[node].map(|level| level + 1);
            match self.arcs[node].get(next[node]) {
                Some(&arc)
                    if self.residual[arc as usize] > 0
                        && self.level[self.head[arc as usize] as usize] == deeper =>
                {
                    path.push(arc);
                    node = self.head[arc as usize] as usize;
                }
                Some(_) => next[node] += 1,
                None => {
                    let arc = path.pop()?;
                    node = self.head[arc as usize ^ 1] as usize;
                    next[node] += 1;
                }
            }
        }
        let bottleneck = path.iter().map(|&arc| self.residual[arc as usize]).min().unwrap_or(0);
        for &arc in &path {
            self.residual[arc as usize] -= bottleneck;
            self.residual[arc as usize ^ 1] += bottleneck;
        }
        Some(bottleneck)
    }
}
