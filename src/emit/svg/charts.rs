//! Bar charts: hop and channel-load histograms.

use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{at, escape};
use crate::json::push;
use crate::number::grouped;

/// Width of a digit of a label where it is largest, on narrow screens.
const DIGIT: f64 = 8.8;

/// One set of bars.
pub(crate) struct Series {
    /// CSS class of its bars.
    pub(crate) class: &'static str,
    /// What they count.
    pub(crate) name: &'static str,
    /// One value per category.
    pub(crate) values: Vec<u64>,
    /// What hovering says, per category.
    pub(crate) titles: Vec<String>,
}

/// A bar chart.
pub(crate) struct Chart {
    /// What the picture shows, for readers who cannot see it.
    pub(crate) label: String,
    /// Height of the drawing, of a width of 520.
    pub(crate) height: f64,
    /// Below the bars.
    pub(crate) categories: Vec<String>,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) series: Vec<Series>,
    /// A vertical line at a place in categories (0 is the left edge of the first, 1 its right edge), and its
    /// label.
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
    let mut out = frame::head(&chart.label, chart.height, chart.y_title);
    for tick in 0..=top.div_ceil(step) {
        frame::line(&mut out, base - (tick * step) as f64 * scale, &compact(tick * step));
    }
    let gap = if slot > 12.0 { slot * 0.2 } else { slot * 0.08 };
    let bar = (slot - gap) / chart.series.len().max(1) as f64;
    for (which, series) in chart.series.iter().enumerate() {
        for (category, (&value, title)) in
            series.values.iter().zip(&series.titles).enumerate().filter(|(_, (value, _))| **value > 0)
        {
            // What exists must be seen, however small.
            let tall = (value as f64 * scale).max(1.0);
            let x = LEFT + slot * category as f64 + gap / 2.0 + bar * which as f64;
            push(
                &mut out,
                format_args!("<rect class=\"{}\" x=\"{}\" y=\"{}\" ", series.class, at(x), at(base - tall)),
            );
            push(
                &mut out,
                format_args!(
                    "width=\"{}\" height=\"{}\"><title>{}</title></rect>",
                    at(bar),
                    at(tall),
                    escape(title)
                ),
            );
        }
    }
    frame::base_line(&mut out, base);
    let widest = chart.categories.iter().map(|label| label.chars().count()).max().unwrap_or(1);
    let every = (((widest as f64 + 1.5) * DIGIT / slot).ceil() as usize).max(1);
    for (category, label) in chart.categories.iter().enumerate().step_by(every) {
        frame::below(&mut out, LEFT + slot * (category as f64 + 0.5), base, label);
    }
    frame::x_title(&mut out, base, chart.x_title);
    if let Some((place, label)) = &chart.mark {
        frame::mark(&mut out, LEFT + slot * place.min(chart.categories.len() as f64), base, label, true);
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

/// `12,000` as `12k`, `3,500,000` as `3.5M`.
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
