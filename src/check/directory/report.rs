//! Whether every number of `report.json` comes out again.

use super::collectives::ProvedSchedule;
use super::comparison::{Comparison, Expected, Fields, Measured, decimal, integer, load, scenario_bounds};
use super::files::{Files, REPORT};
use super::stated::Stated;
use crate::CheckError;
use crate::exact::Exact;
use crate::measures::{Measures, compared, worst_of};
use crate::require::{RequireError, admits};
use fabc_ir::UniversalLimit;
use fabc_model::{CollectiveMetric, FloorMetric, Metric, Reference, Scale, TopologyChoice};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// The sections of every report.
const KEYS: [&str; 12] = [
    "format",
    "fabric",
    "nodes",
    "metrics",
    "bounds",
    "gain",
    "histograms",
    "tables",
    "scenarios",
    "worst",
    "requires",
    "passes",
];

/// What has become of the contract.
pub(super) struct Contract {
    /// The requires that do not hold.
    pub(super) broken: Vec<CheckError>,
    /// The word for it in a manifest.
    pub(super) word: &'static str,
}

/// Compares the whole report, and returns what only the report says, and what has become of the contract.
/// Every difference is one conviction; a `require` that is honestly reported broken is none.
pub(super) fn report(
    files: &Files,
    measured: &Measured<'_>,
    collectives: &[Vec<ProvedSchedule>],
) -> Result<(Stated, Contract), Vec<CheckError>> {
    let mut comparison = Comparison { errors: Vec::new(), broken: Vec::new(), open: false };
    let root: Value = match super::read::json(files, REPORT) {
        Ok(value) => value,
        Err(error) => return Err(vec![error]),
    };
    let Some(root) = root.as_object() else {
        let what = "expected an object at line 1 column 1".to_owned();
        return Err(vec![CheckError::Unreadable { file: REPORT.to_owned(), what }]);
    };
    let (fabric, nominal) = (measured.fabric, &measured.scenarios[0]);
    let of_plant: &[(&str, u64)] = &match fabric.pod() {
        Some(pod) => vec![("cubes", u64::from(pod.cubes))],
        None => {
            vec![("endpoints", nominal.counts.endpoints), ("links", measured.topology.links().len() as u64)]
        }
    };
    let planned = (!fabric.collectives.is_empty()).then_some("collectives");
    let makespan = super::collectives::makespan(None, fabric, collectives);
    let laid = measured.cables.filter(|_| measured.network.is_none()).map(|_| "floor");
    let section = measured
        .network
        .map(|_| "network")
        .into_iter()
        .chain(laid)
        .chain(planned)
        .chain(makespan.map(|_| "makespan"));
    let known: Vec<&str> =
        KEYS.into_iter().chain(of_plant.iter().map(|(key, _)| *key)).chain(section).collect();
    comparison.known_keys("", root, &known);
    comparison.expect("format", root.get("format"), Expected::Exactly("fabc.report/1".into()));
    comparison.expect("fabric", root.get("fabric"), Expected::Exactly(fabric.name.as_str().into()));
    comparison.expect("nodes", root.get("nodes"), Expected::Integer(fabric.node_count() as u64));
    for (key, value) in of_plant {
        comparison.expect(key, root.get(*key), Expected::Integer(*value));
    }
    comparison.object("metrics", root.get("metrics"), &metrics(nominal));
    comparison.interval(
        "metrics",
        root.get("metrics").and_then(|metrics| metrics.get("concurrent_flow")),
        nominal,
    );
    let (tree_bounds, limit) = super::bounds::compare(&mut comparison, root.get("bounds"), measured);
    comparison.network(root.get("network"), measured);
    if measured.network.is_none() {
        comparison.floor_section("floor", root.get("floor"), measured);
    }
    comparison.gain(root.get("gain"), measured);
    comparison.object("histograms", root.get("histograms"), &histograms(nominal));
    comparison.object("tables", root.get("tables"), &tables(measured));
    comparison.scenarios(root.get("scenarios"), measured.scenarios);
    comparison.worst(root.get("worst"), measured.scenarios);
    if let Some((end, least)) = makespan {
        let fields = [("cycles", end), ("bound_cycles", least)]
            .map(|(key, cycles)| (key, Some(Expected::Integer(cycles))));
        comparison.object("makespan", root.get("makespan"), &fields.into_iter().collect());
    }
    comparison.requires(root.get("requires"), files, (measured, collectives), limit.as_ref());
    match super::stated::stated(files, tree_bounds, limit) {
        Ok(stated) if comparison.errors.is_empty() => {
            let Comparison { broken, open, .. } = comparison;
            let word = match (broken.is_empty(), open) {
                (false, _) => "broken",
                (true, true) => "open",
                (true, false) => "kept",
            };
            Ok((stated, Contract { broken, word }))
        }
        stated => Err(comparison.errors.into_iter().chain(stated.err()).collect()),
    }
}

fn metrics(of: &Measures) -> Fields {
    Metric::ALL
        .into_iter()
        .map(|metric| {
            let expected = match metric {
                Metric::ConcurrentFlow => None,
                _ => of.value(metric).map(|value| expected_metric(metric, value)),
            };
            (metric.name(), expected)
        })
        .collect()
}

fn expected_metric(metric: Metric, value: Exact) -> Expected {
    match metric {
        Metric::Diameter | Metric::DisjointTrees | Metric::Collective(CollectiveMetric::Steps) => {
            integer(value.rounded_up())
        }
        Metric::Graph(metric) if metric.is_count() => integer(value.rounded_up()),
        Metric::Floor(FloorMetric::Bundles) => integer(value.rounded_up()),
        Metric::MaxChannelLoad => load(value),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => Expected::Lower(value),
        Metric::Graph(_)
        | Metric::Floor(_)
        | Metric::Simulated(_)
        | Metric::Collective(_)
        | Metric::AverageHops
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax => Expected::Ratio(value),
    }
}

fn histograms(of: &Measures) -> Fields {
    let walk = of.counts.walk.as_ref();
    let list = |values: &Vec<u64>| Expected::Exactly(values.clone().into());
    let number = |load: Exact| match load.whole().and_then(|load| u64::try_from(load).ok()) {
        Some(load) => Value::from(load),
        // As many digits as are written.
        None => Value::from(format!("{:.6}", load.about()).parse::<f64>().unwrap_or(f64::NAN)),
    };
    let pair = |(load, channels): (Exact, u64)| Value::from(vec![number(load), Value::from(channels)]);
    let loads = of.load_histogram().map(|loads| Expected::Exactly(loads.into_iter().map(pair).collect()));
    vec![
        ("hops", Some(list(&of.counts.pairs_at))),
        ("route_hops", walk.map(|walk| list(&walk.route_hops))),
        ("channel_load", loads),
        ("vc_hops", walk.map(|walk| list(&walk.vc_hops))),
    ]
}

fn tables(measured: &Measured<'_>) -> Fields {
    let nominal = &measured.scenarios[0];
    let walk = nominal.counts.walk.as_ref();
    vec![
        ("entries_max", walk.map(|walk| Expected::Integer(walk.entries_max))),
        ("entries_mean", nominal.mean_entries().map(Expected::Ratio)),
        ("canonical", measured.canonical.map(|canonical| Expected::Exactly(canonical.into()))),
    ]
}

impl Comparison {
    fn interval(&mut self, place: &str, claimed: Option<&Value>, of: &Measures) {
        let place = format!("{place}.concurrent_flow");
        let Some(upper) = of.high else { return self.expect_or_nothing(&place, claimed, None) };
        match claimed.and_then(Value::as_array).map(Vec::as_slice) {
            Some([low, high]) => {
                // Without a flow of its own, a scenario that is not routed has no lower end.
                if of.low.about() > 0.0 || !low.is_null() {
                    self.expect(&format!("{place}[0]"), Some(low), Expected::Lower(of.low));
                }
                self.expect(&format!("{place}[1]"), Some(high), Expected::Upper(upper));
            }
            _ => self.differ(&place, claimed, "an interval of two numbers"),
        }
    }

    /// The other topology is not in the directory, so its interval stands as claimed; the ratio must follow
    /// from it.
    fn gain(&mut self, claimed: Option<&Value>, measured: &Measured<'_>) {
        let synthesized =
            measured.fabric.pod().is_some_and(|pod| matches!(pod.topology, TopologyChoice::Synthesize(_)));
        if measured.fabric.demand.is_uniform() || !synthesized {
            return self.expect_or_nothing("gain", claimed, None);
        }
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ("gain", claimed, "an object");
        };
        self.known_keys("gain", object, &["uniform_topology", "ratio"]);
        let interval = |key: &str| match object.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            Some([low, high]) => {
                Some((low.clone(), high.clone())).filter(|ends| ends.0.is_number() && ends.1.is_number())
            }
            _ => None,
        };
        let (Some((low, high)), Some(ratio)) = (interval("uniform_topology"), interval("ratio")) else {
            return self.differ("gain", claimed, "two intervals of two numbers");
        };
        let ends = [low, high].map(|end| end.as_f64().and_then(decimal));
        let [Some(low), Some(high)] = ends.map(|end| end.filter(|end| end.about() > 0.0)) else {
            return self.differ("gain.uniform_topology", claimed, "a positive interval");
        };
        if low.against(high) == Ordering::Greater {
            return self.differ("gain.uniform_topology", claimed, "a positive interval");
        }
        let nominal = &measured.scenarios[0];
        let (Some(least), Some(most)) = (nominal.low.by(high), nominal.high.and_then(|upper| upper.by(low)))
        else {
            return self.differ("gain.ratio", claimed, "a ratio of at most 128 bits");
        };
        // Its ends were rounded before they were written.
        self.expect("gain.ratio[0]", Some(&ratio.0), Expected::Rate(least));
        self.expect("gain.ratio[1]", Some(&ratio.1), Expected::Rate(most));
    }

    fn scenarios(&mut self, claimed: Option<&Value>, scenarios: &[Measures]) {
        let place = "scenarios";
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.differ(place, claimed, "an object");
        };
        self.known_keys(
            place,
            object,
            &scenarios.iter().map(|scenario| scenario.counts.scenario.as_str()).collect::<Vec<_>>(),
        );
        for (k, of) in scenarios.iter().enumerate() {
            let name = &of.counts.scenario;
            let place = format!("{place}.{name}");
            let Some(line) = object.get(name).and_then(Value::as_object) else {
                if k > 0 {
                    self.differ(&place, object.get(name), "an object");
                }
                continue;
            };
            let means =
                [("mean_channel_load", of.mean_channel_load()), ("mean_route_hops", of.mean_route_hops())];
            let means = means.map(|(key, value)| (key, value.map(Expected::Ratio)));
            let fields: Fields = metrics(of).into_iter().chain(scenario_bounds(of)).chain(means).collect();
            self.known_keys(&place, line, &fields.iter().map(|&(key, _)| key).collect::<Vec<_>>());
            self.fields(&place, line, &fields);
            self.interval(&place, line.get("concurrent_flow"), of);
        }
    }

    fn worst(&mut self, claimed: Option<&Value>, scenarios: &[Measures]) {
        let empty = Map::new();
        let object = match claimed {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(object)) => object,
            other => return self.differ("worst", other, "an object"),
        };
        self.known_keys("worst", object, &Metric::ALL.map(Metric::name));
        for metric in Metric::ALL {
            let place = format!("worst.{}", metric.name());
            let line = object.get(metric.name());
            match worst_of(scenarios, metric) {
                None => self.expect_or_nothing(&place, line, None),
                Some((value, scenario)) => {
                    self.expect(
                        &format!("{place}.value"),
                        line.and_then(|line| line.get("value")),
                        expected_metric(metric, value),
                    );
                    self.expect(
                        &format!("{place}.scenario"),
                        line.and_then(|line| line.get("scenario")),
                        Expected::Exactly(scenario.into()),
                    );
                }
            }
        }
    }

    fn requires(
        &mut self,
        claimed: Option<&Value>,
        files: &Files,
        (measured, collectives): (&Measured<'_>, &[Vec<ProvedSchedule>]),
        limit: Option<&UniversalLimit>,
    ) {
        let universal = limit.and_then(|limit| Exact::new(limit.volume, limit.distance));
        let requires = &measured.fabric.requires;
        let Some(lines) = claimed.and_then(Value::as_array).filter(|lines| lines.len() == requires.len())
        else {
            return self.differ(
                "requires",
                claimed,
                format!("a list of the {} requires of the spec", requires.len()),
            );
        };
        for (k, (line, require)) in lines.iter().zip(requires).enumerate() {
            let place = |key: &str| format!("requires[{k}].{key}");
            let text = require.text();
            self.expect(&place("require"), line.get("require"), Expected::Exactly(text.as_str().into()));
            if require.scale == Scale::ShareOf(Reference::Universal) && universal.is_none() {
                self.differ("bounds.universal", None, format!("the bound that `{text}` speaks of"));
            }
            let simulated = match super::simulations::claimed(files, require, measured.fabric.clock_hz) {
                Ok(simulated) => simulated,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            let wanted = || Exact::decimal(&require.value.to_string());
            let scheduled = super::collectives::measured_value(require, measured.fabric, collectives);
            let found = match (require.simulation(), &simulated) {
                _ if matches!(require.metric, Metric::Collective(_)) => {
                    scheduled.and_then(|(value, scenario)| Some((value, wanted()?, scenario)))
                }
                (None, _) => {
                    compared(require, measured.scenarios, universal, measured.network, measured.cables)
                }
                (Some(_), None) => None,
                (Some(_), Some((value, scenario))) => {
                    wanted().map(|wanted| (*value, wanted, scenario.as_deref()))
                }
            };
            self.open |= found.is_none();
            let scenario = found.and_then(|(.., scenario)| scenario);
            let holds = found.map(|(value, wanted, _)| admits(require.comparison, value.against(wanted)));
            self.expect_or_nothing(
                &place("measured"),
                line.get("measured"),
                found.map(|(value, ..)| expected_metric(require.metric, value)),
            );
            if let Scale::ShareOf(_) = require.scale {
                let wanted = found.map(|(_, wanted, _)| Expected::Rate(wanted));
                self.expect_or_nothing(&place("wanted"), line.get("wanted"), wanted);
            }
            self.expect_or_nothing(
                &place("holds"),
                line.get("holds"),
                holds.map(|holds| Expected::Exactly(holds.into())),
            );
            self.expect_or_nothing(
                &place("scenario"),
                line.get("scenario"),
                scenario.map(|name| Expected::Exactly(name.into())),
            );
            if let Some((value, wanted, scenario)) = found.filter(|_| holds == Some(false)) {
                self.broken.push(RequireError::new(require, value.about(), wanted.about(), scenario).into());
            }
        }
    }
}
