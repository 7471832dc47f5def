//! Writes `topology.json` of a pod (`fabc.topology/1`): nodes, links with their ids, and the generators of
//! the symmetry. [`super::network`] writes that of a network.

use super::json::{push, push_int, push_lines, push_numbers, quote, strings};
use crate::compiled::WiredLinks;
use fabc_base::csv::quoted;
use fabc_ir::{CrossConnects, LinkClass, link_cycles};
use fabc_model::{PORT_NAMES, Pod};

/// The text of `topology.json`, for a pod.
pub(super) fn json(wiring: WiredLinks<'_>, pod: &Pod, cross_connects: &CrossConnects) -> String {
    let WiredLinks { fabric, topology, .. } = wiring;
    let mut out = String::with_capacity(64 * topology.node_count() + 80 * topology.links().len());
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.topology/1\",\"fabric\":{},\n\"ports\":{},\n",
            quote(&fabric.name),
            strings(PORT_NAMES)
        ),
    );
    out.push_str("\"nodes\":");
    push_lines(&mut out, topology.nodes(), |out, node| {
        let [x, y, z] = pod.coordinates(node);
        push(out, format_args!("{{\"id\":{node},\"cube\":{},\"at\":[{x},{y},{z}]}}", pod.cube_of(node)));
    });
    out.push_str(",\n\"links\":");
    push_lines(&mut out, topology.links().enumerate(), |out, (id, link)| {
        let kind = match link.class {
            LinkClass::Local => "copper",
            LinkClass::Global => "fiber",
        };
        push(
            out,
            format_args!(
                "{{\"id\":{id},\"a\":[{},{}],\"b\":[{},{}],",
                link.a.node, link.a.port, link.b.node, link.b.port
            ),
        );
        push(out, format_args!("\"kind\":\"{kind}\""));
        if let Some(ocs) = cross_connects.ocs_of[id] {
            push(out, format_args!(",\"ocs\":{}", quote(&pod.ocses[ocs].name)));
        }
        if fabric.floor.is_some() {
            push(out, format_args!(",\"length\":{}", topology.length(id)));
        }
        out.push('}');
    });
    out.push_str(",\n\"symmetry\":{\"generators\":");
    let symmetry = topology.symmetry();
    push_lines(&mut out, symmetry.generators(), |out, generator| {
        push_numbers(out, topology.nodes().map(|node| symmetry.image(generator, node)));
    });
    out.push_str("}}\n");
    out
}

/// The text of `topology.csv`, with one link per line.
pub(super) fn csv(wiring: WiredLinks<'_>, pod: &Pod, cross_connects: &CrossConnects) -> String {
    let WiredLinks { fabric, topology, .. } = wiring;
    let mut out = String::from("link,a_node,a_port,b_node,b_port,kind,ocs,bandwidth_gbs,latency_cycles\n");
    for (id, link) in topology.links().enumerate() {
        push_int(&mut out, i64::from(id.0));
        for end in [link.a, link.b] {
            push(&mut out, format_args!(",{},{}", end.node, PORT_NAMES[end.port.0 as usize]));
        }
        let kind = match link.class {
            LinkClass::Local => "copper",
            LinkClass::Global => "fiber",
        };
        let ocs = cross_connects.ocs_of[id].map_or(String::new(), |ocs| quoted(&pod.ocses[ocs].name));
        let link_type = &fabric.link_types[link.link_type];
        push(
            &mut out,
            format_args!(
                ",{kind},{ocs},{},{}\n",
                gigabytes(link_type.bandwidth_bps),
                link_cycles(fabric, topology, id)
            ),
        );
    }
    out
}

/// Converts bit/s to GB/s with three decimals.
pub(super) fn gigabytes(bits_per_second: u64) -> String {
    format!("{:.3}", bits_per_second as f64 / 8e9)
}
