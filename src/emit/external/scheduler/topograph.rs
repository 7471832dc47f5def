//! Nodes of Kubernetes with the labels that topograph gives them, for `kubectl apply --server-side`.
//!
//! Source: docs/reference/node-labels.md of NVIDIA/topograph, version 1.0.

use super::super::chunks::{EmitError, Take};
use super::cluster::Cluster;
use super::labels::{NodeLabel, check_labels, node_labels};
use crate::json::push;

pub(super) fn write_nodes<E: From<EmitError>>(
    cluster: &Cluster<'_>,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    check_labels("topograph", cluster)?;
    for (number, host) in cluster.hosts.iter().enumerate() {
        let mut node = format!("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n", host.name);
        let labels: Vec<NodeLabel> =
            node_labels(cluster, number).into_iter().filter(|label| label.value.is_some()).collect();
        node.push_str(if labels.is_empty() { "  labels: {}\n" } else { "  labels:\n" });
        for NodeLabel { key, value } in &labels {
            push(&mut node, format_args!("    {key}: \"{}\"\n", value.as_deref().unwrap_or_default()));
        }
        take("nodes.yaml", node.as_bytes())?;
    }
    Ok(())
}
