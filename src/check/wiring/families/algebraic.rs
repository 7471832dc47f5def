//! The rules of graphs over finite fields: polarflies, slim flies and Paley graphs.

use crate::field::LogField;
use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::PolarFly;

/// Whether the difference of two elements is a square other than 0.
pub(super) fn is_paley(field: &LogField, a: u32, b: u32) -> bool {
    a != b && field.log(field.difference(a, b)).is_multiple_of(2)
}

/// The points of a projective plane over a field.
pub(super) struct PointPlane(LogField);

impl PointPlane {
    pub(super) fn new(q: u32) -> Self {
        Self(LogField::new(q))
    }
    pub(super) fn q(&self) -> u32 {
        self.0.order()
    }
    /// Number of points, which is the number of lines too.
    pub(super) fn count(&self) -> u64 {
        let q = u64::from(self.q());
        q * (q + 1) + 1
    }
    /// Number of pairs of different orthogonal points.
    pub(super) fn links(&self) -> u64 {
        let q = u64::from(self.q());
        q * (q + 1) * (q + 1) / 2
    }
    /// Number of points that are orthogonal to themselves.
    pub(super) fn quadrics(&self) -> u64 {
        u64::from(self.q()) + 1
    }
    /// Whether the scalar product of two points is 0.
    pub(super) fn orthogonal(&self, first: u32, second: u32) -> bool {
        let q = self.q();
        let vector = |point: u32| {
            if point >= q * (q + 1) {
                [0, 0, 1]
            } else if point >= q * q {
                [0, 1, point % q]
            } else {
                [1, point / q, point % q]
            }
        };
        let (a, b) = (vector(first), vector(second));
        (0..3).fold(0, |sum, coordinate| self.0.sum(sum, self.0.product(a[coordinate], b[coordinate]))) == 0
    }
}

/// A plane whose points are routers, and perhaps further routers with the neighbors of the point that all
/// quadrics are orthogonal to.
pub(super) struct CopiedPlane {
    plane: PointPlane,
    /// `[copy]`: the point that has the same neighbors.
    originals: Vec<u32>,
}

impl CopiedPlane {
    pub(super) fn new(fly: &PolarFly) -> Self {
        let plane = PointPlane::new(fly.q);
        let points = 0..plane.count() as u32;
        let quadrics: Vec<u32> = points.clone().filter(|&point| plane.orthogonal(point, point)).collect();
        let nucleus = |point: &u32| quadrics.iter().all(|&quadric| plane.orthogonal(*point, quadric));
        let originals = if fly.copies > 0 { points.clone().filter(nucleus).collect() } else { Vec::new() };
        Self { plane, originals }
    }
    fn original(&self, router: u32) -> u32 {
        let copy = u64::from(router).checked_sub(self.plane.count());
        copy.map_or(router, |copy| self.originals[copy as usize])
    }
}

impl FamilyRule for CopiedPlane {
    fn routers(&self) -> usize {
        self.plane.count() as usize + self.originals.len()
    }

    fn links(&self) -> u64 {
        self.plane.links() + self.originals.len() as u64 * self.plane.quadrics()
    }

    fn degree(&self, router: u32) -> u32 {
        let original = self.original(router);
        let is_quadric = self.plane.orthogonal(original, original);
        // A quadric has as many neighbors more as its nucleus has copies.
        self.plane.q() + if is_quadric { self.originals.len() as u32 } else { 1 }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (first, second) = (self.original(from), self.original(to));
        (first != second && self.plane.orthogonal(first, second)).then_some((1, LinkClass::Local))
    }
}

/// Two planes of columns, connected where a point lies on a line.
pub(super) struct SlimFlyGraph(LogField);

impl SlimFlyGraph {
    pub(super) fn new(q: u32) -> Self {
        Self(LogField::new(q))
    }
    /// Links per router: (3 q - 1) / 2, 3 q / 2 or (3 q + 1) / 2 if q is 1, 0 or 3 modulo 4.
    pub(super) fn ports(&self) -> u32 {
        let q = self.0.order();
        q + q.div_ceil(4) * 2 - if q % 4 == 1 { 2 } else { 0 }
    }
    /// Whether two rows of a column are connected, by their difference.
    fn are_rows_connected(&self, side: u32, difference: u32) -> bool {
        let (q, log) = (self.0.order(), self.0.log(difference));
        let even = log.is_multiple_of(2);
        // Half of the exponents. The other half are their negatives.
        let half = (q - 1) / 2;
        match (q % 4, side) {
            (1, side) => even == (side == 0),
            // The number of exponents is odd, so q - 1 is 0 again.
            (0, 0) => even,
            (0, _) => !even || log == 0,
            (_, 0) => even == (log < half),
            (_, _) => log == 0 || even == (log > half),
        }
    }
    pub(super) fn adjacent(&self, from: u32, to: u32) -> bool {
        let q = self.0.order();
        let place = |router: u32| (router / (q * q), router / q % q, router % q);
        let ((low, x, y), (high, m, c)) = (place(from.min(to)), place(from.max(to)));
        if low == high {
            return x == m && y != c && self.are_rows_connected(low, self.0.difference(c, y));
        }
        y == self.0.sum(self.0.product(m, x), c)
    }
}

impl FamilyRule for SlimFlyGraph {
    fn routers(&self) -> usize {
        2 * (self.0.order() as usize).pow(2)
    }

    fn links(&self) -> u64 {
        self.routers() as u64 * u64::from(self.ports()) / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.ports()
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        self.adjacent(from, to).then_some((1, LinkClass::Local))
    }
}
