//! Drawings of `report.html` as inline SVG. Colors are classes, so that the page's light and dark styles
//! apply; coordinates have one decimal and come from `libm`, so that every machine draws the same bytes.

mod charts;
mod curve;
mod floor;
mod frame;
mod map;
mod pod;
mod ring;
mod sizes;
mod strip;
mod text;

pub(super) use charts::{Chart, Series, bars, compact, round_step};
pub(super) use curve::{Curve, Line, Stroke, curve};
pub(super) use floor::{FloorPicture, floor};
pub(super) use map::{Map, map};
pub(super) use pod::{Bundle, pod};
pub(super) use ring::{Ring, ring};
pub(super) use sizes::{Sizes, Timed, sizes};
pub(super) use strip::{Column, Strip, strip};
pub(super) use text::escape;
