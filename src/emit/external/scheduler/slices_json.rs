//! Hosts, chips, slices and their state as JSON (`fabc.scheduler/1`), so that a scheduler needs no parser for
//! other files of fabc.

use super::super::chunks::{EmitError, Take};
use super::cluster::{Cluster, ClusterHost};
use crate::json::{push, push_lines, push_numbers, quote};
use fabc_base::ids::NodeId;
use fabc_ir::{Slice, SlicePlacement, router_names};
use fabc_model::{Pod, SliceKind, TopologyChoice};

const FILE: &str = "scheduler.json";

pub(super) fn write_cluster<E: From<EmitError>>(
    cluster: &Cluster<'_>,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let fabric = cluster.fabric;
    let endpoints = fabric.declared_hosts().iter().filter(|&&hosts| hosts > 0).count();
    let mut out = format!(
        "{{\"format\":\"fabc.scheduler/1\",\"fabric\":{},\"chips\":{endpoints},\n\"levels\":[",
        quote(&fabric.name)
    );
    let words: Vec<String> = cluster.levels.iter().rev().map(|level| quote(&level.word)).collect();
    push(&mut out, format_args!("{}]", words.join(",")));
    if let (Some(placement), Some(pod)) = (cluster.placement, fabric.pod()) {
        push_slices(&mut out, cluster, placement, pod);
    }
    out.push_str(",\n\"hosts\":");
    let names = router_names(fabric);
    push_lines(&mut out, cluster.hosts.iter().enumerate(), |out, (number, host)| {
        let ClusterHost { name, routers, state, slice } = host;
        push(out, format_args!("{{\"name\":{},\"state\":\"{}\",\"domains\":[", quote(name), state.name()));
        let domains = cluster.levels.iter().rev().map(|level| match &level.domain_of[number] {
            Some(domain) => quote(domain),
            None => "null".to_owned(),
        });
        push(out, format_args!("{}],", domains.collect::<Vec<_>>().join(",")));
        if let (Some(slice), Some(placement)) = (slice, cluster.placement) {
            push(out, format_args!("\"slice\":{},", quote(&placement.slices[*slice].name)));
        }
        push(out, format_args!("\"chips\":{}}}", quoted(routers.iter().map(|&router| names.node(router)))));
    });
    out.push_str("}\n");
    take(FILE, out.as_bytes())
}

/// Adds kinds, classes of cubes, slices, and the cubes outside of slices.
fn push_slices(out: &mut String, cluster: &Cluster<'_>, placement: &SlicePlacement, pod: &Pod) {
    let kinds = &cluster.fabric.slices.kinds;
    out.push_str(",\n\"kinds\":");
    push_lines(out, kinds, |out, kind: &SliceKind| {
        let chips = kind.pod().node_count();
        push(
            out,
            format_args!(
                "{{\"name\":{},\"cubes\":{},\"chips\":{chips},\"count\":{}",
                quote(&kind.name),
                kind.cubes(),
                kind.count
            ),
        );
        // Boxes of a torus have a place for every chip.
        if let TopologyChoice::Torus(dims) = kind.pod().topology {
            out.push_str(",\"torus\":");
            push_numbers(out, dims);
        }
        out.push('}');
    });
    out.push_str(",\n\"classes\":");
    push_lines(out, pod.classes(), |out, class| push_numbers(out, &class.cubes));
    out.push_str(",\n\"slices\":");
    push_lines(out, &placement.slices, |out, Slice { name, kind, cubes }| {
        push(out, format_args!("{{\"name\":{},\"kind\":{},\"cubes\":", quote(name), quote(kind)));
        push_numbers(out, cubes);
        let cube_chips = pod.chips_per_cube();
        let chips = cubes.iter().flat_map(|cube| (0..cube_chips).map(move |chip| cube.0 * cube_chips + chip));
        push(out, format_args!(",\"chips\":{}}}", quoted(chips.map(|chip| pod.node_name(NodeId(chip))))));
    });
    for (word, cubes) in [
        ("free", placement.free(pod.cubes)),
        ("spare", placement.spare.difference(&placement.down).copied().collect()),
        ("down", placement.down.iter().copied().collect()),
    ] {
        push(out, format_args!(",\n\"{word}\":"));
        push_numbers(out, &cubes);
    }
}

/// A list of names as JSON.
fn quoted(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| quote(&name)).collect();
    format!("[{}]", names.join(","))
}
