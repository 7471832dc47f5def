//! Tests whether every pair has a legal path, and builds a rank order under which every pair has one.
//!
//! Input: a [`TurnQuotient`] and a rank order. Output: a pair without a legal path, if there is one. Or the
//! up*/down* order, under which every pair of a connected topology has a legal path. Source of the latter:
//! Schroeder et al., "Autonet: a high-speed, self-configuring local area network" (1991).

use super::quotient::{DARK, TurnQuotient};
use super::scan::RankScan;
use fabc_base::ids::NodeId;
use rayon::prelude::*;
use std::collections::VecDeque;

/// The first pair (by destination, then source) that has no path of rising rank.
pub(super) fn unreachable_pair(quotient: &TurnQuotient, rank: &[u32]) -> Option<(NodeId, NodeId)> {
    let scan = RankScan::new(quotient, rank);
    (0..quotient.symmetry.class_count()).into_par_iter().find_map_first(|class| {
        let dst = quotient.symmetry.canonical_node(class);
        let reached = scan.ports_towards(quotient, dst);
        let src = (0..quotient.nodes).find(|&src| {
            src != dst.0 as usize
                && !reached.contains_any_in_range(src * quotient.ports..(src + 1) * quotient.ports)
        })?;
        Some((NodeId(src as u32), dst))
    })
}

/// Ranks under which every VC is an up*/down* layer of its own, one above the other. Also returns which
/// channel classes belong to the underlying spanning tree, whose paths alone join every pair. Needs the
/// trivial symmetry.
pub(super) fn up_down(quotient: &TurnQuotient) -> (Vec<u32>, Vec<bool>) {
    debug_assert!(quotient.symmetry.is_trivial());
    let mut place = vec![u32::MAX; quotient.nodes];
    let mut tree = vec![false; quotient.classes()];
    let mut last_place = 0;
    let mut open = VecDeque::from([0]);
    place[0] = 0;
    while let Some(node) = open.pop_front() {
        for channel in node * quotient.ports..(node + 1) * quotient.ports {
            let next = quotient.head[channel];
            if next != DARK && place[next as usize] == u32::MAX {
                last_place += 1;
                place[next as usize] = last_place;
                open.push_back(next as usize);
                let back = next as usize * quotient.ports + quotient.in_port[channel] as usize;
                tree[quotient.channel_class(channel)] = true;
                tree[quotient.channel_class(back)] = true;
            }
        }
    }
    // Up channels by falling place of their tail, then down channels by rising place. Equal ranks never
    // follow each other.
    let mut keyed: Vec<(u64, u32)> = Vec::with_capacity(quotient.symbols());
    for class in 0..quotient.classes() {
        let channel = quotient.canonical_channel(class);
        let (tail, head) = (place[channel / quotient.ports], quotient.head[channel]);
        let within = if head != DARK && place[head as usize] < tail {
            quotient.nodes as u32 - tail
        } else {
            quotient.nodes as u32 + tail
        };
        for vc in 0..quotient.vcs {
            keyed.push((
                (vc * 2 * quotient.nodes) as u64 + u64::from(within),
                (class * quotient.vcs + vc) as u32,
            ));
        }
    }
    keyed.sort_unstable();
    let mut rank = vec![0; keyed.len()];
    for (place_in_order, (_, symbol)) in keyed.into_iter().enumerate() {
        rank[symbol as usize] = place_in_order as u32;
    }
    (rank, tree)
}
