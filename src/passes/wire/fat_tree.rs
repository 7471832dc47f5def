//! Fat trees (k-ary n-trees): levels of p^(levels - 1) routers each, hosts at level 0.
//!
//! Router w of a level is joined to the p routers of the level above whose numbers differ from w in digit
//! `level` (base p, least first) at most. Source: Petrini and Vanneschi 1997.

use super::edge::Edge;
use crate::model::Network;

/// The links of a fat tree.
pub(super) fn edges(network: &Network, levels: u32, arity: u32) -> Vec<Edge> {
    let width = arity.pow(levels - 1);
    let mut edges = Vec::new();
    let mut place = 1;
    for level in 0..levels - 1 {
        for router in 0..width {
            let first = router - router / place % arity * place;
            for digit in 0..arity {
                let ends = [level * width + router, (level + 1) * width + first + digit * place];
                edges.push(Edge::local(network, ends));
            }
        }
        place *= arity;
    }
    edges
}
