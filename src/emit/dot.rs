//! Writes `topology.dot` of a pod for Graphviz, with one cluster per cube.

use super::json::push;
use crate::compiled::WiredLinks;
use fabc_base::ids::{BlockId, Id};
use fabc_ir::{CrossConnects, LinkClass};
use fabc_model::{PORT_NAMES, Pod};

pub(super) fn dot(wiring: WiredLinks<'_>, pod: &Pod, cross_connects: &CrossConnects) -> String {
    let WiredLinks { fabric, topology, .. } = wiring;
    let mut out = format!("graph \"{}\" {{\n  node [shape=box, fontsize=10];\n", fabric.name);
    for cube in (0..pod.cubes).map(BlockId) {
        push(&mut out, format_args!("  subgraph \"cluster_cube{cube}\" {{\n    label=\"cube {cube}\";\n"));
        for node in topology.nodes().filter(|&node| pod.cube_of(node) == cube) {
            let [x, y, z] = pod.coordinates(node);
            push(&mut out, format_args!("    \"{node}\" [label=\"{x},{y},{z}\"];\n"));
        }
        out.push_str("  }\n");
    }
    for (id, link) in topology.links().enumerate() {
        let [a, b] = [link.a, link.b].map(|end| PORT_NAMES[end.port.index()]);
        push(&mut out, format_args!("  \"{}\" -- \"{}\" [", link.a.node, link.b.node));
        match (link.class, cross_connects.ocs_of[id]) {
            (LinkClass::Global, Some(ocs)) => {
                push(
                    &mut out,
                    format_args!(
                        "tooltip=\"{} {a} {b}\", color=\"#2f6fde\", constraint=false];\n",
                        pod.ocses[ocs].name
                    ),
                );
            }
            _ => push(&mut out, format_args!("tooltip=\"{a} {b}\", color=\"#8a8f98\"];\n")),
        }
    }
    out.push_str("}\n");
    out
}
