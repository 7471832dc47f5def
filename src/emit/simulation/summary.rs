//! Rows with the results of simulations, for people.

use super::super::number::{fixed, grouped};
use super::finite::FiniteResult;
use super::overload::{WorstOverload, worst_overload};
use super::ratios::{bound_text, share_of_bound};
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Point, SimReport};

/// The results of one scenario: static bound, interval of the saturation, share of the bound at its lower
/// end, throughput past it, and mean latency at the lowest simulated rate.
pub(crate) struct SimulationRow {
    pub(crate) scenario: String,
    pub(crate) bound: String,
    pub(crate) low: String,
    pub(crate) high: String,
    pub(crate) share: String,
    pub(crate) beyond: String,
    pub(crate) latency: String,
    /// The least sustained share and the least fairness of the runs in overload. `None` without such runs.
    pub(crate) overload: Option<WorstOverload>,
}

/// The results of one scenario of finite traffic, for its slowest seed: lower bound and cycles, share of the
/// bound, time, and throughput of all senders.
pub(crate) struct FiniteRow {
    pub(crate) scenario: String,
    pub(crate) lower_bound: String,
    pub(crate) cycles: String,
    pub(crate) share: String,
    pub(crate) microseconds: String,
    pub(crate) gbs: String,
}

/// One row per scenario with finite traffic, in the order of the report.
pub(crate) fn finite_rows(fabric: &Fabric, reports: &[SimReport]) -> Vec<FiniteRow> {
    reports.iter().filter_map(|report| finite_row(fabric, report)).collect()
}

/// The first scenario with finite traffic, and the slowest of the others.
pub(crate) fn nominal_and_slowest(fabric: &Fabric, reports: &[SimReport]) -> Vec<FiniteRow> {
    let slowest = |report: &&SimReport| report.completions.iter().map(|run| run.cycles).max();
    let worst = reports.get(1..).unwrap_or_default().iter().max_by_key(slowest);
    reports.first().into_iter().chain(worst).filter_map(|report| finite_row(fabric, report)).collect()
}

fn finite_row(fabric: &Fabric, report: &SimReport) -> Option<FiniteRow> {
    let (volume, run) = (report.volume.as_ref()?, report.completions.iter().max_by_key(|run| run.cycles)?);
    let result = FiniteResult::new(fabric, report, volume, run);
    Some(FiniteRow {
        scenario: report.scenario.clone(),
        lower_bound: grouped(volume.least_cycles),
        cycles: grouped(run.cycles.into()),
        share: format!("{} %", fixed(result.share.times(Fraction::integer(100u8)), 1)),
        microseconds: fixed(result.microseconds, 3),
        gbs: fixed(result.gbs, 2),
    })
}

/// One row per scenario in the order of the report, each with the lowest interval of all seeds.
pub(crate) fn simulation_rows(reports: &[SimReport]) -> Vec<SimulationRow> {
    reports.iter().map(simulation_row).collect()
}

/// The first scenario, and the one of the others that saturates at the lowest rate.
pub(crate) fn nominal_and_worst(reports: &[SimReport]) -> Vec<SimulationRow> {
    let lowest =
        |report: &&SimReport| report.saturations.iter().map(|saturation| saturation.at_least()).min();
    let worst = reports.get(1..).unwrap_or_default().iter().min_by_key(lowest);
    reports.first().into_iter().chain(worst).map(simulation_row).collect()
}

/// The stable run with the highest rate.
pub(crate) fn highest_stable(report: &SimReport) -> Option<&Point> {
    report
        .points
        .iter()
        .filter(|point| point.is_stable(&report.setting))
        .max_by_key(|point| (point.rate, std::cmp::Reverse(point.seed)))
}

fn simulation_row(report: &SimReport) -> SimulationRow {
    let lowest = report.saturations.iter().min_by_key(|saturation| saturation.at_least());
    let none = || "-".to_owned();
    let rate = |rate: fabc_sim::Rate| format!("{:.4}", rate.as_f64());
    let accepted = |saturation: &fabc_sim::Saturation| {
        fixed(saturation.beyond.accepted(&report.setting, report.load.senders), 4)
    };
    let percent = |share: Fraction| format!("{} %", fixed(share.times(Fraction::integer(100u8)), 1));
    let delays = report.points.first().and_then(|point| point.delays);
    SimulationRow {
        scenario: report.scenario.clone(),
        bound: bound_text(report.load.bound),
        low: lowest.map_or_else(none, |saturation| rate(saturation.interval.low)),
        high: lowest.map_or_else(none, |saturation| rate(saturation.interval.high)),
        share: lowest.map_or_else(none, |saturation| percent(share_of_bound(report, saturation))),
        beyond: lowest.map_or_else(none, accepted),
        latency: delays.map_or_else(none, |delays| fixed(delays.mean(), 1)),
        overload: worst_overload(report),
    }
}
