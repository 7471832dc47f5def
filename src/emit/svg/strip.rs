//! Draws a strip of consecutive columns with one row per kind. The color shows how busy the kind is.

use super::frame::{self, LEFT, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape};
use crate::json::push;

/// Height of a row, and gap between rows.
const ROW: f64 = 30.0;
const GAP: f64 = 4.0;
const HEATS: usize = 6;

/// One interval of time in a strip.
pub(crate) struct StripColumn {
    /// Its length, in the unit of the strip.
    pub(crate) width: f64,
    /// `[row]`: busy fraction, from 0 to 1.
    pub(crate) busy: Vec<f64>,
    pub(crate) title: String,
}

/// The contents of a strip.
pub(crate) struct Strip {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) x_title: String,
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<StripColumn>,
    /// Labels below the axis, in the unit of the strip.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// The strip as an `<svg>` element.
pub(crate) fn strip(chart: &Strip) -> String {
    let base = TOP + (ROW + GAP) * chart.rows.len() as f64;
    let total: f64 = chart.columns.iter().map(|column| column.width).sum();
    let x = |start: f64| LEFT + (WIDTH - LEFT - RIGHT) * start / total.max(1e-9);
    let mut out = frame::chart_head(&chart.label, base + 40.0, "");
    for (row, name) in chart.rows.iter().enumerate() {
        let y = TOP + (ROW + GAP) * row as f64;
        push(
            &mut out,
            format_args!(
                "<text class=\"tick end\" x=\"{}\" y=\"{}\">{}</text>",
                LEFT - 8.0,
                coordinate(y + ROW * 0.65),
                escape(name)
            ),
        );
        let mut start = 0.0;
        for column in &chart.columns {
            let busy = column.busy.get(row).copied().unwrap_or(0.0);
            let heat = libm::ceil(busy * (HEATS - 1) as f64).clamp(0.0, (HEATS - 1) as f64);
            let (from, to) = (x(start), x(start + column.width));
            push(
                &mut out,
                format_args!(
                    "<rect class=\"q{heat}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{ROW}\"><title>{}: {:.1} % of {} busy</title></rect>",
                    coordinate(from),
                    coordinate(y),
                    coordinate((to - from).max(0.1)),
                    escape(&column.title),
                    busy * 100.0,
                    escape(name)
                ),
            );
            start += column.width;
        }
    }
    for (start, label) in &chart.ticks {
        frame::push_tick_label(&mut out, x(*start), base, label);
    }
    frame::push_base_line(&mut out, base);
    frame::push_x_title(&mut out, base, &escape(&chart.x_title));
    out.push_str("</svg>");
    out
}
