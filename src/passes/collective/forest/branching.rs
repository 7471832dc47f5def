//! Cheapest trees from a root to all nodes of a complete graph (Chu and Liu 1965, Edmonds 1967).
//!
//! Every node takes its cheapest arc in. A cycle of such arcs becomes one node. An arc into it costs what it
//! costs more than the arc that it replaces. Work: the square of the number of nodes for every cycle.
//! Memory: the square of the number of nodes.

use std::borrow::Cow;

/// A cycle that became one node, the last one of the smaller graph.
struct Contraction {
    /// `[node]`: the source of its cheapest arc in.
    parent: Vec<usize>,
    /// The nodes outside of the cycle, ascending.
    kept: Vec<usize>,
    /// `[kept node]`: the node of the cycle at which its arc into the cycle ends.
    entered: Vec<usize>,
    /// `[kept node]`: the node of the cycle from which the arc to it starts.
    left: Vec<usize>,
}

/// `[node]`: the node before it in a cheapest tree from `root`, itself at the root. `costs` are those of arcs
/// from a node to another one, at `[from * nodes + to]`.
pub(super) fn cheapest_branching(costs: &[f64], nodes: usize, root: usize) -> Vec<usize> {
    let (mut costs, mut nodes, mut root) = (Cow::Borrowed(costs), nodes, root);
    let mut contractions: Vec<Contraction> = Vec::new();
    let mut found = loop {
        let parent: Vec<usize> = (0..nodes).map(|to| cheapest_source(&costs, nodes, to, root)).collect();
        let Some(cycle) = find_cycle(&parent, root) else { break parent };
        let (contraction, smaller) = contract(&costs, nodes, parent, &cycle);
        let kept = &contraction.kept;
        root = kept.iter().position(|&node| node == root).unwrap_or(kept.len());
        nodes = kept.len() + 1;
        costs = Cow::Owned(smaller);
        contractions.push(contraction);
    };
    while let Some(contraction) = contractions.pop() {
        found = contraction.expand(&found);
    }
    found
}

/// Makes a cycle one node. Returns the costs of the smaller graph as well.
fn contract(costs: &[f64], nodes: usize, parent: Vec<usize>, cycle: &[usize]) -> (Contraction, Vec<f64>) {
    let mut in_cycle = vec![false; nodes];
    cycle.iter().for_each(|&node| in_cycle[node] = true);
    let kept: Vec<usize> = (0..nodes).filter(|&node| !in_cycle[node]).collect();
    let count = kept.len() + 1;
    let mut smaller = vec![f64::INFINITY; count * count];
    let (mut entered, mut left) = (vec![0; kept.len()], vec![0; kept.len()]);
    for (number, &node) in kept.iter().enumerate() {
        for (other_number, &other) in kept.iter().enumerate() {
            smaller[number * count + other_number] = costs[node * nodes + other];
        }
        for &inside in cycle {
            let into = costs[node * nodes + inside] - costs[parent[inside] * nodes + inside];
            if into < smaller[number * count + kept.len()] {
                smaller[number * count + kept.len()] = into;
                entered[number] = inside;
            }
            let out = costs[inside * nodes + node];
            if out < smaller[kept.len() * count + number] {
                smaller[kept.len() * count + number] = out;
                left[number] = inside;
            }
        }
    }
    (Contraction { parent, kept, entered, left }, smaller)
}

impl Contraction {
    /// The tree of the graph before the contraction, by that of the smaller one.
    fn expand(self, found: &[usize]) -> Vec<usize> {
        let Self { mut parent, kept, entered, left } = self;
        for (number, &node) in kept.iter().enumerate() {
            let before = found[number];
            parent[node] = if before == kept.len() { left[number] } else { kept[before] };
        }
        if let Some(&from) = kept.get(found[kept.len()]) {
            parent[entered[found[kept.len()]]] = from;
        }
        parent
    }
}

fn cheapest_source(costs: &[f64], nodes: usize, to: usize, root: usize) -> usize {
    if to == root {
        return root;
    }
    let mut best = (f64::INFINITY, root);
    for from in (0..nodes).filter(|&from| from != to) {
        if costs[from * nodes + to] < best.0 {
            best = (costs[from * nodes + to], from);
        }
    }
    best.1
}

/// The nodes of a cycle, if the arcs in make one.
fn find_cycle(parent: &[usize], root: usize) -> Option<Vec<usize>> {
    // `[node]`: the walk that came by, 0 for none.
    let mut walk_of = vec![0; parent.len()];
    walk_of[root] = usize::MAX;
    for start in 0..parent.len() {
        let mut node = start;
        while walk_of[node] == 0 {
            walk_of[node] = start + 1;
            node = parent[node];
        }
        if walk_of[node] == start + 1 && node != root {
            let mut cycle = vec![node];
            let mut next = parent[node];
            while next != node {
                cycle.push(next);
                next = parent[next];
            }
            return Some(cycle);
        }
    }
    None
}
