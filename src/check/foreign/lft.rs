//! Reads the forwarding tables of all switches as OpenSM and the InfiniBand diagnostics dump them.
//!
//! Per switch there is a line `Unicast lids [..] of switch Lid <lid> guid 0x<guid> ('<description>'):`, a
//! line `0x<lid> <port>` per destination, and `<n> lids dumped`. These tables have no virtual channels, so
//! they are judged with one.

use super::infiniband::InfinibandSubnet;
use super::network::ThirdPartyTable;
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_kernel::{Lookup, LookupTable, MISSING, packed};
use std::collections::BTreeMap;

const ABSENT: u8 = u8::MAX;

/// Tables keyed by LID alone.
pub(super) struct LidTables {
    /// `[router][lid]`: the output port for this LID.
    ports: Vec<Vec<u8>>,
    /// `[endpoint]`: the LID of its port.
    lids: Vec<u16>,
}

/// Reads the tables of a subnet. Adds LIDs that only the tables contain to the subnet.
pub(super) fn read_tables(
    file: NamedFile<'_>,
    topology: &str,
    subnet: &mut InfinibandSubnet,
) -> Result<LidTables, CheckError> {
    let mut ports: Vec<Vec<u8>> = vec![Vec::new(); subnet.network.routers()];
    let mut dumped = vec![false; ports.len()];
    let mut current: Option<usize> = None;
    // LIDs of ports that the topology names by GUID only.
    let mut by_port_guid: BTreeMap<u64, u16> = BTreeMap::new();
    for (number, line) in (1..).zip(text(file)?.lines()) {
        let violation = |message: String| malformed(file.name, number, message);
        let line = line.trim();
        if let Some(head) = line.strip_prefix("Unicast lids") {
            let router = switch_of_header(head, topology, subnet).map_err(violation)?;
            if std::mem::replace(&mut dumped[router as usize], true) {
                return Err(violation(format!(
                    "{} has a table already",
                    subnet.network.names[router as usize]
                )));
            }
            let lid = head
                .split_once("switch Lid ")
                .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
            if let Some((known, lid)) = subnet
                .network
                .endpoints
                .iter()
                .position(|end| (end.router, end.port) == (router, None))
                .zip(lid)
            {
                subnet.lids[known].get_or_insert(lid);
            }
            current = Some(router as usize);
        } else if line.starts_with("Multicast mlids") {
            current = None;
        } else if let Some(rest) = line.strip_prefix("0x") {
            let Some(router) = current else { continue };
            let (Some(lid), Some(port)) = lid_and_port(rest, subnet.network.ports) else {
                let max_port = subnet.network.ports - 1;
                return Err(violation(format!(
                    "expected a LID of 0x0001 to 0xbfff and a port of 0 to {max_port}, found `{line}`"
                )));
            };
            let table = &mut ports[router];
            if table.len() <= usize::from(lid) {
                table.resize(usize::from(lid) + 1, ABSENT);
            }
            if table[usize::from(lid)] != ABSENT {
                return Err(violation(format!("LID 0x{lid:04x} has a line already")));
            }
            table[usize::from(lid)] = port;
            if let Some(guid) = rest.split_once("portguid 0x").and_then(|(_, rest)| leading_hexadecimal(rest))
            {
                by_port_guid.insert(guid, lid);
            }
        } else if !(line.is_empty()
            || line.starts_with(['#', 'L', 'P', '('])
            || line.ends_with("lids dumped")
            || current.is_none())
        {
            // `Lid  Out   Destination` and `Port  Info` are headings.
            return Err(violation(format!("expected `0x<lid> <port>`, found `{line}`")));
        }
    }
    if let Some(router) = dumped.iter().position(|dumped| !dumped) {
        let name = &subnet.network.names[router];
        return Err(malformed(
            file.name,
            1,
            format!("there is no table of switch {name}, which `{topology}` has"),
        ));
    }
    let lids = lids_of_endpoints(file.name, topology, subnet, &by_port_guid)?;
    Ok(LidTables { ports, lids })
}

/// The router that a line `Unicast lids ..` names by its GUID or its description.
fn switch_of_header(head: &str, topology: &str, subnet: &InfinibandSubnet) -> Result<u32, String> {
    let guid = head.split_once("guid 0x").and_then(|(_, rest)| leading_hexadecimal(rest));
    let description =
        head.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches([':', ')'])).trim_matches('\'');
    let router = guid.and_then(|guid| subnet.by_guid.get(&guid));
    router.or_else(|| subnet.by_description.get(description)).copied().ok_or_else(|| {
        format!("neither the GUID nor the description ('{description}') is that of a switch in `{topology}`")
    })
}

/// The LID and the port of a line without its `0x`, each `None` if it is out of range.
fn lid_and_port(line: &str, ports: usize) -> (Option<u16>, Option<u8>) {
    let mut words = line.split_whitespace();
    let lid = words.next().and_then(|word| u16::from_str_radix(word, 16).ok());
    let port = words.next().and_then(|word| word.parse::<u8>().ok());
    (lid.filter(|lid| *lid > 0 && *lid <= 0xbfff), port.filter(|port| usize::from(*port) < ports))
}

/// `[endpoint]`: its LID, from the topology or from the port GUIDs in the tables.
fn lids_of_endpoints(
    tables: &str,
    topology: &str,
    subnet: &mut InfinibandSubnet,
    by_port_guid: &BTreeMap<u64, u16>,
) -> Result<Vec<u16>, CheckError> {
    for (guid, endpoint) in &subnet.by_port_guid {
        if let Some(lid) = by_port_guid.get(guid) {
            subnet.lids[*endpoint].get_or_insert(*lid);
        }
    }
    let lid = |(endpoint, lid): (usize, &Option<u16>)| {
        let name = &subnet.network.endpoints[endpoint].name;
        lid.ok_or_else(|| {
            malformed(
                topology,
                1,
                format!("{name} has no LID, neither there nor by its port GUID in `{}`", tables),
            )
        })
    };
    subnet.lids.iter().enumerate().map(lid).collect()
}

/// The hexadecimal number at the beginning of a text.
pub(super) fn leading_hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.split(|letter: char| !letter.is_ascii_hexdigit()).next()?, 16).ok()
}

impl LidTables {
    /// `[endpoint]`: the LID of its port.
    pub(super) fn lids(&self) -> &[u16] {
        &self.lids
    }
}

impl LookupTable for LidTables {
    fn vcs(&self) -> usize {
        1
    }
    fn lookup(&self) -> Lookup {
        Lookup::Destination
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>) -> Option<usize> {
        let lid = usize::from(self.lids[endpoint]);
        row.clear();
        let port = |table: &Vec<u8>| {
            table
                .get(lid)
                .copied()
                .filter(|port| *port != ABSENT)
                .map_or(MISSING, |port| packed(u16::from(port), 0))
        };
        row.extend(self.ports.iter().map(port));
        None
    }
}

impl ThirdPartyTable for LidTables {}
