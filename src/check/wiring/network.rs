//! Whether a network is the one of its parameters: every link is one that the family has, of its class and type, on its ports; none is
//! missing; hosts stand where they must.
//!
//! Each family is a predicate, "are u and v joined, how often, by which class of link", with closed forms for what must be there in all.
//! Every link satisfies the predicate, no two routers are joined more often than it says, and there are as many links as the closed form
//! says: then no link is missing either.

use super::{dragonfly, fat_tree, grid, kautz, listed};
use crate::check::CheckError;
use crate::ids::{ChannelId, Id, NodeId};
use crate::ir::{LinkClass, Names, Topology};
use crate::model::{Fabric, Family, Network};
use std::cmp::Ordering;

/// What a family says of its routers and links. Routers are numbers; of simplex links, `from` and `to` are source and target.
pub(super) trait Rule {
    /// Number of routers.
    fn routers(&self) -> usize;
    /// Number of links in all.
    fn links(&self) -> u64;
    /// Links of a router: those that leave it, and of simplex links as many come in.
    fn degree(&self, router: u32) -> u32;
    /// How many links join two routers, and their class; `None` where there is none.
    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)>;
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
    /// Whether `misplaced` decides about the ports of global links; otherwise they follow the local ones, by neighbour.
    fn numbers_global_ports(&self) -> bool {
        false
    }
}

/// Checks routers, links and ports of a network.
pub(super) fn wiring(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), CheckError> {
    let found = match &network.family {
        Family::Torus(sides) => by_rule(fabric, network, topology, &grid::torus(sides)),
        Family::Mesh(sides) => by_rule(fabric, network, topology, &grid::mesh(sides)),
        Family::HyperX(sides) => by_rule(fabric, network, topology, &grid::hyperx(sides)),
        Family::Dragonfly(dragonfly) => by_rule(fabric, network, topology, &dragonfly::Groups(*dragonfly)),
        &Family::FatTree { levels, arity } => by_rule(fabric, network, topology, &fat_tree::Tree { levels, arity }),
        &Family::Kautz { degree, length, arcs } => by_rule(fabric, network, topology, &kautz::Words { degree, length, arcs }),
        Family::Listed(listed) => listed::wiring(fabric, listed, topology),
    };
    found.and_then(|()| last_port(topology)).map_err(|what| CheckError::Wiring { what, span: Some(network.span) })?;
    let (moved, block) = (topology.symmetry().chips_per_cube(), network.family.blocks().0 as usize);
    if moved != block {
        return Err(CheckError::symmetry(format!("it moves blocks of {moved} routers, but those of the network have {block}")));
    }
    if *topology.names() != Names::of(fabric) {
        let what = "the routers have the names of another network".to_owned();
        return Err(CheckError::Wiring { what, span: Some(network.span) });
    }
    Ok(())
}

fn by_rule(fabric: &Fabric, network: &Network, topology: &Topology, rule: &impl Rule) -> Result<(), String> {
    routers(fabric, topology, rule)?;
    links(fabric, network, topology, rule)?;
    multiplicities(topology, rule)?;
    for node in topology.nodes() {
        let must = rule.degree(node.0) as usize;
        for (has, way) in [(topology.channels_from(node).count(), "leave"), (topology.channels_into(node).count(), "enter")] {
            if has != must {
                return Err(format!("{has} channels {way} {}, but {must} must", topology.name(node)));
            }
        }
    }
    let (has, must) = (topology.links().len() as u64, rule.links());
    if has != must {
        return Err(format!("there are {has} links, but a {} of these parameters has {must}", network.family.name()));
    }
    ports(topology, rule)
}

/// Number of routers, and the hosts of each.
fn routers(fabric: &Fabric, topology: &Topology, rule: &impl Rule) -> Result<(), String> {
    let (has, must) = (topology.node_count(), rule.routers());
    if has != must {
        return Err(format!("{has} routers, but the spec has {must}"));
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
fn links(fabric: &Fabric, network: &Network, topology: &Topology, rule: &impl Rule) -> Result<(), String> {
    for (id, link) in topology.links().enumerate() {
        let name = || topology.channel_name(id.forward());
        if link.simplex != rule.simplex() {
            return Err(format!("{} must be {}", name(), if rule.simplex() { "one channel" } else { "two channels" }));
        }
        let Some((_, class)) = rule.joined(link.a.node.0, link.b.node.0) else {
            return Err(format!("{} joins routers that are none of each other's neighbours", name()));
        };
        if link.class != class {
            let must = if class == LinkClass::Local { "inside a group" } else { "between groups" };
            return Err(format!("{} must be a link {must}", name()));
        }
        let must = if class == LinkClass::Local { network.local } else { network.global };
        if link.link_type != must {
            return Err(format!("{} must be a link of `{}`", name(), fabric.link_types[must].name));
        }
    }
    Ok(())
}

/// No two routers are joined more often than the family says.
fn multiplicities(topology: &Topology, rule: &impl Rule) -> Result<(), String> {
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

/// Ports count up from 0, local links first, then global ones, by neighbour; but where the family numbers the global ports itself.
fn ports(topology: &Topology, rule: &impl Rule) -> Result<(), String> {
    for node in topology.nodes() {
        let out = topology.channels_from(node).map(|channel| (channel, topology.source(channel).port, topology.target(channel).node));
        ascending(topology, rule, node, out)?;
        if rule.simplex() {
            let into = topology.channels_into(node).map(|channel| (channel, topology.target(channel).port, topology.source(channel).node));
            ascending(topology, rule, node, into)?;
        }
    }
    Ok(())
}

/// The channels of a router as (channel, port here, neighbour), by port, are in order.
fn ascending(
    topology: &Topology,
    rule: &impl Rule,
    node: NodeId,
    channels: impl Iterator<Item = (ChannelId, crate::ids::PortId, NodeId)>,
) -> Result<(), String> {
    let class = |channel: ChannelId| topology.links()[channel.link()].class;
    let mut before: Option<(bool, NodeId)> = None;
    for (place, (channel, port, neighbour)) in channels.enumerate() {
        let global = class(channel) == LinkClass::Global;
        if global && rule.numbers_global_ports() {
            if let Some(what) = rule.misplaced(topology, channel) {
                return Err(what);
            }
            continue;
        }
        let (router, other) = (topology.name(node), topology.name(neighbour));
        if port.index() != place {
            return Err(format!("{router} meets {other} at port{port}, but that link must be at port{place}"));
        }
        if before.is_some_and(|before| before.cmp(&(global, neighbour)) != Ordering::Less) {
            return Err(format!("{router} meets {other} at port{port}, which comes before that port by number"));
        }
        before = Some((global, neighbour));
    }
    Ok(())
}

/// The last port that the topology counts is in use.
fn last_port(topology: &Topology) -> Result<(), String> {
    let ends = topology.links().iter().flat_map(|link| [link.a.port, link.b.port]);
    match ends.max().map_or(0, |port| port.index() + 1) {
        used if used == topology.ports() => Ok(()),
        used => Err(format!("routers have {} ports, but {used} are in use", topology.ports())),
    }
}
