//! Forwarding tables together with the choice of virtual lanes in InfiniBand: the SL2VL tables of the ports,
//! and the service level (SL) of every path.
//!
//! The lane of a packet follows from its input port, its output port and its SL, which is fixed at the
//! source. Lane 15 in an SL2VL table discards. SL2VL tables are read as OpenSM dumps them in
//! `opensm-sl2vl.dump`. Service levels are read in two formats. ibdmchk reads a line `0x<GUID of the source
//! node> <LID> <SL>` per path. OpenSM dumps path records as lines `0x<LID> : <SL> ..` below a line `Channel
//! Adapter 0x<port GUID>, ..`. Without service levels all paths have SL 0.

use super::infiniband::InfinibandSubnet;
use super::lft::{LidTables, leading_hexadecimal};
use super::network::ThirdPartyTable;
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_kernel::{DISCARDED, Lookup, LookupTable, MISSING, NO_LANE, packed, unpacked};
use std::collections::BTreeMap;

/// The files beside the forwarding tables.
#[derive(Clone, Copy, Debug)]
pub struct LaneFiles<'a> {
    /// The SL2VL tables of all switches.
    pub sl2vl: NamedFile<'a>,
    /// The service levels of paths. Without this file all are 0.
    pub path_sl: Option<NamedFile<'a>>,
}

/// The number of service levels, and the lane that discards.
const LEVELS: usize = 16;
const DISCARD: u8 = 15;
/// Marks an entry that no line of the file defines.
const ABSENT: u8 = u8::MAX;

/// Limit on the entries of a table: 1 GiB.
const MAX_ENTRIES: usize = 1 << 30;

/// Tables keyed by LID, input port and service level.
pub(super) struct LaneTables {
    lids: LidTables,
    /// Number of ports of every switch, port 0 included.
    ports: usize,
    /// `[((router * ports + input) * ports + output) * LEVELS + level]`: the virtual lane of a packet.
    lanes: Vec<u8>,
    vls: usize,
    /// `[source * endpoints + destination]`: the service level of the path.
    levels: Vec<u8>,
    /// Number of service levels, from 0 to the largest that some path has.
    used_levels: usize,
    /// `[endpoint]`: the port where its packets enter the router.
    entry_ports: Vec<usize>,
    /// `[endpoint]`: the lanes of its adapter by service level.
    adapter_lanes: Vec<Option<[u8; LEVELS]>>,
}

/// Reads the files beside forwarding tables.
pub(super) fn read_lane_tables(
    lids: LidTables,
    files: LaneFiles<'_>,
    topology: &str,
    subnet: &InfinibandSubnet,
) -> Result<LaneTables, CheckError> {
    let network = &subnet.network;
    let (routers, ports, endpoints) = (network.routers(), network.ports, network.endpoints.len());
    if routers * ports * ports * LEVELS > MAX_ENTRIES || endpoints * endpoints > MAX_ENTRIES {
        return Err(malformed(files.sl2vl.name, 1, "these are more tables than can be walked"));
    }
    let mut tables = LaneTables {
        lids,
        ports,
        lanes: vec![ABSENT; routers * ports * ports * LEVELS],
        vls: 1,
        levels: Vec::new(),
        used_levels: 1,
        entry_ports: network.endpoints.iter().map(|end| end.port.map_or(0, usize::from)).collect(),
        adapter_lanes: vec![None; endpoints],
    };
    tables.read_lanes(files.sl2vl, topology, subnet)?;
    match files.path_sl {
        Some(file) => tables.read_levels(file, topology, subnet)?,
        None => tables.levels = vec![0; endpoints * endpoints],
    }
    Ok(tables)
}

/// The port or switch that the next lines belong to.
enum TableOwner {
    Nobody,
    Switch(usize),
    Adapter(usize),
}

impl LaneTables {
    fn read_lanes(
        &mut self,
        file: NamedFile<'_>,
        topology: &str,
        subnet: &InfinibandSubnet,
    ) -> Result<(), CheckError> {
        let mut owner = TableOwner::Nobody;
        let mut dumped = vec![false; subnet.network.routers()];
        for (number, line) in (1..).zip(text(file)?.lines()) {
            let violation = |message: String| malformed(file.name, number, message);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(guid) = line.strip_prefix("Switch 0x") {
                let description = line.split('"').nth(1).unwrap_or_default();
                let router = leading_hexadecimal(guid)
                    .and_then(|guid| subnet.by_guid.get(&guid))
                    .or_else(|| subnet.by_description.get(description));
                let Some(&router) = router else {
                    return Err(violation(format!(
                        "neither the GUID nor the description (\"{description}\") is that of a switch in `{topology}`"
                    )));
                };
                if std::mem::replace(&mut dumped[router as usize], true) {
                    return Err(violation(format!(
                        "{} has SL2VL tables already",
                        subnet.network.names[router as usize]
                    )));
                }
                owner = TableOwner::Switch(router as usize);
            } else if let Some(guid) = line.strip_prefix("Channel Adapter 0x") {
                let port = leading_hexadecimal(guid).and_then(|guid| subnet.by_port_guid.get(&guid));
                owner = port.map_or(TableOwner::Nobody, |&endpoint| TableOwner::Adapter(endpoint));
            } else {
                self.read_lane_line(line, &owner, subnet, violation)?;
            }
        }
        match dumped.iter().position(|dumped| !dumped) {
            Some(router) => {
                let name = &subnet.network.names[router];
                Err(malformed(
                    file.name,
                    1,
                    format!("there are no SL2VL tables of switch {name}, which `{topology}` has"),
                ))
            }
            None => Ok(()),
        }
    }

    /// Reads the lanes of one pair of ports.
    fn read_lane_line(
        &mut self,
        line: &str,
        owner: &TableOwner,
        subnet: &InfinibandSubnet,
        violation: impl Fn(String) -> CheckError,
    ) -> Result<(), CheckError> {
        let shape =
            || violation(format!("expected `<in port> <out port> : <16 virtual lanes>`, found `{line}`"));
        let (ports, lanes) = line.split_once(':').ok_or_else(shape)?;
        let ports = numbers(ports).ok_or_else(shape)?;
        let lanes: [u8; LEVELS] = numbers(lanes).and_then(|lanes| lanes.try_into().ok()).ok_or_else(shape)?;
        let (&[input, output], None) = (&ports[..], lanes.iter().find(|lane| **lane > DISCARD)) else {
            return Err(shape());
        };
        let (input, output) = (usize::from(input), usize::from(output));
        match *owner {
            TableOwner::Nobody => {}
            TableOwner::Adapter(endpoint) => {
                if self.adapter_lanes[endpoint].replace(lanes).is_some() {
                    return Err(violation(format!(
                        "{} has a line already",
                        subnet.network.endpoints[endpoint].name
                    )));
                }
            }
            TableOwner::Switch(_) if input >= self.ports || output >= self.ports => {
                return Err(violation(format!("expected ports of 0 to {}, found `{line}`", self.ports - 1)));
            }
            TableOwner::Switch(router) => {
                let first = ((router * self.ports + input) * self.ports + output) * LEVELS;
                if self.lanes[first] != ABSENT {
                    return Err(violation(format!("ports {input} and {output} have a line already")));
                }
                self.lanes[first..first + LEVELS].copy_from_slice(&lanes);
                let highest = lanes.iter().filter(|lane| **lane != DISCARD).max();
                self.vls = self.vls.max(highest.map_or(0, |highest| usize::from(*highest) + 1));
            }
        }
        Ok(())
    }

    fn read_levels(
        &mut self,
        file: NamedFile<'_>,
        topology: &str,
        subnet: &InfinibandSubnet,
    ) -> Result<(), CheckError> {
        let endpoints = &subnet.network.endpoints;
        let destinations: BTreeMap<u16, usize> = self.lids.lids().iter().copied().zip(0..).collect();
        self.levels = vec![ABSENT; endpoints.len() * endpoints.len()];
        // The source of the lines below, in the format that has one. `None` inside if it is no endpoint.
        let mut block_source: Option<Option<usize>> = None;
        for (number, line) in (1..).zip(text(file)?.lines()) {
            let violation = |message: String| malformed(file.name, number, message);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((_, guid)) =
                line.split_once(" 0x").filter(|(kind, _)| ["Channel Adapter", "Switch"].contains(kind))
            {
                block_source =
                    Some(leading_hexadecimal(guid).and_then(|guid| subnet.by_port_guid.get(&guid)).copied());
                continue;
            }
            let shape = || {
                violation(format!(
                    "expected `0x<GUID of the source> <LID> <SL>` or `0x<LID> : <SL>`, found `{line}`"
                ))
            };
            let words: Vec<&str> = line.split([' ', '\t', ':']).filter(|word| !word.is_empty()).collect();
            let (source, lid, level) = match (&words[..], line.contains(':'), block_source) {
                ([_, "UNREACHABLE"], true, Some(_)) => continue,
                (&[lid, level, ..], true, Some(source)) => {
                    (source, lid.strip_prefix("0x").and_then(leading_hexadecimal), level)
                }
                (&[guid, lid, level], false, _) => {
                    let guid = guid.strip_prefix("0x").and_then(leading_hexadecimal).ok_or_else(shape)?;
                    let source = subnet.by_node_guid.get(&guid).or_else(|| subnet.by_port_guid.get(&guid));
                    let unknown = || {
                        violation(format!(
                            "the GUID 0x{guid:016x} is that of no adapter with one port in `{topology}`"
                        ))
                    };
                    (Some(*source.ok_or_else(unknown)?), lid.parse().ok(), level)
                }
                _ => return Err(shape()),
            };
            let level: u8 =
                level.parse().ok().filter(|level| usize::from(*level) < LEVELS).ok_or_else(shape)?;
            let lid = lid.and_then(|lid| u16::try_from(lid).ok()).ok_or_else(shape)?;
            let (Some(src), Some(&dst)) = (source, destinations.get(&lid)) else { continue };
            if std::mem::replace(&mut self.levels[src * endpoints.len() + dst], level) != ABSENT {
                return Err(violation(format!(
                    "the path from {} to {} has a line already",
                    endpoints[src].name, endpoints[dst].name
                )));
            }
            self.used_levels = self.used_levels.max(usize::from(level) + 1);
        }
        let count = endpoints.len();
        match (0..count * count).find(|pair| pair / count != pair % count && self.levels[*pair] == ABSENT) {
            Some(pair) => {
                let [src, dst] = [pair / count, pair % count].map(|end| &endpoints[end].name);
                Err(malformed(
                    file.name,
                    1,
                    format!("no line says the service level of the path from {src} to {dst}"),
                ))
            }
            None => Ok(()),
        }
    }
}

/// All words of a text as numbers.
fn numbers(text: &str) -> Option<Vec<u8>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

impl LookupTable for LaneTables {
    fn vcs(&self) -> usize {
        self.vls
    }
    fn lookup(&self) -> Lookup {
        Lookup::Level(self.used_levels)
    }
    fn start(&self, src: usize, dst: usize) -> Option<usize> {
        let level = usize::from(self.levels[src * self.entry_ports.len() + dst]);
        let sends = self.adapter_lanes[src].is_none_or(|lanes| lanes[level] != DISCARD);
        sends.then(|| self.entry_ports[src] * self.used_levels + level)
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>) -> Option<usize> {
        let mut by_lid = Vec::new();
        self.lids.fill(endpoint, &mut by_lid);
        row.clear();
        for (router, output) in by_lid.into_iter().enumerate() {
            for input in 0..self.ports {
                if output == MISSING {
                    row.extend((0..self.used_levels).map(|_| MISSING));
                    continue;
                }
                let (output, _) = unpacked(output);
                let first = ((router * self.ports + input) * self.ports + output) * LEVELS;
                row.extend(self.lanes[first..first + self.used_levels].iter().map(|lane| match *lane {
                    ABSENT => NO_LANE,
                    DISCARD => DISCARDED,
                    lane => packed(output as u16, lane),
                }));
            }
        }
        None
    }
}

impl ThirdPartyTable for LaneTables {
    fn injection_vc(&self, src: usize, dst: usize) -> usize {
        let level = usize::from(self.levels[src * self.entry_ports.len() + dst]);
        self.adapter_lanes[src].map_or(0, |lanes| usize::from(lanes[level]))
    }
}
