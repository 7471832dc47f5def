//! `fabc availability`: the share of time in which a job has its pod, from a built directory and failure
//! rates.

use crate::args::options::AvailabilityArgs;
use crate::io::folder::DiskFolder;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use crate::operate::placed::{is_placed, read_placed};
use crate::run::rates::{parse_days, parse_rates};
use fabc_emit::{
    PerPart, availability_json, availability_text, slices_availability_json, slices_availability_text,
};
use fabc_pipeline::availability::{AvailabilityQuery, FailureRates};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::scenarios::BuiltScenarios;

/// `fabc availability`: prints the availability of a job, or of every kind of slice.
///
/// # Errors
/// `Refusal::Availability` for a network and for an invalid rate, time or number. `Refusal::NotBuilt`
/// for a foreign directory.
pub(crate) fn availability(args: &AvailabilityArgs) -> Result<(), Stop> {
    let query = AvailabilityQuery { failures: parse_failures(args)?, host_chips: args.host_chips };
    if is_placed(&args.directory) {
        return slices_availability(args, query);
    }
    let Loaded { fabric, sources, .. } = read::built_fabric(&args.directory)?;
    let folder = DiskFolder::new(&args.directory);
    let built = BuiltScenarios { folder: &folder, fabric: &fabric, sources: &sources };
    let request = built.availability(args.job, query)?;
    match args.json {
        true => write_out(availability_json(&request).as_bytes())?,
        false => print_out(availability_text(&request).trim_end())?,
    }
    Ok(())
}

/// `fabc availability` of a pod in slices: a job of every kind, beside all others.
fn slices_availability(args: &AvailabilityArgs, query: AvailabilityQuery) -> Result<(), Stop> {
    if args.job.is_some() {
        return Err(availability_error(
            "`--job` has no effect: the jobs of a pod in slices are its slices",
            "leave `--job` out, or name the directory of a kind, `slices/KIND`",
        )
        .into());
    }
    let placed = read_placed(&args.directory)?;
    let kinds = placed.availability(query)?;
    match args.json {
        true => write_out(slices_availability_json(&placed.fabric.name, &kinds).as_bytes())?,
        false => print_out(slices_availability_text(&placed.fabric.name, &kinds).trim_end())?,
    }
    Ok(())
}

/// The rates of `--fail`, and the times of `--repair` and `--restart`.
fn parse_failures(args: &AvailabilityArgs) -> Result<FailureRates, Refusal> {
    let PerPart { host, cable, ocs } = parse_rates(&args.fail)?;
    Ok(FailureRates {
        host,
        cable,
        ocs,
        repair: parse_days("--repair", &args.repair)?,
        restart: parse_days("--restart", &args.restart)?,
    })
}

fn availability_error(problem: &str, hint: &str) -> Refusal {
    Refusal::Availability { problem: problem.to_owned(), hint: hint.to_owned() }
}
