//! A cluster as Slurm reads it: `topology.conf` for the plugin `topology/tree`, and `topology.yaml` with the
//! same tree, with blocks, and with tori, for Slurm 25.05 and later.
//!
//! Slurm takes the lowest switch that reaches all nodes of a job. A network in tiers has its own switches.
//! Elsewhere the domains of every level are switches. No switch joins two slices, because no cross-connect
//! does, and a cube outside of all slices is a switch alone.
//!
//! Blocks are the slices, or else the leaves: the lowest level. The base size of a block is the number of
//! nodes of the smallest one. Tori are in `torus.rs`. Source: doc/man/man5/topology.yaml.5 of SchedMD/slurm.

use super::super::chunks::{EmitError, Take};
use super::cluster::Cluster;
use super::hostlist::name_list;
use super::levels::ClusterLevel;
use super::tiered::SwitchLine;
use super::torus::{HostTorus, host_tori};
use crate::json::push;

pub(super) fn write_topology<E: From<EmitError>>(
    cluster: &Cluster<'_>,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let levels = switches_of_levels(cluster);
    let switches = if cluster.tiers.is_empty() { &levels } else { &cluster.tiers };
    let name = &cluster.fabric.name;
    let mut conf = String::new();
    let mut yaml = format!("- topology: {name}\n  cluster_default: true\n  tree:\n    switches:\n");
    for SwitchLine { name, nodes, switches } in switches {
        let [nodes, switches] = [nodes, switches].map(|names| name_list(names.iter().map(String::as_str)));
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
    push_blocks(&mut yaml, cluster, switches);
    push_tori(&mut yaml, cluster);
    take("topology.conf", conf.as_bytes())?;
    take("topology.yaml", yaml.as_bytes())
}

/// The domains of all levels as switches, from the lowest level up.
fn switches_of_levels(cluster: &Cluster<'_>) -> Vec<SwitchLine> {
    let mut switches = Vec::new();
    let mut below: Option<&ClusterLevel> = None;
    for level in &cluster.levels {
        for (domain, hosts) in level.domains() {
            let mut line = SwitchLine { name: domain.to_owned(), nodes: Vec::new(), switches: Vec::new() };
            match below {
                None => line.nodes = hosts.iter().map(|&host| cluster.hosts[host].name.clone()).collect(),
                Some(below) => {
                    let names = hosts.iter().filter_map(|&host| below.domain_of[host].clone());
                    line.switches = names.collect();
                    line.switches.dedup();
                }
            }
            switches.push(line);
        }
        below = Some(level);
    }
    switches
}

/// Adds the blocks. Every size of blocks is twice the one before. Slices are not joined to larger blocks.
fn push_blocks(yaml: &mut String, cluster: &Cluster<'_>, switches: &[SwitchLine]) {
    let slices = cluster.levels.last().filter(|_| cluster.placement.is_some());
    let blocks: Vec<(&str, String, usize)> = match slices {
        Some(slices) => slices
            .domains()
            .into_iter()
            .map(|(name, hosts)| {
                let names = hosts.iter().map(|&host| cluster.hosts[host].name.as_str());
                (name, name_list(names), hosts.len())
            })
            .collect(),
        None => switches
            .iter()
            .filter(|switch| !switch.nodes.is_empty())
            .map(|switch| {
                let nodes = name_list(switch.nodes.iter().map(String::as_str));
                (switch.name.as_str(), nodes, switch.nodes.len())
            })
            .collect(),
    };
    let Some(smallest) = blocks.iter().map(|(_, _, hosts)| *hosts).min() else { return };
    let name = &cluster.fabric.name;
    push(
        yaml,
        format_args!("- topology: {name}-blocks\n  cluster_default: false\n  block:\n    block_sizes:\n"),
    );
    let most = if slices.is_some() { 1 } else { blocks.len() };
    let sizes = std::iter::successors(Some(1), |&count: &usize| count.checked_mul(2));
    for count in sizes.take_while(|&count| count <= most) {
        push(yaml, format_args!("      - {}\n", smallest * count));
    }
    yaml.push_str("    blocks:\n");
    for (name, nodes, _) in blocks {
        push(yaml, format_args!("      - block: {name}\n        nodes: {nodes}\n"));
    }
}

/// Adds the tori, if there are any.
fn push_tori(yaml: &mut String, cluster: &Cluster<'_>) {
    let tori = host_tori(cluster);
    if tori.is_empty() {
        return;
    }
    let name = &cluster.fabric.name;
    push(
        yaml,
        format_args!("- topology: {name}-torus\n  cluster_default: false\n  torus3d:\n    toruses:\n"),
    );
    for HostTorus { name, dims, hosts, placements } in tori {
        let nodes = name_list(hosts.iter().map(|&host| cluster.hosts[host].name.as_str()));
        push(yaml, format_args!("      - name: {name}\n        dims:\n"));
        push_dims(yaml, "          ", dims);
        push(yaml, format_args!("        nodes: {nodes}\n        placements:\n"));
        for dims in placements {
            yaml.push_str("          - dims:\n");
            push_dims(yaml, "              ", dims);
        }
    }
}

fn push_dims(yaml: &mut String, indent: &str, dims: [u32; 3]) {
    for (axis, side) in ["x", "y", "z"].iter().zip(dims) {
        push(yaml, format_args!("{indent}{axis}: {side}\n"));
    }
}
