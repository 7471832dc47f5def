//! Latency over load, and load against what channels carried, as pictures.

use super::super::svg::{Curve, Line, Stroke, curve};
use super::ratios::share_of_bound;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Point, SimReport};

/// Means above so many zero-load latencies are left out: past saturation they say how long the run was.
const HIGHEST: u64 = 6;

/// Colors of the lines, one per scenario, round and round.
const COLORS: [&str; 4] = ["--one", "--two", "--three", "--four"];

/// What they and those of pages are in a picture that stands alone: not every program reads variables.
const VALUES: [(&str, &str); 5] = [
    ("--one", "#2563eb"),
    ("--two", "#d97706"),
    ("--three", "#059669"),
    ("--four", "#9333ea"),
    ("--edge", "#6b7280"),
];

/// More scenarios than this are a band behind the first.
const APART: usize = COLORS.len();

/// What a page has in its style sheet, for a picture that stands alone.
const STYLE: &str = "<style>svg{background:#fff;font:12px sans-serif}\
     .grid{stroke:#e5e7eb;fill:none}.base{stroke:#6b7280;fill:none}.mark{stroke:#dc2626;stroke-dasharray:4 3;fill:none}\
     .tick,.axis{fill:#4b5563}.marked{fill:#dc2626}.end{text-anchor:end}.mid{text-anchor:middle}</style>";

/// Mean latency over what is offered, in percent of the static bound of each scenario, as a file of its own.
pub fn simulation_svg(fabric: &Fabric, reports: &[SimReport]) -> String {
    let svg = latencies(&fabric.name, reports, &COLORS);
    let alone = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" ", 1);
    let alone = VALUES.iter().fold(alone, |svg, (name, value)| svg.replace(&format!("var({name})"), value));
    let style = alone.find('>').map_or(0, |end| end + 1);
    format!("{}{STYLE}{}\n", &alone[..style], &alone[style..])
}

/// The same as a part of a page that has these colors.
pub(crate) fn latencies(name: &str, reports: &[SimReport], colors: &[&'static str]) -> String {
    let band = reports.len() > APART;
    let line = |(k, report): (usize, &SimReport)| {
        let SimReport { scenario, load, points, .. } = report;
        let point = |point: &Point| {
            let delays = point.delays?;
            let low = delays.mean() <= load.mean_cycles.times(Fraction::whole(HIGHEST));
            let percent = percent(Fraction::from(point.rate).over(load.bound));
            let title = format!("{scenario}: {} offered, {:.1} cycles", point.rate, delays.mean().as_f64());
            low.then(|| (percent, delays.mean().as_f64(), title))
        };
        let (color, stroke) = match band && k > 0 {
            true => ("--edge", Stroke::Faint),
            false => (colors[k % colors.len()], Stroke::Bold),
        };
        Line { color, stroke, points: points.iter().filter_map(point).collect() }
    };
    let mut lines: Vec<Line> =
        reports.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect();
    // What is in front comes last.
    lines.sort_by_key(|line| line.stroke != Stroke::Faint);
    let stable =
        |report: &SimReport| report.saturations.iter().map(|found| share_of_bound(report, found)).min();
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

/// What classes of channels carried in a run over what the tables put on them at its rate.
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
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let chart = Curve {
        label: format!("{name}: cycles in which channels moved a flit, by what the tables put on them"),
        x_title: "% by the tables, at this rate",
        y_title: "% measured",
        lines: vec![Line { color: "--second", stroke: Stroke::Dots, points }],
        marks: Vec::new(),
    };
    curve(&chart)
}

fn percent(value: Fraction) -> f64 {
    value.as_f64() * 100.0
}
