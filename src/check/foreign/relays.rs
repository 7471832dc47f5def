//! The pairs of endpoints whose packets other endpoints take in and send on.
//!
//! Input: triples of a source, a destination and its relay. Output: [`ForeignLegs`], the pairs of endpoints
//! between which such packets travel by next-hop groups. A relay keeps what it takes in, so no channel waits
//! for another one across it.

use super::network::ForeignNetwork;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{GroupTables, Relay};
use std::collections::BTreeMap;

/// The legs of all pairs with relays.
#[derive(Default)]
pub(super) struct ForeignLegs {
    /// By destination and source of a leg, both as endpoints: the pairs with relays that take it, by number
    /// and by weight.
    pairs: BTreeMap<[usize; 2], [u128; 2]>,
    /// `[pair]`: the legs of its route, each as [destination, source].
    routes: Vec<Vec<[usize; 2]>>,
}

impl ForeignLegs {
    /// Follows the relays of every pair that has one.
    ///
    /// # Errors
    /// The first relay that is no endpoint other than the two, or that stands in a circle, and what is wrong.
    pub(super) fn new(network: &ForeignNetwork, tables: &GroupTables) -> Result<Self, (Relay, String)> {
        let endpoint_of: BTreeMap<u32, usize> =
            network.endpoints.iter().enumerate().map(|(place, endpoint)| (endpoint.router, place)).collect();
        let mut legs = Self::default();
        for &pair in &tables.relays {
            let refused = |reason: &str| (pair, reason.to_owned());
            let Relay { source, destination, relay } = pair;
            if source == destination || relay == source || relay == destination {
                return Err(refused("the three are not different"));
            }
            let endpoint = |node: NodeId| {
                let reason = || refused("one of the three has no hosts, or does not exist");
                endpoint_of.get(&node.0).copied().ok_or_else(reason)
            };
            let ends = [endpoint(destination)?, endpoint(source)?];
            endpoint(relay)?;
            let route = tables.legs(source, destination);
            if route.last().is_some_and(|&(from, to)| tables.relay(from, to).is_some()) {
                return Err(refused("packets go from relay to relay and do not arrive"));
            }
            let [to, from] = ends.map(|end| u128::from(network.endpoints[end].weight));
            let mut passed = Vec::with_capacity(route.len());
            for (from_node, to_node) in route {
                let leg = [endpoint(to_node)?, endpoint(from_node)?];
                let [pairs, weight] = legs.pairs.entry(leg).or_default();
                (*pairs, *weight) = (*pairs + 1, *weight + from * to);
                passed.push(leg);
            }
            legs.routes.push(passed);
        }
        Ok(legs)
    }

    /// The pairs that take the leg from one endpoint to another, by number and by weight.
    pub(super) fn over(&self, source: usize, destination: usize) -> [u128; 2] {
        self.pairs.get(&[destination, source]).copied().unwrap_or_default()
    }

    /// The legs that end at an endpoint, by their sources.
    pub(super) fn to(&self, destination: usize) -> impl Iterator<Item = usize> {
        self.pairs.range([destination, 0]..[destination + 1, 0]).map(|(&[_, source], _)| source)
    }

    /// Number of pairs with relays.
    pub(super) fn count(&self) -> u64 {
        self.routes.len() as u64
    }

    /// Hops of the longest route over relays. `hops` has those of every leg, by destination and source.
    pub(super) fn longest(&self, hops: &BTreeMap<[usize; 2], u64>) -> u64 {
        let route = |legs: &Vec<[usize; 2]>| legs.iter().filter_map(|leg| hops.get(leg)).sum();
        self.routes.iter().map(route).max().unwrap_or(0)
    }
}

/// The relays as a file lists them, ascending by source and destination.
///
/// # Errors
/// A pair with two relays.
pub(super) fn sorted_relays(listed: &[[u32; 3]]) -> Result<Vec<Relay>, String> {
    let relay = |&[source, destination, relay]: &[u32; 3]| Relay {
        source: NodeId(source),
        destination: NodeId(destination),
        relay: NodeId(relay),
    };
    let mut relays: Vec<Relay> = listed.iter().map(relay).collect();
    relays.sort_by_key(|relay| (relay.source, relay.destination));
    let twice = relays
        .windows(2)
        .find(|pair| pair[0].source == pair[1].source && pair[0].destination == pair[1].destination);
    match twice {
        Some(pair) => {
            let (source, destination) = (pair[0].source.index(), pair[0].destination.index());
            Err(format!("`relays` has two relays from router {source} to router {destination}"))
        }
        None => Ok(relays),
    }
}
