//! PolarStars: the star product of the points of a projective plane with a supernode.
//!
//! Router x h + a is place a of the supernode of h routers at point x. Inside a supernode, places are joined
//! as in its graph, and at quadrics also a to f(a); places a and f(a) of supernodes x < y are joined where
//! the points are orthogonal. Source: Lakhotia and others 2024 (PolarStar). Cost: linear in the links.

use super::edge::{Edge, Places};
use fabc_base::algebra::Plane;
use fabc_model::{Network, PolarStar};

/// The links of a PolarStar.
pub(super) fn edges(network: &Network, star: &PolarStar) -> Vec<Edge> {
    let (size, supernode, plane) = (star.supernode_size(), star.graph(), Plane::new(star.q));
    let with_loops = supernode.with_loops();
    let mut edges = Vec::new();
    for point in 0..Plane::count(star.q) {
        let orthogonal = plane.orthogonal(point);
        let inside = if orthogonal.contains(&point) { &with_loops } else { &supernode.links };
        edges.extend(inside.iter().map(|ends| Edge::local(network, ends.map(|place| point * size + place))));
        for other in orthogonal.into_iter().filter(|&other| other > point) {
            let joined = supernode.across.iter().zip(0..).map(|(&b, a)| [point * size + a, other * size + b]);
            edges.extend(joined.map(|ends| Edge::global(network, ends)));
        }
    }
    edges
}

/// A PolarStar that is not wired whole: its points with their neighbors, and its two kinds of supernodes.
pub(super) struct Implicit {
    /// `[point]`: the points orthogonal to it, itself among them where it is a quadric.
    points: Vec<Vec<u32>>,
    plain: Places,
    quadric: Places,
}

impl Implicit {
    pub(super) fn new(star: &PolarStar) -> Self {
        let (supernode, plane) = (star.graph(), Plane::new(star.q));
        Self {
            points: (0..Plane::count(star.q)).map(|point| plane.orthogonal(point)).collect(),
            plain: Places::new(&supernode.links, &supernode.across),
            quadric: Places::new(&supernode.with_loops(), &supernode.across),
        }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, found: &mut Vec<u32>) {
        let size = self.plain.inside.len() as u32;
        let (point, place) = (router / size, router % size);
        let orthogonal = &self.points[point as usize];
        let own = if orthogonal.contains(&point) { &self.quadric } else { &self.plain };
        found.extend(own.inside[place as usize].iter().map(|other| point * size + other));
        found.extend(
            orthogonal.iter().filter(|&&other| other != point).map(|&other| own.meets(point, place, other)),
        );
    }
}
