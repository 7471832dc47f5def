//! The rule of a family, and whether a network satisfies it.

use fabc_base::ids::{ChannelId, Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Fabric, Network};

/// The rule of a family for its routers and links. Routers are numbers. For simplex links, `from` and `to`
/// are source and target.
pub(super) trait FamilyRule {
    /// The number of routers in the network.
    fn routers(&self) -> usize;
    /// The number of all links.
    fn links(&self) -> u64;
    /// The links of a router. For simplex links these are the links that leave, and as many enter. With gaps
    /// it is a maximum.
    fn degree(&self, router: u32) -> u32;
    /// The number of links between two routers, and their class. `None` without a link.
    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)>;
    /// Whether `joined` also determines class and declared link. Otherwise those are counted separately.
    fn tells_kinds(&self) -> bool {
        true
    }
    /// The declared link between two routers, if their class does not determine it.
    fn link_type(&self, _from: u32, _to: u32) -> Option<LinkTypeId> {
        None
    }
    /// Whether routers may have fewer links, because a random matching left them out.
    fn has_gaps(&self) -> bool {
        false
    }
    /// Whether a link is a single channel.
    fn simplex(&self) -> bool {
        false
    }
    /// Whether a router has hosts.
    fn has_hosts(&self, _router: u32) -> bool {
        true
    }
    /// The conviction of a channel on the wrong port, in families that number ports themselves.
    fn misplaced(&self, _topology: &Topology, _channel: ChannelId) -> Option<String> {
        None
    }
    /// Whether `misplaced` decides about the ports of a class of links. Otherwise they are in order: local
    /// ones first, by neighbor.
    fn numbers_ports(&self, _class: LinkClass) -> bool {
        false
    }
}

pub(super) fn verify_by_rule(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
    rule: &dyn FamilyRule,
) -> Result<(), String> {
    verify_routers(fabric, topology, rule)?;
    verify_links(fabric, network, topology, rule)?;
    verify_multiplicities(topology, rule)?;
    for node in topology.nodes() {
        let expected = rule.degree(node.0) as usize;
        for (count, direction) in
            [(topology.channels_from(node).count(), "leave"), (topology.channels_into(node).count(), "enter")]
        {
            if count > expected || count < expected && !rule.has_gaps() {
                return Err(format!(
                    "{count} channels {direction} {}, but {expected} must",
                    topology.name(node)
                ));
            }
        }
    }
    let (count, expected) = (topology.links().len() as u64, rule.links());
    if count > expected || count < expected && !rule.has_gaps() {
        return Err(format!(
            "there are {count} links, but a {} of these parameters has {expected}",
            network.family.name()
        ));
    }
    verify_ports(topology, rule)
}

/// Verifies the number of routers, and the hosts of each.
fn verify_routers(fabric: &Fabric, topology: &Topology, rule: &dyn FamilyRule) -> Result<(), String> {
    let (count, expected) = (topology.node_count(), rule.routers());
    if count != expected {
        return Err(format!("{count} routers, but a network of these parameters has {expected}"));
    }
    let hosts_per_router = fabric.router.hosts.max(1);
    for node in topology.nodes() {
        let expected = if rule.has_hosts(node.0) { hosts_per_router } else { 0 };
        verify_hosts(topology, node, expected)?;
    }
    Ok(())
}

/// Verifies the number of hosts of a router.
pub(super) fn verify_hosts(topology: &Topology, node: NodeId, expected: u16) -> Result<(), String> {
    match topology.hosts(node) {
        count if count == expected => Ok(()),
        count => Err(format!("{} has {count} hosts, but {expected} must be there", topology.name(node))),
    }
}

/// Verifies that every link belongs to the family, with its class, type and direction.
fn verify_links(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
    rule: &dyn FamilyRule,
) -> Result<(), String> {
    for (id, link) in topology.links().enumerate() {
        let name = || topology.link_name(id);
        if link.simplex != rule.simplex() {
            return Err(format!(
                "{} must be {}",
                name(),
                if rule.simplex() { "one channel" } else { "two channels" }
            ));
        }
        let Some((_, class)) = rule.joined(link.a.node.0, link.b.node.0) else {
            return Err(format!("{} joins two routers that are not neighbors", name()));
        };
        if !rule.tells_kinds() {
            continue;
        }
        if link.class != class {
            let expected = if class == LinkClass::Local { "inside a group" } else { "between groups" };
            return Err(format!("{} must be a link {expected}", name()));
        }
        let by_class = if class == LinkClass::Local { network.local } else { network.global };
        let expected = rule.link_type(link.a.node.0, link.b.node.0).unwrap_or(by_class);
        // Where lengths decide the type of a cable, the floor is verified instead. Links inside boxes are no
        // cables.
        let by_length = fabric.floor.as_ref().is_some_and(|floor| floor.by_length.is_some())
            && (fabric.boxes().is_none() || class == LinkClass::Global);
        if link.link_type != expected && !by_length {
            return Err(format!("{} must be a link of `{}`", name(), fabric.link_types[expected].name));
        }
    }
    Ok(())
}

/// Verifies that no two routers have more links than the family allows.
fn verify_multiplicities(topology: &Topology, rule: &dyn FamilyRule) -> Result<(), String> {
    let mut targets = Vec::new();
    for node in topology.nodes() {
        targets.clear();
        targets.extend(topology.channels_from(node).map(|channel| topology.target(channel).node));
        targets.sort_unstable();
        for parallel in targets.chunk_by(|a, b| a == b) {
            let max_copies = rule.joined(node.0, parallel[0].0).map_or(0, |(copies, _)| copies as usize);
            if parallel.len() > max_copies {
                let (from, to) = (topology.name(node), topology.name(parallel[0]));
                return Err(format!(
                    "{} channels lead from {from} to {to}, but {max_copies} must",
                    parallel.len()
                ));
            }
        }
    }
    Ok(())
}

/// Verifies that ports count up from 0, local links first, then global ones, by neighbor. Families may
/// number their global ports themselves.
fn verify_ports(topology: &Topology, rule: &dyn FamilyRule) -> Result<(), String> {
    for node in topology.nodes() {
        let leaving = topology
            .channels_from(node)
            .map(|channel| (channel, topology.source(channel).port, topology.target(channel).node));
        verify_ascending(topology, rule, node, leaving)?;
        if rule.simplex() {
            let entering = topology
                .channels_into(node)
                .map(|channel| (channel, topology.target(channel).port, topology.source(channel).node));
            verify_ascending(topology, rule, node, entering)?;
        }
    }
    Ok(())
}

/// Verifies the order of a router's channels, given as (channel, port here, neighbor) by port.
fn verify_ascending(
    topology: &Topology,
    rule: &dyn FamilyRule,
    node: NodeId,
    channels: impl Iterator<Item = (ChannelId, PortId, NodeId)>,
) -> Result<(), String> {
    let class = |channel: ChannelId| topology.link(channel).class;
    let mut previous: Option<(bool, NodeId)> = None;
    for (place, (channel, port, neighbor)) in channels.enumerate() {
        let global = class(channel) == LinkClass::Global;
        if rule.numbers_ports(class(channel)) {
            if let Some(violation) = rule.misplaced(topology, channel) {
                return Err(violation);
            }
            continue;
        }
        let link_text = || format!("{} meets {} at port{port}", topology.name(node), topology.name(neighbor));
        if port.index() != place {
            return Err(format!("{}, but that link must be at port{place}", link_text()));
        }
        let has_copies = rule.joined(node.0, neighbor.0).is_some_and(|(copies, _)| copies > 1);
        if previous.is_some_and(|previous| {
            previous > (global, neighbor) || previous == (global, neighbor) && !has_copies
        }) {
            return Err(format!("{}, which must be one of the ports before", link_text()));
        }
        previous = Some((global, neighbor));
    }
    Ok(())
}
