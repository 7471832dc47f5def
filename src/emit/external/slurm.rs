//! The tiers of a network as Slurm reads them: `topology.conf` for the plugin `topology/tree`, and
//! `topology.yaml` with the same content for Slurm 25.05 and later.
//!
//! A leaf is a switch with nodes, and a router above is a switch with switches. Nodes are called `host0`,
//! `host1` and so on, in the order of their routers. A box of GPUs is one node, called `box0`. The leaves at
//! which the NICs of a box stand are one switch, called after the first of them. Slurm takes the lowest
//! switch that reaches all nodes of a job, so every switch of the top tier is listed.
//!
//! `topology.yaml` has the same leaves as blocks for the plugin `topology/block` too. The base size of a
//! block is the number of nodes of the smallest one.

use super::chunks::{EmitError, Take};
use super::switch_names::{switch_name, tiered_family};
use crate::compiled::CompiledFabric;
use crate::host_blocks::HostBlocks;
use crate::json::push;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;
use fabc_model::Fabric;
use std::fmt::Write;

/// A switch as Slurm lists it.
struct SlurmSwitch {
    name: String,
    /// The nodes at the switch, as a list of Slurm. Empty for a switch without nodes.
    nodes: String,
    /// The switches below, as a list of Slurm. Empty for a switch of the lowest tier.
    switches: String,
}

pub(super) fn topology<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let blocks = HostBlocks::new(compiled);
    let leaves = leaves(&blocks, &compiled.topology);
    let switches = switches(&blocks, &leaves, &compiled.topology);
    let mut conf = String::new();
    let mut yaml =
        format!("- topology: {}\n  cluster_default: true\n  tree:\n    switches:\n", compiled.fabric.name);
    for SlurmSwitch { name, nodes, switches } in &switches {
        push(&mut conf, format_args!("SwitchName={name}"));
        push(&mut yaml, format_args!("      - switch: {name}\n"));
        if !nodes.is_empty() {
            push(&mut conf, format_args!(" Nodes={nodes}"));
            push(&mut yaml, format_args!("        nodes: {nodes}\n"));
        }
        if !switches.is_empty() {
            push(&mut conf, format_args!(" Switches={switches}"));
            push(&mut yaml, format_args!("        children: {switches}\n"));
        }
        conf.push('\n');
    }
    push_blocks(&mut yaml, &compiled.fabric.name, &leaves, blocks.host_word());
    take("topology.conf", conf.as_bytes())?;
    take("topology.yaml", yaml.as_bytes())
}

/// Refuses a fabric without tiers, and routers whose names would be the same.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    tiered_family("slurm_topology", fabric).map(|_| ())
}

/// Leaves that share hosts, with the hosts below them.
struct LeafBlock {
    name: String,
    leaves: Vec<NodeId>,
    hosts: Vec<u32>,
}

/// The blocks of leaves, by their first leaf.
fn leaves(blocks: &HostBlocks<'_>, topology: &Topology) -> Vec<LeafBlock> {
    let mut is_listed = vec![false; topology.node_count()];
    let mut found = Vec::new();
    for leaf in blocks.switches(0) {
        if !is_listed[leaf.index()] {
            let block = blocks.block(leaf);
            block.switches.iter().for_each(|switch| is_listed[switch.index()] = true);
            let name = switch_name(&topology.name(leaf));
            found.push(LeafBlock { name, leaves: block.switches, hosts: block.hosts });
        }
    }
    found
}

/// The switches, from the lowest tier up.
fn switches(blocks: &HostBlocks<'_>, leaves: &[LeafBlock], topology: &Topology) -> Vec<SlurmSwitch> {
    let mut names: Vec<String> = topology.nodes().map(|node| switch_name(&topology.name(node))).collect();
    let mut switches = Vec::new();
    for block in leaves {
        let nodes = host_list(blocks.host_word(), &block.hosts);
        switches.push(SlurmSwitch { name: block.name.clone(), nodes, switches: String::new() });
        block.leaves.iter().for_each(|leaf| names[leaf.index()].clone_from(&block.name));
    }
    for tier in 1..=blocks.top() {
        for switch in blocks.switches(tier) {
            let heads = topology.channels_from(switch).map(|channel| topology.target(channel).node);
            let mut below: Vec<NodeId> = heads.filter(|&head| blocks.tier(head) < Some(tier)).collect();
            below.sort_unstable();
            let mut below: Vec<String> = below.iter().map(|head| names[head.index()].clone()).collect();
            below.dedup();
            let name = names[switch.index()].clone();
            switches.push(SlurmSwitch { name, nodes: String::new(), switches: name_list(&below) });
        }
    }
    switches
}

/// Adds the leaves as blocks. Every size of blocks is twice the one before.
fn push_blocks(yaml: &mut String, fabric: &str, leaves: &[LeafBlock], host_word: &str) {
    let smallest = leaves.iter().map(|block| block.hosts.len()).min().unwrap_or(1);
    push(
        yaml,
        format_args!("- topology: {fabric}-blocks\n  cluster_default: false\n  block:\n    block_sizes:\n"),
    );
    let sizes = std::iter::successors(Some(1), |&blocks: &usize| blocks.checked_mul(2));
    for blocks in sizes.take_while(|&blocks| blocks <= leaves.len()) {
        push(yaml, format_args!("      - {}\n", smallest * blocks));
    }
    yaml.push_str("    blocks:\n");
    for LeafBlock { name, hosts, .. } in leaves {
        let nodes = host_list(host_word, hosts);
        push(yaml, format_args!("      - block: {name}\n        nodes: {nodes}\n"));
    }
}

/// A list of hosts for Slurm, such as `host[0-3,8]`.
fn host_list(word: &str, hosts: &[u32]) -> String {
    if let [host] = hosts {
        return format!("{word}{host}");
    }
    let runs = hosts.chunk_by(|first, second| first + 1 == *second);
    let runs: Vec<String> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            _ => run[0].to_string(),
        })
        .collect();
    format!("{word}[{}]", runs.join(","))
}

/// A list of names for Slurm. Neighbors that differ in their last number only are a range: `leaf-[0-31]`.
fn name_list(names: &[String]) -> String {
    let split = |name: &str| -> Option<(String, u32)> {
        let (stem, number) = name.rsplit_once('-')?;
        Some((stem.to_owned(), number.parse().ok()?))
    };
    let follows = |first: &String, second: &String| match (split(first), split(second)) {
        (Some((stem, number)), Some((other, next))) => stem == other && number + 1 == next,
        _ => false,
    };
    let mut list = String::new();
    for run in names.chunk_by(follows) {
        if !list.is_empty() {
            list.push(',');
        }
        match (run, split(&run[0])) {
            ([_, .., last], Some((stem, first))) => {
                let last = split(last).map_or(first, |(_, number)| number);
                write!(list, "{stem}-[{first}-{last}]").expect("a text takes every write");
            }
            _ => list.push_str(&run[0]),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_a_row_are_a_range() {
        assert_eq!(host_list("box", &[0, 1, 2, 5, 7, 8]), "box[0-2,5,7-8]");
        assert_eq!(host_list("host", &[3]), "host3");
    }

    #[test]
    fn consecutive_numbers_are_a_range() {
        let list = |names: &[&str]| name_list(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(list(&["leaf-0", "leaf-1", "leaf-2"]), "leaf-[0-2]");
        assert_eq!(list(&["agg-0-3", "agg-1-3", "edge-1-4"]), "agg-0-3,agg-1-3,edge-1-4");
        assert_eq!(list(&["a-9", "a-10", "b-11", "odd"]), "a-[9-10],b-11,odd");
        assert_eq!(list(&[]), "");
    }
}
