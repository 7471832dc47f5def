//! Replaces the routers that only forward by arcs between their neighbors.
//!
//! An arc into such a router and an arc out of it are joined to one arc past it, as far as every chip can
//! still receive the data of all roots. How far that is follows from one flow to every chip, which is kept
//! from one joint to the next. Joining takes from a set of routers as many units as are joined, or nothing.
//! So the largest number that some chip then lacks is exactly what was joined too much. A router that
//! receives as much as it sends can always be replaced completely (Bang-Jensen, Frank and Jackson 1995).

use super::super::flow_network::FlowNetwork;
use super::ground::{ForestGround, ForestRate};
use super::kept_flow::KeptFlow;
use fabc_base::ids::{ChannelId, Id};

/// A number of parts on a path of channels.
#[derive(Clone)]
pub(super) struct PathShare {
    pub(super) amount: u64,
    pub(super) channels: Vec<ChannelId>,
}

/// Arcs between routers, each a bundle of paths, and the data of every root.
pub(super) struct LogicalArcs {
    nodes: usize,
    /// Number of chips, which come first.
    pub(super) chips: usize,
    /// `[from * nodes + to]`: parts that the arc can carry.
    capacities: Vec<u64>,
    /// `[from * nodes + to]`: the paths of the arc. Their amounts add up to its capacity.
    paths: Vec<Vec<PathShare>>,
    /// `[chip]`: number of parts of its own data, 0 for a chip that is no root.
    pub(super) supplies: Vec<u64>,
}

impl LogicalArcs {
    /// The channels of a scene, as arcs.
    pub(super) fn new(ground: &ForestGround<'_>, rate: &ForestRate) -> Self {
        let nodes = ground.nodes.len();
        let (mut capacities, mut paths) = (vec![0; nodes * nodes], vec![Vec::new(); nodes * nodes]);
        for channel in ground.scene.channels() {
            let [from, to] = ground.ends(channel);
            let amount = rate.capacities[channel.index()];
            if amount > 0 && from != to {
                capacities[from * nodes + to] += amount;
                paths[from * nodes + to].push(PathShare { amount, channels: vec![channel] });
            }
        }
        let supplies = ground.is_root.iter().map(|&root| if root { rate.parts } else { 0 }).collect();
        Self { nodes, chips: ground.chips, capacities, paths, supplies }
    }

    pub(super) fn capacity(&self, from: usize, to: usize) -> u64 {
        self.capacities[from * self.nodes + to]
    }

    /// The same arcs without their paths.
    pub(super) fn clone_capacities(&self) -> Self {
        let (capacities, supplies) = (self.capacities.clone(), self.supplies.clone());
        Self { nodes: self.nodes, chips: self.chips, capacities, paths: Vec::new(), supplies }
    }

    /// Takes a number of parts off an arc, with their paths.
    pub(super) fn take(&mut self, from: usize, to: usize, amount: u64) -> Vec<PathShare> {
        let arc = from * self.nodes + to;
        let (mut taken, mut missing) = (Vec::new(), amount);
        while missing > 0 {
            let Some(share) = self.paths[arc].last_mut() else { break };
            if share.amount <= missing {
                missing -= share.amount;
                taken.extend(self.paths[arc].pop());
            } else {
                share.amount -= missing;
                taken.push(PathShare { amount: missing, channels: share.channels.clone() });
                missing = 0;
            }
        }
        taken
    }

    /// Reserves a number of parts of an arc for a tree. Their paths stay.
    pub(super) fn reserve(&mut self, from: usize, to: usize, amount: u64) {
        self.capacities[from * self.nodes + to] -= amount;
    }

    /// The flow network of the arcs between the first `nodes` routers, with some more nodes without arcs.
    pub(super) fn network(&self, nodes: usize, more: usize) -> FlowNetwork {
        let mut network = FlowNetwork::empty(nodes + more);
        for from in 0..nodes {
            for to in from + 1..nodes {
                let both = [self.capacity(from, to), self.capacity(to, from)];
                if both != [0, 0] {
                    network.add_arc([from, to], both);
                }
            }
        }
        network
    }

    /// How many parts of the data of all roots some chip cannot receive. The search ends at `enough`.
    pub(super) fn deficiency(&self, enough: u64) -> u64 {
        let wanted: u64 = self.supplies.iter().sum();
        let mut network = self.network(self.nodes, 1);
        for (chip, &supply) in self.supplies.iter().enumerate().filter(|(_, supply)| **supply > 0) {
            network.add_arc([self.nodes, chip], [supply, 0]);
        }
        let capacities = network.residual.clone();
        let mut most = 0;
        for chip in 0..self.chips {
            network.residual.clone_from(&capacities);
            let flow = network.flow_up_to(self.nodes, chip, wanted);
            most = wanted.saturating_sub(flow).max(most);
            if most >= enough {
                break;
            }
        }
        most
    }

    /// Replaces all routers that only forward. What enters one is first spread over all of its other
    /// neighbors, which keeps trees low. `None` if some of what they carry cannot be replaced.
    pub(super) fn split_off_forwarders(&mut self) -> Option<()> {
        let parts = self.supplies.iter().copied().max().unwrap_or(0);
        let mut flows = self.chip_flows()?;
        for middle in (self.chips..self.nodes).rev() {
            for is_spread in [true, false] {
                for from in 0..self.nodes {
                    let others: Vec<usize> = (from + 1..self.nodes)
                        .chain(0..from)
                        .filter(|&to| self.capacity(middle, to) > 0)
                        .collect();
                    let share = self.capacity(from, middle) / others.len().max(1) as u64;
                    // A smaller share would only divide trees.
                    let most = if is_spread && share >= parts { share } else { u64::MAX };
                    for &to in &others {
                        self.join(&mut flows, [from, middle, to], most);
                    }
                    if !is_spread {
                        self.join(&mut flows, [from, middle, from], most);
                        if self.capacity(from, middle) > 0 {
                            return None;
                        }
                    }
                }
            }
        }
        (self.deficiency(1) == 0).then_some(())
    }

    /// For every chip, a flow of the data of all roots to it. `None` if one of them does not fit.
    fn chip_flows(&self) -> Option<Vec<KeptFlow>> {
        // The last node is a source of all data.
        let (nodes, source) = (self.nodes + 1, self.nodes);
        let mut capacities = vec![0; nodes * nodes];
        for from in 0..self.nodes {
            for to in 0..self.nodes {
                capacities[from * nodes + to] = self.capacity(from, to);
            }
        }
        let supplied = self.supplies.iter().enumerate();
        supplied.for_each(|(chip, &supply)| capacities[source * nodes + chip] = supply);
        let wanted: u64 = self.supplies.iter().sum();
        let flow = |chip: usize| {
            let mut flow = KeptFlow::new(nodes, &capacities);
            (flow.send(source, chip, wanted) == 0).then_some(flow)
        };
        (0..self.chips).map(flow).collect()
    }

    /// Joins as much of the arcs from the first router to the middle one and from there to the last one as
    /// all chips can spare, up to a limit. `flows` are those of the chips.
    fn join(&mut self, flows: &mut [KeptFlow], along: [usize; 3], limit: u64) {
        let [from, middle, to] = along;
        let most = self.capacity(from, middle).min(self.capacity(middle, to)).min(limit);
        if most == 0 {
            return;
        }
        let before = flows.to_vec();
        let lacking = flows.iter_mut().map(|flow| reroute(flow, along, most)).max().unwrap_or(0).min(most);
        let amount = most - lacking;
        if lacking > 0 {
            flows.clone_from_slice(&before);
            if amount == 0 {
                return;
            }
            for flow in flows.iter_mut() {
                reroute(flow, along, amount);
            }
        }
        self.shift(from, middle, to, amount);
        let mut first = self.take(from, middle, amount);
        let mut second = self.take(middle, to, amount);
        while let (Some(into), Some(out)) = (first.last_mut(), second.last_mut()) {
            let both = into.amount.min(out.amount);
            if from != to {
                let channels = [&into.channels[..], &out.channels[..]].concat();
                self.paths[from * self.nodes + to].push(PathShare { amount: both, channels });
            }
            into.amount -= both;
            out.amount -= both;
            first.pop_if(|share| share.amount == 0);
            second.pop_if(|share| share.amount == 0);
        }
    }

    /// Moves the capacity of joined arcs past the router between them.
    fn shift(&mut self, from: usize, middle: usize, to: usize, joined: u64) {
        let nodes = self.nodes;
        for arc in [from * nodes + middle, middle * nodes + to] {
            self.capacities[arc] -= joined;
        }
        if from != to {
            self.capacities[from * nodes + to] += joined;
        }
    }
}

/// Sends a flow around the capacity that is joined. Returns how much of it finds no path.
fn reroute(flow: &mut KeptFlow, along: [usize; 3], joined: u64) -> u64 {
    let [from, middle, to] = along;
    let into = flow.change(from, middle, -(joined as i64));
    let out = flow.change(middle, to, -(joined as i64));
    if from == to {
        // What came in and went back again is missing nowhere.
        let both = into.min(out);
        return flow.send(from, middle, into - both) + flow.send(middle, to, out - both);
    }
    flow.change(from, to, joined as i64);
    let both = into.min(out);
    flow.send(from, to, both) + flow.send(from, middle, into - both) + flow.send(middle, to, out - both)
}
