//! Draws the ranks of a job on the chips. Every axis has cells of its own, of which the style sheet shows
//! those of the axis that the reader chooses. A script finds the chip under the pointer.

use super::text::escape;
use crate::json::push;
use std::collections::BTreeMap;

/// Up to this many values of an axis have colors that are easy to tell apart. More values make a sequence.
const HUES: u32 = 12;
/// The most colors of a sequence.
const SHADES: u32 = 64;
/// The most chips whose coordinates are written into their cells.
const NUMBERED: usize = 512;
/// Width of a cell on the page in pixels, at most.
const PIXELS: u32 = 32;
/// Colors of a sequence in the key below the drawing.
const KEY: u32 = 5;

/// The left and the top edge of a cell.
pub(crate) struct RankCell {
    pub(crate) left: u32,
    pub(crate) top: u32,
}

/// Text beside cells. `class` is its CSS class.
pub(crate) struct RankMapText {
    pub(crate) left: u32,
    pub(crate) bottom: u32,
    pub(crate) class: &'static str,
    pub(crate) text: String,
}

/// An axis of ranks. Rank r has the coordinate (r / stride) mod size.
pub(crate) struct RankAxis {
    pub(crate) name: String,
    pub(crate) size: u32,
    pub(crate) stride: u32,
}

/// The contents of the drawing.
pub(crate) struct RankMap<'m> {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    /// `[chip]`: the edges of its cell in the drawing.
    pub(crate) cells: &'m [RankCell],
    /// `[chip]`: the rank that is on it.
    pub(crate) ranks: &'m [u32],
    pub(crate) texts: &'m [RankMapText],
    pub(crate) axes: &'m [RankAxis],
    /// How many blocks of chips stand side by side.
    pub(crate) columns: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl RankMap<'_> {
    /// Width and height of a cell.
    pub(crate) const CELL: u32 = 20;
}

impl RankAxis {
    fn coordinate(&self, rank: u32) -> u32 {
        rank / self.stride.max(1) % self.size
    }

    /// The number of different colors of its cells.
    fn colors(&self) -> u32 {
        if self.size <= HUES { self.size } else { self.size.min(SHADES) }
    }

    /// The color of a coordinate, from 0.
    fn color(&self, coordinate: u32) -> u32 {
        (u64::from(coordinate) * u64::from(self.colors()) / u64::from(self.size)) as u32
    }

    /// The attributes of a color.
    fn attributes(&self, color: u32) -> String {
        match self.size <= HUES {
            true => format!("class=\"hue\" style=\"--h:{}\"", (210 + color * 360 / self.size) % 360),
            false => format!(
                "class=\"shade\" style=\"--t:{:.3}\"",
                f64::from(color) / f64::from(self.colors() - 1)
            ),
        }
    }

    /// The coordinates of a color, such as `tensor 3`.
    fn text(&self, color: u32) -> String {
        let of_color = || (0..self.size).filter(|&coordinate| self.color(coordinate) == color);
        let (first, last) = (of_color().next().unwrap_or(0), of_color().next_back().unwrap_or(0));
        match first == last {
            true => format!("{} {first}", self.name),
            false => format!("{} {first} to {last}", self.name),
        }
    }
}

/// The drawing as an `<svg>` element, and the keys of the colors below it.
pub(crate) fn rank_map(map: &RankMap<'_>) -> String {
    let RankMap { cells, ranks, width, height, .. } = map;
    let label = escape(&map.label);
    let many = if map.columns > 2 { " many" } else { "" };
    let listed: Vec<String> = ranks.iter().map(u32::to_string).collect();
    let mut out = format!(
        "<svg class=\"ranks{many}\" viewBox=\"-2 -2 {} {}\" style=\"max-width:{}px\" data-ranks=\"{}\" ",
        width + 4,
        height + 4,
        (width * PIXELS / RankMap::CELL).max(120),
        listed.join(" ")
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    // A thick line of the width of a cell takes fewer characters than a rectangle.
    let line = |cell: &RankCell| format!("M{} {}h19", cell.left, cell.top + RankMap::CELL / 2);
    let lines: String = cells.iter().map(line).collect();
    push(&mut out, format_args!("<path class=\"cells\" d=\"{lines}\"/>"));
    for (index, axis) in map.axes.iter().enumerate() {
        push(&mut out, format_args!("<g class=\"by by-{index}\">"));
        let mut by_color: BTreeMap<u32, String> = BTreeMap::new();
        for (cell, &rank) in cells.iter().zip(*ranks) {
            by_color.entry(axis.color(axis.coordinate(rank))).or_default().push_str(&line(cell));
        }
        for (&color, path) in &by_color {
            let title = escape(&axis.text(color));
            push(
                &mut out,
                format_args!("<path {} d=\"{path}\"><title>{title}</title></path>", axis.attributes(color)),
            );
        }
        for (cell, &rank) in cells.iter().zip(*ranks).filter(|_| cells.len() <= NUMBERED) {
            let (x, y) = (cell.left + RankMap::CELL / 2 - 1, cell.top + RankMap::CELL / 2 + 3);
            push(&mut out, format_args!("<text x=\"{x}\" y=\"{y}\">{}</text>", axis.coordinate(rank)));
        }
        out.push_str("</g>");
    }
    for RankMapText { left, bottom, class, text } in map.texts {
        let text = escape(text);
        push(&mut out, format_args!("<text class=\"{class}\" x=\"{left}\" y=\"{bottom}\">{text}</text>"));
    }
    out.push_str("</svg>");
    for (index, axis) in map.axes.iter().enumerate() {
        push_key(&mut out, index, axis);
    }
    out
}

/// Writes the colors of an axis: all of them, or some of a sequence.
fn push_key(out: &mut String, index: usize, axis: &RankAxis) {
    let colors = axis.colors();
    let shown: Vec<u32> = match colors <= HUES {
        true => (0..colors).collect(),
        false => (0..KEY).map(|step| step * (colors - 1) / (KEY - 1)).collect(),
    };
    push(out, format_args!("<p class=\"key by by-{index}\">"));
    for color in shown {
        let text = escape(&axis.text(color));
        push(out, format_args!("<span><i {}></i>{text}</span>", axis.attributes(color)));
    }
    out.push_str("</p>");
}
