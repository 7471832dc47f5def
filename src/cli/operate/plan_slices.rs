//! `fabc plan` to a pod in slices: what must change on every switch, slice by slice.

use crate::args::running::PlanArgs;
use crate::io::errors::{DriverError, Stop, as_error};
use crate::io::read::display;
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::live;
use crate::operate::placed::{Placed, is_placed};
use crate::operate::plan::write_patches;
use fabc_base::diag::SourceMap;
use fabc_ir::SlicePlan;
use fabc_model::kind_files;
use fabc_passes::slices::way;
use std::path::Path;

/// `fabc plan LIVE NEW_DIR`, NEW_DIR a pod in slices. Exit code 0: nothing to change; 2: changes.
///
/// # Errors
/// Something cannot be read or written or does not fit (exit code 1).
pub(crate) fn plan(args: &PlanArgs, terminal: Terminal) -> Result<(), Stop> {
    let (new, plan, warm) = found(args).map_err(as_error)?;
    if let Some(directory) = &args.patch {
        write_patches(directory, new.pod(), &plan.steps(), terminal)
            .map_err(|error| as_error(error.into()))?;
    }
    let shown = match args.json {
        true => print_out(&fabc_emit::slices_plan_json(&new.fabric.name, new.pod(), &plan)),
        false => terminal
            .say(&fabc_emit::slices_plan_text(&new.fabric.name, new.pod(), &plan))
            .and_then(|()| warm.iter().try_for_each(|line| terminal.say(line))),
    };
    shown.map_err(|error| as_error(error.into()))?;
    if plan.changes.is_empty() {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
    }
}

/// The new placement, the way there, and of every slice that keeps its cubes how it changes under traffic.
fn found(args: &PlanArgs) -> Result<(Placed, SlicePlan, Vec<String>), Stop> {
    if args.tables.is_some() {
        let hint = "a slice that keeps its cubes changes as its kinds do: `fabc plan LIVE/slices/OLD NEW_DIR/slices/NEW --tables DIR`; \
                    one that moves carries no traffic meanwhile";
        return Err(DriverError::OfSlices { what: "`--tables`".to_owned(), hint }.into());
    }
    let new = Placed::read(&args.directory)?;
    let directory = Path::new(&args.live);
    let old = match is_placed(directory) {
        true => Placed::read(directory)?.placement,
        // Whose the cross-connects are is told by the new placement alone.
        false => new.placement.clone(),
    };
    let kept = new.placement.slices.iter().filter_map(|is| {
        let was = old.slice(&is.name).filter(|was| was.cubes == is.cubes && was.kind != is.kind)?;
        let [from, to] = [directory.join(kind_files(&was.kind)), args.directory.join(kind_files(&is.kind))];
        let [from, to] = [from, to].map(|path| display(&path).trim_end_matches('/').to_owned());
        Some(format!("slice {} keeps its cubes: `fabc plan {from} {to} --tables DIR` has tables for every moment on the way", is.name))
    });
    let warm = kept.collect();
    let live = live(&args.live, new.pod(), args.ports.as_deref())?;
    let plan = way(new.pod(), (&old, &live.set), (&new.placement, &new.settings));
    Ok((new, plan, warm))
}
