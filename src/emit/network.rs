//! Writes the topology of a network: `topology.json` (`fabc.topology/2`), CSV, GraphML and Graphviz.
//!
//! [`super::topology`] writes the files of pods, such as `fabc.topology/1`.

use super::json::{push, push_lines, push_numbers, quote};
use super::svg::escape;
use super::topology::gigabytes;
use crate::compiled::WiredLinks;
use fabc_base::csv;
use fabc_ir::{LinkClass, link_cycles};

/// The text of `topology.json`, for a network.
pub(super) fn json(WiredLinks { fabric, topology, .. }: WiredLinks<'_>) -> String {
    let mut out = String::with_capacity(48 * topology.node_count() + 80 * topology.links().len());
    push(&mut out, format_args!("{{\"format\":\"fabc.topology/2\",\"fabric\":{},\n", quote(&fabric.name)));
    push(&mut out, format_args!("\"ports\":{},\n\"nodes\":", topology.ports()));
    push_lines(&mut out, topology.nodes(), |out, node| {
        let (name, hosts) = (quote(&topology.name(node)), topology.hosts(node));
        push(out, format_args!("{{\"id\":{node},\"name\":{name},\"hosts\":{hosts}}}"));
    });
    out.push_str(",\n\"links\":");
    push_lines(&mut out, topology.links().enumerate(), |out, (id, link)| {
        let (class, name) = (class(link.class), quote(&fabric.link_types[link.link_type].name));
        push(
            out,
            format_args!(
                "{{\"id\":{id},\"a\":[{},{}],\"b\":[{},{}],",
                link.a.node, link.a.port, link.b.node, link.b.port
            ),
        );
        push(out, format_args!("\"class\":\"{class}\",\"link\":{name}"));
        if fabric.floor.is_some() {
            push(out, format_args!(",\"length\":{}", topology.length(id)));
        }
        out.push_str(if link.simplex { ",\"simplex\":true}" } else { "}" });
    });
    let symmetry = topology.symmetry();
    push(&mut out, format_args!(",\n\"symmetry\":{{\"block\":{},\"generators\":", symmetry.block_size()));
    push_lines(&mut out, symmetry.generators(), |out, generator| {
        push_numbers(out, topology.nodes().map(|node| symmetry.image(generator, node)));
    });
    out.push_str("}}\n");
    out
}

fn class(class: LinkClass) -> &'static str {
    match class {
        LinkClass::Local => "local",
        LinkClass::Global => "global",
    }
}

/// The text of `topology.csv`, with one link per line.
pub(super) fn csv(WiredLinks { fabric, topology, .. }: WiredLinks<'_>) -> String {
    let mut out =
        String::from("link,a_node,a_port,b_node,b_port,class,type,simplex,bandwidth_gbs,latency_cycles\n");
    for (id, link) in topology.links().enumerate() {
        let (link_type, simplex) = (&fabric.link_types[link.link_type], u8::from(link.simplex));
        push(&mut out, format_args!("{id},{},{},{},{},", link.a.node, link.a.port, link.b.node, link.b.port));
        push(&mut out, format_args!("{},{},{simplex},", class(link.class), csv::cell(&link_type.name)));
        push(
            &mut out,
            format_args!("{},{}\n", gigabytes(link_type.bandwidth_bps), link_cycles(fabric, topology, id)),
        );
    }
    out
}

/// The attributes of GraphML: id, `node` or `edge`, type. `graph "file"` reads `hosts`, `link` and the ports
/// back.
const KEYS: [(&str, &str, &str); 9] = [
    ("name", "node", "string"),
    ("hosts", "node", "int"),
    ("endpoints", "node", "int"),
    ("link", "edge", "string"),
    ("class", "edge", "string"),
    ("source_port", "edge", "int"),
    ("target_port", "edge", "int"),
    ("bandwidth_gbs", "edge", "double"),
    ("latency_cycles", "edge", "int"),
];

/// The text of `topology.graphml`, for a network.
pub(super) fn graphml(WiredLinks { fabric, topology, .. }: WiredLinks<'_>) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (name, element, kind) in KEYS {
        push(
            &mut out,
            format_args!(
                "<key id=\"{name}\" for=\"{element}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"
            ),
        );
    }
    let default = if topology.has_simplex() { "directed" } else { "undirected" };
    push(&mut out, format_args!("<graph id=\"{}\" edgedefault=\"{default}\">\n", escape(&fabric.name)));
    for node in topology.nodes() {
        let (name, hosts, endpoint) =
            (escape(&topology.name(node)), topology.hosts(node), u8::from(topology.is_endpoint(node)));
        push(&mut out, format_args!("<node id=\"{node}\">{}", data("name", name)));
        push(&mut out, format_args!("{}{}</node>\n", data("hosts", hosts), data("endpoints", endpoint)));
    }
    for (id, link) in topology.links().enumerate() {
        let link_type = &fabric.link_types[link.link_type];
        push(
            &mut out,
            format_args!("<edge id=\"e{id}\" source=\"{}\" target=\"{}\">", link.a.node, link.b.node),
        );
        push(&mut out, format_args!("{}{}", data("link", &link_type.name), data("class", class(link.class))));
        push(
            &mut out,
            format_args!("{}{}", data("source_port", link.a.port), data("target_port", link.b.port)),
        );
        push(&mut out, format_args!("{}", data("bandwidth_gbs", gigabytes(link_type.bandwidth_bps))));
        push(
            &mut out,
            format_args!("{}</edge>\n", data("latency_cycles", link_cycles(fabric, topology, id))),
        );
    }
    out.push_str("</graph>\n</graphml>\n");
    out
}

fn data(key: &str, value: impl std::fmt::Display) -> String {
    format!("<data key=\"{key}\">{value}</data>")
}

/// The text of `topology.dot`, with one cluster per block of several routers and with global links in color.
pub(super) fn dot(WiredLinks { fabric, topology, .. }: WiredLinks<'_>) -> String {
    let (kind, edge) = if topology.has_simplex() { ("digraph", "->") } else { ("graph", "--") };
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = format!("{kind} \"{}\" {{\n  node [shape=box, fontsize=10];\n", quoted(&fabric.name));
    let block = topology.symmetry().block_size();
    for node in topology.nodes() {
        if block > 1 && (node.0 as usize).is_multiple_of(block) {
            push(&mut out, format_args!("  subgraph \"cluster_{}\" {{\n", node.0 as usize / block));
        }
        push(&mut out, format_args!("    \"{node}\" [label=\"{}\"];\n", quoted(&topology.name(node))));
        if block > 1 && node.0 as usize % block == block - 1 {
            out.push_str("  }\n");
        }
    }
    for link in topology.links().iter() {
        let color = if link.class == LinkClass::Global { "#2f6fde" } else { "#8a8f98" };
        let (a, b) = (link.a.port, link.b.port);
        push(
            &mut out,
            format_args!(
                "  \"{}\" {edge} \"{}\" [tooltip=\"{a} {b}\", color=\"{color}\"];\n",
                link.a.node, link.b.node
            ),
        );
    }
    out.push_str("}\n");
    out
}
