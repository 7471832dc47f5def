//! Next hops in PolarStars: cross products find the path across the plane, the supernode's graph the path
//! inside it.

use fabc_base::algebra::ProjectivePlane;
use fabc_model::{PolarStar, Supernode};

/// The facts that every router knows: the plane, the supernode's graph, and the matching of places between
/// joined supernodes.
///
/// Router `point * size + place` is number `place` of the supernode at `point` of the plane.
pub(super) struct PolarStarHops {
    plane: ProjectivePlane,
    /// Whether the matching f is its own inverse. Then equal places of joined supernodes are two hops
    /// apart.
    is_involution: bool,
    size: u32,
    /// `[x]`: the first point orthogonal to x other than x itself.
    off_diagonal: Vec<u32>,
    /// `[x]`: whether x is orthogonal to itself (a quadric).
    quadric: Vec<bool>,
    /// The matching f between joined supernodes, then its inverse.
    matching: [Vec<u32>; 2],
    /// `[a * size + b]`: whether two places of a supernode are joined. The second row is for quadrics.
    joined: [Vec<bool>; 2],
    /// `[a * size + b]`: the first place joined to both places. The second row is for quadrics.
    between: [Vec<Option<u32>>; 2],
}

impl PolarStarHops {
    pub(super) fn new(star: &PolarStar) -> Self {
        let (plane, graph, size) = (ProjectivePlane::new(star.q), star.graph(), star.supernode_size());
        let mut inverse = vec![0; size as usize];
        graph.across.iter().zip(0..).for_each(|(&b, a)| inverse[b as usize] = a);
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
        let points = 0..ProjectivePlane::count(star.q);
        let quadric: Vec<bool> = points.clone().map(|x| plane.are_orthogonal(x, x)).collect();
        let around = points
            .map(|x| plane.orthogonal(x).into_iter().find(|&y| y != x).expect("every point has several"))
            .collect();
        let is_involution = star.supernode == Supernode::Iq;
        Self {
            plane,
            is_involution,
            size,
            off_diagonal: around,
            quadric,
            matching: [graph.across, inverse],
            joined,
            between,
        }
    }

    /// The place in supernode y that is joined to `place` of supernode x, where x and y are orthogonal.
    fn matched_place(&self, x: u32, y: u32, place: u32) -> u32 {
        self.matching[usize::from(x > y)][place as usize]
    }

    /// The next router on the route between two different routers.
    pub(super) fn next_router(&self, from: u32, to: u32) -> u32 {
        let size = self.size;
        let ((x, a), (y, b)) = ((from / size, from % size), (to / size, to % size));
        let router = |point: u32, place: u32| point * size + place;
        let pair = (a * size + b) as usize;
        if x == y {
            let kind = usize::from(self.quadric[x as usize]);
            return match (self.joined[kind][pair], self.between[kind][pair]) {
                (true, _) => to,
                (false, Some(middle)) => router(x, middle),
                // Three hops apart: any neighboring supernode will do.
                (false, None) => {
                    let point = self.off_diagonal[x as usize];
                    router(point, self.matched_place(x, point, a))
                }
            };
        }
        let middle = self.plane.cross(x, y);
        if !self.plane.are_orthogonal(x, y) {
            return router(middle, self.matched_place(x, middle, a));
        }
        let matched = self.matched_place(x, y, a);
        if matched == b {
            return to;
        }
        if self.is_involution && a == b {
            // Via the third point, orthogonal to both. A quadric is its own third point.
            return if middle == x { router(x, matched) } else { router(middle, matched) };
        }
        if self.joined[0][(matched * size + b) as usize] {
            router(y, matched)
        } else {
            router(x, self.matched_place(y, x, b))
        }
    }
}
