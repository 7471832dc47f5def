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

/// One step with its parts in nanoseconds.
pub(crate) struct StepBar {
    pub(crate) name: String,
    pub(crate) compute: u64,
    /// Communication that runs beside compute.
    pub(crate) hidden: u64,
    /// Communication that comes after compute.
    pub(crate) exposed: u64,
}

/// The contents of a chart of steps.
pub(crate) struct StepChart {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) bars: Vec<StepBar>,
}

/// The axis of time, from 0 to the end of its last interval.
struct TimeAxis {
    interval: u64,
    end: u64,
    unit: u64,
    unit_name: &'static str,
}

impl TimeAxis {
    fn new(longest: u64) -> Self {
        let (unit, unit_name) = UNITS.into_iter().find(|&(unit, _)| longest >= unit).unwrap_or(UNITS[3]);
        let interval = round_step(longest.max(1), TICKS);
        let end = longest.max(1).div_ceil(interval).saturating_mul(interval);
        Self { interval, end, unit, unit_name }
    }

    /// The place of a time in the drawing.
    fn x(&self, time: u64) -> f64 {
        1.0 + (WIDTH - RIGHT - 1.0) * time as f64 / self.end as f64
    }

    fn ticks(&self) -> impl Iterator<Item = u64> + '_ {
        (0..=self.end / self.interval).map(|tick| tick * self.interval)
    }
}

/// The chart as an `<svg>` element.
pub(crate) fn step_chart(chart: &StepChart) -> String {
    let row = NAME + 2.0 * LANE + GAP;
    let top = TOP - 18.0;
    let base = top + row * chart.bars.len() as f64;
    let longest = chart.bars.iter().map(|bar| bar.compute.saturating_add(bar.exposed)).max();
    let axis = TimeAxis::new(longest.unwrap_or(0));
    let mut out = frame::chart_head(&chart.label, base + BOTTOM, "");
    for tick in axis.ticks() {
        let x = coordinate(axis.x(tick));
        push(&mut out, format_args!("<path class=\"grid\" d=\"M{x} {top}V{base}\"/>"));
    }
    for (index, bar) in chart.bars.iter().enumerate() {
        push_bar(&mut out, &axis, bar, top + row * index as f64);
    }
    push(&mut out, format_args!("<path class=\"base\" d=\"M1 {base}H{}\"/>", WIDTH - RIGHT));
    for tick in axis.ticks() {
        frame::push_tick_label(&mut out, axis.x(tick).max(6.0), base, &scaled(tick, axis.unit));
    }
    frame::push_x_title(&mut out, base, axis.unit_name);
    out.push_str("</svg>");
    out
}

/// Draws the name of a step and its two lanes below `y`.
fn push_bar(out: &mut String, axis: &TimeAxis, bar: &StepBar, y: f64) {
    let name = escape(&bar.name);
    push(
        out,
        format_args!("<text class=\"axis\" x=\"1\" y=\"{}\">{name}</text>", coordinate(y + NAME - 6.0)),
    );
    let end = bar.compute.saturating_add(bar.exposed);
    let parts = [
        ("compute", NAME, 0, bar.compute),
        ("hidden", NAME + LANE, bar.compute.saturating_sub(bar.hidden), bar.compute),
        ("exposed", NAME + LANE, bar.compute, end),
    ];
    for (class, lane, from, to) in parts.into_iter().filter(|(_, _, from, to)| to > from) {
        let [x, y] = [axis.x(from), y + lane].map(coordinate);
        let width = coordinate((axis.x(to) - axis.x(from)).max(0.6));
        let height = LANE - 1.0;
        push(
            out,
            format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">"
            ),
        );
        let time = scaled(to - from, axis.unit);
        push(out, format_args!("<title>{name}: {class} {time} {}</title></rect>", axis.unit_name));
    }
}
