//! `fabc drift`: what the switches do, beside what a build set, and what the difference comes to.

use crate::args::running::DriftArgs;
use crate::io::errors::{DriverError, Stop, as_error, convicted};
use crate::io::read::{self, display};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::down::{AsBuilt, Down, tolerated_fault};
use crate::operate::live::live;
use crate::operate::switches::of_pod;
use crate::operate::tables::file_of;
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadWiring};
use fabc_ir::{Drift, Live, Meaning, SwitchDrift};
use fabc_model::Pod;
use fabc_passes::drift;
use fabc_pipeline::library::Loaded;

/// `fabc drift`. Exit code 0: the same; 2: not the same, and what is left is whole; 3: it is in parts.
///
/// # Errors
/// Something cannot be read or does not fit (exit code 1).
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let (drift, whole) = judged(args, terminal).map_err(as_error)?;
    if !whole {
        let what = format!("what is left of the pod is in {} parts", drift.parts);
        return Err(DriverError::Drifted {
            what,
            hint: "no tables join what no fiber joins: set what is missing".to_owned(),
        }
        .into());
    }
    let exit_code =
        if drift.meaning == Meaning::Same && drift.switches.is_empty() { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Compares, and prints; whether what is left is whole.
fn judged(args: &DriftArgs, terminal: Terminal) -> Result<(Drift, bool), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(&args.directory)?;
    let pod = of_pod(&fabric)?;
    let mut files = Files::new();
    for path in ["topology.json", "ocs.json"] {
        files.insert(path.to_owned(), read::bytes(&args.directory.join(path), ARTIFACT_BYTES)?);
    }
    let ReadWiring { topology, cross_connects } =
        fabc_check::read_wiring(&files, &fabric).map_err(|error| convicted(error, &sources))?;
    let as_built = AsBuilt { fabric: &fabric, topology: &topology, cross_connects: cross_connects.as_ref() };
    let live = live(&args.live, pod, args.ports.as_deref())?;
    let (switches, down) = compared(as_built, pod, &live, args.allow_pending);
    let names = down.names(as_built);
    let scenario = tolerated_fault(as_built, &names);
    let tables = scenario
        .as_ref()
        .and_then(|(scenario, _)| file_of(&args.directory, &fabc_emit::tables_path(&scenario.name)));
    let meaning = match scenario {
        _ if switches.iter().any(|switch| !switch.extra.is_empty()) => Meaning::Foreign(names),
        _ if names.is_empty() => Meaning::Same,
        Some((_, name)) if tables.is_some() => Meaning::Scenario(name),
        _ => Meaning::Repair(names),
    };
    let parts = fabc_check::parts(&down.scene(as_built)).len();
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
    let whole = drift.parts == 1;
    Ok((drift, whole))
}

/// The switches that differ, and what is down for that; `soon` takes for set what is pending.
pub(crate) fn compared(
    as_built: AsBuilt<'_>,
    pod: &Pod,
    live: &Live,
    soon: bool,
) -> (Vec<SwitchDrift>, Down) {
    let Some(cross_connects) = as_built.cross_connects else { return (Vec::new(), Down::default()) };
    let built = cross_connects.mirrors();
    let switches = drift::differences(pod, &built, live, soon);
    let down = Down::by_dark(as_built, &drift::dark(&built, &switches));
    (switches, down)
}
