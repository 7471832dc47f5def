//! Verifies every number of `report.json`.

use super::collectives::ProvedSchedule;
use super::comparison::{
    ExpectedValue, Fields, Recomputed, ReportComparison, decimal, expected_metric, scenario_bounds,
};
use super::files::{Files, REPORT};
use super::light::expected_light;
use super::network::hardware_fields;
use super::stated::StatedClaims;
use crate::CheckError;
use crate::exact::Exact;
use crate::measures::{ScenarioMeasures, compared_values, worst_fault};
use crate::require::{RequireError, is_satisfied};
use fabc_ir::{JobResult, UniversalLimit};
use fabc_model::{Metric, Reference, TopologyChoice, ValueScale};
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

/// The outcome of the contract.
pub(super) struct ContractStatus {
    /// The requires that do not hold.
    pub(super) broken: Vec<CheckError>,
    /// The word for the outcome in a manifest.
    pub(super) word: &'static str,
}

/// Compares the whole report. Returns the claims that only the report makes, and the outcome of the
/// contract. Every difference is one conviction. A `require` that the report admits as broken is none.
pub(super) fn compare_report(
    files: &Files,
    measured: &Recomputed<'_>,
    collectives: &[Vec<ProvedSchedule>],
    jobs: &[JobResult],
) -> Result<(StatedClaims, ContractStatus), Vec<CheckError>> {
    let mut comparison = ReportComparison { errors: Vec::new(), broken: Vec::new(), has_unmeasured: false };
    let root: Value = match super::read::json(files, REPORT) {
        Ok(value) => value,
        Err(error) => return Err(vec![error]),
    };
    let Some(root) = root.as_object() else {
        let violation = "expected an object at line 1 column 1".to_owned();
        return Err(vec![CheckError::Unreadable { file: REPORT.to_owned(), reason: violation }]);
    };
    let (fabric, nominal) = (measured.fabric, &measured.scenarios[0]);
    let plant_counts: &[(&str, u64)] = &match fabric.pod() {
        Some(pod) => vec![("cubes", u64::from(pod.cubes))],
        None => {
            vec![("endpoints", nominal.counts.endpoints), ("links", measured.topology.links().len() as u64)]
        }
    };
    let makespan = super::collectives::makespan(None, fabric, collectives);
    let is_pod = measured.healthy.network.is_none();
    let section = sections(measured).chain(makespan.map(|_| "makespan"));
    let known: Vec<&str> =
        KEYS.into_iter().chain(plant_counts.iter().map(|(key, _)| *key)).chain(section).collect();
    comparison.expect_known_keys("", root, &known);
    comparison.expect("format", root.get("format"), ExpectedValue::Exactly("fabc.report/1".into()));
    comparison.expect("fabric", root.get("fabric"), ExpectedValue::Exactly(fabric.name.as_str().into()));
    comparison.expect("nodes", root.get("nodes"), ExpectedValue::Integer(fabric.node_count() as u64));
    for (key, value) in plant_counts {
        comparison.expect(key, root.get(*key), ExpectedValue::Integer(*value));
    }
    comparison.expect_object("metrics", root.get("metrics"), &expected_metrics(nominal));
    comparison.compare_interval(
        "metrics",
        root.get("metrics").and_then(|metrics| metrics.get("concurrent_flow")),
        nominal,
    );
    let (tree_bounds, limit) = super::bounds::compare(&mut comparison, root.get("bounds"), measured);
    comparison.compare_network(root.get("network"), measured);
    if is_pod {
        comparison.compare_floor_section("floor", root.get("floor"), measured);
        let hardware = measured.healthy.hardware;
        let mut fields = hardware_fields(hardware);
        fields.push(("hosts", Some(ExpectedValue::Integer(hardware.hosts))));
        comparison.expect_object("hardware", root.get("hardware"), &fields);
    }
    if let Some(budgets) = measured.light {
        let fields = expected_light(fabric, measured.topology, budgets);
        comparison.expect_object("light", root.get("light"), &fields);
    }
    comparison.compare_gain(root.get("gain"), measured);
    comparison.expect_object("histograms", root.get("histograms"), &expected_histograms(nominal));
    comparison.expect_object("tables", root.get("tables"), &expected_tables(measured));
    comparison.compare_scenarios(root.get("scenarios"), measured.scenarios);
    comparison.compare_worst(root.get("worst"), measured.scenarios);
    if let Some((end, lower_bound)) = makespan {
        let fields = [("cycles", end), ("bound_cycles", lower_bound)]
            .map(|(key, cycles)| (key, Some(ExpectedValue::Integer(cycles))));
        comparison.expect_object("makespan", root.get("makespan"), &fields.into_iter().collect());
    }
    comparison.compare_requires(root.get("requires"), files, measured, collectives, jobs, limit.as_ref());
    match super::stated::read_stated(files, tree_bounds, limit) {
        Ok(stated) if comparison.errors.is_empty() => {
            let ReportComparison { broken, has_unmeasured: open, .. } = comparison;
            let word = match (broken.is_empty(), open) {
                (false, _) => "broken",
                (true, true) => "open",
                (true, false) => "kept",
            };
            Ok((stated, ContractStatus { broken, word }))
        }
        stated => Err(comparison.errors.into_iter().chain(stated.err()).collect()),
    }
}

/// The sections that the report has beside those of every report.
fn sections(measured: &Recomputed<'_>) -> impl Iterator<Item = &'static str> {
    let (fabric, is_pod) = (measured.fabric, measured.healthy.network.is_none());
    let is_there = [
        ("network", !is_pod),
        ("floor", is_pod && measured.healthy.cables.is_some()),
        ("hardware", is_pod),
        ("light", measured.light.is_some()),
        ("collectives", !fabric.collectives.is_empty()),
        ("jobs", !fabric.jobs.is_empty()),
    ];
    is_there.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name)
}

fn expected_metrics(measures: &ScenarioMeasures) -> Fields {
    let measured =
        |metric: &Metric| !Metric::MANY_PATHS.contains(metric) || measures.value(*metric).is_some();
    Metric::of_scenarios()
        .filter(measured)
        .map(|metric| {
            let expected = match metric {
                Metric::ConcurrentFlow => None,
                _ => measures.value(metric).map(|value| expected_metric(metric, value)),
            };
            (metric.name(), expected)
        })
        .collect()
}

fn expected_histograms(measures: &ScenarioMeasures) -> Fields {
    let walk = measures.counts.walk.as_ref();
    let list = |values: &Vec<u64>| ExpectedValue::Exactly(values.clone().into());
    let number = |load: Exact| match load.as_integer().and_then(|load| u64::try_from(load).ok()) {
        Some(load) => Value::from(load),
        // As many digits as reports print.
        None => Value::from(format!("{:.6}", load.to_f64()).parse::<f64>().unwrap_or(f64::NAN)),
    };
    let pair = |(load, channels): (Exact, u64)| Value::from(vec![number(load), Value::from(channels)]);
    let loads =
        measures.load_histogram().map(|loads| ExpectedValue::Exactly(loads.into_iter().map(pair).collect()));
    vec![
        ("hops", Some(list(&measures.counts.pairs_at))),
        ("route_hops", walk.map(|walk| list(&walk.route_hops))),
        ("channel_load", loads),
        ("vc_hops", walk.map(|walk| list(&walk.vc_hops))),
    ]
}

fn expected_tables(measured: &Recomputed<'_>) -> Fields {
    let nominal = &measured.scenarios[0];
    let walk = nominal.counts.walk.as_ref();
    vec![
        ("entries_max", walk.map(|walk| ExpectedValue::Integer(walk.entries_max))),
        ("entries_mean", nominal.mean_entries().map(ExpectedValue::Ratio)),
        ("canonical", measured.canonical.map(|canonical| ExpectedValue::Exactly(canonical.into()))),
    ]
}

impl ReportComparison {
    fn compare_interval(&mut self, place: &str, claimed: Option<&Value>, measures: &ScenarioMeasures) {
        let place = format!("{place}.concurrent_flow");
        let Some(upper) = measures.high else { return self.expect_or_nothing(&place, claimed, None) };
        match claimed.and_then(Value::as_array).map(Vec::as_slice) {
            Some([low, high]) => {
                // Without a flow of its own, a scenario without routes has no lower bound.
                if measures.low.to_f64() > 0.0 || !low.is_null() {
                    self.expect(&format!("{place}[0]"), Some(low), ExpectedValue::Lower(measures.low));
                }
                self.expect(&format!("{place}[1]"), Some(high), ExpectedValue::Upper(upper));
            }
            _ => self.push_difference(&place, claimed, "an interval of two numbers"),
        }
    }

    /// The other topology is not in the directory. Its interval is taken as claimed, and the ratio must
    /// follow from it.
    fn compare_gain(&mut self, claimed: Option<&Value>, measured: &Recomputed<'_>) {
        let synthesized =
            measured.fabric.pod().is_some_and(|pod| matches!(pod.topology, TopologyChoice::Synthesize(_)));
        if measured.fabric.demand.is_uniform() || !synthesized {
            return self.expect_or_nothing("gain", claimed, None);
        }
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference("gain", claimed, "an object");
        };
        self.expect_known_keys("gain", object, &["uniform_topology", "ratio"]);
        let interval = |key: &str| match object.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            Some([low, high]) => Some((low.clone(), high.clone()))
                .filter(|bounds| bounds.0.is_number() && bounds.1.is_number()),
            _ => None,
        };
        let (Some((low, high)), Some(ratio)) = (interval("uniform_topology"), interval("ratio")) else {
            return self.push_difference("gain", claimed, "two intervals of two numbers");
        };
        let bounds = [low, high].map(|end| end.as_f64().and_then(decimal));
        let [Some(low), Some(high)] = bounds.map(|end| end.filter(|end| end.to_f64() > 0.0)) else {
            return self.push_difference("gain.uniform_topology", claimed, "a positive interval");
        };
        if low.compare_exact(high) == Ordering::Greater {
            return self.push_difference("gain.uniform_topology", claimed, "a positive interval");
        }
        let nominal = &measured.scenarios[0];
        let (Some(lowest), Some(highest)) =
            (nominal.low.divided_by(high), nominal.high.and_then(|upper| upper.divided_by(low)))
        else {
            return self.push_difference("gain.ratio", claimed, "a ratio of at most 128 bits");
        };
        // The ends of the interval were rounded before they were written.
        self.expect("gain.ratio[0]", Some(&ratio.0), ExpectedValue::Rate(lowest));
        self.expect("gain.ratio[1]", Some(&ratio.1), ExpectedValue::Rate(highest));
    }

    fn compare_scenarios(&mut self, claimed: Option<&Value>, scenarios: &[ScenarioMeasures]) {
        let place = "scenarios";
        let Some(object) = claimed.and_then(Value::as_object) else {
            return self.push_difference(place, claimed, "an object");
        };
        self.expect_known_keys(
            place,
            object,
            &scenarios.iter().map(|scenario| scenario.counts.scenario.as_str()).collect::<Vec<_>>(),
        );
        for (k, measures) in scenarios.iter().enumerate() {
            let name = &measures.counts.scenario;
            let place = format!("{place}.{name}");
            let Some(line) = object.get(name).and_then(Value::as_object) else {
                if k > 0 {
                    self.push_difference(&place, object.get(name), "an object");
                }
                continue;
            };
            let means = [
                ("mean_channel_load", measures.mean_channel_load()),
                ("mean_route_hops", measures.mean_route_hops()),
            ];
            let means = means.map(|(key, value)| (key, value.map(ExpectedValue::Ratio)));
            let fields: Fields = expected_metrics(measures)
                .into_iter()
                .chain(scenario_bounds(measures))
                .chain(means)
                .collect();
            self.expect_known_keys(&place, line, &fields.iter().map(|&(key, _)| key).collect::<Vec<_>>());
            self.expect_fields(&place, line, &fields);
            self.compare_interval(&place, line.get("concurrent_flow"), measures);
        }
    }

    fn compare_worst(&mut self, claimed: Option<&Value>, scenarios: &[ScenarioMeasures]) {
        let empty = Map::new();
        let object = match claimed {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(object)) => object,
            other => return self.push_difference("worst", other, "an object"),
        };
        self.expect_known_keys(
            "worst",
            object,
            &Metric::of_scenarios().map(Metric::name).collect::<Vec<_>>(),
        );
        for metric in Metric::of_scenarios() {
            let place = format!("worst.{}", metric.name());
            let line = object.get(metric.name());
            match worst_fault(scenarios, metric) {
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
                        ExpectedValue::Exactly(scenario.into()),
                    );
                }
            }
        }
    }

    fn compare_requires(
        &mut self,
        claimed: Option<&Value>,
        files: &Files,
        measured: &Recomputed<'_>,
        collectives: &[Vec<ProvedSchedule>],
        jobs: &[JobResult],
        limit: Option<&UniversalLimit>,
    ) {
        let universal = limit.and_then(|limit| Exact::new(limit.volume, limit.distance));
        let requires = &measured.fabric.requires;
        let Some(lines) = claimed.and_then(Value::as_array).filter(|lines| lines.len() == requires.len())
        else {
            return self.push_difference(
                "requires",
                claimed,
                format!("a list of the {} requires of the spec", requires.len()),
            );
        };
        for (k, (line, require)) in lines.iter().zip(requires).enumerate() {
            let place = |key: &str| format!("requires[{k}].{key}");
            let text = require.text();
            self.expect(&place("require"), line.get("require"), ExpectedValue::Exactly(text.as_str().into()));
            if require.scale == ValueScale::ShareOf(Reference::Universal) && universal.is_none() {
                self.push_difference("bounds.universal", None, format!("the bound that `{text}` speaks of"));
            }
            let simulated = match super::simulations::claimed_value(files, require, measured.fabric.clock_hz)
            {
                Ok(simulated) => simulated,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            let wanted = || Exact::decimal(&require.value.to_string());
            let scheduled = super::collectives::measured_value(require, measured.fabric, collectives);
            let comparison_values = match (require.simulation(), &simulated) {
                _ if matches!(require.metric, Metric::Collective(_)) => {
                    scheduled.and_then(|(value, scenario)| Some((value, wanted()?, scenario)))
                }
                _ if matches!(require.metric, Metric::Job(_)) => {
                    super::jobs::measured_value(require, measured.fabric, jobs)
                        .and_then(|(value, scenario)| Some((value, wanted()?, scenario)))
                }
                (None, _) => compared_values(require, measured.scenarios, universal, measured.healthy),
                (Some(_), None) => None,
                (Some(_), Some((value, scenario))) => {
                    wanted().map(|wanted| (*value, wanted, scenario.as_deref()))
                }
            };
            self.has_unmeasured |= comparison_values.is_none();
            let scenario = comparison_values.and_then(|(.., scenario)| scenario);
            let holds = comparison_values
                .map(|(value, wanted, _)| is_satisfied(require.comparison, value.compare_exact(wanted)));
            self.expect_or_nothing(
                &place("measured"),
                line.get("measured"),
                comparison_values.map(|(value, ..)| expected_metric(require.metric, value)),
            );
            if let ValueScale::ShareOf(_) = require.scale {
                let wanted = comparison_values.map(|(_, wanted, _)| ExpectedValue::Rate(wanted));
                self.expect_or_nothing(&place("wanted"), line.get("wanted"), wanted);
            }
            self.expect_or_nothing(
                &place("holds"),
                line.get("holds"),
                holds.map(|holds| ExpectedValue::Exactly(holds.into())),
            );
            self.expect_or_nothing(
                &place("scenario"),
                line.get("scenario"),
                scenario.map(|name| ExpectedValue::Exactly(name.into())),
            );
            if let Some((value, wanted, scenario)) = comparison_values.filter(|_| holds == Some(false)) {
                self.broken
                    .push(RequireError::new(require, value.to_f64(), wanted.to_f64(), scenario).into());
            }
        }
    }
}
