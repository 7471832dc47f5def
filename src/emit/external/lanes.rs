//! Virtual channels on InfiniBand: the service level (SL) of every path, and the SL2VL tables of all ports.
//!
//! A switch chooses the virtual lane (VL) of a packet by its input port, its output port and its SL. The SL
//! is fixed at the source. So every ordered pair gets an SL under which its route contradicts no earlier
//! route. Two routes contradict each other if at some switch they have the same SL, input port and output
//! port, but different lanes. Forwarding tables, SL2VL tables and levels together then express exactly what
//! was proved. Packets with other SLs are not covered. Where no route of an SL passes, the SL leads to VL 15,
//! which discards them.
//!
//! Formats: `dump_sl2vl_tbl` of OpenSM (`opensm/osm_dump.c`), which writes `opensm-sl2vl.dump`. And a line
//! `0x<GUID of the source node> <LID of the destination> <SL>` per path, which ibdmchk reads with `-c`
//! (ibutils, `IBFabric::parsePSLFile`). OpenSM loads neither.

use super::chunks::{EmitError, Take};
use super::infiniband::{SubnetNumbers, adapter_guid, check_ports_by_destination, port_guid, switch_guid};
use super::nominal::NominalTables;
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::ids::{Id, NodeId, PortId};

/// Number of service levels of InfiniBand.
const LEVELS: usize = 16;

/// The lane of a level whose routes do not pass.
const UNUSED: u8 = 15;

/// Lines that OpenSM writes around the entries of one port.
const HEADING: &str = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15";
const RULE: &str = "#--------------------------------------------------------";

/// Maximum number of entries, which take 4 GiB.
const MAX_ENTRIES: u64 = 1 << 32;

/// The lane of every level at every pair of ports, and the level of every ordered pair.
struct LaneAssignment {
    /// Inputs of a router, including injected traffic.
    inputs: usize,
    ports: usize,
    /// `[((node * inputs + input) * ports + output) * LEVELS + level]`. Input 0 is injected traffic, and
    /// port p is input `p + 1`.
    lanes: Vec<u8>,
    /// `[src * nodes + dst]`: the level of the pair.
    levels: Vec<u8>,
    /// Number of levels in use.
    used: usize,
}

impl LaneAssignment {
    fn new(format: &'static str, tables: &NominalTables<'_>) -> Result<Self, EmitError> {
        let topology = tables.topology;
        let (nodes, ports) = (topology.node_count(), topology.ports());
        let inputs = ports + 1;
        if [nodes, inputs, ports, LEVELS].map(|count| count as u64).iter().product::<u64>() > MAX_ENTRIES {
            return Err(EmitError::NotHeld { format, reason: "its routers have too many pairs of ports" });
        }
        let mut lanes = vec![UNUSED; nodes * inputs * ports * LEVELS];
        let (mut levels, mut used) = (vec![0; nodes * nodes], 1);
        let mut route: Vec<(usize, u8)> = Vec::new();
        let endpoints = || topology.nodes().filter(|&node| topology.is_endpoint(node));
        for src in endpoints() {
            for dst in endpoints().filter(|&dst| dst != src) {
                route.clear();
                let mut input = 0;
                for (node, port, vc) in tables.route(src, dst) {
                    route.push((((node.index() * inputs + input) * ports + port.index()) * LEVELS, vc));
                    let Some(channel) = topology.outgoing(node, port) else { break };
                    input = topology.target(channel).port.index() + 1;
                }
                let agrees = |level: &usize| {
                    route.iter().all(|&(entry, vc)| [UNUSED, vc].contains(&lanes[entry + level]))
                };
                let fresh = |level: &usize| {
                    route.iter().filter(|&&(entry, _)| lanes[entry + level] == UNUSED).count()
                };
                let Some(level) = (0..LEVELS).filter(agrees).min_by_key(fresh) else {
                    let [src, dst] = [src, dst].map(|node| topology.name(node));
                    return Err(EmitError::TooManyLevels { format, src, dst });
                };
                route.iter().for_each(|&(entry, vc)| lanes[entry + level] = vc);
                levels[src.index() * nodes + dst.index()] = level as u8;
                used = used.max(level + 1);
            }
        }
        Ok(Self { inputs, ports, lanes, levels, used })
    }

    /// The lanes of all levels from an input to an output.
    fn entry(&self, node: NodeId, input: usize, output: PortId) -> &[u8] {
        let entry = (node.index() * self.inputs + input) * self.ports + output.index();
        &self.lanes[entry * LEVELS..][..LEVELS]
    }

    /// Lane 0 for every level in use. Between a host and its switch no packet waits for another switch.
    fn host_lanes(&self) -> [u8; LEVELS] {
        std::array::from_fn(|level| if level < self.used { 0 } else { UNUSED })
    }
}

/// The subnet and its lanes. `None` if there are no tables.
fn infiniband_tables<'c>(
    format: &'static str,
    compiled: &'c CompiledFabric,
) -> Result<Option<(SubnetNumbers<'c>, LaneAssignment)>, EmitError> {
    let Some(tables) = NominalTables::from_compiled(compiled) else { return Ok(None) };
    let subnet = SubnetNumbers::new(format, compiled)?;
    check_ports_by_destination(format, &tables)?;
    Ok(Some((subnet, LaneAssignment::new(format, &tables)?)))
}

fn push_entry(out: &mut String, input: usize, output: usize, lanes: &[u8]) {
    push(out, format_args!("{input:<3} {output:<3} :"));
    lanes.iter().for_each(|lane| push(out, format_args!(" {lane:<2}")));
    out.push('\n');
}

/// Writes `nominal.sl2vl`: the SL2VL tables of all switches and adapters, in the format of OpenSM's dump.
pub(super) fn opensm_sl2vl<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let Some((subnet, lanes)) = infiniband_tables("opensm_sl2vl", compiled)? else { return Ok(()) };
    let topology = subnet.topology;
    let head = format!(
        "# SL2VL tables of {} for the forwarding tables of `opensm_lft` and the {} service levels of `opensm_path_sl`.\n\
         # What the three say together is free of deadlock, as `fabc verify --tables --topology --sl2vl --path-sl` proves from\n\
         # them; packets with other service levels are not covered. OpenSM writes such tables, but does not load them.\n",
        compiled.fabric.name, lanes.used
    );
    take("nominal.sl2vl", head.as_bytes())?;
    let at_hosts = lanes.host_lanes();
    for node in topology.nodes() {
        let (lid, guid, name) = (subnet.switch_lid(node), switch_guid(node), topology.name(node));
        let mut out = format!("Switch 0x{guid:016x}, base LID {lid}, \"{name}\"\n{HEADING}\n{RULE}\n");
        let last = subnet.host_port(subnet.hosts(node).len()) - 1;
        // First come the ports of links, some of which may be unused, then the ports of hosts. Port 0 is the
        // switch itself.
        for output in 1..=last {
            let to_host = output > lanes.ports;
            if !to_host && topology.outgoing(node, PortId::new(output - 1)).is_none() {
                continue;
            }
            for input in 0..=last {
                let injected = input == 0 || input > lanes.ports;
                let entry = match to_host {
                    true => &at_hosts[..],
                    false => lanes.entry(node, if injected { 0 } else { input }, PortId::new(output - 1)),
                };
                push_entry(&mut out, input, output, entry);
            }
        }
        out += &format!("{RULE}\n\n");
        take("nominal.sl2vl", out.as_bytes())?;
    }
    for node in topology.nodes() {
        let mut out = String::new();
        for (k, host) in subnet.hosts(node).enumerate() {
            let (guid, lid, name) = (port_guid(host), host + 1, subnet.host_name(node, k));
            out += &format!("Channel Adapter 0x{guid:016x}, base LID {lid}, \"{name}\"\n{HEADING}\n{RULE}\n");
            push_entry(&mut out, 0, 0, &at_hosts);
            out += &format!("{RULE}\n\n");
        }
        take("nominal.sl2vl", out.as_bytes())?;
    }
    Ok(())
}

/// Writes `nominal.psl`: the service level of every path between two adapters.
pub(super) fn opensm_path_sl<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let Some((subnet, lanes)) = infiniband_tables("opensm_path_sl", compiled)? else { return Ok(()) };
    let nodes = subnet.topology.node_count();
    for src in subnet.topology.nodes() {
        for host in subnet.hosts(src) {
            let (mut out, guid) = (String::new(), adapter_guid(host));
            for dst in subnet.topology.nodes() {
                let level = lanes.levels[src.index() * nodes + dst.index()];
                for target in subnet.hosts(dst).filter(|target| *target != host) {
                    push(&mut out, format_args!("0x{guid:016x} {} {level}\n", target + 1));
                }
            }
            take("nominal.psl", out.as_bytes())?;
        }
    }
    Ok(())
}
