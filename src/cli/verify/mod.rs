//! `fabc verify`: checks a built directory from its files alone, or third-party tables on a third-party
//! network.

mod execution_plan;
pub(crate) mod foreign;
mod foreign_verdict;
pub(crate) mod operate;
pub(crate) mod plan;
pub(crate) mod program;
pub(crate) mod repair;
#[cfg(not(target_family = "wasm"))]
mod signed;
#[cfg(not(target_family = "wasm"))]
mod signers;
pub(crate) mod slices;
pub(crate) mod switch_files;
pub(crate) mod verdict;

use crate::args::verify::VerifyArgs;
use crate::io::errors::DriverError;
use crate::io::input_errors::{needs_directory, not_in_a_browser};
use crate::io::read::{self, display};
use crate::io::staging::MANIFEST;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::operate::placed::is_placed;
use crate::verify::execution_plan::say_execution_plan;
use crate::verify::foreign_verdict::JudgedFiles;
use crate::verify::program::say_program;
use crate::verify::verdict::{VERIFIED, say_signers, say_unproved, verdict, with_signers};
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_lang::syntax::print_spec;
use fabc_model::CollectiveAlgorithm;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::{Convicted, Refusal};
use fabc_pipeline::verify::{
    self, DigestSpan, DigestSpanError, Extent, ForeignCollective, ForeignSchedule, LaneFiles, NamedFile,
    Remake, Verified, verify_foreign_schedule,
};
use serde_json::json;
use std::path::Path;

/// `fabc verify`: dispatches on what the options name.
///
/// # Errors
/// `Refusal::NotBuilt` for a foreign directory, and `CheckError`s with exit code 3 for all violations.
pub(crate) fn verify(args: &VerifyArgs, terminal: Terminal) -> Result<(), Stop> {
    if let (Some(collective), Some(topology)) = (&args.collective, &args.topology) {
        return verify_schedule(collective, topology, args.tables.as_deref(), terminal);
    }
    if let (Some(tables), Some(topology)) = (&args.tables, &args.topology) {
        return verify_foreign(tables, topology, args, terminal);
    }
    let Some(directory) = &args.directory else { return Ok(()) };
    let signed = check_signatures(args)?;
    say_signers(&signed, terminal)?;
    let running = args.running.as_deref();
    if let Some(repaired) = &args.repair {
        return repair::verify(directory, running, repaired, args.from.as_deref(), &signed, terminal);
    }
    if let (Some(plan), Some(live)) = (&args.plan, &args.from) {
        return plan::verify(directory, plan, live, running, &signed, terminal);
    }
    if let Some(out) = &args.operate {
        if cfg!(target_family = "wasm") {
            return Err(not_in_a_browser("`fabc verify --operate`").into());
        }
        return operate::verify(directory, out, terminal);
    }
    needs_directory(directory)?;
    for needed in [MANIFEST, "spec.fab"] {
        if !directory.join(needed).is_file() {
            return Err(Refusal::NotBuilt {
                path: display(directory),
                reason: format!("there is no `{needed}`"),
            }
            .into());
        }
    }
    if args.frr.is_some() || args.sonic.is_some() || args.routes.is_some() {
        return switch_files::verify(directory, args, terminal);
    }
    match (is_placed(directory), args.window.digest_span()) {
        (true, Some(_)) => {
            let hint = "name the directory of a kind, `DIR/slices/KIND`";
            return Err(DriverError::OfSlices { option: "`--window`".to_owned(), hint }.into());
        }
        (true, None) => return slices::verify(directory, args.remake.remake(), &signed, terminal),
        (false, Some(span)) => return remake_digest_span(directory, &span, terminal),
        (false, None) => {}
    }
    let (verified, sources) = prove_built(directory, args.remake.remake())?;
    let scheduled = ["schedule.json", "schedule.bin"].into_iter().find(|path| directory.join(path).is_file());
    let Verified { extent: Extent { files, scenarios, routed, pairs, hops, entries, .. }, unproved, broken } =
        verified;
    let routes = if let Some(path) = scheduled {
        format!("no tables: every vector of {path} was replayed")
    } else if routed == 0 {
        "no tables (the build stopped before routing)".to_owned()
    } else {
        format!("{pairs} routes of {hops} hops over {entries} table entries walked, no cycle of channels")
    };
    if terminal.json {
        let contract = if broken.is_empty() { "holds" } else { "broken" };
        let extent = json!({
            "files": files, "scenarios": scenarios, "routed": routed, "pairs": pairs, "hops": hops,
            "entries": entries, "contract": contract,
        });
        let extent = with_signers(extent, &signed);
        terminal.say_document(&verdict("directory", directory, extent, &unproved).to_string())?;
    }
    terminal
        .say(&format!("verified {}: {files} files, {scenarios} scenarios, {routes}", display(directory)))?;
    terminal
        .say("every file is reproduced to the byte from spec.fab and the proved values. Taken on trust:")?;
    say_unproved(&unproved, terminal)?;
    if broken.is_empty() {
        return Ok(());
    }
    terminal.say("its contract is broken, as it says itself")?;
    Err(Convicted { errors: broken, sources }.into())
}

/// Checks the signatures that the options ask for.
///
/// # Errors
/// Those of `signed::check_signatures`.
#[cfg(not(target_family = "wasm"))]
fn check_signatures(args: &VerifyArgs) -> Result<Vec<verdict::SignedDirectory>, Stop> {
    signed::check_signatures(args)
}

/// A page in a browser has no keys, and checks no signatures.
#[cfg(target_family = "wasm")]
fn check_signatures(args: &VerifyArgs) -> Result<Vec<verdict::SignedDirectory>, Stop> {
    match &args.signed_by {
        None => Ok(Vec::new()),
        Some(path) => Err(DriverError::Unreadable {
            path: display(path),
            reason: "signatures are not checked in a browser".to_owned(),
        }
        .into()),
    }
}

/// Proves a built directory from its files, and makes some runs of its simulations again. Also returns the
/// sources of its spec, for messages.
///
/// # Errors
/// The errors of reading the files, and `CheckError`s with exit code 3 for all violations.
pub(crate) fn prove_built(directory: &Path, remake: Remake) -> Result<(Verified, SourceMap), Stop> {
    let Loaded { fabric, spec, sources, .. } = read::built_spec(directory)?;
    match verify::directory_with(&read::read_directory(directory)?, &fabric, &print_spec(&spec), remake) {
        Ok(verified) => Ok((verified, sources)),
        Err(errors) => Err(Convicted { errors, sources }.into()),
    }
}

/// Makes one digest span of a run again.
fn remake_digest_span(directory: &Path, span: &DigestSpan, terminal: Terminal) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_spec(directory)?;
    let [first, end] = match verify::remake_digest_span(&read::read_directory(directory)?, &fabric, span) {
        Ok(cycles) => cycles,
        Err(DigestSpanError::Unknown(hint)) => return Err(DriverError::UnknownRun { hint }.into()),
        Err(DigestSpanError::Convicted(error)) => return Err(Convicted::because(error, &sources).into()),
    };
    let DigestSpan { simulation, scenario, .. } = span;
    if terminal.json {
        let extent = json!({ "simulation": simulation, "scenario": scenario, "first": first, "end": end });
        terminal.say_document(&verdict("window", directory, extent, &[]).to_string())?;
    }
    terminal.say(&format!("{simulation} on {scenario}: another run finds the same up to cycle {end}; the window is {first} to {end}"))?;
    Ok(())
}

/// `fabc verify --tables FILE --topology FILE`: verifies third-party tables on their network.
fn verify_foreign(tables: &str, topology: &str, args: &VerifyArgs, terminal: Terminal) -> Result<(), Stop> {
    let read = |path: &str| read::read_bytes(Path::new(path), ARTIFACT_BYTES);
    let (tables_bytes, topology_bytes) = (read(tables)?, read(topology)?);
    let files = [
        NamedFile { name: tables, bytes: &tables_bytes },
        NamedFile { name: topology, bytes: &topology_bytes },
    ];
    let beside = |path: &Option<String>| -> Result<Option<(String, Vec<u8>)>, DriverError> {
        path.as_ref().map(|path| Ok((path.clone(), read(path)?))).transpose()
    };
    let (sl2vl, path_sl) = (beside(&args.sl2vl)?, beside(&args.path_sl)?);
    fn named(file: &(String, Vec<u8>)) -> NamedFile<'_> {
        NamedFile { name: &file.0, bytes: &file.1 }
    }
    let lanes =
        sl2vl.as_ref().map(|sl2vl| LaneFiles { sl2vl: named(sl2vl), path_sl: path_sl.as_ref().map(named) });
    let result = verify::verify_tables(files[0], files[1], lanes)?;
    let judged =
        JudgedFiles { tables, topology, sl2vl: args.sl2vl.as_deref(), path_sl: args.path_sl.as_deref() };
    Ok(terminal.say_result(|| judged.json(&result), || judged.text(&result))?)
}

/// `fabc verify --collective FILE --topology FILE [--tables FILE]`: verifies a third-party schedule.
fn verify_schedule(file: &str, topology: &str, tables: Option<&str>, terminal: Terminal) -> Result<(), Stop> {
    let read = |path: &str| read::read_bytes(Path::new(path), ARTIFACT_BYTES);
    let (bytes, topology_bytes) = (read(file)?, read(topology)?);
    let tables_bytes = tables.map(read).transpose()?;
    let [plan, network] =
        [(file, &bytes), (topology, &topology_bytes)].map(|(name, bytes)| NamedFile { name, bytes });
    let beside = tables.zip(tables_bytes.as_ref()).map(|(name, bytes)| NamedFile { name, bytes });
    let result = match verify_foreign_schedule(plan, network, beside)? {
        ForeignSchedule::Program(program) => return say_program(&program, file, topology, terminal),
        ForeignSchedule::ExecutionPlan(plan) => return say_execution_plan(&plan, file, topology, terminal),
        ForeignSchedule::Collective(collective) => collective,
    };
    let ForeignCollective {
        fabric,
        collective,
        algorithm,
        chips,
        groups,
        chunks,
        steps,
        volume,
        transfers,
        bounds,
        bound,
    } = result;
    let cut = match algorithm {
        _ if groups.is_some() => "pieces of a part",
        CollectiveAlgorithm::Trees => "pieces of the share of a tree",
        CollectiveAlgorithm::Forest | CollectiveAlgorithm::Paths => "pieces of a part",
        _ => "chunks a shard",
    };
    let (collective, algorithm) = (collective.name(), algorithm.name());
    let document = || {
        let mut line = json!({
            "format": VERIFIED, "verified": file, "topology": topology, "fabric": fabric, "collective": collective, "algorithm": algorithm, "chips": chips, "chunks": chunks,
            "steps": steps, "volume": volume, "transfers": transfers, "bounds": bounds, "bound": bound.map(|(above, below)| [above, below]),
        });
        if let Some(groups) = groups {
            line["groups"] = json!(groups);
        }
        line
    };
    let text = || {
        let in_groups = groups.map_or_else(String::new, |groups| format!(" in {groups} groups"));
        let bound = bound.map_or_else(String::new, |(above, below)| {
            let bound_times = above as f64 / below.max(1) as f64;
            format!(
                ", the tightest {bound_times:.4} chunk times ({:.2} % of the schedule)",
                100.0 * bound_times / volume.max(1) as f64
            )
        });
        format!(
            "verified {file} of {fabric} on {topology}: {collective} by {algorithm}, {chips} chips{in_groups}, {chunks} {cut}\n  \
             {steps} steps, {volume} chunk times, {transfers} transfers replayed: every chip gets what it should\n  \
             {bounds} bounds follow from their witnesses{bound}"
        )
    };
    Ok(terminal.say_result(document, text)?)
}
