//! Whether the universal bound in `report.json` follows from the argument beside it.

use super::report::{Comparison, Expected, Measured, bounds};
use crate::check::limit::measure;
use crate::ir::{LimitArgument, UniversalLimit, Walk};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The argument as written.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Argument {
    Tree { copper: [Vec<u32>; 3], fiber: u32, levels: u32 },
    Plane { axis: u32, below: u32 },
    Cubes { first: u32, count: u32 },
}

/// Compares the section `bounds`; a report that claims no universal bound claims nothing wrong.
pub(super) fn universal(comparison: &mut Comparison, claimed: Option<&Value>, measured: &Measured<'_>) {
    let nominal = &measured.scenarios[0];
    let Some(object) = claimed.and_then(Value::as_object) else {
        return comparison.differ("bounds", claimed, "an object");
    };
    comparison.known_keys("bounds", object, &["distance", "load", "universal"]);
    comparison.fields("bounds", object, &bounds(nominal));
    match object.get("universal") {
        None | Some(Value::Null) => {}
        Some(Value::Object(fields)) => limit(comparison, fields, measured),
        other => comparison.differ("bounds.universal", other, "an object"),
    }
}

fn limit(comparison: &mut Comparison, fields: &Map<String, Value>, measured: &Measured<'_>) {
    let place = |key: &str| format!("bounds.universal.{key}");
    comparison.known_keys("bounds.universal", fields, &["value", "share", "optimal", "volume", "distance", "argument"]);
    let written = fields.get("argument");
    let argument = match written.map(Argument::deserialize) {
        Some(Ok(Argument::Tree { copper, fiber, levels })) => LimitArgument::Tree { copper, fiber, levels },
        Some(Ok(Argument::Plane { axis, below })) => LimitArgument::Plane { axis, below },
        Some(Ok(Argument::Cubes { first, count })) => LimitArgument::Cubes { first, count },
        Some(Err(error)) => return comparison.differ(&place("argument"), written, error.to_string()),
        None => return comparison.differ(&place("argument"), None, "what proves the bound"),
    };
    let (volume, distance) = match measure(measured.pod, &argument) {
        Ok(sums) => sums,
        Err(what) => return comparison.differ(&place("argument"), written, what),
    };
    let limit = UniversalLimit { volume, distance, argument };
    let nominal = &measured.scenarios[0];
    let load = nominal.routed.as_ref().map(Walk::max_channel_load);
    let sum = |value: u128| u64::try_from(value).map_or_else(|_| Expected::Exactly(value.to_string().into()), Expected::Integer);
    for (key, expected) in [
        ("value", Expected::Upper(limit.value())),
        ("share", Expected::Ratio(nominal.flow_low / limit.value())),
        ("optimal", Expected::Exactly(limit.is_met(measured.flow, load).into())),
        ("volume", sum(volume)),
        ("distance", sum(distance)),
    ] {
        comparison.expect(&place(key), fields.get(key), expected);
    }
}
