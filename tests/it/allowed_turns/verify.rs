//! A verifier of routes that shares nothing with the pass.

use fabc::ids::{LinkId, NodeId};
use fabc::ir::{Routes, Topology};
use std::collections::{BTreeMap, VecDeque};

/// Measures of the routes of all ordered pairs.
#[derive(Debug)]
pub(crate) struct RouteMeasures {
    pub(crate) max_load: u64,
    pub(crate) hops_ratio: f64,
    pub(crate) vc_share: Vec<f64>,
}

/// Walks every route to every canonical destination. Panics with a sentence where something is wrong.
pub(crate) fn verify(topology: &Topology, routes: &Routes, dark: impl Fn(LinkId) -> bool) -> RouteMeasures {
    let symmetry = &routes.symmetry;
    let vcs = routes.vcs as usize;
    let rank = |hop: &fabc::ir::Hop| {
        routes.ranks[topology.channel_class(symmetry, hop.channel).0 as usize * vcs + hop.vc.0 as usize]
    };
    let mut loads = vec![0u64; topology.class_count(symmetry)];
    let mut vc_hops = vec![0u64; vcs];
    let (mut hops, mut least) = (0u64, 0u64);
    for (class, dst) in symmetry.canonical_nodes().enumerate() {
        let distances = distances_to(topology, dst, &dark);
        let mut keys: BTreeMap<(u32, u16, u8), (u16, u8)> = BTreeMap::new();
        for src in topology.nodes() {
            let route = routes.route(class, src);
            assert_eq!(route.is_empty(), src == dst, "only the destination has no hop to itself");
            let mut router = src;
            let mut before: Option<fabc::ir::Hop> = None;
            for hop in route {
                let from = topology.source(hop.channel);
                assert_eq!(from.node, router, "hops join");
                assert!(!dark(topology.link_of(hop.channel)), "no hop over a dark link");
                if let Some(before) = before {
                    assert!(rank(&before) < rank(hop), "ranks rise");
                    let arrived = topology.target(before.channel);
                    assert_ne!(arrived.port, from.port, "no turning back");
                    let out = (from.port.0, hop.vc.0);
                    let known = *keys.entry((router.0, arrived.port.0, before.vc.0)).or_insert(out);
                    assert_eq!(known, out, "routes that meet towards one destination agree");
                }
                loads[topology.channel_class(symmetry, hop.channel).0 as usize] += 1;
                vc_hops[hop.vc.0 as usize] += 1;
                router = topology.target(hop.channel).node;
                before = Some(*hop);
            }
            assert_eq!(router, dst, "routes arrive");
            hops += route.len() as u64;
            least += u64::from(distances[src.0 as usize]);
        }
    }
    RouteMeasures {
        max_load: loads.into_iter().max().unwrap(),
        hops_ratio: hops as f64 / least as f64,
        vc_share: vc_hops.iter().map(|&on_vc| on_vc as f64 / hops as f64).collect(),
    }
}

fn distances_to(topology: &Topology, dst: NodeId, dark: impl Fn(LinkId) -> bool) -> Vec<u32> {
    let mut distance = vec![u32::MAX; topology.node_count()];
    distance[dst.0 as usize] = 0;
    let mut open = VecDeque::from([dst]);
    while let Some(node) = open.pop_front() {
        for channel in topology.channels_from(node).filter(|&channel| !dark(topology.link_of(channel))) {
            let next = topology.target(channel).node;
            if distance[next.0 as usize] == u32::MAX {
                distance[next.0 as usize] = distance[node.0 as usize] + 1;
                open.push_back(next);
            }
        }
    }
    distance
}
