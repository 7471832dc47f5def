//! Verifies that repaired tables deliver, and that routers may install them in any order.
//!
//! Input: the live tables, which were proved, the surviving fabric, and the claimed changes. Output: the
//! counts of a walk of the new tables. The three passes of the changes are applied to the old entries,
//! destination by destination. Then every pair is walked along the new entries, and every entry must rise in
//! rank.
//!
//! If old and new tables share their ranks, the change is warm. Then every entry that a router may hold
//! meanwhile must lead to another existing entry. So in any mixture of old and new entries every packet
//! arrives, meets something dark, or stands at a key that is listed as stranded.

use super::CheckError;
use super::convictions::{conviction_of_tables, input_in_words};
use super::survivors::{connected_parts, unserved_pairs};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{
    Delta, EntryKey, ForwardingTables, Repair, RouterDelta, Scene, Symmetry, TableEntry, TableKey, Topology,
};
use fabc_kernel::{Forwarding, LookupTable, MISSING, expect_length, packed};
use fabc_model::Fabric;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The counts of a walk of repaired tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepairWalk {
    /// Ordered pairs whose route was walked.
    pub pairs: u64,
    /// Sum of the hops of these routes.
    pub hops: u64,
    /// Number of entries of the new tables.
    pub entries: u64,
}

/// A change of one key, for one destination.
#[derive(Clone, Copy)]
enum KeyChange {
    Add(TableEntry),
    Turn(TableEntry),
    Drop(EntryKey),
}

/// The context that every destination is verified in.
struct RepairCheck<'a> {
    fabric: &'a Fabric,
    /// The surviving fabric, reduced to the part that is served.
    scene: &'a Scene<'a>,
    forwarding: &'a Forwarding<'a>,
    vcs: usize,
    inputs: usize,
    /// Whether old and new entries may be live at the same time.
    warm: bool,
    /// `[(router * ports + port) * vcs + vc]`: the rank in the new tables.
    ranks: Vec<u32>,
    /// `[router * inputs + input]`: the rank of the channel that leads to this input, if there is one.
    arriving_ranks: Vec<Option<u32>>,
    /// `[destination]`: the changes of routers, in the order of the passes.
    changes: Vec<Vec<(NodeId, KeyChange)>>,
    /// `[destination]`: the stranded keys, as `router * inputs + input`.
    stranded: Vec<BTreeSet<usize>>,
}

/// Verifies the changes from the live tables to new ones for the surviving fabric. `live` are these tables
/// and their ranks. They were proved: every entry is used, and ranks rise along all of them. Routers outside
/// the largest part must not change. `healthy` has the ranks of all routers in the healthy fabric, if other
/// tables are live.
///
/// # Errors
/// The first invalid change or entry, a pair that is not served, or a number that differs.
pub fn verify_repair(
    fabric: &Fabric,
    scene: &Scene<'_>,
    live: (&ForwardingTables, &[u32]),
    healthy: Option<&[u32]>,
    claimed: &Repair,
) -> Result<RepairWalk, CheckError> {
    let (before, ranks) = live;
    let topology = scene.topology;
    let violation = |text: String| CheckError::Shape { scenario: REPAIR.to_owned(), violation: text };
    if before.key != TableKey::DstInput {
        return Err(violation("the tables are not keyed by destination and input".to_owned()));
    }
    let all_parts = connected_parts(scene);
    let served = all_parts.first().cloned().unwrap_or_default();
    let lost_pairs: u64 = unserved_pairs(scene, &all_parts);
    if lost_pairs != claimed.unserved {
        return Err(violation(format!(
            "{} pairs are claimed to have no route, but {lost_pairs} pairs have no path",
            claimed.unserved
        )));
    }
    // Routers that are cut off do not change, as if they were dead.
    let dead = topology.nodes().filter(|node| served.binary_search(node).is_err()).collect();
    let scene = &Scene { dead, ..scene.clone() };
    let healthy_scene = Scene::healthy(topology);
    let healthy_forwarding = Forwarding::new(&healthy_scene, before);
    let forwarding = &healthy_forwarding
        .map_err(|error| conviction_of_tables(error, topology, before, fabric.budget.vcs_span))?;
    let vcs = usize::from(before.vcs);
    let inputs = topology.ports() * vcs + 1;
    let live_ranks = ranks_by_port(topology, &before.symmetry, vcs, ranks);
    let new_ranks = claimed.ranks.as_deref().or(healthy).unwrap_or(&live_ranks).to_vec();
    expect_length(REPAIR, "ranks", new_ranks.len(), live_ranks.len())?;
    let warm = new_ranks == live_ranks;
    if claimed.warm != warm {
        return Err(violation(
            "`warm` disagrees with the ranks: a change is warm exactly if old and new tables rise by the same ranks"
                .to_owned(),
        ));
    }
    let (changes, stranded) = changes_by_destination(topology, vcs, &claimed.delta)?;
    let arriving_ranks = arriving_ranks(topology, vcs, &new_ranks);
    let repaired = RepairCheck {
        fabric,
        scene,
        forwarding,
        vcs,
        inputs,
        warm,
        ranks: new_ranks,
        arriving_ranks,
        changes,
        stranded,
    };
    // The partition is fixed, and the first error in order counts. So the verdict does not depend on the
    // number of threads.
    let destinations: Vec<NodeId> = topology.nodes().collect();
    let sums = destinations
        .par_chunks(destinations.len().div_ceil(PARTS))
        .map(|part| repaired.verify_destinations(part))
        .collect::<Vec<_>>();
    let mut sum = RouteCounts::new(topology);
    for part in sums {
        sum.add(&part?);
    }
    let RouteCounts { walk, loads } = sum;
    let max_load = loads.into_iter().max().unwrap_or(0);
    if max_load != claimed.loads.repaired {
        return Err(violation(format!(
            "the load is claimed to be {}, but it is {max_load}",
            claimed.loads.repaired
        )));
    }
    Ok(walk)
}

/// The scenario that convictions of a repair name.
const REPAIR: &str = "repair";
/// Number of parts that the destinations are divided into.
const PARTS: usize = 32;

/// `[(router * ports + port) * vcs + vc]`: the ranks of all routers, expanded from those of the channel
/// classes.
pub fn ranks_by_port(topology: &Topology, symmetry: &Symmetry, vcs: usize, ranks: &[u32]) -> Vec<u32> {
    let mut ranks_by_port = vec![0; topology.node_count() * topology.ports() * vcs];
    for channel in topology.channels() {
        let (from, class) = (topology.source(channel), topology.channel_class(symmetry, channel).index());
        let slot = from.node.index() * topology.ports() + from.port.index();
        ranks_by_port[slot * vcs..(slot + 1) * vcs].copy_from_slice(&ranks[class * vcs..(class + 1) * vcs]);
    }
    ranks_by_port
}

/// `[router * inputs + input]`: the rank of the channel that leads to this input.
fn arriving_ranks(topology: &Topology, vcs: usize, ranks: &[u32]) -> Vec<Option<u32>> {
    let ports = topology.ports();
    let inputs = ports * vcs + 1;
    let mut ranks_by_input = vec![None; topology.node_count() * inputs];
    for channel in topology.channels() {
        let [from, to] = [topology.source(channel), topology.target(channel)];
        let slot = (from.node.index() * ports + from.port.index()) * vcs;
        let input = to.node.index() * inputs + 1 + to.port.index() * vcs;
        (0..vcs).for_each(|vc| ranks_by_input[input + vc] = Some(ranks[slot + vc]));
    }
    ranks_by_input
}

/// The changes and stranded keys of every destination. Verifies that numbers are in range and that lists
/// ascend.
#[expect(clippy::type_complexity, reason = "two lists by destination, which one caller takes apart")]
fn changes_by_destination(
    topology: &Topology,
    vcs: usize,
    delta: &Delta,
) -> Result<(Vec<Vec<(NodeId, KeyChange)>>, Vec<BTreeSet<usize>>), CheckError> {
    let (nodes, ports) = (topology.node_count(), topology.ports());
    let reject = |violation: String| Err(CheckError::Shape { scenario: REPAIR.to_owned(), violation });
    let key_fits = |key: &EntryKey| {
        let injected = (key.in_port, key.in_vc) == (-1, -1);
        let arrived = (0..ports as i64).contains(&i64::from(key.in_port))
            && (0..vcs as i64).contains(&i64::from(key.in_vc));
        key.dst.index() < nodes && (injected || arrived)
    };
    let entry_fits = |entry: &TableEntry| {
        key_fits(&EntryKey::from(*entry))
            && usize::from(entry.out_port) < ports
            && usize::from(entry.out_vc) < vcs
    };
    let mut changes = vec![Vec::new(); nodes];
    if !delta.routers.is_sorted_by(|a, b| a.router < b.router) {
        return reject("the routers of the changes do not ascend".to_owned());
    }
    for RouterDelta { router, add, turn, drop } in &delta.routers {
        let keys =
            |entries: &[TableEntry]| entries.iter().map(|&entry| EntryKey::from(entry)).collect::<Vec<_>>();
        let ascend = [keys(add), keys(turn), drop.clone()].iter().all(|keys| keys.is_sorted_by(|a, b| a < b));
        let in_range =
            add.iter().chain(turn).all(entry_fits) && drop.iter().all(key_fits) && router.index() < nodes;
        if !ascend || !in_range {
            return reject(format!(
                "the changes of router {router} are out of order, or name a port, VC or router that does not exist"
            ));
        }
        add.iter().for_each(|&entry| changes[entry.dst.index()].push((*router, KeyChange::Add(entry))));
        turn.iter().for_each(|&entry| changes[entry.dst.index()].push((*router, KeyChange::Turn(entry))));
        drop.iter().for_each(|&key| changes[key.dst.index()].push((*router, KeyChange::Drop(key))));
    }
    // Changes are sorted by pass.
    let pass = |change: &KeyChange| match change {
        KeyChange::Add(_) => 0,
        KeyChange::Turn(_) => 1,
        KeyChange::Drop(_) => 2,
    };
    changes.iter_mut().for_each(|changes| changes.sort_by_key(|(_, change)| pass(change)));
    let mut stranded = vec![BTreeSet::new(); nodes];
    for (router, key) in &delta.stranded {
        if router.index() >= nodes || !key_fits(key) {
            return reject(format!(
                "a stranded key of router {router} names a port, VC or router that does not exist"
            ));
        }
        stranded[key.dst.index()].insert(key_index(ports * vcs + 1, vcs, *router, key));
    }
    Ok((changes, stranded))
}

/// The index of a key, `router * inputs + input`.
fn key_index(inputs: usize, vcs: usize, router: NodeId, key: &EntryKey) -> usize {
    let input = if key.in_port < 0 { 0 } else { 1 + key.in_port as usize * vcs + key.in_vc as usize };
    router.index() * inputs + input
}

/// Counts of the routes to some destinations.
struct RouteCounts {
    walk: RepairWalk,
    /// `[router * ports + port]`: load in parts of a unit.
    loads: Vec<u64>,
}

impl RouteCounts {
    fn new(topology: &Topology) -> Self {
        Self {
            walk: RepairWalk { pairs: 0, hops: 0, entries: 0 },
            loads: vec![0; topology.node_count() * topology.ports()],
        }
    }

    fn add(&mut self, other: &Self) {
        self.walk.pairs += other.walk.pairs;
        self.walk.hops += other.walk.hops;
        self.walk.entries += other.walk.entries;
        self.loads.iter_mut().zip(&other.loads).for_each(|(sum, more)| *sum += more);
    }
}

impl RepairCheck<'_> {
    /// Verifies the entries for some destinations.
    fn verify_destinations(&self, destinations: &[NodeId]) -> Result<RouteCounts, CheckError> {
        let mut counted = RouteCounts::new(self.scene.topology);
        let mut old = Vec::new();
        destinations.iter().try_for_each(|&dst| self.verify_destination(dst, &mut old, &mut counted))?;
        Ok(counted)
    }

    /// Verifies the entries for one destination.
    fn verify_destination(
        &self,
        dst: NodeId,
        old: &mut Vec<u32>,
        counted: &mut RouteCounts,
    ) -> Result<(), CheckError> {
        self.forwarding.fill(dst.index(), old);
        for dead in &self.scene.dead {
            old[dead.index() * self.inputs..][..self.inputs].fill(MISSING);
        }
        let mut between = old.clone();
        let mut new = None;
        for (router, change) in &self.changes[dst.index()] {
            let violation = |text: &str| self.bad_entry(*router, dst, text);
            if !self.scene.lives(*router) {
                return Err(violation("changes, but the router is down or disconnected"));
            }
            match change {
                KeyChange::Add(entry) => {
                    let slot =
                        &mut between[key_index(self.inputs, self.vcs, *router, &EntryKey::from(*entry))];
                    if *slot != MISSING {
                        return Err(violation("is added, but its key has an entry already"));
                    }
                    *slot = packed(entry.out_port, entry.out_vc);
                }
                KeyChange::Turn(entry) => {
                    let key = key_index(self.inputs, self.vcs, *router, &EntryKey::from(*entry));
                    if old[key] == MISSING || old[key] == packed(entry.out_port, entry.out_vc) {
                        return Err(violation("is turned, but its key has no entry, or the same one"));
                    }
                    between[key] = packed(entry.out_port, entry.out_vc);
                }
                KeyChange::Drop(key) => {
                    let slot = &mut new.get_or_insert_with(|| between.clone())
                        [key_index(self.inputs, self.vcs, *router, key)];
                    if *slot == MISSING {
                        return Err(violation("is dropped, but its key has no entry"));
                    }
                    *slot = MISSING;
                }
            }
        }
        let new = new.unwrap_or_else(|| between.clone());
        self.walk_pairs(&new, dst, counted)?;
        self.verify_ranks(&new, dst)?;
        if self.warm {
            self.verify_ranks(&between, dst)?;
            self.verify_ranks(old, dst)?;
            self.verify_mixture(old, &between, dst)?;
        } else if !self.stranded[dst.index()].is_empty() {
            return Err(self.bad_entry(
                dst,
                dst,
                "is listed as stranded, but the change is cold: no packets are in flight",
            ));
        }
        Ok(())
    }

    /// Walks every pair along the new entries. All of them must be used.
    fn walk_pairs(&self, new: &[u32], dst: NodeId, counted: &mut RouteCounts) -> Result<(), CheckError> {
        let (topology, ports) = (self.scene.topology, self.scene.topology.ports());
        let mut used = vec![false; new.len()];
        let sources = self.scene.endpoints().filter(|&source| source != dst && self.scene.is_endpoint(dst));
        for source in sources {
            let weight = u64::from(self.fabric.demand.weight(source, dst));
            let (mut node, mut key) = (source, source.index() * self.inputs);
            for turn in 0.. {
                if new[key] == MISSING {
                    return Err(CheckError::MissingEntry {
                        scenario: REPAIR.to_owned(),
                        router: topology.name(node),
                        arriving: self.input_text(key),
                        src: topology.name(source),
                        dst: topology.name(dst),
                    });
                }
                used[key] = true;
                let Some(next) = self.next_key(node, new[key]) else {
                    return Err(self.bad_entry(node, dst, "leads to a dark link or a dead router"));
                };
                let slot = node.index() * ports + (new[key] & 0xffff) as usize;
                let channel = topology.outgoing(node, PortId::new(slot % ports));
                counted.loads[slot] += weight * channel.map_or(1, |channel| topology.slowness(channel));
                counted.walk.hops += 1;
                (node, key) = next;
                if node == dst {
                    break;
                }
                if turn > new.len() {
                    return Err(self.bad_entry(source, dst, "leads into a forwarding loop"));
                }
            }
            counted.walk.pairs += 1;
        }
        if let Some(key) = (0..new.len()).find(|&key| new[key] != MISSING && !used[key]) {
            return Err(self.bad_entry(
                NodeId::new(key / self.inputs),
                dst,
                &format!("{} remains, but no route uses it", self.input_text(key)),
            ));
        }
        counted.walk.entries += used.iter().filter(|used| **used).count() as u64;
        Ok(())
    }

    /// The router and the key that an entry leads to. `None` if the channel is dark or the router dead.
    fn next_key(&self, node: NodeId, packed: u32) -> Option<(NodeId, usize)> {
        let end =
            self.scene.topology.target(self.scene.outgoing(node, PortId::new((packed & 0xffff) as usize))?);
        let key = end.node.index() * self.inputs + 1 + end.port.index() * self.vcs + (packed >> 16) as usize;
        self.scene.lives(end.node).then_some((end.node, key))
    }

    /// Verifies that every entry for arriving packets leaves by a higher rank than that of their channel.
    fn verify_ranks(&self, row: &[u32], dst: NodeId) -> Result<(), CheckError> {
        let topology = self.scene.topology;
        let outputs = topology.ports() * self.vcs;
        let routers = row
            .chunks(self.inputs)
            .zip(self.arriving_ranks.chunks(self.inputs))
            .zip(self.ranks.chunks(outputs));
        for (router, ((entries, arriving), ranks)) in routers.enumerate() {
            for (&output, arriving) in entries.iter().zip(arriving).filter(|(output, _)| **output != MISSING)
            {
                let leaving = ranks[(output & 0xffff) as usize * self.vcs + (output >> 16) as usize];
                if let Some(arriving) = arriving.filter(|&arriving| leaving <= arriving) {
                    let [destination, router_name] =
                        [dst, NodeId::new(router)].map(|node| topology.name(node));
                    let violation = format!(
                        "the rank falls from {arriving} to {leaving} for packets to {destination} at {router_name}"
                    );
                    return Err(CheckError::Rank { scenario: REPAIR.to_owned(), violation });
                }
            }
        }
        Ok(())
    }

    /// Verifies a mixture of old and new entries. Whatever routers hold meanwhile must lead to existing
    /// entries, except at stranded keys.
    fn verify_mixture(&self, old: &[u32], between: &[u32], dst: NodeId) -> Result<(), CheckError> {
        let stranded = &self.stranded[dst.index()];
        for key in (0..between.len()).filter(|&key| between[key] != MISSING) {
            let node = NodeId::new(key / self.inputs);
            let next = self.next_key(node, between[key]);
            if stranded.contains(&key) {
                if old[key] != between[key]
                    || next.is_some_and(|(node, next)| node == dst || !self.gets_lost(between, next, dst))
                {
                    return Err(self.bad_entry(
                        node,
                        dst,
                        "is listed as stranded, but packets at it still arrive",
                    ));
                }
                continue;
            }
            // Packets for a dead router do not matter.
            if !self.scene.lives(dst) {
                continue;
            }
            match next {
                None => {
                    return Err(self.bad_entry(
                        node,
                        dst,
                        &format!(
                            "{} leads to a dark link or a dead router during the change",
                            self.input_text(key)
                        ),
                    ));
                }
                Some((next_node, _)) if next_node == dst => {}
                Some((next_node, next)) if between[next] == MISSING || stranded.contains(&next) => {
                    return Err(self.bad_entry(
                        next_node,
                        dst,
                        "is missing or stranded, but packets reach it during the change",
                    ));
                }
                Some(_) => {}
            }
        }
        match stranded.iter().find(|&&key| old[key] == MISSING) {
            Some(&key) => Err(self.bad_entry(
                NodeId::new(key / self.inputs),
                dst,
                "is listed as stranded, but its key has no entry",
            )),
            None => Ok(()),
        }
    }

    /// Whether packets at a key reach something dark.
    fn gets_lost(&self, row: &[u32], mut key: usize, dst: NodeId) -> bool {
        for _ in 0..row.len() {
            if row[key] == MISSING {
                return true;
            }
            match self.next_key(NodeId::new(key / self.inputs), row[key]) {
                None => return true,
                Some((next_node, _)) if next_node == dst => return false,
                Some((_, next)) => key = next,
            }
        }
        true
    }

    /// Describes the input of a key.
    fn input_text(&self, key: usize) -> String {
        input_in_words(key % self.inputs, TableKey::DstInput, self.vcs)
    }

    fn bad_entry(&self, router: NodeId, dst: NodeId, violation: &str) -> CheckError {
        let topology = self.scene.topology;
        let violation = format!("an entry for packets to {} {violation}", topology.name(dst));
        CheckError::BadEntry { scenario: REPAIR.to_owned(), router: topology.name(router), violation }
    }
}
