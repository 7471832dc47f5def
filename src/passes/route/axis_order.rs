//! Dimension-order routing on grids of routers of any dimension: torus, mesh, hyperx.
//!
//! When: healthy grids. Guarantees: minimal routes, free of deadlock with 1 VC on meshes and hyperx, whose
//! axes are corrected in order. Tori need 2 VCs, or 1 where no ring is longer than two.
//!
//! Ties at half a ring are split between both directions. Where the side is a multiple of four, routers at
//! even places send up and the others down. Then every channel of the ring carries as many ties, and the
//! destination alone decides. On other even sides that rule would load every other channel more. There a
//! packet that arrived along an earlier axis keeps its direction, up or down. A packet injected at this
//! router goes by the parity of its coordinates and of those of its destination. Such tables look at the
//! input port.
//!
//! This balances because as many packets meet a tie coming up as coming down. The exceptions are injected
//! packets and those that had an earlier tie, and these two go opposite directions.
//!
//! Where a packet wraps around a ring it moves from VC 0 to VC 1. A packet that never wraps stays on one
//! VC, chosen by the parity of its destination. Source: Dally & Seitz 1987 (datelines). Cost: one search
//! among the ports of a router per hop.

use super::{RouteError, by_order};
use fabc_base::ids::{ChannelId, NodeId, Vc};
use fabc_ir::{Hop, Routes, Scenario, Scene};
use fabc_model::{Fabric, Family, HyperX, Mesh, Torus};

/// Routes a grid. Dark routers have no routes.
///
/// # Errors
/// [`RouteError::NeedsDateline`] with 1 VC on a ring longer than two. [`RouteError::NoDetour`] where a
/// route needs a dark link.
pub fn route(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<Routes, RouteError> {
    let order = GridOrder::new(fabric, scene)?;
    by_order::routes(fabric, scene, scenario, |src, dst, hops| order.path(src, dst, hops))
}

/// Checks that every pair of `pairs` keeps its route.
///
/// # Errors
/// As [`route`].
pub fn check_pairs(
    fabric: &Fabric,
    scene: &Scene<'_>,
    scenario: &Scenario,
    pairs: impl Iterator<Item = [NodeId; 2]>,
) -> Result<(), RouteError> {
    let order = GridOrder::new(fabric, scene)?;
    by_order::check_pairs(fabric, scene, scenario, pairs, |src, dst, hops| order.path(src, dst, hops))
}

/// The facts of a grid that dimension-order routing needs.
struct GridOrder<'a> {
    scene: &'a Scene<'a>,
    vcs: u8,
    kind: AxisKind,
    sides: &'a [u32],
    /// `[axis]`: difference between the numbers of neighbors along it. The last axis is the fastest.
    strides: Vec<u32>,
    /// Whether some ring is longer than two.
    rings: bool,
}

impl<'a> GridOrder<'a> {
    fn new(fabric: &'a Fabric, scene: &'a Scene<'a>) -> Result<Self, RouteError> {
        let vcs = fabric.budget.vcs;
        let (sides, kind) = match fabric.family() {
            Some(Family::Torus(Torus(sides))) => (sides, AxisKind::Ring),
            Some(Family::Mesh(Mesh(sides))) => (sides, AxisKind::Path),
            Some(Family::HyperX(HyperX(sides))) => (sides, AxisKind::Complete),
            _ => unreachable!("`resolve` allows this order of networks on grids only"),
        };
        let rings = kind == AxisKind::Ring && sides.iter().any(|&side| side > 2);
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
    fn coordinate(&self, node: NodeId, axis: usize) -> u32 {
        node.0 / self.strides[axis] % self.sides[axis]
    }

    /// Whether a packet goes forward along an axis where both directions are equally long.
    /// `arrived_forward` is its direction along the axis before, or `None` for an injected packet. An
    /// injected packet goes against the packet for the same destination that had a tie along the first axis
    /// with ties.
    fn splits_forward(&self, node: NodeId, dst: NodeId, axis: usize, arrived_forward: Option<bool>) -> bool {
        let is_by_place = |axis: usize| self.sides[axis].is_multiple_of(4);
        let beyond = |axis: usize| {
            (axis + 1..self.sides.len())
                .map(|later| self.coordinate(node, later) + self.coordinate(dst, later))
                .sum::<u32>()
        };
        let is_even = |place: u32, axis: usize| {
            (place + if is_by_place(axis) { 0 } else { beyond(axis) }).is_multiple_of(2)
        };
        let by_place = || is_even(self.coordinate(node, axis), axis);
        if is_by_place(axis) {
            return by_place();
        }
        arrived_forward.unwrap_or_else(|| {
            match (0..axis).find(|&earlier| self.sides[earlier].is_multiple_of(2)) {
                None => by_place(),
                Some(first) => !is_even(self.coordinate(dst, first) + self.sides[first] / 2, first),
            }
        })
    }

    /// Appends the hops of a route. Returns `false` where it needs a dark link.
    fn path(&self, src: NodeId, dst: NodeId, hops: &mut Vec<Hop>) -> bool {
        let Self { scene, vcs, kind, sides, strides, rings } = self;
        let coordinate = |node: NodeId, axis: usize| self.coordinate(node, axis);
        let (mut node, mut arrived_forward) = (src, None);
        for axis in 0..sides.len() {
            let (from, goal, side) = (coordinate(node, axis), coordinate(dst, axis), sides[axis]);
            if from == goal {
                continue;
            }
            let split = self.splits_forward(node, dst, axis, arrived_forward);
            let leg = AxisLeg::new(*kind, from, goal, side, split);
            let mut vc = match *kind {
                _ if leg.wraps || !rings || *vcs < 2 => 0,
                // Two routers have one link. The channel does not tell up from down, so the VC does.
                AxisKind::Ring if side == 2 => u8::from(!split),
                _ => (goal % 2) as u8,
            };
            arrived_forward = Some(leg.forward);
            while coordinate(node, axis) != goal {
                let current = coordinate(node, axis);
                let next = leg.next(current, goal, side);
                let to = NodeId(node.0 - current * strides[axis] + next * strides[axis]);
                let leads = |channel: &ChannelId| scene.topology.target(*channel).node == to;
                let Some(channel) = scene.channels_from(node).find(leads) else { return false };
                hops.push(Hop { channel, vc: Vc(vc) });
                if leg.wraps && *vcs > 1 && current.abs_diff(next) > 1 {
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
enum AxisKind {
    Ring,
    Path,
    Complete,
}

/// The part of a route along one axis.
struct AxisLeg {
    kind: AxisKind,
    forward: bool,
    /// Whether it crosses the link between the last and the first router of the ring.
    wraps: bool,
}

impl AxisLeg {
    fn new(kind: AxisKind, from: u32, goal: u32, side: u32, splits_forward: bool) -> Self {
        let distance_up = (goal + side - from) % side;
        let forward = match (kind, (2 * distance_up).cmp(&side)) {
            (AxisKind::Ring, std::cmp::Ordering::Less) => true,
            (AxisKind::Ring, std::cmp::Ordering::Greater) => false,
            (AxisKind::Ring, std::cmp::Ordering::Equal) => splits_forward,
            _ => goal > from,
        };
        let wraps = kind == AxisKind::Ring && side > 2 && if forward { goal < from } else { goal > from };
        Self { kind, forward, wraps }
    }

    fn next(&self, current: u32, goal: u32, side: u32) -> u32 {
        match (self.kind, self.forward) {
            (AxisKind::Complete, _) => goal,
            (_, true) => (current + 1) % side,
            (_, false) => (current + side - 1) % side,
        }
    }
}
