//! The rules of star products, PolarStars and bundleflies: supernodes in the routers of another graph.

use super::algebraic::{PointPlane, SlimFlyGraph, is_paley};
use crate::field::LogField;
use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::{PolarStar, Supernode};

/// Supernodes in the points of a plane.
pub(super) struct StarProduct {
    star: PolarStar,
    plane: PointPlane,
    inner: SupernodeRule,
}

/// The graph within a supernode.
enum SupernodeRule {
    /// The inductive quad that starts with this many places: none, or two that are not connected.
    Quad(u32),
    Paley(LogField),
    Complete,
}

impl StarProduct {
    pub(super) fn new(star: PolarStar) -> Self {
        let inner = match star.supernode {
            Supernode::Iq => SupernodeRule::Quad(if star.degree.is_multiple_of(4) { 2 } else { 0 }),
            Supernode::Paley => SupernodeRule::Paley(LogField::new(2 * star.degree + 1)),
            Supernode::Complete => SupernodeRule::Complete,
        };
        Self { star, plane: PointPlane::new(star.q), inner }
    }
    fn size(&self) -> u32 {
        match self.inner {
            SupernodeRule::Quad(_) => 2 * (self.star.degree + 1),
            SupernodeRule::Paley(_) => 2 * self.star.degree + 1,
            SupernodeRule::Complete => self.star.degree + 1,
        }
    }
}

impl SupernodeRule {
    /// Whether two different places of an ordinary supernode are connected.
    fn joined(&self, first: u32, second: u32) -> bool {
        match self {
            SupernodeRule::Quad(start) => are_connected_in_quad(*start, first.min(second), first.max(second)),
            SupernodeRule::Paley(field) => is_paley(field, first, second),
            SupernodeRule::Complete => true,
        }
    }
    /// Whether a place is connected to another one in a supernode of higher number.
    fn meets(&self, place: u32, far: u32) -> bool {
        match self {
            &SupernodeRule::Quad(start) => {
                let (near, far_place) = (QuadPlace::new(start, place), QuadPlace::new(start, far));
                near.number == far_place.number && near.place.abs_diff(far_place.place) == near.half
            }
            SupernodeRule::Paley(field) => field.times_generator(place) == far,
            SupernodeRule::Complete => place == far,
        }
    }
}

/// The step in which a place of an inductive quad was added.
struct QuadPlace {
    /// The number of the step. It is 0 for the two first places, if there are two.
    number: u32,
    /// The number among the places that were added together.
    place: u32,
    /// Half of the number of places that were added together.
    half: u32,
}

impl QuadPlace {
    fn new(start: u32, place: u32) -> Self {
        match place.checked_sub(start) {
            None => Self { number: 0, place, half: start / 2 },
            Some(later) => Self { number: 1 + later / 8, place: later % 8, half: 4 },
        }
    }
}

/// Whether two places of an inductive quad are connected. Of those added together, 5, 6, 7 are connected to
/// each other and to 3, 1, 2, and these to 0 and 4. Otherwise the later place is connected to one half of
/// each earlier step.
fn are_connected_in_quad(start: u32, low: u32, high: u32) -> bool {
    let (low, high) = (QuadPlace::new(start, low), QuadPlace::new(start, high));
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

impl FamilyRule for StarProduct {
    fn routers(&self) -> usize {
        self.plane.count() as usize * self.size() as usize
    }

    fn links(&self) -> u64 {
        let quadrics = self.plane.quadrics();
        let short = match self.inner {
            SupernodeRule::Quad(_) => 0,
            // Only 0 is connected to itself.
            SupernodeRule::Paley(_) => quadrics,
            SupernodeRule::Complete => quadrics * u64::from(self.size()),
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
pub(super) struct PaleyBundles {
    bundles: SlimFlyGraph,
    places: LogField,
}

impl PaleyBundles {
    pub(super) fn new(q: u32, p: u32) -> Self {
        Self { bundles: SlimFlyGraph::new(q), places: LogField::new(p) }
    }
}

impl FamilyRule for PaleyBundles {
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
            false => (self.bundles.adjacent(x, y) && self.places.times_generator(a) == b)
                .then_some((1, LinkClass::Global)),
        }
    }
}
