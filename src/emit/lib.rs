//! Writes all artifacts, with one source file per format. `docs/artifacts.md` defines the formats.
//!
//! Input: a [`compiled::CompiledFabric`] and the text of its normalized spec. Output: paths and bytes.
//! Nothing here touches a disk. Invariant: equal inputs give equal bytes. Parts that were not compiled, such
//! as tables before routing, are left out or `null`.

mod availability;
mod cache;
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
mod formats;
mod formula;
mod graphml;
mod host_blocks;
mod job;
mod json;
mod kept;
mod kept_plan;
mod light;
mod lines;
mod manifest;
mod measured;
mod network;
pub mod number;
mod ocs;
mod operate;
mod pending;
mod plan;
mod repair;
mod report_fields;
mod report_html;
mod report_json;
mod report_txt;
mod route;
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
    AvailabilityInput, KindAvailability, availability_json, availability_text, slices_availability_json,
    slices_availability_text,
};
pub use cache::{CacheState, CheckedResults, cache_json};
pub use collective::{
    ChakraSettings, ClosedTrace, MscclFile, MscclppFile, ProgramError, TRACE_MESSAGES, TraceFile,
    TraceSettings, collective_chakra, collective_closed_trace, collective_json, collective_msccl,
    collective_mscclpp, collective_path, collective_perfetto, collective_trace, collectives_csv,
    collectives_json, collectives_text, flits_of_bits,
};
pub use described::described_text;
pub use diff::{diff_html, diff_json, diff_summary, diff_text};
pub use drift::{
    drift_json, drift_text, light_drift_text, slices_drift_json, slices_drift_text, with_light_drift,
};
pub use estimate::{
    PrintedUnit, estimate_csv, estimate_json, estimate_text, estimates_csv, estimates_json, estimates_text,
};
pub use external::{EmitError, HostChips, HostNaming, LaunchedJob, LaunchedJobs, Scheduled, Take};
pub use formats::{FORMATS, Format};
pub use job::{JobEstimate, LeastTime, job_estimate_json, job_estimate_text, job_json, job_text};
pub use kept::{kept_fault, kept_healthy, kept_simulation, kept_topology, queue_json, shards_json};
pub use kept_plan::{collective_files, job_files, kept_plan, schedule_files};
pub use lines::Look;
pub use manifest::{ManifestEntry, TOOL, change_manifest_json, manifest_json};
pub use operate::{
    CableResponse, DAY_MS, LossCause, MONTH_MS, MonthBand, NightWindow, OperatePolicy, OperateWork,
    OperatedKind, OperatedPolicy, OperatedYears, PartKind, PartRepairs, PerPart, PolicyCounts, SampledMean,
    SwapTime, TableChanges, WorstMonth, YearsRequest, operate_html, operate_json, operate_text,
};
pub use pending::input_copies;
pub use plan::{cut_line, plan_json, plan_patches, plan_text};
pub use repair::{delta_json, repair_files, repair_json, repair_text};
pub use report_fields::{ReportField, find_report_fields, report_fields};
pub use report_html::paged_tables;
pub use report_txt::terminal_report;
pub use route::PrintedRoutes;
pub use schedule::ChipPlans;
pub use schema::{SCHEMAS, Schema};
pub use simulation::{
    ComparedScenario, FinishedScenario, MotionRow, comparison_csv, comparison_json, comparison_text,
    finished_csv, finished_json, finished_text, motion_json, motion_text, simulation_csv, simulation_json,
    simulation_path, simulation_svg, simulation_text,
};
pub use slices::{
    PLACEMENT, PlacedKind, PlacedPod, placed_artifacts, placed_contract, placed_text, placement_json,
    slices_plan_json, slices_plan_text,
};
pub use staged::{each_staged, staged_text};
pub use summary::measured as measured_text;
pub use sweep::{SweepTable, failed_json, sweep_csv, sweep_html, sweep_json, sweep_table_json, sweep_text};
use tables::group_tables_json;
pub use tables::{
    router_groups_json, router_groups_text, router_table_json, router_table_text, tables_json, tables_path,
};

use crate::compiled::{CompiledFabric, WiredLinks};
use external::External;
use fabc_ir::{ContractState, ForwardingTables, GroupTables, PackedTables, Scenario, Symmetry};
use fabc_model::{Fabric, Ocs, RoutingChoice, SonicConfig, Spreading};
use formats::FormatKind;
use pending::{PendingFile, links_text, pending_files};

/// A file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// Path below the fabric's output directory, with `/`.
    pub path: String,
    /// Contents of the file, in bytes.
    pub bytes: Vec<u8>,
}

/// The option of a build that writes tables as `fabc.tables.bin/1` instead of `fabc.tables/1`.
pub const BINARY_TABLES: (&str, &str) = ("tables", "binary");

/// All artifacts, sorted by path, with the manifest last.
pub fn artifacts(compiled: &CompiledFabric, spec_text: &str, options: &[(String, String)]) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    each_artifact(compiled, spec_text, options, &mut |artifact| {
        artifacts.push(artifact);
        Ok::<(), std::convert::Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    artifacts
}

/// Hands over all artifacts one at a time, so that the tables of a large pod are never all in memory at once.
///
/// # Errors
/// The first error that `take` returns.
pub fn each_artifact<E>(
    compiled: &CompiledFabric,
    spec_text: &str,
    options: &[(String, String)],
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    let binary = options.iter().any(|(name, value)| (name.as_str(), value.as_str()) == BINARY_TABLES);
    let kinds =
        FORMATS.iter().map(|format| format.kind).filter(|kind| !unwanted_forms(binary).contains(kind));
    let mut files: Vec<(String, PendingFile<'_>)> =
        kinds.flat_map(|kind| pending_files(compiled, kind)).collect();
    files.extend(pending_files(compiled, FormatKind::Inputs));
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut entries = Vec::with_capacity(files.len());
    for (path, file) in files {
        let artifact = Artifact { path, bytes: file.bytes(compiled, spec_text) };
        entries.push(ManifestEntry::for_file(&artifact.path, &artifact.bytes));
        take(artifact)?;
    }
    let text = manifest_json(
        TOOL,
        &compiled.fabric.name,
        spec_text,
        ContractState::of_outcomes(&compiled.requires),
        options,
        &entries,
    );
    take(Artifact { path: "manifest.json".to_owned(), bytes: text.into_bytes() })
}

/// The formats that are replaced by their binary or text form.
fn unwanted_forms(binary: bool) -> [FormatKind; 2] {
    if binary {
        [FormatKind::Tables, FormatKind::Schedule]
    } else {
        [FormatKind::TablesBin, FormatKind::ScheduleBin]
    }
}

/// Hands over the artifacts of [`each_artifact`] without tables and manifest. It does not read the entries of
/// tables. `binary` stands for the option [`BINARY_TABLES`].
///
/// # Errors
/// The first error that `take` returns.
pub fn each_but_tables<E>(
    compiled: &CompiledFabric,
    spec_text: &str,
    binary: bool,
    take: &mut dyn FnMut(Artifact) -> Result<(), E>,
) -> Result<(), E> {
    let tables = [FormatKind::Tables, FormatKind::TablesBin];
    let kinds = FORMATS
        .iter()
        .map(|format| format.kind)
        .filter(|kind| !tables.contains(kind) && !unwanted_forms(binary).contains(kind));
    let kinds = kinds.chain([FormatKind::Inputs]);
    for (path, file) in kinds.flat_map(|kind| pending_files(compiled, kind)) {
        take(Artifact { path, bytes: file.bytes(compiled, spec_text) })?;
    }
    Ok(())
}

/// The file of one scenario's tables, as JSON or in the binary form.
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

/// The file of one scenario's group tables. Ranges of destinations are few, so there is no binary form.
pub fn group_tables_artifact(scenario: &Scenario, tables: &GroupTables, spreading: Spreading) -> Artifact {
    let path = tables_path(&scenario.name) + ".json";
    Artifact { path, bytes: group_tables_json(tables, spreading, &scenario.images).into_bytes() }
}

/// The file of a repair's tables. Large tables have the binary form.
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

/// The files of one format, sorted by path; `None` if no format has this name.
pub fn artifacts_of_format(name: &str, compiled: &CompiledFabric, spec_text: &str) -> Option<Vec<Artifact>> {
    let format = FORMATS.iter().find(|format| format.name == name)?;
    let mut files: Vec<Artifact> = pending_files(compiled, format.kind)
        .into_iter()
        .map(|(path, file)| Artifact { path, bytes: file.bytes(compiled, spec_text) })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Some(files)
}

/// A file that holds only links, for a fabric that is only wired. `None` if the format needs more than links.
pub fn wiring_artifact(format: &Format, wiring: WiredLinks<'_>) -> Option<Artifact> {
    let bytes = format.holds_only_links().then(|| links_text(format.kind, wiring).into_bytes())?;
    Some(Artifact { path: format.path.to_owned(), bytes })
}

/// Refuses a format that this fabric could fill only in part.
///
/// # Errors
/// [`EmitError::NoConfigDb`] for the first switch without a `config_db` file. Switches for which the spec
/// wants no file do not count, unless it wants none at all.
pub fn refuse_unwritable_format(name: &str, compiled: &CompiledFabric) -> Result<(), EmitError> {
    let (Some(pod), "config_db") = (compiled.fabric.pod(), name) else { return Ok(()) };
    let all_unwanted = pod.ocses.iter().all(|ocs| ocs.config_db == SonicConfig::Unwanted);
    let missing = |ocs: &&Ocs| ocs.config_db == SonicConfig::NoSides || all_unwanted;
    pod.ocses.iter().find(missing).map_or(Ok(()), |ocs| Err(EmitError::no_config_db(ocs)))
}

/// Refuses a format that cannot hold this fabric, before it is compiled.
///
/// # Errors
/// [`EmitError::NoFormula`] if the routing has no formula, [`EmitError::NeedsOnePath`] if the format has one
/// port per destination and the tables have groups, or the [`EmitError`] of the external format.
pub fn check_fabric(format: &Format, fabric: &Fabric) -> Result<(), EmitError> {
    match format.kind {
        FormatKind::TablesBin if fabric.routing.has_many_paths() => {
            Err(EmitError::NeedsOnePath { format: format.name, routing: fabric.routing.name() })
        }
        FormatKind::External(external) if external.needs_one_path() && fabric.routing.has_many_paths() => {
            Err(EmitError::NeedsOnePath { format: format.name, routing: fabric.routing.name() })
        }
        FormatKind::External(external) => external::check_fabric(external, fabric),
        FormatKind::Formula if fabric.routing != RoutingChoice::Algebraic => Err(EmitError::NoFormula),
        _ => Ok(()),
    }
}

/// Writes an external format chunk by chunk. Writes nothing for other formats, or if the format needs tables
/// that were not compiled.
///
/// # Errors
/// An [`EmitError`] if the fabric does not fit the format, or the first error that `take` returns.
pub fn each_chunk<E: From<EmitError>>(
    format: &Format,
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    check_fabric(format, &compiled.fabric)?;
    match format.kind {
        FormatKind::External(external) => external::each_chunk(external, compiled, take),
        _ => Ok(()),
    }
}

/// Refuses a format about jobs or for schedulers if these names of hosts do not fit the fabric. Other formats
/// name no hosts.
///
/// # Errors
/// The [`EmitError`] of the format.
pub fn check_hosts(format: &Format, fabric: &Fabric, naming: &HostNaming) -> Result<(), EmitError> {
    match format.kind {
        FormatKind::External(External::Launch(file)) => file.check_fabric(fabric, naming),
        FormatKind::External(External::Scheduler(file)) => file.check_fabric(fabric, naming),
        _ => Ok(()),
    }
}

/// Writes a format for schedulers chunk by chunk. Writes nothing for other formats.
///
/// # Errors
/// An [`EmitError`] if the fabric or the names of hosts do not fit the format, or the first error that `take`
/// returns.
pub fn each_scheduler_chunk<E: From<EmitError>>(
    format: &Format,
    scheduled: Scheduled<'_>,
    naming: &HostNaming,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    match format.kind {
        FormatKind::External(External::Scheduler(file)) => file.write(scheduled, naming, take),
        _ => Ok(()),
    }
}

/// Writes a format about jobs chunk by chunk. Writes nothing for other formats. Returns notes about what the
/// format leaves out.
///
/// # Errors
/// An [`EmitError`] if the jobs or the names of hosts do not fit the format, or the first error that `take`
/// returns.
pub fn each_launch_chunk<E: From<EmitError>>(
    format: &Format,
    launched: &LaunchedJobs<'_>,
    take: &mut Take<'_, E>,
) -> Result<Vec<String>, E> {
    match format.kind {
        FormatKind::External(External::Launch(file)) => file.write(launched, take),
        _ => Ok(Vec::new()),
    }
}

/// Maximum table entries of all scenarios in JSON, about 200 MB. More entries are written as
/// `fabc.tables.bin/1`.
pub const LISTED_ENTRIES_IN_JSON: u64 = 12_000_000;

/// Maximum sends and receives of plans in JSON, about 60 MB.
const LISTED_SENDS_IN_JSON: u64 = 3_000_000;

/// The maximum number of listed entries that are written as JSON.
pub fn json_entry_limit(compiled: &CompiledFabric) -> u64 {
    if schedule::exists(compiled) { LISTED_SENDS_IN_JSON } else { LISTED_ENTRIES_IN_JSON }
}

/// Number of table entries that the files of all scenarios list, or of sends and receives that plans list.
pub fn listed_entries(compiled: &CompiledFabric) -> u64 {
    let tables = compiled
        .scenarios
        .iter()
        .filter_map(|scenario| Some(scenario.routed.as_ref()?.tables.listed_entries()));
    tables.sum::<u64>() + schedule_bin::listed_entries(compiled)
}
