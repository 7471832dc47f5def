//! Line charts of values over percent, with marks.

use super::charts::round_step;
use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape};
use crate::json::push;

const HEIGHT: f64 = 260.0;

/// One line of a chart.
pub(crate) struct CurveLine {
    /// CSS variable of its color.
    pub(crate) color: &'static str,
    /// Points (percent, value, hover text), ascending.
    pub(crate) points: Vec<(f64, f64, String)>,
    pub(crate) stroke: Stroke,
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stroke {
    /// A line with a dot at every point.
    Bold,
    /// A thin line behind the others.
    Faint,
    /// Dots that no line connects.
    Dots,
    /// A thin dashed line without dots, for a value to compare with.
    Dashed,
}

/// An area between two values of every percentage.
pub(crate) struct CurveBand {
    /// CSS variable of its color.
    pub(crate) color: &'static str,
    /// The least and the largest value of every percentage, ascending.
    pub(crate) edges: Vec<CurveSpan>,
}

/// Two values at a percentage.
#[derive(Clone, Copy)]
pub(crate) struct CurveSpan {
    pub(crate) percent: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// What stands behind the lines of a chart.
#[derive(Default)]
pub(crate) struct CurveSpans {
    pub(crate) bands: Vec<CurveBand>,
    /// Upright bars with a cap at either end, each in the color of a CSS variable.
    pub(crate) bars: Vec<(&'static str, CurveSpan)>,
}

/// A line chart over percent.
pub(crate) struct Curve {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) lines: Vec<CurveLine>,
    /// Vertical lines at a percentage, with labels.
    pub(crate) marks: Vec<(f64, String)>,
}

/// The chart as an `<svg>` element.
pub(crate) fn curve(chart: &Curve) -> String {
    curve_over(chart, &CurveSpans::default())
}

/// The chart as an `<svg>` element, over bands and bars.
pub(crate) fn curve_over(chart: &Curve, behind: &CurveSpans) -> String {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let spans = || {
        let of_bands = behind.bands.iter().flat_map(|band| &band.edges);
        of_bands.chain(behind.bars.iter().map(|(_, span)| span))
    };
    let highest =
        points().map(|&(_, value, _)| value).chain(spans().map(|span| span.high)).fold(1.0, f64::max);
    let farthest = points()
        .map(|&(percent, ..)| percent)
        .chain(chart.marks.iter().map(|&(percent, _)| percent))
        .fold(10.0, f64::max);
    let (steps, percent_range) = (libm::ceil(highest), libm::ceil(farthest / 10.0) * 10.0);
    let base = HEIGHT - BOTTOM;
    let x = |percent: f64| LEFT + (WIDTH - LEFT - RIGHT) * percent / percent_range;
    let y = |value: f64| base - (base - TOP) * value / steps;
    let mut out = frame::chart_head(&chart.label, HEIGHT, chart.y_title);
    let every = round_step(steps as u64, 10);
    for tick in (0..=steps as u64).step_by(every as usize) {
        frame::push_grid_line(&mut out, y(tick as f64), &tick.to_string());
    }
    let finest = if percent_range > 20.0 { 10 } else { 1 };
    let every = round_step(percent_range as u64, 14).max(finest);
    for tick in (0..=percent_range as u64).step_by(every as usize) {
        frame::push_tick_label(&mut out, x(tick as f64), base, &tick.to_string());
    }
    frame::push_base_line(&mut out, base);
    frame::push_x_title(&mut out, base, chart.x_title);
    push_spans(&mut out, behind, &x, &y);
    for line in &chart.lines {
        let path: Vec<String> = line
            .points
            .iter()
            .map(|&(percent, value, _)| format!("{} {}", coordinate(x(percent)), coordinate(y(value))))
            .collect();
        let style = match line.stroke {
            Stroke::Bold => Some("stroke-width:2"),
            Stroke::Faint => Some("stroke-width:1;opacity:.35"),
            Stroke::Dashed => Some("stroke-width:1.2;stroke-dasharray:5 4"),
            Stroke::Dots => None,
        };
        if let Some(style) = style {
            push(
                &mut out,
                format_args!(
                    "<path style=\"fill:none;stroke:var({});{style}\" d=\"M{}\"/>",
                    line.color,
                    path.join("L")
                ),
            );
        }
        let has_dots = matches!(line.stroke, Stroke::Bold | Stroke::Dots);
        for (percent, value, title) in line.points.iter().filter(|_| has_dots) {
            let (cx, cy) = (coordinate(x(*percent)), coordinate(y(*value)));
            push(
                &mut out,
                format_args!("<circle style=\"fill:var({})\" cx=\"{cx}\" cy=\"{cy}\" r=\"3\">", line.color),
            );
            push(&mut out, format_args!("<title>{}</title></circle>", escape(title)));
        }
    }
    for (row, (percent, label)) in chart.marks.iter().enumerate() {
        frame::push_mark(&mut out, x(*percent), base, label, row == 0);
    }
    out.push_str("</svg>");
    out
}

/// Draws bands, and upright bars with caps, at the places that `x` and `y` give.
fn push_spans(out: &mut String, behind: &CurveSpans, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) {
    let place = |percent: f64, value: f64| format!("{} {}", coordinate(x(percent)), coordinate(y(value)));
    for CurveBand { color, edges } in behind.bands.iter().filter(|band| band.edges.len() > 1) {
        let above = edges.iter().map(|edge| place(edge.percent, edge.high));
        let below = edges.iter().rev().map(|edge| place(edge.percent, edge.low));
        let outline = above.chain(below).collect::<Vec<_>>().join("L");
        push(
            out,
            format_args!(
                "<path style=\"stroke:none;fill:var({color});fill-opacity:.22\" d=\"M{outline}Z\"/>"
            ),
        );
    }
    for (color, CurveSpan { percent, low, high }) in &behind.bars {
        let [left, middle, right] = [-3.5, 0.0, 3.5].map(|shift| coordinate(x(*percent) + shift));
        let [low, high] = [*low, *high].map(|value| coordinate(y(value)));
        push(
            out,
            format_args!(
                "<path style=\"fill:none;stroke:var({color});stroke-width:1.4\" d=\"M{left} {low}H{right}M{left} {high}H{right}M{middle} {low}V{high}\"/>"
            ),
        );
    }
}
