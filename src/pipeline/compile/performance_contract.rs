//! The contract before the search: lines about collectives and simulations that no topology can meet.
//!
//! In: a fabric, and its topology and distances where they are known. Out: an error for every such `require`.
//! The bounds count: the bytes that pass the channels of one chip, the latency of the hops to the farthest
//! chip, and what the ports of a sender let through. Each holds for every topology, algorithm and routing. An
//! all-reduce moves 2 (N - 1) vectors into N chips: Patarasuk & Yuan 2009.

use super::contract::{Argument, Side, moore, refused, senders, side, widest};
use super::contract_error::ContractError;
use fabc_base::diag::Failure;
use fabc_emit::number::round_up_sig;
use fabc_ir::{Distances, Fraction, Topology, gigabytes, nanoseconds};
use fabc_model::{
    Collective, CollectiveMetric, DeclaredCollective, Fabric, Faults, Hosts, Metric, Model, Require,
    SimulatedMetric, Simulation, Traffic,
};

/// Where the search for the saturation ends, above the static bound.
const SEARCHED: [u8; 2] = [105, 100];

/// Refuses lines about collectives and simulations that can never hold.
///
/// # Errors
/// A [`ContractError`] for every such line.
pub(super) fn refuse_impossible_performance(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Result<(), Failure> {
    if fabric.node_count() < 2 {
        return Ok(());
    }
    let performance = PerformanceBounds::of_fabric(fabric, topology, distances);
    let error = |line: &Require| {
        let bound = performance
            .bounds_of(line)
            .into_iter()
            .find(|bound| side(fabric, line).iter().any(|own| own.contradicts(bound)))?;
        Some(Box::new(refused(fabric, line, &bound)))
    };
    let mut lines: Vec<&Require> = fabric.requires.iter().filter(|line| line.of.is_some()).collect();
    lines.sort_by_key(|line| line.span);
    let errors: Vec<Box<ContractError>> = lines.into_iter().filter_map(error).collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::Infeasible(errors.into_iter().map(|error| error as _).collect()))
    }
}

/// The numbers of a fabric that bound its performance before anything is searched.
struct PerformanceBounds<'a> {
    fabric: &'a Fabric,
    /// Chips, or routers with hosts.
    chips: u64,
    /// Channels of the router that has most, and what they carry together, bit/s.
    ports: u32,
    bits_per_second: Fraction,
    /// Whether links lead one way only.
    simplex: bool,
    /// Between all chips.
    distances: LeastDistances,
    /// Cycles of a hop at least.
    hop: u64,
}

/// Hops that chips are apart at least.
#[derive(Clone, Copy)]
struct LeastDistances {
    farthest: Fraction,
    mean: Fraction,
}

impl LeastDistances {
    /// Moore's bound for so many chips.
    fn of_any_topology(chips: u64, ports: u32, simplex: bool) -> Self {
        let (farthest, mean) = moore(chips, ports, simplex);
        Self { farthest, mean }
    }
}

impl<'a> PerformanceBounds<'a> {
    fn of_fabric(fabric: &'a Fabric, topology: Option<&Topology>, distances: Option<&Distances>) -> Self {
        let widest = widest(fabric, topology);
        let chips = senders(fabric, topology);
        let simplex = topology.is_some_and(Topology::has_simplex);
        let distances = match distances {
            Some(distances) => {
                let pairs = distances.histogram.iter().sum::<u64>().max(1);
                LeastDistances {
                    farthest: Fraction::whole(distances.diameter),
                    mean: Fraction::new(distances.total, pairs),
                }
            }
            None => LeastDistances::of_any_topology(chips, widest.ports, simplex),
        };
        let bits_per_second =
            Fraction::whole(u128::from(widest.capacity) * u128::from(fabric.capacities.unit_bps()));
        let hop = fabric.hop_cycles().iter().min().copied().unwrap_or(0);
        Self { fabric, chips, ports: widest.ports, bits_per_second, simplex, distances, hop }
    }

    /// The bounds of what a line is about.
    fn bounds_of(&self, line: &Require) -> Vec<Side<Argument>> {
        let bound = |most: bool, value: Fraction, reason: &'static str, why: String| Side {
            quantity: (line.metric, line.fault),
            most,
            value,
            open: false,
            from: Argument { reason, why },
        };
        if let Some(declared) = line
            .collective()
            .and_then(|name| self.fabric.collectives.iter().find(|declared| declared.name == name))
        {
            let Some((least, why)) = self.least_time(declared, line.fault) else { return Vec::new() };
            return match line.metric {
                Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan) => {
                    vec![bound(false, least, "no schedule on any topology goes below", why)]
                }
                Metric::Collective(CollectiveMetric::Bandwidth) if !least.is_zero() => {
                    let [over, under] = declared.collective.bus_factor(self.chips_of(declared, line.fault));
                    // Bytes over nanoseconds are GB/s.
                    let moved = Fraction::whole(declared.size).times(Fraction::new(over, under));
                    vec![bound(true, moved.over(least), "no schedule on any topology exceeds", why)]
                }
                _ => Vec::new(),
            };
        }
        let simulation = line
            .simulation()
            .and_then(|of| self.fabric.simulations.iter().find(|simulation| simulation.name == of.name));
        let Some(simulation) = simulation else { return Vec::new() };
        match line.metric {
            Metric::Simulated(SimulatedMetric::Saturation) => {
                let most = self.most_saturation(simulation).into_iter().min_by_key(|(value, _)| *value);
                most.map(|(value, why)| bound(true, value, "on no topology is it more than", why))
                    .into_iter()
                    .collect()
            }
            // Packets are drawn, so that a short run may know the shortest routes only.
            Metric::Simulated(SimulatedMetric::Latency) if self.is_pod() => {
                let least = nanoseconds(Fraction::whole(self.hop), self.fabric.clock_hz);
                let why = format!(
                    "a packet for another chip takes a hop or more, and every hop takes at least {} cycles",
                    self.hop
                );
                vec![bound(false, least, "without any load it is at least", why)]
            }
            _ => Vec::new(),
        }
    }

    fn is_pod(&self) -> bool {
        self.fabric.pod().is_some()
    }

    /// Chips that take part in a collective, at least.
    fn chips_of(&self, declared: &DeclaredCollective, fault: bool) -> u64 {
        let dead = u64::from(fault && self.fabric.budget.faults == Faults::Router);
        declared.groups.map_or(self.chips, u64::from).saturating_sub(dead).max(2)
    }

    /// How far the chips of a collective are apart at least. Groups may be of near chips, and a dead chip may
    /// be the farthest one, so that only Moore's bound is left there.
    fn distances_of(&self, declared: &DeclaredCollective, fault: bool) -> LeastDistances {
        match declared.groups.is_some() || fault && self.fabric.budget.faults == Faults::Router {
            true => LeastDistances::of_any_topology(self.chips_of(declared, fault), self.ports, self.simplex),
            false => self.distances,
        }
    }

    /// Nanoseconds that a collective takes at least, and why; `None` where vectors are scheduled, whose plans
    /// have bounds of their own.
    fn least_time(&self, declared: &DeclaredCollective, fault: bool) -> Option<(Fraction, String)> {
        if self.fabric.routing.is_scheduled() || self.bits_per_second.is_zero() {
            return None;
        }
        let (chips, distances) = (self.chips_of(declared, fault), self.distances_of(declared, fault));
        let (shares, way) = match declared.collective {
            Collective::AllGather => {
                (Fraction::new(chips - 1, chips), "into every chip come the shards of all others")
            }
            Collective::ReduceScatter => {
                (Fraction::new(chips - 1, chips), "out of every chip go its parts of all other shards")
            }
            Collective::AllReduce => {
                (Fraction::new(2 * (chips - 1), chips), "2 (N - 1) vectors move into N chips")
            }
            Collective::Broadcast => (Fraction::whole(1u8), "into every chip comes the whole vector"),
            Collective::Reduce => (Fraction::whole(1u8), "out of every chip goes its whole vector"),
            Collective::AllToAll => (
                distances.mean.times(Fraction::new(chips - 1, chips)),
                "every byte passes as many channels as there are hops",
            ),
            Collective::Send => return None,
        };
        // Where routers without chips carry messages as well, they have channels of their own.
        let direct = declared.collective == Collective::AllToAll && !self.is_pod();
        let shares = if direct { Fraction::new(chips - 1, chips) } else { shares };
        let way = if direct { "into every chip comes what all others have for it" } else { way };
        let bits = Fraction::whole(u128::from(declared.size) * 8 * 1_000_000_000).times(shares);
        let moved = bits.over(self.bits_per_second);
        let apart = match declared.collective {
            Collective::Broadcast | Collective::Reduce => Fraction::whole(1u8),
            _ => distances.farthest,
        };
        let flown = nanoseconds(apart.times(Fraction::whole(self.hop)), self.fabric.clock_hz);
        Some(if moved >= flown {
            let rate = round_up_sig(gigabytes(1).times(self.bits_per_second), 6);
            (moved, format!("{way}, and the {} channels of a chip carry {rate} GB/s", self.ports))
        } else {
            (
                flown,
                format!(
                    "every hop takes at least {} cycles, and some pair is {} or more apart",
                    self.hop,
                    apart.ceil()
                ),
            )
        })
    }

    /// What the saturation is at most, in flits per cycle and sending endpoint, each with its reason.
    fn most_saturation(&self, simulation: &Simulation) -> Vec<(Fraction, String)> {
        let parameters = &simulation.parameters;
        let searched = Fraction::new(SEARCHED[0], SEARCHED[1]);
        let told = "the search ends at 1.05 of the static bound";
        let mut all = Vec::new();
        let ports = match (parameters.hosts, parameters.model) {
            (Some(Hosts::Ports(ports)), _) => Some(ports),
            (Some(Hosts::Unlimited), _) => None,
            (None, _) if !self.is_pod() => Some(1),
            (None, Model::Flit) => Some(2),
            (None, Model::Packet) => None,
        };
        if let Some(ports) = ports {
            let why = format!("an endpoint has {ports} ports, of a flit per cycle each, and {told}");
            all.push((Fraction::whole(ports).times(searched), why));
        }
        if !self.is_pod() {
            return all;
        }
        // All that a chip sends leaves it.
        let why = format!(
            "all that a chip sends leaves by its {} channels, of a flit per cycle each, and {told}",
            self.ports
        );
        all.push((Fraction::whole(self.ports).times(searched), why));
        if parameters.traffic == Traffic::Uniform && !self.distances.mean.is_zero() {
            let why = format!(
                "a flit takes {:.4} channels on average at least, and there are {} for every chip; {told}",
                self.distances.mean.as_f64(),
                self.ports
            );
            all.push((Fraction::whole(self.ports).over(self.distances.mean).times(searched), why));
        }
        all
    }
}
