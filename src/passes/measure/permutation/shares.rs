//! Which share of a flow takes which channel.

use super::transport::Transport;
use fabc_base::divisors::least_common_multiple;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupTables, Scene};
use std::collections::BTreeMap;

/// The most shares that a packet is divided into.
const MOST_SHARES: u128 = u64::MAX as u128;

/// Stands for "no group" in a list of group numbers.
const NO_GROUP: u32 = u32::MAX;

/// The group tables of a scene, laid out for walks. A slot is an output port: router x ports + port.
pub(super) struct Shares<'a> {
    /// The living endpoints, ascending. Walks name them by their place here.
    pub endpoints: Vec<NodeId>,
    /// `[endpoint]`: its number of hosts.
    pub hosts: Vec<u32>,
    /// `[slot]`: parts of a unit of load that a flow puts on the channel.
    pub slowness: Vec<u128>,
    /// A whole flow, in shares.
    pub unit: u64,
    pub ports: usize,
    tables: &'a GroupTables,
    /// `[group]`: its weights, and their sum.
    weights: Vec<(Vec<u64>, u64)>,
    /// `[endpoint * routers + router]`: the group for packets to the endpoint, or [`NO_GROUP`].
    group_of: Vec<u32>,
    /// `[slot]`: the router at the other end.
    next: Vec<u32>,
    routers: usize,
}

/// The memory of a walk, which is used again for the next one.
pub(super) struct ShareScratch {
    /// `[router]`: the share of the flow that comes to it.
    share: Vec<u64>,
    layer: Vec<u32>,
    next_layer: Vec<u32>,
}

impl ShareScratch {
    pub(super) fn new(shares: &Shares<'_>) -> Self {
        Self { share: vec![0; shares.routers], layer: Vec::new(), next_layer: Vec::new() }
    }
}

impl<'a> Shares<'a> {
    /// Lays tables out. `None` if shares are too small for 64 bits.
    pub(super) fn new(scene: &Scene<'_>, tables: &'a GroupTables) -> Option<Self> {
        let topology = scene.topology;
        let endpoints: Vec<NodeId> = scene.endpoints().collect();
        let (routers, ports) = (topology.node_count(), topology.ports());
        let mut group_of = vec![NO_GROUP; endpoints.len() * routers];
        for (router, entries) in tables.routers.iter().enumerate() {
            for entry in entries {
                let first = endpoints.partition_point(|endpoint| *endpoint < entry.first);
                let covered = endpoints[first..].iter().take_while(|endpoint| **endpoint <= entry.last);
                for place in first..first + covered.count() {
                    group_of[place * routers + router] = entry.group;
                }
            }
        }
        let channels =
            topology.nodes().flat_map(|node| (0..ports).map(move |port| (node, PortId::new(port))));
        let channels: Vec<_> = channels.map(|(node, port)| scene.outgoing(node, port)).collect();
        let shares = Self {
            hosts: endpoints.iter().map(|&endpoint| u32::from(topology.hosts(endpoint))).collect(),
            endpoints,
            slowness: channels.iter().map(|id| id.map_or(1, |id| topology.slowness(id).into())).collect(),
            unit: 1,
            ports,
            tables,
            weights: tables
                .groups
                .iter()
                .zip(&tables.weights)
                .map(|(ports, weights)| summed_weights(ports, weights))
                .collect(),
            group_of,
            next: channels.iter().map(|id| id.map_or(0, |id| topology.target(id).node.0)).collect(),
            routers,
        };
        let unit = shares.common_unit()?.try_into().ok()?;
        Some(Self { unit, ..shares })
    }

    /// The number of output ports of all routers.
    pub(super) fn slots(&self) -> usize {
        self.next.len()
    }

    fn group(&self, to: usize, router: usize) -> &'a [u16] {
        match self.group_of[to * self.routers + router] {
            NO_GROUP => &[],
            group => &self.tables.groups[group as usize],
        }
    }

    /// The weights of a group, one per port, and their sum.
    fn weights(&self, to: usize, router: usize) -> (&[u64], u64) {
        match self.group_of[to * self.routers + router] {
            NO_GROUP => (&[], 1),
            group => {
                let (weights, sum) = &self.weights[group as usize];
                (weights, *sum)
            }
        }
    }

    /// The least number of shares for which every division comes out even.
    fn common_unit(&self) -> Option<u128> {
        let mut unit = 1u128;
        let mut needed = vec![0u128; self.routers];
        for to in 0..self.endpoints.len() {
            needed.fill(0);
            for router in self.by_falling_distance(to) {
                let own = needed[router].max(1);
                let group = self.group(to, router);
                let divided = own * u128::from(self.weights(to, router).1);
                for &port in group {
                    let next = &mut needed[self.next[router * self.ports + usize::from(port)] as usize];
                    *next = least_common_multiple((*next).max(1), divided, MOST_SHARES)?;
                }
            }
            unit = least_common_multiple(unit, needed[self.endpoints[to].index()].max(1), MOST_SHARES)?;
        }
        Some(unit)
    }

    /// The routers that lead to an endpoint, each before those that it sends to.
    fn by_falling_distance(&self, to: usize) -> Vec<usize> {
        let mut waiting = vec![0u32; self.routers];
        for router in 0..self.routers {
            for &port in self.group(to, router) {
                waiting[self.next[router * self.ports + usize::from(port)] as usize] += 1;
            }
        }
        let is_first = |&router: &usize| waiting[router] == 0 && !self.group(to, router).is_empty();
        let mut order: Vec<usize> = (0..self.routers).filter(is_first).collect();
        let mut place = 0;
        while let Some(&router) = order.get(place) {
            place += 1;
            for &port in self.group(to, router) {
                let next = self.next[router * self.ports + usize::from(port)] as usize;
                waiting[next] -= 1;
                if waiting[next] == 0 && !self.group(to, next).is_empty() {
                    order.push(next);
                }
            }
        }
        order
    }

    /// The legs of a flow, as places of endpoints. There is one unless relays hand it on.
    fn legs(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        if self.tables.relays.is_empty() {
            return vec![(from, to)];
        }
        let place = |node: NodeId| self.endpoints.partition_point(|&endpoint| endpoint < node);
        let legs = self.tables.legs(self.endpoints[from], self.endpoints[to]);
        legs.into_iter().map(|(from, to)| (place(from), place(to))).collect()
    }

    /// Calls `take` with every channel that a flow visits, as slot, and the share that it carries.
    pub(super) fn visit(
        &self,
        from: usize,
        to: usize,
        scratch: &mut ShareScratch,
        mut take: impl FnMut(usize, u64),
    ) {
        let legs = self.legs(from, to);
        if let [(from, to)] = legs[..] {
            return self.visit_leg(from, to, scratch, take);
        }
        // Two legs may share a channel.
        let mut carried: BTreeMap<usize, u64> = BTreeMap::new();
        for (from, to) in legs {
            self.visit_leg(from, to, scratch, |slot, share| *carried.entry(slot).or_default() += share);
        }
        carried.into_iter().for_each(|(slot, share)| take(slot, share));
    }

    /// The same for one leg.
    fn visit_leg(
        &self,
        from: usize,
        to: usize,
        scratch: &mut ShareScratch,
        mut take: impl FnMut(usize, u64),
    ) {
        let ShareScratch { share, layer, next_layer } = scratch;
        layer.clear();
        layer.push(self.endpoints[from].0);
        share[self.endpoints[from].index()] = self.unit;
        // All members of a group are one hop nearer, so routers come layer by layer.
        while !layer.is_empty() {
            next_layer.clear();
            for &router in layer.iter() {
                let group = self.group(to, router as usize);
                let carried = std::mem::take(&mut share[router as usize]);
                let (weights, sum) = self.weights(to, router as usize);
                for (&port, weight) in group.iter().zip(weights) {
                    let part = carried / sum * weight;
                    let slot = router as usize * self.ports + usize::from(port);
                    take(slot, part);
                    let next = self.next[slot];
                    if share[next as usize] == 0 {
                        next_layer.push(next);
                    }
                    share[next as usize] += part;
                }
            }
            std::mem::swap(layer, next_layer);
        }
    }

    /// The transport problem of a channel, solved.
    pub(super) fn transport(&self, slot: usize) -> Transport {
        let (router, port) = (slot / self.ports, (slot % self.ports) as u16);
        let places = self.endpoints.len();
        let mut earned: Vec<Vec<(usize, u128)>> = vec![Vec::new(); places];
        // `[router]`: the share of what comes to it that then comes to the channel's router.
        let mut passing = vec![0u128; self.routers];
        for to in 0..places {
            let group = self.group(to, router);
            let Some(member) = group.iter().position(|&other| other == port) else { continue };
            let (weights, sum) = self.weights(to, router);
            let weight = u128::from(weights[member]);
            passing.fill(0);
            passing[router] = u128::from(self.unit);
            for before in self.by_falling_distance(to).into_iter().rev().filter(|&before| before != router) {
                let group = self.group(to, before);
                let (weights, sum) = self.weights(to, before);
                let next = |(&port, &weight): (&u16, &u64)| {
                    passing[self.next[before * self.ports + usize::from(port)] as usize] * u128::from(weight)
                };
                passing[before] = group.iter().zip(weights).map(next).sum::<u128>() / u128::from(sum);
            }
            for (from, endpoint) in self.endpoints.iter().enumerate().filter(|&(from, _)| from != to) {
                let share = passing[endpoint.index()] * weight / u128::from(sum);
                if share > 0 {
                    earned[from].push((to, share));
                }
            }
        }
        if !self.tables.relays.is_empty() {
            self.add_relayed(&mut earned);
        }
        Transport::solve(&earned, &self.hosts)
    }
}

impl Shares<'_> {
    /// Adds the flows that relays hand on to the shares of a channel: `[source]`: (destination, share).
    fn add_relayed(&self, earned: &mut [Vec<(usize, u128)>]) {
        let of_leg: BTreeMap<(usize, usize), u128> = (0..)
            .zip(earned.iter())
            .flat_map(|(from, row)| row.iter().map(move |&(to, share)| ((from, to), share)))
            .collect();
        let place = |node: NodeId| self.endpoints.partition_point(|&endpoint| endpoint < node);
        for relay in &self.tables.relays {
            let (from, to) = (place(relay.source), place(relay.destination));
            let legs = self.legs(from, to);
            let share: u128 = legs.iter().filter_map(|leg| of_leg.get(leg)).sum();
            if share > 0 {
                earned[from].push((to, share));
            }
        }
    }
}

/// The weights of the ports of a group, and their sum.
fn summed_weights(ports: &[u16], weights: &[u32]) -> (Vec<u64>, u64) {
    let weights: Vec<u64> = match weights.is_empty() {
        true => vec![1; ports.len()],
        false => weights.iter().map(|&weight| weight.into()).collect(),
    };
    let sum = weights.iter().sum();
    (weights, sum)
}
