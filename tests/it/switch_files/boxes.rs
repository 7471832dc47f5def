//! Configurations of the switches outside of boxes. They know a box as hosts, one for every port of a NIC.

use super::{SwitchFiles, bgp_routes, changed, emitted, static_routes, text};
use crate::networks::builds::built;
use fabc::compiled::CompiledFabric;
use std::collections::BTreeMap;

/// Boxes of four GPUs on one switch, `nics` of each, in this topology.
fn boxes(faults: &str, nics: &str, topology: &str, items: &str) -> CompiledFabric {
    let spec = format!(
        "fabric net {{ clock = 1 GHz; link nvlink {{ bandwidth = 400 Gbps; latency = 10 ns; }}
        link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }} router leaf {{ radix = 64; latency = 10 cycles; }}
        box h {{ gpus = 4; switch nv {{ latency = 10 cycles; join all over nvlink; }} nics = {nics} }}
        budget {{ faults = {faults}; }} topology = {topology} routing = spray {{ relay = gpu; }} {items} }}"
    );
    built(&spec).0
}

fn all_files(compiled: &CompiledFabric) -> [SwitchFiles; 3] {
    ["frr", "sonic", "routes"].map(|format| emitted(format, compiled).expect(format))
}

#[test]
fn a_leaf_announces_the_prefix_of_its_nics() {
    let topology = "leaf_spine { leaves = 8; spines = 2; parallel = 2; attach = rail; over = cable; tiers = [leaf, leaf]; }";
    let compiled = boxes("1 link", "4 over cable;", topology, "boxes = 6 of h;");
    let [frr, sonic, routes] = all_files(&compiled);
    let names: Vec<&String> = frr.keys().collect();
    assert_eq!(names.len(), 10);
    assert_eq!((&**names[0], &**names[9]), ("leaf-0/frr.conf", "spine-1/frr.conf"));
    // Boxes 0 to 2 are at leaves 0 to 3, one NIC at each. Three NICs and three addresses more need a /29.
    // Ports 0 to 2 lead to NICs, ports 3 to 6 upwards.
    let leaf = text(&frr, "leaf-5/frr.conf");
    assert!(leaf.contains("interface p3\n") && !leaf.contains("interface p2\n"), "{leaf}");
    assert!(leaf.contains("network 10.0.0.40/29\n") && leaf.contains("maximum-paths 4\n"), "{leaf}");
    assert!(leaf.contains("description spine-1:p10\n"), "{leaf}");
    // Eight leaves to seven others and two spines to eight leaves. A dark cable of a leaf and a spine takes
    // the route of this spine, unless the other cable of the pair stays.
    let healthy = 8 * 7 + 2 * 8;
    assert_eq!(static_routes(&compiled, &routes).expect("the groups"), healthy);
    for files in [&frr, &sonic] {
        assert_eq!(files.len(), 10);
    }
    let in_each = bgp_routes(&compiled, &frr).expect("the groups");
    assert_eq!(in_each.len(), compiled.scenarios.len());
    assert!(in_each.iter().all(|&routes| routes == healthy), "{in_each:?}");

    let other_as = changed(&frr, "leaf-5/frr.conf", "router bgp 64517\n", "router bgp 64516\n");
    let convicted = bgp_routes(&compiled, &other_as).expect_err("two leaves of one number").to_string();
    assert!(convicted.contains("leaf-"), "{convicted}");
    let other_hop = changed(
        &routes,
        "leaf-5/routes.batch",
        "route replace 10.0.0.48/29 proto static nexthop via 172.16.0.41 dev p3 weight 1 ",
        "route replace 10.0.0.48/29 proto static ",
    );
    let convicted = static_routes(&compiled, &other_hop).expect_err("a hop less").to_string();
    assert!(convicted.contains("leaf-5") && convicted.contains("to leaf-6"), "{convicted}");
}

#[test]
fn planes_are_networks_of_their_own() {
    let topology =
        "leaf_spine { leaves = 3; spines = 2; planes = 2; over = cable; leaf = leaf; spine = leaf; }";
    let compiled = boxes("0", "4 over cable { ports = 2; }", topology, "boxes = 6 of h;");
    let [frr, _, routes] = all_files(&compiled);
    assert_eq!(frr.len(), 10);
    assert!(text(&frr, "plane1-leaf-2/frr.conf").contains("description plane1-spine-0:p2\n"));
    // In each plane, three leaves to two others, and two spines to three leaves.
    assert_eq!(bgp_routes(&compiled, &frr).expect("the groups"), [2 * (3 * 2 + 2 * 3)]);
    assert_eq!(static_routes(&compiled, &routes).expect("the groups"), 2 * (3 * 2 + 2 * 3));
}

#[test]
fn leaves_that_nothing_joins_have_no_routes() {
    let compiled = boxes("0", "4 over cable;", "rails { leaf = leaf; }", "boxes = 3 of h;");
    let [frr, ..] = all_files(&compiled);
    assert_eq!(frr.len(), 4);
    assert_eq!(bgp_routes(&compiled, &frr).expect("the groups"), [0]);
}

#[test]
fn a_gpu_has_one_address_in_a_plane() {
    let topology =
        "leaf_spine { leaves = 4; spines = 2; attach = rail; over = cable; leaf = leaf; spine = leaf; }";
    let nics = "8 over cable; nic[i] at i / 2;";
    let compiled = boxes("0", nics, topology, "boxes = 2 of h;");
    for format in ["frr", "sonic", "routes"] {
        let refused = emitted(format, &compiled).expect_err("two addresses").to_string();
        assert_eq!(
            refused,
            format!(
                "`{format}` cannot hold this network: a GPU has NICs at two leaves of a plane, so it has two addresses, and next-hop groups to it are not those to one leaf"
            )
        );
    }
    // A scheduler has no addresses. All leaves are one block, because every box stands at all of them.
    let conf = text(&emitted("slurm_topology", &compiled).expect("tiers"), "topology.conf").to_owned();
    assert_eq!(
        conf,
        "SwitchName=leaf-0 Nodes=box[0-1]\nSwitchName=spine-0 Switches=leaf-0\nSwitchName=spine-1 Switches=leaf-0\n"
    );
}

#[test]
fn a_scheduler_places_jobs_on_boxes() {
    let topology =
        "leaf_spine { leaves = 8; spines = 2; attach = rail; over = cable; tiers = [leaf, leaf]; }";
    let compiled = boxes("0", "4 over cable;", topology, "boxes = 6 of h;");
    let slurm = emitted("slurm_topology", &compiled).expect("tiers");
    assert_eq!(
        text(&slurm, "topology.conf"),
        "SwitchName=leaf-0 Nodes=box[0-2]\n\
         SwitchName=leaf-4 Nodes=box[3-5]\n\
         SwitchName=spine-0 Switches=leaf-[0,4]\n\
         SwitchName=spine-1 Switches=leaf-[0,4]\n"
    );
    assert!(text(&slurm, "topology.yaml").ends_with(
        "    block_sizes:\n      - 3\n      - 6\n    blocks:\n\
             \x20     - block: leaf-0\n        nodes: box[0-2]\n\
             \x20     - block: leaf-4\n        nodes: box[3-5]\n"
    ));
    let kueue = emitted("kueue", &compiled).expect("tiers");
    let labels: BTreeMap<&str, &str> = text(&kueue, "labels.sh")
        .lines()
        .map(|line| line["kubectl label node ".len()..].split_once(" --overwrite ").expect("a node"))
        .collect();
    assert_eq!(labels.len(), 6);
    for (place, leaf) in [("box2", "leaf-0"), ("box3", "leaf-4")] {
        assert_eq!(
            labels[place],
            format!("fabc-fabric=net fabric.topograph.run/tier-1=spine-0 fabric.topograph.run/tier-0={leaf}")
        );
    }
}

/// GPUs of a box that no link joins are one host all the same.
#[test]
fn a_box_is_one_host_without_links_inside() {
    let spec = "fabric net { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }
        router leaf { radix = 64; latency = 10 cycles; } box bare { gpus = 4; nics = 4 over cable; } boxes = 3 of bare;
        topology = leaf_spine { leaves = 4; spines = 2; attach = rail; over = cable; tiers = [leaf, leaf]; }
        routing = spray; }";
    let compiled = built(spec).0;
    let slurm = emitted("slurm_topology", &compiled).expect("tiers");
    assert!(
        text(&slurm, "topology.conf").starts_with("SwitchName=leaf-0 Nodes=box[0-2]\nSwitchName=spine-0")
    );
}

#[test]
fn one_box_has_no_switch_outside() {
    let spec = "fabric net { clock = 1 GHz; link nvlink { bandwidth = 100 Gbps; latency = 10 ns; }
        box h { gpus = 4; switch nv { latency = 10 cycles; join all over nvlink; } } boxes = 1 of h; routing = spray; }";
    let compiled = built(spec).0;
    let slurm = emitted("slurm_topology", &compiled).expect("one box");
    assert_eq!(text(&slurm, "topology.conf"), "SwitchName=network-net Nodes=box0\n");
    for format in ["frr", "sonic", "routes"] {
        let refused = emitted(format, &compiled).expect_err("no switch outside").to_string();
        assert_eq!(
            refused,
            format!("`{format}` cannot hold this network: it is one box, without a switch outside")
        );
    }
}
