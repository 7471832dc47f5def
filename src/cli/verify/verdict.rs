//! The verdict on a directory or file as `fabc.verified/1`.

use crate::io::read::display;
use fabc_pipeline::verify::Unproved;
use serde_json::{Value, json};
use std::path::Path;

/// The verdict on something that fabc wrote: `fabc.verified/1`.
pub(crate) fn verdict(kind: &str, directory: &Path, extent: Value, unproved: &[Unproved]) -> Value {
    let mut document = json!({ "format": VERIFIED, "verified": display(directory), "kind": kind });
    if let (Some(document), Value::Object(extent)) = (document.as_object_mut(), extent) {
        document.extend(extent);
        let trusted: Vec<Value> = unproved
            .iter()
            .map(|Unproved { file, place, what }| json!({ "file": file, "place": place, "what": what }))
            .collect();
        document.insert("trusted".to_owned(), json!(trusted));
    }
    document
}

/// The tag of every verdict.
pub(crate) const VERIFIED: &str = "fabc.verified/1";
