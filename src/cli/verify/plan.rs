//! `fabc verify NEW_DIR --plan OUT --from LIVE`: the tables of every moment against the two directories that
//! they lead between.

use crate::io::errors::{Stop, convicted};
use crate::io::read::{self, display};
use crate::io::terminal::Terminal;
use crate::operate::change::fit;
use crate::operate::repair::Built;
use crate::operate::switches::of_pod;
use crate::verify::repair::{WrittenAgain, unlike};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, PlanEnd, RepairWalk};
use fabc_emit::Artifact;
use fabc_ir::Delta;
use fabc_ir::read::{DeltaFile, PlanFile, tagged};
use std::path::Path;

/// Judges the files.
///
/// # Errors
/// A file is missing or not what its format says, or does not hold (exit code 3).
pub(crate) fn verify(
    directory: &Path,
    out: &Path,
    (live, running): (&Path, Option<&Path>),
    terminal: Terminal,
) -> Result<(), Stop> {
    let (old, new) = (Built::running(live, running)?, Built::read(directory)?);
    fit(&old, &new)?;
    let (pod, fabric) = (of_pod(&new.fabric)?, &new.fabric);
    let stop = |error| convicted(error, &new.sources);
    let plan: PlanFile = tagged(&read::bytes(&out.join("plan.json"), ARTIFACT_BYTES)?)
        .map_err(|what| stop(unlike("plan.json", what)))?;
    let delta_of = |file: &str| -> Result<DeltaFile, CheckError> {
        let no_file = |_| unlike("plan.json", format!("there is no `{file}`, which it names"));
        let bytes = read::bytes(&out.join(file), ARTIFACT_BYTES).map_err(no_file)?;
        tagged(&bytes).map_err(|what| unlike(file, what))
    };
    let (old_mirrors, new_mirrors) = (old.mirrors(), new.mirrors());
    let (old_ranks, new_ranks) = (old.ranks(), new.ranks());
    let old_end = PlanEnd {
        mirrors: &old_mirrors,
        tables: &old.tables,
        ranks: &old_ranks,
        most_loaded: old.most_loaded()?,
    };
    let new_end = PlanEnd {
        mirrors: &new_mirrors,
        tables: &new.tables,
        ranks: &new_ranks,
        most_loaded: new.most_loaded()?,
    };
    let proved = fabc_check::staged(fabric, pod, [&old_end, &new_end], &plan, &delta_of).map_err(stop)?;
    let mut again = WrittenAgain::new(out);
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
    terminal.say("at every moment, in any mix of old and new tables, every packet arrives, and nothing waits in a circle")?;
    terminal.say("every file comes out again to the byte from what was proved; nothing can prove")?;
    if proved.trusts_fewest {
        terminal.say("  plan.json fewest  that no order has fewer steps after which the pod is in parts")?;
    }
    terminal.say("  plan.json waits   that no other way was left for what waits there")?;
    terminal
        .say("  plan.json steps   which order and which changes of tables, of all that lead there as well")?;
    Ok(())
}
