//! `fabc collective`: schedules of collectives on a built fabric, and what they take.

use crate::args::collective::{CollectiveArgs, CollectiveFormat};
use crate::args::sim::NOMINAL;
use crate::io::errors::{DriverError, Stop, convicted};
use crate::io::read::{self, display};
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::collective_declared;
use crate::run::collective_emit::{self, Target};
use crate::run::collective_scene::{ReadTabled, files, scenario, untabled};
use crate::run::scheduled::planned;
use fabc_base::diag::{SourceMap, Span, list, suggestion};
use fabc_base::ids::NodeId;
use fabc_base::limits::{COLLECTIVE_BYTES, COLLECTIVE_OVERHEAD_PS};
use fabc_check::ReadScene;
use fabc_emit::{TRACE_MESSAGES, TraceTold};
use fabc_estimate::{EstimateError, Word};
use fabc_ir::{CollectiveLeftOut, CollectiveReport, Scene, Starts, Topology};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric};
use fabc_pipeline::compile::collectives::{CollectivesAsked, CollectivesError, Planned};
use fabc_pipeline::library::Loaded;

/// The name that stands for every scenario.
const ALL: &str = "all";

/// `fabc collective`.
///
/// # Errors
/// A word or quantity is none; the directory is not one of fabc's; nothing can be planned on the fabric.
pub(crate) fn collective(args: &CollectiveArgs, terminal: Terminal) -> Result<(), Stop> {
    let loaded = read::built_fabric(&args.directory)?;
    if loaded.fabric.routing.is_scheduled() {
        return Err(
            DriverError::Planned { path: display(&args.directory), hint: planned(&args.directory) }.into()
        );
    }
    let asked = collective_declared::asked(args, &loaded.fabric)?;
    for (at, args) in asked.iter().enumerate() {
        if at > 0 {
            print_out("\n")?;
        }
        run_one_request(args, &loaded, terminal)?;
    }
    Ok(())
}

/// Runs the collectives that one line of options asks for.
fn run_one_request(
    args: &CollectiveArgs,
    Loaded { fabric, sources, .. }: &Loaded,
    terminal: Terminal,
) -> Result<(), Stop> {
    let (sizes, overhead_ps) = quantities(args)?;
    let mut collectives = collectives(args)?;
    let algorithm = algorithm(args, &mut collectives)?;
    // What is left out unasked is an error where it is asked for.
    let named = args.collective.is_some() || algorithm.is_some();
    let targets = args.emit.as_deref().map_or(Ok(Vec::new()), Target::all)?;
    if !targets.is_empty() {
        one_schedule(args, &sizes)?;
    }
    let names = scenarios(args, fabric, sources)?;
    let mut asked = CollectivesAsked {
        collectives,
        sizes,
        algorithm,
        chunks: args.chunks,
        root: None,
        overhead_ps,
        barrier: args.barrier,
        seed: args.seed.unwrap_or(1),
    };
    let (mut costs, mut rows, mut crossovers, mut left_out) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, name) in names.iter().enumerate() {
        let tabled = asked.collectives.contains(&Collective::AllToAll)
            || algorithm.is_some_and(|algorithm| !algorithm.rests());
        let read = scenario(&args.directory, fabric, sources, name, tabled)?;
        let ReadTabled { scene, tables, lengths } =
            read.ok_or_else(|| unknown("scenario", name, &[NOMINAL]))?;
        let ReadScene { topology, lit, dead } = scene;
        asked.root = args.root.as_deref().map(|root| self::root(&topology, root)).transpose()?;
        let scene = Scene { topology: &topology, lit, dead };
        let stop = |error: CollectivesError| {
            let error = error.of(name);
            Stop {
                exit_code: error.exit_code(),
                diagnostics: vec![Box::new(error)],
                sources: sources.clone(),
            }
        };
        let tables = tables.as_ref();
        let mut planned = Planned::new(fabric, &scene, &asked).along(tables, &lengths);
        let mut lacking = Vec::new();
        for &collective in &asked.collectives {
            let reason = match tables {
                _ if !planned.is_sent(collective) => None,
                None if named => return Err(untabled(&args.directory, name).into()),
                None => Some(
                    "it follows forwarding tables, and this directory has none: its build stopped before routing",
                ),
                Some(_) if named || planned.is_tried(collective).map_err(stop)? => None,
                Some(_) => Some(
                    "it would take long here and was not tried; ask for it by its name: `--collective ..`",
                ),
            };
            lacking.extend(reason.map(|reason| CollectiveLeftOut { collective, reason }));
        }
        // From here on, in no scenario.
        asked.collectives.retain(|&collective| lacking.iter().all(|left| left.collective != collective));
        left_out.extend(lacking);
        let mut planned = Planned::new(fabric, &scene, &asked).along(tables, &lengths);
        rows.extend(planned.rows(name).map_err(stop)?);
        costs.push((name.clone(), planned.cost().clone()));
        if at > 0 {
            continue;
        }
        crossovers = planned.crossovers().map_err(stop)?;
        if !targets.is_empty() {
            let schedule = planned.schedule(asked.collectives[0], asked.sizes[0]).map_err(stop)?;
            let (clock_hz, bytes) = (fabric.clock_hz, asked.sizes[0]);
            let starts = match targets.iter().any(Target::is_timed) {
                true => planned.starts(asked.collectives[0], bytes, TRACE_MESSAGES).map_err(stop)?,
                false => Starts::default(),
            };
            let told = TraceTold {
                fabric: &fabric.name,
                scenario: name,
                bytes,
                clock_hz,
                cost: planned.cost(),
                starts: &starts,
            };
            collective_emit::write(&targets, &told, &scene, &schedule, terminal)?;
        }
    }
    let report = CollectiveReport { left_out, ..asked.report(costs, rows, crossovers) };
    match args.format {
        CollectiveFormat::Text => print_out(&fabc_emit::collectives_text(&fabric.name, &report))?,
        CollectiveFormat::Json => write_out(fabc_emit::collectives_json(&fabric.name, &report).as_bytes())?,
        CollectiveFormat::Csv => write_out(fabc_emit::collectives_csv(&report).as_bytes())?,
    }
    Ok(())
}

/// Bytes of every size, and picoseconds of overhead; errors point into a line as a shell would have it.
fn quantities(args: &CollectiveArgs) -> Result<(Vec<u64>, u64), Stop> {
    let mut line = "fabc collective".to_owned();
    let mut word = |option: &str, text: &Option<String>| {
        let text: String = text.as_ref()?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line += &format!(" {option} ");
        let start = line.len() as u32;
        line += &text;
        Some(Word { text, span: Span { start, end: line.len() as u32 } })
    };
    let words =
        [word("--size", &args.size), word("--sizes", &args.sizes), word("--overhead", &args.overhead)];
    let end = line.len() as u32;
    line.push(' ');
    let missing = || EstimateError::Missing {
        what: "how large the vector of a chip is",
        hint: "say so: `--size 1GiB`, or `--sizes 1KiB..4GiB` for a curve".to_owned(),
        span: Span { start: end, end: end + 1 },
    };
    let read = || {
        let sizes = match &words {
            [Some(size), ..] => fabc_estimate::size(size, COLLECTIVE_BYTES).map(|size| vec![size]),
            [None, Some(sizes), _] => fabc_estimate::all_sizes(sizes, COLLECTIVE_BYTES),
            _ => Err(missing()),
        };
        let overhead =
            words[2].as_ref().map_or(Ok(0), |word| fabc_estimate::duration(word, COLLECTIVE_OVERHEAD_PS));
        Ok((sizes?, overhead?))
    };
    read().map_err(|error: EstimateError| {
        let mut sources = SourceMap::default();
        sources.add("command line", &line);
        Stop { diagnostics: vec![Box::new(error)], sources, exit_code: 2 }
    })
}

/// What is to be done.
fn collectives(args: &CollectiveArgs) -> Result<Vec<Collective>, DriverError> {
    let planned = || Collective::OF_ALL.into_iter();
    let found = match &args.collective {
        None => planned().filter(|collective| !collective.is_rooted() || args.root.is_some()).collect(),
        Some(name) => {
            let one = planned().find(|collective| collective.name() == *name);
            one.map(|one| vec![one]).ok_or_else(|| {
                unknown("collective", name, &planned().map(Collective::name).collect::<Vec<_>>())
            })?
        }
    };
    let found: Vec<Collective> = match args.root {
        // A root says which of them are meant.
        Some(_) if args.collective.is_none() => {
            found.into_iter().filter(|collective| collective.is_rooted()).collect()
        }
        _ => found,
    };
    let all = || found.iter().map(|collective| collective.name()).collect::<Vec<_>>();
    match (&args.root, found.iter().all(|collective| collective.is_rooted())) {
        (None, true) => Err(DriverError::Root {
            what: format!("{} needs a root", list(&all())),
            hint: "name a chip: `--root cube0[0,0,0]`, or its number: `--root 0`".to_owned(),
        }),
        (Some(_), false) => Err(DriverError::Root {
            what: format!("{} has no root", list(&all())),
            hint: "leave `--root` out, or ask for `broadcast` or `reduce`".to_owned(),
        }),
        _ => Ok(found),
    }
}

/// The algorithm that is asked for; of the collectives, if none was named, those stay that it is one of.
fn algorithm(
    args: &CollectiveArgs,
    collectives: &mut Vec<Collective>,
) -> Result<Option<CollectiveAlgorithm>, DriverError> {
    let Some(name) = args.algorithm.as_ref().filter(|name| *name != "auto") else { return Ok(None) };
    let has = |collective: Collective| {
        CollectiveAlgorithm::of(collective).iter().copied().find(|algorithm| algorithm.name() == *name)
    };
    let Some(found) = collectives.iter().copied().find_map(has) else {
        let of: Vec<&str> = collectives.iter().map(|collective| collective.name()).collect();
        let mut names: Vec<&str> = Vec::new();
        for algorithm in collectives
            .iter()
            .flat_map(|&collective| CollectiveAlgorithm::of(collective))
            .map(|algorithm| algorithm.name())
        {
            if !names.contains(&algorithm) {
                names.push(algorithm);
            }
        }
        names.push("auto");
        return Err(unknown(&format!("algorithm of {}", of.join(", ")), name, &names));
    };
    collectives.retain(|&collective| has(collective).is_some());
    Ok(Some(found))
}

/// What is written is one schedule.
fn one_schedule(args: &CollectiveArgs, sizes: &[u64]) -> Result<(), DriverError> {
    let lacks = match () {
        _ if args.collective.is_none() => "one collective: add `--collective all_reduce`, or another one",
        _ if sizes.len() > 1 => "one size: use `--size` instead of `--sizes`",
        _ if args.scenario == ALL => "one scenario: name it, or leave `--scenario` out",
        _ => return Ok(()),
    };
    Err(DriverError::OneSchedule { lacks })
}

fn unknown(what: &str, name: &str, known: &[&str]) -> DriverError {
    let hint = suggestion(name, known.iter().copied()).unwrap_or_else(|| "there is none here".to_owned());
    DriverError::UnknownWord { what: what.to_owned(), name: name.to_owned(), hint }
}

/// A router by name or number.
fn root(topology: &Topology, name: &str) -> Result<NodeId, DriverError> {
    let found = topology.find(name);
    found.ok_or_else(|| DriverError::Root {
        what: format!("there is no router `{name}`"),
        hint: topology.names_told(),
    })
}

/// The names of the scenarios that are asked for.
fn scenarios(args: &CollectiveArgs, fabric: &Fabric, sources: &SourceMap) -> Result<Vec<String>, Stop> {
    if args.scenario == NOMINAL {
        return Ok(vec![NOMINAL.to_owned()]);
    }
    let names = fabc_check::scenario_names(&files(&args.directory)?, fabric)
        .map_err(|error| convicted(error, sources))?;
    if args.scenario == ALL {
        return Ok(names);
    }
    match names.iter().find(|name| **name == args.scenario) {
        Some(name) => Ok(vec![name.clone()]),
        None => Err(unknown(
            "scenario",
            &args.scenario,
            &names.iter().map(String::as_str).chain([ALL]).collect::<Vec<_>>(),
        )
        .into()),
    }
}
