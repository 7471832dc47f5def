//! The verdict on a directory or file as `fabc.verified/1`.

use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
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

/// Who has signed a directory.
pub(crate) struct SignedDirectory {
    pub(crate) directory: String,
    /// Whom the key belongs to.
    pub(crate) principals: String,
    /// The fingerprint of the key, `SHA256:..`.
    pub(crate) fingerprint: String,
}

/// What was verified, with those who have signed it, if that was asked.
pub(crate) fn with_signers(mut extent: Value, signed: &[SignedDirectory]) -> Value {
    if !signed.is_empty() {
        let by = signed.iter().map(|SignedDirectory { directory, principals, fingerprint }| {
            json!({ "directory": directory, "principals": principals, "key": fingerprint })
        });
        extent["signed_by"] = by.collect();
    }
    extent
}

/// Says who has signed what.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn say_signers(signed: &[SignedDirectory], terminal: Terminal) -> Result<(), DriverError> {
    signed.iter().try_for_each(|SignedDirectory { directory, principals, fingerprint }| {
        terminal.say(&format!("signed {directory}: by {principals}, {fingerprint}"))
    })
}

/// Lists what nothing in a directory can prove.
pub(crate) fn say_unproved(unproved: &[Unproved], terminal: Terminal) -> Result<(), Stop> {
    let places = unproved
        .iter()
        .map(|Unproved { file, place, .. }| format!("{file} {place}").trim_end().to_owned())
        .collect::<Vec<_>>();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    for (place, Unproved { what, .. }) in places.iter().zip(unproved) {
        terminal.say(&format!("  {place:<width$}  {what}"))?;
    }
    Ok(())
}
