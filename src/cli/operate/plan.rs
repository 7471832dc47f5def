//! `fabc plan`: the changes that take the live switches to the settings of a built directory, in a safe
//! order.

use crate::args::running::PlanArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::display;
use crate::io::staging::{OutputRules, Staging, refuse_others};
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out, size_text};
use crate::operate::change;
use crate::operate::live::read_live;
use fabc_base::diag::SourceMap;
use fabc_base::ids::OcsId;
use fabc_ir::{PlanStep, SwitchPlan};
use fabc_model::Pod;
use fabc_pipeline::operate::BuiltSwitches;
use std::path::Path;

/// The ending of a patch.
const PATCH: &str = ".patch.json";

/// A folder of patches holds nothing else. An interrupted one needs no recovery, because a plan can be
/// computed again.
const PATCHES: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// `fabc plan`. Exit code 0 for no change. Exit code 2 for changes after each of which the pod is connected.
///
/// # Errors
/// Exit code 1 if something cannot be read or written, or does not fit. Exit code 3 if no order was found
/// that keeps the pod connected. The plan is printed nevertheless.
pub(crate) fn plan(args: &PlanArgs, terminal: Terminal) -> Result<(), Stop> {
    // In this command, exit codes 2 and 3 describe the plan. Errors have exit code 1.
    let (new, plan) = order_changes(args, terminal).map_err(with_error_code)?;
    let (name, pod) = (&new.fabric.name, new.pod().map_err(|refusal| with_error_code(refusal.into()))?);
    // No tables serve a disconnected pod.
    let staged = args.out.as_ref().filter(|_| plan.cuts.is_empty() && plan.live_parts <= 1);
    let staged = staged.map(|out| change::stage_tables(args, out, &new, &plan, terminal));
    // Exit code 3 also means that there are no tables for some moment of the plan.
    let staged = staged
        .transpose()
        .map_err(|stop| Stop { exit_code: if stop.exit_code == 3 { 3 } else { 1 }, ..stop })?;
    let (plan, staged) = staged.map_or((plan, None), |(plan, staged)| (plan, Some(staged)));
    if let Some(directory) = &args.patch {
        write_patches(directory, pod, &plan.steps, &plan.replaced, terminal)
            .map_err(|error| with_error_code(error.into()))?;
    }
    if args.json {
        print_out(&fabc_emit::plan_json(name, pod, &plan, staged.as_ref()))
            .map_err(|error| with_error_code(error.into()))?;
    } else {
        terminal
            .say(&fabc_emit::plan_text(name, pod, &plan))
            .map_err(|error| with_error_code(error.into()))?;
        if let Some(staged) = &staged {
            terminal
                .say(&format!("\n{}", fabc_emit::staged_text(pod, &plan, staged)))
                .map_err(|error| with_error_code(error.into()))?;
        }
    }
    if !plan.cuts.is_empty() {
        return Err(DriverError::PlanCuts {
            steps: plan.steps.len(),
            in_parts: plan.steps_in_parts(),
            cut: fabc_emit::cut_line(pod, &plan.cuts[0]),
            hint: match plan.fewest {
                true => {
                    "every order was tried, and none has fewer such steps. Drain the pod first, or let the new topology keep more of the live cross-connects (`start`, `moves`)"
                        .to_owned()
                }
                false => "there are too many orders to try all. This is the best one found".to_owned(),
            },
        }
        .into());
    }
    let routers =
        staged.iter().flat_map(|staged| &staged.last).map(|change| change.delta.routers.len()).sum::<usize>();
    let exit_code = if plan.steps.is_empty() && routers == 0 { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Reads the live and the new settings, and orders the differences.
fn order_changes(args: &PlanArgs, terminal: Terminal) -> Result<(BuiltSwitches, SwitchPlan), Stop> {
    needs_directory(&args.directory)?;
    let new = BuiltSwitches::read(&DiskFolder::new(&args.directory))?;
    let live = read_live(&args.live, new.pod()?, args.ports.as_deref())?;
    if live.dark() > 0 {
        let (dark, one) = (live.dark(), live.dark() == 1);
        let (are, them) = if one { ("is", "it") } else { ("are", "them") };
        let note = format!(
            "{dark} of the cross-connects of `{}` {are} set but dark, and the plan counts {them} as lit",
            args.live
        );
        terminal.note(&format!("{note}: `fabc drift` says more"));
    }
    let plan = new.plan_from(&live.set, &args.replace)?;
    Ok((new, plan))
}

/// Writes all patches into a folder of their own, or none. It replaces those of an earlier plan. `replaced`
/// are the switches whose places spare ones take.
pub(crate) fn write_patches(
    directory: &Path,
    pod: &Pod,
    steps: &[PlanStep],
    replaced: &[OcsId],
    terminal: Terminal,
) -> Result<(), DriverError> {
    let patches = fabc_emit::plan_patches(pod, steps, replaced)?;
    if patches.is_empty() && !directory.exists() {
        return Ok(());
    }
    let mut staging = Staging::for_directory(directory, PATCHES)?;
    for patch in &patches {
        staging.write(&patch.path, &patch.bytes)?;
        terminal.detail(&format!(
            "wrote {} ({})",
            display(&directory.join(&patch.path)),
            size_text(patch.bytes.len())
        ));
    }
    staging.publish()?;
    Ok(())
}

/// Refuses a folder with anything but patches.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| path.ends_with(PATCH))
}
