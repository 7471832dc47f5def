//! What is down in a built fabric, by the names that users give it: switches, routers, links and blocks.

use crate::io::errors::{DriverError, Stop};
use fabc_base::ids::{Id, LinkId, NodeId, OcsId, PortId};
use fabc_ir::{CrossConnects, Names, Scenario, Scene, Topology};
use fabc_model::Fabric;
use fabc_passes::drift::Dark;
use std::collections::BTreeSet;

/// A fabric as it was built: its spec, wiring and cross-connects, before anything went down.
#[derive(Clone, Copy)]
pub(crate) struct AsBuilt<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) topology: &'a Topology,
    pub(crate) cross_connects: Option<&'a CrossConnects>,
}

/// The parts that are down.
#[derive(Default)]
pub(crate) struct Down {
    switches: BTreeSet<OcsId>,
    routers: BTreeSet<NodeId>,
    links: BTreeSet<LinkId>,
}

impl Down {
    /// Parts that are down, by the names of switches, routers, links and blocks.
    ///
    /// # Errors
    /// A name that no part has.
    pub(crate) fn by_names(as_built: AsBuilt<'_>, names: &[String]) -> Result<Self, Stop> {
        let mut down = Self::default();
        for name in names {
            let compact: String = name.chars().filter(|letter| !letter.is_whitespace()).collect();
            if !down.mark_down(as_built, &compact) {
                return Err(DriverError::UnknownPart {
                    name: name.clone(),
                    hint: known_names(as_built, &compact),
                }
                .into());
            }
        }
        Ok(down)
    }

    /// Parts that are down because they carry no light.
    pub(crate) fn by_dark(as_built: AsBuilt<'_>, dark: &[Dark]) -> Self {
        let mut down = Self::default();
        for one in dark {
            match *one {
                Dark::Switch(ocs) => drop(down.switches.insert(ocs)),
                Dark::CrossConnect(ocs, pair) => {
                    let settings = as_built
                        .cross_connects
                        .iter()
                        .flat_map(|cross_connects| &cross_connects.settings[ocs]);
                    down.links.extend(
                        settings.filter(|setting| [setting.a, setting.b] == pair).map(|setting| setting.link),
                    );
                }
            }
        }
        down
    }

    /// These parts and the parts of `other`.
    pub(crate) fn joined_with(mut self, other: Self) -> Self {
        self.switches.extend(other.switches);
        self.routers.extend(other.routers);
        self.links.extend(other.links);
        self
    }

    /// Marks the part with this name as down. Returns `false` if there is no such part.
    fn mark_down(&mut self, as_built: AsBuilt<'_>, name: &str) -> bool {
        let (topology, fabric) = (as_built.topology, as_built.fabric);
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
                self.links.insert(topology.link_of(channel));
                true
            });
        }
        let routers = names.block(name, topology.node_count());
        let is_block = !routers.is_empty();
        self.routers.extend(routers);
        is_block
    }

    /// The names of the parts, in the order of scenario names: switches, links, routers.
    pub(crate) fn names(&self, as_built: AsBuilt<'_>) -> Vec<String> {
        let topology = as_built.topology;
        let switches =
            self.switches.iter().filter_map(|&id| Some(as_built.fabric.pod()?.ocses[id].name.clone()));
        let link = |&link: &LinkId| {
            let end = topology.links()[link].a;
            format!("{}.{}", topology.name(end.node), topology.names().port(end.port))
        };
        let routers = self.routers.iter().map(|&node| topology.name(node));
        switches.chain(self.links.iter().map(link)).chain(routers).collect()
    }

    /// The surviving network.
    pub(crate) fn scene<'a>(&self, as_built: AsBuilt<'a>) -> Scene<'a> {
        let topology = as_built.topology;
        let through = |link| as_built.cross_connects.and_then(|cross_connects| cross_connects.ocs_of[link]);
        let lit = topology.links().enumerate().map(|(id, link)| {
            let dark =
                through(id).is_some_and(|ocs| self.switches.contains(&ocs)) || self.links.contains(&id);
            !dark && !self.routers.contains(&link.a.node) && !self.routers.contains(&link.b.node)
        });
        Scene { topology, lit: lit.collect(), dead: self.routers.iter().copied().collect() }
    }
}

/// Groups of switches that are told one by one; of more, the first and the last switch are.
const GROUPS: usize = 6;

/// The names of a fabric, as a hint: those of the group, or of the router, that the wrong name begins with,
/// or all.
fn known_names(as_built: AsBuilt<'_>, wrong: &str) -> String {
    let (topology, names) = (as_built.topology, as_built.topology.names());
    if let Some(ports) = wrong
        .rsplit_once('.')
        .and_then(|(router, _)| Some((router, names.find(router, topology.node_count())?)))
    {
        let (router, node) = ports;
        let channels = topology.channels_from(node).chain(topology.channels_into(node));
        let ends = channels
            .flat_map(|channel| [topology.source(channel), topology.target(channel)])
            .filter(|end| end.node == node);
        let lit: BTreeSet<PortId> = ends.map(|end| end.port).collect();
        let lit: Vec<String> =
            lit.into_iter().map(|port| format!("`{router}.{}`", names.port(port))).collect();
        return format!("links of this router are {}", lit.join(", "));
    }
    let groups = switch_groups(as_built);
    let span = |first: &str, last: &str| {
        if first == last { format!("`{first}`") } else { format!("`{first}` to `{last}`") }
    };
    let spans = |groups: &[[String; 2]]| {
        groups.iter().map(|[first, last]| span(first, last)).collect::<Vec<_>>().join(", ")
    };
    let group = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
    if let Some(own) = groups.iter().position(|[first, _]| group(first) == group(wrong)) {
        return format!("switches of this group are {}", spans(&groups[own..=own]));
    }
    let mut told = Vec::new();
    if groups.len() <= GROUPS && !groups.is_empty() {
        told.push(format!("switches {}", spans(&groups)));
    } else if let (Some([first, _]), Some([_, last])) = (groups.first(), groups.last()) {
        told.push(format!("switches {}", span(first, last)));
    }
    let routers = if as_built.fabric.pod().is_some() { "chips" } else { "routers" };
    let (first, last) = (topology.name(NodeId(0)), topology.name(NodeId::new(topology.node_count() - 1)));
    told.push(format!("{routers} {}", span(&first, &last)));
    if let Some(channel) = topology.channels_from(NodeId(0)).next() {
        told.push(format!("links such as `{first}.{}`", names.port(topology.source(channel).port)));
    }
    if names.has_blocks() && group(&first) != group(&last) {
        told.push(format!("all of {}", span(&group(&first), &group(&last))));
    }
    format!("there are {}", told.join("; "))
}

/// The first and the last switch of every group.
fn switch_groups(as_built: AsBuilt<'_>) -> Vec<[String; 2]> {
    let mut groups: Vec<(usize, [String; 2])> = Vec::new();
    for ocs in as_built.fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter()) {
        match groups.last_mut() {
            Some((group, [_, last])) if *group == ocs.group.index() => last.clone_from(&ocs.name),
            _ => groups.push((ocs.group.index(), [ocs.name.clone(), ocs.name.clone()])),
        }
    }
    groups.into_iter().map(|(_, ends)| ends).collect()
}

/// The tolerated fault that takes exactly these parts down, or whose image does.
pub(crate) fn tolerated_fault(as_built: AsBuilt<'_>, names: &[String]) -> Option<(Scenario, String)> {
    let name = names.join("+");
    let all = Scenario::all(as_built.fabric, as_built.topology);
    let of_name = |scenario: &Scenario| {
        scenario.name == name || scenario.images.iter().any(|image| image.scenario == name)
    };
    all.into_iter().skip(1).find(of_name).map(|scenario| (scenario, name))
}
