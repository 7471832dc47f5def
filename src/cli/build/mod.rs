//! `fabc build`, `fabc check`, `fabc graph`: they take a spec through the pipeline.

pub(crate) mod cache;
pub(crate) mod checked;
pub(crate) mod dump;
pub(crate) mod fmt;
pub(crate) mod front;
pub(crate) mod golden;
pub(crate) mod init;
pub(crate) mod parts;
pub(crate) mod requests;
pub(crate) mod schema;
pub(crate) mod several;
pub(crate) mod shards;
mod shared_results;
pub(crate) mod sliced;

use crate::args::options::{BuildArgs, CheckArgs, GraphArgs, GraphForms};
use crate::build::dump::dump_compiled;
use crate::build::front::{check_requires, compile_loaded, load, manifest_options, new_watch, tables_option};
use crate::build::golden::Golden;
use crate::build::requests::EmitRequest;
use crate::diff::parse_tolerances;
use crate::io::browser::open_page;
use crate::io::errors::DriverError;
use crate::io::input_errors::InputError;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{self, Staging};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_err, report_look, size_text, write_out};
use clap::CommandFactory;
use fabc_base::diag::SourceMap;
use fabc_emit::compiled::CompiledFabric;
use fabc_model::{Fabric, Plant, SonicConfig};
use fabc_pipeline::compile::{Stage, check_early, describe, is_described, wire};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::show::MessageFormat;
use std::path::{Path, PathBuf};

/// `fabc build`: compiles specs and writes their artifacts.
///
/// # Errors
/// The errors of a spec, a `require` that fails, golden outputs that differ, and errors of the disk. With
/// several specs, an empty `Stop` with the highest exit code: every error has been shown.
pub(crate) fn build(args: &BuildArgs, terminal: Terminal) -> Result<(), Stop> {
    if args.emit == ["list"] {
        requests::print_formats()?;
        return Ok(());
    }
    if args.specs.is_empty() {
        return Err(no_spec_error("build", terminal));
    }
    if let Some(shard) = args.shard {
        let [spec] = &args.specs[..] else {
            return Err(
                DriverError::SeveralSpecs { problem: "a shard needs exactly one spec".to_owned() }.into()
            );
        };
        let watch = new_watch(terminal);
        let result = shards::build(spec, shard, args, &watch, terminal);
        if args.compile.timings {
            print_err(&watch.table());
        }
        return result;
    }
    let requests = requests::parse_requests(&args.emit)?;
    requests::check_stage(&requests, args.compile.until)?;
    requests::check_report_stage(args.json, args.compile.until)?;
    if let [spec] = &args.specs[..] {
        return build_one(spec, args, &requests, terminal);
    }
    several::check_specs_together(args, &requests)?;
    let mut worst = 0;
    for spec in &args.specs {
        // A spec with errors does not keep the next ones from being built.
        if let Err(stop) = build_one(spec, args, &requests, terminal) {
            terminal.show(stop.diagnostics, &stop.sources);
            worst = worst.max(stop.exit_code);
        }
    }
    if worst == 0 {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: worst })
    }
}

/// The error of a command line with `--emit` and without a spec.
fn no_spec_error(command: &str, terminal: Terminal) -> Stop {
    let problem = "the following required argument was not provided: <SPEC>";
    if terminal.format == MessageFormat::Human {
        crate::args::options::CommandLine::command()
            .error(clap::error::ErrorKind::MissingRequiredArgument, problem)
            .exit();
    }
    InputError::usage(&format!("{problem}\n\nUsage: fabc {command} [OPTIONS] <SPEC>")).into()
}

fn build_one(spec: &str, args: &BuildArgs, requests: &[EmitRequest], terminal: Terminal) -> Result<(), Stop> {
    let out = match &args.out {
        Some(out) => Some(out.clone()),
        None if args.golden.is_none() && requests.is_empty() => Some(PathBuf::from("out")),
        None => None,
    };
    if args.open && out.is_none() {
        let problem = "`--open` shows the report page of a directory, but none is written".to_owned();
        return Err(InputError::Usage { problem, hint: "give `--out DIR` as well".to_owned() }.into());
    }
    let watch = new_watch(terminal);
    let has_data = !args.compile.dump.is_empty() || requests.iter().any(EmitRequest::is_stdout);
    let result = build_with(spec, args, requests, out.as_deref(), &watch, terminal.beside_data(has_data));
    if args.compile.timings {
        print_err(&watch.table());
    }
    result
}

fn build_with(
    spec: &str,
    args: &BuildArgs,
    requests: &[EmitRequest],
    out: Option<&Path>,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let tolerance = parse_tolerances(&args.tolerance)?;
    let Some(loaded) = load(spec, &args.compile, watch, terminal)? else { return Ok(()) };
    if !loaded.fabric.slices.kinds.is_empty() {
        return sliced::build(loaded, args, requests, out, watch, terminal);
    }
    let naming = args.hosts.naming();
    // A format that cannot hold the fabric is an error before the long part.
    requests.iter().try_for_each(|request| requests::check_fit(request, &loaded.fabric, &naming))?;
    if let Some(directory) = args.golden.as_deref().filter(|_| !args.update) {
        golden::check_exists(&golden::golden_directory(directory, &loaded.fabric.name))?;
    }
    let staging = match out {
        Some(out) => Some(Staging::begin(out, &loaded.fabric.name, staging::BUILT)?),
        None => None,
    };
    let only_links = out.is_none()
        && args.golden.is_none()
        && args.compile.dump.is_empty()
        && requests.iter().all(EmitRequest::needs_links_only);
    if args.compile.until == Some(Stage::Synthesize) && only_links {
        return write_links(loaded, requests, watch, terminal);
    }
    let (spec_text, settings) = (loaded.text.clone(), loaded.settings.clone());
    let (compiled, sources) = compile_loaded(loaded, &args.compile, watch, terminal)?;
    let options =
        [settings, manifest_options(&args.compile), tables_option(args.tables, &compiled, terminal)].concat();
    dump_compiled(&compiled, &spec_text, &options, &args.compile.dump)?;
    terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, report_look()))?;
    for request in requests {
        let written = watch
            .time("emit", || requests::write_format(request, &compiled, &spec_text, &naming, terminal))?;
        written.iter().try_for_each(|line| terminal.say(line))?;
    }
    if let Some(directory) = &args.golden {
        let golden = golden::golden_directory(directory, &compiled.fabric.name);
        let golden = Golden { directory: &golden, update: args.update, tolerance: tolerance.as_ref() };
        watch
            .time("golden", || golden::compare_golden(&golden, &compiled, &spec_text, &options, terminal))?;
    }
    if let Some(staging) = staging {
        note_missing_configs(&compiled, terminal);
        let (target, line) = write_artifacts(staging, &compiled, &spec_text, &options, watch)?;
        terminal.say(&line)?;
        if args.open {
            open_page(&display(&target.join("report.html")))?;
        }
    }
    requests::say_report(&compiled, &spec_text, terminal)?;
    // Requires come last: the result of a long search is worth writing even if a require fails.
    check_requires(&compiled.requires, sources)
}

/// Writes all artifacts of a build. Returns their directory, and a line about them.
fn write_artifacts(
    mut staging: Staging,
    compiled: &CompiledFabric,
    spec_text: &str,
    options: &[(String, String)],
    watch: &Watch,
) -> Result<(PathBuf, String), Stop> {
    let (mut files, mut bytes) = (0_usize, 0_usize);
    watch.time("write", || {
        fabc_emit::each_artifact(compiled, spec_text, options, &mut |artifact| {
            files += 1;
            bytes += artifact.bytes.len();
            staging.write(&artifact.path, &artifact.bytes)
        })
    })?;
    let target = staging.publish()?;
    let line =
        format!("\nwrote {} ({files} files, {}) in {}", display(&target), size_text(bytes), watch.elapsed());
    Ok((target, line))
}

/// Writes formats that need links alone. The fabric is wired, and nothing is measured.
fn write_links(
    loaded: Loaded,
    requests: &[EmitRequest],
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = loaded;
    let wired = watch.time("compile", || wire(fabric, watch)).map_err(|failure| (failure, sources))?;
    for request in requests {
        for line in watch.time("emit", || requests::write_links(request, &wired))? {
            terminal.say(&line)?;
        }
    }
    Ok(())
}

/// Notes which switches get no configuration although the spec does not say `config_db = none`.
fn note_missing_configs(compiled: &CompiledFabric, terminal: Terminal) {
    let pod = compiled.fabric.pod();
    let mut unable =
        pod.into_iter().flat_map(|pod| pod.ocses.iter()).filter(|ocs| ocs.config_db == SonicConfig::NoSides);
    if let Some(first) = unable.next() {
        let others = match unable.count() {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        terminal.note(&format!(
            "no SONiC configuration is written for {}{others}: SONiC cannot describe switches without sides whose ports carry both directions (`config_db = none;` confirms this, `duplex = pair;` gives each direction a fiber)",
            first.name
        ));
    }
}

/// `fabc check`: reports the errors that need no search. With `--until` a later stage, it runs
/// everything up to that stage, without writing.
///
/// # Errors
/// The errors of the spec. With a later stage, also the errors of a build, and a `require` that fails.
pub(crate) fn check(args: &CheckArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = new_watch(terminal);
    let result = check_with(args, &watch, terminal);
    if args.compile.timings {
        print_err(&watch.table());
    }
    result
}

fn check_with(args: &CheckArgs, watch: &Watch, terminal: Terminal) -> Result<(), Stop> {
    if args.emit == ["list"] {
        requests::print_formats()?;
        return Ok(());
    }
    let Some(spec) = &args.spec else { return Err(no_spec_error("check", terminal)) };
    let requests = requests::parse_requests(&args.emit)?;
    requests::check_stage(&requests, args.compile.until)?;
    let early = args.compile.until.is_some_and(|last| last < Stage::Synthesize);
    requests::check_report_stage(args.json && early, args.compile.until)?;
    let Some(loaded) = load(spec, &args.compile, watch, terminal)? else { return Ok(()) };
    if !loaded.fabric.slices.kinds.is_empty() {
        return sliced::check(loaded, args, &requests, watch, terminal);
    }
    let naming = args.hosts.naming();
    requests.iter().try_for_each(|request| requests::check_fit(request, &loaded.fabric, &naming))?;
    if args.compile.until.is_none() {
        let fabric = &loaded.fabric;
        if let Some(directory) = &args.golden {
            golden::check_exists(&golden::golden_directory(directory, &fabric.name))?;
        }
        if is_described(fabric) {
            return check_described(loaded, watch, terminal);
        }
        let undecided = check_early(fabric, Stage::Emit).map_err(|failure| (failure, loaded.sources))?;
        return Ok(checked::say_checked(fabric, &summary(fabric), undecided, terminal)?);
    }
    if args.compile.until == Some(Stage::Synthesize) && args.compile.dump.is_empty() {
        return check_wiring(loaded, watch, terminal);
    }
    let options = [loaded.settings.clone(), manifest_options(&args.compile)].concat();
    let spec_text = loaded.text.clone();
    let (compiled, sources) = compile_loaded(loaded, &args.compile, watch, terminal)?;
    dump_compiled(&compiled, &spec_text, &options, &args.compile.dump)?;
    if args.compile.dump.is_empty() {
        terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, report_look()))?;
    }
    requests::say_report(&compiled, &spec_text, terminal)?;
    check_requires(&compiled.requires, sources)
}

/// Wires a fabric and proves that it is wired as declared. Nothing is measured.
fn check_wiring(
    Loaded { fabric, sources, .. }: Loaded,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let wired = watch.time("compile", || wire(fabric, watch)).map_err(|failure| (failure, sources))?;
    let links = wired.topology.links().len();
    let summary = format!("{}, {}", summary(&wired.fabric), count(links, "link"));
    Ok(checked::say_wired(&wired.fabric, &summary, wired.undecided, links, terminal)?)
}

/// Describes a network that is too large to be built.
fn check_described(
    Loaded { fabric, sources, .. }: Loaded,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let described = match watch.time("sample", || describe(&fabric)) {
        Ok(Some(described)) => described,
        // A family without formulas has a size limit below this.
        Ok(None) => {
            return check_early(&fabric, Stage::Emit).map(drop).map_err(|failure| (failure, sources).into());
        }
        Err(failure) => return Err((failure, sources).into()),
    };
    checked::say_described(&fabric, &summary(&fabric), &described, terminal)?;
    check_requires(&described.requires, sources)
}

/// What a spec declares, in one line.
fn summary(fabric: &Fabric) -> String {
    let requires = count(fabric.requires.len(), "require");
    match &fabric.plant {
        Plant::Pod(pod) => {
            let ([x, y, z], cubes) = (pod.cube.dims, count(pod.cubes as usize, "cube"));
            format!(
                "{cubes} of {x} x {y} x {z}, {}, {requires}, {} OCSes",
                count(pod.node_count(), "chip"),
                pod.ocses.len()
            )
        }
        Plant::Network(network) => {
            format!("{}, {}, {requires}", network.family.name(), count(network.router_count(), "router"))
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `fabc graph`: prints the links of a fabric.
///
/// # Errors
/// The errors of the spec, and of wiring the fabric.
pub(crate) fn graph(args: &GraphArgs, terminal: Terminal) -> Result<(), Stop> {
    let Loaded { fabric, sources, warnings, .. } = read::read_spec(&args.spec, &args.set)?;
    terminal.warn(warnings, &sources);
    let wired = wire(fabric, &new_watch(terminal)).map_err(|failure| (failure, sources))?;
    let name = match args.form {
        GraphForms { json: true, .. } => "topology",
        GraphForms { graphml: true, .. } => "graphml",
        GraphForms { csv: true, .. } => "csv",
        _ => "dot",
    };
    let format = fabc_emit::FORMATS.iter().find(|format| format.name == name);
    if let Some(artifact) = format.and_then(|format| fabc_emit::wiring_artifact(format, wired.wiring())) {
        write_out(&artifact.bytes)?;
    }
    Ok(())
}
