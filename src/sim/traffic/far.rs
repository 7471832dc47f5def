//! Traffic for which shortest paths are bad. Every group sends to a group at the greatest distance. Within
//! it, every router sends to a router at the greatest distance (Lakhotia and others 2024, section 10).

use super::super::endpoints::EndpointMap;
use super::super::layout::NONE;
use super::places::RouterGroups;
use fabc_base::ids::NodeId;
use fabc_ir::{Breadth, Neighbors, Scene};

/// `[endpoint]`: its destination, which is the host in the same place of another router.
///
/// The target of a group is the next one of those that are farthest away, round and round. The target of a
/// router is one of the farthest routers there. It is the one that was chosen least often so far, then the
/// one with the least number.
pub(super) fn targets(scene: &Scene<'_>, endpoints: &EndpointMap, groups: &RouterGroups) -> Vec<u32> {
    let neighbors = Neighbors::out_of(scene);
    let towards = farthest(&neighbors, groups);
    let mut uses = vec![0u32; neighbors.len()];
    let (mut targets, mut search) = (vec![NONE; endpoints.router.len()], Breadth::default());
    for (group, &to) in groups.routers.iter().zip(&towards) {
        for router in group.clone().filter(|&router| !endpoints.of_router(router as usize).is_empty()) {
            neighbors.search(NodeId(router), &mut search);
            let hops = |other: u32| search.hops[other as usize];
            let candidates = || {
                groups.routers[to].clone().filter(|&other| !endpoints.of_router(other as usize).is_empty())
            };
            let greatest = candidates().map(hops).filter(|&hops| hops != Breadth::APART).max();
            let chosen = candidates()
                .filter(|&other| Some(hops(other)) == greatest)
                .min_by_key(|&other| (uses[other as usize], other));
            let Some(chosen) = chosen else { continue };
            uses[chosen as usize] += 1;
            let hosts = endpoints.of_router(chosen as usize);
            for (source, place) in endpoints.of_router(router as usize).zip(0u32..) {
                targets[source as usize] = hosts.start + place % hosts.len() as u32;
            }
        }
    }
    targets
}

/// `[group]`: its target, by the place among the groups with endpoints.
fn farthest(neighbors: &Neighbors, groups: &RouterGroups) -> Vec<usize> {
    let count = groups.routers.len();
    // Routers of groups without endpoints are groups of their own, since packets pass them, too.
    let mut group_of: Vec<u32> = (0..neighbors.len()).map(|router| (count + router) as u32).collect();
    for (group, routers) in groups.routers.iter().enumerate() {
        routers.clone().for_each(|router| group_of[router as usize] = group as u32);
    }
    let mut joined: Vec<Vec<u32>> = vec![Vec::new(); count + neighbors.len()];
    for router in 0..neighbors.len() as u32 {
        let group = group_of[router as usize];
        joined[group as usize].extend(
            neighbors.neighbors_of(router).iter().map(|&to| group_of[to as usize]).filter(|&to| to != group),
        );
    }
    joined.iter_mut().for_each(|row| {
        row.sort_unstable();
        row.dedup();
    });
    let next = |from: usize| {
        let mut hops = vec![Breadth::APART; joined.len()];
        hops[from] = 0;
        let mut open = vec![from as u32];
        let mut position = 0;
        while let Some(&group) = open.get(position) {
            position += 1;
            for &to in &joined[group as usize] {
                if hops[to as usize] == Breadth::APART {
                    hops[to as usize] = hops[group as usize] + 1;
                    open.push(to);
                }
            }
        }
        let reached = |group: &usize| hops[*group] != Breadth::APART;
        let greatest = (0..count).filter(reached).map(|group| hops[group]).max();
        (1..count)
            .map(|ahead| (from + ahead) % count)
            .find(|&group| Some(hops[group]) == greatest)
            .unwrap_or(from)
    };
    (0..count).map(next).collect()
}
