//! A report against what was recomputed: how numbers must stand in it.

use crate::CheckError;
use crate::exact::Exact;
use crate::measures::Measures;
use fabc_ir::{CrossConnects, FloorMetrics, NetworkMetrics, Topology};
use fabc_model::{Fabric, Metric};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Everything the report is compared with, recomputed from the other files.
pub(super) struct Measured<'a> {
    pub(super) fabric: &'a Fabric,
    /// Nominal first.
    pub(super) scenarios: &'a [Measures],
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
    /// What was counted of a network.
    pub(super) network: Option<&'a NetworkMetrics>,
    /// What the cables on a floor come to.
    pub(super) cables: Option<&'a FloorMetrics>,
    /// Sets of OCSes that are trees.
    pub(super) trees: usize,
    /// Whether the nominal tables are canonical; `None` without tables.
    pub(super) canonical: Option<bool>,
}

/// How a recomputed number must stand in the report.
#[derive(Clone)]
pub(super) enum Expected {
    Integer(u64),
    /// Rounded to 6 decimals.
    Ratio(Exact),
    /// Rounded down, 9 significant digits.
    Lower(Exact),
    /// Rounded up, 9 significant digits.
    Upper(Exact),
    /// Derived from numbers that were rounded before.
    Rate(Exact),
    /// Exactly this.
    Exactly(Value),
}

pub(super) type Fields = Vec<(&'static str, Option<Expected>)>;

pub(super) fn scenario_bounds(of: &Measures) -> Fields {
    vec![("distance", of.distance_bound().map(Expected::Upper)), ("load", of.load_at_least().map(load))]
}

/// A load: whole, unless links carry unlike.
pub(super) fn load(value: Exact) -> Expected {
    value.whole().map_or(Expected::Ratio(value), integer)
}

/// An integer, which JSON as it is read here has only up to 64 bits.
pub(super) fn integer(value: u128) -> Expected {
    u64::try_from(value).map_or_else(|_| Expected::Exactly(value.to_string().into()), Expected::Integer)
}

pub(super) struct Comparison {
    pub(super) errors: Vec<CheckError>,
    /// The requires that do not hold, as the report admits.
    pub(super) broken: Vec<CheckError>,
    /// Whether some require was not measured.
    pub(super) open: bool,
}

impl Comparison {
    pub(super) fn differ(&mut self, place: &str, claimed: Option<&Value>, measured: impl Into<String>) {
        let claimed = claimed.map_or_else(|| "nothing".to_owned(), |value| shorten(&value.to_string()));
        self.errors.push(CheckError::Report { place: place.to_owned(), claimed, measured: measured.into() });
    }

    pub(super) fn expect(&mut self, place: &str, claimed: Option<&Value>, expected: Expected) {
        let number = claimed.filter(|value| value.is_number()).and_then(Value::as_f64);
        let near = |value: Exact, least: f64, part: f64| {
            number
                .is_some_and(|number| (number - value.about()).abs() <= least.max(value.about().abs() * part))
        };
        // A bound may be rounded away from the truth only on its safe side, and there is no last digit that
        // does not count.
        let safe = |value: Exact, unsafe_side: Ordering| {
            near(value, 0.0, 1.01e-8)
                && number.and_then(decimal).is_some_and(|number| number.against(value) != unsafe_side)
        };
        let holds = match &expected {
            Expected::Integer(value) => claimed.and_then(Value::as_u64) == Some(*value),
            Expected::Ratio(value) => near(*value, 5.01e-7, 1e-12),
            Expected::Rate(value) => near(*value, 1.01e-6, 1.01e-8),
            Expected::Lower(value) => safe(*value, Ordering::Greater),
            Expected::Upper(value) => safe(*value, Ordering::Less),
            Expected::Exactly(value) => claimed == Some(value),
        };
        if !holds {
            let measured = match expected {
                Expected::Integer(value) => value.to_string(),
                Expected::Ratio(value) | Expected::Rate(value) => format!("{:.6}", value.about()),
                Expected::Lower(value) => format!("at most {:.11}", value.about()),
                Expected::Upper(value) => format!("at least {:.11}", value.about()),
                Expected::Exactly(value) => shorten(&value.to_string()),
            };
            self.differ(place, claimed, measured);
        }
    }

    /// Where nothing could be measured, nothing may be claimed.
    pub(super) fn expect_or_nothing(
        &mut self,
        place: &str,
        claimed: Option<&Value>,
        expected: Option<Expected>,
    ) {
        match expected {
            Some(expected) => self.expect(place, claimed, expected),
            None if claimed
                .is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty)) => {}
            None => self.differ(place, claimed, "not known: the tables are not there"),
        }
    }

    pub(super) fn known_keys(&mut self, place: &str, object: &Map<String, Value>, known: &[&str]) {
        for (key, value) in object.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            self.differ(&place, Some(value), "nothing that this fabc can recompute");
        }
    }

    pub(super) fn object(&mut self, place: &str, claimed: Option<&Value>, fields: &Fields) {
        let Some(object) = claimed.and_then(Value::as_object) else {
            // A section about tables may be left out together with them.
            if fields.iter().any(|(_, expected)| expected.is_some())
                || claimed.is_some_and(|value| !value.is_null())
            {
                self.differ(place, claimed, "an object");
            }
            return;
        };
        self.known_keys(place, object, &fields.iter().map(|&(key, _)| key).collect::<Vec<_>>());
        self.fields(place, object, fields);
    }

    pub(super) fn fields(&mut self, place: &str, object: &Map<String, Value>, fields: &Fields) {
        for (key, expected) in fields.iter().filter(|(key, _)| *key != Metric::ConcurrentFlow.name()) {
            self.expect_or_nothing(&format!("{place}.{key}"), object.get(*key), expected.clone());
        }
    }
}

/// A number as it was written: the shortest decimal that reads as this float, which has every digit of those
/// that reports have.
pub(super) fn decimal(number: f64) -> Option<Exact> {
    Exact::decimal(&number.to_string())
}

/// The beginning of a long text.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 {
        text.to_owned()
    } else {
        format!("{}..", text.chars().take(80).collect::<String>())
    }
}
