//! Draws all routers of a network where its layout puts them, with the links between them.

use super::text::{coordinate, escape};
use crate::json::push;

/// Space around the routers, and the radius of one.
const MARGIN: f64 = 16.0;
const ROUTER: f64 = 5.0;

/// A router of the picture.
pub(crate) struct PictureRouter {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Whether hosts hang at it, so that it is drawn full.
    pub(crate) filled: bool,
}

/// A link of the picture, by the numbers of its ends.
pub(crate) struct PictureLink {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Whether it leads to another group.
    pub(crate) global: bool,
}

/// The contents of a picture.
pub(crate) struct NetworkPicture<'p> {
    /// Description of the picture, and where its numbers stand, for readers who cannot see it.
    pub(crate) label: String,
    pub(crate) routers: &'p [PictureRouter],
    pub(crate) links: &'p [PictureLink],
    /// Lengths across and down up to which links along an axis are straight. Longer ones bow.
    pub(crate) straight: Option<[f64; 2]>,
}

/// The picture as an `<svg>` element. Links of a class share a path.
pub(crate) fn network_picture(picture: &NetworkPicture<'_>) -> String {
    let ends = |part: fn(&PictureRouter) -> f64| {
        let values = || picture.routers.iter().map(part);
        [values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max)]
    };
    let ([left, right], [top, bottom]) = (ends(|router| router.x), ends(|router| router.y));
    let label = escape(&picture.label);
    let mut out = format!(
        "<svg class=\"network\" viewBox=\"{} {} {} {}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>",
        coordinate(left - MARGIN),
        coordinate(top - 2.0 * MARGIN),
        coordinate(right - left + 2.0 * MARGIN),
        coordinate(bottom - top + 3.0 * MARGIN)
    );
    for global in [true, false] {
        let mut path = String::new();
        for link in picture.links.iter().filter(|link| link.global == global) {
            push_link(&mut path, picture, link);
        }
        if !path.is_empty() {
            let class = if global { "fiber" } else { "local" };
            push(&mut out, format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
        }
    }
    for filled in [true, false] {
        let mut path = String::new();
        for router in picture.routers.iter().filter(|router| router.filled == filled) {
            let [x, y] = [router.x - ROUTER, router.y].map(coordinate);
            push(
                &mut path,
                format_args!("M{x} {y}a{ROUTER} {ROUTER} 0 1 0 10 0a{ROUTER} {ROUTER} 0 1 0 -10 0"),
            );
        }
        if !path.is_empty() {
            let class = if filled { "router" } else { "router spine" };
            push(&mut out, format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
        }
    }
    out.push_str("</svg>");
    out
}

/// Appends a straight line, or a bow around the routers between two ends along an axis.
fn push_link(path: &mut String, picture: &NetworkPicture<'_>, link: &PictureLink) {
    let [a, b] = [&picture.routers[link.a], &picture.routers[link.b]];
    let [dx, dy] = [b.x - a.x, b.y - a.y];
    let long = libm::hypot(dx, dy).max(1.0);
    let [upright, level] = [dx, dy].map(|part| libm::fabs(part) < 0.02 * long);
    let slanted = libm::fabs(dy) > 0.6 * libm::fabs(dx) && libm::fabs(dy) < 0.8 * libm::fabs(dx);
    let bows = picture.straight.is_some_and(|[across, down]| {
        (upright || level || slanted) && long > if upright { down } else { across }
    });
    let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(coordinate);
    if bows {
        let bend = (0.16 * long).min(26.0 + 0.05 * long);
        let x = coordinate((a.x + b.x) / 2.0 + dy / long * bend);
        let y = coordinate((a.y + b.y) / 2.0 - dx / long * bend);
        push(path, format_args!("M{ax} {ay}Q{x} {y} {bx} {by}"));
    } else {
        push(path, format_args!("M{ax} {ay}L{bx} {by}"));
    }
}
