//! Forwarding tables together with what chooses the virtual lanes of InfiniBand: the SL2VL tables of the
//! ports, and the service level (SL) of every path.
//!
//! The lane of a packet follows from its input port, its output port and its SL, which stays what it was at
//! the source. Lane 15 in an SL2VL table discards. Formats: what OpenSM dumps as `opensm-sl2vl.dump`; per
//! path a line `0x<GUID of the source node> <LID> <SL>`, as ibdmchk reads it, or `0x<LID> : <SL> ..` below a
//! line `Channel Adapter 0x<port GUID>, ..`, as OpenSM dumps path records. Without the latter all paths have
//! SL 0.

use super::infiniband::Subnet;
use super::lft::{LidTables, hexadecimal};
use super::network::ThirdPartyTable;
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_kernel::{DISCARDED, Lookup, MISSING, NO_LANE, Table, packed, unpacked};
use std::collections::BTreeMap;

/// The files beside the forwarding tables.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'a> {
    /// SL2VL tables.
    pub sl2vl: NamedFile<'a>,
    /// Service levels of paths; without them all are 0.
    pub path_sl: Option<NamedFile<'a>>,
}

/// Service levels, and the lanes that they may lead to; the last lane discards.
const LEVELS: usize = 16;
const DISCARD: u8 = 15;
/// No line says it.
const ABSENT: u8 = u8::MAX;

/// More entries than these are not read: 1 GiB.
const MOST_ENTRIES: usize = 1 << 30;

/// Tables keyed by LID, input port and service level.
pub(super) struct LanedTables {
    lids: LidTables,
    /// Of every switch, 0 included.
    ports: usize,
    /// `[((router * ports + input) * ports + output) * LEVELS + level]`
    lanes: Vec<u8>,
    vls: usize,
    /// `[src * endpoints + dst]`
    levels: Vec<u8>,
    /// Levels that some path has, the largest and all below it.
    used: usize,
    /// `[endpoint]`: where packets enter its router.
    entries: Vec<usize>,
    /// `[endpoint]`: the lanes of its adapter.
    adapters: Vec<Option<[u8; LEVELS]>>,
}

/// Reads what stands beside forwarding tables.
pub(super) fn laned(
    lids: LidTables,
    files: Lanes<'_>,
    topology: &str,
    subnet: &Subnet,
) -> Result<LanedTables, CheckError> {
    let network = &subnet.network;
    let (routers, ports, endpoints) = (network.routers(), network.ports, network.endpoints.len());
    if routers * ports * ports * LEVELS > MOST_ENTRIES || endpoints * endpoints > MOST_ENTRIES {
        return Err(malformed(files.sl2vl.name, 1, "these are more tables than can be walked"));
    }
    let mut tables = LanedTables {
        lids,
        ports,
        lanes: vec![ABSENT; routers * ports * ports * LEVELS],
        vls: 1,
        levels: Vec::new(),
        used: 1,
        entries: network.endpoints.iter().map(|end| end.port.map_or(0, usize::from)).collect(),
        adapters: vec![None; endpoints],
    };
    tables.read_lanes(files.sl2vl, topology, subnet)?;
    match files.path_sl {
        Some(file) => tables.read_levels(file, topology, subnet)?,
        None => tables.levels = vec![0; endpoints * endpoints],
    }
    Ok(tables)
}

/// Whose tables the next lines are.
enum Owner {
    Nobody,
    Switch(usize),
    Adapter(usize),
}

impl LanedTables {
    fn read_lanes(&mut self, file: NamedFile<'_>, topology: &str, subnet: &Subnet) -> Result<(), CheckError> {
        let mut owner = Owner::Nobody;
        let mut dumped = vec![false; subnet.network.routers()];
        for (number, line) in (1..).zip(text(file)?.lines()) {
            let wrong = |what: String| malformed(file.name, number, what);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(guid) = line.strip_prefix("Switch 0x") {
                let said = line.split('"').nth(1).unwrap_or_default();
                let router = hexadecimal(guid)
                    .and_then(|guid| subnet.by_guid.get(&guid))
                    .or_else(|| subnet.by_description.get(said));
                let Some(&router) = router else {
                    return Err(wrong(format!(
                        "neither the GUID nor the description (\"{said}\") is that of a switch in `{topology}`"
                    )));
                };
                if std::mem::replace(&mut dumped[router as usize], true) {
                    return Err(wrong(format!(
                        "{} has SL2VL tables already",
                        subnet.network.names[router as usize]
                    )));
                }
                owner = Owner::Switch(router as usize);
            } else if let Some(guid) = line.strip_prefix("Channel Adapter 0x") {
                let port = hexadecimal(guid).and_then(|guid| subnet.by_port_guid.get(&guid));
                owner = port.map_or(Owner::Nobody, |&endpoint| Owner::Adapter(endpoint));
            } else {
                let shape =
                    || wrong(format!("expected `<in port> <out port> : <16 virtual lanes>`, found `{line}`"));
                let (ports, lanes) = line.split_once(':').ok_or_else(shape)?;
                let ports = numbers(ports).ok_or_else(shape)?;
                let lanes: [u8; LEVELS] =
                    numbers(lanes).and_then(|lanes| lanes.try_into().ok()).ok_or_else(shape)?;
                let (&[input, output], None) = (&ports[..], lanes.iter().find(|lane| **lane > DISCARD))
                else {
                    return Err(shape());
                };
                let (input, output) = (usize::from(input), usize::from(output));
                match owner {
                    Owner::Nobody => {}
                    Owner::Adapter(endpoint) => {
                        if self.adapters[endpoint].replace(lanes).is_some() {
                            return Err(wrong(format!(
                                "{} has a line already",
                                subnet.network.endpoints[endpoint].name
                            )));
                        }
                    }
                    Owner::Switch(_) if input >= self.ports || output >= self.ports => {
                        return Err(wrong(format!(
                            "expected ports of 0 to {}, found `{line}`",
                            self.ports - 1
                        )));
                    }
                    Owner::Switch(router) => {
                        let at = ((router * self.ports + input) * self.ports + output) * LEVELS;
                        if self.lanes[at] != ABSENT {
                            return Err(wrong(format!("ports {input} and {output} have a line already")));
                        }
                        self.lanes[at..at + LEVELS].copy_from_slice(&lanes);
                        let most = lanes.iter().filter(|lane| **lane != DISCARD).max();
                        self.vls = self.vls.max(most.map_or(0, |most| usize::from(*most) + 1));
                    }
                }
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

    fn read_levels(
        &mut self,
        file: NamedFile<'_>,
        topology: &str,
        subnet: &Subnet,
    ) -> Result<(), CheckError> {
        let endpoints = &subnet.network.endpoints;
        let destinations: BTreeMap<u16, usize> = self.lids.lids().iter().copied().zip(0..).collect();
        self.levels = vec![ABSENT; endpoints.len() * endpoints.len()];
        // The source of the lines below, in the form that has one; `None` where it is no endpoint.
        let mut below: Option<Option<usize>> = None;
        for (number, line) in (1..).zip(text(file)?.lines()) {
            let wrong = |what: String| malformed(file.name, number, what);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((_, guid)) =
                line.split_once(" 0x").filter(|(kind, _)| ["Channel Adapter", "Switch"].contains(kind))
            {
                below = Some(hexadecimal(guid).and_then(|guid| subnet.by_port_guid.get(&guid)).copied());
                continue;
            }
            let shape = || {
                wrong(format!(
                    "expected `0x<GUID of the source> <LID> <SL>` or `0x<LID> : <SL>`, found `{line}`"
                ))
            };
            let words: Vec<&str> = line.split([' ', '\t', ':']).filter(|word| !word.is_empty()).collect();
            let (source, lid, level) = match (&words[..], line.contains(':'), below) {
                ([_, "UNREACHABLE"], true, Some(_)) => continue,
                (&[lid, level, ..], true, Some(source)) => {
                    (source, lid.strip_prefix("0x").and_then(hexadecimal), level)
                }
                (&[guid, lid, level], false, _) => {
                    let guid = guid.strip_prefix("0x").and_then(hexadecimal).ok_or_else(shape)?;
                    let source = subnet.by_node_guid.get(&guid).or_else(|| subnet.by_port_guid.get(&guid));
                    let unknown = || {
                        wrong(format!(
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
                return Err(wrong(format!(
                    "the path from {} to {} has a line already",
                    endpoints[src].name, endpoints[dst].name
                )));
            }
            self.used = self.used.max(usize::from(level) + 1);
        }
        let count = endpoints.len();
        match (0..count * count).find(|at| at / count != at % count && self.levels[*at] == ABSENT) {
            Some(at) => {
                let [src, dst] = [at / count, at % count].map(|end| &endpoints[end].name);
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

impl Table for LanedTables {
    fn vcs(&self) -> usize {
        self.vls
    }
    fn lookup(&self) -> Lookup {
        Lookup::Level(self.used)
    }
    fn start(&self, src: usize, dst: usize) -> Option<usize> {
        let level = usize::from(self.levels[src * self.entries.len() + dst]);
        let sends = self.adapters[src].is_none_or(|lanes| lanes[level] != DISCARD);
        sends.then(|| self.entries[src] * self.used + level)
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>) -> Option<usize> {
        let mut by_lid = Vec::new();
        self.lids.fill(endpoint, &mut by_lid);
        row.clear();
        for (router, output) in by_lid.into_iter().enumerate() {
            for input in 0..self.ports {
                if output == MISSING {
                    row.extend((0..self.used).map(|_| MISSING));
                    continue;
                }
                let (output, _) = unpacked(output);
                let at = ((router * self.ports + input) * self.ports + output) * LEVELS;
                row.extend(self.lanes[at..at + self.used].iter().map(|lane| match *lane {
                    ABSENT => NO_LANE,
                    DISCARD => DISCARDED,
                    lane => packed(output as u16, lane),
                }));
            }
        }
        None
    }
}

impl ThirdPartyTable for LanedTables {
    fn injected(&self, src: usize, dst: usize) -> usize {
        let level = usize::from(self.levels[src * self.entries.len() + dst]);
        self.adapters[src].map_or(0, |lanes| usize::from(lanes[level]))
    }
}
