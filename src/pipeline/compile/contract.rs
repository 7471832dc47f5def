//! The contract before the search: refuses `require` lines that contradict a bound or another line.
//!
//! In: a fabric, and its topology and distances where they are known. Out: an error for every `require` that
//! no result of the build can satisfy. The bounds themselves are in `contract_bounds`.

use super::contract_bounds::{BoundArgument, SidedBound, base_metric, result_bounds, universal_bound};
use super::contract_error::ContractError;
use fabc_base::diag::{Failure, Span};
use fabc_base::limits::COLLISION_FLOWS;
use fabc_base::units::Decimal;
use fabc_emit::number::{round_down_sig, round_up_sig};
use fabc_ir::{
    Distances, Fraction, Hardware, NetworkMetrics, Scenario, Scene, Topology, Units, bisection_unmeasured,
    gigabytes, host_bisection_unmeasured, nanoseconds, search_unmeasured, tiers_above_endpoints,
};
use fabc_model::{
    Comparison, Ecmp, Fabric, Faults, GraphMetric, HardwareMetric, Metric, Reference, Require, ValueScale,
};
use fabc_passes::measure;
use fabc_passes::measure::collision::hashed_groups;
use fabc_passes::route::groups;
use miette::Diagnostic;

/// Refuses `require` lines that can never hold.
///
/// # Errors
/// A [`ContractError`] for every line that contradicts a bound or an earlier line.
pub(super) fn refuse_impossible_requires(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Result<(), Failure> {
    if fabric.requires.is_empty() || fabric.node_count() < 2 {
        return Ok(());
    }
    let mut errors = unmeasured_requires(fabric, topology);
    let universal = universal_bound(fabric);
    let units = units(fabric);
    let bounds = result_bounds(fabric, topology, distances, &units, universal.as_ref());
    let mut lines: Vec<&Require> =
        fabric.requires.iter().filter(|require| require.subject.is_none()).collect();
    lines.sort_by_key(|require| require.span);
    let rate = universal.as_ref().map(|(value, _)| *value);
    let mut known: Vec<SidedBound<&Require>> = Vec::new();
    for line in lines {
        let sides = sides_of_require(fabric, line, &units, rate);
        let same_quantity =
            || sides.iter().filter(|side| side.quantity == (base_metric(line.metric), line.fault));
        if let Some(bound) =
            same_quantity().find_map(|side| bounds.iter().find(|bound| side.contradicts(bound)))
        {
            errors.push(Box::new(bound_error(fabric, line, &in_unit_of_line(line, bound, &units))));
            continue;
        }
        let earlier = sides.iter().find_map(|side| known.iter().find(|other| side.contradicts(other)));
        match earlier {
            Some(other) => errors.push(Box::new(contradiction_error(line, other.source))),
            None => known.extend(sides),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Infeasible(errors)) }
}

/// Counts the lines whose metric is known exactly before the search.
pub(super) fn count_decided(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> usize {
    if fabric.node_count() < 2 {
        return 0;
    }
    let bounds = result_bounds(fabric, topology, distances, &units(fabric), None);
    let is_decided = |line: &&Require| {
        let same_quantity = || bounds.iter().filter(|bound| bound.quantity == (line.metric, line.fault));
        let exact = same_quantity()
            .any(|low| !low.is_upper && same_quantity().any(|high| high.is_upper && high.value == low.value));
        line.subject.is_none() && !matches!(line.scale, ValueScale::ShareOf(_)) && exact
    };
    fabric.requires.iter().filter(is_decided).count()
}

/// The bounds on every line before the search: the place of the line, and the bounds in its unit.
pub(super) fn bounds_by_line(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Vec<(Span, String)> {
    if fabric.node_count() < 2 {
        return Vec::new();
    }
    let (universal, units) = (universal_bound(fabric), units(fabric));
    let bounds = result_bounds(fabric, topology, distances, &units, universal.as_ref());
    let bounds_text = |line: &Require| {
        let unit = units
            .metric_at(line.metric, Fraction::integer(1u8))
            .filter(|_| base_metric(line.metric) != line.metric);
        let same_quantity =
            bounds.iter().filter(|bound| bound.quantity == (base_metric(line.metric), line.fault));
        let mut texts: Vec<String> = same_quantity
            .map(|bound| {
                let value = unit.map_or(bound.value, |unit| bound.value.times(unit));
                let value = if bound.is_upper { round_up_sig(value, 6) } else { round_down_sig(value, 6) };
                format!(
                    "{} {}: {}",
                    bound.source.reason,
                    format!("{value} {}", line.metric.unit()).trim_end(),
                    bound.source.why
                )
            })
            .collect();
        texts.dedup();
        (line.span, texts.join("\n"))
    };
    fabric
        .requires
        .iter()
        .filter(|line| line.subject.is_none())
        .map(bounds_text)
        .filter(|(_, bounds_text)| !bounds_text.is_empty())
        .collect()
}

/// Errors for the lines about metrics that are not measured on such a network.
fn unmeasured_requires(
    fabric: &Fabric,
    topology: Option<&Topology>,
) -> Vec<Box<dyn Diagnostic + Send + Sync>> {
    let Some(family) = fabric.family() else { return Vec::new() };
    let tierless = || {
        if fabric.router.hosts == 0 && fabric.boxes().is_none() {
            return Some("`hosts = 0`: the endpoints are inside the routers and have no cables".to_owned());
        }
        let has_tiers = match topology {
            Some(topology) => Hardware::new(fabric, topology, None).oversubscription.is_some(),
            None => family.facts().has_tiers(),
        };
        (!has_tiers).then(|| "its routers have no tiers, one above the other".to_owned())
    };
    let searched = |rounds: usize| {
        let topology = topology?;
        search_unmeasured(topology.endpoints().count(), topology.channels().count(), rounds)
    };
    let error = |line: &Require| {
        let (what, why) = match line.metric {
            Metric::Graph(metric) if metric.is_of_host_halves() => {
                let senders = fabric.declared_hosts().into_iter().filter(|&hosts| hosts > 0).count();
                let why = host_bisection_unmeasured(fabric.node_count(), senders, family.is_simplex());
                ("the bisection between hosts", why?)
            }
            Metric::Graph(metric) if metric.is_of_halves() => {
                ("the bisection", bisection_unmeasured(fabric.node_count(), family.is_simplex())?)
            }
            Metric::Graph(GraphMetric::ShortestPaths) => ("the number of shortest paths", searched(1)?),
            Metric::Graph(GraphMetric::EdgeConnectivity) => {
                ("the edge connectivity", searched(topology.map_or(0, measure::least_degree))?)
            }
            Metric::Hardware(HardwareMetric::Oversubscription) => ("the oversubscription", tierless()?),
            Metric::Collision => ("the collision of flows", uncounted_flows(fabric, topology?)?),
            _ => return None,
        };
        Some(unmeasured_error(line, what, why))
    };
    fabric.requires.iter().filter_map(error).collect()
}

/// Why the collisions of flows are not counted in the healthy network. `None` where they are.
fn uncounted_flows(fabric: &Fabric, topology: &Topology) -> Option<String> {
    let Ecmp { flows, .. } = fabric.routing.even_ecmp()?;
    let (scene, tiers) = (Scene::healthy(topology), tiers_above_endpoints(topology)?);
    let tables = groups::route(&scene, &tiers, fabric.relays, &Scenario::nominal().name).ok()?;
    let groups = hashed_groups(&scene, &tables, &tiers, flows);
    let most = groups.iter().map(|group| group.flows).max()?;
    (most > COLLISION_FLOWS).then(|| {
        format!("{most} flows share a group of next hops, at most {COLLISION_FLOWS} are counted exactly")
    })
}

/// Refuses lines about a network whose metric has no value, before anything is built on it.
///
/// # Errors
/// A [`ContractError`] for every such line.
pub(super) fn refuse_unmeasured(
    fabric: &Fabric,
    topology: &Topology,
    network: &NetworkMetrics,
) -> Result<(), Failure> {
    let mut errors = unmeasured_requires(fabric, Some(topology));
    if errors.is_empty() && network.paths.is_none() {
        let why = "some pair has more of them than 64 bits can count";
        let lines =
            fabric.requires.iter().filter(|line| line.metric == Metric::Graph(GraphMetric::ShortestPaths));
        errors
            .extend(lines.map(|line| unmeasured_error(line, "the number of shortest paths", why.to_owned())));
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Infeasible(errors)) }
}

/// The error of a line that cannot be decided.
fn unmeasured_error(line: &Require, what: &'static str, why: String) -> Box<dyn Diagnostic + Send + Sync> {
    Box::new(ContractError::Unmeasured { text: line.as_written(), what, why, span: line.span })
}

/// The factors that turn rates into metrics, before there is a topology.
fn units(fabric: &Fabric) -> Units {
    let hosts = fabric.declared_hosts();
    let sent = fabric.demand.sent_per_host(None, |router| hosts.get(router.0 as usize).copied().unwrap_or(1));
    Units {
        parts: (!fabric.routing.has_many_paths()).then(|| fabric.capacities.parts()),
        sent_per_host: Fraction::new(sent.weights, sent.hosts),
        channel_bandwidth: gigabytes(fabric.capacities.unit_bps()),
    }
}

/// The demand of a line, and what follows from it for other quantities.
fn sides_of_require<'r>(
    fabric: &Fabric,
    require: &'r Require,
    units: &Units,
    universal: Option<Fraction>,
) -> Vec<SidedBound<&'r Require>> {
    let number = Fraction::from(require.value);
    let unit_rate = Fraction::integer(1u8);
    let value = match require.scale {
        ValueScale::Metric => Some(number),
        ValueScale::Cycles => Some(nanoseconds(number, fabric.clock_hz)),
        ValueScale::ShareOf(Reference::Universal) => {
            universal.and_then(|rate| units.metric_at(require.metric, rate)).map(|bound| number.times(bound))
        }
        ValueScale::ShareOf(_) => None,
    };
    // Flows are rates of every pair. This is the value of the metric at a rate of 1.
    let unit = units
        .metric_at(require.metric, unit_rate)
        .filter(|unit| base_metric(require.metric) != require.metric && !unit.is_zero());
    let Some(value) = value.map(|value| unit.map_or(value, |unit| value.over(unit))) else {
        return Vec::new();
    };
    let (is_upper, is_lower, is_open) = match require.comparison {
        Comparison::AtMost => (true, false, false),
        Comparison::Less => (true, false, true),
        Comparison::AtLeast => (false, true, false),
        Comparison::Greater => (false, true, true),
        Comparison::Equal => (true, true, false),
    };
    let side = |metric, fault, is_upper, value, is_open| SidedBound {
        quantity: (metric, fault),
        is_upper,
        value,
        is_open,
        source: require,
    };
    let (metric, fault) = (base_metric(require.metric), require.fault);
    let mut sides = Vec::new();
    // Fewer links make no path shorter, as long as every router is there.
    let faults_lengthen = fabric.budget.faults != Faults::Router && !fabric.budget.faults.is_none();
    let is_distance = matches!(metric, Metric::Diameter | Metric::AverageHops);
    for is_upper in [is_upper.then_some(true), is_lower.then_some(false)].into_iter().flatten() {
        sides.push(side(metric, fault, is_upper, value, is_open));
        let implied = if is_upper {
            (Metric::Diameter, Metric::AverageHops)
        } else {
            (Metric::AverageHops, Metric::Diameter)
        };
        if metric == implied.0 {
            sides.push(side(implied.1, fault, is_upper, value, is_open));
        }
        if faults_lengthen && is_distance && is_upper == fault {
            sides.push(side(metric, !fault, is_upper, value, is_open));
        }
    }
    sides
}

/// The demands of a line about a collective or a simulation.
pub(super) fn performance_sides<'r>(fabric: &Fabric, line: &'r Require) -> Vec<SidedBound<&'r Require>> {
    // No metric of these is a rate of every pair.
    sides_of_require(
        fabric,
        line,
        &Units {
            parts: Some(1),
            sent_per_host: Fraction::integer(1u8),
            channel_bandwidth: Fraction::integer(1u8),
        },
        None,
    )
}

/// A bound on a rate, converted to the metric of a line.
fn in_unit_of_line(
    line: &Require,
    bound: &SidedBound<BoundArgument>,
    units: &Units,
) -> SidedBound<BoundArgument> {
    let unit = units
        .metric_at(line.metric, Fraction::integer(1u8))
        .filter(|_| base_metric(line.metric) != line.metric);
    SidedBound { value: unit.map_or(bound.value, |unit| bound.value.times(unit)), ..bound.clone() }
}

/// The error of a line that a bound contradicts. The bound is printed in the unit of the line.
pub(super) fn bound_error(
    fabric: &Fabric,
    line: &Require,
    bound: &SidedBound<BoundArgument>,
) -> ContractError {
    let scale = match line.scale {
        ValueScale::Cycles => {
            Fraction::integer(1u8).over(nanoseconds(Fraction::integer(1u8), fabric.clock_hz))
        }
        ValueScale::Metric | ValueScale::ShareOf(_) => {
            let [metric_factor, line_factor] = line.unit.factors(line.metric.unit()).map(Fraction::integer);
            metric_factor.over(line_factor)
        }
    };
    let number = match line.scale {
        ValueScale::Metric => Some(Fraction::from(line.value).times(scale)),
        ValueScale::Cycles => Some(Fraction::from(line.value)),
        ValueScale::ShareOf(_) => None,
    };
    let value = format!(
        "{} {}",
        rounded_number(bound.value.times(scale), bound.is_upper, line.comparison, number),
        line.unit_name()
    );
    let value = value.trim_end();
    let side = if bound.is_upper { "at most" } else { "at least" };
    ContractError::Bound {
        text: line.as_written(),
        reason: format!("{} {value}", bound.source.reason),
        argument: bound.source.why.clone(),
        short: format!("{side} {value}"),
        span: line.span,
    }
}

/// Prints a bound for people. Whole numbers are printed plain. Others have six significant digits and are
/// rounded to the safe side. More digits are printed if they are needed to show that the wanted number is
/// beyond the bound.
fn rounded_number(
    value: Fraction,
    is_upper: bool,
    comparison: Comparison,
    number: Option<Fraction>,
) -> String {
    if value.is_integer() {
        return value.floor().to_string();
    }
    let text = |digits| if is_upper { round_up_sig(value, digits) } else { round_down_sig(value, digits) };
    let is_decisive = |text: &String| {
        let shown = Decimal::parse(text).map(Fraction::from);
        number.is_none_or(|number| shown.is_some_and(|shown| !comparison.holds(shown, number)))
    };
    (6..=15).map(text).find(is_decisive).unwrap_or_else(|| text(15))
}

fn contradiction_error(line: &Require, other: &Require) -> ContractError {
    let argument = if (line.metric, line.fault) == (other.metric, other.fault) {
        "no value satisfies both".to_owned()
    } else if base_metric(line.metric) == base_metric(other.metric) && line.fault == other.fault {
        format!("`{}` and `{}` are the same flow in other units", line.metric_text(), other.metric_text())
    } else if line.fault != other.fault {
        "faults make no path shorter".to_owned()
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
