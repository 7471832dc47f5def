//! `fabc estimate`: what a collective costs by closed form, without a spec.

use crate::args::estimate::{EstimateArgs, OuterArgs, TimeUnit};
use crate::io::errors::Stop;
use crate::io::terminal::{print_out, write_out};
use fabc_base::diag::{SourceMap, Span};
use fabc_estimate::{Arguments, Ask, Table, Word, ask, table};

/// The name under which errors show the command line.
const COMMAND_LINE: &str = "command line";

/// `fabc estimate`.
///
/// # Errors
/// Something is missing, unknown, no quantity, or says nothing about this fabric.
pub(crate) fn estimate(args: &EstimateArgs) -> Result<(), Stop> {
    let shapes = if args.on.is_empty() { vec![None] } else { args.on.iter().map(Some).collect() };
    let answers = shapes.into_iter().map(|on| answer(args, on)).collect::<Result<Vec<_>, Stop>>()?;
    let unit = match args.unit {
        TimeUnit::Ns => fabc_emit::TimeUnit::NANOSECONDS,
        TimeUnit::Us => fabc_emit::TimeUnit::MICROSECONDS,
        TimeUnit::Ms => fabc_emit::TimeUnit::MILLISECONDS,
    };
    let [(asked, table)] = &answers[..] else {
        match (args.json, args.csv) {
            (true, _) => write_out(fabc_emit::estimates_json(&answers).as_bytes())?,
            (_, true) => write_out(fabc_emit::estimates_csv(&answers).as_bytes())?,
            _ => print_out(&fabc_emit::estimates_text(&answers, unit))?,
        }
        return Ok(());
    };
    match (args.json, args.csv) {
        (true, _) => write_out(fabc_emit::estimate_json(asked, table).as_bytes())?,
        (_, true) => write_out(fabc_emit::estimate_csv(asked, table).as_bytes())?,
        _ => print_out(&fabc_emit::estimate_text(asked, table, unit))?,
    }
    Ok(())
}

/// What is asked of one shape, and the answer.
fn answer(args: &EstimateArgs, on: Option<&String>) -> Result<(Ask, Table), Stop> {
    let (arguments, line) = arguments(args, on);
    let asked = ask(&arguments).map_err(|errors| {
        let mut sources = SourceMap::default();
        sources.add(COMMAND_LINE, &line);
        Stop {
            diagnostics: errors.into_iter().map(|error| Box::new(error) as _).collect(),
            sources,
            exit_code: 2,
        }
    })?;
    let table = table(&asked.question);
    Ok((asked, table))
}

/// The words with their places in one line, as a shell would have them; control characters are blanks there.
fn arguments(args: &EstimateArgs, on: Option<&String>) -> (Arguments, String) {
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
        Some(Word { text, span: Span { start, end: line.len() as u32 } })
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
    // One blank behind the last word: where a missing one would stand.
    let end = line.len() as u32;
    line.push(' ');
    arguments.end = Span { start: end, end: end + 1 };
    (arguments, line)
}
