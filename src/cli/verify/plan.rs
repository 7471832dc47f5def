//! `fabc verify NEW_DIR --plan OUT --from LIVE`: checks a plan and its tables against the two directories
//! that it leads between.

use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::Terminal;
use crate::operate::built::BuiltDirectory;
use crate::operate::change::check_fit;
use crate::operate::switches::pod_of;
use crate::verify::repair::{FolderComparison, format_error};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, PlanEnd, RepairWalk};
use fabc_emit::Artifact;
use fabc_ir::Delta;
use fabc_ir::read::{DeltaFile, PlanFile, tagged};
use std::path::Path;

/// Checks a plan, and prints what was proved.
///
/// # Errors
/// `DriverError::NotBuilt` for missing or damaged files, and a `CheckError` with exit code 3 for any
/// violation.
pub(crate) fn verify(
    directory: &Path,
    out: &Path,
    live: &Path,
    running: Option<&Path>,
    terminal: Terminal,
) -> Result<(), Stop> {
    let (old, new) = (BuiltDirectory::read_running(live, running)?, BuiltDirectory::read(directory)?);
    check_fit(&old, &new)?;
    let (pod, fabric) = (pod_of(&new.fabric)?, &new.fabric);
    let stop = |error| convicted(error, &new.sources);
    let plan: PlanFile = tagged(&read::read_bytes(&out.join("plan.json"), ARTIFACT_BYTES)?)
        .map_err(|problem| stop(format_error("plan.json", problem)))?;
    let delta_of = |file: &str| -> Result<DeltaFile, CheckError> {
        let no_file = |_| format_error("plan.json", format!("there is no `{file}`, which it names"));
        let bytes = read::read_bytes(&out.join(file), ARTIFACT_BYTES).map_err(no_file)?;
        tagged(&bytes).map_err(|problem| format_error(file, problem))
    };
    let (old_mirrors, new_mirrors) = (old.mirrors(), new.mirrors());
    let (old_ranks, new_ranks) = (old.ranks(), new.ranks());
    let old_end = PlanEnd {
        mirrors: &old_mirrors,
        tables: &old.tables,
        ranks: &old_ranks,
        most_loaded: old.max_channel_load()?,
    };
    let new_end = PlanEnd {
        mirrors: &new_mirrors,
        tables: &new.tables,
        ranks: &new_ranks,
        most_loaded: new.max_channel_load()?,
    };
    let proved =
        fabc_check::verify_stages(fabric, pod, &old_end, &new_end, &plan, &delta_of).map_err(stop)?;
    let mut again = FolderComparison::new(out);
    let text = fabc_emit::plan_json(&fabric.name, pod, &proved.plan, Some(&proved.staged));
    again.compare(Artifact { path: "plan.json".to_owned(), bytes: text.into_bytes() }).map_err(stop)?;
    let in_force = Delta::default().applied(&old.tables, &[], &old.tables.scenario);
    fabc_emit::each_staged(&fabric.name, &proved.staged, &in_force, &mut |artifact| again.compare(artifact))
        .map_err(stop)?;
    again.finish().map_err(stop)?;
    let RepairWalk { pairs, hops, entries } = proved.walk;
    terminal.say(&format!(
        "verified {} from {} to {}: {} steps in {} batches; {pairs} routes of {hops} hops over {entries} table entries walked",
        display(out),
        display(live),
        display(directory),
        proved.plan.steps.len(),
        proved.staged.stages.len(),
    ))?;
    terminal.say(
        "at every moment, in any mix of old and new tables, every packet arrives, and nothing can deadlock",
    )?;
    terminal.say("every file is reproduced to the byte from the proved values. Taken on trust:")?;
    if proved.trusts_fewest {
        terminal
            .say("  plan.json fewest  that no order has fewer steps after which the pod is disconnected")?;
    }
    terminal.say("  plan.json waits   that packets waiting there had no other path")?;
    terminal
        .say("  plan.json steps   which order and which changes of tables, of all that lead there as well")?;
    Ok(())
}
