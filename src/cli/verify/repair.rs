//! `fabc verify DIR --repair OUT [--from EARLIER]`: checks a repair against the directory that it changes.

use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::Terminal;
use crate::operate::built::BuiltDirectory;
use crate::operate::down::DownParts;
use crate::operate::repair::{AlignedTables, MOST_ENTRIES, earlier_repair, served_scene};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, EarlierRepair, RepairBaseline};
use fabc_emit::Artifact;
use fabc_ir::Repair;
use fabc_ir::read::{DeltaFile, RepairFile, tagged};
use std::collections::BTreeSet;
use std::path::Path;

/// Checks a repair, and prints what was proved.
///
/// # Errors
/// `DriverError::NotBuilt` for missing or damaged files, and a `CheckError` with exit code 3 for any
/// violation.
pub(crate) fn verify(
    directory: &Path,
    running: Option<&Path>,
    out: &Path,
    earlier: Option<&Path>,
    terminal: Terminal,
) -> Result<(), Stop> {
    let built = BuiltDirectory::read_running(directory, running)?;
    let since = earlier.map(|earlier| earlier_repair(&built, earlier)).transpose()?;
    let stop = |error| convicted(error, &built.sources);
    let bytes = |file: &str| read::read_bytes(&out.join(file), ARTIFACT_BYTES);
    let (head_bytes, delta_bytes) = (bytes("repair.json")?, bytes("delta.json")?);
    let head: RepairFile =
        tagged(&head_bytes).map_err(|problem| stop(format_error("repair.json", problem)))?;
    let delta: DeltaFile =
        tagged(&delta_bytes).map_err(|problem| stop(format_error("delta.json", problem)))?;
    let unknown =
        |_| stop(format_error("repair.json", "`down` names a part that the fabric does not have".to_owned()));
    let down = DownParts::by_names(built.as_built(), &head.down).map_err(unknown)?;
    let scene = down.scene(built.as_built());
    let parts = fabc_check::connected_parts(&scene);
    let nothing_left =
        |_| stop(format_error("repair.json", "no two endpoints survive the failures in `down`".to_owned()));
    let served = served_scene(&built, &scene, &parts, true).map_err(nothing_left)?;
    let most_loaded = built.max_channel_load()?;
    let claimed = head.repair(delta);
    let down = down.names(built.as_built());
    let covered = if claimed.unserved == 0 { built.covered_tables(&down)? } else { None };
    let AlignedTables { tables, ranks, covered, since } = AlignedTables::align(&built, covered, since);
    let ground = RepairBaseline {
        fabric: &built.fabric,
        scene: &scene,
        served: &served,
        healthy: &tables,
        healthy_ranks: &ranks,
        lengths: &built.nominal.lengths,
        most_loaded,
        down: &down,
        earlier: since.as_ref().map(|since| EarlierRepair {
            down: &since.down,
            tables: &since.tables,
            ranks: &since.all_ranks,
        }),
        covered: covered.as_ref().map(|covered| (covered.scenario.as_str(), &covered.tables)),
    };
    let (walk, new) = fabc_check::verify_claimed_repair(&ground, &head, &claimed).map_err(stop)?;
    let Repair { fabric, delta, .. } = &claimed;
    let files = [
        ("repair.json", fabc_emit::repair_json(&claimed)),
        ("delta.json", fabc_emit::delta_json(fabric, delta)),
    ];
    let files = files.map(|(path, text)| Artifact { path: path.to_owned(), bytes: text.into_bytes() });
    let mut again = FolderComparison::new(out);
    let tables = (walk.entries <= MOST_ENTRIES).then(|| fabc_emit::repaired_tables(&new));
    files.into_iter().chain(tables).try_for_each(|file| again.compare(file)).map_err(stop)?;
    again.finish().map_err(stop)?;
    let [add, turn, drop] = delta.counts();
    terminal.say(&format!(
        "verified {} on {}: {} routes of {} hops over {} table entries walked; {add} added, {turn} turned, {drop} dropped",
        display(out),
        display(directory),
        walk.pairs,
        walk.hops,
        walk.entries
    ))?;
    terminal.say(match claimed.warm {
        true => "in any mix of old and new tables every packet arrives, reaches a failed part, or is at a key that is listed as stranded",
        false => "the new tables have new ranks: they must not be mixed with the old ones",
    })?;
    terminal.say("every file is reproduced to the byte from the proved values. Taken on trust:")?;
    terminal.say("  repair.json stranded  that packets waiting there had no other path")?;
    terminal
        .say("  delta.json            which changes, of all that lead to tables with the same numbers")?;
    Ok(())
}

/// The error for a file that violates its format.
pub(crate) fn format_error(file: &str, problem: String) -> CheckError {
    CheckError::Files { path: file.to_owned(), violation: format!("is not what fabc writes: {problem}") }
}

/// Compares a folder with the files that fabc writes from what was proved.
pub(crate) struct FolderComparison<'a> {
    folder: &'a Path,
    paths: BTreeSet<String>,
}

impl<'a> FolderComparison<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, paths: BTreeSet::new() }
    }

    /// Compares one file byte by byte.
    ///
    /// # Errors
    /// A `CheckError` if the file is missing or different.
    pub(crate) fn compare(&mut self, Artifact { path, bytes }: Artifact) -> Result<(), CheckError> {
        let file_error =
            |problem: &str| CheckError::Files { path: path.clone(), violation: problem.to_owned() };
        match std::fs::read(self.folder.join(&path)) {
            Ok(found) if found == bytes => {}
            Ok(_) => return Err(file_error("is not reproduced from what was proved")),
            Err(_) => return Err(file_error("is missing")),
        }
        self.paths.insert(path);
        Ok(())
    }

    /// Checks that the folder holds no other files.
    ///
    /// # Errors
    /// A `CheckError` that names the first other file.
    pub(crate) fn finish(self) -> Result<(), CheckError> {
        let file_error = |path: &str, problem: &str| CheckError::Files {
            path: path.to_owned(),
            violation: problem.to_owned(),
        };
        let paths = read::file_paths(self.folder).map_err(|_| file_error(".", "cannot be listed"))?;
        let strange = paths.iter().find(|path| !self.paths.contains(*path));
        strange.map_or(Ok(()), |path| Err(file_error(path, "is not a file that fabc writes here")))
    }
}
