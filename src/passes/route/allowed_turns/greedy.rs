//! A start order: turns inserted by falling use, each kept if it closes no cycle.
//!
//! In: how often each turn class is used by unconstrained near-shortest routing. Out: a topological order of the allowed turns, as ranks.
//! Sources: allowed turns of the TONS paper (section 5, chosen-path priority); online cycle detection: Pearce & Kelly 2006.

use super::graph::{DARK, Graph};

/// An order of symbols that stays topological while edges are added.
struct OnlineOrder {
    rank: Vec<u32>,
    next: Vec<Vec<u32>>,
    previous: Vec<Vec<u32>>,
    mark: Vec<bool>,
}

impl OnlineOrder {
    fn new(symbols: usize) -> Self {
        Self {
            rank: (0..symbols as u32).collect(),
            next: vec![Vec::new(); symbols],
            previous: vec![Vec::new(); symbols],
            mark: vec![false; symbols],
        }
    }

    /// Adds an edge unless it closes a cycle.
    fn try_add(&mut self, from: u32, to: u32) -> bool {
        let (low, high) = (self.rank[to as usize], self.rank[from as usize]);
        if from == to {
            return false;
        }
        if low < high {
            // Everything reachable from `to` within the affected range; meeting `from` is a cycle.
            let Some(forward) = self.collect(to, |rank| rank <= high, true, from) else { return false };
            let backward = self.collect(from, |rank| rank >= low, false, u32::MAX).expect("no goal");
            self.reorder(backward, forward);
        }
        self.next[from as usize].push(to);
        self.previous[to as usize].push(from);
        true
    }

    fn collect(&mut self, start: u32, within: impl Fn(u32) -> bool, forward: bool, goal: u32) -> Option<Vec<u32>> {
        let mut found = vec![start];
        self.mark[start as usize] = true;
        let mut at = 0;
        let mut cycle = false;
        while at < found.len() && !cycle {
            let here = found[at] as usize;
            at += 1;
            let edges = if forward { &self.next[here] } else { &self.previous[here] };
            for &other in edges {
                if other == goal {
                    cycle = true;
                }
                if !self.mark[other as usize] && within(self.rank[other as usize]) {
                    self.mark[other as usize] = true;
                    found.push(other);
                }
            }
        }
        found.iter().for_each(|&symbol| self.mark[symbol as usize] = false);
        (!cycle).then_some(found)
    }

    fn reorder(&mut self, mut backward: Vec<u32>, mut forward: Vec<u32>) {
        backward.sort_unstable_by_key(|&symbol| self.rank[symbol as usize]);
        forward.sort_unstable_by_key(|&symbol| self.rank[symbol as usize]);
        backward.extend(forward);
        let mut ranks: Vec<u32> = backward.iter().map(|&symbol| self.rank[symbol as usize]).collect();
        ranks.sort_unstable();
        backward.into_iter().zip(ranks).for_each(|(symbol, rank)| self.rank[symbol as usize] = rank);
    }
}

/// Ranks by greedy insertion. `used[class * ports + out port]` counts a turn class: from the channel class to the next hop's output port.
pub(super) fn ranks(graph: &Graph, turns: &[f64]) -> Vec<u32> {
    let mut online = OnlineOrder::new(graph.symbols());
    let heads = class_heads(graph);
    let mut by_use: Vec<(usize, u32)> = Vec::new();
    for (class, &head) in heads.iter().enumerate() {
        if head == DARK {
            continue;
        }
        for port in 0..graph.ports {
            let turn = class * graph.ports + port;
            if turns[turn] > 0.0 {
                by_use.push((turn, graph.class[head as usize * graph.ports + port]));
            }
        }
    }
    by_use.sort_by(|a, b| turns[b.0].total_cmp(&turns[a.0]).then(a.0.cmp(&b.0)));
    let vcs = graph.vcs as u32;
    // First one instance per turn, so that every used turn gets one if it can; then all.
    for all in [false, true] {
        for &(turn, to) in &by_use {
            let class = (turn / graph.ports) as u32;
            let mut placed = false;
            for (from_vc, to_vc) in instances(vcs) {
                if all || !placed {
                    placed |= online.try_add(class * vcs + from_vc, to * vcs + to_vc);
                }
            }
        }
    }
    online.rank
}

/// VC pairs of a turn: same VC first, then changes.
fn instances(vcs: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..vcs).flat_map(move |change| (0..vcs).map(move |vc| (vc, (vc + change) % vcs)))
}

/// `[class]`: a node that a channel of the class leads to (from a canonical source), or [`DARK`].
pub(super) fn class_heads(graph: &Graph) -> Vec<u32> {
    let mut heads = vec![DARK; graph.classes];
    for (slot, &class) in graph.class.iter().enumerate() {
        if class != DARK && heads[class as usize] == DARK {
            heads[class as usize] = graph.target[slot];
        }
    }
    heads
}
