//! Minimal routing: one shortest path per pair.
//!
//! When: networks of small diameter, any connected topology, also with simplex links. Guarantees: shortest
//! routes. [`lanes`](super::lanes) finds their virtual channels, as many as hops unless a family needs
//! fewer. All packets to a destination leave a router by one port, so tables need one line per destination.
//!
//! The next hops are chosen among the shortest ones so that the busiest channel carries little. Every
//! destination in turn takes its tree of routes off the loads and rebuilds it, farthest routers first, by
//! prices that rise steeply with the load. Such a tree does not see the load that it adds further on, so
//! all of it may end in one channel, as it does in fat trees. Afterwards, routers move one by one, with all
//! routes through them, to the path that is cheapest up to the destination. The balancing is our own.
//! At last an exchange (`exchange`) takes routes off the busiest channels, or proves that no shortest routes
//! load them less. In a network with tiers, the first trees are an even spread over them (`tiers`), and often
//! the last ones.
//!
//! Cost: rounds x destinations x channels, and sweeps x destinations x channels x hops.

mod batch;
mod exchange;
mod proof;
mod spread;
mod sweep;
mod tree;

use super::tiers::Tiers;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Breadth, DualLengths, LinkClass, Neighbors, NextHops, Scene, Topology};
use fabc_model::Demand;
use rayon::prelude::*;
pub use tree::FirstHop;
use tree::{LoadPrice, NearerChannels, RouteTree};

/// Most rounds. On dragonflies, Kautz graphs and hyperx of up to 1,000 routers, later ones gain nothing.
const ROUNDS: usize = 40;
/// Most rounds for a fault, which changes little.
const FAULT_ROUNDS: usize = 6;
/// Fewest rounds, however large the network: of single trees, and of batches.
const FEWEST: [usize; 2] = [4, 8];
/// Most channels examined over all rounds and destinations.
const WORK: u64 = 1 << 33;
/// The width of a price: the rise in load by which it grows by a factor of e, as a part of the mean load.
/// At first, and in the last round.
const WIDTHS: [f64; 2] = [0.3, 0.01];

/// Most sweeps over all routers of all trees, for the healthy fabric and for a fault.
const SWEEPS: [usize; 2] = [12, 4];
/// The same widths for the sweeps, as parts of the busiest load.
const SWEEP_WIDTHS: [f64; 2] = [0.1, 0.01];
/// Large networks are swept if the busiest channel exceeds this percentage of its bound.
const SWEPT_PERCENT: u64 = 105;

/// The number of rounds that [`WORK`] allows, each of so many channels.
fn rounds_within_work(each: usize) -> usize {
    usize::try_from(WORK / (each as u64).max(1)).unwrap_or(usize::MAX)
}

/// How much work goes into the balance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BalanceEffort {
    /// The full work, for the healthy fabric.
    Full,
    /// Less work, for a fault.
    Fault,
}

/// The settings of a balance.
#[derive(Clone, Copy, Debug)]
pub struct BalanceSettings {
    /// How much work goes into it.
    pub effort: BalanceEffort,
    /// The first hop that routes may take.
    pub first_hop: FirstHop,
    /// A lower bound, in parts of a unit, on the load of the busiest channel. The balance stops when it is
    /// reached.
    pub bound: u64,
}

/// Balanced next hops, with what is known of how little they could load.
#[derive(Clone, Debug)]
pub struct BalancedRoutes {
    /// The next hop of every router towards every canonical destination.
    pub next: NextHops,
    /// Lengths that prove how little any shortest routes can load the busiest channel, if a search for a
    /// smaller load made some. The bound may be below that of all routes.
    pub proof: Option<DualLengths>,
}

/// Balances shortest routes to every canonical destination, over lit links that connect all endpoints.
///
/// The scene and `demand` must keep the topology's symmetry.
pub fn route(scene: &Scene<'_>, demand: &Demand, settings: BalanceSettings) -> BalancedRoutes {
    let BalanceSettings { effort, first_hop, bound } = settings;
    let mut balance = TreeBalance::new(scene, demand, first_hop);
    let mut best = BestTrees::none();
    if let Some(tiers) = Tiers::of_topology(scene.topology) {
        balance.spread_over_tiers(&tiers);
        best.offer(&balance);
        balance.sweep(&mut best, effort, bound);
    }
    if best.busiest > bound {
        balance.clear();
        let mut rebuilt = BestTrees::none();
        balance.build_in_rounds(&mut rebuilt, effort, bound);
        balance.adopt(&rebuilt.ports);
        let acceptable_load = if balance.is_large() { bound * SWEPT_PERCENT / 100 } else { bound };
        balance.sweep(&mut rebuilt, effort, acceptable_load);
        if rebuilt.busiest < best.busiest {
            best = rebuilt;
        }
    }
    let proof = match effort {
        BalanceEffort::Full => balance.exchange(&mut best, bound),
        BalanceEffort::Fault => None,
    };
    let destinations = balance.trees.iter().map(|tree| tree.destination).collect();
    let next = NextHops { symmetry: scene.topology.symmetry().clone(), destinations, ports: best.ports };
    BalancedRoutes { next, proof }
}

/// The trees whose busiest channel carries least so far.
struct BestTrees {
    /// The load of the busiest channel, in parts of a unit.
    busiest: u64,
    /// `[tree][node]`: the output port towards the destination of the tree.
    ports: Vec<Vec<u16>>,
}

impl BestTrees {
    fn none() -> Self {
        Self { busiest: u64::MAX, ports: Vec::new() }
    }

    /// Keeps the trees of a balance if they are better.
    fn offer(&mut self, balance: &TreeBalance<'_>) {
        if balance.busiest() < self.busiest {
            self.busiest = balance.busiest();
            self.ports.resize(balance.trees.len(), Vec::new());
            self.ports.iter_mut().zip(&balance.trees).for_each(|(ports, tree)| ports.clone_from(&tree.ports));
        }
    }
}

/// All trees and the loads of their routes.
struct TreeBalance<'a> {
    topology: &'a Topology,
    demand: &'a Demand,
    /// `[node]`: where its channels start in the arrays of channels, with one more at the end.
    starts: Vec<u32>,
    /// `[channel]`: the router where it leads.
    heads: Vec<u32>,
    /// `[channel]`: the port by which it leaves its router.
    outputs: Vec<u16>,
    /// `[channel]`: whether its link is a local one.
    local: Vec<bool>,
    /// `[node * ports + port]`: the channel. Meaningless where none is lit.
    by_port: Vec<u32>,
    /// `[channel]`: its class under the symmetry.
    classes: Vec<u32>,
    /// `[channel]`: the load of weight 1, in parts of a unit.
    slowness: Vec<u64>,
    trees: Vec<RouteTree>,
    /// `[channel class]`: load of a channel of the class, in parts of a unit.
    load: Vec<u64>,
    /// The number of lit channel classes.
    lit: usize,
    // Scratch space, `[node]`.
    weight: Vec<u64>,
    passes: Vec<bool>,
    cost: Vec<f64>,
}

impl<'a> TreeBalance<'a> {
    fn new(scene: &Scene<'a>, demand: &'a Demand, first_hop: FirstHop) -> Self {
        let topology = scene.topology;
        let (nodes, symmetry) = (topology.node_count(), topology.symmetry());
        let (mut starts, mut heads, mut outputs, mut local) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        let (mut classes, mut slowness) = (Vec::new(), Vec::new());
        for node in topology.nodes() {
            for channel in scene.channels_from(node) {
                heads.push(topology.target(channel).node.0);
                outputs.push(topology.source(channel).port.0);
                local.push(topology.link(channel).class == LinkClass::Local);
                classes.push(topology.channel_class(symmetry, channel).0);
                slowness.push(topology.slowness(channel));
            }
            starts.push(heads.len() as u32);
        }
        let mut by_port = vec![u32::MAX; nodes * topology.ports()];
        for node in 0..nodes {
            for channel in starts[node]..starts[node + 1] {
                by_port[node * topology.ports() + usize::from(outputs[channel as usize])] = channel;
            }
        }
        let lit = heads.len() / symmetry.order();
        let destinations = symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node));
        let (into, destinations) = (Neighbors::into_of(scene), destinations.collect::<Vec<_>>());
        let tree =
            |search: &mut Breadth, destination| RouteTree::new(scene, &into, destination, first_hop, search);
        let trees = destinations.into_par_iter().map_init(Breadth::default, tree).collect();
        Self {
            topology,
            demand,
            starts,
            heads,
            outputs,
            local,
            by_port,
            classes,
            slowness,
            trees,
            load: vec![0; topology.class_count(symmetry)],
            lit,
            weight: vec![0; nodes],
            passes: vec![false; nodes],
            cost: vec![0.0; nodes],
        }
    }

    fn clear(&mut self) {
        self.load.fill(0);
        self.trees.iter_mut().for_each(|tree| tree.ports.fill(NextHops::NONE));
    }

    /// Rebuilds all trees in rounds, at steeper and steeper prices, until the busiest channel carries at most
    /// `bound`.
    fn build_in_rounds(&mut self, best: &mut BestTrees, effort: BalanceEffort, bound: u64) {
        let max_rounds = if effort == BalanceEffort::Full { ROUNDS } else { FAULT_ROUNDS };
        let large = self.is_large();
        let rounds = rounds_within_work(self.trees.len() * self.heads.len())
            .clamp(FEWEST[usize::from(large)].min(max_rounds), max_rounds);
        for round in 0..rounds {
            let progressed = round as f64 / (rounds - 1) as f64;
            let width = WIDTHS[0] * libm::pow(WIDTHS[1] / WIDTHS[0], progressed);
            if large {
                self.round_in_batches(width)
            } else {
                self.round(width)
            }
            best.offer(self);
            if self.busiest() <= bound {
                break;
            }
        }
    }

    /// Moves routers of the best trees one by one, in sweeps at steeper and steeper prices, until the busiest
    /// channel carries at most `acceptable_load`. The best trees must be those of this balance.
    fn sweep(&mut self, best: &mut BestTrees, effort: BalanceEffort, acceptable_load: u64) {
        let work = self.trees.len()
            * self.heads.len()
            * self.trees.iter().map(RouteTree::longest).max().unwrap_or(1);
        let sweeps = SWEEPS[usize::from(effort == BalanceEffort::Fault)];
        let sweeps = rounds_within_work(work).clamp(1, sweeps);
        for sweep in 0..sweeps {
            if best.busiest <= acceptable_load {
                break;
            }
            let progressed = sweep as f64 / (sweeps.max(2) - 1) as f64;
            let width = SWEEP_WIDTHS[0] * libm::pow(SWEEP_WIDTHS[1] / SWEEP_WIDTHS[0], progressed);
            (0..self.trees.len()).for_each(|index| self.move_routers(index, width));
            best.offer(self);
        }
    }

    /// The load of the busiest channel.
    fn busiest(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Adopts trees and counts their loads.
    fn adopt(&mut self, trees: &[Vec<u16>]) {
        self.load.fill(0);
        for (at, ports) in trees.iter().enumerate() {
            self.trees[at].ports.clone_from(ports);
            self.account(at, true);
        }
    }

    /// Adds the routes of a tree to the loads, or takes them away.
    fn account(&mut self, tree_index: usize, add: bool) {
        self.weigh(tree_index);
        let tree = &self.trees[tree_index];
        for &node in tree.order.iter().skip(1).filter(|&&node| tree.ports[node as usize] != NextHops::NONE) {
            let channel = self.channel(node as usize, tree.ports[node as usize]);
            let (load, more) = (
                &mut self.load[self.classes[channel] as usize],
                self.weight[node as usize] * self.slowness[channel],
            );
            *load = if add { *load + more } else { *load - more };
        }
    }

    /// The lit channel that leaves a router through a port.
    fn channel(&self, node: usize, port: u16) -> usize {
        self.by_port[node * self.topology.ports() + usize::from(port)] as usize
    }

    /// Counts the weight of the routes through every router of a tree.
    fn weigh(&mut self, tree_index: usize) {
        let tree = &self.trees[tree_index];
        self.weight.fill(0);
        for &node in tree.order.iter().skip(1).rev() {
            let (from, port) = (NodeId(node), tree.ports[node as usize]);
            if port == NextHops::NONE {
                continue;
            }
            if self.topology.is_endpoint(from) {
                self.weight[from.index()] += u64::from(self.demand.weight(from, tree.destination));
            }
            let head = self.heads[self.channel(from.index(), port)] as usize;
            self.weight[head] += self.weight[from.index()];
        }
    }

    /// Rebuilds every tree. Prices rise by a factor of e over `width` times the mean load.
    fn round(&mut self, width: f64) {
        for index in 0..self.trees.len() {
            self.account(index, false);
            let mean = self.load.iter().sum::<u64>() as f64 / self.lit.max(1) as f64;
            let busiest = self.busiest() as f64;
            self.rebuild_tree(index, LoadPrice { busiest, rise: 1.0 / (width * mean).max(0.5) });
        }
    }

    /// Chooses the next hops of a tree whose routes are not in the loads, and adds them.
    fn rebuild_tree(&mut self, tree_index: usize, price: LoadPrice) {
        let TreeBalance {
            topology,
            demand,
            starts,
            heads,
            outputs,
            local,
            classes,
            slowness,
            trees,
            load,
            weight,
            passes,
            cost,
            ..
        } = self;
        let tree = &trees[tree_index];
        let (starts, heads) = (&*starts, &*heads);
        let nearer_channels =
            NearerChannels { starts, heads, local, distance: &tree.distance, by_local: &tree.by_local };
        let nearer = |node: usize| nearer_channels.nearer(node);
        cost[tree.destination.index()] = 0.0;
        for &node in tree.order.iter().skip(1) {
            let through = |channel: usize| {
                slowness[channel] as f64 * price.at_load(load[classes[channel] as usize])
                    + cost[heads[channel] as usize]
            };
            cost[node as usize] = nearer(node as usize).map(through).fold(f64::INFINITY, f64::min);
        }
        weight.fill(0);
        passes.fill(false);
        let mut ports = vec![NextHops::NONE; topology.node_count()];
        for &node in tree.order.iter().skip(1).rev() {
            let (from, node) = (NodeId(node), node as usize);
            if topology.is_endpoint(from) {
                weight[node] += u64::from(demand.weight(from, tree.destination));
            } else if !passes[node] {
                continue;
            }
            // The price at half of the added load is about the mean price on the way up.
            let price_with_half = |channel: usize| {
                let load = load[classes[channel] as usize] + weight[node] * slowness[channel] / 2;
                slowness[channel] as f64 * price.at_load(load) + cost[heads[channel] as usize]
            };
            // Equally cheap channels take turns, so that destinations spread from the start.
            let degree = (starts[node + 1] - starts[node]) as usize;
            let turn = |channel: usize| (channel + tree.destination.index()) % degree;
            let chosen = nearer(node)
                .map(|channel| (price_with_half(channel), turn(channel), channel))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let (.., channel) = chosen.expect("a router that is reached has a nearer neighbor");
            ports[node] = outputs[channel];
            let head = heads[channel] as usize;
            weight[head] += weight[node];
            passes[head] = true;
            load[classes[channel] as usize] += weight[node] * slowness[channel];
        }
        self.trees[tree_index].ports = ports;
    }
}
