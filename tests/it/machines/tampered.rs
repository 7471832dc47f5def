//! Changes of what fabc prints, every one of which a schema must refuse.

use crate::machines::printed::Printed;
use crate::machines::schemas::Judge;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Keys whose values may be of several types.
const EITHER: [&str; 2] = ["/host_ports", "/all_but"];

/// In the two shortest documents of every schema: an unknown key in every object, another type for every
/// value, and every key taken away. Lists are changed in their first and last elements. Only keys that are
/// optional or names may be taken away.
pub(crate) fn refuse_changes(judge: &Judge, printed: &[Printed]) {
    let mut by_schema: BTreeMap<&str, Vec<(usize, &Printed)>> = BTreeMap::new();
    for printed_document in printed {
        by_schema
            .entry(&printed_document.schema)
            .or_default()
            .push((printed_document.document.to_string().len(), printed_document));
    }
    let (mut keys, mut types, mut taken, mut kept) = (0, 0, 0, 0);
    for documents in by_schema.values_mut() {
        documents.sort_by_key(|(bytes, _)| *bytes);
    }
    for (_, printed_document) in by_schema.values().flat_map(|documents| documents.iter().take(2)) {
        let mut places = Vec::new();
        collect(&printed_document.document, String::new(), &mut places);
        for place in places {
            let value = printed_document.document.pointer(&place).expect("it was collected");
            let refused = |changed: &Value, change: &str| {
                assert!(
                    judge.judge(&printed_document.schema, changed).is_err(),
                    "{} ({}): {place}: {change} is accepted",
                    printed_document.place,
                    printed_document.schema
                );
            };
            if value.is_object() {
                let mut changed = printed_document.document.clone();
                changed.pointer_mut(&place).unwrap()["no such key"] = json!({"no such key": [{}]});
                refused(&changed, "an unknown key");
                keys += 1;
            }
            for other in others(value).into_iter().filter(|_| !EITHER.iter().any(|end| place.ends_with(end)))
            {
                let mut changed = printed_document.document.clone();
                *changed.pointer_mut(&place).unwrap() = other.clone();
                refused(&changed, &format!("{other} instead of {}", shortened(value)));
                types += 1;
            }
            let Some((parent, key)) = place.rsplit_once('/') else { continue };
            let mut changed = printed_document.document.clone();
            let Some(object) = changed.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            object.remove(&key.replace("~1", "/").replace("~0", "~"));
            taken += 1;
            kept += usize::from(judge.judge(&printed_document.schema, &changed).is_err());
        }
    }
    println!("refused: {keys} unknown keys, {types} other types, {kept} of {taken} keys taken away");
    assert!(
        keys > 100 && types > 1000 && taken > 500 && 10 * kept > 7 * taken,
        "{keys} {types} {kept} {taken}"
    );
}

/// JSON pointers to all values. Of lists the first and the last.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(values) => {
            let last = values.len().saturating_sub(1);
            for (index, value) in values.iter().enumerate().filter(|(index, _)| *index == 0 || *index == last)
            {
                collect(value, format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

/// Values of other types. Whatever may be nothing may be nothing.
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
