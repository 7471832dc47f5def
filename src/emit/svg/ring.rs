//! Draws a small network: routers, or groups of routers, on a ring with the links between them.

use super::text::{coordinate, escape};
use crate::json::push;
use std::collections::BTreeMap;
use std::f64::consts::PI;

const SIDE: f64 = 720.0;
/// Up to this many items have names beside them.
const NAMED: usize = 32;
/// Maximum letters of a name, and the largest width of a letter, reached on narrow screens.
const LETTERS: usize = 18;
const LETTER: f64 = 10.5;

/// The contents of a ring.
pub(crate) struct RingDrawing<'r> {
    /// Description of the picture, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    /// Number of items on the ring.
    pub(crate) items: usize,
    /// Returns the name of an item.
    pub(crate) name: &'r dyn Fn(usize) -> String,
    /// Returns whether an item has hosts.
    pub(crate) filled: &'r dyn Fn(usize) -> bool,
    /// Links between two items, the smaller item first.
    pub(crate) links: &'r BTreeMap<(usize, usize), u64>,
}

/// The ring as an `<svg>` element.
pub(crate) fn ring(ring: &RingDrawing<'_>) -> String {
    let named = ring.items <= NAMED;
    let names: Vec<String> = (0..ring.items).map(ring.name).collect();
    let longest = names.iter().map(|name| name.chars().count().min(LETTERS)).max().unwrap_or(0) as f64;
    let margin = if named { longest * LETTER + 26.0 } else { 16.0 };
    let (center, radius) = (SIDE / 2.0, SIDE / 2.0 - 12.0);
    let view_width = SIDE + 2.0 * margin - 24.0;
    let direction = |item: usize| {
        let angle = 2.0 * PI * item as f64 / ring.items as f64 - PI / 2.0;
        [libm::cos(angle), libm::sin(angle)]
    };
    let place = |item: usize| direction(item).map(|part| center + radius * part);
    let largest = ring.links.values().copied().max().unwrap_or(1) as f64;
    let label = escape(&ring.label);
    let mut out = format!(
        "<svg class=\"ring\" viewBox=\"{} -24 {} {}\" ",
        coordinate(12.0 - margin),
        coordinate(view_width),
        coordinate(SIDE + 48.0)
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    for (&(a, b), &links) in ring.links.iter().filter(|((a, b), _)| a != b) {
        let ([ax, ay], [bx, by]) = (place(a).map(coordinate), place(b).map(coordinate));
        let width = coordinate(1.6 + 4.0 * (links as f64 / largest - 1.0 / largest).max(0.0));
        push(
            &mut out,
            format_args!(
                "<path class=\"fiber\" data-ends=\"{a} {b}\" stroke-width=\"{width}\" d=\"M{ax} {ay}L{bx} {by}\">"
            ),
        );
        let (a, b) = (escape(&names[a]), escape(&names[b]));
        push(
            &mut out,
            format_args!(
                "<title>{a} - {b}: {links} {}</title></path>",
                if links == 1 { "link" } else { "links" }
            ),
        );
    }
    for (item, name) in names.iter().enumerate() {
        let [x, y] = place(item).map(coordinate);
        let class = if (ring.filled)(item) { "router" } else { "router spine" };
        push(
            &mut out,
            format_args!("<circle class=\"{class}\" data-ends=\"{item}\" cx=\"{x}\" cy=\"{y}\" r=\"7\">"),
        );
        push(&mut out, format_args!("<title>{}</title></circle>", escape(name)));
        if named {
            push_name(&mut out, name, direction(item), center, radius + 16.0);
        }
    }
    out.push_str("</svg>");
    out
}

/// Writes a name outside the ring. A long name is cut.
fn push_name(out: &mut String, name: &str, direction: [f64; 2], center: f64, away: f64) {
    let [dx, dy] = direction;
    let cut = name.chars().count() > LETTERS;
    let text: String =
        if cut { name.chars().take(LETTERS - 1).chain(['\u{2026}']).collect() } else { name.to_owned() };
    let anchor = if dx > 0.1 {
        ""
    } else if dx < -0.1 {
        " end"
    } else {
        " mid"
    };
    let [x, y] = [center + away * dx, center + away * dy + 4.0].map(coordinate);
    push(out, format_args!("<text class=\"name{anchor}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(&text)));
}
