//! `fabc build` and `fabc check` of a fabric in slices. Every kind is compiled alone, then all slices are
//! placed.

use crate::args::options::{BuildArgs, CheckArgs};
use crate::build::checked::say_checked;
use crate::build::front::{check_requires, compile_loaded, manifest_options, tables_option};
use crate::build::requests::{self, EmitRequest};
use crate::io::browser::open_page;
use crate::io::content::content_hash;
use crate::io::errors::DriverError;
use crate::io::progress::Watch;
use crate::io::read::display;
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, report_look, size_text};
use crate::operate::placed::write_placed;
use fabc_base::diag::{Failure, SourceMap};
use fabc_emit::compiled::CompiledFabric;
use fabc_emit::{Artifact, ManifestEntry, PlacedKind, PlacedPod, Scheduled, input_copies};
use fabc_lang::parse_normal_form;
use fabc_model::kind_files;
use fabc_model::{Fabric, SliceKind};
use fabc_pipeline::compile::{Stage, check_early};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::operate::{
    initial_placement, lit_placement, placed_light, placement_settings, pod_of_slices, read_kind,
    refuse_dark_pod,
};
use fabc_pipeline::refusal::Refusal;
use std::collections::BTreeMap;
use std::path::Path;

/// The spec of one kind of slice, as if it had been read from a file.
pub(crate) fn kind_spec(kind: &SliceKind, sources: &SourceMap) -> Loaded {
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

/// The error for an option that needs a single topology.
fn refuse_option(option: &str) -> Stop {
    let hint = "`fabc build` writes a spec for each kind of slice: `DIR/slices/KIND/spec.fab`";
    DriverError::OfSlices { option: option.to_owned(), hint }.into()
}

/// Builds all kinds and places their slices.
///
/// # Errors
/// The errors of building a kind, of placing the slices and of the disk. At the end, a `require` that fails.
pub(crate) fn build(
    loaded: Loaded,
    args: &BuildArgs,
    emitted: &[EmitRequest],
    out: Option<&Path>,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let options = [(args.golden.is_some(), "`--golden`"), (!args.compile.dump.is_empty(), "`--dump`")];
    if let Some((_, option)) = options.into_iter().find(|(given, _)| *given) {
        return Err(refuse_option(option));
    }
    requests::check_for_slices(emitted)?;
    let naming = args.hosts.naming();
    emitted.iter().try_for_each(|request| requests::check_fit(request, &loaded.fabric, &naming))?;
    let Loaded { fabric, sources, settings: given, text: spec_text, .. } = loaded;
    let pod = pod_of_slices(&fabric);
    initial_placement(&fabric)?;
    let mut builds = KindBuilds {
        args,
        watch,
        terminal,
        sources: &sources,
        staging: out.map(|out| Staging::begin(out, &fabric.name, staging::BUILT)).transpose()?,
        compiled: BTreeMap::new(),
        lines: Vec::new(),
        files: 0,
        bytes: 0,
        failed: Vec::new(),
    };
    let kinds =
        fabric.slices.kinds.iter().map(|kind| builds.build(kind)).collect::<Result<Vec<_>, Stop>>()?;
    let KindBuilds { staging, lines, files, bytes, failed, .. } = builds;
    let placement = lit_placement(&fabric, &kinds)?;
    let settings = placement_settings(&fabric, &kinds, &placement);
    let light = placed_light(&fabric, &settings)
        .map_err(|dark| Stop::from((Failure::infeasible(dark), sources.clone())))?;
    let placed = PlacedPod {
        fabric: &fabric,
        pod,
        kinds: &kinds,
        placement: &placement,
        settings: &settings,
        light: light.as_ref(),
    };
    for request in emitted {
        let written =
            watch.time("emit", || requests::write_scheduled(request, Scheduled::Placed(placed), &naming))?;
        written.iter().try_for_each(|line| terminal.say(line))?;
    }
    terminal.say(&fabc_emit::placed_text(placed))?;
    terminal.say_document(&fabc_emit::placement_json(placed))?;
    if let Some(mut staging) = staging {
        let options = [given, manifest_options(&args.compile)].concat();
        let (more, more_bytes) =
            watch.time("write", || write_placed(&mut staging, placed, &spec_text, &options, lines))?;
        let target = staging.publish()?;
        let (files, bytes) = (files + more, size_text(bytes + more_bytes));
        terminal.say(&format!(
            "wrote {} ({files} files, {bytes}) in {}",
            display(&target),
            watch.elapsed()
        ))?;
        if args.open {
            open_page(&display(&target.join("report.html")))?;
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Stop { diagnostics: failed, sources, exit_code: 3 }) }
}

/// The kinds of a fabric, while they are built one by one.
struct KindBuilds<'a> {
    args: &'a BuildArgs,
    watch: &'a Watch,
    terminal: Terminal,
    sources: &'a SourceMap,
    /// The output directory. `None` if only formats for schedulers are written.
    staging: Option<Staging>,
    /// Compiled kinds by the hash of their inputs, without their names: two kinds may differ in nothing else.
    compiled: BTreeMap<String, CompiledFabric>,
    /// The files of all kinds, as the manifest lists them.
    lines: Vec<ManifestEntry>,
    files: usize,
    bytes: usize,
    /// The errors of the requires that fail.
    failed: Vec<Box<dyn miette::Diagnostic + Send + Sync>>,
}

impl KindBuilds<'_> {
    /// Compiles a kind, and stages its files.
    fn build(&mut self, kind: &SliceKind) -> Result<PlacedKind, Stop> {
        let loaded = kind_spec(kind, self.sources);
        let text = loaded.text.clone();
        let name = &kind.fabric.name;
        let key = nameless_key(&kind.fabric, &text);
        let mut compiled = match self.compiled.remove(&key) {
            Some(compiled) => compiled,
            None => compile_loaded(loaded, &self.args.compile, self.watch, self.terminal)?.0,
        };
        compiled.fabric.name.clone_from(name);
        let tables = tables_option(self.args.tables, &compiled, self.terminal);
        let options = [manifest_options(&self.args.compile), tables].concat();
        self.terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, report_look()))?;
        self.failed.extend(failed_requires(&compiled, self.sources));
        let (watch, mut read) = (self.watch, BTreeMap::new());
        watch.time("write", || {
            fabc_emit::each_artifact(&compiled, &text, &options, &mut |artifact| {
                self.stage(kind, artifact, &mut read)
            })
        })?;
        self.compiled.insert(key, compiled);
        let read_file = |file: &str| {
            read.get(file).cloned().ok_or_else(|| Refusal::NotBuilt {
                path: kind.name.clone(),
                reason: format!("there is no `{file}`"),
            })
        };
        Ok(read_kind(kind, &read_file)?)
    }

    /// Stages a file of a kind. `read` collects the files that describe the kind.
    fn stage(
        &mut self,
        kind: &SliceKind,
        artifact: Artifact,
        read: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), DriverError> {
        let path = format!("{}{}", kind_files(&kind.name), artifact.path);
        self.files += 1;
        self.bytes += artifact.bytes.len();
        self.lines.push(ManifestEntry::for_file(&path, &artifact.bytes));
        if let Some(staging) = &mut self.staging {
            staging.write(&path, &artifact.bytes)?;
        }
        if [MANIFEST, "report.json", "ocs.json"].contains(&artifact.path.as_str()) {
            read.insert(artifact.path, artifact.bytes);
        }
        Ok(())
    }
}

/// The hash of everything that a kind is compiled from, except for its name.
fn nameless_key(fabric: &Fabric, text: &str) -> String {
    let nameless = text.replacen(&format!("fabric {} ", fabric.name), "fabric ", 1);
    let inputs = input_copies(fabric);
    let files = inputs.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    content_hash([nameless.as_str()].into_iter().chain(files)).to_hex().to_string()
}

/// The errors of the requires of a kind that fail.
fn failed_requires(
    compiled: &CompiledFabric,
    sources: &SourceMap,
) -> Vec<Box<dyn miette::Diagnostic + Send + Sync>> {
    check_requires(&compiled.requires, sources.clone()).map_or_else(|stop| stop.diagnostics, |()| Vec::new())
}

/// Compiles all kinds up to a stage, and reports them. Without a stage, it checks whether the slices fit.
///
/// # Errors
/// As [`build`], without those of the disk.
pub(crate) fn check(
    loaded: Loaded,
    args: &CheckArgs,
    emitted: &[EmitRequest],
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let CheckArgs { compile: args, golden, hosts, .. } = args;
    let options = [(golden.is_some(), "`--golden`"), (!args.dump.is_empty(), "`--dump`")];
    if let Some((_, option)) = options.into_iter().find(|(given, _)| *given) {
        return Err(refuse_option(option));
    }
    let Loaded { fabric, sources, .. } = loaded;
    requests::check_for_slices(emitted)?;
    let naming = hosts.naming();
    emitted.iter().try_for_each(|request| requests::check_fit(request, &fabric, &naming))?;
    initial_placement(&fabric)?;
    refuse_dark_pod(&fabric).map_err(|dark| Stop::from((Failure::infeasible(dark), sources.clone())))?;
    let (mut failed, mut unmeasured) = (Vec::new(), 0);
    for kind in &fabric.slices.kinds {
        if args.until.is_none() {
            unmeasured += check_early(&kind.fabric, Stage::Emit)
                .map_err(|failure| Stop::from((failure, sources.clone())))?;
            continue;
        }
        let (compiled, _) = compile_loaded(kind_spec(kind, &sources), args, watch, terminal)?;
        terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, report_look()))?;
        requests::say_report(&compiled, &kind.spec, terminal)?;
        failed.extend(failed_requires(&compiled, &sources));
    }
    if args.until.is_none() {
        say_checked(&fabric, &summary(&fabric), unmeasured, terminal)?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Stop { diagnostics: failed, sources, exit_code: 3 }) }
}

/// What the spec declares in one line: `64 cubes of 4 x 4 x 4; slices: 16 x 1 (serve), 4 x 8 (train); 2
/// spare`.
fn summary(fabric: &Fabric) -> String {
    let pod = pod_of_slices(fabric);
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
