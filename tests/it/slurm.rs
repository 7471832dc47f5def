//! The topology of a network for Slurm. slurmctld itself reads it in `tests/slurm_topology/run`.

use crate::networks::builds::emitted;
use fabc::emit::EmitError;
use std::collections::BTreeMap;

/// The files of `--emit slurm_topology` for a topology with `hosts` at every router that has some.
fn slurm_files(topology: &str, hosts: u32) -> Result<BTreeMap<String, String>, EmitError> {
    let spec = format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 16; hosts = {hosts}; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ vcs = 4; }} topology = {topology} }}"
    );
    emitted("slurm_topology", &spec)
}

#[test]
fn leaves_have_nodes_and_spines_have_leaves() {
    let files = slurm_files("leaf_spine { leaves = 3; spines = 2; parallel = 2; }", 4).expect("tiers");
    assert_eq!(
        files["topology.conf"],
        "SwitchName=leaf-0 Nodes=host[0-3]\n\
         SwitchName=leaf-1 Nodes=host[4-7]\n\
         SwitchName=leaf-2 Nodes=host[8-11]\n\
         SwitchName=spine-0 Switches=leaf-[0-2]\n\
         SwitchName=spine-1 Switches=leaf-[0-2]\n"
    );
    assert_eq!(
        files["topology.yaml"],
        "- topology: net\n  cluster_default: true\n  tree:\n    switches:\n\
         \x20     - switch: leaf-0\n        nodes: host[0-3]\n\
         \x20     - switch: leaf-1\n        nodes: host[4-7]\n\
         \x20     - switch: leaf-2\n        nodes: host[8-11]\n\
         \x20     - switch: spine-0\n        children: leaf-[0-2]\n\
         \x20     - switch: spine-1\n        children: leaf-[0-2]\n\
         - topology: net-blocks\n  cluster_default: false\n  block:\n    block_sizes:\n\
         \x20     - 4\n      - 8\n    blocks:\n\
         \x20     - block: leaf-0\n        nodes: host[0-3]\n\
         \x20     - block: leaf-1\n        nodes: host[4-7]\n\
         \x20     - block: leaf-2\n        nodes: host[8-11]\n"
    );
}

#[test]
fn an_endpoint_inside_its_router_is_a_node() {
    let files = slurm_files("clos { down = 2 x 2; up = 1 x 1; names = [tor, row, top]; }", 0).expect("tiers");
    assert_eq!(
        files["topology.conf"],
        "SwitchName=tor-0-0 Nodes=host0\n\
         SwitchName=tor-0-1 Nodes=host1\n\
         SwitchName=tor-1-0 Nodes=host2\n\
         SwitchName=tor-1-1 Nodes=host3\n\
         SwitchName=row-0-0 Switches=tor-0-[0-1]\n\
         SwitchName=row-1-0 Switches=tor-1-[0-1]\n\
         SwitchName=top-0-0 Switches=row-0-0,row-1-0\n"
    );
}

#[test]
fn routers_of_one_host_are_one_switch() {
    let files = slurm_files("torus 3 x 2 { link = cable; }", 1).expect("a network");
    assert_eq!(files["topology.conf"], "SwitchName=network-net Nodes=host[0-5]\n");
    // The last axis of a network is its fastest one, and so is x of Slurm.
    assert!(files["topology.yaml"].ends_with(
        "- topology: net-torus\n  cluster_default: false\n  torus3d:\n    toruses:\n\
         \x20     - name: network-net\n        dims:\n          x: 2\n          y: 3\n          z: 1\n\
         \x20       nodes: host[0-5]\n        placements:\n          - dims:\n\
         \x20             x: 2\n              y: 3\n              z: 1\n"
    ));
}

#[test]
fn groups_of_routers_are_switches() {
    let files = slurm_files("dragonfly { a = 2; h = 1; link = cable; }", 2).expect("a network");
    assert_eq!(
        files["topology.conf"],
        "SwitchName=group0-0 Nodes=host[0-1]\n\
         SwitchName=group0-1 Nodes=host[2-3]\n\
         SwitchName=group1-0 Nodes=host[4-5]\n\
         SwitchName=group1-1 Nodes=host[6-7]\n\
         SwitchName=group2-0 Nodes=host[8-9]\n\
         SwitchName=group2-1 Nodes=host[10-11]\n\
         SwitchName=group0 Switches=group0-[0-1]\n\
         SwitchName=group1 Switches=group1-[0-1]\n\
         SwitchName=group2 Switches=group2-[0-1]\n\
         SwitchName=network-net Switches=group[0-2]\n"
    );
    assert!(!files["topology.yaml"].contains("torus3d"));
}

/// Two hosts of a router are two places of a torus, so it is none of hosts.
#[test]
fn a_torus_of_routers_with_two_hosts_is_no_torus_of_hosts() {
    let files = slurm_files("torus 3 x 2 { link = cable; }", 2).expect("a network");
    assert!(
        files["topology.conf"]
            .ends_with("SwitchName=network-net Switches=router-0-[0-1],router-1-[0-1],router-2-[0-1]\n")
    );
    assert!(!files["topology.yaml"].contains("torus3d"));
}
