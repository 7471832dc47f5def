//! Judges next-hop groups of a third party: every packet may take any member of a group.
//!
//! | property | argument |
//! |---|---|
//! | packets arrive | backwards from a destination, a router is good if all its members lead to good ones |
//! | no deadlock | the kernel finds no cycle among the dependencies of all choices together |
//! | endpoints do not forward | where the network has tiers, no packet passes a router with hosts |
//! | relays hand on | the packets of a pair with relays follow groups from each of them to the next |
//! | groups are complete | a search of the kernel for shortest paths up and then down has no further ports |

use super::choices::Choices;
use super::groups::ForeignGroups;
use super::network::ForeignNetwork;
use super::shares::LoadSums;
use super::verdict::{ForeignTables, NextHopVerdict, PathOrder, Rejected, malformed};
use super::verdict_in_words::FileNames;
use crate::CheckError;
use crate::permutation::verify_permutation;
use crate::tiers::tiers_of_routers;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{GroupTables, Link, Permutation, Scene, Symmetry};
use fabc_kernel::{
    Dependencies, HeldChannel, Lookup, NOWHERE, TableFault, TierGraph, ValidPaths, WaitingPacket,
    shortest_cycle,
};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;

/// Number of parts that the destinations are cut into. Each part holds the loads of all channels.
const PARTS: usize = 8;

/// Looks for the worst permutation of hosts. `None` if that takes too long. The verdict proves the answer.
pub type PermutationSearch<'a> = &'a dyn Fn(&Scene<'_>, &GroupTables) -> Option<Permutation>;

/// What the walk of all destinations shares.
struct GroupJudge<'a> {
    groups: &'a ForeignGroups,
    /// The tiers of the routers. `None` if a link joins two routers of one tier, or runs one way.
    tiers: Option<TierGraph>,
    dependencies: Dependencies,
}

/// What the walk finds for some destinations. The first of a kind is the one of the first destination.
#[derive(Default)]
struct PartVerdict {
    loads: LoadSums,
    /// Ordered pairs of which some choice does not arrive.
    lost: u64,
    first_lost: Option<TableFault>,
    first_looping: Option<TableFault>,
    /// A router with hosts that forwards: the endpoint that packets go to, and the router.
    first_forwarding: Option<(usize, u32)>,
    /// A router from which packets go up after they came down to it.
    first_climb: Option<u32>,
    /// Number of pairs of a router and a destination whose packets pass the router.
    used: u64,
    /// The groups among them that lack a port on a shortest path, or have another port.
    unlike: u64,
    first_unlike: Option<(u32, usize)>,
}

/// Judges next-hop groups.
///
/// # Errors
/// [`Rejected::Convicted`] with the first of each: a lost pair, a pair that loops, an endpoint that forwards,
/// and a shortest cycle of channels. [`Rejected::Unreadable`] if loads or dependencies cannot be counted.
pub(super) fn judge_groups(
    file: &str,
    groups: &ForeignGroups,
    search: PermutationSearch<'_>,
) -> Result<ForeignTables, Rejected> {
    let too_large = |message: &str| Rejected::Unreadable(Box::new(malformed(file, 1, message)));
    let scene = Scene::healthy(&groups.topology);
    let graph = groups.network.to_kernel();
    let symmetry = Symmetry::trivial(1, groups.network.routers() as u32);
    let dependencies = Dependencies::new(&graph, &symmetry, 1).ok_or_else(|| {
        too_large("between the channels of this network more dependencies are possible than memory can hold")
    })?;
    // Endpoints that are joined to each other may forward: then there are no tiers.
    let topology = scene.topology;
    let is_direct = |link: &Link| [link.a, link.b].iter().all(|end| topology.is_endpoint(end.node));
    let has_direct = topology.links().iter().any(is_direct);
    let tiers = || TierGraph::new(&scene, &tiers_of_routers(topology)).ok();
    let judge = GroupJudge { groups, tiers: if has_direct { None } else { tiers() }, dependencies };
    let endpoints: Vec<usize> = (0..groups.network.endpoints.len()).collect();
    let parts = endpoints.par_chunks(endpoints.len().div_ceil(PARTS).max(1));
    let parts: Vec<PartVerdict> = parts.map(|part| judge.walk_part(part)).collect();
    let mut sum = PartVerdict::default();
    parts.into_iter().for_each(|part| sum.add(part));
    let names = FileNames { file, network: &groups.network, lookup: Lookup::Destination, vcs: 1 };
    let convictions = judge.convictions(&names, &sum);
    if !convictions.is_empty() {
        return Err(Rejected::Convicted(convictions));
    }
    // The search and its proof follow flows in layers of equal distance.
    let permutation = if sum.loads.has_even_paths() { judge.permutation(&scene, search) } else { Ok(None) };
    let next_hops = NextHopVerdict {
        kind: groups.kind.clone(),
        order: judge.path_order(sum.first_climb),
        groups: sum.used,
        unlike: sum.unlike,
        first_unlike: sum.first_unlike.map(|(router, endpoint)| judge.unlike_in_words(router, endpoint)),
        has_weights: groups.tables.has_weights(),
        relayed: groups.legs.count(),
        permutation: permutation.map_err(|error| Rejected::Convicted(vec![error]))?,
    };
    let loads = sum.loads.into_loads(groups);
    let loads = loads.ok_or_else(|| too_large("the shares of packets are too small for 64 bits"))?;
    let busiest = (0..loads.loads.len()).rev().max_by_key(|&slot| loads.loads[slot]).unwrap_or(0);
    let most = loads.loads.get(busiest).copied().unwrap_or(0);
    let common = [loads.hops, loads.shares].into_iter().fold(most, greatest_common_divisor);
    let part = |sum: u128| u64::try_from(sum / common);
    let (Ok(shares), Ok(hops), Ok(max_channel_load)) = (part(loads.shares), part(loads.hops), part(most))
    else {
        return Err(too_large("the shares of packets are too small for 64 bits"));
    };
    let count = endpoints.len() as u64;
    Ok(ForeignTables {
        routers: groups.network.routers() as u64,
        endpoints: count,
        channels: groups.network.next.iter().filter(|(to, _)| *to != NOWHERE).count() as u64,
        pairs: count * count.saturating_sub(1),
        shares,
        hops,
        longest: loads.longest,
        max_channel_load,
        busiest: groups.network.channel_name(busiest),
        vc_hops: vec![hops],
        dependencies: judge.dependencies.count(),
        next_hops: Some(next_hops),
    })
}

impl GroupJudge<'_> {
    fn network(&self) -> &ForeignNetwork {
        &self.groups.network
    }

    fn walk_part(&self, endpoints: &[usize]) -> PartVerdict {
        let mut verdict = PartVerdict::default();
        // `[slot * groups + group]`: whether the group was noted as next behind the channel.
        let count = self.groups.tables.groups.len();
        let mut noted = FixedBitSet::with_capacity(self.network().next.len() * count);
        let mut paths = ValidPaths::default();
        for &endpoint in endpoints {
            let choices = Choices::new(self.groups, endpoint);
            let failing: Vec<usize> = choices.sources().filter(|&source| !choices.arrives(source)).collect();
            for &source in &failing {
                match choices.fault(source) {
                    fault @ TableFault::Looping { .. } => drop(verdict.first_looping.get_or_insert(fault)),
                    fault => drop(verdict.first_lost.get_or_insert(fault)),
                }
            }
            let relayed = |&source: &usize| self.groups.legs.over(source, endpoint)[0] as u64;
            verdict.lost += failing.len() as u64 + failing.iter().map(relayed).sum::<u64>();
            self.note_dependencies(&choices, &mut noted, &mut verdict);
            self.compare_groups(&choices, &mut paths, &mut verdict);
            if failing.is_empty() {
                verdict.loads.count(self.groups, &choices);
            }
        }
        verdict
    }

    /// Notes every channel that packets hold while they ask for another one.
    fn note_dependencies(&self, choices: &Choices<'_>, noted: &mut FixedBitSet, verdict: &mut PartVerdict) {
        let tables = &self.groups.tables;
        for router in choices.passed() {
            for &port in choices.members(router) {
                let (slot, next) = (choices.slot(router, port), choices.next(router, port));
                let number = tables.group_number(NodeId(next), NodeId(choices.destination));
                let Some(group) = number.filter(|_| next != choices.destination) else { continue };
                if self.tiers.is_some() && self.groups.topology.is_endpoint(NodeId(next)) {
                    verdict.first_forwarding.get_or_insert((choices.endpoint, next));
                }
                if noted.put(slot * tables.groups.len() + group as usize) {
                    continue;
                }
                for &next_port in choices.members(next) {
                    let wanted = choices.slot(next, next_port);
                    let held = |slot: usize| HeldChannel { slot, vc: 0 };
                    self.dependencies.insert(self.dependencies.bit_of(held(slot), held(wanted)));
                    if self.climbs(slot) == Some(false) && self.climbs(wanted) == Some(true) {
                        verdict.first_climb.get_or_insert(next);
                    }
                }
            }
        }
    }

    /// Whether a channel leads up. `None` where there are no tiers.
    fn climbs(&self, slot: usize) -> Option<bool> {
        let tiers = &self.tiers.as_ref()?.tiers;
        Some(tiers[self.network().next[slot].0 as usize] > tiers[slot / self.network().ports])
    }

    /// Compares the groups of routers that packets pass with the ports on shortest paths.
    fn compare_groups(&self, choices: &Choices<'_>, paths: &mut ValidPaths, verdict: &mut PartVerdict) {
        self.search(choices.destination, paths);
        for router in choices.passed() {
            verdict.used += 1;
            if choices.members(router) != self.shortest_members(router, paths) {
                verdict.unlike += 1;
                verdict.first_unlike.get_or_insert((router, choices.endpoint));
            }
        }
    }

    /// The lengths of shortest paths to a destination: paths up and then down where there are tiers.
    fn search(&self, destination: u32, paths: &mut ValidPaths) {
        if let Some(tiers) = &self.tiers {
            return tiers.search(destination as usize, paths);
        }
        let topology = &self.groups.topology;
        paths.hops.clear();
        paths.hops.resize(topology.node_count(), u32::MAX);
        paths.order.clear();
        paths.order.push(destination);
        paths.hops[destination as usize] = 0;
        let mut place = 0;
        while let Some(&router) = paths.order.get(place) {
            place += 1;
            for channel in topology.channels_into(NodeId(router)) {
                let before = topology.source(channel).node;
                if paths.hops[before.index()] == u32::MAX {
                    paths.hops[before.index()] = paths.hops[router as usize] + 1;
                    paths.order.push(before.0);
                }
            }
        }
    }

    /// The ports of a router on these paths, ascending.
    fn shortest_members(&self, router: u32, paths: &ValidPaths) -> Vec<u16> {
        if let Some(tiers) = &self.tiers {
            return tiers.members(router as usize, paths).collect();
        }
        let topology = &self.groups.topology;
        let leads_nearer = |&channel: &_| {
            let next = topology.target(channel).node;
            paths.hops[next.index()].checked_add(1) == Some(paths.hops[router as usize])
        };
        let nearer = topology.channels_from(NodeId(router)).filter(leads_nearer);
        nearer.map(|channel| topology.source(channel).port.0).collect()
    }

    fn path_order(&self, first_climb: Option<u32>) -> PathOrder {
        match (&self.tiers, first_climb) {
            (None, _) => PathOrder::NoTiers,
            (Some(_), Some(router)) => PathOrder::Climbs(self.network().names[router as usize].clone()),
            (Some(graph), None) => {
                PathOrder::UpThenDown { tiers: u64::from(graph.tiers.iter().copied().max().unwrap_or(0)) + 1 }
            }
        }
    }

    /// A group that is not the set of ports on shortest paths.
    fn unlike_in_words(&self, router: u32, endpoint: usize) -> String {
        let (choices, mut paths) = (Choices::new(self.groups, endpoint), ValidPaths::default());
        self.search(choices.destination, &mut paths);
        let ports = |ports: &[u16]| {
            let names: Vec<&str> =
                ports.iter().map(|&port| self.network().port_names[usize::from(port)].as_str()).collect();
            if names.is_empty() { "no port".to_owned() } else { names.join(", ") }
        };
        let (router_name, endpoint) =
            (&self.network().names[router as usize], &self.network().endpoints[endpoint].name);
        let (listed, shortest) = (choices.members(router), self.shortest_members(router, &paths));
        format!(
            "{router_name} sends packets to {endpoint} by {}, but shortest paths leave by {}",
            ports(listed),
            ports(&shortest)
        )
    }

    /// The worst permutation of hosts, if the search finds it. Its proof is checked.
    fn permutation(
        &self,
        scene: &Scene<'_>,
        search: PermutationSearch<'_>,
    ) -> Result<Option<Permutation>, CheckError> {
        let found = search(scene, &self.groups.tables);
        if let Some(found) = &found {
            verify_permutation(scene, &self.groups.tables, found)?;
        }
        Ok(found)
    }

    /// The convictions: the first of every kind that exists.
    fn convictions(&self, names: &FileNames<'_>, found: &PartVerdict) -> Vec<CheckError> {
        let endpoints = self.network().endpoints.len() as u64;
        let pairs = endpoints * endpoints.saturating_sub(1);
        let lost_or_looping = found.first_lost.iter().chain(&found.first_looping).cloned();
        let mut errors: Vec<CheckError> =
            lost_or_looping.map(|fault| names.fault_error(fault, found.lost, pairs)).collect();
        errors.extend(found.first_forwarding.map(|(endpoint, router)| {
            let path = Choices::new(self.groups, endpoint).path_through(router);
            let (source, routers) = path.unwrap_or((endpoint, vec![router]));
            names.forwarding_error(router, source, endpoint, &routers)
        }));
        if let Some(cycle) = shortest_cycle(&self.dependencies) {
            let waiting = TableFault::Deadlock(self.waiting_packets(&cycle));
            errors.push(names.fault_error(waiting, found.lost, pairs));
        }
        errors
    }

    /// The channels of a cycle, each with packets that hold it and ask for the next one.
    fn waiting_packets(&self, cycle: &[HeldChannel]) -> Vec<WaitingPacket> {
        let ports = self.network().ports;
        let mut waiting: Vec<WaitingPacket> =
            cycle.iter().map(|&held| WaitingPacket { held, pair: None }).collect();
        for endpoint in 0..self.network().endpoints.len() {
            let choices = Choices::new(self.groups, endpoint);
            for place in 0..cycle.len() {
                let (held, wanted) = (cycle[place].slot, cycle[(place + 1) % cycle.len()].slot);
                let (router, next) = ((held / ports) as u32, (wanted / ports) as u32);
                let uses = |slot: usize, router: u32| {
                    choices.is_passed[router as usize]
                        && choices.members(router).contains(&((slot % ports) as u16))
                };
                let is_held = router != choices.destination && next != choices.destination;
                if waiting[place].pair.is_none() && is_held && uses(held, router) && uses(wanted, next) {
                    waiting[place].pair = choices.source_through(router).map(|source| (source, endpoint));
                }
            }
            if waiting.iter().all(|packet| packet.pair.is_some()) {
                break;
            }
        }
        waiting
    }
}

impl PartVerdict {
    /// Adds the verdict on later destinations.
    fn add(&mut self, other: Self) {
        self.loads.add(other.loads);
        self.lost += other.lost;
        self.used += other.used;
        self.unlike += other.unlike;
        self.first_lost = self.first_lost.take().or(other.first_lost);
        self.first_looping = self.first_looping.take().or(other.first_looping);
        self.first_forwarding = self.first_forwarding.or(other.first_forwarding);
        self.first_climb = self.first_climb.or(other.first_climb);
        self.first_unlike = self.first_unlike.or(other.first_unlike);
    }
}
