//! The steps of a job as bars over time. Compute and communication have a lane each, so that communication
//! that compute hides stands below that compute.

use super::charts::round_step;
use super::frame::{self, BOTTOM, RIGHT, TOP, WIDTH};
use super::text::{coordinate, escape, scaled};
use crate::json::push;

/// Height of a lane, of the name of a bar above its lanes, and of the gap between bars.
const LANE: f64 = 15.0;
const NAME: f64 = 20.0;
const GAP: f64 = 12.0;
/// The most intervals of the axis.
const TICKS: u64 = 6;
/// Units of time in nanoseconds, and what the axis is called in each.
const UNITS: [(u64, &str); 4] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];

/// One step, in nanoseconds.
pub(crate) struct StepBar {
    pub(crate) name: String,
    pub(crate) compute: u64,
    /// Communication that runs beside compute.
    pub(crate) hidden: u64,
    /// Communication after compute.
    pub(crate) exposed: u64,
}

/// The contents of a chart of steps.
pub(crate) struct StepChart {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) bars: Vec<StepBar>,
}

/// The chart as an `<svg>` element.
pub(crate) fn step_chart(chart: &StepChart) -> String {
    let row = NAME + 2.0 * LANE + GAP;
    let top = TOP - 18.0;
    let base = top + row * chart.bars.len() as f64;
    let longest = chart.bars.iter().map(|bar| bar.compute.saturating_add(bar.exposed)).max().unwrap_or(0);
    let (unit, unit_name) = UNITS.into_iter().find(|&(unit, _)| longest >= unit).unwrap_or(UNITS[3]);
    let interval = round_step(longest.max(1), TICKS);
    let end = longest.max(1).div_ceil(interval).saturating_mul(interval);
    let x = |time: u64| 1.0 + (WIDTH - RIGHT - 1.0) * time as f64 / end as f64;
    let mut out = frame::chart_head(&chart.label, base + BOTTOM, "");
    for tick in 0..=end / interval {
        let place = coordinate(x(tick * interval));
        push(&mut out, format_args!("<path class=\"grid\" d=\"M{place} {}V{}\"/>", coordinate(top), base));
    }
    for (index, bar) in chart.bars.iter().enumerate() {
        let y = top + row * index as f64;
        let [compute, communication] = [y + NAME, y + NAME + LANE];
        push(
            &mut out,
            format_args!(
                "<text class=\"axis\" x=\"1\" y=\"{}\">{}</text>",
                coordinate(y + NAME - 6.0),
                escape(&bar.name)
            ),
        );
        let mut part = |class: &str, y: f64, from: u64, to: u64| {
            let (left, right) = (x(from), x(to));
            push(
                &mut out,
                format_args!(
                    "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">",
                    coordinate(left),
                    coordinate(y),
                    coordinate((right - left).max(0.6)),
                    LANE - 1.0
                ),
            );
            let time = scaled(to - from, unit);
            push(
                &mut out,
                format_args!("<title>{}: {class} {time} {unit_name}</title></rect>", escape(&bar.name)),
            );
        };
        let end = bar.compute.saturating_add(bar.exposed);
        for (class, y, from, to) in [
            ("compute", compute, 0, bar.compute),
            ("hidden", communication, bar.compute.saturating_sub(bar.hidden), bar.compute),
            ("exposed", communication, bar.compute, end),
        ] {
            if to > from {
                part(class, y, from, to);
            }
        }
    }
    push(&mut out, format_args!("<path class=\"base\" d=\"M1 {base}H{}\"/>", WIDTH - RIGHT));
    for tick in 0..=end / interval {
        let label = scaled(tick * interval, unit);
        frame::push_tick_label(&mut out, x(tick * interval).max(6.0), base, &label);
    }
    frame::push_x_title(&mut out, base, unit_name);
    out.push_str("</svg>");
    out
}
