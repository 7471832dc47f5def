//! `fabc drift`: compares the live switches with a build, and says what the difference means.

use crate::args::running::DriftArgs;
use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted, with_error_code};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::down::{AsBuilt, DownParts, tolerated_fault};
use crate::operate::live::read_live;
use crate::operate::switches::pod_of;
use crate::operate::tables::tables_file;
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadWiring};
use fabc_ir::{Drift, LiveSwitches, Meaning, SwitchDrift};
use fabc_model::Pod;
use fabc_passes::drift;
use fabc_pipeline::library::Loaded;

/// `fabc drift`. Exit code 0 for no difference, 2 for a difference that leaves the pod connected, and 3 for a
/// disconnected pod.
///
/// # Errors
/// Exit code 1 if something cannot be read or does not fit.
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let (drift, connected) = print_drift(args, terminal).map_err(with_error_code)?;
    if !connected {
        let problem = format!("the surviving pod is disconnected into {} parts", drift.parts);
        return Err(DriverError::Drifted {
            problem,
            hint: "tables cannot connect parts without a fiber between them: set the missing cross-connects"
                .to_owned(),
        }
        .into());
    }
    let exit_code =
        if drift.meaning == Meaning::Same && drift.switches.is_empty() { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Compares and prints. Also returns whether the surviving pod is connected.
fn print_drift(args: &DriftArgs, terminal: Terminal) -> Result<(Drift, bool), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(&args.directory)?;
    let pod = pod_of(&fabric)?;
    let mut files = Files::new();
    for path in ["topology.json", "ocs.json"] {
        files.insert(path.to_owned(), read::read_bytes(&args.directory.join(path), ARTIFACT_BYTES)?);
    }
    let ReadWiring { topology, cross_connects } =
        fabc_check::read_wiring(&files, &fabric).map_err(|error| convicted(error, &sources))?;
    let as_built = AsBuilt { fabric: &fabric, topology: &topology, cross_connects: cross_connects.as_ref() };
    let live = read_live(&args.live, pod, args.ports.as_deref())?;
    let (switches, down) = drifted_switches(as_built, pod, &live, args.allow_pending);
    let names = down.names(as_built);
    let scenario = tolerated_fault(as_built, &names);
    let tables = scenario
        .as_ref()
        .and_then(|(scenario, _)| tables_file(&args.directory, &fabc_emit::tables_path(&scenario.name)));
    let meaning = match scenario {
        _ if switches.iter().any(|switch| !switch.extra.is_empty()) => Meaning::Foreign(names),
        _ if names.is_empty() => Meaning::Same,
        Some((_, name)) if tables.is_some() => Meaning::Scenario(name),
        _ => Meaning::Repair(names),
    };
    let parts = fabc_check::connected_parts(&down.scene(as_built)).len();
    let drift = Drift { switches, meaning, parts };
    let directory = display(&args.directory);
    match args.json {
        true => print_out(&fabc_emit::drift_json(&fabric.name, pod, &drift))?,
        false => terminal.say(&fabc_emit::drift_text(
            &fabric.name,
            pod,
            &drift,
            (&directory, tables.as_deref()),
        ))?,
    }
    let connected = drift.parts == 1;
    Ok((drift, connected))
}

/// The switches that differ, and the parts that are down because of it. With `soon`, pending cross-connects
/// count as set.
pub(crate) fn drifted_switches(
    as_built: AsBuilt<'_>,
    pod: &Pod,
    live: &LiveSwitches,
    soon: bool,
) -> (Vec<SwitchDrift>, DownParts) {
    let Some(cross_connects) = as_built.cross_connects else { return (Vec::new(), DownParts::default()) };
    let built = cross_connects.mirrors();
    let switches = drift::differences(pod, &built, live, soon);
    let down = DownParts::by_dark(as_built, &drift::dark(&built, &switches));
    (switches, down)
}
