//! JSON Schemas of everything that fabc prints as JSON. They stand in `src/emit/schema/`.
//!
//! The schemas are written by hand, because artifacts are printed key by key and no type has their shape.
//! Tests keep both in step: all output of fabc validates, and every format tag in the code has a schema.

use serde_json::Value;

/// A JSON Schema (draft 2020-12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// Name on the command line, and of the file.
    pub name: &'static str,
    /// Text of the schema file, which is JSON.
    pub text: &'static str,
}

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        /// All schemas, in the order of their names.
        pub const SCHEMAS: &[Schema] =
            &[$(Schema { name: $name, text: include_str!(concat!("schema/", $name, ".json")) }),*];
    };
}

schemas![
    "availability",
    "cache",
    "certificates",
    "change",
    "checked",
    "collective",
    "collectives",
    "comparison",
    "config_db",
    "delta",
    "diff",
    "drift",
    "estimate",
    "estimates",
    "explanation",
    "failed",
    "floor",
    "formula",
    "job",
    "job_estimate",
    "kept_bin",
    "kept_plan_bin",
    "kept_simulation_bin",
    "kept_topology_bin",
    "manifest",
    "message",
    "motion",
    "ocs",
    "operate",
    "patch",
    "phases",
    "placement",
    "plan",
    "queue",
    "repair",
    "report",
    "route",
    "schedule",
    "schedule_bin",
    "scheduler",
    "shards",
    "simulation",
    "slices",
    "slices_availability",
    "slices_plan",
    "sweep",
    "sweep_table",
    "tables",
    "tables_2",
    "tables_bin",
    "topology",
    "topology_2",
    "verified",
];

impl Schema {
    /// Finds a schema by its name, or by the tag of its format (`fabc.report/1`).
    pub fn find(name: &str) -> Option<&'static Schema> {
        SCHEMAS.iter().find(|schema| schema.name == name || schema.tag().is_some_and(|tag| tag == name))
    }

    /// One line about what the schema describes.
    pub fn title(&self) -> String {
        self.value()["title"].as_str().unwrap_or_default().to_owned()
    }

    /// The format tag; `None` for a format that other programs define.
    pub fn tag(&self) -> Option<String> {
        self.value()["properties"]["format"]["const"].as_str().map(str::to_owned)
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_default()
    }
}
