//! Tests of graph files, and of the messages on malformed ones.

use super::*;
use fabc_model::LinkType;
use std::fmt::Write;

fn declared(names: &[&str]) -> DeclaredLinks {
    let link_type = |name: &str| LinkType {
        name: name.to_owned(),
        bandwidth_bps: 1,
        latency_cycles: 1,
        per_metre_ps: 0,
        cost: [0, 0],
        power_mw: 0,
        optics: None,
        span: Span::default(),
    };
    DeclaredLinks {
        names: names.iter().map(|&name| name.into()).collect(),
        types: names.iter().map(|name| Some(link_type(name))).collect(),
    }
}

fn read(path: &str, text: &str, wanted: Option<Arcs>) -> Result<GraphParts, GraphProblem> {
    parse_graph(path, text, Some(LinkTypeId(1)), wanted, &declared(&["trunk", "wire"]))
}

fn ends_of_links(parts: &GraphParts) -> Vec<[&str; 2]> {
    parts.1.iter().map(|link| link.ends.map(|end| &*parts.0[end as usize].name)).collect()
}

/// GraphML with these keys, this `edgedefault` and these nodes and edges.
fn graphml(default: &str, inside: &str) -> String {
    let key = |id, element, name| {
        format!("  <key id=\"{id}\" for=\"{element}\" attr.name=\"{name}\" attr.type=\"string\"/>\n")
    };
    let names = ["link", "source_port", "target_port", "length"];
    let keys: String = names.into_iter().map(|name| key(name, "edge", name)).collect();
    let keys = key("hosts", "node", "hosts") + &key("endpoints", "node", "endpoints") + &keys;
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n{keys}  <graph \
         edgedefault=\"{default}\">\n{inside}\n</graph></graphml>\n"
    )
}

fn data(values: &[(&str, &str)]) -> String {
    values.iter().map(|(key, value)| format!("<data key=\"{key}\">{value}</data>")).collect()
}

fn edge(source: &str, target: &str, values: &[(&str, &str)]) -> String {
    format!("<edge source=\"{source}\" target=\"{target}\">{}</edge>\n", data(values))
}

fn problem(path: &str, text: &str, wanted: Option<Arcs>) -> String {
    match read(path, text, wanted) {
        Err(GraphProblem::At { offset, problem, .. }) => {
            let line = offset.map_or(0, |offset| text[..offset].matches('\n').count() + 1);
            format!("{line}: {problem}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edge_list_names_routers_in_order() {
    let parts = read("lab.txt", "\u{feff}# a comment\nb a # here too\n\n a\tc trunk\r\nb a", None).unwrap();
    assert_eq!(parts.0.iter().map(|router| &*router.name).collect::<Vec<_>>(), ["b", "a", "c"]);
    assert_eq!(ends_of_links(&parts), [["b", "a"], ["a", "c"], ["b", "a"]]);
    assert_eq!(parts.1.iter().map(|link| link.link.0).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(parts.2, Arcs::Duplex);
    let ring = read("ring.txt", "a b\nb c\nc a", Some(Arcs::Simplex)).unwrap();
    assert_eq!((ends_of_links(&ring), ring.2), (vec![["a", "b"], ["b", "c"], ["c", "a"]], Arcs::Simplex));
}

#[test]
fn graphml_carries_hosts_ports_and_links() {
    let inside = format!(
        "<node id=\"a\">{}</node><node id=\"b &amp; c\"/><node id=\"7\">{}</node>{}{}",
        data(&[("hosts", " 4 ")]),
        data(&[("endpoints", "0")]),
        edge("7", "a", &[("link", "trunk"), ("source_port", "3"), ("target_port", "0"), ("length", "2.5")]),
        edge("b &amp; c", "a", &[("target_port", "1")]),
    );
    let parts = read("lab.GraphML", &graphml("undirected", &inside), None).unwrap();
    let hosts: Vec<_> = parts.0.iter().map(|router| (&*router.name, router.hosts)).collect();
    assert_eq!(hosts, [("a", Some(4)), ("b & c", None), ("7", Some(0))]);
    assert_eq!(ends_of_links(&parts), [["7", "a"], ["b & c", "a"]]);
    let type_and_ports = |link: &ListedLink| (link.link.0, link.ports);
    assert_eq!(
        parts.1.iter().map(type_and_ports).collect::<Vec<_>>(),
        [(0, [Some(3), Some(0)]), (1, [None, Some(1)])]
    );
}

#[test]
fn defaults_of_keys_count_where_nothing_is_written() {
    let text = "<graphml><key id='h' for='node' attr.name='hosts'><default>2</default></key><graph edgedefault='undirected'>\
                <node id='a'/><node id='b'><data key='h'>5</data></node><edge source='a' target='b'/></graph></graphml>";
    let parts = read("lab.graphml", text, None).unwrap();
    assert_eq!(parts.0.iter().map(|router| router.hosts).collect::<Vec<_>>(), [Some(2), Some(5)]);
}

#[test]
fn opposite_arcs_are_one_link_where_arcs_are_duplex() {
    let nodes = "<node id=\"a\"/><node id=\"b\"/>";
    let arcs = [
        edge("a", "b", &[("source_port", "0")]),
        edge("a", "b", &[("link", "trunk")]),
        edge("b", "a", &[("target_port", "5")]),
        edge("b", "a", &[("source_port", "2")]),
        edge("b", "a", &[("link", "trunk")]),
    ];
    let text = graphml("directed", &format!("{nodes}{}", arcs.concat()));
    let parts = read("lab.graphml", &text, None).unwrap();
    assert_eq!((parts.1.len(), parts.2), (5, Arcs::Simplex));
    let parts = read("lab.graphml", &text, Some(Arcs::Duplex)).unwrap();
    assert_eq!(ends_of_links(&parts), [["a", "b"], ["a", "b"], ["b", "a"]]);
    let type_and_ports = |link: &ListedLink| (link.link.0, link.ports);
    let wanted = [(1, [Some(0), Some(2)]), (0, [None, None]), (1, [None, Some(5)])];
    assert_eq!(parts.1.iter().map(type_and_ports).collect::<Vec<_>>(), wanted);
}

#[test]
fn slips_of_edge_lists_have_their_line() {
    let list = |text: &str| problem("lab.txt", text, None);
    assert_eq!(list("a b\n\nc # d"), "3: `c` stands alone");
    assert_eq!(list("a b wire 5"), "1: this line has too many words");
    assert_eq!(list("a b\na a"), "2: this edge joins `a` to itself");
    assert_eq!(list("a b\nb c wier"), "2: the link `wier` of the edge of `b` and `c` is not declared");
    assert_eq!(list("# nothing"), "0: it lists no router");
    assert_eq!(list("a \u{7}b"), "1: the name `\\u{7}b` has a control character in it");
    let star: String = (0..1025).fold(String::new(), |mut text, leaf| {
        writeln!(text, "hub leaf{leaf}").unwrap();
        text
    });
    assert_eq!(list(&star), "1025: `hub` has more than 1024 links: no router has so many ports");
    let two = parse_graph("lab.txt", "a b trunk\nb c", None, None, &declared(&["trunk", "wire"]));
    let Err(GraphProblem::At { problem, .. }) = two else { panic!("{two:?}") };
    assert_eq!(problem, "the edge of `b` and `c` names no link, and the spec declares several");
}

#[test]
fn slips_of_graphml_have_their_line() {
    let nodes = "<node id=\"a\"/>\n<node id=\"b\"/>\n";
    let in_graph = |inside: &str| problem("lab.graphml", &graphml("undirected", inside), None);
    let with = |inside: &str| in_graph(&format!("{nodes}{inside}"));
    assert_eq!(in_graph("<node id=\"a\"/>\n<node id=\"a\"/>"), "11: there are two nodes `a`");
    assert_eq!(in_graph("<node id=\"\"/>"), "10: the name `` is empty");
    assert_eq!(in_graph("<node/>"), "10: this `<node>` has no `id`");
    assert_eq!(
        in_graph("<node id=\"a\"><graph/></node>"),
        "10: `a` is a graph of its own: nested graphs are not supported"
    );
    assert_eq!(in_graph("<node id=\"a\"/>"), "0: `a` is its only router");
    assert_eq!(with("<hyperedge/>"), "12: a link joins two routers: hyperedges are not supported");
    assert_eq!(with("<edge source=\"a\" target=\"c\"/>"), "12: no node is called `c`");
    assert_eq!(with("<edge source=\"a\"/>"), "12: this `<edge>` has no `target`");
    assert_eq!(with("<edge source=\"b\" target=\"b\"/>"), "12: this edge joins `b` to itself");
    let directed =
        "12: this edge disagrees with `edgedefault`: all edges must be directed, or all undirected";
    assert_eq!(with("<edge source=\"a\" target=\"b\" directed=\"true\"/>"), directed);
    let of_edge = |values: &[(&str, &str)]| with(&edge("a", "b", values));
    assert_eq!(
        of_edge(&[("source_port", "-1")]),
        "12: `source_port` is an integer from 0 to 65535, not `-1`"
    );
    assert_eq!(of_edge(&[("length", "NaN")]), "12: `length` is a number of metres, not `NaN`");
    assert_eq!(of_edge(&[("colour", "red")]), "12: no `<key>` declares `colour`");
    assert_eq!(of_edge(&[("link", "wire"), ("link", "wire")]), "12: `link` is given twice");
    let twice =
        format!("{}{}", edge("a", "b", &[("source_port", "1")]), edge("b", "a", &[("target_port", "1")]));
    assert_eq!(with(&twice), "13: port 1 of `a` carries another link already");
    let hosts = |values: &[(&str, &str)]| in_graph(&format!("<node id=\"a\">{}</node>", data(values)));
    assert_eq!(hosts(&[("hosts", "2.0")]), "10: `hosts` is an integer from 0 to 65535, not `2.0`");
    let two_words = "10: `hosts` is 2, but `endpoints` is 3: give only one of them";
    assert_eq!(hosts(&[("hosts", "2"), ("endpoints", "3")]), two_words);
    let none_and_one = "10: `hosts` is 0, but `endpoints` is 1: give only one of them";
    assert_eq!(hosts(&[("hosts", "0"), ("endpoints", "1")]), none_and_one);
    let spine = |name: &str| format!("<node id=\"{name}\">{}</node>", data(&[("hosts", "0")]));
    assert_eq!(
        in_graph(&format!("{}{}{}", spine("a"), spine("b"), edge("a", "b", &[]))),
        "0: no router has hosts"
    );
    assert_eq!(
        in_graph(&format!("{}<node id=\"b\"/>{}", spine("a"), edge("a", "b", &[]))),
        "0: `b` alone has hosts"
    );

    let in_file = |text: &str| problem("lab.graphml", text, None);
    assert_eq!(in_file("<svg/>"), "1: `<svg>` is not GraphML: `<graphml>` expected");
    assert_eq!(in_file("<graphml/>"), "1: it has no `<graph>`");
    assert_eq!(in_file("<graphml>\n<graph/>\n<graph/></graphml>"), "3: this is a second `<graph>`");
    assert_eq!(
        in_file("<graphml>\n<graph edgedefault=\"both\"/></graphml>"),
        "2: `edgedefault` cannot be `both`"
    );
    assert_eq!(in_file("<graphml>\n<key id=\"a\"/><key id=\"a\"/></graphml>"), "2: there are two keys `a`");
    assert!(in_file("<graphml>\n</graph>").starts_with("2: this is not XML: "));
    assert!(in_file("").starts_with("1: this is not XML: "));
    assert!(
        in_file("<!DOCTYPE graphml [<!ENTITY a \"b\">]>\n<graphml/>").starts_with("1: this is not XML: ")
    );
    let simplex = problem(
        "lab.graphml",
        &graphml("undirected", &format!("{nodes}{}", edge("a", "b", &[]))),
        Some(Arcs::Simplex),
    );
    assert_eq!(simplex, "0: its edges have no direction");
}

#[test]
fn outputs_and_inputs_of_arcs_are_ports_apart() {
    let nodes = "<node id=\"a\"/><node id=\"b\"/>";
    let ring = |second: &str| {
        format!(
            "{nodes}{}{}",
            edge("a", "b", &[("source_port", "1")]),
            edge("b", "a", &[("target_port", second)])
        )
    };
    assert!(read("lab.graphml", &graphml("directed", &ring("1")), None).is_ok());
    let twice = format!("{}{}", ring("0"), edge("a", "b", &[("source_port", "1")]));
    assert!(
        problem("lab.graphml", &graphml("directed", &twice), None)
            .ends_with("output port 1 of `a` carries another link already")
    );
}

#[test]
fn pieces_are_told_apart() {
    let pieces = |from: &str, to: &str, hub: &str, reached, one_way| {
        Err(GraphProblem::InPieces {
            from: from.to_owned(),
            to: to.to_owned(),
            hub: hub.to_owned(),
            reached,
            one_way,
        })
    };
    assert_eq!(read("lab.txt", "a b\nc d", None), pieces("a", "c", "a", 2, false));
    assert_eq!(read("lab.txt", "a b\nc b\nb a", Some(Arcs::Simplex)), pieces("a", "c", "a", 2, true));
    assert_eq!(read("lab.txt", "a b\nb c", Some(Arcs::Simplex)), pieces("b", "a", "a", 1, true));
}

#[test]
fn deep_files_do_not_exhaust_the_stack() {
    let deep = format!("<graphml>{}{}</graphml>", "<a>".repeat(200_000), "</a>".repeat(200_000));
    assert_eq!(problem("lab.graphml", &deep, None), "1: it has no `<graph>`");
}

/// The reader of XML compares every attribute with all others, which a hundred thousand of them make slow.
#[test]
fn elements_with_thousands_of_attributes_are_refused_at_once() {
    let attributes: String = (0..100_000).map(|k| format!(" a{k}='1'")).collect();
    let text = format!("<graphml>\n<graph{attributes}/></graphml>");
    let Err(GraphProblem::At { offset, problem, .. }) = read("lab.graphml", &text, None) else {
        panic!("it is read")
    };
    assert_eq!((offset, &*problem), (Some(10), "this element has more than 256 attributes"));
}
