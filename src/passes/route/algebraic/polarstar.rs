//! PolarStars: across the plane by cross products, inside a supernode by its graph.

use fabc_base::algebra::Plane;
use fabc_model::{PolarStar, Supernode};

/// What every router knows: the plane, the supernode, and how places of two supernodes are joined.
pub(super) struct Star {
    plane: Plane,
    /// Whether f is its own inverse, so that places a of neighbors are two hops apart.
    is_involution: bool,
    size: u32,
    /// `[x]`: the first point orthogonal to it that it is not itself.
    around: Vec<u32>,
    /// `[x]`: whether it is orthogonal to itself.
    quadric: Vec<bool>,
    /// f, and its inverse.
    across: [Vec<u32>; 2],
    /// `[a * size + b]`: whether places are joined in a supernode; of a quadric.
    joined: [Vec<bool>; 2],
    /// `[a * size + b]`: the first place joined to both; of a quadric.
    between: [Vec<Option<u32>>; 2],
}

impl Star {
    pub(super) fn new(star: &PolarStar) -> Self {
        let (plane, graph, size) = (Plane::new(star.q), star.graph(), star.supernode_size());
        let mut back = vec![0; size as usize];
        graph.across.iter().zip(0..).for_each(|(&b, a)| back[b as usize] = a);
        let joined = [graph.links.clone(), graph.with_loops()].map(|links| {
            let mut joined = vec![false; (size * size) as usize];
            for [a, b] in links {
                joined[(a * size + b) as usize] = true;
                joined[(b * size + a) as usize] = true;
            }
            joined
        });
        let between = joined.each_ref().map(|joined| {
            let pairs = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
            let common = |(a, b)| {
                (0..size).find(|m| joined[(a * size + m) as usize] && joined[(b * size + m) as usize])
            };
            pairs.map(common).collect()
        });
        let points = 0..Plane::count(star.q);
        let quadric: Vec<bool> = points.clone().map(|x| plane.are_orthogonal(x, x)).collect();
        let around = points
            .map(|x| plane.orthogonal(x).into_iter().find(|&y| y != x).expect("every point has several"))
            .collect();
        let is_involution = star.supernode == Supernode::Iq;
        Self { plane, is_involution, size, around, quadric, across: [graph.across, back], joined, between }
    }

    /// The place that a place of x meets in y, of points that are joined.
    fn meets(&self, x: u32, y: u32, place: u32) -> u32 {
        self.across[usize::from(x > y)][place as usize]
    }

    /// The router that comes next on the way from one to another, which differ.
    pub(super) fn next(&self, from: u32, to: u32) -> u32 {
        let size = self.size;
        let ((x, a), (y, b)) = ((from / size, from % size), (to / size, to % size));
        let router = |point: u32, place: u32| point * size + place;
        let pair = (a * size + b) as usize;
        if x == y {
            let kind = usize::from(self.quadric[x as usize]);
            return match (self.joined[kind][pair], self.between[kind][pair]) {
                (true, _) => to,
                (false, Some(middle)) => router(x, middle),
                // Three hops apart, over any neighbor.
                (false, None) => {
                    let point = self.around[x as usize];
                    router(point, self.meets(x, point, a))
                }
            };
        }
        let middle = self.plane.cross(x, y);
        if !self.plane.are_orthogonal(x, y) {
            return router(middle, self.meets(x, middle, a));
        }
        let met = self.meets(x, y, a);
        if met == b {
            return to;
        }
        if self.is_involution && a == b {
            // Over the third point that is orthogonal to both; a quadric meets itself there.
            return if middle == x { router(x, met) } else { router(middle, met) };
        }
        if self.joined[0][(met * size + b) as usize] {
            router(y, met)
        } else {
            router(x, self.meets(y, x, b))
        }
    }
}
