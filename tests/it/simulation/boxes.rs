//! Boxes of GPUs, routers of several latencies and links of several bandwidths, against numbers by hand.

use crate::networks::builds::built;
use crate::simulation::assert_near;
use fabc::compiled::CompiledFabric;
use fabc::ids::{Id, NodeId};
use fabc::ir::{Fraction, GroupTables, Scene, surviving_scene};
use fabc::model::Fabric;
use fabc::progress::Silent;
use fabc::sim::{
    Point, Prepared, Rate, SimError, SimReport, SimulationParameters, Traffic, curve, has_births, has_links,
    prepare, simulate,
};

/// Boxes of two GPUs of 20 cycles with a switch of 50, under these switches. A packet of six flits takes six
/// cycles over NVLink and 48 over the cable of a NIC.
fn boxes(count: u32, nics: &str, topology: &str, routing: &str) -> String {
    format!(
        "fabric pod {{ clock = 1 GHz;
         link nvlink {{ bandwidth = 400 GB/s; latency = 100 cycles; }}
         link ib {{ bandwidth = 50 GB/s; latency = 200 cycles; }}
         router {{ radix = 16; vcs = 1; flit = 64 B; buffer = 1200 flits; latency = 300 cycles; }}
         box two {{ gpus = 2; latency = 20 cycles; {nics}
             switch nv {{ latency = 50 cycles; join all over nvlink; }} }}
         boxes = {count} of two; {topology} routing = {routing} }}"
    )
}

/// Two boxes whose GPUs meet at a leaf per number, and at nothing else.
fn rails() -> CompiledFabric {
    built(&boxes(2, "nics = 2 over ib;", "topology = rails { };", "spray { relay = gpu; }")).0
}

/// Two boxes whose four NICs meet at one leaf.
fn one_leaf() -> CompiledFabric {
    built(&boxes(2, "nics = 2 over ib;", "topology = leaf_spine { leaves = 1; spines = 0; }", "spray;")).0
}

fn groups(compiled: &CompiledFabric) -> &GroupTables {
    &compiled.scenarios[0].sprayed.as_ref().expect("groups").tables
}

fn prepared<'a>(compiled: &'a CompiledFabric, parameters: &SimulationParameters) -> Prepared<'a> {
    let scene = Scene::healthy(&compiled.topology);
    prepare(&compiled.fabric, &scene, groups(compiled), parameters).unwrap_or_else(|error| panic!("{error}"))
}

fn traffic(traffic: Traffic, cycles: u32) -> SimulationParameters {
    SimulationParameters { traffic, warmup: Some(cycles / 4), measure: Some(cycles), ..Default::default() }
}

fn run(prepared: &Prepared<'_>, rate: &str) -> SimReport {
    curve(prepared, &[Rate::parse(rate).unwrap()], &[1], &Silent).unwrap()
}

fn accepted(report: &SimReport) -> f64 {
    report.points[0].accepted(&report.setting, report.load.senders).as_f64()
}

/// GPU, link, switch, link, and the flits behind the first one: 20 + 100 + 50 + 100 + 5.
const INSIDE: u64 = 275;
/// GPU, cable, leaf, cable, and 48 cycles of a packet: 20 + 200 + 300 + 200 + 47.
const OUTSIDE: u64 = 767;

#[test]
fn a_packet_alone_takes_what_its_routers_and_links_take() {
    let lone = built(&boxes(1, "", "", "spray;")).0;
    let report = run(&prepared(&lone, &traffic(Traffic::Uniform, 200_000)), "0.003");
    let delays = report.points[0].delays.unwrap();
    assert!(delays.packets > 100, "{delays:?}");
    assert_eq!((report.load.mean_cycles, report.load.most_cycles), (Fraction::integer(INSIDE), INSIDE));
    assert_eq!((delays.median, delays.hops), (INSIDE, 2 * delays.packets));
    // Every GPU of one box to both of the other one, over the leaf.
    let leaf = one_leaf();
    let report = run(&prepared(&leaf, &traffic(Traffic::GroupShift, 400_000)), "0.001");
    assert_eq!((report.load.mean_cycles, report.load.most_cycles), (Fraction::integer(OUTSIDE), OUTSIDE));
    assert_eq!(report.points[0].delays.unwrap().median, OUTSIDE);
}

/// To the GPU of another number in the other box, a packet goes to the other GPU of its own box first. That
/// one receives it whole, and sends it in the next cycle.
#[test]
fn relays_store_and_then_send() {
    let rails = rails();
    let four = |from: usize| [(from, 3 - from, [1, 0, 3, 2][from])];
    let relayed: Vec<_> = (0..4).flat_map(four).collect();
    let listed: Vec<_> = groups(&rails)
        .relays
        .iter()
        .map(|relay| (relay.source.index(), relay.destination.index(), relay.relay.index()))
        .collect();
    assert_eq!(listed, relayed);
    // GPU g of 0 to 3 sends to 3 - g.
    let prepared = prepared(&rails, &traffic(Traffic::BitComplement, 400_000));
    let alone = INSIDE + 1 + OUTSIDE;
    assert_eq!(prepared.load().mean_cycles, Fraction::integer(alone));
    assert_eq!(
        (prepared.load().hops, prepared.load().bound),
        (Fraction::integer(4u8), Fraction::new(1u8, 8u8))
    );
    let report = run(&prepared, "0.001");
    let delays = report.points[0].delays.unwrap();
    assert_eq!((delays.median, delays.hops), (alone, 4 * delays.packets));
    assert_near("accepted", accepted(&report), 0.001, 0.15);
    // A window counts packets from their source to their destination: two of 6 flits in so many cycles.
    let parameters = SimulationParameters { window: Some(2), ..traffic(Traffic::BitComplement, 100_000) };
    let prepared = super::boxes::prepared(&rails, &parameters);
    assert_near("by the window", accepted(&run(&prepared, "0.1")), 12.0 / alone as f64, 0.05);
}

/// NVLink carries the traffic inside at full rate, while that between boxes has an eighth of it. Of the
/// traffic of the relays, a NIC also carries that of its neighbor.
#[test]
fn each_link_carries_what_its_bandwidth_allows() {
    let lone = built(&boxes(1, "", "", "spray;")).0;
    let full = prepared(&lone, &SimulationParameters { seed: 2, ..traffic(Traffic::Permutation, 40_000) });
    assert_eq!(full.load().bound, Fraction::integer(1u8));
    assert_near("inside", accepted(&run(&full, "0.97")), 0.97, 0.02);

    // A leaf with one queue per port gives two inputs with two outputs each three quarters at most, where its
    // switch is as fast as a port. A leaf of the rails has one output for each input.
    for (compiled, speedup, rate) in [
        (one_leaf(), Some(1), 0.085),
        (one_leaf(), None, 0.115),
        (rails(), Some(1), 0.115),
        (rails(), None, 0.115),
    ] {
        let parameters = SimulationParameters { speedup, ..traffic(Traffic::GroupShift, 400_000) };
        let prepared = prepared(&compiled, &parameters);
        assert_eq!(prepared.load().bound, Fraction::new(1u8, 8u8));
        let report = run(&prepared, &rate.to_string());
        assert_near("between boxes", accepted(&report), rate, 0.03);
        assert!(report.points[0].is_stable(&report.setting));
        let beyond = run(&prepared, "0.2");
        assert!(!beyond.points[0].is_stable(&beyond.setting));
        assert!(accepted(&beyond) <= 0.125 * 1.001 && accepted(&beyond) > rate, "{}", accepted(&beyond));
    }
    // Uniform traffic over rails: a third of it crosses by the own NIC, a third by that of the neighbor.
    let (rails, leaf) = (rails(), one_leaf());
    let uniform = traffic(Traffic::Uniform, 100_000);
    assert_eq!(prepared(&rails, &uniform).load().bound, Fraction::new(3u8, 16u8));
    assert_eq!(prepared(&leaf, &uniform).load().bound, Fraction::new(3u8, 16u8));
}

/// The search finds no stable rate above the bound, and most of the bound.
#[test]
fn the_search_stays_below_the_bound() {
    let rails = rails();
    let parameters = SimulationParameters { replications: 2, ..traffic(Traffic::GroupShift, 200_000) };
    let prepared = prepared(&rails, &parameters);
    let report = simulate(&prepared, &[], &[1], true, &Silent).unwrap();
    let share = Fraction::from(report.saturations[0].at_least()).over(report.load.bound).as_f64();
    assert!((0.85..=1.0).contains(&share), "{share}");
}

/// Busy cycles of every channel are those of the packets that the static loads put on it.
#[test]
fn channels_are_busy_as_their_loads_say() {
    let rails = rails();
    let prepared = prepared(&rails, &traffic(Traffic::Uniform, 1_000_000));
    let report = run(&prepared, "0.1");
    let Point { busy, .. } = &report.points[0];
    for channel in rails.topology.channels() {
        let load = Fraction::new(report.load.channels[channel.index()], report.load.unit).as_f64();
        let measured = f64::from(busy[channel.index()]) / 1e6;
        assert_near(&format!("{channel:?}"), measured, 0.1 * load, 0.06);
    }
}

/// Tiers of leaves of 10 and spines of 40 cycles, slow links below fast ones, and one path per pair.
#[test]
fn tiers_differ_in_latency_and_bandwidth() {
    let kinds = "fabric over { clock = 1 GHz; link up { bandwidth = 200 Gbps; latency = 30 ns; }
        router leaf { radix = 8; latency = 10 ns; } router spine { radix = 8; latency = 40 ns; }
        router { radix = 8; hosts = 4; vcs = 2; flit = 64 B; buffer = 480 flits; }
        topology = leaf_spine { leaves = 4; spines = 2; leaf = leaf; spine = spine; over = up; } routing = spray; }";
    let compiled = built(kinds).0;
    let report = run(&prepared(&compiled, &traffic(Traffic::Uniform, 100_000)), "0.01");
    // Three hosts of 15 are at the same leaf, where a packet takes its five cycles.
    let across = 10 + 30 + 40 + 30 + 5;
    assert_eq!(report.load.most_cycles, across);
    assert_eq!(report.load.mean_cycles, Fraction::new(12 * across + 3 * 5, 15u8));
    // Four hosts send 4/5 of their traffic over two uplinks.
    assert_eq!(report.load.bound, Fraction::new(5u8, 8u8));
    assert_eq!(report.points[0].delays.unwrap().median, across);

    let mixed = "fabric mixed { clock = 1 GHz; link slow { bandwidth = 100 Gbps; latency = 30 ns; }
        link fast { bandwidth = 400 Gbps; latency = 50 ns; } budget { vcs = 1; }
        router { radix = 16; hosts = 4; vcs = 2; flit = 64 B; buffer = 960 flits; latency = 10 ns; }
        topology = clos { down = 2 x 2; up = 2 x 2; over = [slow, fast]; } routing = ";
    for routing in ["minimal; }", "spray; }"] {
        let compiled = built(&format!("{mixed}{routing}")).0;
        let scene = Scene::healthy(&compiled.topology);
        let parameters = traffic(Traffic::Uniform, 100_000);
        let prepared = match &compiled.scenarios[0].routed {
            Some(routed) => prepare(&compiled.fabric, &scene, &routed.tables.unpacked(), &parameters),
            None => prepare(&compiled.fabric, &scene, groups(&compiled), &parameters),
        };
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        // A packet takes 24 cycles over a slow link and a port. Before a fast link it waits for 18 of them.
        let (near, far) = (2 * 40 + 23, 2 * 40 + 18 + 2 * 60 + 23);
        assert_eq!(prepared.load().most_cycles, far);
        assert_eq!(prepared.load().mean_cycles, Fraction::new(3 * 23 + 4 * near + 8 * far, 15u8));
        let report = run(&prepared, "0.01");
        let delays = report.points[0].delays.unwrap();
        assert_near("mean", delays.mean().as_f64(), prepared.load().mean_cycles.as_f64(), 0.05);
        assert!(delays.most >= far, "{delays:?}");
    }
}

/// A fault takes a cable of a NIC. Nobody uses it, and the packets of its GPU go by a relay.
#[test]
fn a_dark_cable_carries_nothing() {
    let text = boxes(
        2,
        "nics = 2 over ib;",
        "topology = leaf_spine { leaves = 1; spines = 0; } budget { vcs = 1; faults = 1 link; }",
        "spray { relay = gpu; }",
    );
    let compiled = built(&text).0;
    assert!(compiled.scenarios.len() > 1);
    for scenario in &compiled.scenarios {
        let scene = surviving_scene(&scenario.scenario.fault, &compiled.topology, None);
        let tables = &scenario.sprayed.as_ref().unwrap().tables;
        let parameters = traffic(Traffic::Uniform, 40_000);
        let prepared = prepare(&compiled.fabric, &scene, tables, &parameters).unwrap();
        let report = run(&prepared, "0.03");
        assert_near("accepted", accepted(&report), 0.03, 0.1);
        for channel in compiled.topology.channels() {
            let (busy, load) =
                (report.points[0].busy[channel.index()], report.load.channels[channel.index()]);
            let is_lit = scene.lit[compiled.topology.link_of(channel)];
            assert!(is_lit || (busy, load) == (0, 0), "{}: {channel:?}", scenario.scenario.name);
        }
    }
    // Groups of the healthy fabric do not arrive where a cable is dark.
    let fault = surviving_scene(&compiled.scenarios[1].scenario.fault, &compiled.topology, None);
    let parameters = traffic(Traffic::Uniform, 40_000);
    let refused = prepare(&compiled.fabric, &fault, groups(&compiled), &parameters).err().unwrap();
    assert!(matches!(refused, SimError::Astray { .. }), "{refused}");
    // Nor do those that lead through a GPU.
    let mut through = groups(&compiled).clone();
    through.relays.clear();
    let port_of = |gpu: u32, leads: &dyn Fn(NodeId) -> bool| {
        let channel = compiled
            .topology
            .channels_from(NodeId(gpu))
            .find(|&channel| leads(compiled.topology.target(channel).node))
            .unwrap();
        compiled.topology.source(channel).port.0
    };
    let inner = port_of(0, &|node| node == NodeId(4));
    let all = through.groups.len() as u32;
    through.groups.push(vec![inner]);
    through.weights.push(Vec::new());
    through.routers[0].iter_mut().for_each(|entry| entry.group = all);
    let scene = Scene::healthy(&compiled.topology);
    let refused = prepare(&compiled.fabric, &scene, &through, &parameters).err().unwrap();
    assert!(matches!(refused, SimError::Astray { .. }), "{refused}");
}

fn fabric(text: &str) -> Fabric {
    let loader = |_: &str| Ok(text.to_owned());
    fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"))
        .0
}

/// What the model does not have is refused before anything is searched.
#[test]
fn what_the_model_does_not_have_is_refused_early() {
    let rails = "topology = rails { };";
    for (nics, routing, settings, message) in [
        (
            "",
            "spray;",
            "model = flit;",
            "the flit model has one kind of router, but GPUs of boxes forward no packets",
        ),
        (
            "",
            "spray;",
            "routing = ugal;",
            "a choice among shortest ways has one kind of router, but GPUs of boxes forward no packets",
        ),
        (
            "nics = 2 over ib;",
            "spray { relay = gpu; }",
            "model = packet { hosts = 1; }",
            "`hosts` has no effect on GPUs that hand packets on (`relay = gpu`)",
        ),
        (
            "nics = 2 over ib;",
            "spray { relay = gpu; }",
            "traffic = all_to_all { bytes = 64 KiB; }",
            "all_to_all traffic is not possible here: GPUs that hand packets on (`relay = gpu`) have no lines of messages",
        ),
        (
            "",
            "spray;",
            "traffic = all_to_all { bytes = 64 KiB; }",
            "messages of hosts without a port limit can only follow the tables",
        ),
        (
            "",
            "spray;",
            "traffic = tornado;",
            "tornado traffic is not possible here: it needs coordinates, but a fabric of boxes has none",
        ),
        (
            "",
            "spray;",
            "traffic = group_shift;",
            "group_shift traffic is not possible here: it needs two groups of routers with endpoints, but a fabric of boxes has no groups",
        ),
    ] {
        let (count, topology) = if nics.is_empty() { (1, "") } else { (2, rails) };
        let text = boxes(count, nics, topology, routing)
            .replace("routing = spray", &format!("simulate s {{ {settings} }} routing = spray"));
        let refused = fabc::compile::check_early(&fabric(&text), fabc::compile::Stage::Emit).unwrap_err();
        let found = refused.diagnostics()[0].to_string();
        assert_eq!(found, message, "{settings}");
    }
}

/// A packet must take whole cycles over every link. The hint names the packets that do.
#[test]
fn packets_take_whole_cycles() {
    let text = boxes(2, "nics = 2 over ib;", "topology = rails { };", "spray { relay = gpu; }")
        .replace("bandwidth = 400 GB/s", "bandwidth = 64 GB/s");
    let fabric = fabric(&text);
    let refused = has_links(&fabric, None, &SimulationParameters::default()).unwrap_err();
    let SimError::UnlikeLinks { name, why, help, .. } = &refused else { panic!("{refused}") };
    assert_eq!(name, "ib");
    assert_eq!(why, "a packet of 6 flits takes 6 cycles over `nvlink` and 192/25 over `ib`");
    assert_eq!(help, "send packets of 25 flits or a multiple (`packet`)");
    let whole = SimulationParameters { packet: 50, ..SimulationParameters::default() };
    has_links(&fabric, None, &whole).unwrap();
    let compiled = built(&text).0;
    let paces = prepared(&compiled, &whole).setting().paces.clone();
    let paces: Vec<_> = paces.iter().map(|pace| (pace.name.as_str(), pace.cycles)).collect();
    assert_eq!(paces, [("ib", 64), ("nvlink", 50)]);
    let simulation = fabric.simulations.first();
    assert!(simulation.is_none_or(|simulation| has_births(&fabric, simulation).is_ok()));
}
