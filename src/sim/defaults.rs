//! The defaults of the parameters of a simulation, and the checks of their values.

use super::choice::shortest_by_default;
use super::errors::SimError;
use super::links::PacketCycles;
use super::routing::PathSelection;
use super::setting::{RunCycles, Setting};
use fabc_ir::{ForwardingTables, Scene, Topology, link_cycles};
use fabc_model::{
    Arbitration, Credits, Ecmp, Fabric, HostPorts, LaneChoice, MemberWeights, MessageOrder, PacketRouting,
    Rate, RouterModel, RoutingSettings, SimulationParameters, Spreading, Traffic, TrafficDetails,
};

/// The most cycles of a link with its router. The wheel of events has this length.
const LATENCY: u32 = 1 << 20;

/// The setting of a simulation, with every default filled in. Its warm-up and measured cycles are still 0.
pub(super) fn setting(
    fabric: &Fabric,
    tables: &ForwardingTables,
    parameters: &SimulationParameters,
    pace: &PacketCycles,
) -> Result<Setting, SimError> {
    let router = &fabric.router;
    let latencies = fabric.router_latencies();
    let selection = path_selection(fabric, parameters)?;
    let ((general, classes), table_vcs) = match selection {
        PathSelection::Tables => (lanes(fabric, tables.vcs, parameters.lanes)?, tables.vcs),
        // Tiers need one virtual channel.
        PathSelection::Spray | PathSelection::Ecmp { .. } => (lanes(fabric, 1, parameters.lanes)?, 1),
        // Hop k uses virtual channel k.
        _ => ((0, 1), router.vcs),
    };
    let (credits, hosts) = by_model(fabric, parameters)?;
    let arbitration = match parameters.model {
        // Where a window keeps queues short, the oldest packet goes first, so that sources fare alike.
        RouterModel::Flit if parameters.control.is_none() => Arbitration::Rotate,
        RouterModel::Flit | RouterModel::Packet => Arbitration::Age,
    };
    let (speedup, turn) = switch(fabric.pod().is_some(), parameters.model);
    Ok(Setting {
        model: parameters.model,
        traffic: parameters.traffic,
        details: details(parameters)?,
        selection,
        packet: parameters.packet,
        injection: parameters.injection,
        turn: parameters.turn.unwrap_or(turn),
        speedup: parameters.speedup.unwrap_or(speedup),
        stages: parameters.stages,
        general,
        classes,
        table_vcs,
        arbitration: parameters.arbitration.unwrap_or(arbitration),
        credits,
        hosts,
        window: parameters.window,
        control: None,
        overload: parameters.overloads().to_vec(),
        overload_cycles: RunCycles { warmup: 0, measure: 0 },
        has_ack_flits: parameters.control.is_some_and(|control| control.ack.has_flits()),
        warmup: 0,
        measure: 0,
        detects_steady_state: false,
        coarse: RunCycles { warmup: 0, measure: 0 },
        trial: RunCycles { warmup: 0, measure: 0 },
        replications: parameters.replications,
        confidence: parameters.confidence,
        seed: parameters.seed,
        router: latencies.most,
        least_router: latencies.least,
        paces: pace.paces(fabric),
        host_cycles: pace.host,
        busiest_cycles: parameters.packet,
        flit_bps: pace.fastest_bps,
        buffer: router.buffer_flits,
    })
}

/// The default speed of a switch over that of its channels, and the default turn in cycles.
///
/// In the packet model, the router of a pod is that of CNSim: it has several queues at every port, and the
/// stages of its pipeline begin anew for every packet. A switch of a network often has one queue in use at a
/// port. At the speed of a channel, with such a pipeline, one flow would stop at L / (L + 2) of a link.
fn switch(is_pod: bool, model: RouterModel) -> (u32, u32) {
    match model {
        RouterModel::Packet if is_pod => (1, 2),
        RouterModel::Packet | RouterModel::Flit => (2, 0),
    }
}

/// The ports of an endpoint inside a router. The packet model does not limit them.
fn inner_ports(model: RouterModel) -> HostPorts {
    match model {
        RouterModel::Packet => HostPorts::Unlimited,
        RouterModel::Flit => HostPorts::Ports(2),
    }
}

/// The same parameters with the defaults of the chips of a pod. Third-party files may describe chips without
/// saying what pod they are in.
pub fn parameters_of_chips(parameters: SimulationParameters) -> SimulationParameters {
    let (speedup, turn) = switch(true, parameters.model);
    SimulationParameters {
        hosts: parameters.hosts.or(Some(inner_ports(parameters.model))),
        speedup: parameters.speedup.or(Some(speedup)),
        turn: parameters.turn.or(Some(turn)),
        ..parameters
    }
}

/// The settings that depend on the model: when room is known again, and the ports of hosts.
pub(super) fn by_model(
    fabric: &Fabric,
    parameters: &SimulationParameters,
) -> Result<(Credits, HostPorts), SimError> {
    let router = &fabric.router;
    let routing = packet_routing(fabric, parameters);
    if fabric.routing.has_many_paths() && routing == PacketRouting::Tables {
        let why = "routers have next-hop groups, and no table with one path per pair".to_owned();
        return Err(SimError::NoRouting { routing: routing.name(), why, span: fabric.routing_span });
    }
    if fabric.routing.weights() != MemberWeights::Equal && routing.has_groups() {
        let why = "packets in turn and hashes take all next hops of a group alike, but `weights = capacity` divides packets unequally".to_owned();
        return Err(SimError::NoRouting { routing: routing.name(), why, span: fabric.routing_span });
    }
    let is_finite = parameters.traffic.is_finite();
    if fabric.relays > 0 {
        // A relay sends what it hands on by the same links as its own packets.
        if is_finite {
            let why = "GPUs that hand packets on (`relay = gpu`) have no lines of messages".to_owned();
            return Err(SimError::NoTraffic { traffic: parameters.traffic.name(), why });
        }
        if matches!(parameters.hosts, Some(HostPorts::Ports(_))) {
            return Err(SimError::Misplaced {
                setting: "hosts",
                about: "GPUs that hand packets on (`relay = gpu`)".to_owned(),
                belongs: "such a GPU sends and receives by all of its links: remove `hosts`",
            });
        }
    }
    if fabric.boxes().is_some() && parameters.hosts.is_none() && is_finite {
        let help = "packets of boxes choose their next hops: give GPUs ports (`hosts = 1`)";
        return Err(SimError::LimitlessMessages { help });
    }
    let credits = match parameters.model {
        RouterModel::Packet if parameters.packet > router.buffer_flits => {
            return Err(SimError::PacketTooLong {
                packet: parameters.packet,
                buffer: router.buffer_flits,
                span: router.span,
            });
        }
        RouterModel::Packet => Credits::AtOnce,
        RouterModel::Flit if parameters.hosts == Some(HostPorts::Unlimited) => {
            return Err(SimError::UnlimitedHosts);
        }
        RouterModel::Flit if fabric.router_latencies().most == 0 => {
            return Err(SimError::TimelessRouter { router: fabric.plant.router_word(), span: router.span });
        }
        RouterModel::Flit => Credits::Link,
    };
    // GPUs send and receive by all of their links.
    let inside = fabric.pod().is_some() || fabric.boxes().is_some();
    let hosts = if inside { inner_ports(parameters.model) } else { HostPorts::Ports(1) };
    Ok((parameters.credits.unwrap_or(credits), parameters.hosts.unwrap_or(hosts)))
}

/// Checks that the model has routers and links such as those of the fabric. `topology` is `None` where it is
/// not known yet.
///
/// # Errors
/// [`SimError::RouterKinds`] or [`SimError::UnlikeLinks`] where it has none.
pub(super) fn packet_cycles(
    fabric: &Fabric,
    topology: Option<&Topology>,
    parameters: &SimulationParameters,
) -> Result<PacketCycles, SimError> {
    let latencies = fabric.router_latencies();
    let is_flit = parameters.model == RouterModel::Flit;
    let kinds = match fabric.boxes() {
        Some(_) if is_flit => Some("GPUs of boxes forward no packets"),
        None if is_flit && latencies.least < latencies.most => {
            Some("the kinds of routers differ in latency here")
        }
        _ => None,
    };
    if let Some(kinds) = kinds {
        return Err(SimError::RouterKinds {
            setting: "the flit model",
            kinds,
            help: "choose `model = packet`, which knows every router by its own latency",
            span: fabric.topology_span(),
        });
    }
    let routing = packet_routing(fabric, parameters);
    if fabric.boxes().is_some() && routing.counts_hops() {
        return Err(SimError::RouterKinds {
            setting: "a choice among shortest ways",
            kinds: "GPUs of boxes forward no packets",
            help: "let packets follow the tables: remove `routing` from the simulation",
            span: fabric.topology_span(),
        });
    }
    PacketCycles::new(fabric, topology, parameters, routing)
}

/// Checks that all links take a time that can be simulated.
pub(super) fn check_latencies(fabric: &Fabric, scene: &Scene<'_>) -> Result<(), SimError> {
    let max_latency = LATENCY.saturating_sub(fabric.router_latencies().most);
    for id in scene.links() {
        let (cycles, link) = (
            link_cycles(fabric, scene.topology, id),
            &fabric.link_types[scene.topology.links()[id].link_type],
        );
        if cycles == 0 || cycles > max_latency {
            return Err(SimError::Latency {
                name: link.name.clone(),
                cycles,
                most: max_latency,
                span: link.span,
            });
        }
    }
    Ok(())
}

/// The routing of a simulation. Without the setting, packets choose among next hops as the fabric does.
fn packet_routing(fabric: &Fabric, parameters: &SimulationParameters) -> PacketRouting {
    let own = match fabric.routing.spreading() {
        Some(Spreading::Spray) => PacketRouting::Spray,
        Some(Spreading::Ecmp(_)) => PacketRouting::Ecmp,
        None => PacketRouting::Tables,
    };
    parameters.choosing.routing.unwrap_or(own)
}

/// Decides how packets find their paths.
fn path_selection(fabric: &Fabric, parameters: &SimulationParameters) -> Result<PathSelection, SimError> {
    let routing = packet_routing(fabric, parameters);
    let choosing = RoutingSettings { routing: Some(routing), ..parameters.choosing };
    let about = || format!("`{}` routing", routing.name());
    let belongs = |setting: &str| match setting {
        "shortest" => "it belongs to `routing = valiant`, `ugal` or `ugal_global`",
        "flows" => "it belongs to `routing = ecmp`",
        "general" | "classes" => {
            "it sets the virtual channels of the tables, but this routing uses one virtual channel per hop"
        }
        _ => "it belongs to `routing = ugal` or `ugal_global`",
    };
    let misplaced =
        |setting: &'static str| SimError::Misplaced { setting, about: about(), belongs: belongs(setting) };
    let ecmp = fabric.routing.ecmp().unwrap_or(Ecmp::DEFAULT);
    let selection = PathSelection::resolve(choosing, shortest_by_default(fabric), ecmp).map_err(misplaced)?;
    match (selection, parameters.lanes) {
        _ if !selection.routing().counts_hops() => Ok(selection),
        (_, None) => Ok(selection),
        (_, Some(LaneChoice::General(_))) => Err(misplaced("general")),
        (_, Some(LaneChoice::Classes(_))) => Err(misplaced("classes")),
    }
}

/// The default part of the packets that goes to hot spots: a fifth.
const SHARE: u64 = 200_000;

/// The details of the traffic, with their defaults.
pub(super) fn details(parameters: &SimulationParameters) -> Result<TrafficDetails, SimError> {
    let traffic = parameters.traffic;
    let TrafficDetails { by, share, spots, bursts, bytes, order, trace } = &parameters.details;
    let is = |other: Traffic| traffic == other;
    let is_endless = !traffic.is_finite();
    for (setting, given, belongs) in [
        ("hotspot", !spots.is_empty(), is(Traffic::Hotspot)),
        ("share", share.is_some(), is(Traffic::Hotspot)),
        ("by", by.is_some(), is(Traffic::GroupShift)),
        ("bytes", bytes.is_some(), is(Traffic::AllToAll)),
        ("order", order.is_some(), is(Traffic::AllToAll)),
        ("trace", trace.is_some(), is(Traffic::Trace)),
        ("bursts", bursts.is_some(), is_endless),
        ("control", parameters.control.is_some(), is_endless),
        ("overload", parameters.overload.is_some(), is_endless),
        ("warmup", parameters.warmup.is_some(), is_endless),
        ("measure", parameters.measure.is_some(), is_endless),
    ] {
        if given && !belongs {
            return Err(misplaced(traffic, setting));
        }
    }
    Ok(TrafficDetails {
        by: is(Traffic::GroupShift).then(|| by.unwrap_or(1)),
        share: is(Traffic::Hotspot).then(|| share.unwrap_or(Rate::millionths(SHARE))),
        order: is(Traffic::AllToAll).then(|| order.unwrap_or(MessageOrder::Shift)),
        ..parameters.details.clone()
    })
}

/// The error for a setting that a traffic does not have.
pub(super) fn misplaced(traffic: Traffic, setting: &'static str) -> SimError {
    let belongs = match setting {
        "hotspot" | "share" => "it belongs to `traffic = hotspot`",
        "by" => "it belongs to `traffic = group_shift`",
        "bytes" | "order" => "it belongs to `traffic = all_to_all`",
        "trace" => "a trace is one of the traffics: write `traffic = trace \"FILE\"`",
        "an end" => "it belongs to `traffic = all_to_all` and `traffic = trace`",
        _ => "this traffic is finite: all of it runs as fast as possible and is counted",
    };
    SimError::Misplaced { setting, about: format!("{} traffic", traffic.name()), belongs }
}

/// The number of general virtual channels, and of those for each one of the tables.
fn lanes(fabric: &Fabric, table_vcs: u8, wanted: Option<LaneChoice>) -> Result<(u8, u8), SimError> {
    let has = fabric.router.vcs;
    let (general, classes) = match wanted {
        None => (has.saturating_sub(table_vcs), 1),
        Some(LaneChoice::General(general)) => (general, 1),
        Some(LaneChoice::Classes(classes)) => (0, classes),
    };
    let needed = u32::from(general) + u32::from(classes) * u32::from(table_vcs);
    if needed <= u32::from(has) {
        return Ok((general, classes));
    }
    let wanted_text = match classes {
        1 => format!("{general} general virtual channels and the {table_vcs} of the tables"),
        _ => format!("{classes} virtual channels for each of the {table_vcs} of the tables"),
    };
    Err(SimError::TooManyVcs {
        asked: wanted_text,
        needed,
        router: fabric.plant.router_word(),
        has: has.into(),
        span: fabric.router.span,
    })
}
