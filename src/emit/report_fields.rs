//! The fields of `report.json` with their meanings, as its schema describes them.
//!
//! The schema is the one place where a meaning stands. `fabc explain` and the page of the book read it here.

use super::schema::Schema;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A field of `report.json`, in the words of its schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportField {
    /// Where it stands, such as `tables.entries_mean`. `[]` is any entry of a list, `*` any name.
    pub path: String,
    /// What it means, in a line without a final stop. Of a metric: its unit.
    pub meaning: String,
}

impl ReportField {
    /// The path as people write it: `collectives.curve.size` for `collectives[].curve[].size`.
    pub fn plain_path(&self) -> String {
        self.path.replace("[]", "").replace(".*", "")
    }

    /// The last name of the path.
    pub fn name(&self) -> String {
        self.plain_path().rsplit('.').next().unwrap_or_default().to_owned()
    }

    /// Whether the field is a metric, which the language describes: of the fabric, or of a fault.
    pub fn is_metric(&self) -> bool {
        let in_metrics = |path: &str| {
            path.strip_prefix("metrics.").or_else(|| path.strip_prefix("scenarios.*.")).map(str::to_owned)
        };
        in_metrics(&self.path).is_some_and(|name| METRICS.contains(&name))
    }
}

/// The names of the metrics in a report.
static METRICS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let fields = REPORT_FIELDS.iter();
    fields.filter_map(|field| field.path.strip_prefix("metrics.").map(str::to_owned)).collect()
});

static REPORT_FIELDS: LazyLock<Vec<ReportField>> = LazyLock::new(|| {
    let text = Schema::find("report").map_or("{}", |schema| schema.text);
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    let mut found = FoundFields { root: &root, fields: Vec::new(), paths: BTreeSet::new() };
    found.walk(&root, "");
    found.fields
});

/// All fields of `report.json` that its schema describes, in the order of the schema.
pub fn report_fields() -> &'static [ReportField] {
    &REPORT_FIELDS
}

/// The fields with a name, or with a path that ends in the names of `word`.
pub fn find_report_fields(word: &str) -> Vec<&'static ReportField> {
    let ending = format!(".{word}");
    let ends = |field: &&ReportField| {
        let path = field.plain_path();
        path == word || path.ends_with(&ending)
    };
    report_fields().iter().filter(ends).collect()
}

/// A walk through a schema.
struct FoundFields<'a> {
    root: &'a Value,
    fields: Vec<ReportField>,
    paths: BTreeSet<String>,
}

impl FoundFields<'_> {
    /// Adds what a schema describes at a path, and everything below it.
    fn walk(&mut self, schema: &Value, path: &str) {
        if let Some(meaning) = schema["description"].as_str()
            && !path.is_empty()
            && self.paths.insert(path.to_owned())
        {
            self.fields.push(ReportField { path: path.to_owned(), meaning: meaning.to_owned() });
        }
        let joined = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.walk(property, &joined(name));
        }
        if schema["items"].is_object() {
            self.walk(&schema["items"], &format!("{path}[]"));
        }
        if schema["additionalProperties"].is_object() {
            self.walk(&schema["additionalProperties"], &joined("*"));
        }
        for form in
            ["oneOf", "anyOf"].into_iter().flat_map(|key| schema[key].as_array().into_iter().flatten())
        {
            self.walk(form, path);
        }
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            let root = self.root;
            self.walk(&root["$defs"][name], path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_schema_has_a_meaning() {
        let text = Schema::find("report").unwrap().text;
        let described = report_fields();
        assert!(described.len() > 200, "{}", described.len());
        // Each of these keys names a field, and has a description beside it.
        let root: Value = serde_json::from_str(text).unwrap();
        let mut open = vec![(String::new(), &root)];
        while let Some((path, schema)) = open.pop() {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let path = format!("{path}/{name}");
                let is_described =
                    property["description"].is_string() || property["$ref"].is_string() || property == false;
                assert!(is_described || property["properties"] == false, "{path} has no description");
                open.push((path, property));
            }
            let forms =
                ["oneOf", "anyOf"].into_iter().flat_map(|key| schema[key].as_array().into_iter().flatten());
            open.extend(forms.filter(|_| !path.is_empty()).map(|form| (path.clone(), form)));
            for key in ["items", "additionalProperties"] {
                open.extend(schema.get(key).map(|inner| (path.clone(), inner)));
            }
            open.extend(
                schema["$defs"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, def)| (format!("#{name}"), def)),
            );
        }
    }

    #[test]
    fn fields_are_found_by_path_and_by_name() {
        let path_of =
            |word: &str| find_report_fields(word).iter().map(|field| field.path.clone()).collect::<Vec<_>>();
        assert_eq!(path_of("tables.entries_mean"), ["tables.entries_mean"]);
        assert_eq!(path_of("entries_mean"), ["tables.entries_mean"]);
        assert_eq!(path_of("curve.size"), ["collectives[].curve[].size"]);
        assert!(!path_of("mean").is_empty() && path_of("entries").is_empty());
        let flow = find_report_fields("metrics.concurrent_flow")[0];
        assert!(flow.is_metric() && flow.name() == "concurrent_flow");
        assert!(!find_report_fields("bounds.load")[0].is_metric());
    }
}
