//! What a build would refuse, found before anything is searched, analysed or routed.
//!
//! In: a fabric. Out: the errors that no search can mend. A later stage would report each of them too. This
//! module reports only those on which nothing in between has a say. Cost: milliseconds; what would take
//! longer is left to the build ([`EARLY_WORK`]).

use super::{Stage, collectives, contract, faults, performance_contract, simulations, size};
use fabc_base::diag::{Failure, Span};
use fabc_base::ids::{Id, NodeId};
use fabc_base::progress::Silent;
use fabc_ir::{
    Breadth, CrossConnects, Distances, Fault, Neighbors, Scenario, Scene, Topology, surviving_scene,
};
use fabc_lang::SliceError;
use fabc_model::{Fabric, Plant, Pod, RoutingChoice, TopologyChoice, VcCount};
use fabc_passes::route::{RouteError, algebraic, axis_order, dimension_order, lanes};
use fabc_passes::{cross_connect, flow, synth, wire};

/// Steps (a channel looked at from a router, or in one scenario) that are quick: some 50 ms.
const EARLY_WORK: usize = 20_000_000;

/// A topology that is known without a search, and what is known of it.
struct Given {
    topology: Topology,
    cross_connects: Option<CrossConnects>,
    /// `None` where measuring them would take long.
    distances: Option<Distances>,
}

/// Refuses what can never be built as far as `last`. Returns how many `require` lines only a build can
/// decide: the spec alone says what all others measure.
///
/// # Errors
/// As [`super::compile`].
pub fn check_early(fabric: &Fabric, last: Stage) -> Result<usize, Failure> {
    if !fabric.slices.kinds.is_empty() {
        return Err(Failure::spec(SliceError::Divided { fabric: fabric.name.clone(), span: fabric.span }));
    }
    size::buildable(fabric)?;
    size::affordable(fabric, last)?;
    let given = given_topology(fabric)?;
    if let (Some(pod), None) = (fabric.pod(), &given) {
        synth::searchable(fabric, pod)?;
    }
    let topology = given.as_ref().map(|given| &given.topology);
    if last >= Stage::Route {
        routable(fabric, given.as_ref()).map_err(Failure::infeasible)?;
        if let Some(topology) = topology {
            size::orderable(fabric, topology).map_err(Failure::infeasible)?;
        }
        faults::affordable(fabric, faults::estimate_faults(fabric, topology))?;
        collectives::named_routers(fabric)?;
        simulations::refuse_impossible_simulations(
            fabric,
            topology,
            given.as_ref().and_then(|given| given.distances.as_ref()),
        )?;
        // Where vectors are scheduled the plans themselves say what else cannot be.
        match topology {
            Some(topology) if fabric.routing.is_scheduled() => {
                collectives::are_in_joined_groups(fabric, topology)?
            }
            Some(topology) => collectives::plannable(fabric, topology)?,
            None => {}
        }
    }
    let distances = given.as_ref().and_then(|given| given.distances.as_ref());
    contract::refuse_impossible_requires(fabric, topology, distances)?;
    performance_contract::refuse_impossible_performance(fabric, topology, distances)?;
    Ok(fabric.requires.len() - contract::decided(fabric, topology, distances))
}

/// What is known of a fabric before anything is searched.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Foreseen {
    /// Of every `require` line about the fabric itself: where it stands, and which bounds there are.
    pub bounds: Vec<(Span, String)>,
    /// Links, and how many of them the fullest router has; where the topology is not searched.
    pub links: Option<[usize; 2]>,
    /// Of the same: the diameter, and the mean distance.
    pub distances: Option<(u32, f64)>,
}

/// Looks as far ahead as [`check_early`]; of what cannot be built nothing is known.
pub fn foresee(fabric: &Fabric) -> Foreseen {
    if !fabric.slices.kinds.is_empty()
        || size::buildable(fabric).is_err()
        || size::affordable(fabric, Stage::Emit).is_err()
    {
        return Foreseen::default();
    }
    let Ok(given) = given_topology(fabric) else { return Foreseen::default() };
    let (topology, distances) = (
        given.as_ref().map(|given| &given.topology),
        given.as_ref().and_then(|given| given.distances.as_ref()),
    );
    let most = |topology: &Topology| {
        topology.nodes().map(|node| topology.channels_from(node).count()).max().unwrap_or(0)
    };
    let mean = |distances: &Distances| {
        distances.total as f64 / distances.histogram.iter().sum::<u64>().max(1) as f64
    };
    Foreseen {
        bounds: contract::bounds_of_lines(fabric, topology, distances),
        links: topology.map(|topology| [topology.links().len(), most(topology)]),
        distances: distances.map(|distances| (distances.diameter, mean(distances))),
    }
}

/// The topology, where the spec says all of it.
fn given_topology(fabric: &Fabric) -> Result<Option<Given>, Failure> {
    let (topology, cross_connects) = match &fabric.plant {
        Plant::Pod(pod) => {
            if let TopologyChoice::Synthesize(_) | TopologyChoice::SynthesizeNear(_) = pod.topology {
                return Ok(None);
            }
            let topology = synth::synthesize(fabric, pod, &Silent)?.finalists.swap_remove(0);
            let topology = topology.with_capacities(fabric.capacities.clone());
            let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
            (topology, Some(cross_connects))
        }
        Plant::Network(network) => {
            if network.family.is_drawn() {
                return Ok(None);
            }
            // A link takes as long to make as to look at some dozen times.
            if network.router_count().saturating_mul(fabric.router.radix as usize) > EARLY_WORK / 20 {
                return Ok(None);
            }
            (wire::wire(fabric, network), None)
        }
    };
    let searches = topology.symmetry().class_count().saturating_mul(topology.channel_count());
    let distances = (searches <= EARLY_WORK).then(|| flow::distances(&Scene::whole(&topology))).flatten();
    Ok(Some(Given { topology, cross_connects, distances }))
}

/// Refuses a routing that has too few virtual channels or table entries, and faults that no routing survives.
fn routable(fabric: &Fabric, given: Option<&Given>) -> Result<(), RouteError> {
    let topology = given.map(|given| &given.topology);
    let endpoints = match (topology, &fabric.plant) {
        (Some(topology), _) => topology.endpoints().count(),
        (None, Plant::Pod(pod)) => pod.node_count(),
        (None, Plant::Network(_)) => 0,
    };
    let least = endpoints.saturating_sub(1);
    if let Some(limit) = fabric.budget.table_entries.filter(|&limit| (limit as usize) < least) {
        return Err(RouteError::fewer_entries_than_routers(fabric, topology, least, limit));
    }
    let Some(Given { topology, cross_connects, distances }) = given else { return Ok(()) };
    let whole = Scene::whole(topology);
    keeps_order(fabric, &whole, &Scenario::nominal())?;
    if let Some(distances) = distances.as_ref().filter(|_| fabric.routing.is_shortest_by_destination()) {
        let (rule, needed) = lanes::least(fabric, distances.diameter);
        if needed > u32::from(fabric.budget.vcs) {
            return Err(RouteError::too_few_vcs(fabric, &Scenario::nominal(), rule, needed));
        }
    }
    // Enough of them: what one fault of a kind breaks, the first ones mostly break.
    let each = EARLY_WORK / topology.channel_count().max(1);
    if fabric.budget.faults.is_none() || faults::estimate_faults(fabric, Some(topology)).is_many() {
        return Ok(());
    }
    // A virtual channel for every hop: the longest way of any fault counts.
    let by_hops = fabric.routing.is_shortest_by_destination()
        && lanes::rules(fabric) == [lanes::Rule::Count(VcCount::Hops)];
    let mut longest: Option<(u32, Scenario)> = None;
    for scenario in
        Scenario::all(fabric, topology).into_iter().skip(1).take(if by_hops { each / 3 } else { each })
    {
        let scene = surviving_scene(&scenario.fault, topology, cross_connects.as_ref());
        in_one_piece(fabric, &scene, &scenario)?;
        keeps_order(fabric, &scene, &scenario)?;
        let hops = if by_hops { longest_detour(&scene, &scenario.fault) } else { 0 };
        if hops > u32::from(fabric.budget.vcs) && longest.as_ref().is_none_or(|(most, _)| hops > *most) {
            longest = Some((hops, scenario));
        }
    }
    if let Some((hops, scenario)) = longest {
        return Err(RouteError::too_few_vcs(fabric, &scenario, lanes::rules(fabric)[0], hops));
    }
    keeps_formula(fabric, topology, cross_connects.as_ref())
}

/// Whether a formula, which uses every link, survives the first fault.
fn keeps_formula(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<(), RouteError> {
    let few = fabric.routing == RoutingChoice::Algebraic
        && topology.node_count() * topology.node_count() <= EARLY_WORK / 10;
    let Some(scenario) = Scenario::all(fabric, topology).into_iter().nth(1).filter(|_| few) else {
        return Ok(());
    };
    let found = algebraic::route(&surviving_scene(&scenario.fault, topology, cross_connects), fabric);
    found.map(|_| ()).map_err(|pair| RouteError::no_detour(fabric, topology, &scenario, pair))
}

/// Whether the living routers still reach each other; links that run one way are left to the build.
fn in_one_piece(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<(), RouteError> {
    let mut living = scene.topology.nodes().filter(|&node| scene.lives(node));
    let Some(first) = living.next().filter(|_| !scene.topology.has_simplex()) else { return Ok(()) };
    let seen = scene.topology.reachable(first, |link| scene.is_lit(link));
    let lost = living.any(|node| !seen.contains(node.index()));
    if lost { Err(RouteError::fault_disconnects(fabric, scene, scenario)) } else { Ok(()) }
}

/// Hops from a router next to what has failed to the endpoint that is farthest from it now: ways that went on
/// there first are the ones that a fault makes longer.
fn longest_detour(scene: &Scene<'_>, fault: &Fault) -> u32 {
    let topology = scene.topology;
    let mut near: Vec<NodeId> = match *fault {
        Fault::Link(link) => [topology.links()[link].a.node, topology.links()[link].b.node].to_vec(),
        Fault::Router(dead) => {
            topology.channels_from(dead).map(|channel| topology.target(channel).node).take(2).collect()
        }
        Fault::None | Fault::Switches(_) => Vec::new(),
    };
    near.retain(|&node| scene.is_endpoint(node));
    let (neighbors, mut search) = (Neighbors::out_of(scene), Breadth::default());
    let mut farthest_endpoint = |from: NodeId| {
        neighbors.search(from, &mut search);
        let farthest = search.order.iter().rev().find(|&&router| scene.is_endpoint(NodeId(router)));
        farthest.map_or(0, |&router| search.hops[router as usize])
    };
    near.into_iter().map(&mut farthest_endpoint).max().unwrap_or(0)
}

/// Whether dimension order, which has one path per pair, keeps those next to what has failed.
fn keeps_order(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<(), RouteError> {
    if fabric.routing != RoutingChoice::DimensionOrder {
        return Ok(());
    }
    let topology = scene.topology;
    let mut near: Vec<NodeId> = match scenario.fault {
        Fault::Router(dead) => {
            topology.channels_from(dead).map(|channel| topology.target(channel).node).collect()
        }
        _ => Vec::new(),
    };
    near.sort_unstable();
    near.dedup();
    let around_router =
        near.iter().flat_map(|&src| near.iter().map(move |&dst| [src, dst])).filter(|[src, dst]| src != dst);
    let dark = topology.links().enumerate().filter(|(id, _)| !scene.is_lit(*id) && scene.dead.is_empty());
    let across = dark.flat_map(|(_, link)| [[link.a.node, link.b.node], [link.b.node, link.a.node]]);
    let pairs = around_router.chain(across);
    match &fabric.plant {
        Plant::Pod(pod @ Pod { topology: TopologyChoice::Torus(dims), .. }) => {
            dimension_order::keeps(fabric, pod, scene, *dims, scenario, pairs)
        }
        Plant::Pod(_) => Ok(()),
        Plant::Network(_) => axis_order::keeps(fabric, scene, scenario, pairs),
    }
}
