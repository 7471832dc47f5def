//! Times over sizes, both in powers: lines with points, the region that nothing reaches, and marks.

use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{at, escape};
use crate::json::push;

const HEIGHT: f64 = 280.0;

/// One line.
pub(crate) struct Timed {
    /// Name of its color in the style of the page.
    pub(crate) color: &'static str,
    /// (size, time) of its points, and what hovering says; sizes ascend, both above 0.
    pub(crate) points: Vec<(f64, f64, String)>,
}

/// A chart of times over sizes.
pub(crate) struct Sizes {
    /// What the picture shows, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) lines: Vec<Timed>,
    /// (size, time) of the edge below which nothing is,
    pub(crate) edge: Vec<(f64, f64)>,
    /// or above which.
    pub(crate) above: bool,
    /// The least and the largest size.
    pub(crate) ends: [f64; 2],
    /// Sizes with their labels below the axis.
    pub(crate) ticks: Vec<(f64, String)>,
    /// Times with their labels beside the axis, powers of ten; the first and the last are the ends.
    pub(crate) levels: Vec<(f64, String)>,
    /// Sizes that are marked, with labels.
    pub(crate) marks: Vec<(f64, String)>,
    /// A point that stands out, and what hovering says.
    pub(crate) dot: Option<(f64, f64, String)>,
}

/// The chart as an `<svg>` element.
pub(crate) fn sizes(chart: &Sizes) -> String {
    let base = HEIGHT - BOTTOM;
    let level = |of: Option<&(f64, String)>| of.map_or(0.0, |&(time, _)| libm::log2(time));
    let (low, high) = (level(chart.levels.first()), level(chart.levels.last()));
    let [left, right] = chart.ends.map(libm::log2);
    let share = |value: f64, first: f64, last: f64| (libm::log2(value) - first) / (last - first).max(1e-9);
    let x = |size: f64| LEFT + (WIDTH - LEFT - RIGHT) * share(size, left, right);
    let y = |time: f64| base - (base - TOP) * share(time, low, high);
    let mut out = frame::head(&chart.label, HEIGHT, chart.y_title);
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        points.map(|(size, time)| format!("{} {}", at(x(size)), at(y(time)))).collect::<Vec<_>>().join("L")
    };
    if let (Some(first), Some(last)) = (chart.edge.first(), chart.edge.last()) {
        let edge = path(&mut chart.edge.iter().copied());
        let (from, to, foot) = (at(x(first.0)), at(x(last.0)), at(if chart.above { TOP } else { base }));
        push(&mut out, format_args!("<path class=\"beyond\" d=\"M{from} {foot}L{edge}L{to} {foot}Z\"/>"));
        push(&mut out, format_args!("<path class=\"bound\" d=\"M{edge}\"/>"));
    }
    for (time, label) in &chart.levels {
        frame::line(&mut out, y(*time), label);
    }
    for (size, label) in &chart.ticks {
        frame::below(&mut out, x(*size), base, label);
    }
    frame::base_line(&mut out, base);
    frame::x_title(&mut out, base, chart.x_title);
    for line in &chart.lines {
        let points = path(&mut line.points.iter().map(|&(size, time, _)| (size, time)));
        push(
            &mut out,
            format_args!(
                "<path style=\"fill:none;stroke:var({});stroke-width:1.6\" d=\"M{points}\"/>",
                line.color
            ),
        );
        for (size, time, title) in &line.points {
            let (cx, cy) = (at(x(*size)), at(y(*time)));
            push(
                &mut out,
                format_args!("<circle style=\"fill:var({})\" cx=\"{cx}\" cy=\"{cy}\" r=\"2.2\">", line.color),
            );
            push(&mut out, format_args!("<title>{}</title></circle>", escape(title)));
        }
    }
    for (row, (size, label)) in chart.marks.iter().enumerate() {
        frame::mark(&mut out, x(*size), base, label, row == 0);
    }
    if let Some((size, time, title)) = &chart.dot {
        let (cx, cy) = (at(x(*size)), at(y(*time)));
        push(
            &mut out,
            format_args!(
                "<circle class=\"dot\" cx=\"{cx}\" cy=\"{cy}\" r=\"5\"><title>{}</title></circle>",
                escape(title)
            ),
        );
    }
    out.push_str("</svg>");
    out
}
