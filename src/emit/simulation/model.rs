//! Writes what was simulated, as JSON with every default and in words: traffic, path selection and model.

use super::super::json::{push, quote};
use super::super::number::fixed;
use super::overload::{control_in_words, push_control, push_overload_setting};
use fabc_ir::gigabytes;
use fabc_model::Fabric;
use fabc_sim::{HostPorts, LinkPace, PathSelection, RouterModel, Setting, SimReport, TrafficDetails, Ugal};

/// Writes the model with every default.
pub(super) fn push_model(out: &mut String, fabric: &Fabric, setting: &Setting) {
    let Setting {
        model,
        traffic,
        details,
        selection,
        packet,
        injection,
        turn,
        speedup,
        stages,
        general,
        classes,
        table_vcs,
        arbitration,
        credits,
        hosts,
        window,
        control: _,
        overload: _,
        overload_cycles: _,
        has_ack_flits: _,
        warmup: _,
        measure: _,
        detects_steady_state: _,
        coarse: _,
        trial: _,
        replications: _,
        confidence: _,
        seed,
        router,
        least_router: _,
        paces: _,
        host_cycles: _,
        busiest_cycles: _,
        flit_bps,
        buffer,
    } = setting;
    let hosts = match hosts {
        HostPorts::Unlimited => "\"unlimited\"".to_owned(),
        HostPorts::Ports(ports) => ports.to_string(),
    };
    // Settings that only one of the models has are written only for that model.
    let turn = match model {
        RouterModel::Packet => format!(",\"turn_cycles\":{turn}"),
        RouterModel::Flit => format!(",\"stage_cycles\":{stages}"),
    };
    let first = arbitration.name();
    push(out, format_args!("{{\"name\":\"{}\",\"traffic\":\"{}\"", model.name(), traffic.name()));
    push(out, format_args!(",\"traffic_seed\":{seed},\"packet_flits\":{packet}"));
    push_details(out, details);
    push_selection(out, *selection);
    push(
        out,
        format_args!(
            ",\"injection_cycles\":{injection}{turn},\"speedup\":{speedup},\"general_vcs\":{general}"
        ),
    );
    let vcs = if selection.routing().counts_hops() { "hop_vcs" } else { "table_vcs" };
    push(
        out,
        format_args!(",\"{vcs}\":{table_vcs},\"vcs_per_table_vc\":{classes},\"arbitration\":\"{first}\""),
    );
    push(
        out,
        format_args!(",\"credits\":\"{}\",\"host_ports\":{hosts},\"router_cycles\":{router}", credits.name()),
    );
    push_kinds(out, setting);
    if let Some(window) = window {
        push(out, format_args!(",\"window_packets\":{window}"));
    }
    push_control(out, setting);
    push(out, format_args!(",\"buffer_flits\":{buffer},\"flit_bytes\":{}", fabric.router.flit_bytes));
    push(out, format_args!(",\"channel_gbs\":{}", fixed(gigabytes(*flit_bps), 3)));
    push_cycles(out, setting);
    out.push('}');
}

/// Writes the cycles of all runs, and the search for saturation. Nothing for traffic that ends.
fn push_cycles(out: &mut String, setting: &Setting) {
    let Setting { warmup, measure, detects_steady_state, coarse, trial, replications, confidence, .. } =
        setting;
    if setting.traffic.is_finite() {
        return;
    }
    push(out, format_args!(",\"warmup_cycles\":{warmup},\"measure_cycles\":{measure}"));
    push(out, format_args!(",\"detects_steady_state\":{detects_steady_state}"));
    if coarse != trial {
        push(out, format_args!(",\"coarse_cycles\":[{},{}]", coarse.warmup, coarse.measure));
    }
    push(
        out,
        format_args!(
            ",\"trial_cycles\":[{},{}],\"replications\":{replications},\"confidence\":{confidence}",
            trial.warmup, trial.measure
        ),
    );
    push_overload_setting(out, setting);
}

/// Writes in what routers and links differ. Nothing where they are alike.
fn push_kinds(out: &mut String, setting: &Setting) {
    let Setting { router, least_router, paces, host_cycles, busiest_cycles, .. } = setting;
    if least_router < router {
        push(out, format_args!(",\"least_router_cycles\":{least_router}"));
    }
    if !paces.is_empty() {
        let pace = |LinkPace { name, cycles }: &LinkPace| format!("{}:{cycles}", quote(name));
        let paces = paces.iter().map(pace).collect::<Vec<_>>().join(",");
        push(out, format_args!(",\"packet_cycles\":{{{paces}}},\"host_packet_cycles\":{host_cycles}"));
        push(out, format_args!(",\"busiest_packet_cycles\":{busiest_cycles}"));
    }
}

/// Writes the settings that this traffic has.
fn push_details(out: &mut String, details: &TrafficDetails) {
    let TrafficDetails { by, share, spots, bursts, bytes, order, trace } = details;
    if let Some((bytes, order)) = bytes.zip(*order) {
        push(out, format_args!(",\"bytes\":{bytes},\"order\":\"{}\"", order.name()));
    }
    if let Some(trace) = trace {
        push(out, format_args!(",\"trace\":{}", quote(&trace.name)));
    }
    if let Some(by) = by {
        push(out, format_args!(",\"by\":{by}"));
    }
    if let Some(share) = share {
        let spots: Vec<String> = spots.iter().map(|spot| quote(spot)).collect();
        push(out, format_args!(",\"share\":{share},\"hotspot\":[{}]", spots.join(",")));
    }
    if let Some(bursts) = bursts {
        push(out, format_args!(",\"burst_cycles\":{},\"burst_rate\":{}", bursts.length, bursts.rate));
    }
}

/// Writes how packets choose their paths.
fn push_selection(out: &mut String, selection: PathSelection) {
    push(out, format_args!(",\"routing\":\"{}\"", selection.routing().name()));
    if let Some(shortest) = selection.shortest() {
        push(out, format_args!(",\"shortest\":\"{}\"", shortest.name()));
    }
    if let PathSelection::Ecmp { flows } = selection {
        push(out, format_args!(",\"flows\":{flows}"));
    }
    if let PathSelection::Ugal(Ugal { samples, bias, score, .. }) = selection {
        push(out, format_args!(",\"samples\":{samples},\"bias_flits\":{bias},\"rule\":\"{}\"", score.name()));
    }
}

/// Traffic and path selection, each in a few words.
pub(crate) fn setting_in_words(setting: &Setting) -> [String; 2] {
    let TrafficDetails { by, share, spots, bursts, bytes, order, trace } = &setting.details;
    let by = by.map(|by| format!("by {by}"));
    let hot = share.map(|share| format!("share {share} to {}", spots.join(" ")));
    let bursts = bursts.map(|bursts| format!("in bursts of {} cycles at {}", bursts.length, bursts.rate));
    let bytes = bytes.zip(*order).map(|(bytes, order)| format!("of {bytes} B, order {},", order.name()));
    let trace = trace.as_ref().map(|trace| trace.name.clone());
    let words = [Some(setting.traffic.name().to_owned()), by, hot, bursts, bytes, trace];
    let selection = setting.selection;
    let over = match selection {
        PathSelection::Tables | PathSelection::Shortest(_) | PathSelection::Spray => None,
        PathSelection::Ecmp { flows } => Some(format!("of {flows} flows")),
        PathSelection::Valiant(shortest) => Some(format!("over {}", shortest.name())),
        PathSelection::Ugal(Ugal { shortest, samples, bias, score, .. }) => {
            Some(format!("over {}, samples {samples}, bias {bias}, rule {}", shortest.name(), score.name()))
        }
    };
    let routing_words = [Some(selection.routing().name().to_owned()), over];
    [
        words.into_iter().flatten().collect::<Vec<_>>().join(" "),
        routing_words.into_iter().flatten().collect::<Vec<_>>().join(" "),
    ]
}

/// The model in one sentence.
pub(crate) fn model_sentence(setting: &Setting) -> String {
    let vcs = match (setting.general, setting.classes) {
        _ if setting.selection.routing().counts_hops() => {
            format!("{} virtual channels, by hop", setting.table_vcs)
        }
        (0, 1) => format!("{} virtual channels of the tables", setting.table_vcs),
        (0, classes) => {
            format!("{classes} virtual channels for each of the {} of the tables", setting.table_vcs)
        }
        (general, _) => format!("{general} general virtual channels and {} of the tables", setting.table_vcs),
    };
    let hosts = match setting.hosts {
        HostPorts::Unlimited => "hosts without limit".to_owned(),
        HostPorts::Ports(1) if setting.has_unlike_links() => "a port each way and host".to_owned(),
        HostPorts::Ports(ports) if setting.has_unlike_links() => format!("{ports} ports each way and host"),
        HostPorts::Ports(1) => "a port of one flit per cycle each way and host".to_owned(),
        HostPorts::Ports(ports) => format!("{ports} ports of one flit per cycle each way and host"),
    };
    let window = match setting.window {
        Some(1) => ", a packet of each under way at most".to_owned(),
        Some(window) => format!(", {window} packets of each under way at most"),
        None => String::new(),
    };
    let credits = match setting.credits.name() {
        "instant" => "at once",
        _ => "after the link",
    };
    let routers = match setting.least_router < setting.router {
        true => format!("{} to {}", setting.least_router, setting.router),
        false => setting.router.to_string(),
    };
    let Setting { packet, buffer, turn, injection, speedup, stages, .. } = setting;
    let (flow, at_the_turn) = match setting.model {
        RouterModel::Packet => {
            let first = match setting.arbitration.name() {
                "age" => "oldest first",
                _ => "queues in turn",
            };
            let faster =
                if *speedup > 1 { format!(", {speedup} x as fast as channels") } else { String::new() };
            (
                format!("virtual cut-through of packets of {packet} flits, {first}"),
                format!("{faster}, {turn} for the next of a queue"),
            )
        }
        RouterModel::Flit => {
            let rounds = if *speedup == 1 { "one round".to_owned() } else { format!("{speedup} rounds") };
            let first = match setting.arbitration.name() {
                "age" => "oldest packet first",
                _ => "in turn",
            };
            (
                format!(
                    "wormholes of packets of {packet} flits, separable allocator, {first}, {rounds} of the switch per cycle"
                ),
                if *stages > 0 { format!(" behind {stages} of their input stages") } else { String::new() },
            )
        }
    };
    format!(
        "{flow}; {vcs}, {buffer} flits each; routers of {routers} cycles{at_the_turn}, {injection} at the source; credits {credits}; {hosts}{window}{}{}",
        unlike_links(setting),
        setting.control.as_ref().map_or_else(String::new, control_in_words),
    )
}

/// What a packet takes over links that differ in bandwidth. Empty where they are alike.
fn unlike_links(setting: &Setting) -> String {
    let cycles = setting.paces.iter().map(|pace| format!("{} over `{}`", pace.cycles, pace.name));
    let cycles = cycles.collect::<Vec<_>>().join(", ");
    let through = match setting.hosts {
        HostPorts::Ports(_) => format!(", {} through a port of a host", setting.host_cycles),
        HostPorts::Unlimited => String::new(),
    };
    if setting.has_unlike_links() {
        format!("; cycles of a packet: {cycles}{through}")
    } else {
        String::new()
    }
}

/// The unit that rates refer to.
pub(crate) fn rate_unit(fabric: &Fabric, report: &SimReport) -> &'static str {
    match (fabric.pod().is_some(), fabric.router.hosts) {
        _ if fabric.boxes().is_some() => "GPU",
        (true, _) => "chip",
        (false, 0) if report.load.senders > 0 => "router",
        _ => "host",
    }
}
