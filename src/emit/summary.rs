//! Sentences and rows for the reports for people, before layout. Both `report.txt` and `report.html` use
//! them.

use super::number::{fixed, grouped, ratio, round_down_sig, round_up_sig};
use crate::compiled::CompiledFabric;
use fabc_base::ids::LinkTypeId;
use fabc_ir::{Fraction, LimitArgument, LinkClass, Makespan, RequireOutcome, TreeBounds, makespans};
use fabc_model::{
    CollectiveMetric, CoupleRule, DemandComponent, DemandShape, Duplex, Fabric, FloorMetric, GraphMetric,
    JobMetric, Metric, Objective, Plant, Pod, SimulatedMetric, SlotPace, SynthesisMethod, Synthesize,
    TopologyChoice, ValueScale,
};
use std::collections::BTreeSet;

/// Significant digits of flows in reports for people. `report.json` has all digits.
const DIGITS: usize = 6;

const PER_CAPACITY: &str = "routes over capacity; no single-path routing has less";

/// A load for people. It is whole if all links have the same capacity.
pub(super) fn load_text(load: Fraction) -> String {
    if load.is_integer() { grouped(u64::try_from(load.floor()).unwrap_or(u64::MAX)) } else { fixed(load, 2) }
}

/// The outcomes of all requires, in the order in which the spec has them.
pub(super) fn requires_as_written(compiled: &CompiledFabric) -> Vec<&RequireOutcome> {
    let mut outcomes: Vec<&RequireOutcome> = compiled.requires.iter().collect();
    outcomes.sort_by_key(|outcome| outcome.require.position);
    outcomes
}

/// One metric with its bound.
pub(super) struct MetricRow {
    pub(super) name: &'static str,
    /// The value, with `>=` if it is a certified lower bound. Empty before routing.
    pub(super) value: String,
    /// The bound, with `<=` or `>=`. Empty if none is known.
    pub(super) bound: String,
    /// The value divided by its bound.
    pub(super) ratio: Option<f64>,
    /// The unit, or the kind of bound.
    pub(super) note: &'static str,
}

/// All metrics of the healthy fabric, in report order.
pub(super) fn metric_rows(compiled: &CompiledFabric) -> Vec<MetricRow> {
    let metrics = &compiled.scenarios[0].metrics;
    let vcs = compiled.fabric.budget.vcs;
    Metric::of_scenarios()
        .filter(|&metric| compiled.fabric.routing.has_metric(metric))
        .filter(|&metric| metric != Metric::DisjointTrees || compiled.pod.is_some())
        .map(|metric| {
            let value = metrics.value(metric);
            let flow_bound = |bound: Fraction| (format!("<= {}", round_up_sig(bound, DIGITS)), Some(bound));
            let none = || (String::new(), None);
            let ((bound, best), note) = match metric {
                Metric::Diameter => (none(), "hops"),
                Metric::AverageHops => (none(), "hops"),
                Metric::ConcurrentFlow => (flow_bound(metrics.flow_ceiling()), "certified interval"),
                Metric::Injection => {
                    (flow_bound(metrics.injection_at(metrics.flow_ceiling())), "flits/cycle/node")
                }
                Metric::Bandwidth => (
                    flow_bound(metrics.injection_at(metrics.flow_ceiling()).times(metrics.channel_bandwidth)),
                    bandwidth_unit(compiled),
                ),
                Metric::MaxChannelLoad => {
                    let bound = metrics.load_bound();
                    let equal = compiled.fabric.capacities.are_equal();
                    let shortest = compiled.scenarios[0].shortest_load_bound();
                    let note = match (compiled.fabric.routing.has_many_paths(), equal) {
                        (true, true) => "routes, on average; no routing has less",
                        (true, false) => "routes over capacity, on average; no routing has less",
                        (false, true) => "routes; no single-path routing has less",
                        (false, false) => PER_CAPACITY,
                    };
                    // In brackets that of shortest routes.
                    let shortest = shortest.map(|shortest| format!(" ({})", load_text(shortest)));
                    let bounds = format!(">= {}{}", load_text(bound), shortest.unwrap_or_default());
                    ((bounds, Some(bound)), note)
                }
                Metric::LoadRatio => ((">= 1".to_owned(), None), "max channel load * upper end of the flow"),
                Metric::HopsRatio => ((">= 1".to_owned(), None), "route hops / hop distance"),
                Metric::VcBalance => (
                    (format!(">= {}", ratio4(1.0 / f64::from(vcs))), None),
                    "largest share of hops on one VC",
                ),
                Metric::Latency => (none(), "ns; zero load, mean over all routes"),
                Metric::LatencyMax => (none(), "ns; zero load, the slowest route"),
                Metric::Permutation => (none(), "load of a channel under the worst permutation of hosts"),
                Metric::Collision => ((">= 1".to_owned(), None), "expected flows on the fullest / mean"),
                Metric::CollisionWorst => (none(), "all flows on one next hop / best spread"),
                Metric::DisjointTrees => {
                    let bound = compiled.pod.as_ref().map_or(0, |pod| pod.tree_bounds.at_most);
                    ((format!("<= {bound}"), Some(Fraction::integer(bound))), "OCS-disjoint spanning trees")
                }
                Metric::Graph(_)
                | Metric::Floor(_)
                | Metric::Hardware(_)
                | Metric::Simulated(_)
                | Metric::Collective(_)
                | Metric::Job(_) => (none(), ""),
            };
            let ratio = best
                .zip(value)
                .map(|(best, value)| value.as_f64() / best.as_f64())
                .filter(|ratio| ratio.is_finite());
            MetricRow {
                name: metric.name(),
                value: value.map_or(String::new(), |value| readable(metric, value)),
                bound,
                ratio,
                note,
            }
        })
        .collect()
}

/// The unit of bandwidth per endpoint.
pub(super) fn bandwidth_unit(compiled: &CompiledFabric) -> &'static str {
    if compiled.pod.is_some() { "GB/s per chip" } else { "GB/s per host" }
}

/// A note such as `OCS-disjoint, each joins all cubes; at least 12 by connectivity, at most 24`. `None`
/// without OCSes.
pub(super) fn trees_note(compiled: &CompiledFabric) -> Option<String> {
    let TreeBounds { at_least, at_most, .. } = compiled.pod.as_ref()?.tree_bounds;
    Some(format!(
        "OCS-disjoint, each joins all cubes; at least {at_least} by connectivity, at most {at_most}"
    ))
}

/// A metric's value for people: flows rounded down to 6 significant digits, ratios to 4 decimals.
pub(super) fn readable(metric: Metric, value: Fraction) -> String {
    readable_with(metric, value, 0)
}

/// As [`readable`], with `more` additional digits.
fn readable_with(metric: Metric, value: Fraction, more: usize) -> String {
    match metric {
        Metric::MaxChannelLoad if !value.is_integer() => fixed(value, 2 + more as u32),
        Metric::Diameter | Metric::MaxChannelLoad | Metric::DisjointTrees => grouped(value.floor() as u64),
        Metric::Graph(metric) if metric.is_count() => grouped(value.floor() as u64),
        Metric::Floor(FloorMetric::Bundles) => grouped(value.floor() as u64),
        Metric::Hardware(metric) if metric.is_count() => grouped(value.floor() as u64),
        Metric::Floor(_) | Metric::Hardware(_) => fixed(value, 4 + more as u32),
        Metric::ConcurrentFlow
        | Metric::Injection
        | Metric::Bandwidth
        | Metric::Graph(GraphMetric::BisectionBandwidth | GraphMetric::HostBisectionBandwidth) => {
            round_down_sig(value, DIGITS + more)
        }
        Metric::Permutation
        | Metric::Collision
        | Metric::CollisionWorst
        | Metric::AverageHops
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Graph(_) => decimals(value.as_f64(), 4 + more),
        Metric::Simulated(
            SimulatedMetric::Saturation
            | SimulatedMetric::Share
            | SimulatedMetric::Sustained
            | SimulatedMetric::Fairness
            | SimulatedMetric::Elsewhere,
        ) => decimals(value.as_f64(), 4 + more),
        Metric::Latency
        | Metric::LatencyMax
        | Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time) => {
            decimals(value.as_f64(), 1 + more)
        }
        Metric::Collective(CollectiveMetric::Steps) => grouped(value.floor() as u64),
        Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan) => {
            decimals(value.as_f64(), 1 + more)
        }
        Metric::Collective(CollectiveMetric::Bandwidth) => fixed(value, 2 + more as u32),
        Metric::Collective(
            CollectiveMetric::Share | CollectiveMetric::Volume | CollectiveMetric::MakespanRatio,
        ) => decimals(value.as_f64(), 4 + more),
        Metric::Job(JobMetric::Share) => decimals(value.as_f64(), 4 + more),
        Metric::Job(JobMetric::Communication | JobMetric::Step | JobMetric::Exposed) => {
            decimals(value.as_f64(), 1 + more)
        }
        // This is a product, which floats would round twice.
        Metric::LoadRatio => fixed(value, 4 + more as u32),
    }
}

/// The measured value of a `require` for people, with enough digits to show whether it holds.
pub fn measured(outcome: &RequireOutcome) -> Option<String> {
    let metric = outcome.require.metric;
    let (unit, text) = match outcome.require.scale {
        ValueScale::Cycles => ("cycles", outcome.measured_text(|value, more| decimals(value.as_f64(), more))),
        _ => (metric.unit(), outcome.measured_text(|value, more| readable_with(metric, value, more))),
    };
    text.map(|text| format!("{text} {unit}").trim_end().to_owned())
}

/// A ratio with 4 decimals, or `-`.
pub(super) fn ratio4(value: f64) -> String {
    decimals(value, 4)
}

fn decimals(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { "-".to_owned() }
}

/// A quotient with 4 decimals, or `-`.
pub(super) fn quotient4(value: Fraction, divisor: Fraction) -> String {
    ratio4(value.as_f64() / divisor.as_f64())
}

/// A share as `98.4 %`, never rounded up to 100 %.
pub(super) fn percent(value: Fraction) -> String {
    // A share below 1 that `report.json` prints as 1.000000 counts as 1.
    let parts: f64 = ratio(value).parse().unwrap_or(0.0);
    format!("{:.1} %", (parts * 1000.0).floor() / 10.0)
}

/// The parts of the fabric, in one or two lines.
pub(super) fn plant_lines(compiled: &CompiledFabric) -> Vec<String> {
    match &compiled.fabric.plant {
        Plant::Pod(pod) => vec![cubes_line(pod), switches_line(pod)],
        Plant::Network(network) => {
            let topology = &compiled.topology;
            let (block, blocks) = network.family.blocks();
            let groups = if block > 1 {
                format!(" in {} groups of {}", grouped(blocks.into()), grouped(block.into()))
            } else {
                String::new()
            };
            let hosts = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
            let endpoints = topology.endpoints().count() as u64;
            let mut line = format!(
                "{} routers{groups}, {} hosts",
                grouped(topology.node_count() as u64),
                grouped(hosts)
            );
            if endpoints < topology.node_count() as u64 {
                line += &format!(" on {} of them", grouped(endpoints));
            }
            vec![line]
        }
    }
}

/// A line such as `4 cubes of 4 x 4 x 4 = 256 chips`.
fn cubes_line(pod: &Pod) -> String {
    let [x, y, z] = pod.cube.dims;
    let cubes =
        if pod.cubes == 1 { "1 cube".to_owned() } else { format!("{} cubes", grouped(u64::from(pod.cubes))) };
    format!("{cubes} of {x} x {y} x {z} = {} chips", grouped(pod.node_count() as u64))
}

/// A line such as `48 OCSes (X 16, Y 16, Z 16), 4 of 136 ports used on each`.
fn switches_line(pod: &Pod) -> String {
    let counts = pod.ocs_groups.ids().map(|group| pod.ocses.iter().filter(|ocs| ocs.group == group).count());
    let groups: Vec<String> =
        pod.ocs_groups.iter().zip(counts).map(|(group, count)| format!("{} {count}", group.name)).collect();
    let used = pod.ocses.iter().map(|ocs| match (ocs.duplex, ocs.rule) {
        (Duplex::Pair, _) | (_, CoupleRule::Any) => ocs.a.len() + ocs.b.len(),
        (Duplex::Circulator, CoupleRule::Sided) => ocs.a.len().max(ocs.b.len()),
    });
    let range = |values: &mut dyn Iterator<Item = u64>| {
        let counts: Vec<u64> = values.collect();
        match (counts.iter().min(), counts.iter().max()) {
            (Some(low), Some(high)) if low < high => format!("{} to {}", grouped(*low), grouped(*high)),
            (Some(low), _) => grouped(*low),
            _ => "0".to_owned(),
        }
    };
    let (used, ports) = (
        range(&mut used.map(|used| used as u64)),
        range(&mut pod.ocses.iter().map(|ocs| u64::from(ocs.ports))),
    );
    match pod.ocses.len() {
        0 => "no OCS".to_owned(),
        1 => format!("1 OCS ({}), {used} of {ports} ports used", groups.join(", ")),
        count => format!(
            "{} OCSes ({}), {used} of {ports} ports used on each",
            grouped(count as u64),
            groups.join(", ")
        ),
    }
}

/// A line such as `768 links: 576 copper, 192 fiber, 128 GB/s per direction`.
pub(super) fn links_line(compiled: &CompiledFabric) -> String {
    let links = compiled.topology.links();
    let fiber = links.iter().filter(|link| link.class == LinkClass::Global).count();
    let parts = match &compiled.fabric.plant {
        Plant::Pod(_) => {
            format!(": {} copper, {} fiber", grouped((links.len() - fiber) as u64), grouped(fiber as u64))
        }
        Plant::Network(_) if fiber > 0 => {
            format!(": {} local, {} global", grouped((links.len() - fiber) as u64), grouped(fiber as u64))
        }
        Plant::Network(_) => String::new(),
    };
    let simplex = if compiled.topology.has_simplex() { ", one way each" } else { "" };
    format!("{} links{parts}{simplex}, {} per direction", grouped(links.len() as u64), bandwidths(compiled))
}

/// `128 GB/s`. If link capacities differ, it is `12.5 GB/s (board), 50 GB/s (fiber)` and the unit of loads
/// and flows.
fn bandwidths(compiled: &CompiledFabric) -> String {
    let unit = compiled.scenarios[0].metrics.channel_bandwidth;
    let fabric = &compiled.fabric;
    if fabric.capacities.are_equal() {
        return format!("{} GB/s", round_down_sig(unit, DIGITS));
    }
    let used: BTreeSet<LinkTypeId> = compiled.topology.links().iter().map(|link| link.link_type).collect();
    let capacity_text = |link_type: LinkTypeId| {
        let bandwidth = unit.times(Fraction::integer(fabric.capacities.capacity(link_type)));
        format!("{} GB/s ({})", round_down_sig(bandwidth, DIGITS), fabric.link_types[link_type].name)
    };
    let capacities: Vec<String> = used.into_iter().map(capacity_text).collect();
    format!("{}; a unit of capacity is {} GB/s,", capacities.join(", "), round_down_sig(unit, DIGITS))
}

/// A line such as `synthesized (symmetry auto, effort 1, seed 1), 4 cubes interchangeable, allowed_turns
/// routing, 2 of 4 VCs, 1 dark OCS tolerated`.
pub(super) fn choices_line(compiled: &CompiledFabric) -> String {
    let fabric = &compiled.fabric;
    let dims = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let search = |how: &Synthesize| {
        let symmetry = how.symmetry.name();
        let objective = if how.objective == Objective::Hops { "for hops, " } else { "" };
        let limit = how.time_limit.map_or(String::new(), |seconds| format!(", at most {seconds} s"));
        let method = match how.method {
            SynthesisMethod::Search => String::new(),
            program => format!("method {}, ", program.name()),
        };
        format!("{objective}{method}symmetry {symmetry}, effort {}, seed {}{limit}", how.effort, how.seed)
    };
    let pod_topology = |pod: &Pod| match &pod.topology {
        TopologyChoice::Torus(size) => format!("torus {}", dims(*size)),
        TopologyChoice::TwistedTorus(size) => format!("twisted torus {}", dims(*size)),
        TopologyChoice::Synthesize(how) => format!("synthesized ({})", search(how)),
        TopologyChoice::SynthesizeNear(near) => {
            let moves = grouped(near.moves);
            format!("synthesized within {moves} moves of the live setting ({})", search(&near.search))
        }
        TopologyChoice::CrossConnects { .. } => "cross-connects from a file".to_owned(),
    };
    let topology = match &fabric.plant {
        Plant::Pod(pod) => pod_topology(pod),
        Plant::Network(network) => network.family.written(),
    };
    let routing = fabric.routing.written();
    let faults = fabric.tolerated();
    let symmetry = compiled.topology.symmetry();
    let blocks = match (compiled.pod.is_some(), symmetry.block_size()) {
        (true, _) => "cubes",
        (false, 1) => "routers",
        (false, _) => "groups",
    };
    let kept = match symmetry.order() {
        // Shifts of a folded Clos move no blocks, and take one fault to another all the same.
        1 if fabric.clos_shifts().is_some() => "switches of a tier interchangeable by shifts".to_owned(),
        1 => "no symmetry kept".to_owned(),
        order if order == symmetry.blocks() => format!("all {blocks} interchangeable"),
        order => format!("{blocks} interchangeable in sets of {order}"),
    };
    let movement = match fabric.pace() {
        Some(SlotPace { vector_bytes, slot, hop, reduce, deskew }) => {
            let sum = if reduce > 0 { format!(", {reduce} a sum") } else { String::new() };
            let rest =
                if deskew > 0 { format!(", all channels rest every {deskew} cycles") } else { String::new() };
            format!("{routing}: vectors of {vector_bytes} B, a slot is {slot} cycles, a hop {hop}{sum}{rest}")
        }
        None => format!("{routing} routing, {} of {} VCs", fabric.budget.vcs, fabric.router.vcs),
    };
    format!("{topology}, {kept}, {movement}, {faults}")
}

/// A line such as `universal bound on concurrent_flow (tree of cubes): <= 0.00640513 for every topology of
/// this pod; 98.8 % reached`.
pub(super) fn limit_line(compiled: &CompiledFabric) -> Option<String> {
    let limit = compiled.pod.as_ref()?.limit.as_ref()?;
    let argument = match &limit.argument {
        LimitArgument::Tree { .. } => "tree of cubes".to_owned(),
        LimitArgument::OneHop { .. } => "tree of cubes, one-hop words packed".to_owned(),
        LimitArgument::Plane { axis, below } => {
            let axis = ["x", "y", "z"][*axis as usize];
            format!("cut through all cubes at {axis} = {below}")
        }
        LimitArgument::Cubes { first, count: 1 } => format!("cut around cube{first}"),
        LimitArgument::Cubes { first, count } => {
            format!("cut around cube{first} to cube{}", first + count - 1)
        }
    };
    let (value, share) = (
        round_up_sig(limit.value(), DIGITS),
        percent(compiled.scenarios[0].metrics.flow_low.over(limit.value())),
    );
    let reached = if compiled.is_optimal() {
        "reached; optimal: no topology of this pod carries more".to_owned()
    } else {
        format!("{share} reached")
    };
    Some(format!(
        "universal bound on concurrent_flow ({argument}): <= {value} for every topology of this pod; {reached}"
    ))
}

/// How many faults the compiled scenarios represent. `None` if each represents only itself.
pub(super) fn represented_faults(compiled: &CompiledFabric) -> Option<String> {
    let images: usize = compiled.scenarios.iter().map(|scenario| scenario.scenario.images.len()).sum();
    let faults = (compiled.scenarios.len() - 1 + images) as u64;
    (images > 0)
        .then(|| format!("by symmetry they stand for {} faults; the tables name them", grouped(faults)))
}

/// The makespan of all scheduled collectives together. `None` where vectors are not scheduled.
pub(super) fn makespan(compiled: &CompiledFabric) -> Option<Makespan> {
    Some(Makespan::combined(&makespans(&compiled.fabric, &compiled.collectives)?))
}

/// `makespan 13,210 cycles (14.678 us), until the last vector has come; no plan takes less than 12,442:
/// 1.0617 times that`. `None` if vectors are not scheduled.
pub(super) fn makespan_line(compiled: &CompiledFabric) -> Option<String> {
    let Makespan { end, lower_bound } =
        Makespan::combined(&makespans(&compiled.fabric, &compiled.collectives)?);
    let time = fixed(Fraction::new(end * 1_000_000, compiled.fabric.clock_hz), 3);
    let ratio = quotient4(Fraction::integer(end), Fraction::integer(lower_bound.max(1)));
    let (end, lower_bound) = (grouped(end), grouped(lower_bound));
    let replaced = compiled.fabric.failover().map_or(String::new(), |(size, blocks)| {
        format!("; any of {blocks} blocks of {size} may fail: the spare takes its place, and the same plan runs moved by blocks")
    });
    Some(format!(
        "makespan {end} cycles ({time} us), until the last vector has come; no plan takes less than {lower_bound}: {ratio} times that{replaced}"
    ))
}

/// The reason why channels have no loads; `None` if they have loads.
pub(super) fn no_loads(compiled: &CompiledFabric) -> Option<&'static str> {
    match compiled.scenarios[0].metrics.routed.is_none() {
        true if super::schedule::exists(compiled) => Some(
            "No tables: every vector has its cycle on every channel. The collectives below say what they take, schedule.json (or schedule.bin) lists what every router sends and receives when.",
        ),
        true => Some("The build stopped before routing."),
        false => None,
    }
}

/// For how many scenarios deadlock freedom is proved.
pub(super) fn proof_line(compiled: &CompiledFabric) -> String {
    if super::schedule::exists(compiled) {
        return "no tables and no arbitration: every vector has its cycle on every channel, and was replayed"
            .to_owned();
    }
    let scenarios = compiled.scenarios.len();
    let proved = compiled.scenarios.iter().filter(|scenario| scenario.has_tables()).count();
    if proved == 0 {
        "not routed".to_owned()
    } else if proved == scenarios && scenarios == 1 {
        "deadlock-free, proved for the nominal tables".to_owned()
    } else if proved == scenarios {
        format!("deadlock-free, proved for nominal and {} fault scenarios", scenarios - 1)
    } else {
        format!("deadlock-free, proved for {proved} of {scenarios} scenarios")
    }
}

/// `demand: all-to-all in groups of 16 (weight 4) and of all chips (weight 1); the busiest chip sends 315 in
/// all`. `None` if the demand is uniform.
pub(super) fn demand_line(fabric: &Fabric) -> Option<String> {
    let router = fabric.plant.router_word();
    let how = match fabric.demand.shape() {
        DemandShape::Uniform => return None,
        DemandShape::Groups(components) => {
            let part = |part: &DemandComponent| match part.group as usize == fabric.node_count() {
                true => format!("of all {router}s (weight {})", part.weight),
                false => format!("of {} (weight {})", part.group, part.weight),
            };
            format!("all-to-all in groups {}", components.iter().map(part).collect::<Vec<_>>().join(" and "))
        }
        DemandShape::Matrix(_) => {
            format!("a matrix with weights up to {}", grouped(fabric.demand.largest().into()))
        }
    };
    Some(format!(
        "demand: {how}; the busiest {router} sends {} in all",
        grouped(fabric.demand.sent_most(None))
    ))
}

/// The gain of the topology over the one synthesized for uniform demand, on this demand.
pub(super) fn gain_line(compiled: &CompiledFabric) -> Option<String> {
    let uniform = compiled.pod.as_ref()?.uniform.as_ref()?;
    let (lower_gain, upper_gain) = uniform.gain(&compiled.scenarios[0].metrics);
    Some(format!(
        "gain over the topology for uniform demand: {} to {} (that one reaches {} to {} on this demand, certified)",
        round_down_sig(lower_gain, 4),
        round_up_sig(upper_gain, 4),
        round_down_sig(uniform.flow_low, DIGITS),
        round_up_sig(uniform.flow_high, DIGITS)
    ))
}
