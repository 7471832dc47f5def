//! Compares the section `network` of a report, which has counts of the graph.

use super::comparison::{ExpectedValue, Fields, Recomputed, ReportComparison, expected_metric};
use crate::exact::Exact;
use crate::healthy_values::{gigabytes, hardware_value, least_links};
use fabc_ir::{
    Bisection, ClusterPairs, FailureCurve, FloorMetrics, Hardware, HostBisection, NetworkMetrics, PathCounts,
    PathsAt,
};
use fabc_model::{Fabric, Family, Floor, FreeGraph, HardwareMetric, Metric, PlacementChoice};
use serde_json::Value;

/// The switches, cables and prices as a report lists them.
pub(super) fn hardware_fields(hardware: &Hardware) -> Fields {
    let expected = |metric: HardwareMetric| {
        let value = hardware_value(hardware, metric)?;
        Some(expected_metric(Metric::Hardware(metric), value))
    };
    let host_cables = Some(ExpectedValue::Integer(hardware.host_cables));
    std::iter::once(("host_cables", host_cables))
        .chain(HardwareMetric::ALL.map(|metric| (metric.name(), expected(metric))))
        .collect()
}

impl ReportComparison {
    /// Compares the section. A pod has none.
    pub(super) fn compare_network(&mut self, claimed: Option<&Value>, measured_all: &Recomputed<'_>) {
        let Some(network) = measured_all.healthy.network else { return };
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference("network", claimed, "an object");
        };
        let measured = [
            "routers",
            "hosts",
            "links",
            "bisection",
            "host_bisection",
            "shortest_paths",
            "edge_connectivity",
            "hardware",
            "failures",
            "floor",
        ];
        // The design space follows from the spec alone. `verify` writes it again from there.
        let known: Vec<&str> = measured.into_iter().chain(["design_space", "trade_off"]).collect();
        self.expect_known_keys("network", object, &known);
        for (key, count) in [("routers", network.routers), ("hosts", network.hosts), ("links", network.links)]
        {
            self.expect(&format!("network.{key}"), object.get(key), ExpectedValue::Integer(count));
        }
        match &network.bisection {
            Some(bisection) => self.compare_bisection(object.get("bisection"), network, bisection),
            None => self.expect_or_nothing("network.bisection", object.get("bisection"), None),
        }
        match &network.host_bisection {
            Some(bisection) => self.compare_host_bisection(object.get("host_bisection"), bisection),
            None => self.expect_or_nothing("network.host_bisection", object.get("host_bisection"), None),
        }
        match &network.paths {
            Some(paths) => self.compare_paths(object.get("shortest_paths"), paths),
            None => self.expect_or_nothing("network.shortest_paths", object.get("shortest_paths"), None),
        }
        let connectivity = network.edge_connectivity.map(ExpectedValue::Integer);
        self.expect_or_nothing("network.edge_connectivity", object.get("edge_connectivity"), connectivity);
        self.expect_object(
            "network.hardware",
            object.get("hardware"),
            &hardware_fields(measured_all.healthy.hardware),
        );
        match &network.failures {
            Some(failures) => self.compare_failures(object.get("failures"), network, failures),
            None => self.expect_or_nothing("network.failures", object.get("failures"), None),
        }
        self.compare_floor_section("network.floor", object.get("floor"), measured_all);
        self.compare_trade_off(object.get("trade_off"), measured_all);
    }

    /// Compares the point of the trade-off curve that is this network. The other points are networks that
    /// the directory does not hold. They have the same channels, and a pair occupies as many channels as its
    /// distance.
    fn compare_trade_off(&mut self, claimed: Option<&Value>, measured: &Recomputed<'_>) {
        let place = "network.trade_off";
        let weighed = match measured.fabric.family() {
            Some(Family::Synthesized(FreeGraph { cable: Some(own_weight), .. })) => *own_weight,
            _ => return self.expect_or_nothing(place, claimed, None),
        };
        let lines = claimed.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let weight = |line: &Value| line.get("weight").and_then(Value::as_u64);
        if lines.windows(2).any(|pair| weight(&pair[0]) >= weight(&pair[1])) {
            self.push_difference(place, claimed, "a line per weight, by rising weight");
        }
        let Some(measured_line) = lines.iter().find(|line| weight(line) == Some(weighed.into())) else {
            return self.push_difference(place, claimed, format!("a line of the weight {weighed}"));
        };
        let number = |line: &Value, key: &str| line.get(key).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        let links = measured.topology.links();
        let capacity: u64 = links
            .ids()
            .map(|link| measured.topology.capacity(link) * if links[link].simplex { 1 } else { 2 })
            .sum();
        // Tolerance: printed numbers have nine digits.
        let room = 1.0 + 1e-8;
        for line in lines {
            let (flow, distances) = (number(line, "concurrent_flow"), number(line, "distances"));
            if measured.fabric.demand.is_uniform() && flow * distances > capacity as f64 * room {
                self.push_difference(
                    place,
                    Some(line),
                    "no more flow than the channels carry over these distances",
                );
            }
        }
        if number(measured_line, "concurrent_flow")
            > measured.scenarios[0].high.map_or(f64::INFINITY, Exact::to_f64) * room
        {
            self.push_difference(
                &format!("{place}.concurrent_flow"),
                measured_line.get("concurrent_flow"),
                "at most what the certificate proves",
            );
        }
        let pairs = &measured.scenarios[0].counts.pairs_at;
        let distances = (0u64..).zip(pairs).map(|(hops, pairs)| hops * pairs).sum();
        self.expect(
            &format!("{place}.distances"),
            measured_line.get("distances"),
            ExpectedValue::Integer(distances),
        );
        if let (Some(cables), Some(Floor { placement: PlacementChoice::InOrder, .. })) =
            (measured.healthy.cables, &measured.fabric.floor)
        {
            self.expect(
                &format!("{place}.cable"),
                measured_line.get("cable"),
                ExpectedValue::Integer(cables.lengths[0]),
            );
        }
    }

    /// Compares the totals of the cables on a floor. Without a floor there must be none.
    pub(super) fn compare_floor_section(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        measured: &Recomputed<'_>,
    ) {
        match (measured.healthy.cables, &measured.fabric.floor) {
            (Some(cables), Some(floor)) => self.compare_floor(place, claimed, cables, floor, measured.fabric),
            _ => self.expect_or_nothing(place, claimed, None),
        }
    }

    fn compare_floor(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        metrics: &FloorMetrics,
        floor: &Floor,
        fabric: &Fabric,
    ) {
        let tenths = |length: u64, divisor: u64| {
            Exact::new(length.into(), 10 * u128::from(divisor)).map(ExpectedValue::Ratio)
        };
        let fields: Fields = vec![
            ("cabinets", Some(ExpectedValue::Integer(floor.cabinets.into()))),
            ("rows", Some(ExpectedValue::Integer(floor.grid[0].into()))),
            ("columns", Some(ExpectedValue::Integer(floor.grid[1].into()))),
            ("cables", Some(ExpectedValue::Integer(metrics.cables))),
            ("between", Some(ExpectedValue::Integer(metrics.between))),
            ("cable_length", tenths(metrics.lengths[0], 1)),
            ("average_cable", tenths(metrics.lengths[0], metrics.cables)),
            ("longest_cable", tenths(metrics.longest.into(), 1)),
            ("cost", Exact::new(metrics.cost, 10_000).map(ExpectedValue::Ratio)),
            ("power", Exact::new(metrics.power_mw.into(), 1000).map(ExpectedValue::Ratio)),
            ("average_between", tenths(metrics.lengths[1], metrics.between)),
            ("bundles", Some(ExpectedValue::Integer(metrics.bundles))),
            ("bundled", Some(ExpectedValue::Integer(metrics.bundled[0]))),
            ("widest_bundle", Some(ExpectedValue::Integer(metrics.bundled[1]))),
        ];
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference(place, claimed, "an object");
        };
        let known: Vec<&str> = fields.iter().map(|(key, _)| *key).chain(["by_link", "clusters"]).collect();
        self.expect_known_keys(place, object, &known);
        self.expect_fields(place, object, &fields);
        match metrics.clusters {
            None => self.expect_or_nothing(&format!("{place}.clusters"), object.get("clusters"), None),
            Some(ClusterPairs { count, inside, to_quadrics, between }) => {
                let counts = [
                    ("count", count),
                    ("inside", inside),
                    ("to_quadrics", to_quadrics),
                    ("between", between),
                ];
                let fields: Fields =
                    counts.map(|(key, count)| (key, Some(ExpectedValue::Integer(count)))).into();
                self.expect_object(&format!("{place}.clusters"), object.get("clusters"), &fields);
            }
        }
        let lines = object
            .get("by_link")
            .and_then(Value::as_array)
            .filter(|lines| lines.len() == metrics.by_type.len());
        let Some(lines) = lines else {
            return self.push_difference(
                &format!("{place}.by_link"),
                object.get("by_link"),
                "a line per link in use",
            );
        };
        for (k, (line, &(link, cables, length))) in lines.iter().zip(&metrics.by_type).enumerate() {
            let fields: Fields = vec![
                ("link", Some(ExpectedValue::Exactly(fabric.link_types[link].name.as_str().into()))),
                ("cables", Some(ExpectedValue::Integer(cables))),
                ("length", tenths(length, 1)),
            ];
            self.expect_object(&format!("{place}.by_link[{k}]"), Some(line), &fields);
        }
    }

    fn compare_paths(&mut self, claimed: Option<&Value>, counts: &PathCounts) {
        let place = "network.shortest_paths";
        let layers = || counts.by_distance.iter().filter(|layer| layer.pairs > 0);
        let sum = |count: fn(&PathsAt) -> u128| layers().map(count).sum::<u128>();
        let pairs = sum(|layer| layer.pairs.into());
        let fields: Fields = vec![
            ("mean", Exact::new(sum(|layer| layer.paths), pairs).map(ExpectedValue::Ratio)),
            ("single_share", Exact::new(sum(|layer| layer.single.into()), pairs).map(ExpectedValue::Ratio)),
        ];
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference(place, claimed, "an object");
        };
        self.expect_known_keys(place, object, &["mean", "single_share", "by_distance"]);
        self.expect_fields(place, object, &fields);
        let lines = object
            .get("by_distance")
            .and_then(Value::as_array)
            .filter(|lines| lines.len() == layers().count());
        let Some(lines) = lines else {
            return self.push_difference(
                &format!("{place}.by_distance"),
                object.get("by_distance"),
                "a line per distance",
            );
        };
        let layers = (1..).zip(&counts.by_distance).filter(|(_, layer)| layer.pairs > 0);
        for (k, (line, (distance, layer))) in lines.iter().zip(layers).enumerate() {
            let fields: Fields = vec![
                ("distance", Some(ExpectedValue::Integer(distance))),
                ("pairs", Some(ExpectedValue::Integer(layer.pairs))),
                ("single", Some(ExpectedValue::Integer(layer.single))),
                ("mean", Exact::new(layer.paths, layer.pairs.into()).map(ExpectedValue::Ratio)),
                ("fewest", Some(ExpectedValue::Integer(layer.fewest))),
                ("most", Some(ExpectedValue::Integer(layer.most))),
            ];
            self.expect_object(&format!("{place}.by_distance[{k}]"), Some(line), &fields);
        }
    }

    fn compare_failures(
        &mut self,
        claimed: Option<&Value>,
        network: &NetworkMetrics,
        measured: &FailureCurve,
    ) {
        let place = "network.failures";
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference(place, claimed, "an object");
        };
        self.expect_known_keys(place, object, &["disconnect_share", "parts_at", "curve"]);
        let mut runs = measured.parts_at.clone();
        runs.sort_unstable();
        let share = |links: Option<&u64>| {
            links.and_then(|&links| Exact::new(links.into(), network.links.into())).map(ExpectedValue::Ratio)
        };
        let median = runs.get(runs.len().saturating_sub(1) / 2);
        let fields: Fields =
            vec![("least", share(runs.first())), ("median", share(median)), ("most", share(runs.last()))];
        self.expect_object(&format!("{place}.disconnect_share"), object.get("disconnect_share"), &fields);
        self.expect(
            &format!("{place}.parts_at"),
            object.get("parts_at"),
            ExpectedValue::Exactly(measured.parts_at.clone().into()),
        );
        let Some(curve) = &measured.curve else {
            return self.expect_or_nothing(&format!("{place}.curve"), object.get("curve"), None);
        };
        let lines = object.get("curve").and_then(Value::as_array).filter(|lines| lines.len() == curve.len());
        let Some(lines) = lines else {
            return self.push_difference(
                &format!("{place}.curve"),
                object.get("curve"),
                format!("{} points", curve.len()),
            );
        };
        for (k, (line, point)) in lines.iter().zip(curve).enumerate() {
            let hops = point
                .reach
                .and_then(|reach| Exact::new(reach.hops.into(), reach.pairs.into()))
                .map(ExpectedValue::Ratio);
            let fields: Fields = vec![
                ("percent", Some(ExpectedValue::Integer(point.percent.into()))),
                ("links", Some(ExpectedValue::Integer(point.links))),
                ("diameter", point.reach.map(|reach| ExpectedValue::Integer(reach.diameter.into()))),
                ("average_hops", hops),
            ];
            self.expect_object(&format!("{place}.curve[{k}]"), Some(line), &fields);
        }
    }

    fn compare_host_bisection(&mut self, claimed: Option<&Value>, measured: &HostBisection) {
        let bandwidth = |capacity: u64| gigabytes(capacity, measured.unit_bps);
        let fields: Fields = vec![
            ("at_least", Some(ExpectedValue::Integer(least_links(measured)))),
            ("at_most", Some(ExpectedValue::Integer(measured.links))),
            ("bandwidth", bandwidth(measured.at_least()).map(ExpectedValue::Lower)),
            ("bandwidth_at_most", bandwidth(measured.at_most).map(ExpectedValue::Upper)),
        ];
        self.expect_object("network.host_bisection", claimed, &fields);
    }

    fn compare_bisection(&mut self, claimed: Option<&Value>, network: &NetworkMetrics, measured: &Bisection) {
        let place = "network.bisection";
        let share = |links: u64, total: u64| Exact::new(links.into(), total.into()).map(ExpectedValue::Ratio);
        let flow = Exact::new(measured.capacity.into(), measured.demand.into()).map(ExpectedValue::Upper);
        let fields: Fields = vec![
            ("at_least", Some(ExpectedValue::Integer(measured.at_least()))),
            ("at_most", Some(ExpectedValue::Integer(measured.at_most))),
            ("at_least_share", share(measured.at_least(), network.links)),
            ("at_most_share", share(measured.at_most, network.links)),
            ("at_endpoints", Some(ExpectedValue::Integer(measured.at_endpoints))),
            ("at_endpoints_share", share(measured.at_endpoints, network.endpoint_links)),
            ("flow", flow),
        ];
        self.expect_object(place, claimed, &fields);
    }
}
