//! Changes of what fabc prints, every one of which a schema must refuse.

use crate::printed::Printed;
use crate::schemas::Judge;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The largest document that is changed.
const BYTES: usize = 60_000;

/// In all documents that are not long: an unknown key in every object, another type for every value, and every
/// key taken away. Lists are changed in their first and last elements. What may be taken away is pinned.
pub(crate) fn all(judge: &Judge, printed: &[Printed]) {
    let mut changes = BTreeMap::new();
    let (mut kept, mut taken): (BTreeSet<String>, BTreeSet<String>) = Default::default();
    for of in printed.iter().filter(|of| of.document.to_string().len() <= BYTES) {
        let mut places = Vec::new();
        collect(&of.document, String::new(), &mut places);
        for place in places {
            let value = of.document.pointer(&place).expect("it was collected");
            let refused = |changed: &Value, what: &str| {
                assert!(judge.judge(&of.schema, changed).is_err(), "{} ({}): {place}: {what} is accepted", of.place, of.schema);
            };
            if value.is_object() {
                let mut changed = of.document.clone();
                changed.pointer_mut(&place).unwrap()["no such key"] = json!({"no such key": [{}]});
                refused(&changed, "an unknown key");
                *changes.entry("unknown keys").or_insert(0) += 1;
            }
            for other in others(value) {
                let mut changed = of.document.clone();
                *changed.pointer_mut(&place).unwrap() = other.clone();
                refused(&changed, &format!("{other} instead of {}", shortened(value)));
                *changes.entry("other types").or_insert(0) += 1;
            }
            let Some((parent, key)) = place.rsplit_once('/') else { continue };
            let mut changed = of.document.clone();
            let Some(object) = changed.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            object.remove(&key.replace("~1", "/").replace("~0", "~"));
            *changes.entry("keys taken away").or_insert(0) += 1;
            let accepted = judge.judge(&of.schema, &changed).is_ok();
            if accepted { &mut taken } else { &mut kept }.insert(format!("{} {}", of.schema, bare(&place)));
        }
    }
    println!("{changes:?} in {} documents", printed.len());
    assert!(changes.values().all(|count| *count > 1000), "{changes:?}");
    let optional: Vec<String> = taken.into_iter().collect();
    insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("schema_optional_keys", optional.join("\n"));
    });
}

/// JSON pointers to all values; of lists the first and the last.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(values) => {
            let last = values.len().saturating_sub(1);
            for (at, value) in values.iter().enumerate().filter(|(at, _)| *at == 0 || *at == last) {
                collect(value, format!("{place}/{at}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

/// Values of other types; whatever may be nothing may be nothing.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!({"no such key": [{}]})],
        Value::Bool(_) => vec![json!(1), json!("true")],
        Value::Number(_) => vec![json!("1"), json!([1]), json!(true)],
        Value::String(_) => vec![json!(7), json!(["x"])],
        Value::Array(_) => vec![json!({"0": 1}), json!("[]")],
        Value::Object(_) => vec![json!(["x"]), json!("{}")],
    }
}

fn shortened(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

/// A place with `*` for the numbers of elements, and for names.
fn bare(place: &str) -> String {
    let is_key = |part: &str| part.chars().all(|letter| matches!(letter, 'a'..='z' | '_' | 'A'..='Z'));
    let parts: Vec<&str> = place.split('/').map(|part| if is_key(part) { part } else { "*" }).collect();
    parts.join("/")
}
