//! Traffics whose packets are spread over several destinations, each as a row of parts.

use super::super::endpoints::EndpointMap;
use super::places::RouterGroups;
use super::rows::{DestinationPart, DestinationRows};
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Scene;
use fabc_model::Fabric;

/// To the endpoints of the adjacent routers.
pub(super) fn adjacent(scene: &Scene<'_>, endpoints: &EndpointMap) -> DestinationRows {
    let mut rows = DestinationRows::new(endpoints.count());
    for node in scene.topology.nodes() {
        let mut adjacent_routers: Vec<u32> =
            scene.channels_from(node).map(|channel| scene.topology.target(channel).node.0).collect();
        adjacent_routers.sort_unstable();
        adjacent_routers.dedup();
        let parts = adjacent_routers.into_iter().map(|to| all_of(endpoints.of_router(to as usize), 1));
        rows.add(endpoints.of_router(node.index()), parts, 1);
    }
    rows
}

/// To the group `by` places on. A group for which this is itself sends nothing.
pub(super) fn group_shift(endpoints: &EndpointMap, groups: &RouterGroups, by: u32) -> DestinationRows {
    let (mut rows, count) = (DestinationRows::new(endpoints.count()), groups.routers.len());
    for (index, group) in groups.routers.iter().enumerate() {
        let to = (index as u64 + u64::from(by)) as usize % count;
        if to != index {
            rows.add(endpoints.of_routers(group), [all_of(endpoints.of_routers(&groups.routers[to]), 1)], 1);
        }
    }
    rows
}

/// A share of the packets, in millionths, to some endpoints, and the others to any endpoint. No endpoint
/// sends to itself.
pub(super) fn hotspot(endpoints: &EndpointMap, mut spots: Vec<u32>, share: u64) -> DestinationRows {
    spots.sort_unstable();
    spots.dedup();
    let (mut rows, count) = (DestinationRows::new(endpoints.count()), endpoints.count());
    let divisor = greatest_common_divisor(share, MILLION);
    for source in 0..count {
        let others = spots.iter().filter(|spot| **spot != source).count() as u64;
        // The only hot spot itself sends to any endpoint.
        let [hot, parts_in_all] = if others > 0 { [share / divisor, MILLION / divisor] } else { [0, 1] };
        let cold = (parts_in_all - hot) * others.max(1);
        let anywhere = [all_of(0..source, cold), all_of(source + 1..count, cold)];
        let to_spots = spots
            .iter()
            .filter(|spot| **spot != source)
            .map(|&spot| all_of(spot..spot + 1, hot * u64::from(count - 1)));
        rows.add(source..source + 1, anywhere.into_iter().chain(to_spots), 1);
    }
    rows
}

/// The demand of the spec: weights between routers, each shared by the hosts of both.
pub(super) fn demand(fabric: &Fabric, endpoints: &EndpointMap) -> DestinationRows {
    let (mut rows, routers) = (DestinationRows::new(endpoints.count()), endpoints.first.len() - 1);
    let hosts = |router: usize| endpoints.of_router(router).len() as u64;
    // A common multiple of the numbers of hosts. It is limited, which does not matter where they share no
    // factor.
    let peopled = (0..routers).map(hosts).filter(|&hosts| hosts > 0);
    let common = peopled
        .fold(1, |common, hosts| (common / greatest_common_divisor(common, hosts) * hosts).min(COMMON));
    for from in (0..routers).filter(|&from| hosts(from) > 0) {
        let mut parts: Vec<DestinationPart> = Vec::new();
        for to in (0..routers).filter(|&to| hosts(to) > 0) {
            let weight = u64::from(fabric.demand.weight(NodeId::new(from), NodeId::new(to)));
            let part = DestinationPart { weight, ..all_of(endpoints.of_router(to), 1) };
            // Consecutive endpoints with equal weights form one part.
            match parts.last_mut() {
                Some(last) if last.first + last.count == part.first && alike(last, &part) => {
                    *last = DestinationPart {
                        first: last.first,
                        count: last.count + part.count,
                        weight: last.weight + part.weight,
                    };
                }
                _ => parts.push(part),
            }
        }
        let sent: u64 = parts.iter().map(|part| part.weight).sum();
        rows.add(endpoints.of_router(from), parts, sent * common / hosts(from));
    }
    rows
}

/// Common multiples of hosts are not searched beyond this number.
const COMMON: u64 = 1 << 20;

/// One, as a number of millionths.
const MILLION: u64 = 1_000_000;

/// A part of endpoints with the weight `each` for each of them.
fn all_of(endpoints: std::ops::Range<u32>, each: u64) -> DestinationPart {
    let count = endpoints.end.saturating_sub(endpoints.start);
    DestinationPart { first: endpoints.start, count, weight: each * u64::from(count) }
}

/// Whether the endpoints of two parts have the same weight.
fn alike(first: &DestinationPart, second: &DestinationPart) -> bool {
    first.weight * u64::from(second.count) == second.weight * u64::from(first.count)
}
