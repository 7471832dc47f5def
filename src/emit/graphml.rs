//! Writes `topology.graphml` of a pod, for NetworkX, Gephi, yEd, and SST Merlin's `topoAny`. Merlin requires
//! `endpoints` on every vertex.

use super::json::push;
use super::topology::gigabytes;
use crate::compiled::WiredLinks;
use fabc_ir::{CrossConnects, LinkClass, link_cycles};
use fabc_model::{PORT_NAMES, Pod};

/// The attributes: id, `node` or `edge`, name, type.
const KEYS: [(&str, &str, &str, &str); 13] = [
    ("name", "node", "name", "string"),
    ("cube", "node", "cube", "int"),
    ("x", "node", "x", "int"),
    ("y", "node", "y", "int"),
    ("z", "node", "z", "int"),
    ("endpoints", "node", "endpoints", "int"),
    ("link", "edge", "link", "int"),
    ("a_port", "edge", "a_port", "string"),
    ("b_port", "edge", "b_port", "string"),
    ("kind", "edge", "kind", "string"),
    ("ocs", "edge", "ocs", "string"),
    ("bandwidth_gbs", "edge", "bandwidth_gbs", "double"),
    ("latency_cycles", "edge", "latency_cycles", "int"),
];

/// The text of the file. Names are identifiers, numbers and brackets, so nothing needs escaping.
pub(super) fn xml(wiring: WiredLinks<'_>, pod: &Pod, cross_connects: &CrossConnects) -> String {
    let WiredLinks { fabric, topology, .. } = wiring;
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (id, element, name, kind) in KEYS {
        push(
            &mut out,
            format_args!("<key id=\"{id}\" for=\"{element}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"),
        );
    }
    push(&mut out, format_args!("<graph id=\"{}\" edgedefault=\"undirected\">\n", fabric.name));
    for node in topology.nodes() {
        let [x, y, z] = pod.coordinates(node);
        push(&mut out, format_args!("<node id=\"{node}\">"));
        push_data(&mut out, "name", pod.node_name(node));
        for (key, value) in [("cube", pod.cube_of(node).0), ("x", x), ("y", y), ("z", z), ("endpoints", 1)] {
            push_data(&mut out, key, value);
        }
        out.push_str("</node>\n");
    }
    for (id, link) in topology.links().enumerate() {
        push(
            &mut out,
            format_args!("<edge id=\"e{id}\" source=\"{}\" target=\"{}\">", link.a.node, link.b.node),
        );
        push_data(&mut out, "link", id);
        push_data(&mut out, "a_port", PORT_NAMES[link.a.port.0 as usize]);
        push_data(&mut out, "b_port", PORT_NAMES[link.b.port.0 as usize]);
        let kind = match link.class {
            LinkClass::Local => "copper",
            LinkClass::Global => "fiber",
        };
        push_data(&mut out, "kind", kind);
        if let Some(ocs) = cross_connects.ocs_of[id] {
            push_data(&mut out, "ocs", &pod.ocses[ocs].name);
        }
        let link_type = &fabric.link_types[link.link_type];
        push_data(&mut out, "bandwidth_gbs", gigabytes(link_type.bandwidth_bps));
        push_data(&mut out, "latency_cycles", link_cycles(fabric, topology, id));
        out.push_str("</edge>\n");
    }
    out.push_str("</graph>\n</graphml>\n");
    out
}

fn push_data(out: &mut String, key: &str, value: impl std::fmt::Display) {
    push(out, format_args!("<data key=\"{key}\">{value}</data>"));
}
