//! The tiers of a network as Slurm reads them: `topology.conf` for the plugin `topology/tree`, and
//! `topology.yaml` with the same content for Slurm 25.05 and later.
//!
//! A router with hosts is a switch with nodes, and a router above is a switch with switches. Nodes are called
//! `host0`, `host1` and so on, in the order of their routers. Slurm takes the lowest switch that reaches all
//! nodes of a job, so every switch of the top tier is listed.

use super::chunks::{EmitError, Take};
use super::switch_names::{switch_name, tiered_family};
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Topology, topology_tiers};
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
    let switches = switches(&compiled.topology);
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
    take("topology.conf", conf.as_bytes())?;
    take("topology.yaml", yaml.as_bytes())
}

/// Refuses a fabric without tiers, and routers whose names would be the same.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    tiered_family("slurm_topology", fabric).map(|_| ())
}

/// The switches, from the lowest tier up.
fn switches(topology: &Topology) -> Vec<SlurmSwitch> {
    let tiers = topology_tiers(topology).expect("the fabric has tiers");
    let mut first_host = 0;
    let mut switches = Vec::with_capacity(topology.node_count());
    for node in topology.nodes() {
        let hosts = u32::from(topology.hosts(node));
        let nodes = match hosts {
            0 => String::new(),
            1 => format!("host{first_host}"),
            _ => format!("host[{first_host}-{}]", first_host + hosts - 1),
        };
        first_host += hosts;
        let heads = topology.channels_from(node).map(|channel| topology.target(channel).node);
        let mut below: Vec<NodeId> = heads.filter(|head| tiers[head.index()] < tiers[node.index()]).collect();
        below.sort_unstable();
        below.dedup();
        let names: Vec<String> = below.iter().map(|&node| switch_name(&topology.name(node))).collect();
        switches.push((
            tiers[node.index()],
            SlurmSwitch { name: switch_name(&topology.name(node)), nodes, switches: name_list(&names) },
        ));
    }
    switches.sort_by_key(|&(tier, _)| tier);
    switches.into_iter().map(|(_, switch)| switch).collect()
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
    fn consecutive_numbers_are_a_range() {
        let list = |names: &[&str]| name_list(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(list(&["leaf-0", "leaf-1", "leaf-2"]), "leaf-[0-2]");
        assert_eq!(list(&["agg-0-3", "agg-1-3", "edge-1-4"]), "agg-0-3,agg-1-3,edge-1-4");
        assert_eq!(list(&["a-9", "a-10", "b-11", "odd"]), "a-[9-10],b-11,odd");
        assert_eq!(list(&[]), "");
    }
}
