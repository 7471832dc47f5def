//! Everything that all runs of one fabric share: the setting, the tables, and the static loads.

use super::choice::{PathChoice, choice};
use super::completion::Volume;
use super::control::{check_control, source_control};
use super::defaults::{by_model, check_latencies, details, misplaced, packet_cycles, setting};
use super::elsewhere::HotEndpoints;
use super::endpoints::EndpointMap;
use super::errors::SimError;
use super::layout::NetworkLayout;
use super::load::{Astray, AstrayReason, LoadInputs, StaticLoad, load, walk_back};
use super::routes::TableRoutes;
use super::setting::{RunCycles, Setting};
use super::statistics::MOST_GROUPS;
use super::tables::SimulatedTables;
use super::traffic::{
    DetailedTraffic, EndpointMessage, ExpectedTraffic, MessageList, OfferedTraffic, Pattern, ends_of_line,
};
use crate::rate::rate_of_share;
use fabc_base::ids::NodeId;
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{Fraction, Scene, Topology, router_names};
use fabc_model::{Bursts, Fabric, HostPorts, Rate, RouterModel, Simulation, SimulationParameters};

/// The fewest measured cycles of a run by default, in packets that the busiest channel can move.
const PACKETS: u64 = 1500;

/// The same for the runs of a search, which must be longer to tell stable rates from others. Their warm-up is
/// a part of that: what still grows after it is allowed for. A coarse search with short runs comes first.
const PACKETS_OF_COARSE: u64 = 3000;
const PACKETS_OF_TRIAL: u64 = 12_000;

/// The fewest measured cycles by default, in mean zero-load latencies. Large fabrics drift for longer.
const LATENCIES: u64 = 40;
const LATENCIES_OF_LARGE: u64 = 100;

/// The number of routers from which on a fabric counts as large.
const LARGE: usize = 256;

/// A fabric with its tables and a traffic, ready to run.
pub struct Prepared<'a> {
    pub(super) topology: &'a Topology,
    pub(super) scenario: String,
    pub(super) setting: Setting,
    pub(super) layout: NetworkLayout,
    pub(super) routes: TableRoutes,
    /// How packets choose their paths. `None` where they follow the tables.
    pub(super) choice: Option<PathChoice>,
    pub(super) endpoints: EndpointMap,
    pub(super) offer: OfferedTraffic,
    /// The hot endpoints, if the traffic has any.
    pub(super) hot: Option<HotEndpoints>,
    pub(super) load: StaticLoad,
    /// What the traffic sends in all, if it ends.
    pub(super) volume: Option<Volume>,
}

impl<'a> Prepared<'a> {
    /// The scenario of the tables: `nominal`, or what is dark.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }
    /// The topology under the tables.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }
    /// The parameters with every default filled in.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
    /// The loads that the traffic puts on the channels.
    pub fn load(&self) -> &StaticLoad {
        &self.load
    }
    /// The number of endpoints, which send and receive.
    pub fn endpoint_count(&self) -> u32 {
        self.endpoints.count()
    }
    /// The number of channel ids. Not every id stands for a lit channel.
    pub fn channel_count(&self) -> u32 {
        self.layout.channels as u32
    }
    /// What traffic that ends sends in all. `None` for other traffic.
    pub fn volume(&self) -> Option<Volume> {
        self.volume
    }
    /// What an endpoint offers at a rate, in parts that are equal for endpoints that offer alike. `None` if
    /// it sends nothing.
    pub(super) fn parts_of(&self, endpoint: u32) -> Option<u64> {
        let OfferedTraffic::Rates(pattern) = &self.offer else { return None };
        let [parts, _] = pattern.sends(endpoint).then(|| pattern.share(endpoint))?;
        Some(parts)
    }
    /// The error for a setting that this traffic does not have.
    pub(super) fn has_no(&self, setting: &'static str) -> SimError {
        misplaced(self.setting.traffic, setting)
    }
    /// The limit on the rate of an endpoint.
    pub(super) fn births(&self) -> BirthLimit {
        BirthLimit {
            packet: self.setting.packet,
            ports: self.setting.ports(),
            bursts: self.setting.details.bursts,
        }
    }
}

/// The quantities that limit the rate of an endpoint.
pub(super) struct BirthLimit {
    /// The number of flits of a packet.
    packet: u32,
    /// The ports of a host. `None` where hosts are not limited.
    ports: Option<u32>,
    bursts: Option<Bursts>,
}

impl BirthLimit {
    /// The highest rate that births of packets can offer. This is one packet per cycle and port. Bursts offer
    /// no more than with a single cycle between them.
    pub(super) fn highest_rate(&self) -> Fraction {
        let ports = Fraction::integer(u64::from(self.packet) * u64::from(self.ports.unwrap_or(1)));
        let in_bursts = |bursts: Bursts| {
            Fraction::from(bursts.rate).times(Fraction::new(bursts.length, u64::from(bursts.length) + 1))
        };
        self.bursts.map_or(ports, |bursts| in_bursts(bursts).min(ports))
    }
    /// Checks that a rate can be offered.
    ///
    /// # Errors
    /// [`SimError::Bursts`] or [`SimError::RateTooHigh`] where it is too high.
    pub(super) fn check(&self, rate: Rate) -> Result<(), SimError> {
        let highest = self.highest_rate();
        if Fraction::from(rate) <= highest {
            return Ok(());
        }
        let rate = rate.to_string();
        Err(match self.bursts {
            Some(Bursts { length, rate: burst }) => SimError::Bursts {
                rate,
                length,
                burst: burst.to_string(),
                most: rate_of_share(Fraction::integer(1u8), highest).to_string(),
            },
            None => SimError::RateTooHigh { rate, packet: self.packet, most: highest.floor().to_string() },
        })
    }
}

/// Fills in the parameters, and walks every route that the traffic takes.
///
/// # Errors
/// The [`SimError`] of what the model cannot do with this fabric, or of a route that does not arrive.
pub fn prepare<'a, 't>(
    fabric: &Fabric,
    scene: &Scene<'a>,
    tables: impl Into<SimulatedTables<'t>>,
    parameters: &SimulationParameters,
) -> Result<Prepared<'a>, SimError> {
    let tables: SimulatedTables<'t> = tables.into();
    let (groups, tables) = (tables.groups(), tables.one_path());
    let pace = packet_cycles(fabric, Some(scene.topology), parameters)?;
    check_latencies(fabric, scene)?;
    let mut setting = setting(fabric, &tables, parameters, &pace)?;
    if let Some(control) = parameters.control {
        check_control(&setting, control)?;
    }
    let endpoints = EndpointMap::surviving(scene);
    let offer = offered_traffic(&setting, fabric, scene, &endpoints)?;
    let ports = setting.ports();
    let ports_at = |router: usize| {
        ports.map(|ports| {
            (endpoints.of_router(router).start * ports, endpoints.of_router(router).len() as u32 * ports)
        })
    };
    let layout = NetworkLayout::new(fabric, scene, &setting, &pace, &ports_at);
    let routes = TableRoutes::new(&tables, scene.topology);
    let choice = choice(&setting, fabric, scene, &layout, &endpoints, &routes, groups)?;
    let inputs = LoadInputs {
        setting: &setting,
        layout: &layout,
        routes: &routes,
        endpoints: &endpoints,
        choice: choice.as_ref(),
    };
    let expected = match &offer {
        OfferedTraffic::Rates(pattern) => ExpectedTraffic::of_pattern(pattern, &endpoints),
        OfferedTraffic::Messages(messages) => messages.expected(&setting, &endpoints),
    };
    let mut load =
        load(&inputs, &expected).map_err(|astray| astray_error(scene.topology, &tables.scenario, &astray))?;
    let control = parameters.control.map(|control| {
        walk_back(&inputs, &expected)
            .map_err(|astray| astray_error(scene.topology, &tables.scenario, &astray))?;
        source_control(&setting, &layout, &load, control)
    });
    let control = control.transpose()?;
    let volume = offer.messages().map(|messages| volume_of(messages, &inputs, &load)).transpose()?;
    setting.busiest_cycles = load.busiest_cycles(&layout).unwrap_or(setting.packet);
    setting.control = control;
    match &volume {
        Some(sent) => {
            if choice.is_some() && setting.hosts == HostPorts::Unlimited {
                let help = "give hosts ports (`hosts = 1`), or follow the tables (`routing = tables`)";
                return Err(SimError::LimitlessMessages { help });
            }
            load.bound = Fraction::new(1u8, sent.least_cycles);
        }
        None => set_cycles(&mut setting, parameters, layout.routers, &load)?,
    }
    let hot = HotEndpoints::of_setting(&setting, scene, &endpoints)?;
    Ok(Prepared {
        topology: scene.topology,
        scenario: tables.scenario.clone(),
        setting,
        layout,
        routes,
        choice,
        endpoints,
        offer,
        hot,
        load,
        volume,
    })
}

/// What the endpoints send, by the setting: packets at rates, or messages.
fn offered_traffic(
    setting: &Setting,
    fabric: &Fabric,
    scene: &Scene<'_>,
    endpoints: &EndpointMap,
) -> Result<OfferedTraffic, SimError> {
    if setting.traffic.is_finite() {
        let flit_bytes = fabric.router.flit_bytes.into();
        return Ok(OfferedTraffic::Messages(MessageList::new(setting, scene, endpoints, flit_bytes)?));
    }
    let traffic = DetailedTraffic { traffic: setting.traffic, details: &setting.details, seed: setting.seed };
    Ok(OfferedTraffic::Rates(Pattern::of_traffic(traffic, fabric, scene, endpoints)?))
}

/// The error of a route that does not arrive.
fn astray_error(topology: &Topology, scenario: &str, astray: &Astray) -> SimError {
    let name = |router: u32| topology.name(NodeId(router));
    let why = match astray.why {
        AstrayReason::NoEntry(router) => format!("{} has no entry for them", name(router)),
        AstrayReason::Dark(router) => format!("{} sends them to a port without a lit link", name(router)),
        AstrayReason::Loop => "they loop forever".to_owned(),
        AstrayReason::Apart => "no path leads there".to_owned(),
    };
    let scenario = scenario.to_owned();
    SimError::Astray { scenario, src: name(astray.from), dst: name(astray.to), why }
}

/// Everything that the messages send, with a lower bound on the cycles of a run.
fn volume_of(messages: &MessageList, inputs: &LoadInputs<'_>, load: &StaticLoad) -> Result<Volume, SimError> {
    let &LoadInputs { setting, layout, routes, endpoints, choice } = inputs;
    let route_cycles = |message: &EndpointMessage| match (choice, message.exit) {
        (Some(_), _) => 0,
        (None, Some(exit)) => setting.ejection() + layout.hop_cycles(exit.channel),
        (None, None) => {
            let ends = [message.from, message.to].map(|endpoint| endpoints.router[endpoint as usize]);
            setting.ejection() + routes.cycles(layout, ends)
        }
    };
    let least_cycles = messages.least_cycles(setting, load, route_cycles);
    if least_cycles > SIMULATED_CYCLES {
        return Err(SimError::Endless { cycles: least_cycles, most: SIMULATED_CYCLES });
    }
    let packets = messages.packets();
    let count = messages.list.iter().filter(|message| message.packets > 0).count() as u64;
    Ok(Volume { messages: count, packets, bytes: messages.bytes, least_cycles })
}

/// Sets the cycles of the warm-up and the measured cycles. By default they follow from the length of packets
/// and the zero-load latency.
fn set_cycles(
    setting: &mut Setting,
    parameters: &SimulationParameters,
    routers: usize,
    load: &StaticLoad,
) -> Result<(), SimError> {
    let latencies = if routers >= LARGE { LATENCIES_OF_LARGE } else { LATENCIES };
    let latencies = load.mean_cycles.times(Fraction::integer(latencies)).ceil();
    let default = |packets: u64| {
        let moved = u128::from(packets) * u128::from(setting.busiest_cycles);
        latencies.max(moved).next_multiple_of(1000)
    };
    let run = default(PACKETS);
    let or = |cycles_of_spec: Option<u32>, default: u128| cycles_of_spec.map_or(default, u128::from);
    let measure = or(parameters.measure, run);
    let longest = measure.div_ceil(GROUPS_OF_MEASURE.into()) * u128::from(MOST_GROUPS);
    let searched = |packets: u64, part: u128| {
        let measure = or(parameters.measure, default(packets));
        (or(parameters.warmup, measure / part), measure)
    };
    let (coarse, trial) = match parameters.measure {
        None => (searched(PACKETS_OF_COARSE, 2), searched(PACKETS_OF_TRIAL, 3)),
        Some(_) => (searched(PACKETS_OF_TRIAL, 2), searched(PACKETS_OF_TRIAL, 2)),
    };
    let runs = [(or(parameters.warmup, longest), measure), coarse, trial];
    if let Some(&(warmup, measure)) =
        runs.iter().find(|(warmup, measure)| warmup + measure > SIMULATED_CYCLES.into())
    {
        let [warmup, measure] = [warmup, measure].map(|cycles| u64::try_from(cycles).unwrap_or(u64::MAX));
        return Err(SimError::TooManyCycles { warmup, measure, most: SIMULATED_CYCLES });
    }
    let overload = overload_cycles(setting, parameters);
    let [run, coarse, trial] =
        runs.map(|(warmup, measure)| RunCycles { warmup: warmup as u32, measure: measure as u32 });
    (setting.warmup, setting.measure) = (run.warmup, run.measure);
    (setting.coarse, setting.trial) = (coarse, trial);
    setting.overload_cycles = overload?;
    setting.detects_steady_state = parameters.warmup.is_none();
    Ok(())
}

/// The cycles of a run in overload, in packets that the busiest channel can move. What builds up in queues,
/// and which source fares worse, shows only after some ten thousand of them. The flit model takes longer.
const PACKETS_OF_OVERLOAD: RunCycles = RunCycles { warmup: 12_000, measure: 6_000 };

/// The cycles of a run in overload. The settings win over the default.
///
/// # Errors
/// [`SimError::TooManyCycles`].
fn overload_cycles(setting: &Setting, parameters: &SimulationParameters) -> Result<RunCycles, SimError> {
    let longer = if setting.model == RouterModel::Flit { 2 } else { 1 };
    let cycles = |given: Option<u32>, packets: u32| {
        let default = u64::from(packets) * u64::from(setting.busiest_cycles) * longer;
        given.map_or(default, u64::from)
    };
    let warmup = cycles(parameters.warmup, PACKETS_OF_OVERLOAD.warmup);
    let measure = cycles(parameters.measure, PACKETS_OF_OVERLOAD.measure);
    if setting.overload.is_empty() {
        return Ok(RunCycles { warmup: 0, measure: 0 });
    }
    if warmup + measure > SIMULATED_CYCLES {
        return Err(SimError::TooManyCycles { warmup, measure, most: SIMULATED_CYCLES });
    }
    Ok(RunCycles { warmup: warmup as u32, measure: measure as u32 })
}

/// The groups of cycles of a warm-up that are together as long as the measured cycles.
const GROUPS_OF_MEASURE: u32 = 16;

/// Checks that endpoints can offer the rates that a simulation names, before anything is routed.
///
/// # Errors
/// [`SimError::RateTooHigh`], [`SimError::Bursts`], or the error of a router that the model cannot handle.
pub fn has_births(fabric: &Fabric, simulation: &Simulation) -> Result<(), SimError> {
    let parameters = &simulation.parameters;
    let (_, hosts) = by_model(fabric, parameters)?;
    let ports = if let HostPorts::Ports(ports) = hosts { Some(ports.into()) } else { None };
    let births = BirthLimit { packet: parameters.packet, ports, bursts: details(parameters)?.bursts };
    simulation.rates.iter().flatten().try_for_each(|&rate| births.check(rate))
}

/// Checks that the model has routers and links such as those of a fabric, before it is routed. `topology` is
/// `None` where it is not known yet.
///
/// # Errors
/// [`SimError::RouterKinds`] or [`SimError::UnlikeLinks`] where it has none.
pub fn has_links(
    fabric: &Fabric,
    topology: Option<&Topology>,
    parameters: &SimulationParameters,
) -> Result<(), SimError> {
    packet_cycles(fabric, topology, parameters).map(|_| ())
}

/// Checks that a fabric can have the traffic of a simulation, before it is routed. `topology` is `None` where
/// it is not known yet.
///
/// # Errors
/// [`SimError::NoTraffic`] where it never can.
pub fn has_traffic(
    fabric: &Fabric,
    topology: Option<&Topology>,
    parameters: &SimulationParameters,
) -> Result<(), SimError> {
    if parameters.traffic.is_finite() {
        let Some(trace) = &parameters.details.trace else { return Ok(()) };
        let (names, endpoints) = (router_names(fabric), EndpointMap::declared(fabric));
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

/// Refuses packets that choose their paths if routers have fewer virtual channels than the diameter. Such
/// packets use another virtual channel for every hop.
///
/// # Errors
/// [`SimError::TooFewVcs`]. The paths of some families are even longer.
pub fn has_vcs(fabric: &Fabric, diameter: u32, parameters: &SimulationParameters) -> Result<(), SimError> {
    let router = &fabric.router;
    match parameters.choosing.routing {
        Some(routing)
            if routing.counts_hops() && fabric.pod().is_none() && diameter > u32::from(router.vcs) =>
        {
            let needed = u8::try_from(diameter).unwrap_or(u8::MAX);
            Err(SimError::TooFewVcs { routing: routing.name(), needed, has: router.vcs, span: router.span })
        }
        _ => Ok(()),
    }
}
