//! Reads `fabc.tables/2`: next-hop groups of any program, on a network in the format of fabc.
//!
//! Input: the text of the file, and the network. Output: [`ForeignGroups`], in which every entry names a
//! group whose ports lead to routers. Nothing is known yet of the paths.

use super::network::ForeignNetwork;
use super::relays::{ForeignLegs, sorted_relays};
use super::scene;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::{AnyGroupTablesFile, TablesFormat};
use fabc_ir::{GroupEntry, GroupTables, Relay, RouterNames, Symmetry, Topology};
use fabc_kernel::NOWHERE;

/// The format that this file reads.
pub(super) const FORMAT: &str = "fabc.tables/2";

/// Next-hop groups of a third party, with their network.
pub(super) struct ForeignGroups {
    pub(super) network: ForeignNetwork,
    /// The same network as a topology without symmetry, on which all links are lit.
    pub(super) topology: Topology,
    /// How routers choose a member, as the file says: `spray` or `ecmp`.
    pub(super) kind: String,
    /// Groups stand as in the file, each with its ports ascending. No router has an entry for itself.
    pub(super) tables: GroupTables,
    /// The legs of pairs whose packets endpoints send on.
    pub(super) legs: ForeignLegs,
}

/// Whether a file of tables says that it lists next-hop groups.
pub(super) fn lists_groups(file: NamedFile<'_>) -> bool {
    let format = || serde_json::from_slice::<TablesFormat>(file.bytes).ok();
    format().is_some_and(|head| head.format == FORMAT)
}

/// Reads the groups, and verifies their entries.
///
/// # Errors
/// A file that violates the format, or the first entry that no router can follow.
pub(super) fn read_groups(file: NamedFile<'_>, network: ForeignNetwork) -> Result<ForeignGroups, Rejected> {
    let unreadable = |error: CheckError| Rejected::Unreadable(Box::new(error));
    let read: AnyGroupTablesFile = serde_json::from_str(text(file).map_err(unreadable)?)
        .map_err(|error| unreadable(malformed(file.name, error.line(), error.to_string())))?;
    let SortedGroups { groups, weights } =
        sorted_groups(&read).map_err(|violation| unreadable(malformed(file.name, 1, violation)))?;
    let mut routers: Vec<Option<Vec<GroupEntry>>> = vec![None; network.routers()];
    for line in read.routers {
        let violation = |message: String| unreadable(malformed(file.name, 1, message));
        let (router, count) = (line.node, network.routers());
        let Some(listed) = routers.get_mut(router as usize) else {
            return Err(violation(format!("it lists router {router}, but there are only {count}")));
        };
        let entry =
            |[first, last, group]: [u32; 3]| GroupEntry { first: NodeId(first), last: NodeId(last), group };
        let mut entries: Vec<GroupEntry> = line.entries.into_iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.first, entry.last));
        if let Err(violation) = check_entries(&network, router as usize, &entries, &groups) {
            let (scenario, router) = (file.name.to_owned(), network.names[router as usize].clone());
            return Err(Rejected::Convicted(vec![CheckError::BadEntry { scenario, router, violation }]));
        }
        if listed.replace(entries).is_some() {
            return Err(violation(format!("router {router} is listed twice")));
        }
    }
    let routers = routers.into_iter().enumerate();
    let routers = routers.map(|(router, entries)| without_itself(router, entries.unwrap_or_default()));
    let relays =
        sorted_relays(&read.relays).map_err(|violation| unreadable(malformed(file.name, 1, violation)))?;
    let scenario = "nominal".to_owned();
    let tables = GroupTables { scenario, groups, weights, routers: routers.collect(), relays };
    let legs = ForeignLegs::new(&network, &tables).map_err(|(relay, reason)| {
        let Relay { source, destination, relay } = relay;
        let violation = format!("the relay [{source},{destination},{relay}] leads nowhere: {reason}");
        let router = network.names.get(source.index()).cloned().unwrap_or_else(|| source.to_string());
        Rejected::Convicted(vec![CheckError::BadEntry { scenario: file.name.to_owned(), router, violation }])
    })?;
    let topology = topology(&network);
    Ok(ForeignGroups { network, topology, kind: read.kind, tables, legs })
}

/// The groups of a file, each with its ports ascending.
struct SortedGroups {
    groups: Vec<Vec<u16>>,
    /// `[group]`: the weights of its ports, or nothing where they are equal.
    weights: Vec<Vec<u32>>,
}

/// The groups with ascending ports, and their weights in the same order.
///
/// # Errors
/// The first rule of the format that the file violates, in words.
fn sorted_groups(read: &AnyGroupTablesFile) -> Result<SortedGroups, String> {
    if !["spray", "ecmp"].contains(&read.kind.as_str()) {
        return Err(format!("its kind is `{}`, but this fabc knows `spray` and `ecmp`", read.kind));
    }
    if read.vcs != 1 || read.key != ["dst"] {
        let (vcs, key) = (read.vcs, &read.key);
        return Err(format!(
            "next-hop groups with {vcs} virtual channels and the key {key:?} cannot be walked, only those with 1 and [\"dst\"]"
        ));
    }
    if !read.weights.is_empty() && read.weights.len() != read.groups.len() {
        let (weights, groups) = (read.weights.len(), read.groups.len());
        return Err(format!("it has {weights} lists of weights for {groups} groups"));
    }
    let (mut groups, mut weights) = (Vec::new(), Vec::new());
    for (group, ports) in read.groups.iter().enumerate() {
        let own = read.weights.get(group).map_or(&[][..], Vec::as_slice);
        if ports.is_empty() {
            return Err(format!("`groups[{group}]` has no port"));
        }
        if !own.is_empty() && own.len() != ports.len() {
            let (count, ports) = (own.len(), ports.len());
            return Err(format!("`weights[{group}]` has {count} weights for {ports} ports"));
        }
        let weight = |member: usize| own.get(member).copied().unwrap_or(1);
        let mut members: Vec<(u16, u32)> =
            ports.iter().enumerate().map(|(member, &port)| (port, weight(member))).collect();
        members.sort_unstable();
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("`groups[{group}]` has port {} twice", pair[0].0));
        }
        if let Some((port, _)) = members.iter().find(|(_, weight)| *weight == 0) {
            return Err(format!("port {port} of `groups[{group}]` has the weight 0: leave the port out"));
        }
        let is_equal = members.iter().all(|(_, weight)| *weight == members[0].1);
        weights.push(if is_equal { Vec::new() } else { members.iter().map(|member| member.1).collect() });
        groups.push(members.into_iter().map(|(port, _)| port).collect());
    }
    Ok(SortedGroups { groups, weights })
}

/// Checks that the entries of a router, by their first destination, can be followed.
///
/// # Errors
/// The first entry that cannot, and why.
fn check_entries(
    network: &ForeignNetwork,
    router: usize,
    entries: &[GroupEntry],
    groups: &[Vec<u16>],
) -> Result<(), String> {
    for (place, entry) in entries.iter().enumerate() {
        let GroupEntry { first, last, group } = *entry;
        let refused = |reason: String| Err(format!("entry [{first},{last},{group}] {reason}"));
        if last < first {
            return refused("ends before it begins".to_owned());
        }
        if last.index() >= network.routers() {
            return refused(format!("is for a router that does not exist, there are {}", network.routers()));
        }
        if let Some(before) = place.checked_sub(1).map(|before| entries[before])
            && first <= before.last
        {
            let GroupEntry { first: start, last: end, group: other } = before;
            let twice = &network.names[first.index()];
            return refused(format!("overlaps [{start},{end},{other}]: both are for {twice}"));
        }
        let Some(ports) = groups.get(group as usize) else {
            return refused(format!("names group {group}, but there are {}", groups.len()));
        };
        for port in ports.iter().map(|&port| usize::from(port)) {
            if port >= network.ports {
                let count = network.ports;
                return refused(format!("leaves by port {port}, which does not exist, there are {count}"));
            }
            if network.next[router * network.ports + port].0 == NOWHERE {
                let name = &network.port_names[port];
                return refused(format!("leaves by {name}, which leads to no router"));
            }
        }
    }
    Ok(())
}

/// The entries without the router itself, where packets are taken whatever the entry says.
fn without_itself(router: usize, entries: Vec<GroupEntry>) -> Vec<GroupEntry> {
    let own = NodeId::new(router);
    let mut apart = Vec::with_capacity(entries.len());
    for entry in entries {
        let GroupEntry { first, last, group } = entry;
        if own < first || last < own {
            apart.push(entry);
            continue;
        }
        if first < own {
            apart.push(GroupEntry { first, last: NodeId(own.0 - 1), group });
        }
        if own < last {
            apart.push(GroupEntry { first: NodeId(own.0 + 1), last, group });
        }
    }
    apart
}

/// The network as a topology, with hosts and names.
fn topology(network: &ForeignNetwork) -> Topology {
    let mut hosts = vec![0; network.routers()];
    for endpoint in &network.endpoints {
        hosts[endpoint.router as usize] = endpoint.hosts;
    }
    let symmetry = Symmetry::trivial(1, network.routers() as u32);
    let names = RouterNames::Listed(network.names.clone().into());
    Topology::new(network.ports, scene::links(network), symmetry).with_hosts(hosts).named(names)
}
