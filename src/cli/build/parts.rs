//! The directory of a build in parts: `OUT/FABRIC.shards/`.
//!
//! It holds the normal form with its input files, the identity of the build (`shards.json`), and the kept
//! files of finished pieces (`kept/`). Invariants: a file exists completely or not at all, so a part that is
//! killed or repeated does no harm. A file of another spec, another version or other tables counts as
//! missing.

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
use fabc_base::diag::{Failure, SourceMap};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{ShardsFile, tagged};
use fabc_ir::{Piece, ShardPlan};
use fabc_pipeline::compile::{self, Stage};
use fabc_pipeline::library::{Loaded, TablesForm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file with the identity of the build.
const PLAN: &str = "shards.json";

/// The folder with the normal form of the build and its input files.
const SPEC: &str = "spec";

/// A directory of parts, with the build that they belong to.
pub(crate) struct BuildParts {
    pub(crate) directory: PathBuf,
    pub(crate) plan: ShardPlan,
}

/// An error while parts are built or merged.
pub(crate) enum PartsError {
    Failure(Failure),
    Driver(DriverError),
}

impl From<Failure> for PartsError {
    fn from(failure: Failure) -> Self {
        PartsError::Failure(failure)
    }
}

impl PartsError {
    pub(crate) fn stop(self, sources: SourceMap) -> Stop {
        match self {
            PartsError::Failure(failure) => (failure, sources).into(),
            PartsError::Driver(error) => error.into(),
        }
    }
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
        shards: usize,
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
            shards,
            options,
            tables,
        };
        let directory = out.unwrap_or(Path::new("out")).join(format!("{}.shards", fabric.name));
        refuse_foreign(&directory)?;
        for (path, text) in &needed {
            rewrite(&directory.join(SPEC).join(path), text.as_bytes())?;
        }
        write::make_directory(&directory.join("kept"))?;
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
        if !plain || file.shards == 0 {
            return Err(invalid(format!("`{}` is damaged", display(&path))));
        }
        remove_leftovers(directory);
        let ShardsFile { fabric, key, shards, tables, options, .. } = file;
        Ok(Self {
            directory: directory.to_owned(),
            plan: ShardPlan { fabric, key, shards, options: options.0, tables },
        })
    }

    /// Divides the same build into another number of parts. Finished pieces stay finished.
    ///
    /// # Errors
    /// `DriverError::Unwritable` if `shards.json` cannot be written.
    pub(crate) fn divided_into(mut self, shards: usize) -> Result<Self, DriverError> {
        self.plan.shards = shards;
        rewrite(&self.directory.join(PLAN), fabc_emit::shards_json(&self.plan).as_bytes())?;
        Ok(self)
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

    /// The unfinished pieces of work. The healthy fabric lists all pieces. Until it is kept, there is one
    /// piece per part.
    pub(crate) fn open_pieces(&self) -> Vec<OpenPiece> {
        let Some(pieces) = self.read_scenario("nominal").ok().and_then(|file| file.pieces()) else {
            return (0..self.plan.shards).map(|number| OpenPiece { number, name: None }).collect();
        };
        // Tables are large, and all simulations on them need their hash. Each is read once.
        let scenarios = std::iter::once("nominal").chain(pieces.faults.iter().map(String::as_str));
        let tables: BTreeMap<&str, String> = scenarios
            .filter_map(|name| Some((name, self.read_scenario(name).ok()?.hash().to_owned())))
            .collect();
        let open = |(number, piece): (usize, Piece<'_>)| {
            let (is_done, name) = match piece {
                Piece::Fault(name) => (tables.contains_key(name), name.to_owned()),
                Piece::Simulation { name, scenario } => {
                    let is_done = tables
                        .get(scenario)
                        .is_some_and(|tables| self.read_report(name, scenario, tables).is_ok());
                    (is_done, format!("`{name}` on {scenario}"))
                }
            };
            (!is_done).then_some(OpenPiece { number, name: Some(name) })
        };
        pieces.numbered().filter_map(open).collect()
    }

    /// The error that names the missing parts.
    pub(crate) fn missing_shards(&self, open: &[OpenPiece]) -> DriverError {
        let count = self.plan.shards;
        let mut shards: Vec<usize> = open.iter().map(|piece| piece.number % count + 1).collect();
        shards.sort_unstable();
        shards.dedup();
        let first = shards.first().copied().unwrap_or(1);
        let names: Vec<&str> = open.iter().filter_map(|piece| piece.name.as_deref()).take(3).collect();
        let problem = if names.is_empty() {
            format!("none of the {count} shards is finished")
        } else {
            let more = if open.len() > names.len() { " .." } else { "" };
            let listed: Vec<String> = shards.iter().map(|shard| format!("{shard}/{count}")).collect();
            let (s, are) = if shards.len() == 1 { ("", "is") } else { ("s", "are") };
            format!("shard{s} {} {are} not done: {}{more} missing", listed.join(", "), names.join(", "))
        };
        DriverError::Shards {
            problem,
            hint: format!("`fabc build {} --shard {first}/{count}` does it", display(&self.directory)),
        }
    }
}

/// An unfinished piece of work.
pub(crate) struct OpenPiece {
    /// Its number. Shard `number % shards + 1` does it.
    pub(crate) number: usize,
    /// Its name, where that is known.
    name: Option<String>,
}

/// Removes temporary files that killed processes left behind.
fn remove_leftovers(directory: &Path) {
    ["", SPEC, "spec/inputs", "kept"]
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
