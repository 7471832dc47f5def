//! Dragonflies: groups of `a` routers, complete inside, with `h` global ports per router.
//!
//! The global ports of a group are numbered through: port k is global port k mod h of router k / h. Between
//! every two groups run floor(a h / (g - 1)) links; what is left over stays dark. Sources: Kim and others
//! 2008; Camarero, Vallejo and Beivide 2014 (palmtree and consecutive arrangements).

use super::edge::Edge;
use crate::ids::{BlockId, NodeId};
use crate::ir::{LinkClass, Symmetry};
use crate::model::{Arrangement, Demand, Dragonfly, Network};

/// The links of a dragonfly.
pub(super) fn edges(network: &Network, dragonfly: &Dragonfly) -> Vec<Edge> {
    let &Dragonfly { a, h, g, .. } = dragonfly;
    let mut edges = Vec::new();
    for group in 0..g {
        for router in 0..a {
            for other in router + 1..a {
                let ends = [group * a + router, group * a + other];
                edges.push(Edge { ends, class: LinkClass::Local, link_type: network.local, ports: [None, None] });
            }
        }
    }
    let others = g - 1;
    if others == 0 {
        return edges;
    }
    let port = |k: u32| Some((a - 1 + k % h) as u16);
    for group in 0..g {
        for k in 0..a * h / others * others {
            let (there, back) = across(dragonfly, group, k % others);
            if group < there {
                let other = k / others * others + back;
                let ends = [group * a + k / h, there * a + other / h];
                edges.push(Edge { ends, class: LinkClass::Global, link_type: network.global, ports: [port(k), port(other)] });
            }
        }
    }
    edges
}

/// The group that port `k < g - 1` of a group leads to, and the port that it meets there.
fn across(dragonfly: &Dragonfly, group: u32, k: u32) -> (u32, u32) {
    let g = dragonfly.g;
    match dragonfly.arrangement {
        Arrangement::Palmtree => ((group + g - k - 1) % g, g - 2 - k),
        Arrangement::Consecutive if k < group => (k, group - 1),
        Arrangement::Consecutive => (k + 1, group),
        Arrangement::Fold if k.is_multiple_of(2) => ((group + k / 2 + 1) % g, k + 1),
        Arrangement::Fold => ((group + g - k / 2 - 1) % g, k - 1),
    }
}

/// The rotations of the groups that keep ports and demand: all that keep the demand, but for the consecutive
/// arrangement, whose ports they move.
pub(super) fn symmetry(dragonfly: &Dragonfly, demand: &Demand) -> Symmetry {
    let &Dragonfly { a, g, arrangement, .. } = dragonfly;
    if arrangement == Arrangement::Consecutive {
        return Symmetry::trivial(a, g);
    }
    // Rotations that keep the demand are the multiples of the least one, which divides the number of groups.
    let kept = |by: u32| demand.is_kept_by(|node| NodeId((node.0 + by * a) % (g * a)));
    let least = (1..g).find(|&by| g.is_multiple_of(by) && kept(by)).unwrap_or(g);
    let rotation = |by: u32| (0..g).map(|group| BlockId((group + by) % g)).collect();
    Symmetry::new(a, (0..g / least).map(|step| rotation(step * least)).collect())
}
