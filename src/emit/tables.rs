//! Writes `tables/*.json` (`fabc.tables/1`), and the table of one router for people.

use super::json::{push, push_int, push_lines, push_numbers, quote, strings};
use fabc_base::ids::{NodeId, PortId};
use fabc_ir::{
    FaultSymmetry, ForwardingTables, GroupEntry, GroupTables, Image, RouterNames, Symmetry, TableEntry,
    TableKey,
};
use fabc_model::{Ecmp, Spreading, StageDigits, file_stem};

/// Whether the file lists only the canonical routers. This holds if the tables keep the symmetry that
/// `topology.json` names.
pub(super) fn keeps_topology_symmetry(tables: &Symmetry, topology: &Symmetry) -> bool {
    !tables.is_trivial() && tables == topology
}

/// The text of one scenario's file. `topology.json` lists the generators of `topology_symmetry`. `images` are
/// further faults that these tables serve.
pub fn tables_json(tables: &ForwardingTables, images: &[Image], topology_symmetry: &Symmetry) -> String {
    let canonical = keeps_topology_symmetry(&tables.symmetry, topology_symmetry);
    let listed: usize = tables.routers.iter().map(Vec::len).sum();
    let copies = if canonical { 1 } else { tables.symmetry.order() };
    // "[1023,-1,-1,5,1],\n" is 18 bytes.
    let mut out = String::with_capacity(listed * copies * 17 + 64 * tables.symmetry.node_count() + 256);
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.tables/1\",\"scenario\":{},\"vcs\":{},",
            quote(&tables.scenario),
            tables.vcs
        ),
    );
    push(
        &mut out,
        format_args!(
            "\"canonical\":{canonical},\"key\":{},{}\n",
            strings(tables.key.columns()),
            vc_rule(tables.key)
        ),
    );
    if !images.is_empty() {
        out.push_str("\"images\":");
        push_lines(&mut out, images, push_image);
        out.push_str(",\n");
    }
    out.push_str("\"routers\":");
    if canonical || tables.symmetry.is_trivial() {
        push_lines(
            &mut out,
            tables.symmetry.canonical_nodes().zip(&tables.routers),
            |out, (node, entries)| push_router(out, tables.key, node, entries),
        );
    } else {
        push_lines(&mut out, (0..tables.symmetry.node_count() as u32).map(NodeId), |out, node| {
            push_router(out, tables.key, node, &tables.router(node));
        });
    }
    out.push_str("}\n");
    out
}

/// The groups of one router as `fabc tables --router` prints them.
pub fn router_groups_text(names: &RouterNames, tables: &GroupTables, node: NodeId) -> String {
    let entries = &tables.routers[node.0 as usize];
    let mut out = format!(
        "router {} (node {node}), {}, {} entries\n",
        names.node(node),
        tables.scenario,
        entries.len()
    );
    let range = |entry: &GroupEntry| match entry.first == entry.last {
        true => names.node(entry.first),
        false => format!("{} to {}", names.node(entry.first), names.node(entry.last)),
    };
    let heads = entries.iter().map(|entry| range(entry).len());
    let width = heads.chain(["destinations".len()]).max().unwrap_or(0);
    push(&mut out, format_args!("{:<width$}      any of\n", "destinations"));
    for entry in entries {
        let is_weighted = !tables.weights[entry.group as usize].is_empty();
        let member = |(port, weight): (u16, u64)| {
            let weight = if is_weighted { format!(" x {weight}") } else { String::new() };
            names.port(PortId(port)) + &weight
        };
        let ports: Vec<String> = tables.members(node, entry.first).map(member).collect();
        push(&mut out, format_args!("{:<width$}  ->  {}\n", range(entry), ports.join(", ")));
    }
    out
}

/// The groups of one router as JSON (`fabc.tables/2`).
pub fn router_groups_json(tables: &GroupTables, spreading: Spreading, node: NodeId) -> String {
    let mut out = group_tables_head(tables, spreading, &[]);
    push_group_line(&mut out, node.0 as usize, &tables.routers[node.0 as usize]);
    out.push_str("\n]}\n");
    out
}

/// The text of one scenario's group tables (`fabc.tables/2`). `images` are further faults that these tables
/// serve.
pub(crate) fn group_tables_json(tables: &GroupTables, spreading: Spreading, images: &[Image]) -> String {
    let mut out = group_tables_head(tables, spreading, images);
    for (node, entries) in tables.routers.iter().enumerate() {
        out.push_str(if node > 0 { ",\n" } else { "" });
        push_group_line(&mut out, node, entries);
    }
    out.push_str("\n]");
    if !tables.relays.is_empty() {
        out.push_str(",\n\"relays\":");
        push_lines(&mut out, &tables.relays, |out, relay| {
            push_numbers(out, [relay.source, relay.destination, relay.relay]);
        });
    }
    out.push_str("}\n");
    out
}

/// The text up to the first router.
fn group_tables_head(tables: &GroupTables, spreading: Spreading, images: &[Image]) -> String {
    let kind = match spreading {
        Spreading::Spray => "\"spray\"".to_owned(),
        Spreading::Ecmp(Ecmp { hash, flows }) => {
            format!("\"ecmp\",\"hash\":{},\"flows\":{flows}", quote(hash.name()))
        }
    };
    let mut out = format!(
        "{{\"format\":\"fabc.tables/2\",\"scenario\":{},\"kind\":{kind},\"vcs\":1,\"key\":[\"dst\"],\n",
        quote(&tables.scenario)
    );
    if !images.is_empty() {
        out.push_str("\"images\":");
        push_lines(&mut out, images, push_image);
        out.push_str(",\n");
    }
    out.push_str("\"groups\":");
    push_lines(&mut out, &tables.groups, push_numbers);
    if tables.has_weights() {
        out.push_str(",\n\"weights\":");
        push_lines(&mut out, &tables.weights, push_numbers);
    }
    out.push_str(",\n\"routers\":[\n");
    out
}

fn push_group_line(out: &mut String, node: usize, entries: &[GroupEntry]) {
    push(out, format_args!("{{\"node\":{node},\"entries\":"));
    let entry = |&GroupEntry { first, last, group }: &GroupEntry| format!("[{first},{last},{group}]");
    push_numbers(out, entries.iter().map(entry));
    out.push('}');
}

/// `"vc":"hop",` if a rule gives the virtual channel, and not the entries.
pub(super) fn vc_rule(key: TableKey) -> String {
    key.vc_rule().map_or_else(String::new, |rule| format!("\"vc\":{},", quote(rule)))
}

/// Writes one of the further faults that a file serves.
pub(super) fn push_image(out: &mut String, image: &Image) {
    push(out, format_args!("{{\"scenario\":{},", quote(&image.scenario)));
    match &image.symmetry {
        FaultSymmetry::Blocks(blocks) => {
            out.push_str("\"cubes\":");
            push_numbers(out, blocks.iter().map(|block| block.0));
        }
        FaultSymmetry::Shift(stages) => {
            out.push_str("\"shift\":");
            let digits = |by: &StageDigits| format!("[{},{},{}]", by.down, by.up, by.cable);
            push_numbers(out, stages.iter().map(digits));
        }
    }
    out.push('}');
}

fn push_router(out: &mut String, key: TableKey, node: NodeId, entries: &[TableEntry]) {
    push(out, format_args!("{{\"node\":{node},\"entries\":"));
    push_lines(out, entries, |out, entry| {
        for (index, number) in entry.numbers(key).enumerate() {
            out.push(if index == 0 { '[' } else { ',' });
            push_int(out, number);
        }
        out.push(']');
    });
    out.push('}');
}

/// The full table of one router as `fabc tables --router` prints it.
pub fn router_table_text(names: &RouterNames, tables: &ForwardingTables, node: NodeId) -> String {
    let entries = tables.router(node);
    let mut out = format!(
        "router {} (node {node}), {}, {} entries, {} VCs\n",
        names.node(node),
        tables.scenario,
        entries.len(),
        tables.vcs
    );
    let width =
        entries.iter().map(|entry| names.node(entry.dst).len()).max().unwrap_or(0).max("destination".len());
    push(
        &mut out,
        format_args!(
            "{:<width$}  {:>6}  {:>6}  {:>5}      {:>6}  {:>6}\n",
            "destination", "node", "in", "in VC", "out", "out VC"
        ),
    );
    for entry in entries {
        let (port, vc) = match u16::try_from(entry.in_port) {
            Ok(port) => (names.port(PortId(port)), entry.in_vc.to_string()),
            Err(_) if tables.key.is_by_destination() => ("any".to_owned(), "any".to_owned()),
            Err(_) => ("inject".to_owned(), "-".to_owned()),
        };
        let out_vc = tables.key.vc_rule().map_or_else(|| entry.out_vc.to_string(), str::to_owned);
        let (name, to) = (names.node(entry.dst), names.port(PortId(entry.out_port)));
        push(
            &mut out,
            format_args!(
                "{name:<width$}  {:>6}  {port:>6}  {vc:>5}  ->  {to:>6}  {:>6}\n",
                entry.dst, out_vc
            ),
        );
    }
    out
}

/// The full table of one router as JSON (`fabc.tables/1`). The tables may keep any symmetry.
pub fn router_table_json(tables: &ForwardingTables, node: NodeId) -> String {
    let mut out = format!(
        "{{\"format\":\"fabc.tables/1\",\"scenario\":{},\"vcs\":{},",
        quote(&tables.scenario),
        tables.vcs
    );
    push(
        &mut out,
        format_args!(
            "\"canonical\":false,\"key\":{},{}\n\"routers\":",
            strings(tables.key.columns()),
            vc_rule(tables.key)
        ),
    );
    push_lines(&mut out, [node], |out, node| push_router(out, tables.key, node, &tables.router(node)));
    out.push_str("}\n");
    out
}

/// The path of a scenario's tables, without the extension, which depends on the form.
pub fn tables_path(scenario: &str) -> String {
    if scenario == "nominal" {
        "tables/nominal".to_owned()
    } else {
        format!("tables/fault-{}", file_stem(scenario))
    }
}
