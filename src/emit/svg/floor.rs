//! Draws a machine room from above: cabinets, the stronger in color the more cables leave them, and the
//! number of cables between neighboring places.

use super::text::{coordinate, escape};
use crate::json::push;
use std::collections::BTreeMap;

/// Maximum width of the picture, maximum width of a place, and margin around the floor.
const WIDTH: f64 = 900.0;
const PLACE: f64 = 96.0;
const MARGIN: f64 = 8.0;
/// Maximum depth of a place, relative to its width. Wide aisles do not make it deeper.
const DEPTH: f64 = 1.1;
/// Fraction of a place that a cabinet covers.
const CABINET: f64 = 0.62;
/// Maximum width of a line of cables.
const WAY: f64 = 9.0;
/// Minimum width of a cabinet that shows its number.
const NUMBERED: f64 = 18.0;
/// Space for the names of rows, and the least depth of a row that has one.
const ROW_NAMES: f64 = 52.0;
const NAMED_ROW: f64 = 12.0;

/// The contents of a floor plan.
pub(crate) struct FloorPicture {
    /// Description of the picture, for readers who cannot see it.
    pub(crate) label: String,
    /// Number of rows of places.
    pub(crate) rows: u32,
    /// Number of places in a row.
    pub(crate) columns: u32,
    /// Distance between places of a row, in the unit of `pitch_y`.
    pub(crate) pitch_x: u32,
    /// Distance between neighboring rows of cabinets.
    pub(crate) pitch_y: u32,
    /// Row and column of every cabinet, the cables that leave it, its title, and whether it holds switches.
    pub(crate) cabinets: Vec<([u32; 2], u64, String, bool)>,
    /// Pairs of cabinets with the number of cables between them.
    pub(crate) bundles: Vec<([usize; 2], u64)>,
}

/// The floor plan as an `<svg>` element.
pub(crate) fn floor_plan(picture: &FloorPicture) -> String {
    let [rows, columns] = [picture.rows, picture.columns].map(f64::from);
    let [pitch_x, pitch_y] = [picture.pitch_x, picture.pitch_y].map(|pitch| f64::from(pitch.max(1)));
    let place_width = ((WIDTH - 2.0 * MARGIN - ROW_NAMES) / columns).min(PLACE);
    let place_depth = place_width * (pitch_y / pitch_x).min(DEPTH);
    let left = if place_depth >= NAMED_ROW { MARGIN + ROW_NAMES } else { MARGIN };
    let (width, height) = (columns * place_width + left + MARGIN, rows * place_depth + 2.0 * MARGIN);
    let middle = |[row, column]: [u32; 2]| {
        [left + (f64::from(column) + 0.5) * place_width, MARGIN + (f64::from(row) + 0.5) * place_depth]
    };
    let label = escape(&picture.label);
    let mut out = format!(
        "<svg class=\"floor\" viewBox=\"0 0 {} {}\" style=\"max-width:{}px\" ",
        coordinate(width),
        coordinate(height),
        coordinate(width)
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    out.push_str("<g style=\"stroke:var(--second)\">");
    let runs = cable_runs(picture);
    let busiest = runs.values().copied().max().unwrap_or(1).max(1) as f64;
    for ([from, to], cables) in runs {
        let ([x, y], [u, v], share) = (middle(from), middle(to), cables as f64 / busiest);
        let (thick, strength) =
            (coordinate(0.5 + (WAY.min(place_width / 4.0) - 0.5) * share), 0.35 + 0.5 * share);
        push(
            &mut out,
            format_args!(
                "<path d=\"M{} {}L{} {}\" stroke-width=\"{thick}\" ",
                coordinate(x),
                coordinate(y),
                coordinate(u),
                coordinate(v)
            ),
        );
        push(
            &mut out,
            format_args!(
                "stroke-opacity=\"{strength:.2}\"><title>{cables} cables run along here</title></path>"
            ),
        );
    }
    out.push_str("</g>");
    if place_depth >= NAMED_ROW {
        push_row_names(&mut out, picture.rows, place_depth);
    }
    let side = place_width.min(place_depth) * CABINET;
    let busiest = picture.cabinets.iter().map(|&(_, cables, ..)| cables).max().unwrap_or(1).max(1) as f64;
    for (number, (place, cables, title, switches)) in picture.cabinets.iter().enumerate() {
        let [x, y] = middle(*place);
        let [left, top, size] = [x - side / 2.0, y - side / 2.0, side].map(coordinate);
        // Racks of switches are round, so that they differ from cabinets without color.
        let round = if *switches { coordinate(side / 2.0) } else { "2".to_owned() };
        let shape = format!("x=\"{left}\" y=\"{top}\" width=\"{size}\" height=\"{size}\" rx=\"{round}\"");
        let strength = 0.05 + 0.5 * *cables as f64 / busiest;
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
                    coordinate(x),
                    coordinate(y)
                ),
            );
        }
        push(&mut out, format_args!("<title>{}</title></g>", escape(title)));
    }
    out.push_str("</svg>");
    out
}

/// The names of the rows, left of them.
fn push_row_names(out: &mut String, rows: u32, depth: f64) {
    for row in 0..rows {
        let y = coordinate(MARGIN + (f64::from(row) + 0.5) * depth);
        push(
            out,
            format_args!(
                "<text class=\"tick end\" x=\"{}\" y=\"{y}\" dy=\"4\">row {row}</text>",
                coordinate(ROW_NAMES)
            ),
        );
    }
}

/// Cables between every two neighboring places. A cable first runs across the rows, then along its target
/// row.
fn cable_runs(picture: &FloorPicture) -> BTreeMap<[[u32; 2]; 2], u64> {
    let mut runs: BTreeMap<[[u32; 2]; 2], u64> = BTreeMap::new();
    for &([from, to], cables) in &picture.bundles {
        let ([row, column], [to_row, to_column]) = (picture.cabinets[from].0, picture.cabinets[to].0);
        for passed in row.min(to_row)..row.max(to_row) {
            *runs.entry([[passed, column], [passed + 1, column]]).or_default() += cables;
        }
        for passed in column.min(to_column)..column.max(to_column) {
            *runs.entry([[to_row, passed], [to_row, passed + 1]]).or_default() += cables;
        }
    }
    runs
}
