//! Next hops that are weighted by capacity: weights and loads by hand, faults, files, and the checker.

use super::builds::built;
use fabc::check;
use fabc::compiled::CompiledFabric;
use fabc::emit::{self, EmitError};
use fabc::ids::{Id, NodeId};
use fabc::ir::{Fraction, GroupTables, Scene, surviving_scene};
use fabc::model::Metric;

fn spec(hosts: u32, topology: &str, routing: &str) -> String {
    format!(
        "fabric weighted {{ clock = 1 GHz; link slow {{ bandwidth = 200 Gbps; latency = 30 ns; }}
        link fiber {{ bandwidth = 400 Gbps; latency = 30 ns; }}
        router {{ radix = 64; hosts = {hosts}; vcs = 1; flit = 256 B; buffer = 128 flits; latency = 100 cycles; }}
        budget {{ vcs = 1; faults = 1 link; }} topology = {topology} routing = {routing} }}"
    )
}

fn compiled(hosts: u32, topology: &str, routing: &str) -> CompiledFabric {
    built(&spec(hosts, topology, routing)).0
}

/// The load in pairs of hosts, and the worst permutation.
fn answers(compiled: &CompiledFabric, scenario: usize, hosts: u32) -> [Fraction; 2] {
    let metrics = &compiled.scenarios[scenario].metrics;
    let value = |metric| metrics.value(metric).unwrap();
    [value(Metric::MaxChannelLoad).times(Fraction::integer(hosts * hosts)), value(Metric::Permutation)]
}

fn tables(compiled: &CompiledFabric, scenario: usize) -> &GroupTables {
    &compiled.scenarios[scenario].sprayed.as_ref().unwrap().tables
}

/// Ports and weights of the group of a router for packets to a destination.
fn members(tables: &GroupTables, router: usize, destination: usize) -> Vec<(u16, u64)> {
    tables.members(NodeId::new(router), NodeId::new(destination)).collect()
}

/// Without the cable between aggregation and core, agg[0,0] has one way up and agg[0,1] two. The edges of
/// the pod divide 1 to 2. So 48 pairs of hosts leave the pod 16 by 16. For the other edge of the pod, one
/// cable of a core and one of an edge enter agg[0,0], and two and one enter agg[0,1]: 1/2 to 1/3, so 3 to 2.
/// An edge sends 24 * 2/3 + 4 * 2/5 = 88/5 pairs of hosts to agg[0,1], instead of 24 over the cable of
/// agg[0,0].
#[test]
fn a_fat_tree_without_a_cable_to_the_core() {
    let topology = "fat_tree { k = 4; over = fiber; }";
    let [equal, weighted] =
        ["spray;", "spray { weights = capacity; }"].map(|routing| compiled(2, topology, routing));
    let load = |compiled: &CompiledFabric| -> Vec<Fraction> {
        (0..3).map(|scenario| answers(compiled, scenario, 2)[0]).collect()
    };
    assert_eq!(load(&equal), [14u32, 28, 24].map(Fraction::integer));
    assert_eq!(
        load(&weighted),
        [Fraction::integer(14u32), Fraction::integer(28u32), Fraction::new(88u32, 5u32)]
    );
    assert_eq!(weighted.scenarios[2].scenario.name, "agg[0,0].port2");
    let down = tables(&weighted, 2);
    // From edge[0,0] (0) to edge[1,0] (2) and back, and from agg[2,0] (12), whose cores have 2 and 3 others.
    assert_eq!(members(down, 0, 2), [(0, 1), (1, 2)]);
    assert_eq!(members(down, 2, 0), [(0, 1), (1, 2)]);
    assert_eq!(members(down, 12, 2), [(2, 3), (3, 2)]);
    assert_eq!(members(down, 0, 1), [(0, 3), (1, 2)]);
    // Where nothing is down, nothing is weighted.
    assert!(!tables(&weighted, 0).has_weights() && tables(&weighted, 0) == tables(&equal, 0));
}

/// Three leaves and two spines, without the cable from leaf 0 to spine 0. Spine 0 has one way in from leaf 2
/// to leaf 1, and spine 1 has two: leaf 2 divides 2 to 1.
#[test]
fn leaves_and_spines_without_a_cable() {
    let weighted =
        compiled(1, "leaf_spine { leaves = 3; spines = 2; over = fiber; }", "spray { weights = capacity; }");
    let down = tables(&weighted, 1);
    assert_eq!(members(down, 2, 1), [(0, 2), (1, 1)]);
    assert_eq!((members(down, 0, 1), members(down, 2, 0)), (vec![(1, 1)], vec![(1, 1)]));
    let walk = weighted.scenarios[1].metrics.routed.as_ref().unwrap();
    let load = |router: usize, port: usize| {
        Fraction::new(walk.loads[router * weighted.topology.ports() + port], walk.shares)
    };
    // To leaf 1 two thirds, and to leaf 1 one third with all to leaf 0.
    assert_eq!([load(2, 0), load(2, 1)], [Fraction::new(2u8, 3u8), Fraction::new(4u8, 3u8)]);
    // Spine 1 to leaf 1: all of leaf 0, a third of leaf 2.
    assert_eq!(load(4, 1), Fraction::new(4u8, 3u8));
    assert_eq!(answers(&weighted, 1, 1), [Fraction::integer(2u8), Fraction::integer(1u8)]);
}

/// Parallel cables, oversubscription and unequal cables: the checker accepts the weights in every fault. In
/// two of these networks no fault loads a channel more than with equal parts. In others it may, since weights
/// count cables, not traffic.
#[test]
fn weights_of_other_networks_are_proved() {
    for (hosts, topology, is_no_worse) in [
        (2, "leaf_spine { leaves = 4; spines = 3; parallel = 2; over = fiber; }", true),
        (4, "clos { down = 3 x 2; up = 2 x 3; parallel = 1 x 2; over = fiber; }", false),
        (1, "clos { down = 4 x 2; up = 3 x 2; over = [slow, fiber]; }", false),
        (3, "fat_tree { k = 6; over = fiber; }", true),
    ] {
        let [equal, weighted] =
            ["ecmp;", "ecmp { weights = capacity; }"].map(|routing| compiled(hosts, topology, routing));
        for scenario in 0..equal.scenarios.len() {
            let [before, after] = [&equal, &weighted].map(|compiled| answers(compiled, scenario, hosts)[0]);
            let name = &equal.scenarios[scenario].scenario.name;
            assert!(!is_no_worse || after <= before, "{topology}, {name}: {after:?} instead of {before:?}");
        }
    }
}

#[test]
fn other_weights_are_convicted() {
    let weighted = compiled(2, "fat_tree { k = 4; over = fiber; }", "spray { weights = capacity; }");
    let equal = compiled(2, "fat_tree { k = 4; over = fiber; }", "spray;");
    let scenario = &weighted.scenarios[2];
    let scene = surviving_scene(&scenario.scenario.fault, &weighted.topology, None);
    let good = tables(&weighted, 2);
    let refused = |compiled: &CompiledFabric, scene: &Scene<'_>, tables: &GroupTables| {
        check::judge_groups(&compiled.fabric, scene, tables).unwrap_err().to_string()
    };
    let group = good.weights.iter().position(|weights| weights == &[1, 2]).unwrap();
    let changed = |weights: &[u32]| {
        let mut tables = good.clone();
        tables.weights[group] = weights.to_vec();
        refused(&weighted, &scene, &tables)
    };
    let not_in_proportion = "agg[0,0].port2: table of edge[1,0]: the weights of its next hops to edge[0,0] are not in proportion to what they can carry";
    assert_eq!(changed(&[2, 1]), not_in_proportion);
    assert_eq!(changed(&[1, 3]), not_in_proportion);
    // Twice the weights are in proportion, but have a common divisor.
    assert_eq!(changed(&[2, 4]), not_in_proportion);
    let misshapen = "agg[0,0].port2: a group is listed twice, no router uses it, or its weights are not one positive number per port";
    assert_eq!(changed(&[0, 1]), misshapen);
    assert_eq!(changed(&[1, 2, 3]), misshapen);
    // Equal weights of the same ports are another group already.
    assert_eq!(changed(&[]), misshapen);
    assert_eq!(
        refused(&equal, &scene, good),
        "agg[0,0].port2: table of edge[0,0]: the weights of its next hops to edge[0,1] must be equal, as the spec has no `weights = capacity`"
    );
}

#[test]
fn formats_carry_weights_or_refuse_them() {
    // Leaf b has no cable to spine y, so leaf a has two thirds of its packets to c over x.
    let spec = spec(2, "graph \"net.graphml\" { default = fiber; }", "spray { weights = capacity; }")
        .replace("faults = 1 link;", "");
    let node = |name: &str, hosts: u32| format!("<node id=\"{name}\"><data key=\"h\">{hosts}</data></node>");
    let edge = |ends: &str| format!("<edge source=\"{}\" target=\"{}\"/>", &ends[..1], &ends[1..]);
    let nodes: String = "abc".chars().map(|leaf| node(&leaf.to_string(), 2)).collect::<String>()
        + &node("x", 0)
        + &node("y", 0);
    let edges: String = ["ax", "bx", "cx", "ay", "cy"].map(edge).concat();
    let graph = format!(
        "<graphml><key id=\"h\" for=\"node\" attr.name=\"hosts\" attr.type=\"int\"/><graph edgedefault=\"undirected\">{nodes}{edges}</graph></graphml>"
    );
    let read = |path: &str| Ok(if path == "net.fab" { spec.clone() } else { graph.clone() });
    let (fabric, ..) =
        fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|error| panic!("{:?}", error.0));
    let compiled =
        fabc::compile::compile(fabric, fabc::compile::Stage::Emit, &fabc::progress::Silent).unwrap();
    // b enters x as well, so x has half of its capacity for a, and y all of it.
    assert_eq!(members(tables(&compiled, 0), 0, 2), [(0, 1), (1, 2)]);
    let emitted = |name: &str| -> Result<std::collections::BTreeMap<String, Vec<u8>>, EmitError> {
        let format = emit::FORMATS.iter().find(|format| format.name == name).expect("a format");
        let mut files = std::collections::BTreeMap::new();
        emit::each_chunk::<EmitError>(format, &compiled, &mut |path, bytes| {
            files.entry(path.to_owned()).or_insert_with(Vec::new).extend(bytes);
            Ok(())
        })?;
        Ok(files)
    };
    let files = emitted("routes").unwrap();
    let routes = String::from_utf8(files["a/routes.batch"].clone()).unwrap();
    assert!(
        routes.contains(" dev p0 weight 1 nexthop via ") && routes.contains(" dev p1 weight 2\n"),
        "{routes}"
    );
    let parsed = check::StaticRoutes::read(&compiled.fabric, &compiled.topology, &files).unwrap();
    assert_eq!(parsed.check_groups(&compiled.topology, tables(&compiled, 0)).unwrap(), 11);
    let mut other = files.clone();
    other.insert("a/routes.batch".to_owned(), routes.replace("p1 weight 2", "p1 weight 3").into_bytes());
    let parsed = check::StaticRoutes::read(&compiled.fabric, &compiled.topology, &other).unwrap();
    assert_eq!(
        parsed.check_groups(&compiled.topology, tables(&compiled, 0)).unwrap_err().to_string(),
        "a/routes.batch: the next hops to c are p0, p1 with weights 1, 3, but the group in the tables is p0, p1 with weights 1, 2"
    );
    other.insert("a/routes.batch".to_owned(), routes.replace("p1 weight 2", "p1 weight 257").into_bytes());
    let refused =
        check::StaticRoutes::read(&compiled.fabric, &compiled.topology, &other).map(|_| ()).unwrap_err();
    assert_eq!(refused.to_string(), "a/routes.batch: line 6: `257` is no weight of 1 to 256");
    assert_eq!(
        emitted("frr").unwrap_err().to_string(),
        "`frr` cannot configure this network: BGP divides packets equally among its next hops, and no line of `frr.conf` carries the weights of `weights = capacity`: `--emit routes` writes them"
    );
}
