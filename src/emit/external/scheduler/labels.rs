//! The labels that nodes of Kubernetes get, and the names that Kubernetes takes.
//!
//! Keys are those of topograph. Chips that forward packets themselves are accelerator domains. Switches are
//! tiers of the fabric, tier 0 next to the node. Two more labels say which fabric and which kind of slice a
//! node belongs to.

use super::super::chunks::EmitError;
use super::cluster::{Cluster, HostState};
use super::levels::ClusterLevel;

/// The label with the name of the fabric.
pub(super) const FABRIC: &str = "fabc-fabric";

/// The label with the kind of slice.
pub(super) const KIND: &str = "fabc-kind";

/// The label that Kubernetes gives to every node, the lowest level.
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The keys of two levels of accelerator domains, from the bottom up.
const ACCELERATOR: [&str; 2] = ["accelerator.topograph.run/sub-domain", "accelerator.topograph.run/domain"];

/// Maximum letters of the name of a node.
const NODE_LETTERS: usize = 253;

/// Maximum letters of the value of a label.
const LABEL_LETTERS: usize = 63;

/// A label of a node. Without a value, the node must not have it.
pub(super) struct NodeLabel {
    pub(super) key: String,
    pub(super) value: Option<String>,
}

/// The keys of the levels, from the bottom up.
pub(super) fn level_keys(levels: &[ClusterLevel]) -> Vec<String> {
    let direct = levels.iter().filter(|level| level.is_direct).count();
    let key = |(tier, level): (usize, &ClusterLevel)| match level.is_direct {
        true => ACCELERATOR[(tier + ACCELERATOR.len()).saturating_sub(direct).min(1)].to_owned(),
        false => format!("fabric.topograph.run/tier-{tier}"),
    };
    levels.iter().enumerate().map(key).collect()
}

/// The labels of a host, outermost level first.
pub(super) fn node_labels(cluster: &Cluster<'_>, host: usize) -> Vec<NodeLabel> {
    let line = &cluster.hosts[host];
    let is_up = line.state != HostState::Down;
    let mut labels =
        vec![NodeLabel { key: FABRIC.to_owned(), value: is_up.then(|| object_name(&cluster.fabric.name)) }];
    if let Some(placement) = cluster.placement {
        let kind = line.slice.map(|slice| placement.slices[slice].kind.clone());
        labels.push(NodeLabel { key: KIND.to_owned(), value: kind });
    }
    for (key, level) in level_keys(&cluster.levels).into_iter().zip(&cluster.levels).rev() {
        labels.push(NodeLabel { key, value: level.domain_of[host].clone().filter(|_| is_up) });
    }
    labels
}

/// A name of a spec as the name of an object of Kubernetes: small letters, digits and `-`.
pub(super) fn object_name(name: &str) -> String {
    let plain = |letter: char| if letter == '_' { '-' } else { letter.to_ascii_lowercase() };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "fabric".to_owned() } else { name.to_owned() }
}

/// Refuses hosts that are no names of nodes.
///
/// # Errors
/// [`EmitError::HostName`] for the first such host.
pub(super) fn check_node_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(), EmitError> {
    for name in names {
        let is_plain = |letter: char| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '.')
        };
        let is_label = |label: &str| {
            label.ends_with(|last: char| last.is_ascii_alphanumeric()) && !label.starts_with('-')
        };
        if !name.chars().all(is_plain) || !name.split('.').all(is_label) || name.len() > NODE_LETTERS {
            let problem =
                format!("Kubernetes has no node `{name}`, but small letters, digits, `-` and `.` inside");
            return Err(EmitError::HostName { problem });
        }
    }
    Ok(())
}

/// Refuses domains and kinds that are no values of labels.
///
/// # Errors
/// [`EmitError::NotHeld`] if there is one.
pub(super) fn check_labels(format: &'static str, cluster: &Cluster<'_>) -> Result<(), EmitError> {
    let values = (0..cluster.hosts.len()).flat_map(|host| node_labels(cluster, host));
    let is_value = |value: &str| {
        value.len() <= LABEL_LETTERS
            && value.starts_with(|first: char| first.is_ascii_alphanumeric())
            && value.ends_with(|last: char| last.is_ascii_alphanumeric())
    };
    if values.flat_map(|label| label.value).any(|value| !is_value(&value)) {
        let reason = "a label has at most 63 letters and digits, with `-` and `_` inside, and the fabric, a slice or a kind has another name";
        return Err(EmitError::NotHeld { format, reason });
    }
    Ok(())
}
