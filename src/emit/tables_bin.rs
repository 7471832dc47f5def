//! `tables/*.bin` (`fabc.tables.bin/1`): what `fabc.tables/1` says, in about a byte per entry. One line of
//! JSON, then the packed routers.

use super::json::{push, quote, strings};
use super::tables::{canonical, push_image, vc_rule};
use fabc_ir::{ForwardingTables, Image, PackedTables, Symmetry};

/// The file; `topology_symmetry` is the one whose generators stand in `topology.json`, `images` are the
/// faults that it serves as well.
pub(super) fn bytes(tables: &PackedTables, images: &[Image], topology_symmetry: &Symmetry) -> Vec<u8> {
    if tables.symmetry.is_trivial() || canonical(&tables.symmetry, topology_symmetry) {
        return file(tables, images);
    }
    let tables = tables.unpacked();
    let symmetry = tables.symmetry.without();
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
        for (number, image) in images.iter().enumerate() {
            head.push_str(if number > 0 { "," } else { "" });
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
