//! `fabc verify DIR --repair OUT [--from EARLIER]`: the files of a repair against the directory that it is
//! of.

use crate::io::errors::{Stop, convicted};
use crate::io::read::{self, display};
use crate::io::terminal::Terminal;
use crate::operate::down::Down;
use crate::operate::repair::{AlikeWide, Built, MOST_ENTRIES, in_force, served};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, EarlierRepair, RepairGround};
use fabc_emit::Artifact;
use fabc_ir::Repair;
use fabc_ir::read::{DeltaFile, RepairFile, tagged};
use std::collections::BTreeSet;
use std::path::Path;

/// `fabc verify DIR --repair OUT [--from EARLIER]`.
///
/// # Errors
/// A file is missing or not what its format says, or does not hold (exit code 3).
pub(crate) fn verify(
    (directory, running): (&Path, Option<&Path>),
    out: &Path,
    earlier: Option<&Path>,
    terminal: Terminal,
) -> Result<(), Stop> {
    let built = Built::running(directory, running)?;
    let since = earlier.map(|earlier| in_force(&built, earlier)).transpose()?;
    let stop = |error| convicted(error, &built.sources);
    let bytes = |file: &str| read::bytes(&out.join(file), ARTIFACT_BYTES);
    let (head_bytes, delta_bytes) = (bytes("repair.json")?, bytes("delta.json")?);
    let head: RepairFile = tagged(&head_bytes).map_err(|what| stop(unlike("repair.json", what)))?;
    let delta: DeltaFile = tagged(&delta_bytes).map_err(|what| stop(unlike("delta.json", what)))?;
    let unknown = |_| stop(unlike("repair.json", "`down` names what the fabric does not have".to_owned()));
    let down = Down::by_names(built.as_built(), &head.down).map_err(unknown)?;
    let scene = down.scene(built.as_built());
    let parts = fabc_check::parts(&scene);
    let nothing_left =
        |_| stop(unlike("repair.json", "what it says is down leaves nothing to serve".to_owned()));
    let served = served(&built, &scene, &parts, true).map_err(nothing_left)?;
    let most_loaded = built.most_loaded()?;
    let claimed = head.claimed(delta);
    let down = down.names(built.as_built());
    let covered = if claimed.unserved == 0 { built.covered(&down)? } else { None };
    let AlikeWide { tables, ranks, covered, since } = AlikeWide::widen(&built, covered, since);
    let ground = RepairGround {
        fabric: &built.fabric,
        scene: &scene,
        served: &served,
        healthy: &tables,
        healthy_ranks: &ranks,
        lengths: &built.nominal.lengths,
        most_loaded,
        down: &down,
        since: since.as_ref().map(|since| EarlierRepair {
            down: &since.down,
            tables: &since.tables,
            ranks: &since.all_ranks,
        }),
        covered: covered.as_ref().map(|covered| (covered.scenario.as_str(), &covered.tables)),
    };
    let (walk, new) = fabc_check::claimed_repair(&ground, &head, &claimed).map_err(stop)?;
    let Repair { fabric, delta, .. } = &claimed;
    let files = [
        ("repair.json", fabc_emit::repair_json(&claimed)),
        ("delta.json", fabc_emit::delta_json(fabric, delta)),
    ];
    let files = files.map(|(path, text)| Artifact { path: path.to_owned(), bytes: text.into_bytes() });
    let mut again = WrittenAgain::new(out);
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
        true => "in any mix of old and new tables every packet arrives, meets what is down, or stands at a key that is listed as stranded",
        false => "the new tables have an order of their own: they hold alone",
    })?;
    terminal.say("every file comes out again to the byte from what was proved; nothing can prove")?;
    terminal.say("  repair.json stranded  that no other way was left for what waits there")?;
    terminal
        .say("  delta.json            which changes, of all that lead to tables with the same numbers")?;
    Ok(())
}

/// The error of a file that is not as its format has it.
pub(crate) fn unlike(file: &str, what: String) -> CheckError {
    CheckError::Files { path: file.to_owned(), what: format!("is not what fabc writes: {what}") }
}

/// A folder against the files that fabc writes from what was proved.
pub(crate) struct WrittenAgain<'a> {
    folder: &'a Path,
    paths: BTreeSet<String>,
}

impl<'a> WrittenAgain<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, paths: BTreeSet::new() }
    }

    /// Compares one file to the byte.
    ///
    /// # Errors
    /// It is missing, or another one.
    pub(crate) fn compare(&mut self, Artifact { path, bytes }: Artifact) -> Result<(), CheckError> {
        let wrong = |what: &str| CheckError::Files { path: path.clone(), what: what.to_owned() };
        match std::fs::read(self.folder.join(&path)) {
            Ok(found) if found == bytes => {}
            Ok(_) => return Err(wrong("does not come out again from what was proved")),
            Err(_) => return Err(wrong("is missing")),
        }
        self.paths.insert(path);
        Ok(())
    }

    /// Whether the folder holds no other files.
    ///
    /// # Errors
    /// One of the others.
    pub(crate) fn finish(self) -> Result<(), CheckError> {
        let wrong =
            |path: &str, what: &str| CheckError::Files { path: path.to_owned(), what: what.to_owned() };
        let there = read::paths(self.folder).map_err(|_| wrong(".", "cannot be listed"))?;
        let strange = there.iter().find(|path| !self.paths.contains(*path));
        strange.map_or(Ok(()), |path| Err(wrong(path, "is no file that fabc writes here")))
    }
}
