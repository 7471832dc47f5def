//! PolarStars: the star product of the points of a projective plane with a supernode.
//!
//! Router x h + a is place a of the supernode of h routers at point x. Inside a supernode, places are joined
//! as in its graph. At quadrics, a is also joined to f(a). Places a and f(a) of supernodes x < y are joined
//! where the points are orthogonal. Source: Lakhotia and others 2024 (PolarStar). Cost: linear in the links.

use crate::wire::edge::{BlockPattern, UnnumberedLink};
use fabc_base::algebra::ProjectivePlane;
use fabc_model::{Network, PolarStar};

/// The links of a PolarStar.
pub(super) fn edges(network: &Network, star: &PolarStar) -> Vec<UnnumberedLink> {
    let (size, supernode, plane) = (star.supernode_size(), star.graph(), ProjectivePlane::new(star.q));
    let with_loops = supernode.with_loops();
    let mut edges = Vec::new();
    for point in 0..ProjectivePlane::count(star.q) {
        let orthogonal = plane.orthogonal(point);
        let inside = if orthogonal.contains(&point) { &with_loops } else { &supernode.links };
        edges.extend(
            inside.iter().map(|ends| UnnumberedLink::local(network, ends.map(|place| point * size + place))),
        );
        for other in orthogonal.into_iter().filter(|&other| other > point) {
            let pairs = supernode.across.iter().zip(0..).map(|(&b, a)| [point * size + a, other * size + b]);
            edges.extend(pairs.map(|ends| UnnumberedLink::global(network, ends)));
        }
    }
    edges
}

/// The state that is needed to list neighbors without all links: points, and the two kinds of supernodes.
pub(super) struct ImplicitPolarStar {
    /// `[point]`: the points orthogonal to it, including itself if it is a quadric.
    points: Vec<Vec<u32>>,
    plain: BlockPattern,
    quadric: BlockPattern,
}

impl ImplicitPolarStar {
    pub(super) fn new(star: &PolarStar) -> Self {
        let (supernode, plane) = (star.graph(), ProjectivePlane::new(star.q));
        Self {
            points: (0..ProjectivePlane::count(star.q)).map(|point| plane.orthogonal(point)).collect(),
            plain: BlockPattern::new(&supernode.links, &supernode.across),
            quadric: BlockPattern::new(&supernode.with_loops(), &supernode.across),
        }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let size = self.plain.inside.len() as u32;
        let (point, place) = (router / size, router % size);
        let orthogonal = &self.points[point as usize];
        let pattern = if orthogonal.contains(&point) { &self.quadric } else { &self.plain };
        list.extend(pattern.inside[place as usize].iter().map(|other| point * size + other));
        list.extend(
            orthogonal
                .iter()
                .filter(|&&other| other != point)
                .map(|&other| pattern.meets(point, place, other)),
        );
    }
}
