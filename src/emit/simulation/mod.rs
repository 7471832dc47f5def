//! What `fabc sim` prints: a table for people, `fabc.simulation/1`, CSV, and a picture.

mod picture;
mod text;

pub use picture::simulation_svg;
pub use text::simulation_text;

use super::json::{push, push_lines, push_numbers, quote};
use super::number::{fixed, ratio, round_down_sig};
use crate::ids::{ChannelId, Id};
use crate::ir::{Fraction, Topology, gigabytes};
use crate::model::Fabric;
use crate::sim::{Delays, Hosts, Model, Point, Rate, Saturation, Setting, SimReport, VcUse};

/// Decimals of utilizations.
const SHARE: u32 = 4;

/// `fabc.simulation/1`.
pub fn simulation_json(fabric: &Fabric, topology: &Topology, reports: &[SimReport]) -> String {
    let mut out = format!("{{\"format\":\"fabc.simulation/1\",\"fabric\":{},\n\"scenarios\":", quote(&fabric.name));
    push_lines(&mut out, reports, |out, report| {
        let SimReport { scenario, setting, load, saturations, points, .. } = report;
        push(out, format_args!("{{\"scenario\":{},\n\"model\":", quote(scenario)));
        push_model(out, fabric, setting);
        push(
            out,
            format_args!(
                ",\n\"senders\":{},\"bound\":{},\"mean_hops\":{},\"mean_cycles\":{},\"most_cycles\":{},\n\"saturation\":",
                load.senders,
                bound(load.bound),
                ratio(load.hops),
                ratio(load.mean_cycles),
                load.most_cycles
            ),
        );
        push_lines(out, saturations, |out, found| push_saturation(out, report, found));
        out.push_str(",\n\"points\":");
        push_lines(out, points, |out, point| push_point(out, topology, report, point));
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// The model with every default spelled out.
fn push_model(out: &mut String, fabric: &Fabric, setting: &Setting) {
    let Setting {
        model,
        traffic,
        packet,
        injection,
        turn,
        general,
        classes,
        table_vcs,
        arbitration,
        credits,
        hosts,
        warmup,
        measure,
        seed,
        router,
        buffer,
    } = setting;
    let hosts = match hosts {
        Hosts::Unlimited => "\"unlimited\"".to_owned(),
        Hosts::Ports(ports) => ports.to_string(),
    };
    // What only one of the models has stands where it works.
    let (turn, order) = match model {
        Model::Packet => (format!(",\"turn_cycles\":{turn}"), format!("\"arbitration\":\"{}\"", arbitration.name())),
        Model::Flit { speedup } => (String::new(), format!("\"speedup\":{speedup}")),
    };
    let (model, traffic) = (model.name(), traffic.name());
    push(out, format_args!("{{\"name\":\"{model}\",\"traffic\":\"{traffic}\",\"traffic_seed\":{seed},\"packet_flits\":{packet}"));
    push(out, format_args!(",\"injection_cycles\":{injection}{turn},\"general_vcs\":{general}"));
    push(out, format_args!(",\"table_vcs\":{table_vcs},\"vcs_per_table_vc\":{classes},{order}"));
    push(out, format_args!(",\"credits\":\"{}\",\"host_ports\":{hosts},\"router_cycles\":{router}", credits.name()));
    push(out, format_args!(",\"buffer_flits\":{buffer},\"flit_bytes\":{}", fabric.router.flit_bytes));
    push(out, format_args!(",\"channel_gbs\":{}", channel_gbs(fabric)));
    push(out, format_args!(",\"warmup_cycles\":{warmup},\"measure_cycles\":{measure}}}"));
}

/// The bracket of one seed; `null` at an end that was not found.
fn push_saturation(out: &mut String, report: &SimReport, found: &Saturation) {
    let Saturation { seed, stable, unstable, runs, beyond } = found;
    let end = |rate: &Option<Rate>| rate.map_or_else(|| "null".to_owned(), |rate| rate.to_string());
    let accepted = ratio(beyond.accepted(&report.setting, report.load.senders));
    push(out, format_args!("{{\"seed\":{seed},\"stable\":{},\"unstable\":{}", end(stable), end(unstable)));
    push(out, format_args!(",\"share\":{},\"runs\":{runs}", fixed(share_of_bound(report, found), SHARE)));
    push(out, format_args!(",\"beyond\":{{\"rate\":{},\"accepted\":{accepted}}}}}", beyond.rate));
}

/// The lower end of a bracket over the static bound.
fn share_of_bound(report: &SimReport, found: &Saturation) -> Fraction {
    found.at_least().fraction().over(report.load.bound)
}

fn push_point(out: &mut String, topology: &Topology, report: &SimReport, point: &Point) {
    let (setting, senders) = (&report.setting, report.load.senders);
    let Point { rate, seed, born, delivered, cycles, unfinished, inside_at, in_flight, .. } = point;
    push(out, format_args!("{{\"rate\":{rate},\"seed\":{seed},\"offered\":{}", ratio(point.offered(setting, senders))));
    push(out, format_args!(",\"accepted\":{}", ratio(point.accepted(setting, senders))));
    push(out, format_args!(",\"accepted_second_half\":{},\"stable\":{}", ratio(point.accepted_late(setting, senders)), point.is_stable()));
    push(out, format_args!(",\"born\":{born},\"delivered\":{delivered},\"unfinished\":{unfinished},\"latency\":"));
    match &point.delays {
        Some(delays) => push_delays(out, delays),
        None => out.push_str("null"),
    }
    push(out, format_args!(",\"inside\":[{},{},{}]", inside_at[0], inside_at[1], inside_at[2]));
    push(out, format_args!(",\"inside_mean\":{}", ratio(Fraction::new(point.inside_sum, setting.measure))));
    for (word, (endpoint, packets)) in [("worst", point.worst_source), ("best", point.best_source)] {
        let flits = Fraction::new(u64::from(packets) * u64::from(setting.packet), setting.measure);
        let name = quote(&topology.name(report.sources[endpoint as usize]));
        push(out, format_args!(",\"{word}_source\":{{\"router\":{name},\"endpoint\":{endpoint},\"accepted\":{}}}", ratio(flits)));
    }
    let (channel, busy) = point.busiest;
    let name = topology.channel_name(ChannelId(channel));
    push(out, format_args!(",\"busiest\":{{\"channel\":{},\"utilization\":{}}}", quote(&name), share(busy.into(), setting.measure.into())));
    push(out, format_args!(",\"general_share\":{},\"vcs\":[", share(point.general_hops, point.hops)));
    for (vc, used) in point.vcs.iter().enumerate() {
        out.push_str(if vc > 0 { "," } else { "" });
        push_vc(out, setting, point, used);
    }
    out.push_str("],\"utilization\":");
    push_numbers(out, by_class(report, point));
    push(out, format_args!(",\"cycles\":{cycles},\"in_flight\":{in_flight}}}"));
}

fn push_delays(out: &mut String, delays: &Delays) {
    let Delays { packets, median, p99, most, waited, hops, .. } = *delays;
    let mean = |sum: u64| ratio(Fraction::new(sum, packets));
    push(out, format_args!("{{\"packets\":{packets},\"mean\":{},\"median\":{median},\"p99\":{p99},\"max\":{most}", ratio(delays.mean())));
    push(out, format_args!(",\"mean_source_wait\":{},\"mean_hops\":{}}}", mean(waited), mean(hops)));
}

fn push_vc(out: &mut String, setting: &Setting, point: &Point, used: &VcUse) {
    let VcUse { hops, flit_cycles, p99, full_cycles, queue_cycles } = *used;
    let mean = fixed(Fraction::new(flit_cycles, queue_cycles.max(1)), SHARE);
    let full = share(full_cycles, queue_cycles);
    debug_assert!(p99 <= u64::from(setting.buffer));
    push(
        out,
        format_args!("{{\"hop_share\":{},\"mean_flits\":{mean},\"p99_flits\":{p99},\"full_share\":{full}}}", share(hops, point.hops)),
    );
}

/// Mean utilization of every class of lit channels that the symmetry of the tables joins, by class.
fn by_class(report: &SimReport, point: &Point) -> Vec<String> {
    let count = report.classes.iter().flatten().map(|class| class.index() + 1).max().unwrap_or(0);
    let mut sums = vec![(0u64, 0u64); count];
    for (class, &busy) in report.classes.iter().zip(&point.busy) {
        if let Some(class) = class {
            let sum = &mut sums[class.index()];
            *sum = (sum.0 + u64::from(busy), sum.1 + 1);
        }
    }
    let lit = sums.into_iter().filter(|(_, channels)| *channels > 0);
    lit.map(|(busy, channels)| share(busy, channels * u64::from(report.setting.measure))).collect()
}

fn share(part: u64, whole: u64) -> String {
    fixed(Fraction::new(part, whole.max(1)), SHARE)
}

/// A static bound: nobody may read more into it than there is.
fn bound(value: Fraction) -> String {
    round_down_sig(value, 6)
}

/// Of one direction of a link.
fn channel_gbs(fabric: &Fabric) -> String {
    fixed(gigabytes(fabric.capacities.unit_bps()), 3)
}

/// A row per run; where only saturation was asked for, a row per search.
pub fn simulation_csv(topology: &Topology, reports: &[SimReport]) -> String {
    if reports.iter().all(|report| report.points.is_empty()) {
        return saturation_csv(reports);
    }
    let mut out = String::from(
        "scenario,rate,seed,offered,accepted,accepted_second_half,stable,mean,median,p99,max,mean_source_wait,mean_hops,born,delivered,\
         unfinished,inside_start,inside_middle,inside_end,worst_source,best_source,busiest,utilization,general_share,\
         model\n",
    );
    for report in reports {
        let (setting, senders) = (&report.setting, report.load.senders);
        for point in &report.points {
            let source = |packets: u32| ratio(Fraction::new(u64::from(packets) * u64::from(setting.packet), setting.measure));
            let (busiest, busy) = point.busiest;
            let mut cells = vec![
                report.scenario.clone(),
                point.rate.to_string(),
                point.seed.to_string(),
                ratio(point.offered(setting, senders)),
                ratio(point.accepted(setting, senders)),
                ratio(point.accepted_late(setting, senders)),
                point.is_stable().to_string(),
            ];
            match &point.delays {
                Some(Delays { packets, median, p99, most, waited, hops, sum }) => {
                    let mean = |sum: u64| ratio(Fraction::new(sum, *packets));
                    cells.extend([mean(*sum), median.to_string(), p99.to_string(), most.to_string(), mean(*waited), mean(*hops)]);
                }
                None => cells.extend([""; 6].map(str::to_owned)),
            }
            cells.extend([point.born, point.delivered, point.unfinished].map(|count| count.to_string()));
            cells.extend(point.inside_at.map(|count| count.to_string()));
            cells.extend([source(point.worst_source.1), source(point.best_source.1), topology.channel_name(ChannelId(busiest))]);
            cells.extend([
                share(busy.into(), setting.measure.into()),
                share(point.general_hops, point.hops),
                setting.model.name().to_owned(),
            ]);
            let cells: Vec<String> = cells.iter().map(|cell| cell_of(cell)).collect();
            push(&mut out, format_args!("{}\n", cells.join(",")));
        }
    }
    out
}

fn saturation_csv(reports: &[SimReport]) -> String {
    let mut out = String::from("scenario,seed,bound,stable,unstable,share,beyond_rate,beyond_accepted,model\n");
    for (report, found) in reports.iter().flat_map(|report| report.saturations.iter().map(move |found| (report, found))) {
        let end = |rate: &Option<Rate>| rate.map_or_else(String::new, |rate| rate.to_string());
        let (scenario, bound) = (cell_of(&report.scenario), bound(report.load.bound));
        let (stable, unstable) = (end(&found.stable), end(&found.unstable));
        let share = fixed(share_of_bound(report, found), SHARE);
        let accepted = ratio(found.beyond.accepted(&report.setting, report.load.senders));
        let (seed, beyond, model) = (found.seed, found.beyond.rate, report.setting.model.name());
        push(&mut out, format_args!("{scenario},{seed},{bound},{stable},{unstable},{share},{beyond},{accepted},{model}\n"));
    }
    out
}

/// A cell of CSV: names of routers have commas in them.
fn cell_of(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// What the model is, in a sentence.
fn sentence(setting: &Setting) -> String {
    let vcs = match (setting.general, setting.classes) {
        (0, 1) => format!("{} virtual channels of the tables", setting.table_vcs),
        (0, classes) => format!("{classes} virtual channels for each of the {} of the tables", setting.table_vcs),
        (general, _) => format!("{general} general virtual channels and {} of the tables", setting.table_vcs),
    };
    let hosts = match setting.hosts {
        Hosts::Unlimited => "hosts without limit".to_owned(),
        Hosts::Ports(1) => "a port of one flit per cycle each way and host".to_owned(),
        Hosts::Ports(ports) => format!("{ports} ports of one flit per cycle each way and host"),
    };
    let credits = match setting.credits.name() {
        "instant" => "at once",
        _ => "after the link",
    };
    let Setting { packet, buffer, router, turn, injection, .. } = setting;
    let (flow, at_the_turn) = match setting.model {
        Model::Packet => {
            let first = match setting.arbitration.name() {
                "age" => "oldest first",
                _ => "queues in turn",
            };
            (format!("virtual cut-through of packets of {packet} flits, {first}"), format!(" {turn} for the next of a queue,"))
        }
        Model::Flit { speedup } => {
            let rounds = if speedup == 1 { "one round".to_owned() } else { format!("{speedup} rounds") };
            (format!("wormholes of packets of {packet} flits, separable allocator, {rounds} of the switch per cycle"), String::new())
        }
    };
    format!(
        "{flow}; {vcs}, {buffer} flits each; routers of {router} cycles,{at_the_turn} {injection} at the source; credits {credits}; {hosts}"
    )
}
