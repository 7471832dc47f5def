//! `fabc verify DIR --repair OUT [--from EARLIER]`: checks a repair against the directory that it changes.

use crate::io::folder::DiskFolder;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::{SignedDirectory, verdict, with_signers};
use fabc_pipeline::operate::BuiltFabric;
use fabc_pipeline::verify::{VerifiedRepair, verify_repair};
use serde_json::json;
use std::path::Path;

/// Checks a repair, and prints what was proved.
///
/// # Errors
/// `Refusal::NotBuilt` for missing or damaged files, and a `CheckError` with exit code 3 for any
/// violation.
pub(crate) fn verify(
    directory: &Path,
    running: Option<&Path>,
    out: &Path,
    earlier: Option<&Path>,
    signed: &[SignedDirectory],
    terminal: Terminal,
) -> Result<(), Stop> {
    let [directory_folder, out_folder] = [directory, out].map(DiskFolder::new);
    let built = BuiltFabric::read_running(directory_folder, running.map(DiskFolder::new))?;
    let earlier = earlier.map(DiskFolder::new);
    let VerifiedRepair { walk, changed_entries, warm } =
        verify_repair(&built, &out_folder, earlier.as_ref())?;
    let [add, turn, drop] = changed_entries;
    if terminal.json {
        let extent = json!({
            "directory": display(directory), "pairs": walk.pairs, "hops": walk.hops, "entries": walk.entries,
            "added": add, "turned": turn, "dropped": drop, "mixes_with_old_tables": warm,
        });
        return Ok(
            terminal.say_document(&verdict("repair", out, with_signers(extent, signed), &[]).to_string())?
        );
    }
    terminal.say(&format!(
        "verified {} on {}: {} routes of {} hops over {} table entries walked; {add} added, {turn} turned, {drop} dropped",
        display(out),
        display(directory),
        walk.pairs,
        walk.hops,
        walk.entries
    ))?;
    terminal.say(match warm {
        true => "in any mix of old and new tables every packet arrives, reaches a failed part, or is at a key that is listed as stranded",
        false => "the new tables have new ranks: they must not be mixed with the old ones",
    })?;
    terminal.say("every file is reproduced to the byte from the proved values. Taken on trust:")?;
    terminal.say("  manifest.json tool    the version")?;
    terminal.say("  repair.json stranded  that packets waiting there had no other path")?;
    terminal
        .say("  delta.json            which changes, of all that lead to tables with the same numbers")?;
    Ok(())
}
