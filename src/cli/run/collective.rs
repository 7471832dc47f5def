//! `fabc collective`: plans schedules of collectives on a built fabric, and prints their costs.

use crate::args::collective::{CollectiveArgs, CollectiveFormat};
use crate::args::sim::NOMINAL;
use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::collective_declared;
use crate::run::collective_emit::{self, ScheduleTarget};
use crate::run::collective_scene::{MissingTables, ScenarioInput, read_scenario, wiring_files};
use crate::run::scheduled::planned_hint;
use fabc_base::diag::{SourceMap, Span, list, suggestion};
use fabc_base::ids::NodeId;
use fabc_base::limits::{COLLECTIVE_BYTES, COLLECTIVE_OVERHEAD_PS};
use fabc_check::ReadScene;
use fabc_emit::{TRACE_MESSAGES, TraceSettings};
use fabc_estimate::{CommandWord, EstimateError};
use fabc_ir::{CollectiveLeftOut, CollectiveReport, MessageStarts, Scene, Schedule, Topology};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric};
use fabc_pipeline::compile::collectives::{
    CollectivesError, CollectivesRequest, RequestedGroups, ScenarioCollectives, check_groups,
};
use fabc_pipeline::library::Loaded;

/// The name that stands for every scenario.
const ALL: &str = "all";

/// `fabc collective`: plans the requested collectives, or those that the spec declares.
///
/// # Errors
/// The errors of the options, `DriverError::NotBuilt` for a foreign directory, and `CollectivesError` if
/// nothing can be planned.
pub(crate) fn collective(args: &CollectiveArgs, terminal: Terminal) -> Result<(), Stop> {
    let loaded = read::built_fabric(&args.directory)?;
    if loaded.fabric.routing.is_scheduled() {
        return Err(DriverError::Planned {
            path: display(&args.directory),
            hint: planned_hint(&args.directory),
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

/// Plans the collectives that one set of options asks for.
fn run_one_request(
    args: &CollectiveArgs,
    Loaded { fabric, sources, .. }: &Loaded,
    terminal: Terminal,
) -> Result<(), Stop> {
    let (sizes, overhead_ps) = parse_quantities(args)?;
    let mut collectives = requested_collectives(args)?;
    let algorithm = requested_algorithm(args, &mut collectives)?;
    // A collective that cannot be planned is left out if the user did not name it, and an error otherwise.
    let named = args.collective.is_some() || algorithm.is_some();
    let targets = args.emit.as_deref().map_or(Ok(Vec::new()), ScheduleTarget::parse_all)?;
    if !targets.is_empty() {
        check_single_schedule(args, &sizes)?;
    }
    let names = requested_scenarios(args, fabric, sources)?;
    let mut request = CollectivesRequest {
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
    let (mut costs, mut rows, mut crossovers, mut left_out) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, name) in names.iter().enumerate() {
        let tabled = request.collectives.contains(&Collective::AllToAll)
            || args.groups.is_some()
            || algorithm.is_some_and(CollectiveAlgorithm::follows_tables);
        let read = read_scenario(&args.directory, fabric, sources, name, tabled)?;
        let ScenarioInput { scene, tables, lengths } =
            read.ok_or_else(|| unknown_word("scenario", name, &[NOMINAL]))?;
        let ReadScene { topology, lit, dead } = scene;
        request.root = args.root.as_deref().map(|root| find_root(&topology, root)).transpose()?;
        let scene = Scene { topology: &topology, lit, dead };
        check_group_sizes(fabric, &scene, &request)?;
        let stop = |error| collectives_stop(error, name, sources);
        let tables = tables.as_ref();
        let mut planned = ScenarioCollectives::new(fabric, &scene, &request).along(tables, &lengths);
        let missing = MissingTables { fabric, directory: &args.directory, name };
        let newly_left_out = left_out_collectives(
            &mut planned,
            &request.collectives,
            tables.is_some(),
            named,
            &missing,
            &stop,
        )?;
        // A collective that one scenario leaves out is left out of all later ones.
        request
            .collectives
            .retain(|&collective| newly_left_out.iter().all(|left_out| left_out.collective != collective));
        left_out.extend(newly_left_out);
        let mut planned = ScenarioCollectives::new(fabric, &scene, &request).along(tables, &lengths);
        rows.extend(planned.rows(name).map_err(stop)?);
        costs.push((name.clone(), planned.cost().clone()));
        if index > 0 {
            continue;
        }
        crossovers = planned.crossovers().map_err(stop)?;
        if !targets.is_empty() {
            let is_timed = targets.iter().any(ScheduleTarget::is_timed);
            let (schedule, starts) = only_schedule(&mut planned, &request, is_timed).map_err(stop)?;
            let trace = TraceSettings {
                fabric: &fabric.name,
                scenario: name,
                bytes: request.sizes[0],
                clock_hz: fabric.clock_hz,
                cost: planned.cost(),
                starts: &starts,
            };
            collective_emit::write_schedule(&targets, &trace, &scene, &schedule, terminal)?;
        }
    }
    let report = CollectiveReport { left_out, ..request.report(costs, rows, crossovers) };
    Ok(print_report(args.format, &fabric.name, &report)?)
}

/// Refuses groups that do not part the chips of a scene, or leave less than a flit for one of them.
fn check_group_sizes(fabric: &Fabric, scene: &Scene<'_>, request: &CollectivesRequest) -> Result<(), Stop> {
    let Some(groups) = &request.groups else { return Ok(()) };
    let (chips, groups) = (scene.topology.endpoints().count() as u64, u64::from(groups.size()));
    let fits = |&bytes: &u64| check_groups(chips, groups, bytes, fabric.router.flit_bytes);
    request.sizes.iter().try_for_each(fits).map_err(|problem| {
        let error = problem.error("`--groups`".to_owned(), None);
        Stop { exit_code: 2, diagnostics: vec![Box::new(error)], sources: SourceMap::default() }
    })
}

fn print_report(
    format: CollectiveFormat,
    fabric: &str,
    report: &CollectiveReport,
) -> Result<(), DriverError> {
    match format {
        CollectiveFormat::Text => print_out(&fabc_emit::collectives_text(fabric, report)),
        CollectiveFormat::Json => write_out(fabc_emit::collectives_json(fabric, report).as_bytes()),
        CollectiveFormat::Csv => write_out(fabc_emit::collectives_csv(report).as_bytes()),
    }
}

/// Ends the command because collectives cannot be planned on a scenario.
fn collectives_stop(error: CollectivesError, scenario: &str, sources: &SourceMap) -> Stop {
    let error = error.in_scenario(scenario);
    Stop { exit_code: error.exit_code(), diagnostics: vec![Box::new(error)], sources: sources.clone() }
}

/// The collectives that are left out on a scenario, with the reasons. A collective that the user `named` is
/// never left out: it is an error if it lacks tables.
fn left_out_collectives(
    planned: &mut ScenarioCollectives<'_>,
    collectives: &[Collective],
    has_tables: bool,
    named: bool,
    missing: &MissingTables<'_>,
    stop: &dyn Fn(CollectivesError) -> Stop,
) -> Result<Vec<CollectiveLeftOut>, Stop> {
    let mut left_out = Vec::new();
    for &collective in collectives {
        let reason = match has_tables {
            _ if !planned.is_sent(collective) => None,
            false if named => return Err(missing.error().into()),
            false => Some(missing.reason()),
            true if named || planned.is_tried(collective).map_err(stop)? => None,
            true => Some("it would take long here and was not tried: name it with `--collective ..`"),
        };
        left_out.extend(reason.map(|reason| CollectiveLeftOut { collective, reason }));
    }
    Ok(left_out)
}

/// The schedule of the only requested collective, and the start times of its messages if they are needed.
fn only_schedule(
    planned: &mut ScenarioCollectives<'_>,
    request: &CollectivesRequest,
    is_timed: bool,
) -> Result<(Schedule, MessageStarts), CollectivesError> {
    let (collective, bytes) = (request.collectives[0], request.sizes[0]);
    let schedule = planned.schedule(collective, bytes)?;
    let starts = match is_timed {
        true => planned.starts(collective, bytes, TRACE_MESSAGES)?,
        false => MessageStarts::default(),
    };
    Ok((schedule, starts))
}

/// The sizes in bytes, and the overhead in picoseconds. Errors point into the command line, written on one
/// line.
fn parse_quantities(args: &CollectiveArgs) -> Result<(Vec<u64>, u64), Stop> {
    let mut line = "fabc collective".to_owned();
    let mut word = |option: &str, text: &Option<String>| {
        let text: String = text.as_ref()?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line += &format!(" {option} ");
        let start = line.len() as u32;
        line += &text;
        Some(CommandWord { text, span: Span { start, end: line.len() as u32 } })
    };
    let words =
        [word("--size", &args.size), word("--sizes", &args.sizes), word("--overhead", &args.overhead)];
    let end = line.len() as u32;
    line.push(' ');
    let missing = || EstimateError::Missing {
        what: "the size of the vector of a chip",
        hint: "add `--size 1GiB`, or `--sizes 1KiB..4GiB` for a curve".to_owned(),
        span: Span { start: end, end: end + 1 },
    };
    let read = || {
        let sizes = match &words {
            [Some(size), ..] => fabc_estimate::parse_size(size, COLLECTIVE_BYTES).map(|size| vec![size]),
            [None, Some(sizes), _] => fabc_estimate::parse_sizes(sizes, COLLECTIVE_BYTES),
            _ => Err(missing()),
        };
        let overhead = words[2]
            .as_ref()
            .map_or(Ok(0), |word| fabc_estimate::parse_duration(word, COLLECTIVE_OVERHEAD_PS));
        Ok((sizes?, overhead?))
    };
    read().map_err(|error: EstimateError| {
        let mut sources = SourceMap::default();
        sources.add("command line", &line);
        Stop { diagnostics: vec![Box::new(error)], sources, exit_code: 2 }
    })
}

fn requested_collectives(args: &CollectiveArgs) -> Result<Vec<Collective>, DriverError> {
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
        (None, true) => Err(DriverError::Root {
            problem: format!("{} needs a root", list(&names())),
            hint: "name a chip: `--root cube0[0,0,0]`, or its number: `--root 0`".to_owned(),
        }),
        (Some(_), false) => Err(DriverError::Root {
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
        return Err(unknown_word(&format!("algorithm of {}", collective_names.join(", ")), name, &names));
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

fn unknown_word(kind: &str, name: &str, known: &[&str]) -> DriverError {
    let hint = suggestion(name, known.iter().copied()).unwrap_or_else(|| "there is none here".to_owned());
    DriverError::UnknownWord { kind: kind.to_owned(), name: name.to_owned(), hint }
}

/// A router by its name or number.
fn find_root(topology: &Topology, name: &str) -> Result<NodeId, DriverError> {
    topology.find(name).ok_or_else(|| DriverError::Root {
        problem: format!("there is no router `{name}`"),
        hint: topology.names_hint(),
    })
}

/// The names of the requested scenarios.
fn requested_scenarios(
    args: &CollectiveArgs,
    fabric: &Fabric,
    sources: &SourceMap,
) -> Result<Vec<String>, Stop> {
    if args.scenario == NOMINAL {
        return Ok(vec![NOMINAL.to_owned()]);
    }
    let names = fabc_check::scenario_names(&wiring_files(&args.directory)?, fabric)
        .map_err(|error| convicted(error, sources))?;
    if args.scenario == ALL {
        return Ok(names);
    }
    match names.iter().find(|name| **name == args.scenario) {
        Some(name) => Ok(vec![name.clone()]),
        None => Err(unknown_word(
            "scenario",
            &args.scenario,
            &names.iter().map(String::as_str).chain([ALL]).collect::<Vec<_>>(),
        )
        .into()),
    }
}
