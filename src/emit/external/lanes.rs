//! Virtual channels on InfiniBand: the service level (SL) of every path, and the SL2VL tables of all ports.
//!
//! A switch chooses the virtual lane of a packet by its input port, its output port and its SL, and the SL
//! stays what it was at the source. So every ordered pair gets the first SL under which its route contradicts
//! no route before it: at no switch do two routes of one SL come in by the same port, leave by the same port
//! and want different lanes. All that the forwarding tables, these tables and these levels say together is
//! then what was proved. Packets with another SL are not covered: where no route of an SL passes, it leads to
//! VL 15, which discards them.
//!
//! Formats: `dump_sl2vl_tbl` of OpenSM (`opensm/osm_dump.c`), which writes `opensm-sl2vl.dump`; and a line
//! `0x<GUID of the source node> <LID of the destination> <SL>` per path, which ibdmchk reads with `-c`
//! (ibutils, `IBFabric::parsePSLFile`). OpenSM loads neither.

use super::chunks::{EmitError, Take};
use super::infiniband::{Subnet, adapter_guid, by_destination, port_guid, switch_guid};
use super::nominal::NominalTables;
use crate::compiled::Compiled;
use crate::json::push;
use fabc_base::ids::{Id, NodeId, PortId};

/// Service levels of InfiniBand.
const LEVELS: usize = 16;

/// No route of this level passes.
const UNUSED: u8 = 15;

/// Lines between which OpenSM writes the entries of one port.
const HEADING: &str = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15";
const RULE: &str = "#--------------------------------------------------------";

/// More entries than these are not kept: 4 GiB.
const MOST_ENTRIES: u64 = 1 << 32;

/// Which lane the routes of every level take, and which level every pair has.
struct Lanes {
    /// Of a router, the injected input included.
    inputs: usize,
    ports: usize,
    /// `[((node * inputs + input) * ports + output) * LEVELS + level]`; input 0 is injected traffic,
    /// input p + 1 port p.
    lanes: Vec<u8>,
    /// `[src * nodes + dst]`
    levels: Vec<u8>,
    /// Levels in use.
    used: usize,
}

impl Lanes {
    fn of(format: &'static str, tables: &NominalTables<'_>) -> Result<Self, EmitError> {
        let topology = tables.topology;
        let (nodes, ports) = (topology.node_count(), topology.ports());
        let inputs = ports + 1;
        if [nodes, inputs, ports, LEVELS].map(|count| count as u64).iter().product::<u64>() > MOST_ENTRIES {
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

    /// Lane 0 for every level in use: between a host and its switch no packet waits for another switch.
    fn at_hosts(&self) -> [u8; LEVELS] {
        std::array::from_fn(|level| if level < self.used { 0 } else { UNUSED })
    }
}

/// The tables as the formats of InfiniBand can hold them.
fn held<'c>(format: &'static str, compiled: &'c Compiled) -> Result<Option<(Subnet<'c>, Lanes)>, EmitError> {
    let Some(tables) = NominalTables::of(compiled) else { return Ok(None) };
    let subnet = Subnet::of(format, compiled)?;
    by_destination(format, &tables)?;
    Ok(Some((subnet, Lanes::of(format, &tables)?)))
}

fn push_entry(out: &mut String, input: usize, output: usize, lanes: &[u8]) {
    push(out, format_args!("{input:<3} {output:<3} :"));
    lanes.iter().for_each(|lane| push(out, format_args!(" {lane:<2}")));
    out.push('\n');
}

/// `nominal.sl2vl`: the SL2VL tables of all switches and adapters, as OpenSM dumps them.
pub(super) fn opensm_sl2vl<E: From<EmitError>>(compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    let Some((subnet, lanes)) = held("opensm_sl2vl", compiled)? else { return Ok(()) };
    let topology = subnet.topology;
    let head = format!(
        "# SL2VL tables of {} for the forwarding tables of `opensm_lft` and the {} service levels of `opensm_path_sl`.\n\
         # What the three say together is free of deadlock, as `fabc verify --tables --topology --sl2vl --path-sl` proves from\n\
         # them; packets with other service levels are not covered. OpenSM writes such tables, but does not load them.\n",
        compiled.fabric.name, lanes.used
    );
    take("nominal.sl2vl", head.as_bytes())?;
    let at_hosts = lanes.at_hosts();
    for node in topology.nodes() {
        let (lid, guid, name) = (subnet.switch_lid(node), switch_guid(node), topology.name(node));
        let mut out = format!("Switch 0x{guid:016x}, base LID {lid}, \"{name}\"\n{HEADING}\n{RULE}\n");
        let last = subnet.host_port(subnet.hosts(node).len()) - 1;
        // Ports of links, none of which may be in use, then ports of hosts; 0 is the switch itself.
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

/// `nominal.psl`: the service level of every path between two adapters.
pub(super) fn opensm_path_sl<E: From<EmitError>>(
    compiled: &Compiled,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let Some((subnet, lanes)) = held("opensm_path_sl", compiled)? else { return Ok(()) };
    let nodes = subnet.topology.node_count();
    for src in subnet.topology.nodes() {
        for from in subnet.hosts(src) {
            let (mut out, guid) = (String::new(), adapter_guid(from));
            for dst in subnet.topology.nodes() {
                let level = lanes.levels[src.index() * nodes + dst.index()];
                for to in subnet.hosts(dst).filter(|to| *to != from) {
                    push(&mut out, format_args!("0x{guid:016x} {} {level}\n", to + 1));
                }
            }
            take("nominal.psl", out.as_bytes())?;
        }
    }
    Ok(())
}
