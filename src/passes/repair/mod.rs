//! Repair: new tables for losses that were not prepared for, and the changes that lead to them.
//!
//! Input: the tables of the healthy fabric with their ranks, and the surviving fabric. Output: the changes of
//! the tables. [`repair_locally`] keeps every route that still arrives. It replaces the others one by one,
//! each by the cheapest path of rising rank at that moment. [`changes_to`] leads to tables from another
//! source.
//!
//! Invariant: under one order of ranks old and new entries may be mixed in any way. All of them rise in rank,
//! so packets never wait in a cycle. A packet that follows them arrives, meets something dark, or stops at a
//! key that is listed as stranded.
//!
//! Cost of [`repair_locally`]: every entry once, and one look at all states (router, port, virtual channel)
//! for every broken route or every few of them.

mod bridge;
mod fates;
mod graph;
mod paths;
mod rows;

use bridge::{DestinationChanges, cold_changes, merge_changes, warm_changes};
use fabc_base::ids::{Id, NodeId, PortId, Vc};
use fabc_base::random::Stream;
use fabc_ir::{Delta, ForwardingTables, Hop, Routes, Scene, TableKey, Topology};
use fabc_model::Demand;
use fates::{KeyFate, fates, used_keys};
use graph::StateGraph;
use paths::{RisingPaths, price};
use rayon::prelude::*;
use rows::{NONE, TableRows};

/// Limit on looks at a state. Beyond it, one look serves several routes to a destination.
const LOOKS_LIMIT: usize = 1 << 28;
/// Destinations whose old entries are looked up in parallel. The repair of routes is sequential.
const DESTINATIONS_PER_BATCH: usize = 64;
/// Seed for the order of destinations.
const SEED: u64 = 1;
/// A highest load over this fraction of the highest load before justifies another round.
const TOLERATED_LOAD: (u64, u64) = (103, 100);

/// Tables with the ranks that they rise by. They are keyed by destination and input and are for all routers.
/// In a repair these are the tables that the fabric uses now.
#[derive(Clone, Copy, Debug)]
pub struct RankedTables<'a> {
    /// The forwarding tables of all routers.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under the symmetry of the tables: their ranks.
    pub ranks: &'a [u32],
}

/// New tables that rise by the ranks of the old ones.
#[derive(Debug)]
pub struct LocalRepair {
    /// The changes of the tables.
    pub delta: Delta,
    /// The highest load of a channel under the old tables, in parts of a unit of load.
    pub highest_before: u64,
    /// The highest load of a channel under the new tables, in parts of a unit of load.
    pub highest_after: u64,
}

/// Pairs without a path of rising rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRisingPath {
    /// Number of pairs without such a path.
    pub pairs: u64,
    /// Source of one of them.
    pub source: NodeId,
    /// Destination of the same pair.
    pub destination: NodeId,
}

/// The routes to a destination that are lost.
struct LostRoutes {
    dst: NodeId,
    /// Sources whose routes are broken or that have failed.
    sources: Vec<NodeId>,
    /// Loads of the lost routes, as (`router * ports + port`, parts of a unit), once per route.
    loads: Vec<(u32, u64)>,
}

/// Replaces every broken route. `scene` is the surviving fabric, which must be connected. The routes of each
/// destination are replaced up to `rounds` times, after those of the others. Further rounds run while some
/// channel carries more than 1.03 times the highest load before.
///
/// # Errors
/// [`NoRisingPath`] if some pair has no path of rising rank.
pub fn repair_locally(
    scene: &Scene<'_>,
    demand: &Demand,
    before: RankedTables<'_>,
    rounds: u32,
) -> Result<LocalRepair, NoRisingPath> {
    repair_routes(scene, demand, before, RepairOptions { warm: true, rounds })
}

/// The routes that [`repair_locally`] finds, of all routers, as a start for another choice of routes. No
/// packets are in flight during the change. `None` if some pair has no path of rising rank.
pub fn locally_repaired_routes(
    scene: &Scene<'_>,
    demand: &Demand,
    before: RankedTables<'_>,
) -> Option<Routes> {
    Some(repaired_routes(
        scene,
        before,
        &repair_routes(scene, demand, before, RepairOptions { warm: false, rounds: 1 }).ok()?.delta,
    ))
}

/// Options beside the replacement of every broken route.
#[derive(Clone, Copy)]
struct RepairOptions {
    /// Whether packets stay in flight. Packets that wait at a broken key then get entries that lead them on.
    warm: bool,
    /// Limit on rounds of replacement, while some channel carries more than [`TOLERATED_LOAD`].
    rounds: u32,
}

fn repair_routes(
    scene: &Scene<'_>,
    demand: &Demand,
    before: RankedTables<'_>,
    options: RepairOptions,
) -> Result<LocalRepair, NoRisingPath> {
    let graph = StateGraph::new(scene, before.tables.vcs, &before.tables.symmetry, before.ranks);
    let rows = TableRows::new(scene.topology, before.tables);
    let mut loads = loads(scene, demand, before.tables, &rows);
    let highest_before = loads.iter().copied().max().unwrap_or(0);
    let mut lost = lost_by_destination(&graph, &rows, demand);
    for &(port, load) in lost.iter().flat_map(|lost| &lost.loads) {
        loads[port as usize] -= load;
    }
    let costs =
        loads.iter().zip(&graph.slowness).map(|(&load, &slow)| price(load + slow, highest_before)).collect();
    let broken: usize = lost.iter().map(|lost| lost.sources.len()).sum();
    let routes_per_look = (broken * graph.by_falling_rank.len()).div_ceil(LOOKS_LIMIT).max(1);
    Stream::new(SEED, 0).shuffle(&mut lost);
    let mut repair = RouteRepair {
        graph: &graph,
        rows: &rows,
        demand,
        routes_per_look,
        highest_before,
        loads,
        costs,
        paths: RisingPaths::default(),
        new_states: Vec::new(),
    };
    let mut no_path = NoRisingPath { pairs: 0, source: NodeId(0), destination: NodeId(0) };
    // Repaired entries take memory, so they are kept only for further rounds.
    let rounds = if routes_per_look == 1 { options.rounds } else { 1 };
    let (mut repaired, mut changes) = (Vec::new(), Vec::with_capacity(lost.len()));
    let batches: Vec<&[LostRoutes]> = lost.chunks(DESTINATIONS_PER_BATCH).collect();
    let kept_of_batch =
        |index: usize| batches.get(index).map_or_else(Vec::new, |batch| kept_entries(&graph, &rows, batch));
    let mut ready = kept_of_batch(0);
    for (index, batch) in batches.iter().enumerate() {
        // While one batch is repaired sequentially, the next one is looked up.
        let repair_one = |(lost, kept)| repair.repair_destination(lost, kept, None, &mut no_path);
        let (entries, next) = rayon::join(
            || batch.iter().zip(ready).map(repair_one).collect::<Vec<_>>(),
            || kept_of_batch(index + 1),
        );
        ready = next;
        match rounds {
            1 => changes.extend(repair.changes(batch, entries, options.warm)),
            _ => repaired.extend(entries),
        }
    }
    if no_path.pairs > 0 {
        return Err(no_path);
    }
    for _ in 1..rounds {
        if repair.loads.iter().all(|&load| load * TOLERATED_LOAD.1 <= highest_before * TOLERATED_LOAD.0) {
            break;
        }
        for (batch, repaired) in batches.iter().zip(repaired.chunks_mut(DESTINATIONS_PER_BATCH)) {
            let kept = kept_entries(&graph, &rows, batch);
            for ((lost, entries), kept) in batch.iter().zip(repaired).zip(kept) {
                *entries = repair.repair_destination(lost, kept, Some(entries), &mut no_path);
            }
        }
    }
    changes.extend(repair.changes(&lost, repaired, options.warm));
    let highest_after = repair.loads.into_iter().max().unwrap_or(0);
    Ok(LocalRepair { delta: merge_changes(changes), highest_before, highest_after })
}

/// The lost routes of every destination that lost any.
fn lost_by_destination(graph: &StateGraph<'_>, rows: &TableRows<'_>, demand: &Demand) -> Vec<LostRoutes> {
    let destinations: Vec<NodeId> = graph.scene.topology.endpoints().collect();
    let lost = destinations
        .par_iter()
        .map_init(Vec::new, |row, &dst| lost_routes(graph, rows, demand, dst, row))
        .collect::<Vec<_>>();
    lost.into_iter().flatten().collect()
}

/// The state of a repair, destination by destination.
struct RouteRepair<'a> {
    graph: &'a StateGraph<'a>,
    rows: &'a TableRows<'a>,
    demand: &'a Demand,
    /// Routes to a destination that one look serves.
    routes_per_look: usize,
    /// The highest load of a channel before.
    highest_before: u64,
    /// `[router * ports + port]`: loads of channels in parts of a unit.
    loads: Vec<u64>,
    /// `[router * ports + port]`: cost of one more route there.
    costs: Vec<u64>,
    paths: RisingPaths,
    /// States of the paths since the last look.
    new_states: Vec<usize>,
}

impl RouteRepair<'_> {
    /// Adds paths for the lost routes to one destination to the entries that stay. `previous` are the entries
    /// of the round before, whose loads are taken away. Pairs without a path are counted.
    fn repair_destination(
        &mut self,
        lost: &LostRoutes,
        mut entries: Vec<u32>,
        previous: Option<&[u32]>,
        no_path: &mut NoRisingPath,
    ) -> Vec<u32> {
        let Self { graph, demand, highest_before, routes_per_look, .. } = *self;
        let LostRoutes { dst, sources, .. } = lost;
        let dst = *dst;
        let is_endpoint = |node: NodeId| graph.scene.is_endpoint(node);
        let sources = || sources.iter().copied().filter(|&source| is_endpoint(source) && is_endpoint(dst));
        let weight = |source: NodeId| u64::from(demand.weight(source, dst));
        if let Some(previous) = previous {
            for source in sources() {
                for_each_port(graph, previous, source, dst, |port_index| {
                    self.loads[port_index] -= weight(source) * graph.slowness[port_index];
                    self.costs[port_index] =
                        price(self.loads[port_index] + graph.slowness[port_index], highest_before);
                });
            }
        }
        for (source_number, source) in sources().enumerate() {
            if source_number == 0 {
                self.paths.find_paths(graph, &entries, dst, &self.costs);
            } else if source_number % routes_per_look == 0 {
                self.paths.update_paths(graph, &entries, dst, &self.costs, &self.new_states);
                self.new_states.clear();
            }
            let Some(first) = self.paths.first_state(graph, source) else {
                if no_path.pairs == 0 {
                    (no_path.source, no_path.destination) = (source, dst);
                }
                no_path.pairs += 1;
                continue;
            };
            let (loads, costs, new_states) = (&mut self.loads, &mut self.costs, &mut self.new_states);
            let earlier = new_states.len();
            self.paths.write_path(graph, &mut entries, source.index() * graph.inputs, first, |state| {
                let port_index = state / graph.vcs;
                loads[port_index] += weight(source) * graph.slowness[port_index];
                costs[port_index] = price(loads[port_index] + graph.slowness[port_index], highest_before);
                new_states.push(state);
            });
            for port_index in new_states[earlier..].iter().map(|state| state / graph.vcs) {
                self.paths.raise_cost(graph, port_index, costs[port_index]);
            }
        }
        self.new_states.clear();
        entries
    }

    /// The changes for packets to some destinations. `new` has the entries for each.
    fn changes(
        &self,
        destinations: &[LostRoutes],
        new: Vec<Vec<u32>>,
        is_warm: bool,
    ) -> Vec<DestinationChanges> {
        let graph = self.graph;
        let change = |(paths, old): &mut (RisingPaths, Vec<u32>),
                      (lost, mut new): (&LostRoutes, Vec<u32>)| {
            let dst = lost.dst;
            graph.fill(self.rows, dst, old);
            let is_used = if graph.scene.is_endpoint(dst) {
                used_keys(graph, &new, dst)
            } else {
                vec![false; new.len()]
            };
            new.iter_mut()
                .zip(&is_used)
                .filter(|(_, is_used)| !**is_used)
                .for_each(|(output, _)| *output = NONE);
            if is_warm {
                warm_changes(graph, old, &new, dst, paths, &self.costs)
            } else {
                cold_changes(graph, old, &new, dst)
            }
        };
        destinations.par_iter().zip(new).map_init(Default::default, change).collect()
    }
}

/// The entries for some destinations that still lead there.
fn kept_entries(graph: &StateGraph<'_>, rows: &TableRows<'_>, destinations: &[LostRoutes]) -> Vec<Vec<u32>> {
    let entries_that_arrive = |row: &mut Vec<u32>, lost: &LostRoutes| {
        graph.fill(rows, lost.dst, row);
        let fates = fates(graph, row, lost.dst);
        row.iter()
            .zip(fates)
            .map(|(&output, fate)| if fate == KeyFate::Arrives { output } else { NONE })
            .collect()
    };
    destinations.par_iter().map_init(Vec::new, entries_that_arrive).collect()
}

/// The changes that lead to other tables of the surviving fabric, and whether those rise by the ranks of the
/// old ones. If so, routers may change in any order.
pub fn changes_to(scene: &Scene<'_>, before: RankedTables<'_>, after: &ForwardingTables) -> (Delta, bool) {
    let graph = StateGraph::new(scene, before.tables.vcs, &before.tables.symmetry, before.ranks);
    let (rows, new_rows) =
        (TableRows::new(scene.topology, before.tables), TableRows::new(scene.topology, after));
    let nodes: Vec<NodeId> = scene.topology.endpoints().collect();
    let keeps_ranks = after.vcs == before.tables.vcs && all_entries_rise(&graph, &new_rows);
    let costs = vec![1; graph.open.len()];
    let changes_for = |(paths, old, new): &mut (RisingPaths, Vec<u32>, Vec<u32>), &dst: &NodeId| {
        graph.fill(&rows, dst, old);
        graph.fill(&new_rows, dst, new);
        if keeps_ranks {
            warm_changes(&graph, old, new, dst, paths, &costs)
        } else {
            cold_changes(&graph, old, new, dst)
        }
    };
    let changes = nodes.par_iter().map_init(Default::default, changes_for).collect::<Vec<_>>();
    (merge_changes(changes), keeps_ranks)
}

/// Whether tables rise by ranks, `[(router * ports + port) * vcs + vc]`.
pub fn tables_rise(scene: &Scene<'_>, tables: &ForwardingTables, ranks: &[u32]) -> bool {
    let graph = StateGraph::new(scene, tables.vcs, &tables.symmetry.to_trivial(), ranks);
    all_entries_rise(&graph, &TableRows::new(scene.topology, tables))
}

fn all_entries_rise(graph: &StateGraph<'_>, rows: &TableRows<'_>) -> bool {
    let row_rises = |row: &mut Vec<u32>, dst| {
        rows.fill(dst, row);
        row.iter().enumerate().all(|(key, &output)| {
            let input_state = graph.state[key];
            output == NONE
                || input_state == NONE
                || graph.rank[graph.state_after(key, output)] > graph.rank[input_state as usize]
        })
    };
    let nodes: Vec<NodeId> = graph.scene.topology.endpoints().collect();
    nodes.par_iter().map_init(Vec::new, |row, &dst| row_rises(row, dst)).all(|row_rises| row_rises)
}

/// `[(router * ports + port) * vcs + vc]`: the ranks of the live tables, of all routers.
pub fn ranks_of_all_routers(topology: &Topology, before: RankedTables<'_>) -> Vec<u32> {
    let row = topology.ports() * usize::from(before.tables.vcs);
    let ranks_of =
        |node: NodeId| before.ranks[before.tables.symmetry.class(node) * row..][..row].iter().copied();
    topology.nodes().flat_map(ranks_of).collect()
}

/// The routes of changed tables in the surviving fabric, with the ranks of all routers.
pub fn repaired_routes(scene: &Scene<'_>, before: RankedTables<'_>, delta: &Delta) -> Routes {
    let tables = &delta.applied(before.tables, &scene.dead, &before.tables.scenario);
    routes_of_tables(scene, tables, ranks_of_all_routers(scene.topology, before))
}

/// The routes of the live tables in the healthy topology, under their symmetry.
pub fn healthy_routes(topology: &Topology, before: RankedTables<'_>) -> Routes {
    routes_of_tables(&Scene::healthy(topology), before.tables, before.ranks.to_vec())
}

/// The routes of tables, under their symmetry. `ranks` are under it as well.
fn routes_of_tables(scene: &Scene<'_>, tables: &ForwardingTables, ranks: Vec<u32>) -> Routes {
    let topology = scene.topology;
    let graph = StateGraph::new(scene, tables.vcs, &tables.symmetry, &ranks);
    let rows = TableRows::new(topology, tables);
    let (mut offsets, mut hops, mut row) = (vec![0], Vec::new(), Vec::new());
    for dst in tables.symmetry.canonical_nodes() {
        graph.fill(&rows, dst, &mut row);
        for source in topology.nodes() {
            let serves = source != dst && scene.is_endpoint(source) && scene.is_endpoint(dst);
            let mut key = source.index() * graph.inputs;
            while serves && row[key] != NONE {
                let state = graph.state_after(key, row[key]);
                let (slot, vc) = (state / graph.vcs, Vc::new(state % graph.vcs));
                let channel =
                    topology.outgoing(NodeId::new(slot / graph.ports), PortId::new(slot % graph.ports));
                hops.extend(channel.map(|channel| Hop { channel, vc }));
                if graph.target_router[state] == dst.0 {
                    break;
                }
                key = match tables.key {
                    TableKey::DstInput => graph.key[state] as usize,
                    // The table of a router has one entry for a destination.
                    _ => graph.target_router[state] as usize * graph.inputs,
                };
            }
            offsets.push(hops.len() as u32);
        }
    }
    Routes { vcs: tables.vcs, symmetry: tables.symmetry.clone(), offsets, hops, ranks }
}

impl StateGraph<'_> {
    /// The entries of surviving routers for packets to `dst`.
    fn fill(&self, rows: &TableRows<'_>, dst: NodeId, row: &mut Vec<u32>) {
        rows.fill(dst, row);
        for dead in &self.scene.dead {
            row[dead.index() * self.inputs..][..self.inputs].fill(NONE);
        }
    }
}

/// The highest load of a channel under some tables, in parts of a unit.
pub fn highest_load(scene: &Scene<'_>, demand: &Demand, tables: &ForwardingTables) -> u64 {
    loads(scene, demand, tables, &TableRows::new(scene.topology, tables)).into_iter().max().unwrap_or(0)
}

/// The loads of all channels, `[router * ports + port]`, in parts of a unit. Pairs without entries add
/// nothing.
fn loads(scene: &Scene<'_>, demand: &Demand, tables: &ForwardingTables, rows: &TableRows<'_>) -> Vec<u64> {
    let (topology, symmetry) = (scene.topology, &tables.symmetry);
    let healthy = Scene::healthy(topology);
    let no_ranks = vec![0; topology.class_count(symmetry) * usize::from(tables.vcs)];
    let graph = StateGraph::new(&healthy, tables.vcs, symmetry, &no_ranks);
    let class =
        |slot: usize| symmetry.class(NodeId::new(slot / graph.ports)) * graph.ports + slot % graph.ports;
    let canonical: Vec<NodeId> =
        symmetry.canonical_nodes().filter(|&dst| topology.is_endpoint(dst)).collect();
    let loads_to = |row: &mut Vec<u32>, &dst: &NodeId| {
        let mut loads = vec![0u64; symmetry.class_count() * graph.ports];
        rows.fill(dst, row);
        for source in topology.endpoints().filter(|&source| source != dst) {
            let weight = u64::from(demand.weight(source, dst));
            for_each_port(&graph, row, source, dst, |slot| {
                loads[class(slot)] += weight * graph.slowness[slot]
            });
        }
        loads
    };
    let loads_of_classes =
        canonical.par_iter().map_init(Vec::new, loads_to).reduce(Vec::new, |mut sum, other_sum| {
            crate::add(&mut sum, &other_sum);
            sum
        });
    (0..graph.open.len()).map(|slot| loads_of_classes.get(class(slot)).copied().unwrap_or(0)).collect()
}

/// The broken routes of packets to one destination, or `None` if none is broken.
fn lost_routes(
    graph: &StateGraph<'_>,
    rows: &TableRows<'_>,
    demand: &Demand,
    dst: NodeId,
    row: &mut Vec<u32>,
) -> Option<LostRoutes> {
    rows.fill(dst, row);
    let fates = fates(graph, row, dst);
    let still_arrives = |source: NodeId| {
        fates[source.index() * graph.inputs] == KeyFate::Arrives
            && graph.scene.is_endpoint(source)
            && graph.scene.is_endpoint(dst)
    };
    let sources: Vec<NodeId> =
        graph.scene.topology.endpoints().filter(|&source| source != dst && !still_arrives(source)).collect();
    let mut loads = Vec::new();
    for &source in &sources {
        let weight = u64::from(demand.weight(source, dst));
        for_each_port(graph, row, source, dst, |slot| {
            loads.push((slot as u32, weight * graph.slowness[slot]))
        });
    }
    (!sources.is_empty()).then_some(LostRoutes { dst, sources, loads })
}

/// Calls `on_port` for every channel of a route, dark ones included.
fn for_each_port(
    graph: &StateGraph<'_>,
    row: &[u32],
    source: NodeId,
    dst: NodeId,
    mut on_port: impl FnMut(usize),
) {
    let mut key = source.index() * graph.inputs;
    while row[key] != NONE {
        let state = graph.state_after(key, row[key]);
        on_port(state / graph.vcs);
        if graph.target_router[state] == dst.0 {
            return;
        }
        key = graph.key[state] as usize;
    }
}
