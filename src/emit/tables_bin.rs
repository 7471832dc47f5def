//! Writes `tables/*.bin` (`fabc.tables.bin/1`), which holds what `fabc.tables/1` does in about one byte per
//! entry. The file is one line of JSON, then the packed routers.

use super::json::{push, quote, strings};
use super::tables::{keeps_topology_symmetry, push_image, vc_rule};
use fabc_ir::{ForwardingTables, Image, PackedTables, Symmetry};

/// The contents of the file. `topology.json` lists the generators of `topology_symmetry`. `images` are
/// further faults that these tables serve.
pub(super) fn bytes(tables: &PackedTables, images: &[Image], topology_symmetry: &Symmetry) -> Vec<u8> {
    if tables.symmetry.is_trivial() || keeps_topology_symmetry(&tables.symmetry, topology_symmetry) {
        return file(tables, images);
    }
    let tables = tables.unpacked();
    let symmetry = tables.symmetry.to_trivial();
    let routers = symmetry.canonical_nodes().map(|node| tables.router(node)).collect();
    file(&PackedTables::pack(&ForwardingTables { symmetry, routers, ..tables }), images)
}

fn file(tables: &PackedTables, images: &[Image]) -> Vec<u8> {
    let PackedTables { scenario, vcs, key, symmetry, actions, body } = tables;
    let mut head =
        format!("{{\"format\":\"fabc.tables.bin/1\",\"scenario\":{},\"vcs\":{vcs},", quote(scenario));
    push(
        &mut head,
        format_args!(
            "\"canonical\":{},\"key\":{},{}",
            !symmetry.is_trivial(),
            strings(key.columns()),
            vc_rule(*key)
        ),
    );
    if !images.is_empty() {
        head.push_str("\"images\":[");
        for (index, image) in images.iter().enumerate() {
            head.push_str(if index > 0 { "," } else { "" });
            push_image(&mut head, image);
        }
        head.push_str("],");
    }
    push(
        &mut head,
        format_args!(
            "\"nodes\":{},\"routers\":{},\"actions\":[",
            symmetry.node_count(),
            symmetry.class_count()
        ),
    );
    for (number, (in_port, in_vc, out_port, out_vc)) in actions.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        push(&mut head, format_args!("{comma}[{in_port},{in_vc},{out_port},{out_vc}]"));
    }
    head.push_str("]}\n");
    [head.as_bytes(), body].concat()
}
