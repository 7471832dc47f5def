//! The routes of a pair of routers, walked through the tables of a directory as a router would.
//!
//! In: the folder of a build, two routers, a scenario or all of them. Out: every hop with its channel,
//! virtual channel and cycles. The tables need not be proved: a walk that ends nowhere, or never, is an
//! error.

use super::down::{AsBuilt, DownParts};
use super::stored::{read_group_tables, read_scenario_tables, unknown_scenario};
use crate::folder::Folder;
use crate::library::Loaded;
use crate::refusal::Refusal;
use crate::scenarios::{BuiltScenarios, NOMINAL, planned_hint};
use fabc_base::ids::{ChannelId, Id, IdVec, NodeId, PortId};
use fabc_check::ReadWiring;
use fabc_ir::{
    CrossConnects, ForwardingTables, GroupTables, PairRoute, RouteHop, Scenario, Scene, Topology, hop_cycles,
    surviving_scene,
};
use fabc_model::Fabric;
use std::collections::BTreeMap;

/// The scenario that stands for all of them on the command line.
pub const EVERY_SCENARIO: &str = "all";

/// An ordered pair of routers.
#[derive(Clone, Copy, Debug)]
pub struct PairOfRouters {
    /// The router where the route starts.
    pub source: NodeId,
    /// The router where the route ends.
    pub destination: NodeId,
}

/// The routes of a pair, with the wiring that names their parts.
pub struct RoutedPair {
    /// The fabric that the spec declares.
    pub fabric: Fabric,
    /// The wiring of the healthy fabric.
    pub topology: Topology,
    /// The cross-connects of a pod.
    pub cross_connects: Option<CrossConnects>,
    /// The routes. Of several scenarios, the slowest comes first.
    pub routes: Vec<PairRoute>,
    /// The scenarios in which one of the two is dead. Only where all scenarios are requested.
    pub dead: Vec<String>,
}

/// Reads the routes of a pair in one scenario, or in [`EVERY_SCENARIO`].
///
/// # Errors
/// [`Refusal::NoRoute`] for a pair without one, [`Refusal::UnknownScenario`] without tables, and
/// [`Refusal::NotBuilt`] for tables that lead nowhere.
pub fn read_routes<F: Folder>(
    folder: &F,
    pair: PairOfRouters,
    scenario: &str,
) -> Result<RoutedPair, F::Error> {
    let Loaded { fabric, sources, .. } = folder.fabric()?;
    if fabric.routing.is_scheduled() {
        let hint = planned_hint(&folder.path());
        return Err(Refusal::UnknownScenario { name: scenario.to_owned(), hint }.into());
    }
    let ReadWiring { topology, cross_connects } =
        BuiltScenarios { folder, fabric: &fabric, sources: &sources }.healthy_wiring()?;
    let walker = RouteWalker {
        folder,
        fabric: &fabric,
        topology: &topology,
        cross_connects: cross_connects.as_ref(),
        cycles: hop_cycles(&fabric, &topology),
        scenarios: Scenario::tolerated(&fabric, &topology),
    };
    walker.check_pair(pair)?;
    let (mut routes, mut dead) = (Vec::new(), Vec::new());
    if scenario == EVERY_SCENARIO {
        let images =
            |fault: &Scenario| fault.images.iter().map(|image| image.scenario.clone()).collect::<Vec<_>>();
        for fault in &walker.scenarios {
            for name in std::iter::once(fault.name.clone()).chain(images(fault)) {
                match walker.route(pair, &name)? {
                    Some(route) => routes.push(route),
                    None => dead.push(name),
                }
            }
        }
        routes.sort_by_key(|route| {
            std::cmp::Reverse((route.cycles_most, route.length(), route.scenario == NOMINAL))
        });
    } else {
        let compact: String = scenario.chars().filter(|letter| !letter.is_whitespace()).collect();
        let Some(route) = walker.route(pair, &compact)? else {
            let hint = "leave `--scenario` out, or name one in which both survive".to_owned();
            return Err(walker.no_route(pair, format!("one of the two is dead in `{compact}`"), hint).into());
        };
        routes.push(route);
    }
    Ok(RoutedPair { routes, dead, fabric, topology, cross_connects })
}

/// What a walk through tables needs.
struct RouteWalker<'a, F> {
    folder: &'a F,
    fabric: &'a Fabric,
    topology: &'a Topology,
    cross_connects: Option<&'a CrossConnects>,
    /// `[channel]`: cycles of a hop over it.
    cycles: IdVec<ChannelId, u64>,
    scenarios: Vec<Scenario>,
}

/// A router that packets of the pair reach after some hops: their share, and the cycles of the fastest and
/// the slowest path to it.
#[derive(Clone, Copy)]
struct Reached {
    share: f64,
    least: u64,
    most: u64,
}

impl<F: Folder> RouteWalker<'_, F> {
    fn no_route(&self, pair: PairOfRouters, problem: String, hint: String) -> Refusal {
        let [source_router, destination] =
            [pair.source, pair.destination].map(|node| self.topology.name(node));
        Refusal::NoRoute { source_router, destination, problem, hint }
    }

    /// Checks that the routers of a pair differ, send and receive.
    fn check_pair(&self, pair: PairOfRouters) -> Result<(), Refusal> {
        if pair.source == pair.destination {
            let hint = "name two different routers".to_owned();
            return Err(self.no_route(pair, "it is one router".to_owned(), hint));
        }
        let idle = [pair.source, pair.destination].into_iter().find(|&node| !self.topology.is_endpoint(node));
        let Some(idle) = idle else { return Ok(()) };
        let first =
            self.topology.endpoints().next().map_or_else(String::new, |node| self.topology.name(node));
        let problem =
            format!("`{}` has no hosts, so it neither sends nor receives", self.topology.name(idle));
        Err(self.no_route(pair, problem, format!("name routers with hosts, such as `{first}`")))
    }

    /// The route of a pair in a scenario. `None` if one of the two is dead in it.
    fn route(&self, pair: PairOfRouters, name: &str) -> Result<Option<PairRoute>, F::Error> {
        let Some(scene) = self.scene(name)? else {
            return Err(unknown_scenario(self.folder, name)?.into());
        };
        let grouped = match self.fabric.routing.has_many_paths() {
            true => Some(read_group_tables(self.folder, self.fabric, name)?),
            false => None,
        };
        if !scene.lives(pair.source) || !scene.lives(pair.destination) {
            return Ok(None);
        }
        let walked = match &grouped {
            Some(tables) => self.walk_groups(&scene, tables, pair),
            None => self.walk_tables(&scene, &read_scenario_tables(self.folder, self.fabric, name)?, pair),
        };
        let damaged = |problem: String| Refusal::NotBuilt {
            path: self.folder.path(),
            reason: format!("the tables of `{name}` {problem}"),
        };
        let distance =
            distance(&scene, pair).ok_or_else(|| damaged("join routers that no link joins".to_owned()))?;
        let (hops, end) = walked.map_err(damaged)?;
        let scenario = name.to_owned();
        Ok(Some(PairRoute { scenario, distance, hops, cycles_least: end.least, cycles_most: end.most }))
    }

    /// The surviving fabric in a scenario, or in the image of one. `None` if the spec tolerates no such
    /// fault.
    fn scene(&self, name: &str) -> Result<Option<Scene<'_>>, Refusal> {
        if let Some(fault) = self.scenarios.iter().find(|fault| fault.name == name) {
            return Ok(Some(surviving_scene(&fault.fault, self.topology, self.cross_connects)));
        }
        if !self.scenarios.iter().any(|fault| fault.images.iter().any(|image| image.scenario == name)) {
            return Ok(None);
        }
        let &Self { fabric, topology, cross_connects, .. } = self;
        let as_built = AsBuilt { fabric, topology, cross_connects };
        Ok(Some(DownParts::by_names(as_built, &[name.to_owned()])?.scene(as_built)))
    }

    /// The one path of a pair.
    fn walk_tables(
        &self,
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        pair: PairOfRouters,
    ) -> Result<(Vec<RouteHop>, Reached), String> {
        let (mut node, mut in_port, mut in_vc, mut counted) = (pair.source, -1i16, -1i8, 0u8);
        let (mut hops, mut cycles): (Vec<RouteHop>, u64) = (Vec::new(), 0);
        while node != pair.destination {
            let entries = tables.router(node);
            let fits = |entry: &&fabc_ir::TableEntry| {
                let input =
                    tables.key.is_by_destination() || (entry.in_port, entry.in_vc) == (in_port, in_vc);
                entry.dst == pair.destination && input
            };
            let entry = entries.iter().find(fits).ok_or_else(|| self.lost(node, pair))?;
            let channel = self.lit_channel(scene, node, entry.out_port)?;
            let vc = match tables.key.count() {
                Some(count) => {
                    let before = counted;
                    counted = counted.saturating_add(u8::from(self.topology.is_counted(channel, count)));
                    before
                }
                None => entry.out_vc,
            };
            let hop = hops.len() as u32 + 1;
            if hops.len() > self.most_hops() {
                return Err(format!("never end towards `{}`", self.topology.name(pair.destination)));
            }
            hops.push(RouteHop { hop, channel, vc, share: 1.0, cycles: self.cycles[channel] });
            cycles += self.cycles[channel];
            let end = self.topology.target(channel);
            (node, in_port, in_vc) = (end.node, end.port.0 as i16, vc as i8);
        }
        Ok((hops, Reached { share: 1.0, least: cycles, most: cycles }))
    }

    /// All paths of a pair, with the share of the packets on each channel of each hop.
    fn walk_groups(
        &self,
        scene: &Scene<'_>,
        tables: &GroupTables,
        pair: PairOfRouters,
    ) -> Result<(Vec<RouteHop>, Reached), String> {
        let (mut hops, mut at) = (Vec::new(), Reached { share: 1.0, least: 0, most: 0 });
        let mut hop = 0;
        for (from, to) in tables.legs(pair.source, pair.destination) {
            let mut front = BTreeMap::from([(from, at)]);
            let mut end: Option<Reached> = None;
            while !front.is_empty() {
                hop += 1;
                if hop as usize > self.most_hops() {
                    return Err(format!("never end towards `{}`", self.topology.name(to)));
                }
                let mut next: BTreeMap<NodeId, Reached> = BTreeMap::new();
                let first = hops.len();
                for (&node, reached) in &front {
                    let total: u64 = tables.members(node, to).map(|(_, weight)| weight).sum();
                    if total == 0 {
                        return Err(self.lost(node, PairOfRouters { source: from, destination: to }));
                    }
                    for (port, weight) in tables.members(node, to) {
                        let channel = self.lit_channel(scene, node, port)?;
                        let share = reached.share * weight as f64 / total as f64;
                        let cycles = self.cycles[channel];
                        hops.push(RouteHop { hop, channel, vc: 0, share, cycles });
                        let further =
                            Reached { share, least: reached.least + cycles, most: reached.most + cycles };
                        let target = self.topology.target(channel).node;
                        if target == to {
                            end = Some(joined(end, further));
                        } else {
                            let known = next.get(&target).copied();
                            next.insert(target, joined(known, further));
                        }
                    }
                }
                hops[first..].sort_by_key(|hop| hop.channel);
                front = next;
            }
            at = end.ok_or_else(|| self.lost(from, pair))?;
        }
        Ok((hops, at))
    }

    fn lit_channel(&self, scene: &Scene<'_>, node: NodeId, port: u16) -> Result<ChannelId, String> {
        let lit = (usize::from(port) < self.topology.ports()).then(|| scene.outgoing(node, PortId(port)));
        lit.flatten().ok_or_else(|| {
            let port = self.topology.names().port(PortId(port));
            format!("send packets into `{}.{port}`, which is dark", self.topology.name(node))
        })
    }

    fn lost(&self, node: NodeId, pair: PairOfRouters) -> String {
        let [node, to] = [node, pair.destination].map(|node| self.topology.name(node));
        format!("have no entry of `{node}` for `{to}`")
    }

    /// More hops than any route without a loop has.
    fn most_hops(&self) -> usize {
        self.topology.channel_count() * usize::from(u8::MAX)
    }
}

/// A router that two sets of packets reach.
fn joined(known: Option<Reached>, other: Reached) -> Reached {
    known.map_or(other, |known| Reached {
        share: known.share + other.share,
        least: known.least.min(other.least),
        most: known.most.max(other.most),
    })
}

/// Hop distance over lit links. `None` if the two are not connected.
fn distance(scene: &Scene<'_>, pair: PairOfRouters) -> Option<u32> {
    let mut seen = vec![false; scene.topology.node_count()];
    seen[pair.source.index()] = true;
    let (mut front, mut hops) = (vec![pair.source], 0);
    while !front.is_empty() {
        if front.contains(&pair.destination) {
            return Some(hops);
        }
        let neighbors = front
            .iter()
            .flat_map(|&node| scene.channels_from(node))
            .map(|channel| scene.topology.target(channel).node);
        let next = neighbors.filter(|node| !std::mem::replace(&mut seen[node.index()], true)).collect();
        (front, hops) = (next, hops + 1);
    }
    None
}
