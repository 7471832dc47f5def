//! `fabc build`, `fabc check`, `fabc graph`: a spec through the pipeline.

pub(crate) mod candidates;
pub(crate) mod dump;
pub(crate) mod fmt;
pub(crate) mod front;
pub(crate) mod golden;
pub(crate) mod init;
pub(crate) mod parts;
pub(crate) mod requests;
pub(crate) mod schema;
pub(crate) mod several;
pub(crate) mod sliced;

use crate::args::options::{BuildArgs, CheckArgs, GraphArgs, GraphFormat};
use crate::build::dump::dump_compiled;
use crate::build::front::{
    back, front, left_to_a_build, manifest_options, requires_hold, tables_option, watch,
};
use crate::build::golden::Golden;
use crate::build::requests::Request;
use crate::diff::tolerance;
use crate::io::errors::{DriverError, Stop};
use crate::io::input_errors::InputError;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{self, Staging};
use crate::io::terminal::{Terminal, look, print_err, size, write_out};
use clap::CommandFactory;
use fabc_base::diag::SourceMap;
use fabc_emit::compiled::Compiled;
use fabc_model::{Fabric, Plant, SonicConfig};
use fabc_pipeline::compile::{Stage, check_early, describe, is_described, wire};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::show::MessageFormat;
use std::path::{Path, PathBuf};

/// `fabc build`.
///
/// # Errors
/// The spec has errors or cannot be met, a `require` fails, golden outputs differ, the disk does not let us.
pub(crate) fn build(args: &BuildArgs, terminal: Terminal) -> Result<(), Stop> {
    if args.emit == ["list"] {
        requests::list()?;
        return Ok(());
    }
    if args.specs.is_empty() {
        return Err(no_spec("build", terminal));
    }
    if let Some(shard) = args.shard {
        let [spec] = &args.specs[..] else {
            return Err(DriverError::SeveralSpecs { what: "a shard is of one spec".to_owned() }.into());
        };
        let watch = watch(terminal);
        let result = parts::build(spec, shard, args, &watch, terminal);
        if args.compile.timings {
            print_err(&watch.table());
        }
        return result;
    }
    let requests = requests::read(&args.emit)?;
    requests::reached(&requests, args.compile.stop_after)?;
    if let [spec] = &args.specs[..] {
        return one(spec, args, &requests, terminal);
    }
    several::fit_each_other(args, &requests)?;
    let mut worst = 0;
    for spec in &args.specs {
        // Every spec is built, also after one that was not.
        if let Err(stop) = one(spec, args, &requests, terminal) {
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
fn no_spec(command: &str, terminal: Terminal) -> Stop {
    let what = "the following required argument was not provided: <SPEC>";
    if terminal.format == MessageFormat::Human {
        crate::args::options::Options::command()
            .error(clap::error::ErrorKind::MissingRequiredArgument, what)
            .exit();
    }
    InputError::usage(&format!("{what}\n\nUsage: fabc {command} [OPTIONS] <SPEC>")).into()
}

/// One spec of a build.
fn one(spec: &str, args: &BuildArgs, requests: &[Request], terminal: Terminal) -> Result<(), Stop> {
    let out = match &args.out {
        Some(out) => Some(out.clone()),
        None if args.golden.is_none() && requests.is_empty() => Some(PathBuf::from("out")),
        None => None,
    };
    let watch = watch(terminal);
    let mut data_on_stdout = !args.compile.dump.is_empty();
    data_on_stdout |= requests.iter().any(Request::is_stdout);
    let result = build_with(spec, args, requests, out.as_deref(), data_on_stdout, &watch, terminal);
    if args.compile.timings {
        print_err(&watch.table());
    }
    result
}

fn build_with(
    spec: &str,
    args: &BuildArgs,
    requests: &[Request],
    out: Option<&Path>,
    data_on_stdout: bool,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(), Stop> {
    let tolerance = tolerance(&args.tolerance)?;
    let Some(loaded) = front(spec, &args.compile, watch, terminal)? else { return Ok(()) };
    if !loaded.fabric.slices.kinds.is_empty() {
        return sliced::build(loaded, args, out.filter(|_| requests.is_empty()), watch, terminal);
    }
    if args.cache.is_some() {
        terminal.note("`--cache` keeps kinds of slices, and this fabric has none");
    }
    // What cannot be written should be known before the long part.
    requests.iter().try_for_each(|request| requests::fits(request, &loaded.fabric))?;
    if let Some(directory) = args.golden.as_deref().filter(|_| !args.update) {
        golden::exists(&golden::place(directory, &loaded.fabric.name))?;
    }
    let staging = match out {
        Some(out) => Some(Staging::begin(out, &loaded.fabric.name, staging::BUILT)?),
        None => None,
    };
    let only_links = out.is_none()
        && args.golden.is_none()
        && args.compile.dump.is_empty()
        && requests.iter().all(Request::is_of_links);
    if args.compile.stop_after == Some(Stage::Synthesize) && only_links {
        return links(loaded, requests, watch, data_on_stdout, terminal);
    }
    let (spec_text, settings) = (loaded.text.clone(), loaded.settings.clone());
    let (compiled, sources) = back(loaded, &args.compile, watch, terminal)?;
    let options =
        [settings, manifest_options(&args.compile), tables_option(args.tables, &compiled, terminal)].concat();
    dump_compiled(&compiled, &spec_text, &options, &args.compile.dump)?;
    if !data_on_stdout {
        terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, look()))?;
    }
    let say = |text: &str| {
        if data_on_stdout {
            terminal.detail(text);
            return Ok(());
        }
        terminal.say(text)
    };
    for request in requests {
        let written = watch.time("emit", || requests::write(request, &compiled, &spec_text))?;
        written.iter().try_for_each(|line| say(line))?;
    }
    if let Some(directory) = &args.golden {
        let golden = golden::place(directory, &compiled.fabric.name);
        let golden = Golden { directory: &golden, update: args.update, tolerance: tolerance.as_ref() };
        watch.time("golden", || golden::golden(&golden, &compiled, &spec_text, &options, &say))?;
    }
    if let Some(mut staging) = staging {
        without_config(&compiled, terminal);
        let (mut files, mut bytes) = (0_usize, 0_usize);
        watch.time("write", || {
            fabc_emit::each_artifact(&compiled, &spec_text, &options, &mut |artifact| {
                files += 1;
                bytes += artifact.bytes.len();
                staging.write(&artifact.path, &artifact.bytes)
            })
        })?;
        let target = staging.publish()?;
        say(&format!(
            "\nwrote {} ({files} files, {}) in {}",
            display(&target),
            size(bytes),
            watch.elapsed()
        ))?;
    }
    // Last: what a long search has found is worth having, even if it is not enough.
    requires_hold(&compiled.requires, sources)
}

/// Writes files about links alone: the fabric is wired, and nothing is measured.
fn links(
    loaded: Loaded,
    requests: &[Request],
    watch: &Watch,
    data_on_stdout: bool,
    terminal: Terminal,
) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = loaded;
    let wired = watch.time("compile", || wire(fabric, watch)).map_err(|failure| (failure, sources))?;
    for request in requests {
        for line in watch.time("emit", || requests::write_links(request, &wired))? {
            if data_on_stdout { terminal.detail(&line) } else { terminal.say(&line)? }
        }
    }
    Ok(())
}

/// Says which switches have no configuration although the spec does not say that they are to have none.
fn without_config(compiled: &Compiled, terminal: Terminal) {
    let pod = compiled.fabric.pod();
    let mut unable =
        pod.into_iter().flat_map(|pod| pod.ocses.iter()).filter(|ocs| ocs.config_db == SonicConfig::NoSides);
    if let Some(first) = unable.next() {
        let others = match unable.count() {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        terminal.note(&format!(
            "no SONiC configuration is written for {}{others}: switches without sides whose ports carry both directions cannot be told in it \
             (`config_db = none;` says that this is meant, `duplex = pair;` gives each direction a fiber)",
            first.name
        ));
    }
}

/// `fabc check`: syntax, meaning, and what no search can mend. With `--stop-after` a later stage, everything
/// up to that stage, without writing.
///
/// # Errors
/// The spec has errors, or (with a later stage) cannot be met, or a `require` fails.
pub(crate) fn check(args: &CheckArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = watch(terminal);
    let result = check_with(args, &watch, terminal);
    if args.compile.timings {
        print_err(&watch.table());
    }
    result
}

fn check_with(args: &CheckArgs, watch: &Watch, terminal: Terminal) -> Result<(), Stop> {
    if args.emit == ["list"] {
        requests::list()?;
        return Ok(());
    }
    let Some(spec) = &args.spec else { return Err(no_spec("check", terminal)) };
    let requests = requests::read(&args.emit)?;
    requests::reached(&requests, args.compile.stop_after)?;
    let Some(loaded) = front(spec, &args.compile, watch, terminal)? else { return Ok(()) };
    if !loaded.fabric.slices.kinds.is_empty() {
        return sliced::check(loaded, args, watch, terminal);
    }
    requests.iter().try_for_each(|request| requests::fits(request, &loaded.fabric))?;
    if args.compile.stop_after.is_none() {
        let fabric = &loaded.fabric;
        if let Some(directory) = &args.golden {
            golden::exists(&golden::place(directory, &fabric.name))?;
        }
        if is_described(fabric) {
            return described(loaded, watch, terminal);
        }
        let lines = check_early(fabric, Stage::Emit).map_err(|failure| (failure, loaded.sources))?;
        let left = left_to_a_build(lines);
        terminal.say(&format!("{}: no errors ({}){left}", fabric.name, contents(fabric)))?;
        return Ok(());
    }
    if args.compile.stop_after == Some(Stage::Synthesize) && args.compile.dump.is_empty() {
        return wirable(loaded, watch, terminal);
    }
    let options = [loaded.settings.clone(), manifest_options(&args.compile)].concat();
    let spec_text = loaded.text.clone();
    let (compiled, sources) = back(loaded, &args.compile, watch, terminal)?;
    dump_compiled(&compiled, &spec_text, &options, &args.compile.dump)?;
    if args.compile.dump.is_empty() {
        terminal.say_with_colors(&fabc_emit::terminal_report(&compiled, look()))?;
    }
    requires_hold(&compiled.requires, sources)
}

/// Wires a fabric, proves that it is wired as declared, and measures nothing.
fn wirable(Loaded { fabric, sources, .. }: Loaded, watch: &Watch, terminal: Terminal) -> Result<(), Stop> {
    let wired = watch.time("compile", || wire(fabric, watch)).map_err(|failure| (failure, sources))?;
    let left = left_to_a_build(wired.undecided);
    let (fabric, links) = (&wired.fabric, count(wired.topology.links().len(), "link"));
    let measures = "`--stop-after analyze` measures distances and throughput";
    terminal.say(&format!("{}: wired ({}, {links}){left}\n{measures}", fabric.name, contents(fabric)))?;
    Ok(())
}

/// Describes a network that is too large to be built.
fn described(Loaded { fabric, sources, .. }: Loaded, watch: &Watch, terminal: Terminal) -> Result<(), Stop> {
    let described = match watch.time("sample", || describe(&fabric)) {
        Ok(Some(described)) => described,
        // Of a family without formulas nothing so large can be declared.
        Ok(None) => {
            return check_early(&fabric, Stage::Emit).map(drop).map_err(|failure| (failure, sources).into());
        }
        Err(failure) => return Err((failure, sources).into()),
    };
    terminal.say(&format!("{}: no errors ({})", fabric.name, contents(&fabric)))?;
    terminal.say(&fabc_emit::described(&fabric, &described))?;
    requires_hold(&described.requires, sources)
}

/// What a spec declares, in a line.
fn contents(fabric: &Fabric) -> String {
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

/// `fabc graph`.
///
/// # Errors
/// The spec has errors or cannot be met.
pub(crate) fn graph(args: &GraphArgs, terminal: Terminal) -> Result<(), Stop> {
    let Loaded { fabric, sources, warnings, .. } = read::spec(&args.spec, &args.set)?;
    terminal.warn(warnings, &sources);
    let wired = wire(fabric, &watch(terminal)).map_err(|failure| (failure, sources))?;
    let name = match args.format {
        GraphFormat::Dot => "dot",
        GraphFormat::Graphml => "graphml",
        GraphFormat::Csv => "csv",
    };
    let format = fabc_emit::FORMATS.iter().find(|format| format.name == name);
    if let Some(artifact) = format.and_then(|format| fabc_emit::of_wiring(format, wired.wiring())) {
        write_out(&artifact.bytes)?;
    }
    Ok(())
}
