//! Dimension-order routing on grids of routers of any dimension: torus, mesh, hyperx.
//!
//! When: healthy grids. Guarantees minimal routes; deadlock-free with 1 VC on meshes and hyperx, whose axes
//! are corrected in order, and with 2 on tori (1 where no ring is longer than two). Ties at half a ring are
//! split. Where the side is a multiple of four, routers at even places go up and the others down: every
//! channel of the ring carries as many ties, and the destination alone decides. On other even sides that
//! loads every other channel more. There a packet that came along an earlier axis keeps its direction, up or
//! down. One that was injected here goes by the parity of its coordinates and of those of its end. Such
//! tables look at the input. Why that balances: of the packets that meet at a tie as many came up as down,
//! but for those that were injected and those that had a tie before, and these two go opposite ways. Where a
//! packet wraps around a ring it moves from VC 0 to VC 1; one that never wraps stays on one VC, chosen by the
//! parity of its destination. Source: Dally & Seitz 1987 (datelines). Cost: one search among the ports of a
//! router per hop.

use super::{RouteError, by_order};
use fabc_base::ids::{ChannelId, NodeId, Vc};
use fabc_ir::{Hop, Routes, Scenario, Scene};
use fabc_model::{Fabric, Family, HyperX, Mesh, Torus};

/// Routes a grid; a dead router has no routes.
///
/// # Errors
/// [`RouteError::NeedsDateline`] with 1 VC on a ring longer than two; [`RouteError::NoDetour`] where a route
/// needs a dark link.
pub fn route(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<Routes, RouteError> {
    let order = Order::new(fabric, scene)?;
    by_order::routes(fabric, scene, scenario, |src, dst, hops| order.path(src, dst, hops))
}

/// Whether every one of these pairs keeps its route.
///
/// # Errors
/// As [`route`].
pub fn keeps(
    fabric: &Fabric,
    scene: &Scene<'_>,
    scenario: &Scenario,
    pairs: impl Iterator<Item = [NodeId; 2]>,
) -> Result<(), RouteError> {
    let order = Order::new(fabric, scene)?;
    by_order::keeps(fabric, scene, scenario, pairs, |src, dst, hops| order.path(src, dst, hops))
}

/// A grid, as its packets see it.
struct Order<'a> {
    scene: &'a Scene<'a>,
    vcs: u8,
    kind: Axis,
    sides: &'a [u32],
    /// Routers from one to the next along each axis; the last axis is the fastest.
    strides: Vec<u32>,
    /// Whether some ring is longer than two.
    rings: bool,
}

impl<'a> Order<'a> {
    fn new(fabric: &'a Fabric, scene: &'a Scene<'a>) -> Result<Self, RouteError> {
        let vcs = fabric.budget.vcs;
        let (sides, kind) = match fabric.family() {
            Some(Family::Torus(Torus(sides))) => (sides, Axis::Ring),
            Some(Family::Mesh(Mesh(sides))) => (sides, Axis::Path),
            Some(Family::HyperX(HyperX(sides))) => (sides, Axis::Complete),
            _ => unreachable!("`resolve` allows this order of networks on grids only"),
        };
        let rings = kind == Axis::Ring && sides.iter().any(|&side| side > 2);
        if rings && vcs < 2 {
            return Err(RouteError::NeedsDateline {
                method: fabric.routing.name(),
                vcs,
                budget: fabric.budget.vcs_span,
                routing: fabric.routing_span,
            });
        }
        let strides = (0..sides.len()).map(|axis| sides[axis + 1..].iter().product()).collect();
        Ok(Self { scene, vcs, kind, sides, strides, rings })
    }

    /// The coordinate of a router along an axis.
    fn at(&self, node: NodeId, axis: usize) -> u32 {
        node.0 / self.strides[axis] % self.sides[axis]
    }

    /// Whether a packet goes forward along an axis where both ways are as long. `came` says whether it went
    /// forward along the last axis before, `None` where it was injected. An injected packet goes against the
    /// one for the same end that had a tie along the first axis that has one.
    fn splits_forward(&self, node: NodeId, dst: NodeId, axis: usize, came: Option<bool>) -> bool {
        let is_by_place = |axis: usize| self.sides[axis].is_multiple_of(4);
        let beyond = |axis: usize| {
            (axis + 1..self.sides.len()).map(|later| self.at(node, later) + self.at(dst, later)).sum::<u32>()
        };
        let is_even = |place: u32, axis: usize| {
            (place + if is_by_place(axis) { 0 } else { beyond(axis) }).is_multiple_of(2)
        };
        let own = || is_even(self.at(node, axis), axis);
        if is_by_place(axis) {
            return own();
        }
        came.unwrap_or_else(|| match (0..axis).find(|&earlier| self.sides[earlier].is_multiple_of(2)) {
            None => own(),
            Some(first) => !is_even(self.at(dst, first) + self.sides[first] / 2, first),
        })
    }

    /// Adds the hops of a route; `false` where it needs a dark link.
    fn path(&self, src: NodeId, dst: NodeId, hops: &mut Vec<Hop>) -> bool {
        let Self { scene, vcs, kind, sides, strides, rings } = self;
        let at = |node: NodeId, axis: usize| self.at(node, axis);
        let (mut node, mut came) = (src, None);
        for axis in 0..sides.len() {
            let (from, goal, side) = (at(node, axis), at(dst, axis), sides[axis]);
            if from == goal {
                continue;
            }
            let split = self.splits_forward(node, dst, axis, came);
            let leg = Leg::new(*kind, [from, goal], side, split);
            let mut vc = match *kind {
                _ if leg.wraps || !rings || *vcs < 2 => 0,
                // Two routers have one link: the channel itself does not tell up from down, so the VC does.
                Axis::Ring if side == 2 => u8::from(!split),
                _ => (goal % 2) as u8,
            };
            came = Some(leg.forward);
            while at(node, axis) != goal {
                let here = at(node, axis);
                let next = leg.next(here, goal, side);
                let to = NodeId(node.0 - here * strides[axis] + next * strides[axis]);
                let leads = |channel: &ChannelId| scene.topology.target(*channel).node == to;
                let Some(channel) = scene.channels_from(node).find(leads) else { return false };
                hops.push(Hop { channel, vc: Vc(vc) });
                if leg.wraps && *vcs > 1 && here.abs_diff(next) > 1 {
                    vc = 1;
                }
                node = to;
            }
        }
        true
    }
}

/// How the routers of one line are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Ring,
    Path,
    Complete,
}

/// The way along one axis.
struct Leg {
    kind: Axis,
    forward: bool,
    /// Whether it passes the link between the last and the first router of the ring.
    wraps: bool,
}

impl Leg {
    fn new(kind: Axis, [from, goal]: [u32; 2], side: u32, splits_forward: bool) -> Self {
        let up = (goal + side - from) % side;
        let forward = match (kind, (2 * up).cmp(&side)) {
            (Axis::Ring, std::cmp::Ordering::Less) => true,
            (Axis::Ring, std::cmp::Ordering::Greater) => false,
            (Axis::Ring, std::cmp::Ordering::Equal) => splits_forward,
            _ => goal > from,
        };
        let wraps = kind == Axis::Ring && side > 2 && if forward { goal < from } else { goal > from };
        Self { kind, forward, wraps }
    }

    fn next(&self, here: u32, goal: u32, side: u32) -> u32 {
        match (self.kind, self.forward) {
            (Axis::Complete, _) => goal,
            (_, true) => (here + 1) % side,
            (_, false) => (here + side - 1) % side,
        }
    }
}
