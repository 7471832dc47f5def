//! Packets that go up through tiers and then down, by any port of a group: loads against those of the built
//! tables, and throughput against hashes that this test computes itself.

use super::ways::{Wired, going};
use crate::networks::builds::built;
use crate::simulation::assert_near;
use fabc::compile::{Stage, compile};
use fabc::ids::{Id, NodeId, PortId};
use fabc::ir::{End, Fraction, Scene, surviving_scene};
use fabc::model::Ecmp;
use fabc::progress::Silent;
use fabc::random::{KeyedStream, pick};
use fabc::sim::{
    PacketRouting, Rate, RouterModel, RoutingSettings, SimError, SimulationParameters, Traffic, curve,
    prepare,
};
use std::collections::BTreeSet;

/// On the static bound both routings carry what the build counts along its groups, channel by channel. One
/// virtual channel is enough, while shortest paths anywhere need one per hop.
#[test]
fn loads_are_those_of_the_built_groups() {
    for topology in [
        "fat_tree { k = 4; }",
        "clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; }",
        "leaf_spine { leaves = 4; spines = 3; parallel = 2; }",
    ] {
        let text = format!(
            "fabric net {{ clock = 1 GHz; link wire {{ bandwidth = 100 Gbps; latency = 1 cycles; }}
             router {{ radix = 20; hosts = 1; vcs = 1; flit = 64 B; buffer = 32 flits; latency = 1 cycles; }}
             budget {{ vcs = 1; }} topology = {topology} routing = ecmp {{ flows = 5; }} }}"
        );
        let compiled = built(&text).0;
        let walk = compiled.scenarios[0].metrics.routed.as_ref().unwrap();
        let net = Wired::new(topology, 1, 1);
        let endpoints = net.topology.endpoints().count() as u64;
        for routing in [PacketRouting::Spray, PacketRouting::Ecmp] {
            let load = net.load(&going(routing, Traffic::Uniform, 1000));
            for id in net.topology.channels() {
                let End { node, port } = net.topology.source(id);
                let counted = walk.loads[node.index() * net.topology.ports() + port.index()];
                // At rate 1 a host sends each other host the same part.
                let expected = Fraction::new(counted, walk.shares * (endpoints - 1));
                let offered = Fraction::new(load.channels[id.index()], load.unit);
                assert_eq!(offered, expected, "{topology}: channel {id:?}");
            }
        }
        let refused = net.prepared(&going(PacketRouting::Min, Traffic::Uniform, 1000)).err().unwrap();
        assert!(matches!(refused, SimError::TooFewVcs { .. }), "{refused}");
        // Without a setting, packets go as the fabric sends them.
        let own = SimulationParameters {
            choosing: RoutingSettings::default(),
            ..going(PacketRouting::Ecmp, Traffic::Uniform, 1000)
        };
        let prepared =
            prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), &net.tables, &own).unwrap();
        let flows = compiled.fabric.routing.ecmp().map_or(0, |Ecmp { flows, .. }| flows);
        assert_eq!(prepared.setting().selection, fabc::sim::PathSelection::Ecmp { flows });
    }
}

/// Two leaves of eight hosts, each joined to each of eight spines.
const LEAVES: &str = "leaf_spine { leaves = 2; spines = 8; }";

/// The uplinks that the flows of a host choose, as this test computes the hash: stream 2 of seed 1, the two
/// hosts, the flow, and at the leaf the destination router and hop 0.
fn chosen_uplinks(host: u32, flows: u32) -> BTreeSet<u64> {
    let (to, other_leaf) = (15 - host, 1 - host / 8);
    let pair = KeyedStream::new(1, 2).substream(host, to);
    (0..flows).map(|flow| pick(pair.substream(flow, 0).number(other_leaf, 0), 8)).collect()
}

fn to_the_other_leaf(routing: PacketRouting, flows: Option<u32>) -> SimulationParameters {
    let parameters = going(routing, Traffic::BitComplement, 4000);
    SimulationParameters { choosing: RoutingSettings { flows, ..parameters.choosing }, ..parameters }
}

/// Every host sends to one host of the other leaf. In turn, packets fill all spines alike and run at full
/// rate. By a hash, only the uplinks run at full rate that some flow has chosen.
#[test]
fn throughput_is_that_of_the_chosen_uplinks() {
    let net = Wired::new(LEAVES, 8, 1);
    let accepted = |parameters: &SimulationParameters| {
        let report = net.run(parameters, &["1"]);
        report.points[0].accepted(&report.setting, report.load.senders).as_f64()
    };
    assert_near("in turn", accepted(&to_the_other_leaf(PacketRouting::Spray, None)), 1.0, 0.03);
    let used: usize = [0..8, 8..16]
        .map(|leaf| leaf.flat_map(|host| chosen_uplinks(host, 1)).collect::<BTreeSet<u64>>().len())
        .into_iter()
        .sum();
    assert!(used < 16, "the hashes of this seed collide");
    let hashed = accepted(&to_the_other_leaf(PacketRouting::Ecmp, Some(1)));
    assert_near("by a hash", hashed, used as f64 / 16.0, 0.03);
    // Flits of the same flows choose the same uplinks.
    let of_flits = |routing: PacketRouting| SimulationParameters {
        model: RouterModel::Flit,
        packet: 1,
        turn: SimulationParameters::default().turn,
        ..to_the_other_leaf(routing, None)
    };
    assert_near("flits in turn", accepted(&of_flits(PacketRouting::Spray)), 1.0, 0.03);
    let hashed = accepted(&of_flits(PacketRouting::Ecmp));
    assert_near("flits by a hash", hashed, used as f64 / 16.0, 0.03);
}

/// A flow keeps to one uplink, and packets in turn use all of them alike.
#[test]
fn flows_keep_to_their_uplinks() {
    let net = Wired::new(LEAVES, 8, 1);
    let busy_uplinks = |parameters: &SimulationParameters, leaf: u32| -> Vec<u32> {
        let point = &net.run(parameters, &["0.2"]).points[0];
        let uplink = |port: u16| net.topology.outgoing(NodeId(leaf), PortId(port)).unwrap();
        (0..8).map(|port| point.busy[uplink(port).index()]).collect()
    };
    for (flows, leaf) in [(1, 0), (1, 1), (3, 0), (16, 1)] {
        let busy = busy_uplinks(&to_the_other_leaf(PacketRouting::Ecmp, Some(flows)), leaf);
        let chosen: BTreeSet<u64> =
            (8 * leaf..8 * leaf + 8).flat_map(|host| chosen_uplinks(host, flows)).collect();
        let used: BTreeSet<u64> =
            (0..).zip(&busy).filter(|(_, busy)| **busy > 0).map(|(port, _)| port).collect();
        assert_eq!(used, chosen, "{flows} flows of leaf {leaf}: {busy:?}");
    }
    let busy = busy_uplinks(&to_the_other_leaf(PacketRouting::Spray, None), 0);
    let mean = f64::from(busy.iter().sum::<u32>()) / 8.0;
    busy.iter().for_each(|&busy| assert_near("an uplink", busy.into(), mean, 0.05));
}

/// A fault takes a member of the groups of one leaf, and changes those of the spines. The static loads are
/// those that the build counts, and a run carries what they allow.
#[test]
fn a_dark_link_shrinks_the_groups_of_a_run() {
    let text = "fabric net { clock = 1 GHz; link wire { bandwidth = 100 Gbps; latency = 1 cycles; }
         router { radix = 20; hosts = 1; vcs = 4; flit = 64 B; buffer = 32 flits; latency = 1 cycles; }
         budget { vcs = 1; faults = 1 link; }
         topology = clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; } routing = spray; }";
    let compiled = built(text).0;
    let net = Wired::new("clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; }", 1, 4);
    let endpoints = net.topology.endpoints().count() as u64;
    assert_eq!(compiled.scenarios.len(), 3);
    for scenario in &compiled.scenarios {
        let scene = surviving_scene(&scenario.scenario.fault, &compiled.topology, None);
        let walk = scenario.metrics.routed.as_ref().unwrap();
        for model in [RouterModel::Packet, RouterModel::Flit] {
            let parameters = SimulationParameters {
                model,
                turn: SimulationParameters::default().turn,
                choosing: RoutingSettings::default(),
                ..going(PacketRouting::Spray, Traffic::Uniform, 1000)
            };
            let prepared = prepare(&compiled.fabric, &scene, &net.tables, &parameters).unwrap();
            for id in scene.channels() {
                let End { node, port } = net.topology.source(id);
                let counted = walk.loads[node.index() * net.topology.ports() + port.index()];
                let expected = Fraction::new(counted, walk.shares * (endpoints - 1));
                let offered = Fraction::new(prepared.load().channels[id.index()], prepared.load().unit);
                assert_eq!(offered, expected, "{}: channel {id:?}", scenario.scenario.name);
            }
            let rate = Rate::parse("0.3").unwrap();
            let report = curve(&prepared, &[rate], &[1], &Silent).unwrap();
            assert!(report.points[0].is_stable(&report.setting), "{}", scenario.scenario.name);
        }
    }
}

/// A block that asks for tables is refused in words, and so are weights that no turn and no hash has.
#[test]
fn groups_are_no_tables_and_have_no_weights() {
    for (routing, simulated, message) in [
        (
            "spray;",
            "routing = tables;",
            "`tables` routing is not possible here: routers have next-hop groups, and no table with one path per pair",
        ),
        (
            "spray { weights = capacity; }",
            "",
            "`spray` routing is not possible here: packets in turn and hashes take all next hops of a group alike, but `weights = capacity` divides packets unequally",
        ),
    ] {
        let text = format!(
            "fabric net {{ clock = 1 GHz; link wire {{ bandwidth = 100 Gbps; latency = 1 cycles; }}
             router {{ radix = 20; hosts = 1; vcs = 1; flit = 64 B; buffer = 32 flits; latency = 1 cycles; }}
             budget {{ vcs = 1; }} topology = leaf_spine {{ leaves = 4; spines = 2; }} routing = {routing}
             simulate uniform {{ traffic = uniform; {simulated} }} }}"
        );
        let (fabric, ..) = fabc::lang::read_normal("net.fab", &|_: &str| Ok(text.clone())).unwrap();
        let refused = compile(fabric, Stage::Emit, &Silent).unwrap_err();
        let refused = refused.diagnostics();
        let [error] = &refused[..] else { panic!("{refused:?}") };
        assert_eq!(error.code().unwrap().to_string(), "FAB0620");
        assert_eq!(error.to_string(), message);
    }
}

/// Packets of the other routings keep their settings, and networks without tiers have no groups.
#[test]
fn what_groups_do_not_have_is_refused() {
    let net = Wired::new("torus 4 x 4;", 1, 4);
    let refused = net.prepared(&going(PacketRouting::Spray, Traffic::Uniform, 1000)).err().unwrap();
    assert!(matches!(refused, SimError::NoRouting { .. }), "{refused}");
    let net = Wired::new(LEAVES, 8, 2);
    let refused = net.prepared(&to_the_other_leaf(PacketRouting::Spray, Some(2))).err().unwrap();
    assert!(matches!(refused, SimError::Misplaced { setting: "flows", .. }), "{refused}");
    // The second virtual channel is one for all packets, up or down.
    let prepared = net.prepared(&to_the_other_leaf(PacketRouting::Ecmp, None)).unwrap();
    assert_eq!((prepared.setting().general, prepared.setting().table_vcs), (1, 1));
}
