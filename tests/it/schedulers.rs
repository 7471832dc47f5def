//! Files for schedulers of pods, slices and networks, with hosts by name, and what they refuse.

use crate::networks::builds::emitted;
use crate::slices::spec as pod;
use crate::support::plain::{fabc, files};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// All formats for schedulers, each with a place.
const FORMATS: [&str; 4] =
    ["slurm_topology=slurm", "kueue=kueue", "topograph=nodes/", "slices_json=scheduler.json"];

const SLICES: &str = "spare = 1;
    slice train { cubes = 2; count = 2; topology = torus 2 x 2 x 4; }
    slice serve { cubes = 1; count = 2; topology = torus 2 x 2 x 2; routing = dimension_order; }";

/// Hosts of two chips each along x, called `n0` and so on from the last cube to the first.
fn host_map(cubes: u32) -> String {
    let mut map = String::from("name,host\n");
    for cube in 0..cubes {
        for chip in 0..8 {
            let host = (cubes - 1 - cube) * 4 + chip / 2;
            let [x, y, z] = [chip % 2, chip / 2 % 2, chip / 4];
            writeln!(map, "cube{cube}[{x},{y},{z}],n{host}").unwrap();
        }
    }
    map
}

fn write(place: &Path, file: &str, text: &str) {
    std::fs::write(place.join(file), text).unwrap();
}

/// Runs fabc with all formats for schedulers.
fn emit_all(place: &Path, args: &[&str]) {
    let formats = FORMATS.iter().flat_map(|format| ["--emit", format]);
    fabc(place, &args.iter().copied().chain(formats).collect::<Vec<_>>(), 0);
}

/// The names in a list of Slurm.
fn names(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = match rest.find(['[', ',']) {
            Some(bracket) if rest[bracket..].starts_with('[') => {
                let close = rest.find(']').unwrap();
                for part in rest[bracket + 1..close].split(',') {
                    let (first, last) = part.split_once('-').unwrap_or((part, part));
                    let width = first.len();
                    for number in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                        found.push(format!("{}{number:0width$}", &rest[..bracket]));
                    }
                }
                close + 1
            }
            comma => {
                let end = comma.unwrap_or(rest.len());
                found.push(rest[..end].to_owned());
                end
            }
        };
        rest = rest[end..].trim_start_matches(',');
    }
    found
}

/// `[switch]`: its hosts, and whether it is a leaf. From `topology.conf`.
fn switches(conf: &str) -> BTreeMap<String, (BTreeSet<String>, bool)> {
    let mut switches: BTreeMap<String, (BTreeSet<String>, bool)> = BTreeMap::new();
    for line in conf.lines() {
        let value = |key: &str| line.split(' ').find_map(|word| word.strip_prefix(key));
        let hosts = match (value("Nodes="), value("Switches=")) {
            (Some(nodes), None) => (names(nodes).into_iter().collect(), true),
            (None, Some(below)) => {
                let below = names(below).into_iter().flat_map(|name| switches[&name].0.clone());
                (below.collect(), false)
            }
            _ => panic!("{line}"),
        };
        assert!(switches.insert(value("SwitchName=").unwrap().to_owned(), hosts).is_none(), "{line}");
    }
    switches
}

/// `[node]`: its labels, from the lines of `labels.sh`.
fn labels(script: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let line = |line: &str| {
        let mut words = line.split(' ').skip(3);
        let node = words.next().unwrap().to_owned();
        let labels = words.filter_map(|word| word.split_once('='));
        (node, labels.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    };
    script.lines().map(line).collect()
}

/// The same from `nodes.yaml`.
fn labels_of_nodes(yaml: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let node = |node: &str| {
        let name = node.lines().find_map(|line| line.strip_prefix("  name: ")).unwrap().to_owned();
        let labels = node.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
        (name, labels.map(|(key, value)| (key.to_owned(), value.trim_matches('"').to_owned())).collect())
    };
    yaml.split("---\n").skip(1).map(node).collect()
}

/// Proves that all files agree, and that no switch joins two slices. Returns the hosts of every slice.
fn check_files(place: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let read = |path: &str| std::fs::read_to_string(place.join(path)).unwrap();
    let cluster: Value = serde_json::from_str(&read("scheduler.json")).unwrap();
    let conf = switches(&read("slurm/topology.conf"));
    let labels = labels(&read("kueue/labels.sh"));
    assert_eq!(labels, labels_of_nodes(&read("nodes/nodes.yaml")));
    let mut slices: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for host in cluster["hosts"].as_array().unwrap() {
        let name = host["name"].as_str().unwrap();
        assert!(labels.contains_key(name), "{name}");
        let above: Vec<&String> =
            conf.iter().filter(|(_, (hosts, leaf))| !leaf && hosts.contains(name)).map(|(s, _)| s).collect();
        let leaves = conf.values().filter(|(hosts, leaf)| *leaf && hosts.contains(name)).count();
        assert_eq!(leaves, 1, "{name}");
        let Some(slice) = host["slice"].as_str() else {
            assert!(above.is_empty(), "{name} is in no slice, and below {above:?}");
            assert!(!labels[name].contains_key("accelerator.topograph.run/domain"));
            assert_ne!(host["state"], "taken");
            continue;
        };
        assert_eq!(above, [&format!("slice-{slice}")], "{name}");
        assert_eq!(labels[name]["accelerator.topograph.run/domain"], format!("slice-{slice}"));
        let lines = cluster["slices"].as_array().unwrap();
        let line = lines.iter().find(|line| line["name"] == slice).unwrap();
        assert_eq!(labels[name]["fabc-kind"], line["kind"].as_str().unwrap());
        assert_eq!(host["state"], "taken");
        slices.entry(slice.to_owned()).or_default().insert(name.to_owned());
    }
    for slice in cluster["slices"].as_array().unwrap() {
        let chips: BTreeSet<String> =
            slice["chips"].as_array().unwrap().iter().map(Value::to_string).collect();
        let hosts = cluster["hosts"].as_array().unwrap().iter();
        let of_hosts: BTreeSet<String> = hosts
            .filter(|host| host["slice"] == slice["name"])
            .flat_map(|host| host["chips"].as_array().unwrap())
            .map(Value::to_string)
            .collect();
        assert_eq!(chips, of_hosts);
    }
    slices
}

#[test]
fn every_format_says_the_same_of_every_placement() {
    for has_map in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        write(place, "hosts.csv", &host_map(8));
        let map = if has_map { "hosts = map \"hosts.csv\";" } else { "" };
        write(place, "pod.fab", &pod(8, &format!("{SLICES} {map}")));
        emit_all(place, &["build", "pod.fab", "-q", "--out", "out"]);
        let first = check_files(place);
        assert_eq!(first.keys().collect::<Vec<_>>(), ["serve-0", "serve-1", "train-0", "train-1"]);
        assert_eq!(first["train-1"].len(), if has_map { 8 } else { 16 });
        fabc(place, &["verify", "out/pod"], 0);
        // Without steps, `place` says what the build said.
        let built = files(&place.join("slurm"));
        emit_all(place, &["place", "out/pod", "-q"]);
        assert_eq!(files(&place.join("slurm")), built);
        let steps: [&[&str]; 4] = [
            &["--remove", "train-0", "--add", "serve"],
            &["--down", "cube7", "--swap", "cube3"],
            &["--remove", "serve-0", "--remove", "serve-1", "--add", "serve=small"],
            &["--up", "cube7"],
        ];
        let mut from = "out/pod".to_owned();
        for (number, step) in steps.iter().enumerate() {
            let to = format!("placed{number}");
            emit_all(place, &[&["place", &from, "-q", "--out", &to], *step].concat());
            check_files(place);
            fabc(place, &["verify", &to], 0);
            from = to;
        }
    }
}

/// The place of a host in a torus of Slurm, and its chips, agree with the grid of the kind of slice.
#[test]
fn tori_of_slices_have_every_host_at_its_chips() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write(place, "hosts.csv", &host_map(8));
    write(place, "pod.fab", &pod(8, &format!("{SLICES} hosts = map \"hosts.csv\";")));
    emit_all(place, &["build", "pod.fab", "-q", "--out", "out"]);
    let again = ["place", "out/pod", "-q", "--remove", "train-0", "--add", "train=t", "--cubes", "6,1"];
    emit_all(place, &again);
    let yaml = std::fs::read_to_string(place.join("slurm/topology.yaml")).unwrap();
    let torus = yaml.split("      - name: ").find(|part| part.starts_with("slice-t\n")).expect("a torus");
    assert!(torus.contains("dims:\n          x: 1\n          y: 2\n          z: 4\n"), "{torus}");
    assert!(
        torus.contains("- dims:\n              x: 1\n              y: 2\n              z: 2\n"),
        "{torus}"
    );
    let nodes = torus.lines().find_map(|line| line.strip_prefix("        nodes: ")).unwrap();
    // Cube 6 is the lower one. Its hosts are 4 to 7 in the file, and those of cube 1 are 24 to 27.
    assert_eq!(names(nodes), ["n4", "n5", "n6", "n7", "n24", "n25", "n26", "n27"]);
}

#[test]
fn a_pod_has_cubes_and_a_torus_of_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write(place, "pod.fab", &pod(2, "topology = torus 2 x 2 x 4;"));
    let options = ["build", "pod.fab", "-q", "--chips-per-host", "2x2x1", "--host", "n{index:02}"];
    emit_all(place, &options);
    let read = |path: &str| std::fs::read_to_string(place.join(path)).unwrap();
    assert_eq!(
        read("slurm/topology.conf"),
        "SwitchName=cube0 Nodes=n[00-01]\nSwitchName=cube1 Nodes=n[02-03]\nSwitchName=pod-pod Switches=cube[0-1]\n"
    );
    assert!(read("slurm/topology.yaml").contains("nodes: n[00-03]\n        placements:\n          - dims:\n              x: 1\n              y: 1\n              z: 2\n"));
    assert!(read("kueue/labels.sh").starts_with(
        "kubectl label node n00 --overwrite fabc-fabric=pod accelerator.topograph.run/domain=pod-pod accelerator.topograph.run/sub-domain=cube0\n"
    ));
    // Blocks of 1 x 1 x 2 and 2 x 1 x 1 chips in one pod are no torus of hosts.
    let map = "cube0[0,0,0],a\ncube0[0,0,1],a\ncube0[1,0,0],b\ncube0[1,1,0],b\ncube0[0,1,0],c\ncube0[0,1,1],c\n\
               cube0[1,0,1],d\ncube0[1,1,1],d\ncube1,e\n";
    write(place, "hosts.csv", map);
    write(place, "pod.fab", &pod(2, "topology = torus 2 x 2 x 4; hosts = map \"hosts.csv\";"));
    emit_all(place, &["build", "pod.fab", "-q"]);
    assert!(!read("slurm/topology.yaml").contains("torus3d"));
    assert_eq!(read("slurm/topology.conf").lines().next(), Some("SwitchName=cube0 Nodes=a,b,c,d"));
}

/// Hosts of routers and boxes have the names of the file in every format, those of jobs too.
#[test]
fn networks_have_the_hosts_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let head = "clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }";
    let router =
        "router { radix = 16; hosts = 2; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }";
    let map: String =
        (0..6).flat_map(|leaf| [0, 1].map(|host| format!("leaf[{leaf}],r{leaf}-{host}\n"))).collect();
    write(place, "hosts.csv", &map);
    let net = format!(
        "fabric net {{ {head} {router} topology = leaf_spine {{ leaves = 6; spines = 2; }} routing = minimal;
        budget {{ vcs = 4; }} hosts = map \"hosts.csv\"; }}"
    );
    write(place, "net.fab", &net);
    emit_all(place, &["build", "net.fab", "-q", "--out", "out"]);
    let read = |path: &str| std::fs::read_to_string(place.join(path)).unwrap();
    assert!(read("slurm/topology.conf").starts_with("SwitchName=leaf-0 Nodes=r0-[0-1]\n"));
    let conf = switches(&read("slurm/topology.conf"));
    assert_eq!(conf["spine-1"].0.len(), 12);
    let cluster: Value = serde_json::from_str(&read("scheduler.json")).unwrap();
    assert_eq!(cluster["hosts"][3]["chips"], serde_json::json!(["leaf[1]"]));
    assert_eq!(cluster["hosts"][3]["domains"], serde_json::json!(["spine-0", "leaf-1"]));
    fabc(place, &["verify", "out/net"], 0);

    let group: String = (0..18).map(|n| format!("group{}[{}],g{n}\n", n / 2, n % 2)).collect();
    write(place, "hosts.csv", &group);
    let dragonfly = net
        .replace("leaf_spine { leaves = 6; spines = 2; }", "dragonfly { a = 2; h = 4; link = cable; }")
        .replace("hosts = 2", "hosts = 1");
    write(place, "net.fab", &dragonfly);
    emit_all(place, &["build", "net.fab", "-q"]);
    assert!(
        read("slurm/topology.conf")
            .ends_with("SwitchName=group8 Nodes=g[16-17]\nSwitchName=network-net Switches=group[0-8]\n")
    );

    write(place, "hosts.csv", "box1,gpu-b\nbox0,gpu-a\n");
    let boxes = format!(
        "fabric net {{ {head} router leaf {{ radix = 64; latency = 10 cycles; }}
        box h {{ gpus = 4; switch nv {{ latency = 10 cycles; join all over cable; }} nics = 4 over cable; }} boxes = 2 of h;
        topology = leaf_spine {{ leaves = 2; spines = 2; over = cable; tiers = [leaf, leaf]; }} routing = spray;
        hosts = map \"hosts.csv\";
        job train {{ axes {{ data = 8; }} phase sum {{ collective g = all_reduce {{ over = data; size = 1 MiB; }} }} }} }}"
    );
    write(place, "net.fab", &boxes);
    emit_all(place, &["build", "net.fab", "-q", "--emit", "hostfile=jobs/"]);
    assert_eq!(read("jobs/train.hostfile"), "gpu-a\n".repeat(4) + &"gpu-b\n".repeat(4));
    assert!(
        read("slurm/topology.conf")
            .starts_with("SwitchName=leaf-0 Nodes=gpu-a\nSwitchName=leaf-1 Nodes=gpu-b\n")
    );
}

#[test]
fn a_build_keeps_the_file_of_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write(place, "elsewhere.csv", &host_map(2));
    write(place, "pod.fab", &pod(2, "topology = torus 2 x 2 x 4; hosts = map \"elsewhere.csv\";"));
    fabc(place, &["build", "pod.fab", "-q", "--out", "out"], 0);
    let copy = place.join("out/pod/inputs/hosts.csv");
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), host_map(2));
    fabc(place, &["verify", "out/pod"], 0);
    // The normal form can be built again, and everything comes out as it was.
    fabc(place, &["build", "out/pod/spec.fab", "-q", "--out", "again"], 0);
    assert_eq!(files(&place.join("again/pod")), files(&place.join("out/pod")));
    let changed = host_map(2).replace("n7", "n8");
    std::fs::write(&copy, changed).unwrap();
    let (_, errors) = fabc(place, &["verify", "out/pod"], 3);
    assert!(errors.contains("inputs/hosts.csv"), "{errors}");
    // Names change nothing but their copy.
    write(place, "pod.fab", &pod(2, "topology = torus 2 x 2 x 4;"));
    fabc(place, &["build", "pod.fab", "-q", "--out", "plain"], 0);
    let of = |folder: &str| {
        let mut files = files(&place.join(folder));
        ["spec.fab", "manifest.json", "inputs/hosts.csv"]
            .iter()
            .for_each(|name| _ = files.remove(Path::new(name)));
        files
    };
    assert_eq!(of("plain/pod"), of("again/pod"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write(place, "pod.fab", &pod(8, SLICES));
    let (_, error) = fabc(place, &["build", "pod.fab", "--emit", "topology=t.json"], 2);
    insta_error("schedulers_topology_of_slices", &error);
    fabc(place, &["build", "pod.fab", "-q", "--out", "out"], 0);
    let (_, error) = fabc(place, &["place", "out/pod"], 2);
    assert!(error.contains("--out") || error.contains("nothing to do"), "{error}");
    let (_, error) = fabc(place, &["place", "out/pod", "--emit", "kueue"], 2);
    assert!(error.contains("FAB"), "{error}");
    write(place, "hosts.csv", &host_map(2).replace("n7", "Node_7"));
    write(place, "upper.fab", &pod(2, "topology = torus 2 x 2 x 4; hosts = map \"hosts.csv\";"));
    let (_, error) = fabc(place, &["build", "upper.fab", "--emit", "kueue=k"], 3);
    insta_error("schedulers_name_of_a_node", &error);
    assert!(!place.join("k").exists());
    fabc(place, &["build", "upper.fab", "-q", "--emit", "slurm_topology=s"], 0);
    let error = emitted(
        "slurm_topology",
        "fabric net { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }
        router { radix = 8; hosts = 2; vcs = 2; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }
        topology = leaf_spine { leaves = 2; spines = 1; } routing = minimal; }",
    );
    assert!(error.is_ok());
    write(
        place,
        "net.fab",
        "fabric net { clock = 1 GHz; link cable { bandwidth = 100 Gbps; latency = 10 ns; }
        router { radix = 8; hosts = 2; vcs = 2; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }
        topology = leaf_spine { leaves = 2; spines = 1; } routing = minimal; }",
    );
    let (_, error) =
        fabc(place, &["build", "net.fab", "--emit", "slurm_topology=s", "--host", "n{index}"], 3);
    insta_error("schedulers_template_of_many_hosts", &error);
}

fn insta_error(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}
