//! Draws the blocks of a large fabric where its layout puts them: cubes, groups, or consecutive routers.
//! Lines are the links between two blocks, the stronger the more there are.

use super::text::{coordinate, escape};
use crate::json::push;
use std::collections::BTreeMap;

/// Longer side of the picture, and space around the marks.
const SIDE: f64 = 720.0;
const MARGIN: f64 = 24.0;
/// Radius of a mark, of up to [`NUMBERED`] and of more blocks.
const LARGE: f64 = 12.0;
const SMALL: f64 = 6.0;
/// Maximum blocks with a short name in their marks, and its letters.
const NUMBERED: usize = 64;
const LETTERS: usize = 3;
/// Maximum lines that are elements of their own, which readers can pick out. More lines share paths.
const SINGLE_LINES: usize = 1_200;

/// The contents of a picture of blocks.
pub(crate) struct BlockPicture<'p> {
    /// Description of the picture, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) places: &'p [BlockPlace],
    /// Word for a block, such as `cube`.
    pub(crate) word: &'static str,
    /// Returns the short name of a block.
    pub(crate) name: &'p dyn Fn(usize) -> String,
    /// Links between two blocks, each pair once unless links run in one direction.
    pub(crate) links: &'p BTreeMap<(usize, usize), u64>,
}

/// Where a block stands, in any unit.
#[derive(Clone, Copy)]
pub(crate) struct BlockPlace {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// The picture as an `<svg>` element.
pub(crate) fn blocks(picture: &BlockPicture<'_>) -> String {
    let places = scaled_places(picture.places);
    let [width, height] = [|place: &BlockPlace| place.x, |place: &BlockPlace| place.y]
        .map(|part: fn(&BlockPlace) -> f64| places.iter().map(part).fold(0.0, f64::max) + 2.0 * MARGIN);
    let label = escape(&picture.label);
    let mut out = format!(
        "<svg class=\"blocks\" viewBox=\"-{MARGIN} -{MARGIN} {} {}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>",
        coordinate(width),
        coordinate(height)
    );
    push_lines(&mut out, picture, &places);
    let names: Vec<String> = (0..places.len()).map(picture.name).collect();
    let are_numbered = places.len() <= NUMBERED && names.iter().all(|name| name.chars().count() <= LETTERS);
    let radius = if are_numbered { LARGE } else { SMALL };
    for (block, (place, name)) in places.iter().zip(&names).enumerate() {
        let [x, y] = [place.x, place.y].map(coordinate);
        let name = escape(name);
        push(
            &mut out,
            format_args!(
                "<circle class=\"router\" data-ends=\"{block}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>{} {name}</title></circle>",
                picture.word
            ),
        );
        if are_numbered {
            push(
                &mut out,
                format_args!(
                    "<text class=\"name\" x=\"{x}\" y=\"{}\">{name}</text>",
                    coordinate(place.y + 4.0)
                ),
            );
        }
    }
    out.push_str("</svg>");
    out
}

/// The places from 0 on, in units of the picture.
fn scaled_places(places: &[BlockPlace]) -> Vec<BlockPlace> {
    let range = |part: fn(&BlockPlace) -> f64| {
        let values = || places.iter().map(part);
        [values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max)]
    };
    let ([left, right], [top, bottom]) = (range(|place| place.x), range(|place| place.y));
    let unit = SIDE / (right - left).max(bottom - top).max(1.0);
    places.iter().map(|place| BlockPlace { x: (place.x - left) * unit, y: (place.y - top) * unit }).collect()
}

/// Appends the lines. Few are elements of their own. Of many, those with as many links share a path.
fn push_lines(out: &mut String, picture: &BlockPicture<'_>, places: &[BlockPlace]) {
    let largest = picture.links.values().copied().max().unwrap_or(1).max(1);
    let pairs = || picture.links.iter().filter(|((a, b), _)| a != b);
    let is_short = shortness(places);
    let strength = |links: u64| 0.25 + 0.65 * links as f64 / largest as f64;
    if pairs().count() <= SINGLE_LINES {
        for (&(a, b), &links) in pairs() {
            let line = line(places[a], places[b], is_short);
            let [one, other] = [a, b].map(|block| escape(&(picture.name)(block)));
            let unit = if links == 1 { "link" } else { "links" };
            push(
                out,
                format_args!(
                    "<path class=\"fiber\" data-ends=\"{a} {b}\" opacity=\"{:.2}\" d=\"{line}\"><title>{one} - {other}: {links} {unit}</title></path>",
                    strength(links)
                ),
            );
        }
        return;
    }
    let mut by_links: BTreeMap<u64, String> = BTreeMap::new();
    for (&(a, b), &links) in pairs() {
        by_links.entry(links).or_default().push_str(&line(places[a], places[b], is_short));
    }
    for (links, path) in &by_links {
        let strength = strength(*links) / 2.0;
        push(out, format_args!("<path class=\"fiber\" opacity=\"{strength:.2}\" d=\"{path}\"/>"));
    }
}

/// The length up to which no block stands between two others of a row: half as long again as the least
/// distance of any two.
fn shortness(places: &[BlockPlace]) -> f64 {
    let distances = places.iter().enumerate().flat_map(|(index, one)| {
        places[..index].iter().map(move |other| libm::hypot(one.x - other.x, one.y - other.y))
    });
    1.5 * distances.filter(|&distance| distance > 1.0).fold(f64::MAX, f64::min)
}

/// A straight line, or a bow around the blocks that may stand between two of a row or column.
fn line(a: BlockPlace, b: BlockPlace, short: f64) -> String {
    let [dx, dy] = [b.x - a.x, b.y - a.y];
    let long = libm::hypot(dx, dy).max(1.0);
    let is_aligned = [dx, dy].iter().any(|part| libm::fabs(*part) < 0.02 * long);
    let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(coordinate);
    if !is_aligned || long <= short {
        return format!("M{ax} {ay}L{bx} {by}");
    }
    let bend = (0.16 * long).min(26.0 + 0.05 * long);
    let x = coordinate((a.x + b.x) / 2.0 + dy / long * bend);
    let y = coordinate((a.y + b.y) / 2.0 - dx / long * bend);
    format!("M{ax} {ay}Q{x} {y} {bx} {by}")
}
