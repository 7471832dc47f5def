//! Draws what simulations measured: latency over load, accepted over offered traffic, and measured channel
//! utilization over that of the tables.

use super::super::svg::{Curve, CurveLine, Stroke, curve};
use super::accepted_curve::accepted_chart;
use super::chart::SimulationChart;
use super::latency_curve::latency_chart;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Point, SimReport};
use std::collections::BTreeMap;

/// CSS variables of the line colors in a file of its own.
const COLORS: [&str; 4] = ["--one", "--two", "--three", "--four"];

/// CSS variables of the line colors in a page.
const PAGE_COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// Values of CSS variables for a picture that stands alone. Some programs do not support variables.
const VALUES: [(&str, &str); 5] = [
    ("--one", "#2563eb"),
    ("--two", "#d97706"),
    ("--three", "#059669"),
    ("--four", "#9333ea"),
    ("--edge", "#6b7280"),
];

/// The part of the page's style sheet that a picture needs when it stands alone.
const STYLE: &str = "<style>svg{background:#fff;font:12px sans-serif}\
     .grid{stroke:#e5e7eb;fill:none}.base{stroke:#6b7280;fill:none}.mark{stroke:#dc2626;stroke-dasharray:4 3;fill:none}\
     .tick,.axis{fill:#4b5563}.marked{fill:#dc2626}.end{text-anchor:end}.mid{text-anchor:middle}</style>";

/// Mean latency over offered load as a file of its own. Load is in percent of the static bound of the first
/// scenario.
pub fn simulation_svg(fabric: &Fabric, reports: &[SimReport]) -> String {
    let svg = latency_chart(&fabric.name, reports, COLORS).drawing;
    let alone = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" ", 1);
    let alone = VALUES.iter().fold(alone, |svg, (name, value)| svg.replace(&format!("var({name})"), value));
    let style = alone.find('>').map_or(0, |end| end + 1);
    format!("{}{STYLE}{}\n", &alone[..style], &alone[style..])
}

/// Mean latency over offered load for the report page.
pub(crate) fn latencies(name: &str, reports: &[SimReport]) -> SimulationChart {
    latency_chart(name, reports, PAGE_COLORS)
}

/// Accepted over offered traffic for the report page. `None` without runs.
pub(crate) fn accepted(name: &str, reports: &[SimReport]) -> Option<SimulationChart> {
    accepted_chart(name, reports, PAGE_COLORS)
}

/// Measured utilization of channel classes in a run, over the utilization by the loads of the tables at the
/// same rate. Classes at the same place share a dot.
pub(crate) fn utilization(name: &str, report: &SimReport, point: &Point) -> String {
    let mut dots: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (class, &busy) in report.classes.iter().zip(&point.busy_by_class) {
        let load = Fraction::new(class.load, u128::from(class.channels) * report.load.unit.max(1))
            .times(Fraction::from(point.rate));
        let carried = Fraction::new(busy, class.channels * u64::from(report.setting.measure));
        *dots.entry((thousandths(load), thousandths(carried))).or_default() += class.channels;
    }
    let dot = |((load, carried), channels): ((u64, u64), u64)| {
        let (load, carried) = (load as f64 / 10.0, carried as f64 / 10.0);
        let title = format!("{load:.1} % by the tables, {carried:.1} % measured: {channels} channels");
        (load, carried, title)
    };
    let points: Vec<(f64, f64, String)> = dots.into_iter().map(dot).collect();
    let farthest = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let straight = [0.0, farthest].map(|value| (value, value, String::new())).into();
    let chart = Curve {
        label: format!("{name}: cycles in which channels moved a flit, by what the tables put on them"),
        x_title: "% by the tables, at this rate",
        y_title: "% measured",
        lines: vec![
            CurveLine { color: "--edge", stroke: Stroke::Dashed, points: straight },
            CurveLine { color: "--second", stroke: Stroke::Dots, points },
        ],
        marks: Vec::new(),
    };
    curve(&chart)
}

fn thousandths(value: Fraction) -> u64 {
    libm::round(value.as_f64() * 1000.0) as u64
}
