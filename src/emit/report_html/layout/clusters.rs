//! Rings of routers, and rings of groups.

use super::point::Point;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{TierNames, Topology};
use std::f64::consts::PI;

/// Least distance of two neighbors on a ring.
const STEP: f64 = 26.0;

/// The place on a circle around a center. Place 0 is at the top, and the others follow clockwise.
fn on_circle(center: Point, radius: f64, place: usize, count: usize) -> Point {
    let angle = 2.0 * PI * place as f64 / count.max(1) as f64 - PI / 2.0;
    Point { x: center.x + radius * libm::cos(angle), y: center.y + radius * libm::sin(angle) }
}

/// The radius of a circle on which neighbors are a distance apart.
fn radius(count: usize, distance: f64) -> f64 {
    match count {
        1 => 0.0,
        2 => distance / 2.0,
        _ => distance / (2.0 * libm::sin(PI / count as f64)),
    }
}

/// All routers on one ring, by number.
pub(super) fn ring(count: usize) -> Vec<Point> {
    let radius = radius(count, STEP).max(200.0);
    (0..count).map(|place| on_circle(Point::default(), radius, place, count)).collect()
}

/// Routers by tiers of names, each on a circle of its own around the same center. The tiers before `inside`
/// stand inside of the others, the last of them innermost.
pub(super) fn circles(tiers: &[TierNames], inside: usize) -> Vec<Point> {
    let size = |tier: &TierNames| tier.sides.iter().product::<u32>() as usize;
    let mut radii = vec![0.0; tiers.len()];
    let mut reached = -2.0 * STEP;
    for place in (0..inside).rev().chain(inside..tiers.len()) {
        reached = f64::max(reached + 2.0 * STEP, radius(size(&tiers[place]), STEP));
        radii[place] = reached;
    }
    let circle = |(tier, radius): (&TierNames, f64)| {
        let count = size(tier);
        (0..count).map(move |place| on_circle(Point::default(), radius, place, count))
    };
    tiers.iter().zip(radii).flat_map(circle).collect()
}

/// Groups of consecutive routers on a ring, each a small ring of its own. In a group, routers without hosts
/// stand on a ring inside of the others.
pub(super) fn groups(count: usize, size: usize, has_hosts: &dyn Fn(usize) -> bool) -> Vec<Point> {
    let groups = count.div_ceil(size);
    let inner = radius(size, STEP);
    let outer = radius(groups, 2.0 * inner + 1.8 * STEP).max(3.0 * inner);
    let mut points = Vec::with_capacity(count);
    for group in 0..groups {
        let center =
            if groups == 1 { Point::default() } else { on_circle(Point::default(), outer, group, groups) };
        let members: Vec<usize> = (group * size..((group + 1) * size).min(count)).collect();
        let of_kind = |hosts: bool| members.iter().filter(|&&router| has_hosts(router) == hosts).count();
        let (with, without) = (of_kind(true), of_kind(false));
        let (mut next_with, mut next_without) = (0, 0);
        for router in members {
            let (next, kind, radius) = match has_hosts(router) || with == 0 {
                true => (&mut next_with, if with == 0 { without } else { with }, inner),
                false => (&mut next_without, without, 0.55 * inner),
            };
            points.push(on_circle(center, radius, *next, kind));
            *next += 1;
        }
    }
    points
}

/// Groups of groups: `blocks` has the number of parts at every level, routers first.
pub(super) fn nested(blocks: &[u32]) -> Vec<Point> {
    let mut points = vec![Point::default()];
    let mut reach = STEP / 2.0;
    for &count in blocks {
        let count = count as usize;
        let radius = radius(count, 2.0 * reach + 0.6 * STEP);
        let centers: Vec<Point> =
            (0..count).map(|place| on_circle(Point::default(), radius, place, count)).collect();
        points = centers
            .iter()
            .flat_map(|center| {
                points.iter().map(|point| Point { x: center.x + point.x, y: center.y + point.y })
            })
            .collect();
        reach += radius;
    }
    points
}

/// The two halves of a slim fly, each of q columns of q routers.
pub(super) fn halves(q: u32) -> Vec<Point> {
    let router = |index: u32| {
        let [half, column, row] = [index / (q * q), index / q % q, index % q];
        let step = 1.5 * STEP;
        Point {
            x: step * (f64::from(column) + f64::from(half) * (f64::from(q) + 1.5)),
            y: step * f64::from(row),
        }
    };
    (0..2 * q * q).map(router).collect()
}

/// A PolarFly by clusters (Lakhotia and others, 2022): the quadrics, and a fan around every other neighbor of
/// the first quadric. Quadrics are the routers with the fewest links. Two routers have one common neighbor,
/// so every other router is next to the center of exactly one fan.
pub(super) fn polarfly(topology: &Topology) -> Vec<Point> {
    let neighbors = |node: NodeId| topology.channels_from(node).map(|channel| topology.target(channel).node);
    let degree = |node: NodeId| topology.channels_from(node).count();
    let least = topology.nodes().map(degree).min().unwrap_or(0);
    let quadrics: Vec<NodeId> = topology.nodes().filter(|&node| degree(node) == least).collect();
    let mut fans: Vec<Vec<NodeId>> = vec![quadrics.clone()];
    let mut placed = vec![false; topology.node_count()];
    quadrics.iter().for_each(|node| placed[node.index()] = true);
    let centers: Vec<NodeId> = neighbors(quadrics[0]).filter(|node| !placed[node.index()]).collect();
    for &center in &centers {
        placed[center.index()] = true;
    }
    for &center in &centers {
        let fan: Vec<NodeId> = neighbors(center).filter(|node| !placed[node.index()]).collect();
        fan.iter().for_each(|node| placed[node.index()] = true);
        fans.push([vec![center], fan].concat());
    }
    fans.push(topology.nodes().filter(|node| !placed[node.index()]).collect());
    fans.retain(|fan| !fan.is_empty());
    let inner = fans.iter().map(|fan| radius(fan.len().max(2) - 1, STEP)).fold(0.0, f64::max);
    let outer = radius(fans.len(), 2.0 * inner + 1.6 * STEP);
    let mut points = vec![Point::default(); topology.node_count()];
    for (place, fan) in fans.iter().enumerate() {
        let middle = on_circle(Point::default(), outer, place, fans.len());
        let has_center = centers.contains(&fan[0]);
        let around = fan.len() - usize::from(has_center);
        for (index, node) in fan.iter().enumerate() {
            points[node.index()] = match (has_center, index) {
                (true, 0) => middle,
                (true, _) => on_circle(middle, inner, index - 1, around),
                (false, _) => on_circle(middle, inner, index, around),
            };
        }
    }
    points
}
