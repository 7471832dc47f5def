//! A family as a predicate, and whether a network satisfies it.

use fabc_base::ids::{ChannelId, Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Fabric, Network};

/// What a family says of its routers and links. Routers are numbers; of simplex links, `from` and `to` are
/// source and target.
pub(super) trait Rule {
    /// Number of routers.
    fn routers(&self) -> usize;
    /// Number of links in all.
    fn links(&self) -> u64;
    /// Links of a router: those that leave it, and of simplex links as many come in; of what is drawn with
    /// gaps, at most.
    fn degree(&self, router: u32) -> u32;
    /// How many links join two routers, and their class; `None` where there is none.
    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)>;
    /// Whether who is joined also says by which class and declared link; otherwise those are counted apart.
    fn tells_kinds(&self) -> bool {
        true
    }
    /// Which declared link joins two routers, where their class does not tell.
    fn link_type(&self, _from: u32, _to: u32) -> Option<LinkTypeId> {
        None
    }
    /// Whether routers may have fewer links than they might: those that a random matching left out.
    fn has_gaps(&self) -> bool {
        false
    }
    /// Whether a link is one channel.
    fn simplex(&self) -> bool {
        false
    }
    /// Whether a router carries hosts.
    fn has_hosts(&self, _router: u32) -> bool {
        true
    }
    /// What is wrong with the port that a channel of a family with numbered ports leaves through.
    fn misplaced(&self, _topology: &Topology, _channel: ChannelId) -> Option<String> {
        None
    }
    /// Whether `misplaced` decides about the ports of links of a class; otherwise they are in order, local
    /// ones first, by neighbor.
    fn numbers_ports(&self, _class: LinkClass) -> bool {
        false
    }
}

pub(super) fn by_rule(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
    rule: &dyn Rule,
) -> Result<(), String> {
    routers(fabric, topology, rule)?;
    links(fabric, network, topology, rule)?;
    multiplicities(topology, rule)?;
    for node in topology.nodes() {
        let must = rule.degree(node.0) as usize;
        for (has, way) in
            [(topology.channels_from(node).count(), "leave"), (topology.channels_into(node).count(), "enter")]
        {
            if has > must || has < must && !rule.has_gaps() {
                return Err(format!("{has} channels {way} {}, but {must} must", topology.name(node)));
            }
        }
    }
    let (has, must) = (topology.links().len() as u64, rule.links());
    if has > must || has < must && !rule.has_gaps() {
        return Err(format!(
            "there are {has} links, but a {} of these parameters has {must}",
            network.family.name()
        ));
    }
    ports(topology, rule)
}

/// Number of routers, and the hosts of each.
fn routers(fabric: &Fabric, topology: &Topology, rule: &dyn Rule) -> Result<(), String> {
    let (has, must) = (topology.node_count(), rule.routers());
    if has != must {
        return Err(format!("{has} routers, but a network of these parameters has {must}"));
    }
    let each = fabric.router.hosts.max(1);
    for node in topology.nodes() {
        let must = if rule.has_hosts(node.0) { each } else { 0 };
        hosts(topology, node, must)?;
    }
    Ok(())
}

/// Whether a router has its hosts.
pub(super) fn hosts(topology: &Topology, node: NodeId, must: u16) -> Result<(), String> {
    match topology.hosts(node) {
        has if has == must => Ok(()),
        has => Err(format!("{} has {has} hosts, but {must} must be there", topology.name(node))),
    }
}

/// Every link is one of the family, with its class, type and direction.
fn links(fabric: &Fabric, network: &Network, topology: &Topology, rule: &dyn Rule) -> Result<(), String> {
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
            let must = if class == LinkClass::Local { "inside a group" } else { "between groups" };
            return Err(format!("{} must be a link {must}", name()));
        }
        let by_class = if class == LinkClass::Local { network.local } else { network.global };
        let must = rule.link_type(link.a.node.0, link.b.node.0).unwrap_or(by_class);
        // Where lengths say which link a cable is, the check of the floor compares.
        let by_length = fabric.floor.as_ref().is_some_and(|floor| floor.by_length.is_some());
        if link.link_type != must && !by_length {
            return Err(format!("{} must be a link of `{}`", name(), fabric.link_types[must].name));
        }
    }
    Ok(())
}

/// No two routers are joined more often than the family says.
fn multiplicities(topology: &Topology, rule: &dyn Rule) -> Result<(), String> {
    let mut targets = Vec::new();
    for node in topology.nodes() {
        targets.clear();
        targets.extend(topology.channels_from(node).map(|channel| topology.target(channel).node));
        targets.sort_unstable();
        for same in targets.chunk_by(|a, b| a == b) {
            let most = rule.joined(node.0, same[0].0).map_or(0, |(copies, _)| copies as usize);
            if same.len() > most {
                let (from, to) = (topology.name(node), topology.name(same[0]));
                return Err(format!("{} channels lead from {from} to {to}, but {most} must", same.len()));
            }
        }
    }
    Ok(())
}

/// Ports count up from 0, local links first, then global ones, by neighbor; but where the family numbers the
/// global ports itself.
fn ports(topology: &Topology, rule: &dyn Rule) -> Result<(), String> {
    for node in topology.nodes() {
        let out = topology
            .channels_from(node)
            .map(|channel| (channel, topology.source(channel).port, topology.target(channel).node));
        ascending(topology, rule, node, out)?;
        if rule.simplex() {
            let into = topology
                .channels_into(node)
                .map(|channel| (channel, topology.target(channel).port, topology.source(channel).node));
            ascending(topology, rule, node, into)?;
        }
    }
    Ok(())
}

/// The channels of a router as (channel, port here, neighbor), by port, are in order.
fn ascending(
    topology: &Topology,
    rule: &dyn Rule,
    node: NodeId,
    channels: impl Iterator<Item = (ChannelId, PortId, NodeId)>,
) -> Result<(), String> {
    let class = |channel: ChannelId| topology.link(channel).class;
    let mut before: Option<(bool, NodeId)> = None;
    for (place, (channel, port, neighbor)) in channels.enumerate() {
        let global = class(channel) == LinkClass::Global;
        if rule.numbers_ports(class(channel)) {
            if let Some(what) = rule.misplaced(topology, channel) {
                return Err(what);
            }
            continue;
        }
        let meets = || format!("{} meets {} at port{port}", topology.name(node), topology.name(neighbor));
        if port.index() != place {
            return Err(format!("{}, but that link must be at port{place}", meets()));
        }
        let several = rule.joined(node.0, neighbor.0).is_some_and(|(copies, _)| copies > 1);
        if before
            .is_some_and(|before| before > (global, neighbor) || before == (global, neighbor) && !several)
        {
            return Err(format!("{}, which must be one of the ports before", meets()));
        }
        before = Some((global, neighbor));
    }
    Ok(())
}
