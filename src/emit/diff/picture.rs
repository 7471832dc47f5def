//! Draws what changed in the wiring: cubes or routers on a ring, connections that stay, that go and that are
//! new.

use crate::json::push;
use crate::svg::{coordinate, escape};
use fabc_ir::{PairDiff, WiringDiff};
use std::f64::consts::PI;

/// Side of the picture, and the radius of the ring.
const SIDE: f64 = 560.0;
const RADIUS: f64 = 214.0;
/// How far changed connections bow, by their length.
const BOW: f64 = 0.12;
/// Up to this many points the picture is small.
const FEW: usize = 6;
/// Up to this many points have their names beside them.
const NAMED: usize = 48;
/// Maximum letters of a name.
const LETTERS: usize = 14;
/// Maximum points of a picture, and maximum changed pairs that say what they are.
const POINTS: usize = 1200;
const LINES: usize = 1500;

/// The picture. `None` if the two cannot be compared, and if there are too many points or none.
pub(super) fn wiring_picture(wiring: &WiringDiff) -> Option<String> {
    let WiringDiff { word, joint, points, pairs, .. } = wiring;
    if points.is_empty() || points.len() > POINTS {
        return None;
    }
    let [removed, added] = wiring.counts();
    let label = format!(
        "{} {word}s on a ring: {removed} {joint}s of A alone, {added} of B alone; the table below lists them",
        points.len()
    );
    let mut out = format!(
        "<svg class=\"network{0}\" viewBox=\"{1} {1} {2} {2}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>",
        if points.len() <= FEW { " few" } else { "" },
        -SIDE / 2.0,
        SIDE
    );
    let place = |point: u32| {
        let angle = 2.0 * PI * f64::from(point) / points.len() as f64 - PI / 2.0;
        [libm::cos(angle), libm::sin(angle)]
    };
    // Changed ones bow to either side, so that none hides another.
    let line = |pair: &PairDiff, bow: f64| {
        let [[ax, ay], [bx, by]] = [pair.from, pair.to].map(|point| place(point).map(|part| RADIUS * part));
        let [x, y] = [(ax + bx) / 2.0 + bow * (by - ay), (ay + by) / 2.0 - bow * (bx - ax)].map(coordinate);
        let [ax, ay, bx, by] = [ax, ay, bx, by].map(coordinate);
        if bow == 0.0 { format!("M{ax} {ay}L{bx} {by}") } else { format!("M{ax} {ay}Q{x} {y} {bx} {by}") }
    };
    let joined = || pairs.iter().filter(|pair| pair.from != pair.to);
    let kept: String = joined().filter(|pair| pair.kept > 0).map(|pair| line(pair, 0.0)).collect();
    if !kept.is_empty() {
        push(&mut out, format_args!("<path class=\"kept\" d=\"{kept}\"/>"));
    }
    for (class, bow) in [("gone", BOW), ("new", -BOW)] {
        let count = |pair: &PairDiff| if bow > 0.0 { pair.removed } else { pair.added };
        let changed: Vec<&PairDiff> = joined().filter(|pair| count(pair) > 0).collect();
        let most = changed.iter().map(|pair| count(pair)).max().unwrap_or(1);
        if changed.len() > LINES {
            let path: String = changed.into_iter().map(|pair| line(pair, bow)).collect();
            push(&mut out, format_args!("<path class=\"{class}\" stroke-width=\"1\" d=\"{path}\"/>"));
            continue;
        }
        for pair in changed {
            let width = 1.2 + 2.6 * f64::from(count(pair) - 1) / f64::from(most.max(2) - 1);
            let names = [pair.from, pair.to].map(|point| escape(&points[point as usize]));
            push(
                &mut out,
                format_args!(
                    "<path class=\"{class}\" stroke-width=\"{width:.1}\" d=\"{}\"><title>{} \u{2013} {}: {} {joint}s stay, {} go, {} are new</title></path>",
                    line(pair, bow),
                    names[0],
                    names[1],
                    pair.kept,
                    pair.removed,
                    pair.added
                ),
            );
        }
    }
    let radius = if points.len() > 200 { 2.5 } else { 5.0 };
    for (point, name) in (0..).zip(points) {
        let [x, y] = place(point).map(|part| coordinate(RADIUS * part));
        let name = escape(name);
        push(
            &mut out,
            format_args!(
                "<circle class=\"router\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>{name}</title></circle>"
            ),
        );
    }
    if points.len() <= NAMED && points.iter().all(|name| name.chars().count() <= LETTERS) {
        for (point, name) in (0..).zip(points) {
            push_name(&mut out, name, place(point));
        }
    }
    out.push_str("</svg>");
    Some(out)
}

/// Writes a name outside of the ring.
fn push_name(out: &mut String, name: &str, direction: [f64; 2]) {
    let [dx, dy] = direction;
    let anchor = match dx {
        _ if dx > 0.1 => "",
        _ if dx < -0.1 => " end",
        _ => " mid",
    };
    let [x, y] = [12.0f64, 16.0].map(|away| RADIUS + away);
    let (x, y) = (coordinate(x * dx), coordinate(y * dy + 4.0));
    push(out, format_args!("<text class=\"name{anchor}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(name)));
}
