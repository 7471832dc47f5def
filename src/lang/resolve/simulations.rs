//! `simulate name { .. }`: what is run on the finished tables, and how routers and hosts are modelled.

use super::context::{Context, missing, subject_name, unknown_choice};
use super::items::{Items, head};
use super::rates::{rate, rates, share};
use super::settings::{
    Settings, choice, in_range, integer, one_of, one_of_or, quantity, settings, whole, with_block,
    word_and_block, wrong_kind,
};
use super::site::{Links, Site, file};
use crate::ResolveError;
use crate::syntax::Loader;
use crate::syntax::ast::{Block, Name, Quantity, Spec, StatementKind, Value, ValueKind};
use crate::syntax::words::Place;
use fabc_base::diag::Span;
use fabc_base::limits::{SIMULATED_CYCLES, TRACE_BYTES};
use fabc_base::units::Dimension;
use fabc_model::Word;
use fabc_model::trace_input;
use fabc_model::{
    Births, Bursts, Choosing, Details, Hosts, Lanes, Model, Parameters, Rate, Router, Routing, Scenarios,
    Score, Shortest, Simulation, Trace, TraceProblem, Traffic,
};
use std::collections::BTreeMap;

/// Longest packets, flits, and longest waits, cycles.
const PACKET: u64 = 1 << 16;
const WAIT: u64 = 1 << 20;

/// Bytes of a message at most.
const BYTES: u64 = 1 << 40;

/// Seeds of one simulation at most.
const SEEDS: i64 = 1000;

/// All simulations, sorted by name; `None` if an error was reported.
pub(super) fn simulations(
    context: &mut Context,
    items: &Items<'_>,
    router: Option<&Router>,
    site: &Site<'_>,
) -> Option<Vec<Simulation>> {
    let mut all = Vec::new();
    let mut named: BTreeMap<String, Span> = BTreeMap::new();
    for (name, block, item) in &items.simulations {
        if !subject_name(context, name, ("simulate", "a simulation"), &mut named) {
            continue;
        }
        let span = head(*item, "simulate").to(name.span);
        let title = format!("simulation `{}`", name.value);
        let settings = settings(context, block, title, span, Place::Simulate);
        let mut simulation = simulation(context, name.value.to_string(), &settings, router, site);
        if let Some(trace) =
            simulation.as_mut().and_then(|simulation| simulation.parameters.details.trace.as_mut())
        {
            trace.name = trace_input(&name.value);
        }
        all.push(simulation);
    }
    all.into_iter().collect()
}

/// The simulation that some settings describe without a name, such as those of a command line. Its files come
/// from `loader`. Such settings know no constants.
///
/// # Errors
/// Every error of the settings, in source order.
pub fn simulation_of_settings(
    block: &Block,
    router: &Router,
    loader: &dyn Loader,
) -> Result<Simulation, Vec<ResolveError>> {
    let mut context = Context::of_spec(&Spec { files: Vec::new(), given: Vec::new() });
    let links = Links { names: Vec::new(), types: Vec::new() };
    let site = Site { head: block.span, clock: None, links: &links, spec_path: "", loader };
    let settings = settings(&mut context, block, "the simulation".to_owned(), block.span, Place::Simulate);
    let simulation = simulation(&mut context, String::new(), &settings, Some(router), &site);
    let errors = context.into_errors();
    match simulation {
        Some(simulation) if errors.is_empty() => Ok(simulation),
        _ => Err(errors),
    }
}

/// One simulation; `None` if an error was reported.
fn simulation(
    context: &mut Context,
    name: String,
    settings: &Settings<'_>,
    router: Option<&Router>,
    site: &Site<'_>,
) -> Option<Simulation> {
    let misplaced = settings.get("traffic").is_some_and(ends) && endless_only(context, settings);
    let parameters = parameters(context, settings, site).filter(|_| !misplaced);
    if let (Some(parameters), Some(router)) = (&parameters, router) {
        fits(context, settings, parameters, router);
    }
    let rates = settings.get("rates").map(|value| rates(context, value));
    let seeds = settings.get("seeds").map_or(Some(1), |value| integer(context, "`seeds`", value, 1..=SEEDS));
    let scenarios = one_of_or(context, settings, "scenarios", Scenarios::Nominal);
    let (parameters, rates, seeds, scenarios) = (parameters?, whole(rates)?, seeds? as u16, scenarios?);
    Some(Simulation { name, parameters, rates, seeds, scenarios, span: settings.head() })
}

/// The model and the traffic.
fn parameters(context: &mut Context, settings: &Settings<'_>, site: &Site<'_>) -> Option<Parameters> {
    let default = Parameters::default();
    let model = match settings.get("model") {
        Some(value) => model(context, value, default.clone()),
        None => Some(default.clone()),
    };
    let (traffic, details) = match settings.get("traffic") {
        Some(value) => traffic(context, value, site)
            .map(|(traffic, details)| (Some(traffic), details))
            .unwrap_or_default(),
        None => (Some(default.traffic), default.details),
    };
    let births = settings.get("births").map_or(Some(None), |value| births(context, value));
    let choosing = match settings.get("routing") {
        Some(value) => choosing(context, value),
        None => Some(default.choosing),
    };
    let packet = match settings.get("packet") {
        Some(value) => counted(context, "`packet`", value, Dimension::Flits, "6 flits", [1, PACKET]),
        None => Some(default.packet),
    };
    let injection =
        cycles(context, settings, "injection", [0, WAIT]).map(|cycles| cycles.unwrap_or(default.injection));
    let [warmup, measure] = [("warmup", 0), ("measure", 1)]
        .map(|(name, least)| cycles(context, settings, name, [least, SIMULATED_CYCLES - 1]));
    let seed = match settings.get("seed") {
        Some(value) => integer(context, "`seed`", value, 0..=i64::MAX).map(|seed| seed as u64),
        None => Some(default.seed),
    };
    let (warmup, measure) = (warmup?, measure?);
    if u64::from(warmup.unwrap_or(0)) + u64::from(measure.unwrap_or(0)) > SIMULATED_CYCLES {
        let (what, wanted) =
            ("`warmup` and `measure`".to_owned(), format!("at most {SIMULATED_CYCLES} cycles together"));
        let span = settings.place_of("measure");
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span,
            found: "these are more".to_owned(),
        });
        return None;
    }
    let (traffic, choosing, packet, injection, seed) = (traffic?, choosing?, packet?, injection?, seed?);
    let details = Details { bursts: births?, ..details };
    Some(Parameters { traffic, details, choosing, packet, injection, warmup, measure, seed, ..model? })
}

/// The value of a word, alone or with settings.
fn word_of<T: Word>(context: &mut Context, what: &str, name: &Name) -> Option<T> {
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let found = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if found.is_none() {
        context.error(unknown_choice(what, name, &names, None));
    }
    found
}

/// Settings of something that has none.
fn needless(context: &mut Context, name: &Name) {
    let what = format!("`{} {{ .. }}`", name.value);
    let help = Some(format!("it has no settings: write `{}`", name.value));
    context.error(ResolveError::Misplaced { what, place: "a simulation".to_owned(), help, span: name.span });
}

/// `uniform`, `group_shift { by = 2; }` or `trace "messages.csv"`.
fn traffic(context: &mut Context, value: &Value, site: &Site<'_>) -> Option<(Traffic, Details)> {
    if let ValueKind::File(kind, path, block) = &value.kind {
        return traced(context, (kind, path, block.as_ref()), site);
    }
    let (name, block) = word_and_block(context, "`traffic`", value, "uniform")?;
    let traffic = word_of(context, "`traffic`", &name)?;
    if traffic == Traffic::Trace {
        context.error(missing("`trace`", "its file", "trace \"messages.csv\"", name.span));
        return None;
    }
    let read = |context: &mut Context, place: Place| match block {
        Some(block) => settings(context, block, format!("`{}`", name.value), name.span, place),
        None => Settings::none(format!("`{}`", name.value), name.span),
    };
    match traffic {
        Traffic::GroupShift => {
            let settings = read(context, Place::Traffic);
            let by = settings.get("by").map(|value| integer(context, "`by`", value, 1..=i64::from(u32::MAX)));
            Some((traffic, Details { by: whole(by)?.map(|by| by as u32), ..Details::default() }))
        }
        Traffic::Hotspot => {
            let settings = read(context, Place::Hotspot);
            let spots = settings.need(context, "at", "[cube0[0,0,0], 17]").map(|value| spots(context, value));
            let share = settings.get("share").map(|value| share(context, value));
            Some((traffic, Details { spots: spots??, share: whole(share)?, ..Details::default() }))
        }
        Traffic::AllToAll => {
            let settings = read(context, Place::AllToAll);
            let bytes = settings.need(context, "bytes", "64 KiB").map(|value| sized(context, value));
            let order = settings.get("order").map(|value| one_of(context, "`order`", value));
            Some((traffic, Details { bytes: Some(bytes??), order: whole(order)?, ..Details::default() }))
        }
        _ if block.is_some() => {
            needless(context, &name);
            None
        }
        _ => Some((traffic, Details::default())),
    }
}

/// `trace "messages.csv"`; whether the fabric has who sends, is seen when it runs.
fn traced(
    context: &mut Context,
    (kind, path, block): (&Name, &Name, Option<&Block>),
    site: &Site<'_>,
) -> Option<(Traffic, Details)> {
    let traffic: Traffic = word_of(context, "`traffic`", kind)?;
    if traffic != Traffic::Trace {
        let (what, place) = (format!("`{} \"{}\"`", kind.value, path.value), "a simulation".to_owned());
        let help = Some(format!("it has no file: write `{}`, or `trace` for messages of a file", kind.value));
        context.error(ResolveError::Misplaced { what, place, help, span: kind.span.to(path.span) });
        return None;
    }
    if block.is_some() {
        needless(context, kind);
        return None;
    }
    let (written, text) = file(context, path, site, TRACE_BYTES)?;
    match Trace::read(&written, &text) {
        Ok(trace) => Some((traffic, Details { trace: Some(trace), ..Details::default() })),
        Err(problem) => {
            let help = match &problem {
                TraceProblem::Line { help, .. } => help.clone(),
                TraceProblem::Empty => {
                    "write a line per message: `cycle,src,dst,flits`, such as `120,0,17,64`".to_owned()
                }
            };
            context.error(ResolveError::Trace {
                path: written,
                problem: problem.to_string(),
                help,
                span: path.span,
            });
            None
        }
    }
}

/// `[cube0[0,0,0], 17]`; whether the fabric has them, is seen when it runs.
fn spots(context: &mut Context, value: &Value) -> Option<Vec<String>> {
    let ValueKind::List(items) = &value.kind else {
        context.error(wrong_kind(
            "`at`",
            "a list of routers and numbers of endpoints",
            "[cube0[0,0,0], 17]",
            value.span,
        ));
        return None;
    };
    let mut named: BTreeMap<&str, Span> = BTreeMap::new();
    for item in items {
        if let Some(&first) = named.get(&*item.value) {
            context.duplicate(format!("`{}`", item.value), "remove one of them", item.span, first);
            return None;
        }
        named.insert(&item.value, item.span);
    }
    Some(items.iter().map(|item| item.value.to_string()).collect())
}

/// `steady`, or `bursts { length = 40 cycles; rate = 0.8; }`.
#[allow(clippy::option_option)]
fn births(context: &mut Context, value: &Value) -> Option<Option<Bursts>> {
    let (name, block) =
        word_and_block(context, "`births`", value, "bursts { length = 40 cycles; rate = 0.8; }")?;
    match word_of(context, "`births`", &name)? {
        Births::Steady if block.is_some() => {
            needless(context, &name);
            None
        }
        Births::Steady => Some(None),
        Births::Bursts => {
            let title = format!("`{}`", name.value);
            let settings = match block {
                Some(block) => settings(context, block, title, name.span, Place::Bursts),
                None => Settings::none(title, name.span),
            };
            let range = [1, WAIT];
            let length = settings.need(context, "length", "40 cycles");
            let length = length
                .map(|value| counted(context, "`length`", value, Dimension::Cycles, "40 cycles", range));
            let on = settings.need(context, "rate", "0.8").map(|value| match &value.kind {
                ValueKind::Quantity(Quantity { number, unit: None, .. }) => rate(context, number),
                _ => {
                    context.error(wrong_kind("`rate`", "flits per cycle, without a unit", "0.8", value.span));
                    None
                }
            });
            Some(Some(Bursts { length: length??, rate: Rate::millionths(on??) }))
        }
    }
}

/// Bytes of a message.
fn sized(context: &mut Context, value: &Value) -> Option<u64> {
    let (number, unit) = quantity(context, "`bytes`", value, &[Dimension::Data], "64 KiB")?;
    let bytes = number.times(unit.factor).filter(|bytes| (1..=BYTES).contains(bytes));
    if bytes.is_none() {
        let (what, wanted) = ("`bytes`".to_owned(), format!("a whole number of bytes from 1 to {BYTES}"));
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span: value.span,
            found: "this is not".to_owned(),
        });
    }
    bytes
}

/// Whether a block is of traffic that ends: it has no rates, and other metrics.
pub(super) fn block_ends(block: &Block) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Setting(setting) => &*setting.name.value == "traffic" && ends(&setting.value),
        _ => false,
    })
}

/// Whether a traffic ends.
fn ends(traffic: &Value) -> bool {
    let word = traffic_of(traffic);
    word.is_some_and(|word| {
        Traffic::ALL.iter().any(|traffic| traffic.is_finite() && traffic.name() == &*word.value)
    })
}

/// The word of a traffic.
fn traffic_of(value: &Value) -> Option<Name> {
    match &value.kind {
        ValueKind::File(kind, ..) => Some(kind.clone()),
        _ => with_block(value).map(|(word, _)| word),
    }
}

/// Complains about settings that traffic which ends does not have.
fn endless_only(context: &mut Context, settings: &Settings<'_>) -> bool {
    let mut found = false;
    for setting in ["rates", "warmup", "measure", "births"] {
        if let Some(span) = settings.span(setting) {
            let help = Some(
                "remove it: such traffic ends, and all of it is run as fast as it goes, and counted"
                    .to_owned(),
            );
            let traffic = settings.get("traffic").and_then(traffic_of);
            let place = format!(
                "a simulation of `{}`",
                traffic.map_or_else(String::new, |word| word.value.to_string())
            );
            context.error(ResolveError::Misplaced { what: format!("`{setting}`"), place, help, span });
            found = true;
        }
    }
    found
}

/// `min`, or `ugal { samples = 4; }`.
fn choosing(context: &mut Context, value: &Value) -> Option<Choosing> {
    let (name, block) = word_and_block(context, "`routing`", value, "min")?;
    let routing: Routing = word_of(context, "`routing`", &name)?;
    let choosing = Choosing { routing: Some(routing), ..Choosing::default() };
    let Some(block) = block else { return Some(choosing) };
    let adaptive = matches!(routing, Routing::Ugal | Routing::UgalGlobal);
    if !adaptive && routing != Routing::Valiant {
        needless(context, &name);
        return None;
    }
    let title = format!("`{}`", name.value);
    let settings = settings(context, block, title.clone(), name.span, Place::Ways);
    for setting in ["samples", "bias", "rule"] {
        if let Some(span) = settings.span(setting).filter(|_| !adaptive) {
            let help = Some("it belongs to `ugal` and `ugal_global`".to_owned());
            context.error(ResolveError::Misplaced {
                what: format!("`{setting}`"),
                place: title.clone(),
                help,
                span,
            });
        }
    }
    let shortest = settings.get("shortest").map(|value| one_of::<Shortest>(context, "`shortest`", value));
    let score = settings.get("rule").map(|value| one_of::<Score>(context, "`rule`", value));
    let samples = settings.get("samples").map(|value| integer(context, "`samples`", value, 1..=1024));
    let most = [0, WAIT];
    let bias = settings
        .get("bias")
        .map(|value| counted(context, "`bias`", value, Dimension::Flits, "30 flits", most));
    Some(Choosing {
        shortest: whole(shortest)?,
        score: whole(score)?,
        samples: whole(samples)?.map(|samples| samples as u16),
        bias: whole(bias)?,
        ..choosing
    })
}

/// `packet` or `flit`, alone or with settings.
fn model(context: &mut Context, value: &Value, default: Parameters) -> Option<Parameters> {
    let (name, block) = word_and_block(context, "`model`", value, "packet { general = 2; }")?;
    let model = word_of(context, "`model`", &name)?;
    let Some(block) = block else { return Some(Parameters { model, ..default }) };
    let place = if model == Model::Flit { Place::FlitModel } else { Place::PacketModel };
    let settings = settings(context, block, format!("`{}`", name.value), name.span, place);
    let vcs = |context: &mut Context, name: &str, least: i64| match settings.get(name) {
        Some(value) => integer(context, &format!("`{name}`"), value, least..=64).map(|vcs| Some(vcs as u8)),
        None => Some(None),
    };
    let (general, classes) = (vcs(context, "general", 0), vcs(context, "classes", 1));
    if let (Some(_), Some(span)) = (settings.get("general"), settings.span("classes")) {
        let (what, place) = ("`classes`".to_owned(), "a model with `general`".to_owned());
        let help = Some("either some virtual channels are general ones, or every one of the tables is several: remove one".to_owned());
        context.error(ResolveError::Misplaced { what, place, help, span });
        return None;
    }
    let arbitration = settings.get("arbitration").map(|value| one_of(context, "`arbitration`", value));
    let credits = settings.get("credits").map(|value| one_of(context, "`credits`", value));
    let hosts = match settings.get("hosts") {
        Some(value) => hosts(context, value).map(Some),
        None => Some(None),
    };
    let turn = cycles(context, &settings, "turn", [0, WAIT]);
    let speedup = settings.get("speedup").map(|value| integer(context, "`speedup`", value, 1..=64));
    let window = settings.get("window").map(|value| integer(context, "`window`", value, 1..=1 << 20));
    Some(Parameters {
        model,
        lanes: general?.map(Lanes::General).or(classes?.map(Lanes::Classes)),
        arbitration: whole(arbitration)?,
        credits: whole(credits)?,
        hosts: hosts?,
        turn: turn?.unwrap_or(default.turn),
        speedup: whole(speedup)?.map(|speedup| speedup as u32),
        window: whole(window)?.map(|window| window as u32),
        ..default
    })
}

/// `unlimited`, or a number of ports.
fn hosts(context: &mut Context, value: &Value) -> Option<Hosts> {
    const UNLIMITED: &str = "unlimited";
    let known = |name: &str| context.constants.names().any(|known| known == name);
    match choice(value) {
        Some(name) if &*name.value == UNLIMITED => Some(Hosts::Unlimited),
        Some(name) if !known(&name.value) => {
            context.error(unknown_choice("`hosts`", &name, &[UNLIMITED], None));
            None
        }
        _ => integer(context, "`hosts`", value, 1..=1024).map(|ports| Hosts::Ports(ports as u16)),
    }
}

/// A setting in cycles; the inner `None`: it is not written.
#[allow(clippy::option_option)]
fn cycles(
    context: &mut Context,
    settings: &Settings<'_>,
    name: &str,
    range: [u64; 2],
) -> Option<Option<u32>> {
    let Some(value) = settings.get(name) else { return Some(None) };
    counted(context, &format!("`{name}`"), value, Dimension::Cycles, "25 cycles", range).map(Some)
}

/// A whole number of a unit.
fn counted(
    context: &mut Context,
    what: &str,
    value: &Value,
    of: Dimension,
    example: &str,
    [least, most]: [u64; 2],
) -> Option<u32> {
    let (number, unit) = quantity(context, what, value, &[of], example)?;
    match number.times(unit.factor).and_then(|number| i64::try_from(number).ok()) {
        Some(number) => in_range(context, what, number, least as i64..=most as i64, value.span)
            .map(|number| number as u32),
        None => {
            context.error(wrong_kind(what, "a whole number", example, value.span));
            None
        }
    }
}

/// Whether routers have the virtual channels and the buffers that a model needs whatever the tables are.
fn fits(context: &mut Context, settings: &Settings<'_>, parameters: &Parameters, router: &Router) {
    let mut wrong = |name: &str, found: String, wanted: String, span: Span| {
        let what = format!("`{name}`");
        context.error(ResolveError::OutOfRange { what, wanted, help: None, span, found });
    };
    let (packet, buffer, vcs) = (parameters.packet, router.buffer_flits, router.vcs);
    if packet > buffer && parameters.model == Model::Packet {
        let wanted = format!("at most {buffer} flits, which are a buffer: whole packets wait in one");
        wrong("packet", format!("this is {packet}"), wanted, settings.place_of("packet"));
    }
    match parameters.lanes {
        Some(Lanes::General(general)) if general >= vcs => {
            let wanted = format!("below {vcs}: the tables need one of the {vcs} virtual channels at least");
            wrong("general", format!("this is {general}"), wanted, settings.place_of("model"));
        }
        Some(Lanes::Classes(classes)) if classes > vcs => {
            let wanted = format!("at most {vcs}, as many virtual channels as there are");
            wrong("classes", format!("this is {classes}"), wanted, settings.place_of("model"));
        }
        _ => {}
    }
}
