//! Drawings of `report.html` as inline SVG. Colours are classes, so that the page's light and dark styles apply; coordinates have one
//! decimal and come from `libm`, so that every machine draws the same bytes.

mod charts;
mod network;
mod pod;

pub(super) use charts::{Chart, Series, bars, round_step};
pub(super) use network::network;
pub(super) use pod::pod;

/// Text for XML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A coordinate with at most one decimal.
fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
