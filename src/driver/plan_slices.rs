//! `fabc plan` to a pod in slices: what must change on every switch, slice by slice.

use super::errors::{DriverError, Stop, as_error};
use super::live::live;
use super::placed::{Placed, is_placed};
use super::plan::write_patches;
use super::running_options::PlanArgs;
use super::terminal::{Terminal, print_out};
use crate::diag::SourceMap;
use crate::emit;
use crate::ir::SlicePlan;
use crate::passes::slices::way;
use std::path::Path;

/// `fabc plan LIVE NEW_DIR`, NEW_DIR a pod in slices. Exit code 0: nothing to change; 2: changes.
///
/// # Errors
/// Something cannot be read or written or does not fit (exit code 1).
pub(super) fn plan(args: &PlanArgs, terminal: Terminal) -> Result<(), Stop> {
    let (new, plan) = found(args).map_err(as_error)?;
    if let Some(directory) = &args.patch {
        write_patches(directory, new.pod(), &plan.steps(), terminal).map_err(|error| as_error(error.into()))?;
    }
    let shown = match args.json {
        true => print_out(&emit::slices_plan_json(&new.fabric.name, new.pod(), &plan)),
        false => terminal.say(&emit::slices_plan_text(&new.fabric.name, new.pod(), &plan)),
    };
    shown.map_err(|error| as_error(error.into()))?;
    if plan.changes.is_empty() { Ok(()) } else { Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 }) }
}

fn found(args: &PlanArgs) -> Result<(Placed, SlicePlan), Stop> {
    if args.tables.is_some() {
        let hint = "a slice that changes carries no traffic meanwhile: its kind has the tables for afterwards";
        return Err(DriverError::OfSlices { what: "`--tables`".to_owned(), hint }.into());
    }
    let new = Placed::read(&args.directory)?;
    let directory = Path::new(&args.live);
    let old = match is_placed(directory) {
        true => Placed::read(directory)?.placement,
        // Whose the cross-connects are is told by the new placement alone.
        false => new.placement.clone(),
    };
    let live = live(&args.live, new.pod(), args.ports.as_deref())?;
    let plan = way(new.pod(), (&old, &live.set), (&new.placement, &new.settings));
    Ok((new, plan))
}
