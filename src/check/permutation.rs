//! Verifies the worst permutation of hosts under group tables.
//!
//! Input: a scene, its proved group tables, and a [`Permutation`]. The flows of the witness must be a
//! permutation of hosts, in part, and load their channel by the claimed value. No permutation may load any
//! channel more: for every channel, the largest share of each source summed over all hosts is at most the
//! value, or that of each destination, or listed prices prove it.
//!
//! This file shares no code with the pass. A flow is followed here from layer to layer of routers, in shares
//! of one flow.

use crate::CheckError;
use crate::exact::Exact;
use fabc_base::divisors::least_common_multiple;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupTables, Permutation, PermutationDual, Scene};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Endpoints whose sums are made by one task.
const ENDPOINTS_PER_TASK: usize = 16;

/// Verifies a claimed worst permutation.
///
/// # Errors
/// Flows that are no permutation or load their channel otherwise, or a channel on which a permutation may put
/// more.
pub fn verify_permutation(
    scene: &Scene<'_>,
    tables: &GroupTables,
    claimed: &Permutation,
) -> Result<(), CheckError> {
    let refuted =
        |violation: String| CheckError::Permutation { scenario: tables.scenario.clone(), violation };
    let flows = Flows::new(scene, tables).ok_or_else(|| refuted("its shares exceed 64 bits".to_owned()))?;
    let value = Exact::new(claimed.load.into(), claimed.parts.into())
        .ok_or_else(|| refuted("its load is counted in no parts".to_owned()))?;
    flows.check_witness(claimed, value).map_err(refuted)?;
    let mut duals: BTreeMap<usize, &PermutationDual> = BTreeMap::new();
    for dual in &claimed.duals {
        let slot = flows.check_prices(dual, value).map_err(refuted)?;
        duals.insert(slot, dual);
    }
    let by_source = flows.summed_maxima(Side::Source, &duals).map_err(refuted)?;
    let by_destination = flows.summed_maxima(Side::Destination, &BTreeMap::new()).map_err(refuted)?;
    for (slot, bound) in by_source.into_iter().zip(by_destination).map(|(a, b)| a.min(b)).enumerate() {
        let exceeds = exceeds(flows.load(slot, bound).map_err(refuted)?, value);
        if exceeds && !duals.contains_key(&slot) {
            return Err(refuted(format!("nothing proves that {} carries less", flows.channel_name(slot))));
        }
    }
    Ok(())
}

/// Which end of a flow is held while the other one varies.
#[derive(Clone, Copy)]
enum Side {
    Source,
    Destination,
}

/// What is needed to follow flows.
struct Flows<'a> {
    scene: &'a Scene<'a>,
    tables: &'a GroupTables,
    endpoints: Vec<NodeId>,
    ports: usize,
    /// `[endpoint][router]`: the ports by which packets to the endpoint may leave.
    slots: Vec<Vec<&'a [u16]>>,
    /// `[endpoint][router]`: the weights of these ports. Empty where they are equal.
    weights: Vec<Vec<&'a [u32]>>,
    /// `[slot]`: the router at the other end of a lit channel.
    heads: Vec<usize>,
    /// A whole flow in shares.
    whole: u64,
}

/// The memory to follow a flow, which is used again for the next one.
struct Scratch {
    arrived: Vec<u64>,
    layer: Vec<usize>,
}

impl<'a> Flows<'a> {
    fn new(scene: &'a Scene<'a>, tables: &'a GroupTables) -> Option<Self> {
        let topology = scene.topology;
        let endpoints: Vec<NodeId> = scene.endpoints().collect();
        let ports = topology.ports();
        let slots = endpoints
            .iter()
            .map(|&to| topology.nodes().map(|router| tables.group(router, to)).collect())
            .collect();
        let weights = endpoints
            .iter()
            .map(|&to| topology.nodes().map(|router| tables.group_weights(router, to)).collect())
            .collect();
        let head = |slot: usize| {
            let channel = scene.outgoing(NodeId::new(slot / ports), PortId::new(slot % ports));
            channel.map_or(usize::MAX, |channel| topology.target(channel).node.index())
        };
        let heads = (0..topology.node_count() * ports).map(head).collect();
        let mut flows = Self { scene, tables, endpoints, ports, slots, weights, heads, whole: 1 };
        let mut whole = 1;
        for to in 0..flows.endpoints.len() {
            whole = multiple_in_64_bits(whole, flows.divisions(to)?)?;
        }
        flows.whole = whole.try_into().ok()?;
        Some(flows)
    }

    /// The weight of a member of a group, and the sum over the group.
    fn weight(&self, to: usize, router: usize, member: usize) -> (u64, u64) {
        match self.weights[to][router] {
            [] => (1, self.slots[to][router].len().max(1) as u64),
            weights => (weights[member].into(), weights.iter().map(|&weight| u64::from(weight)).sum()),
        }
    }

    /// The least number of shares of a flow to an endpoint that every division keeps whole, from anywhere.
    fn divisions(&self, to: usize) -> Option<u128> {
        let routers = self.slots[to].len();
        let mut divisions: Vec<Option<u128>> = vec![None; routers];
        divisions[self.endpoints[to].index()] = Some(1);
        // The divisions of a router are known once those of all its members are.
        let mut open: Vec<usize> =
            (0..routers).filter(|&router| !self.slots[to][router].is_empty()).collect();
        while !open.is_empty() {
            let before = open.len();
            let mut later = Vec::new();
            for router in open {
                let members = self.slots[to][router];
                let behind = |&port: &u16| divisions[self.heads[router * self.ports + usize::from(port)]];
                match members.iter().map(behind).collect::<Option<Vec<u128>>>() {
                    None => later.push(router),
                    Some(behind) => {
                        let common = behind.into_iter().try_fold(1, multiple_in_64_bits)?;
                        let all = common * u128::from(self.weight(to, router, 0).1);
                        divisions[router] = Some(all).filter(|&all| all <= u128::from(u64::MAX));
                        divisions[router]?;
                    }
                }
            }
            if later.len() == before {
                return None;
            }
            open = later;
        }
        let from_endpoints = self.endpoints.iter().filter_map(|endpoint| divisions[endpoint.index()]);
        from_endpoints.into_iter().try_fold(1, multiple_in_64_bits)
    }

    fn scratch(&self) -> Scratch {
        Scratch { arrived: vec![0; self.scene.topology.node_count()], layer: Vec::new() }
    }

    /// Follows a flow between two endpoints, over its relays if it has any, and calls `take` with every slot
    /// and its shares. A slot of several legs comes once.
    fn follow(&self, from: usize, to: usize, scratch: &mut Scratch, mut take: impl FnMut(usize, u64)) {
        let mut here = self.endpoints[from];
        let mut over: BTreeMap<usize, u64> = BTreeMap::new();
        while let Some(relay) = self.tables.relay(here, self.endpoints[to]) {
            let [near, far] = [here, relay].map(|node| self.endpoints.partition_point(|&known| known < node));
            self.follow_leg(near, far, scratch, |slot, shares| *over.entry(slot).or_insert(0) += shares);
            here = relay;
        }
        let near = self.endpoints.partition_point(|&known| known < here);
        if over.is_empty() {
            return self.follow_leg(near, to, scratch, take);
        }
        self.follow_leg(near, to, scratch, |slot, shares| *over.entry(slot).or_insert(0) += shares);
        over.into_iter().for_each(|(slot, shares)| take(slot, shares));
    }

    /// Follows a leg of a flow.
    fn follow_leg(&self, from: usize, to: usize, scratch: &mut Scratch, mut take: impl FnMut(usize, u64)) {
        let Scratch { arrived, layer } = scratch;
        arrived[self.endpoints[from].index()] = self.whole;
        *layer = vec![self.endpoints[from].index()];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for &router in layer.iter() {
                let shares = std::mem::replace(&mut arrived[router], 0);
                let members = self.slots[to][router];
                for (member, &port) in members.iter().enumerate() {
                    let (weight, sum) = self.weight(to, router, member);
                    let part = shares / sum * weight;
                    let slot = router * self.ports + usize::from(port);
                    take(slot, part);
                    if arrived[self.heads[slot]] == 0 {
                        next.push(self.heads[slot]);
                    }
                    arrived[self.heads[slot]] += part;
                }
            }
            *layer = next;
        }
    }

    /// A load of so many shares on a channel, over its capacity.
    fn load(&self, slot: usize, shares: u128) -> Result<Exact, String> {
        let topology = self.scene.topology;
        let slowness = topology
            .outgoing(NodeId::new(slot / self.ports), PortId::new(slot % self.ports))
            .map_or(1, |channel| topology.slowness(channel));
        let parts = u128::from(topology.capacities().parts());
        let load = Exact::new(shares, self.whole.into()).and_then(|load| load.times(slowness.into(), parts));
        load.ok_or_else(|| "its loads exceed 128 bits".to_owned())
    }

    fn hosts(&self, endpoint: usize) -> u128 {
        u128::from(self.scene.topology.hosts(self.endpoints[endpoint]))
    }

    fn channel_name(&self, slot: usize) -> String {
        let topology = self.scene.topology;
        let channel = topology.outgoing(NodeId::new(slot / self.ports), PortId::new(slot % self.ports));
        channel.map_or_else(|| "no channel".to_owned(), |channel| topology.channel_name(channel))
    }

    fn slot(&self, channel: (NodeId, u16)) -> Result<usize, String> {
        let (router, port) = channel;
        let slot = router.index().saturating_mul(self.ports).saturating_add(usize::from(port));
        let is_lit =
            usize::from(port) < self.ports && self.heads.get(slot).is_some_and(|&head| head != usize::MAX);
        if is_lit { Ok(slot) } else { Err(format!("port {port} of router {router} has no lit channel")) }
    }

    /// Checks that the flows are a permutation of some hosts, and load their channel by the value.
    fn check_witness(&self, claimed: &Permutation, value: Exact) -> Result<(), String> {
        let mut scratch = self.scratch();
        let (mut sent, mut received) = (vec![0u128; self.endpoints.len()], vec![0u128; self.endpoints.len()]);
        let slot = match claimed.flows.is_empty() {
            true => 0,
            false => self.slot(claimed.channel)?,
        };
        let mut shares = 0u128;
        if !claimed.flows.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)) {
            return Err("its flows are not listed by source and destination".to_owned());
        }
        for &(from, to, count) in &claimed.flows {
            let place = |node: NodeId| {
                self.endpoints.binary_search(&node).map_err(|_| format!("router {node} sends nothing"))
            };
            let (from, to) = (place(from)?, place(to)?);
            if from == to || count == 0 {
                return Err("it has a flow of no host, or to its own router".to_owned());
            }
            sent[from] += u128::from(count);
            received[to] += u128::from(count);
            self.follow(from, to, &mut scratch, |visited, part| {
                shares += if visited == slot { u128::from(part) * u128::from(count) } else { 0 };
            });
        }
        let exceeds = |flows: &[u128]| (0..flows.len()).any(|place| flows[place] > self.hosts(place));
        if exceeds(&sent) || exceeds(&received) {
            return Err("an endpoint has more flows than hosts".to_owned());
        }
        let load = if claimed.flows.is_empty() { Exact::integer(0) } else { self.load(slot, shares)? };
        match load.compare_exact(value) == Ordering::Equal {
            true => Ok(()),
            false => Err("its flows load the channel otherwise".to_owned()),
        }
    }

    /// Checks that prices prove the value for their channel, apart from the shares. Returns its slot.
    fn check_prices(&self, dual: &PermutationDual, value: Exact) -> Result<usize, String> {
        let slot = self.slot(dual.channel)?;
        let count = self.endpoints.len();
        if dual.sources.len() != count || dual.destinations.len() != count || dual.denominator == 0 {
            return Err(format!("the prices of {} are not one per endpoint", self.channel_name(slot)));
        }
        let priced = dual.sources.iter().zip(&dual.destinations).enumerate();
        let sum = priced
            .map(|(place, (&source, &destination))| {
                (u128::from(source) + u128::from(destination)) * self.hosts(place)
            })
            .sum::<u128>();
        match price_of(dual, sum).is_none_or(|price| exceeds(price, value)) {
            true => Err(format!("the prices of {} add up to more", self.channel_name(slot))),
            false => Ok(slot),
        }
    }

    /// `[slot]`: the sum over all endpoints of hosts times the largest share with any other endpoint. Every
    /// pair is followed, so the prices of `duals` are compared with the shares on the way.
    fn summed_maxima(
        &self,
        side: Side,
        duals: &BTreeMap<usize, &PermutationDual>,
    ) -> Result<Vec<u128>, String> {
        let count = self.endpoints.len();
        let places: Vec<usize> = (0..count).collect();
        let sum_task = |task: &[usize]| -> Result<Vec<u128>, String> {
            let mut scratch = self.scratch();
            let mut sums = vec![0u128; self.heads.len()];
            let mut touched: Vec<usize> = Vec::new();
            let mut largest = vec![0u64; self.heads.len()];
            for &own in task {
                touched.clear();
                for other in (0..count).filter(|&other| other != own) {
                    let (from, to) = match side {
                        Side::Source => (own, other),
                        Side::Destination => (other, own),
                    };
                    let mut underpriced = None;
                    self.follow(from, to, &mut scratch, |slot, shares| {
                        if largest[slot] == 0 {
                            touched.push(slot);
                        }
                        largest[slot] = largest[slot].max(shares);
                        if let Some(dual) = duals.get(&slot) {
                            let prices = u128::from(dual.sources[from]) + u128::from(dual.destinations[to]);
                            let price = price_of(dual, prices);
                            let load = self.load(slot, shares.into()).ok();
                            if price.zip(load).is_none_or(|(price, load)| exceeds(load, price)) {
                                underpriced = Some(slot);
                            }
                        }
                    });
                    if let Some(slot) = underpriced {
                        return Err(format!("a share of {} exceeds its prices", self.channel_name(slot)));
                    }
                }
                for &slot in &touched {
                    sums[slot] += self.hosts(own) * u128::from(std::mem::replace(&mut largest[slot], 0));
                }
            }
            Ok(sums)
        };
        let sums: Vec<_> = places.par_chunks(ENDPOINTS_PER_TASK).map(sum_task).collect();
        let mut all = vec![0u128; self.heads.len()];
        for sums in sums {
            all.iter_mut().zip(sums?).for_each(|(sum, more)| *sum += more);
        }
        Ok(all)
    }
}

/// A sum of prices as a load.
fn price_of(dual: &PermutationDual, sum: u128) -> Option<Exact> {
    Exact::new(sum, dual.denominator.into())
}

fn exceeds(load: Exact, limit: Exact) -> bool {
    load.compare_exact(limit) == Ordering::Greater
}

/// The least common multiple. `None` beyond 64 bits.
fn multiple_in_64_bits(a: u128, b: u128) -> Option<u128> {
    least_common_multiple(a, b, u64::MAX.into())
}
