//! Topologies that stand in a file, and goals for a search.

use super::{LinkNames, Topology, arcs};
use crate::generated::dice::Dice;
use crate::generated::spec::{Data, Item};

/// Random connected edges: a ring or a tree, and more of them.
fn edges(dice: &mut Dice, routers: usize, one_way: bool) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = match one_way || dice.percent(75) {
        true => (0..routers).map(|from| (from, (from + 1) % routers)).collect(),
        false => (1..routers).map(|to| (dice.below(to), to)).collect(),
    };
    if routers == 2 && !one_way {
        edges.truncate(1);
    }
    for _ in 0..dice.below(routers) {
        let (from, to) = (dice.below(routers), dice.below(routers));
        if from != to {
            edges.push((from, to));
        }
    }
    if dice.percent(30) {
        let twice = dice.pick(&edges);
        edges.push(twice);
    }
    dice.shuffle(&mut edges);
    edges
}

pub(super) fn graph(dice: &mut Dice) -> Topology {
    let routers = dice.within(2, 12);
    if dice.percent(50) { edge_list(dice, routers) } else { graph_ml(dice, routers) }
}

/// The file of an edge list. Routers are numbered in the order in which they are named first.
fn edge_list(dice: &mut Dice, routers: usize) -> Topology {
    let (word, one_way) = arcs(dice, false);
    let edges = edges(dice, routers, one_way);
    let name = dice.pick(&["r", "node", "leaf_"]);
    let mut lines: Vec<String> = edges.iter().map(|(from, to)| format!("{name}{from} {name}{to}")).collect();
    if dice.percent(30) {
        lines.insert(0, "# from a lab".to_owned());
    }
    let row = if one_way { "graph edges simplex" } else { "graph edges duplex" };
    let degree = (0..routers)
        .map(|router| edges.iter().filter(|(from, to)| *from == router || *to == router).count())
        .max();
    let mut topology = Topology::new(row, "graph \"lab.txt\"", routers, degree.unwrap_or(0), routers);
    if !word.is_empty() {
        topology = topology.set("arcs", word);
    }
    topology.files.insert("lab.txt".to_owned(), Data::Lines(lines));
    (topology.one_way, topology.names) = (one_way, LinkNames::ByFile);
    topology
}

fn graph_ml(dice: &mut Dice, routers: usize) -> Topology {
    let directed = dice.percent(40);
    let one_way = directed && dice.percent(50);
    let edges = edges(dice, routers, one_way);
    let hosts: Vec<usize> = match dice.below(3) {
        0 => vec![1; routers],
        1 => vec![dice.within(1, 3); routers],
        _ => (0..routers).map(|_| dice.pick(&[0, 1, 1, 2, 4])).collect(),
    };
    let hosts = if hosts.iter().filter(|hosts| **hosts > 0).count() < 2 { vec![1; routers] } else { hosts };
    let says_hosts = hosts.iter().any(|count| *count != 1);
    let direction = if directed { "directed" } else { "undirected" };
    let mut lines = vec![
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">".to_owned(),
        "<key id=\"h\" for=\"node\" attr.name=\"hosts\" attr.type=\"long\"/>".to_owned(),
        "<key id=\"l\" for=\"edge\" attr.name=\"link\" attr.type=\"string\"/>".to_owned(),
        format!("<graph edgedefault=\"{direction}\">"),
    ];
    for (router, count) in hosts.iter().enumerate() {
        lines.push(match says_hosts {
            true => format!("<node id=\"n{router}\"><data key=\"h\">{count}</data></node>"),
            false => format!("<node id=\"n{router}\"/>"),
        });
    }
    lines.extend(edges.iter().map(|(from, to)| format!("<edge source=\"n{from}\" target=\"n{to}\"/>")));
    lines.extend(["</graph>".to_owned(), "</graphml>".to_owned()]);
    let row = if one_way { "graphml simplex" } else { "graphml duplex" };
    let degree = (0..routers)
        .map(|router| edges.iter().filter(|(from, to)| *from == router || *to == router).count())
        .max();
    let mut topology = Topology::new(row, "graph \"lab.graphml\"", routers, degree.unwrap_or(0), routers);
    if directed && !one_way {
        topology = topology.set("arcs", "duplex");
    }
    topology.files.insert("lab.graphml".to_owned(), Data::Lines(lines));
    topology.endpoints = (0..routers).filter(|router| hosts[*router] > 0).collect();
    (topology.one_way, topology.names, topology.unlike_hosts) = (one_way, LinkNames::ByFile, says_hosts);
    topology
}

/// Goals instead of parameters. How many routers come out is not known here.
pub(super) fn goal(dice: &mut Dice) -> Topology {
    let (word, lines): (&str, &[&str]) = dice.pick(&[
        ("hyperx", &["radix = 4", "routers = largest", "dimensions = 2"][..]),
        ("hyperx", &["radix <= 5", "routers >= 9"][..]),
        ("polarstar", &["radix = 3", "routers = largest"][..]),
        ("polarstar", &["radix <= 6", "routers >= 14"][..]),
        ("polarfly", &["radix = 3", "routers = largest"][..]),
        ("network", &["radix = 3", "diameter = 3", "routers = largest"]),
        ("network", &["radix <= 4", "diameter = 2", "routers >= 10"]),
        ("slim_fly", &["radix <= 6", "routers >= 10"][..]),
        ("dragonfly", &["radix = 3", "routers = largest"][..]),
        ("dragonfly", &["radix = 4", "routers = largest", "arrangement = fold"][..]),
    ]);
    let mut topology = Topology::new("goal", word, 20, 8, 3);
    topology.settings = lines.iter().map(|line| Item::line(*line)).collect();
    topology.endpoints.clear();
    topology
}
