//! Minimal routing: one shortest path per pair.
//!
//! When: networks of small diameter, any connected topology, simplex links too. Guarantees shortest routes;
//! virtual channels are found by [`lanes`](super::lanes), as many as hops where a family needs no fewer. All
//! packets to a destination leave a router by one port, so tables need a line per destination. The next hops
//! are chosen among the shortest ones so that the busiest channel carries little: every destination in turn
//! lifts its tree of routes and lays it anew, farthest routers first, by prices that rise steeply with the
//! load. Such a tree does not see what it loads itself further on, so that all of it may end in one channel
//! (in fat trees it does); afterwards routers move one by one, with all that passes through them, to the way
//! that is cheapest to its end. The balancing is our own. Cost: rounds x destinations x channels, and sweeps
//! x destinations x channels x hops.

mod batch;

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, LinkClass, Neighbors, NextHops, Scene, Topology};
use fabc_model::Demand;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;

/// Rounds at most: measured on dragonflies, Kautz graphs and hyperx of up to 1,000 routers, later ones gain
/// nothing.
const ROUNDS: usize = 40;
/// Rounds of a fault, which changes little.
const FAULT_ROUNDS: usize = 6;
/// Fewest rounds, however large the network; of those that are laid in batches.
const FEWEST: [usize; 2] = [4, 8];
/// Channels looked at, over all rounds and destinations.
const WORK: u64 = 1 << 33;
/// The load at which prices have risen by a factor of e, as a part of the mean load: at first, and in the
/// last round.
const WIDTHS: [f64; 2] = [0.3, 0.01];

/// Sweeps over all routers of all trees, at most, of the healthy fabric and of a fault.
const SWEEPS: [usize; 2] = [12, 4];
/// The same widths for the sweeps, as parts of the busiest load.
const SWEEP_WIDTHS: [f64; 2] = [0.1, 0.01];
/// Large networks are swept where the busiest channel is above so many percent of its bound.
const SWEPT_PERCENT: u64 = 105;

/// How many rounds of so much work each the limit allows.
fn rounds_within_work(each: usize) -> usize {
    usize::try_from(WORK / (each as u64).max(1)).unwrap_or(usize::MAX)
}

/// How much work is put into the balance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// The healthy fabric.
    Full,
    /// A fault.
    Fault,
}

/// How routes may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// With any hop.
    Any,
    /// Those of three or more hops with a local one, where a local one leads nearer.
    Local,
}

/// What a balance is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How much work is put into it.
    pub care: Care,
    /// How routes may begin.
    pub start: Start,
    /// No routes have fewer parts of a unit on their busiest channel: nothing is left to do where that is
    /// reached.
    pub bound: u64,
}

/// Hops from which on [`Start::Local`] matters.
const LONG: u16 = 3;

/// The next hop of every router towards every canonical destination, over lit links that connect all
/// endpoints.
///
/// The scene and `demand` must keep the topology's symmetry.
pub fn route(scene: &Scene<'_>, demand: &Demand, settings: Settings) -> NextHops {
    let Settings { care, start, bound } = settings;
    let mut search = Search::new(scene, demand, start);
    let most = if care == Care::Full { ROUNDS } else { FAULT_ROUNDS };
    let large = search.is_large();
    let rounds = rounds_within_work(search.trees.len() * search.heads.len())
        .clamp(FEWEST[usize::from(large)].min(most), most);
    let mut best: Option<(u64, Vec<Vec<u16>>)> = None;
    for round in 0..rounds {
        let progressed = round as f64 / (rounds - 1) as f64;
        let width = WIDTHS[0] * libm::pow(WIDTHS[1] / WIDTHS[0], progressed);
        if large {
            search.batches(width)
        } else {
            search.round(width)
        }
        let busiest = search.busiest();
        if best.as_ref().is_none_or(|(least, _)| busiest < *least) {
            best = Some((busiest, search.trees.iter().map(|tree| tree.ports.clone()).collect()));
        }
        if busiest <= bound {
            break;
        }
    }
    let enough = if large { bound * SWEPT_PERCENT / 100 } else { bound };
    if let Some((busiest, ports)) = &mut best {
        search.adopt(ports);
        let sweeps = SWEEPS[usize::from(care == Care::Fault)];
        let work = search.trees.len()
            * search.heads.len()
            * search.trees.iter().map(Tree::longest).max().unwrap_or(1);
        let sweeps = rounds_within_work(work).clamp(1, sweeps);
        for sweep in 0..sweeps {
            if *busiest <= enough {
                break;
            }
            let progressed = sweep as f64 / (sweeps.max(2) - 1) as f64;
            let width = SWEEP_WIDTHS[0] * libm::pow(SWEEP_WIDTHS[1] / SWEEP_WIDTHS[0], progressed);
            (0..search.trees.len()).for_each(|at| search.settle(at, width));
            if search.busiest() < *busiest {
                *busiest = search.busiest();
                ports.iter_mut().zip(&search.trees).for_each(|(ports, tree)| ports.clone_from(&tree.ports));
            }
        }
    }
    let destinations = search.trees.iter().map(|tree| tree.destination).collect();
    NextHops {
        symmetry: scene.topology.symmetry().clone(),
        destinations,
        ports: best.map(|(_, ports)| ports).unwrap_or_default(),
    }
}

/// The routes to one destination.
struct Tree {
    destination: NodeId,
    /// `[node]`: output port; [`NextHops::NONE`] where no route passes.
    ports: Vec<u16>,
    /// Routers by rising distance, the destination first.
    order: Vec<u32>,
    /// `[node]`.
    distance: Vec<u16>,
    /// The routers that must send it on by a local link.
    by_local: FixedBitSet,
}

struct Search<'a> {
    topology: &'a Topology,
    demand: &'a Demand,
    /// `[node]`: where its channels start in the arrays of channels; one more at the end.
    starts: Vec<u32>,
    /// `[channel]`: where it leads.
    heads: Vec<u32>,
    /// `[channel]`: its output port.
    outputs: Vec<u16>,
    /// `[channel]`: whether its link is a local one.
    local: Vec<bool>,
    /// `[node * ports + port]`: the channel; meaningless where none is lit.
    by_port: Vec<u32>,
    /// `[channel]`: its class.
    classes: Vec<u32>,
    /// `[channel]`: parts of a unit of load that weight 1 is.
    slowness: Vec<u64>,
    trees: Vec<Tree>,
    /// `[channel class]`: load of a channel of the class, in parts.
    load: Vec<u64>,
    /// Lit channel classes.
    lit: usize,
    // Scratch: by router.
    weight: Vec<u64>,
    passes: Vec<bool>,
    cost: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(scene: &Scene<'a>, demand: &'a Demand, start: Start) -> Self {
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
        let tree = |search: &mut Breadth, destination| Tree::new(scene, &into, destination, start, search);
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

    fn busiest(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Takes over trees, and counts their loads.
    fn adopt(&mut self, trees: &[Vec<u16>]) {
        self.load.fill(0);
        for (at, ports) in trees.iter().enumerate() {
            self.trees[at].ports.clone_from(ports);
            self.account(at, true);
        }
    }

    /// Puts the routes of a tree on the loads, or takes them off.
    fn account(&mut self, at: usize, add: bool) {
        self.weigh(at);
        let tree = &self.trees[at];
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

    /// Counts what passes through every router of a tree, or starts there.
    fn weigh(&mut self, at: usize) {
        let tree = &self.trees[at];
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

    /// Moves every router of a tree, with all that passes through it, to the way to the destination that is
    /// cheapest at the loads of the moment; prices rise by a factor of e over `width` times the busiest load.
    fn settle(&mut self, at: usize, width: f64) {
        self.weigh(at);
        let most = self.busiest() as f64;
        let price = Price { most, rise: 1.0 / (width * most).max(0.5) };
        let Search {
            topology,
            starts,
            heads,
            outputs,
            local,
            by_port,
            classes,
            slowness,
            trees,
            load,
            weight,
            passes,
            ..
        } = self;
        let Tree { destination, ports, order, distance, by_local } = &mut trees[at];
        let (all_ports, end) = (topology.ports(), destination.index());
        let (heads, by_port, classes, slowness) = (&*heads, &*by_port, &*classes, &*slowness);
        let ways = Ways { starts, heads, local, distance, by_local };
        let nearer = |node: usize| ways.nearer(node);
        let cost = |channel: usize, load: &[u64], moved: u64| {
            slowness[channel] as f64
                * price.of(load[classes[channel] as usize] + moved * slowness[channel] / 2)
        };
        // Where no route has passed so far, the cheapest channel leads on.
        let onward = |node: usize, ports: &[u16], load: &[u64], moved: u64| match ports[node] {
            NextHops::NONE => {
                let least = nearer(node)
                    .map(|channel| (cost(channel, load, moved), channel))
                    .min_by(|a, b| a.0.total_cmp(&b.0));
                least.expect("a router that is reached has a nearer neighbor").1
            }
            port => by_port[node * all_ports + usize::from(port)] as usize,
        };
        for &node in order.iter().skip(1).rev() {
            let (node, moved) = (node as usize, weight[node as usize]);
            if ports[node] == NextHops::NONE || moved == 0 {
                continue;
            }
            let old = by_port[node * all_ports + usize::from(ports[node])] as usize;
            let mut channel = old;
            loop {
                load[classes[channel] as usize] -= moved * slowness[channel];
                let head = heads[channel] as usize;
                if head == end {
                    break;
                }
                weight[head] -= moved;
                channel = onward(head, ports, load, moved);
            }
            let way = |first: usize| {
                let (mut channel, mut sum) = (first, 0.0);
                loop {
                    sum += cost(channel, load, moved);
                    let head = heads[channel] as usize;
                    if head == end {
                        return sum;
                    }
                    channel = onward(head, ports, load, moved);
                }
            };
            let mut best = (way(old), old);
            for other in nearer(node).filter(|&other| other != old) {
                let sum = way(other);
                if sum < best.0 {
                    best = (sum, other);
                }
            }
            ports[node] = outputs[best.1];
            channel = best.1;
            loop {
                load[classes[channel] as usize] += moved * slowness[channel];
                let head = heads[channel] as usize;
                if head == end {
                    break;
                }
                weight[head] += moved;
                channel = onward(head, ports, load, moved);
                ports[head] = outputs[channel];
            }
        }
        // Tables have no entries that no route uses.
        passes.fill(false);
        for &node in order.iter().skip(1).rev() {
            let node = node as usize;
            if topology.is_endpoint(NodeId::new(node)) || passes[node] {
                passes[heads[by_port[node * all_ports + usize::from(ports[node])] as usize] as usize] = true;
            } else {
                ports[node] = NextHops::NONE;
            }
        }
    }

    /// Lays every tree anew; prices rise by a factor of e over `width` times the mean load.
    fn round(&mut self, width: f64) {
        for at in 0..self.trees.len() {
            self.account(at, false);
            let mean = self.load.iter().sum::<u64>() as f64 / self.lit.max(1) as f64;
            let most = self.busiest() as f64;
            self.lay(at, Price { most, rise: 1.0 / (width * mean).max(0.5) });
        }
    }

    /// Chooses the next hops of a tree whose routes are off the loads, and puts them on.
    fn lay(&mut self, at: usize, price: Price) {
        let Search {
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
        let tree = &trees[at];
        let (starts, heads) = (&*starts, &*heads);
        let ways = Ways { starts, heads, local, distance: &tree.distance, by_local: &tree.by_local };
        let nearer = |node: usize| ways.nearer(node);
        cost[tree.destination.index()] = 0.0;
        for &node in tree.order.iter().skip(1) {
            let through = |channel: usize| {
                slowness[channel] as f64 * price.of(load[classes[channel] as usize])
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
            // Half of what is added, as the mean price on the way up.
            let dear = |channel: usize| {
                let load = load[classes[channel] as usize] + weight[node] * slowness[channel] / 2;
                slowness[channel] as f64 * price.of(load) + cost[heads[channel] as usize]
            };
            // Equal ones in turn, so that destinations spread from the start.
            let degree = (starts[node + 1] - starts[node]) as usize;
            let turn = |channel: usize| (channel + tree.destination.index()) % degree;
            let chosen = nearer(node)
                .map(|channel| (dear(channel), turn(channel), channel))
                .min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            let (.., channel) = chosen.expect("a router that is reached has a nearer neighbor");
            ports[node] = outputs[channel];
            let head = heads[channel] as usize;
            weight[head] += weight[node];
            passes[head] = true;
            load[classes[channel] as usize] += weight[node] * slowness[channel];
        }
        self.trees[at].ports = ports;
    }
}

/// The ways to the destination of a tree.
#[derive(Clone, Copy)]
struct Ways<'a> {
    starts: &'a [u32],
    heads: &'a [u32],
    local: &'a [bool],
    distance: &'a [u16],
    by_local: &'a FixedBitSet,
}

impl<'a> Ways<'a> {
    /// The channels that lead from a router to one that is a hop nearer to the destination, as far as they
    /// may be taken.
    fn nearer(self, node: usize) -> impl Iterator<Item = usize> + 'a {
        let Ways { starts, heads, local, distance, by_local } = self;
        let (channels, here) = (starts[node] as usize..starts[node + 1] as usize, distance[node]);
        let any = !by_local.contains(node);
        channels.filter(move |&channel| {
            distance[heads[channel] as usize].checked_add(1) == Some(here) && (any || local[channel])
        })
    }
}

/// What a part of load costs by the load of a channel.
#[derive(Clone, Copy)]
struct Price {
    most: f64,
    rise: f64,
}

impl Price {
    fn of(self, load: u64) -> f64 {
        libm::exp(((load as f64 - self.most) * self.rise).min(300.0))
    }
}

impl Tree {
    /// Hops from the farthest router.
    fn longest(&self) -> usize {
        self.order.last().map_or(0, |&node| usize::from(self.distance[node as usize]))
    }
    fn new(
        scene: &Scene<'_>,
        into: &Neighbors,
        destination: NodeId,
        start: Start,
        search: &mut Breadth,
    ) -> Self {
        let topology = scene.topology;
        into.search(destination, search);
        // Rows of more routers than 16 bits count have none that far apart.
        let distance: Vec<u16> =
            search.hops.iter().map(|&hops| u16::try_from(hops).unwrap_or(u16::MAX)).collect();
        let order = search.order.clone();
        let mut by_local = FixedBitSet::new();
        if start == Start::Local {
            by_local.grow(topology.node_count());
            for &node in order.iter().filter(|&&node| distance[node as usize] >= LONG) {
                let here = distance[node as usize];
                let nearer = |channel: ChannelId| {
                    distance[topology.target(channel).node.index()].checked_add(1) == Some(here)
                };
                let local = |channel: ChannelId| topology.link(channel).class == LinkClass::Local;
                by_local.set(
                    node as usize,
                    scene.channels_from(NodeId(node)).any(|channel| local(channel) && nearer(channel)),
                );
            }
        }
        Self { destination, ports: vec![NextHops::NONE; into.len()], order, distance, by_local }
    }
}
