//! `fabc estimate`: the cost of a collective by closed forms, without a spec.

use crate::args::estimate::{EstimateArgs, EstimateUnit, EstimateWhole, OuterArgs};
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use crate::run::estimate_job::estimate_job;
use fabc_base::diag::{SourceMap, Span};
use fabc_estimate::{Arguments, CommandWord, EstimateRequest, EstimateTable, estimate_table, parse_request};

/// The name of the command line in error messages.
const COMMAND_LINE: &str = "command line";

/// `fabc estimate`: answers for one shape, or compares several. Or it estimates a job.
///
/// # Errors
/// The errors of the arguments, with exit code 2: each points at a word of the command line.
pub(crate) fn estimate(args: &EstimateArgs) -> Result<(), Stop> {
    if let Some(EstimateWhole::Job(job)) = &args.whole {
        return estimate_job(job);
    }
    let shapes = if args.on.is_empty() { vec![None] } else { args.on.iter().map(Some).collect() };
    let answers = shapes.into_iter().map(|on| answer_shape(args, on)).collect::<Result<Vec<_>, Stop>>()?;
    let unit = match args.unit {
        EstimateUnit::Ns => fabc_emit::PrintedUnit::NANOSECONDS,
        EstimateUnit::Us => fabc_emit::PrintedUnit::MICROSECONDS,
        EstimateUnit::Ms => fabc_emit::PrintedUnit::MILLISECONDS,
    };
    let [(request, table)] = &answers[..] else {
        match (args.json, args.csv) {
            (true, _) => write_out(fabc_emit::estimates_json(&answers).as_bytes())?,
            (_, true) => write_out(fabc_emit::estimates_csv(&answers).as_bytes())?,
            _ => print_out(&fabc_emit::estimates_text(&answers, unit))?,
        }
        return Ok(());
    };
    match (args.json, args.csv) {
        (true, _) => write_out(fabc_emit::estimate_json(request, table).as_bytes())?,
        (_, true) => write_out(fabc_emit::estimate_csv(request, table).as_bytes())?,
        _ => print_out(&fabc_emit::estimate_text(request, table, unit))?,
    }
    Ok(())
}

/// The request for one shape, and its answer.
fn answer_shape(args: &EstimateArgs, on: Option<&String>) -> Result<(EstimateRequest, EstimateTable), Stop> {
    let (arguments, line) = request_arguments(args, on);
    let request = parse_request(&arguments).map_err(|errors| {
        let mut sources = SourceMap::default();
        sources.add(COMMAND_LINE, &line);
        Stop {
            diagnostics: errors.into_iter().map(|error| Box::new(error) as _).collect(),
            sources,
            exit_code: 2,
        }
    })?;
    let table = estimate_table(&request.question);
    Ok((request, table))
}

/// The arguments with their places in the command line, written on one line. Control characters become
/// blanks.
fn request_arguments(args: &EstimateArgs, on: Option<&String>) -> (Arguments, String) {
    let EstimateArgs {
        kind,
        size,
        sizes,
        algorithm,
        alpha,
        overhead,
        bandwidth,
        eta,
        links,
        oversubscription,
        skew,
        in_switch,
        ..
    } = args;
    let OuterArgs { over, outer_alpha, outer_overhead, outer_bandwidth, outer_eta } = &args.outer;
    let mut line = "fabc estimate".to_owned();
    let mut word = |option: &str, text: &Option<String>| {
        let text: String = text.as_ref()?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line += option;
        line += " ";
        let start = line.len() as u32;
        line += &text;
        Some(CommandWord { text, span: Span { start, end: line.len() as u32 } })
    };
    let mut arguments = Arguments {
        kind: word("", kind),
        size: word(" --size", size),
        sizes: word(" --sizes", sizes),
        on: word(" --on", &on.cloned()),
        algorithm: word(" --algorithm", algorithm),
        alpha: word(" --alpha", alpha),
        overhead: word(" --overhead", overhead),
        bandwidth: word(" --bandwidth", bandwidth),
        eta: word(" --eta", eta),
        links: word(" --links", links),
        oversubscription: word(" --oversubscription", oversubscription),
        skew: word(" --skew", skew),
        in_switch: word(" --in-switch", in_switch),
        over: word(" --over", over),
        outer_alpha: word(" --outer-alpha", outer_alpha),
        outer_overhead: word(" --outer-overhead", outer_overhead),
        outer_bandwidth: word(" --outer-bandwidth", outer_bandwidth),
        outer_eta: word(" --outer-eta", outer_eta),
        end: Span::default(),
    };
    // One blank behind the last word. An error about a missing argument points at it.
    let end = line.len() as u32;
    line.push(' ');
    arguments.end = Span { start: end, end: end + 1 };
    (arguments, line)
}
