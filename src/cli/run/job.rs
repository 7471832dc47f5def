//! `fabc job`: plans the jobs of a built fabric again, with another placement or in another scenario.

use crate::args::job::JobArgs;
use crate::build::requests;
use crate::io::folder::DiskFolder;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_out, write_out};
use fabc_base::diag::{SourceMap, list};
use fabc_base::limits::RANKS_BYTES;
use fabc_emit::{LaunchedJob, LaunchedJobs};
use fabc_ir::{JobResult, Scene, Topology};
use fabc_lang::chips_of_ranks;
use fabc_model::{Fabric, Job, JobPlace};
use fabc_pipeline::compile::jobs::{
    JobPlanError, JobPlanner, check_ranks, choose_placement, universal_limits,
};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::operate::with_settings;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::scenarios::{BuiltScenarios, ScenarioInput};

/// `fabc job`: prints what a step of each job takes.
///
/// # Errors
/// The errors of the options and of reading the directory, and `JobPlanError` where a job has no plan.
pub(crate) fn job(args: &JobArgs, terminal: Terminal) -> Result<(), Stop> {
    let requests = requests::parse_job_requests(&args.emit)?;
    let naming = args.hosts.naming();
    let Loaded { fabric, sources, .. } = read::changed_fabric(&args.directory, |text| {
        Ok(with_settings(text, args.job.as_deref(), &args.set)?)
    })?;
    let jobs = requested_jobs(args, &fabric)?;
    let folder = DiskFolder::new(&args.directory);
    let scenarios = BuiltScenarios { folder: &folder, fabric: &fabric, sources: &sources };
    let read = scenarios.input(&args.scenario, true)?;
    let Some(ScenarioInput { wiring, tables, .. }) = read else {
        let hint = "the scenarios of `report.json` are known, and `nominal`";
        return Err(unknown("scenario", &args.scenario, hint).into());
    };
    let scene = wiring.scene();
    check_chips_live(&scene, &args.scenario)?;
    requests.iter().try_for_each(|request| requests::check_fit(request, &fabric, &naming))?;
    let limits = universal_limits(&fabric, scene.topology);
    let mut results = Vec::new();
    for job in jobs {
        let planned = with_place(args, job, scene.topology)?;
        let stop = |error| job_stop(error, &sources);
        check_ranks(&planned, scene.topology.endpoints().count() as u64).map_err(stop)?;
        let planner = JobPlanner::new(&fabric, &scene, tables.as_ref(), &limits, &planned);
        let planner = if args.certify { planner } else { planner.with_quick_bounds() };
        let (placed, outcome) =
            choose_placement(&planner, &fabric, scene.topology, &planned, None, &args.scenario)
                .map_err(stop)?;
        let (ranks, candidates, scenarios) = (placed.ranks, placed.candidates, vec![outcome]);
        let result = JobResult { ranks, candidates, scenarios, ..JobResult::default() };
        match args.json {
            false => print_out(&fabc_emit::job_text(&fabric.name, scene.topology, &planned, &result))?,
            true => write_out(fabc_emit::job_json(&fabric.name, &planned, &result).as_bytes())?,
        }
        results.push((planned, result));
    }
    let jobs = results.iter().map(|(job, result)| LaunchedJob { job, result }).collect();
    let launched = LaunchedJobs { fabric: &fabric, topology: scene.topology, jobs, naming: &naming };
    for request in &requests {
        for line in requests::write_launched(request, &launched, terminal)? {
            match args.json {
                false => terminal.say(&line)?,
                true => terminal.detail(&line),
            }
        }
    }
    Ok(())
}

/// The jobs of the spec that the options ask for.
fn requested_jobs<'a>(args: &JobArgs, fabric: &'a Fabric) -> Result<Vec<&'a Job>, Refusal> {
    let names: Vec<&str> = fabric.jobs.iter().map(|job| &*job.name).collect();
    if fabric.jobs.is_empty() {
        let hint = "its spec declares none: add `job train { .. }` and build again";
        return Err(unknown("job in", &args.directory.display().to_string(), hint));
    }
    match &args.job {
        None => Ok(fabric.jobs.iter().collect()),
        Some(name) => match fabric.jobs.iter().find(|job| job.name == *name) {
            Some(job) => Ok(vec![job]),
            None => Err(unknown("job", name, &format!("known here: {}", list(&names)))),
        },
    }
}

/// The job with the placement of the options.
fn with_place(args: &JobArgs, job: &Job, topology: &Topology) -> Result<Job, Stop> {
    let place = match args.place.as_deref() {
        None => return Ok(job.clone()),
        Some("order") => JobPlace::Order,
        Some("aligned") => JobPlace::Aligned,
        Some("search") => JobPlace::Search { effort: 1, seed: 1 },
        Some(path) => {
            let text = read::read_text(path, RANKS_BYTES)?;
            let chips = chips_of_ranks(&text, topology.endpoints().count() as u64)
                .map_err(|problem| unknown("placement", path, &problem))?;
            JobPlace::File { path: path.to_owned(), chips }
        }
    };
    Ok(Job { place, ..job.clone() })
}

/// Refuses a scenario with a dead chip.
pub(super) fn check_chips_live(scene: &Scene<'_>, scenario: &str) -> Result<(), Refusal> {
    let Some(dead) = scene.topology.endpoints().find(|&chip| !scene.lives(chip)) else { return Ok(()) };
    let hint = format!("{} is dead in it, and a dead chip has no step", scene.topology.name(dead));
    Err(unknown("step in scenario", scenario, &hint))
}

pub(super) fn unknown(kind: &str, name: &str, hint: &str) -> Refusal {
    Refusal::UnknownWord { kind: kind.to_owned(), name: name.to_owned(), hint: hint.to_owned() }
}

pub(super) fn job_stop(error: JobPlanError, sources: &SourceMap) -> Stop {
    Stop { exit_code: error.exit_code(), diagnostics: vec![Box::new(error)], sources: sources.clone() }
}
