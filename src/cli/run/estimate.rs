//! `fabc estimate`: the cost of a collective by closed forms, without a spec.

use crate::args::estimate::{EstimateArgs, EstimateUnit, EstimateWhole, OuterArgs};
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use crate::run::estimate_job::print_job_estimate;
use fabc_pipeline::estimate::answer_estimate;

/// `fabc estimate`: answers for one shape, or compares several. Or it estimates a job.
///
/// # Errors
/// The errors of the arguments, with exit code 2: each points at a word of the command line.
pub(crate) fn estimate(args: &EstimateArgs) -> Result<(), Stop> {
    if let Some(EstimateWhole::Job(job)) = &args.whole {
        return print_job_estimate(job);
    }
    let shapes = if args.on.is_empty() { vec![None] } else { args.on.iter().map(Some).collect() };
    let answers = shapes
        .into_iter()
        .map(|on| Ok(answer_estimate(|name| option_text(args, on, name))?))
        .collect::<Result<Vec<_>, Stop>>()?;
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

/// The text of an option by its name. The collective itself has no option: its name is empty.
fn option_text<'a>(args: &'a EstimateArgs, on: Option<&'a String>, name: &str) -> Option<&'a str> {
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
    let OuterArgs { over, outer_alpha, outer_overhead, outer_bandwidth, outer_eta, outer_in_switch } =
        &args.outer;
    let text = match name {
        "--on" => return on.map(String::as_str),
        "" => kind,
        "--size" => size,
        "--sizes" => sizes,
        "--algorithm" => algorithm,
        "--alpha" => alpha,
        "--overhead" => overhead,
        "--bandwidth" => bandwidth,
        "--eta" => eta,
        "--links" => links,
        "--oversubscription" => oversubscription,
        "--skew" => skew,
        "--in-switch" => in_switch,
        "--over" => over,
        "--outer-alpha" => outer_alpha,
        "--outer-overhead" => outer_overhead,
        "--outer-bandwidth" => outer_bandwidth,
        "--outer-eta" => outer_eta,
        "--outer-in-switch" => outer_in_switch,
        _ => &None,
    };
    text.as_deref()
}
