//! Resolves `simulate name { .. }`: the traffic on the finished tables, and the models of routers and hosts.

use super::context::{Context, claim_subject_name, unknown_choice};
use super::items::{SpecItems, keyword_span};
use super::many_paths;
use super::scope::{DeclaredLinks, Scope};
use super::settings::{
    BlockSettings, bare_name, block_settings, integer, need_name_and_block, one_of, one_of_or, optional,
};
use super::simulated_values::{
    MAX_WAIT, confidence, cycles, rates, refuse_settings, whole_count, word_value,
};
use super::source_control::OverloadSettings;
use super::traffic::{births, is_finite, refuse_endless_settings, traffic};
use crate::ResolveError;
use crate::syntax::Loader;
use crate::syntax::ast::{Block, SettingValue, Spec};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_base::units::Dimension;
use fabc_model::trace_input;
use fabc_model::{
    HalfRoutes, HostPorts, LaneChoice, PacketRouting, Router, RouterModel, RoutingSettings, Scenarios, Score,
    Simulation, SimulationParameters, TrafficDetails,
};
use std::collections::BTreeMap;

/// The largest packet, in flits.
const MAX_PACKET: u64 = 1 << 16;

/// The most seeds of a simulation.
const MAX_SEEDS: i64 = 1000;

/// The most replications of a search for saturation.
const MAX_REPLICATIONS: i64 = 1000;

/// Resolves all simulations, sorted by name. Returns `None` if an error was reported.
pub(super) fn simulations(
    context: &mut Context,
    items: &SpecItems<'_>,
    router: Option<&Router>,
    scope: &Scope<'_>,
) -> Option<Vec<Simulation>> {
    let mut simulations = Vec::new();
    let mut known_names: BTreeMap<String, Span> = BTreeMap::new();
    for (name, block, item) in &items.simulations {
        if !claim_subject_name(context, name, "simulate", "a simulation", &mut known_names) {
            continue;
        }
        let span = keyword_span(*item, "simulate").to(name.span);
        let title = format!("simulation `{}`", name.value);
        let settings = block_settings(context, block, title, span, BlockKind::Simulate);
        let mut simulation = simulation(context, name.value.to_string(), &settings, router, scope);
        if let Some(trace) =
            simulation.as_mut().and_then(|simulation| simulation.parameters.details.trace.as_mut())
        {
            trace.name = trace_input(&name.value);
        }
        simulations.push(simulation);
    }
    simulations.into_iter().collect()
}

/// Resolves the simulation that some settings describe without a name, such as those of a command line. Its
/// files come from `loader`. Such settings know no constants.
///
/// # Errors
/// Every error of the settings, in source order.
pub fn simulation_of_settings(
    block: &Block,
    router: &Router,
    loader: &dyn Loader,
) -> Result<Simulation, Vec<ResolveError>> {
    let mut context = Context::of_spec(&Spec { files: Vec::new(), given: Vec::new() });
    let links = DeclaredLinks { names: Vec::new(), types: Vec::new() };
    let scope = Scope { head: block.span, clock: None, links: &links, spec_path: "", loader };
    let settings =
        block_settings(&mut context, block, "the simulation".to_owned(), block.span, BlockKind::Simulate);
    let simulation = simulation(&mut context, String::new(), &settings, Some(router), &scope);
    let errors = context.into_errors();
    match simulation {
        Some(simulation) if errors.is_empty() => Ok(simulation),
        _ => Err(errors),
    }
}

/// Resolves one simulation. Returns `None` if an error was reported.
fn simulation(
    context: &mut Context,
    name: String,
    settings: &BlockSettings<'_>,
    router: Option<&Router>,
    scope: &Scope<'_>,
) -> Option<Simulation> {
    let misplaced =
        settings.get("traffic").is_some_and(is_finite) && refuse_endless_settings(context, settings);
    let parameters = parameters(context, settings, scope).filter(|_| !misplaced);
    if let (Some(parameters), Some(router)) = (&parameters, router) {
        check_router(context, settings, parameters, router);
    }
    let rates = settings.get("rates").map(|value| rates(context, value));
    let seeds =
        settings.get("seeds").map_or(Some(1), |value| integer(context, "`seeds`", value, 1..=MAX_SEEDS));
    let scenarios = one_of_or(context, settings, "scenarios", Scenarios::Nominal);
    let (parameters, rates, seeds, scenarios) = (parameters?, optional(rates)?, seeds? as u16, scenarios?);
    Some(Simulation { name, parameters, rates, seeds, scenarios, span: settings.head() })
}

/// Resolves the model and the traffic.
fn parameters(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    scope: &Scope<'_>,
) -> Option<SimulationParameters> {
    let default = SimulationParameters::default();
    let model = match settings.get("model") {
        Some(value) => model(context, value, default.clone()),
        None => Some(default.clone()),
    };
    let (traffic, details) = match settings.get("traffic") {
        Some(value) => traffic(context, value, scope)
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
        Some(value) => whole_count(context, "`packet`", value, Dimension::Flits, "6 flits", 1..=MAX_PACKET),
        None => Some(default.packet),
    };
    let injection = cycles(context, settings, "injection", 0..=MAX_WAIT)
        .map(|cycles| cycles.unwrap_or(default.injection));
    let [warmup, measure] = [("warmup", 0), ("measure", 1)]
        .map(|(name, minimum)| cycles(context, settings, name, minimum..=SIMULATED_CYCLES - 1));
    let seed = match settings.get("seed") {
        Some(value) => integer(context, "`seed`", value, 0..=i64::MAX).map(|seed| seed as u64),
        None => Some(default.seed),
    };
    let replications = match settings.get("replications") {
        Some(value) => integer(context, "`replications`", value, 2..=MAX_REPLICATIONS)
            .map(|replications| replications as u16),
        None => Some(default.replications),
    };
    let overload = OverloadSettings::resolve(context, settings);
    let confidence = match settings.get("confidence") {
        Some(value) => confidence(context, value),
        None => Some(default.confidence),
    };
    let (warmup, measure) = (warmup?, measure?);
    if u64::from(warmup.unwrap_or(0)) + u64::from(measure.unwrap_or(0)) > SIMULATED_CYCLES {
        let (subject, wanted) =
            ("`warmup` and `measure`".to_owned(), format!("at most {SIMULATED_CYCLES} cycles together"));
        let span = settings.span_or_head("measure");
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span,
            note: "these are more".to_owned(),
        });
        return None;
    }
    let (traffic, choosing, packet, injection, seed) = (traffic?, choosing?, packet?, injection?, seed?);
    let details = TrafficDetails { bursts: births?, ..details };
    let (model, overload) = (model?, overload?);
    overload.fits_model(context, settings, &model)?;
    Some(SimulationParameters {
        traffic,
        details,
        choosing,
        packet,
        injection,
        warmup,
        measure,
        replications: replications?,
        confidence: confidence?,
        seed,
        control: overload.control,
        overload: overload.multiples,
        ..model
    })
}

/// Resolves a routing such as `min` or `ugal { samples = 4; }`.
fn choosing(context: &mut Context, value: &SettingValue) -> Option<RoutingSettings> {
    let (name, block) = need_name_and_block(context, "`routing`", value, "min")?;
    let routing: PacketRouting = word_value(context, "`routing`", &name)?;
    let choosing = RoutingSettings { routing: Some(routing), ..RoutingSettings::default() };
    let Some(block) = block else { return Some(choosing) };
    if routing == PacketRouting::Ecmp {
        let flows = Some(many_paths::simulated_flows(context, &name, block)?);
        return Some(RoutingSettings { flows, ..choosing });
    }
    let adaptive = matches!(routing, PacketRouting::Ugal | PacketRouting::UgalGlobal);
    if !adaptive && routing != PacketRouting::Valiant {
        refuse_settings(context, &name);
        return None;
    }
    let title = format!("`{}`", name.value);
    let settings = block_settings(context, block, title.clone(), name.span, BlockKind::Ways);
    for setting in ["samples", "bias", "rule"] {
        if let Some(span) = settings.span(setting).filter(|_| !adaptive) {
            let help = Some("it belongs to `ugal` and `ugal_global`".to_owned());
            context.error(ResolveError::Misplaced {
                subject: format!("`{setting}`"),
                place: title.clone(),
                help,
                span,
            });
        }
    }
    let shortest = settings.get("shortest").map(|value| one_of::<HalfRoutes>(context, "`shortest`", value));
    let score = settings.get("rule").map(|value| one_of::<Score>(context, "`rule`", value));
    let samples = settings.get("samples").map(|value| integer(context, "`samples`", value, 1..=1024));
    let range = 0..=MAX_WAIT;
    let bias = settings
        .get("bias")
        .map(|value| whole_count(context, "`bias`", value, Dimension::Flits, "30 flits", range));
    Some(RoutingSettings {
        shortest: optional(shortest)?,
        score: optional(score)?,
        samples: optional(samples)?.map(|samples| samples as u16),
        bias: optional(bias)?,
        ..choosing
    })
}

/// Resolves `packet` or `flit`, alone or with settings.
fn model(
    context: &mut Context,
    value: &SettingValue,
    default: SimulationParameters,
) -> Option<SimulationParameters> {
    let (name, block) = need_name_and_block(context, "`model`", value, "packet { general = 2; }")?;
    let model = word_value(context, "`model`", &name)?;
    let Some(block) = block else { return Some(SimulationParameters { model, ..default }) };
    let place = if model == RouterModel::Flit { BlockKind::FlitModel } else { BlockKind::PacketModel };
    let settings = block_settings(context, block, format!("`{}`", name.value), name.span, place);
    let vcs = |context: &mut Context, name: &str, minimum: i64| match settings.get(name) {
        Some(value) => integer(context, &format!("`{name}`"), value, minimum..=64).map(|vcs| Some(vcs as u8)),
        None => Some(None),
    };
    let (general, classes) = (vcs(context, "general", 0), vcs(context, "classes", 1));
    if let (Some(_), Some(span)) = (settings.get("general"), settings.span("classes")) {
        let (subject, place) = ("`classes`".to_owned(), "a model with `general`".to_owned());
        let help = Some("`general` adds virtual channels, and `classes` multiplies those of the tables: remove one of them".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span });
        return None;
    }
    let arbitration = settings.get("arbitration").map(|value| one_of(context, "`arbitration`", value));
    let credits = settings.get("credits").map(|value| one_of(context, "`credits`", value));
    let hosts = match settings.get("hosts") {
        Some(value) => hosts(context, value).map(Some),
        None => Some(None),
    };
    let turn = cycles(context, &settings, "turn", 0..=MAX_WAIT);
    let stages = cycles(context, &settings, "stages", 0..=MAX_WAIT);
    let speedup = settings.get("speedup").map(|value| integer(context, "`speedup`", value, 1..=64));
    let window = settings.get("window").map(|value| integer(context, "`window`", value, 1..=1 << 20));
    Some(SimulationParameters {
        model,
        lanes: general?.map(LaneChoice::General).or(classes?.map(LaneChoice::Classes)),
        arbitration: optional(arbitration)?,
        credits: optional(credits)?,
        hosts: hosts?,
        turn: turn?,
        stages: stages?.unwrap_or(default.stages),
        speedup: optional(speedup)?.map(|speedup| speedup as u32),
        window: optional(window)?.map(|window| window as u32),
        ..default
    })
}

/// Reads `unlimited`, or a number of ports.
fn hosts(context: &mut Context, value: &SettingValue) -> Option<HostPorts> {
    const UNLIMITED: &str = "unlimited";
    let known = |name: &str| context.constants.names().any(|known| known == name);
    match bare_name(value) {
        Some(name) if &*name.value == UNLIMITED => Some(HostPorts::Unlimited),
        Some(name) if !known(&name.value) => {
            context.error(unknown_choice("`hosts`", &name, &[UNLIMITED], None));
            None
        }
        _ => integer(context, "`hosts`", value, 1..=1024).map(|ports| HostPorts::Ports(ports as u16)),
    }
}

/// Checks that routers have the virtual channels and buffers that a model needs, whatever the tables are.
fn check_router(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    parameters: &SimulationParameters,
    router: &Router,
) {
    let mut report = |name: &str, note: String, wanted: String, span: Span| {
        let subject = format!("`{name}`");
        context.error(ResolveError::OutOfRange { subject, wanted, help: None, span, note });
    };
    let (packet, buffer, vcs) = (parameters.packet, router.buffer_flits, router.vcs);
    if packet > buffer && parameters.model == RouterModel::Packet {
        let wanted =
            format!("at most {buffer} flits, the size of a buffer, since a buffer holds whole packets");
        report("packet", format!("this is {packet}"), wanted, settings.span_or_head("packet"));
    }
    match parameters.lanes {
        Some(LaneChoice::General(general)) if general >= vcs => {
            let wanted =
                format!("below {vcs}, since the tables need at least one of the {vcs} virtual channels");
            report("general", format!("this is {general}"), wanted, settings.span_or_head("model"));
        }
        Some(LaneChoice::Classes(classes)) if classes > vcs => {
            let wanted = format!("at most {vcs}, the number of virtual channels");
            report("classes", format!("this is {classes}"), wanted, settings.span_or_head("model"));
        }
        _ => {}
    }
}
