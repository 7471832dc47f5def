//! The worst permutation of hosts under group tables.
//!
//! Input: a scene and its group tables. Output: the largest load that any permutation of hosts puts on a
//! channel, over its capacity, with a certificate. A flow of a host is 1, and a host sends at most one flow
//! and receives at most one. Some hosts may stay idle.
//!
//! For one channel this is a transport problem. The amount between two endpoints earns the share of their
//! flow that takes the channel, and every endpoint sends and receives at most as many flows as it has hosts.
//! Two bounds are quick: every source earns at most its largest share, and so does every destination. In a
//! folded Clos one of them is nearly always met. The channels are solved by falling bound until no bound
//! exceeds the best solution, so that few are.

mod shares;
mod transport;

use fabc_base::ids::NodeId;
use fabc_ir::{Fraction, GroupTables, Permutation, PermutationDual, Scene};
use rayon::prelude::*;
use shares::{ShareScratch, Shares};
use transport::Transport;

/// The most visits of a channel by a pair that the measurements of a build may take: some seconds.
const MOST_STEPS: u64 = 1 << 31;

/// The most channels that are solved before the search gives up.
const SOLVED_CHANNELS: usize = 256;

/// Sources whose bounds are summed by one task. The cut does not depend on the number of threads.
const ENDPOINTS_PER_TASK: usize = 32;

/// About how many visits a measurement takes: pairs times the channels that a pair of the first endpoint
/// visits at most, for both bounds. It is the same for every fault.
fn steps(shares: &Shares<'_>) -> u64 {
    let endpoints = shares.endpoints.len();
    let mut scratch = ShareScratch::new(shares);
    let mut count = |to: usize| {
        let mut visits = 0u64;
        shares.visit(0, to, &mut scratch, |_, _| visits += 1);
        visits
    };
    let most = (1..endpoints).map(&mut count).max().unwrap_or(0);
    (endpoints as u64 * endpoints as u64).saturating_mul(2 * most)
}

/// Measures the worst permutation in each of so many scenarios. `None` if all of them together take too many
/// steps, or if this one needs more channels to be solved than are.
pub fn worst_permutation(scene: &Scene<'_>, tables: &GroupTables, scenarios: u64) -> Option<Permutation> {
    let shares = Shares::new(scene, tables)?;
    if steps(&shares).saturating_mul(scenarios) > MOST_STEPS {
        return None;
    }
    let bounds = channel_bounds(&shares);
    let mut order: Vec<usize> = (0..bounds.len()).filter(|&slot| bounds[slot] > 0).collect();
    order.sort_by_key(|&slot| (std::cmp::Reverse(bounds[slot]), slot));
    let (mut best, mut solved) = (None::<(u128, usize, Transport)>, Vec::new());
    for &slot in order.iter() {
        if best.as_ref().is_some_and(|(value, ..)| *value >= bounds[slot]) {
            break;
        }
        if solved.len() == SOLVED_CHANNELS {
            return None;
        }
        let transport = shares.transport(slot);
        let value = transport.value() * shares.slowness[slot];
        if best.as_ref().is_none_or(|(most, ..)| value > *most) {
            best = Some((value, slot, transport.clone()));
        }
        solved.push((slot, transport));
    }
    let denominator = u128::from(shares.unit) * u128::from(scene.topology.capacities().parts());
    let channel = |slot: usize| (NodeId((slot / shares.ports) as u32), (slot % shares.ports) as u16);
    let Some((value, slot, transport)) = best else { return Some(idle_permutation()) };
    let flow =
        |&(from, to, count): &(usize, usize, u32)| (shares.endpoints[from], shares.endpoints[to], count);
    let mut flows: Vec<_> = transport.flows.iter().map(flow).collect();
    flows.sort_unstable();
    let dual = |(slot, transport): &(usize, Transport)| {
        let scaled = |prices: &[u128]| -> Option<Vec<u64>> {
            prices.iter().map(|price| (price * shares.slowness[*slot]).try_into().ok()).collect()
        };
        Some(PermutationDual {
            channel: channel(*slot),
            denominator: denominator.try_into().ok()?,
            sources: scaled(&transport.source_prices)?,
            destinations: scaled(&transport.destination_prices)?,
        })
    };
    let reduced = Fraction::new(value, denominator);
    let duals = solved.iter().filter(|(slot, _)| bounds[*slot] > value).map(dual);
    Some(Permutation {
        load: reduced.numerator().try_into().ok()?,
        parts: reduced.denominator().try_into().ok()?,
        channel: channel(slot),
        flows,
        duals: duals.collect::<Option<_>>()?,
    })
}

/// The permutation where no channel carries anything.
fn idle_permutation() -> Permutation {
    Permutation { load: 0, parts: 1, channel: (NodeId(0), 0), flows: Vec::new(), duals: Vec::new() }
}

/// `[slot]`: a bound on what any permutation puts on the channel, in parts of a unit and shares.
fn channel_bounds(shares: &Shares<'_>) -> Vec<u128> {
    let by_source = summed_maxima(shares, HeldEnd::Source);
    let by_destination = summed_maxima(shares, HeldEnd::Destination);
    let smaller = by_source.iter().zip(&by_destination).zip(&shares.slowness);
    smaller.map(|((&source, &destination), slowness)| source.min(destination) * slowness).collect()
}

/// The end of a flow that is held while the other one varies.
#[derive(Clone, Copy)]
enum HeldEnd {
    Source,
    Destination,
}

/// `[slot]`: the sum over all endpoints of hosts times the largest share with any other endpoint.
fn summed_maxima(shares: &Shares<'_>, held: HeldEnd) -> Vec<u128> {
    let places: Vec<usize> = (0..shares.endpoints.len()).collect();
    let sum_task = |task: &[usize]| {
        let mut scratch = ShareScratch::new(shares);
        let (mut sums, mut most) = (vec![0u128; shares.slots()], vec![0u64; shares.slots()]);
        for &own in task {
            let mut touched = Vec::new();
            for &other in places.iter().filter(|&&other| other != own) {
                let (from, to) = match held {
                    HeldEnd::Source => (own, other),
                    HeldEnd::Destination => (other, own),
                };
                shares.visit(from, to, &mut scratch, |slot, share| {
                    if most[slot] == 0 {
                        touched.push(slot);
                    }
                    most[slot] = most[slot].max(share);
                });
            }
            for slot in touched {
                sums[slot] += u128::from(shares.hosts[own]) * u128::from(std::mem::take(&mut most[slot]));
            }
        }
        sums
    };
    let add = |mut sums: Vec<u128>, more: Vec<u128>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        sums
    };
    let tasks = places.par_chunks(ENDPOINTS_PER_TASK);
    tasks.map(sum_task).reduce(|| vec![0; shares.slots()], add)
}
