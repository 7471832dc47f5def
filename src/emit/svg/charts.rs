//! Bar charts, such as histograms of hops and of channel loads.

use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape};
use crate::json::push;
use crate::number::grouped;

/// Largest width of a digit in a label, reached on narrow screens.
const DIGIT: f64 = 8.8;

/// A set of bars, one per category.
pub(crate) struct Series {
    /// CSS class of the bars.
    pub(crate) class: &'static str,
    pub(crate) name: &'static str,
    pub(crate) values: Vec<u64>,
    /// Hover text of every bar.
    pub(crate) titles: Vec<String>,
}

/// The contents of a bar chart.
pub(crate) struct Chart {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    /// Height of the drawing, for a width of 520.
    pub(crate) height: f64,
    pub(crate) categories: Vec<String>,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) series: Vec<Series>,
    /// A vertical line and its label. Its position is in categories: 0 is the left edge of the first, 1 its
    /// right edge.
    pub(crate) mark: Option<(f64, String)>,
}

/// The chart as an `<svg>` element.
pub(crate) fn bars(chart: &Chart) -> String {
    let (width, height) = (WIDTH - LEFT - RIGHT, chart.height - TOP - BOTTOM);
    let top = chart.series.iter().flat_map(|series| &series.values).copied().max().unwrap_or(0).max(1);
    let step = round_step(top, 5);
    let scale = height / (top.div_ceil(step) * step) as f64;
    let slot = width / chart.categories.len().max(1) as f64;
    let base = TOP + height;
    let mut out = frame::chart_head(&chart.label, chart.height, chart.y_title);
    for tick in 0..=top.div_ceil(step) {
        frame::push_grid_line(&mut out, base - (tick * step) as f64 * scale, &compact(tick * step));
    }
    let gap = if slot > 12.0 { slot * 0.2 } else { slot * 0.08 };
    let bar = (slot - gap) / chart.series.len().max(1) as f64;
    for (index, series) in chart.series.iter().enumerate() {
        for (category, (&value, title)) in
            series.values.iter().zip(&series.titles).enumerate().filter(|(_, (value, _))| **value > 0)
        {
            // Every value above zero must be visible.
            let tall = (value as f64 * scale).max(1.0);
            let x = LEFT + slot * category as f64 + gap / 2.0 + bar * index as f64;
            push(
                &mut out,
                format_args!(
                    "<rect class=\"{}\" x=\"{}\" y=\"{}\" ",
                    series.class,
                    coordinate(x),
                    coordinate(base - tall)
                ),
            );
            push(
                &mut out,
                format_args!(
                    "width=\"{}\" height=\"{}\"><title>{}</title></rect>",
                    coordinate(bar),
                    coordinate(tall),
                    escape(title)
                ),
            );
        }
    }
    frame::push_base_line(&mut out, base);
    let widest = chart.categories.iter().map(|label| label.chars().count()).max().unwrap_or(1);
    let every = (((widest as f64 + 1.5) * DIGIT / slot).ceil() as usize).max(1);
    for (category, label) in chart.categories.iter().enumerate().step_by(every) {
        frame::push_tick_label(&mut out, LEFT + slot * (category as f64 + 0.5), base, label);
    }
    frame::push_x_title(&mut out, base, chart.x_title);
    if let Some((place, label)) = &chart.mark {
        frame::push_mark(&mut out, LEFT + slot * place.min(chart.categories.len() as f64), base, label, true);
    }
    out.push_str("</svg>");
    out
}

/// The smallest step of 1, 2 or 5 times a power of ten that divides `top` into at most `steps` steps.
pub(crate) fn round_step(top: u64, steps: u64) -> u64 {
    let mut power = 1;
    loop {
        if let Some(step) =
            [power, 2 * power, 5 * power].into_iter().find(|&step| top.div_ceil(step) <= steps)
        {
            return step;
        }
        power *= 10;
    }
}

/// Abbreviates numbers: `12,000` becomes `12k`, `3,500,000` becomes `3.5M`.
pub(crate) fn compact(value: u64) -> String {
    for (unit, suffix) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")] {
        if value >= unit {
            let tenths = value / (unit / 10);
            return if tenths.is_multiple_of(10) {
                format!("{}{suffix}", tenths / 10)
            } else {
                format!("{}.{}{suffix}", tenths / 10, tenths % 10)
            };
        }
    }
    grouped(value)
}
