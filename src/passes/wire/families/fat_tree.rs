//! Fat trees (k-ary n-trees): levels of p^(levels - 1) routers each, hosts at level 0.
//!
//! Router w of a level is joined to p routers of the level above. These are the routers whose numbers differ
//! from w in no digit except digit `level` (base p, least first). Source: Petrini and Vanneschi 1997.

use crate::wire::edge::UnnumberedLink;
use fabc_model::Network;

/// The links of a fat tree.
pub(super) fn edges(network: &Network, levels: u32, arity: u32) -> Vec<UnnumberedLink> {
    let width = arity.pow(levels - 1);
    let mut edges = Vec::new();
    let mut place = 1;
    for level in 0..levels - 1 {
        for router in 0..width {
            let first = router - router / place % arity * place;
            for digit in 0..arity {
                let pair = [level * width + router, (level + 1) * width + first + digit * place];
                edges.push(UnnumberedLink::local(network, pair));
            }
        }
        place *= arity;
    }
    edges
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(levels: u32, arity: u32, router: u32, list: &mut Vec<u32>) {
    let width = arity.pow(levels - 1);
    let (level, number) = (router / width, router % width);
    // The digit of the lower level is free.
    let mut join = |other: u32, lower: u32| {
        let place = arity.pow(lower);
        let first = number - number / place % arity * place;
        list.extend((0..arity).map(|digit| other * width + first + digit * place));
    };
    if level > 0 {
        join(level - 1, level - 1);
    }
    if level + 1 < levels {
        join(level + 1, level);
    }
}
