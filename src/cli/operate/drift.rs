//! `fabc drift`: compares the live switches with a build, and says what the difference means.

use crate::args::running::DriftArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::display;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::read_live;
use crate::operate::power::read_powers;
use fabc_base::diag::SourceMap;
use fabc_ir::{Drift, LightDrift, Meaning};
use fabc_model::Pod;
use fabc_pipeline::operate::{BuiltWiring, PodDrift};

/// `fabc drift`. Exit code 0 for no difference, 2 for a difference that leaves the pod connected, and 3 for a
/// disconnected pod.
///
/// # Errors
/// Exit code 1 if something cannot be read or does not fit.
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let PrintedDrift { drift, connected, is_weak } = print_drift(args, terminal).map_err(with_error_code)?;
    if !connected {
        let problem = format!("the surviving pod is disconnected into {} parts", drift.parts);
        return Err(DriverError::Drifted {
            problem,
            hint: "tables cannot connect parts without a fiber between them: set the missing cross-connects"
                .to_owned(),
        }
        .into());
    }
    if drift.meaning == Meaning::Same && drift.switches.is_empty() && !is_weak {
        return Ok(());
    }
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
}

/// A drift that was printed.
struct PrintedDrift {
    drift: Drift,
    /// Whether the surviving pod is connected.
    connected: bool,
    /// Whether some receiver gets less light than its budget.
    is_weak: bool,
}

/// Compares the switches and the light with the build, and prints what differs.
fn print_drift(args: &DriftArgs, terminal: Terminal) -> Result<PrintedDrift, Stop> {
    needs_directory(&args.directory)?;
    let built = BuiltWiring::read(DiskFolder::new(&args.directory))?;
    let pod = built.pod()?;
    let live = read_live(&args.live, pod, args.ports.as_deref())?;
    let PodDrift { drift, tables } = built.drift(&live, args.allow_pending)?;
    let (name, directory) = (&built.fabric.name, display(&args.directory));
    let light = match &args.power {
        Some(path) => {
            let powers = read_powers(path, pod, args.ports.as_deref())?;
            Some(built.light_drift(&live, &powers)?.ok_or_else(|| no_light(name))?)
        }
        None => None,
    };
    say_drift(
        pod,
        args.json,
        &|| fabc_emit::drift_json(name, pod, &drift),
        &|| fabc_emit::drift_text(name, pod, &drift, (&directory, tables.as_deref())),
        light.as_ref(),
        terminal,
    )?;
    let is_weak = light.is_some_and(|light| !light.weak.is_empty());
    Ok(PrintedDrift { connected: drift.parts == 1, drift, is_weak })
}

/// The error of a measured power where the spec gives no light.
pub(crate) fn no_light(fabric: &str) -> DriverError {
    DriverError::NoLight { fabric: fabric.to_owned() }
}

/// Prints a drift, with what measured light says.
pub(crate) fn say_drift(
    pod: &Pod,
    as_json: bool,
    json: &dyn Fn() -> String,
    text: &dyn Fn() -> String,
    light: Option<&LightDrift>,
    terminal: Terminal,
) -> Result<(), Stop> {
    match (as_json, light) {
        (true, None) => print_out(&json())?,
        (true, Some(light)) => print_out(&fabc_emit::with_light_drift(&json(), pod, light))?,
        (false, None) => terminal.say(&text())?,
        (false, Some(light)) => terminal.say(&(text() + &fabc_emit::light_drift_text(pod, light)))?,
    }
    Ok(())
}
