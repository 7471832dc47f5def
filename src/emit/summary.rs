//! What the reports for people say, before it is laid out: both `report.txt` and `report.html` read it.

use super::number::{grouped, ratio, round_down_sig, round_up_sig};
use crate::compiled::Compiled;
use crate::ir::{LinkKind, ScenarioMetrics};
use crate::model::{CoupleRule, Duplex, Metric, Pod, RoutingChoice, SymmetryChoice, TopologyChoice};

/// Significant digits of flows in reports for people; `report.json` has all of them.
const DIGITS: usize = 6;

/// One metric beside its bound.
pub(super) struct MetricRow {
    pub(super) name: &'static str,
    /// The value, with `>=` where it is a certified lower end; empty before routing.
    pub(super) value: String,
    /// The best value that can be had, with `<=` or `>=`; empty where none is known.
    pub(super) bound: String,
    /// Value over bound.
    pub(super) ratio: Option<f64>,
    /// Unit, or what the bound is.
    pub(super) note: &'static str,
}

/// All metrics of one scenario, in report order.
pub(super) fn metric_rows(of: &ScenarioMetrics, vcs: u8) -> Vec<MetricRow> {
    Metric::ALL
        .into_iter()
        .map(|metric| {
            let value = of.value(metric);
            let flow_bound = |factor: f64| (format!("<= {}", round_up_sig(of.flow_high * factor, DIGITS)), Some(of.flow_high * factor));
            let rate = (of.nodes - 1) as f64;
            let none = || (String::new(), None);
            let ((bound, best), note) = match metric {
                Metric::Diameter => (none(), "hops"),
                Metric::AverageHops => (none(), "hops"),
                Metric::ConcurrentFlow => (flow_bound(1.0), "certified interval"),
                Metric::Injection => (flow_bound(rate), "flits/cycle/node"),
                Metric::Bandwidth => (flow_bound(rate * of.channel_bandwidth), "GB/s per chip"),
                Metric::MaxChannelLoad => {
                    ((format!(">= {}", grouped(of.load_bound())), Some(of.load_bound() as f64)), "routes; no single-path routing has less")
                }
                Metric::LoadRatio => ((">= 1".to_owned(), None), "max channel load * upper end of the flow"),
                Metric::HopsRatio => ((">= 1".to_owned(), None), "route hops / hop distance"),
                Metric::VcBalance => ((format!(">= {}", ratio4(1.0 / f64::from(vcs))), None), "largest share of hops on one VC"),
                Metric::DisjointTrees => (none(), "OCS-disjoint spanning trees"),
            };
            let ratio = best.zip(value).map(|(best, value)| value / best).filter(|ratio| ratio.is_finite());
            MetricRow { name: metric.name(), value: value.map_or(String::new(), |value| readable(metric, value)), bound, ratio, note }
        })
        .collect()
}

/// A metric's value for people: flows rounded down to 6 significant digits, ratios to 4 decimals.
pub(super) fn readable(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Diameter | Metric::MaxChannelLoad | Metric::DisjointTrees => grouped(value as u64),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => round_down_sig(value, DIGITS),
        Metric::AverageHops | Metric::LoadRatio | Metric::HopsRatio | Metric::VcBalance => ratio4(value),
    }
}

/// A ratio with 4 decimals, or `-`.
pub(super) fn ratio4(value: f64) -> String {
    if value.is_finite() { format!("{value:.4}") } else { "-".to_owned() }
}

/// A share as `98.4 %`, never rounded up to a whole.
pub(super) fn percent(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    // 6 decimals first: a share that is whole up to the last bits is whole.
    let parts: f64 = ratio(value).parse().unwrap_or(value);
    format!("{:.1} %", (parts * 1000.0).floor() / 10.0)
}

/// `4 cubes of 4 x 4 x 4 = 256 chips`.
pub(super) fn cubes_line(pod: &Pod) -> String {
    let [x, y, z] = pod.cube.dims;
    let cubes = if pod.cubes == 1 { "1 cube".to_owned() } else { format!("{} cubes", grouped(u64::from(pod.cubes))) };
    format!("{cubes} of {x} x {y} x {z} = {} chips", grouped(pod.node_count() as u64))
}

/// `48 OCSes (X 16, Y 16, Z 16), 4 of 136 ports used on each`.
pub(super) fn switches_line(pod: &Pod) -> String {
    let counts = pod.ocs_groups.ids().map(|group| pod.ocses.iter().filter(|ocs| ocs.group == group).count());
    let groups: Vec<String> = pod.ocs_groups.iter().zip(counts).map(|(group, count)| format!("{} {count}", group.name)).collect();
    let used = pod.ocses.iter().map(|ocs| match (ocs.duplex, ocs.rule) {
        (Duplex::Pair, _) | (_, CoupleRule::Any) => ocs.a.len() + ocs.b.len(),
        (Duplex::Circulator, CoupleRule::Sided) => ocs.a.len().max(ocs.b.len()),
    });
    let range = |values: &mut dyn Iterator<Item = u64>| {
        let all: Vec<u64> = values.collect();
        match (all.iter().min(), all.iter().max()) {
            (Some(low), Some(high)) if low < high => format!("{} to {}", grouped(*low), grouped(*high)),
            (Some(low), _) => grouped(*low),
            _ => "0".to_owned(),
        }
    };
    let (used, ports) = (range(&mut used.map(|used| used as u64)), range(&mut pod.ocses.iter().map(|ocs| u64::from(ocs.ports))));
    match pod.ocses.len() {
        0 => "no OCS".to_owned(),
        1 => format!("1 OCS ({}), {used} of {ports} ports used", groups.join(", ")),
        count => format!("{} OCSes ({}), {used} of {ports} ports used on each", grouped(count as u64), groups.join(", ")),
    }
}

/// `768 links: 576 copper, 192 fiber, 128 GB/s per direction`.
pub(super) fn links_line(compiled: &Compiled) -> String {
    let links = compiled.topology.links();
    let fiber = links.iter().filter(|link| link.kind == LinkKind::Fiber).count();
    format!(
        "{} links: {} copper, {} fiber, {} GB/s per direction",
        grouped(links.len() as u64),
        grouped((links.len() - fiber) as u64),
        grouped(fiber as u64),
        round_down_sig(compiled.pod.channel_bandwidth_gbs(), DIGITS),
    )
}

/// `synthesized (symmetry auto, effort 1, seed 1), 4 cubes interchangeable, allowed_turns routing, 2 of 4 VCs, 1 dark OCS tolerated`.
pub(super) fn choices_line(compiled: &Compiled) -> String {
    let pod = &compiled.pod;
    let dims = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let topology = match &pod.topology {
        TopologyChoice::Torus(size) => format!("torus {}", dims(*size)),
        TopologyChoice::TwistedTorus(size) => format!("twisted torus {}", dims(*size)),
        TopologyChoice::Synthesize(how) => {
            let symmetry = match how.symmetry {
                SymmetryChoice::Translation => "translation",
                SymmetryChoice::None => "none",
                SymmetryChoice::Auto => "auto",
            };
            format!("synthesized (symmetry {symmetry}, effort {}, seed {})", how.effort, how.seed)
        }
        TopologyChoice::CrossConnects { path, .. } => format!("cross-connects of {path}"),
    };
    let routing = match pod.routing {
        RoutingChoice::AllowedTurns => "allowed_turns",
        RoutingChoice::DimensionOrder => "dimension_order",
        RoutingChoice::UpDown => "up_down",
    };
    let faults = format!("{} tolerated", pod.budget.faults.worst().unwrap_or("no fault"));
    let kept = match compiled.topology.symmetry().order() {
        1 => "no symmetry kept".to_owned(),
        order if order == pod.cubes as usize => "all cubes interchangeable".to_owned(),
        order => format!("cubes interchangeable in sets of {order}"),
    };
    format!("{topology}, {kept}, {routing} routing, {} of {} VCs, {faults}", pod.budget.vcs, pod.chip.vcs)
}

/// How deadlock freedom stands: of how many scenarios it is proved.
pub(super) fn proof_line(compiled: &Compiled) -> String {
    let all = compiled.scenarios.len();
    let proved = compiled.scenarios.iter().filter(|scenario| scenario.routed.is_some()).count();
    if proved == 0 {
        "not routed".to_owned()
    } else if proved == all && all == 1 {
        "deadlock-free, proved for the nominal tables".to_owned()
    } else if proved == all {
        format!("deadlock-free, proved for nominal and {} fault scenarios", all - 1)
    } else {
        format!("deadlock-free, proved for {proved} of {all} scenarios")
    }
}
