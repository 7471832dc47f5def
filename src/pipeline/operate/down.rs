//! The parts of a built fabric that are down, by the names that users give: switches, routers, links and
//! blocks.

use crate::refusal::Refusal;
use fabc_base::ids::{Id, LinkId, NodeId, OcsId, PortId};
use fabc_ir::{CrossConnects, RouterNames, Scenario, Scene, Topology};
use fabc_model::Fabric;
use fabc_passes::drift::Dark;
use std::collections::BTreeSet;

/// A fabric as it was built: its spec, wiring and cross-connects, before anything went down.
#[derive(Clone, Copy)]
pub struct AsBuilt<'a> {
    /// The fabric that the spec declares.
    pub fabric: &'a Fabric,
    /// The wiring of the healthy fabric.
    pub topology: &'a Topology,
    /// The cross-connects of a pod.
    pub cross_connects: Option<&'a CrossConnects>,
}

/// The parts that are down.
#[derive(Default)]
pub struct DownParts {
    switches: BTreeSet<OcsId>,
    routers: BTreeSet<NodeId>,
    links: BTreeSet<LinkId>,
}

impl DownParts {
    /// Parts that are down, by the names of switches, routers, links and blocks.
    ///
    /// # Errors
    /// A name that no part has.
    pub fn by_names(as_built: AsBuilt<'_>, names: &[String]) -> Result<Self, Refusal> {
        let mut down = Self::default();
        for name in names {
            let compact: String = name.chars().filter(|letter| !letter.is_whitespace()).collect();
            if !down.mark_down(as_built, &compact) {
                let hint = known_names(as_built, &compact);
                return Err(Refusal::UnknownPart { name: name.clone(), hint });
            }
        }
        Ok(down)
    }

    /// Switches and links that are down.
    pub(crate) fn of_switches_and_links(
        switches: impl IntoIterator<Item = OcsId>,
        links: impl IntoIterator<Item = LinkId>,
    ) -> Self {
        Self {
            switches: switches.into_iter().collect(),
            routers: BTreeSet::new(),
            links: links.into_iter().collect(),
        }
    }

    /// Parts that are down because they carry no light.
    pub fn by_dark(as_built: AsBuilt<'_>, dark: &[Dark]) -> Self {
        let mut down = Self::default();
        for dark_part in dark {
            match *dark_part {
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
    pub fn joined_with(mut self, other: Self) -> Self {
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
        let names: &RouterNames = topology.names();
        if let Some(node) = names.find(name, topology.node_count()) {
            self.routers.insert(node);
            return true;
        }
        if let Some((router, port)) = name.rsplit_once('.')
            && let Some(node) = names.find(router, topology.node_count())
        {
            let port = (0..topology.ports()).map(PortId::new).find(|&id| names.port(id) == port);
            let channel = port.and_then(|port| {
                topology.channels_from(node).chain(topology.channels_into(node)).find(|&channel| {
                    let link_ends = [topology.source(channel), topology.target(channel)];
                    link_ends.iter().any(|end| end.node == node && end.port == port)
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
    pub fn names(&self, as_built: AsBuilt<'_>) -> Vec<String> {
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

    /// The surviving network once these parts are down.
    pub fn scene<'a>(&self, as_built: AsBuilt<'a>) -> Scene<'a> {
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

/// The most groups of switches that a hint lists. With more, it shows the first and the last switch.
const GROUPS: usize = 6;

/// A hint with valid names. It lists the names of the group or router that the invalid name begins with, or
/// else examples of all names.
fn known_names(as_built: AsBuilt<'_>, invalid: &str) -> String {
    let (topology, names) = (as_built.topology, as_built.topology.names());
    if let Some((router, node)) = invalid
        .rsplit_once('.')
        .and_then(|(router, _)| Some((router, names.find(router, topology.node_count())?)))
    {
        let channels = topology.channels_from(node).chain(topology.channels_into(node));
        let node_ends = channels
            .flat_map(|channel| [topology.source(channel), topology.target(channel)])
            .filter(|end| end.node == node);
        let lit: BTreeSet<PortId> = node_ends.map(|end| end.port).collect();
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
    if let Some(group_index) = groups.iter().position(|[first, _]| group(first) == group(invalid)) {
        return format!("switches of this group are {}", spans(&groups[group_index..=group_index]));
    }
    let mut examples = Vec::new();
    if groups.len() <= GROUPS && !groups.is_empty() {
        examples.push(format!("switches {}", spans(&groups)));
    } else if let (Some([first, _]), Some([_, last])) = (groups.first(), groups.last()) {
        examples.push(format!("switches {}", span(first, last)));
    }
    let routers = if as_built.fabric.pod().is_some() { "chips" } else { "routers" };
    let (first, last) = (topology.name(NodeId(0)), topology.name(NodeId::new(topology.node_count() - 1)));
    examples.push(format!("{routers} {}", span(&first, &last)));
    if let Some(channel) = topology.channels_from(NodeId(0)).next() {
        examples.push(format!("links such as `{first}.{}`", names.port(topology.source(channel).port)));
    }
    if names.has_blocks() && group(&first) != group(&last) {
        examples.push(format!("all of {}", span(&group(&first), &group(&last))));
    }
    format!("there are {}", examples.join("; "))
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
pub(super) fn tolerated_fault(as_built: AsBuilt<'_>, names: &[String]) -> Option<(Scenario, String)> {
    let name = names.join("+");
    let scenarios = Scenario::tolerated(as_built.fabric, as_built.topology);
    let has_name = |scenario: &Scenario| {
        scenario.name == name || scenario.images.iter().any(|image| image.scenario == name)
    };
    scenarios.into_iter().skip(1).find(has_name).map(|scenario| (scenario, name))
}
