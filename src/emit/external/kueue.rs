//! The tiers of a network as Kueue reads them: a `Topology` of node labels, outermost first, and the lines of
//! `kubectl` that label the nodes.
//!
//! A level is a tier of switches. The domain of a host in a tier is the block that its leaf belongs to: the
//! switches of the tier that the tiers up to it join. It is called after the first of them. The lowest level
//! is the node itself, which is a box where the fabric has boxes of GPUs. The labels of up to three tiers are
//! those of topograph until its version 0.5. The labels of more tiers are those of its version 1.0.

use super::chunks::{EmitError, Take};
use super::switch_names::{switch_name, tiered_family};
use crate::compiled::CompiledFabric;
use crate::host_blocks::HostBlocks;
use crate::json::push;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;
use fabc_model::Fabric;

const FORMAT: &str = "kueue";

/// The label that Kubernetes gives to every node, the lowest level.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The labels of up to three tiers, from the bottom up.
const NAMED_TIERS: [&str; 3] = [
    "network.topology.nvidia.com/leaf",
    "network.topology.nvidia.com/spine",
    "network.topology.nvidia.com/core",
];

/// The most levels of a `Topology`, with that of the node.
const MOST_LEVELS: usize = 8;

/// The most letters of the value of a label.
const LABEL_LETTERS: usize = 63;

pub(super) fn topology<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let topology = &compiled.topology;
    let blocks = HostBlocks::new(compiled);
    let domains = domains(&blocks, topology)?;
    let keys = label_keys(domains.len());
    let name = object_name(&compiled.fabric.name);
    let mut object = format!(
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata:\n  name: {name}\nspec:\n  levels:\n"
    );
    for key in keys.iter().rev().map(String::as_str).chain([HOSTNAME]) {
        push(&mut object, format_args!("  - nodeLabel: {key}\n"));
    }
    take("topology.yaml", object.as_bytes())?;
    let mut labels = String::new();
    for host in 0..blocks.host_count() {
        push(&mut labels, format_args!("kubectl label node {}{host} --overwrite", blocks.host_word()));
        for (key, domain_of) in keys.iter().zip(&domains).rev() {
            push(&mut labels, format_args!(" {key}={}", domain_of[host as usize]));
        }
        labels.push('\n');
    }
    take("labels.sh", labels.as_bytes())
}

/// Refuses a fabric without tiers, and routers whose names are no labels or would be the same.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    let family = tiered_family(FORMAT, fabric)?;
    let names = family.router_names();
    let is_label = |name: &str| {
        name.len() <= LABEL_LETTERS
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.ends_with(|last: char| last.is_ascii_alphanumeric())
    };
    let mut switches = (0..family.router_count()).map(|router| switch_name(&names.node(NodeId::new(router))));
    if !switches.all(|name| is_label(&name)) {
        let reason = "a label has at most 63 letters and digits, with `-` and `_` inside, and a router has another name";
        return Err(EmitError::NotHeld { format: FORMAT, reason });
    }
    Ok(())
}

/// `[tier][host]`: the domain of a host.
fn domains(blocks: &HostBlocks<'_>, topology: &Topology) -> Result<Vec<Vec<String>>, EmitError> {
    let refused = |reason| EmitError::NotHeld { format: FORMAT, reason };
    let top = blocks.top();
    if top as usize + 2 > MOST_LEVELS {
        return Err(refused(
            "a topology of Kueue has at most 8 levels, seven tiers of switches and the node",
        ));
    }
    let mut domains = vec![vec![String::new(); blocks.host_count() as usize]; top as usize + 1];
    for (tier, domain_of) in (0..).zip(&mut domains) {
        let mut is_listed = vec![false; topology.node_count()];
        for first in blocks.switches(tier) {
            if is_listed[first.index()] {
                continue;
            }
            let block = blocks.block(first);
            block.switches.iter().for_each(|switch| is_listed[switch.index()] = true);
            let name = switch_name(&topology.name(first));
            block.hosts.iter().for_each(|&host| domain_of[host as usize].clone_from(&name));
        }
        if domain_of.iter().any(String::is_empty) {
            return Err(refused("a host has no switch of some tier above it"));
        }
    }
    Ok(domains)
}

/// The labels of the tiers, from the bottom up.
fn label_keys(tiers: usize) -> Vec<String> {
    match NAMED_TIERS.get(..tiers) {
        Some(named) => named.iter().map(|&key| key.to_owned()).collect(),
        None => (0..tiers).map(|tier| format!("fabric.topograph.run/tier-{tier}")).collect(),
    }
}

/// The name of a fabric as the name of an object of Kubernetes: small letters, digits and `-`.
fn object_name(fabric: &str) -> String {
    let plain = |letter: char| if letter == '_' { '-' } else { letter.to_ascii_lowercase() };
    let name: String = fabric.chars().map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "fabric".to_owned() } else { name.to_owned() }
}
