//! `fabc availability`: the share of time in which a job has its pod, from a built directory and failure
//! rates.

use crate::args::options::AvailabilityArgs;
use crate::io::errors::DriverError;
use crate::io::read;
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::{print_out, write_out};
use crate::operate::placed::{PlacedDirectory, is_placed, read_placed};
use crate::run::collective_scene::wiring_files;
use fabc_base::diag::{SourceMap, suggestion};
use fabc_base::ids::BlockId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_base::units::Decimal;
use fabc_check::ReadScene;
use fabc_emit::{
    AvailabilityInput, KindAvailability, availability_json, availability_text, slices_availability_json,
    slices_availability_text,
};
use fabc_estimate::availability::{FailureRates, PodCounts};
use fabc_model::kind_files;
use fabc_model::{Fabric, Pod};
use fabc_passes::slices::Placing;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::operate::pod_of_slices;
use fabc_pipeline::refusal::Refusal;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The least number of dark switches that the result has columns for.
const DARK: u32 = 2;

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
/// `DriverError::Availability` for a network and for an invalid rate, time or number. `Refusal::NotBuilt`
/// for a foreign directory.
pub(crate) fn availability(args: &AvailabilityArgs) -> Result<(), Stop> {
    let failures = parse_failures(args)?;
    if is_placed(&args.directory) {
        return slices_availability(args, failures);
    }
    let Loaded { fabric, sources, .. } = read::built_fabric(&args.directory)?;
    let Some(pod) = fabric.pod() else {
        return Err(availability_error(
            "a network has no cubes that could be swapped",
            "name the directory of a pod, or of a pod in slices",
        )
        .into());
    };
    let job = args.job.unwrap_or(pod.cubes);
    if job == 0 || job > pod.cubes {
        return Err(availability_error(
            &format!("a job of {job} cubes does not fit this pod"),
            &format!("the pod has {} cubes", pod.cubes),
        )
        .into());
    }
    let count = CubeCounts { cubes: pod.cubes, job, others: 0 };
    let request =
        availability_request(&args.directory, &fabric, pod, count, failures, args.host_chips, &sources)?;
    match args.json {
        true => write_out(availability_json(&request).as_bytes())?,
        false => print_out(availability_text(&request).trim_end())?,
    }
    Ok(())
}

/// `fabc availability` of a pod in slices: a job of every kind, beside all others.
fn slices_availability(args: &AvailabilityArgs, failures: FailureRates) -> Result<(), Stop> {
    if args.job.is_some() {
        return Err(availability_error(
            "`--job` has no effect: the jobs of a pod in slices are its slices",
            "leave `--job` out, or name the directory of a kind, `slices/KIND`",
        )
        .into());
    }
    let PlacedDirectory { fabric, sources, placement, .. } = read_placed(&args.directory)?;
    let pod = pod_of_slices(&fabric);
    let placing = Placing::new(&fabric, pod);
    let mut kinds = Vec::new();
    for kind in &fabric.slices.kinds {
        let of_kind = placement.slices.iter().filter(|slice| slice.kind == kind.name).count();
        let Some(first) = placement.slices.iter().find(|slice| slice.kind == kind.name) else { continue };
        // Cubes of one class can replace each other. Cubes that are down do not count.
        let class = placing.class_of(first.cubes[0]);
        let working = |cube: &BlockId| placing.class_of(*cube) == class && !placement.down.contains(cube);
        let in_slices = placement
            .slices
            .iter()
            .flat_map(|slice| &slice.cubes)
            .filter(|cube| placing.class_of(**cube) == class)
            .count() as u32;
        let spare =
            placement.spare.iter().copied().chain(placement.free(pod.cubes)).filter(working).count() as u32;
        let count =
            CubeCounts { cubes: in_slices + spare, job: kind.cubes(), others: in_slices - kind.cubes() };
        let directory = args.directory.join(kind_files(&kind.name));
        let request = availability_request(
            &directory,
            &kind.fabric,
            kind.pod(),
            count,
            failures,
            args.host_chips,
            &sources,
        )?;
        kinds.push(KindAvailability { kind: kind.name.clone(), slices: of_kind, input: request });
    }
    match args.json {
        true => write_out(slices_availability_json(&fabric.name, &kinds).as_bytes())?,
        false => print_out(slices_availability_text(&fabric.name, &kinds).trim_end())?,
    }
    Ok(())
}

/// The cubes that a job shares with others.
struct CubeCounts {
    cubes: u32,
    job: u32,
    others: u32,
}

/// The availability request for a built directory.
fn availability_request(
    directory: &Path,
    fabric: &Fabric,
    pod: &Pod,
    counts: CubeCounts,
    failures: FailureRates,
    host_chips: u32,
    sources: &SourceMap,
) -> Result<AvailabilityInput, Stop> {
    let CubeCounts { cubes, job, others } = counts;
    let read = fabc_check::read_scene(&wiring_files(directory)?, fabric, "nominal")
        .map_err(|error| convicted(error, sources))?;
    let ReadScene { topology, .. } =
        read.ok_or_else(|| availability_error("the directory has no topology", "build it again"))?;
    let chips = pod.cube.dims.iter().product::<u32>();
    if host_chips == 0 || !chips.is_multiple_of(host_chips) {
        let hint = format!(
            "no host spans two cubes: write a divisor of {chips}, such as `--host-chips {}`",
            chips.min(4)
        );
        return Err(availability_error(
            &format!("hosts of {host_chips} chips do not divide a cube of {chips} chips"),
            &hint,
        )
        .into());
    }
    let plant = PodCounts {
        cubes,
        job,
        others,
        hosts: chips / host_chips,
        // A cable between cubes ends at two of them.
        cables: topology.links().len() as f64 / f64::from(pod.cubes),
        ocses: pod.ocses.len() as u32,
    };
    let measured = measured_throughput(directory, fabric.budget.faults.dark_ocses())?;
    let mut flow = measured.clone();
    // With more dark switches than were measured, the throughput cannot be higher than with fewer.
    let lowest = flow.last().copied().unwrap_or(1.0);
    flow.resize(flow.len().max(DARK as usize + 1).min(plant.ocses as usize + 1), lowest);
    Ok(AvailabilityInput {
        fabric: fabric.name.clone(),
        plant,
        failures,
        host_chips,
        flow,
        measured: measured.len(),
    })
}

#[derive(Deserialize)]
#[serde(expecting = "struct Report")]
struct MeasuredReport {
    metrics: MeasuredFlow,
    #[serde(default)]
    scenarios: BTreeMap<String, MeasuredFlow>,
}

#[derive(Deserialize)]
#[serde(expecting = "struct Flow")]
struct MeasuredFlow {
    #[serde(default)]
    concurrent_flow: Option<[f64; 2]>,
}

/// `[j]`: the least throughput with j dark switches, relative to none, as far as the report has it.
fn measured_throughput(directory: &Path, dark: u32) -> Result<Vec<f64>, DriverError> {
    let text = read::read_bytes(&directory.join("report.json"), ARTIFACT_BYTES)?;
    let damaged = |error: serde_json::Error| Refusal::NotBuilt {
        path: read::display(directory),
        reason: format!("`report.json` is damaged: {error}"),
    };
    let MeasuredReport { metrics, scenarios } = serde_json::from_slice(&text).map_err(damaged)?;
    let Some([healthy, _]) = metrics.concurrent_flow.filter(|[healthy, _]| *healthy > 0.0) else {
        return Ok(vec![1.0]);
    };
    let mut shares = vec![1.0];
    for count in 1..=dark as usize {
        let with_count = scenarios.iter().filter(|(name, _)| name.split('+').count() == count);
        let lowest = with_count
            .filter_map(|(_, figures)| figures.concurrent_flow)
            .map(|[lowest, _]| lowest / healthy)
            .reduce(f64::min);
        let Some(lowest) = lowest else { break };
        shares.push(lowest.min(1.0));
    }
    Ok(shares)
}

/// Reads `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`, and the times of `--repair` and `--restart`.
fn parse_failures(args: &AvailabilityArgs) -> Result<FailureRates, DriverError> {
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
fn parse_days(option: &str, text: &str) -> Result<f64, DriverError> {
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

fn availability_error(problem: &str, hint: &str) -> DriverError {
    DriverError::Availability { problem: problem.to_owned(), hint: hint.to_owned() }
}
