//! Places by forces: links pull, and all routers push each other away (Fruchterman and Reingold, 1991). The
//! start, the number of rounds and the order of all sums are fixed.

use super::clusters;
use super::point::Point;
use fabc_base::ids::Id;
use fabc_ir::Topology;

const ROUNDS: u32 = 160;
/// Distance at which the pull of a link and the push of its ends cancel.
const LENGTH: f64 = 60.0;

/// Places in which linked routers are near each other.
pub(super) fn spread(topology: &Topology) -> Vec<Point> {
    let mut points = clusters::ring(topology.node_count());
    for round in 0..ROUNDS {
        let moves = forces(topology, &points);
        // Steps become shorter, so that the picture comes to rest.
        let longest = LENGTH * (1.0 - f64::from(round) / f64::from(ROUNDS)) + 0.5;
        for (point, force) in points.iter_mut().zip(&moves) {
            let size = libm::sqrt(force.x * force.x + force.y * force.y).max(1e-9);
            let step = size.min(longest) / size;
            point.x += force.x * step;
            point.y += force.y * step;
        }
    }
    points
}

/// The force on every router.
fn forces(topology: &Topology, points: &[Point]) -> Vec<Point> {
    let mut forces = vec![Point::default(); points.len()];
    for (index, point) in points.iter().enumerate() {
        for (other_index, other) in points.iter().enumerate().skip(index + 1) {
            let (dx, dy) = (point.x - other.x, point.y - other.y);
            let push = LENGTH * LENGTH / (dx * dx + dy * dy).max(1.0);
            forces[index].x += dx * push;
            forces[index].y += dy * push;
            forces[other_index].x -= dx * push;
            forces[other_index].y -= dy * push;
        }
    }
    for link in topology.links().iter() {
        let [a, b] = [link.a.node.index(), link.b.node.index()];
        let (dx, dy) = (points[a].x - points[b].x, points[a].y - points[b].y);
        let pull = libm::sqrt(dx * dx + dy * dy) / LENGTH;
        forces[a].x -= dx * pull;
        forces[a].y -= dy * pull;
        forces[b].x += dx * pull;
        forces[b].y += dy * pull;
    }
    forces
}
