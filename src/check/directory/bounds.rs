//! Whether the bounds in `report.json` on all topologies, and on the disjoint trees, follow from what stands
//! beside them.

use super::comparison::{Comparison, Expected, Measured, integer, scenario_bounds};
use crate::exact::Exact;
use crate::limit::measure;
use crate::tree_bounds;
use fabc_base::ids::OcsId;
use fabc_ir::{CrossConnects, LimitArgument, TreeBounds, UniversalLimit};
use fabc_model::Pod;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The argument as written.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Argument {
    Tree {
        copper: [Vec<u32>; 3],
        fiber: u32,
        levels: u32,
    },
    #[serde(rename = "one_hop")]
    OneHop {
        fiber: u32,
        prices: Vec<u32>,
        deficits: [u64; 2],
    },
    Plane {
        axis: u32,
        below: u32,
    },
    Cubes {
        first: u32,
        count: u32,
    },
}

/// The bounds on the number of disjoint trees as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trees {
    at_least: u32,
    at_most: u32,
    witness: Vec<String>,
}

/// Compares the section `bounds`, and returns what it claims of the trees and of all topologies; a report
/// that claims no universal bound claims nothing wrong.
pub(super) fn compare(
    comparison: &mut Comparison,
    claimed: Option<&Value>,
    measured: &Measured<'_>,
) -> (Option<TreeBounds>, Option<UniversalLimit>) {
    let nominal = &measured.scenarios[0];
    let Some(object) = claimed.and_then(Value::as_object) else {
        comparison.differ("bounds", claimed, "an object");
        return (None, None);
    };
    comparison.known_keys("bounds", object, &["distance", "load", "trees", "universal"]);
    comparison.fields("bounds", object, &scenario_bounds(nominal));
    let Some((pod, cross_connects)) = measured.fabric.pod().zip(measured.cross_connects) else {
        comparison.known_keys("bounds", object, &["distance", "load"]);
        return (None, None);
    };
    let trees = match object.get("trees") {
        None | Some(Value::Null) => None,
        Some(written) => trees(comparison, written, measured, pod, cross_connects),
    };
    let limit = match object.get("universal") {
        None | Some(Value::Null) => None,
        Some(Value::Object(fields)) => limit(comparison, fields, measured, pod),
        other => {
            comparison.differ("bounds.universal", other, "an object");
            None
        }
    };
    (trees, limit)
}

fn trees(
    comparison: &mut Comparison,
    written: &Value,
    measured: &Measured<'_>,
    pod: &Pod,
    cross_connects: &CrossConnects,
) -> Option<TreeBounds> {
    let place = "bounds.trees";
    let mut differ = |what: String| {
        comparison.differ(place, Some(written), what);
        None
    };
    let claimed = match Trees::deserialize(written) {
        Ok(claimed) => claimed,
        Err(error) => return differ(error.to_string()),
    };
    let find = |name: &String| pod.ocses.enumerate().find(|(_, ocs)| ocs.name == *name).map(|(id, _)| id);
    let Some(witness) = claimed.witness.iter().map(find).collect::<Option<Vec<OcsId>>>() else {
        return differ("OCSes that the spec declares".to_owned());
    };
    let bounds = TreeBounds { at_least: claimed.at_least, at_most: claimed.at_most, witness };
    match tree_bounds(pod, measured.topology, cross_connects, measured.trees, &bounds) {
        Ok(()) => Some(bounds),
        Err(error) => differ(error.to_string()),
    }
}

fn limit(
    comparison: &mut Comparison,
    fields: &Map<String, Value>,
    measured: &Measured<'_>,
    pod: &Pod,
) -> Option<UniversalLimit> {
    let place = |key: &str| format!("bounds.universal.{key}");
    comparison.known_keys(
        "bounds.universal",
        fields,
        &["value", "share", "optimal", "volume", "distance", "argument"],
    );
    let written = fields.get("argument");
    let mut differ = |what: String| {
        comparison.differ(&place("argument"), written, what);
        None
    };
    let argument = match written.map(Argument::deserialize) {
        Some(Ok(Argument::Tree { copper, fiber, levels })) => LimitArgument::Tree { copper, fiber, levels },
        Some(Ok(Argument::OneHop { fiber, prices, deficits })) => {
            LimitArgument::OneHop { fiber, prices, deficits }
        }
        Some(Ok(Argument::Plane { axis, below })) => LimitArgument::Plane { axis, below },
        Some(Ok(Argument::Cubes { first, count })) => LimitArgument::Cubes { first, count },
        Some(Err(error)) => return differ(error.to_string()),
        None => return differ("what proves the bound".to_owned()),
    };
    let (volume, distance) =
        match measure(pod, &measured.fabric.demand, measured.topology.capacities(), &argument) {
            Ok(sums) => sums,
            Err(what) => return differ(what),
        };
    let nominal = &measured.scenarios[0];
    let Some((limit, share)) =
        Exact::new(volume, distance).and_then(|limit| Some((limit, nominal.low.by(limit)?)))
    else {
        comparison.differ(&place("argument"), written, "no positive bound of at most 128 bits");
        return None;
    };
    for (key, expected) in [
        ("value", Expected::Upper(limit)),
        ("share", Expected::Ratio(share)),
        ("optimal", Expected::Exactly(nominal.reaches(limit).into())),
        ("volume", integer(volume)),
        ("distance", integer(distance)),
    ] {
        comparison.expect(&place(key), fields.get(key), expected);
    }
    Some(UniversalLimit { volume, distance, argument })
}
