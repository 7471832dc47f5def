//! `fabc build --shard i/n` and `fabc merge`: a build in parts.
//!
//! Comes in: a spec, or the directory of its parts. Goes out: `OUT/FABRIC.shards/` with the normal form, what
//! the parts are of (`shards.json`), and a file for every scenario that is done, and for every simulation on
//! one (`kept/`); in the end the directory of the fabric, to the byte as one process writes it. Invariants: a
//! file is there whole or not at all, so a part that is killed, or done twice, does no harm; what is of
//! another spec or version, or was run on other tables, is as good as not there.

use crate::args::choice::Choice;
use crate::args::merge_submit::MergeArgs;
use crate::args::options::{BuildArgs, CompileArgs};
use crate::args::shard::Shard;
use crate::build::front::{self, manifest_options, requires_hold, tables_option};
use crate::io::content;
use crate::io::errors::{DriverError, Stop};
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{self, Staging};
use crate::io::terminal::{Terminal, look, size};
use crate::io::write;
use fabc_base::diag::{Failure, SourceMap};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{KeptFile, KeptReport, ShardsFile, SimulationFile, tagged};
use fabc_ir::{KeptHealthy, KeptScenario, Piece, ShardPlan, Topology};
use fabc_lang::syntax::print_spec;
use fabc_model::{Fabric, Simulation};
use fabc_pipeline::compile::{self, Keeper, Kept, Stage};
use fabc_pipeline::library::{Loaded, TablesForm};
use fabc_pipeline::verify::remake_one;
use fabc_sim::{Prepared, SimReport};
use miette::Diagnostic;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the parts are of, in their directory.
const PLAN: &str = "shards.json";

/// The normal form of the build, with its input files.
const SPEC: &str = "spec";

/// What a merge does not prove of the simulations that shards kept.
const UNPROVED: &str = "of every simulation that a shard kept one run was made again, or its beginning; the counts of all others are possible, \
                        and `fabc verify --remake all` makes them again";

/// A directory of parts, and what they are of.
pub(crate) struct Parts {
    pub(crate) directory: PathBuf,
    pub(crate) plan: ShardPlan,
}

/// What ends the work on parts.
pub(crate) enum Wrong {
    Failure(Failure),
    Driver(DriverError),
}

impl From<Failure> for Wrong {
    fn from(failure: Failure) -> Self {
        Wrong::Failure(failure)
    }
}

impl Wrong {
    fn stop(self, sources: SourceMap) -> Stop {
        match self {
            Wrong::Failure(failure) => (failure, sources).into(),
            Wrong::Driver(error) => error.into(),
        }
    }
}

/// `fabc build --shard i/n`.
///
/// # Errors
/// As a build, and as [`Parts::of_spec`].
pub(crate) fn build(
    spec: &str,
    shard: Shard,
    args: &BuildArgs,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let parts = if Path::new(spec).is_dir() {
        if !args.compile.set.is_empty() || args.compile.stop_after.is_some() || args.out.is_some() {
            let hint = "`--set`, `--stop-after` and `--out` belong to a spec: name that, or leave them out"
                .to_owned();
            return Err(
                DriverError::Shards { what: format!("`{spec}` is a directory of shards"), hint }.into()
            );
        }
        Parts::read(Path::new(spec))?
    } else {
        let Some(parts) = Parts::of_spec(
            spec,
            shard.count,
            &args.compile,
            (args.out.as_deref(), args.tables),
            watch,
            terminal,
        )?
        else {
            return Ok(());
        };
        parts
    };
    let of = Of { parts: &parts, shard, written: AtomicUsize::new(0) };
    let done = || {
        format!(
            "shard {}/{} of {} is done in {}",
            shard.index,
            shard.count,
            parts.plan.fabric,
            display(&parts.directory)
        )
    };
    if of.is_done() {
        return Ok(terminal.say(&format!("{}: everything was there", done()))?);
    }
    let Loaded { fabric, sources, .. } = parts.spec()?;
    watch
        .time("compile", || compile::shard(&fabric, parts.stage(), &of, watch))
        .map_err(|wrong| wrong.stop(sources))?;
    let count = of.written.load(Ordering::Relaxed);
    terminal.say(&format!(
        "{}: {count} file{} written in {}",
        done(),
        if count == 1 { "" } else { "s" },
        watch.elapsed()
    ))?;
    Ok(())
}

/// `fabc merge`.
///
/// # Errors
/// A shard is missing, what was kept is damaged, or as a build.
pub(crate) fn merge(args: &MergeArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = front::watch(terminal);
    let parts = Parts::read(&args.directory)?;
    let open = parts.open();
    if !open.is_empty() {
        return Err(parts.missing_shards(&open).into());
    }
    let Loaded { fabric, spec, sources, .. } = parts.spec()?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => parts.directory.parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let mut staging = Staging::begin(&out, &fabric.name, staging::BUILT)?;
    let compiled = watch.time("compile", || compile::merged(fabric, parts.stage(), &parts, &watch));
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(wrong) => return Err(wrong.stop(sources)),
    };
    let options = [parts.plan.options.clone(), tables_option(parts.tables(), &compiled, terminal)].concat();
    terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, look()))?;
    let (mut files, mut bytes) = (0_usize, 0_usize);
    fabc_emit::each_artifact(&compiled, &print_spec(&spec), &options, &mut |artifact| {
        files += 1;
        bytes += artifact.bytes.len();
        staging.write(&artifact.path, &artifact.bytes)
    })?;
    let target = staging.publish()?;
    terminal.say(&format!(
        "\nwrote {} ({files} files, {}) in {}",
        display(&target),
        size(bytes),
        watch.elapsed()
    ))?;
    if compiled.simulations.iter().any(|reports| !reports.is_empty()) {
        terminal.say(UNPROVED)?;
    }
    requires_hold(&compiled.requires, sources)
}

impl Parts {
    /// Reads a spec and writes down what is to be built in parts; `None` if the build is to stop before there
    /// is anything to share.
    ///
    /// # Errors
    /// The spec has errors, or is of a fabric in slices; the directory holds something else; the disk does
    /// not let us.
    pub(crate) fn of_spec(
        spec: &str,
        shards: usize,
        args: &CompileArgs,
        (out, tables): (Option<&Path>, TablesForm),
        watch: &Watch,
        terminal: Terminal,
    ) -> Result<Option<Self>, Stop> {
        let Some(loaded) = front::front(spec, args, watch, terminal)? else { return Ok(None) };
        let Loaded { fabric, sources, settings, text, .. } = loaded;
        if !fabric.slices.kinds.is_empty() {
            let hint =
                "every kind of slice is a build of its own: build them with `--cache` on several machines";
            return Err(DriverError::OfSlices { what: "`--shard`".to_owned(), hint }.into());
        }
        let stage = args.stop_after.unwrap_or(Stage::Emit);
        compile::check_early(&fabric, stage).map_err(|failure| (failure, sources))?;
        let mut needed = vec![("spec.fab".to_owned(), text)];
        needed.extend(fabc_emit::inputs(&fabric));
        let options = [settings, manifest_options(args)].concat();
        let tables = tables.word().to_owned();
        let plan = ShardPlan {
            fabric: fabric.name.clone(),
            key: content::of_run(&needed, stage.name()),
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
        take_away_leftovers(&directory);
        rewrite(&directory.join(PLAN), fabc_emit::shards_json(&plan).as_bytes())?;
        Ok(Some(Self { directory, plan }))
    }

    /// Reads what the parts in a directory are of.
    ///
    /// # Errors
    /// It is no such directory, or one of another version.
    pub(crate) fn read(directory: &Path) -> Result<Self, DriverError> {
        let path = directory.join(PLAN);
        let wrong = |what: String| DriverError::Shards {
            what,
            hint: "`fabc build SPEC --shard i/n` writes it".to_owned(),
        };
        if !path.is_file() {
            return Err(wrong(format!("there is no `{PLAN}` in `{}`", display(directory))));
        }
        let file: ShardsFile = tagged(&read::bytes(&path, ARTIFACT_BYTES)?)
            .map_err(|what| wrong(format!("`{}`: {what}", display(&path))))?;
        if file.tool != fabc_emit::TOOL {
            return Err(wrong(format!(
                "`{}` is of {}, but this is {}",
                display(&path),
                file.tool,
                fabc_emit::TOOL
            )));
        }
        // The name of a directory comes from the file.
        let plain = !file.fabric.is_empty()
            && file.fabric.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain || file.shards == 0 {
            return Err(wrong(format!("`{}` is damaged", display(&path))));
        }
        take_away_leftovers(directory);
        let ShardsFile { fabric, key, shards, tables, options, .. } = file;
        Ok(Self {
            directory: directory.to_owned(),
            plan: ShardPlan { fabric, key, shards, options: options.0, tables },
        })
    }

    /// The same build in another number of parts; what is done stays done.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn in_parts(mut self, shards: usize) -> Result<Self, DriverError> {
        self.plan.shards = shards;
        rewrite(&self.directory.join(PLAN), fabc_emit::shards_json(&self.plan).as_bytes())?;
        Ok(self)
    }

    fn stage(&self) -> Stage {
        let named =
            self.plan.options.iter().find(|(name, _)| name == "stop_after").map(|(_, stage)| stage.as_str());
        Stage::ALL.into_iter().find(|stage| Some(stage.name()) == named).unwrap_or(Stage::Emit)
    }

    fn tables(&self) -> TablesForm {
        TablesForm::of_word(&self.plan.tables).unwrap_or(TablesForm::Auto)
    }

    /// The spec of the parts, which their key must be of.
    ///
    /// # Errors
    /// It cannot be read, has errors, or was changed.
    fn spec(&self) -> Result<Loaded, Stop> {
        let folder = self.directory.join(SPEC);
        let loaded = read::built_spec(&folder)?;
        let key = content::of_folder(&folder, Some(&loaded), self.stage().name())?;
        if key == self.plan.key && loaded.fabric.name == self.plan.fabric {
            return Ok(loaded);
        }
        let what = format!(
            "`{}` is not the spec that these shards are of: its key is another one than that of `{PLAN}`",
            display(&folder)
        );
        Err(DriverError::Shards { what, hint: "`fabc build SPEC --shard i/n` writes both again".to_owned() }
            .into())
    }

    /// Where a scenario is kept, or a simulation on it.
    fn place(&self, simulation: Option<&str>, scenario: &str) -> PathBuf {
        let path = fabc_emit::tables_path(scenario);
        let run = simulation.map_or(String::new(), |name| format!("{name}."));
        self.directory.join("kept").join(format!("{run}{}.bin", path.rsplit('/').next().unwrap_or(&path)))
    }

    /// A kept scenario, if it is of this build.
    fn file(&self, scenario: &str) -> Result<KeptFile, DriverError> {
        let place = self.place(None, scenario);
        let damaged = |what: String| damaged(&place, &what);
        let file = KeptFile::read(&read::bytes(&place, ARTIFACT_BYTES)?).map_err(damaged)?;
        if file.key() != self.plan.key || file.name() != scenario {
            return Err(damaged("it is of another build".to_owned()));
        }
        Ok(file)
    }

    /// A kept simulation, if it is of this build and of the tables whose file has this hash.
    fn report(&self, simulation: &str, scenario: &str, tables: &str) -> Result<KeptReport, DriverError> {
        let place = self.place(Some(simulation), scenario);
        let damaged = |what: String| damaged(&place, &what);
        let file = KeptReport::read(&read::bytes(&place, ARTIFACT_BYTES)?).map_err(damaged)?;
        if !file.is_of(&self.plan.key, simulation, scenario, tables) {
            return Err(damaged("it is of another build, or of other tables".to_owned()));
        }
        Ok(file)
    }

    /// Whether a scenario is kept and whole.
    fn has_scenario(&self, scenario: &str) -> bool {
        self.place(None, scenario).is_file() && self.file(scenario).is_ok()
    }

    /// Whether a simulation is.
    fn has_report(&self, simulation: &str, scenario: &str) -> bool {
        let tables = self.place(Some(simulation), scenario).is_file().then(|| self.file(scenario));
        tables
            .and_then(Result::ok)
            .is_some_and(|tables| self.report(simulation, scenario, tables.hash()).is_ok())
    }

    /// The pieces of work that are not done, as the healthy fabric was found to have them; one for every
    /// part, as long as nobody knows them.
    pub(crate) fn open(&self) -> Vec<Open> {
        let Some(pieces) = self.file("nominal").ok().and_then(|file| file.pieces()) else {
            return (0..self.plan.shards).map(|number| Open { number, what: None }).collect();
        };
        // Tables are large, and all simulations on them ask: they are read once.
        let scenarios = std::iter::once("nominal").chain(pieces.faults.iter().map(String::as_str));
        let tables: BTreeMap<&str, String> =
            scenarios.filter_map(|name| Some((name, self.file(name).ok()?.hash().to_owned()))).collect();
        let open = |(number, piece): (usize, Piece<'_>)| {
            let (is_done, what) = match piece {
                Piece::Fault(name) => (tables.contains_key(name), name.to_owned()),
                Piece::Simulation { name, scenario } => {
                    let is_done = tables
                        .get(scenario)
                        .is_some_and(|tables| self.report(name, scenario, tables).is_ok());
                    (is_done, format!("`{name}` on {scenario}"))
                }
            };
            (!is_done).then_some(Open { number, what: Some(what) })
        };
        pieces.all().filter_map(open).collect()
    }

    /// The error that names the missing parts.
    fn missing_shards(&self, open: &[Open]) -> DriverError {
        let count = self.plan.shards;
        let mut shards: Vec<usize> = open.iter().map(|piece| piece.number % count + 1).collect();
        shards.sort_unstable();
        shards.dedup();
        let first = shards.first().copied().unwrap_or(1);
        let names: Vec<&str> = open.iter().filter_map(|piece| piece.what.as_deref()).take(3).collect();
        let what = if names.is_empty() {
            format!("none of the {count} shards is done")
        } else {
            let more = if open.len() > names.len() { " .." } else { "" };
            let listed: Vec<String> = shards.iter().map(|shard| format!("{shard}/{count}")).collect();
            let (s, are) = if shards.len() == 1 { ("", "is") } else { ("s", "are") };
            format!("shard{s} {} {are} not done: {}{more} missing", listed.join(", "), names.join(", "))
        };
        DriverError::Shards {
            what,
            hint: format!("`fabc build {} --shard {first}/{count}` does it", display(&self.directory)),
        }
    }
}

/// A piece of work that is not done.
pub(crate) struct Open {
    /// It is of the shard `number % shards + 1`.
    pub(crate) number: usize,
    /// Its name, where that is known.
    what: Option<String>,
}

/// A part that is being built.
struct Of<'a> {
    parts: &'a Parts,
    shard: Shard,
    written: AtomicUsize,
}

impl Of<'_> {
    fn is_mine(&self, number: usize) -> bool {
        number % self.shard.count == self.shard.index - 1
    }

    /// Whether nothing is left to do.
    fn is_done(&self) -> bool {
        self.parts.open().iter().all(|piece| !self.is_mine(piece.number))
    }

    fn write(&self, place: &Path, bytes: &[u8]) -> Result<(), Wrong> {
        write::write(place, bytes).map_err(Wrong::Driver)?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Keeper for Of<'_> {
    type Error = Wrong;

    fn kept(&self) -> &impl Kept<Error = Wrong> {
        self.parts
    }

    fn wants_healthy(&self) -> bool {
        !self.parts.has_scenario("nominal")
    }

    fn wants(&self, number: usize, piece: Piece<'_>) -> bool {
        let has = || match piece {
            Piece::Fault(name) => self.parts.has_scenario(name),
            Piece::Simulation { name, scenario } => self.parts.has_report(name, scenario),
        };
        self.is_mine(number) && !has()
    }

    fn healthy(&self, healthy: KeptHealthy) -> Result<(), Wrong> {
        // Every part finds the same.
        if !self.wants_healthy() {
            return Ok(());
        }
        self.write(
            &self.parts.place(None, "nominal"),
            &fabc_emit::kept_healthy(&self.parts.plan.key, &healthy),
        )
    }

    fn fault(&self, kept: KeptScenario) -> Result<(), Wrong> {
        self.write(
            &self.parts.place(None, &kept.scenario),
            &fabc_emit::kept_fault(&self.parts.plan.key, &kept),
        )
    }

    fn simulation(
        &self,
        fabric: &Fabric,
        topology: &Topology,
        name: &str,
        report: &SimReport,
    ) -> Result<(), Wrong> {
        let tables = self.parts.file(&report.scenario).map_err(Wrong::Driver)?;
        let bytes =
            fabc_emit::kept_simulation(&self.parts.plan.key, tables.hash(), fabric, topology, name, report);
        self.write(&self.parts.place(Some(name), &report.scenario), &bytes)
    }
}

impl Kept for Parts {
    type Error = Wrong;

    fn healthy(&self, topology: &Topology) -> Result<KeptHealthy, Wrong> {
        let file = self.file("nominal").map_err(Wrong::Driver)?;
        file.healthy(topology).map_err(|what| self.foreign(None, "nominal", &what))
    }

    fn scenario(&self, name: &str, topology: &Topology) -> Result<KeptScenario, Wrong> {
        let file = self.file(name).map_err(Wrong::Driver)?;
        file.scenario(topology).map_err(|what| self.foreign(None, name, &what))
    }

    fn simulation(
        &self,
        fabric: &Fabric,
        simulation: &Simulation,
        prepared: &Prepared<'_>,
    ) -> Result<SimReport, Wrong> {
        let (name, scenario) = (&simulation.name[..], prepared.scenario());
        let tables = self.file(scenario).map_err(Wrong::Driver)?;
        let kept = self.report(name, scenario, tables.hash()).map_err(Wrong::Driver)?;
        let foreign = |what: &str| self.foreign(Some(name), scenario, what);
        let file: SimulationFile = tagged(kept.report()).map_err(|what| foreign(&what))?;
        let [line] = &file.scenarios[..] else { return Err(foreign("it has another number of scenarios")) };
        let report =
            fabc_sim::reported(fabric, simulation, prepared, line).map_err(|wrong| foreign(&wrong.what))?;
        // Where it is written again to the byte, all is so that follows from the tables and the counts.
        let again = fabc_emit::simulation_json(
            fabric,
            prepared.topology(),
            Some(name),
            std::slice::from_ref(&report),
        );
        if again.as_bytes() != kept.report() {
            return Err(foreign("another report follows from its counts and the tables"));
        }
        remake_one(prepared, &report, kept.report()).map_err(|what| foreign(&what))?;
        Ok(report)
    }

    fn convicted(&self, name: &str, what: Failure) -> Wrong {
        match what {
            Failure::Internal(error) => self.foreign(None, name, &error_text(&*error)),
            other => Wrong::Failure(other),
        }
    }
}

impl Parts {
    fn foreign(&self, simulation: Option<&str>, scenario: &str, what: &str) -> Wrong {
        Wrong::Driver(unusable(format!(
            "`{}` cannot be of this build: {what}",
            display(&self.place(simulation, scenario))
        )))
    }
}

fn damaged(place: &Path, what: &str) -> DriverError {
    unusable(format!("`{}` is damaged: {what}", display(place)))
}

/// A kept file that nobody can use.
fn unusable(what: String) -> DriverError {
    DriverError::Shards { what, hint: "remove it, and run its shard again".to_owned() }
}

fn error_text(error: &(dyn Diagnostic + Send + Sync)) -> String {
    error.to_string()
}

/// Takes away what killed processes left of files that they were writing.
fn take_away_leftovers(directory: &Path) {
    ["", SPEC, "spec/inputs", "kept"]
        .iter()
        .for_each(|below| write::take_away_all_leftovers(&directory.join(below)));
}

/// Parts are written into their own directory only, or an empty one.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    let Ok(mut entries) = std::fs::read_dir(directory) else { return Ok(()) };
    match entries.next() {
        Some(Ok(found)) if !directory.join(PLAN).is_file() && !directory.join(SPEC).is_dir() => {
            let found = format!("`{}`, and no `{PLAN}`", found.file_name().to_string_lossy());
            Err(DriverError::Foreign { path: display(directory), found })
        }
        _ => Ok(()),
    }
}

/// Writes a file, unless it says the same already: another part may be reading it.
fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), DriverError> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    write::make_directory(path.parent().unwrap_or(Path::new("")))?;
    write::write(path, bytes)
}
