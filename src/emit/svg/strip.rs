//! A strip of columns that follow each other in time, with a row per kind: how much of it is busy.

use super::frame::{self, LEFT, RIGHT, TOP, WIDTH};
use super::text::{at, escape};
use crate::json::push;

/// Height of a row, and what is between rows.
const ROW: f64 = 30.0;
const GAP: f64 = 4.0;
/// Colors that say how busy something is.
const HEATS: usize = 6;

/// What happens at one time.
pub(crate) struct Column {
    /// How long it takes, in the unit of the strip.
    pub(crate) width: f64,
    /// By row: which part is busy, from 0 to 1.
    pub(crate) busy: Vec<f64>,
    /// What it is called.
    pub(crate) title: String,
}

/// A strip.
pub(crate) struct Strip {
    /// What the picture shows, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) x_title: String,
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<Column>,
    /// Numbers below the axis, in the unit of the strip.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// The strip as an `<svg>` element.
pub(crate) fn strip(chart: &Strip) -> String {
    let base = TOP + (ROW + GAP) * chart.rows.len() as f64;
    let all: f64 = chart.columns.iter().map(|column| column.width).sum();
    let x = |place: f64| LEFT + (WIDTH - LEFT - RIGHT) * place / all.max(1e-9);
    let mut out = frame::head(&chart.label, base + 40.0, "");
    for (row, name) in chart.rows.iter().enumerate() {
        let y = TOP + (ROW + GAP) * row as f64;
        push(
            &mut out,
            format_args!(
                "<text class=\"tick end\" x=\"{}\" y=\"{}\">{}</text>",
                LEFT - 8.0,
                at(y + ROW * 0.65),
                escape(name)
            ),
        );
        let mut place = 0.0;
        for column in &chart.columns {
            let busy = column.busy.get(row).copied().unwrap_or(0.0);
            let heat = libm::ceil(busy * (HEATS - 1) as f64).clamp(0.0, (HEATS - 1) as f64);
            let (from, to) = (x(place), x(place + column.width));
            push(
                &mut out,
                format_args!(
                    "<rect class=\"q{heat}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{ROW}\"><title>{}: {:.1} % of {} busy</title></rect>",
                    at(from),
                    at(y),
                    at((to - from).max(0.1)),
                    escape(&column.title),
                    busy * 100.0,
                    escape(name)
                ),
            );
            place += column.width;
        }
    }
    for (place, label) in &chart.ticks {
        frame::below(&mut out, x(*place), base, label);
    }
    frame::base_line(&mut out, base);
    frame::x_title(&mut out, base, &escape(&chart.x_title));
    out.push_str("</svg>");
    out
}
