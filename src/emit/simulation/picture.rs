//! Latency over load, as a picture of its own.

use super::super::svg::{Curve, Line, curve};
use crate::ir::Fraction;
use crate::model::Fabric;
use crate::sim::SimReport;

/// Means above so many zero-load latencies are left out: past saturation they say how long the run was.
const HIGHEST: u64 = 6;

/// Colors of the lines, one per scenario, round and round.
const COLORS: [&str; 4] = ["--one", "--two", "--three", "--four"];

/// What a page has in its style sheet, for a picture that stands alone.
const STYLE: &str = "<style>:root{--one:#2563eb;--two:#d97706;--three:#059669;--four:#9333ea}svg{background:#fff;font:12px sans-serif}\
     .grid{stroke:#e5e7eb;fill:none}.base{stroke:#6b7280;fill:none}.mark{stroke:#dc2626;stroke-dasharray:4 3;fill:none}\
     .tick,.axis{fill:#4b5563}.marked{fill:#dc2626}.end{text-anchor:end}.mid{text-anchor:middle}</style>";

/// Mean latency over what is offered, in percent of the static bound of each scenario.
pub fn simulation_svg(fabric: &Fabric, reports: &[SimReport]) -> String {
    let line = |(report, color): (&SimReport, &'static str)| {
        let SimReport { scenario, load, points, .. } = report;
        let point = |point: &crate::sim::Point| {
            let delays = point.delays?;
            let low = delays.mean() <= load.mean_cycles.times(Fraction::whole(HIGHEST));
            let percent = point.rate.fraction().over(load.bound).as_f64() * 100.0;
            let title = format!("{scenario}: {} offered, {:.1} cycles", point.rate, delays.mean().as_f64());
            low.then(|| (percent, delays.mean().as_f64(), title))
        };
        Line { color, points: points.iter().filter_map(point).collect() }
    };
    let chart = Curve {
        label: format!("{}: mean latency of packets over offered load", fabric.name),
        x_title: "offered, % of the static bound",
        y_title: "mean latency, cycles",
        lines: reports.iter().zip(COLORS.into_iter().cycle()).map(line).filter(|line| !line.points.is_empty()).collect(),
        mark: Some((100.0, "static bound".to_owned())),
    };
    let svg = curve(&chart);
    let alone = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" ", 1);
    let style = alone.find('>').map_or(0, |end| end + 1);
    format!("{}{STYLE}{}\n", &alone[..style], &alone[style..])
}
