//! Compares the numbers of a report with recomputed ones, and decides which digits must agree.

use crate::CheckError;
use crate::exact::Exact;
use crate::measures::ScenarioMeasures;
use fabc_ir::{CrossConnects, HealthyMetrics, LightBudgets, Topology};
use fabc_model::{CollectiveMetric, Fabric, FloorMetric, Metric};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// All values that the report is compared with, recomputed from the other files.
pub(super) struct Recomputed<'a> {
    pub(super) fabric: &'a Fabric,
    /// The measures of all scenarios, nominal first.
    pub(super) scenarios: &'a [ScenarioMeasures],
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
    /// What only the healthy fabric has.
    pub(super) healthy: HealthyMetrics<'a>,
    /// The light budgets. `None` where no link has light.
    pub(super) light: Option<&'a LightBudgets>,
    /// Number of sets of OCSes that are disjoint trees.
    pub(super) trees: usize,
    /// Whether the nominal tables are canonical. `None` without tables.
    pub(super) canonical: Option<bool>,
}

/// How a recomputed number must appear in the report.
#[derive(Clone)]
pub(super) enum ExpectedValue {
    Integer(u64),
    /// A fraction, rounded to 6 decimals.
    Ratio(Exact),
    /// A lower bound, rounded down to 9 significant digits.
    Lower(Exact),
    /// An upper bound, rounded up to 9 significant digits.
    Upper(Exact),
    /// A number derived from rounded numbers.
    Rate(Exact),
    /// A value that must be equal.
    Exactly(Value),
}

pub(super) type Fields = Vec<(&'static str, Option<ExpectedValue>)>;

pub(super) fn scenario_bounds(measures: &ScenarioMeasures) -> Fields {
    vec![
        ("distance", measures.distance_bound().map(ExpectedValue::Upper)),
        ("load", measures.load_lower_bound().map(expected_load)),
    ]
}

/// A load. It is an integer unless capacities of links differ.
pub(super) fn expected_load(value: Exact) -> ExpectedValue {
    value.as_integer().map_or(ExpectedValue::Ratio(value), expected_integer)
}

/// An integer. JSON as it is read here has integers of up to 64 bits only.
pub(super) fn expected_integer(value: u128) -> ExpectedValue {
    u64::try_from(value)
        .map_or_else(|_| ExpectedValue::Exactly(value.to_string().into()), ExpectedValue::Integer)
}

pub(super) struct ReportComparison {
    pub(super) errors: Vec<CheckError>,
    /// The requires that do not hold, as the report admits.
    pub(super) broken: Vec<CheckError>,
    /// Whether some require was not measured.
    pub(super) has_unmeasured: bool,
}

impl ReportComparison {
    pub(super) fn push_difference(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        measured: impl Into<String>,
    ) {
        let claimed = claimed.map_or_else(|| "nothing".to_owned(), |value| shorten(&value.to_string()));
        self.errors.push(CheckError::Report { place: place.to_owned(), claimed, measured: measured.into() });
    }

    pub(super) fn expect(&mut self, place: &str, claimed: Option<&Value>, expected: ExpectedValue) {
        let number = claimed.filter(|value| value.is_number()).and_then(Value::as_f64);
        let is_near = |value: Exact, absolute: f64, relative: f64| {
            number.is_some_and(|number| {
                (number - value.to_f64()).abs() <= absolute.max(value.to_f64().abs() * relative)
            })
        };
        // A bound may be rounded away from the true value only on its safe side. Every digit counts.
        let is_safe = |value: Exact, unsafe_side: Ordering| {
            is_near(value, 0.0, 1.01e-8)
                && number.and_then(decimal).is_some_and(|number| number.compare_exact(value) != unsafe_side)
        };
        let holds = match &expected {
            ExpectedValue::Integer(value) => claimed.and_then(Value::as_u64) == Some(*value),
            ExpectedValue::Ratio(value) => is_near(*value, 5.01e-7, 1e-12),
            ExpectedValue::Rate(value) => is_near(*value, 1.01e-6, 1.01e-8),
            ExpectedValue::Lower(value) => is_safe(*value, Ordering::Greater),
            ExpectedValue::Upper(value) => is_safe(*value, Ordering::Less),
            ExpectedValue::Exactly(value) => claimed == Some(value),
        };
        if !holds {
            let measured = match expected {
                ExpectedValue::Integer(value) => value.to_string(),
                ExpectedValue::Ratio(value) | ExpectedValue::Rate(value) => format!("{:.6}", value.to_f64()),
                ExpectedValue::Lower(value) => format!("at most {:.11}", value.to_f64()),
                ExpectedValue::Upper(value) => format!("at least {:.11}", value.to_f64()),
                ExpectedValue::Exactly(value) => shorten(&value.to_string()),
            };
            self.push_difference(place, claimed, measured);
        }
    }

    /// Where nothing was measured, nothing may be claimed.
    pub(super) fn expect_or_nothing(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        expected: Option<ExpectedValue>,
    ) {
        match expected {
            Some(expected) => self.expect(place, claimed, expected),
            None if claimed
                .is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty)) => {}
            None => self.push_difference(place, claimed, "not known without tables"),
        }
    }

    pub(super) fn expect_known_keys(&mut self, place: &str, object: &Map<String, Value>, known: &[&str]) {
        for (key, value) in object.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            self.push_difference(&place, Some(value), "nothing that this fabc can recompute");
        }
    }

    pub(super) fn expect_object(&mut self, place: &str, claimed: Option<&Value>, fields: &Fields) {
        let Some(object) = claimed.and_then(Value::as_object) else {
            // A section about tables may be left out together with them.
            if fields.iter().any(|(_, expected)| expected.is_some())
                || claimed.is_some_and(|value| !value.is_null())
            {
                self.push_difference(place, claimed, "an object");
            }
            return;
        };
        self.expect_known_keys(place, object, &fields.iter().map(|&(key, _)| key).collect::<Vec<_>>());
        self.expect_fields(place, object, fields);
    }

    pub(super) fn expect_fields(&mut self, place: &str, object: &Map<String, Value>, fields: &Fields) {
        for (key, expected) in fields.iter().filter(|(key, _)| *key != Metric::ConcurrentFlow.name()) {
            self.expect_or_nothing(&format!("{place}.{key}"), object.get(*key), expected.clone());
        }
    }
}

/// A number as it was written. The shortest decimal that reads as this float has all digits that reports
/// print.
pub(super) fn decimal(number: f64) -> Option<Exact> {
    Exact::decimal(&number.to_string())
}

/// The first 80 characters of a long text.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 {
        text.to_owned()
    } else {
        format!("{}..", text.chars().take(80).collect::<String>())
    }
}

/// The form in which the report has the value of a metric.
pub(super) fn expected_metric(metric: Metric, value: Exact) -> ExpectedValue {
    match metric {
        Metric::Diameter | Metric::DisjointTrees | Metric::Collective(CollectiveMetric::Steps) => {
            expected_integer(value.rounded_up())
        }
        Metric::Graph(metric) if metric.is_count() => expected_integer(value.rounded_up()),
        Metric::Floor(FloorMetric::Bundles) => expected_integer(value.rounded_up()),
        Metric::Hardware(metric) if metric.is_count() => expected_integer(value.rounded_up()),
        Metric::MaxChannelLoad => expected_load(value),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => ExpectedValue::Lower(value),
        Metric::Graph(_)
        | Metric::Floor(_)
        | Metric::Hardware(_)
        | Metric::Simulated(_)
        | Metric::Collective(_)
        | Metric::Job(_)
        | Metric::AverageHops
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax
        | Metric::Permutation
        | Metric::Collision
        | Metric::CollisionWorst => ExpectedValue::Ratio(value),
    }
}
