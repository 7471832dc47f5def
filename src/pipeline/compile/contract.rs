//! The contract before the search: lines that a bound or another line contradicts.
//!
//! In: a fabric, and its topology and distances where they are known. Out: an error for every `require` that
//! no result of the build can satisfy. The bounds: the universal limit of the switches, what the busiest
//! sender can send at all, Moore's bound on distances, exact distances of a given topology, and what a ratio
//! to a bound cannot be below. Moore's bound: Hoffman & Singleton 1960.

use super::contract_error::ContractError;
use fabc_base::diag::{Failure, Span};
use fabc_base::units::Decimal;
use fabc_emit::number::{round_down_sig, round_up_sig};
use fabc_ir::{
    Distances, Fraction, LimitArgument, NetworkMetrics, Topology, Units, bisection_unmeasured, gigabytes,
    nanoseconds, search_unmeasured,
};
use fabc_model::{Comparison, Fabric, Faults, GraphMetric, Metric, Pod, Reference, Require, Scale};
use fabc_passes::{limit, measure};
use miette::Diagnostic;

/// What a line, or a bound, says of a quantity on one side.
#[derive(Clone)]
pub(super) struct Side<T> {
    /// The metric and whether it is of the worst fault; flows are rates of every pair.
    pub(super) quantity: (Metric, bool),
    /// Whether nothing is above it; otherwise nothing is below it.
    pub(super) most: bool,
    pub(super) value: Fraction,
    /// Whether the value itself is out, too.
    pub(super) open: bool,
    /// Who says so.
    pub(super) from: T,
}

/// Why a bound holds.
#[derive(Clone)]
pub(super) struct Argument {
    /// `no topology of these switches exceeds`
    pub(super) reason: &'static str,
    pub(super) why: String,
}

/// Refuses requires that can never hold.
///
/// # Errors
/// A [`ContractError`] for every line that is in contradiction to a bound, or to a line before it.
pub(super) fn refuse_impossible_requires(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Result<(), Failure> {
    if fabric.requires.is_empty() || fabric.node_count() < 2 {
        return Ok(());
    }
    let mut errors = unmeasured(fabric, topology);
    let universal = universal(fabric);
    let units = units(fabric);
    let bounds = bounds(fabric, topology, distances, &units, universal.as_ref());
    let mut lines: Vec<&Require> = fabric.requires.iter().filter(|require| require.of.is_none()).collect();
    lines.sort_by_key(|require| require.span);
    let rate = universal.as_ref().map(|(value, _)| *value);
    let mut known: Vec<Side<&Require>> = Vec::new();
    for line in lines {
        let sides = sides(fabric, line, &units, rate);
        let own = || sides.iter().filter(|side| side.quantity == (family(line.metric), line.fault));
        if let Some(bound) = own().find_map(|side| bounds.iter().find(|bound| side.contradicts(bound))) {
            errors.push(Box::new(refused(fabric, line, &in_its_unit(line, bound, &units))));
            continue;
        }
        let before = sides.iter().find_map(|side| known.iter().find(|other| side.contradicts(other)));
        match before {
            Some(other) => errors.push(Box::new(contradiction(line, other.from))),
            None => known.extend(sides),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Infeasible(errors)) }
}

/// How many lines are about what is known exactly before anything is searched.
pub(super) fn decided(fabric: &Fabric, topology: Option<&Topology>, distances: Option<&Distances>) -> usize {
    if fabric.node_count() < 2 {
        return 0;
    }
    let bounds = bounds(fabric, topology, distances, &units(fabric), None);
    let known = |line: &&Require| {
        let own = || bounds.iter().filter(|bound| bound.quantity == (line.metric, line.fault));
        let exact = own().any(|low| !low.most && own().any(|high| high.most && high.value == low.value));
        line.of.is_none() && !matches!(line.scale, Scale::ShareOf(_)) && exact
    };
    fabric.requires.iter().filter(known).count()
}

/// What is known of every line before anything is searched: its place, and the bounds in its unit.
pub(super) fn bounds_of_lines(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Vec<(Span, String)> {
    if fabric.node_count() < 2 {
        return Vec::new();
    }
    let (universal, units) = (universal(fabric), units(fabric));
    let bounds = bounds(fabric, topology, distances, &units, universal.as_ref());
    let told = |line: &Require| {
        let unit =
            units.of_rate(line.metric, Fraction::whole(1u8)).filter(|_| family(line.metric) != line.metric);
        let own = bounds.iter().filter(|bound| bound.quantity == (family(line.metric), line.fault));
        let mut all: Vec<String> = own
            .map(|bound| {
                let value = unit.map_or(bound.value, |unit| bound.value.times(unit));
                let value = if bound.most { round_up_sig(value, 6) } else { round_down_sig(value, 6) };
                format!(
                    "{} {}: {}",
                    bound.from.reason,
                    format!("{value} {}", line.metric.unit()).trim_end(),
                    bound.from.why
                )
            })
            .collect();
        all.dedup();
        (line.span, all.join("\n"))
    };
    fabric
        .requires
        .iter()
        .filter(|line| line.of.is_none())
        .map(told)
        .filter(|(_, told)| !told.is_empty())
        .collect()
}

/// The lines that are about what is not measured of such a network.
fn unmeasured(fabric: &Fabric, topology: Option<&Topology>) -> Vec<Box<dyn Diagnostic + Send + Sync>> {
    let Some(family) = fabric.family() else { return Vec::new() };
    let searched = |rounds: usize| {
        let topology = topology?;
        search_unmeasured(topology.endpoints().count(), topology.channels().count(), rounds)
    };
    let error = |line: &Require| {
        let (what, why) = match line.metric {
            Metric::Graph(metric) if metric.is_of_halves() => {
                ("the bisection", bisection_unmeasured(fabric.node_count(), family.is_simplex())?)
            }
            Metric::Graph(GraphMetric::ShortestPaths) => ("the number of shortest paths", searched(1)?),
            Metric::Graph(GraphMetric::EdgeConnectivity) => {
                ("the edge connectivity", searched(topology.map_or(0, measure::least_degree))?)
            }
            _ => return None,
        };
        Some(boxed(line, what, why))
    };
    fabric.requires.iter().filter_map(error).collect()
}

/// Refuses lines about a network whose metric came to nothing, before anything is built on it.
///
/// # Errors
/// A [`ContractError`] for every such line.
pub(super) fn measured(
    fabric: &Fabric,
    topology: &Topology,
    network: &NetworkMetrics,
) -> Result<(), Failure> {
    let mut errors = unmeasured(fabric, Some(topology));
    if errors.is_empty() && network.paths.is_none() {
        let why = "some pair has more of them than 64 bits can count";
        let lines =
            fabric.requires.iter().filter(|line| line.metric == Metric::Graph(GraphMetric::ShortestPaths));
        errors.extend(lines.map(|line| boxed(line, "the number of shortest paths", why.to_owned())));
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Infeasible(errors)) }
}

/// The error of a line that cannot be decided.
fn boxed(line: &Require, what: &'static str, why: String) -> Box<dyn Diagnostic + Send + Sync> {
    Box::new(ContractError::Unmeasured { text: line.as_written(), what, why, span: line.span })
}

impl<T> Side<T> {
    /// Whether both leave no value.
    pub(super) fn contradicts<U>(&self, other: &Side<U>) -> bool {
        if self.quantity != other.quantity || self.most == other.most {
            return false;
        }
        let (low, high) = if self.most { (other.value, self.value) } else { (self.value, other.value) };
        low > high || (low == high && (self.open || other.open))
    }
}

/// The metric that others are told in.
fn family(metric: Metric) -> Metric {
    match metric {
        Metric::Injection | Metric::Bandwidth => Metric::ConcurrentFlow,
        other => other,
    }
}

/// What turns rates into metrics, before there is a topology.
fn units(fabric: &Fabric) -> Units {
    let hosts = fabric.declared_hosts();
    let sent = fabric.demand.sent_per_host(None, |router| hosts.get(router.0 as usize).copied().unwrap_or(1));
    Units {
        parts: fabric.capacities.parts(),
        sent_per_host: Fraction::new(sent.weights, sent.hosts),
        channel_bandwidth: gigabytes(fabric.capacities.unit_bps()),
    }
}

/// What a line demands, with what follows from it for other quantities.
fn sides<'r>(
    fabric: &Fabric,
    require: &'r Require,
    units: &Units,
    universal: Option<Fraction>,
) -> Vec<Side<&'r Require>> {
    let number = Fraction::from(require.value);
    let one = Fraction::whole(1u8);
    let value = match require.scale {
        Scale::Metric => Some(number),
        Scale::Cycles => Some(nanoseconds(number, fabric.clock_hz)),
        Scale::ShareOf(Reference::Universal) => {
            universal.and_then(|rate| units.of_rate(require.metric, rate)).map(|all| number.times(all))
        }
        Scale::ShareOf(_) => None,
    };
    // Flows as rates of every pair: what a rate of 1 comes to.
    let unit = units
        .of_rate(require.metric, one)
        .filter(|unit| family(require.metric) != require.metric && !unit.is_zero());
    let Some(value) = value.map(|value| unit.map_or(value, |unit| value.over(unit))) else {
        return Vec::new();
    };
    let (most, least, open) = match require.comparison {
        Comparison::AtMost => (true, false, false),
        Comparison::Less => (true, false, true),
        Comparison::AtLeast => (false, true, false),
        Comparison::Greater => (false, true, true),
        Comparison::Equal => (true, true, false),
    };
    let side = |metric, fault, most, value, open| Side {
        quantity: (metric, fault),
        most,
        value,
        open,
        from: require,
    };
    let (metric, fault) = (family(require.metric), require.fault);
    let mut sides = Vec::new();
    // Fewer links make no way shorter, as long as nobody is gone.
    let longer = fabric.budget.faults != Faults::Router && !fabric.budget.faults.is_none();
    let of_ways = matches!(metric, Metric::Diameter | Metric::AverageHops);
    for most in [most.then_some(true), least.then_some(false)].into_iter().flatten() {
        sides.push(side(metric, fault, most, value, open));
        let mean = if most {
            (Metric::Diameter, Metric::AverageHops)
        } else {
            (Metric::AverageHops, Metric::Diameter)
        };
        if metric == mean.0 {
            sides.push(side(mean.1, fault, most, value, open));
        }
        if longer && of_ways && most == fault {
            sides.push(side(metric, !fault, most, value, open));
        }
    }
    sides
}

/// Counts that are quick for the universal limit: some 60 ms. Cubes of 4 x 4 x 4 take a sixth of them.
const EARLY_COUNTS: usize = 1 << 22;

/// The universal limit, and its argument; `None` also where the build has to find it.
fn universal(fabric: &Fabric) -> Option<(Fraction, String)> {
    let pod = fabric.pod()?;
    let asks = |require: &Require| {
        let of_flow = matches!(family(require.metric), Metric::ConcurrentFlow | Metric::MaxChannelLoad);
        of_flow && require.scale != Scale::ShareOf(Reference::Bound)
    };
    if !fabric.requires.iter().any(asks) {
        return None;
    }
    let limit = limit::universal_within(EARLY_COUNTS, pod, &fabric.demand, &fabric.capacities)?;
    let why = match limit.argument {
        LimitArgument::Tree { .. } | LimitArgument::OneHop { .. } => {
            "universal bound: seen from any chip, no wiring of the cubes brings the others closer than a tree of cubes"
        }
        LimitArgument::Plane { .. } => {
            "universal bound: half of all pairs cross a plane through the cubes, and no fiber does"
        }
        LimitArgument::Cubes { .. } => {
            "universal bound: no wiring has more fibers between these cubes and the others"
        }
    };
    Some((limit.value(), why.to_owned()))
}

/// Bounds as they are found.
struct Bounds {
    all: Vec<Side<Argument>>,
    /// Whether they hold under every tolerated fault as well. A dead router takes its traffic along: other
    /// pairs, other sums.
    of_faults: bool,
}

impl Bounds {
    fn add(&mut self, metric: Metric, most: bool, value: Fraction, reason: &'static str, why: &str) {
        for fault in [Some(false), self.of_faults.then_some(true)].into_iter().flatten() {
            let from = Argument { reason, why: why.to_owned() };
            self.all.push(Side { quantity: (metric, fault), most, value, open: false, from });
        }
    }
    /// What can be counted before anything is measured.
    fn counted(&mut self, metric: Metric, count: u64) {
        for most in [true, false] {
            let from = Argument {
                reason: "this network has",
                why: "it follows from the parameters of the network".to_owned(),
            };
            self.all.push(Side {
                quantity: (metric, false),
                most,
                value: Fraction::whole(count),
                open: false,
                from,
            });
        }
    }
    /// What a fixed topology has exactly while it is healthy; faults only add to it.
    fn exact(&mut self, metric: Metric, value: Fraction) {
        for most in [true, false] {
            let from = Argument {
                reason: "this topology has",
                why: "nothing is searched here: the topology is fixed".to_owned(),
            };
            self.all.push(Side { quantity: (metric, false), most, value, open: false, from });
        }
        self.add(metric, false, value, "without any fault this topology has", "faults make no way shorter");
    }
}

/// What is known of the result.
fn bounds(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
    units: &Units,
    universal: Option<&(Fraction, String)>,
) -> Vec<Side<Argument>> {
    let mut bounds = Bounds { all: Vec::new(), of_faults: fabric.budget.faults != Faults::Router };
    let widest = widest(fabric, topology);
    let leaves = Fraction::new(widest.capacity, fabric.demand.sent_most(None).max(1));
    let why = format!("what sends most leaves by {} ports, and every unit of it must", widest.ports);
    let mut rate = (leaves, why.as_str());
    bounds.add(Metric::ConcurrentFlow, true, leaves, "no topology exceeds", &why);
    if let Some((value, why)) = universal {
        bounds.add(Metric::ConcurrentFlow, true, *value, "no topology of these switches exceeds", why);
        rate = if *value < leaves { (*value, why) } else { rate };
    }
    bounds.add(
        Metric::MaxChannelLoad,
        false,
        units.load_at(rate.0),
        "no routing on any of these topologies goes below",
        rate.1,
    );

    let (least, mean) = match distances {
        Some(distances) => {
            let mean = Fraction::new(distances.total, distances.histogram.iter().sum::<u64>().max(1));
            (Fraction::whole(distances.diameter), mean)
        }
        None => moore(senders(fabric, topology), widest.ports, topology.is_some_and(Topology::has_simplex)),
    };
    for (metric, value) in [(Metric::Diameter, least), (Metric::AverageHops, mean)] {
        match distances {
            Some(_) => bounds.exact(metric, value),
            None => {
                let why = format!(
                    "Moore's bound: {} ports reach so many routers in one hop, all of their others in two, and so on",
                    widest.ports
                );
                bounds.add(metric, false, value, "no topology goes below", &why);
            }
        }
    }
    let hop = fabric.hop_cycles().iter().min().copied().unwrap_or(0);
    let times = |hops: Fraction| nanoseconds(hops.times(Fraction::whole(hop)), fabric.clock_hz);
    let why = format!(
        "every hop takes at least {hop} cycles, and there are at least {:.4} on average",
        mean.as_f64()
    );
    bounds.add(Metric::Latency, false, times(mean), "no routing goes below", &why);
    let why = format!(
        "every hop takes at least {hop} cycles, and the farthest pair is at least {} apart",
        least.ceil()
    );
    bounds.add(Metric::LatencyMax, false, times(least), "no routing goes below", &why);
    let share = Fraction::new(1u8, fabric.budget.vcs.max(1));
    if fabric.pod().is_none() {
        bounds.counted(Metric::Graph(GraphMetric::Routers), fabric.node_count() as u64);
        bounds.counted(
            Metric::Graph(GraphMetric::Hosts),
            fabric.declared_hosts().into_iter().map(u64::from).sum(),
        );
        topology.into_iter().for_each(|topology| {
            bounds.counted(Metric::Graph(GraphMetric::Links), topology.links().len() as u64)
        });
    }
    bounds.add(
        Metric::VcBalance,
        false,
        share,
        "no routing goes below",
        "the largest of all shares is no smaller than their mean",
    );
    if let Some(pod) = fabric.pod() {
        let why = "every tree joins all cubes, and no two share a switch";
        let most = Fraction::whole(most_trees(pod));
        bounds.add(Metric::DisjointTrees, true, most, "no setting of these switches has more than", why);
    }
    bounds.all
}

/// Routers that send and receive; two of them where that takes a topology to know.
pub(super) fn senders(fabric: &Fabric, topology: Option<&Topology>) -> u64 {
    match (topology, fabric.pod()) {
        (Some(topology), _) => topology.endpoints().count() as u64,
        (None, Some(pod)) => pod.node_count() as u64,
        (None, None) => 2,
    }
}

/// What leaves a router at most.
pub(super) struct Widest {
    pub(super) ports: u32,
    /// Of all of them together, in units.
    pub(super) capacity: u64,
}

pub(super) fn widest(fabric: &Fabric, topology: Option<&Topology>) -> Widest {
    let largest = fabric.link_types.ids().map(|link| fabric.capacities.of(link)).max().unwrap_or(1);
    match (topology, fabric.pod()) {
        (Some(topology), _) => {
            let ports =
                topology.nodes().map(|node| topology.channels_from(node).count()).max().unwrap_or(0) as u32;
            let leaves =
                |node| topology.channels_from(node).map(|channel| topology.channel_capacity(channel)).sum();
            Widest { ports, capacity: topology.nodes().map(leaves).max().unwrap_or(0) }
        }
        // Two along each axis.
        (None, Some(_)) => Widest {
            ports: fabric.router.radix.min(6),
            capacity: u64::from(fabric.router.radix.min(6)) * largest,
        },
        (None, None) => {
            Widest { ports: fabric.router.radix, capacity: u64::from(fabric.router.radix) * largest }
        }
    }
}

/// The least diameter and the least mean distance of so many routers with so many ports; where links run one
/// way, none of the ports leads back.
pub(super) fn moore(routers: u64, ports: u32, simplex: bool) -> (Fraction, Fraction) {
    let further = u128::from(if simplex { ports } else { ports.saturating_sub(1) });
    let (mut left, mut ring, mut hops, mut total) = (u128::from(routers - 1), u128::from(ports), 0u32, 0u128);
    while left > 0 && ring > 0 {
        hops += 1;
        total += u128::from(hops) * ring.min(left);
        left -= ring.min(left);
        ring = ring.saturating_mul(further);
    }
    (Fraction::whole(hops), Fraction::new(total, u128::from(routers - 1)))
}

/// Sets of switches that each join all cubes, at most: a switch makes as many links as it has pairs of faces,
/// and a tree of all cubes takes one less than there are cubes.
fn most_trees(pod: &Pod) -> u64 {
    let cubes = u64::from(pod.cubes);
    if cubes < 2 {
        return 0;
    }
    let fibers = |(a, b): (usize, usize)| (if b == 0 { a / 2 } else { a.min(b) }) as u64;
    let joins = pod.ocses.iter().map(|ocs| fibers((ocs.a.len(), ocs.b.len())).min(cubes - 1));
    joins.sum::<u64>() / (cubes - 1)
}

/// What a line about a collective or a simulation demands.
pub(super) fn side<'r>(fabric: &Fabric, line: &'r Require) -> Vec<Side<&'r Require>> {
    // No rate is a metric of these.
    sides(
        fabric,
        line,
        &Units { parts: 1, sent_per_host: Fraction::whole(1u8), channel_bandwidth: Fraction::whole(1u8) },
        None,
    )
}

/// A bound of a rate as one of the metric that a line is about.
fn in_its_unit(line: &Require, bound: &Side<Argument>, units: &Units) -> Side<Argument> {
    let unit =
        units.of_rate(line.metric, Fraction::whole(1u8)).filter(|_| family(line.metric) != line.metric);
    Side { value: unit.map_or(bound.value, |unit| bound.value.times(unit)), ..bound.clone() }
}

/// The error of a line that a bound contradicts, which is told in the unit of the line.
pub(super) fn refused(fabric: &Fabric, line: &Require, bound: &Side<Argument>) -> ContractError {
    let scale = match line.scale {
        Scale::Cycles => Fraction::whole(1u8).over(nanoseconds(Fraction::whole(1u8), fabric.clock_hz)),
        Scale::Metric | Scale::ShareOf(_) => {
            let [of_metric, written] = line.unit.factors(line.metric.unit()).map(Fraction::whole);
            of_metric.over(written)
        }
    };
    let number = match line.scale {
        Scale::Metric => Some(Fraction::from(line.value).times(scale)),
        Scale::Cycles => Some(Fraction::from(line.value)),
        Scale::ShareOf(_) => None,
    };
    let value = format!(
        "{} {}",
        written(bound.value.times(scale), bound.most, line.comparison, number),
        line.unit_name()
    );
    let value = value.trim_end();
    let side = if bound.most { "at most" } else { "at least" };
    ContractError::Bound {
        text: line.as_written(),
        reason: format!("{} {value}", bound.from.reason),
        argument: bound.from.why.clone(),
        short: format!("{side} {value}"),
        span: line.span,
    }
}

/// A bound for people: whole numbers plain, others with six significant digits, rounded to the safe side, or
/// as many more as show that the wanted number is beyond it.
fn written(value: Fraction, most: bool, comparison: Comparison, number: Option<Fraction>) -> String {
    if value.is_whole() {
        return value.floor().to_string();
    }
    let text = |digits| if most { round_up_sig(value, digits) } else { round_down_sig(value, digits) };
    let tells = |text: &String| {
        let shown = Decimal::parse(text).map(Fraction::from);
        number.is_none_or(|number| shown.is_some_and(|shown| !comparison.holds(shown, number)))
    };
    (6..=15).map(text).find(tells).unwrap_or_else(|| text(15))
}

fn contradiction(line: &Require, other: &Require) -> ContractError {
    let argument = if (line.metric, line.fault) == (other.metric, other.fault) {
        "no value satisfies both".to_owned()
    } else if family(line.metric) == family(other.metric) && line.fault == other.fault {
        format!("`{}` and `{}` are the same flow in other units", line.metric_text(), other.metric_text())
    } else if line.fault != other.fault {
        "faults make no way shorter".to_owned()
    } else {
        "no average is above the largest value".to_owned()
    };
    ContractError::Lines {
        text: line.as_written(),
        other: other.as_written(),
        argument,
        span: line.span,
        first: other.span,
    }
}
