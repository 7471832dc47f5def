//! Allowed-turns routing: one rank order of the channels, and single-path routes that rise in it.
//!
//! Input: a scene, prices of the channels, a budget of virtual channels. Output: [`Routes`] for every
//! ordered pair. Invariants: the rank of (channel class, VC) rises along every route, so no set of channels
//! can wait on itself, whatever the demand. Routes agree wherever they share (destination, input port,
//! input VC).
//!
//! When: always, unless a method with a closed form (dimension order on a torus) is wanted. Two VCs suffice
//! to come within 1 % of the best load without any constraint, up to 1024 chips. A third VC removes most of
//! the rest. More than three are not used.
//!
//! The idea of TONS (allowed turns) is to allow as many turns as acyclicity permits and to choose single
//! paths among them. Here a rank order gives the set of allowed turns: every turn that rises is allowed. So
//! any order is a maximal acyclic set, and the search is over orders instead of over turns. Everything
//! works on the quotient by the topology's symmetry (`quotient`): `384 * vcs` numbers at any size of a pod
//! of 4x4x4 cubes.
//!
//! 1. `dag` finds the near-shortest paths by price from every canonical source.
//! 2. `improve` and `linear` start from a random order (one layer per VC) and move symbols until few pairs
//!    lack a near-shortest path.
//! 3. `reach` tests whether every pair has a legal path at all. If not, as usually with a single VC, the
//!    order is an asymmetric one around a spanning tree.
//! 4. `scan`, `select` and `potential` choose the routes by descent of an exponential potential of the
//!    channel loads.
//!
//! With a priority, `greedy` inserts turns one by one instead of step 2. With tables keyed by destination
//! alone, `by_destination` replaces step 4.
//!
//! A fault is routed under the order of the healthy fabric, starting from its routes. Cost at 2 VCs on one
//! core: 2 s at 256 chips, 10 s at 1024, 50 s at 4096, 95 s at 8192. A fault at 256 chips takes 0.3 s.
//! Memory grows with `classes * channels * vcs` (290 MB at 8192).

mod by_destination;
mod dag;
mod entries;
mod exact;
mod greedy;
mod improve;
mod linear;
mod order;
mod potential;
mod quotient;
mod reach;
mod scan;
mod select;

use by_destination::DestinationTrees;
pub use exact::{MAX_NODES, MAX_PATHS, least_load, paths};
use fabc_base::ids::{ChannelId, Id, NodeId, PortId, Vc};
use fabc_base::progress::Progress;
use fabc_ir::{DualLengths, Hop, Routes, Scene, Topology};
use fabc_model::{Demand, TableKey, TurnPriority};
use fixedbitset::FixedBitSet;
use improve::ImprovedOrder;
use linear::TurnGraph;
pub use order::TurnOrder;
use quotient::TurnQuotient;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rayon::prelude::*;
use select::{Aim, Selection};

/// Most canonical routers for which more rounds are cheap: those of a pod of 4x4x4 cubes.
const FEW_ROUTERS: usize = 64;
/// Sweeps of the selection, except for large pods.
const SWEEPS: u32 = 50;
/// Most rounds for the order of a fault, which starts from that of the healthy fabric.
const FAULT_ROUNDS: u32 = 300;

/// How much work goes into the order and the selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnSettings {
    /// Virtual channels of the budget, 1..=8.
    pub vcs: u8,
    /// The number of rounds of order improvement.
    pub order_rounds: u32,
    /// The number of sweeps of the selection.
    pub sweeps: u32,
    /// How often a selection that starts from finished routes tightens towards the bound, in five sweeps
    /// each.
    pub tightenings: u32,
    /// Seed of the order improvement.
    pub seed: u64,
    /// The priority by which turns are inserted greedily, or `None` for an improved order.
    pub priority: Option<TurnPriority>,
    /// The key by which tables look packets up.
    pub key: TableKey,
    /// Most table entries of a router, if they are limited.
    pub table_entries: Option<u32>,
    /// The bound on detours, if there is one.
    pub detour: Option<DetourBound>,
}

/// A bound on the hops of routes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DetourBound {
    /// The most hops beyond the diameter.
    pub beyond_diameter: u32,
    /// Whether routes are shortened even if that loads the busiest channel more.
    pub costs_load: bool,
}

impl TurnSettings {
    /// The default work for a topology of this size, whatever its symmetry.
    pub fn for_size(vcs: u8, nodes: usize) -> Self {
        let order_rounds = match nodes {
            0..=512 => 200,
            513..=4096 => 300,
            4097..=8192 => 200,
            _ => 60,
        };
        Self {
            vcs,
            order_rounds,
            sweeps: SWEEPS,
            tightenings: 1,
            seed: 1,
            priority: None,
            key: TableKey::DstInput,
            table_entries: None,
            detour: None,
        }
    }

    /// The default work for a topology, with more rounds where few canonical routers represent many. Rounds
    /// are cheap there, and more of them lose fewer pairs. Routes of many routers take more sweeps to
    /// settle.
    pub fn for_topology(vcs: u8, topology: &Topology) -> Self {
        let plain = Self::for_size(vcs, topology.node_count());
        if topology.symmetry().class_count() > FEW_ROUTERS {
            return plain;
        }
        match topology.node_count() {
            1025..=2048 => Self { order_rounds: 1000, ..plain },
            2049..=4096 => Self { order_rounds: 3000, sweeps: SWEEPS * 3 / 2, ..plain },
            4097..=8192 => Self { order_rounds: 1000, sweeps: SWEEPS * 3 / 2, ..plain },
            8193.. => Self { order_rounds: 500, sweeps: SWEEPS * 3 / 2, ..plain },
            _ => plain,
        }
    }

    /// Whether improving the routes of a closed form is worthwhile. They keep no symmetry, which costs
    /// memory, and know 2 or 3 VCs and full keys only.
    pub fn starts_from_routes(&self, nodes: usize) -> bool {
        nodes <= 2048
            && (2..=3).contains(&self.vcs)
            && self.key == TableKey::DstInput
            && self.priority.is_none()
    }
}

/// Most routers for which a single virtual channel may do as well as two.
const SMALL: usize = 64;

/// The virtual channels worth using. Three are as good as any number.
fn used_vcs(settings: &TurnSettings) -> usize {
    usize::from(settings.vcs.min(3))
}

/// Finds the rank order of a healthy fabric.
///
/// The order keeps the topology's symmetry if every pair has a legal path under such an order. If none was
/// found (as usually with a single VC), it starts from up*/down* and treats every channel as a class of its
/// own: see [`TurnOrder::symmetric`].
pub fn order(
    topology: &Topology,
    prices: &DualLengths,
    settings: &TurnSettings,
    progress: &dyn Progress,
) -> TurnOrder {
    let healthy_scene = Scene::healthy(topology);
    progress.begin("order", u64::from(settings.order_rounds));
    let mut turn_order = find_order(&healthy_scene, prices, None, settings, &|| progress.advance());
    progress.end();
    if settings.priority.is_some() {
        return turn_order;
    }
    // More virtual channels must not cost load. So an order of fewer VCs is taken where it reaches less
    // load than the search with more. A single VC is not worth trying in larger pods, where it is far
    // behind.
    let uniform = Demand::uniform(topology.node_count());
    let load = |order: &TurnOrder| {
        select(&healthy_scene, &uniform, prices, order, settings, None).max_load(topology, &uniform)
    };
    let mut known_load = None;
    for vcs in (1..turn_order.vcs).rev().filter(|&vcs| vcs == 2 || topology.node_count() <= SMALL) {
        let best_load = *known_load.get_or_insert_with(|| load(&turn_order));
        if best_load <= prices.least_load(topology.capacities().parts()) {
            break;
        }
        let fewer = find_order(&healthy_scene, prices, None, &TurnSettings { vcs, ..*settings }, &|| ());
        let with_fewer = load(&fewer);
        if with_fewer < best_load {
            (turn_order, known_load) = (fewer, Some(with_fewer));
        }
    }
    turn_order
}

/// The rank order for a scenario, improved from a given one or found from scratch.
fn find_order(
    scene: &Scene<'_>,
    prices: &DualLengths,
    from: Option<&TurnOrder>,
    settings: &TurnSettings,
    advance: &dyn Fn(),
) -> TurnOrder {
    let topology = scene.topology;
    let vcs = used_vcs(settings);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    if from.is_none_or(|order| order.symmetric) {
        let quotient = TurnQuotient::new(scene, prices, vcs, false);
        // Ranks of more virtual channels than are searched do not help.
        let ordered = match (settings.priority, from.filter(|order| usize::from(order.vcs) == vcs)) {
            (Some(priority), _) => greedy_order(&quotient, priority, &[], &mut rng),
            (None, Some(order)) => improve_order(
                &quotient,
                order.expanded(topology, &quotient.symmetry),
                &[],
                settings,
                &mut rng,
                advance,
            ),
            (None, None) => {
                improve_order(&quotient, random_layers(&quotient, &mut rng), &[], settings, &mut rng, advance)
            }
        };
        if reach::unreachable_pair(&quotient, &ordered.rank).is_none() {
            let symmetric = quotient.symmetry == *topology.symmetry();
            return TurnOrder { vcs: vcs as u8, symmetric, ranks: ordered.rank, lost: ordered.lost };
        }
    }
    let quotient = TurnQuotient::new(scene, prices, vcs, true);
    let (ranks, lost) = match settings.priority {
        Some(priority) => {
            let (start, tree) = reach::up_down(&quotient);
            let kept = TurnGraph::new(&quotient).rising_turns_within(&quotient, &tree, &start);
            let ordered = greedy_order(&quotient, priority, &kept, &mut rng);
            (ordered.rank, ordered.lost)
        }
        None => order_around_tree(quotient, settings, &mut rng, advance),
    };
    TurnOrder { vcs: vcs as u8, symmetric: topology.symmetry().is_trivial(), ranks, lost }
}

/// A rank order under which the paths of a spanning tree are legal, so that every pair has a path.
///
/// Many pairs lose their near-shortest paths and crowd onto the tree. So the rounds, twice as many as
/// usual, come in stages. After each stage, routes are selected in a few sweeps and the channels re-priced
/// by their load. The next stage then looks for paths around the crowd. The order with the least load wins.
fn order_around_tree(
    mut quotient: TurnQuotient,
    settings: &TurnSettings,
    rng: &mut ChaCha8Rng,
    advance: &dyn Fn(),
) -> (Vec<u32>, u64) {
    const STAGES: u32 = 8;
    let stage = TurnSettings { order_rounds: settings.order_rounds.div_ceil(STAGES / 2), ..*settings };
    let (start, tree) = reach::up_down(&quotient);
    let kept = TurnGraph::new(&quotient).rising_turns_within(&quotient, &tree, &start);
    let mut rank = start;
    let mut best: Option<(u32, Vec<u32>, u64)> = None;
    for _ in 0..STAGES {
        let ordered = improve_order(&quotient, rank, &kept, &stage, rng, advance);
        let mut trial = Selection::new(&quotient, &ordered.rank);
        trial.start(None::<fn(usize, usize) -> std::iter::Empty<usize>>).expect("the tree joins every pair");
        let busiest = f64::from(trial.max_load());
        trial.descend(Aim { bound: busiest / 4.0, target_load: 0 }, 12, 0, 0.06);
        if best.as_ref().is_none_or(|best| trial.max_load() < best.0) {
            best = Some((trial.max_load(), ordered.rank.clone(), ordered.lost));
        }
        let loads = trial.loads().to_vec();
        quotient.reprice(&loads);
        rank = ordered.rank;
    }
    let (_, rank, lost) = best.expect("at least one stage");
    (rank, lost)
}

/// A random order of the channels in VC 0, then one in VC 1, and so on.
fn random_layers(quotient: &TurnQuotient, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut start = vec![0; quotient.symbols()];
    let mut rank = 0;
    for vc in 0..quotient.vcs {
        let mut layer: Vec<u32> =
            (0..quotient.classes()).map(|class| (class * quotient.vcs + vc) as u32).collect();
        linear::shuffle(&mut layer, rng);
        for symbol in layer {
            start[symbol as usize] = rank;
            rank += 1;
        }
    }
    start
}

/// The rank order of greedy insertion without improvement. The `kept` turns come first.
fn greedy_order(
    quotient: &TurnQuotient,
    priority: TurnPriority,
    kept: &[u32],
    rng: &mut ChaCha8Rng,
) -> ImprovedOrder {
    let graph = TurnGraph::new(quotient);
    let rank = greedy::by_priority(quotient, &graph, priority, kept, rng);
    let dags = dag::near_shortest(quotient, quotient::MEAN_LENGTH / 6);
    // Zero rounds only count the lost pairs.
    improve::improve(improve::OrderTask { quotient, dags: &dags, graph: &graph, kept }, rank, 0, rng, &|| ())
}

/// Improves a rank order. The `kept` turns stay allowed.
fn improve_order(
    quotient: &TurnQuotient,
    start: Vec<u32>,
    kept: &[u32],
    settings: &TurnSettings,
    rng: &mut ChaCha8Rng,
    advance: &dyn Fn(),
) -> ImprovedOrder {
    let dags = dag::near_shortest(quotient, quotient::MEAN_LENGTH / 6);
    let graph = TurnGraph::new(quotient);
    let task = improve::OrderTask { quotient, dags: &dags, graph: &graph, kept };
    improve::improve(task, start, settings.order_rounds, rng, advance)
}

/// Selects routes of small maximum load, weighted by the demand, under a rank order. With `healthy` it
/// starts from those routes if their symmetry and ranks are the same, and takes a third of the sweeps (of
/// at most `SWEEPS`).
///
/// If some pair has no legal path under the order (in a fault scenario), the scenario gets an order of its
/// own. Panics if the lit links do not connect the topology: the caller has measured distances before.
pub fn select(
    scene: &Scene<'_>,
    demand: &Demand,
    prices: &DualLengths,
    order: &TurnOrder,
    settings: &TurnSettings,
    healthy: Option<&Routes>,
) -> Routes {
    let topology = scene.topology;
    let mut vcs = usize::from(order.vcs);
    let mut quotient = TurnQuotient::new(scene, prices, vcs, !order.symmetric);
    let mut ranks = order.expanded(topology, &quotient.symmetry);
    if reach::unreachable_pair(&quotient, &ranks).is_some() {
        // The new order has as many virtual channels as the order that it starts from, which may be fewer
        // than the budget. An order that was read from tables may have more than any order that is
        // searched.
        let order_rounds = settings.order_rounds.min(FAULT_ROUNDS);
        let fault_order = find_order(
            scene,
            prices,
            Some(order),
            &TurnSettings { vcs: order.vcs, order_rounds, ..*settings },
            &|| (),
        );
        vcs = usize::from(fault_order.vcs);
        quotient = TurnQuotient::new(scene, prices, vcs, !fault_order.symmetric);
        ranks = fault_order.expanded(topology, &quotient.symmetry);
    }
    let budget = budget_ranks(&quotient, &ranks, settings.vcs);
    if settings.key == TableKey::Dst {
        let mut trees = DestinationTrees::new(&quotient, &ranks);
        trees.descend((quotient.parts / prices.bound()).max(1.0), settings.sweeps);
        return write_routes(
            topology,
            &quotient,
            trees.hops(),
            |d, src, each| trees.route(d, src, each),
            budget,
            settings.vcs,
        );
    }
    let warm = healthy.filter(|healthy| healthy.symmetry == quotient.symmetry && healthy.ranks == budget);
    let (sweeps, rounds, widest) = if warm.is_some() {
        (settings.sweeps.min(SWEEPS) / 3, settings.tightenings, 0.02)
    } else {
        (settings.sweeps, settings.sweeps / 10, 0.06)
    };
    let state = |hop: &Hop| {
        let from = topology.source(hop.channel);
        (from.node.index() * topology.ports() + from.port.index()) * vcs + hop.vc.index()
    };
    let warm = warm.map(|warm| move |d: usize, src: usize| warm.route(d, NodeId::new(src)).iter().map(state));
    let mut selection = Selection::new(&quotient, &ranks);
    let aim = selection.weigh(demand, prices);
    selection.start(warm).expect("the order leaves every pair of a connected pod a path");
    selection.descend(aim, sweeps, rounds, widest);
    if let Some(detour) = settings.detour {
        bound_detours(scene, &mut selection, aim, detour);
    }
    if let Some(max_entries) = settings.table_entries {
        selection.merge_entries(max_entries);
    }
    write_routes(
        topology,
        &quotient,
        selection.hops(),
        |d, src, each| selection.route(d, src, each),
        budget,
        settings.vcs,
    )
}

/// Shortens the routes between endpoints that have too many hops.
fn bound_detours(scene: &Scene<'_>, selection: &mut Selection<'_>, aim: Aim, detour: DetourBound) {
    let quotient = selection.quotient;
    let mut endpoints = FixedBitSet::with_capacity(quotient.nodes);
    scene.endpoints().for_each(|node| endpoints.insert(node.index()));
    let farthest = |class: usize| {
        let to = quotient.symmetry.canonical_node(class).index();
        let hops = exact::hops_to(quotient, to);
        let from = endpoints.ones().filter(|_| endpoints.contains(to)).map(|node| hops[node]);
        from.filter(|&hops| hops < u32::MAX).max().unwrap_or(0)
    };
    let diameter = (0..quotient.symmetry.class_count()).into_par_iter().map(farthest).max().unwrap_or(0);
    let before = (selection.max_load(), selection.first.clone(), selection.next.clone());
    selection.shorten(aim, diameter + detour.beyond_diameter, &endpoints);
    if selection.max_load() > before.0 && !detour.costs_load {
        (selection.first, selection.next) = (before.1, before.2);
        selection.recount();
    }
}

/// Descends from finished routes under their own ranks. This keeps the load that a closed form reaches, and
/// balances its VCs.
///
/// The routes must be consistent and rise in rank. They may use all VCs of the budget.
pub fn improve_routes(
    scene: &Scene<'_>,
    demand: &Demand,
    prices: &DualLengths,
    settings: &TurnSettings,
    start: &Routes,
) -> Routes {
    let symmetric = start.symmetry == *scene.topology.symmetry();
    let order = TurnOrder { vcs: start.vcs, symmetric, ranks: start.ranks.clone(), lost: 0 };
    select(scene, demand, prices, &order, settings, Some(start))
}

/// The ranks of all VCs of the budget. Those that routes do not use come last.
fn budget_ranks(quotient: &TurnQuotient, ranks: &[u32], budget: u8) -> Vec<u32> {
    let mut spare = ranks.iter().copied().max().map_or(0, |last| last + 1)..;
    let mut all_ranks = Vec::with_capacity(quotient.classes() * usize::from(budget));
    for row in ranks.chunks(quotient.vcs) {
        all_ranks.extend(row);
        all_ranks.extend(spare.by_ref().take(usize::from(budget) - quotient.vcs));
    }
    all_ranks
}

/// Writes the chosen routes as [`Routes`].
fn write_routes(
    topology: &Topology,
    quotient: &TurnQuotient,
    total_hops: u64,
    route: impl Fn(usize, usize, &mut dyn FnMut(usize)),
    ranks: Vec<u32>,
    vcs: u8,
) -> Routes {
    let destinations = quotient.symmetry.class_count();
    let mut offsets = Vec::with_capacity(destinations * quotient.nodes + 1);
    let mut hops = Vec::with_capacity(total_hops as usize);
    offsets.push(0);
    let channels: Vec<Option<ChannelId>> = topology
        .nodes()
        .flat_map(|node| (0..quotient.ports).map(move |port| topology.outgoing(node, PortId::new(port))))
        .collect();
    for d in 0..destinations {
        let to = quotient.symmetry.canonical_node(d);
        for src in 0..quotient.nodes {
            // Every pair had a route while they were chosen, but only hosts send and receive.
            if !topology.is_endpoint(to) || !topology.is_endpoint(NodeId::new(src)) {
                offsets.push(hops.len() as u32);
                continue;
            }
            route(d, src, &mut |state| {
                let channel = channels[state / quotient.vcs].expect("routes use lit channels");
                hops.push(Hop { channel, vc: Vc::new(state % quotient.vcs) });
            });
            offsets.push(hops.len() as u32);
        }
    }
    Routes { vcs, symmetry: quotient.symmetry.clone(), offsets, hops, ranks }
}
