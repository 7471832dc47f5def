//! The directory of a build by several processes: `OUT/FABRIC.shards/`.
//!
//! It holds the normal form with its input files, the identity of the build (`shards.json`), the list of its
//! pieces (`queue.json`), and the results (`kept/`). Invariants: a file exists completely or not at all, so a
//! process that is killed or repeated does no harm. A list of another build counts as missing.

use crate::args::choice::NamedChoice;
use crate::args::options::CompileArgs;
use crate::build::front::{self, manifest_options};
use crate::io::content;
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::io::write;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{QueueFile, ShardsFile, tagged};
use fabc_ir::{QueuedPiece, ShardPlan};
use fabc_pipeline::compile::{self, Stage};
use fabc_pipeline::library::{Loaded, TablesForm};
use std::path::{Path, PathBuf};

/// The file with the identity of the build.
const PLAN: &str = "shards.json";

/// The file that lists the pieces of the build.
const QUEUE: &str = "queue.json";

/// The folder of the results.
const KEPT: &str = "kept";

/// The folder with the normal form of the build and its input files.
const SPEC: &str = "spec";

/// A directory of parts, with the build that they belong to.
pub(crate) struct BuildParts {
    pub(crate) directory: PathBuf,
    pub(crate) plan: ShardPlan,
}

impl BuildParts {
    /// Reads a spec and writes the directory of its parts. `None` if the build stops before there is anything
    /// to divide.
    ///
    /// # Errors
    /// The errors of the spec, `DriverError::OfSlices` for a fabric in slices, `DriverError::Foreign` if the
    /// directory holds something else, and errors of the disk.
    pub(crate) fn from_spec(
        spec: &str,
        args: &CompileArgs,
        out: Option<&Path>,
        tables: TablesForm,
        watch: &Watch,
        terminal: Terminal,
    ) -> Result<Option<Self>, Stop> {
        let Some(loaded) = front::load(spec, args, watch, terminal)? else { return Ok(None) };
        let Loaded { fabric, sources, settings, text, .. } = loaded;
        if !fabric.slices.kinds.is_empty() {
            let hint = "each kind of slice is a separate build: `fabc build DIR/slices/KIND/spec.fab --shard i/n` builds one in parts";
            return Err(DriverError::OfSlices { option: "`--shard`".to_owned(), hint }.into());
        }
        let stage = args.until.unwrap_or(Stage::Emit);
        compile::check_early(&fabric, stage).map_err(|failure| (failure, sources))?;
        let mut needed = vec![("spec.fab".to_owned(), text)];
        needed.extend(fabc_emit::input_copies(&fabric));
        let options = [settings, manifest_options(args)].concat();
        let tables = tables.word().to_owned();
        let plan = ShardPlan {
            fabric: fabric.name.clone(),
            key: content::run_key(&needed, stage.name()),
            options,
            tables,
        };
        let directory = out.unwrap_or(Path::new("out")).join(format!("{}.shards", fabric.name));
        refuse_foreign(&directory)?;
        for (path, text) in &needed {
            rewrite(&directory.join(SPEC).join(path), text.as_bytes())?;
        }
        write::make_directory(&directory.join(KEPT))?;
        remove_leftovers(&directory);
        rewrite(&directory.join(PLAN), fabc_emit::shards_json(&plan).as_bytes())?;
        Ok(Some(Self { directory, plan }))
    }

    /// Reads a directory of parts.
    ///
    /// # Errors
    /// `DriverError::Shards` if the directory has no `shards.json`, or one that is damaged or from another
    /// version.
    pub(crate) fn read(directory: &Path) -> Result<Self, DriverError> {
        let path = directory.join(PLAN);
        let invalid = |problem: String| DriverError::Shards {
            problem,
            hint: "`fabc build SPEC --shard i/n` writes it".to_owned(),
        };
        if !path.is_file() {
            return Err(invalid(format!("there is no `{PLAN}` in `{}`", display(directory))));
        }
        let file: ShardsFile = tagged(&read::read_bytes(&path, ARTIFACT_BYTES)?)
            .map_err(|problem| invalid(format!("`{}`: {problem}", display(&path))))?;
        if file.tool != fabc_emit::TOOL {
            return Err(invalid(format!(
                "`{}` is of {}, but this is {}",
                display(&path),
                file.tool,
                fabc_emit::TOOL
            )));
        }
        // The name of the output directory comes from this file.
        let plain = !file.fabric.is_empty()
            && file.fabric.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain {
            return Err(invalid(format!("`{}` is damaged", display(&path))));
        }
        remove_leftovers(directory);
        let ShardsFile { fabric, key, tables, options, .. } = file;
        Ok(Self {
            directory: directory.to_owned(),
            plan: ShardPlan { fabric, key, options: options.0, tables },
        })
    }

    pub(crate) fn stage(&self) -> Stage {
        let named =
            self.plan.options.iter().find(|(name, _)| name == "stop_after").map(|(_, stage)| stage.as_str());
        Stage::ALL.into_iter().find(|stage| Some(stage.name()) == named).unwrap_or(Stage::Emit)
    }

    pub(crate) fn tables(&self) -> TablesForm {
        TablesForm::of_word(&self.plan.tables).unwrap_or(TablesForm::Auto)
    }

    /// The spec of the parts. Its key must be the key of the build.
    ///
    /// # Errors
    /// The errors of reading the spec, and `DriverError::Shards` if it was changed.
    pub(crate) fn load_spec(&self) -> Result<Loaded, Stop> {
        let folder = self.directory.join(SPEC);
        let loaded = read::built_spec(&folder)?;
        let key = content::folder_key(&folder, Some(&loaded), self.stage().name())?;
        if key == self.plan.key && loaded.fabric.name == self.plan.fabric {
            return Ok(loaded);
        }
        let problem = format!(
            "`{}` is not the spec of these shards: its key differs from that of `{PLAN}`",
            display(&folder)
        );
        Err(DriverError::Shards {
            problem,
            hint: "`fabc build SPEC --shard i/n` writes both again".to_owned(),
        }
        .into())
    }

    pub(crate) fn kept_folder(&self) -> PathBuf {
        self.directory.join(KEPT)
    }

    /// The file of the result with this key.
    pub(crate) fn kept_path(&self, key: &str) -> PathBuf {
        self.kept_folder().join(format!("{key}.bin"))
    }

    /// All pieces, the healthy fabric first. `None` until one process has found the healthy fabric.
    pub(crate) fn pieces(&self) -> Option<Vec<QueuedPiece>> {
        let bytes = read::read_bytes(&self.directory.join(QUEUE), ARTIFACT_BYTES).ok()?;
        let file: QueueFile = tagged(&bytes).ok()?;
        let piece = |(name, key)| QueuedPiece { name, key };
        (file.key == self.plan.key).then(|| file.pieces.into_iter().map(piece).collect())
    }

    /// Writes the list of all pieces.
    ///
    /// # Errors
    /// `DriverError::Unwritable` if it cannot be written.
    pub(crate) fn write_queue(&self, pieces: &[QueuedPiece]) -> Result<(), DriverError> {
        rewrite(&self.directory.join(QUEUE), fabc_emit::queue_json(&self.plan.key, pieces).as_bytes())
    }

    /// Whether the healthy fabric is found, and its pieces are listed.
    pub(crate) fn has_healthy(&self) -> bool {
        self.pieces().is_some_and(|pieces| pieces.first().is_some_and(|healthy| self.is_finished(healthy)))
    }

    fn is_finished(&self, piece: &QueuedPiece) -> bool {
        is_intact(&self.kept_path(&piece.key))
    }

    /// The pieces that are not finished. `None` if they are not listed yet.
    pub(crate) fn open_pieces(&self) -> Option<Vec<QueuedPiece>> {
        let mut pieces = self.pieces()?;
        pieces.retain(|piece| !self.is_finished(piece));
        Some(pieces)
    }

    /// The error that names the missing pieces.
    pub(crate) fn missing_pieces(&self, open: Option<&[QueuedPiece]>) -> DriverError {
        let problem = match open {
            None => "no shard has found the healthy fabric".to_owned(),
            Some(open) => {
                let named: Vec<&str> = open.iter().take(3).map(|piece| piece.name.as_str()).collect();
                let more = if open.len() > named.len() { " .." } else { "" };
                let (s, are) = if open.len() == 1 { ("", "is") } else { ("s", "are") };
                format!("{} piece{s} {are} not finished: {}{more}", open.len(), named.join(", "))
            }
        };
        let hint = format!("`fabc build {} --shard 1/1` does the rest", display(&self.directory));
        DriverError::Shards { problem, hint }
    }
}

/// Removes temporary files that killed processes left behind.
fn remove_leftovers(directory: &Path) {
    ["", SPEC, "spec/inputs", KEPT]
        .iter()
        .for_each(|below| write::remove_all_leftovers(&directory.join(below)));
}

/// Refuses a directory that is neither empty nor a directory of parts.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    let Ok(mut entries) = std::fs::read_dir(directory) else { return Ok(()) };
    match entries.next() {
        Some(Ok(entry)) if !directory.join(PLAN).is_file() && !directory.join(SPEC).is_dir() => {
            let entry = format!("`{}`, and no `{PLAN}`", entry.file_name().to_string_lossy());
            Err(DriverError::Foreign { path: display(directory), content: entry })
        }
        _ => Ok(()),
    }
}

/// Writes a file unless it has the same content already, because another part may be reading it.
fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), DriverError> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    write::make_directory(path.parent().unwrap_or(Path::new("")))?;
    write::write_file(path, bytes)
}

/// Whether a file ends with the hash of what stands before, as all results do.
fn is_intact(path: &Path) -> bool {
    let Ok(bytes) = read::read_bytes(path, ARTIFACT_BYTES) else { return false };
    let Some((content, hash)) = bytes.split_last_chunk::<32>() else { return false };
    blake3::hash(content).as_bytes() == hash
}
