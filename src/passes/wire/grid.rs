//! Grids: tori, meshes and HyperX, of any dimension, last axis fastest.
//!
//! Sources: Dally and Towles 2004 (tori, meshes); Ahn and others 2009 (HyperX).

use super::edge::Edge;
use fabc_model::Network;

/// How routers that differ in one coordinate alone are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// A ring: one link where it has two routers, none where it has one.
    Ring,
    /// A path.
    Path,
    /// Every two.
    Complete,
}

/// The links of a grid.
pub(super) fn edges(network: &Network, sides: &[u32], axis: Axis) -> Vec<Edge> {
    let routers: u32 = sides.iter().product();
    let mut edges = Vec::new();
    for router in 0..routers {
        let mut stride = 1;
        for &side in sides.iter().rev() {
            let at = router / stride % side;
            let farthest = if axis == Axis::Complete { side - 1 } else { side.min(at + 2) - 1 };
            let mut join = |other: u32| {
                let ends = [router, router - at * stride + other * stride];
                edges.push(Edge::local(network, ends));
            };
            (at + 1..=farthest).for_each(&mut join);
            if axis == Axis::Ring && side > 2 && at + 1 == side {
                join(0);
            }
            stride *= side;
        }
    }
    edges
}

/// Adds the neighbors of a router, one after the other along every axis.
pub(super) fn neighbors(sides: &[u32], axis: Axis, router: u32, found: &mut Vec<u32>) {
    let mut stride = 1;
    for &side in sides.iter().rev() {
        let at = router / stride % side;
        let mut join = |other: u32| found.push(router - at * stride + other * stride);
        match axis {
            Axis::Complete => (0..side).filter(|&other| other != at).for_each(join),
            Axis::Path | Axis::Ring => {
                let around = axis == Axis::Ring && side > 2;
                if at > 0 {
                    join(at - 1);
                } else if around {
                    join(side - 1);
                }
                if at + 1 < side {
                    join(at + 1);
                } else if around {
                    join(0);
                }
            }
        }
        stride *= side;
    }
}
