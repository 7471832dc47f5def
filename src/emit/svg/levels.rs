//! Draws a network with tiers: a row per tier, hosts at the bottom, with the links between neighboring rows.

use super::text::{coordinate, escape};
use crate::json::push;
use std::collections::BTreeMap;

const WIDTH: f64 = 960.0;
/// Distance between two rows, and space above the first row and below the last one.
const ROW: f64 = 150.0;
const MARGIN: f64 = 34.0;
/// The largest width of an item, and its height.
const ITEM: [f64; 2] = [26.0, 14.0];

/// A row of items of one tier.
pub(crate) struct LevelRow {
    /// The text above the row, such as `leaf: 32 switches`.
    pub(crate) label: String,
    /// Number of items. Items count on from row to row.
    pub(crate) items: usize,
    /// Whether the items of the row have or are hosts.
    pub(crate) filled: bool,
}

/// The contents of a drawing by levels.
pub(crate) struct LevelDrawing<'l> {
    /// Description of the picture, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    /// The rows, from the bottom up.
    pub(crate) rows: &'l [LevelRow],
    /// `[item]`: its name, which shows under the pointer.
    pub(crate) names: &'l [String],
    /// Number of links between two items, the smaller item first.
    pub(crate) links: &'l BTreeMap<(usize, usize), u64>,
}

/// The levels as an `<svg>` element.
pub(crate) fn levels(drawing: &LevelDrawing<'_>) -> String {
    let height = 2.0 * MARGIN + ROW * drawing.rows.len().saturating_sub(1) as f64;
    let label = escape(&drawing.label);
    let mut out = format!(
        "<svg class=\"levels\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>",
        coordinate(height)
    );
    let mut places = Vec::with_capacity(drawing.names.len());
    for (row, level) in drawing.rows.iter().enumerate() {
        let y = height - MARGIN - ROW * row as f64;
        let slot = WIDTH / level.items as f64;
        places.extend((0..level.items).map(|item| ([slot * (item as f64 + 0.5), y], slot)));
    }
    let [least, largest] = [drawing.links.values().min(), drawing.links.values().max()];
    let [least, largest] = [least, largest].map(|links| links.copied().unwrap_or(1) as f64);
    for (&(a, b), &links) in drawing.links {
        let ([[ax, ay], [bx, by]], names) = (
            [a, b].map(|item| places[item].0.map(coordinate)),
            [a, b].map(|item| escape(&drawing.names[item])),
        );
        let share = if largest > least { (links as f64 - least) / (largest - least) } else { 0.0 };
        let width = coordinate(0.9 + 2.1 * share);
        let unit = if links == 1 { "link" } else { "links" };
        push(
            &mut out,
            format_args!(
                "<path class=\"fiber\" data-ends=\"{a} {b}\" stroke-width=\"{width}\" d=\"M{ax} {ay}L{bx} {by}\"><title>{} - {}: {links} {unit}</title></path>",
                names[0], names[1]
            ),
        );
    }
    let mut item = 0;
    for level in drawing.rows {
        let class = if level.filled { "router" } else { "router spine" };
        for _ in 0..level.items {
            let ([x, y], slot) = places[item];
            let width = ITEM[0].min(slot * 0.72);
            let (left, top) = (coordinate(x - width / 2.0), coordinate(y - ITEM[1] / 2.0));
            push(
                &mut out,
                format_args!(
                    "<rect class=\"{class}\" data-ends=\"{item}\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"2\"><title>{}</title></rect>",
                    coordinate(width),
                    ITEM[1],
                    escape(&drawing.names[item])
                ),
            );
            item += 1;
        }
        let y = places[item - 1].0[1];
        push(
            &mut out,
            format_args!(
                "<text class=\"name\" x=\"4\" y=\"{}\">{}</text>",
                coordinate(y - ITEM[1] / 2.0 - 8.0),
                escape(&level.label)
            ),
        );
    }
    out.push_str("</svg>");
    out
}
