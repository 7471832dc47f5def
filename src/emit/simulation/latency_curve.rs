//! Mean latency over offered load, with confidence intervals. Where faults are simulated as well, a band lies
//! between the best and the worst of them.

use super::super::number::three_digits;
use super::super::svg::{Curve, CurveBand, CurveLine, CurveSpan, CurveSpans, Stroke, curve_over};
use super::chart::{ChartKey, SimulationChart};
use super::rates::{MeasuredValue, RateFigures, by_rate, percent_of};
use super::ratios::share_of_bound;
use fabc_sim::{Rate, SimReport};

/// Means above this multiple of the zero-load latency are left out. Past saturation they depend only on the
/// length of the run.
const HIGHEST: f64 = 6.0;

/// A point of the curve of one scenario.
struct LatencyPoint {
    rate: Rate,
    /// The rate in percent of the static bound of the first scenario.
    percent: f64,
    latency: MeasuredValue,
}

/// The curve of one scenario.
struct ScenarioCurve<'a> {
    scenario: &'a str,
    points: Vec<LatencyPoint>,
}

impl ScenarioCurve<'_> {
    /// The mean latency at a percentage, on a straight line between runs. `None` outside of them.
    fn latency_at(&self, percent: f64) -> Option<f64> {
        let after = self.points.iter().position(|point| point.percent >= percent)?;
        let end = &self.points[after];
        if end.percent == percent {
            return Some(end.latency.mean);
        }
        let start = &self.points[after.checked_sub(1)?];
        let part = (percent - start.percent) / (end.percent - start.percent);
        Some(start.latency.mean + part * (end.latency.mean - start.latency.mean))
    }

    fn title(&self, point: &LatencyPoint) -> String {
        format!("{}: {} offered, {} cycles", self.scenario, point.rate, point.latency.exact())
    }

    fn line(&self, color: &'static str) -> CurveLine {
        let points =
            self.points.iter().map(|point| (point.percent, point.latency.mean, self.title(point))).collect();
        CurveLine { color, stroke: Stroke::Bold, points }
    }

    fn bars(&self, color: &'static str) -> impl Iterator<Item = (&'static str, CurveSpan)> {
        self.points.iter().filter_map(move |point| Some((color, point.latency.bar(point.percent, 1.0)?)))
    }
}

/// Mean latency over offered load. Load is in percent of the static bound of the first scenario. The colors
/// are CSS variables: of the first scenario and of the others.
pub(super) fn latency_chart(name: &str, reports: &[SimReport], colors: [&'static str; 4]) -> SimulationChart {
    let curves: Vec<ScenarioCurve<'_>> =
        reports.iter().map(|report| scenario_curve(reports, report)).collect();
    let mut behind = CurveSpans::default();
    let (mut lines, mut key): (Vec<CurveLine>, Vec<ChartKey>) = (Vec::new(), Vec::new());
    let faults = curves.get(1..).unwrap_or_default();
    if curves.len() > colors.len() {
        let edges = band(faults);
        key.push(ChartKey::band(format!("{} faults, best to worst", faults.len()), colors[1]));
        lines.extend(worst_line(faults, &edges, colors[1]));
        behind.bands.push(CurveBand { color: colors[1], edges });
    } else {
        for (curve, color) in faults.iter().zip(colors.into_iter().skip(1)) {
            key.push(ChartKey::line(curve.scenario.to_owned(), color));
            behind.bars.extend(curve.bars(color));
            lines.push(curve.line(color));
        }
    }
    if let Some(first) = curves.first() {
        key.insert(0, ChartKey::line(first.scenario.to_owned(), colors[0]));
        behind.bars.extend(first.bars(colors[0]));
        lines.push(first.line(colors[0]));
    }
    lines.retain(|line| !line.points.is_empty());
    let stable = reports.first().and_then(|report| {
        let share = report.saturations.iter().map(|saturation| share_of_bound(report, saturation)).min()?;
        Some((share.as_f64() * 100.0, "saturation".to_owned()))
    });
    let chart = Curve {
        label: format!("{name}: mean latency of packets over offered load; the table below has the numbers"),
        x_title: "offered, % of the static bound",
        y_title: "mean latency, cycles",
        lines,
        marks: [Some((100.0, "static bound".to_owned())), stable].into_iter().flatten().collect(),
    };
    SimulationChart { drawing: curve_over(&chart, &behind), key }
}

fn scenario_curve<'a>(reports: &[SimReport], report: &'a SimReport) -> ScenarioCurve<'a> {
    let bound = reports[0].load.bound;
    let most = report.load.mean_cycles.as_f64() * HIGHEST;
    let point = |figures: RateFigures| {
        let latency = figures.latency.filter(|latency| latency.mean <= most)?;
        Some(LatencyPoint { rate: figures.rate, percent: percent_of(figures.rate, bound), latency })
    };
    ScenarioCurve {
        scenario: &report.scenario,
        points: by_rate(report).into_iter().filter_map(point).collect(),
    }
}

/// The least and the largest latency of all faults, where each of them has a run on either side.
fn band(faults: &[ScenarioCurve<'_>]) -> Vec<CurveSpan> {
    let mut places: Vec<f64> =
        faults.iter().flat_map(|curve| curve.points.iter().map(|point| point.percent)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let span = |percent: f64| {
        let all: Vec<f64> = faults.iter().map(|curve| curve.latency_at(percent)).collect::<Option<_>>()?;
        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
        Some(CurveSpan { percent, low, high: all.iter().copied().fold(low, f64::max) })
    };
    places.into_iter().filter_map(span).collect()
}

/// The upper edge of the band. Its titles name the worst fault of every rate.
fn worst_line(faults: &[ScenarioCurve<'_>], edges: &[CurveSpan], color: &'static str) -> Option<CurveLine> {
    let title = |edge: &CurveSpan| {
        let runs = faults.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
        let mut there = runs.filter(|(_, point)| point.percent == edge.percent);
        let worst = there.find(|(_, point)| point.latency.mean >= edge.high);
        let between = || format!("worst fault: about {} cycles", three_digits(edge.high));
        worst.map_or_else(between, |(curve, point)| format!("worst fault, {}", curve.title(point)))
    };
    let points: Vec<_> = edges.iter().map(|edge| (edge.percent, edge.high, title(edge))).collect();
    (points.len() > 1).then_some(CurveLine { color, stroke: Stroke::Bold, points })
}
