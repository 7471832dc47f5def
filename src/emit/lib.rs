//! Artifacts: one file per format, as `docs/artifacts.md` defines them.
//!
//! Comes in: a [`Compiled`] fabric and the text of its normalized spec. Goes out: paths and bytes; nothing
//! here touches a disk. Invariant: same input, same bytes. What was not compiled (tables before routing) is
//! left out or `null`, never invented.

mod availability;
mod certificates;
mod collective;
pub mod compiled;
mod config_db;
mod described;
mod design_space;
mod diff;
mod dot;
mod drift;
mod estimate;
mod external;
mod floor;
mod formula;
mod graphml;
mod json;
mod kept;
mod lines;
mod manifest;
mod measured;
mod network;
pub mod number;
mod ocs;
mod plan;
mod repair;
mod report_html;
mod report_json;
mod report_txt;
mod schedule;
mod schedule_bin;
mod schema;
mod simulation;
mod slices;
mod staged;
mod summary;
mod svg;
mod sweep;
mod tables;
mod tables_bin;
mod topology;

pub use availability::{
    AvailabilityAsked, KindAvailability, availability_json, availability_text, slices_availability_json,
    slices_availability_text,
};
pub use collective::{
    MscclFile, ProgramError, TRACE_MESSAGES, TraceFile, TraceTold, collective_chakra, collective_json,
    collective_msccl, collective_path, collective_trace, collectives_csv, collectives_json, collectives_text,
};
pub use described::described;
pub use diff::{diff_html, diff_json, diff_summary, diff_text};
pub use drift::{drift_json, drift_text, slices_drift_json, slices_drift_text};
pub use estimate::{
    TimeUnit, estimate_csv, estimate_json, estimate_text, estimates_csv, estimates_json, estimates_text,
};
pub use external::{EmitError, Take};
pub use kept::{kept_fault, kept_healthy, kept_simulation, shards_json};
pub use lines::Look;
pub use manifest::{ManifestLine, TOOL, manifest_json};
pub use plan::{cut_line, plan_json, plan_patches, plan_text};
pub use repair::{delta_json, repair_json, repair_text};
pub use report_txt::terminal_report;
pub use schedule::ChipPlans;
pub use schema::{SCHEMAS, Schema};
pub use simulation::{
    Compared, Finished, comparison_csv, comparison_text, finished_csv, finished_text, simulation_csv,
    simulation_json, simulation_path, simulation_svg, simulation_text,
};
pub use slices::{
    PLACEMENT, PlacedKind, PlacedPod, placed_artifacts, placed_contract, placed_text, slices_plan_json,
    slices_plan_text,
};
pub use staged::{each_staged, staged_text};
pub use sweep::{SweepTable, failed_json, sweep_csv, sweep_html, sweep_json, sweep_table_json, sweep_text};
pub use tables::{router_table_json, router_table_text, tables_json, tables_path};

use crate::compiled::{Compiled, CompiledPod, RoutedScenario, Wiring};
use external::External;
use fabc_base::ids::OcsId;
use fabc_ir::{Contract, ForwardingTables, PackedTables, Scenario, Symmetry};
use fabc_model::{DEMAND_INPUT, pairs_input, trace_input};
use fabc_model::{DemandShape, Fabric, Ocs, Plant, RoutingChoice, SonicConfig, file_stem};
use floor::{lines as floor_lines, rows as floor_rows, trade_off};

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
    TablesBin,
    Formula,
    Floor,
    Cables,
    Certificates,
    ReportJson,
    ReportTxt,
    ReportHtml,
    Graphml,
    Dot,
    Csv,
    Simulations,
    SimulationsCsv,
    Collectives,
    Schedule,
    ScheduleBin,
    Inputs,
    Demand,
    /// Only where `--emit` names it.
    External(External),
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
    format(Kind::TablesBin, "tables_bin", "tables/*.bin", "the same in a byte per entry (fabc.tables.bin/1)"),
    format(
        Kind::Formula,
        "formula",
        "formula.json",
        "what routers need to work out next hops, of `algebraic` (fabc.formula/1)",
    ),
    format(
        Kind::Floor,
        "floor",
        "floor.json",
        "which router stands in which cabinet, and where (fabc.floor/1)",
    ),
    format(Kind::Cables, "cables", "cables.csv", "the cables to be cut and laid, one per line"),
    format(
        Kind::Certificates,
        "certificates",
        "certificates.json",
        "flow, trees, channel lengths and ranks (fabc.certificates/1)",
    ),
    format(
        Kind::ReportJson,
        "report_json",
        "report.json",
        "metrics, bounds, scenarios, requires, passes (fabc.report/1)",
    ),
    format(Kind::ReportTxt, "report_txt", "report.txt", "the report as the terminal shows it"),
    format(
        Kind::ReportHtml,
        "report_html",
        "report.html",
        "the report with drawings, one self-contained page",
    ),
    format(Kind::Graphml, "graphml", "topology.graphml", "the topology as GraphML"),
    format(Kind::Dot, "dot", "topology.dot", "the topology for Graphviz"),
    format(Kind::Csv, "csv", "topology.csv", "the links as CSV"),
    format(
        Kind::Simulations,
        "simulations",
        "simulations/*.json",
        "what the simulations of the spec found (fabc.simulation/1)",
    ),
    format(Kind::SimulationsCsv, "simulations_csv", "simulations/*.csv", "the same, a row per run"),
    format(
        Kind::Collectives,
        "collectives",
        "collectives/*.json",
        "the schedules of the spec's collectives (fabc.collective/1)",
    ),
    format(
        Kind::Schedule,
        "schedule",
        "schedule.json",
        "when every chip sends which vector, of `scheduled` (fabc.schedule/1)",
    ),
    format(
        Kind::ScheduleBin,
        "schedule_bin",
        "schedule.bin",
        "the same in a few bytes per vector (fabc.schedule.bin/1)",
    ),
    format(Kind::Spec, "spec", "spec.fab", "the normalized spec, every `use` inlined"),
    format(
        Kind::External(External::TablesCsv),
        "tables_csv",
        "*/router_*.csv",
        "one CSV per router and scenario; only by --emit",
    ),
    format(
        Kind::External(External::OpensmLft),
        "opensm_lft",
        "nominal.lft",
        "forwarding tables for `opensm -R file -U`; only by --emit",
    ),
    format(
        Kind::External(External::OpensmSl2vl),
        "opensm_sl2vl",
        "nominal.sl2vl",
        "SL2VL tables as OpenSM dumps them, one lane per virtual channel; only by --emit",
    ),
    format(
        Kind::External(External::OpensmPathSl),
        "opensm_path_sl",
        "nominal.psl",
        "the service level of every path, for those tables; only by --emit",
    ),
    format(
        Kind::External(External::Ibnetdiscover),
        "ibnetdiscover",
        "topology.ibnetdiscover",
        "the pod as an InfiniBand subnet; only by --emit",
    ),
    format(
        Kind::External(External::OcsPorts),
        "ocs_ports",
        "ocs_ports.csv",
        "which face port is which port of a switch; only by --emit",
    ),
    format(
        Kind::External(External::TonsBundle),
        "tons_bundle",
        "<fabric>.*",
        "map, paths, nrl2, vcmat2 as TONS has them; only by --emit",
    ),
];

/// The option of a build whose tables are `fabc.tables.bin/1`; without it they are `fabc.tables/1`.
pub const BINARY_TABLES: (&str, &str) = ("tables", "binary");

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

/// Hands over the same artifacts one at a time, so that a large pod never has all of its tables in memory at
/// once.
///
/// # Errors
/// The first one that `take` returns.
pub fn each_artifact<E>(
    compiled: &Compiled,
    spec_text: &str,
    options: &[(String, String)],
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    // The option says in which of its two forms the tables are wanted.
    let binary = options.iter().any(|(name, value)| (name.as_str(), value.as_str()) == BINARY_TABLES);
    let wanted = FORMATS.iter().map(|format| format.kind).filter(|kind| !unwanted(binary).contains(kind));
    let mut parts: Vec<(String, Part<'_>)> = wanted.flat_map(|kind| parts(compiled, kind)).collect();
    parts.extend(self::parts(compiled, Kind::Inputs));
    parts.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut lines = Vec::with_capacity(parts.len());
    for (path, part) in parts {
        let artifact = Artifact { path, bytes: part.bytes(compiled, spec_text) };
        lines.push(ManifestLine::of(&artifact.path, &artifact.bytes));
        take(artifact)?;
    }
    let text = manifest_json(
        TOOL,
        &compiled.fabric.name,
        spec_text,
        Contract::of(&compiled.requires),
        options,
        &lines,
    );
    take(Artifact { path: "manifest.json".to_owned(), bytes: text.into_bytes() })
}

/// What is written in its other form.
fn unwanted(binary: bool) -> [Kind; 2] {
    if binary { [Kind::Tables, Kind::Schedule] } else { [Kind::TablesBin, Kind::ScheduleBin] }
}

/// Hands over what [`each_artifact`] does with or without [`BINARY_TABLES`], but neither the tables, whose
/// entries are not looked at, nor the manifest.
///
/// # Errors
/// The first one that `take` returns.
pub fn each_but_tables<E>(
    compiled: &Compiled,
    spec_text: &str,
    binary: bool,
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    let tables = [Kind::Tables, Kind::TablesBin];
    let kinds = FORMATS
        .iter()
        .map(|format| format.kind)
        .filter(|kind| !tables.contains(kind) && !unwanted(binary).contains(kind));
    let kinds = kinds.chain([Kind::Inputs]);
    for (path, part) in kinds.flat_map(|kind| parts(compiled, kind)) {
        take(Artifact { path, bytes: part.bytes(compiled, spec_text) })?;
    }
    Ok(())
}

/// The file of one scenario's tables, in either of its two forms.
pub fn tables_artifact(
    scenario: &Scenario,
    tables: &ForwardingTables,
    topology_symmetry: &Symmetry,
    binary: bool,
) -> Artifact {
    let path = tables_path(&scenario.name);
    if binary {
        let bytes = tables_bin::bytes(&PackedTables::pack(tables), &scenario.images, topology_symmetry);
        Artifact { path: path + ".bin", bytes }
    } else {
        Artifact {
            path: path + ".json",
            bytes: tables_json(tables, &scenario.images, topology_symmetry).into_bytes(),
        }
    }
}

/// The tables of a repair, in the form that fits their size.
pub fn repaired_tables(tables: &ForwardingTables) -> Artifact {
    let entries = tables.routers.iter().map(|entries| entries.len() as u64).sum::<u64>();
    if entries > LISTED_ENTRIES_IN_JSON {
        let bytes = tables_bin::bytes(&PackedTables::pack(tables), &[], &tables.symmetry);
        return Artifact { path: "tables.bin".to_owned(), bytes };
    }
    Artifact {
        path: "tables.json".to_owned(),
        bytes: tables_json(tables, &[], &tables.symmetry).into_bytes(),
    }
}

/// The copies of the files that a spec names, as a built directory has them: paths and texts.
pub fn inputs(fabric: &Fabric) -> Vec<(String, String)> {
    let matrix = matches!(fabric.demand.shape(), DemandShape::Matrix(_))
        .then(|| (DEMAND_INPUT.to_owned(), fabric.demand.csv()));
    let input = fabric.plant.input().map(|(path, text)| (path.to_owned(), text.to_owned()));
    let pairs = fabric
        .collectives
        .iter()
        .filter_map(|of| Some((pairs_input(&of.name), of.messages.as_ref()?.text.as_deref()?.to_owned())));
    let traces = fabric.simulations.iter().filter_map(|of| {
        let trace = of.parameters.details.trace.as_ref()?;
        Some((trace_input(&of.name), trace.text.to_string()))
    });
    matrix.into_iter().chain(input).chain(pairs).chain(traces).collect()
}

/// The files of one format, sorted by path; `None` if no format has this name.
pub fn artifacts_of_format(name: &str, compiled: &Compiled, spec_text: &str) -> Option<Vec<Artifact>> {
    let format = FORMATS.iter().find(|format| format.name == name)?;
    let mut files: Vec<Artifact> = parts(compiled, format.kind)
        .into_iter()
        .map(|(path, part)| Artifact { path, bytes: part.bytes(compiled, spec_text) })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Some(files)
}

/// A file about links alone, of a fabric that was only wired; `None` if the format needs more.
pub fn of_wiring(format: &Format, wiring: Wiring<'_>) -> Option<Artifact> {
    let bytes = format.is_of_links().then(|| links(format.kind, wiring).into_bytes())?;
    Some(Artifact { path: format.path.to_owned(), bytes })
}

/// The text of a file about links alone; empty of any other kind.
fn links(kind: Kind, wiring: Wiring<'_>) -> String {
    match (kind, wiring.pod()) {
        (Kind::Topology, None) => network::json(wiring),
        (Kind::Topology, Some(pod)) => topology::json(wiring, pod),
        (Kind::Graphml, None) => network::graphml(wiring),
        (Kind::Graphml, Some(pod)) => graphml::xml(wiring, pod),
        (Kind::Dot, None) => network::dot(wiring),
        (Kind::Dot, Some(pod)) => dot::dot(wiring, pod),
        (Kind::Csv, None) => network::csv(wiring),
        (Kind::Csv, Some(pod)) => topology::csv(wiring, pod),
        _ => String::new(),
    }
}

/// Refuses a format that could be written of what was compiled only in part.
///
/// # Errors
/// The first switch that `config_db` has no file of, unless the spec wants none for it and some for others.
pub fn refuse_unwritable_format(name: &str, compiled: &Compiled) -> Result<(), EmitError> {
    let (Some(pod), "config_db") = (compiled.fabric.pod(), name) else { return Ok(()) };
    let all_unwanted = pod.ocses.iter().all(|ocs| ocs.config_db == SonicConfig::Unwanted);
    let missing = |ocs: &&Ocs| ocs.config_db == SonicConfig::NoSides || all_unwanted;
    pod.ocses.iter().find(missing).map_or(Ok(()), |ocs| Err(EmitError::no_config_db(ocs)))
}

impl Format {
    /// Whether this format is written by [`each_chunk`], and never to the output directory.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External(_))
    }
    /// Whether it says who is wired to whom, and nothing else: [`of_wiring`] writes it.
    pub fn is_of_links(&self) -> bool {
        matches!(self.kind, Kind::Topology | Kind::Graphml | Kind::Dot | Kind::Csv)
    }
    /// Whether it needs tables, or what is found after them.
    pub fn is_after_routing(&self) -> bool {
        let of_routes = matches!(
            self.kind,
            Kind::Tables | Kind::TablesBin | Kind::Formula | Kind::Schedule | Kind::ScheduleBin
        );
        let of_runs = matches!(self.kind, Kind::Simulations | Kind::SimulationsCsv | Kind::Collectives);
        of_routes || of_runs || matches!(self.kind, Kind::External(external) if external.is_of_tables())
    }
    /// Whether it may be several files.
    pub fn is_several(&self) -> bool {
        self.path.contains('*')
    }
}

/// Refuses a format that never holds this fabric, whatever is found for it.
///
/// # Errors
/// Why not.
pub fn fits(format: &Format, fabric: &Fabric) -> Result<(), EmitError> {
    match format.kind {
        Kind::External(external) => external::fits(external, fabric),
        Kind::Formula if fabric.routing != RoutingChoice::Algebraic => Err(EmitError::NoFormula),
        _ => Ok(()),
    }
}

/// Writes an external format chunk by chunk; nothing if it is none, or needs tables that were not compiled.
///
/// # Errors
/// The pod does not fit the format ([`EmitError`]), or the first error that `take` returns.
pub fn each_chunk<E: From<EmitError>>(
    format: &Format,
    compiled: &Compiled,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    match format.kind {
        Kind::External(external) => external::each_chunk(external, compiled, take),
        _ => Ok(()),
    }
}

/// More entries than this, listed in all scenarios together, are written as `fabc.tables.bin/1`: in JSON they
/// would take about 200 MB.
pub const LISTED_ENTRIES_IN_JSON: u64 = 12_000_000;

/// The same of sends and receives of plans: about 60 MB.
const LISTED_SENDS_IN_JSON: u64 = 3_000_000;

/// Of how many listed entries JSON is written.
pub fn most_in_json(compiled: &Compiled) -> u64 {
    if schedule::exists(compiled) { LISTED_SENDS_IN_JSON } else { LISTED_ENTRIES_IN_JSON }
}

/// Table entries that the files of all scenarios list, or sends and receives that plans do.
pub fn listed_entries(compiled: &Compiled) -> u64 {
    let tables = compiled
        .scenarios
        .iter()
        .filter_map(|scenario| Some(scenario.routed.as_ref()?.tables.listed_entries()));
    tables.sum::<u64>() + schedule_bin::listed_entries(compiled)
}

/// One file still to be written: its format, and which one of that format's files it is.
struct Part<'c> {
    kind: Kind,
    at: usize,
    input: &'c str,
}

/// The file of a switch's configuration.
fn config_db_path(name: &str) -> String {
    format!("ocs/{}.config_db.json", file_stem(name))
}

fn parts(compiled: &Compiled, kind: Kind) -> Vec<(String, Part<'_>)> {
    let part = |at| Part { kind, at, input: "" };
    match (kind, &compiled.fabric.plant) {
        (Kind::Ocs | Kind::ConfigDb, Plant::Network(_)) | (Kind::External(_), _) => Vec::new(),
        (Kind::ConfigDb, Plant::Pod(pod)) => {
            let configured =
                pod.ocses.iter().enumerate().filter(|(_, ocs)| ocs.config_db.state_key().is_some());
            configured.map(|(at, ocs)| (config_db_path(&ocs.name), part(at))).collect()
        }
        (Kind::Tables | Kind::TablesBin, _) => {
            let ending = if kind == Kind::Tables { "json" } else { "bin" };
            let routed =
                compiled.scenarios.iter().enumerate().filter(|(_, scenario)| scenario.routed.is_some());
            routed
                .map(|(at, scenario)| {
                    (format!("{}.{ending}", tables_path(&scenario.scenario.name)), part(at))
                })
                .collect()
        }
        (Kind::Inputs, plant) => {
            let matrix = matches!(compiled.fabric.demand.shape(), DemandShape::Matrix(_));
            let demand =
                matrix.then(|| (DEMAND_INPUT.to_owned(), Part { kind: Kind::Demand, at: 0, input: "" }));
            let input =
                plant.input().map(|(path, text)| (path.to_owned(), Part { kind, at: 0, input: text }));
            let pairs = compiled.fabric.collectives.iter().filter_map(|of| {
                let text = of.messages.as_ref()?.text.as_deref()?;
                Some((pairs_input(&of.name), Part { kind, at: 0, input: text }))
            });
            let traces = compiled.fabric.simulations.iter().filter_map(|of| {
                let trace = of.parameters.details.trace.as_ref()?;
                Some((trace_input(&of.name), Part { kind, at: 0, input: &trace.text }))
            });
            demand.into_iter().chain(input).chain(pairs).chain(traces).collect()
        }
        (Kind::Formula, _) if !formula::exists(compiled) => Vec::new(),
        (Kind::Floor | Kind::Cables, _) if compiled.placement.is_none() => Vec::new(),
        (Kind::Schedule | Kind::ScheduleBin, _) if !schedule::exists(compiled) => Vec::new(),
        // All of them stand in one file.
        (Kind::Collectives, _) if schedule::exists(compiled) => Vec::new(),
        (Kind::Simulations | Kind::SimulationsCsv, _) => {
            let ending = if kind == Kind::Simulations { "json" } else { "csv" };
            let run = compiled.fabric.simulations.iter().zip(&compiled.simulations).enumerate();
            let run = run.filter(|(_, (_, reports))| !reports.is_empty());
            run.map(|(at, (simulation, _))| {
                (format!("{}.{ending}", simulation_path(&simulation.name)), part(at))
            })
            .collect()
        }
        (Kind::Collectives, _) => {
            let all = compiled.fabric.collectives.iter().zip(&compiled.collectives);
            let outcomes =
                all.flat_map(|(declared, result)| result.scenarios.iter().map(move |of| (declared, of)));
            outcomes
                .enumerate()
                .map(|(at, (declared, of))| (collective_path(&declared.name, &of.row.scenario), part(at)))
                .collect()
        }
        _ => FORMATS
            .iter()
            .filter(|format| format.kind == kind)
            .map(|format| (format.path.to_owned(), part(0)))
            .collect(),
    }
}

impl Part<'_> {
    fn bytes(&self, compiled: &Compiled, spec_text: &str) -> Vec<u8> {
        let scenario = compiled.scenarios.get(self.at);
        match (self.kind, scenario.and_then(|scenario| Some((scenario, scenario.routed.as_ref()?)))) {
            (Kind::TablesBin, Some((scenario, routed))) => {
                tables_bin::bytes(&routed.tables, &scenario.scenario.images, compiled.topology.symmetry())
            }
            _ if self.kind == Kind::ScheduleBin => schedule_bin::bytes(compiled),
            _ => self.text(compiled, spec_text).into_bytes(),
        }
    }

    fn text(&self, compiled: &Compiled, spec_text: &str) -> String {
        match self.kind {
            Kind::Spec => spec_text.to_owned(),
            Kind::Inputs => self.input.to_owned(),
            Kind::Demand => compiled.fabric.demand.csv(),
            Kind::Topology | Kind::Graphml | Kind::Dot | Kind::Csv => links(self.kind, compiled.wiring()),
            Kind::Ocs => {
                let (pod, CompiledPod { cross_connects, .. }) = compiled.of_pod();
                ocs::json(pod, &cross_connects.mirrors())
            }
            Kind::ConfigDb => {
                let (pod, CompiledPod { cross_connects, .. }) = compiled.of_pod();
                config_db::json(pod, OcsId(self.at as u32), &cross_connects.mirror(OcsId(self.at as u32)))
            }
            Kind::Tables => {
                let scenario = &compiled.scenarios[self.at];
                let text = |routed: &RoutedScenario| {
                    tables_json(
                        &routed.tables.unpacked(),
                        &scenario.scenario.images,
                        compiled.topology.symmetry(),
                    )
                };
                scenario.routed.as_ref().map_or_else(String::new, text)
            }
            Kind::TablesBin | Kind::ScheduleBin | Kind::External(_) => String::new(),
            Kind::Formula => formula::json(compiled),
            Kind::Floor => floor::json(compiled),
            Kind::Cables => floor::cables(compiled),
            Kind::Schedule => schedule::json(compiled),
            Kind::Certificates => certificates::json(compiled),
            Kind::ReportJson => report_json::json(compiled),
            Kind::ReportTxt => terminal_report(compiled, Look::FILE),
            Kind::ReportHtml => report_html::html(compiled),
            Kind::Simulations => {
                let name = &compiled.fabric.simulations[self.at].name;
                simulation_json(
                    &compiled.fabric,
                    &compiled.topology,
                    Some(name),
                    &compiled.simulations[self.at],
                )
            }
            Kind::Collectives => {
                let of = compiled.collectives.iter().flat_map(|result| &result.scenarios).nth(self.at);
                of.map_or_else(String::new, |of| {
                    collective_json(&compiled.fabric.name, &of.row.scenario, &of.schedule)
                })
            }
            Kind::SimulationsCsv => {
                simulation_csv(&compiled.fabric, &compiled.topology, &compiled.simulations[self.at])
            }
        }
    }
}
