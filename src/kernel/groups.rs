//! The verdict on group tables, where a router may send a packet by any port of a group.
//!
//! | property | argument |
//! |---|---|
//! | packets arrive | every member of a group leads one hop nearer on a valid path, so any choice ends |
//! | no deadlock | up channels rank by tier, down channels by 2 h minus tier: ranks rise along every path |
//! | groups are complete | each has all ports on shortest valid paths, by a search from the destination |
//! | loads | the share of a router is divided by the weights of its group, equally without weights |
//!
//! Where no valid path joins two endpoints, tables may name a relay: an endpoint to which the source sends
//! instead. It keeps the packet and then sends it as its own, so no dependency passes it. Packets of such a
//! pair load the paths of all legs.
//!
//! Shares are integers. For one destination they are counted in parts so small that every division comes out
//! even: the least common multiple, over all routes, of the product of the sums of weights on a route.

use crate::conviction::Conviction;
use crate::judge::{Judged, SlotCosts};
use crate::lit_graph::{expect_length, expect_lit};
use crate::relays::{LegLength, RelayedLegs, RelayedLoad};
use crate::tally::add_lists;
use crate::valid_paths::{NO_PATH, TierGraph, ValidPaths};
use fabc_topology::divisors::{greatest_common_divisor, least_common_multiple};
use fabc_topology::ids::{Id, NodeId};
use fabc_topology::{GroupEntry, GroupMembers, GroupTables, Relay, Walk};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most shares that a packet is divided into.
const MOST_SHARES: u128 = u64::MAX as u128;

/// Number of parts that the destinations are cut into. Each part holds the loads of all channels.
const PARTS: usize = 8;

/// Proof that group tables deliver every packet, and that no choice of members can deadlock.
#[derive(Clone, Debug)]
pub struct GroupsProved(());

/// The reason why the kernel refuses group tables.
#[derive(Clone, PartialEq, Debug)]
pub enum GroupConviction {
    /// A group that is not the set of ports on shortest valid paths.
    Members {
        /// The router that has the group.
        router: NodeId,
        /// The destination of the packets.
        destination: NodeId,
        /// The ports of the group. Empty without an entry.
        listed: Vec<u16>,
        /// The ports on shortest valid paths.
        expected: Vec<u16>,
    },
    /// An endpoint without a valid path to another one.
    NoPath {
        /// The endpoint at the start of the missing path.
        source: NodeId,
        /// The endpoint that no valid path reaches.
        destination: NodeId,
    },
    /// A relay that is no living endpoint, stands in a circle, is listed out of order, or is not needed.
    Relay(Relay),
    /// Entries or groups that are out of order or not as few as possible.
    Order {
        /// The router with such an entry. `None` for the list of groups.
        router: Option<NodeId>,
    },
    /// Shares that are too small for 64 bits.
    TooFine,
    /// An input of the verdict is refuted.
    Other(Conviction),
}

impl From<Conviction> for GroupConviction {
    fn from(conviction: Conviction) -> Self {
        GroupConviction::Other(conviction)
    }
}

/// The tables that are walked, and how much each hop counts.
struct GroupWalk<'a> {
    judged: &'a Judged<'a>,
    tables: &'a GroupTables,
    graph: TierGraph,
    costs: SlotCosts,
    legs: RelayedLegs,
}

/// Sums over destinations whose routes have the same number of shares.
struct ShareSums {
    /// `[slot]`: load in parts of a unit and shares.
    loads: Vec<u128>,
    cycles_total: u128,
}

/// Sums over the destinations of one part.
#[derive(Default)]
struct PartSums {
    by_shares: BTreeMap<u128, ShareSums>,
    route_hops: Vec<u64>,
    cycles_most: u64,
    /// The lengths of the legs of relayed routes.
    legs: BTreeMap<(NodeId, NodeId), LegLength>,
}

/// The state of the walk to one destination.
#[derive(Default)]
struct Scratch<'a> {
    paths: ValidPaths,
    /// `[router]`: its group of the destination.
    groups: Vec<GroupMembers<'a>>,
    /// `[router]`: number of shares in which the routes through it are counted. 0 if there are none.
    shares: Vec<u128>,
    /// `[router]`: the routes that pass it, in shares, once by number and once by weight.
    passing: Vec<[u128; 2]>,
    /// `[router]`: the cycles of its slowest route.
    slowest: Vec<u64>,
}

/// Checks that every group is the set of ports on shortest valid paths, and counts what the routes load. A
/// dead router must have no entries. `judged.shortest` has no meaning here. `tiers` is `[router]`: its tier.
///
/// # Errors
/// The first group that differs, the first endpoint that has no path, entries out of order, or a link within
/// a tier.
pub fn judge_groups(
    judged: &Judged<'_>,
    tables: &GroupTables,
    tiers: &[u32],
) -> Result<(Walk, GroupsProved), GroupConviction> {
    let (scene, topology) = (judged.scene, judged.scene.topology);
    expect_lit(scene)?;
    expect_length("cycles", "channels", judged.hop_cycles.len(), topology.channel_count())?;
    expect_length(
        &format!("tables of {}", tables.scenario),
        "routers",
        tables.routers.len(),
        topology.node_count(),
    )?;
    check_order(judged, tables)?;
    let (graph, costs) = (TierGraph::new(scene, tiers)?, judged.slot_costs());
    let legs = RelayedLegs::new(judged, tables).map_err(GroupConviction::Relay)?;
    let walk = GroupWalk { judged, tables, graph, costs, legs };
    let destinations: Vec<usize> = topology.endpoints().map(Id::index).collect();
    let parts = destinations.par_chunks(destinations.len().div_ceil(PARTS).max(1));
    let sums: Vec<_> = parts.map(|part| walk.walk_part(part)).collect();
    let mut sum = PartSums::default();
    for part in sums {
        sum.add(part?);
    }
    Ok((walk.into_walk(sum)?, GroupsProved(())))
}

/// Checks that entries are ascending, that two neighbors do not have the same group unless a destination
/// stands between them, and that groups are listed by their first use.
fn check_order(judged: &Judged<'_>, tables: &GroupTables) -> Result<(), GroupConviction> {
    let topology = judged.scene.topology;
    let mut seen = 0;
    for (router, entries) in tables.routers.iter().enumerate() {
        let refused = GroupConviction::Order { router: Some(NodeId::new(router)) };
        for (place, GroupEntry { first, last, group }) in entries.iter().enumerate() {
            let is_destination =
                |node: &NodeId| node.index() < topology.node_count() && topology.is_endpoint(*node);
            let next = entries.get(place + 1);
            let has_gap = |next: &GroupEntry| {
                (last.0 + 1..next.first.0).any(|between| topology.is_endpoint(NodeId(between)))
            };
            let is_apart =
                next.is_none_or(|next| *last < next.first && (next.group != *group || has_gap(next)));
            if first > last || !is_destination(first) || !is_destination(last) || !is_apart {
                return Err(refused);
            }
            if *group > seen || *group as usize >= tables.groups.len() {
                return Err(refused);
            }
            seen = seen.max(group + 1);
        }
    }
    let mut sorted: Vec<_> = tables.groups.iter().zip(&tables.weights).collect();
    sorted.sort_unstable();
    let is_unique = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    let known = seen as usize == tables.groups.len() && tables.weights_fit();
    if is_unique && known { Ok(()) } else { Err(GroupConviction::Order { router: None }) }
}

impl<'a> GroupWalk<'a> {
    fn walk_part(&self, destinations: &[usize]) -> Result<PartSums, GroupConviction> {
        let (mut sums, mut scratch) = (PartSums::default(), Scratch::default());
        for &destination in destinations {
            self.check_groups(destination, &mut scratch)?;
            if self.judged.scene.is_endpoint(NodeId::new(destination)) {
                self.count_routes(destination, &mut scratch, &mut sums)?;
            }
        }
        Ok(sums)
    }

    /// Compares every group to a destination with the search. A dead destination has no groups.
    fn check_groups(&self, destination: usize, scratch: &mut Scratch<'a>) -> Result<(), GroupConviction> {
        let scene = self.judged.scene;
        let Scratch { paths, groups, .. } = scratch;
        self.graph.search(destination, paths);
        groups.clear();
        let destination = NodeId::new(destination);
        for router in scene.topology.nodes() {
            let group = self.tables.group_members(router, destination);
            groups.push(group);
            if !self.graph.members(router.index(), paths).eq(group.ports.iter().copied()) {
                let expected = self.graph.members(router.index(), paths).collect();
                let listed = group.ports.to_vec();
                return Err(GroupConviction::Members { router, destination, listed, expected });
            }
        }
        Ok(())
    }

    /// Counts the routes to a destination whose groups were compared.
    fn count_routes(
        &self,
        destination: usize,
        scratch: &mut Scratch<'a>,
        sums: &mut PartSums,
    ) -> Result<(), GroupConviction> {
        let Scratch { paths, groups, shares, passing, slowest } = scratch;
        let to = NodeId::new(destination);
        let routers = paths.hops.len();
        let scene = self.judged.scene;
        let sources = || scene.endpoints().filter(|&source| source != to);
        fill(shares, routers, 0);
        for source in sources() {
            let hops = paths.hops[source.index()];
            match (hops, self.tables.relay(source, to)) {
                (NO_PATH, None) => return Err(GroupConviction::NoPath { source, destination: to }),
                (NO_PATH, Some(_)) => continue,
                (_, Some(relay)) => {
                    return Err(GroupConviction::Relay(Relay { source, destination: to, relay }));
                }
                (_, None) => shares[source.index()] = 1,
            }
            let hops = hops as usize;
            sums.route_hops.resize(sums.route_hops.len().max(hops + 1), 0);
            sums.route_hops[hops] += 1;
        }
        // Routers come by falling distance, so that all routes into a router are known before it is left.
        let order = || paths.order[1..].iter().rev().map(|&router| router as usize);
        for router in order() {
            if shares[router] > 0 {
                let divided = shares[router] * u128::from(groups[router].total_weight());
                for &port in groups[router].ports {
                    let next = self.next(router, port);
                    shares[next] = least_common_multiple(shares[next].max(1), divided, MOST_SHARES)
                        .ok_or(GroupConviction::TooFine)?;
                }
            }
        }
        let all_shares = shares[destination].max(1);
        fill(passing, routers, [0; 2]);
        for source in sources().filter(|source| shares[source.index()] > 0) {
            let weight = u128::from(self.judged.demand.weight(source, to));
            passing[source.index()] = [all_shares, weight * all_shares];
        }
        for &(source, RelayedLoad { routes, weight }) in self.legs.to(to) {
            if paths.hops[source.index()] == NO_PATH {
                return Err(GroupConviction::NoPath { source, destination: to });
            }
            let passing = &mut passing[source.index()];
            *passing = [passing[0] + routes * all_shares, passing[1] + weight * all_shares];
        }
        let slots = self.graph.next.len();
        let empty = || ShareSums { loads: vec![0; slots], cycles_total: 0 };
        let by_shares = sums.by_shares.entry(all_shares).or_insert_with(empty);
        for router in order().filter(|&router| shares[router] > 0) {
            let parts = u128::from(groups[router].total_weight());
            let whole = passing[router].map(|shares| shares / parts);
            for (port, part) in groups[router].weighted() {
                let slot = router * self.graph.ports + usize::from(port);
                let [routes, weight] = whole.map(|shares| shares * u128::from(part));
                let next = &mut passing[self.graph.next[slot] as usize];
                next[0] += routes;
                next[1] += weight;
                by_shares.loads[slot] += weight * u128::from(self.costs.slowness[slot]);
                by_shares.cycles_total += routes * u128::from(self.costs.cycles[slot]);
            }
        }
        self.find_slowest_paths(paths, groups, slowest);
        for &(source, _) in self.legs.to(to) {
            let length = LegLength { hops: paths.hops[source.index()], cycles: slowest[source.index()] };
            sums.legs.insert((source, to), length);
        }
        let slowest = sources().map(|source| slowest[source.index()]).max();
        sums.cycles_most = sums.cycles_most.max(slowest.unwrap_or(0));
        Ok(())
    }

    /// Fills `slowest`, `[router]`: the cycles of its slowest path to a destination, 0 without any.
    fn find_slowest_paths(&self, paths: &ValidPaths, groups: &[GroupMembers<'_>], slowest: &mut Vec<u64>) {
        fill(slowest, paths.hops.len(), 0);
        for &router in &paths.order[1..] {
            let router = router as usize;
            let over = |&port: &u16| {
                self.costs.cycles[router * self.graph.ports + usize::from(port)]
                    + slowest[self.next(router, port)]
            };
            slowest[router] = groups[router].ports.iter().map(over).max().unwrap_or(0);
        }
    }

    fn next(&self, router: usize, port: u16) -> usize {
        self.graph.next[router * self.graph.ports + usize::from(port)] as usize
    }

    /// Brings all sums to one number of shares, the least for which they are integers.
    fn into_walk(self, mut sum: PartSums) -> Result<Walk, GroupConviction> {
        let (scene, topology) = (self.judged.scene, self.judged.scene.topology);
        let too_fine = GroupConviction::TooFine;
        for relay in &self.tables.relays {
            let legs = self.tables.legs(relay.source, relay.destination);
            let lengths = || legs.iter().map(|leg| sum.legs[leg]);
            let hops = lengths().map(|leg| leg.hops as usize).sum::<usize>();
            sum.cycles_most = sum.cycles_most.max(lengths().map(|leg| leg.cycles).sum());
            sum.route_hops.resize(sum.route_hops.len().max(hops + 1), 0);
            sum.route_hops[hops] += 1;
        }
        let mut shares = 1;
        for &part in sum.by_shares.keys() {
            shares = least_common_multiple(shares, part, MOST_SHARES).ok_or(GroupConviction::TooFine)?;
        }
        let (mut loads, mut cycles_total) = (vec![0u128; self.graph.next.len()], 0u128);
        for (part, sums) in sum.by_shares {
            loads.iter_mut().zip(&sums.loads).for_each(|(load, more)| *load += more * (shares / part));
            cycles_total += sums.cycles_total * (shares / part);
        }
        let counts = || loads.iter().copied().chain([cycles_total]);
        let divisor = counts().fold(shares, greatest_common_divisor);
        // The loads of all channels together are summed in 64 bits as well.
        if (loads.iter().sum::<u128>() / divisor).max(cycles_total / divisor) > u128::from(u64::MAX) {
            return Err(too_fine);
        }
        let loads: Vec<u64> = loads.iter().map(|load| (load / divisor) as u64).collect();
        let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
        for channel in scene.channels() {
            let end = topology.source(channel);
            *histogram.entry(loads[end.node.index() * self.graph.ports + end.port.index()]).or_default() += 1;
        }
        let sizes = || self.tables.routers.iter().map(|entries| entries.len() as u64);
        let hops = (0u64..).zip(&sum.route_hops).map(|(hops, pairs)| hops * pairs).sum();
        Ok(Walk {
            shares: (shares / divisor) as u64,
            loads,
            load_histogram: histogram.into_iter().collect(),
            vc_hops: vec![hops],
            route_hops: sum.route_hops,
            cycles_total: (cycles_total / divisor) as u64,
            cycles_most: sum.cycles_most,
            entries_max: sizes().max().unwrap_or(0),
            entries_total: sizes().sum(),
        })
    }
}

/// Makes a list of equal values. The memory of the list is used again.
fn fill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}

impl PartSums {
    fn add(&mut self, other: Self) {
        add_lists(&mut self.route_hops, &other.route_hops);
        self.cycles_most = self.cycles_most.max(other.cycles_most);
        self.legs.extend(other.legs);
        for (shares, more) in other.by_shares {
            match self.by_shares.get_mut(&shares) {
                Some(sums) => {
                    sums.loads.iter_mut().zip(&more.loads).for_each(|(sum, more)| *sum += more);
                    sums.cycles_total += more.cycles_total;
                }
                None => drop(self.by_shares.insert(shares, more)),
            }
        }
    }
}
