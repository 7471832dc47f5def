//! Whether repaired tables deliver, and whether routers may come to them in any order.
//!
//! Comes in: the tables in force, which were proved, what is left, and the changes that are claimed. Goes
//! out: what a walk of the new tables found. Destination by destination the three passes are carried out on
//! the old entries. Then every pair is walked along the new ones, every entry rises in rank, and, where old
//! and new tables share their ranks, no entry that a router may hold on the way leads anywhere but to another
//! that is there: so in any mix of old and new every packet arrives, meets what is dark, or stands at a key
//! that is listed as stranded.

use super::CheckError;
use super::convictions::{conviction_of_tables, input_in_words};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{
    Delta, Entry, ForwardingTables, Key, Repair, RouterDelta, Scene, Symmetry, TableKey, Topology,
};
use fabc_kernel::{Forwarding, MISSING, Table, expect_length, packed, symmetry_of, volume_and_distance};
use fabc_model::{Demand, Fabric};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What a walk of repaired tables found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepairWalk {
    /// Ordered pairs whose route was walked.
    pub pairs: u64,
    /// Their hops.
    pub hops: u64,
    /// Entries of the new tables.
    pub entries: u64,
}

/// The routers that live, part by part: those with most endpoints first, of as many the one with the first
/// router.
pub fn parts(scene: &Scene<'_>) -> Vec<Vec<NodeId>> {
    let mut part: BTreeMap<NodeId, NodeId> =
        scene.topology.nodes().filter(|&node| scene.lives(node)).map(|node| (node, node)).collect();
    fn root(part: &BTreeMap<NodeId, NodeId>, mut node: NodeId) -> NodeId {
        while part[&node] != node {
            node = part[&node];
        }
        node
    }
    for channel in scene.channels() {
        let [a, b] = [scene.topology.source(channel), scene.topology.target(channel)].map(|end| end.node);
        if !part.contains_key(&a) || !part.contains_key(&b) {
            continue;
        }
        let (a, b) = (root(&part, a), root(&part, b));
        part.insert(a.max(b), a.min(b));
    }
    let mut parts: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    part.keys().for_each(|&node| parts.entry(root(&part, node)).or_default().push(node));
    let mut parts: Vec<Vec<NodeId>> = parts.into_values().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.iter().filter(|&&node| scene.is_endpoint(node)).count()));
    parts
}

/// No single-path routing of what is left has a smaller load, in parts of a unit: by the lengths that are
/// certified for the healthy fabric, `[channel class]` under the symmetry of the topology.
///
/// # Errors
/// What is left is not in one part, or the lengths are none.
pub fn least_load(scene: &Scene<'_>, demand: &Demand, lengths: &[u64]) -> Result<u64, CheckError> {
    let (topology, own) = (scene.topology, symmetry_of(scene));
    expect_length("lengths", "channel classes", lengths.len(), topology.class_count(topology.symmetry()))?;
    let mut left = vec![0; topology.class_count(&own)];
    for channel in scene.channels() {
        left[topology.channel_class(&own, channel).index()] =
            lengths[topology.channel_class(topology.symmetry(), channel).index()];
    }
    let (volume, distance) = volume_and_distance(scene, demand, &left)?;
    let load = distance.saturating_mul(u128::from(topology.capacities().parts())).div_ceil(volume);
    Ok(u64::try_from(load).unwrap_or(u64::MAX))
}

/// A change of one key, for one destination.
#[derive(Clone, Copy)]
enum Change {
    Add(Entry),
    Turn(Entry),
    Drop(Key),
}

/// What is looked at for every destination.
struct Repaired<'a> {
    fabric: &'a Fabric,
    /// What is left, and only the part that is served.
    scene: &'a Scene<'a>,
    forwarding: &'a Forwarding<'a>,
    vcs: usize,
    inputs: usize,
    /// Whether old entries and new ones may stand side by side.
    warm: bool,
    /// `[(router * ports + port) * vcs + vc]`
    ranks: Vec<u32>,
    /// `[router * inputs + input]`: the rank by which what comes in there came, if a channel leads there.
    held: Vec<Option<u32>>,
    /// `[dst]`: the changes of routers, in the order of the passes.
    changes: Vec<Vec<(NodeId, Change)>>,
    /// `[dst]`: keys, `router * inputs + input`.
    stranded: Vec<BTreeSet<usize>>,
}

/// Checks the changes from `before` (proved: every entry used, their ranks rising along all of them) to new
/// tables for what is left. Routers outside the largest part are left alone. `healthy` are the ranks of all
/// routers in the healthy fabric, where other tables are in force.
///
/// # Errors
/// The first change that is none, entry that is wrong, pair that is not served, or number that is not so.
pub fn repair(
    fabric: &Fabric,
    scene: &Scene<'_>,
    (before, ranks): (&ForwardingTables, &[u32]),
    healthy: Option<&[u32]>,
    claimed: &Repair,
) -> Result<RepairWalk, CheckError> {
    let topology = scene.topology;
    let wrong = |what: String| CheckError::Shape { scenario: REPAIR.to_owned(), what };
    if before.key != TableKey::DstInput {
        return Err(wrong("the tables are not keyed by destination and input".to_owned()));
    }
    let all = parts(scene);
    let served = all.first().cloned().unwrap_or_default();
    let lost: u64 = unserved(scene, &all);
    if lost != claimed.unserved {
        return Err(wrong(format!(
            "{} pairs are said to be without a route, but the ways of {lost} are cut",
            claimed.unserved
        )));
    }
    // Whoever is cut off is left alone, as if dead.
    let dead = topology.nodes().filter(|node| served.binary_search(node).is_err()).collect();
    let scene = &Scene { dead, ..scene.clone() };
    let whole = Scene::whole(topology);
    let laid_out = Forwarding::new(&whole, before);
    let forwarding =
        &laid_out.map_err(|error| conviction_of_tables(error, topology, before, fabric.budget.vcs_span))?;
    let vcs = usize::from(before.vcs);
    let inputs = topology.ports() * vcs + 1;
    let in_force = ranks_of_all(topology, &before.symmetry, vcs, ranks);
    let own = claimed.ranks.as_deref().or(healthy).unwrap_or(&in_force).to_vec();
    expect_length(REPAIR, "ranks", own.len(), in_force.len())?;
    let warm = own == in_force;
    if claimed.warm != warm {
        return Err(wrong(
            "routers may change at any time if, and only if, old and new tables rise by the same ranks"
                .to_owned(),
        ));
    }
    let (changes, stranded) = by_destination(topology, vcs, &claimed.delta)?;
    let held = held(topology, vcs, &own);
    let repaired =
        Repaired { fabric, scene, forwarding, vcs, inputs, warm, ranks: own, held, changes, stranded };
    // A fixed cut into parts, and the first error in order: the same verdict with any number of threads.
    let all: Vec<NodeId> = topology.nodes().collect();
    let sums =
        all.par_chunks(all.len().div_ceil(PARTS)).map(|part| repaired.destinations(part)).collect::<Vec<_>>();
    let mut sum = Counted::new(topology);
    for part in sums {
        sum.add(&part?);
    }
    let Counted { walk, loads } = sum;
    let most = loads.into_iter().max().unwrap_or(0);
    if most != claimed.loads.repaired {
        return Err(wrong(format!("the load is said to be {}, but it is {most}", claimed.loads.repaired)));
    }
    Ok(walk)
}

/// The name under which convictions come.
const REPAIR: &str = "repair";
/// Parts into which the destinations are cut.
const PARTS: usize = 32;

/// Ordered pairs of endpoints that live and are not both in the first part.
fn unserved(scene: &Scene<'_>, parts: &[Vec<NodeId>]) -> u64 {
    let count = |part: &Vec<NodeId>| part.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let (all, first) = (parts.iter().map(count).sum::<u64>(), parts.first().map_or(0, count));
    (all * all.saturating_sub(1)) - (first * first.saturating_sub(1))
}

/// `[(router * ports + port) * vcs + vc]`: ranks of all routers, of those that stand for them.
pub fn ranks_of_all(topology: &Topology, symmetry: &Symmetry, vcs: usize, ranks: &[u32]) -> Vec<u32> {
    let mut all = vec![0; topology.node_count() * topology.ports() * vcs];
    for channel in topology.channels() {
        let (from, class) = (topology.source(channel), topology.channel_class(symmetry, channel).index());
        let slot = from.node.index() * topology.ports() + from.port.index();
        all[slot * vcs..(slot + 1) * vcs].copy_from_slice(&ranks[class * vcs..(class + 1) * vcs]);
    }
    all
}

/// `[router * inputs + input]`: the rank of the channel that leads there, of those of all routers.
fn held(topology: &Topology, vcs: usize, ranks: &[u32]) -> Vec<Option<u32>> {
    let ports = topology.ports();
    let inputs = ports * vcs + 1;
    let mut held = vec![None; topology.node_count() * inputs];
    for channel in topology.channels() {
        let [from, to] = [topology.source(channel), topology.target(channel)];
        let slot = (from.node.index() * ports + from.port.index()) * vcs;
        let input = to.node.index() * inputs + 1 + to.port.index() * vcs;
        (0..vcs).for_each(|vc| held[input + vc] = Some(ranks[slot + vc]));
    }
    held
}

/// The changes and stranded keys of every destination; every number is in its range, every list ascends.
#[expect(clippy::type_complexity, reason = "two lists by destination, which one caller takes apart")]
fn by_destination(
    topology: &Topology,
    vcs: usize,
    delta: &Delta,
) -> Result<(Vec<Vec<(NodeId, Change)>>, Vec<BTreeSet<usize>>), CheckError> {
    let (nodes, ports) = (topology.node_count(), topology.ports());
    let wrong = |what: String| Err(CheckError::Shape { scenario: REPAIR.to_owned(), what });
    let key_fits = |key: &Key| {
        let injected = (key.in_port, key.in_vc) == (-1, -1);
        let arrived = (0..ports as i64).contains(&i64::from(key.in_port))
            && (0..vcs as i64).contains(&i64::from(key.in_vc));
        key.dst.index() < nodes && (injected || arrived)
    };
    let entry_fits = |entry: &Entry| {
        key_fits(&Key::from(*entry)) && usize::from(entry.out_port) < ports && usize::from(entry.out_vc) < vcs
    };
    let mut changes = vec![Vec::new(); nodes];
    if !delta.routers.is_sorted_by(|a, b| a.router < b.router) {
        return wrong("the routers of the changes do not ascend".to_owned());
    }
    for RouterDelta { router, add, turn, drop } in &delta.routers {
        let keys = |entries: &[Entry]| entries.iter().map(|&entry| Key::from(entry)).collect::<Vec<_>>();
        let ascend = [keys(add), keys(turn), drop.clone()].iter().all(|keys| keys.is_sorted_by(|a, b| a < b));
        let fit =
            add.iter().chain(turn).all(entry_fits) && drop.iter().all(key_fits) && router.index() < nodes;
        if !ascend || !fit {
            return wrong(format!(
                "the changes of router {router} are out of order, or name what there is not"
            ));
        }
        add.iter().for_each(|&entry| changes[entry.dst.index()].push((*router, Change::Add(entry))));
        turn.iter().for_each(|&entry| changes[entry.dst.index()].push((*router, Change::Turn(entry))));
        drop.iter().for_each(|&key| changes[key.dst.index()].push((*router, Change::Drop(key))));
    }
    // Pass by pass.
    let pass = |change: &Change| match change {
        Change::Add(_) => 0,
        Change::Turn(_) => 1,
        Change::Drop(_) => 2,
    };
    changes.iter_mut().for_each(|changes| changes.sort_by_key(|(_, change)| pass(change)));
    let mut stranded = vec![BTreeSet::new(); nodes];
    for (router, key) in &delta.stranded {
        if router.index() >= nodes || !key_fits(key) {
            return wrong(format!("a stranded key of router {router} names what there is not"));
        }
        stranded[key.dst.index()].insert(place(ports * vcs + 1, vcs, *router, key));
    }
    Ok((changes, stranded))
}

/// `router * inputs + input`
fn place(inputs: usize, vcs: usize, router: NodeId, key: &Key) -> usize {
    let input = if key.in_port < 0 { 0 } else { 1 + key.in_port as usize * vcs + key.in_vc as usize };
    router.index() * inputs + input
}

/// What was counted of the routes to some destinations.
struct Counted {
    walk: RepairWalk,
    /// `[router * ports + port]`: parts of a unit of load.
    loads: Vec<u64>,
}

impl Counted {
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

impl Repaired<'_> {
    /// Everything about packets to some destinations.
    fn destinations(&self, some: &[NodeId]) -> Result<Counted, CheckError> {
        let mut counted = Counted::new(self.scene.topology);
        let mut old = Vec::new();
        some.iter().try_for_each(|&dst| self.destination(dst, &mut old, &mut counted))?;
        Ok(counted)
    }

    /// Everything about packets to one destination.
    fn destination(&self, dst: NodeId, old: &mut Vec<u32>, counted: &mut Counted) -> Result<(), CheckError> {
        self.forwarding.fill(dst.index(), old);
        for dead in &self.scene.dead {
            old[dead.index() * self.inputs..][..self.inputs].fill(MISSING);
        }
        let mut between = old.clone();
        let mut new = None;
        for (router, change) in &self.changes[dst.index()] {
            let wrong = |what: &str| self.bad(*router, dst, what);
            if !self.scene.lives(*router) {
                return Err(wrong("changes, but the router is down or cut off"));
            }
            match change {
                Change::Add(entry) => {
                    let slot = &mut between[place(self.inputs, self.vcs, *router, &Key::from(*entry))];
                    if *slot != MISSING {
                        return Err(wrong("is added, but there is one already"));
                    }
                    *slot = packed(entry.out_port, entry.out_vc);
                }
                Change::Turn(entry) => {
                    let at = place(self.inputs, self.vcs, *router, &Key::from(*entry));
                    if old[at] == MISSING || old[at] == packed(entry.out_port, entry.out_vc) {
                        return Err(wrong("is turned, but there is none, or the same"));
                    }
                    between[at] = packed(entry.out_port, entry.out_vc);
                }
                Change::Drop(key) => {
                    let slot = &mut new.get_or_insert_with(|| between.clone())
                        [place(self.inputs, self.vcs, *router, key)];
                    if *slot == MISSING {
                        return Err(wrong("is dropped, but there is none"));
                    }
                    *slot = MISSING;
                }
            }
        }
        let new = new.unwrap_or_else(|| between.clone());
        self.walk(&new, dst, counted)?;
        self.rises(&new, dst)?;
        if self.warm {
            self.rises(&between, dst)?;
            self.rises(old, dst)?;
            self.closed(old, &between, dst)?;
        } else if !self.stranded[dst.index()].is_empty() {
            return Err(self.bad(dst, dst, "is stranded, but routers change without traffic"));
        }
        Ok(())
    }

    /// Every pair along the new entries, all of which are used.
    fn walk(&self, new: &[u32], dst: NodeId, counted: &mut Counted) -> Result<(), CheckError> {
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
                        arriving: self.input(key),
                        src: topology.name(source),
                        dst: topology.name(dst),
                    });
                }
                used[key] = true;
                let Some(next) = self.next(node, new[key]) else {
                    return Err(self.bad(node, dst, "leads to something that is dark"));
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
                    return Err(self.bad(source, dst, "leads in a circle"));
                }
            }
            counted.walk.pairs += 1;
        }
        if let Some(key) = (0..new.len()).find(|&key| new[key] != MISSING && !used[key]) {
            return Err(self.bad(
                NodeId::new(key / self.inputs),
                dst,
                &format!("{} stays, but no route uses it", self.input(key)),
            ));
        }
        counted.walk.entries += used.iter().filter(|used| **used).count() as u64;
        Ok(())
    }

    /// The router, and the key there, that an entry leads to; `None` where that is dark or dead.
    fn next(&self, node: NodeId, packed: u32) -> Option<(NodeId, usize)> {
        let end =
            self.scene.topology.target(self.scene.outgoing(node, PortId::new((packed & 0xffff) as usize))?);
        let key = end.node.index() * self.inputs + 1 + end.port.index() * self.vcs + (packed >> 16) as usize;
        self.scene.lives(end.node).then_some((end.node, key))
    }

    /// Whether every entry for packets that came in leaves by a higher rank than theirs.
    fn rises(&self, row: &[u32], dst: NodeId) -> Result<(), CheckError> {
        let topology = self.scene.topology;
        let outputs = topology.ports() * self.vcs;
        let routers =
            row.chunks(self.inputs).zip(self.held.chunks(self.inputs)).zip(self.ranks.chunks(outputs));
        for (router, ((entries, held), ranks)) in routers.enumerate() {
            for (&output, held) in entries.iter().zip(held).filter(|(output, _)| **output != MISSING) {
                let asked = ranks[(output & 0xffff) as usize * self.vcs + (output >> 16) as usize];
                if let Some(held) = held.filter(|&held| asked <= held) {
                    let [to, at] = [dst, NodeId::new(router)].map(|node| topology.name(node));
                    let what = format!("the rank falls from {held} to {asked} for packets to {to} at {at}");
                    return Err(CheckError::Rank { scenario: REPAIR.to_owned(), what });
                }
            }
        }
        Ok(())
    }

    /// Whether what routers hold on the way leads to entries that are there, but for those that are stranded.
    fn closed(&self, old: &[u32], between: &[u32], dst: NodeId) -> Result<(), CheckError> {
        let stranded = &self.stranded[dst.index()];
        for key in (0..between.len()).filter(|&key| between[key] != MISSING) {
            let node = NodeId::new(key / self.inputs);
            let next = self.next(node, between[key]);
            if stranded.contains(&key) {
                if old[key] != between[key]
                    || next.is_some_and(|(node, next)| node == dst || !self.is_lost(between, next, dst))
                {
                    return Err(self.bad(node, dst, "is said to be stranded, but leads on"));
                }
                continue;
            }
            // What is for the dead is nobody's.
            if !self.scene.lives(dst) {
                continue;
            }
            match next {
                None => {
                    return Err(self.bad(
                        node,
                        dst,
                        &format!("{} leads to something dark meanwhile", self.input(key)),
                    ));
                }
                Some((at, _)) if at == dst => {}
                Some((at, next)) if between[next] == MISSING || stranded.contains(&next) => {
                    return Err(self.bad(
                        at,
                        dst,
                        "is missing or stranded, but packets come to it meanwhile",
                    ));
                }
                Some(_) => {}
            }
        }
        match stranded.iter().find(|&&key| old[key] == MISSING) {
            Some(&key) => Err(self.bad(
                NodeId::new(key / self.inputs),
                dst,
                "is said to be stranded, but there is none",
            )),
            None => Ok(()),
        }
    }

    /// Whether packets at a key come to something dark.
    fn is_lost(&self, row: &[u32], mut key: usize, dst: NodeId) -> bool {
        for _ in 0..row.len() {
            if row[key] == MISSING {
                return true;
            }
            match self.next(NodeId::new(key / self.inputs), row[key]) {
                None => return true,
                Some((at, _)) if at == dst => return false,
                Some((_, next)) => key = next,
            }
        }
        true
    }

    /// How packets of a key came in, in words.
    fn input(&self, key: usize) -> String {
        input_in_words(key % self.inputs, TableKey::DstInput, self.vcs)
    }

    fn bad(&self, router: NodeId, dst: NodeId, what: &str) -> CheckError {
        let topology = self.scene.topology;
        let what = format!("an entry for packets to {} {what}", topology.name(dst));
        CheckError::BadEntry { scenario: REPAIR.to_owned(), router: topology.name(router), what }
    }
}
