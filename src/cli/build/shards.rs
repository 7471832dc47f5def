//! `fabc build --shard i/n` and `fabc shards merge`: a build by several processes.
//!
//! Input: a spec, or the directory of such a build. Output: results that the processes share. The merge
//! writes the directory of the fabric, with the same bytes as one process.

use crate::args::options::BuildArgs;
use crate::args::shard::Shard;
use crate::args::shards::MergeArgs;
use crate::build::front::{self, check_requires, tables_option};
use crate::build::parts::BuildParts;
use crate::build::requests;
use crate::build::shared_results::{MergedResults, SharedResults, known_results};
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, Staging};
use crate::io::stop::Stop;
use crate::io::temporary::clean_up_on_interrupt;
use crate::io::terminal::{Terminal, report_look, size_text};
use fabc_ir::QueuedPiece;
use fabc_lang::syntax::print_spec;
use fabc_pipeline::compile;
use fabc_pipeline::library::Loaded;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a merge does not prove of the simulations that shards kept.
const UNPROVED: &str = "of every simulation that a shard kept one run was made again, or its beginning; the counts of all others are possible, \
                        and `fabc verify --remake all` makes them again";

/// `fabc build --shard i/n`: one of the processes that share the build of a spec.
///
/// # Errors
/// As a build, and as [`BuildParts::from_spec`].
pub(crate) fn build(
    spec: &str,
    shard: Shard,
    args: &BuildArgs,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let parts = if Path::new(spec).is_dir() {
        if !args.compile.set.is_empty() || args.compile.until.is_some() || args.out.is_some() {
            let hint =
                "`--set`, `--until` and `--out` belong to a spec: name that, or leave them out".to_owned();
            return Err(
                DriverError::Shards { problem: format!("`{spec}` is a directory of shards"), hint }.into()
            );
        }
        BuildParts::read(Path::new(spec))?
    } else {
        let Some(parts) =
            BuildParts::from_spec(spec, &args.compile, args.out.as_deref(), args.tables, watch, terminal)?
        else {
            return Ok(());
        };
        parts
    };
    let done = || {
        format!(
            "shard {}/{} of {} is done in {}",
            shard.index,
            shard.count,
            parts.plan.fabric,
            display(&parts.directory)
        )
    };
    if parts.open_pieces().is_some_and(|open| open.is_empty()) {
        return Ok(terminal.say(&format!("{}: everything was there", done()))?);
    }
    clean_up_on_interrupt();
    let Loaded { fabric, spec, sources, .. } = parts.load_spec()?;
    let results = SharedResults::new(&parts, terminal);
    let known = known_results(&results, &fabric, &spec);
    let worked = watch.time("compile", || compile::work(&fabric, parts.stage(), &known, &results, watch));
    let count = results.written_files();
    results.require_stored()?;
    worked.map_err(|failure| (failure, sources))?;
    terminal.say(&format!(
        "{}: {count} result{} written in {}",
        done(),
        if count == 1 { "" } else { "s" },
        watch.elapsed()
    ))?;
    Ok(())
}

/// `fabc shards merge`: builds from the results of all processes. The checker proves every result like a new
/// one, and one that it convicts is made again. A sample is made again in any case.
///
/// # Errors
/// `DriverError::Shards` if a piece is missing, or if one of the sample is another one, and the errors of a
/// build.
pub(crate) fn merge(args: &MergeArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = front::new_watch(terminal);
    let parts = BuildParts::read(&args.directory)?;
    let Some(pieces) = parts.pieces() else { return Err(parts.missing_pieces(None).into()) };
    let open = parts.open_pieces().unwrap_or_default();
    if !open.is_empty() {
        return Err(parts.missing_pieces(Some(&open)).into());
    }
    let Loaded { fabric, spec, sources, .. } = parts.load_spec()?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => parts.directory.parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let mut staging = Staging::begin(&out, &fabric.name, staging::BUILT)?;
    let results = MergedResults::new(&parts, &pieces, args.remake, terminal);
    let known = known_results(&results, &fabric, &spec);
    let compiled = watch.time("compile", || compile::compile_with(fabric, parts.stage(), &known, &watch));
    let compiled = compiled.map_err(|failure| (failure, sources.clone()))?;
    refuse_different(&parts, &pieces, &results.different())?;
    let options = [parts.plan.options.clone(), tables_option(parts.tables(), &compiled, terminal)].concat();
    terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, report_look()))?;
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
        size_text(bytes),
        watch.elapsed()
    ))?;
    requests::say_report(&compiled, &print_spec(&spec), terminal)?;
    if compiled.simulations.iter().any(|reports| !reports.is_empty()) {
        terminal.say(UNPROVED)?;
    }
    check_requires(&compiled.requires, sources)
}

/// Refuses results that differ from those of a new search: the others may differ as well.
///
/// # Errors
/// `DriverError::Shards` if there is one.
fn refuse_different(
    parts: &BuildParts,
    pieces: &[QueuedPiece],
    different: &BTreeSet<String>,
) -> Result<(), DriverError> {
    let Some(piece) = pieces.iter().find(|piece| different.contains(&piece.key)) else { return Ok(()) };
    let path = display(&parts.kept_path(&piece.key));
    let problem = format!("`{path}` is valid, but a new search finds another result for {}", piece.name);
    let directory = display(&parts.directory);
    let hint =
        format!("its shard was another fabc, or was tampered with: remove `{directory}`, and build again");
    Err(DriverError::Shards { problem, hint })
}
