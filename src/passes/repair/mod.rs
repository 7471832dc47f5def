//! Repair: new tables where more, or other things, are down than was prepared for, and the way to them.
//!
//! In: the tables of the healthy fabric with the ranks that they rise by, and what is left. Out: what changes
//! in them. [`local`] keeps every route that still arrives and lays the others anew, each the cheapest way of
//! rising rank at its turn; [`onto`] leads to tables that were found otherwise. Invariant: under one order of
//! ranks old entries and new ones may stand side by side in any mix: every one of them rises, so nothing
//! waits in a circle, and whoever follows them arrives, meets what is dark, or stands at a key that is listed
//! as stranded.
//!
//! Cost: of [`local`] every entry once, and for every broken route, or every few of them, one look at all
//! states (router, port, virtual channel).

mod bridge;
mod fates;
mod ground;
mod rows;
mod ways;

use bridge::{Changes, cold, together, warm};
use fabc_base::ids::{Id, NodeId, PortId, Vc};
use fabc_base::random::Stream;
use fabc_ir::{Delta, ForwardingTables, Hop, Routes, Scene, Topology};
use fabc_model::Demand;
use fates::{Fate, fates, used};
use ground::Ground;
use rayon::prelude::*;
use rows::{NONE, Rows};
use ways::{Ways, price};

/// Looks at a state that repairs take: beyond, several routes to a destination are laid by the same look.
const LOOKS: usize = 1 << 28;
/// Destinations whose old entries are looked up together: what is laid one by one is the rest of the work.
const TOGETHER: usize = 64;
/// Of the order in which destinations come.
const SEED: u64 = 1;
/// Of the most that was carried before: what is more is worth another round.
const MUCH: (u64, u64) = (103, 100);

/// What is in force: tables keyed by destination and input, of all routers.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// The tables.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under their symmetry: the ranks that they rise by.
    pub ranks: &'a [u32],
}

/// New tables that rise by the ranks of the old ones.
#[derive(Debug)]
pub struct Found {
    /// What changes.
    pub delta: Delta,
    /// The most that a channel carried, and carries then, in parts of a unit of load.
    pub most: [u64; 2],
}

/// Pairs for which no way rises in rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoWay {
    /// How many.
    pub pairs: u64,
    /// One of them: from, to.
    pub first: [NodeId; 2],
}

/// What a destination lost.
struct Lost {
    dst: NodeId,
    /// Sources whose routes are broken, or that are gone.
    sources: Vec<NodeId>,
    /// What the broken routes loaded: `[router * ports + port]` and parts of a unit, as often as they come.
    loads: Vec<(u32, u64)>,
}

/// Lays every broken route anew. `scene` is what is left, in one part; `rounds` is how often they are laid at
/// most, each destination's after the others', while some channel carries more than 1.03 times as much as any
/// did before.
///
/// # Errors
/// There are pairs for which no way rises.
pub fn local(scene: &Scene<'_>, demand: &Demand, before: Before<'_>, rounds: u32) -> Result<Found, NoWay> {
    relaid(scene, demand, before, Care { warm: true, rounds })
}

/// The routes that [`local`] finds, of all routers, for what chooses them once more; nothing waits on the way
/// there. Nothing where no way rises.
pub fn local_routes(scene: &Scene<'_>, demand: &Demand, before: Before<'_>) -> Option<Routes> {
    Some(routes(scene, before, &relaid(scene, demand, before, Care { warm: false, rounds: 1 }).ok()?.delta))
}

/// What is done beyond laying every broken route once.
#[derive(Clone, Copy)]
struct Care {
    /// Packets stay in flight: those that wait at a broken key get entries that lead them on.
    warm: bool,
    /// Times that the broken routes are laid at most, while some channel carries more than [`MUCH`].
    rounds: u32,
}

fn relaid(scene: &Scene<'_>, demand: &Demand, before: Before<'_>, care: Care) -> Result<Found, NoWay> {
    let ground = Ground::new(scene, before.tables.vcs, &before.tables.symmetry, before.ranks);
    let rows = Rows::new(scene.topology, before.tables);
    let mut loads = loads(scene, demand, before.tables, &rows);
    let most = loads.iter().copied().max().unwrap_or(0);
    let nodes: Vec<NodeId> = scene.topology.endpoints().collect();
    let lost = nodes
        .par_iter()
        .map_init(Vec::new, |row, &dst| lost(&ground, &rows, demand, dst, row))
        .collect::<Vec<_>>();
    let mut lost: Vec<Lost> = lost.into_iter().flatten().collect();
    for &(slot, load) in lost.iter().flat_map(|lost| &lost.loads) {
        loads[slot as usize] -= load;
    }
    let costs = loads.iter().zip(&ground.slowness).map(|(&load, &slow)| price(load + slow, most)).collect();
    let broken: usize = lost.iter().map(|lost| lost.sources.len()).sum();
    let at_once = (broken * ground.falling.len()).div_ceil(LOOKS).max(1);
    Stream::new(SEED, 0).shuffle(&mut lost);
    let (ways, laid) = (Ways::default(), Vec::new());
    let mut laying = Laying { ground: &ground, rows: &rows, demand, at_once, most, loads, costs, ways, laid };
    let mut without = NoWay { pairs: 0, first: [NodeId(0); 2] };
    // What is laid is kept only where it may be laid again: it takes room.
    let rounds = if at_once == 1 { care.rounds } else { 1 };
    let (mut laid, mut changes) = (Vec::new(), Vec::with_capacity(lost.len()));
    let batches: Vec<&[Lost]> = lost.chunks(TOGETHER).collect();
    let kept_of = |at: usize| batches.get(at).map_or_else(Vec::new, |batch| kept(&ground, &rows, batch));
    let mut ready = kept_of(0);
    for (at, batch) in batches.iter().enumerate() {
        // While these are laid, one after the other, the next ones are looked up.
        let lay = |(lost, kept)| laying.lay(lost, kept, None, &mut without);
        let (new, next) =
            rayon::join(|| batch.iter().zip(ready).map(lay).collect::<Vec<_>>(), || kept_of(at + 1));
        ready = next;
        match rounds {
            1 => changes.extend(laying.changes(batch, new, care.warm)),
            _ => laid.extend(new),
        }
    }
    if without.pairs > 0 {
        return Err(without);
    }
    for _ in 1..rounds {
        if laying.loads.iter().all(|&load| load * MUCH.1 <= most * MUCH.0) {
            break;
        }
        for (batch, laid) in batches.iter().zip(laid.chunks_mut(TOGETHER)) {
            let kept = kept(&ground, &rows, batch);
            for ((lost, new), kept) in batch.iter().zip(laid).zip(kept) {
                *new = laying.lay(lost, kept, Some(new), &mut without);
            }
        }
    }
    changes.extend(laying.changes(&lost, laid, care.warm));
    Ok(Found { delta: together(changes), most: [most, laying.loads.into_iter().max().unwrap_or(0)] })
}

/// Broken routes on their new ways, destination by destination.
struct Laying<'a> {
    ground: &'a Ground<'a>,
    rows: &'a Rows<'a>,
    demand: &'a Demand,
    /// Routes to a destination that are laid by one look.
    at_once: usize,
    /// The most that a channel carried before.
    most: u64,
    /// `[router * ports + port]`: what channels carry, in parts of a unit.
    loads: Vec<u64>,
    /// `[router * ports + port]`: what one more route costs there.
    costs: Vec<u64>,
    ways: Ways,
    /// States of the ways that were laid since the last look.
    laid: Vec<usize>,
}

impl Laying<'_> {
    /// Lays what is lost to one destination beside what is kept, in place of how it was laid before; what has
    /// no way is counted.
    fn lay(
        &mut self,
        lost: &Lost,
        mut new: Vec<u32>,
        before: Option<&[u32]>,
        without: &mut NoWay,
    ) -> Vec<u32> {
        let Self { ground, demand, most, at_once, .. } = *self;
        let Lost { dst, sources, .. } = lost;
        let dst = *dst;
        let is_endpoint = |node: NodeId| ground.scene.is_endpoint(node);
        let sources = || sources.iter().copied().filter(|&source| is_endpoint(source) && is_endpoint(dst));
        let weight = |source: NodeId| u64::from(demand.weight(source, dst));
        if let Some(before) = before {
            for source in sources() {
                each_slot(ground, before, source, dst, |slot| {
                    self.loads[slot] -= weight(source) * ground.slowness[slot];
                    self.costs[slot] = price(self.loads[slot] + ground.slowness[slot], most);
                });
            }
        }
        for (turn, source) in sources().enumerate() {
            if turn == 0 {
                self.ways.find(ground, &new, dst, &self.costs);
            } else if turn % at_once == 0 {
                self.ways.find_again(ground, &new, dst, &self.costs, &self.laid);
                self.laid.clear();
            }
            let Some(first) = self.ways.from(ground, source) else {
                if without.pairs == 0 {
                    without.first = [source, dst];
                }
                without.pairs += 1;
                continue;
            };
            let (loads, costs, laid) = (&mut self.loads, &mut self.costs, &mut self.laid);
            let earlier = laid.len();
            self.ways.lay(ground, &mut new, source.index() * ground.inputs, first, |state| {
                let slot = state / ground.vcs;
                loads[slot] += weight(source) * ground.slowness[slot];
                costs[slot] = price(loads[slot] + ground.slowness[slot], most);
                laid.push(state);
            });
            for slot in laid[earlier..].iter().map(|state| state / ground.vcs) {
                self.ways.costs_more(ground, slot, costs[slot]);
            }
        }
        self.laid.clear();
        new
    }

    /// What changes for packets to some destinations, `new` being the entries for each.
    fn changes(&self, some: &[Lost], new: Vec<Vec<u32>>, is_warm: bool) -> Vec<Changes> {
        let ground = self.ground;
        let change = |(ways, old): &mut (Ways, Vec<u32>), (lost, mut new): (&Lost, Vec<u32>)| {
            let dst = lost.dst;
            ground.fill(self.rows, dst, old);
            let used =
                if ground.scene.is_endpoint(dst) { used(ground, &new, dst) } else { vec![false; new.len()] };
            new.iter_mut().zip(&used).filter(|(_, used)| !**used).for_each(|(output, _)| *output = NONE);
            if is_warm {
                warm(ground, old, &new, dst, ways, &self.costs)
            } else {
                cold(ground, old, &new, dst)
            }
        };
        some.par_iter().zip(new).map_init(Default::default, change).collect()
    }
}

/// The entries for some destinations that stay: those that still lead there.
fn kept(ground: &Ground<'_>, rows: &Rows<'_>, some: &[Lost]) -> Vec<Vec<u32>> {
    let of = |row: &mut Vec<u32>, lost: &Lost| {
        ground.fill(rows, lost.dst, row);
        let fates = fates(ground, row, lost.dst);
        row.iter()
            .zip(fates)
            .map(|(&output, fate)| if fate == Fate::Arrives { output } else { NONE })
            .collect()
    };
    some.par_iter().map_init(Vec::new, of).collect()
}

/// The changes that lead to other tables for what is left, and whether these rise by the ranks of the old
/// ones: then routers may come to them in any order.
pub fn onto(scene: &Scene<'_>, before: Before<'_>, after: &ForwardingTables) -> (Delta, bool) {
    let ground = Ground::new(scene, before.tables.vcs, &before.tables.symmetry, before.ranks);
    let (rows, then) = (Rows::new(scene.topology, before.tables), Rows::new(scene.topology, after));
    let nodes: Vec<NodeId> = scene.topology.endpoints().collect();
    let keeps = after.vcs == before.tables.vcs && all_rise(&ground, &then);
    let costs = vec![1; ground.open.len()];
    let of = |(ways, old, new): &mut (Ways, Vec<u32>, Vec<u32>), &dst: &NodeId| {
        ground.fill(&rows, dst, old);
        ground.fill(&then, dst, new);
        if keeps { warm(&ground, old, new, dst, ways, &costs) } else { cold(&ground, old, new, dst) }
    };
    let changes = nodes.par_iter().map_init(Default::default, of).collect::<Vec<_>>();
    (together(changes), keeps)
}

/// Whether tables rise by ranks, `[(router * ports + port) * vcs + vc]`.
pub fn rises(scene: &Scene<'_>, tables: &ForwardingTables, ranks: &[u32]) -> bool {
    let ground = Ground::new(scene, tables.vcs, &tables.symmetry.without(), ranks);
    all_rise(&ground, &Rows::new(scene.topology, tables))
}

fn all_rise(ground: &Ground<'_>, rows: &Rows<'_>) -> bool {
    let rises = |row: &mut Vec<u32>, dst| {
        rows.fill(dst, row);
        row.iter().enumerate().all(|(key, &output)| {
            let held = ground.state[key];
            output == NONE
                || held == NONE
                || ground.rank[ground.after(key, output)] > ground.rank[held as usize]
        })
    };
    let nodes: Vec<NodeId> = ground.scene.topology.endpoints().collect();
    nodes.par_iter().map_init(Vec::new, |row, &dst| rises(row, dst)).all(|rises| rises)
}

/// `[(router * ports + port) * vcs + vc]`: the ranks in force, of all routers.
pub fn of_all_routers(topology: &Topology, before: Before<'_>) -> Vec<u32> {
    let row = topology.ports() * usize::from(before.tables.vcs);
    let ranks_of =
        |node: NodeId| before.ranks[before.tables.symmetry.class(node) * row..][..row].iter().copied();
    topology.nodes().flat_map(ranks_of).collect()
}

/// The routes of changed tables for what is left, of all routers, with the ranks of all routers.
pub fn routes(scene: &Scene<'_>, before: Before<'_>, delta: &Delta) -> Routes {
    let tables = &delta.applied(before.tables, &scene.dead, &before.tables.scenario);
    routes_of(scene, tables, of_all_routers(scene.topology, before))
}

/// The routes of the tables in force, of whole topologies, under their symmetry.
pub fn healthy_routes(topology: &Topology, before: Before<'_>) -> Routes {
    routes_of(&Scene::whole(topology), before.tables, before.ranks.to_vec())
}

/// The routes of tables, under their symmetry; `ranks` too.
fn routes_of(scene: &Scene<'_>, tables: &ForwardingTables, ranks: Vec<u32>) -> Routes {
    let topology = scene.topology;
    let ground = Ground::new(scene, tables.vcs, &tables.symmetry, &ranks);
    let rows = Rows::new(topology, tables);
    let (mut offsets, mut hops, mut row) = (vec![0], Vec::new(), Vec::new());
    for dst in tables.symmetry.canonical_nodes() {
        ground.fill(&rows, dst, &mut row);
        for source in topology.nodes() {
            let serves = source != dst && scene.is_endpoint(source) && scene.is_endpoint(dst);
            let mut key = source.index() * ground.inputs;
            while serves && row[key] != NONE {
                let state = ground.after(key, row[key]);
                let (slot, vc) = (state / ground.vcs, Vc::new(state % ground.vcs));
                let channel =
                    topology.outgoing(NodeId::new(slot / ground.ports), PortId::new(slot % ground.ports));
                hops.extend(channel.map(|channel| Hop { channel, vc }));
                if ground.head[state] == dst.0 {
                    break;
                }
                key = ground.key[state] as usize;
            }
            offsets.push(hops.len() as u32);
        }
    }
    Routes { vcs: tables.vcs, symmetry: tables.symmetry.clone(), offsets, hops, ranks }
}

impl Ground<'_> {
    /// The entries of living routers for packets to `dst`.
    fn fill(&self, rows: &Rows<'_>, dst: NodeId, row: &mut Vec<u32>) {
        rows.fill(dst, row);
        for dead in &self.scene.dead {
            row[dead.index() * self.inputs..][..self.inputs].fill(NONE);
        }
    }
}

/// The most that tables load a channel with, in parts of a unit.
pub fn most_loaded(scene: &Scene<'_>, demand: &Demand, tables: &ForwardingTables) -> u64 {
    loads(scene, demand, tables, &Rows::new(scene.topology, tables)).into_iter().max().unwrap_or(0)
}

/// What tables load on every channel, `[router * ports + port]`, in parts of a unit; pairs without entries
/// load nothing.
fn loads(scene: &Scene<'_>, demand: &Demand, tables: &ForwardingTables, rows: &Rows<'_>) -> Vec<u64> {
    let (topology, symmetry) = (scene.topology, &tables.symmetry);
    let whole = Scene::whole(topology);
    let none = vec![0; topology.class_count(symmetry) * usize::from(tables.vcs)];
    let ground = Ground::new(&whole, tables.vcs, symmetry, &none);
    let class =
        |slot: usize| symmetry.class(NodeId::new(slot / ground.ports)) * ground.ports + slot % ground.ports;
    let canonical: Vec<NodeId> =
        symmetry.canonical_nodes().filter(|&dst| topology.is_endpoint(dst)).collect();
    let of = |row: &mut Vec<u32>, &dst: &NodeId| {
        let mut loads = vec![0u64; symmetry.class_count() * ground.ports];
        rows.fill(dst, row);
        for source in topology.endpoints().filter(|&source| source != dst) {
            let weight = u64::from(demand.weight(source, dst));
            each_slot(&ground, row, source, dst, |slot| loads[class(slot)] += weight * ground.slowness[slot]);
        }
        loads
    };
    let of_classes = canonical.par_iter().map_init(Vec::new, of).reduce(Vec::new, |mut sum, more| {
        crate::add(&mut sum, &more);
        sum
    });
    (0..ground.open.len()).map(|slot| of_classes.get(class(slot)).copied().unwrap_or(0)).collect()
}

/// What broke for packets to one destination; nothing where nothing did.
fn lost(
    ground: &Ground<'_>,
    rows: &Rows<'_>,
    demand: &Demand,
    dst: NodeId,
    row: &mut Vec<u32>,
) -> Option<Lost> {
    rows.fill(dst, row);
    let fates = fates(ground, row, dst);
    let stays = |source: NodeId| {
        fates[source.index() * ground.inputs] == Fate::Arrives
            && ground.scene.is_endpoint(source)
            && ground.scene.is_endpoint(dst)
    };
    let sources: Vec<NodeId> =
        ground.scene.topology.endpoints().filter(|&source| source != dst && !stays(source)).collect();
    let mut loads = Vec::new();
    for &source in &sources {
        let weight = u64::from(demand.weight(source, dst));
        each_slot(ground, row, source, dst, |slot| loads.push((slot as u32, weight * ground.slowness[slot])));
    }
    (!sources.is_empty()).then_some(Lost { dst, sources, loads })
}

/// Every channel of a route, dark ones too.
fn each_slot(ground: &Ground<'_>, row: &[u32], source: NodeId, dst: NodeId, mut each: impl FnMut(usize)) {
    let mut key = source.index() * ground.inputs;
    while row[key] != NONE {
        let state = ground.after(key, row[key]);
        each(state / ground.vcs);
        if ground.head[state] == dst.0 {
            return;
        }
        key = ground.key[state] as usize;
    }
}
