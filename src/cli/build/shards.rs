//! `fabc build --shard i/n` and `fabc shards merge`: a build in parts.
//!
//! Input: a spec, or the directory of its parts. Output: the kept files of one part. The merge writes the
//! directory of the fabric, with the same bytes as one process.

use crate::args::options::BuildArgs;
use crate::args::shard::Shard;
use crate::args::shards::MergeArgs;
use crate::build::front::{self, check_requires, tables_option};
use crate::build::kept::ShardBuild;
use crate::build::parts::BuildParts;
use crate::build::requests;
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, Staging};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, report_look, size_text};
use fabc_lang::syntax::print_spec;
use fabc_pipeline::compile;
use fabc_pipeline::library::Loaded;
use std::path::{Path, PathBuf};

/// What a merge does not prove of the simulations that shards kept.
const UNPROVED: &str = "of every simulation that a shard kept one run was made again, or its beginning; the counts of all others are possible, \
                        and `fabc verify --remake all` makes them again";

/// `fabc build --shard i/n`: builds one part of a spec.
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
        let Some(parts) = BuildParts::from_spec(
            spec,
            shard.count,
            &args.compile,
            args.out.as_deref(),
            args.tables,
            watch,
            terminal,
        )?
        else {
            return Ok(());
        };
        parts
    };
    let build = ShardBuild::new(&parts, shard);
    let done = || {
        format!(
            "shard {}/{} of {} is done in {}",
            shard.index,
            shard.count,
            parts.plan.fabric,
            display(&parts.directory)
        )
    };
    if build.is_done() {
        return Ok(terminal.say(&format!("{}: everything was there", done()))?);
    }
    let Loaded { fabric, sources, .. } = parts.load_spec()?;
    watch
        .time("compile", || compile::shard(&fabric, parts.stage(), &build, watch))
        .map_err(|error| error.stop(sources))?;
    let count = build.written_files();
    terminal.say(&format!(
        "{}: {count} file{} written in {}",
        done(),
        if count == 1 { "" } else { "s" },
        watch.elapsed()
    ))?;
    Ok(())
}

/// `fabc shards merge`: puts the parts of a build together.
///
/// # Errors
/// `DriverError::Shards` if a shard is missing or a kept file is damaged, and the errors of a build.
pub(crate) fn merge(args: &MergeArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = front::new_watch(terminal);
    let parts = BuildParts::read(&args.directory)?;
    let open = parts.open_pieces();
    if !open.is_empty() {
        return Err(parts.missing_shards(&open).into());
    }
    let Loaded { fabric, spec, sources, .. } = parts.load_spec()?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => parts.directory.parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let mut staging = Staging::begin(&out, &fabric.name, staging::BUILT)?;
    let compiled = watch.time("compile", || compile::merged(fabric, parts.stage(), &parts, &watch));
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return Err(error.stop(sources)),
    };
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
