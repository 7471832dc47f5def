//! Writes the fabric as an InfiniBand subnet. Every router is a switch, and each of its hosts is an adapter
//! behind one of the ports after the last link port.
//!
//! Port p of a router is port p + 1 of the switch. Hosts are counted router by router. Host number k has LID
//! k + 1, and the switch of node n has LID H + n + 1, where H is the number of hosts. In a pod every chip is
//! its own host. The GUIDs are invented, with a first byte that no vendor has. The GUID of a port is that of
//! its adapter plus its number, as in ibsim. `opensm -R file -U <lft file>` loads the tables. ibsim loads the
//! topology (raise its `-N -S -P`).

use super::chunks::{EmitError, Take};
use super::nominal::NominalTables;
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::Topology;

/// The highest unicast LID that InfiniBand defines.
const LIDS: usize = 0xbfff;

/// Maximum ports of a switch. In a forwarding table 255 means no port.
const PORTS: usize = 254;

/// LIDs and ports of the subnet.
pub(super) struct SubnetNumbers<'c> {
    pub(super) topology: &'c Topology,
    /// `[node]`: number of its first host. The last entry is the number of hosts.
    hosts: Vec<usize>,
}

impl<'c> SubnetNumbers<'c> {
    pub(super) fn new(format: &'static str, compiled: &'c CompiledFabric) -> Result<Self, EmitError> {
        let topology = &compiled.topology;
        let mut hosts = vec![0];
        for node in topology.nodes() {
            hosts.push(hosts[node.index()] + usize::from(topology.hosts(node)));
        }
        let nodes = topology.node_count();
        if topology.has_simplex() {
            return Err(EmitError::NotHeld { format, reason: "its cables run one way" });
        }
        if topology.ports() + usize::from(topology.most_hosts()) > PORTS {
            return Err(EmitError::NotHeld {
                format,
                reason: "its routers have more ports for cables and hosts than the 254 of a switch",
            });
        }
        if nodes + hosts[nodes] > LIDS {
            return Err(match compiled.pod {
                Some(_) => {
                    let reason = "unicast LIDs end at 0xbfff, and every chip takes two";
                    EmitError::TooLarge { format, chips: nodes, most: LIDS / 2, reason }
                }
                None => EmitError::NotHeld {
                    format,
                    reason: "its routers and hosts need more than 49,151 unicast LIDs",
                },
            });
        }
        Ok(Self { topology, hosts })
    }

    /// The numbers of the hosts of a router.
    pub(super) fn hosts(&self, node: NodeId) -> std::ops::Range<usize> {
        self.hosts[node.index()]..self.hosts[node.index() + 1]
    }

    /// The switch port of the `k`th host of a router.
    pub(super) fn host_port(&self, k: usize) -> usize {
        self.topology.ports() + k + 1
    }

    pub(super) fn host_name(&self, node: NodeId, k: usize) -> String {
        let name = self.topology.name(node);
        if self.topology.hosts(node) == 1 { name } else { format!("{name} host {k}") }
    }

    pub(super) fn switch_lid(&self, node: NodeId) -> usize {
        self.hosts[self.topology.node_count()] + node.index() + 1
    }
}

pub(super) fn switch_guid(node: NodeId) -> u64 {
    0xfab0_0000_0001_0000 + u64::from(node.0)
}

pub(super) fn adapter_guid(host: usize) -> u64 {
    0xfab0_0000_0002_0000 + 2 * host as u64
}

pub(super) fn port_guid(host: usize) -> u64 {
    adapter_guid(host) + 1
}

/// Writes `topology.ibnetdiscover` in the output format of ibnetdiscover.
pub(super) fn ibnetdiscover<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let topology = &compiled.topology;
    let subnet = SubnetNumbers::new("ibnetdiscover", compiled)?;
    for node in topology.nodes() {
        let (name, guid, lid) = (topology.name(node), switch_guid(node), subnet.switch_lid(node));
        let (hosts, ports) = (subnet.hosts(node), subnet.host_port(subnet.hosts(node).len()) - 1);
        let mut out = format!(
            "switchguid=0x{guid:x}({guid:x})\nSwitch\t{ports} \"S-{guid:016x}\"\t\t# \"{name}\" base port 0 lid {lid} lmc 0\n"
        );
        for channel in topology.channels_from(node) {
            let (port, end) = (topology.source(channel).port.index() + 1, topology.target(channel));
            let (name, lid) = (topology.name(end.node), subnet.switch_lid(end.node));
            let guid = switch_guid(end.node);
            push(
                &mut out,
                format_args!(
                    "[{port}]\t\"S-{guid:016x}\"[{}]\t\t# \"{name}\" lid {lid} 4xEDR\n",
                    end.port.index() + 1
                ),
            );
        }
        for (k, host) in hosts.clone().enumerate() {
            let (adapter, port, switch_port, lid) =
                (adapter_guid(host), port_guid(host), subnet.host_port(k), host + 1);
            push(
                &mut out,
                format_args!(
                    "[{switch_port}]\t\"H-{adapter:016x}\"[1]({port:x})\t\t# \"{}\" lid {lid} 4xEDR\n",
                    subnet.host_name(node, k)
                ),
            );
        }
        out.push('\n');
        for (k, host) in hosts.enumerate() {
            let (adapter, port, switch_port) = (adapter_guid(host), port_guid(host), subnet.host_port(k));
            push(
                &mut out,
                format_args!(
                    "caguid=0x{adapter:x}\nCa\t1 \"H-{adapter:016x}\"\t\t# \"{}\"\n",
                    subnet.host_name(node, k)
                ),
            );
            let adapter_lid = host + 1;
            push(
                &mut out,
                format_args!(
                    "[1]({port:x})\t\"S-{guid:016x}\"[{switch_port}]\t\t# lid {adapter_lid} lmc 0 \"{name}\" lid {lid} 4xEDR\n\n"
                ),
            );
        }
        take("topology.ibnetdiscover", out.as_bytes())?;
    }
    Ok(())
}

/// Checks that the output port of every entry depends only on its destination.
pub(super) fn check_ports_by_destination(
    format: &'static str,
    tables: &NominalTables<'_>,
) -> Result<(), EmitError> {
    let topology = tables.topology;
    for node in tables.symmetry().canonical_nodes() {
        for dst in topology.nodes() {
            let entries = tables.entries(node, dst);
            if let Some(other) = entries.iter().find(|entry| entry.out_port != entries[0].out_port) {
                let ports =
                    [entries[0].out_port, other.out_port].map(|port| topology.names().port(PortId(port)));
                let ports = ports.join(" or ");
                let (router, dst) = (topology.name(node), topology.name(dst));
                return Err(EmitError::NotDestinationKeyed { format, router, dst, ports });
            }
        }
    }
    Ok(())
}

/// Writes `nominal.lft`: the unicast forwarding tables of the healthy fabric, in the format that OpenSM dumps
/// and loads.
pub(super) fn opensm_lft<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let Some(tables) = NominalTables::from_compiled(compiled) else { return Ok(()) };
    let topology = &compiled.topology;
    let subnet = SubnetNumbers::new("opensm_lft", compiled)?;
    check_ports_by_destination("opensm_lft", &tables)?;
    let vcs = tables.vcs_used(compiled);
    if vcs > 1 {
        let head = format!(
            "# The routes use {vcs} virtual lanes, which forwarding tables do not name: proved free of deadlock are these tables together\n\
             # with the SL2VL tables of `opensm_sl2vl` and the service levels of `opensm_path_sl`, and not alone.\n"
        );
        take("nominal.lft", head.as_bytes())?;
    }
    let last = subnet.switch_lid(NodeId::new(topology.node_count() - 1));
    for node in topology.nodes() {
        let (lid, guid, name) = (subnet.switch_lid(node), switch_guid(node), topology.name(node));
        let mut out = format!("Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):\n");
        let port =
            |dst: NodeId| tables.entries(node, dst).first().map(|entry| PortId(entry.out_port).index() + 1);
        let mut lines = 0;
        for dst in topology.nodes() {
            for (k, host) in subnet.hosts(dst).enumerate() {
                let (lid, port, guid) = (host + 1, port(dst).unwrap_or(subnet.host_port(k)), port_guid(host));
                let name = subnet.host_name(dst, k);
                push(
                    &mut out,
                    format_args!(
                        "0x{lid:04x} {port:03} # Channel Adapter portguid 0x{guid:016x}: '{name}'\n"
                    ),
                );
                lines += 1;
            }
        }
        // No table leads to a router without hosts. A switch reaches itself by port 0.
        for dst in topology.nodes().filter(|&dst| dst == node || topology.is_endpoint(dst)) {
            let (lid, port, guid) = (subnet.switch_lid(dst), port(dst).unwrap_or(0), switch_guid(dst));
            let name = topology.name(dst);
            push(&mut out, format_args!("0x{lid:04x} {port:03} # Switch portguid 0x{guid:016x}: '{name}'\n"));
            lines += 1;
        }
        push(&mut out, format_args!("{lines} lids dumped\n"));
        take("nominal.lft", out.as_bytes())?;
    }
    Ok(())
}
