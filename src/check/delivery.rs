//! Walks forwarding tables hop by hop, the way routers would.
//!
//! Comes in: tables, and the scene that they are for. Goes out: what the walk of all ordered pairs found, and
//! which (channel, VC) it saw waiting for which. Invariant: every packet has arrived, and every entry has
//! been used by one. Routes towards canonical destinations stand for all others; the symmetry has been
//! checked before.

use super::CheckError;
use super::graph::port_name;
use fabc_base::ids::{Id, LinkId, NodeId, PortId};
use fabc_ir::{Entry, ForwardingTables, LinkClass, Scene, TableKey, Topology, Walk};
use fabc_model::{Fabric, VcCount};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// No entry for this key.
pub(super) const MISSING: u32 = u32::MAX;

/// Which (channel class, VC) a packet held when it asked for which output (port, VC) of the router it had
/// reached.
pub(super) struct Dependencies {
    /// `[(channel class * vcs + vc) * outputs + (out port * vcs + out vc)]`
    seen: FixedBitSet,
    vcs: usize,
    outputs: usize,
}

impl Dependencies {
    fn new(classes: usize, ports: usize, vcs: usize) -> Self {
        let outputs = ports * vcs;
        Self { seen: FixedBitSet::with_capacity(classes * vcs * outputs), vcs, outputs }
    }

    /// The outputs (port, vc) asked for while holding VC `vc` of a channel class.
    pub(super) fn after(&self, class: usize, vc: usize) -> impl Iterator<Item = (PortId, usize)> {
        let row = (class * self.vcs + vc) * self.outputs;
        (0..self.outputs)
            .filter(move |output| self.seen.contains(row + output))
            .map(|output| (PortId::new(output / self.vcs), output % self.vcs))
    }

    /// The number of one dependency, for [`Forwarding::users`].
    pub(super) fn number(&self, class: usize, vc: usize, out_port: PortId, out_vc: usize) -> usize {
        (class * self.vcs + vc) * self.outputs + out_port.index() * self.vcs + out_vc
    }
}

/// A packet that was seen to make a dependency: at `from`, the source of the channel it held.
#[derive(Clone, Copy)]
pub(super) struct User {
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) from: NodeId,
}

/// Tables laid out for look-ups.
pub(super) struct Forwarding<'a> {
    fabric: &'a Fabric,
    scene: &'a Scene<'a>,
    tables: &'a ForwardingTables,
    vcs: usize,
    /// Keys per router and destination: injected, or (in port, in VC); a single one if the tables are keyed
    /// by destination alone.
    inputs: usize,
    /// `[node * ports + port]`: (router, input port) at the other end; meaningless where dark.
    next: Vec<(u32, u32)>,
    /// `[node * ports + port]`: parts of a unit of load that a route of weight 1 is there.
    slowness: Vec<u64>,
    /// `[node * ports + port]`: cycles until a flit that leaves there stands at the next router.
    cycles: Vec<u64>,
    /// Whether some link takes longer than its images under the symmetry of the tables do.
    uneven: bool,
    /// `[node * ports + port]`: whether a packet that leaves there is one virtual channel up from then on.
    counted: Vec<bool>,
    /// `[node]`: class of its port 0.
    first_class: Vec<u32>,
    /// `[router class][dst]`: where the entries for the destination start.
    starts: Vec<Vec<u32>>,
}

/// A packet on its way over one link.
struct Hop {
    port: usize,
    vc: usize,
    /// The router that it comes to.
    to: usize,
    /// The key that it comes by there.
    key: usize,
}

/// Sums over some destinations.
struct Tally {
    loads: Vec<u64>,
    vc_hops: Vec<u64>,
    route_hops: Vec<u64>,
    cycles_total: u64,
    cycles_most: u64,
    dependencies: Dependencies,
}

impl<'a> Forwarding<'a> {
    /// Lays out tables whose every entry a router can follow.
    ///
    /// # Errors
    /// An entry that is out of range, out of order, in conflict with another, or that leaves by a dark port.
    pub(super) fn new(fabric: &'a Fabric, scene: &'a Scene<'a>, tables: &'a ForwardingTables) -> Result<Self, CheckError> {
        let topology = scene.topology;
        let (ports, vcs) = (topology.ports(), usize::from(tables.vcs));
        let forwarding = Self {
            fabric,
            scene,
            tables,
            vcs,
            inputs: match tables.key {
                TableKey::DstInput => ports * vcs + 1,
                TableKey::Dst | TableKey::DstCount(_) => 1,
            },
            next: topology
                .nodes()
                .flat_map(|node| (0..ports).map(move |port| (node, PortId::new(port))))
                .map(|(node, port)| {
                    topology.outgoing(node, port).map_or((u32::MAX, 0), |channel| {
                        let end = topology.target(channel);
                        (end.node.0, u32::from(end.port.0))
                    })
                })
                .collect(),
            slowness: topology
                .nodes()
                .flat_map(|node| (0..ports).map(move |port| topology.outgoing(node, PortId::new(port))))
                .map(|channel| channel.map_or(1, |channel| topology.slowness(channel.link())))
                .collect(),
            cycles: topology
                .nodes()
                .flat_map(|node| (0..ports).map(move |port| topology.outgoing(node, PortId::new(port))))
                .map(|channel| channel.map_or(0, |channel| cycles_over(fabric, topology, channel.link())))
                .collect(),
            uneven: false,
            counted: topology
                .nodes()
                .flat_map(|node| (0..ports).map(move |port| topology.outgoing(node, PortId::new(port))))
                .map(|channel| {
                    channel.is_some_and(|channel| match tables.key {
                        TableKey::DstInput | TableKey::Dst => false,
                        TableKey::DstCount(VcCount::Hops) => true,
                        TableKey::DstCount(VcCount::GlobalHops) => topology.links()[channel.link()].class == LinkClass::Global,
                    })
                })
                .collect(),
            first_class: topology.nodes().map(|node| (tables.symmetry.class(node) * ports) as u32).collect(),
            starts: Vec::new(),
        };
        let routers = tables.symmetry.canonical_nodes().zip(&tables.routers).collect::<Vec<_>>();
        let starts = routers.into_par_iter().map(|(node, entries)| forwarding.index(node, entries)).collect::<Vec<_>>();
        let uneven = forwarding.is_uneven();
        Ok(Self { uneven, starts: starts.into_iter().collect::<Result<_, _>>()?, ..forwarding })
    }

    /// Whether some output of a router takes longer than the same of an image of that router.
    fn is_uneven(&self) -> bool {
        let (ports, symmetry) = (self.scene.topology.ports(), &self.tables.symmetry);
        let times = |node: NodeId| &self.cycles[node.index() * ports..][..ports];
        self.scene.topology.nodes().any(|node| times(node) != times(symmetry.canonical_node(symmetry.class(node))))
    }

    /// The same walk from the images of its routers: cycles of all of them together, and of the slowest.
    fn everywhere(&self, outputs: &[(usize, usize)]) -> (u64, u64) {
        let (ports, symmetry) = (self.scene.topology.ports(), &self.tables.symmetry);
        let mut ends = (0, 0);
        for g in 0..symmetry.order() {
            let hops = outputs.iter().map(|&(node, port)| self.cycles[symmetry.image(g, NodeId::new(node)).index() * ports + port]);
            let cycles = hops.sum::<u64>();
            ends = (ends.0 + cycles, ends.1.max(cycles));
        }
        ends
    }

    /// Checks the entries of one router and finds where those of each destination start.
    fn index(&self, node: NodeId, entries: &[Entry]) -> Result<Vec<u32>, CheckError> {
        let (nodes, ports, vcs) = (self.scene.topology.node_count(), self.scene.topology.ports() as i32, self.vcs as i32);
        let mut starts = vec![0u32; nodes + 1];
        for (k, entry) in entries.iter().enumerate() {
            let wrong = |what: String| {
                let Entry { dst, in_port, in_vc, out_port, out_vc } = entry;
                let text = format!("entry [{dst},{in_port},{in_vc},{out_port},{out_vc}] {what}");
                Err(CheckError::BadEntry { scenario: self.tables.scenario.clone(), router: self.scene.topology.name(node), what: text })
            };
            if entry.dst.index() >= nodes {
                return wrong(format!("is for a router that does not exist, there are {nodes}"));
            }
            if entry.dst == node {
                return wrong("is for packets that have arrived".to_owned());
            }
            let (in_port, in_vc) = (i32::from(entry.in_port), i32::from(entry.in_vc));
            let injected = in_port == -1 && in_vc == -1;
            let arrived = self.inputs > 1 && (0..ports).contains(&in_port) && (0..vcs).contains(&in_vc);
            if !injected && !arrived {
                return wrong(format!("has an input that no packet comes by: {ports} ports with {vcs} VCs, or -1,-1 for injected"));
            }
            if i32::from(entry.out_vc) >= vcs {
                return wrong(format!("sends on VC {}, but there are {vcs}", entry.out_vc));
            }
            if i32::from(entry.out_port) >= ports {
                return wrong(format!("leaves by port {}, but there are {ports}", entry.out_port));
            }
            if self.scene.outgoing(node, PortId(entry.out_port)).is_none() {
                return wrong(format!("leaves by {}, which is dark", port_name(usize::from(entry.out_port))));
            }
            if let Some(before) = k.checked_sub(1).map(|before| &entries[before]) {
                let key = |entry: &Entry| (entry.dst, entry.in_port, entry.in_vc);
                if key(before) == key(entry) {
                    return wrong(format!("conflicts with the entry before it, which leaves by {},{}", before.out_port, before.out_vc));
                }
                if key(before) > key(entry) {
                    return wrong("is out of order".to_owned());
                }
            }
            starts[entry.dst.index() + 1] = k as u32 + 1;
        }
        for dst in 0..nodes {
            starts[dst + 1] = starts[dst + 1].max(starts[dst]);
        }
        Ok(starts)
    }

    /// Walks from every router to every canonical destination.
    pub(super) fn walk(&self) -> Result<(Walk, Dependencies), CheckError> {
        let symmetry = &self.tables.symmetry;
        let destinations = symmetry.class_count();
        // A fixed cut into parts and the first error in order: the same verdict with any number of threads.
        let part = destinations.div_ceil(32).max(1);
        let parts: Vec<Range<usize>> = (0..destinations).step_by(part).map(|start| start..destinations.min(start + part)).collect();
        let tallies = parts.into_par_iter().map(|part| self.walk_to(part)).collect::<Vec<_>>();
        let mut sum = self.empty_tally();
        for tally in tallies {
            let tally = tally?;
            add(&mut sum.loads, &tally.loads);
            add(&mut sum.vc_hops, &tally.vc_hops);
            add(&mut sum.route_hops, &tally.route_hops);
            sum.cycles_total += tally.cycles_total;
            sum.cycles_most = sum.cycles_most.max(tally.cycles_most);
            sum.dependencies.seen.union_with(&tally.dependencies.seen);
        }
        let order = symmetry.order() as u64;
        let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
        for channel in self.scene.channels() {
            *histogram.entry(sum.loads[self.scene.topology.channel_class(symmetry, channel).index()]).or_default() += 1;
        }
        let sizes = || self.tables.routers.iter().map(|entries| entries.len() as u64);
        let walk = Walk {
            loads: sum.loads,
            load_histogram: histogram.into_iter().collect(),
            vc_hops: sum.vc_hops.into_iter().map(|hops| hops * order).collect(),
            route_hops: sum.route_hops.into_iter().map(|pairs| pairs * order).collect(),
            cycles_total: sum.cycles_total,
            cycles_most: sum.cycles_most,
            entries_max: sizes().max().unwrap_or(0),
            entries_total: sizes().sum::<u64>() * order,
        };
        Ok((walk, sum.dependencies))
    }

    /// For each dependency asked for, the first packet that makes it.
    pub(super) fn users(&self, dependencies: &Dependencies, wanted: &BTreeSet<usize>) -> BTreeMap<usize, User> {
        let mut found = BTreeMap::new();
        let mut table = Vec::new();
        for dst in self.tables.symmetry.canonical_nodes().filter(|&dst| self.scene.is_endpoint(dst)) {
            self.fill(&mut table, dst);
            for src in self.scene.topology.nodes().filter(|&src| src != dst && self.scene.is_endpoint(src)) {
                let mut held: Option<(usize, NodeId, usize)> = None;
                let (mut node, mut key, mut counted) = (src.index(), src.index() * self.inputs, 0);
                while node != dst.index() && found.len() < wanted.len() && table[key] != MISSING {
                    let Hop { port, vc, to, key: next } = self.hop(node, table[key], &mut counted);
                    if let Some((class, from, held_vc)) = held {
                        let number = dependencies.number(class, held_vc, PortId::new(port), vc);
                        if wanted.contains(&number) {
                            found.entry(number).or_insert(User { src, dst, from });
                        }
                    }
                    held = Some((self.first_class[node] as usize + port, NodeId::new(node), vc));
                    (node, key) = (to, next);
                }
            }
        }
        found
    }

    /// What an entry of a router does with a packet that has counted so much on its way.
    #[inline]
    fn hop(&self, node: usize, packed: u32, counted: &mut usize) -> Hop {
        let (port, vc) = output(packed);
        let slot = node * self.scene.topology.ports() + port;
        let vc = if matches!(self.tables.key, TableKey::DstCount(_)) { *counted } else { vc };
        *counted += usize::from(self.counted[slot]);
        let (to, in_port) = self.next[slot];
        let input = if self.inputs == 1 { 0 } else { 1 + in_port as usize * self.vcs + vc };
        Hop { port, vc, to: to as usize, key: to as usize * self.inputs + input }
    }

    fn empty_tally(&self) -> Tally {
        let (ports, classes) = (self.scene.topology.ports(), self.scene.topology.class_count(&self.tables.symmetry));
        Tally {
            loads: vec![0; classes],
            vc_hops: vec![0; self.vcs],
            route_hops: vec![0],
            cycles_total: 0,
            cycles_most: 0,
            dependencies: Dependencies::new(classes, ports, self.vcs),
        }
    }

    /// The entries of all routers for one canonical destination, `[node * inputs + input]`. Returns how many
    /// there are.
    pub(super) fn fill(&self, table: &mut Vec<u32>, dst: NodeId) -> usize {
        let symmetry = &self.tables.symmetry;
        table.clear();
        table.resize(self.scene.topology.node_count() * self.inputs, MISSING);
        let mut count = 0;
        for node in self.scene.topology.nodes() {
            let class = symmetry.class(node);
            let dst = symmetry.image(symmetry.inverse(symmetry.element_to(node)), dst).index();
            let range = self.starts[class][dst] as usize..self.starts[class][dst + 1] as usize;
            count += range.len();
            for entry in &self.tables.routers[class][range] {
                let input = if entry.in_port < 0 { 0 } else { 1 + entry.in_port as usize * self.vcs + entry.in_vc as usize };
                table[node.index() * self.inputs + input] = u32::from(entry.out_vc) << 16 | u32::from(entry.out_port);
            }
        }
        count
    }

    fn walk_to(&self, classes: Range<usize>) -> Result<Tally, CheckError> {
        let ports = self.scene.topology.ports();
        let mut tally = self.empty_tally();
        let mut table = Vec::new();
        let mut outputs = Vec::new();
        let order = self.tables.symmetry.order() as u64;
        let mut used = FixedBitSet::with_capacity(self.scene.topology.node_count() * self.inputs);
        for dst in classes.map(|class| self.tables.symmetry.canonical_node(class)) {
            let entries = self.fill(&mut table, dst);
            used.clear();
            for src in self.scene.topology.nodes().filter(|&src| src != dst && self.scene.is_endpoint(src) && self.scene.is_endpoint(dst)) {
                let (mut node, mut key, mut hops) = (src.index(), src.index() * self.inputs, 0);
                let weight = u64::from(self.fabric.demand.weight(src, dst));
                let (mut held, mut counted, mut cycles) = (None, 0, 0);
                outputs.clear();
                while node != dst.index() {
                    if table[key] == MISSING {
                        return Err(self.missing(src, dst, key));
                    }
                    used.insert(key);
                    let Hop { port, vc, to, key: next } = self.hop(node, table[key], &mut counted);
                    if vc >= self.vcs {
                        return Err(self.too_far(src, dst));
                    }
                    let class = self.first_class[node] as usize + port;
                    tally.loads[class] += weight * self.slowness[node * ports + port];
                    tally.vc_hops[vc] += 1;
                    cycles += self.cycles[node * ports + port];
                    if self.uneven {
                        outputs.push((node, port));
                    }
                    if let Some(row) = held {
                        tally.dependencies.seen.insert(row + port * self.vcs + vc);
                    }
                    held = Some((class * self.vcs + vc) * tally.dependencies.outputs);
                    (node, key) = (to, next);
                    hops += 1;
                    // More hops than keys: some key came twice, and will again.
                    if hops > table.len() {
                        return Err(self.loop_from(&table, src, dst, key));
                    }
                }
                if hops >= tally.route_hops.len() {
                    tally.route_hops.resize(hops + 1, 0);
                }
                tally.route_hops[hops] += 1;
                let (all, most) = if self.uneven { self.everywhere(&outputs) } else { (cycles * order, cycles) };
                tally.cycles_total += all;
                tally.cycles_most = tally.cycles_most.max(most);
            }
            if used.count_ones(..) != entries {
                let key = (0..table.len()).find(|&key| table[key] != MISSING && !used.contains(key)).unwrap_or(0);
                let (node, (port, vc)) = (NodeId::new(key / self.inputs), output(table[key]));
                return Err(CheckError::BadEntry {
                    scenario: self.tables.scenario.clone(),
                    router: self.scene.topology.name(node),
                    what: format!(
                        "no route uses the entry for packets to {} {}, which leaves by {} on VC {vc}",
                        self.scene.topology.name(dst),
                        self.arriving(key),
                        port_name(port)
                    ),
                });
            }
        }
        Ok(tally)
    }

    /// Where packets count, one that counts further than there are virtual channels.
    fn too_far(&self, src: NodeId, dst: NodeId) -> CheckError {
        let (from, to) = (self.scene.topology.name(src), self.scene.topology.name(dst));
        let what = match self.tables.key {
            TableKey::DstCount(VcCount::GlobalHops) => "goes on behind more links between groups",
            _ => "makes more hops",
        };
        CheckError::Shape {
            scenario: self.tables.scenario.clone(),
            what: format!("a packet from {from} to {to} {what} than there are virtual channels to count them, {}", self.vcs),
        }
    }

    fn missing(&self, src: NodeId, dst: NodeId, key: usize) -> CheckError {
        CheckError::MissingEntry {
            scenario: self.tables.scenario.clone(),
            router: self.scene.topology.name(NodeId::new(key / self.inputs)),
            arriving: self.arriving(key),
            src: self.scene.topology.name(src),
            dst: self.scene.topology.name(dst),
        }
    }

    /// `that came in by +x on VC 0`
    pub(super) fn arriving(&self, key: usize) -> String {
        match key % self.inputs {
            0 if self.inputs == 1 => "that came in any way".to_owned(),
            0 => "injected there".to_owned(),
            input => format!("that came in by {} on VC {}", port_name((input - 1) / self.vcs), (input - 1) % self.vcs),
        }
    }

    /// The key that a packet comes by next, after leaving with the entry of `key`. Where packets count, their
    /// key does not depend on it.
    fn next_key(&self, table: &[u32], key: usize) -> usize {
        self.hop(key / self.inputs, table[key], &mut 0).key
    }

    /// The loop that runs through `key`, from where the packet enters it.
    fn loop_from(&self, table: &[u32], src: NodeId, dst: NodeId, key: usize) -> CheckError {
        let mut keys = BTreeSet::new();
        let mut at = key;
        while keys.insert(at) {
            at = self.next_key(table, at);
        }
        at = src.index() * self.inputs;
        while !keys.contains(&at) {
            at = self.next_key(table, at);
        }
        let mut lines = Vec::new();
        for _ in 0..keys.len() {
            let (port, vc) = output(table[at]);
            if let Some(channel) = self.scene.topology.outgoing(NodeId::new(at / self.inputs), PortId::new(port)) {
                lines.push(format!("  {} on VC {vc}", self.scene.topology.channel_name(channel)));
            }
            at = self.next_key(table, at);
        }
        CheckError::Loop {
            scenario: self.tables.scenario.clone(),
            src: self.scene.topology.name(src),
            dst: self.scene.topology.name(dst),
            cycle: lines.join("\n"),
        }
    }
}

/// Cycles of a flit through a router and over a link, when nothing is in its way.
fn cycles_over(fabric: &Fabric, topology: &Topology, link: LinkId) -> u64 {
    u64::from(fabric.router.latency_cycles) + over_cable(fabric, topology, link)
}

/// Cycles over a link: what its type says, and the time of its metres in full cycles.
pub(super) fn over_cable(fabric: &Fabric, topology: &Topology, link: LinkId) -> u64 {
    let of = &fabric.link_types[topology.links()[link].link_type];
    // ps per metre x 0.1 m x Hz, in units of which 10^13 are a cycle.
    let time = u128::from(of.per_metre_ps) * u128::from(topology.length(link)) * u128::from(fabric.clock_hz);
    let cycle = 10u128.pow(13);
    u64::from(of.latency_cycles) + (time / cycle) as u64 + u64::from(time % cycle > 0)
}

/// (Output port, output VC) of a packed entry.
fn output(packed: u32) -> (usize, usize) {
    ((packed & 0xffff) as usize, (packed >> 16) as usize)
}

/// Adds a list to another one, place by place.
pub(super) fn add(sum: &mut Vec<u64>, more: &[u64]) {
    sum.resize(sum.len().max(more.len()), 0);
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}
