//! The tiers of a network: a level of domains per tier, and the switches as trees list them.
//!
//! A leaf is a switch with nodes, and a router above is a switch with switches. The leaves at which the NICs
//! of a box stand are one switch, called after the first of them. The domain of a host in a tier is the block
//! that its leaf belongs to: the switches of the tier that the tiers up to it join.

use super::super::chunks::EmitError;
use super::super::switch_names::switch_name;
use super::levels::ClusterLevel;
use crate::compiled::CompiledFabric;
use crate::host_blocks::HostBlocks;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;

/// A switch as a tree lists it.
pub(super) struct SwitchLine {
    pub(super) name: String,
    /// The hosts at the switch, by name. Empty for a switch without hosts.
    pub(super) nodes: Vec<String>,
    /// The switches below. Empty for a switch of the lowest tier.
    pub(super) switches: Vec<String>,
}

/// The levels and the switches of a network in tiers. `names` are those of the hosts by place, and
/// `host_of_place` says which host a place belongs to.
pub(super) fn tier_levels(
    format: &'static str,
    compiled: &CompiledFabric,
    names: &[&str],
    host_of_place: &[usize],
) -> Result<(Vec<ClusterLevel>, Vec<SwitchLine>), EmitError> {
    let blocks = HostBlocks::new(compiled);
    let topology = &compiled.topology;
    let levels = domains(format, &blocks, topology)?.into_iter().enumerate().map(|(tier, by_place)| {
        let mut domain_of = vec![None; host_of_place.iter().max().map_or(0, |last| last + 1)];
        for (place, domain) in by_place.into_iter().enumerate() {
            domain_of[host_of_place[place]] = Some(domain);
        }
        ClusterLevel { word: format!("tier {tier}"), is_direct: false, domain_of }
    });
    Ok((levels.collect(), switches(&blocks, topology, names)))
}

/// `[tier][place of a host]`: the domain of a host.
fn domains(
    format: &'static str,
    blocks: &HostBlocks<'_>,
    topology: &Topology,
) -> Result<Vec<Vec<String>>, EmitError> {
    let mut domains = vec![vec![String::new(); blocks.host_count() as usize]; blocks.top() as usize + 1];
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
        if format != "slurm_topology" && domain_of.iter().any(String::is_empty) {
            let reason = "a host has no switch of some tier above it";
            return Err(EmitError::NotHeld { format, reason });
        }
    }
    Ok(domains)
}

/// The switches, from the lowest tier up.
fn switches(blocks: &HostBlocks<'_>, topology: &Topology, names: &[&str]) -> Vec<SwitchLine> {
    let mut switch_names: Vec<String> =
        topology.nodes().map(|node| switch_name(&topology.name(node))).collect();
    let mut switches = Vec::new();
    let mut is_listed = vec![false; topology.node_count()];
    for leaf in blocks.switches(0) {
        if is_listed[leaf.index()] {
            continue;
        }
        let block = blocks.block(leaf);
        let name = switch_names[leaf.index()].clone();
        for switch in &block.switches {
            is_listed[switch.index()] = true;
            switch_names[switch.index()].clone_from(&name);
        }
        let mut nodes: Vec<String> =
            block.hosts.iter().map(|&host| names[host as usize].to_owned()).collect();
        nodes.dedup();
        switches.push(SwitchLine { name, nodes, switches: Vec::new() });
    }
    for tier in 1..=blocks.top() {
        for switch in blocks.switches(tier) {
            let heads = topology.channels_from(switch).map(|channel| topology.target(channel).node);
            let mut below: Vec<NodeId> = heads.filter(|&head| blocks.tier(head) < Some(tier)).collect();
            below.sort_unstable();
            let mut below: Vec<String> =
                below.iter().map(|head| switch_names[head.index()].clone()).collect();
            below.dedup();
            let name = switch_names[switch.index()].clone();
            switches.push(SwitchLine { name, nodes: Vec::new(), switches: below });
        }
    }
    switches
}
