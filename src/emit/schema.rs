//! JSON Schemas of everything that fabc prints as JSON, as `src/emit/schema/` has them.
//!
//! They are data, not derived: artifacts are printed by hand, key by key, so no type has their shape. What
//! keeps the two in step are tests: whatever fabc prints validates, and a tag in the code without a schema is
//! found.

use serde_json::Value;

/// A schema (JSON Schema, draft 2020-12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// On the command line, and of its file.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        /// All of them, by name.
        pub const SCHEMAS: &[Schema] =
            &[$(Schema { name: $name, text: include_str!(concat!("schema/", $name, ".json")) }),*];
    };
}

schemas![
    "availability",
    "certificates",
    "collective",
    "collectives",
    "config_db",
    "delta",
    "diff",
    "drift",
    "estimate",
    "estimates",
    "failed",
    "floor",
    "formula",
    "kept_bin",
    "kept_simulation_bin",
    "manifest",
    "message",
    "ocs",
    "patch",
    "placement",
    "plan",
    "repair",
    "report",
    "schedule",
    "schedule_bin",
    "shards",
    "simulation",
    "slices",
    "slices_availability",
    "slices_plan",
    "sweep",
    "sweep_table",
    "tables",
    "tables_bin",
    "topology",
    "topology_2",
    "verified",
];

impl Schema {
    /// The schema of this name, or of the format with this tag (`fabc.report/1`).
    pub fn of(name: &str) -> Option<&'static Schema> {
        SCHEMAS.iter().find(|schema| schema.name == name || schema.tag().is_some_and(|tag| tag == name))
    }

    /// What it describes, in a line.
    pub fn title(&self) -> String {
        self.value()["title"].as_str().unwrap_or_default().to_owned()
    }

    /// The format tag; `None` of what other programs define.
    pub fn tag(&self) -> Option<String> {
        self.value()["properties"]["format"]["const"].as_str().map(str::to_owned)
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_default()
    }
}
