//! The section `network` of a report: what was counted of the graph.

use super::comparison::{Comparison, Expected, Fields, Measured};
use crate::exact::Exact;
use fabc_ir::{Bisection, Clusters, FailureCurve, FloorMetrics, NetworkMetrics, PathCounts, PathsAt};
use fabc_model::{Fabric, Family, Floor, FreeGraph, PlacementChoice};
use serde_json::Value;

impl Comparison {
    /// Compares the section; a pod has none.
    pub(super) fn network(&mut self, claimed: Option<&Value>, measured_all: &Measured<'_>) {
        let Some(network) = measured_all.network else { return };
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ("network", claimed, "an object");
        };
        let measured = [
            "routers",
            "hosts",
            "links",
            "bisection",
            "shortest_paths",
            "edge_connectivity",
            "failures",
            "floor",
        ];
        // The designs of the family follow from the spec alone, from which `verify` writes them again.
        let known: Vec<&str> = measured.into_iter().chain(["design_space", "trade_off"]).collect();
        self.known_keys("network", object, &known);
        for (key, count) in [("routers", network.routers), ("hosts", network.hosts), ("links", network.links)]
        {
            self.expect(&format!("network.{key}"), object.get(key), Expected::Integer(count));
        }
        match &network.bisection {
            Some(bisection) => self.bisection(object.get("bisection"), network, bisection),
            None => self.expect_or_nothing("network.bisection", object.get("bisection"), None),
        }
        match &network.paths {
            Some(paths) => self.paths(object.get("shortest_paths"), paths),
            None => self.expect_or_nothing("network.shortest_paths", object.get("shortest_paths"), None),
        }
        let connectivity = network.edge_connectivity.map(Expected::Integer);
        self.expect_or_nothing("network.edge_connectivity", object.get("edge_connectivity"), connectivity);
        match &network.failures {
            Some(failures) => self.failures(object.get("failures"), network, failures),
            None => self.expect_or_nothing("network.failures", object.get("failures"), None),
        }
        self.floor_section("network.floor", object.get("floor"), measured_all);
        self.trade_off(object.get("trade_off"), measured_all);
    }

    /// Of the curve of weights, the point that is this network. The others are of networks that are not here,
    /// but of as many channels: what a pair sends takes as many of them as it is apart.
    fn trade_off(&mut self, claimed: Option<&Value>, measured: &Measured<'_>) {
        let place = "network.trade_off";
        let weighed = match measured.fabric.family() {
            Some(Family::Synthesized(FreeGraph { cable: Some(own), .. })) => *own,
            _ => return self.expect_or_nothing(place, claimed, None),
        };
        let lines = claimed.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let weight = |line: &Value| line.get("weight").and_then(Value::as_u64);
        if lines.windows(2).any(|pair| weight(&pair[0]) >= weight(&pair[1])) {
            self.differ(place, claimed, "a line per weight, by rising weight");
        }
        let Some(own) = lines.iter().find(|line| weight(line) == Some(weighed.into())) else {
            return self.differ(place, claimed, format!("a line of the weight {weighed}"));
        };
        let number = |line: &Value, key: &str| line.get(key).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        let links = measured.topology.links();
        let capacity: u64 = links
            .ids()
            .map(|link| measured.topology.capacity(link) * if links[link].simplex { 1 } else { 2 })
            .sum();
        // Printed numbers have nine digits.
        let room = 1.0 + 1e-8;
        for line in lines {
            let (flow, distances) = (number(line, "concurrent_flow"), number(line, "distances"));
            if measured.fabric.demand.is_uniform() && flow * distances > capacity as f64 * room {
                self.differ(place, Some(line), "no more flow than the channels carry over these distances");
            }
        }
        if number(own, "concurrent_flow")
            > measured.scenarios[0].high.map_or(f64::INFINITY, Exact::about) * room
        {
            self.differ(
                &format!("{place}.concurrent_flow"),
                own.get("concurrent_flow"),
                "at most what the certificate proves",
            );
        }
        let pairs = &measured.scenarios[0].counts.pairs_at;
        let distances = (0u64..).zip(pairs).map(|(hops, pairs)| hops * pairs).sum();
        self.expect(&format!("{place}.distances"), own.get("distances"), Expected::Integer(distances));
        if let (Some(of), Some(Floor { placement: PlacementChoice::InOrder, .. })) =
            (measured.cables, &measured.fabric.floor)
        {
            self.expect(&format!("{place}.cable"), own.get("cable"), Expected::Integer(of.lengths[0]));
        }
    }

    /// Compares what the cables on a floor come to; without a floor that is nothing.
    pub(super) fn floor_section(&mut self, place: &str, claimed: Option<&Value>, measured: &Measured<'_>) {
        match (measured.cables, &measured.fabric.floor) {
            (Some(of), Some(floor)) => self.floor(place, claimed, (of, floor), measured.fabric),
            _ => self.expect_or_nothing(place, claimed, None),
        }
    }

    fn floor(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        (of, floor): (&FloorMetrics, &Floor),
        fabric: &Fabric,
    ) {
        let tenths =
            |length: u64, over: u64| Exact::new(length.into(), 10 * u128::from(over)).map(Expected::Ratio);
        let fields: Fields = vec![
            ("cabinets", Some(Expected::Integer(floor.cabinets.into()))),
            ("rows", Some(Expected::Integer(floor.grid[0].into()))),
            ("columns", Some(Expected::Integer(floor.grid[1].into()))),
            ("cables", Some(Expected::Integer(of.cables))),
            ("between", Some(Expected::Integer(of.between))),
            ("cable_length", tenths(of.lengths[0], 1)),
            ("average_cable", tenths(of.lengths[0], of.cables)),
            ("longest_cable", tenths(of.longest.into(), 1)),
            ("cost", Exact::new(of.cost, 10_000).map(Expected::Ratio)),
            ("power", Exact::new(of.power_mw.into(), 1000).map(Expected::Ratio)),
            ("average_between", tenths(of.lengths[1], of.between)),
            ("bundles", Some(Expected::Integer(of.bundles))),
            ("bundled", Some(Expected::Integer(of.bundled[0]))),
            ("widest_bundle", Some(Expected::Integer(of.bundled[1]))),
        ];
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ(place, claimed, "an object");
        };
        let known: Vec<&str> = fields.iter().map(|(key, _)| *key).chain(["by_link", "clusters"]).collect();
        self.known_keys(place, object, &known);
        self.fields(place, object, &fields);
        match of.clusters {
            None => self.expect_or_nothing(&format!("{place}.clusters"), object.get("clusters"), None),
            Some(Clusters { count, inside, to_quadrics, between }) => {
                let counts = [
                    ("count", count),
                    ("inside", inside),
                    ("to_quadrics", to_quadrics),
                    ("between", between),
                ];
                let fields: Fields = counts.map(|(key, count)| (key, Some(Expected::Integer(count)))).into();
                self.object(&format!("{place}.clusters"), object.get("clusters"), &fields);
            }
        }
        let lines =
            object.get("by_link").and_then(Value::as_array).filter(|lines| lines.len() == of.by_type.len());
        let Some(lines) = lines else {
            return self.differ(&format!("{place}.by_link"), object.get("by_link"), "a line per link in use");
        };
        for (k, (line, &(link, cables, length))) in lines.iter().zip(&of.by_type).enumerate() {
            let fields: Fields = vec![
                ("link", Some(Expected::Exactly(fabric.link_types[link].name.as_str().into()))),
                ("cables", Some(Expected::Integer(cables))),
                ("length", tenths(length, 1)),
            ];
            self.object(&format!("{place}.by_link[{k}]"), Some(line), &fields);
        }
    }

    fn paths(&mut self, claimed: Option<&Value>, of: &PathCounts) {
        let place = "network.shortest_paths";
        let layers = || of.at.iter().filter(|at| at.pairs > 0);
        let sum = |count: fn(&PathsAt) -> u128| layers().map(count).sum::<u128>();
        let pairs = sum(|at| at.pairs.into());
        let fields: Fields = vec![
            ("mean", Exact::new(sum(|at| at.paths), pairs).map(Expected::Ratio)),
            ("single_share", Exact::new(sum(|at| at.single.into()), pairs).map(Expected::Ratio)),
        ];
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ(place, claimed, "an object");
        };
        self.known_keys(place, object, &["mean", "single_share", "by_distance"]);
        self.fields(place, object, &fields);
        let lines = object
            .get("by_distance")
            .and_then(Value::as_array)
            .filter(|lines| lines.len() == layers().count());
        let Some(lines) = lines else {
            return self.differ(
                &format!("{place}.by_distance"),
                object.get("by_distance"),
                "a line per distance",
            );
        };
        let layers = (1..).zip(&of.at).filter(|(_, at)| at.pairs > 0);
        for (k, (line, (distance, at))) in lines.iter().zip(layers).enumerate() {
            let fields: Fields = vec![
                ("distance", Some(Expected::Integer(distance))),
                ("pairs", Some(Expected::Integer(at.pairs))),
                ("single", Some(Expected::Integer(at.single))),
                ("mean", Exact::new(at.paths, at.pairs.into()).map(Expected::Ratio)),
                ("fewest", Some(Expected::Integer(at.fewest))),
                ("most", Some(Expected::Integer(at.most))),
            ];
            self.object(&format!("{place}.by_distance[{k}]"), Some(line), &fields);
        }
    }

    fn failures(&mut self, claimed: Option<&Value>, network: &NetworkMetrics, of: &FailureCurve) {
        let place = "network.failures";
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ(place, claimed, "an object");
        };
        self.known_keys(place, object, &["disconnect_share", "parts_at", "curve"]);
        let mut runs = of.parts_at.clone();
        runs.sort_unstable();
        let share = |links: Option<&u64>| {
            links.and_then(|&links| Exact::new(links.into(), network.links.into())).map(Expected::Ratio)
        };
        let median = runs.get(runs.len().saturating_sub(1) / 2);
        let fields: Fields =
            vec![("least", share(runs.first())), ("median", share(median)), ("most", share(runs.last()))];
        self.object(&format!("{place}.disconnect_share"), object.get("disconnect_share"), &fields);
        self.expect(
            &format!("{place}.parts_at"),
            object.get("parts_at"),
            Expected::Exactly(of.parts_at.clone().into()),
        );
        let Some(curve) = &of.curve else {
            return self.expect_or_nothing(&format!("{place}.curve"), object.get("curve"), None);
        };
        let lines = object.get("curve").and_then(Value::as_array).filter(|lines| lines.len() == curve.len());
        let Some(lines) = lines else {
            return self.differ(
                &format!("{place}.curve"),
                object.get("curve"),
                format!("{} points", curve.len()),
            );
        };
        for (k, (line, point)) in lines.iter().zip(curve).enumerate() {
            let hops = point
                .reach
                .and_then(|reach| Exact::new(reach.hops.into(), reach.pairs.into()))
                .map(Expected::Ratio);
            let fields: Fields = vec![
                ("percent", Some(Expected::Integer(point.percent.into()))),
                ("links", Some(Expected::Integer(point.links))),
                ("diameter", point.reach.map(|reach| Expected::Integer(reach.diameter.into()))),
                ("average_hops", hops),
            ];
            self.object(&format!("{place}.curve[{k}]"), Some(line), &fields);
        }
    }

    fn bisection(&mut self, claimed: Option<&Value>, network: &NetworkMetrics, of: &Bisection) {
        let place = "network.bisection";
        let share = |links: u64, all: u64| Exact::new(links.into(), all.into()).map(Expected::Ratio);
        let flow = Exact::new(of.capacity.into(), of.demand.into()).map(Expected::Upper);
        let fields: Fields = vec![
            ("at_least", Some(Expected::Integer(of.least()))),
            ("at_most", Some(Expected::Integer(of.most))),
            ("at_least_share", share(of.least(), network.links)),
            ("at_most_share", share(of.most, network.links)),
            ("at_endpoints", Some(Expected::Integer(of.at_endpoints))),
            ("at_endpoints_share", share(of.at_endpoints, network.endpoint_links)),
            ("flow", flow),
        ];
        self.object(place, claimed, &fields);
    }
}
