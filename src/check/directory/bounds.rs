//! Verifies two sections of `report.json` from the values beside them: the bounds on all topologies, and the
//! bounds on disjoint trees.

use super::comparison::{
    ExpectedValue, Recomputed, ReportComparison, expected_integer, expected_load, scenario_bounds,
};
use crate::exact::Exact;
use crate::limit::measure;
use crate::verify_tree_bounds;
use fabc_base::ids::OcsId;
use fabc_ir::{CrossConnects, LimitArgument, TreeBounds, UniversalLimit};
use fabc_model::Pod;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The argument of the universal limit, as written in the file.
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

/// The bounds on the number of disjoint trees, as written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trees {
    at_least: u32,
    at_most: u32,
    witness: Vec<String>,
}

/// Compares the section `bounds`. Returns the claimed bounds on trees and on all topologies. A report
/// without a universal bound claims nothing that could be refuted.
pub(super) fn compare(
    comparison: &mut ReportComparison,
    claimed: Option<&Value>,
    measured: &Recomputed<'_>,
) -> (Option<TreeBounds>, Option<UniversalLimit>) {
    let nominal = &measured.scenarios[0];
    let Some(object) = claimed.and_then(Value::as_object) else {
        comparison.push_difference("bounds", claimed, "an object");
        return (None, None);
    };
    comparison.expect_known_keys(
        "bounds",
        object,
        &["distance", "load", "shortest_load", "trees", "universal"],
    );
    comparison.expect_fields("bounds", object, &scenario_bounds(nominal));
    let shortest = nominal.shortest_load_bound().map(expected_load);
    comparison.expect_or_nothing("bounds.shortest_load", object.get("shortest_load"), shortest);
    let Some((pod, cross_connects)) = measured.fabric.pod().zip(measured.cross_connects) else {
        comparison.expect_known_keys("bounds", object, &["distance", "load", "shortest_load"]);
        return (None, None);
    };
    let trees = match object.get("trees") {
        None | Some(Value::Null) => None,
        Some(written) => compare_trees(comparison, written, measured, pod, cross_connects),
    };
    let limit = match object.get("universal") {
        None | Some(Value::Null) => None,
        Some(Value::Object(fields)) => compare_limit(comparison, fields, measured, pod),
        other => {
            comparison.push_difference("bounds.universal", other, "an object");
            None
        }
    };
    (trees, limit)
}

fn compare_trees(
    comparison: &mut ReportComparison,
    written: &Value,
    measured: &Recomputed<'_>,
    pod: &Pod,
    cross_connects: &CrossConnects,
) -> Option<TreeBounds> {
    let place = "bounds.trees";
    let mut differ = |expected: String| {
        comparison.push_difference(place, Some(written), expected);
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
    match verify_tree_bounds(pod, measured.topology, cross_connects, measured.trees, &bounds) {
        Ok(()) => Some(bounds),
        Err(error) => differ(error.to_string()),
    }
}

fn compare_limit(
    comparison: &mut ReportComparison,
    fields: &Map<String, Value>,
    measured: &Recomputed<'_>,
    pod: &Pod,
) -> Option<UniversalLimit> {
    let place = |key: &str| format!("bounds.universal.{key}");
    comparison.expect_known_keys(
        "bounds.universal",
        fields,
        &["value", "share", "optimal", "volume", "distance", "argument"],
    );
    let written = fields.get("argument");
    let mut differ = |expected: String| {
        comparison.push_difference(&place("argument"), written, expected);
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
            Err(reason) => return differ(reason),
        };
    let nominal = &measured.scenarios[0];
    let Some((limit, share)) =
        Exact::new(volume, distance).and_then(|limit| Some((limit, nominal.low.divided_by(limit)?)))
    else {
        comparison.push_difference(&place("argument"), written, "no positive bound of at most 128 bits");
        return None;
    };
    for (key, expected) in [
        ("value", ExpectedValue::Upper(limit)),
        ("share", ExpectedValue::Ratio(share)),
        ("optimal", ExpectedValue::Exactly(nominal.proves_at_least(limit).into())),
        ("volume", expected_integer(volume)),
        ("distance", expected_integer(distance)),
    ] {
        comparison.expect(&place(key), fields.get(key), expected);
    }
    Some(UniversalLimit { volume, distance, argument })
}
