//! What charts have in common: their size, titles, grid and the mark.

use super::text::{at, escape};
use crate::json::push;

pub(super) const WIDTH: f64 = 520.0;
pub(super) const LEFT: f64 = 52.0;
pub(super) const RIGHT: f64 = 12.0;
pub(super) const TOP: f64 = 26.0;
pub(super) const BOTTOM: f64 = 40.0;

/// The drawing up to its axes: what it shows, for readers who cannot see it, and what its heights are.
pub(super) fn head(label: &str, height: f64, y_title: &str) -> String {
    let label = escape(label);
    let mut out =
        format!("<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">");
    push(&mut out, format_args!("<title>{label}</title>"));
    push(&mut out, format_args!("<text class=\"axis\" x=\"0\" y=\"12\">{y_title}</text>"));
    out
}

/// A line across at a height, and its number.
pub(super) fn line(out: &mut String, y: f64, number: &str) {
    let y = at(y);
    push(out, format_args!("<path class=\"grid\" d=\"M{LEFT} {y}H{}\"/>", WIDTH - RIGHT));
    push(
        out,
        format_args!("<text class=\"tick end\" x=\"{}\" y=\"{y}\" dy=\"4\">{number}</text>", LEFT - 8.0),
    );
}

/// What stands below the base line at a place.
pub(super) fn below(out: &mut String, x: f64, base: f64, text: &str) {
    push(
        out,
        format_args!(
            "<text class=\"tick mid\" x=\"{}\" y=\"{}\">{}</text>",
            at(x),
            at(base + 15.0),
            escape(text)
        ),
    );
}

/// The base line.
pub(super) fn base_line(out: &mut String, base: f64) {
    push(out, format_args!("<path class=\"base\" d=\"M{LEFT} {}H{}\"/>", at(base), WIDTH - RIGHT));
}

/// What the places along the base line are.
pub(super) fn x_title(out: &mut String, base: f64, title: &str) {
    push(
        out,
        format_args!(
            "<text class=\"axis end\" x=\"{}\" y=\"{}\">{title}</text>",
            WIDTH - RIGHT,
            at(base + 33.0)
        ),
    );
}

/// A vertical line and its label, which stands before it where there is no room behind: at the top of the
/// first line, at the foot of further ones, which begin below that label.
pub(super) fn mark(out: &mut String, x: f64, base: f64, label: &str, first: bool) {
    let (anchor, shift) = if x > LEFT + (WIDTH - LEFT - RIGHT) * 0.6 { ("end", -5.0) } else { ("", 5.0) };
    let (top, y) = if first { (TOP - 12.0, TOP - 4.0) } else { (TOP + 2.0, base - 6.0) };
    push(out, format_args!("<path class=\"mark\" d=\"M{} {}V{}\"/>", at(x), at(top), at(base)));
    let (x, y) = (at(x + shift), at(y));
    push(out, format_args!("<text class=\"marked {anchor}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(label)));
}
