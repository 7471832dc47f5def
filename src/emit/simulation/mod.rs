//! Writes simulations: a table for people, `fabc.simulation/1`, CSV, and a picture.

mod accepted_curve;
mod chart;
mod comparison;
mod finished;
mod finite;
mod latency_curve;
mod model;
mod motion;
mod overload;
mod parts;
mod picture;
mod rates;
mod ratios;
mod summary;
mod tables;
mod text;
mod wrapped;

pub(super) use chart::SimulationChart;
pub use comparison::{ComparedScenario, comparison_csv, comparison_json, comparison_text};
pub use finished::{FinishedScenario, finished_csv, finished_json, finished_text};
pub(super) use model::{model_sentence, rate_unit, setting_in_words};
pub use motion::{MotionRow, motion_json, motion_text};
pub(super) use overload::overload_multiples;
pub use picture::simulation_svg;
pub(super) use picture::{accepted, latencies, utilization};
pub(super) use summary::{
    FiniteRow, finite_rows, highest_stable, nominal_and_slowest, nominal_and_worst, simulation_rows,
};
pub(super) use tables::{MeasuredCell, latency_rows, overload_rows};
pub use text::simulation_text;

use ratios::{SHARE, bound_text, csv_cell, share_of_bound, share_text};

use super::json::{push, push_lines, push_numbers, quote};
use super::number::{fixed, ratio};
use fabc_base::ids::ChannelId;
use fabc_ir::{Fraction, Topology};
use fabc_model::Fabric;
use fabc_sim::{Delays, Limit, Point, RateInterval, Replication, Saturation, SimReport};
use model::push_model;
use overload::{push_overloads, worst_overload_of};
use parts::{push_batches, push_delays, push_digests, push_vcs};

/// Decimals of flits per cycle on channels.
const FLOW: u32 = 6;

/// The path of a simulation's files, without the extension.
pub fn simulation_path(name: &str) -> String {
    format!("simulations/{name}")
}

/// The report as JSON (`fabc.simulation/1`).
pub fn simulation_json(
    fabric: &Fabric,
    topology: &Topology,
    name: Option<&str>,
    reports: &[SimReport],
) -> String {
    let mut out = format!("{{\"format\":\"fabc.simulation/1\",\"fabric\":{}", quote(&fabric.name));
    push(
        &mut out,
        format_args!(",\"simulation\":{},\n\"scenarios\":", name.map_or_else(|| "null".to_owned(), quote)),
    );
    push_lines(&mut out, reports, |out, report| {
        let SimReport { scenario, setting, load, saturations, points, .. } = report;
        push(out, format_args!("{{\"scenario\":{},\n\"model\":", quote(scenario)));
        push_model(out, fabric, setting);
        push(
            out,
            format_args!(
                ",\n\"senders\":{},\"mean_share\":{},\"bound\":{},\"bound_ratio\":[{},{}],\"bound_by\":\"{}\",\"mean_hops\":{},\
                 \"mean_cycles\":{},\"most_cycles\":{}",
                load.senders,
                ratio(load.share),
                bound_text(load.bound),
                load.bound.numerator(),
                load.bound.denominator(),
                limit_name(load.limit),
                ratio(load.hops),
                ratio(load.mean_cycles),
                load.most_cycles
            ),
        );
        let unit = load.unit.max(1);
        let loads = report
            .classes
            .iter()
            .map(|class| fixed(Fraction::new(class.load, u128::from(class.channels) * unit), FLOW));
        out.push_str(",\n\"load\":");
        push_numbers(out, loads);
        out.push_str(",\n\"saturation\":");
        push_lines(out, saturations, |out, saturation| push_saturation(out, topology, report, saturation));
        out.push_str(",\n\"points\":");
        push_lines(out, points, |out, point| push_point(out, topology, report, point));
        if let Some(volume) = &report.volume {
            finite::push_completions(out, fabric, topology, report, volume);
        }
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// Writes a bracket of a search. An end that was not found is `null`.
fn push_replication(out: &mut String, Replication { seed, stable, unstable, runs }: &Replication) {
    let [stable, unstable] =
        [stable, unstable].map(|end| end.map_or_else(|| "null".to_owned(), |rate| rate.to_string()));
    push(
        out,
        format_args!("{{\"seed\":{seed},\"stable\":{stable},\"unstable\":{unstable},\"runs\":{runs}}}"),
    );
}

/// Writes the saturation of one seed: the interval and the brackets of its searches.
fn push_saturation(out: &mut String, topology: &Topology, report: &SimReport, saturation: &Saturation) {
    let Saturation { seed, interval: RateInterval { low, mean, high }, coarse, replications, beyond, .. } =
        saturation;
    let accepted = ratio(beyond.accepted(&report.setting, report.load.senders));
    push(out, format_args!("{{\"seed\":{seed},\"low\":{low},\"mean\":{mean},\"high\":{high}"));
    push(out, format_args!(",\"share\":{}", fixed(share_of_bound(report, saturation), SHARE)));
    if let Some(coarse) = coarse {
        out.push_str(",\"coarse\":");
        push_replication(out, coarse);
    }
    out.push_str(",\"replications\":[");
    for (k, replication) in replications.iter().enumerate() {
        out.push_str(if k > 0 { "," } else { "" });
        push_replication(out, replication);
    }
    out.push(']');
    push(
        out,
        format_args!(
            ",\"beyond\":{{\"rate\":{},\"delivered\":{},\"accepted\":{accepted}}}",
            beyond.rate, beyond.delivered
        ),
    );
    push_overloads(out, topology, report, saturation);
    out.push('}');
}

/// Writes the counts of a run, and the values derived from them.
fn push_point(out: &mut String, topology: &Topology, report: &SimReport, point: &Point) {
    let (setting, senders) = (&report.setting, report.load.senders);
    let Point {
        rate,
        seed,
        born,
        delivered,
        delivered_late,
        born_ever,
        delivered_ever,
        in_flight,
        cycles,
        ..
    } = point;
    push(
        out,
        format_args!(
            "{{\"rate\":{rate},\"seed\":{seed},\"offered\":{}",
            ratio(point.offered(setting, senders))
        ),
    );
    push(out, format_args!(",\"accepted\":{}", ratio(point.accepted(setting, senders))));
    push(
        out,
        format_args!(
            ",\"accepted_second_half\":{},\"stable\":{}",
            ratio(point.accepted_late(setting, senders)),
            point.is_stable(setting)
        ),
    );
    push_steadiness(out, report, point);
    push(
        out,
        format_args!(",\"born\":{born},\"delivered\":{delivered},\"delivered_second_half\":{delivered_late}"),
    );
    push(out, format_args!(",\"unfinished\":{},\"latency\":", point.unfinished));
    match &point.delays {
        Some(delays) => push_delays(out, delays),
        None => out.push_str("null"),
    }
    let [start, middle, end] = point.inside_at;
    push(out, format_args!(",\"inside\":[{start},{middle},{end}],\"inside_sum\":{}", point.inside_sum));
    push(out, format_args!(",\"inside_mean\":{}", ratio(Fraction::new(point.inside_sum, setting.measure))));
    for (word, (endpoint, packets)) in [("worst", point.worst_source), ("best", point.best_source)] {
        let flits = Fraction::new(u64::from(packets) * u64::from(setting.packet), setting.measure);
        let name = quote(&topology.name(report.sources[endpoint as usize]));
        push(
            out,
            format_args!(
                ",\"{word}_source\":{{\"router\":{name},\"endpoint\":{endpoint},\"packets\":{packets}"
            ),
        );
        push(out, format_args!(",\"accepted\":{}}}", ratio(flits)));
    }
    let (channel, busy) = point.busiest;
    let name = topology.channel_name(ChannelId(channel));
    push(out, format_args!(",\"busiest\":{{\"channel\":{},\"id\":{channel},\"cycles\":{busy}", quote(&name)));
    push(out, format_args!(",\"utilization\":{}}}", share_text(busy.into(), setting.measure.into())));
    push(out, format_args!(",\"hops\":{},\"general_hops\":{}", point.hops, point.general_hops));
    push(out, format_args!(",\"general_share\":{},\"vcs\":", share_text(point.general_hops, point.hops)));
    push_vcs(out, setting, point.hops, &point.vcs);
    out.push_str(",\"busy_cycles\":");
    push_numbers(out, point.busy_by_class.iter().map(u64::to_string));
    push(
        out,
        format_args!(",\"cycles\":{cycles},\"born_ever\":{born_ever},\"delivered_ever\":{delivered_ever}"),
    );
    let (flits, inside) = (point.flits_delivered_ever, point.flits_in_flight);
    push(
        out,
        format_args!(
            ",\"in_flight\":{in_flight},\"flits_delivered_ever\":{flits},\"flits_in_flight\":{inside}"
        ),
    );
    push_acks(out, point);
    push_batches(out, &point.batches);
    push_digests(out, &point.digests, point.last_digest());
    out.push('}');
}

/// Writes the flits of acknowledgements that channels moved. Nothing without any.
fn push_acks(out: &mut String, point: &Point) {
    if point.moved_acks > 0 {
        push(out, format_args!(",\"ack_flits\":{}", point.moved_acks));
    }
}

/// Writes half the widths of the confidence intervals of a run, and its warm-up.
fn push_steadiness(out: &mut String, report: &SimReport, point: &Point) {
    for (name, width) in half_width_texts(report, point) {
        let width = if width.is_empty() { "null" } else { &width };
        push(out, format_args!(",\"{name}\":{width}"));
    }
    push(out, format_args!(",\"warmup_cycles\":{},\"settled\":{}", point.warmup, point.is_settled));
}

/// Half the widths of the confidence intervals of a run, each with its name in files. An empty text stands
/// for one that does not exist.
fn half_width_texts(report: &SimReport, point: &Point) -> [(&'static str, String); 3] {
    let widths = point.half_widths(&report.setting, report.load.senders);
    let text = |width: Option<f64>, digits: usize| {
        width.map_or_else(String::new, |width| format!("{width:.digits$}"))
    };
    [
        ("accepted_half_width", text(widths.map(|widths| widths.accepted), 6)),
        ("mean_half_width", text(widths.map(|widths| widths.mean), 3)),
        ("p99_half_width", text(widths.and_then(|widths| widths.p99), 3)),
    ]
}

/// The quantity that determines a static bound.
fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Loads => "loads",
        Limit::Hops => "hops",
    }
}

/// The report as CSV, with a row per run. If only saturation was searched, it has a row per search.
pub fn simulation_csv(fabric: &Fabric, topology: &Topology, reports: &[SimReport]) -> String {
    if reports.iter().any(|report| report.volume.is_some()) {
        return finite::completions_csv(fabric, topology, reports);
    }
    if reports.iter().all(|report| report.points.is_empty()) {
        return saturation_csv(reports);
    }
    let mut out = String::from(
        "scenario,rate,seed,offered,accepted,accepted_half_width,accepted_second_half,stable,warmup,settled,mean,mean_half_width,median,p99,\
         p99_half_width,max,mean_source_wait,mean_hops,born,delivered,unfinished,inside_start,inside_middle,inside_end,worst_source,best_source,busiest,utilization,general_share,traffic,routing,model\n",
    );
    for report in reports {
        let (setting, senders) = (&report.setting, report.load.senders);
        for point in &report.points {
            let source = |packets: u32| {
                ratio(Fraction::new(u64::from(packets) * u64::from(setting.packet), setting.measure))
            };
            let (busiest, busy) = point.busiest;
            let [accepted_width, mean_width, p99_width] =
                half_width_texts(report, point).map(|(_, text)| text);
            let mut cells = vec![
                report.scenario.clone(),
                point.rate.to_string(),
                point.seed.to_string(),
                ratio(point.offered(setting, senders)),
                ratio(point.accepted(setting, senders)),
                accepted_width,
                ratio(point.accepted_late(setting, senders)),
                point.is_stable(setting).to_string(),
                point.warmup.to_string(),
                point.is_settled.to_string(),
            ];
            match &point.delays {
                Some(Delays { packets, median, p99, most, waited, hops, sum }) => {
                    let mean = |sum: u64| ratio(Fraction::new(sum, *packets));
                    cells.extend([
                        mean(*sum),
                        mean_width,
                        median.to_string(),
                        p99.to_string(),
                        p99_width,
                        most.to_string(),
                        mean(*waited),
                        mean(*hops),
                    ]);
                }
                None => cells.extend([""; 8].map(str::to_owned)),
            }
            cells.extend([point.born, point.delivered, point.unfinished].map(|count| count.to_string()));
            cells.extend(point.inside_at.map(|count| count.to_string()));
            cells.extend([
                source(point.worst_source.1),
                source(point.best_source.1),
                topology.channel_name(ChannelId(busiest)),
            ]);
            cells.extend([
                share_text(busy.into(), setting.measure.into()),
                share_text(point.general_hops, point.hops),
            ]);
            cells.extend(setting_in_words(setting));
            cells.push(setting.model.name().to_owned());
            let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            push(&mut out, format_args!("{}\n", cells.join(",")));
        }
    }
    out
}

fn saturation_csv(reports: &[SimReport]) -> String {
    let has_overload = reports.iter().any(|report| !report.setting.overload.is_empty());
    let mut out = format!(
        "scenario,seed,bound,low,mean,high,share,replications,beyond_rate,beyond_accepted,traffic,routing,model{}\n",
        if has_overload { ",sustained,fairness" } else { "" }
    );
    for (report, saturation) in reports
        .iter()
        .flat_map(|report| report.saturations.iter().map(move |saturation| (report, saturation)))
    {
        let (scenario, bound) = (csv_cell(&report.scenario), bound_text(report.load.bound));
        let RateInterval { low, mean, high } = saturation.interval;
        let replications = saturation.replications.len();
        let share = fixed(share_of_bound(report, saturation), SHARE);
        let accepted = ratio(saturation.beyond.accepted(&report.setting, report.load.senders));
        let [traffic, routing] = setting_in_words(&report.setting).map(|text| csv_cell(&text));
        let (seed, beyond, model) = (saturation.seed, saturation.beyond.rate, report.setting.model.name());
        let row = format_args!(
            "{scenario},{seed},{bound},{low},{mean},{high},{share},{replications},{beyond},{accepted},{traffic},{routing},{model}"
        );
        push(&mut out, row);
        if let Some(worst) = worst_overload_of(report, saturation) {
            push(&mut out, format_args!(",{},{}", worst.sustained, worst.fairness));
        }
        out.push('\n');
    }
    out
}
