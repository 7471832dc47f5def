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
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: my-net\nspec:\n  levels:\n\
         \x20 - nodeLabel: fabric.topograph.run/tier-2\n\
         \x20 - nodeLabel: fabric.topograph.run/tier-1\n\
         \x20 - nodeLabel: fabric.topograph.run/tier-0\n\
         \x20 - nodeLabel: kubernetes.io/hostname\n\
         ---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata:\n  name: my-net\nspec:\n\
         \x20 nodeLabels:\n    fabc-fabric: \"my-net\"\n  topologyName: my-net\n"
    );
    let lines: Vec<&str> = files["labels.sh"].lines().collect();
    assert_eq!(lines.len(), 16);
    // Hosts 4 and 5 are at the first leaf of the second pod.
    assert_eq!(
        lines[4],
        "kubectl label node host4 --overwrite fabc-fabric=my-net fabric.topograph.run/tier-2=core-0-0 \
         fabric.topograph.run/tier-1=agg-1-0 fabric.topograph.run/tier-0=edge-1-0"
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
        ("dragonfly { a = 4; h = 1; link = cable; }", 3, vec![1, 5, 20]),
        ("torus 3 x 3 { link = cable; }", 2, vec![1, 9]),
        ("torus 3 x 3 { link = cable; }", 1, vec![1]),
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
fn a_network_without_tiers_has_groups() {
    let files = kueue_files("dragonfly { a = 2; h = 1; link = cable; }", 2).expect("a network");
    assert_eq!(levels(&files["topology.yaml"]).len(), 4);
    assert!(files["labels.sh"].contains(
        "label node host11 --overwrite fabc-fabric=my-net fabric.topograph.run/tier-2=network-My_net "
    ));
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
