//! `fabc plan`: what must change on every switch to get from the live setting to a built directory, in which
//! order.

use crate::args::running::PlanArgs;
use crate::io::errors::{DriverError, Stop, as_error};
use crate::io::read::{self, display};
use crate::io::staging::{Ours, Staging, refuse_others};
use crate::io::terminal::{Terminal, print_out, size};
use crate::operate::change;
use crate::operate::live::live;
use crate::operate::switches::{complete, face_ports, of_pod};
use fabc_base::diag::SourceMap;
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::{Plan, Step};
use fabc_lang::read_cross_connects;
use fabc_model::{Fabric, Pod};
use fabc_passes::plan;
use std::path::Path;

/// Ending of a patch.
const PATCH: &str = ".patch.json";

/// A folder of patches holds nothing but patches; an earlier plan is never wanted back for its parts.
const PATCHES: Ours = Ours { refuse_foreign, is_whole: |_| true };

/// `fabc plan`. Exit code 0: nothing to change; 2: changes, and the pod is whole after every step.
///
/// # Errors
/// Something cannot be read or written or does not fit (exit code 1), or no order was found that keeps the
/// pod whole (exit code 3; the plan is printed nevertheless).
pub(crate) fn plan(args: &PlanArgs, terminal: Terminal) -> Result<(), Stop> {
    // Here 2 and 3 say that there are changes, and how good the plan is.
    let (fabric, plan) = ordered(args, terminal).map_err(as_error)?;
    let pod = of_pod(&fabric).map_err(as_error)?;
    if let Some(directory) = &args.patch {
        write_patches(directory, pod, &plan.steps, terminal).map_err(|error| as_error(error.into()))?;
    }
    // No tables serve a pod in parts.
    let staged = args.tables.as_ref().filter(|_| plan.cuts.is_empty() && plan.live_parts <= 1);
    let staged = staged.map(|out| change::staged(args, out, (&fabric, pod), &plan, terminal));
    // That there are no tables for the way is said by 3, as a plan that cuts the pod is.
    let staged = staged
        .transpose()
        .map_err(|stop| Stop { exit_code: if stop.exit_code == 3 { 3 } else { 1 }, ..stop })?;
    if args.json {
        print_out(&fabc_emit::plan_json(&fabric.name, pod, &plan, staged.as_ref()))
            .map_err(|error| as_error(error.into()))?;
    } else {
        terminal
            .say(&fabc_emit::plan_text(&fabric.name, pod, &plan))
            .map_err(|error| as_error(error.into()))?;
        if let Some(staged) = &staged {
            terminal
                .say(&format!("\n{}", fabc_emit::staged_text(pod, &plan, staged)))
                .map_err(|error| as_error(error.into()))?;
        }
    }
    if !plan.cuts.is_empty() {
        return Err(DriverError::PlanCuts {
            steps: plan.steps.len(),
            in_parts: plan.steps_in_parts(),
            cut: fabc_emit::cut_line(pod, &plan.cuts[0]),
            hint: match plan.fewest {
                true => {
                    "every order was tried: none has fewer such steps; drain the pod first, or let the new topology keep more of the live \
                         cross-connects (`start`, `moves`)"
                        .to_owned()
                }
                false => "there are too many orders to try all; this is the best one found".to_owned(),
            },
        }
        .into());
    }
    let routers =
        staged.iter().flat_map(|staged| &staged.last).map(|change| change.delta.routers.len()).sum::<usize>();
    let exit_code = if plan.steps.is_empty() && routers == 0 { return Ok(()) } else { 2 };
    Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code })
}

/// Reads both settings and orders what differs.
fn ordered(args: &PlanArgs, terminal: Terminal) -> Result<(Fabric, Plan), Stop> {
    let directory = &args.directory;
    let not_built = |reason: String| DriverError::NotBuilt { path: display(directory), reason };
    for needed in ["spec.fab", "ocs.json"] {
        if !directory.join(needed).is_file() {
            return Err(not_built(format!("there is no `{needed}`")).into());
        }
    }
    let fabric = read::built_spec(directory)?.fabric;
    let pod = of_pod(&fabric)?;
    let text = read::text(&display(&directory.join("ocs.json")), cross_connects_bytes(face_ports(pod)))?;
    let new = read_cross_connects(&pod.cube, &pod.ocses, &text)
        .map_err(|misfit| misfit.to_string())
        .and_then(|settings| complete(pod, settings))
        .map_err(|what| not_built(format!("`ocs.json` does not fit its `spec.fab`: {what}")))?;
    let live = live(&args.live, pod, args.ports.as_deref())?;
    if live.dark() > 0 {
        let (dark, one) = (live.dark(), live.dark() == 1);
        let (are, them) = if one { ("is", "it") } else { ("are", "them") };
        let note = format!(
            "{dark} of the cross-connects of `{}` {are} set but dark, and the plan counts {them} as lit",
            args.live
        );
        terminal.note(&format!("{note}: `fabc drift` says more"));
    }
    let plan = plan::plan(pod, &live.set, &new);
    Ok((fabric, plan))
}

/// Writes the patches into a folder that holds nothing but those of an earlier plan: all of them or none.
pub(crate) fn write_patches(
    directory: &Path,
    pod: &Pod,
    steps: &[Step],
    terminal: Terminal,
) -> Result<(), DriverError> {
    let patches = fabc_emit::plan_patches(pod, steps)?;
    if patches.is_empty() && !directory.exists() {
        return Ok(());
    }
    let mut staging = Staging::at(directory, PATCHES)?;
    for patch in &patches {
        staging.write(&patch.path, &patch.bytes)?;
        terminal.detail(&format!(
            "wrote {} ({})",
            display(&directory.join(&patch.path)),
            size(patch.bytes.len())
        ));
    }
    staging.publish()?;
    Ok(())
}

/// Complains unless a folder is absent or holds nothing but patches.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| path.ends_with(PATCH))
}
