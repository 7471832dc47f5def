//! Writes the report on simulations for people.

use super::super::number::{fixed, grouped};
use super::finite;
use super::model::{model_sentence, rate_unit, setting_in_words};
use super::ratios::{bound_text, share_of_bound, share_text};
use super::wrapped::wrap_text;
use fabc_base::ids::ChannelId;
use fabc_ir::{Fraction, Topology, gigabytes};
use fabc_model::Fabric;
use fabc_sim::{Limit, Point, Saturation, SimReport};

/// Columns of a table, with their widths.
const COLUMNS: [(&str, usize); 10] = [
    ("offered", 8),
    ("accepted", 9),
    ("GB/s", 9),
    ("mean", 8),
    ("median", 7),
    ("p99", 7),
    ("max", 7),
    ("waited", 8),
    ("busiest", 8),
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
        out += &wrap_text(&format!(
            "static bound {} flits per cycle and {unit}{}; {}{} hops and {} cycles on average with nothing in the way, {} at most; {} cycles to \
             warm up, {} measured",
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
        for saturation in &report.saturations {
            out += &wrap_text(&saturation_sentence(report, saturation));
        }
        if report.points.is_empty() {
            continue;
        }
        let several = report.points.windows(2).any(|pair| pair[0].seed != pair[1].seed);
        let head: Vec<String> = COLUMNS.iter().map(|(name, width)| format!("{name:>width$}")).collect();
        out += &format!("  {}\n", head.join("  ").trim_end());
        for point in &report.points {
            let row: Vec<String> = point_cells(fabric, report, point, several)
                .into_iter()
                .zip(COLUMNS)
                .map(|(cell, (_, width))| format!("{cell:>width$}"))
                .collect();
            out += &format!("  {}\n", row.join("  ").trim_end());
        }
        if let Some(full) = report.points.iter().find(|point| !point.is_stable()) {
            let (channel, _) = full.busiest;
            let name = topology.channel_name(ChannelId(channel));
            out += &wrap_text(&format!(
                "saturated: less than 99 % of what was born was delivered; at {} the busiest channel is {name}",
                full.rate
            ));
        }
    }
    out
}

/// The saturation bracket, and the throughput above the static bound, in a sentence.
fn saturation_sentence(report: &SimReport, saturation: &Saturation) -> String {
    let share = fixed(share_of_bound(report, saturation).times(Fraction::integer(100u8)), 1);
    let beyond = saturation.beyond.accepted(&report.setting, report.load.senders);
    let bracket = match (saturation.stable, saturation.unstable) {
        (Some(stable), Some(unstable)) => {
            format!("stable at {stable}, no more at {unstable}: {share} % of the bound")
        }
        (Some(stable), None) => {
            format!("stable at {stable}, the highest rate that was tried: {share} % of the bound")
        }
        (None, Some(unstable)) => format!("not even {unstable} is stable"),
        (None, None) => "nothing was tried".to_owned(),
    };
    let seed =
        if report.saturations.len() > 1 { format!(" with seed {}", saturation.seed) } else { String::new() };
    format!("saturation{seed}: {bracket}; at {} it accepts {}", saturation.beyond.rate, fixed(beyond, 4))
}

fn point_cells(fabric: &Fabric, report: &SimReport, point: &Point, several: bool) -> [String; 10] {
    let (setting, senders) = (&report.setting, report.load.senders);
    let accepted = point.accepted(setting, senders);
    let gbs = fixed(accepted.times(gigabytes(fabric.capacities.unit_bps())), 2);
    let mut notes = Vec::new();
    if several {
        notes.push(format!("seed {}", point.seed));
    }
    if !point.is_stable() {
        notes.push("saturated".to_owned());
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
    let busy = Fraction::new(u64::from(point.busiest.1) * 100, setting.measure);
    [
        format!("{:0<6}", point.rate),
        share_text(accepted.numerator() as u64, accepted.denominator() as u64),
        gbs,
        mean,
        median,
        p99,
        most,
        waited,
        format!("{} %", fixed(busy, 1)),
        notes.join(", "),
    ]
}
