//! `fabc build` and `fabc check` of a fabric in slices: every kind is compiled alone, then all are placed.

use crate::args::options::{BuildArgs, CheckArgs};
use crate::build::front::{back, left_to_a_build, manifest_options, requires_hold, tables_option};
use crate::io::errors::{DriverError, Stop};
use crate::io::kind_cache::{self, Cache};
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::terminal::{Terminal, look, size};
use crate::operate::placed::{kind, of_slices, settings, write_placed};
use fabc_base::diag::SourceMap;
use fabc_emit::compiled::Compiled;
use fabc_emit::{Artifact, ManifestLine, PlacedPod};
use fabc_lang::parse_normal_form;
use fabc_model::kind_files;
use fabc_model::{Fabric, SliceKind};
use fabc_passes::slices::Placing;
use fabc_pipeline::compile::{Stage, check_early};
use fabc_pipeline::library::Loaded;
use std::collections::BTreeMap;
use std::path::Path;

/// What a kind is compiled from.
fn alone(kind: &SliceKind, sources: &SourceMap) -> Loaded {
    let (fabric, spec) = (kind.fabric.clone(), parse_normal_form(&kind.spec));
    Loaded {
        text: kind.spec.clone(),
        fabric,
        spec,
        sources: sources.clone(),
        warnings: Vec::new(),
        settings: Vec::new(),
    }
}

/// Refuses what asks for one topology.
fn refuse(what: &str) -> Stop {
    let hint = "every kind of slice has a spec of its own once it is built: `DIR/slices/KIND/spec.fab`";
    DriverError::OfSlices { what: what.to_owned(), hint }.into()
}

/// Builds all kinds and places them.
///
/// # Errors
/// A kind cannot be had, the slices do not fit, the disk does not let us; at the end, a `require` fails.
pub(crate) fn build(
    loaded: Loaded,
    args: &BuildArgs,
    out: Option<&Path>,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let options = [(args.golden.is_some(), "`--golden`"), (!args.compile.dump.is_empty(), "`--dump`")];
    if let Some((_, option)) = options.into_iter().find(|(given, _)| *given) {
        return Err(refuse(option));
    }
    let Some(out) = out else { return Err(refuse("`--emit`")) };
    let Loaded { fabric, sources, settings: given, text: spec_text, .. } = loaded;
    let pod = of_slices(&fabric);
    let placement = Placing::of(&fabric, pod).initial(fabric.slices.spare)?;
    let mut staging = Staging::begin(out, &fabric.name, staging::BUILT)?;
    let cache = Cache::of(args);
    let (mut kinds, mut lines, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut files, mut bytes) = (0_usize, 0_usize);
    // What was compiled already, by what it was compiled from but for its name.
    let mut compiled: BTreeMap<String, Compiled> = BTreeMap::new();
    for of in &fabric.slices.kinds {
        let alone = alone(of, &sources);
        let text = alone.text.clone();
        let nameless = kind_cache::key(
            &of.fabric,
            &text.replacen(&format!("fabric {} ", of.fabric.name), "fabric ", 1),
            args,
        );
        let key = kind_cache::key(&of.fabric, &text, args);
        let mut read = BTreeMap::new();
        let mut take = |artifact: Artifact| {
            let path = format!("{}{}", kind_files(&of.name), artifact.path);
            files += 1;
            bytes += artifact.bytes.len();
            lines.push(ManifestLine::of(&path, &artifact.bytes));
            staging.write(&path, &artifact.bytes)?;
            if [MANIFEST, "report.json", "ocs.json"].contains(&artifact.path.as_str()) {
                read.insert(artifact.path, artifact.bytes);
            }
            Ok::<(), DriverError>(())
        };
        if let Some(found) = cache.as_ref().map(|cache| cache.found(&key)).transpose()?.flatten() {
            terminal.say(&format!("{}: compiled before", of.fabric.name))?;
            found.into_iter().try_for_each(&mut take)?;
        } else {
            let mut again = match compiled.remove(&nameless) {
                Some(again) => again,
                None => back(alone, &args.compile, watch, terminal)?.0,
            };
            again.fabric.name.clone_from(&of.fabric.name);
            let options =
                [manifest_options(&args.compile), tables_option(args.tables, &again, terminal)].concat();
            terminal.say_with_colors(&fabc_emit::terminal_report(&again, look()))?;
            let broken = requires(&again, &sources);
            // What breaks its contract is told every time.
            let mut kept =
                cache.as_ref().filter(|_| broken.is_empty()).map(|cache| cache.keep(&key)).transpose()?;
            watch.time("write", || {
                fabc_emit::each_artifact(&again, &text, &options, &mut |artifact| {
                    kept.as_mut().map_or(Ok(()), |kept| kept.write(&artifact.path, &artifact.bytes))?;
                    take(artifact)
                })
            })?;
            kept.map(Staging::publish).transpose()?;
            failed.extend(broken);
            compiled.insert(nameless, again);
        }
        let there = |file: &str| {
            read.get(file).cloned().ok_or_else(|| DriverError::NotBuilt {
                path: of.name.clone(),
                reason: format!("there is no `{file}`"),
            })
        };
        kinds.push(kind(of, &there)?);
    }
    let settings = settings(&fabric, &kinds, &placement);
    let placed =
        PlacedPod { fabric: &fabric, pod, kinds: &kinds, placement: &placement, settings: &settings };
    let options = [given, manifest_options(&args.compile)].concat();
    let (more, more_bytes) =
        watch.time("write", || write_placed(&mut staging, placed, (&spec_text, &options), lines))?;
    let target = staging.publish()?;
    terminal.say(&fabc_emit::placed_text(placed))?;
    let (files, bytes) = (files + more, size(bytes + more_bytes));
    terminal.say(&format!("wrote {} ({files} files, {bytes}) in {}", display(&target), watch.elapsed()))?;
    if failed.is_empty() { Ok(()) } else { Err(Stop { diagnostics: failed, sources, exit_code: 3 }) }
}

/// The requires of a kind that do not hold.
fn requires(compiled: &Compiled, sources: &SourceMap) -> Vec<Box<dyn miette::Diagnostic + Send + Sync>> {
    requires_hold(&compiled.requires, sources.clone()).map_or_else(|stop| stop.diagnostics, |()| Vec::new())
}

/// Compiles all kinds as far as a stage, and reports them; without one, says whether the slices fit.
///
/// # Errors
/// As [`build`].
pub(crate) fn check(loaded: Loaded, args: &CheckArgs, watch: &Watch, terminal: Terminal) -> Result<(), Stop> {
    let CheckArgs { compile: args, emit: formats, golden, .. } = args;
    let options = [
        (golden.is_some(), "`--golden`"),
        (!args.dump.is_empty(), "`--dump`"),
        (!formats.is_empty(), "`--emit`"),
    ];
    if let Some((_, option)) = options.into_iter().find(|(given, _)| *given) {
        return Err(refuse(option));
    }
    let Loaded { fabric, sources, .. } = loaded;
    Placing::of(&fabric, of_slices(&fabric)).initial(fabric.slices.spare)?;
    let (mut failed, mut left) = (Vec::new(), 0);
    for of in &fabric.slices.kinds {
        if args.stop_after.is_none() {
            left += check_early(&of.fabric, Stage::Emit)
                .map_err(|failure| Stop::from((failure, sources.clone())))?;
            continue;
        }
        let (compiled, _) = back(alone(of, &sources), args, watch, terminal)?;
        terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, look()))?;
        failed.extend(requires(&compiled, &sources));
    }
    if args.stop_after.is_none() {
        terminal.say(&format!(
            "{}: no errors ({}){}",
            fabric.name,
            contents(&fabric),
            left_to_a_build(left)
        ))?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Stop { diagnostics: failed, sources, exit_code: 3 }) }
}

/// `64 cubes of 4 x 4 x 4; slices: 16 x 1 (serve), 4 x 8 (train); 2 spare`
fn contents(fabric: &Fabric) -> String {
    let pod = of_slices(fabric);
    let [x, y, z] = pod.cube.dims;
    let kinds: Vec<String> = fabric
        .slices
        .kinds
        .iter()
        .map(|kind| format!("{} x {} ({})", kind.count, kind.cubes(), kind.name))
        .collect();
    let spare =
        if fabric.slices.spare > 0 { format!("; {} spare", fabric.slices.spare) } else { String::new() };
    format!("{} cubes of {x} x {y} x {z}; slices: {}{spare}", pod.cubes, kinds.join(", "))
}
