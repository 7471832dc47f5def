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
fn a_network_without_tiers_is_refused() {
    let error = slurm_files("torus 3 x 3 { link = cable; }", 1).expect_err("no tiers");
    assert_eq!(
        error.to_string(),
        "`slurm_topology` cannot hold this network: it has no tiers, with hosts at the bottom and links between neighboring tiers only"
    );
}
