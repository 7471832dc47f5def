//! Writes the report on simulations for people.

use super::super::number::{fixed, grouped};
use super::finite;
use super::model::{model_sentence, rate_unit, setting_in_words};
use super::overload::overload_sentences;
use super::ratios::{bound_text, share_of_bound, share_text};
use super::wrapped::wrap_text;
use fabc_base::ids::ChannelId;
use fabc_ir::{Fraction, Topology, gigabytes};
use fabc_model::Fabric;
use fabc_sim::{Limit, Point, RateInterval, RunCycles, Saturation, SimReport};

/// Columns of a table, with their widths.
const COLUMNS: [(&str, usize); 12] = [
    ("offered", 7),
    ("accepted", 8),
    ("+-", 6),
    ("GB/s", 8),
    ("mean", 8),
    ("+-", 6),
    ("median", 7),
    ("p99", 6),
    ("max", 6),
    ("waited", 7),
    ("busiest", 7),
    ("", 0),
];

/// The runs of some scenarios of one fabric, for people.
pub fn simulation_text(
    fabric: &Fabric,
    topology: &Topology,
    name: Option<&str>,
    reports: &[SimReport],
) -> String {
    let mut out = format!("{}{}\n", fabric.name, name.map_or_else(String::new, |name| format!(": {name}")));
    let mut last_model = None;
    for report in reports {
        let (setting, load) = (&report.setting, &report.load);
        let [traffic, routing] = setting_in_words(setting);
        let model = format!("{traffic} traffic; {routing} routing; {}", model_sentence(setting));
        if last_model.as_ref() != Some(&model) {
            out += &wrap_text(&model);
            last_model = Some(model);
        }
        let unit = rate_unit(fabric, report);
        out += &format!("\n{}\n", report.scenario);
        if let Some(volume) = &report.volume {
            out += &wrap_text(&finite::volume_sentence(report, volume));
            out += &finite::completion_table(fabric, topology, report, volume);
            continue;
        }
        let (up_to, end) = match setting.detects_steady_state {
            true => ("up to ", ", until they settle"),
            false => ("", ""),
        };
        out += &wrap_text(&format!(
            "static bound {} flits per cycle and {unit}{}; {}{} hops and {} cycles on average with nothing in the way, {} at most; {up_to}{} \
             cycles to warm up{end}, {} measured",
            bound_text(load.bound),
            match load.limit {
                Limit::Loads => "",
                Limit::Hops => ", of any routing, by the hops of shortest ways",
            },
            if load.share < Fraction::integer(1u8) {
                format!("{} of the rate offered on average; ", fixed(load.share, 4))
            } else {
                String::new()
            },
            fixed(load.hops, 4),
            fixed(load.mean_cycles, 1),
            grouped(load.most_cycles),
            grouped(setting.warmup.into()),
            grouped(setting.measure.into()),
        ));
        out += &saturation_sentences(topology, report);
        if report.points.is_empty() {
            continue;
        }
        let several = report.points.windows(2).any(|pair| pair[0].seed != pair[1].seed);
        let head: Vec<String> = COLUMNS.iter().map(|(name, width)| format!("{name:>width$}")).collect();
        out += &format!("  {}\n", head.join(" ").trim_end());
        for point in &report.points {
            let row: Vec<String> = point_cells(report, point, several)
                .into_iter()
                .zip(COLUMNS)
                .map(|(cell, (_, width))| format!("{cell:>width$}"))
                .collect();
            out += &format!("  {}\n", row.join(" ").trim_end());
        }
        if let Some(full) = report.points.iter().find(|point| !point.is_stable(setting)) {
            let (channel, _) = full.busiest;
            let name = topology.channel_name(ChannelId(channel));
            out += &wrap_text(&format!(
                "saturated: packets in flight grow; at {} the busiest channel is {name}",
                full.rate
            ));
        }
    }
    out
}

/// How the saturation was searched, and a sentence per seed. Empty without a search.
fn saturation_sentences(topology: &Topology, report: &SimReport) -> String {
    let RunCycles { warmup, measure } = report.setting.trial;
    let head = format!(
        "saturation: runs of {} and {} cycles; intervals with a confidence of {}",
        grouped(warmup.into()),
        grouped(measure.into()),
        report.setting.confidence
    );
    let head = (!report.saturations.is_empty()).then_some(head);
    let sentences = report.saturations.iter().flat_map(|saturation| {
        let overloads = overload_sentences(topology, report, saturation);
        std::iter::once(saturation_sentence(report, saturation)).chain(overloads)
    });
    head.into_iter().chain(sentences).map(|sentence| wrap_text(&sentence)).collect()
}

/// The interval of the saturation, and the throughput above the static bound, in a sentence.
fn saturation_sentence(report: &SimReport, saturation: &Saturation) -> String {
    let share = fixed(share_of_bound(report, saturation).times(Fraction::integer(100u8)), 1);
    let beyond = saturation.beyond.accepted(&report.setting, report.load.senders);
    let RateInterval { low, mean, high } = saturation.interval;
    let replications = saturation.replications.len();
    let all_stable = saturation.replications.iter().all(|found| found.unstable.is_none());
    let interval = match () {
        () if all_stable => {
            format!("stable at {low}, the highest rate that hosts can offer: {share} % of the bound")
        }
        () if saturation.replications.iter().all(|found| found.stable.is_none()) => {
            format!("not even {high} is stable")
        }
        () => format!(
            "{mean}, at least {low} and at most {high} by {replications} replications: at least {share} % of the bound"
        ),
    };
    let seed =
        if report.saturations.len() > 1 { format!(" with seed {}", saturation.seed) } else { String::new() };
    format!("saturation{seed}: {interval}; at {} it accepts {}", saturation.beyond.rate, fixed(beyond, 4))
}

fn point_cells(report: &SimReport, point: &Point, several: bool) -> [String; 12] {
    let (setting, senders) = (&report.setting, report.load.senders);
    let accepted = point.accepted(setting, senders);
    let gbs = fixed(accepted.times(gigabytes(setting.flit_bps)), 2);
    let mut notes = Vec::new();
    if several {
        notes.push(format!("seed {}", point.seed));
    }
    if !point.is_stable(setting) {
        notes.push("saturated".to_owned());
    } else if !point.is_settled {
        notes.push("unsettled".to_owned());
    }
    if point.unfinished > 0 {
        notes.push(format!(
            "{} of {} packets had not arrived in the end",
            grouped(point.unfinished),
            grouped(point.born)
        ));
    }
    let [mean, median, p99, most, waited] = match &point.delays {
        Some(delays) => {
            let mean = |sum: u64| fixed(Fraction::new(sum, delays.packets), 1);
            [
                mean(delays.sum),
                grouped(delays.median),
                grouped(delays.p99),
                grouped(delays.most),
                mean(delays.waited),
            ]
        }
        None => [(); 5].map(|()| "-".to_owned()),
    };
    let widths = point.half_widths(setting, senders);
    let width = |width: Option<f64>, digits: usize| {
        width.map_or_else(|| "-".to_owned(), |width| format!("{width:.digits$}"))
    };
    let busy = Fraction::new(u64::from(point.busiest.1) * 100, setting.measure);
    [
        format!("{:0<6}", point.rate),
        share_text(accepted.numerator() as u64, accepted.denominator() as u64),
        width(widths.map(|widths| widths.accepted), 4),
        gbs,
        mean,
        width(widths.map(|widths| widths.mean), 1),
        median,
        p99,
        most,
        waited,
        format!("{} %", fixed(busy, 1)),
        if notes.is_empty() { String::new() } else { format!(" {}", notes.join(", ")) },
    ]
}
