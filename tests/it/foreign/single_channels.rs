//! Networks of single channels, in the formats of fabc.

use super::{convicted, judge, unreadable};
use serde_json::{Value, json};

/// A router and a port of it.
type PortOf = (u32, u16);

/// A network of so many routers with these hosts, and links of single channels from port to port.
fn arcs(hosts: &[u16], ports: u16, links: &[(PortOf, PortOf)]) -> Value {
    let nodes: Vec<Value> = hosts
        .iter()
        .enumerate()
        .map(|(id, hosts)| json!({"id": id, "name": format!("r{id}"), "hosts": hosts}))
        .collect();
    let link = |&(a, b)| json!({"a": a, "b": b, "simplex": true});
    let links: Vec<Value> = links.iter().map(link).collect();
    json!({"format": "fabc.topology/2", "ports": ports, "nodes": nodes, "links": links})
}

/// A ring in one direction.
fn ring_of_arcs(routers: u32) -> String {
    let links: Vec<_> = (0..routers).map(|router| ((router, 0), ((router + 1) % routers, 0))).collect();
    arcs(&vec![1; routers as usize], 1, &links).to_string()
}

/// Tables by destination: entries without or with virtual channels.
fn by_destination(vcs: u8, hop: bool, routers: &[(u32, Vec<Vec<i64>>)]) -> String {
    let lines: Vec<Value> =
        routers.iter().map(|(node, entries)| json!({"node": node, "entries": entries})).collect();
    let mut file = json!({"format": "fabc.tables/1", "vcs": vcs, "key": ["dst"], "routers": lines});
    if hop {
        file["vc"] = "hop".into();
    }
    file.to_string()
}

/// Everybody sends everything by port 0.
fn onwards(routers: u32, vcs: u8, hop: bool) -> String {
    let entry = |dst: u32| if hop { vec![i64::from(dst), 0] } else { vec![i64::from(dst), 0, 0] };
    let router = |node: u32| (node, (0..routers).filter(|&dst| dst != node).map(entry).collect());
    by_destination(vcs, hop, &(0..routers).map(router).collect::<Vec<_>>())
}

#[test]
fn a_ring_of_single_channels_by_hops_and_without() {
    let judged = judge(onwards(5, 4, true), ring_of_arcs(5)).unwrap();
    assert_eq!(
        (judged.channels, judged.pairs, judged.hops, judged.longest, judged.max_channel_load),
        (5, 20, 50, 4, 10)
    );
    assert_eq!(judged.vc_hops, [20, 15, 10, 5]);
    assert_eq!(judged.busiest, "r0.port0 -> r1");
    // On one virtual channel the same routes can wait on each other in a cycle.
    let (code, message) = convicted(onwards(5, 1, false), ring_of_arcs(5));
    assert_eq!(code, "FAB0413");
    assert!(
        message.contains("5 channels") && message.contains("r0.port0 -> r1, held by packets from r"),
        "{message}"
    );
    // With fewer virtual channels than hops the last ones cannot be made.
    let (code, message) = convicted(onwards(5, 3, true), ring_of_arcs(5));
    assert_eq!(code, "FAB0417");
    assert_eq!(
        message,
        "t.lft: 5 of 20 ordered pairs do not arrive; from r1 to r0:\n  r1 -> r2 -> r3 -> r4\n  at r4: they have made as many hops as \
         there are virtual channels to count them"
    );
}

/// Four routers in a ring of single channels. Those from 1 to 2 and from 3 to 0 cross between two pairs.
#[test]
fn a_ring_by_what_it_crosses() {
    let mut ring: Value = serde_json::from_str(&ring_of_arcs(4)).unwrap();
    let class = |ring: &mut Value, link: usize, class: &str| ring["links"][link]["class"] = class.into();
    (0..4).for_each(|link| class(&mut ring, link, if link % 2 == 1 { "global" } else { "local" }));
    let tables = |vcs| onwards(4, vcs, true).replace("hop", "global");
    // From 0 and 2 on VC 0 twice, then on VC 1. From 1 and 3 once, then on VC 1 twice.
    let judged = judge(tables(2), ring.to_string()).unwrap();
    assert_eq!((judged.pairs, judged.hops), (12, 24));
    assert_eq!(judged.vc_hops, [2 * (1 + 2 + 2) + 2 * 3, 2 + 2 * (1 + 2)]);
    // Where all cross, every hop counts.
    (0..4).for_each(|link| class(&mut ring, link, "global"));
    assert_eq!(judge(tables(3), ring.to_string()).unwrap().vc_hops, [12, 8, 4]);
    let (code, message) = convicted(tables(2), ring.to_string());
    assert_eq!(code, "FAB0417");
    assert!(
        message
            .contains("they have crossed as many global links as there are virtual channels to count them"),
        "{message}"
    );
    // None at all: a cycle on VC 0.
    (0..4).for_each(|link| class(&mut ring, link, "local"));
    assert_eq!(convicted(tables(3), ring.to_string()).0, "FAB0413");
    unreadable(tables(3), ring_of_arcs(4), "need a topology whose links all have a `class`");
}

#[test]
fn only_routers_with_hosts_send_and_their_hosts_weigh() {
    // Two leaves with 4 and 2 hosts, one with 6, behind a hub that only forwards.
    let hub: Vec<_> = (1..4)
        .flat_map(|leaf| [((0, leaf as u16 - 1), (leaf, 0)), ((leaf, 0), (0, leaf as u16 - 1))])
        .collect();
    let topology = arcs(&[0, 4, 2, 6], 3, &hub).to_string();
    let leaf = |node: i64| (node as u32, (1..4).filter(|&dst| dst != node).map(|dst| vec![dst, 0]).collect());
    let tables = |hub: Vec<Vec<i64>>| by_destination(2, true, &[(0, hub), leaf(1), leaf(2), leaf(3)]);
    let good = tables(vec![vec![1, 0], vec![2, 1], vec![3, 2]]);
    let judged = judge(&good, &topology).unwrap();
    assert_eq!((judged.endpoints, judged.pairs, judged.hops, judged.longest), (3, 6, 12, 2));
    // To the third leaf: 3 x (2 + 1).
    assert_eq!(judged.max_channel_load, 9);
    let (code, message) = convicted(tables(vec![vec![1, 0], vec![3, 2]]), &topology);
    assert_eq!(code, "FAB0417");
    assert!(message.contains("2 of 6") && message.contains("at r0: it has no entry for them"), "{message}");
    let (code, message) = convicted(tables(vec![vec![1, 0], vec![2, 0], vec![3, 2]]), &topology);
    assert_eq!(code, "FAB0417");
    assert!(
        message.contains("2 of 6")
            && message.contains("r1 -> r0 -> r1\n  at r1: they have made as many hops"),
        "{message}"
    );
    unreadable(&good, arcs(&[0; 4], 3, &hub).to_string(), "no router has hosts");
}

#[test]
fn ports_count_to_a_thousand() {
    let leaves = 1000_u32;
    let links: Vec<Value> = (1..=leaves).map(|leaf| json!({"a": [0, leaf - 1], "b": [leaf, 0]})).collect();
    let nodes: Vec<Value> = (0..=leaves)
        .map(|id| json!({"id": id, "hosts": u8::from([1, 256, 257, 1000].contains(&id))}))
        .collect();
    let topology =
        json!({"format": "fabc.topology/2", "ports": leaves, "nodes": nodes, "links": links}).to_string();
    // From each of the four leaves with hosts. Ports 255 and 256 must not fold to others.
    let hub = (0, [1, 256, 257, 1000].map(|leaf| vec![leaf, leaf - 1]).to_vec());
    let others = (1..=leaves).map(|leaf| {
        (
            leaf,
            [1, 256, 257, 1000]
                .into_iter()
                .filter(|dst| *dst != i64::from(leaf))
                .map(|dst| vec![dst, 0])
                .collect(),
        )
    });
    let tables = by_destination(2, true, &std::iter::once(hub).chain(others).collect::<Vec<_>>());
    let judged = judge(tables, &topology).unwrap();
    assert_eq!(
        (judged.endpoints, judged.channels, judged.pairs, judged.hops, judged.max_channel_load),
        (4, 2000, 12, 24, 3)
    );
}

#[test]
fn files_of_networks_that_make_no_sense() {
    let good = onwards(3, 2, true);
    let topology = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&ring_of_arcs(3)).unwrap();
        change(&mut value);
        value.to_string()
    };
    judge(&good, topology(&|_| {})).unwrap();
    unreadable(
        &good,
        topology(&|value| value["format"] = "fabc.topology/3".into()),
        "this fabc reads `fabc.topology/1` and",
    );
    unreadable(&good, topology(&|value| value["ports"] = 0.into()), "0 ports at each of 3 nodes");
    unreadable(
        &good,
        topology(&|value| value["ports"] = 70_000.into()),
        "net:1: invalid value: integer `70000`, expected u16",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][1]["b"] = json!([0, 1])),
        "`links[1]`: [0,1] is not a port of this network",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][1]["b"] = json!([7, 0])),
        "`links[1]`: [7,0] is not a port of this network",
    );
    // Two that leave by one port, two that come in by one.
    unreadable(
        &good,
        topology(&|value| value["links"][1]["a"] = json!([0, 0])),
        "`links[1]`: r0.port0 carries two links",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][2]["b"] = json!([1, 0])),
        "`links[2]`: r1.port0 carries two links",
    );
    // A link of two channels takes outputs and inputs at both ends.
    unreadable(
        &good,
        topology(&|value| value["links"][0]["simplex"] = false.into()),
        "`links[1]`: r1.port0 carries two links",
    );
    unreadable(
        &good,
        topology(&|value| value["symmetry"] = json!({"block": 1, "generators": [[1, 1, 2]]})),
        "is not a permutation",
    );
    unreadable(good.replace("hop", "distance"), ring_of_arcs(3), "and the rule `distance` cannot be walked");
    unreadable(
        good.replace("[1,0]", "[1,0,0]"),
        ring_of_arcs(3),
        "entry 0 of router 0 does not have 2 numbers in range",
    );
    let (code, message) = convicted(good.replace("[1,0]", "[1,1]"), ring_of_arcs(3));
    assert!(
        code == "FAB0411"
            && message.contains("leaves by a port or VC that does not exist, there are 1 ports"),
        "{message}"
    );
}
