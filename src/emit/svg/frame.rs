//! The common parts of charts: size, titles, grid and marks.

use super::text::{coordinate, escape};
use crate::json::push;

pub(super) const WIDTH: f64 = 520.0;
pub(super) const LEFT: f64 = 52.0;
pub(super) const RIGHT: f64 = 12.0;
pub(super) const TOP: f64 = 26.0;
pub(super) const BOTTOM: f64 = 40.0;

/// Starts a chart with its description, for readers who cannot see it, and the title of the y axis.
pub(super) fn chart_head(label: &str, height: f64, y_title: &str) -> String {
    let label = escape(label);
    let mut out =
        format!("<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">");
    push(&mut out, format_args!("<title>{label}</title>"));
    push(&mut out, format_args!("<text class=\"axis\" x=\"0\" y=\"12\">{y_title}</text>"));
    out
}

/// Draws a horizontal grid line with its number.
pub(super) fn push_grid_line(out: &mut String, y: f64, number: &str) {
    let y = coordinate(y);
    push(out, format_args!("<path class=\"grid\" d=\"M{LEFT} {y}H{}\"/>", WIDTH - RIGHT));
    push(
        out,
        format_args!("<text class=\"tick end\" x=\"{}\" y=\"{y}\" dy=\"4\">{number}</text>", LEFT - 8.0),
    );
}

/// Writes a label below the base line.
pub(super) fn push_tick_label(out: &mut String, x: f64, base: f64, text: &str) {
    push(
        out,
        format_args!(
            "<text class=\"tick mid\" x=\"{}\" y=\"{}\">{}</text>",
            coordinate(x),
            coordinate(base + 15.0),
            escape(text)
        ),
    );
}

pub(super) fn push_base_line(out: &mut String, base: f64) {
    push(out, format_args!("<path class=\"base\" d=\"M{LEFT} {}H{}\"/>", coordinate(base), WIDTH - RIGHT));
}

/// Writes the title of the x axis.
pub(super) fn push_x_title(out: &mut String, base: f64, title: &str) {
    push(
        out,
        format_args!(
            "<text class=\"axis end\" x=\"{}\" y=\"{}\">{title}</text>",
            WIDTH - RIGHT,
            coordinate(base + 33.0)
        ),
    );
}

/// Draws a vertical line with its label, which stands left of the line near the right edge. The label of the
/// first mark stands at the top. Further marks begin below it and have their labels at the foot.
pub(super) fn push_mark(out: &mut String, x: f64, base: f64, label: &str, first: bool) {
    let (anchor, shift) = if x > LEFT + (WIDTH - LEFT - RIGHT) * 0.6 { ("end", -5.0) } else { ("", 5.0) };
    let (top, y) = if first { (TOP - 12.0, TOP - 4.0) } else { (TOP + 2.0, base - 6.0) };
    push(
        out,
        format_args!(
            "<path class=\"mark\" d=\"M{} {}V{}\"/>",
            coordinate(x),
            coordinate(top),
            coordinate(base)
        ),
    );
    let (x, y) = (coordinate(x + shift), coordinate(y));
    push(out, format_args!("<text class=\"marked {anchor}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(label)));
}
