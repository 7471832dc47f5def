//! Grids: tori, meshes and HyperX, of any dimension, last axis fastest.
//!
//! Sources: Dally and Towles 2004 (tori, meshes); Ahn and others 2009 (HyperX).

use crate::wire::edge::UnnumberedLink;
use fabc_model::Network;

/// How routers that differ in one coordinate only are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AxisJoin {
    /// A ring: one link for a side of two routers, none for a side of one.
    Ring,
    /// A path along the axis.
    Path,
    /// A complete graph along the axis.
    Complete,
}

/// The links of a grid.
pub(super) fn edges(network: &Network, sides: &[u32], axis: AxisJoin) -> Vec<UnnumberedLink> {
    let routers: u32 = sides.iter().product();
    let mut edges = Vec::new();
    for router in 0..routers {
        let mut stride = 1;
        for &side in sides.iter().rev() {
            let coordinate = router / stride % side;
            let farthest = if axis == AxisJoin::Complete { side - 1 } else { side.min(coordinate + 2) - 1 };
            let mut join = |other: u32| {
                let pair = [router, router - coordinate * stride + other * stride];
                edges.push(UnnumberedLink::local(network, pair));
            };
            (coordinate + 1..=farthest).for_each(&mut join);
            if axis == AxisJoin::Ring && side > 2 && coordinate + 1 == side {
                join(0);
            }
            stride *= side;
        }
    }
    edges
}

/// Adds the neighbors of a router, axis by axis.
pub(super) fn neighbors(sides: &[u32], axis: AxisJoin, router: u32, list: &mut Vec<u32>) {
    let mut stride = 1;
    for &side in sides.iter().rev() {
        let coordinate = router / stride % side;
        let mut join = |other: u32| list.push(router - coordinate * stride + other * stride);
        match axis {
            AxisJoin::Complete => (0..side).filter(|&other| other != coordinate).for_each(join),
            AxisJoin::Path | AxisJoin::Ring => {
                let wraps = axis == AxisJoin::Ring && side > 2;
                if coordinate > 0 {
                    join(coordinate - 1);
                } else if wraps {
                    join(side - 1);
                }
                if coordinate + 1 < side {
                    join(coordinate + 1);
                } else if wraps {
                    join(0);
                }
            }
        }
        stride *= side;
    }
}
