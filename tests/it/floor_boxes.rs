//! Boxes on a floor: which rack holds what, the checker's verdict on other racks, and lengths by hand.

use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::{FloorMetrics, LinkClass, Placement, Topology};
use fabc::model::FloorMetric;
use fabc::progress::Silent;

/// Boxes of two GPUs behind switches of radix 16, on a floor.
fn spec(boxes: u32, topology: &str, floor: &str) -> String {
    format!(
        "fabric laid {{ clock = 1 GHz;
        link inner {{ bandwidth = 100 GB/s; per_metre = 5 ns; cost = 70; power = 9 W; }}
        link cable {{ bandwidth = 25 GB/s; latency = 10 ns; cost = 10; cost_per_metre = 2; power = 1 W; }}
        router {{ radix = 16; vcs = 1; }}
        box pair {{ gpus = 2; switch nv {{ join all over inner; }} nics = 2 over cable; }}
        boxes = {boxes} of pair; topology = {topology} routing = spray {{ relay = gpu; }}
        floor {{ {floor} }} }}"
    )
}

fn laid_out(text: &str) -> CompiledFabric {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let (fabric, ..) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    compile(fabric, Stage::Analyze, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// `[rack]`: the names of its parts.
fn racks(compiled: &CompiledFabric) -> Vec<String> {
    let placement = compiled.placement.as_ref().expect("a floor");
    let name = |&part: &u32| compiled.topology.name(fabc::ids::NodeId(part));
    let held = placement.routers_by_cabinet();
    held.iter().map(|parts| parts.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn boxes_fill_racks_and_leaves_stand_alone_or_beside_them() {
    let pair = |place: u32| format!("box{place}.gpu0 box{place}.gpu1 box{place}.nv");
    let leaf_spine = "leaf_spine { leaves = 2; spines = 2; over = cable; }";
    // The ids of GPUs come before those of switches inside.
    let two = |first: u32, second: u32| {
        let gpus = [first, second].map(|place| format!("box{place}.gpu0 box{place}.gpu1"));
        format!("{} box{first}.nv box{second}.nv", gpus.join(" "))
    };
    let three = "box0.gpu0 box0.gpu1 box1.gpu0 box1.gpu1 box2.gpu0 box2.gpu1 box0.nv box1.nv box2.nv";
    let alone = laid_out(&spec(4, leaf_spine, "box_rack = 3; cabinet = 3;"));
    let expected = [three.to_owned(), pair(3), "leaf[0] leaf[1] spine[0]".to_owned(), "spine[1]".to_owned()];
    assert_eq!(racks(&alone), expected);
    let beside = laid_out(&spec(4, leaf_spine, "box_rack = 2; cabinet = 2; clustering = by_group;"));
    let expected =
        [format!("{} leaf[0]", two(0, 1)), format!("{} leaf[1]", two(2, 3)), "spine[0] spine[1]".to_owned()];
    assert_eq!(racks(&beside), expected);
    // Rails: both leaves serve all boxes. They are spread over the racks of these.
    let rails =
        laid_out(&spec(4, "rails { spines = 0; }", "box_rack = 1; cabinet = 1; clustering = by_group;"));
    let expected = [pair(0), format!("{} leaf[0]", pair(1)), pair(2), format!("{} leaf[1]", pair(3))];
    assert_eq!(racks(&rails), expected);
    // Six NICs on a leaf of four: the box between two leaves makes one group of them.
    let shared = laid_out(&spec(
        3,
        "leaf_spine { leaves = 2; spines = 1; over = cable; }",
        "box_rack = 1; cabinet = 1; clustering = by_group;",
    ));
    let expected =
        [format!("{} leaf[0]", pair(0)), pair(1), format!("{} leaf[1]", pair(2)), "spine[0]".to_owned()];
    assert_eq!(racks(&shared), expected);
}

#[test]
fn only_cables_have_lengths_and_prices() {
    // Two racks of two boxes and one of both leaves, 0.6 m apart: 4 cables of 4.6 m and 4 of 5.2 m.
    let compiled =
        laid_out(&spec(4, "rails { spines = 0; }", "box_rack = 2; cabinet = 2; grid = fixed 1 x 3;"));
    let metrics = compiled.cables.as_ref().expect("a floor");
    assert_eq!((metrics.cables, metrics.between, metrics.longest, metrics.bundles), (8, 8, 52, 2));
    for (metric, expected) in [
        (FloorMetric::CableLength, 4.0 * 4.6 + 4.0 * 5.2),
        (FloorMetric::Cost, 8.0 * 10.0 + 2.0 * (4.0 * 4.6 + 4.0 * 5.2)),
        (FloorMetric::Power, 8.0),
    ] {
        let measured = metrics.value(metric).as_f64();
        assert!((measured - expected).abs() < 1e-9, "{metric:?}: {measured}, not {expected}");
    }
    for (id, link) in compiled.topology.links().enumerate() {
        assert_eq!(compiled.topology.length(id) == 0, link.class == LinkClass::Local);
    }
}

/// What the checker says of a floor whose racks are others.
fn verdict(
    compiled: &CompiledFabric,
    topology: &Topology,
    placement: &Placement,
) -> Result<FloorMetrics, String> {
    let fabric = &compiled.fabric;
    let floor = fabric.floor.as_ref().expect("a floor");
    check::verify_floor(fabric, floor, topology, None, placement).map_err(|error| error.to_string())
}

#[test]
fn other_racks_and_lengths_are_convicted() {
    for clustering in ["sequential", "by_group"] {
        let floor = format!("box_rack = 2; cabinet = 2; clustering = {clustering};");
        let compiled = laid_out(&spec(4, "leaf_spine { leaves = 2; spines = 2; over = cable; }", &floor));
        let placement = compiled.placement.as_ref().expect("a floor");
        let topology = &compiled.topology;
        let honest = verdict(&compiled, topology, placement);
        assert_eq!(honest.as_ref(), Ok(compiled.cables.as_ref().expect("a floor")));
        let racks = placement.place_of.len() as u32;
        for part in 0..placement.cabinet_of.len() {
            let mut moved = placement.clone();
            moved.cabinet_of[part] = (moved.cabinet_of[part] + 1) % racks;
            let said = verdict(&compiled, topology, &moved).expect_err("a part in another rack");
            assert!(said.contains("stands in rack"), "{said}");
        }
        let mut swapped = placement.clone();
        swapped.place_of.swap(0, 1);
        let said = verdict(&compiled, topology, &swapped).expect_err("racks in another order");
        assert!(said.contains("belongs in"), "{said}");
        // A link inside a box with a length, and a cable without one.
        for class in [LinkClass::Local, LinkClass::Global] {
            let cables: Vec<_> = topology
                .links()
                .enumerate()
                .map(|(id, link)| {
                    let length = topology.length(id);
                    (if link.class == class { 20 - length.min(20) } else { length }, link.link_type)
                })
                .collect();
            let said = verdict(&compiled, &topology.clone().with_cables(cables), placement)
                .expect_err("a length that is not that of the racks");
            assert!(said.contains("units of 0.1 m long"), "{said}");
        }
    }
}
