//! Boxes of GPUs: counts of the literature, loads by hand, relays, and the checker.

use super::builds::built;
use super::clos::clos;
use super::{GLOBAL, LOCAL};
use fabc::check;
use fabc::ids::NodeId;
use fabc::ir::{Fraction, GroupTables, Hardware, Relay, Scene};
use fabc::model::{
    Attach, BoxKind, Boxes, Fabric, Family, HardwareMetric, InnerLink, InnerSwitch, Metric, Outside,
    PlacedBoxes, Plant, SwitchArithmetic,
};

/// A kind of box with these links inside, as (GPU, other end, link), and NICs at these GPUs.
fn kind(gpus: u32, switches: &[&str], links: &[(u32, u32)], nics: &[u32], nic_ports: u32) -> BoxKind {
    let inner = |&(gpu, other): &(u32, u32)| InnerLink { gpu, other, link: LOCAL };
    BoxKind {
        name: format!("box{gpus}"),
        gpus,
        switches: switches
            .iter()
            .map(|name| InnerSwitch {
                name: (*name).to_owned(),
                latency_cycles: 0,
                arithmetic: SwitchArithmetic::default(),
            })
            .collect(),
        links: links.iter().map(inner).collect(),
        nics: nics.to_vec(),
        nic_ports,
        nic_link: Some(GLOBAL),
        latency_cycles: 0,
        cost: 0,
        power_mw: 0,
    }
}

/// Small ones: rails in planes, boxes of two kinds at leaves of unequal size, and a box alone.
pub(super) fn samples() -> Vec<Family> {
    let pair = kind(2, &["nv"], &[(0, 2), (0, 2), (1, 2)], &[1, 0], 2);
    let Family::Clos(upper) = clos(&[4], &[2], &[2]) else { unreachable!("a Clos network") };
    let rails = Boxes {
        kinds: vec![pair],
        placed: vec![PlacedBoxes { kind: 0, count: 4 }],
        outside: Some(Outside {
            form: "rails",
            leaves: 4,
            upper: Some(upper),
            planes: 2,
            attach: Attach::Rail { per: 2, leaves: 2 },
        }),
    };
    let small = kind(2, &[], &[(0, 1)], &[0], 1);
    let large = kind(3, &["a", "b"], &[(0, 3), (1, 3), (1, 4), (2, 4), (0, 1), (0, 1)], &[0, 1, 2], 1);
    let Family::Clos(upper) = clos(&[2], &[3], &[1]) else { unreachable!("a Clos network") };
    let mixed = Boxes {
        kinds: vec![small, large.clone()],
        placed: vec![
            PlacedBoxes { kind: 1, count: 1 },
            PlacedBoxes { kind: 0, count: 2 },
            PlacedBoxes { kind: 1, count: 1 },
        ],
        outside: Some(Outside {
            form: "leaf_spine",
            leaves: 2,
            upper: Some(upper),
            planes: 1,
            attach: Attach::Box { per_leaf: 5 },
        }),
    };
    let alone = Boxes { kinds: vec![large], placed: vec![PlacedBoxes { kind: 0, count: 1 }], outside: None };
    [rails, mixed, alone].map(Family::Boxes).into()
}

/// A fabric of boxes of eight GPUs with a switch inside. `nics` is what stands behind `nics = 8 over port`.
fn spec(boxes: u32, nics: &str, topology: &str, routing: &str) -> String {
    let spine = "router spine { radix = 256; latency = 400 ns; }";
    let spine = if topology.contains("spine = spine") { spine } else { "" };
    format!(
        "fabric pod {{ clock = 1 GHz; link inner {{ bandwidth = 450 GB/s; latency = 100 ns; }}
        link port {{ bandwidth = 50 GB/s; latency = 200 ns; }} link trunk {{ bandwidth = 100 GB/s; latency = 200 ns; }}
        router leaf {{ radix = 256; latency = 300 ns; }} {spine}
        box eight {{ gpus = 8; switch nv {{ latency = 50 ns; join all over inner; }} nics = 8 over port{nics} }}
        boxes = {boxes} of eight; topology = {topology} routing = {routing} }}"
    )
}

fn fabric(text: &str) -> Fabric {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"))
        .0
}

/// Switches outside, cables of NICs, cables between switches, and oversubscription. SuperPODs: NVIDIA's
/// reference architecture. HPN: SIGCOMM 2024, and the template of SimAI. Rail-only: arXiv 2307.12169.
#[test]
fn counts_are_those_of_the_literature() {
    let rails = "attach = rail; over = port; leaf = leaf; spine = spine; }";
    let unit = |leaves: u32, spines: u32, parallel: u32| {
        format!("leaf_spine {{ leaves = {leaves}; spines = {spines}; parallel = {parallel}; {rails}")
    };
    let hpn = "rails { per = 128; spines = 60; planes = 2; over = trunk; leaf = leaf; spine = spine; }";
    for (boxes, nics, topology, switches, nic_cables, cables, (below, up)) in [
        (64, ";", unit(16, 8, 4), 24, 512, 512, (1u8, 1u8)),
        (128, ";", unit(32, 16, 2), 48, 1_024, 1_024, (1, 1)),
        (256, ";", unit(64, 32, 1), 96, 2_048, 2_048, (1, 1)),
        (128, ";", "rails { leaf = leaf; }".to_owned(), 8, 1_024, 0, (0, 1)),
        (1_920, " { ports = 2; }", hpn.to_owned(), 360, 30_720, 14_400, (16, 15)),
    ] {
        let fabric = fabric(&spec(boxes, nics, &topology, "spray;"));
        let Plant::Network(network) = &fabric.plant else { panic!("a network") };
        let routers = (boxes * 9 + switches) as usize;
        assert_eq!(network.router_count(), routers, "{topology}");
        let wired = super::wired(&fabric);
        check::verify_wiring(&fabric, &wired, None).expect("the links of the boxes");
        let hardware = Hardware::new(&fabric, &wired, None);
        assert_eq!((hardware.host_cables, hardware.router_cables), (nic_cables, cables), "{topology}");
        assert_eq!(hardware.hosts, u64::from(boxes) * 8);
        let oversubscription = hardware.value(HardwareMetric::Oversubscription);
        assert_eq!(oversubscription, Some(Fraction::new(u32::from(below), u32::from(up))), "{topology}");
    }
}

#[test]
fn names_show_the_box_and_the_plane() {
    let topology = "rails { per = 2; spines = 2; planes = 2; over = trunk; leaf = leaf; spine = spine; }";
    let wired = super::wired(&fabric(&spec(4, " { ports = 2; }", topology, "spray;")));
    let names = [0, 31, 32, 35, 36, 51, 52, 54, 71].map(|id| wired.name(NodeId(id)));
    assert_eq!(
        names,
        [
            "box0.gpu0",
            "box3.gpu7",
            "box0.nv",
            "box3.nv",
            "plane0.leaf[0]",
            "plane0.leaf[15]",
            "plane0.spine[0]",
            "plane1.leaf[0]",
            "plane1.spine[1]"
        ]
    );
}

/// All-to-all: every GPU sends (N - 8) / N of its data by its NIC, and none of the other links is as full. So
/// the busiest channel has N - 8 routes where every NIC meets its destination by spines or by a relay inside
/// the box.
#[test]
fn loads_of_all_to_all_are_at_the_bound_of_the_nics() {
    let spines = "rails { spines = 4; over = port; leaf = leaf; spine = spine; }";
    for (boxes, topology, routing) in [
        (2, spines, "spray;"),
        (4, spines, "spray;"),
        (4, spines, "ecmp;"),
        (3, "rails { leaf = leaf; }", "spray { relay = gpu; }"),
        (4, "leaf_spine { leaves = 2; spines = 0; attach = rail; leaf = leaf; }", "spray { relay = gpu; }"),
        (4, "leaf_spine { leaves = 1; spines = 0; leaf = leaf; }", "spray;"),
    ] {
        let (compiled, _) = built(&spec(boxes, ";", topology, routing));
        let metrics = &compiled.scenarios[0].metrics;
        let load = metrics.value(Metric::MaxChannelLoad).expect("routed");
        assert_eq!(load, Fraction::integer(8 * (boxes - 1)), "{boxes} {topology}");
        assert_eq!(metrics.load_bound().as_f64().ceil(), load.as_f64(), "{boxes} {topology}");
    }
}

/// A GPU takes 0 cycles, and the latencies of the switch that a hop leaves count: 100 + 150 inside a box,
/// 200 + 500 by a leaf, 200 + 500 + 600 + 500 by a spine, and 250 + 700 by a relay.
#[test]
fn latencies_are_those_of_the_kinds_of_routers() {
    let spines = "rails { spines = 4; over = port; leaf = leaf; spine = spine; }";
    let latencies = |topology: &str, routing: &str| {
        let (compiled, _) = built(&spec(2, ";", topology, routing));
        let metrics = &compiled.scenarios[0].metrics;
        [Metric::Latency, Metric::LatencyMax].map(|metric| metrics.value(metric).expect("routed"))
    };
    // Of 15 other GPUs, 7 stand in the box, 1 has the same number, and 7 another number.
    let mean = |far: u32| Fraction::new(7 * 250 + 700 + 7 * far, 15u32);
    assert_eq!(latencies(spines, "spray;"), [mean(1_800), Fraction::integer(1_800u32)]);
    let relayed = latencies("rails { leaf = leaf; }", "spray { relay = gpu; }");
    assert_eq!(relayed, [mean(950), Fraction::integer(950u32)]);
}

/// A relay inside the box of the source comes first, and every GPU hands on as much as the others.
#[test]
fn relays_stand_in_the_own_box_and_share_the_work() {
    let two_leaves = "leaf_spine { leaves = 2; spines = 0; attach = rail; leaf = leaf; }";
    for topology in ["rails { leaf = leaf; }", two_leaves] {
        let (compiled, _) = built(&spec(3, ";", topology, "spray { relay = gpu; }"));
        let tables = &compiled.scenarios[0].sprayed.as_ref().expect("groups").tables;
        let mut handed_on = [0; 24];
        for relay in &tables.relays {
            assert_eq!(relay.source.0 / 8, relay.relay.0 / 8, "{relay:?}");
            assert_ne!(relay.source.0 / 8, relay.destination.0 / 8, "{relay:?}");
            handed_on[relay.relay.0 as usize] += 1;
        }
        let each = tables.relays.len() / 24;
        assert_eq!(handed_on, [each; 24], "{topology}");
    }
}

/// GPUs in a row: the ends need two relays, and no table has more than the spec allows.
#[test]
fn a_row_of_gpus_needs_a_chain_of_relays() {
    let row = "fabric row { link wire { bandwidth = 50 GB/s; latency = 10 ns; }
        box four { gpus = 4; latency = 5 ns; join [0, 1] over wire; join [1, 2] over wire; join [2, 3] over wire; }
        boxes = 1 of four; routing = spray { relay = gpu { most = 2; } } }";
    let (compiled, _) = built(row);
    let sprayed = compiled.scenarios[0].sprayed.as_ref().expect("groups");
    let listed: Vec<[u32; 3]> = sprayed
        .tables
        .relays
        .iter()
        .map(|relay| [relay.source.0, relay.destination.0, relay.relay.0])
        .collect();
    assert_eq!(listed, [[0, 2, 1], [0, 3, 1], [1, 3, 2], [2, 0, 1], [3, 0, 2], [3, 1, 2]]);
    let metrics = &compiled.scenarios[0].metrics;
    // Four pairs pass the link in the middle, and the ends are 3 hops of 15 cycles apart.
    assert_eq!(metrics.value(Metric::MaxChannelLoad), Some(Fraction::integer(4u32)));
    assert_eq!(metrics.value(Metric::LatencyMax), Some(Fraction::integer(45u32)));
    // One permutation sends two flows over the link in the middle.
    assert_eq!(metrics.value(Metric::Permutation), Some(Fraction::integer(2u32)));
    let failure = std::panic::catch_unwind(|| built(&row.replace("most = 2", "most = 1")));
    assert!(failure.is_err());
}

/// The kernel refuses relays that hand nothing on.
#[test]
fn tampered_relays_are_convicted() {
    let (compiled, _) = built(&spec(2, ";", "rails { leaf = leaf; }", "spray { relay = gpu; }"));
    let tables = &compiled.scenarios[0].sprayed.as_ref().expect("groups").tables;
    let scene = Scene::healthy(&compiled.topology);
    let verdict = |change: &dyn Fn(&mut GroupTables)| {
        let mut changed = tables.clone();
        change(&mut changed);
        check::judge_groups(&compiled.fabric, &scene, &changed).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(verdict(&|_| {}), Ok(()));
    let relay = |source: u32, destination: u32, relay: u32| Relay {
        source: NodeId(source),
        destination: NodeId(destination),
        relay: NodeId(relay),
    };
    let at = |source: u32, destination: u32| {
        let key = (NodeId(source), NodeId(destination));
        tables.relays.iter().position(|relay| (relay.source, relay.destination) == key).expect("a relay")
    };
    let place = at(0, 9);
    let convicted = |change: &dyn Fn(&mut GroupTables), says: &str| {
        let error = verdict(change).expect_err(says);
        assert!(error.contains(says), "{error}");
    };
    convicted(&|tables| _ = tables.relays.remove(place), "no path from box0.gpu0 to box1.gpu1 goes up");
    // GPU 2 does not reach GPU 9 either.
    convicted(&|tables| tables.relays[place] = relay(0, 9, 2), "more relays than the 1 that the spec allows");
    convicted(&|tables| tables.relays[place] = relay(0, 9, 0), "more relays than the 1 that the spec allows");
    // A switch, a GPU that does not exist, and the destination hand nothing on.
    for wrong in [16, 99, 9] {
        convicted(&|tables| tables.relays[place] = relay(0, 9, wrong), "cannot hand packets on");
    }
    convicted(&|tables| tables.relays.swap(place, place + 1), "cannot hand packets on");
    convicted(&|tables| tables.relays.insert(place + 1, relay(0, 9, 1)), "cannot hand packets on");
    // The switch of box 0 joins GPUs 0 and 1.
    convicted(&|tables| tables.relays.insert(0, relay(0, 1, 2)), "a valid path joins the two");
}

/// No GPU forwards: an entry of a GPU for a packet that comes in is an entry of its own packets, and the path
/// over it is not a shortest valid one.
#[test]
fn a_gpu_that_forwards_is_convicted() {
    let (compiled, _) = built(&spec(2, ";", "rails { leaf = leaf; }", "spray { relay = gpu; }"));
    let sprayed = compiled.scenarios[0].sprayed.as_ref().expect("groups");
    let mut changed = sprayed.tables.clone();
    // The switch of box 0 sends packets for GPU 9 to GPU 1, which has a cable to it.
    let group = changed.routers[16].iter().find(|entry| entry.first == NodeId(1)).expect("an entry").group;
    let last = *changed.routers[16].last().expect("an entry");
    changed.routers[16].push(fabc::ir::GroupEntry { first: NodeId(9), last: NodeId(9), group });
    assert!(last.last < NodeId(9));
    let scene = Scene::healthy(&compiled.topology);
    let error =
        check::judge_groups(&compiled.fabric, &scene, &changed).expect_err("a GPU forwards").to_string();
    assert!(error.contains("box0.nv"), "{error}");
}
