//! Traffics whose packets are spread over several destinations, each as a row of parts.

use super::super::endpoints::Endpoints;
use super::places::Groups;
use super::rows::{Part, Rows};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Scene;
use fabc_model::Fabric;

/// To the endpoints of the routers that a channel leads to.
pub(super) fn adjacent(scene: &Scene<'_>, endpoints: &Endpoints) -> Rows {
    let mut rows = Rows::new(endpoints.count());
    for node in scene.topology.nodes() {
        let mut joined: Vec<u32> =
            scene.channels_from(node).map(|channel| scene.topology.target(channel).node.0).collect();
        joined.sort_unstable();
        joined.dedup();
        let parts = joined.into_iter().map(|to| all_of(endpoints.at(to as usize), 1));
        rows.add(endpoints.at(node.index()), parts, 1);
    }
    rows
}

/// To the group so many on; a group that this leads to itself sends nothing.
pub(super) fn group_shift(endpoints: &Endpoints, groups: &Groups, by: u32) -> Rows {
    let (mut rows, count) = (Rows::new(endpoints.count()), groups.routers.len());
    for (at, group) in groups.routers.iter().enumerate() {
        let to = (at as u64 + u64::from(by)) as usize % count;
        if to != at {
            rows.add(endpoints.of_routers(group), [all_of(endpoints.of_routers(&groups.routers[to]), 1)], 1);
        }
    }
    rows
}

/// A share of the packets, in millionths, to some endpoints, the others anywhere; nobody sends to himself.
pub(super) fn hotspot(endpoints: &Endpoints, mut spots: Vec<u32>, share: u64) -> Rows {
    spots.sort_unstable();
    spots.dedup();
    let (mut rows, count) = (Rows::new(endpoints.count()), endpoints.count());
    let divisor = common_divisor(share, MILLION);
    for source in 0..count {
        let others = spots.iter().filter(|spot| **spot != source).count() as u64;
        // Who is the only spot sends anywhere.
        let [hot, of] = if others > 0 { [share / divisor, MILLION / divisor] } else { [0, 1] };
        let cold = (of - hot) * others.max(1);
        let anywhere = [all_of(0..source, cold), all_of(source + 1..count, cold)];
        let there = spots
            .iter()
            .filter(|spot| **spot != source)
            .map(|&spot| all_of(spot..spot + 1, hot * u64::from(count - 1)));
        rows.add(source..source + 1, anywhere.into_iter().chain(there), 1);
    }
    rows
}

/// As the spec declares it: weights between routers, each shared by the hosts of both.
pub(super) fn demand(fabric: &Fabric, endpoints: &Endpoints) -> Rows {
    let (mut rows, routers) = (Rows::new(endpoints.count()), endpoints.first.len() - 1);
    let hosts = |router: usize| endpoints.at(router).len() as u64;
    // What the numbers of hosts divide; so much at least that it does not matter where they share nothing.
    let peopled = (0..routers).map(hosts).filter(|&hosts| hosts > 0);
    let common =
        peopled.fold(1, |common, hosts| (common / common_divisor(common, hosts) * hosts).min(COMMON));
    for from in (0..routers).filter(|&from| hosts(from) > 0) {
        let mut parts: Vec<Part> = Vec::new();
        for to in (0..routers).filter(|&to| hosts(to) > 0) {
            let weight = u64::from(fabric.demand.weight(NodeId::new(from), NodeId::new(to)));
            let part = Part { weight, ..all_of(endpoints.at(to), 1) };
            // Endpoints in a row that hear alike are one part.
            match parts.last_mut() {
                Some(last) if last.first + last.count == part.first && alike(last, &part) => {
                    *last = Part {
                        first: last.first,
                        count: last.count + part.count,
                        weight: last.weight + part.weight,
                    };
                }
                _ => parts.push(part),
            }
        }
        let sent: u64 = parts.iter().map(|part| part.weight).sum();
        rows.add(endpoints.at(from), parts, sent * common / hosts(from));
    }
    rows
}

/// Common multiples of hosts are not looked for beyond.
const COMMON: u64 = 1 << 20;

/// One, in millionths.
const MILLION: u64 = 1_000_000;

/// A part of endpoints with so much weight each.
fn all_of(endpoints: std::ops::Range<u32>, each: u64) -> Part {
    let count = endpoints.end.saturating_sub(endpoints.start);
    Part { first: endpoints.start, count, weight: each * u64::from(count) }
}

/// Whether the endpoints of two parts have the same weight.
fn alike(one: &Part, other: &Part) -> bool {
    one.weight * u64::from(other.count) == other.weight * u64::from(one.count)
}

/// The greatest common divisor.
pub(super) fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
