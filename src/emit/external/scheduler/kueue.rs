//! The levels of a cluster as Kueue reads them: a `Topology` of node labels, outermost first, a
//! `ResourceFlavor` of the nodes of the fabric or of every kind of slice, and the lines of `kubectl` that
//! label the nodes.
//!
//! The lowest level is the node itself. Source: the custom resource definitions of kubernetes-sigs/kueue,
//! `v1beta2`.

use super::super::chunks::{EmitError, Take};
use super::cluster::Cluster;
use super::labels::{FABRIC, HOSTNAME, KIND, NodeLabel, check_labels, level_keys, node_labels, object_name};
use crate::json::push;

const FORMAT: &str = "kueue";

/// The most levels of a `Topology`, with that of the node.
const MOST_LEVELS: usize = 8;

pub(super) fn write_objects<E: From<EmitError>>(
    cluster: &Cluster<'_>,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    if cluster.levels.len() + 1 > MOST_LEVELS {
        let reason = "a topology of Kueue has at most 8 levels, seven tiers of switches and the node";
        return Err(EmitError::NotHeld { format: FORMAT, reason }.into());
    }
    check_labels(FORMAT, cluster)?;
    take("topology.yaml", objects(cluster).as_bytes())?;
    let mut lines = String::new();
    for (number, host) in cluster.hosts.iter().enumerate() {
        push(&mut lines, format_args!("kubectl label node {} --overwrite", host.name));
        for NodeLabel { key, value } in node_labels(cluster, number) {
            match value {
                Some(value) => push(&mut lines, format_args!(" {key}={value}")),
                // A label that an earlier placement gave is removed.
                None => push(&mut lines, format_args!(" {key}-")),
            }
        }
        lines.push('\n');
    }
    take("labels.sh", lines.as_bytes())
}

/// The `Topology` and the flavors.
fn objects(cluster: &Cluster<'_>) -> String {
    let name = object_name(&cluster.fabric.name);
    let mut text = format!(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: {name}\nspec:\n  levels:\n"
    );
    let keys = level_keys(&cluster.levels);
    for key in keys.iter().rev().map(String::as_str).chain([HOSTNAME]) {
        push(&mut text, format_args!("  - nodeLabel: {key}\n"));
    }
    let kinds = cluster.fabric.slices.kinds.iter().filter(|_| cluster.placement.is_some());
    let of_kinds: Vec<(String, Option<&str>)> = kinds
        .map(|kind| (object_name(&format!("{}-{}", cluster.fabric.name, kind.name)), Some(&*kind.name)))
        .collect();
    let whole = [(name.clone(), None)];
    for (flavor, kind) in if of_kinds.is_empty() { &whole[..] } else { &of_kinds } {
        push(
            &mut text,
            format_args!(
                "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata:\n  name: {flavor}\n\
                 spec:\n  nodeLabels:\n    {FABRIC}: \"{name}\"\n"
            ),
        );
        if let Some(kind) = kind {
            push(&mut text, format_args!("    {KIND}: \"{kind}\"\n"));
        }
        push(&mut text, format_args!("  topologyName: {name}\n"));
    }
    text
}
