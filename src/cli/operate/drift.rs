//! `fabc drift`: compares the live switches with a build, and says what the difference means.

use crate::args::running::DriftArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::display;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::read_live;
use fabc_base::diag::SourceMap;
use fabc_ir::{Drift, Meaning};
use fabc_pipeline::operate::{BuiltWiring, PodDrift};

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
    needs_directory(&args.directory)?;
    let built = BuiltWiring::read(DiskFolder::new(&args.directory))?;
    let pod = built.pod()?;
    let live = read_live(&args.live, pod, args.ports.as_deref())?;
    let PodDrift { drift, tables } = built.drift(&live, args.allow_pending)?;
    let (name, directory) = (&built.fabric.name, display(&args.directory));
    match args.json {
        true => print_out(&fabc_emit::drift_json(name, pod, &drift))?,
        false => terminal.say(&fabc_emit::drift_text(name, pod, &drift, (&directory, tables.as_deref())))?,
    }
    let connected = drift.parts == 1;
    Ok((drift, connected))
}
