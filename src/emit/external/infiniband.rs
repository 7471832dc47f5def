//! The pod as an InfiniBand subnet: every router a switch, its chip an adapter behind the port after the last one.
//!
//! Port p of a router is port p + 1 of the switch. The adapter of node n has LID n + 1, its switch LID N + n + 1. The GUIDs are made up: their
//! first byte is of no vendor. `opensm -R file -U <lft file>` loads the tables; ibsim takes the topology (raise its `-N -S -P`).

use super::chunks::{EmitError, Take};
use super::nominal::NominalTables;
use crate::compiled::Compiled;
use crate::emit::json::push;
use crate::ids::{Id, NodeId, PortId};
use crate::ir::Topology;

/// The highest unicast LID is 0xbfff, and every node takes two.
const MOST: usize = 0xbfff / 2;

fn switch_guid(node: NodeId) -> u64 {
    0xfab0_0000_0001_0000 + u64::from(node.0)
}

fn adapter_guid(node: NodeId) -> u64 {
    0xfab0_0000_0002_0000 + u64::from(node.0)
}

fn port_guid(node: NodeId) -> u64 {
    0xfab0_0000_0003_0000 + u64::from(node.0)
}

fn adapter_lid(node: NodeId) -> usize {
    node.index() + 1
}

fn switch_lid(nodes: usize, node: NodeId) -> usize {
    nodes + node.index() + 1
}

fn fits(format: &'static str, topology: &Topology) -> Result<(), EmitError> {
    let chips = topology.node_count();
    if topology.has_simplex() {
        return Err(EmitError::NotHeld { format, reason: "its cables run one way" });
    }
    if topology.endpoints().count() < chips {
        return Err(EmitError::NotHeld { format, reason: "some routers have no hosts" });
    }
    if chips <= MOST {
        return Ok(());
    }
    Err(EmitError::TooLarge { format, chips, most: MOST, reason: "unicast LIDs end at 0xbfff, and every chip takes two" })
}

/// `topology.ibnetdiscover`: what ibnetdiscover would print.
pub(super) fn ibnetdiscover<E: From<EmitError>>(compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    let topology = &compiled.topology;
    let (nodes, own) = (topology.node_count(), topology.ports() + 1);
    fits("ibnetdiscover", topology)?;
    for node in topology.nodes() {
        let (name, guid, lid) = (topology.name(node), switch_guid(node), switch_lid(nodes, node));
        let mut out =
            format!("switchguid=0x{guid:x}({guid:x})\nSwitch\t{own} \"S-{guid:016x}\"\t\t# \"{name}\" base port 0 lid {lid} lmc 0\n");
        for channel in topology.channels_from(node) {
            let (port, end) = (topology.source(channel).port.index() + 1, topology.target(channel));
            let (name, lid) = (topology.name(end.node), switch_lid(nodes, end.node));
            let guid = switch_guid(end.node);
            push(&mut out, format_args!("[{port}]\t\"S-{guid:016x}\"[{}]\t\t# \"{name}\" lid {lid} 4xEDR\n", end.port.index() + 1));
        }
        let (adapter, port) = (adapter_guid(node), port_guid(node));
        push(&mut out, format_args!("[{own}]\t\"H-{adapter:016x}\"[1]({port:x})\t\t# \"{name}\" lid {} 4xEDR\n\n", adapter_lid(node)));
        push(&mut out, format_args!("caguid=0x{adapter:x}\nCa\t1 \"H-{adapter:016x}\"\t\t# \"{name}\"\n"));
        let of_adapter = adapter_lid(node);
        push(&mut out, format_args!("[1]({port:x})\t\"S-{guid:016x}\"[{own}]\t\t# lid {of_adapter} lmc 0 \"{name}\" lid {lid} 4xEDR\n\n"));
        take("topology.ibnetdiscover", out.as_bytes())?;
    }
    Ok(())
}

/// `nominal.lft`: the unicast forwarding tables of the healthy pod as OpenSM dumps and loads them.
pub(super) fn opensm_lft<E: From<EmitError>>(compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    let Some(tables) = NominalTables::of(compiled) else { return Ok(()) };
    let topology = &compiled.topology;
    let nodes = topology.node_count();
    fits("opensm_lft", topology)?;
    for node in tables.symmetry().canonical_nodes() {
        for dst in topology.nodes() {
            let entries = tables.entries(node, dst);
            if let Some(other) = entries.iter().find(|entry| entry.out_port != entries[0].out_port) {
                let ports = [entries[0].out_port, other.out_port].map(|port| topology.names().port(PortId(port)));
                let ports = ports.join(" or ");
                let (router, dst) = (topology.name(node), topology.name(dst));
                return Err(EmitError::NotDestinationKeyed { format: "opensm_lft", router, dst, ports }.into());
            }
        }
    }
    let last = switch_lid(nodes, NodeId::new(nodes - 1));
    for node in topology.nodes() {
        let (lid, guid, name) = (switch_lid(nodes, node), switch_guid(node), topology.name(node));
        let mut out = format!("Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):\n");
        let port = |dst: NodeId, here: usize| match tables.entries(node, dst).first() {
            Some(entry) => PortId(entry.out_port).index() + 1,
            None => here,
        };
        for dst in topology.nodes() {
            let (lid, port, guid) = (adapter_lid(dst), port(dst, topology.ports() + 1), port_guid(dst));
            let name = topology.name(dst);
            push(&mut out, format_args!("0x{lid:04x} {port:03} # Channel Adapter portguid 0x{guid:016x}: '{name}'\n"));
        }
        for dst in topology.nodes() {
            let (lid, port, guid) = (switch_lid(nodes, dst), port(dst, 0), switch_guid(dst));
            let name = topology.name(dst);
            push(&mut out, format_args!("0x{lid:04x} {port:03} # Switch portguid 0x{guid:016x}: '{name}'\n"));
        }
        push(&mut out, format_args!("{last} lids dumped\n"));
        take("nominal.lft", out.as_bytes())?;
    }
    Ok(())
}
