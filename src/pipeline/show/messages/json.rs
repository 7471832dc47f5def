//! `fabc.message/1`: one JSON object per line.

use super::severity;
use crate::show::excerpt::shortened;
use fabc_base::diag::{SourceMap, Span};
use miette::{Diagnostic, LabeledSpan};
use serde_json::{Map, Value, json};

/// The format tag of every line.
const FORMAT: &str = "fabc.message/1";

/// The JSON object of a diagnostic.
pub fn message(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> Value {
    tagged(object(diagnostic, sources))
}

/// The JSON object of a diagnostic whose labels cannot be printed. `text` has its place before its message.
pub fn bare_message(diagnostic: &dyn Diagnostic, text: &str) -> Value {
    let mut object = with_labels(diagnostic, Vec::new());
    object.insert("message".to_owned(), json!(text));
    tagged(object)
}

/// The JSON object of a text that is no diagnostic.
pub fn remark(text: &str) -> Value {
    json!({"format": FORMAT, "code": null, "severity": "advice", "message": text, "help": null, "labels": []})
}

fn tagged(object: Map<String, Value>) -> Value {
    let mut tagged = Map::from_iter([("format".to_owned(), json!(FORMAT))]);
    tagged.extend(object);
    Value::Object(tagged)
}

fn object(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> Map<String, Value> {
    let labels: Vec<Value> =
        diagnostic.labels().into_iter().flatten().map(|label| label_json(&label, sources)).collect();
    let mut object = with_labels(diagnostic, labels);
    let related: Vec<Value> = diagnostic
        .related()
        .into_iter()
        .flatten()
        .map(|related| Value::Object(self::object(related, sources)))
        .collect();
    if !related.is_empty() {
        object.insert("related".to_owned(), Value::Array(related));
    }
    object
}

fn with_labels(diagnostic: &dyn Diagnostic, labels: Vec<Value>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("code".to_owned(), json!(diagnostic.code().map(|code| code.to_string())));
    object.insert("severity".to_owned(), json!(severity(diagnostic)));
    object.insert("message".to_owned(), json!(shortened(&diagnostic.to_string())));
    object.insert("help".to_owned(), json!(diagnostic.help().map(|help| shortened(&help.to_string()))));
    object.insert("labels".to_owned(), Value::Array(labels));
    object
}

fn label_json(label: &LabeledSpan, sources: &SourceMap) -> Value {
    let span = Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 };
    let (start, end) = (sources.position(span.start), sources.position(span.end));
    json!({
        "file": start.map(|(file, ..)| shortened(file)),
        "line": start.map(|(_, line, _)| line),
        "column": start.map(|(.., column)| column),
        "end_line": end.map(|(_, line, _)| line),
        "end_column": end.map(|(.., column)| column),
        "text": label.label().map(shortened),
    })
}
