//! SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format, with errata 01): one log per run of fabc.

use super::{Region, labels, region, severity};
use crate::show::excerpt::shortened;
use fabc_base::diag::{self, SourceMap};
use miette::{Diagnostic, LabeledSpan};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The address of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A diagnostic as a `result`. Its rule is its code. [`log`] adds the index of the rule.
pub fn result(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> Value {
    let mut result = Map::new();
    if let Some(code) = diagnostic.code() {
        result.insert("ruleId".to_owned(), json!(code.to_string()));
    }
    result.insert(
        "level".to_owned(),
        json!(if severity(diagnostic) == "advice" { "note" } else { severity(diagnostic) }),
    );
    let help =
        diagnostic.help().map(|help| format!("\n{}", shortened(&help.to_string()))).unwrap_or_default();
    result.insert(
        "message".to_owned(),
        json!({"text": format!("{}{help}", shortened(&diagnostic.to_string()))}),
    );
    let labels = labels(diagnostic);
    let mut places = labels.iter().filter_map(|label| location(label, sources));
    if let Some(first) = places.next() {
        result.insert("locations".to_owned(), json!([first]));
    }
    let related = diagnostic.related().into_iter().flatten().map(|related| {
        let place = self::labels(related).first().and_then(|label| location(label, sources));
        let mut place = place.unwrap_or(json!({}));
        place["message"] = json!({"text": shortened(&related.to_string())});
        place
    });
    let related: Vec<Value> = places.chain(related).collect();
    if !related.is_empty() {
        result.insert("relatedLocations".to_owned(), Value::Array(related));
    }
    Value::Object(result)
}

/// A text that is no diagnostic, as a notification of the run.
pub fn notification(text: &str) -> Value {
    json!({"level": "note", "message": {"text": text}})
}

/// The log of a run that ended with an exit code.
pub fn log(mut results: Vec<Value>, notifications: &[Value], exit_code: u8) -> Value {
    let code = |result: &Value| result["ruleId"].as_str().map(str::to_owned);
    let used: BTreeSet<String> = results.iter().filter_map(code).collect();
    let rule = |id: &String| match diag::explain(id) {
        Some(doc) => {
            json!({"id": id, "shortDescription": {"text": doc.title}, "fullDescription": {"text": doc.text.trim()},
            "help": {"text": format!("`fabc explain {id}` says more.")}})
        }
        None => json!({"id": id}),
    };
    let rules: Vec<Value> = used.iter().map(rule).collect();
    for result in &mut results {
        if let Some(index) = code(result).and_then(|code| used.iter().position(|known| *known == code)) {
            result["ruleIndex"] = json!(index);
        }
    }
    let invocation = json!({"executionSuccessful": exit_code == 0, "exitCode": exit_code, "toolExecutionNotifications": notifications});
    let driver = json!({"name": "fabc", "version": env!("CARGO_PKG_VERSION"), "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules});
    let run = json!({"tool": {"driver": driver}, "invocations": [invocation], "columnKind": "unicodeCodePoints", "results": results});
    json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
}

fn location(label: &LabeledSpan, sources: &SourceMap) -> Option<Value> {
    let Region { file, start: [line, column], end: [end_line, end_column] } = region(label, sources)?;
    let region =
        json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
    let mut location =
        json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region}});
    if let Some(text) = label.label().filter(|text| !text.is_empty()) {
        location["message"] = json!({"text": shortened(text)});
    }
    Some(location)
}

/// A path as a URI reference. It has `/` as separator, and percent-encodes all other special bytes (RFC
/// 3986).
fn uri(file: &str) -> String {
    let mut out = String::new();
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}
