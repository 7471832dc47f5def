//! Charts of shares over months, and of stacked losses.

use super::frame::{self, BOTTOM, LEFT, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape};
use crate::json::push;

const HEIGHT: f64 = 260.0;

/// Height of a stacked bar with the gap below it.
const ROW: f64 = 26.0;

/// The most ticks of an axis.
const TICKS: f64 = 6.0;

/// A line of values over months, with the range around it.
pub(crate) struct BandLine {
    /// Hover text of the line.
    pub(crate) title: String,
    /// `[month]`: the least value, the one on the line, the largest value.
    pub(crate) points: Vec<[f64; 3]>,
}

/// A chart of shares over months.
pub(crate) struct TimeChart {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) y_title: &'static str,
    pub(crate) lines: Vec<BandLine>,
}

/// A bar of stacked parts.
pub(crate) struct LossBar {
    /// The name before the bar.
    pub(crate) name: String,
    /// The lengths of its parts.
    pub(crate) parts: Vec<f64>,
}

/// A chart of stacked bars, one below the other.
pub(crate) struct LossBars {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    /// Names of the parts of bars.
    pub(crate) parts: Vec<&'static str>,
    pub(crate) bars: Vec<LossBar>,
}

/// The smallest step of 1, 2 or 5 times a power of ten that divides a range into few parts.
fn tick_step(range: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(range / TICKS)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| range / step <= TICKS).unwrap_or(steps[3])
}

/// The number at a tick, with as many decimals as its step needs.
fn tick_text(value: f64, step: f64) -> String {
    let decimals = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
    format!("{value:.decimals$}")
}

/// The lines with their bands, as an `<svg>` element. The axis of shares ends at 1.
pub(crate) fn time_chart(chart: &TimeChart) -> String {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let months = chart.lines.iter().map(|line| line.points.len()).max().unwrap_or(0).max(1);
    let least = points().map(|[low, ..]| *low).fold(1.0, f64::min).min(0.999);
    let step = tick_step(1.0 - least);
    let ticks = libm::ceil((1.0 - least) / step - 1e-9);
    let floor = 1.0 - ticks * step;
    let base = HEIGHT - BOTTOM;
    // A month is drawn at its middle.
    let x = |month: usize| LEFT + (WIDTH - LEFT - RIGHT) * (month as f64 + 0.5) / months as f64;
    let y = |share: f64| base - (base - TOP) * (share - floor) / (1.0 - floor);
    let mut out = frame::chart_head(&chart.label, HEIGHT, chart.y_title);
    for tick in 0..=ticks as u32 {
        let share = floor + f64::from(tick) * step;
        frame::push_grid_line(&mut out, y(share), &tick_text(share, step));
    }
    let every = match months {
        0..=12 => 1,
        13..=36 => 3,
        _ => 12 * months.div_ceil(120),
    };
    for month in (0..=months).step_by(every) {
        let place = LEFT + (WIDTH - LEFT - RIGHT) * month as f64 / months as f64;
        frame::push_tick_label(&mut out, place, base, &month.to_string());
    }
    frame::push_base_line(&mut out, base);
    frame::push_x_title(&mut out, base, "months");
    let place = |month: usize, share: f64| format!("{} {}", coordinate(x(month)), coordinate(y(share)));
    for (number, line) in chart.lines.iter().enumerate() {
        let above = line.points.iter().enumerate().map(|(month, [.., high])| place(month, *high));
        let below = line.points.iter().enumerate().rev().map(|(month, [low, ..])| place(month, *low));
        let outline = above.chain(below).collect::<Vec<_>>().join("L");
        push(
            &mut out,
            format_args!("<path class=\"band\" style=\"--line-number:{number}\" d=\"M{outline}Z\"/>"),
        );
    }
    for (number, line) in chart.lines.iter().enumerate() {
        let middle = line.points.iter().enumerate().map(|(month, [_, middle, _])| place(month, *middle));
        let middle = middle.collect::<Vec<_>>().join("L");
        push(
            &mut out,
            format_args!(
                "<path class=\"middle\" style=\"--line-number:{number}\" d=\"M{middle}\"><title>{}</title></path>",
                escape(&line.title)
            ),
        );
    }
    out.push_str("</svg>");
    out
}

/// The stacked bars as an `<svg>` element.
pub(crate) fn loss_bars(chart: &LossBars) -> String {
    let longest = chart.bars.iter().map(|bar| bar.parts.iter().sum::<f64>()).fold(1e-6, f64::max);
    let step = tick_step(longest);
    let ticks = libm::ceil(longest / step - 1e-9);
    let x = |share: f64| LEFT + (WIDTH - LEFT - RIGHT) * share / (ticks * step);
    let base = TOP + ROW * chart.bars.len() as f64;
    let mut out = frame::chart_head(&chart.label, base + BOTTOM, "policy");
    for tick in 0..=ticks as u32 {
        let share = f64::from(tick) * step;
        frame::push_tick_label(&mut out, x(share), base, &tick_text(share, step));
    }
    for (row, bar) in chart.bars.iter().enumerate() {
        let top = TOP + ROW * row as f64;
        push(
            &mut out,
            format_args!(
                "<text class=\"tick end\" x=\"{}\" y=\"{}\">{}</text>",
                LEFT - 8.0,
                coordinate(top + 15.0),
                escape(&bar.name)
            ),
        );
        let mut start = 0.0;
        for (number, (part, name)) in bar.parts.iter().zip(&chart.parts).enumerate() {
            if *part > 0.0 {
                let [left, end] = [x(start), x(start + part)];
                push(
                    &mut out,
                    format_args!(
                        "<rect class=\"lost\" style=\"--line-number:{number}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: {part:.6}</title></rect>",
                        coordinate(left),
                        coordinate(top + 2.0),
                        coordinate(end - left),
                        ROW - 6.0,
                        escape(name)
                    ),
                );
            }
            start += part;
        }
    }
    frame::push_base_line(&mut out, base);
    frame::push_x_title(&mut out, base, "lost share of the time of slices");
    out.push_str("</svg>");
    out
}
