//! What simulations found, in a few numbers for people.

use super::super::number::{fixed, grouped};
use super::finite::Reached;
use super::ratios::{bound, share_of_bound};
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Point, SimReport};

/// One scenario of a simulation: static bound, bracket, share of the bound, accepted past it, mean latency at
/// the lowest rate that was run.
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) bound: String,
    pub(crate) stable: String,
    pub(crate) unstable: String,
    pub(crate) share: String,
    pub(crate) beyond: String,
    pub(crate) latency: String,
}

/// One scenario of traffic that ends, of several seeds the slowest: lower bound and cycles, the share of the
/// bound, time, and throughput of the whole fabric.
pub(crate) struct FiniteRow {
    pub(crate) scenario: String,
    pub(crate) least: String,
    pub(crate) cycles: String,
    pub(crate) share: String,
    pub(crate) microseconds: String,
    pub(crate) gbs: String,
}

/// The same of traffic that ends, in the order of the report; nothing of other traffic.
pub(crate) fn finite_rows(fabric: &Fabric, reports: &[SimReport]) -> Vec<FiniteRow> {
    reports.iter().filter_map(|report| finite_row(fabric, report)).collect()
}

/// The first scenario of traffic that ends, and the slowest if there are others; nothing of other traffic.
pub(crate) fn nominal_and_slowest(fabric: &Fabric, reports: &[SimReport]) -> Vec<FiniteRow> {
    let slowest = |report: &&SimReport| report.completions.iter().map(|run| run.cycles).max();
    let worst = reports.get(1..).unwrap_or_default().iter().max_by_key(slowest);
    reports.first().into_iter().chain(worst).filter_map(|report| finite_row(fabric, report)).collect()
}

fn finite_row(fabric: &Fabric, report: &SimReport) -> Option<FiniteRow> {
    let (volume, run) = (report.volume.as_ref()?, report.completions.iter().max_by_key(|run| run.cycles)?);
    let reached = Reached::of(fabric, report, volume, run);
    Some(FiniteRow {
        scenario: report.scenario.clone(),
        least: grouped(volume.least_cycles),
        cycles: grouped(run.cycles.into()),
        share: format!("{} %", fixed(reached.share.times(Fraction::whole(100u8)), 1)),
        microseconds: fixed(reached.microseconds, 3),
        gbs: fixed(reached.gbs, 2),
    })
}

/// Scenarios in the order of the report; of several seeds the lowest bracket.
pub(crate) fn rows(reports: &[SimReport]) -> Vec<Row> {
    reports.iter().map(row).collect()
}

/// The first scenario, and the one that saturates first if there are others.
pub(crate) fn nominal_and_worst(reports: &[SimReport]) -> Vec<Row> {
    let lowest = |report: &&SimReport| report.saturations.iter().map(|found| found.at_least()).min();
    let worst = reports.get(1..).unwrap_or_default().iter().min_by_key(lowest);
    reports.first().into_iter().chain(worst).map(row).collect()
}

/// The highest rate that was run and is stable.
pub(crate) fn highest_stable(report: &SimReport) -> Option<&Point> {
    report
        .points
        .iter()
        .filter(|point| point.is_stable())
        .max_by_key(|point| (point.rate, std::cmp::Reverse(point.seed)))
}

fn row(report: &SimReport) -> Row {
    let lowest = report.saturations.iter().min_by_key(|found| found.at_least());
    let none = || "-".to_owned();
    let rate = |rate: Option<fabc_sim::Rate>| rate.map_or_else(none, |rate| format!("{:.4}", rate.as_f64()));
    let accepted =
        |found: &fabc_sim::Saturation| fixed(found.beyond.accepted(&report.setting, report.load.senders), 4);
    let percent = |share: Fraction| format!("{} %", fixed(share.times(Fraction::whole(100u8)), 1));
    let delays = report.points.first().and_then(|point| point.delays);
    Row {
        scenario: report.scenario.clone(),
        bound: bound(report.load.bound),
        stable: rate(lowest.and_then(|found| found.stable)),
        unstable: rate(lowest.and_then(|found| found.unstable)),
        share: lowest.map_or_else(none, |found| percent(share_of_bound(report, found))),
        beyond: lowest.map_or_else(none, accepted),
        latency: delays.map_or_else(none, |delays| fixed(delays.mean(), 1)),
    }
}
