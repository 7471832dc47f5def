//! The numbers of the charts of a simulation, as rows of tables: three significant digits for people, and
//! the exact value beside it.

use super::super::number::three_digits;
use super::overload::least_sustained;
use super::rates::{RateFigures, by_rate, percent_of};
use fabc_ir::Fraction;
use fabc_sim::{Overload, Rate, Saturation, SimReport};

/// A cell for people, and its exact value.
pub(crate) struct MeasuredCell {
    pub(crate) text: String,
    pub(crate) exact: String,
}

impl MeasuredCell {
    fn new(value: Fraction) -> Self {
        Self { text: three_digits(value.as_f64()), exact: format!("{:.6}", value.as_f64()) }
    }

    fn plain(text: String) -> Self {
        Self { exact: text.clone(), text }
    }

    fn none() -> Self {
        Self::plain("-".to_owned())
    }
}

/// A row per rate of the first scenario: rate, percent of its static bound, mean latency, accepted traffic.
/// With faults at the same rate also the latency of the best and of the worst one, and the name of the
/// latter.
pub(crate) fn latency_rows(reports: &[SimReport]) -> Vec<Vec<MeasuredCell>> {
    let Some(first) = reports.first() else { return Vec::new() };
    let faults: Vec<(&str, Vec<RateFigures>)> =
        reports[1..].iter().map(|report| (report.scenario.as_str(), by_rate(report))).collect();
    let row = |figures: RateFigures| {
        let percent = percent_of(figures.rate, first.load.bound);
        let latency = figures.latency.map_or_else(MeasuredCell::none, |latency| MeasuredCell {
            text: latency.text(),
            exact: latency.exact(),
        });
        let accepted =
            MeasuredCell { text: three_digits(figures.accepted.mean), exact: figures.accepted.exact() };
        let state = if figures.is_stable { "yes" } else { "no" };
        let mut cells = vec![
            MeasuredCell::plain(figures.rate.to_string()),
            MeasuredCell { text: three_digits(percent), exact: format!("{percent:.4} %") },
            accepted,
            MeasuredCell::plain(state.to_owned()),
            latency,
        ];
        if !faults.is_empty() {
            cells.extend(fault_cells(&faults, figures.rate));
        }
        cells
    };
    by_rate(first).into_iter().map(row).collect()
}

/// The best and the worst latency of all faults at a rate, and the name of the worst.
fn fault_cells(faults: &[(&str, Vec<RateFigures>)], rate: Rate) -> [MeasuredCell; 3] {
    let mut all: Vec<(f64, &str)> = faults
        .iter()
        .filter_map(|(name, figures)| {
            let there = figures.iter().find(|figures| figures.rate == rate)?;
            Some((there.latency?.mean, *name))
        })
        .collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let cell = |value: f64| MeasuredCell { text: three_digits(value), exact: format!("{value:.4}") };
    match (all.first(), all.last()) {
        (Some(best), Some(worst)) => [cell(best.0), cell(worst.0), MeasuredCell::plain(worst.1.to_owned())],
        _ => [(); 3].map(|()| MeasuredCell::none()),
    }
}

/// The runs in overload of the first scenario, and of the one that sustains least: scenario, multiple,
/// offered, accepted, part of the saturation, accepted of the worst and of the best source, fairness, mean
/// hops.
pub(crate) fn overload_rows(reports: &[SimReport]) -> Vec<Vec<MeasuredCell>> {
    let worst = least_sustained(reports).filter(|worst| worst.scenario != reports[0].scenario);
    let run_row = |report: &SimReport, search: &Saturation, run: &Overload| {
        let setting = &report.setting;
        vec![
            MeasuredCell::plain(report.scenario.clone()),
            MeasuredCell::plain(run.multiple.to_string()),
            MeasuredCell::new(Fraction::from(run.rate)),
            MeasuredCell::new(run.accepted(setting, report.load.senders)),
            MeasuredCell::new(report.sustained(search, run)),
            MeasuredCell::new(run.accepted_of(setting, run.worst)),
            MeasuredCell::new(run.accepted_of(setting, run.best)),
            MeasuredCell::new(run.fairness()),
            run.mean_hops().map_or_else(MeasuredCell::none, MeasuredCell::new),
        ]
    };
    let of_report = |report: &SimReport| {
        report.overload_runs().map(|(search, run)| run_row(report, search, run)).collect::<Vec<_>>()
    };
    reports.first().into_iter().chain(worst).flat_map(of_report).collect()
}
