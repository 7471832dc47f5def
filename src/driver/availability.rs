//! `fabc availability`: how much of the time a job has its pod, from a built directory and rates of failures.

use super::collective_scene::{convicted, files};
use super::errors::{DriverError, Stop};
use super::options::AvailabilityArgs;
use super::read;
use super::terminal::{print_out, write_out};
use crate::availability::{Failures, Plant};
use crate::check::{self, ReadScene};
use crate::diag::suggestion;
use crate::emit::{AvailabilityAsked, availability_json, availability_text};
use crate::library::Loaded;
use crate::limits::ARTIFACT_BYTES;
use crate::units::Decimal;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The least number of columns: none, one and two switches dark.
const DARK: u32 = 2;

/// Units of time, seconds.
const UNITS: [(&str, f64); 7] =
    [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("day", 86400.0), ("days", 86400.0), ("month", 2_629_746.0), ("year", 31_556_952.0)];

/// `fabc availability`.
///
/// # Errors
/// The directory is not one of a pod; a rate, a time or a number that does not fit.
pub(super) fn availability(args: &AvailabilityArgs) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(&args.directory)?;
    let Some(pod) = fabric.pod() else {
        return Err(wrong("a network has no cubes to be swapped", "name the directory of a pod").into());
    };
    let failures = failures(args)?;
    let read = check::read_scene(&files(&args.directory)?, &fabric, "nominal").map_err(|error| convicted(error, &sources))?;
    let ReadScene { topology, .. } = read.ok_or_else(|| wrong("the directory has no topology", "build it again"))?;
    let chips = pod.cube.dims.iter().product::<u32>();
    if args.host_chips == 0 || !chips.is_multiple_of(args.host_chips) {
        let hint = format!("hosts do not reach across cubes: write a divisor of {chips}, such as `--host-chips {}`", chips.min(4));
        return Err(wrong(&format!("{} chips a host do not divide a cube of {chips} chips", args.host_chips), &hint).into());
    }
    let job = args.job.unwrap_or(pod.cubes);
    if job == 0 || job > pod.cubes {
        return Err(wrong(&format!("a job of {job} cubes is none of this pod"), &format!("it has {} cubes", pod.cubes)).into());
    }
    let plant = Plant {
        cubes: pod.cubes,
        job,
        hosts: chips / args.host_chips,
        // A cable between cubes has an end in either.
        cables: topology.links().len() as f64 / f64::from(pod.cubes),
        ocses: pod.ocses.len() as u32,
    };
    let measured = throughput(&args.directory, fabric.budget.faults.dark_ocses())?;
    let mut flow = measured.clone();
    // With more dark than were measured no more is left than with fewer.
    let least = flow.last().copied().unwrap_or(1.0);
    flow.resize(flow.len().max(DARK as usize + 1).min(plant.ocses as usize + 1), least);
    let (fabric, host_chips) = (fabric.name.clone(), args.host_chips);
    let asked = AvailabilityAsked { fabric, plant, failures, host_chips, flow, measured: measured.len() };
    match args.json {
        true => write_out(availability_json(&asked).as_bytes())?,
        false => print_out(availability_text(&asked).trim_end())?,
    }
    Ok(())
}

#[derive(Deserialize)]
struct Report {
    metrics: Flow,
    #[serde(default)]
    scenarios: BTreeMap<String, Flow>,
}

#[derive(Deserialize)]
struct Flow {
    #[serde(default)]
    concurrent_flow: Option<[f64; 2]>,
}

/// `[j]`: the least throughput with j switches dark over that with none, as far as the report has it.
fn throughput(directory: &Path, dark: u32) -> Result<Vec<f64>, DriverError> {
    let text = read::bytes(&directory.join("report.json"), ARTIFACT_BYTES)?;
    let damaged = |error: serde_json::Error| DriverError::NotBuilt {
        path: read::display(directory),
        reason: format!("`report.json` is damaged: {error}"),
    };
    let Report { metrics, scenarios } = serde_json::from_slice(&text).map_err(damaged)?;
    let Some([healthy, _]) = metrics.concurrent_flow.filter(|[healthy, _]| *healthy > 0.0) else { return Ok(vec![1.0]) };
    let mut shares = vec![1.0];
    for count in 1..=dark as usize {
        let of = scenarios.iter().filter(|(name, _)| name.split('+').count() == count);
        let least = of.filter_map(|(_, of)| of.concurrent_flow).map(|[least, _]| least / healthy).reduce(f64::min);
        let Some(least) = least else { break };
        shares.push(least.min(1.0));
    }
    Ok(shares)
}

/// `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`, and two times.
fn failures(args: &AvailabilityArgs) -> Result<Failures, DriverError> {
    const KINDS: [&str; 3] = ["host", "cable", "ocs"];
    let mut rates: [Option<f64>; 3] = [None; 3];
    for item in args.fail.split(',') {
        let example = "write `--fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`";
        let Some((name, rate)) = item.split_once('=') else {
            return Err(wrong(&format!("`{item}` says no rate"), example));
        };
        let Some(kind) = KINDS.iter().position(|kind| *kind == name.trim()) else {
            let hint = suggestion(name.trim(), KINDS).unwrap_or_else(|| example.to_owned());
            return Err(wrong(&format!("nothing is called `{}` that fails", name.trim()), &hint));
        };
        let found = rate.split_once('/').and_then(|(number, unit)| {
            let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
            Some(number_of(number)? * 86400.0 / seconds)
        });
        let Some(found) = found else {
            return Err(wrong(&format!("`{}` is no rate", rate.trim()), "a rate is a number a day, a month or a year: `0.0008/day`"));
        };
        if rates[kind].replace(found).is_some() {
            return Err(wrong(&format!("the rate of `{}` is given twice", KINDS[kind]), "leave one of them out"));
        }
    }
    if let Some(missing) = rates.iter().position(Option::is_none) {
        let hint = format!("no rate is assumed: add `{}=0.0004/day`, or whatever yours is; 0/day if it never fails", KINDS[missing]);
        return Err(wrong(&format!("`--fail` has no rate of `{}`", KINDS[missing]), &hint));
    }
    let [host, cable, ocs] = rates.map(Option::unwrap_or_default);
    Ok(Failures { host, cable, ocs, repair: days("--repair", &args.repair)?, restart: days("--restart", &args.restart)? })
}

/// `24h` in days.
fn days(option: &str, text: &str) -> Result<f64, DriverError> {
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let unit = UNITS.iter().find(|(name, _)| *name == text[end..].trim());
    let found = unit.and_then(|(_, seconds)| Some(number_of(&text[..end])? * seconds / 86400.0));
    found.ok_or_else(|| wrong(&format!("`{option} {text}` is no time"), "write a number and a unit: `24h`, `15min`, `2days`, `30s`"))
}

/// A decimal number, not negative.
fn number_of(text: &str) -> Option<f64> {
    let (digits, scale) = Decimal::parse(text.trim())?.parts();
    Some(digits as f64 / (0..scale).fold(1.0, |power, _| power * 10.0))
}

fn wrong(what: &str, hint: &str) -> DriverError {
    DriverError::Availability { what: what.to_owned(), hint: hint.to_owned() }
}
