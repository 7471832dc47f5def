//! Charts of times over sizes with logarithmic axes: lines with points, the region beyond a bound, and marks.

use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape};
use crate::json::push;

const HEIGHT: f64 = 280.0;

/// One line of a chart.
pub(crate) struct TimeLine {
    /// CSS variable of its color.
    pub(crate) color: &'static str,
    /// Points (size, time, hover text). Sizes ascend, and both numbers are positive.
    pub(crate) points: Vec<(f64, f64, String)>,
}

/// A chart of times over sizes.
pub(crate) struct SizeChart {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) lines: Vec<TimeLine>,
    /// The bound as points (size, time).
    pub(crate) edge: Vec<(f64, f64)>,
    /// Whether the region beyond the bound lies above it.
    pub(crate) above: bool,
    /// The size at the left end of the axis.
    pub(crate) smallest: f64,
    /// The size at the right end of the axis.
    pub(crate) largest: f64,
    /// Sizes with labels below the axis.
    pub(crate) ticks: Vec<(f64, String)>,
    /// Times with labels beside the axis, powers of ten. The first and the last are the ends of the axis.
    pub(crate) levels: Vec<(f64, String)>,
    /// Sizes with vertical marks and their labels.
    pub(crate) marks: Vec<(f64, String)>,
    /// A highlighted point (size, time, hover text).
    pub(crate) dot: Option<(f64, f64, String)>,
}

/// The chart as an `<svg>` element.
pub(crate) fn size_chart(chart: &SizeChart) -> String {
    let base = HEIGHT - BOTTOM;
    let level = |labelled: Option<&(f64, String)>| labelled.map_or(0.0, |&(time, _)| libm::log2(time));
    let (low, high) = (level(chart.levels.first()), level(chart.levels.last()));
    let [left, right] = [chart.smallest, chart.largest].map(libm::log2);
    let share = |value: f64, first: f64, last: f64| (libm::log2(value) - first) / (last - first).max(1e-9);
    let x = |size: f64| LEFT + (WIDTH - LEFT - RIGHT) * share(size, left, right);
    let y = |time: f64| base - (base - TOP) * share(time, low, high);
    let mut out = frame::chart_head(&chart.label, HEIGHT, chart.y_title);
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        points
            .map(|(size, time)| format!("{} {}", coordinate(x(size)), coordinate(y(time))))
            .collect::<Vec<_>>()
            .join("L")
    };
    if let (Some(first), Some(last)) = (chart.edge.first(), chart.edge.last()) {
        let edge = path(&mut chart.edge.iter().copied());
        let (from, to, foot) =
            (coordinate(x(first.0)), coordinate(x(last.0)), coordinate(if chart.above { TOP } else { base }));
        push(&mut out, format_args!("<path class=\"beyond\" d=\"M{from} {foot}L{edge}L{to} {foot}Z\"/>"));
        push(&mut out, format_args!("<path class=\"bound\" d=\"M{edge}\"/>"));
    }
    for (time, label) in &chart.levels {
        frame::push_grid_line(&mut out, y(*time), label);
    }
    for (size, label) in &chart.ticks {
        frame::push_tick_label(&mut out, x(*size), base, label);
    }
    frame::push_base_line(&mut out, base);
    frame::push_x_title(&mut out, base, chart.x_title);
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
            let (cx, cy) = (coordinate(x(*size)), coordinate(y(*time)));
            push(
                &mut out,
                format_args!("<circle style=\"fill:var({})\" cx=\"{cx}\" cy=\"{cy}\" r=\"2.2\">", line.color),
            );
            push(&mut out, format_args!("<title>{}</title></circle>", escape(title)));
        }
    }
    for (row, (size, label)) in chart.marks.iter().enumerate() {
        frame::push_mark(&mut out, x(*size), base, label, row == 0);
    }
    if let Some((size, time, title)) = &chart.dot {
        let (cx, cy) = (coordinate(x(*size)), coordinate(y(*time)));
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
