//! The predicates of star products: PolarStars and bundleflies, supernodes that stand in the routers of
//! another graph.

use super::algebraic::{Plane, SlimFly, is_paley};
use super::rule::Rule;
use crate::field::Field;
use fabc_ir::LinkClass;
use fabc_model::{PolarStar, Supernode};

/// Supernodes in the points of a plane.
pub(super) struct Star {
    star: PolarStar,
    plane: Plane,
    inner: Inner,
}

/// What stands in every point.
enum Inner {
    /// The inductive quad that starts with so many places: none, or two that are not joined.
    Quad(u32),
    Paley(Field),
    Complete,
}

impl Star {
    pub(super) fn new(star: PolarStar) -> Self {
        let inner = match star.supernode {
            Supernode::Iq => Inner::Quad(if star.degree.is_multiple_of(4) { 2 } else { 0 }),
            Supernode::Paley => Inner::Paley(Field::new(2 * star.degree + 1)),
            Supernode::Complete => Inner::Complete,
        };
        Self { star, plane: Plane::new(star.q), inner }
    }
    fn size(&self) -> u32 {
        match self.inner {
            Inner::Quad(_) => 2 * (self.star.degree + 1),
            Inner::Paley(_) => 2 * self.star.degree + 1,
            Inner::Complete => self.star.degree + 1,
        }
    }
}

impl Inner {
    /// Whether two different places of an ordinary supernode are joined.
    fn joined(&self, one: u32, other: u32) -> bool {
        match self {
            Inner::Quad(start) => quad(*start, one.min(other), one.max(other)),
            Inner::Paley(field) => is_paley(field, one, other),
            Inner::Complete => true,
        }
    }
    /// Whether a place meets another in a supernode of higher number.
    fn meets(&self, place: u32, far: u32) -> bool {
        match self {
            &Inner::Quad(start) => {
                let (one, other) = (Step::of(start, place), Step::of(start, far));
                one.number == other.number && one.place.abs_diff(other.place) == one.half
            }
            Inner::Paley(field) => field.raised(place) == far,
            Inner::Complete => place == far,
        }
    }
}

/// Where a place of an inductive quad was added.
struct Step {
    /// 0 for the two that are there at first where there are two.
    number: u32,
    /// Among those that were added with it.
    place: u32,
    /// Half of how many these are.
    half: u32,
}

impl Step {
    fn of(start: u32, place: u32) -> Self {
        match place.checked_sub(start) {
            None => Self { number: 0, place, half: start / 2 },
            Some(later) => Self { number: 1 + later / 8, place: later % 8, half: 4 },
        }
    }
}

/// Whether two places of an inductive quad are joined: of those added together, 5, 6, 7 to each other and to
/// 3, 1, 2, and these to 0 and 4; of others, the later one to one half of all before it.
fn quad(start: u32, low: u32, high: u32) -> bool {
    let (low, high) = (Step::of(start, low), Step::of(start, high));
    if low.number == high.number {
        return low.half == 4
            && match (low.place, high.place) {
                (0, far) => far <= 3,
                (near, 4) => near <= 3,
                (near, far) => near >= 5 || matches!((near, far), (1, 6) | (2, 7) | (3, 5)),
            };
    }
    let to_second = high.place / 2 % 2 == 1;
    to_second == (low.place >= low.half)
}

impl Rule for Star {
    fn routers(&self) -> usize {
        self.plane.count() as usize * self.size() as usize
    }

    fn links(&self) -> u64 {
        let quadrics = self.plane.quadrics();
        let short = match self.inner {
            Inner::Quad(_) => 0,
            // Nothing but 0 meets itself.
            Inner::Paley(_) => quadrics,
            Inner::Complete => quadrics * u64::from(self.size()),
        };
        (self.routers() as u64 * u64::from(self.star.q + 1 + self.star.degree) - short) / 2
    }

    fn degree(&self, router: u32) -> u32 {
        let (point, place) = (router / self.size(), router % self.size());
        let short = self.plane.orthogonal(point, point) && self.inner.meets(place, place);
        self.star.q + 1 + self.star.degree - u32::from(short)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (low, high) = (from.min(to), from.max(to));
        let ((x, a), (y, b)) =
            ((low / self.size(), low % self.size()), (high / self.size(), high % self.size()));
        if x != y {
            return (self.plane.orthogonal(x, y) && self.inner.meets(a, b)).then_some((1, LinkClass::Global));
        }
        let as_other = || self.plane.orthogonal(x, x) && (self.inner.meets(a, b) || self.inner.meets(b, a));
        (a != b && (self.inner.joined(a, b) || as_other())).then_some((1, LinkClass::Local))
    }
}

/// Paley graphs in the routers of a slim fly.
pub(super) struct Bundles {
    bundles: SlimFly,
    places: Field,
}

impl Bundles {
    pub(super) fn new(q: u32, p: u32) -> Self {
        Self { bundles: SlimFly::new(q), places: Field::new(p) }
    }
}

impl Rule for Bundles {
    fn routers(&self) -> usize {
        self.bundles.routers() * self.places.order() as usize
    }

    fn links(&self) -> u64 {
        self.routers() as u64 * u64::from(self.degree(0)) / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.bundles.ports() + (self.places.order() - 1) / 2
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let p = self.places.order();
        let (low, high) = (from.min(to), from.max(to));
        let ((x, a), (y, b)) = ((low / p, low % p), (high / p, high % p));
        match x == y {
            true => is_paley(&self.places, a, b).then_some((1, LinkClass::Local)),
            false => {
                (self.bundles.adjacent(x, y) && self.places.raised(a) == b).then_some((1, LinkClass::Global))
            }
        }
    }
}
