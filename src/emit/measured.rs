//! Sentences about the graph of a network for the reports for people, before layout.

use super::design_space;
use super::number::{fixed, grouped, round_down_sig, round_up_sig};
use super::summary::{percent, readable};
use crate::compiled::CompiledFabric;
use fabc_ir::{
    FailureCurve, FailurePoint, Fraction, NetworkMetrics, PathsAt, bisection_unmeasured, search_unmeasured,
};
use fabc_model::{Family, HardwareMetric, Metric};

/// Sentences about what was measured on the graph of a network, what was not, and about the hardware. A pod
/// has the last only, if it has prices.
pub(super) fn lines(compiled: &CompiledFabric) -> Vec<String> {
    let Some(network) = &compiled.network else { return hardware(compiled).into_iter().collect() };
    let failures = network.failures.as_ref().map(|failures| failures_line(network, failures));
    shortfall(compiled)
        .into_iter()
        .chain(bisection(compiled, network))
        .chain(host_bisection(network))
        .chain(paths(compiled, network))
        .chain(hardware(compiled))
        .chain(failures)
        .chain(formula(compiled))
        .chain(designs(compiled))
        .collect()
}

/// The cables of a fabric with tiers or prices, its oversubscription, and what a host costs and draws.
fn hardware(compiled: &CompiledFabric) -> Option<String> {
    let hardware = &compiled.hardware;
    let is_above_zero =
        |metric: &HardwareMetric| hardware.value(*metric).is_some_and(|value| !value.is_zero());
    let values: Vec<String> = [
        (HardwareMetric::Oversubscription, "oversubscription "),
        (HardwareMetric::CostPerHost, "cost per host "),
        (HardwareMetric::PowerPerHost, "power per host "),
    ]
    .into_iter()
    .filter(|(metric, _)| is_above_zero(metric))
    .filter_map(|(metric, text)| {
        let value = readable(Metric::Hardware(metric), hardware.value(metric)?);
        Some(format!("{text}{value} {}", Metric::Hardware(metric).unit()).trim_end().to_owned())
    })
    .collect();
    let cables = match hardware.host_cables {
        0 if compiled.pod.is_some() => {
            format!("{} between chips and to switches", grouped(hardware.router_cables))
        }
        0 => format!("{} between routers", grouped(hardware.router_cables)),
        _ => format!(
            "{} between routers and {} to hosts",
            grouped(hardware.router_cables),
            grouped(hardware.host_cables)
        ),
    };
    (!values.is_empty()).then(|| format!("cables: {cables}; {}", values.join("; ")))
}

/// How many routers of a drawn network have fewer links than its degree.
fn shortfall(compiled: &CompiledFabric) -> Option<String> {
    let Some(Family::Shortcuts(shortcuts)) = compiled.fabric.family() else { return None };
    let topology = &compiled.topology;
    let links = |node| topology.channels_from(node).count() as u64;
    let short: Vec<u64> =
        topology.nodes().map(links).filter(|&links| links < u64::from(shortcuts.degree)).collect();
    let fewest = short.iter().min()?;
    let routers = if short.len() == 1 {
        "1 router has".to_owned()
    } else {
        format!("{} routers have", grouped(short.len() as u64))
    };
    Some(format!(
        "{routers} fewer than {} links, down to {fewest}: a matching left them out",
        shortcuts.degree
    ))
}

/// The rank of a network among the designs of its family and radix.
fn designs(compiled: &CompiledFabric) -> Option<String> {
    let space = design_space::radix_designs(compiled)?;
    let (routers, bound) = (space.network.router_count() as u64, space.moore_bound());
    let largest = space.designs.last()?.router_count() as u64;
    let rank = if routers == largest {
        "this is the largest".to_owned()
    } else {
        format!("the largest has {} routers", grouped(largest))
    };
    let designs = if space.designs.len() == 1 {
        "one design".to_owned()
    } else {
        format!("{} designs", space.designs.len())
    };
    let share = percent(Fraction::new(routers, bound));
    let known = space.largest_known.as_ref().map(design_space::known_text);
    let known = known.map_or_else(String::new, |known| format!("; the largest known has {known}"));
    Some(format!(
        "design space: {designs} of {} network ports, {rank}; {share} of Moore's bound of {bound} routers{known}",
        space.radix
    ))
}

/// The sum of distances by the formula of the family. The compilation has already compared it with the
/// measured one.
fn formula(compiled: &CompiledFabric) -> Option<String> {
    let form = compiled.fabric.closed_form()?;
    let (sum, pairs) = (form.distance_sum()?, form.endpoints * (form.endpoints - 1));
    Some(format!(
        "formula of the family: the distances of {} ordered pairs add up to {}, as searches found them",
        grouped(pairs),
        grouped(sum)
    ))
}

fn failures_line(network: &NetworkMetrics, curve: &FailureCurve) -> String {
    let range = [curve.parts_at.iter().min(), curve.parts_at.iter().max()]
        .map(|links| percent(network.share(links.copied().unwrap_or(0))));
    let (median, orders) = (percent(network.share(curve.median())), grouped(curve.parts_at.len() as u64));
    let unmeasured = if curve.curve.is_none() {
        "; distances before are not measured: they would take too many searches"
    } else {
        ""
    };
    format!(
        "random failures: {median} of the links have failed when some router with hosts first does not reach another one, \
         in the median of {orders} random orders ({} to {}){unmeasured}",
        range[0], range[1]
    )
}

/// The median run of random failures, one row per point: failed links in percent, their number, diameter,
/// average hops.
pub(super) fn failure_rows(network: &NetworkMetrics) -> Vec<[String; 4]> {
    let row = |point: &FailurePoint| {
        let apart = || "apart".to_owned();
        let diameter = point.reach.map_or_else(apart, |reach| grouped(reach.diameter.into()));
        let hops = point.reach.map_or_else(apart, |reach| fixed(reach.average_hops(), 4));
        [format!("{} %", point.percent), grouped(point.links), diameter, hops]
    };
    network.failures.iter().flat_map(|failures| failures.curve.iter().flatten()).map(row).collect()
}

fn bisection(compiled: &CompiledFabric, network: &NetworkMetrics) -> Vec<String> {
    let topology = &compiled.topology;
    let Some(measured) = &network.bisection else {
        let why = bisection_unmeasured(topology.node_count(), topology.has_simplex());
        return why.map(|why| format!("bisection: not measured: {why}")).into_iter().collect();
    };
    let share = |links: u64| percent(network.share(links));
    let by_weights = measured.weights.as_ref().map_or(0, |weights| weights.least);
    let by = match measured.at_least() {
        least if least == measured.by_spectrum => "spectrum",
        least if least == measured.by_flow => "flow",
        least if least == by_weights => "spectrum with weights",
        _ => "search of all halves",
    };
    let interval = if measured.at_least() == measured.at_most {
        let links = link_count(measured.at_most);
        format!("{links}, proved by the {by} ({} of all)", share(measured.at_most))
    } else {
        let (lower, upper) = (grouped(measured.at_least()), grouped(measured.at_most));
        format!(
            "{lower} to {upper} links ({} to {} of all): from below by the {by}, from above by halves",
            share(measured.at_least()),
            share(measured.at_most)
        )
    };
    let mut lines = vec![format!("bisection: {interval}")];
    if network.endpoint_links < network.links {
        let at_endpoints = percent(Fraction::new(measured.at_endpoints, network.endpoint_links.max(1)));
        let (cut, total) = (grouped(measured.at_endpoints), grouped(network.endpoint_links));
        lines.push(format!(
            "between these halves run {cut} of the {total} links at routers with hosts ({at_endpoints})"
        ));
    }
    lines.extend(measured.flow().map(|flow| {
        format!("what runs between these halves bounds concurrent_flow: <= {}", round_up_sig(flow, 6))
    }));
    lines
}

fn link_count(links: u64) -> String {
    if links == 1 { "1 link".to_owned() } else { format!("{} links", grouped(links)) }
}

fn host_bisection(network: &NetworkMetrics) -> Option<String> {
    let measured = network.host_bisection.as_ref()?;
    let (lower, upper) = (measured.fewest_links(), link_count(measured.links));
    let links = if lower == measured.links { upper } else { format!("{} to {upper}", grouped(lower)) };
    let proof = match measured {
        bisection if bisection.at_least() == 0 => "no lower bound",
        bisection if bisection.by_permutation >= bisection.by_flow => "from below by the worst permutation",
        _ => "from below by the flow",
    };
    let bandwidth = [round_down_sig(measured.bandwidth(), 6), round_up_sig(measured.bandwidth_at_most(), 6)];
    let bandwidth = match &bandwidth {
        [lower, upper] if lower == upper => upper.clone(),
        [lower, upper] => format!("{lower} to {upper}"),
    };
    Some(format!("bisection between hosts: {links}, {bandwidth} GB/s in one direction, {proof}"))
}

fn paths(compiled: &CompiledFabric, network: &NetworkMetrics) -> Vec<String> {
    let topology = &compiled.topology;
    let (endpoints, channels) = (topology.endpoints().count(), topology.channels().count());
    let mut lines = Vec::new();
    match (&network.paths, search_unmeasured(endpoints, channels, 1)) {
        (Some(paths), _) => {
            let total = paths.at_any_distance();
            let mean = total.mean().map_or_else(String::new, |mean| fixed(mean, 4));
            let single = total.single_share().map_or_else(String::new, percent);
            lines.push(format!(
                "shortest paths: {mean} of an ordered pair on average; {single} of the pairs have one only"
            ));
        }
        (None, Some(why)) => lines.push(format!("shortest paths: not measured: {why}")),
        (None, None) => {
            lines.push("shortest paths: not measured: a pair has more than 64 bits can count".to_owned())
        }
    }
    lines.push(match network.edge_connectivity {
        Some(links) => format!(
            "edge connectivity: {}; the loss of fewer links cuts no router with hosts off from another",
            grouped(links)
        ),
        None => "edge connectivity: not measured: its proof would take too many searches".to_owned(),
    });
    lines
}

/// Shortest paths, one row per distance: distance, pairs, pairs with one path, and the mean, fewest and most
/// paths of a pair.
pub(super) fn paths_by_distance(network: &NetworkMetrics) -> Vec<[String; 6]> {
    let layers = network
        .paths
        .iter()
        .flat_map(|paths| (1u64..).zip(&paths.by_distance))
        .filter(|(_, paths_at)| paths_at.pairs > 0);
    let row = |(distance, paths_at): (u64, &PathsAt)| {
        let mean = paths_at.mean().map_or_else(String::new, |mean| fixed(mean, 4));
        [
            grouped(distance),
            grouped(paths_at.pairs),
            grouped(paths_at.single),
            mean,
            grouped(paths_at.fewest),
            grouped(paths_at.most),
        ]
    };
    layers.map(row).collect()
}
