//! The networks of the PolarStar paper, wired and never routed: packets choose their ways.

use fabc::ir::{ForwardingTables, Scene, Symmetry, TableKey, Topology};
use fabc::model::{Fabric, Plant};
use fabc::passes::wire::wire;
use fabc::sim::{PacketRouting, Prepared, RoutingSettings, SimulationParameters, Traffic, prepare};

/// Name, topology, hosts of a router.
pub(crate) const NETWORKS: [(&str, &str, u32); 8] = [
    ("PS-IQ", "polarstar { q = 11; supernode = iq; degree = 3; }", 5),
    ("PS-Pal", "polarstar { q = 8; supernode = paley; degree = 6; }", 5),
    ("BF", "bundlefly { q = 7; p = 9; }", 5),
    ("HX", "hyperx 9 x 9 x 8", 8),
    ("DF", "dragonfly { a = 12; h = 6; arrangement = consecutive; }", 6),
    ("SF", "spectralfly { rho = 23; q = 13; }", 8),
    ("MF", "megafly { a = 16; rho = 8; }", 8),
    ("FT", "fat_tree { levels = 3; arity = 18; }", 18),
];

/// Internal speedup of switches over channels, as in the runs of BookSim.
pub(crate) const SPEEDUP: u32 = 2;

/// The shortest paths of a network. A dragonfly has its own.
pub(crate) fn shortest(topology: &str) -> PacketRouting {
    if topology.starts_with("dragonfly") { PacketRouting::Family } else { PacketRouting::Min }
}

/// Packets of 4 flits through fast switches, counted for so many cycles after as many.
pub(crate) fn going(traffic: Traffic, routing: PacketRouting, cycles: u32) -> SimulationParameters {
    let choosing = RoutingSettings { routing: Some(routing), ..RoutingSettings::default() };
    SimulationParameters {
        traffic,
        choosing,
        packet: 4,
        turn: Some(0),
        speedup: Some(SPEEDUP),
        warmup: Some(cycles),
        measure: Some(cycles),
        ..SimulationParameters::default()
    }
}

/// A network that is wired, and never routed: its ways are chosen.
pub(crate) struct Wired {
    fabric: Fabric,
    topology: Topology,
    tables: ForwardingTables,
}

impl Wired {
    /// Links and routers of a cycle.
    pub(crate) fn new(topology: &str, hosts: u32, vcs: u32, flits: u32) -> Self {
        let end = if topology.ends_with('}') { "" } else { ";" };
        let spec = format!(
            "fabric net {{ clock = 1 GHz; link wire {{ bandwidth = 100 Gbps; latency = 1 cycles; }}
             router {{ radix = 128; hosts = {hosts}; vcs = {vcs}; flit = 64 B; buffer = {flits} flits; latency = 1 cycles; }}
             budget {{ vcs = {vcs}; }} topology = {topology}{end} routing = minimal; }}"
        );
        let read = |_: &str| Ok::<String, String>(spec.clone());
        let fabric =
            fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
        let Plant::Network(network) = &fabric.plant else { panic!("a network") };
        let topology = wire(&fabric, network);
        let count = topology.node_count();
        let symmetry = Symmetry::trivial(1, count as u32);
        let tables = ForwardingTables {
            scenario: "nominal".to_owned(),
            vcs: 1,
            key: TableKey::Dst,
            symmetry,
            routers: vec![Vec::new(); count],
        };
        Self { fabric, topology, tables }
    }

    pub(crate) fn prepared(
        &self,
        parameters: SimulationParameters,
    ) -> Result<Prepared<'_>, fabc::sim::SimError> {
        prepare(&self.fabric, &Scene::healthy(&self.topology), &self.tables, &parameters)
    }
}
