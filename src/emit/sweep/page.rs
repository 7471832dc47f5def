//! Writes `index.html` of a sweep: curves over every parameter, Pareto fronts, and the table with a link to
//! every run.

use super::table::{SweepTable, built_path};
use crate::svg::escape;
use fabc_ir::{SweepOutcome, SweepRun};
use fabc_model::{Direction, Metric, figure_direction};
use minijinja::{Environment, Value, context};

/// Metrics that are plotted over parameters, if runs have them.
const CURVES: [&str; 8] = [
    "bandwidth",
    "concurrent_flow",
    "average_hops",
    "diameter",
    "max_channel_load",
    "latency",
    "cost",
    "bisection",
];

/// Pairs of metrics whose trade-off is drawn: right, up.
const FRONTS: [(&str, &str); 5] = [
    ("latency", "bandwidth"),
    ("average_hops", "bandwidth"),
    ("nodes", "bandwidth"),
    ("cost", "bandwidth"),
    ("cost_per_host", "bandwidth"),
];

/// Width and height of a picture in pixels.
const SIZE: [f64; 2] = [360.0, 240.0];

/// Margins in pixels: left, right, top, bottom.
const MARGINS: [f64; 4] = [58.0, 14.0, 14.0, 40.0];

/// A dot of a picture, which links to a report.
struct Dot {
    point: [f64; 2],
    link: String,
    title: String,
}

/// The text of the page.
pub fn sweep_html(table: &SweepTable) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
        .add_template("sweep.html", include_str!("sweep.html.jinja"))
        .expect("the template parses: it is compiled in");
    let template = environment.get_template("sweep.html").expect("added above");
    template.render(page(table)).expect("the template uses what `page` gives it")
}

fn page(table: &SweepTable) -> Value {
    let metrics = table.metrics();
    let rows: Vec<Value> = table
        .rows()
        .map(|(run, outcome)| {
            let values: Vec<&str> = metrics.iter().map(|name| outcome.metric(name).unwrap_or("–")).collect();
            let link = outcome.error().is_none().then(|| report_link(run));
            context! { values => run.values, status => outcome.status(), metrics => values, link, error => outcome.error() }
        })
        .collect();
    let failed =
        table.outcomes.iter().filter(|outcome| matches!(outcome, SweepOutcome::Failed { .. })).count();
    let broken = table.outcomes.iter().filter(|outcome| outcome.status() == "broken").count();
    let fabric = table.plan.runs.first().map_or("", |run| run.fabric.as_str());
    context! {
        style => include_str!("../report_html/style.css"),
        script => include_str!("../report_html/script.js"),
        fabric,
        until => table.plan.until,
        parameters => table.plan.parameters,
        metrics,
        count => rows.len(),
        rows,
        failed,
        broken,
        curves => curves(table),
        fronts => fronts(table),
    }
}

fn report_link(run: &SweepRun) -> String {
    format!("{}/report.html", built_path(run))
}

/// Hover text of a dot.
fn title(table: &SweepTable, run: &SweepRun, values: &[(&str, f64)]) -> String {
    let parameters =
        table.plan.parameters.iter().zip(&run.values).map(|(name, value)| format!("{name} = {value}"));
    let values = values.iter().map(|(name, value)| format!("{name} {}", tick_text(*value)));
    parameters.chain(values).collect::<Vec<_>>().join(", ")
}

/// The number at the start of a value, and its unit: 100 and `GB/s` for `100 GB/s`. A parameter with several
/// units has no axis.
fn leading_number(value: &str) -> Option<(f64, &str)> {
    let end = value.find(|sign: char| !sign.is_ascii_digit() && !"_.-".contains(sign)).unwrap_or(value.len());
    value[..end].replace('_', "").parse().ok().map(|number| (number, value[end..].trim()))
}

/// Maximum lines of a picture with a legend.
const LEGEND: usize = 10;

/// The name of a metric with its unit.
fn with_unit(metric: &str) -> String {
    let unit = Metric::every().find(|known| known.name() == metric).map_or("", Metric::unit);
    if unit.is_empty() { metric.to_owned() } else { format!("{metric}, {unit}") }
}

/// One picture per metric and per parameter with several numbers. It has a line for every combination of the
/// other parameters, with a legend where there are few.
fn curves(table: &SweepTable) -> Vec<Value> {
    let mut pictures = Vec::new();
    for (parameter_index, parameter) in table.plan.parameters.iter().enumerate() {
        let numbers: Option<Vec<(f64, &str)>> =
            table.plan.runs.iter().map(|run| leading_number(&run.values[parameter_index])).collect();
        let Some(numbers) = numbers else { continue };
        let one_unit = numbers.iter().all(|(_, unit)| *unit == numbers[0].1);
        if !one_unit || numbers.iter().all(|(number, _)| *number == numbers[0].0) {
            continue;
        }
        let unit = if numbers[0].1.is_empty() {
            parameter.clone()
        } else {
            format!("{parameter}, {}", numbers[0].1)
        };
        for metric in CURVES {
            let mut lines: Vec<(Vec<&String>, Vec<Dot>)> = Vec::new();
            for ((run, outcome), (x, _)) in table.rows().zip(&numbers) {
                let Some(y) = outcome.metric(metric).and_then(|value| value.parse::<f64>().ok()) else {
                    continue;
                };
                let other_values: Vec<&String> = run
                    .values
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != parameter_index)
                    .map(|(_, value)| value)
                    .collect();
                let dot =
                    Dot { point: [*x, y], link: report_link(run), title: title(table, run, &[(metric, y)]) };
                match lines.iter_mut().find(|(known, _)| *known == other_values) {
                    Some((_, dots)) => dots.push(dot),
                    None => lines.push((other_values, vec![dot])),
                }
            }
            let others: Vec<&String> = table
                .plan
                .parameters
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != parameter_index)
                .map(|(_, name)| name)
                .collect();
            let named = |(values, _): &(Vec<&String>, Vec<Dot>)| {
                let pairs = others.iter().zip(values).map(|(name, value)| format!("{name} = {value}"));
                pairs.collect::<Vec<_>>().join(", ")
            };
            let legend: Vec<String> =
                if lines.len() <= LEGEND { lines.iter().map(named).collect() } else { Vec::new() };
            let mut lines: Vec<Vec<Dot>> = lines.into_iter().map(|(_, dots)| dots).collect();
            lines.iter_mut().for_each(|dots| dots.sort_by(|a, b| a.point[0].total_cmp(&b.point[0])));
            // A metric that is the same for all runs needs no picture.
            let mut values = lines.iter().flatten().map(|dot| dot.point[1]);
            if values.next().is_some_and(|first| values.any(|value| value != first)) {
                let picture = picture(&unit, &with_unit(metric), &lines, None);
                pictures.push(context! { picture, legend });
            }
        }
    }
    pictures
}

/// One picture per pair of metrics, with its Pareto front.
fn fronts(table: &SweepTable) -> Vec<String> {
    let mut pictures = Vec::new();
    for (right, up) in FRONTS {
        let mut dots: Vec<Dot> = Vec::new();
        for (run, outcome) in table.rows() {
            let value = |name: &str| outcome.metric(name).and_then(|value| value.parse::<f64>().ok());
            let (Some(x), Some(y)) = (value(right), value(up)) else { continue };
            dots.push(Dot {
                point: [x, y],
                link: report_link(run),
                title: title(table, run, &[(right, x), (up, y)]),
            });
        }
        let different = |axis: usize| dots.iter().any(|dot| dot.point[axis] != dots[0].point[axis]);
        if dots.is_empty() || !different(0) || !different(1) {
            continue;
        }
        let front = pareto_front(&dots, [right, up].map(larger_is_better));
        pictures.push(picture(&with_unit(right), &with_unit(up), &[dots], Some(front)));
    }
    pictures
}

/// Whether larger values of a metric are better. More nodes count as better, because the fabric serves more.
fn larger_is_better(metric: &str) -> bool {
    metric == "nodes" || figure_direction(metric) == Direction::More
}

/// The dots that no other dot dominates, from the left.
fn pareto_front(dots: &[Dot], more: [bool; 2]) -> Vec<[f64; 2]> {
    let better = |a: f64, b: f64, more: bool| if more { a >= b } else { a <= b };
    let beaten = |dot: &Dot| {
        let beats = |other: &Dot| {
            other.point != dot.point
                && (0..2).all(|axis| better(other.point[axis], dot.point[axis], more[axis]))
        };
        dots.iter().any(beats)
    };
    let mut front: Vec<[f64; 2]> = dots.iter().filter(|dot| !beaten(dot)).map(|dot| dot.point).collect();
    front.sort_by(|a, b| a[0].total_cmp(&b[0]));
    front.dedup();
    front
}

/// The ends of an axis, which are round numbers, and its ticks.
fn axis(values: impl Iterator<Item = f64> + Clone) -> (f64, f64, Vec<f64>) {
    let integers = values.clone().all(|value| value == libm::floor(value));
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) =
        if high > low { (low, high) } else { (low - low.abs() * 0.1 - 1e-9, high + high.abs() * 0.1 + 1e-9) };
    let mut step = libm::pow(10.0, libm::floor(libm::log10(high - low)));
    for part in [0.5, 0.4, 0.5] {
        if (high - low) / step < 4.0 {
            step *= part;
        }
    }
    // Integers need no ticks between them.
    let step = if integers { step.max(1.0) } else { step };
    let (first, last) = (libm::floor(low / step), libm::ceil(high / step));
    let ticks = (0..=(last - first) as u32).map(|tick| (first + f64::from(tick)) * step).collect();
    (first * step, last * step, ticks)
}

/// Draws lines with dots, or a cloud of dots with its front.
fn picture(x_title: &str, y_title: &str, lines: &[Vec<Dot>], front: Option<Vec<[f64; 2]>>) -> String {
    let [left, right, top, bottom] = MARGINS;
    let [width, height] = SIZE;
    let dots = || lines.iter().flatten();
    let caption = format!("<figcaption>{}</figcaption>", escape(y_title));
    let (x_low, x_high, x_ticks) = axis(dots().map(|dot| dot.point[0]));
    let (y_low, y_high, y_ticks) = axis(dots().map(|dot| dot.point[1]));
    let x = |value: f64| left + (width - left - right) * (value - x_low) / (x_high - x_low);
    let y = |value: f64| height - bottom - (height - top - bottom) * (value - y_low) / (y_high - y_low);
    let label = format!("{y_title} over {x_title}");
    let mut out = format!(
        "{caption}<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(&label)
    );
    for tick in y_ticks {
        let tick_y = y(tick);
        out += &format!(
            "<line class=\"rule\" x1=\"{left}\" y1=\"{tick_y:.1}\" x2=\"{:.1}\" y2=\"{tick_y:.1}\"/>",
            width - right
        );
        out += &format!(
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            left - 6.0,
            tick_y + 4.0,
            tick_text(tick)
        );
    }
    for tick in x_ticks {
        let (tick_x, below) = (x(tick), height - bottom + 16.0);
        out += &format!(
            "<text class=\"tick\" x=\"{tick_x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>\n",
            tick_text(tick)
        );
    }
    let path = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        points.map(|[a, b]| format!("{:.1},{:.1}", x(a), y(b))).collect::<Vec<_>>().join(" ")
    };
    match &front {
        Some(front) => {
            out += &format!("<polyline class=\"front\" points=\"{}\"/>\n", path(&mut front.iter().copied()))
        }
        None => {
            for (number, line) in lines.iter().enumerate() {
                out += &format!(
                    "<polyline class=\"curve\" style=\"--line-number:{number}\" points=\"{}\"/>\n",
                    path(&mut line.iter().map(|dot| dot.point))
                );
            }
        }
    }
    // The best dots come last, on top of their neighbors.
    let best = |dot: &&Dot| front.as_ref().is_some_and(|front| front.contains(&dot.point));
    for dot in dots().filter(|dot| !best(dot)).chain(dots().filter(best)) {
        let Dot { point, link, title } = dot;
        let class = if best(&dot) { "spot best" } else { "spot" };
        let (a, b) = (x(point[0]), y(point[1]));
        out += &format!(
            "<a href=\"{}\"><circle class=\"{class}\" cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"4\">",
            escape(link)
        );
        out += &format!("<title>{}</title></circle></a>\n", escape(title));
    }
    let (middle, end) = ((left + width - right) / 2.0, height - 8.0);
    out += &format!(
        "<text class=\"axis\" x=\"{middle:.1}\" y=\"{end:.1}\" text-anchor=\"middle\">{}</text>\n",
        escape(x_title)
    );
    out + "</svg>"
}

/// The number of a tick, without the digits that rounding errors add.
fn tick_text(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
