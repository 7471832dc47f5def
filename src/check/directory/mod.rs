//! Verifies a written directory from its files alone.
//!
//! Input: the bytes of every file, and the fabric that `spec.fab` resolves to. Output: what was verified, or
//! every contradiction. Hashes prove nothing to a reader who does not trust the writer. Therefore everything
//! that the files claim is recomputed.

mod bounds;
mod certificates;
mod collectives;
mod comparison;
mod contents;
mod files;
mod floor;
mod formula;
mod inputs;
mod jobs;
mod light;
mod manifest;
mod network;
mod plans;
mod proved;
mod read;
mod read_only;
mod report;
mod scenario;
mod scheduled;
mod simulations;
mod stated;
mod switches;
mod tables;
mod topology;

use super::CheckError;
use crate::faults::{ToleratedFault, tolerated_faults};
pub use collectives::ProvedSchedule;
use fabc_model::Fabric;
pub use files::Files;
pub use files::{CERTIFICATES, MANIFEST, REPORT, SPEC};
use files::{FLOOR, FORMULA, LIGHT, OCS, SCHEDULE, SCHEDULE_BIN, TOPOLOGY};
use inputs::{UNNAMED_INPUTS, named_inputs};
pub use light::verify_light_file;
pub use plans::{prove_job_files, prove_schedules};
use proved::FlowInterval;
pub use proved::{Extent, ProvedDirectory, ProvedScenario, ScenarioProof, TableVisitor, VisitedTables};
pub use read_only::{
    ReadScenario, ReadScene, ReadSimulated, ReadWiring, read_scenario, read_scene, read_simulated,
    read_unrouted, read_wiring, scenario_names,
};
pub use stated::{StatedClaims, StatedTradeOff};
use std::collections::BTreeSet;
pub use tables::read_tables;

/// Verifies a directory: its files, the settings of every switch, the tables of every scenario, every proof
/// and every number.
///
/// `fabric` is what the directory's own `spec.fab` resolves to.
///
/// # Errors
/// Every conviction. Whatever depends on a convicted value is not verified. A broken `require` is an error
/// here, even if the report admits it.
pub fn verify_directory(files: &Files, fabric: &Fabric) -> Result<Extent, Vec<CheckError>> {
    let proved = prove_directory(files, fabric, &|_, _, _| Ok(()))?;
    if proved.broken.is_empty() { Ok(proved.extent) } else { Err(proved.broken) }
}

/// As [`verify_directory`], and returns what was proved. `visit_tables` is called with the tables of each
/// scenario in turn.
///
/// # Errors
/// As [`verify_directory`], and those of `visit_tables`.
pub fn prove_directory(
    files: &Files,
    fabric: &Fabric,
    visit_tables: &TableVisitor<'_>,
) -> Result<ProvedDirectory, Vec<CheckError>> {
    let (build, mut errors) = manifest::verify_manifest(files, fabric);
    // Where links or chips fail, only the topology tells which ones exist, and which faults are images of
    // which.
    let known_scenarios =
        tolerated_faults(fabric, || topology::read_topology(files, fabric).map(|(topology, _)| topology))
            .map_err(|error| vec![error]);
    let (routed, only_hashed) =
        match known_scenarios.and_then(|scenarios| known_files(files, fabric, &scenarios)) {
            Ok(known_files_result) => known_files_result,
            Err(more) => {
                errors.extend(more);
                return Err(errors);
            }
        };
    match contents::prove_contents(files, fabric, routed, visit_tables) {
        Ok((_, contract)) if !["", contract].contains(&build.contract.as_str()) => {
            let violation = format!("says `{}`, but it is {contract}", build.contract);
            errors.push(read::contradiction(MANIFEST, "contract", violation));
            Err(errors)
        }
        Ok((mut proved, _)) if errors.is_empty() => {
            proved.extent.only_hashed = only_hashed;
            Ok(ProvedDirectory { tool: build.tool, options: build.options, ..proved })
        }
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// Verifies that tables and switches have exactly the files that they need. Returns whether there are
/// tables, and the files that are only hashed.
fn known_files(
    files: &Files,
    fabric: &Fabric,
    scenarios: &[ToleratedFault],
) -> Result<(bool, Vec<String>), Vec<CheckError>> {
    let json: BTreeSet<String> = scenarios.iter().map(|scenario| scenario.tables_path() + ".json").collect();
    let bin: BTreeSet<String> = json.iter().map(|path| path.replace(".json", ".bin")).collect();
    // All scenarios have the form of the healthy fabric.
    let tables = if files.contains_key("tables/nominal.bin") { bin } else { json };
    let switches = fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter());
    let switches: BTreeSet<String> =
        switches.filter(|ocs| switches::has_config(ocs)).map(switches::config_path).collect();
    let inputs: Vec<_> = named_inputs(fabric).into_iter().map(|(path, _)| path).collect();
    let routed = files.keys().any(|path| path.starts_with("tables/"));
    let mut errors = Vec::new();
    let mut report = |path: &str, violation: &str| {
        errors.push(CheckError::Files { path: path.to_owned(), violation: violation.to_owned() })
    };
    for path in switches.iter().chain(if routed { Some(&tables) } else { None }.into_iter().flatten()) {
        if !files.contains_key(path) {
            report(path, "is missing");
        }
    }
    let mut only_hashed = Vec::new();
    for path in files.keys() {
        if tables.contains(path) || switches.contains(path) {
            continue;
        }
        if path.starts_with("tables/") && (path.ends_with(".json") || path.ends_with(".bin")) {
            report(path, "belongs to no scenario of the spec, or is not in the form of the other tables");
        } else if path.starts_with("ocs/") {
            report(path, "belongs to no switch that the spec declares");
        } else if path.starts_with("inputs/") {
            // Input files of the spec are read with the spec. A copy of any other file would claim something
            // unrelated.
            if !inputs.iter().any(|input| input == path) {
                report(
                    path,
                    UNNAMED_INPUTS
                        .iter()
                        .find(|(input, _)| input == path)
                        .map_or("is not a file that the spec names", |(_, violation)| violation),
                );
            }
        } else if path == OCS && fabric.pod().is_none() {
            report(path, "does not belong here: the network has no switches");
        } else if [SCHEDULE, SCHEDULE_BIN].contains(&path.as_str()) && !fabric.routing.is_scheduled() {
            report(path, "does not belong here: this network has forwarding tables");
        } else if path.starts_with("tables/") && fabric.routing.is_scheduled() {
            report(path, "does not belong here: a scheduled network has no forwarding tables");
        } else if path == FORMULA && routed && formula::has_formula(fabric)
            || path == FLOOR && fabric.floor.is_some()
        {
            continue;
        } else if ![MANIFEST, TOPOLOGY, OCS, CERTIFICATES, REPORT, SPEC].contains(&path.as_str()) {
            only_hashed.push(path.clone());
        }
    }
    if errors.is_empty() { Ok((routed, only_hashed)) } else { Err(errors) }
}
