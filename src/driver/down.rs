//! What is down in a built fabric, by the names that users give it: switches, routers, links and blocks.

use super::errors::{DriverError, Stop};
use crate::ids::{Id, LinkId, NodeId, OcsId, PortId};
use crate::ir::{CrossConnects, Names, Scenario, Scene, Topology};
use crate::model::Fabric;
use crate::passes::drift::Dark;
use std::collections::BTreeSet;

/// A fabric as it was wired.
#[derive(Clone, Copy)]
pub(super) struct Wired<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
}

/// What is down.
#[derive(Default)]
pub(super) struct Down {
    switches: BTreeSet<OcsId>,
    routers: BTreeSet<NodeId>,
    links: BTreeSet<LinkId>,
}

impl Down {
    /// By the names of switches, routers, links and blocks.
    pub(super) fn of(wired: Wired<'_>, names: &[String]) -> Result<Self, Stop> {
        let mut down = Self::default();
        for name in names {
            let compact: String = name.chars().filter(|letter| !letter.is_whitespace()).collect();
            if !down.takes(wired, &compact) {
                return Err(DriverError::UnknownPart { name: name.clone(), hint: looks(wired) }.into());
            }
        }
        Ok(down)
    }

    /// By what carries no light.
    pub(super) fn of_dark(wired: Wired<'_>, dark: &[Dark]) -> Self {
        let mut down = Self::default();
        for one in dark {
            match *one {
                Dark::Switch(ocs) => drop(down.switches.insert(ocs)),
                Dark::CrossConnect(ocs, pair) => {
                    let settings = wired.cross_connects.iter().flat_map(|cross_connects| &cross_connects.settings[ocs]);
                    down.links.extend(settings.filter(|setting| [setting.a, setting.b] == pair).map(|setting| setting.link));
                }
            }
        }
        down
    }

    /// The same, and what else is.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.switches.extend(other.switches);
        self.routers.extend(other.routers);
        self.links.extend(other.links);
        self
    }

    /// Whether there is such a part; it is down from now on.
    fn takes(&mut self, wired: Wired<'_>, name: &str) -> bool {
        let (topology, fabric) = (wired.topology, wired.fabric);
        if let Some(pod) = fabric.pod()
            && let Some((id, _)) = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == name)
        {
            self.switches.insert(id);
            return true;
        }
        let names: &Names = topology.names();
        if let Some(node) = names.find(name, topology.node_count()) {
            self.routers.insert(node);
            return true;
        }
        if let Some((router, port)) = name.rsplit_once('.')
            && let Some(node) = names.find(router, topology.node_count())
        {
            let port = (0..topology.ports()).map(PortId::new).find(|&at| names.port(at) == port);
            let channel = port.and_then(|port| {
                topology.channels_from(node).chain(topology.channels_into(node)).find(|&channel| {
                    let ends = [topology.source(channel), topology.target(channel)];
                    ends.iter().any(|end| end.node == node && end.port == port)
                })
            });
            return channel.is_some_and(|channel| {
                self.links.insert(channel.link());
                true
            });
        }
        let (size, blocks) = fabric.blocks();
        let block_name = |block: u32| names.node(NodeId(block * size)).split('[').next().unwrap_or_default().to_owned();
        // A cube has its name even where it is one chip, or alone.
        let named = fabric.pod().is_some() || size > 1 && blocks > 1;
        let block = named.then(|| (0..blocks).find(|&block| block_name(block) == name)).flatten();
        block.is_some_and(|block| {
            self.routers.extend((block * size..(block + 1) * size).map(NodeId));
            true
        })
    }

    /// The names of scenarios, in their order: switches, links, routers.
    pub(super) fn names(&self, wired: Wired<'_>) -> Vec<String> {
        let topology = wired.topology;
        let switches = self.switches.iter().filter_map(|&id| Some(wired.fabric.pod()?.ocses[id].name.clone()));
        let link = |&link: &LinkId| {
            let end = topology.links()[link].a;
            format!("{}.{}", topology.name(end.node), topology.names().port(end.port))
        };
        let routers = self.routers.iter().map(|&node| topology.name(node));
        switches.chain(self.links.iter().map(link)).chain(routers).collect()
    }

    /// What is left.
    pub(super) fn scene<'a>(&self, wired: Wired<'a>) -> Scene<'a> {
        let topology = wired.topology;
        let through = |link| wired.cross_connects.and_then(|cross_connects| cross_connects.ocs_of[link]);
        let lit = topology.links().enumerate().map(|(id, link)| {
            let dark = through(id).is_some_and(|ocs| self.switches.contains(&ocs)) || self.links.contains(&id);
            !dark && !self.routers.contains(&link.a.node) && !self.routers.contains(&link.b.node)
        });
        Scene { topology, lit: lit.collect(), dead: self.routers.iter().copied().collect() }
    }
}

/// What names look like in a fabric.
fn looks(wired: Wired<'_>) -> String {
    let topology = wired.topology;
    let first = topology.name(NodeId(0));
    let port =
        topology.channels_from(NodeId(0)).next().map_or_else(String::new, |channel| topology.names().port(topology.source(channel).port));
    let switch =
        wired.fabric.pod().and_then(|pod| pod.ocses.iter().next()).map_or_else(String::new, |ocs| format!("a switch `{}`, ", ocs.name));
    let (size, blocks) = wired.fabric.blocks();
    let block = if size > 1 && blocks > 1 { format!(", all of `{}`", first.split('[').next().unwrap_or_default()) } else { String::new() };
    format!("names are such as {switch}a router `{first}`, a link `{first}.{port}`{block}")
}

/// The fault of the budget that names make, itself or the image of another.
pub(super) fn tolerated(wired: Wired<'_>, names: &[String]) -> Option<(Scenario, String)> {
    let name = names.join("+");
    let all = Scenario::all(wired.fabric, wired.topology);
    let of_name = |scenario: &Scenario| scenario.name == name || scenario.images.iter().any(|image| image.scenario == name);
    all.into_iter().skip(1).find(of_name).map(|scenario| (scenario, name))
}
