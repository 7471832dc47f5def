//! `fabc collective`: plans schedules of collectives on a built fabric, and prints their costs.

use crate::args::collective::CollectiveArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::collective_declared;
use crate::run::collective_emit::{self, ScheduleTarget};
use fabc_base::diag::list;
use fabc_emit::TraceSettings;
use fabc_ir::CollectiveReport;
use fabc_model::{Collective, CollectiveAlgorithm};
use fabc_pipeline::collective::{
    CollectivesQuery, PlannedCollectives, PlannedSchedule, ScheduleDetail, unknown_word,
};
use fabc_pipeline::compile::collectives::{CollectivesRequest, RequestedGroups};
use fabc_pipeline::estimate::{CollectiveQuantities, QuantityWords, parse_quantities};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::scenarios::{BuiltScenarios, NOMINAL, planned_hint};

/// The name that stands for every scenario.
const ALL: &str = "all";

/// `fabc collective`: plans the requested collectives, or those that the spec declares.
///
/// # Errors
/// The errors of the options, `Refusal::NotBuilt` for a foreign directory, and `CollectivesError` if
/// nothing can be planned.
pub(crate) fn collective(args: &CollectiveArgs, terminal: Terminal) -> Result<(), Stop> {
    let loaded = read::built_fabric(&args.directory)?;
    if loaded.fabric.routing.is_scheduled() {
        return Err(DriverError::Planned {
            path: display(&args.directory),
            hint: scheduled_hint(&display(&args.directory)),
        }
        .into());
    }
    let requests = collective_declared::expand_declared(args, &loaded.fabric)?;
    for (index, args) in requests.iter().enumerate() {
        if index > 0 {
            print_out("\n")?;
        }
        run_one_request(args, &loaded, terminal)?;
    }
    Ok(())
}

/// A hint for a fabric whose vectors are scheduled.
fn scheduled_hint(directory: &str) -> String {
    let drawn = format!("`fabc build {directory}/spec.fab --emit perfetto=FILE` draws all of them over time");
    format!("{}, and {drawn}", planned_hint(directory))
}

/// Plans the collectives that one set of options asks for.
fn run_one_request(
    args: &CollectiveArgs,
    Loaded { fabric, sources, .. }: &Loaded,
    terminal: Terminal,
) -> Result<(), Stop> {
    let words = QuantityWords {
        size: args.size.as_deref(),
        sizes: args.sizes.as_deref(),
        overhead: args.overhead.as_deref(),
    };
    let CollectiveQuantities { sizes, overhead_ps } = parse_quantities(&words)?;
    let mut collectives = requested_collectives(args)?;
    let algorithm = requested_algorithm(args, &mut collectives)?;
    // A collective that cannot be planned is left out if the user did not name it, and an error otherwise.
    let named = args.collective.is_some() || algorithm.is_some();
    let targets = args.emit.as_deref().map_or(Ok(Vec::new()), ScheduleTarget::parse_all)?;
    if !targets.is_empty() {
        check_single_schedule(args, &sizes)?;
    }
    let folder = DiskFolder::new(&args.directory);
    let scenarios = BuiltScenarios { folder: &folder, fabric, sources };
    let names = requested_scenarios(args, &scenarios)?;
    let request = CollectivesRequest {
        collectives,
        sizes,
        algorithm,
        chunks: args.chunks,
        root: None,
        groups: args.groups.map(RequestedGroups::Consecutive),
        overhead_ps,
        barrier: args.barrier,
        seed: args.seed.unwrap_or(1),
    };
    let schedule = match &targets[..] {
        [] => ScheduleDetail::Costs,
        _ if targets.iter().any(ScheduleTarget::is_timed) => ScheduleDetail::Times,
        _ => ScheduleDetail::Steps,
    };
    let root = args.root.as_deref();
    let query = CollectivesQuery { scenarios: &names, request, root, named, schedule };
    let PlannedCollectives { report, schedule } = scenarios.plan_collectives(query)?;
    if let Some(PlannedSchedule { scenario, wiring, bytes, cost, schedule, starts }) = &schedule {
        let trace = TraceSettings {
            fabric: &fabric.name,
            scenario,
            bytes: *bytes,
            clock_hz: fabric.clock_hz,
            cost,
            starts,
        };
        collective_emit::write_schedule(&targets, &trace, &wiring.scene(), schedule, terminal)?;
    }
    Ok(print_report(args, &fabric.name, &report)?)
}

fn print_report(args: &CollectiveArgs, fabric: &str, report: &CollectiveReport) -> Result<(), DriverError> {
    match args {
        CollectiveArgs { json: true, .. } => {
            write_out(fabc_emit::collectives_json(fabric, report).as_bytes())
        }
        CollectiveArgs { csv: true, .. } => write_out(fabc_emit::collectives_csv(report).as_bytes()),
        _ => print_out(&fabc_emit::collectives_text(fabric, report)),
    }
}

fn requested_collectives(args: &CollectiveArgs) -> Result<Vec<Collective>, Refusal> {
    let kinds = || {
        let has_groups = |kind: &Collective| !CollectiveAlgorithm::for_groups(*kind).is_empty();
        Collective::OF_ALL.into_iter().filter(move |kind| args.groups.is_none() || has_groups(kind))
    };
    let requested = match &args.collective {
        None => kinds().filter(|collective| !collective.is_rooted() || args.root.is_some()).collect(),
        Some(name) => {
            let single = kinds().find(|collective| collective.name() == *name);
            single.map(|single| vec![single]).ok_or_else(|| {
                unknown_word("collective", name, &kinds().map(Collective::name).collect::<Vec<_>>())
            })?
        }
    };
    let requested: Vec<Collective> = match args.root {
        // A root selects the collectives that have one.
        Some(_) if args.collective.is_none() => {
            requested.into_iter().filter(|collective| collective.is_rooted()).collect()
        }
        _ => requested,
    };
    let names = || requested.iter().map(|collective| collective.name()).collect::<Vec<_>>();
    match (&args.root, requested.iter().all(|collective| collective.is_rooted())) {
        (None, true) => Err(Refusal::Root {
            problem: format!("{} needs a root", list(&names())),
            hint: "name a chip: `--root cube0[0,0,0]`, or its number: `--root 0`".to_owned(),
        }),
        (Some(_), false) => Err(Refusal::Root {
            problem: format!("{} has no root", list(&names())),
            hint: "leave `--root` out, or ask for `broadcast` or `reduce`".to_owned(),
        }),
        _ => Ok(requested),
    }
}

/// The requested algorithm. Without `--collective`, the collectives that lack it are dropped.
fn requested_algorithm(
    args: &CollectiveArgs,
    collectives: &mut Vec<Collective>,
) -> Result<Option<CollectiveAlgorithm>, DriverError> {
    let Some(name) = args.algorithm.as_ref().filter(|name| *name != "auto") else { return Ok(None) };
    let known = |collective: Collective| match args.groups {
        Some(_) => CollectiveAlgorithm::for_groups(collective),
        None => CollectiveAlgorithm::for_tables(collective),
    };
    let has = |collective: Collective| {
        known(collective).iter().copied().find(|algorithm| algorithm.name() == *name)
    };
    let Some(algorithm) = collectives.iter().copied().find_map(has) else {
        let collective_names: Vec<&str> = collectives.iter().map(|collective| collective.name()).collect();
        let mut names: Vec<&str> = Vec::new();
        for algorithm in
            collectives.iter().flat_map(|&collective| known(collective)).map(|algorithm| algorithm.name())
        {
            if !names.contains(&algorithm) {
                names.push(algorithm);
            }
        }
        names.push("auto");
        let kind = format!("algorithm of {}", collective_names.join(", "));
        return Err(unknown_word(&kind, name, &names).into());
    };
    collectives.retain(|&collective| has(collective).is_some());
    Ok(Some(algorithm))
}

/// Refuses `--emit` for more than one schedule.
fn check_single_schedule(args: &CollectiveArgs, sizes: &[u64]) -> Result<(), DriverError> {
    let lacks = match () {
        _ if args.collective.is_none() => "one collective: add `--collective all_reduce`, or another one",
        _ if sizes.len() > 1 => "one size: use `--size` instead of `--sizes`",
        _ if args.scenario == ALL => "one scenario: name it, or leave `--scenario` out",
        _ => return Ok(()),
    };
    Err(DriverError::OneSchedule { lacks })
}

/// The names of the requested scenarios.
fn requested_scenarios(
    args: &CollectiveArgs,
    scenarios: &BuiltScenarios<'_, DiskFolder>,
) -> Result<Vec<String>, Stop> {
    if args.scenario == NOMINAL {
        return Ok(vec![NOMINAL.to_owned()]);
    }
    let names = scenarios.names()?;
    if args.scenario == ALL {
        return Ok(names);
    }
    match names.iter().find(|name| **name == args.scenario) {
        Some(name) => Ok(vec![name.clone()]),
        None => {
            let known: Vec<&str> = names.iter().map(String::as_str).chain([ALL]).collect();
            Err(unknown_word("scenario", &args.scenario, &known).into())
        }
    }
}
