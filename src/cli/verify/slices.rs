//! `fabc verify` of a pod in slices. It proves every kind, then that the slices are isolated, then that every
//! file can be written again.

use crate::io::folder::DiskFolder;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::{SignedDirectory, verdict, with_signers};
use fabc_pipeline::operate::PlacedFabric;
use fabc_pipeline::refusal::Convicted;
use fabc_pipeline::verify::{Isolation, Remake, verify_slices};
use serde_json::json;
use std::path::Path;

/// Verifies the directory, and prints what was proved.
///
/// # Errors
/// `Refusal::NotBuilt` for missing files, and `CheckError`s with exit code 3 for all violations.
pub(crate) fn verify(
    directory: &Path,
    remake: Remake,
    signed: &[SignedDirectory],
    terminal: Terminal,
) -> Result<(), Stop> {
    let placed = PlacedFabric::read_proved(DiskFolder::new(directory))?;
    let files = read::read_directory(directory)?;
    let broken = verify_slices(&placed, &files, remake)?;
    let Isolation { slices, cubes, cross_connects } = placed.isolation;
    let kinds = placed.kinds.len();
    if terminal.json {
        let contract = if broken.is_empty() { "holds" } else { "broken" };
        let extent = json!({
            "files": files.len(), "kinds": kinds, "slices": slices, "cubes": cubes,
            "cross_connects": cross_connects, "contract": contract,
        });
        terminal
            .say_document(&verdict("slices", directory, with_signers(extent, signed), &[]).to_string())?;
    }
    terminal.say(&format!(
        "verified {}: {} files, {kinds} kinds of slices alone, {slices} slices on {cubes} cubes by {cross_connects} cross-connects, none of which joins two",
        display(directory),
        files.len()
    ))?;
    terminal.say("every file is reproduced to the byte from spec.fab, the kinds and the placement. `fabc verify` of a kind lists what it takes on trust")?;
    if broken.is_empty() {
        return Ok(());
    }
    terminal.say("a contract is broken, as the directory says itself")?;
    Err(Convicted { errors: broken, sources: placed.sources }.into())
}
