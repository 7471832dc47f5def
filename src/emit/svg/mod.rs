//! Drawings of `report.html` as inline SVG. Colors are CSS classes, so that the page's light and dark styles
//! apply. Coordinates have one decimal and come from `libm`, so that every machine draws the same bytes.

mod blocks;
mod charts;
mod curve;
mod floor;
mod frame;
mod levels;
mod map;
mod over_time;
mod picture;
mod pod;
mod ranks;
mod ring;
mod sizes;
mod steps;
mod strip;
mod text;

pub(super) use blocks::{BlockPicture, BlockPlace, blocks};
pub(super) use charts::{Chart, Series, bars, compact, round_step};
pub(super) use curve::{Curve, CurveBand, CurveLine, CurveSpan, CurveSpans, Stroke, curve, curve_over};
pub(super) use floor::{FloorPicture, floor_plan};
pub(super) use levels::{LevelDrawing, LevelRow, levels};
pub(super) use map::{Map, map};
pub(super) use over_time::{BandLine, LossBar, LossBars, TimeChart, loss_bars, time_chart};
pub(super) use picture::{NetworkPicture, PictureLink, PictureRouter, network_picture};
pub(super) use pod::{Bundle, pod};
pub(super) use ranks::{RankAxis, RankCell, RankMap, RankMapText, rank_map};
pub(super) use ring::{RingDrawing, ring};
pub(super) use sizes::{SizeChart, TimeLine, size_chart};
pub(super) use steps::{StepBar, StepChart, step_chart};
pub(super) use strip::{Strip, StripColumn, strip};
pub(crate) use text::coordinate;
pub(super) use text::{escape, scaled};
