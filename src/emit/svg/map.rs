//! A square map of cells, the stronger the more they count: who is joined to whom, where numbers would not
//! fit.

use super::text::{at, escape};
use crate::json::push;
use std::collections::BTreeMap;

/// Width of the cells together, and room beside them for their names.
const SIDE: f64 = 1000.0;
const MARGIN: f64 = 84.0;
/// Names along a side, at most.
const TICKS: usize = 9;

/// What to draw.
pub(crate) struct Map<'m> {
    /// What the picture shows, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    /// What an item is called.
    pub(crate) word: &'static str,
    /// CSS classes beside its own.
    pub(crate) class: &'static str,
    /// Items along a side.
    pub(crate) items: usize,
    /// The short name of an item.
    pub(crate) name: &'m dyn Fn(usize) -> String,
    /// (row, column) to what is counted there; nothing is not drawn.
    pub(crate) counts: &'m BTreeMap<(usize, usize), u64>,
}

/// The map as an `<svg>` element.
pub(crate) fn map(map: &Map<'_>) -> String {
    let most = map.counts.values().copied().max().unwrap_or(1).max(1);
    let items = map.items.max(1);
    let (unit, whole) = (SIDE / items as f64, at(SIDE + MARGIN + 4.0));
    let label = escape(&map.label);
    let mut out = format!(
        "<svg class=\"map {}\" data-word=\"{}\" viewBox=\"-{MARGIN} -{MARGIN} {whole} {whole}\" ",
        map.class, map.word
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    // Cells are unit squares of a scaled group, so that coordinates stay short; one path per count.
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
        let strength = 0.35 + 0.65 * *count as f64 / most as f64;
        push(&mut out, format_args!("<path class=\"cell\" fill-opacity=\"{strength:.2}\" d=\"{path}\"/>"));
    }
    push(
        &mut out,
        format_args!(
            "<rect class=\"band\" width=\"{items}\" height=\"1\"/><rect class=\"band\" width=\"1\" height=\"{items}\"/></g>"
        ),
    );
    for item in (0..items).step_by(round(items.div_ceil(TICKS))) {
        let middle = at((item as f64 + 0.5) * unit);
        let name = escape(&(map.name)(item));
        push(&mut out, format_args!("<text class=\"mid\" x=\"{middle}\" y=\"-12\">{name}</text>"));
        push(&mut out, format_args!("<text class=\"end\" x=\"-10\" y=\"{middle}\" dy=\"8\">{name}</text>"));
    }
    out.push_str("</svg>");
    out
}

/// The next number that people count by.
fn round(step: usize) -> usize {
    [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64].into_iter().find(|&even| even >= step).unwrap_or(step)
}
