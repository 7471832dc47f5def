//! A topology as flat arrays, paths on it, and what any routing has to show: every pair delivered, no cycle
//! of waiting channels.

use fabc::ids::{Id, PortId};
use fabc::ir::Scene;

/// No channel leaves through this port.
pub(crate) const DARK: u32 = u32::MAX;

/// The lit channels of a topology. A channel is router * ports + output port.
pub(crate) struct Graph {
    pub(crate) nodes: usize,
    pub(crate) ports: usize,
    /// `[channel]`: the router it leads to, or [`DARK`].
    pub(crate) head: Vec<u32>,
    /// `[channel]`: the channel of the same link in the other direction.
    pub(crate) reverse: Vec<u32>,
}

impl Graph {
    pub(crate) fn new(scene: &Scene<'_>) -> Self {
        let topology = scene.topology;
        let (nodes, ports) = (topology.node_count(), topology.ports());
        let mut head = vec![DARK; nodes * ports];
        let mut reverse = vec![DARK; nodes * ports];
        for node in topology.nodes() {
            for port in 0..ports {
                if let Some(channel) = scene.outgoing(node, PortId::new(port)) {
                    let end = topology.target(channel);
                    head[node.index() * ports + port] = end.node.0;
                    reverse[node.index() * ports + port] =
                        (end.node.index() * ports + end.port.index()) as u32;
                }
            }
        }
        Self { nodes, ports, head, reverse }
    }

    pub(crate) fn channels(&self) -> usize {
        self.head.len()
    }
    pub(crate) fn tail(&self, channel: usize) -> usize {
        channel / self.ports
    }
    /// Lit channels out of a router.
    pub(crate) fn out(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (node * self.ports..(node + 1) * self.ports).filter(|&channel| self.head[channel] != DARK)
    }
    /// Lit channels into a router.
    pub(crate) fn into(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.out(node).map(|channel| self.reverse[channel] as usize)
    }
    /// Breadth-first from a router: the first channel found into every other one (`u32::MAX` where there is
    /// none), and the routers as they were met.
    pub(crate) fn tree_from(&self, source: usize) -> (Vec<u32>, Vec<usize>) {
        let mut via = vec![u32::MAX; self.nodes];
        let (mut met, mut at) = (vec![source], 0);
        while at < met.len() {
            for channel in self.out(met[at]) {
                let to = self.head[channel] as usize;
                if to != source && via[to] == u32::MAX {
                    via[to] = channel as u32;
                    met.push(to);
                }
            }
            at += 1;
        }
        (via, met)
    }
    /// `[router]`: hops from a router.
    pub(crate) fn hops_from(&self, source: usize) -> Vec<u32> {
        let (via, met) = self.tree_from(source);
        let mut hops = vec![u32::MAX; self.nodes];
        hops[source] = 0;
        for &node in &met[1..] {
            hops[node] = hops[self.tail(via[node] as usize)] + 1;
        }
        hops
    }
}

/// One path per ordered pair, and the virtual channel of every hop.
pub(crate) struct Paths {
    starts: Vec<usize>,
    hops: Vec<(u32, u8)>,
}

impl Paths {
    /// Pairs are added by source, then destination.
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], hops: Vec::new() }
    }
    pub(crate) fn push(&mut self, path: impl IntoIterator<Item = (u32, u8)>) {
        self.hops.extend(path);
        self.starts.push(self.hops.len());
    }
    pub(crate) fn get(&self, pair: usize) -> &[(u32, u8)] {
        &self.hops[self.starts[pair]..self.starts[pair + 1]]
    }
}

/// Loads and hops of a routing.
pub(crate) struct Score {
    pub(crate) max_load: u64,
    pub(crate) mean_load: f64,
    pub(crate) mean_hops: f64,
    pub(crate) vcs: usize,
}

/// Follows every path, counts the loads, and sorts the dependencies of (channel, VC) topologically.
///
/// Panics where a pair is not delivered or a cycle is left: then the baseline is wrong and must not be
/// printed.
pub(crate) fn judge(name: &str, graph: &Graph, paths: &Paths) -> Score {
    let vcs = paths.hops.iter().map(|&(_, vc)| usize::from(vc) + 1).max().unwrap_or(1);
    let mut loads = vec![0u64; graph.channels()];
    let width = graph.ports * vcs;
    let mut waits = vec![false; graph.channels() * vcs * width];
    for src in 0..graph.nodes {
        for dst in 0..graph.nodes {
            let (mut at, mut held) = (src, None);
            for &(channel, vc) in paths.get(src * graph.nodes + dst) {
                assert_eq!(
                    graph.tail(channel as usize),
                    at,
                    "{name}: the path from {src} to {dst} has a gap"
                );
                at = graph.head[channel as usize] as usize;
                loads[channel as usize] += 1;
                let now = channel as usize * vcs + usize::from(vc);
                if let Some(before) = held.replace(now) {
                    waits[before * width + channel as usize % graph.ports * vcs + usize::from(vc)] = true;
                }
            }
            assert_eq!(at, dst, "{name}: the path from {src} to {dst} does not arrive");
        }
    }
    let next = |state: usize| {
        let node = graph.head[state / vcs] as usize;
        let waits = &waits;
        (0..width)
            .filter(move |output| waits[state * width + output])
            .map(move |output| node * width + output)
    };
    let lit: Vec<usize> =
        (0..graph.channels() * vcs).filter(|&state| graph.head[state / vcs] != DARK).collect();
    let mut waiting = vec![0u32; graph.channels() * vcs];
    lit.iter().flat_map(|&state| next(state)).for_each(|state| waiting[state] += 1);
    let mut open: Vec<usize> = lit.iter().copied().filter(|&state| waiting[state] == 0).collect();
    let mut sorted = 0;
    while let Some(state) = open.pop() {
        sorted += 1;
        for after in next(state) {
            waiting[after] -= 1;
            if waiting[after] == 0 {
                open.push(after);
            }
        }
    }
    assert_eq!(sorted, lit.len(), "{name}: channels wait for each other in a cycle");
    let channels = graph.head.iter().filter(|&&head| head != DARK).count();
    Score {
        max_load: loads.iter().copied().max().unwrap_or(0),
        mean_load: paths.hops.len() as f64 / channels as f64,
        mean_hops: paths.hops.len() as f64 / (graph.nodes * (graph.nodes - 1)) as f64,
        vcs,
    }
}
