//! What jobs send between chips in a step, as demands of a topology.

use crate::messages::{message_pairs, operation_groups};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ChipGroups, Topology};
use fabc_model::{Demand, Job};

/// The weight of the heaviest pair of chips.
const HEAVIEST: u128 = 3000;
/// The bytes of a gather count so many tenths: trees carry less than an exchange of all its pairs.
const GATHER_TENTHS: u128 = 6;

/// A job with the chip of each of its ranks.
#[derive(Clone, Copy, Debug)]
pub struct PlacedJob<'a> {
    /// What its ranks do in a step.
    pub job: &'a Job,
    /// `[rank]`: the chip that is this rank.
    pub ranks: &'a [NodeId],
}

/// What jobs send in messages. Any two chips send a little, so that routes between all of them are balanced.
/// `None` where no job has messages.
pub fn message_demand(topology: &Topology, jobs: &[PlacedJob<'_>]) -> Option<Demand> {
    let bytes = bytes_of_pairs(topology, jobs, false);
    bytes.iter().any(|&bytes| bytes > 0).then(|| weighted(topology, &bytes, 1))
}

/// What jobs send, a gather as an exchange of all pairs of its groups. The heaviest pair sends `share` times
/// as much as any pair sends beside it. `share` is positive.
pub fn search_demand(topology: &Topology, jobs: &[PlacedJob<'_>], share: u32) -> Demand {
    weighted(topology, &bytes_of_pairs(topology, jobs, true), HEAVIEST as u32 / share.max(1))
}

/// `[source * chips + destination]`: bytes of a step, each job by its weight.
fn bytes_of_pairs(topology: &Topology, jobs: &[PlacedJob<'_>], with_gathers: bool) -> Vec<u128> {
    let mut number = vec![0; topology.node_count()];
    topology.endpoints().enumerate().for_each(|(index, chip)| number[chip.index()] = index);
    let chips = topology.endpoints().count();
    let mut bytes = vec![0u128; chips * chips];
    for PlacedJob { job, ranks } in jobs {
        for operation in job.phases.iter().flat_map(|phase| &phase.operations) {
            let groups = operation_groups(job, operation, ranks);
            let moved = operation.skewed_bytes() * u128::from(job.weight);
            let part = moved / u128::from(operation.kind.parts(groups.size()));
            let messages = message_pairs(operation.kind, &groups);
            let (pairs, part) = match messages.is_empty() {
                false => (messages, part),
                true if with_gathers => (all_pairs(&groups), part * GATHER_TENTHS / 10),
                true => continue,
            };
            for (from, to) in pairs {
                bytes[number[from.index()] * chips + number[to.index()]] += part.max(1);
            }
        }
    }
    bytes
}

fn all_pairs(groups: &ChipGroups) -> Vec<(NodeId, NodeId)> {
    let of_group = |list: &Vec<NodeId>| {
        let others = |&from: &NodeId| list.iter().filter(move |&&to| to != from).map(move |&to| (from, to));
        list.iter().flat_map(others).collect::<Vec<_>>()
    };
    groups.lists().iter().flat_map(of_group).collect()
}

/// The demand of these bytes, with `beside` more for every pair.
fn weighted(topology: &Topology, bytes: &[u128], beside: u32) -> Demand {
    let chips: Vec<NodeId> = topology.endpoints().collect();
    let largest = bytes.iter().copied().max().unwrap_or(0).max(1);
    let weight = |(index, &bytes): (usize, &u128)| match index / chips.len() == index % chips.len() {
        true => 0,
        false => (bytes * HEAVIEST / largest) as u32 + beside,
    };
    let weights = bytes.iter().enumerate().map(weight).collect();
    let demand = Demand::matrix(chips.len(), weights);
    if chips.len() == topology.node_count() {
        demand
    } else {
        demand.among_endpoints(topology.node_count(), chips)
    }
}
