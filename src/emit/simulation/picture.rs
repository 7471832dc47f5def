//! Draws latency over load, and measured channel utilization over that of the tables.

use super::super::svg::{Curve, CurveLine, Stroke, curve};
use super::ratios::share_of_bound;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Point, SimReport};

/// Means above this multiple of the zero-load latency are left out. Past saturation they depend only on the
/// length of the run.
const HIGHEST: u64 = 6;

/// CSS variables of the line colors. Scenarios use them in turn.
const COLORS: [&str; 4] = ["--one", "--two", "--three", "--four"];

/// Values of CSS variables for a picture that stands alone. Some programs do not support variables.
const VALUES: [(&str, &str); 5] = [
    ("--one", "#2563eb"),
    ("--two", "#d97706"),
    ("--three", "#059669"),
    ("--four", "#9333ea"),
    ("--edge", "#6b7280"),
];

/// More scenarios than this are drawn as a faint band behind the first.
const APART: usize = COLORS.len();

/// The part of the page's style sheet that a picture needs when it stands alone.
const STYLE: &str = "<style>svg{background:#fff;font:12px sans-serif}\
     .grid{stroke:#e5e7eb;fill:none}.base{stroke:#6b7280;fill:none}.mark{stroke:#dc2626;stroke-dasharray:4 3;fill:none}\
     .tick,.axis{fill:#4b5563}.marked{fill:#dc2626}.end{text-anchor:end}.mid{text-anchor:middle}</style>";

/// Mean latency over offered load as a file of its own. Load is in percent of each scenario's static bound.
pub fn simulation_svg(fabric: &Fabric, reports: &[SimReport]) -> String {
    let svg = latencies(&fabric.name, reports, &COLORS);
    let alone = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" ", 1);
    let alone = VALUES.iter().fold(alone, |svg, (name, value)| svg.replace(&format!("var({name})"), value));
    let style = alone.find('>').map_or(0, |end| end + 1);
    format!("{}{STYLE}{}\n", &alone[..style], &alone[style..])
}

/// Mean latency over offered load for a page that defines these colors.
pub(crate) fn latencies(name: &str, reports: &[SimReport], colors: &[&'static str]) -> String {
    let band = reports.len() > APART;
    let line = |(k, report): (usize, &SimReport)| {
        let SimReport { scenario, load, points, .. } = report;
        let point = |point: &Point| {
            let delays = point.delays?;
            let low = delays.mean() <= load.mean_cycles.times(Fraction::integer(HIGHEST));
            let percent = percent(Fraction::from(point.rate).over(load.bound));
            let title = format!("{scenario}: {} offered, {:.1} cycles", point.rate, delays.mean().as_f64());
            low.then(|| (percent, delays.mean().as_f64(), title))
        };
        let (color, stroke) = match band && k > 0 {
            true => ("--edge", Stroke::Faint),
            false => (colors[k % colors.len()], Stroke::Bold),
        };
        CurveLine { color, stroke, points: points.iter().filter_map(point).collect() }
    };
    let mut lines: Vec<CurveLine> =
        reports.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect();
    // Lines in front come last.
    lines.sort_by_key(|line| line.stroke != Stroke::Faint);
    let stable = |report: &SimReport| {
        report.saturations.iter().map(|saturation| share_of_bound(report, saturation)).min()
    };
    let stable = reports.first().and_then(stable).map(|share| (percent(share), "saturation".to_owned()));
    let chart = Curve {
        label: format!("{name}: mean latency of packets over offered load"),
        x_title: "offered, % of the static bound",
        y_title: "mean latency, cycles",
        lines,
        marks: [Some((100.0, "static bound".to_owned())), stable].into_iter().flatten().collect(),
    };
    curve(&chart)
}

/// Measured utilization of channel classes in a run, over the utilization by the loads of the tables at the
/// same rate.
pub(crate) fn utilization(name: &str, report: &SimReport, point: &Point) -> String {
    let classes = report.classes.iter().zip(&point.busy_by_class);
    let dot = |(class, &busy): (&fabc_sim::AlikeChannels, &u64)| {
        let load = Fraction::new(class.load, u128::from(class.channels) * report.load.unit.max(1))
            .times(Fraction::from(point.rate));
        let carried = Fraction::new(busy, class.channels * u64::from(report.setting.measure));
        let (load, carried) = (percent(load), percent(carried));
        (load, carried, format!("{load:.1} % by the tables, {carried:.1} % measured"))
    };
    let mut points: Vec<(f64, f64, String)> = classes.map(dot).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let chart = Curve {
        label: format!("{name}: cycles in which channels moved a flit, by what the tables put on them"),
        x_title: "% by the tables, at this rate",
        y_title: "% measured",
        lines: vec![CurveLine { color: "--second", stroke: Stroke::Dots, points }],
        marks: Vec::new(),
    };
    curve(&chart)
}

fn percent(value: Fraction) -> f64 {
    value.as_f64() * 100.0
}
