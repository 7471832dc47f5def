//! A network: routers (or groups of them) on a ring with the links between them; large ones as a map of who
//! is joined to whom.

use super::text::{at, escape};
use crate::compiled::Compiled;
use crate::emit::json::push;
use crate::emit::number::grouped;
use crate::ids::Id;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Up to this many items stand on a ring.
const RING: usize = 96;
/// Cells of a map along a side, at most.
const CELLS: usize = 128;
/// The side of the drawing.
const SIDE: f64 = 720.0;

/// The drawing as an `<svg>` element, and what it shows, for the lead of its section.
pub(in crate::emit) fn network(compiled: &Compiled) -> (String, String) {
    let topology = &compiled.topology;
    let block = topology.symmetry().block_size();
    let blocks = topology.node_count().div_ceil(block);
    // Groups where the network has some; else the routers themselves.
    let size = if block > 1 && topology.node_count() > RING { block } else { 1 };
    let items = topology.node_count().div_ceil(size);
    let mut joined: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for link in topology.links().iter() {
        let (a, b) = (link.a.node.index() / size, link.b.node.index() / size);
        *joined.entry((a.min(b), a.max(b))).or_default() += 1;
    }
    let name = |item: usize| if size > 1 { format!("group {item}") } else { topology.name(crate::ids::NodeId::new(item)) };
    if items <= RING {
        let lead = if size > 1 {
            format!(
                "Every dot is one of {blocks} groups of {block} routers; lines are the links between two groups, as wide as there are many."
            )
        } else {
            "Every dot is a router (hollow: without hosts); every line is a link between two.".to_owned()
        };
        return (ring(items, &joined, &name, &|item| size > 1 || topology.is_endpoint(crate::ids::NodeId::new(item))), lead);
    }
    let lead = format!(
        "Who is joined to whom: routers in the order of their ids along both sides, {} to a cell; the darker, the more links.",
        grouped(items.div_ceil(CELLS) as u64)
    );
    (map(items, &joined), lead)
}

fn ring(items: usize, joined: &BTreeMap<(usize, usize), u64>, name: &dyn Fn(usize) -> String, filled: &dyn Fn(usize) -> bool) -> String {
    let (center, radius) = (SIDE / 2.0, SIDE / 2.0 - 40.0);
    let place = |item: usize| {
        let angle = 2.0 * PI * item as f64 / items as f64 - PI / 2.0;
        [center + radius * libm::cos(angle), center + radius * libm::sin(angle)]
    };
    let most = joined.values().copied().max().unwrap_or(1) as f64;
    let mut out =
        format!("<svg class=\"pod\" viewBox=\"0 0 {0} {0}\" role=\"img\" aria-label=\"{items} items and their links\">", at(SIDE));
    for (&(a, b), &links) in joined.iter().filter(|((a, b), _)| a != b) {
        let ([ax, ay], [bx, by]) = (place(a).map(at), place(b).map(at));
        let width = at(1.0 + 4.0 * (links as f64 / most - 1.0 / most).max(0.0));
        let thin = if joined.len() > 200 { " thin" } else { "" };
        push(&mut out, format_args!("<path class=\"fiber{thin}\" stroke-width=\"{width}\" d=\"M{ax} {ay}L{bx} {by}\">"));
        push(&mut out, format_args!("<title>{} - {}: {links}</title></path>", escape(&name(a)), escape(&name(b))));
    }
    for item in 0..items {
        let [x, y] = place(item).map(at);
        let class = if filled(item) { "router" } else { "router spine" };
        push(
            &mut out,
            format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"6\"><title>{}</title></circle>", escape(&name(item))),
        );
    }
    out.push_str("</svg>");
    out
}

fn map(items: usize, joined: &BTreeMap<(usize, usize), u64>) -> String {
    let per_cell = items.div_ceil(CELLS);
    let cells = items.div_ceil(per_cell);
    let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (&(a, b), &links) in joined {
        *counts.entry((a / per_cell, b / per_cell)).or_default() += links;
        *counts.entry((b / per_cell, a / per_cell)).or_default() += links;
    }
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let mut out = format!("<svg class=\"pod matrix\" viewBox=\"0 0 {cells} {cells}\" role=\"img\" aria-label=\"who is joined to whom\">");
    push(&mut out, format_args!("<rect class=\"frame\" width=\"{cells}\" height=\"{cells}\"/>"));
    for (&(row, column), &links) in &counts {
        let opacity = format!("{:.2}", 0.15 + 0.85 * links as f64 / most);
        push(&mut out, format_args!("<rect class=\"cell\" x=\"{column}\" y=\"{row}\" width=\"1\" height=\"1\" opacity=\"{opacity}\"/>"));
    }
    out.push_str("</svg>");
    out
}
