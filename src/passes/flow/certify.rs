//! Flows in integers, which prove the lower bound of the concurrent flow.
//!
//! Input: the rounds of a descent, or rebalanced flows. Output: a feasible integer flow with its busiest
//! load. Units are conserved exactly at every node.

use super::descent::FlowRound;
use super::mixture;
use super::quotient::{DistanceSearch, FlowQuotient, IncomingChannel};
use super::rebalance::SourceFlow;
use super::split::{UNIT, busiest, slack_weights, split_weight};
use fabc_ir::FlowCertificate;
use rayon::prelude::*;

/// Approximate integer units that the pairs of largest weight send in the certificate, and the fewest that
/// a pair of weight 1 sends. Shares of rounds are whole units.
const DEMAND: u64 = 1 << 22;
const LEAST_UNITS: u64 = 1 << 12;
/// Integer parts of the flow of a unit of weight when shares come from a rebalanced flow.
const SHARE: f64 = 16_777_216.0;

/// The round whose busiest channel carries the least.
pub(super) fn flattest(history: &[FlowRound]) -> &FlowRound {
    history.iter().min_by(|a, b| busiest(&a.loads).total_cmp(&busiest(&b.loads))).expect("there is a round")
}

/// The flow of every source in one round.
pub(super) fn flows_by_source(quotient: &FlowQuotient, round: &FlowRound) -> Vec<SourceFlow> {
    let weights = slack_weights(round.tau * UNIT);
    let units = units(quotient);
    let flow_from = |&source: &u32| {
        let mut flow = vec![0u64; quotient.channels];
        let order = quotient.with_search(|search| {
            split_integer(quotient, source, round, &weights, units, search, &mut flow);
            search.order.clone()
        });
        let flow = quotient
            .incoming
            .iter()
            .map(|channel| flow[channel.channel as usize] as f64 / units as f64)
            .collect();
        SourceFlow { order, flow }
    };
    quotient.sources.par_iter().map(flow_from).collect()
}

/// The integer units per weight of a pair.
fn units(quotient: &FlowQuotient) -> u64 {
    (DEMAND / u64::from(quotient.demand.largest())).max(LEAST_UNITS)
}

/// The best mixture of rounds as an integer flow.
pub(super) fn certify(quotient: &FlowQuotient, history: &[FlowRound]) -> FlowCertificate {
    let loads: Vec<&[f64]> = history.iter().map(|round| &round.loads[..]).collect();
    let parts = mixture::best_shares(&loads, units(quotient));
    let rounds: Vec<(&FlowRound, u64)> = history.iter().zip(parts).filter(|(_, part)| *part > 0).collect();
    let weights: Vec<Vec<u32>> = rounds.iter().map(|(round, _)| slack_weights(round.tau * UNIT)).collect();
    let flows: Vec<Vec<u64>> = quotient
        .sources
        .par_iter()
        .map(|&source| {
            let mut flow = vec![0u64; quotient.channels];
            quotient.with_search(|search| {
                for (&(round, part), weights) in rounds.iter().zip(&weights) {
                    split_integer(quotient, source, round, weights, part, search, &mut flow);
                }
            });
            flow
        })
        .collect();
    certificate(quotient, rounds.iter().map(|(_, part)| part).sum(), flows)
}

/// The rebalanced flows as an integer flow.
pub(super) fn certify_flows(quotient: &FlowQuotient, flows: &[SourceFlow]) -> FlowCertificate {
    let units = units(quotient);
    let integer = |(source_flow, &source): (&SourceFlow, &u32)| {
        let mut flow = vec![0u64; quotient.channels];
        // Shares are rounded up, so that a node that passes units on always has a channel by which they
        // arrived.
        let share = |_: usize, index: usize| (source_flow.flow[index] * SHARE).ceil() as u64;
        distribute(quotient, source, &source_flow.order, units, share, &mut flow);
        flow
    };
    certificate(quotient, units, flows.par_iter().zip(&quotient.sources).map(integer).collect())
}

/// The certificate of flows that send `demand` units per weight.
fn certificate(quotient: &FlowQuotient, demand: u64, flows: Vec<Vec<u64>>) -> FlowCertificate {
    let mut loads = vec![0u64; quotient.classes];
    for flow in &flows {
        for channel in &quotient.incoming {
            loads[channel.class as usize] +=
                flow[channel.channel as usize] * quotient.slowness[channel.class as usize];
        }
    }
    let back = |class: usize| if quotient.mirrored { loads[quotient.reverse[class] as usize] } else { 0 };
    let busiest = (0..quotient.classes).map(|class| loads[class] + back(class)).max().unwrap_or(0);
    FlowCertificate { demand, mirrored: quotient.mirrored, busiest, parts: quotient.parts, flows }
}

/// Splits the flow of one source that sends `units` per weight, in integer units, as [`split`] does.
fn split_integer(
    quotient: &FlowQuotient,
    source: u32,
    round: &FlowRound,
    weights: &[u32],
    units: u64,
    scratch: &mut DistanceSearch,
    flow: &mut [u64],
) {
    scratch.run(quotient, source as usize, &round.prices, round.prices.iter().copied().max().unwrap_or(0));
    let DistanceSearch { order, distance, .. } = &*scratch;
    let share = |node: usize, index: usize| {
        let IncomingChannel { from, class, .. } = quotient.incoming[index];
        u64::from(split_weight(
            weights,
            distance[from as usize],
            round.prices[class as usize],
            distance[node],
        ))
    };
    distribute(quotient, source, order, units, share, flow);
}

/// Adds the flow of a source that sends `units` per weight. Every node takes its units from the channels
/// into it in proportion to `share(node, channel)`.
///
/// `order` lists all nodes, the source first. Shares are 0 on channels against it. Units are conserved
/// exactly at every node.
fn distribute(
    quotient: &FlowQuotient,
    source: u32,
    order: &[u32],
    units: u64,
    share: impl Fn(usize, usize) -> u64,
    flow: &mut [u64],
) {
    let mut amount: Vec<u64> =
        quotient.weights_from(source).into_iter().map(|weight| u64::from(weight) * units).collect();
    for &node in order[1..].iter().rev() {
        let into = quotient.incoming_range(node as usize);
        let sum: u64 = into.clone().map(|index| share(node as usize, index)).sum();
        let (mut cumulative, mut given) = (0u128, 0u64);
        for index in into.filter(|_| sum > 0) {
            let channel = quotient.incoming[index];
            cumulative += u128::from(share(node as usize, index));
            // With cumulative rounding the parts add up to the amount.
            let target = (u128::from(amount[node as usize]) * cumulative / u128::from(sum)) as u64;
            flow[channel.channel as usize] += target - given;
            amount[channel.from as usize] += target - given;
            given = target;
        }
    }
}
