//! The topology of a network for Kueue, and the labels of its nodes.

use crate::networks::builds::emitted;
use crate::support::plain::fabc;
use fabc::emit::EmitError;
use std::collections::{BTreeMap, BTreeSet};

/// The files of `--emit kueue` for a topology with `hosts` at every router that has some.
fn kueue_files(topology: &str, hosts: u32) -> Result<BTreeMap<String, String>, EmitError> {
    let spec = format!(
        "fabric My_net_ {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 64; hosts = {hosts}; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ vcs = 4; }} topology = {topology} }}"
    );
    emitted("kueue", &spec)
}

/// The labels of the levels, outermost first. Checks what the schema of Kueue asks for.
fn levels(object: &str) -> Vec<&str> {
    let levels: Vec<&str> = object.lines().filter_map(|line| line.strip_prefix("  - nodeLabel: ")).collect();
    assert!((1..=8).contains(&levels.len()), "{levels:?}");
    assert_eq!(levels.iter().collect::<BTreeSet<_>>().len(), levels.len(), "{levels:?}");
    assert_eq!(levels.last(), Some(&"kubernetes.io/hostname"), "{levels:?}");
    assert!(levels.iter().all(|level| (1..=316).contains(&level.len())));
    levels
}

#[test]
fn hosts_are_labelled_with_their_leaf_and_the_blocks_above() {
    let files = kueue_files("fat_tree { k = 4; }", 2).expect("tiers");
    assert_eq!(
        files["topology.yaml"],
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata:\n  name: my-net\nspec:\n  levels:\n\
         \x20 - nodeLabel: network.topology.nvidia.com/core\n\
         \x20 - nodeLabel: network.topology.nvidia.com/spine\n\
         \x20 - nodeLabel: network.topology.nvidia.com/leaf\n\
         \x20 - nodeLabel: kubernetes.io/hostname\n"
    );
    let lines: Vec<&str> = files["labels.sh"].lines().collect();
    assert_eq!(lines.len(), 16);
    // Hosts 4 and 5 are at the first leaf of the second pod.
    assert_eq!(
        lines[4],
        "kubectl label node host4 --overwrite network.topology.nvidia.com/core=core-0-0 \
         network.topology.nvidia.com/spine=agg-1-0 network.topology.nvidia.com/leaf=edge-1-0"
    );
    assert_eq!(levels(&files["topology.yaml"]).len(), 4);
}

/// Every level divides the domains of the level above it: that is what a tree of domains is.
#[test]
fn domains_are_nested_as_deep_as_the_tiers() {
    for (topology, hosts, sizes) in [
        ("leaf_spine { leaves = 3; spines = 2; parallel = 2; }", 4, vec![1, 3]),
        ("fat_tree { k = 8; }", 4, vec![1, 8, 32]),
        ("clos { down = 2 x 2 x 2; up = 1 x 2 x 2; }", 0, vec![1, 2, 4, 8]),
    ] {
        let files = kueue_files(topology, hosts).expect("tiers");
        let keys = levels(&files["topology.yaml"]);
        let domain = |line: &str, key: &str| {
            let label = line.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
            label.unwrap_or_else(|| panic!("{line} has no {key}")).to_owned()
        };
        let mut outer: BTreeMap<(usize, String), String> = BTreeMap::new();
        let mut found = vec![BTreeSet::new(); sizes.len()];
        for line in files["labels.sh"].lines() {
            for (level, key) in keys[..sizes.len()].iter().enumerate() {
                let own = domain(line, key);
                found[level].insert(own.clone());
                if level > 0 {
                    let above = domain(line, keys[level - 1]);
                    assert_eq!(*outer.entry((level, own)).or_insert(above.clone()), above, "{topology}");
                }
            }
        }
        assert_eq!(found.iter().map(BTreeSet::len).collect::<Vec<_>>(), sizes, "{topology}");
    }
}

#[test]
fn a_network_without_tiers_has_no_topology() {
    let error = kueue_files("torus 3 x 3 { link = cable; }", 1).expect_err("no tiers");
    assert_eq!(
        error.to_string(),
        "`kueue` cannot hold this network: it has no tiers, with hosts at the bottom and links between neighboring tiers only"
    );
}

#[test]
fn seven_tiers_of_switches_are_the_most() {
    let clos = |stages: usize| {
        let of_all = |number: &str| vec![number; stages].join(" x ");
        format!("clos {{ down = {}; up = {}; }}", of_all("2"), of_all("1"))
    };
    assert_eq!(levels(&kueue_files(&clos(6), 1).expect("seven tiers")["topology.yaml"]).len(), 8);
    let error = kueue_files(&clos(7), 1).expect_err("eight tiers");
    assert!(error.to_string().contains("at most 8 levels"), "{error}");
}

#[test]
fn its_two_files_are_in_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let spec = "fabric net { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }
        router { radix = 64; hosts = 2; vcs = 1; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }
        budget { vcs = 1; } topology = leaf_spine { leaves = 2; spines = 2; } }";
    std::fs::write(place.path().join("net.fab"), spec).unwrap();
    fabc(place.path(), &["build", "net.fab", "--until", "synthesize", "--emit", "kueue=labels"], 0);
    assert!(place.path().join("labels/topology.yaml").is_file());
    assert!(place.path().join("labels/labels.sh").is_file());
}
