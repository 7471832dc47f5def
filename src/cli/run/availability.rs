//! `fabc availability`: the share of time in which a job has its pod, from a built directory and failure
//! rates.

use crate::args::options::AvailabilityArgs;
use crate::io::folder::DiskFolder;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use crate::operate::placed::{is_placed, read_placed};
use fabc_base::diag::suggestion;
use fabc_base::units::Decimal;
use fabc_emit::{availability_json, availability_text, slices_availability_json, slices_availability_text};
use fabc_pipeline::availability::{AvailabilityQuery, FailureRates};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::scenarios::BuiltScenarios;

/// Units of time in seconds.
const UNITS: [(&str, f64); 7] = [
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("day", 86400.0),
    ("days", 86400.0),
    ("month", 2_629_746.0),
    ("year", 31_556_952.0),
];

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

/// Reads `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`, and the times of `--repair` and `--restart`.
fn parse_failures(args: &AvailabilityArgs) -> Result<FailureRates, Refusal> {
    const KINDS: [&str; 3] = ["host", "cable", "ocs"];
    let mut rates: [Option<f64>; 3] = [None; 3];
    for item in args.fail.split(',') {
        let example = "write `--fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`";
        let Some((name, rate)) = item.split_once('=') else {
            return Err(availability_error(&format!("`{item}` has no rate"), example));
        };
        let Some(kind) = KINDS.iter().position(|kind| *kind == name.trim()) else {
            let hint = suggestion(name.trim(), KINDS).unwrap_or_else(|| example.to_owned());
            return Err(availability_error(&format!("there is no part `{}` that fails", name.trim()), &hint));
        };
        let value = rate.split_once('/').and_then(|(number, unit)| {
            let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
            Some(parse_number(number)? * 86400.0 / seconds)
        });
        let Some(value) = value else {
            return Err(availability_error(
                &format!("`{}` is not a rate", rate.trim()),
                "a rate is a number per day, month or year, such as `0.0008/day`",
            ));
        };
        if rates[kind].replace(value).is_some() {
            return Err(availability_error(
                &format!("the rate of `{}` is given twice", KINDS[kind]),
                "leave one of them out",
            ));
        }
    }
    if let Some(missing) = rates.iter().position(Option::is_none) {
        let hint = format!(
            "rates have no default: add `{}=0.0004/day`, with your own rate. Write 0/day if it never fails",
            KINDS[missing]
        );
        return Err(availability_error(&format!("`--fail` has no rate for `{}`", KINDS[missing]), &hint));
    }
    let [host, cable, ocs] = rates.map(Option::unwrap_or_default);
    Ok(FailureRates {
        host,
        cable,
        ocs,
        repair: parse_days("--repair", &args.repair)?,
        restart: parse_days("--restart", &args.restart)?,
    })
}

/// Reads a time such as `24h`, and returns days.
fn parse_days(option: &str, text: &str) -> Result<f64, Refusal> {
    // The unit consists of the last letters. The exponent of a number is followed by digits.
    let end = text.rfind(|letter: char| !letter.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let unit = UNITS.iter().find(|(name, _)| *name == text[end..].trim());
    let value = unit.and_then(|(_, seconds)| Some(parse_number(&text[..end])? * seconds / 86400.0));
    value.ok_or_else(|| {
        availability_error(
            &format!("`{option} {text}` is not a time"),
            "write a number and a unit: `24h`, `15min`, `2days`, `30s`",
        )
    })
}

/// Reads a decimal number that is not negative, also as `5e-5`.
fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    Decimal::parse(digits)?;
    power.parse::<i16>().ok()?;
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn availability_error(problem: &str, hint: &str) -> Refusal {
    Refusal::Availability { problem: problem.to_owned(), hint: hint.to_owned() }
}
