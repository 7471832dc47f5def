//! Soft splitting: every node takes its flow from all near-shortest predecessors at once.
//!
//! Input: integer prices per channel class, and tau. Output: the loads per class when every pair sends its
//! weight. A predecessor has weight exp(-slack / tau), where slack is the excess of the path over it.

use super::lengths;
use super::quotient::{DistanceSearch, FlowQuotient};
use rayon::prelude::*;

/// The mean price of a class in integer units. The slack table has `SLACK_REACH * tau` entries.
pub(super) const UNIT: f64 = 4096.0;
const SLACK_REACH: f64 = 14.0;

/// The load of the busiest channel.
pub(super) fn busiest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}

/// `[slack]`: exp(-slack / tau), in integers of at least 1.
pub(super) fn slack_weights(tau: f64) -> Vec<u32> {
    // The conversion cuts off the fraction. To add a half first rounds every value above a half as `round`
    // does, but calls no function.
    (0..(SLACK_REACH * tau).max(1.0) as usize + 1)
        .map(|slack| ((libm::exp(-(slack as f64) / tau) * 1048576.0 + 0.5) as u32).max(1))
        .collect()
}

/// Sources of one task. This is part of the summation order, so it must not depend on the number of
/// threads.
const SOURCES_PER_TASK: usize = 4;
/// The number of tasks whose loads are in memory at once.
const TASKS: usize = 64;

/// The sums of one task. The next group of tasks uses their memory again.
#[derive(Clone, Default)]
struct TaskSums {
    /// `[class]`: the load of its channels.
    loads: Vec<f64>,
    /// `[node]`: the flow that is still to be sent back from it.
    amount: Vec<f64>,
    /// The weighted sum of shortest lengths.
    distance: u128,
}

/// Returns the loads per class, in parts, when every pair sends its weight over the soft shortest paths.
/// Also returns the weighted sum of shortest lengths over all ordered pairs.
pub(super) fn split(quotient: &FlowQuotient, prices: &[u32], tau: f64) -> (Vec<f64>, u128) {
    let weights = slack_weights(tau);
    let longest = prices.iter().copied().max().unwrap_or(0);
    let route_sources = |search: &mut DistanceSearch, sources: &[u32], sums: &mut TaskSums| {
        let TaskSums { loads, amount, distance } = sums;
        loads.clear();
        loads.resize(quotient.classes, 0.0);
        amount.resize(quotient.nodes, 0.0);
        *distance = 0;
        for &source in sources {
            search.run(quotient, source as usize, prices, longest);
            let weights_from = quotient.weights_from(source);
            *distance += lengths::weighted(&search.distance, &weights_from);
            amount.iter_mut().zip(&weights_from).for_each(|(amount, &weight)| *amount = f64::from(weight));
            match quotient.circulant_into() {
                Some(circulant) => {
                    pour(search, prices, &weights, amount, loads, |node| circulant.neighbors_of(node))
                }
                None => pour(search, prices, &weights, amount, loads, |node| quotient.feeding(node)),
            }
        }
    };
    let mut loads = vec![0.0; quotient.classes];
    let mut total = 0;
    let mut tasks = vec![TaskSums::default(); TASKS.min(quotient.sources.len().div_ceil(SOURCES_PER_TASK))];
    for sources in quotient.sources.chunks(SOURCES_PER_TASK * TASKS) {
        let work = sources.par_chunks(SOURCES_PER_TASK).zip(tasks.par_iter_mut());
        work.for_each(|(sources, sums)| quotient.with_search(|search| route_sources(search, sources, sums)));
        for sums in &tasks[..sources.len().div_ceil(SOURCES_PER_TASK)] {
            loads.iter_mut().zip(&sums.loads).for_each(|(load, part)| *load += part);
            total += sums.distance;
        }
    }
    loads.iter_mut().zip(&quotient.slowness).for_each(|(load, &slowness)| *load *= slowness as f64);
    if quotient.mirrored {
        // A flow and its reverse carry the same symmetric demand, so their mean does too. Both directions
        // of a link then bear the mean load.
        loads = (0..quotient.classes)
            .map(|class| 0.5 * (loads[class] + loads[quotient.reverse[class] as usize]))
            .collect();
    }
    (loads, total * quotient.order as u128)
}

/// Sends the `amount` of every node back over the soft shortest paths to the source, and adds it to the
/// loads. `feeding` yields the source node and the class of each channel into a node.
fn pour<I: Iterator<Item = (u32, u32)>>(
    DistanceSearch { distance, order, .. }: &DistanceSearch,
    prices: &[u32],
    weights: &[u32],
    amount: &mut [f64],
    loads: &mut [f64],
    feeding: impl Fn(u32) -> I,
) {
    let mut predecessors: Vec<(u32, u32, u32)> = Vec::new();
    for &node in order[1..].iter().rev() {
        let node_distance = distance[node as usize];
        let mut sum = 0u64;
        predecessors.clear();
        for (from, class) in feeding(node) {
            let share = split_weight(weights, distance[from as usize], prices[class as usize], node_distance);
            if share > 0 {
                sum += u64::from(share);
                predecessors.push((share, from, class));
            }
        }
        let unit = amount[node as usize] / sum as f64;
        for &(share, from, class) in &predecessors {
            let part = unit * f64::from(share);
            loads[class as usize] += part;
            amount[from as usize] += part;
        }
    }
}

/// The weight of a predecessor. It must be strictly nearer, so that splitting follows no cycle.
pub(super) fn split_weight(weights: &[u32], from: u32, length: u32, node_distance: u32) -> u32 {
    if from >= node_distance {
        return 0;
    }
    weights.get((from + length - node_distance) as usize).copied().unwrap_or(0)
}
