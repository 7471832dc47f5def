//! Draws a square map of cells, the darker the larger their counts. It shows links where numbers would not
//! fit.

use super::text::{coordinate, escape};
use crate::json::push;
use std::collections::BTreeMap;

/// Width of all cells together, and margin for their names.
const SIDE: f64 = 1000.0;
const MARGIN: f64 = 84.0;
/// Maximum names along a side.
const TICKS: usize = 9;

/// The contents of a map.
pub(crate) struct Map<'m> {
    /// Description of the picture, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    /// Word for an item, such as `cube`.
    pub(crate) word: &'static str,
    pub(crate) class: &'static str,
    pub(crate) items: usize,
    /// Returns the short name of an item.
    pub(crate) name: &'m dyn Fn(usize) -> String,
    /// Counts by row and column. Zero cells are not drawn.
    pub(crate) counts: &'m BTreeMap<(usize, usize), u64>,
}

/// The map as an `<svg>` element.
pub(crate) fn map(map: &Map<'_>) -> String {
    let largest = map.counts.values().copied().max().unwrap_or(1).max(1);
    let items = map.items.max(1);
    let (unit, full_side) = (SIDE / items as f64, coordinate(SIDE + MARGIN + 4.0));
    let label = escape(&map.label);
    let mut out = format!(
        "<svg class=\"map {}\" data-word=\"{}\" viewBox=\"-{MARGIN} -{MARGIN} {full_side} {full_side}\" ",
        map.class, map.word
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    // Cells are unit squares of a scaled group, which keeps coordinates short. Cells of one count share a
    // path.
    let mut by_count: BTreeMap<u64, String> = BTreeMap::new();
    for (&(row, column), &count) in map.counts {
        push(by_count.entry(count).or_default(), format_args!("M{column} {row}h1v1h-1z"));
    }
    push(
        &mut out,
        format_args!(
            "<g transform=\"scale({unit:.4})\"><path class=\"frame\" stroke-width=\"{:.4}\" ",
            2.0 / unit
        ),
    );
    push(&mut out, format_args!("d=\"M0 0h{items}v{items}h-{items}z\"/>"));
    for (count, path) in &by_count {
        let strength = 0.35 + 0.65 * *count as f64 / largest as f64;
        push(&mut out, format_args!("<path class=\"cell\" fill-opacity=\"{strength:.2}\" d=\"{path}\"/>"));
    }
    out.push_str("</g>");
    for item in (0..items).step_by(round_interval(items.div_ceil(TICKS))) {
        let middle = coordinate((item as f64 + 0.5) * unit);
        let name = escape(&(map.name)(item));
        push(&mut out, format_args!("<text class=\"mid\" x=\"{middle}\" y=\"-12\">{name}</text>"));
        push(&mut out, format_args!("<text class=\"end\" x=\"-10\" y=\"{middle}\" dy=\"8\">{name}</text>"));
    }
    out.push_str("</svg>");
    out
}

/// The next interval that readers can count by.
fn round_interval(step: usize) -> usize {
    [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64].into_iter().find(|&even| even >= step).unwrap_or(step)
}
