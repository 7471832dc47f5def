//! Drawings of `report.html` as inline SVG. Colors are classes, so that the page's light and dark styles
//! apply; coordinates have one decimal and come from `libm`, so that every machine draws the same bytes.

mod charts;
mod network;
mod pod;
mod text;

pub(super) use charts::{Chart, Series, bars, round_step};
pub(super) use network::network;
pub(super) use pod::pod;
pub(super) use text::escape;
