//! A machine room from above: cabinets on their places, the darker the more cables leave them, and how many
//! cables run along every way between two places.

use super::text::{at, escape};
use crate::json::push;
use std::collections::BTreeMap;

/// Width of the picture at most, and of a place; room around the floor.
const WIDTH: f64 = 900.0;
const PLACE: f64 = 96.0;
const MARGIN: f64 = 8.0;
/// A place is no deeper than so many times its width, however wide the aisles are.
const DEPTH: f64 = 1.1;
/// Parts of a place that a cabinet takes.
const CABINET: f64 = 0.62;
/// The widest way.
const WAY: f64 = 9.0;
/// Cabinets from this width on bear their numbers.
const NUMBERED: f64 = 18.0;

/// What to draw.
pub(crate) struct FloorPicture {
    /// What the picture shows, for readers who cannot see it.
    pub(crate) label: String,
    /// Rows and columns of places.
    pub(crate) grid: [u32; 2],
    /// From one place to the next, along a row and across, in any unit.
    pub(crate) pitch: [u32; 2],
    /// Row and column of every cabinet, the cables that leave it, its title, and whether it holds switches.
    pub(crate) cabinets: Vec<([u32; 2], u64, String, bool)>,
    /// Cabinets that cables join, and how many.
    pub(crate) bundles: Vec<([usize; 2], u64)>,
}

/// The picture as an `<svg>` element.
pub(crate) fn floor(picture: &FloorPicture) -> String {
    let [rows, columns] = picture.grid.map(f64::from);
    let [pitch_x, pitch_y] = picture.pitch.map(|pitch| f64::from(pitch.max(1)));
    let wide = ((WIDTH - 2.0 * MARGIN) / columns).min(PLACE);
    let deep = wide * (pitch_y / pitch_x).min(DEPTH);
    let (width, height) = (columns * wide + 2.0 * MARGIN, rows * deep + 2.0 * MARGIN);
    let middle = |[row, column]: [u32; 2]| {
        [MARGIN + (f64::from(column) + 0.5) * wide, MARGIN + (f64::from(row) + 0.5) * deep]
    };
    let label = escape(&picture.label);
    let mut out = format!(
        "<svg class=\"floor\" viewBox=\"0 0 {} {}\" style=\"max-width:{}px\" ",
        at(width),
        at(height),
        at(width)
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    out.push_str("<g style=\"stroke:var(--second)\">");
    let ways = ways(picture);
    let most = ways.values().copied().max().unwrap_or(1).max(1) as f64;
    for ([from, to], cables) in ways {
        let ([x, y], [u, v], share) = (middle(from), middle(to), cables as f64 / most);
        let (thick, strength) = (at(0.5 + (WAY.min(wide / 4.0) - 0.5) * share), 0.35 + 0.5 * share);
        push(
            &mut out,
            format_args!("<path d=\"M{} {}L{} {}\" stroke-width=\"{thick}\" ", at(x), at(y), at(u), at(v)),
        );
        push(
            &mut out,
            format_args!(
                "stroke-opacity=\"{strength:.2}\"><title>{cables} cables run along here</title></path>"
            ),
        );
    }
    out.push_str("</g>");
    let side = wide.min(deep) * CABINET;
    let most = picture.cabinets.iter().map(|&(_, cables, ..)| cables).max().unwrap_or(1).max(1) as f64;
    for (number, (place, cables, title, switches)) in picture.cabinets.iter().enumerate() {
        let [x, y] = middle(*place);
        let [left, top, size] = [x - side / 2.0, y - side / 2.0, side].map(at);
        // Racks of switches are round, so that they are told without color.
        let round = if *switches { at(side / 2.0) } else { "2".to_owned() };
        let shape = format!("x=\"{left}\" y=\"{top}\" width=\"{size}\" height=\"{size}\" rx=\"{round}\"");
        let strength = 0.05 + 0.5 * *cables as f64 / most;
        push(&mut out, format_args!("<g><rect {shape} style=\"fill:var(--panel);stroke:var(--edge)\"/>"));
        push(
            &mut out,
            format_args!("<rect {shape} style=\"fill:var(--accent);fill-opacity:{strength:.2}\"/>"),
        );
        if side >= NUMBERED {
            let style = "fill:var(--ink);font-size:12px;text-anchor:middle";
            push(
                &mut out,
                format_args!(
                    "<text style=\"{style}\" x=\"{}\" y=\"{}\" dy=\"4\">{number}</text>",
                    at(x),
                    at(y)
                ),
            );
        }
        push(&mut out, format_args!("<title>{}</title></g>", escape(title)));
    }
    out.push_str("</svg>");
    out
}

/// Cables between every two places side by side: each runs across the rows first, then along one.
fn ways(picture: &FloorPicture) -> BTreeMap<[[u32; 2]; 2], u64> {
    let mut ways: BTreeMap<[[u32; 2]; 2], u64> = BTreeMap::new();
    for &([one, other], cables) in &picture.bundles {
        let ([row, column], [to_row, to_column]) = (picture.cabinets[one].0, picture.cabinets[other].0);
        for passed in row.min(to_row)..row.max(to_row) {
            *ways.entry([[passed, column], [passed + 1, column]]).or_default() += cables;
        }
        for passed in column.min(to_column)..column.max(to_column) {
            *ways.entry([[to_row, passed], [to_row, passed + 1]]).or_default() += cables;
        }
    }
    ways
}
