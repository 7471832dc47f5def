//! A small network: routers, or groups of them, on a ring with the links between them.

use super::text::{at, escape};
use crate::json::push;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// The side of the drawing.
const SIDE: f64 = 720.0;
/// Up to this many items have their names beside them.
const NAMED: usize = 32;
/// Letters of a name, at most, and the width of one where they are largest, on narrow screens.
const LETTERS: usize = 18;
const LETTER: f64 = 10.5;

/// What to draw.
pub(crate) struct Ring<'r> {
    /// What the picture shows, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    /// Items on the ring.
    pub(crate) items: usize,
    /// The name of an item.
    pub(crate) name: &'r dyn Fn(usize) -> String,
    /// Whether an item has hosts.
    pub(crate) filled: &'r dyn Fn(usize) -> bool,
    /// Links between two items, the smaller first.
    pub(crate) joined: &'r BTreeMap<(usize, usize), u64>,
}

/// The ring as an `<svg>` element.
pub(crate) fn ring(ring: &Ring<'_>) -> String {
    let named = ring.items <= NAMED;
    let names: Vec<String> = (0..ring.items).map(ring.name).collect();
    let longest = names.iter().map(|name| name.chars().count().min(LETTERS)).max().unwrap_or(0) as f64;
    let margin = if named { longest * LETTER + 26.0 } else { 16.0 };
    let (center, radius) = (SIDE / 2.0, SIDE / 2.0 - 12.0);
    let wide = SIDE + 2.0 * margin - 24.0;
    let direction = |item: usize| {
        let angle = 2.0 * PI * item as f64 / ring.items as f64 - PI / 2.0;
        [libm::cos(angle), libm::sin(angle)]
    };
    let place = |item: usize| direction(item).map(|part| center + radius * part);
    let most = ring.joined.values().copied().max().unwrap_or(1) as f64;
    let label = escape(&ring.label);
    let mut out = format!(
        "<svg class=\"ring\" viewBox=\"{} -24 {} {}\" ",
        at(12.0 - margin),
        at(wide),
        at(SIDE + 48.0)
    );
    push(&mut out, format_args!("role=\"img\" aria-label=\"{label}\"><title>{label}</title>"));
    for (&(a, b), &links) in ring.joined.iter().filter(|((a, b), _)| a != b) {
        let ([ax, ay], [bx, by]) = (place(a).map(at), place(b).map(at));
        let width = at(1.6 + 4.0 * (links as f64 / most - 1.0 / most).max(0.0));
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
        let [x, y] = place(item).map(at);
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

/// A name outside of the ring; what is too long loses its end.
fn push_name(out: &mut String, name: &str, [dx, dy]: [f64; 2], center: f64, away: f64) {
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
    let [x, y] = [center + away * dx, center + away * dy + 4.0].map(at);
    push(out, format_args!("<text class=\"name{anchor}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(&text)));
}
