//! The integers of the block: loads and tables.

use crate::compiled::CompiledFabric;
use crate::tables::keeps_topology_symmetry;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ForwardingTables, GroupTables, Symmetry, TableEntry, Topology};
use serde_json::{Value, json};

/// Integers in LEB128: seven bits a byte, the lowest first, the top bit set on all bytes but the last.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) bytes: Vec<u8>,
    /// The tables of the healthy fabric, which those of faults refer to.
    healthy: Option<Injections>,
}

/// What each router does with packets that its own hosts send.
struct Injections {
    symmetry: Symmetry,
    /// `[class * routers + destination]`: the number of the output.
    outputs: Vec<u32>,
}

impl Injections {
    fn output(&self, node: NodeId, destination: NodeId) -> u32 {
        // The table of a router is an image of that of its canonical router.
        let back = self.symmetry.inverse(self.symmetry.element_to(node));
        let place = self.symmetry.class(node) * self.symmetry.node_count();
        self.outputs[place + self.symmetry.image(back, destination).index()]
    }
}

/// The most virtual channels of the tables of a scenario. Outputs of all scenarios are numbered alike.
pub(super) fn most_vcs(compiled: &CompiledFabric) -> u32 {
    let tables = compiled.scenarios.iter().filter_map(|scenario| scenario.routed.as_ref());
    tables.map(|routed| u32::from(routed.tables.vcs)).max().unwrap_or(1)
}

/// The symmetry under which the loads of a scenario are stored: that of its tables.
pub(super) fn load_symmetry(compiled: &CompiledFabric, scenario: usize) -> Symmetry {
    let (topology, scenario) = (&compiled.topology, &compiled.scenarios[scenario]);
    let classes = scenario.metrics.routed.as_ref().map_or(0, |walk| walk.loads.len());
    match &scenario.routed {
        Some(routed) => routed.tables.symmetry.clone(),
        None if classes == topology.class_count(topology.symmetry()) => topology.symmetry().clone(),
        None => topology.symmetry().to_trivial(),
    }
}

/// The symmetry in which the page lists something: that of the topology, or none.
pub(super) fn listed_symmetry(stored: &Symmetry, topology: &Topology) -> Symmetry {
    if keeps_topology_symmetry(stored, topology.symmetry()) { stored.clone() } else { stored.to_trivial() }
}

impl Stream {
    /// Appends the loads of a scenario, in parts of a unit: of the channels that leave canonical routers, in
    /// the order of their ports. Those of a fault are differences to those of the healthy fabric.
    pub(super) fn push_loads(&mut self, compiled: &CompiledFabric, scenario: usize) {
        let topology = &compiled.topology;
        let listed = listed_symmetry(&load_symmetry(compiled, scenario), topology);
        let (own, healthy) = (Loads::new(compiled, scenario), Loads::new(compiled, 0));
        for node in listed.canonical_nodes() {
            for channel in topology.channels_from(node) {
                let load = own.of_channel(topology, channel);
                if scenario == 0 {
                    self.push(load);
                } else {
                    self.push(zigzag(load as i64 - healthy.of_channel(topology, channel) as i64));
                }
            }
        }
    }

    /// Appends the tables of a scenario. Returns what the head says of them: `null`, or next-hop groups,
    /// which need no integers. `None` if the scenario has no tables.
    pub(super) fn push_tables(&mut self, compiled: &CompiledFabric, scenario: usize) -> Option<Value> {
        let scenario = &compiled.scenarios[scenario];
        if let Some(sprayed) = &scenario.sprayed {
            return Some(groups_value(&sprayed.tables));
        }
        let tables = scenario.routed.as_ref()?.tables.unpacked();
        self.push_entries(compiled, &tables);
        Some(Value::Null)
    }

    fn push_entries(&mut self, compiled: &CompiledFabric, tables: &ForwardingTables) {
        let symmetry = listed_symmetry(&tables.symmetry, &compiled.topology);
        let vcs = most_vcs(compiled);
        let topology = &compiled.topology;
        let outputs = topology.ports() as u32 * vcs;
        let number = |entry: &TableEntry| u32::from(entry.out_port) * vcs + u32::from(entry.out_vc);
        let routers = symmetry.node_count();
        // A router without an entry for a destination has the number behind the last output.
        let mut injections = Injections {
            outputs: vec![outputs; symmetry.class_count() * routers],
            symmetry: symmetry.clone(),
        };
        let (mut counts, mut others) = (vec![0u32; symmetry.class_count() * routers], Vec::new());
        for (class, node) in symmetry.canonical_nodes().enumerate() {
            let entries = tables.router(node);
            for entries in entries.chunk_by(|one, next| one.dst == next.dst) {
                let place = class * routers + entries[0].dst.index();
                let injected = entries.iter().find(|entry| entry.in_port < 0).map_or(outputs, number);
                injections.outputs[place] = injected;
                for entry in entries.iter().filter(|entry| entry.in_port >= 0 && number(entry) != injected) {
                    counts[place] += 1;
                    let input = entry.in_port as u32 * vcs + entry.in_vc.max(0) as u32;
                    others.push(u64::from(input) * u64::from(outputs) + u64::from(number(entry)));
                }
            }
        }
        let canonical: Vec<NodeId> = symmetry.canonical_nodes().collect();
        for (place, &output) in injections.outputs.iter().enumerate() {
            let before = self.healthy.as_ref().map_or(0, |healthy| {
                healthy.output(canonical[place / routers], NodeId::new(place % routers))
            });
            self.push(u64::from((output + outputs + 1 - before) % (outputs + 1)));
        }
        counts.into_iter().for_each(|count| self.push(u64::from(count)));
        others.into_iter().for_each(|other| self.push(other));
        self.healthy.get_or_insert(injections);
    }

    /// Appends numbers of another kind.
    pub(super) fn push_all(&mut self, numbers: impl Iterator<Item = u64>) {
        numbers.for_each(|number| self.push(number));
    }

    fn push(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// Small numbers of either sign as small numbers: 0, -1, 1, -2, ..
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The loads of one scenario by channel.
struct Loads<'c> {
    loads: &'c [u64],
    symmetry: Symmetry,
}

impl<'c> Loads<'c> {
    fn new(compiled: &'c CompiledFabric, scenario: usize) -> Self {
        let loads = compiled.scenarios[scenario].metrics.routed.as_ref().map_or(&[][..], |walk| &walk.loads);
        Self { loads, symmetry: load_symmetry(compiled, scenario) }
    }

    fn of_channel(&self, topology: &Topology, channel: ChannelId) -> u64 {
        self.loads.get(topology.channel_class(&self.symmetry, channel).index()).copied().unwrap_or(0)
    }
}

/// Next-hop groups as the head has them.
fn groups_value(tables: &GroupTables) -> Value {
    let entries: Vec<Vec<u32>> = tables
        .routers
        .iter()
        .map(|entries| entries.iter().flat_map(|entry| [entry.first.0, entry.last.0, entry.group]).collect())
        .collect();
    let relays: Vec<u32> =
        tables.relays.iter().flat_map(|relay| [relay.source.0, relay.destination.0, relay.relay.0]).collect();
    let weights = if tables.has_weights() { json!(tables.weights) } else { Value::Null };
    json!({ "groups": tables.groups, "weights": weights, "entries": entries, "relays": relays })
}
