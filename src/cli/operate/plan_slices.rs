//! `fabc plan` to a pod in slices: the changes of every switch, slice by slice.

use crate::args::running::PlanArgs;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::read_live;
use crate::operate::placed::{PlacedDirectory, is_placed, read_placed};
use crate::operate::plan::write_patches;
use fabc_base::diag::SourceMap;
use fabc_ir::SlicePlan;
use fabc_model::kind_files;
use fabc_pipeline::operate::{ConvertedSlice, PlacementChange};
use std::path::Path;

/// `fabc plan NEW_DIR --live LIVE` where NEW_DIR is a pod in slices. Exit code 0 for no change, 2
/// for changes.
///
/// # Errors
/// Exit code 1 if something cannot be read or written, or does not fit.
pub(crate) fn plan(args: &PlanArgs, terminal: Terminal) -> Result<(), Stop> {
    let (new, plan, warm) = read_plan(args).map_err(with_error_code)?;
    if let Some(directory) = &args.patch {
        write_patches(directory, new.pod(), &plan.steps(), &[], terminal)
            .map_err(|error| with_error_code(error.into()))?;
    }
    let shown = match args.json {
        true => print_out(&fabc_emit::slices_plan_json(&new.fabric.name, new.pod(), &plan)),
        false => terminal
            .say(&fabc_emit::slices_plan_text(&new.fabric.name, new.pod(), &plan))
            .and_then(|()| warm.iter().try_for_each(|line| terminal.say(line))),
    };
    shown.map_err(|error| with_error_code(error.into()))?;
    if plan.changes.is_empty() {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
    }
}

/// The new placement, the plan, and a note for every slice that keeps its cubes and changes its kind.
fn read_plan(args: &PlanArgs) -> Result<(PlacedDirectory, SlicePlan, Vec<String>), Stop> {
    if args.out.is_some() {
        let hint = "for a slice that keeps its cubes, plan the change of its kind: `fabc plan NEW_DIR/slices/NEW --live LIVE/slices/OLD --out DIR`. A slice that moves carries no traffic during the change";
        return Err(DriverError::OfSlices { option: "`--out`".to_owned(), hint }.into());
    }
    if !args.replace.is_empty() {
        let hint = "plan the replacement for every kind that uses the switch: `fabc plan DIR/slices/KIND --live DIR/slices/KIND --replace SWITCH`";
        return Err(DriverError::OfSlices { option: "`--replace`".to_owned(), hint }.into());
    }
    let new = read_placed(&args.directory)?;
    let directory = Path::new(&args.live);
    let old = if is_placed(directory) { Some(read_placed(directory)?.placement) } else { None };
    let live = read_live(&args.live, new.pod(), args.ports.as_deref())?;
    let PlacementChange { plan, converted } = new.change_from(old.as_ref(), &live.set);
    let note = |slice: &ConvertedSlice| {
        let ConvertedSlice { name, old_kind, new_kind } = slice;
        let (from, to) = (directory.join(kind_files(old_kind)), args.directory.join(kind_files(new_kind)));
        let [from, to] = [from, to].map(|path| display(&path).trim_end_matches('/').to_owned());
        format!(
            "slice {name} keeps its cubes: `fabc plan {to} --live {from} --out DIR` finds tables for every moment of the change"
        )
    };
    let notes = converted.iter().map(note).collect();
    Ok((new, plan, notes))
}
