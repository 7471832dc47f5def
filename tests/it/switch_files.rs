//! Configurations of switches: what stands in them, and that a damaged one is convicted. Real routing daemons
//! read them in `tests/frr/run`.

mod boxes;
mod sonic;

use crate::networks::builds::built;
use crate::support::plain::fabc;
use fabc::check::{BgpNetwork, CheckError, StaticRoutes};
use fabc::compiled::CompiledFabric;
use fabc::emit::{self, EmitError};
use fabc::ir::surviving_scene;
use std::collections::BTreeMap;

type SwitchFiles = BTreeMap<String, Vec<u8>>;

/// A network with this budget, hosts, topology and further items.
fn compiled(hosts: u32, faults: &str, topology: &str, items: &str) -> CompiledFabric {
    built(&spec(hosts, faults, topology, items)).0
}

fn spec(hosts: u32, faults: &str, topology: &str, items: &str) -> String {
    format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 64; hosts = {hosts}; vcs = 1; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ vcs = 1; faults = {faults}; }} topology = {topology} routing = spray; {items} }}"
    )
}

fn emitted(name: &str, compiled: &CompiledFabric) -> Result<SwitchFiles, EmitError> {
    let format = emit::FORMATS.iter().find(|format| format.name == name).expect("a format");
    let mut files = SwitchFiles::new();
    emit::each_chunk::<EmitError>(format, compiled, &mut |path, bytes| {
        files.entry(path.to_owned()).or_default().extend(bytes);
        Ok(())
    })?;
    Ok(files)
}

/// The number of routes that BGP finds in each scenario.
fn bgp_routes(compiled: &CompiledFabric, files: &SwitchFiles) -> Result<Vec<u64>, CheckError> {
    let network = BgpNetwork::read_frr(&compiled.fabric, &compiled.topology, files)?;
    let routes = compiled.scenarios.iter().map(|scenario| {
        let scene = surviving_scene(&scenario.scenario.fault, &compiled.topology, None);
        network.check_groups(&scene, &scenario.sprayed.as_ref().expect("group tables").tables)
    });
    routes.collect()
}

fn static_routes(compiled: &CompiledFabric, files: &SwitchFiles) -> Result<u64, CheckError> {
    let tables = &compiled.scenarios[0].sprayed.as_ref().expect("group tables").tables;
    StaticRoutes::read(&compiled.fabric, &compiled.topology, files)?.check_groups(&compiled.topology, tables)
}

/// The files with one text of one file replaced.
fn changed(files: &SwitchFiles, path: &str, old: &str, new: &str) -> SwitchFiles {
    let mut files = files.clone();
    let bytes = files.get_mut(path).unwrap_or_else(|| panic!("there is no {path}"));
    let text = String::from_utf8(bytes.clone()).expect("text");
    assert_eq!(text.matches(old).count(), 1, "{path} has not one `{old}`:\n{text}");
    *bytes = text.replace(old, new).into_bytes();
    files
}

fn text<'f>(files: &'f SwitchFiles, path: &str) -> &'f str {
    std::str::from_utf8(&files[path]).expect("text")
}

/// The configuration of the second of three leaves, with two cables to each of two spines.
const LEAF_1: &str = "\
frr defaults datacenter
hostname leaf-1
no zebra nexthop kernel enable
!
interface lo
 ip address 10.255.0.1/32
exit
!
interface p0
 ip address 172.16.0.8/31
exit
!
interface p1
 ip address 172.16.0.10/31
exit
!
interface p2
 ip address 172.16.0.12/31
exit
!
interface p3
 ip address 172.16.0.14/31
exit
!
interface hosts
 ip address 10.0.0.9/29
exit
!
router bgp 64513
 bgp router-id 10.255.0.1
 bgp bestpath as-path multipath-relax
 no bgp ebgp-requires-policy
 timers bgp 3 9
 neighbor fabric peer-group
 neighbor fabric remote-as external
 neighbor fabric advertisement-interval 0
 neighbor 172.16.0.9 peer-group fabric
 neighbor 172.16.0.9 description spine-0:p2
 neighbor 172.16.0.11 peer-group fabric
 neighbor 172.16.0.11 description spine-0:p3
 neighbor 172.16.0.13 peer-group fabric
 neighbor 172.16.0.13 description spine-1:p2
 neighbor 172.16.0.15 peer-group fabric
 neighbor 172.16.0.15 description spine-1:p3
 !
 address-family ipv4 unicast
  network 10.0.0.8/29
  maximum-paths 4
 exit-address-family
exit
!
";

#[test]
fn a_leaf_and_a_spine_are_configured() {
    let compiled = compiled(4, "0", "leaf_spine { leaves = 3; spines = 2; parallel = 2; }", "");
    let files = emitted("frr", &compiled).expect("groups");
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["leaf-0/frr.conf", "leaf-1/frr.conf", "leaf-2/frr.conf", "spine-0/frr.conf", "spine-1/frr.conf"]
    );
    assert_eq!(text(&files, "leaf-1/frr.conf"), LEAF_1);
    let spine = text(&files, "spine-1/frr.conf");
    assert!(spine.contains("interface p0\n ip address 172.16.0.5/31\n"), "{spine}");
    assert!(spine.contains("router bgp 64515\n") && !spine.contains("network 10."), "{spine}");
    assert_eq!(
        text(&emitted("routes", &compiled).expect("groups"), "spine-0/routes.batch"),
        "\
address replace 10.255.0.3/32 dev lo
address replace 172.16.0.1/31 dev p0
address replace 172.16.0.3/31 dev p1
address replace 172.16.0.9/31 dev p2
address replace 172.16.0.11/31 dev p3
address replace 172.16.0.17/31 dev p4
address replace 172.16.0.19/31 dev p5
route replace 10.0.0.0/29 proto static nexthop via 172.16.0.0 dev p0 weight 1 nexthop via 172.16.0.2 dev p1 weight 1
route replace 10.0.0.8/29 proto static nexthop via 172.16.0.8 dev p2 weight 1 nexthop via 172.16.0.10 dev p3 weight 1
route replace 10.0.0.16/29 proto static nexthop via 172.16.0.16 dev p4 weight 1 nexthop via 172.16.0.18 dev p5 weight 1
"
    );
}

#[test]
fn declared_addresses_are_those_of_the_files() {
    let items = "addresses { loopbacks = 192.168.0.0/24; links = unnumbered; hosts = 10.8.0.0/16; }";
    let compiled = compiled(5, "1 link", "leaf_spine { leaves = 2; spines = 2; }", items);
    let files = emitted("frr", &compiled).expect("groups");
    let leaf = text(&files, "leaf-1/frr.conf");
    assert!(leaf.contains("interface hosts\n ip address 10.8.0.9/29\n"), "{leaf}");
    assert!(leaf.contains(" bgp router-id 192.168.0.1\n") && !leaf.contains("interface p0"), "{leaf}");
    assert!(
        leaf.contains(" neighbor p1 interface peer-group fabric\n neighbor p1 description spine-1:p1\n"),
        "{leaf}"
    );
    assert_eq!(bgp_routes(&compiled, &files).expect("the groups"), [6, 5]);
    assert_eq!(
        emitted("routes", &compiled).expect_err("no next hops").to_string(),
        "`routes` cannot configure this network: a static route names the address of the next hop, and `links = unnumbered` has none"
    );
}

/// The numbers of routes were counted by hand: every switch to every other leaf. A dark link takes one route
/// from each switch above it that has no other way down.
#[test]
fn bgp_finds_every_group() {
    let cases: [(u32, &str, &[u64]); 6] = [
        (4, "leaf_spine { leaves = 4; spines = 2; }", &[20, 19]),
        (2, "leaf_spine { leaves = 4; spines = 2; parallel = 2; }", &[20, 20]),
        (2, "fat_tree { k = 4; }", &[152, 146, 150]),
        (4, "fat_tree { k = 8; }", &[2528, 2516, 2524]),
        (2, "fat_tree { k = 4; levels = 4; }", &[880, 860, 868, 876]),
        (2, "clos { down = 3 x 2; up = 2 x 1; parallel = 1 x 2; }", &[66, 63, 66]),
    ];
    for (hosts, topology, counts) in cases {
        let compiled = compiled(hosts, "1 link", topology, "");
        let files = emitted("frr", &compiled).expect("groups");
        assert_eq!(bgp_routes(&compiled, &files).expect("the groups"), counts, "{topology}");
        let routes = emitted("routes", &compiled).expect("groups");
        assert_eq!(static_routes(&compiled, &routes).expect("the groups"), counts[0], "{topology}");
    }
}

/// A dead switch takes its routes and, as a leaf, those of all others to it.
#[test]
fn bgp_finds_every_group_around_a_dead_switch() {
    let compiled = compiled(4, "1 router", "leaf_spine { leaves = 4; spines = 2; }", "");
    let files = emitted("frr", &compiled).expect("groups");
    assert_eq!(bgp_routes(&compiled, &files).expect("the groups"), [20, 5 * 3 - 3, 5 * 4 - 4]);
}

/// A changed text of one file of four leaves and two spines, and the conviction.
const DAMAGED: &[([&str; 3], &str)] = &[
    // One leaf takes the number of another one: each refuses the path of the other.
    (
        ["leaf-1/frr.conf", "router bgp 64513", "router bgp 64512"],
        "leaf-1/frr.conf: in other faults it stands for leaf-2, but the two do not share AS numbers with others alike, or their maximum-paths differ",
    ),
    // Two spines with numbers of their own: in the healthy network nobody sees it.
    (
        ["spine-1/frr.conf", "router bgp 64516", "router bgp 64600"],
        "spine-0/frr.conf: leaf[0].port0: BGP has the next hops p1, p2, p3 to leaf-0, but the group in the tables is none",
    ),
    (
        ["leaf-2/frr.conf", "router bgp 64514", "router bgp 64516"],
        "leaf-2/frr.conf: its neighbor spine-0 has the AS number 64516 as well",
    ),
    (
        ["leaf-2/frr.conf", " neighbor 172.16.0.9 peer-group fabric\n", ""],
        "leaf-2/frr.conf: there is no neighbor spine-0 at p0",
    ),
    (
        [
            "leaf-2/frr.conf",
            "neighbor 172.16.0.9 description spine-0:p2",
            "neighbor 172.16.0.9 description spine-0:p1",
        ],
        "leaf-2/frr.conf: the neighbor at p0 is spine-0:p2, but its description differs",
    ),
    (
        ["leaf-2/frr.conf", " timers bgp 3 9\n", " timers bgp 3 9\n neighbor 172.16.9.9 peer-group fabric\n"],
        "leaf-2/frr.conf: no link leads to the neighbor 172.16.9.9",
    ),
    (
        ["leaf-3/frr.conf", "  network 10.0.0.24/29\n", ""],
        "leaf-3/frr.conf: it must announce 10.0.0.24/29, and nothing else",
    ),
    (
        ["leaf-3/frr.conf", "network 10.0.0.24/29", "network 10.0.0.16/29"],
        "leaf-3/frr.conf: it must announce 10.0.0.24/29, and nothing else",
    ),
    (
        ["spine-0/frr.conf", "  maximum-paths 2\n", "  network 10.0.0.0/29\n  maximum-paths 2\n"],
        "spine-0/frr.conf: it announces a prefix, but it has no hosts",
    ),
    (
        ["leaf-0/frr.conf", " bgp bestpath as-path multipath-relax\n", ""],
        "leaf-0/frr.conf: there is no `bgp bestpath as-path multipath-relax`",
    ),
    (
        ["leaf-0/frr.conf", "no zebra nexthop kernel enable\n", ""],
        "leaf-0/frr.conf: there is no `no zebra nexthop kernel enable`",
    ),
    (
        ["leaf-0/frr.conf", " timers bgp 3 9\n", " timers bgp 3 9\n bgp bestpath as-path ignore\n"],
        "leaf-0/frr.conf: line 26: `bgp bestpath as-path ignore` is no statement that the check knows, or a second one",
    ),
    (
        ["leaf-0/frr.conf", "hostname leaf-0", "hostname leaf-1"],
        "leaf-0/frr.conf: the hostname is not `leaf-0`",
    ),
    (
        ["leaf-0/frr.conf", "router-id 10.255.0.0", "router-id 10.255.0.1"],
        "leaf-0/frr.conf: the router-id is not 10.255.0.0",
    ),
    (
        ["leaf-0/frr.conf", "172.16.0.0/31", "172.16.0.4/31"],
        "leaf-0/frr.conf: the address of `p0` is not 172.16.0.0 or 172.16.0.1",
    ),
    (
        ["leaf-0/frr.conf", "10.0.0.1/29", "10.0.0.9/29"],
        "leaf-0/frr.conf: the address of `hosts` is not 10.0.0.1/29",
    ),
];

#[test]
fn damaged_configurations_are_convicted() {
    let compiled = compiled(4, "1 link", "leaf_spine { leaves = 4; spines = 2; }", "");
    let files = emitted("frr", &compiled).expect("groups");
    for &([path, old, new], conviction) in DAMAGED {
        let error = bgp_routes(&compiled, &changed(&files, path, old, new)).expect_err(conviction);
        assert_eq!(error.to_string(), conviction);
    }
    let mut missing = files.clone();
    missing.remove("spine-1/frr.conf");
    let error = bgp_routes(&compiled, &missing).expect_err("a switch without a file");
    assert_eq!(error.to_string(), "spine-1/frr.conf: the file is missing");
    let mut extra = files;
    extra.insert("leaf-9/frr.conf".to_owned(), Vec::new());
    let error = bgp_routes(&compiled, &extra).expect_err("a file without a switch");
    assert_eq!(error.to_string(), "leaf-9/frr.conf: no switch of the network has this name");
}

/// Without tolerated faults nothing stands for others, so AS numbers alone decide.
#[test]
fn paths_that_loop_are_convicted() {
    let compiled = compiled(4, "0", "leaf_spine { leaves = 4; spines = 2; }", "");
    let files = emitted("frr", &compiled).expect("groups");
    let same_number = changed(&files, "leaf-1/frr.conf", "router bgp 64513", "router bgp 64512");
    let error = bgp_routes(&compiled, &same_number).expect_err("two leaves of one number");
    assert_eq!(
        error.to_string(),
        "leaf-1/frr.conf: nominal: BGP has the next hops none to leaf-0, but the group in the tables is p0, p1"
    );
    let few = changed(&files, "leaf-1/frr.conf", "maximum-paths 2", "maximum-paths 1");
    let error = bgp_routes(&compiled, &few).expect_err("one path of two");
    assert_eq!(
        error.to_string(),
        "leaf-1/frr.conf: nominal: maximum-paths is 1, but the group to leaf-0 has 2 ports"
    );
    // A spine with a number of its own changes nothing while all links are up.
    let valley = changed(&files, "spine-1/frr.conf", "router bgp 64516", "router bgp 64600");
    assert_eq!(bgp_routes(&compiled, &valley).expect("the groups"), [20]);
}

#[test]
fn damaged_static_routes_are_convicted() {
    let compiled = compiled(4, "0", "leaf_spine { leaves = 4; spines = 2; }", "");
    let files = emitted("routes", &compiled).expect("groups");
    let path = "leaf-1/routes.batch";
    let route = "route replace 10.0.0.0/29 proto static nexthop via 172.16.0.5 dev p0 weight 1 nexthop via 172.16.0.7 dev p1 weight 1\n";
    let cases = [
        (
            [path, route, "route replace 10.0.0.0/29 proto static nexthop via 172.16.0.7 dev p1 weight 1\n"],
            "leaf-1/routes.batch: the next hops to leaf-0 are p1, but the group in the tables is p0, p1",
        ),
        (
            [path, route, ""],
            "leaf-1/routes.batch: the next hops to leaf-0 are none, but the group in the tables is p0, p1",
        ),
        (
            [
                path,
                "10.0.0.0/29 proto static nexthop via 172.16.0.5",
                "10.0.0.0/29 proto static nexthop via 172.16.0.6",
            ],
            "leaf-1/routes.batch: line 5: no neighbor, or one twice: 172.16.0.6 at p0",
        ),
        (
            [
                path,
                "10.0.0.0/29 proto static nexthop via 172.16.0.5 dev p0 weight 1",
                "10.0.0.0/29 proto static nexthop via 172.16.0.5 dev p0 weight 2",
            ],
            "leaf-1/routes.batch: the next hops to leaf-0 are p0, p1 with weights 2, 1, but the group in the tables is p0, p1",
        ),
        (
            [path, "route replace 10.0.0.0/29", "route replace 10.0.0.0/28"],
            "leaf-1/routes.batch: line 5: no leaf has this prefix",
        ),
        (
            [path, "route replace 10.0.0.0/29", "route replace 10.0.0.16/29"],
            "leaf-1/routes.batch: line 6: a second route to one leaf",
        ),
        (
            [path, "address replace 172.16.0.4/31", "address replace 172.16.0.5/31"],
            "leaf-1/routes.batch: `p0` has the address of the other end, spine-0 p1",
        ),
        (
            [path, "address replace 10.255.0.1/32", "address replace 10.255.0.2/32"],
            "leaf-1/routes.batch: the address of `lo` is not 10.255.0.1/32",
        ),
        (
            [path, "address replace 10.0.0.9/29 dev hosts\n", ""],
            "leaf-1/routes.batch: the address of `hosts` is not 10.0.0.9/29",
        ),
        (
            [
                path,
                "address replace 10.0.0.9/29 dev hosts\n",
                "address replace 10.0.0.9/29 dev hosts\nlink set p0 down\n",
            ],
            "leaf-1/routes.batch: line 5: no line that the check knows",
        ),
    ];
    assert_eq!(static_routes(&compiled, &files).expect("the groups"), 20);
    for ([path, old, new], conviction) in cases {
        let error = static_routes(&compiled, &changed(&files, path, old, new)).expect_err(conviction);
        assert_eq!(error.to_string(), conviction);
    }
}

/// The text of a GraphML file. `hosts` has the hosts of every router, by name.
fn graphml(hosts: &[(String, u32)], edges: &[[String; 2]]) -> String {
    let mut text = "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <key id=\"h\" for=\"node\" attr.name=\"hosts\" attr.type=\"int\"/>\n<graph edgedefault=\"undirected\">\n"
        .to_owned();
    for (name, hosts) in hosts {
        text += &format!("<node id=\"{name}\"><data key=\"h\">{hosts}</data></node>\n");
    }
    for [from, to] in edges {
        text += &format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    }
    text + "</graph>\n</graphml>\n"
}

/// Two pods of two leaves and two switches above, with two switches on top. `joins` says which of the upper
/// switches of a pod a top switch joins, by their numbers.
fn two_pods(joins: impl Fn(u32, u32) -> bool) -> String {
    let (mut hosts, mut edges) = (Vec::new(), Vec::new());
    for pod in 0..2 {
        hosts.extend((0..2).map(|leaf| (format!("leaf{pod}.{leaf}"), 2)));
        for upper in 0..2 {
            hosts.push((format!("upper{pod}.{upper}"), 0));
            edges.extend((0..2).map(|leaf| [format!("leaf{pod}.{leaf}"), format!("upper{pod}.{upper}")]));
            let tops = (0..2).filter(|&top| joins(upper, top));
            edges.extend(tops.map(|top| [format!("upper{pod}.{upper}"), format!("top{top}")]));
        }
    }
    hosts.extend((0..2).map(|top| (format!("top{top}"), 0)));
    graphml(&hosts, &edges)
}

#[test]
fn a_file_is_configured_where_blocks_join_below_only() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    let graph = "graph \"net.graphml\" { default = cable; }";
    write("net.fab", &spec(2, "1 link", graph, ""));
    write("calm.fab", &spec(2, "0", graph, ""));
    write("net.graphml", &two_pods(|upper, top| upper == top));
    fabc(place.path(), &["build", "net.fab", "--emit", "frr=files/,routes=files/"], 0);
    let (out, _) = fabc(place.path(), &["build", "net.fab", "--out", "built"], 0);
    assert!(out.contains("12 links"), "{out}");
    // 10 switches to 4 leaves. A dark link to a leaf takes the route of the upper switch there, of the top
    // one above it and of the upper one in the other pod. A dark link above takes two routes from each.
    let (out, _) = fabc(place.path(), &["verify", "built/net", "--frr", "files", "--routes", "files"], 0);
    let routes = 36 + 8 * (36 - 3) + 4 * (36 - 6);
    assert_eq!(
        out,
        format!(
            "verified files: BGP on 10 switches finds the group of each of {routes} routes, in 13 scenarios of built/net\n\
             verified files: 36 static routes on 10 switches are the groups of built/net\n"
        )
    );
    let conf = place.path().join("files/upper1-0/frr.conf");
    let text = std::fs::read_to_string(&conf).unwrap();
    std::fs::write(&conf, text.replace("router bgp 64517", "router bgp 64600")).unwrap();
    let (_, err) = fabc(place.path(), &["verify", "built/net", "--frr", "files"], 3);
    assert!(err.contains("FAB0432") && err.contains("leaf1.0.port0"), "{err}");

    // Each top switch joins all: over the top, one upper switch of a pod reaches the other one.
    write("net.graphml", &two_pods(|_, _| true));
    fabc(place.path(), &["build", "calm.fab", "--emit", "frr=calm/"], 0);
    let (_, err) = fabc(place.path(), &["build", "net.fab", "--emit", "frr=refused/"], 3);
    let err = err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    let refused = "FAB0538 × BGP does not find the groups of this network: upper";
    assert!(err.contains(refused) && err.contains("in the tables is"), "{err}");
}

#[test]
fn formats_of_groups_need_groups() {
    let place = tempfile::tempdir().unwrap();
    let text = spec(2, "0", "leaf_spine { leaves = 2; spines = 2; }", "");
    std::fs::write(place.path().join("net.fab"), text.replace("spray", "minimal")).unwrap();
    for format in ["frr", "routes"] {
        let (_, err) = fabc(place.path(), &["check", "net.fab", "--emit", format], 3);
        let expected = format!("`{format}` has next-hop groups, but `routing = minimal` has none");
        assert!(err.contains("FAB0538") && err.contains(&expected), "{err}");
    }
    fabc(place.path(), &["build", "net.fab", "--out", "built"], 0);
    let (_, err) = fabc(place.path(), &["verify", "built/net", "--frr", "built"], 3);
    assert!(err.contains("FAB0432") && err.contains("`routing = minimal` has no next-hop groups"), "{err}");
}
