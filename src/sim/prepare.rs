//! Everything that all runs of one fabric share: parameters with their defaults, tables, loads.

use super::choice::{Choice, choice, shortest_by_default};
use super::completion::Volume;
use super::endpoints::Endpoints;
use super::errors::SimError;
use super::layout::Layout;
use super::load::{StaticLoad, Ways, Why, load};
use super::routes::Routes;
use super::routing::PathSelection;
use super::setting::Setting;
use super::traffic::{DetailedTraffic, Expected, Messages, Offer, Pattern, ends_of_line};
use crate::rate::rate_of_share;
use fabc_base::ids::{LinkTypeId, NodeId};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{ForwardingTables, Fraction, Scene, Topology, link_cycles, router_names};
use fabc_model::{
    Arbitration, Bursts, Credits, Details, Fabric, Hosts, Lanes, Model, Order, Parameters, Rate, Routing,
    Simulation, Traffic,
};

/// A link and its router take at most so many cycles: the wheel of events is as long.
const LATENCY: u32 = 1 << 20;

/// Fewest cycles that are counted by default, and before that.
const CYCLES: u64 = 8000;

/// How many mean zero-load latencies a run lasts by default. Large fabrics drift for longer.
const LATENCIES: u64 = 40;
const LATENCIES_OF_LARGE: u64 = 100;

/// Routers of a large fabric.
const LARGE: usize = 256;

/// A fabric, its tables and a traffic, ready to run.
pub struct Prepared<'a> {
    pub(super) topology: &'a Topology,
    pub(super) scenario: String,
    pub(super) setting: Setting,
    pub(super) layout: Layout,
    pub(super) routes: Routes,
    /// Where ways are chosen, and not looked up.
    pub(super) choice: Option<Choice>,
    pub(super) endpoints: Endpoints,
    pub(super) offer: Offer,
    pub(super) load: StaticLoad,
    /// Of traffic that ends: what it sends.
    pub(super) volume: Option<Volume>,
}

impl<'a> Prepared<'a> {
    /// Whose tables they are: `nominal`, or what is dark.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }
    /// What they lead over.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }
    /// The parameters with every default worked out.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
    /// What the traffic puts on the channels.
    pub fn load(&self) -> &StaticLoad {
        &self.load
    }
    /// How many send and receive.
    pub fn endpoint_count(&self) -> u32 {
        self.endpoints.count()
    }
    /// Numbers of channels.
    pub fn channel_count(&self) -> u32 {
        self.layout.channels as u32
    }
    /// What traffic that ends sends; nothing of other traffic.
    pub fn volume(&self) -> Option<Volume> {
        self.volume
    }
    /// The error of a setting that this traffic does not have.
    pub(super) fn has_no(&self, setting: &'static str) -> SimError {
        misplaced(self.setting.traffic, setting)
    }
    /// What an endpoint can offer.
    pub(super) fn births(&self) -> BirthLimit {
        BirthLimit {
            packet: self.setting.packet,
            ports: self.setting.ports(),
            bursts: self.setting.details.bursts,
        }
    }
}

/// What limits the rate of an endpoint.
pub(super) struct BirthLimit {
    /// Flits of a packet.
    packet: u32,
    /// Ports of a host; `None` where hosts are not limited.
    ports: Option<u32>,
    bursts: Option<Bursts>,
}

impl BirthLimit {
    /// Highest rate that the births of packets can offer: one packet per cycle and port, and in bursts no
    /// more than these offer with a single cycle between them.
    pub(super) fn highest_rate(&self) -> Fraction {
        let ports = Fraction::whole(u64::from(self.packet) * u64::from(self.ports.unwrap_or(1)));
        let in_bursts = |bursts: Bursts| {
            Fraction::from(bursts.rate).times(Fraction::new(bursts.length, u64::from(bursts.length) + 1))
        };
        self.bursts.map_or(ports, |bursts| in_bursts(bursts).min(ports))
    }
    /// Whether a rate can be offered.
    ///
    /// # Errors
    /// What it is too high for.
    pub(super) fn check(&self, rate: Rate) -> Result<(), SimError> {
        let most = self.highest_rate();
        if Fraction::from(rate) <= most {
            return Ok(());
        }
        let rate = rate.to_string();
        Err(match self.bursts {
            Some(Bursts { length, rate: burst }) => SimError::Bursts {
                rate,
                length,
                burst: burst.to_string(),
                most: rate_of_share(Fraction::whole(1u8), most).to_string(),
            },
            None => SimError::RateTooHigh { rate, packet: self.packet, most: most.floor().to_string() },
        })
    }
}

/// Works out parameters, and walks every route that the traffic takes.
///
/// # Errors
/// What the model cannot do with this fabric, or a route that does not arrive.
pub fn prepare<'a>(
    fabric: &Fabric,
    scene: &Scene<'a>,
    tables: &ForwardingTables,
    parameters: &Parameters,
) -> Result<Prepared<'a>, SimError> {
    let topology = scene.topology;
    let router = &fabric.router;
    links(fabric, scene)?;
    let selection = path_selection(fabric, parameters)?;
    let ((general, classes), table_vcs) = match selection {
        PathSelection::Tables => (lanes(fabric, tables.vcs, parameters.lanes)?, tables.vcs),
        // Hop k on virtual channel k.
        _ => ((0, 1), router.vcs),
    };
    let (credits, hosts) = by_model(fabric, parameters)?;
    let flit = parameters.model == Model::Flit;
    let mut setting = Setting {
        model: parameters.model,
        traffic: parameters.traffic,
        details: details(parameters)?,
        selection,
        packet: parameters.packet,
        injection: parameters.injection,
        turn: parameters.turn,
        speedup: parameters.speedup.unwrap_or(if flit { FLIT_SPEEDUP } else { 1 }),
        general,
        classes,
        table_vcs,
        arbitration: parameters.arbitration.unwrap_or(if flit {
            Arbitration::Rotate
        } else {
            Arbitration::Age
        }),
        credits,
        hosts,
        window: parameters.window,
        warmup: 0,
        measure: 0,
        seed: parameters.seed,
        router: router.latency_cycles,
        buffer: router.buffer_flits,
    };
    let endpoints = Endpoints::of(scene);
    let offer = match setting.traffic.is_finite() {
        true => Offer::Messages(Messages::of(&setting, scene, &endpoints, fabric.router.flit_bytes.into())?),
        false => {
            let traffic =
                DetailedTraffic { traffic: setting.traffic, details: &setting.details, seed: setting.seed };
            Offer::Rates(Pattern::of_traffic(traffic, fabric, scene, &endpoints)?)
        }
    };
    let ports = setting.ports();
    let ports_at = |router: usize| {
        ports.map(|ports| (endpoints.at(router).start * ports, endpoints.at(router).len() as u32 * ports))
    };
    let layout = Layout::new(fabric, scene, &setting, &ports_at);
    let routes = Routes::of(tables, topology);
    let choice = choice(&setting, fabric, scene, &layout, &endpoints, &routes)?;
    let ways = Ways {
        setting: &setting,
        layout: &layout,
        routes: &routes,
        endpoints: &endpoints,
        choice: choice.as_ref(),
    };
    let expected = match &offer {
        Offer::Rates(pattern) => Expected::of(pattern, &endpoints),
        Offer::Messages(messages) => messages.expected(&setting, &endpoints),
    };
    let load = load(&ways, &expected).map_err(|astray| {
        let name = |router: u32| topology.name(NodeId(router));
        let why = match astray.why {
            Why::NoEntry(at) => format!("{} has no entry for them", name(at)),
            Why::Dark(at) => format!("{} sends them where no lit link is", name(at)),
            Why::Loop => "they go round for ever".to_owned(),
            Why::Apart => "no way leads there".to_owned(),
        };
        SimError::Astray {
            scenario: tables.scenario.clone(),
            src: name(astray.from),
            dst: name(astray.to),
            why,
        }
    })?;
    let (mut load, mut volume) = (load, None);
    if let Offer::Messages(messages) = &offer {
        let least_cycles = messages.least_cycles(&setting, &load);
        load.bound = Fraction::new(1u8, least_cycles);
        volume = Some(Volume {
            messages: messages.list.len() as u64,
            packets: messages.packets(),
            bytes: messages.bytes,
            least_cycles,
        });
        if least_cycles > SIMULATED_CYCLES {
            return Err(SimError::Endless { cycles: least_cycles, most: SIMULATED_CYCLES });
        }
        if choice.is_some() && setting.hosts == Hosts::Unlimited {
            return Err(SimError::LimitlessMessages);
        }
        return Ok(Prepared {
            topology,
            scenario: tables.scenario.clone(),
            setting,
            layout,
            routes,
            choice,
            endpoints,
            offer,
            load,
            volume,
        });
    }
    let latencies = if layout.routers >= LARGE { LATENCIES_OF_LARGE } else { LATENCIES };
    let cycles =
        load.mean_cycles.times(Fraction::whole(latencies)).ceil().max(CYCLES.into()).next_multiple_of(1000);
    let counted = |asked: Option<u32>| asked.map_or(cycles, u128::from);
    let (warmup, measure) = (counted(parameters.warmup), counted(parameters.measure));
    if warmup + measure > SIMULATED_CYCLES.into() {
        return Err(SimError::TooManyCycles {
            warmup: warmup as u64,
            measure: measure as u64,
            most: SIMULATED_CYCLES,
        });
    }
    (setting.warmup, setting.measure) = (warmup as u32, measure as u32);
    Ok(Prepared {
        topology,
        scenario: tables.scenario.clone(),
        setting,
        layout,
        routes,
        choice,
        endpoints,
        offer,
        load,
        volume,
    })
}

/// Whether endpoints can offer the rates that a simulation names, before anything is routed.
///
/// # Errors
/// [`SimError::RateTooHigh`], [`SimError::Bursts`], or what the model cannot do with the router.
pub fn has_births(fabric: &Fabric, simulation: &Simulation) -> Result<(), SimError> {
    let parameters = &simulation.parameters;
    let (_, hosts) = by_model(fabric, parameters)?;
    let ports = if let Hosts::Ports(ports) = hosts { Some(ports.into()) } else { None };
    let births = BirthLimit { packet: parameters.packet, ports, bursts: details(parameters)?.bursts };
    simulation.rates.iter().flatten().try_for_each(|&rate| births.check(rate))
}

/// Whether a fabric can have the traffic of a simulation, before it is routed. `topology` is `None` where it
/// is not known yet.
///
/// # Errors
/// [`SimError::NoTraffic`] where it never can.
pub fn has_traffic(
    fabric: &Fabric,
    topology: Option<&Topology>,
    parameters: &Parameters,
) -> Result<(), SimError> {
    if parameters.traffic.is_finite() {
        let Some(trace) = &parameters.details.trace else { return Ok(()) };
        let (names, endpoints) = (router_names(fabric), Endpoints::declared(fabric));
        return trace
            .lines
            .iter()
            .try_for_each(|line| ends_of_line(trace, line, &names, &endpoints).map(|_| ()));
    }
    let details = details(parameters)?;
    Pattern::check_feasible(
        DetailedTraffic { traffic: parameters.traffic, details: &details, seed: parameters.seed },
        fabric,
        topology,
    )
}

/// Refuses packets that choose their ways where routers have fewer virtual channels than the farthest of them
/// are apart: such packets take another one for every hop.
///
/// # Errors
/// [`SimError::TooFewVcs`]; the ways of some families are even longer.
pub fn has_vcs(fabric: &Fabric, diameter: u32, parameters: &Parameters) -> Result<(), SimError> {
    let router = &fabric.router;
    match parameters.choosing.routing {
        Some(routing)
            if routing != Routing::Tables && fabric.pod().is_none() && diameter > u32::from(router.vcs) =>
        {
            let needed = u8::try_from(diameter).unwrap_or(u8::MAX);
            Err(SimError::TooFewVcs { routing: routing.name(), needed, has: router.vcs, span: router.span })
        }
        _ => Ok(()),
    }
}

/// Rounds of the switch in a cycle of the flit model, where nothing is said.
const FLIT_SPEEDUP: u32 = 2;

/// What depends on the model: when room is known again, and the ports of hosts.
fn by_model(fabric: &Fabric, parameters: &Parameters) -> Result<(Credits, Hosts), SimError> {
    let router = &fabric.router;
    let (credits, of_a_chip) = match parameters.model {
        Model::Packet if parameters.packet > router.buffer_flits => {
            return Err(SimError::PacketTooLong {
                packet: parameters.packet,
                buffer: router.buffer_flits,
                span: router.span,
            });
        }
        Model::Packet => (Credits::AtOnce, Hosts::Unlimited),
        Model::Flit if parameters.hosts == Some(Hosts::Unlimited) => return Err(SimError::UnlimitedHosts),
        Model::Flit if parameters.choosing.routing.is_some_and(|routing| routing != Routing::Tables) => {
            return Err(SimError::OtherModel { option: "routing", of: Model::Packet.name() });
        }
        Model::Flit if router.latency_cycles == 0 => {
            return Err(SimError::TimelessRouter { router: fabric.plant.router_word(), span: router.span });
        }
        Model::Flit => (Credits::Link, Hosts::Ports(2)),
    };
    let hosts = if fabric.pod().is_some() { of_a_chip } else { Hosts::Ports(1) };
    Ok((parameters.credits.unwrap_or(credits), parameters.hosts.unwrap_or(hosts)))
}

/// Whether all links in use carry alike, and take a time that can be simulated.
fn links(fabric: &Fabric, scene: &Scene<'_>) -> Result<(), SimError> {
    let mut used: Vec<LinkTypeId> =
        scene.links().map(|link| scene.topology.links()[link].link_type).collect();
    used.sort_unstable();
    used.dedup();
    let types: Vec<_> = used.iter().map(|&link_type| &fabric.link_types[link_type]).collect();
    let most = LATENCY.saturating_sub(fabric.router.latency_cycles);
    for id in scene.links() {
        let (cycles, link) = (
            link_cycles(fabric, scene.topology, id),
            &fabric.link_types[scene.topology.links()[id].link_type],
        );
        if cycles == 0 || cycles > most {
            return Err(SimError::Latency { name: link.name.clone(), cycles, most, span: link.span });
        }
    }
    match types.windows(2).find(|pair| pair[0].bandwidth_bps != pair[1].bandwidth_bps) {
        Some(pair) => Err(SimError::UnlikeLinks {
            name: pair[1].name.clone(),
            other: pair[0].name.clone(),
            span: pair[1].span,
        }),
        None => Ok(()),
    }
}

/// How packets find their ways.
fn path_selection(fabric: &Fabric, parameters: &Parameters) -> Result<PathSelection, SimError> {
    let choosing = parameters.choosing;
    let about = || format!("`{}` routing", choosing.routing.map_or("tables", |routing| routing.name()));
    let belongs = |setting: &str| match setting {
        "shortest" => "it belongs to `routing = valiant`, `ugal` or `ugal_global`",
        "general" | "classes" => {
            "it is about the virtual channels of tables; where ways are chosen, hops are numbered by them"
        }
        _ => "it belongs to `routing = ugal` or `ugal_global`",
    };
    let misplaced =
        |setting: &'static str| SimError::Misplaced { setting, about: about(), belongs: belongs(setting) };
    let selection = PathSelection::resolve(choosing, shortest_by_default(fabric)).map_err(misplaced)?;
    match (selection, parameters.lanes) {
        (PathSelection::Tables, _) | (_, None) => Ok(selection),
        (_, Some(Lanes::General(_))) => Err(misplaced("general")),
        (_, Some(Lanes::Classes(_))) => Err(misplaced("classes")),
    }
}

/// The part of the packets that goes to spots, where nothing is said: a fifth.
const SHARE: u64 = 200_000;

/// What the traffic is told, with its defaults.
fn details(parameters: &Parameters) -> Result<Details, SimError> {
    let traffic = parameters.traffic;
    let Details { by, share, spots, bursts, bytes, order, trace } = &parameters.details;
    let is = |of: Traffic| traffic == of;
    let goes_on = !traffic.is_finite();
    for (setting, given, belongs) in [
        ("hotspot", !spots.is_empty(), is(Traffic::Hotspot)),
        ("share", share.is_some(), is(Traffic::Hotspot)),
        ("by", by.is_some(), is(Traffic::GroupShift)),
        ("bytes", bytes.is_some(), is(Traffic::AllToAll)),
        ("order", order.is_some(), is(Traffic::AllToAll)),
        ("trace", trace.is_some(), is(Traffic::Trace)),
        ("bursts", bursts.is_some(), goes_on),
        ("warmup", parameters.warmup.is_some(), goes_on),
        ("measure", parameters.measure.is_some(), goes_on),
    ] {
        if given && !belongs {
            return Err(misplaced(traffic, setting));
        }
    }
    Ok(Details {
        by: is(Traffic::GroupShift).then(|| by.unwrap_or(1)),
        share: is(Traffic::Hotspot).then(|| share.unwrap_or(Rate::millionths(SHARE))),
        order: is(Traffic::AllToAll).then(|| order.unwrap_or(Order::Shift)),
        ..parameters.details.clone()
    })
}

/// The error of a setting that a traffic does not have.
fn misplaced(traffic: Traffic, setting: &'static str) -> SimError {
    let belongs = match setting {
        "hotspot" | "share" => "it belongs to `traffic = hotspot`",
        "by" => "it belongs to `traffic = group_shift`",
        "bytes" | "order" => "it belongs to `traffic = all_to_all`",
        "trace" => "a trace is a traffic of its own: write `traffic = trace \"FILE\"`",
        "an end" => "it belongs to `traffic = all_to_all` and `traffic = trace`",
        _ => "this traffic ends: all of it is run, as fast as it goes, and counted",
    };
    SimError::Misplaced { setting, about: format!("{} traffic", traffic.name()), belongs }
}

/// General virtual channels, and those for each one of the tables.
fn lanes(fabric: &Fabric, table_vcs: u8, asked: Option<Lanes>) -> Result<(u8, u8), SimError> {
    let has = fabric.router.vcs;
    let (general, classes) = match asked {
        None => (has.saturating_sub(table_vcs), 1),
        Some(Lanes::General(general)) => (general, 1),
        Some(Lanes::Classes(classes)) => (0, classes),
    };
    let needed = u32::from(general) + u32::from(classes) * u32::from(table_vcs);
    if needed <= u32::from(has) {
        return Ok((general, classes));
    }
    let asked = match classes {
        1 => format!("{general} general virtual channels and the {table_vcs} of the tables"),
        _ => format!("{classes} virtual channels for each of the {table_vcs} of the tables"),
    };
    Err(SimError::TooManyVcs {
        asked,
        needed,
        router: fabric.plant.router_word(),
        has: has.into(),
        span: fabric.router.span,
    })
}
