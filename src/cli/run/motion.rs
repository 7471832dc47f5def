//! `fabc sim --job` and `--collective`: runs plans through the simulator, and prints both times.

use crate::args::sim::SimArgs;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::InputError;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use crate::run::job::{check_chips_live, job_stop, unknown};
use crate::run::sim_settings::{described_simulation, has_setting, sim_stop};
use fabc_base::diag::{SourceMap, list};
use fabc_emit::MotionRow;
use fabc_model::{DeclaredCollective, Job, Traffic};
use fabc_pipeline::compile::jobs::{JobPlanner, universal_limits};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::scenarios::{BuiltScenarios, NOMINAL, ScenarioInput};
use fabc_pipeline::simulate::{MotionError, MotionSite};
use std::path::Path;

/// Runs a job or a collective of a built directory.
///
/// # Errors
/// `Refusal::UnknownWord` for a name that the spec does not declare, settings that follow from the plan, and
/// the errors of planning and of the simulator.
pub(super) fn run_plans(args: &SimArgs, directory: &Path) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
    let described = described_simulation(args, &fabric)?;
    if described.parameters.traffic != Traffic::Uniform || described.rates.is_some() || described.seeds > 1 {
        let problem = "a plan says what is sent and when".to_owned();
        let hint = "leave `traffic`, `rates` and `seeds` out of `--with`".to_owned();
        return Err(InputError::Usage { problem, hint }.into());
    }
    let folder = DiskFolder::new(directory);
    let scenarios = BuiltScenarios { folder: &folder, fabric: &fabric, sources: &sources };
    let scenario = args.scenario.as_deref().unwrap_or(NOMINAL);
    let followed = scenarios.simulated(scenario, described.parameters.choosing.routing)?;
    let Some(ScenarioInput { tables, .. }) = scenarios.input(scenario, true)? else {
        let hint = "the scenarios of `report.json` are known, and `nominal`";
        return Err(unknown("scenario", scenario, hint).into());
    };
    let scene = followed.wiring.scene();
    let site = MotionSite {
        fabric: &fabric,
        scene: &scene,
        scenario,
        followed: &followed.tables,
        tables: tables.as_ref(),
        parameters: &described.parameters,
        has_packet: has_setting(args, "packet")?,
    };
    let stop = |error| motion_stop(error, &sources);
    if let Some(name) = &args.collective {
        let declared = find(&fabric.collectives, |declared| &declared.name, "collective", name)?;
        let row = site.collective(declared).map_err(stop)?;
        return print(args, &fabric.name, scenario, &subject_of_collective(declared), &[row]);
    }
    let name = args.job.as_deref().unwrap_or_default();
    let job = find(&fabric.jobs, |job: &Job| &job.name, "job", name)?;
    check_chips_live(&scene, scenario)?;
    let ranks = scenarios.job_ranks(job, scene.topology)?;
    let ranks = ranks.ok_or_else(|| not_built(name, directory))?;
    let limits = universal_limits(&fabric, scene.topology);
    let planner = JobPlanner::new(&fabric, &scene, tables.as_ref(), &limits, job).with_quick_bounds();
    let outcome = planner.plan(scenario, &ranks).map_err(|error| job_stop(error, &sources))?;
    let rows = site.job(job, &ranks, &outcome).map_err(stop)?;
    print(args, &fabric.name, scenario, &format!("job {name}"), &rows)
}

/// The kind and the name of a collective, for the head of a table.
fn subject_of_collective(declared: &DeclaredCollective) -> String {
    format!("{} {}", declared.collective.name(), declared.name)
}

/// The declared item with a name.
fn find<'a, T>(
    items: &'a [T],
    name_of: impl Fn(&'a T) -> &'a String,
    kind: &str,
    name: &str,
) -> Result<&'a T, Refusal> {
    items.iter().find(|item| name_of(item) == name).ok_or_else(|| {
        let names: Vec<&str> = items.iter().map(|item| name_of(item).as_str()).collect();
        let hint = match &names[..] {
            [] => format!("the spec declares no {kind}"),
            names => format!("known here: {}", list(names)),
        };
        unknown(kind, name, &hint)
    })
}

fn print(
    args: &SimArgs,
    fabric: &str,
    scenario: &str,
    subject: &str,
    rows: &[MotionRow],
) -> Result<(), Stop> {
    if args.form.json {
        write_out(fabc_emit::motion_json(fabric, scenario, subject, rows).as_bytes())?;
    } else {
        print_out(&fabc_emit::motion_text(fabric, scenario, subject, rows))?;
    }
    Ok(())
}

fn not_built(job: &str, directory: &Path) -> Stop {
    let reason = format!("`jobs/{job}.json` does not say which chip is which rank");
    Refusal::NotBuilt { path: directory.display().to_string(), reason }.into()
}

fn motion_stop(error: MotionError, sources: &SourceMap) -> Stop {
    let exit_code = error.exit_code();
    match error {
        MotionError::Simulated(error) => sim_stop(error, sources),
        MotionError::Written(error) => {
            Stop { exit_code, diagnostics: vec![Box::new(error)], sources: sources.clone() }
        }
        MotionError::Planned(error) => {
            Stop { exit_code, diagnostics: vec![Box::new(error)], sources: sources.clone() }
        }
    }
}
