//! `fabc verify NEW_DIR --plan OUT --from LIVE`: checks a plan and its tables against the two directories
//! that it leads between.

use crate::io::folder::DiskFolder;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::{SignedDirectory, verdict, with_signers};
use fabc_pipeline::operate::BuiltFabric;
use fabc_pipeline::verify::{RepairWalk, verify_plan};
use serde_json::json;
use std::path::Path;

/// Checks a plan, and prints what was proved.
///
/// # Errors
/// `Refusal::NotBuilt` for missing or damaged files, and a `CheckError` with exit code 3 for any
/// violation.
pub(crate) fn verify(
    directory: &Path,
    out: &Path,
    live: &Path,
    running: Option<&Path>,
    signed: &[SignedDirectory],
    terminal: Terminal,
) -> Result<(), Stop> {
    let [live_folder, new_folder, out_folder] = [live, directory, out].map(DiskFolder::new);
    let old = BuiltFabric::read_running(live_folder, running.map(DiskFolder::new))?;
    let new = BuiltFabric::read(new_folder)?;
    let proved = verify_plan(&old, &new, &out_folder)?;
    let RepairWalk { pairs, hops, entries } = proved.walk;
    if terminal.json {
        let extent = json!({
            "directory": display(directory), "live": display(live), "steps": proved.plan.steps.len(),
            "batches": proved.staged.stages.len(), "pairs": pairs, "hops": hops, "entries": entries,
            "fewest_is_trusted": proved.trusts_fewest,
        });
        return Ok(
            terminal.say_document(&verdict("plan", out, with_signers(extent, signed), &[]).to_string())?
        );
    }
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
    terminal.say("  manifest.json tool  the version")?;
    if proved.trusts_fewest {
        terminal
            .say("  plan.json fewest    that no order has fewer steps after which the pod is disconnected")?;
    }
    terminal.say("  plan.json waits     that packets waiting there had no other path")?;
    terminal.say(
        "  plan.json steps     which order and which changes of tables, of all that lead there as well",
    )?;
    Ok(())
}
