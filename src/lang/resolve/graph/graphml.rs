//! GraphML by the conventions of NetworkX: nodes by their ids, attributes by the names that `key` elements
//! give them.
//!
//! Of nodes: `hosts` (or `endpoints`), `group`. Of edges: `link`, `source_port`, `target_port`, `length`.
//! Other attributes are other people's. Groups and lengths are checked and not kept: nothing here depends on
//! them.

use super::parsed::{Edge, Graph, Slip};
use fabc_base::limits::{XML_ATTRIBUTES, crowded_element};
use fabc_model::ListedRouter;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;

/// Reads GraphML.
pub(super) fn read(text: &str) -> Result<Graph, Slip> {
    if let Some(at) = crowded_element(text) {
        return Err(Slip::at(at, format!("this element has more than {XML_ATTRIBUTES} attributes")));
    }
    let document = Document::parse_with_options(text, ParsingOptions::default()).map_err(|error| {
        let line =
            text.split_inclusive('\n').take(error.pos().row.saturating_sub(1) as usize).map(str::len).sum();
        Slip::at(line, format!("this is not XML: {error}"))
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(slip(
            root,
            format!("`<{}>` is not GraphML: `<graphml>` expected", root.tag_name().name()),
        ));
    }
    let keys = keys(root)?;
    let mut graphs = elements(root, "graph");
    let Some(graph) = graphs.next() else { return Err(slip(root, "it has no `<graph>`".to_owned())) };
    if let Some(second) = graphs.next() {
        return Err(slip(second, "this is a second `<graph>`".to_owned()));
    }
    let directed = match graph.attribute("edgedefault") {
        Some("directed") => true,
        Some("undirected") | None => false,
        Some(other) => return Err(slip(graph, format!("`edgedefault` cannot be `{other}`"))),
    };
    let mut routers = Vec::new();
    let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
    for node in elements(graph, "node") {
        let name = attribute(node, "id")?;
        if name.is_empty() || name.chars().any(char::is_control) {
            let what = if name.is_empty() { "is empty" } else { "has a control character in it" };
            return Err(slip(node, format!("the name `{}` {what}", name.escape_debug())));
        }
        if ids.insert(name, routers.len() as u32).is_some() {
            return Err(slip(node, format!("there are two nodes `{name}`")));
        }
        if let Some(inner) = elements(node, "graph").next() {
            return Err(slip(
                inner,
                format!("`{name}` is a graph of its own: nested graphs are not supported"),
            ));
        }
        routers
            .push(ListedRouter { name: name.to_owned(), hosts: hosts(node, &values(node, &keys, "node")?)? });
    }
    if let Some(hyper) = elements(graph, "hyperedge").next() {
        return Err(slip(hyper, "a link joins two routers: hyperedges are not supported".to_owned()));
    }
    let edges = elements(graph, "edge")
        .map(|edge| self::edge(edge, &keys, &ids, directed))
        .collect::<Result<_, _>>()?;
    Ok(Graph { routers, edges, directed: Some(directed) })
}

/// What a `key` element declares.
struct Key<'a> {
    name: &'a str,
    /// `node`, `edge`, `graph` or `all`.
    of: &'a str,
    default: Option<&'a str>,
}

type Keys<'a> = BTreeMap<&'a str, Key<'a>>;

fn keys<'a>(root: Node<'a, 'a>) -> Result<Keys<'a>, Slip> {
    let mut keys = Keys::new();
    for key in elements(root, "key") {
        // Keys without a name are those of drawing programs.
        let name = key.attribute("attr.name").unwrap_or_default();
        let default =
            elements(key, "default").next().map(|default| default.text().unwrap_or_default().trim());
        let id = attribute(key, "id")?;
        if keys.insert(id, Key { name, of: key.attribute("for").unwrap_or("all"), default }).is_some() {
            return Err(slip(key, format!("there are two keys `{id}`")));
        }
    }
    Ok(keys)
}

/// The attributes of a node or an edge, by name: those of its `data`, and the defaults of others.
fn values<'a>(
    element: Node<'a, 'a>,
    keys: &Keys<'a>,
    kind: &str,
) -> Result<BTreeMap<&'a str, &'a str>, Slip> {
    let of_kind = keys.values().filter(|key| key.of == kind || key.of == "all");
    let mut values: BTreeMap<&str, &str> = of_kind.filter_map(|key| Some((key.name, key.default?))).collect();
    let mut written = Vec::new();
    for data in elements(element, "data") {
        let id = attribute(data, "key")?;
        let Some(key) = keys.get(id) else { return Err(slip(data, format!("no `<key>` declares `{id}`"))) };
        if written.contains(&id) {
            return Err(slip(
                data,
                format!("`{}` is given twice", if key.name.is_empty() { id } else { key.name }),
            ));
        }
        written.push(id);
        values.insert(key.name, data.text().unwrap_or_default().trim());
    }
    Ok(values)
}

/// `hosts` or `endpoints` of a node.
fn hosts(node: Node<'_, '_>, values: &BTreeMap<&str, &str>) -> Result<Option<u16>, Slip> {
    match (values.get("hosts"), values.get("endpoints")) {
        (Some(_), Some(_)) => Err(slip(
            node,
            "`hosts` and `endpoints` are two words for one thing: give one of them".to_owned(),
        )),
        (Some(hosts), None) => number(node, "hosts", hosts).map(Some),
        (None, Some(hosts)) => number(node, "endpoints", hosts).map(Some),
        (None, None) => Ok(None),
    }
}

fn edge(
    edge: Node<'_, '_>,
    keys: &Keys<'_>,
    ids: &BTreeMap<&str, u32>,
    directed: bool,
) -> Result<Edge, Slip> {
    let end = |which: &str| {
        let name = attribute(edge, which)?;
        ids.get(name).copied().ok_or_else(|| slip(edge, format!("no node is called `{name}`")))
    };
    let ends = [end("source")?, end("target")?];
    if edge.attribute("directed").is_some_and(|own| own != if directed { "true" } else { "false" }) {
        return Err(slip(
            edge,
            "this edge has another direction than `edgedefault` says: either all edges have one, or none"
                .to_owned(),
        ));
    }
    let values = values(edge, keys, "edge")?;
    let port = |name: &str| values.get(name).map(|port| number(edge, name, port)).transpose();
    let ports = [port("source_port")?, port("target_port")?];
    if let Some(length) = values.get("length")
        && !length.parse::<f64>().is_ok_and(|metres| metres.is_finite() && metres >= 0.0)
    {
        return Err(slip(edge, format!("`length` is a number of metres, not `{}`", shortened(length))));
    }
    Ok(Edge { ends, link: values.get("link").map(|&link| link.to_owned()), ports, at: edge.range().start })
}

fn number(element: Node<'_, '_>, name: &str, value: &str) -> Result<u16, Slip> {
    let wrong = |_| {
        slip(element, format!("`{name}` is an integer from 0 to {}, not `{}`", u16::MAX, shortened(value)))
    };
    value.parse().map_err(wrong)
}

fn shortened(value: &str) -> String {
    value.chars().take(20).collect()
}

/// An attribute that the element must have.
fn attribute<'a>(element: Node<'a, '_>, name: &str) -> Result<&'a str, Slip> {
    let lacks = || slip(element, format!("this `<{}>` has no `{name}`", element.tag_name().name()));
    element.attribute(name).ok_or_else(lacks)
}

/// The children of that name, in whatever namespace.
fn elements<'a, 'i>(parent: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn slip(element: Node<'_, '_>, problem: String) -> Slip {
    Slip::at(element.range().start, problem)
}
