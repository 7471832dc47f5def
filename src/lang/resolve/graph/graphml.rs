//! Reads GraphML by the conventions of NetworkX: nodes by their ids, attributes by the names that `key`
//! elements give them.
//!
//! Nodes have `hosts` (or `endpoints`) and `group`. Edges have `link`, `source_port`, `target_port` and
//! `length`. Other attributes are ignored. Groups and lengths are checked and not kept, because nothing here
//! depends on them.

use super::parsed::{GraphProblem, ParsedEdge, ParsedGraph};
use fabc_base::limits::{XML_ATTRIBUTES, crowded_element};
use fabc_model::ListedRouter;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;

/// Reads the text of a GraphML file.
pub(super) fn read(text: &str) -> Result<ParsedGraph, GraphProblem> {
    if let Some(offset) = crowded_element(text) {
        return Err(GraphProblem::at_offset(
            offset,
            format!("this element has more than {XML_ATTRIBUTES} attributes"),
        ));
    }
    let document = Document::parse_with_options(text, ParsingOptions::default()).map_err(|error| {
        let line =
            text.split_inclusive('\n').take(error.pos().row.saturating_sub(1) as usize).map(str::len).sum();
        GraphProblem::at_offset(line, format!("this is not XML: {error}"))
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(problem_at(
            root,
            format!("`<{}>` is not GraphML: `<graphml>` expected", root.tag_name().name()),
        ));
    }
    let keys = keys(root)?;
    let mut graphs = elements(root, "graph");
    let Some(graph) = graphs.next() else { return Err(problem_at(root, "it has no `<graph>`".to_owned())) };
    if let Some(second) = graphs.next() {
        return Err(problem_at(second, "this is a second `<graph>`".to_owned()));
    }
    let directed = match graph.attribute("edgedefault") {
        Some("directed") => true,
        Some("undirected") | None => false,
        Some(other) => return Err(problem_at(graph, format!("`edgedefault` cannot be `{other}`"))),
    };
    let mut routers = Vec::new();
    let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
    for node in elements(graph, "node") {
        let name = attribute(node, "id")?;
        if name.is_empty() || name.chars().any(char::is_control) {
            let problem = if name.is_empty() { "is empty" } else { "has a control character in it" };
            return Err(problem_at(node, format!("the name `{}` {problem}", name.escape_debug())));
        }
        if ids.insert(name, routers.len() as u32).is_some() {
            return Err(problem_at(node, format!("there are two nodes `{name}`")));
        }
        if let Some(inner) = elements(node, "graph").next() {
            return Err(problem_at(
                inner,
                format!("`{name}` is a graph of its own: nested graphs are not supported"),
            ));
        }
        routers.push(ListedRouter {
            name: name.to_owned(),
            hosts: hosts(node, &attribute_values(node, &keys, "node")?)?,
        });
    }
    if let Some(hyper) = elements(graph, "hyperedge").next() {
        return Err(problem_at(hyper, "a link joins two routers: hyperedges are not supported".to_owned()));
    }
    let edges = elements(graph, "edge")
        .map(|edge| self::edge(edge, &keys, &ids, directed))
        .collect::<Result<_, _>>()?;
    Ok(ParsedGraph { routers, edges, directed: Some(directed) })
}

/// The declaration of a `key` element.
struct GraphmlKey<'a> {
    name: &'a str,
    /// The element that has the attribute: `node`, `edge`, `graph` or `all`.
    element: &'a str,
    default: Option<&'a str>,
}

type Keys<'a> = BTreeMap<&'a str, GraphmlKey<'a>>;

fn keys<'a>(root: Node<'a, 'a>) -> Result<Keys<'a>, GraphProblem> {
    let mut keys = Keys::new();
    for key in elements(root, "key") {
        // Drawing programs write keys without a name.
        let name = key.attribute("attr.name").unwrap_or_default();
        let default =
            elements(key, "default").next().map(|default| default.text().unwrap_or_default().trim());
        let id = attribute(key, "id")?;
        if keys
            .insert(id, GraphmlKey { name, element: key.attribute("for").unwrap_or("all"), default })
            .is_some()
        {
            return Err(problem_at(key, format!("there are two keys `{id}`")));
        }
    }
    Ok(keys)
}

/// The attributes of a node or an edge by name: those of its `data`, and the defaults of the others.
fn attribute_values<'a>(
    element: Node<'a, 'a>,
    keys: &Keys<'a>,
    kind: &str,
) -> Result<BTreeMap<&'a str, &'a str>, GraphProblem> {
    let of_kind = keys.values().filter(|key| key.element == kind || key.element == "all");
    let mut values: BTreeMap<&str, &str> = of_kind.filter_map(|key| Some((key.name, key.default?))).collect();
    let mut written = Vec::new();
    for data in elements(element, "data") {
        let id = attribute(data, "key")?;
        let Some(key) = keys.get(id) else {
            return Err(problem_at(data, format!("no `<key>` declares `{id}`")));
        };
        if written.contains(&id) {
            return Err(problem_at(
                data,
                format!("`{}` is given twice", if key.name.is_empty() { id } else { key.name }),
            ));
        }
        written.push(id);
        values.insert(key.name, data.text().unwrap_or_default().trim());
    }
    Ok(values)
}

/// Reads `hosts` or `endpoints` of a node. In the files that fabc writes, a node has both: the number of its
/// hosts, and 1 if there are any.
fn hosts(node: Node<'_, '_>, values: &BTreeMap<&str, &str>) -> Result<Option<u16>, GraphProblem> {
    match (values.get("hosts"), values.get("endpoints")) {
        (Some(hosts), Some(endpoints)) => {
            let hosts = number(node, "hosts", hosts)?;
            let endpoints = number(node, "endpoints", endpoints)?;
            if endpoints == hosts || endpoints == 1 && hosts > 0 {
                return Ok(Some(hosts));
            }
            let problem =
                format!("`hosts` is {hosts}, but `endpoints` is {endpoints}: give only one of them");
            Err(problem_at(node, problem))
        }
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
) -> Result<ParsedEdge, GraphProblem> {
    let end = |side: &str| {
        let name = attribute(edge, side)?;
        ids.get(name).copied().ok_or_else(|| problem_at(edge, format!("no node is called `{name}`")))
    };
    let ends = [end("source")?, end("target")?];
    if edge
        .attribute("directed")
        .is_some_and(|direction| direction != if directed { "true" } else { "false" })
    {
        return Err(problem_at(
            edge,
            "this edge disagrees with `edgedefault`: all edges must be directed, or all undirected"
                .to_owned(),
        ));
    }
    let values = attribute_values(edge, keys, "edge")?;
    let port = |name: &str| values.get(name).map(|port| number(edge, name, port)).transpose();
    let ports = [port("source_port")?, port("target_port")?];
    if let Some(length) = values.get("length")
        && !length.parse::<f64>().is_ok_and(|metres| metres.is_finite() && metres >= 0.0)
    {
        return Err(problem_at(edge, format!("`length` is a number of metres, not `{}`", shortened(length))));
    }
    Ok(ParsedEdge {
        ends,
        link: values.get("link").map(|&link| link.to_owned()),
        ports,
        offset: edge.range().start,
    })
}

fn number(element: Node<'_, '_>, name: &str, value: &str) -> Result<u16, GraphProblem> {
    let invalid = |_| {
        problem_at(
            element,
            format!("`{name}` is an integer from 0 to {}, not `{}`", u16::MAX, shortened(value)),
        )
    };
    value.parse().map_err(invalid)
}

fn shortened(value: &str) -> String {
    value.chars().take(20).collect()
}

/// Returns an attribute that the element must have.
fn attribute<'a>(element: Node<'a, '_>, name: &str) -> Result<&'a str, GraphProblem> {
    let lacks = || problem_at(element, format!("this `<{}>` has no `{name}`", element.tag_name().name()));
    element.attribute(name).ok_or_else(lacks)
}

/// The children with this name, in any namespace.
fn elements<'a, 'i>(parent: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn problem_at(element: Node<'_, '_>, problem: String) -> GraphProblem {
    GraphProblem::at_offset(element.range().start, problem)
}
