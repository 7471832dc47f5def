//! Artifacts: one file per format, as `docs/artifacts.md` defines them.
//!
//! Comes in: a [`Compiled`] pod and the text of its normalised spec. Goes out: paths and bytes; nothing here touches a disk.
//! Invariant: same input, same bytes. What was not compiled (tables before routing) is left out or `null`, never invented.

mod certificates;
mod config_db;
mod dot;
mod graphml;
mod json;
mod manifest;
pub mod number;
mod ocs;
mod report_html;
mod report_json;
mod report_txt;
mod summary;
mod svg;
mod tables;
mod topology;

pub use report_txt::terminal_report;
pub use tables::{router_table_json, router_table_text, tables_json};

use crate::compiled::{Compiled, RoutedScenario};
use crate::ir::{Scenario, file_stem};
use crate::model::TopologyChoice;

/// A file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// Path below the fabric's output directory, with `/`.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// A format that `--emit` can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// Where its files go by default, `*` for several.
    pub path: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Spec,
    Topology,
    Ocs,
    ConfigDb,
    Tables,
    Certificates,
    ReportJson,
    ReportTxt,
    ReportHtml,
    Graphml,
    Dot,
    Csv,
    Inputs,
}

const fn format(kind: Kind, name: &'static str, path: &'static str, description: &'static str) -> Format {
    Format { name, description, path, kind }
}

/// Every format, in the order of `--emit list`.
pub const FORMATS: &[Format] = &[
    format(Kind::Topology, "topology", "topology.json", "nodes, links and symmetry (fabc.topology/1)"),
    format(Kind::Ocs, "ocs", "ocs.json", "cross-connects of every OCS (fabc.ocs/1)"),
    format(Kind::ConfigDb, "config_db", "ocs/*.config_db.json", "one SONiC OCS CONFIG_DB per switch"),
    format(Kind::Tables, "tables", "tables/*.json", "forwarding tables per scenario (fabc.tables/1)"),
    format(Kind::Certificates, "certificates", "certificates.json", "flow, trees, channel lengths and ranks (fabc.certificates/1)"),
    format(Kind::ReportJson, "report_json", "report.json", "metrics, bounds, scenarios, requires, passes (fabc.report/1)"),
    format(Kind::ReportTxt, "report_txt", "report.txt", "the report as the terminal shows it"),
    format(Kind::ReportHtml, "report_html", "report.html", "the report with drawings, one self-contained page"),
    format(Kind::Graphml, "graphml", "topology.graphml", "the topology as GraphML"),
    format(Kind::Dot, "dot", "topology.dot", "the topology for Graphviz"),
    format(Kind::Csv, "csv", "topology.csv", "the links as CSV"),
    format(Kind::Spec, "spec", "spec.fab", "the normalised spec, every `use` inlined"),
];

/// All artifacts, sorted by path, the manifest last.
pub fn artifacts(compiled: &Compiled, spec_text: &str, options: &[(String, String)]) -> Vec<Artifact> {
    let mut all = Vec::new();
    each_artifact(compiled, spec_text, options, &mut |artifact| {
        all.push(artifact);
        Ok::<(), std::convert::Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    all
}

/// Hands over the same artifacts one at a time, so that a large pod never has all of its tables in memory at once.
///
/// # Errors
/// The first one that `take` returns.
pub fn each_artifact<E>(
    compiled: &Compiled,
    spec_text: &str,
    options: &[(String, String)],
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    let mut parts: Vec<(String, Part<'_>)> = FORMATS.iter().flat_map(|format| parts(compiled, format.kind)).collect();
    parts.extend(self::parts(compiled, Kind::Inputs));
    parts.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut lines = Vec::with_capacity(parts.len());
    for (path, part) in parts {
        let artifact = Artifact { path, bytes: part.text(compiled, spec_text).into_bytes() };
        lines.push(manifest::Line::of(&artifact));
        take(artifact)?;
    }
    let text = manifest::json(&compiled.pod.name, spec_text, options, &lines);
    take(Artifact { path: "manifest.json".to_owned(), bytes: text.into_bytes() })
}

/// The files of one format, sorted by path; `None` if no format has this name.
pub fn one(name: &str, compiled: &Compiled, spec_text: &str) -> Option<Vec<Artifact>> {
    let format = FORMATS.iter().find(|format| format.name == name)?;
    let mut files: Vec<Artifact> = parts(compiled, format.kind)
        .into_iter()
        .map(|(path, part)| Artifact { path, bytes: part.text(compiled, spec_text).into_bytes() })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Some(files)
}

/// The path of a scenario's tables.
pub fn tables_path(scenario: &Scenario) -> String {
    if scenario.is_nominal() { "tables/nominal.json".to_owned() } else { format!("tables/fault-{}.json", scenario.file_stem()) }
}

/// One file still to be written: its format, and which one of that format's files it is.
struct Part<'c> {
    kind: Kind,
    at: usize,
    input: &'c str,
}

fn parts(compiled: &Compiled, kind: Kind) -> Vec<(String, Part<'_>)> {
    let pod = &compiled.pod;
    let part = |at| Part { kind, at, input: "" };
    match (kind, &pod.topology) {
        (Kind::ConfigDb, _) => {
            let path = |name: &str| format!("ocs/{}.config_db.json", file_stem(name));
            pod.ocses.iter().enumerate().map(|(at, ocs)| (path(&ocs.name), part(at))).collect()
        }
        (Kind::Tables, _) => {
            let routed = compiled.scenarios.iter().enumerate().filter(|(_, scenario)| scenario.routed.is_some());
            routed.map(|(at, scenario)| (tables_path(&scenario.scenario), part(at))).collect()
        }
        (Kind::Inputs, TopologyChoice::CrossConnects { text, .. }) => {
            vec![("inputs/ocs.json".to_owned(), Part { kind, at: 0, input: text })]
        }
        (Kind::Inputs, _) => Vec::new(),
        _ => FORMATS.iter().filter(|format| format.kind == kind).map(|format| (format.path.to_owned(), part(0))).collect(),
    }
}

impl Part<'_> {
    fn text(&self, compiled: &Compiled, spec_text: &str) -> String {
        match self.kind {
            Kind::Spec => spec_text.to_owned(),
            Kind::Inputs => self.input.to_owned(),
            Kind::Topology => topology::json(compiled),
            Kind::Ocs => ocs::json(compiled),
            Kind::ConfigDb => config_db::json(compiled, crate::ids::OcsId(self.at as u32)),
            Kind::Tables => {
                let scenario = &compiled.scenarios[self.at];
                let text = |routed: &RoutedScenario| tables_json(&routed.tables, &scenario.scenario.images, compiled.topology.symmetry());
                scenario.routed.as_ref().map_or_else(String::new, text)
            }
            Kind::Certificates => certificates::json(compiled),
            Kind::ReportJson => report_json::json(compiled),
            Kind::ReportTxt => terminal_report(compiled),
            Kind::ReportHtml => report_html::html(compiled),
            Kind::Graphml => graphml::xml(compiled),
            Kind::Dot => dot::dot(compiled),
            Kind::Csv => topology::csv(compiled),
        }
    }
}
