//! JSON Schemas: whatever fabc prints fits them, and hardly anything else does.

use crate::machines::plain::fabc;
use crate::machines::printed::{printed, schema_name};
use crate::machines::report_fields;
use crate::machines::tampered;
use boon::{Compiler, Draft, SchemaIndex, Schemas};
use fabc::model::{Arbitration, Collective, CollectiveAlgorithm, Credits, Metric, RouterModel, Traffic};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// All schemas of the project, compiled.
pub(crate) struct Judge {
    schemas: Schemas,
    by_name: BTreeMap<String, SchemaIndex>,
}

impl Judge {
    /// Compiles every schema. Each is judged by the one of its draft before.
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.set_default_draft(Draft::V2020_12);
        let mut by_name = BTreeMap::new();
        for (name, value) in schema_files() {
            let url = value["$id"].as_str().unwrap_or_else(|| panic!("{name} has no $id")).to_owned();
            compiler.add_resource(&url, value).unwrap();
            let index =
                compiler.compile(&url, &mut schemas).unwrap_or_else(|error| panic!("{name}: {error:#}"));
            by_name.insert(name, index);
        }
        Self { schemas, by_name }
    }

    /// The errors of a document.
    pub(crate) fn judge(&self, schema: &str, document: &Value) -> Result<(), String> {
        let index = *self.by_name.get(schema).unwrap_or_else(|| panic!("there is no schema `{schema}`"));
        self.schemas.validate(document, index).map_err(|error| format!("{error:#}"))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of `src/emit/schema` by name.
fn schema_files() -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(root().join("src/emit/schema")).unwrap().map(|entry| entry.unwrap().path());
    let schema = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_stem().unwrap().to_string_lossy().into_owned(), value)
    };
    files.map(schema).collect()
}

#[test]
fn schemas_are_the_files_of_the_documentation() {
    let place = tempfile::tempdir().unwrap();
    let (list, _) = fabc(place.path(), &["schema"], 0);
    let listed: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, schema_files().keys().map(String::as_str).collect::<Vec<_>>());
    for (name, schema) in schema_files() {
        let file = std::fs::read_to_string(root().join(format!("src/emit/schema/{name}.json"))).unwrap();
        assert_eq!(fabc(place.path(), &["schema", &name], 0).0, file);
        let title = schema["title"].as_str().unwrap();
        assert!(list.contains(&format!("  {title}\n")) && title.chars().count() <= 90, "{name}: {title}");
        assert_eq!(schema["$id"], format!("urn:fabc:schema:{name}"));
        if let Some(tag) = schema["properties"]["format"]["const"].as_str() {
            assert_eq!(schema_name(tag), name);
            assert_eq!(fabc(place.path(), &["schema", tag], 0).0, file);
        }
    }
    let (_, err) = fabc(place.path(), &["schema", "raport"], 2);
    let message = "FAB0546\n\n  × there is no schema `raport`\n  help: did you mean `report`? `fabc schema` lists all names\n";
    assert!(err.starts_with(message), "{err}");
}

/// Format tags in the code of fabc, unit tests left out.
fn tags(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(tags(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for rest in code.split("fabc.").skip(1) {
                let name =
                    rest.find(|letter: char| !matches!(letter, 'a'..='z' | '_' | '.')).unwrap_or(rest.len());
                let Some(version) = rest[name..].strip_prefix('/') else { continue };
                let digits = version.chars().take_while(char::is_ascii_digit).count();
                if name > 0 && digits > 0 {
                    names.insert(format!("fabc.{}/{}", &rest[..name], &version[..digits]));
                }
            }
        }
    }
    names
}

#[test]
fn every_format_has_a_schema() {
    let tagged = schema_files()
        .into_values()
        .filter_map(|schema| Some(schema["properties"]["format"]["const"].as_str()?.to_owned()));
    assert_eq!(tags(&root().join("src")), tagged.collect());
}

#[test]
fn words_of_schemas_are_those_of_the_code() {
    let files = schema_files();
    let words = |name: &str, place: &str| -> Vec<String> {
        let value = files[name].pointer(place).unwrap_or_else(|| panic!("{name} has no {place}"));
        value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let model = |key: &str| words("simulation", &format!("/$defs/model/properties/{key}/enum"));
    assert_eq!(
        words("collective", "/$defs/algorithm/enum"),
        CollectiveAlgorithm::ALL.map(CollectiveAlgorithm::name)
    );
    assert_eq!(words("collective", "/properties/collective/enum"), Collective::ALL.map(Collective::name));
    assert_eq!(words("report", "/$defs/metrics/required"), Metric::ALL.map(Metric::name));
    assert_eq!(model("name"), RouterModel::ALL.map(RouterModel::name));
    assert_eq!(model("traffic"), Traffic::ALL.map(Traffic::name));
    assert_eq!(model("arbitration"), Arbitration::ALL.map(Arbitration::name));
    assert_eq!(model("credits"), Credits::ALL.map(Credits::name));
    assert_eq!(model("routing"), fabc::model::PacketRouting::ALL.map(fabc::model::PacketRouting::name));
    // A name means the same in all files.
    let mut known: BTreeMap<String, (String, Value)> = BTreeMap::new();
    for (file, schema) in &files {
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            let (first, same) =
                known.entry(name.clone()).or_insert_with(|| (file.clone(), definition.clone()));
            assert_eq!(definition, same, "`{name}` of {file} and of {first}");
        }
    }
}

#[test]
fn what_fabc_prints_fits_and_what_is_changed_does_not() {
    let (judge, printed) = (Judge::new(), printed());
    let problems: Vec<String> = printed
        .iter()
        .filter_map(|printed_document| {
            Some(format!(
                "{} ({}): {}",
                printed_document.place,
                printed_document.schema,
                judge.judge(&printed_document.schema, &printed_document.document).err()?
            ))
        })
        .collect();
    assert!(
        problems.is_empty(),
        "{} of {} documents:\n{}",
        problems.len(),
        printed.len(),
        problems.join("\n")
    );
    let seen: BTreeSet<&str> =
        printed.iter().map(|printed_document| printed_document.schema.as_str()).collect();
    assert_eq!(seen, judge.by_name.keys().map(String::as_str).collect(), "every schema judged something");
    tampered::refuse_changes(&judge, &printed);
    let reports: Vec<_> = printed.iter().filter(|document| document.schema == "report").collect();
    assert!(reports.len() >= 10, "{}", reports.len());
    for report in reports {
        report_fields::refuse_unexplained(&report.place, &report.document, "");
    }
}
