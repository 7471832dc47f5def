//! Accepted over offered traffic: the runs of the curve, and the long runs in overload with their worst and
//! best source.

use super::super::svg::{Curve, CurveLine, CurveSpan, CurveSpans, Stroke, curve_over};
use super::chart::{ChartKey, SimulationChart};
use super::overload::least_sustained;
use super::rates::{by_rate, percent_of};
use super::ratios::share_of_bound;
use fabc_ir::Fraction;
use fabc_sim::{Overload, Saturation, SimReport};

/// Accepted over offered traffic, both in percent of the static bound of the first scenario. `None` without
/// runs. The colors are CSS variables: of the first scenario, of its overload, and of the scenario that
/// sustains least.
pub(super) fn accepted_chart(
    name: &str,
    reports: &[SimReport],
    colors: [&'static str; 4],
) -> Option<SimulationChart> {
    let first = reports.first()?;
    let bound = first.load.bound;
    let mut behind = CurveSpans::default();
    let mut key = vec![ChartKey::line(first.scenario.clone(), colors[0])];
    let curve = curve_line(first, bound, colors[0], &mut behind);
    let mut lines = vec![curve];
    let worst = least_sustained(reports).filter(|report| report.scenario != first.scenario);
    for (report, color) in std::iter::once(first).chain(worst).zip([colors[1], colors[3]]) {
        let runs: Vec<(&Saturation, &Overload)> = report.overload_runs().collect();
        if runs.is_empty() {
            continue;
        }
        let scenario = &report.scenario;
        key.push(ChartKey::line(format!("{scenario}, long runs in overload, worst to best source"), color));
        behind.bars.extend(runs.iter().filter_map(|(_, run)| Some((color, source_bar(report, run, bound)?))));
        let points = runs.iter().map(|(search, run)| overload_point(report, search, run, bound)).collect();
        lines.push(CurveLine { color, stroke: Stroke::Dots, points });
    }
    lines.retain(|line| !line.points.is_empty());
    if lines.is_empty() {
        return None;
    }
    let farthest = lines.iter().flat_map(|line| &line.points).map(|point| point.0).fold(0.0, f64::max);
    let straight = |percent: f64, value: f64| (percent, value, String::new());
    let all = farthest.min(100.0);
    lines.insert(0, dashed("--edge", vec![straight(0.0, 0.0), straight(all, all)]));
    key.push(ChartKey::line("all that is offered".to_owned(), "--edge"));
    if let Some(share) = first.saturations.iter().map(|search| share_of_bound(first, search)).min() {
        let share = share.as_f64() * 100.0;
        lines.insert(0, dashed(colors[2], vec![straight(0.0, share), straight(farthest, share)]));
        key.push(ChartKey::line("saturation, lower end".to_owned(), colors[2]));
    }
    let chart = Curve {
        label: format!("{name}: accepted over offered traffic; the table below has the numbers"),
        x_title: "offered, % of the static bound",
        y_title: "accepted, % of the static bound",
        lines,
        marks: vec![(100.0, "static bound".to_owned())],
    };
    Some(SimulationChart { drawing: curve_over(&chart, &behind), key })
}

fn dashed(color: &'static str, points: Vec<(f64, f64, String)>) -> CurveLine {
    CurveLine { color, stroke: Stroke::Dashed, points }
}

/// The runs of the curve, with their intervals as bars. An endpoint offers `share` of the rate on average.
fn curve_line(
    report: &SimReport,
    bound: Fraction,
    color: &'static str,
    behind: &mut CurveSpans,
) -> CurveLine {
    let scale = percent_scale(report, bound);
    let mut points = Vec::new();
    for figures in by_rate(report) {
        let (percent, accepted) = (percent_of(figures.rate, bound), figures.accepted);
        behind.bars.extend(accepted.bar(percent, scale).map(|bar| (color, bar)));
        let state = if figures.is_stable { "" } else { ", not stable" };
        let title =
            format!("{}: {} offered, {} accepted{state}", report.scenario, figures.rate, accepted.exact());
        points.push((percent, accepted.mean * scale, title));
    }
    CurveLine { color, stroke: Stroke::Bold, points }
}

fn overload_point(
    report: &SimReport,
    search: &Saturation,
    run: &Overload,
    bound: Fraction,
) -> (f64, f64, String) {
    let accepted = run.accepted(&report.setting, report.load.senders).as_f64();
    let title = format!(
        "{}, {} x the saturation: {} offered, {accepted:.4} accepted, {:.4} of the saturation, fairness {:.4}",
        report.scenario,
        run.multiple,
        run.rate,
        report.sustained(search, run).as_f64(),
        run.fairness().as_f64()
    );
    (percent_of(run.rate, bound), accepted * percent_scale(report, bound), title)
}

/// From the worst to the best source. `None` where sources offer unlike, so that an axis cannot hold them.
fn source_bar(report: &SimReport, run: &Overload, bound: Fraction) -> Option<CurveSpan> {
    if report.load.share != Fraction::integer(1u8) || run.worst.parts != run.best.parts {
        return None;
    }
    let scale = percent_scale(report, bound);
    let [low, high] =
        [run.worst, run.best].map(|source| run.accepted_of(&report.setting, source).as_f64() * scale);
    Some(CurveSpan { percent: percent_of(run.rate, bound), low, high })
}

/// From flits per cycle and endpoint to percent of the static bound, where an average endpoint offers less
/// than the rate.
fn percent_scale(report: &SimReport, bound: Fraction) -> f64 {
    let whole = bound.times(report.load.share);
    if whole.is_zero() { 0.0 } else { 100.0 / whole.as_f64() }
}
