//! The contract before the search: refuses lines about collectives, jobs and simulations that no topology
//! can meet.
//!
//! In: a fabric, and its topology and distances where they are known. Out: an error for every such `require`.
//! Three quantities give bounds. They are the bytes over the channels of one chip, the latency of the hops to
//! the farthest chip, and the capacity of the ports of a sender. Each bound holds for every topology,
//! algorithm and routing. An all-reduce moves 2 (N - 1) vectors into N chips: Patarasuk & Yuan 2009.

use super::contract::{bound_error, performance_sides};
use super::contract_bounds::{BoundArgument, SidedBound, moore, senders, widest};
use super::contract_error::ContractError;
use super::jobs::{limits_of_chips, universal_step};
use fabc_base::diag::Failure;
use fabc_emit::number::round_up_sig;
use fabc_ir::{Distances, Fraction, Topology, gigabytes, nanoseconds};
use fabc_model::{
    Collective, CollectiveMetric, DeclaredCollective, Fabric, Faults, HostPorts, JobMetric, Metric, Require,
    RouterModel, SimulatedMetric, Simulation, Traffic,
};

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
        let bound = performance.bounds_of(line).into_iter().find(|bound| {
            performance_sides(fabric, line).iter().any(|line_side| line_side.contradicts(bound))
        })?;
        Some(Box::new(bound_error(fabric, line, &bound)))
    };
    let mut lines: Vec<&Require> = fabric.requires.iter().filter(|line| line.subject.is_some()).collect();
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
    /// The channels of the router that has most of them, and their capacity together in bit/s.
    ports: u32,
    chip_lanes: u64,
    bits_per_second: Fraction,
    /// Whether links run one way only.
    simplex: bool,
    /// The least distances between all chips.
    distances: LeastDistances,
    /// The fewest cycles of a hop.
    hop: u64,
}

/// Lower bounds on the hops between chips.
#[derive(Clone, Copy)]
struct LeastDistances {
    farthest: Fraction,
    mean: Fraction,
}

impl LeastDistances {
    /// Moore's bound for so many chips with so many ports.
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
                    farthest: Fraction::integer(distances.diameter),
                    mean: Fraction::new(distances.total, pairs),
                }
            }
            None => LeastDistances::of_any_topology(chips, widest.ports, simplex),
        };
        let bits_per_second =
            Fraction::integer(u128::from(widest.capacity) * u128::from(fabric.capacities.unit_bps()));
        let hop = fabric.hop_cycles().iter().min().copied().unwrap_or(0);
        let (ports, chip_lanes) = (widest.ports, widest.capacity);
        Self { fabric, chips, ports, chip_lanes, bits_per_second, simplex, distances, hop }
    }

    /// The bounds on the metric of a line.
    fn bounds_of(&self, line: &Require) -> Vec<SidedBound<BoundArgument>> {
        let bound = |is_upper: bool, value: Fraction, reason: &'static str, why: String| SidedBound {
            quantity: (line.metric, line.fault),
            is_upper,
            value,
            is_open: false,
            source: BoundArgument { reason, why },
        };
        if let Some(declared) = line
            .collective()
            .and_then(|name| self.fabric.collectives.iter().find(|declared| declared.name == name))
        {
            let Some((least_value, why)) = self.least_time(declared, line.fault) else { return Vec::new() };
            return match line.metric {
                Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan) => {
                    vec![bound(false, least_value, "every schedule on any topology takes at least", why)]
                }
                Metric::Collective(CollectiveMetric::Bandwidth) if !least_value.is_zero() => {
                    let [over, under] = declared.collective.bus_factor(self.chips_of(declared, line.fault));
                    // Bytes over nanoseconds are GB/s.
                    let moved = Fraction::integer(declared.size).times(Fraction::new(over, under));
                    vec![bound(true, moved.over(least_value), "no schedule on any topology exceeds", why)]
                }
                _ => Vec::new(),
            };
        }
        let job = line.job().and_then(|name| self.fabric.jobs.iter().find(|job| job.name == name));
        if let (Some(job), Metric::Job(metric)) = (job, line.metric) {
            // A share above 1 is refused where the line is read.
            if metric == JobMetric::Share {
                return Vec::new();
            }
            let limits = limits_of_chips(self.fabric, self.chips, self.chip_lanes);
            let least = universal_step(&limits, job).value(metric);
            let why = match self.is_pod() {
                true => "a chip has only so many channels, and only so many chips are near it",
                false => "a chip has only so many channels",
            };
            let reason = "on every topology and with every placement it is at least";
            return vec![bound(false, least, reason, why.to_owned())];
        }
        let simulation = line.simulation().and_then(|reference| {
            self.fabric.simulations.iter().find(|simulation| simulation.name == reference.name)
        });
        match (simulation, line.metric) {
            (Some(simulation), Metric::Simulated(metric)) => {
                let found = self.bound_of_simulation(simulation, metric);
                found
                    .map(|(is_upper, value, why)| {
                        let reason = if is_upper {
                            "on no topology is it more than"
                        } else {
                            "without any load it is at least"
                        };
                        bound(is_upper, value, reason, why)
                    })
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The bound on a metric of a simulation, and why. True if it is an upper bound.
    fn bound_of_simulation(
        &self,
        simulation: &Simulation,
        metric: SimulatedMetric,
    ) -> Option<(bool, Fraction, String)> {
        let one = Fraction::integer(1u8);
        match metric {
            SimulatedMetric::Saturation => {
                let least = self.saturation_bounds(simulation).into_iter().min_by_key(|(value, _)| *value);
                least.map(|(value, why)| (true, value, why))
            }
            SimulatedMetric::Share => {
                let why = match simulation.parameters.traffic.is_finite() {
                    true => "the run takes at least the lower bound of its cycles",
                    false => "no rate above the static bound is sustained",
                };
                Some((true, one, why.to_owned()))
            }
            SimulatedMetric::Sustained => {
                let least = simulation.parameters.overloads().iter().min()?;
                // Births are drawn at random, and vary by far less than this.
                let offered = Fraction::from(*least).times(Fraction::new(105u8, 100u8));
                let why = format!("a run offers {least} of the saturation, and births vary by less than 5 %");
                Some((true, offered, why))
            }
            SimulatedMetric::Elsewhere => {
                let why = "no more arrives than is born, but for what was in flight before";
                Some((true, Fraction::new(105u8, 100u8), why.to_owned()))
            }
            SimulatedMetric::Fairness => {
                Some((true, one, "the worst source never gets more than the best one".to_owned()))
            }
            // Packets are drawn at random, so a short run may use the shortest routes only.
            SimulatedMetric::Latency if self.is_pod() => {
                let least_latency = nanoseconds(Fraction::integer(self.hop), self.fabric.clock_hz);
                let why = format!(
                    "a packet for another chip takes a hop or more, and every hop takes at least {} cycles",
                    self.hop
                );
                Some((false, least_latency, why))
            }
            _ => None,
        }
    }

    fn is_pod(&self) -> bool {
        self.fabric.pod().is_some()
    }

    /// The fewest chips that take part in a collective.
    fn chips_of(&self, declared: &DeclaredCollective, fault: bool) -> u64 {
        let dead = u64::from(fault && self.fabric.budget.faults == Faults::Router);
        declared.groups.map_or(self.chips, u64::from).saturating_sub(dead).max(2)
    }

    /// Lower bounds on the distances between the chips of a collective. Groups may consist of near chips, and
    /// a dead chip may be the farthest one. Only Moore's bound holds there.
    fn distances_of(&self, declared: &DeclaredCollective, fault: bool) -> LeastDistances {
        match declared.groups.is_some() || fault && self.fabric.budget.faults == Faults::Router {
            true => LeastDistances::of_any_topology(self.chips_of(declared, fault), self.ports, self.simplex),
            false => self.distances,
        }
    }

    /// The least time of a collective in nanoseconds, and the reason. `None` where vectors are scheduled,
    /// since their plans have bounds of their own.
    fn least_time(&self, declared: &DeclaredCollective, fault: bool) -> Option<(Fraction, String)> {
        if self.fabric.routing.is_scheduled() || self.bits_per_second.is_zero() {
            return None;
        }
        let (chips, distances) = (self.chips_of(declared, fault), self.distances_of(declared, fault));
        let (shares, reason) = match declared.collective {
            Collective::AllGather => {
                (Fraction::new(chips - 1, chips), "every chip receives the shards of all others")
            }
            Collective::ReduceScatter => {
                (Fraction::new(chips - 1, chips), "every chip sends its parts of all other shards")
            }
            Collective::AllReduce => {
                (Fraction::new(2 * (chips - 1), chips), "2 (N - 1) vectors move into N chips")
            }
            Collective::Broadcast => (Fraction::integer(1u8), "every chip receives the whole vector"),
            Collective::Reduce => (Fraction::integer(1u8), "every chip sends its whole vector"),
            Collective::AllToAll => (
                distances.mean.times(Fraction::new(chips - 1, chips)),
                "every byte crosses as many channels as its route has hops",
            ),
            Collective::Send => return None,
        };
        // Routers without chips may carry messages as well, and have channels of their own.
        let direct = declared.collective == Collective::AllToAll && !self.is_pod();
        let shares = if direct { Fraction::new(chips - 1, chips) } else { shares };
        let reason = if direct { "every chip receives a message from every other chip" } else { reason };
        let bits = Fraction::integer(u128::from(declared.size) * 8 * 1_000_000_000).times(shares);
        let transfer_time = bits.over(self.bits_per_second);
        let hops = match declared.collective {
            Collective::Broadcast | Collective::Reduce => Fraction::integer(1u8),
            _ => distances.farthest,
        };
        let flight_time = nanoseconds(hops.times(Fraction::integer(self.hop)), self.fabric.clock_hz);
        Some(if transfer_time >= flight_time {
            let rate = round_up_sig(gigabytes(1u64).times(self.bits_per_second), 6);
            (transfer_time, format!("{reason}, and the {} channels of a chip carry {rate} GB/s", self.ports))
        } else {
            (
                flight_time,
                format!(
                    "every hop takes at least {} cycles, and some pair is {} or more apart",
                    self.hop,
                    hops.ceil()
                ),
            )
        })
    }

    /// Upper bounds on the saturation in flits per cycle and sending endpoint, each with its reason.
    fn saturation_bounds(&self, simulation: &Simulation) -> Vec<(Fraction, String)> {
        let parameters = &simulation.parameters;
        let mut bounds = Vec::new();
        let ports = match (parameters.hosts, parameters.model) {
            (Some(HostPorts::Ports(ports)), _) => Some(ports),
            (Some(HostPorts::Unlimited), _) => None,
            (None, _) if !self.is_pod() => Some(1),
            (None, RouterModel::Flit) => Some(2),
            (None, RouterModel::Packet) => None,
        };
        if let Some(ports) = ports {
            let why = format!("an endpoint has {ports} ports, of a flit per cycle each");
            bounds.push((Fraction::integer(ports), why));
        }
        if !self.is_pod() {
            return bounds;
        }
        // All that a chip sends leaves by its channels.
        let why = format!("a chip sends by its {} channels, of a flit per cycle each", self.ports);
        bounds.push((Fraction::integer(self.ports), why));
        if parameters.traffic == Traffic::Uniform && !self.distances.mean.is_zero() {
            let why = format!(
                "a flit takes {:.4} channels on average at least, and there are {} for every chip",
                self.distances.mean.as_f64(),
                self.ports
            );
            bounds.push((Fraction::integer(self.ports).over(self.distances.mean), why));
        }
        bounds
    }
}
