//! Refuses what no search can build, before anything is searched, analysed or routed.
//!
//! In: a fabric. Out: the errors that no search can mend. Later stages would report each of them too. This
//! module reports an error only if no stage in between can change it. Cost: milliseconds. Checks that would
//! take longer are left to the build ([`EARLY_WORK`]).

use super::routing::tiers_of_groups;
use super::{Stage, collectives, contract, faults, jobs, performance_contract, simulations, size};
use fabc_base::diag::{Failure, Span};
use fabc_base::ids::{Id, NodeId};
use fabc_base::progress::Silent;
use fabc_ir::{
    Breadth, CrossConnects, Distances, Neighbors, Scenario, ScenarioFault, Scene, Topology, face_end_name,
    surviving_scene,
};
use fabc_lang::SliceError;
use fabc_model::{
    Clustering, Fabric, Floor, PlacementChoice, Plant, Pod, RoutingChoice, TierOrder, TopologyChoice, VcCount,
};
use fabc_passes::route::{RouteError, algebraic, axis_order, dimension_order, groups, lanes, ordered_groups};
use fabc_passes::{cross_connect, flow, light, place, synth, wire};

/// The most steps that an early check may take: some 50 ms. In a step, one channel is visited from one router
/// or in one scenario.
const EARLY_WORK: usize = 20_000_000;

/// A topology that the spec gives completely, with its measured distances.
struct GivenTopology {
    topology: Topology,
    cross_connects: Option<CrossConnects>,
    /// `None` where measuring them would take long.
    distances: Option<Distances>,
}

/// Refuses what can never be built as far as `last`. Returns the number of `require` lines that only a build
/// can decide. The spec alone decides all others.
///
/// # Errors
/// The same errors as [`super::compile`], as far as the spec alone implies them.
pub fn check_early(fabric: &Fabric, last: Stage) -> Result<usize, Failure> {
    if !fabric.slices.kinds.is_empty() {
        return Err(Failure::spec(SliceError::Divided { fabric: fabric.name.clone(), span: fabric.span }));
    }
    size::refuse_too_large(fabric)?;
    size::refuse_unaffordable(fabric, last)?;
    let given = given_topology(fabric)?;
    if let (Some(pod), None) = (fabric.pod(), &given) {
        synth::check_searchable(fabric, pod)?;
    }
    refuse_dark_links(fabric, given.as_ref())?;
    let topology = given.as_ref().map(|given| &given.topology);
    if last >= Stage::Route {
        check_routing(fabric, given.as_ref()).map_err(Failure::infeasible)?;
        if let Some(topology) = topology {
            size::refuse_long_ordering(fabric, topology).map_err(Failure::infeasible)?;
        }
        faults::refuse_too_many(fabric, faults::estimate_faults(fabric, topology))?;
        collectives::check_router_names(fabric)?;
        collectives::check_group_sizes(fabric, topology)?;
        jobs::check_jobs(fabric, topology)?;
        simulations::refuse_impossible_simulations(
            fabric,
            topology,
            given.as_ref().and_then(|given| given.distances.as_ref()),
        )?;
        // Where vectors are scheduled, the planner itself reports the other contradictions.
        match topology {
            Some(topology) if fabric.routing.is_scheduled() => {
                collectives::check_groups_joined(fabric, topology)?
            }
            Some(topology) => collectives::check_declared(fabric, topology)?,
            None => {}
        }
    }
    let distances = given.as_ref().and_then(|given| given.distances.as_ref());
    contract::refuse_impossible_requires(fabric, topology, distances)?;
    performance_contract::refuse_impossible_performance(fabric, topology, distances)?;
    Ok(fabric.requires.len() - contract::count_decided(fabric, topology, distances))
}

/// What is known about a fabric before anything is searched. An editor shows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Foreseen {
    /// For every `require` line about the fabric itself: its place in the source, and the bounds on its
    /// metric.
    pub bounds: Vec<(Span, String)>,
    /// The number of links, and the number of links of the fullest router. `None` where the topology is
    /// searched.
    pub links: Option<[usize; 2]>,
    /// The diameter and the mean distance. `None` where the topology is searched.
    pub distances: Option<(u32, f64)>,
}

/// Computes what is known before the search. The result is empty for a fabric that cannot be built.
pub fn foresee(fabric: &Fabric) -> Foreseen {
    if !fabric.slices.kinds.is_empty()
        || size::refuse_too_large(fabric).is_err()
        || size::refuse_unaffordable(fabric, Stage::Emit).is_err()
    {
        return Foreseen::default();
    }
    let Ok(given) = given_topology(fabric) else { return Foreseen::default() };
    let (topology, distances) = (
        given.as_ref().map(|given| &given.topology),
        given.as_ref().and_then(|given| given.distances.as_ref()),
    );
    let fullest_router = |topology: &Topology| {
        topology.nodes().map(|node| topology.channels_from(node).count()).max().unwrap_or(0)
    };
    let mean = |distances: &Distances| {
        distances.total as f64 / distances.histogram.iter().sum::<u64>().max(1) as f64
    };
    Foreseen {
        bounds: contract::bounds_by_line(fabric, topology, distances),
        links: topology.map(|topology| [topology.links().len(), fullest_router(topology)]),
        distances: distances.map(|distances| (distances.diameter, mean(distances))),
    }
}

/// Refuses links whose light does not close. Where the topology is searched, a face port must reach some
/// other port of its switch. On a floor whose places are searched the fiber counts as 0 m long.
fn refuse_dark_links(fabric: &Fabric, given: Option<&GivenTopology>) -> Result<(), Failure> {
    let in_order = |floor: &&Floor| {
        floor.placement == PlacementChoice::InOrder && floor.clustering == Clustering::Sequential
    };
    let floor = fabric.floor.as_ref();
    let refused = match (&fabric.plant, given) {
        (Plant::Pod(pod), _) if pod.ocses.iter().all(|ocs| fabric.link_types[ocs.link].optics.is_none()) => {
            Ok(())
        }
        (Plant::Pod(pod), given) => {
            let placement = floor.filter(in_order).map(|floor| place::place_pod(floor, pod).0);
            let settings = given.and_then(|given| given.cross_connects.as_ref()).map(CrossConnects::mirrors);
            let placed = || light::pod_budgets(fabric, pod, settings.as_ref()?, placement.as_ref());
            match placed() {
                Some(budgets) => light::refuse_dark(fabric, &budgets, &|end| face_end_name(pod, end)),
                None => light::refuse_dark_ports(fabric, pod, placement.as_ref()),
            }
        }
        (Plant::Network(_), Some(given)) => light::refuse_dark_links(fabric, &given.topology),
        (Plant::Network(_), None) => Ok(()),
    };
    refused.map_err(Failure::infeasible)
}

/// The topology, if the spec gives it completely. `None` where it has to be searched or drawn.
fn given_topology(fabric: &Fabric) -> Result<Option<GivenTopology>, Failure> {
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
            // Making a link takes about as long as visiting it a dozen times.
            if network.router_count().saturating_mul(fabric.router.radix as usize) > EARLY_WORK / 20 {
                return Ok(None);
            }
            (wire::wire(fabric, network), None)
        }
    };
    let searches = topology.symmetry().class_count().saturating_mul(topology.channel_count());
    let distances = (searches <= EARLY_WORK).then(|| flow::distances(&Scene::healthy(&topology))).flatten();
    Ok(Some(GivenTopology { topology, cross_connects, distances }))
}

/// Refuses a routing with too few virtual channels or table entries, and faults that no routing survives.
fn check_routing(fabric: &Fabric, given: Option<&GivenTopology>) -> Result<(), RouteError> {
    let topology = given.map(|given| &given.topology);
    let endpoints = match (topology, &fabric.plant) {
        (Some(topology), _) => topology.endpoints().count(),
        (None, Plant::Pod(pod)) => pod.node_count(),
        (None, Plant::Network(_)) => 0,
    };
    let needed_entries = endpoints.saturating_sub(1);
    // Entries with groups are for ranges of destinations.
    let limit = fabric.budget.table_entries.filter(|_| !fabric.routing.has_many_paths());
    if let Some(limit) = limit.filter(|&limit| (limit as usize) < needed_entries) {
        return Err(RouteError::fewer_entries_than_routers(fabric, topology, needed_entries, limit));
    }
    let Some(GivenTopology { topology, cross_connects, distances }) = given else { return Ok(()) };
    let healthy = Scene::healthy(topology);
    check_dimension_order(fabric, &healthy, &Scenario::nominal())?;
    let tiers = tiers_of_groups(fabric, topology, Stage::Route);
    let check_valid_paths = |scene: &Scene<'_>, scenario: &Scenario| match &tiers {
        Some(tiers) => match fabric.routing.tier_order() {
            TierOrder::Tiers => groups::check_joined(scene, tiers, fabric.relays),
            TierOrder::UpDown { .. } => ordered_groups::check_joined(scene, tiers),
        }
        .map_err(|pair| RouteError::no_valid_path(fabric, topology, scenario, pair)),
        None => Ok(()),
    };
    check_valid_paths(&healthy, &Scenario::nominal())?;
    if let Some(distances) = distances.as_ref().filter(|_| fabric.routing.is_shortest_by_destination()) {
        let (rule, needed) = lanes::certain_vcs(fabric, distances.diameter);
        if needed > u32::from(fabric.budget.vcs) {
            return Err(RouteError::too_few_vcs(fabric, &Scenario::nominal(), rule, needed));
        }
    }
    // A sample of the faults is enough. Faults of one kind mostly break the same things, so the first ones
    // show it.
    let quick_faults = EARLY_WORK / topology.channel_count().max(1);
    if fabric.budget.faults.is_none() || faults::estimate_faults(fabric, Some(topology)).is_many() {
        return Ok(());
    }
    // Under one virtual channel per hop, the longest route of any fault decides how many are needed.
    let by_hops = fabric.routing.is_shortest_by_destination()
        && lanes::rules(fabric) == [lanes::LaneRule::Count(VcCount::Hops)];
    // Sets of endpoints pass over every channel for valid paths, 64 endpoints to a word.
    let passes = match (by_hops, &tiers) {
        (true, _) => 3,
        (false, Some(_)) => 4 * (1 + endpoints / 64),
        (false, None) => 1,
    };
    let mut longest: Option<(u32, Scenario)> = None;
    for scenario in Scenario::tolerated(fabric, topology).into_iter().skip(1).take(quick_faults / passes) {
        let scene = surviving_scene(&scenario.fault, topology, cross_connects.as_ref());
        check_connected(fabric, &scene, &scenario)?;
        check_dimension_order(fabric, &scene, &scenario)?;
        check_valid_paths(&scene, &scenario)?;
        let hops = if by_hops { longest_detour(&scene, &scenario.fault) } else { 0 };
        if hops > u32::from(fabric.budget.vcs) && longest.as_ref().is_none_or(|(most, _)| hops > *most) {
            longest = Some((hops, scenario));
        }
    }
    if let Some((hops, scenario)) = longest {
        return Err(RouteError::too_few_vcs(fabric, &scenario, lanes::rules(fabric)[0], hops));
    }
    check_algebraic(fabric, topology, cross_connects.as_ref())
}

/// Refuses the algebraic routing, which uses every link, if it does not survive the first fault.
fn check_algebraic(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<(), RouteError> {
    let few = fabric.routing == RoutingChoice::Algebraic
        && topology.node_count() * topology.node_count() <= EARLY_WORK / 10;
    let Some(scenario) = Scenario::tolerated(fabric, topology).into_iter().nth(1).filter(|_| few) else {
        return Ok(());
    };
    let routes = algebraic::route(&surviving_scene(&scenario.fault, topology, cross_connects), fabric);
    routes.map(|_| ()).map_err(|pair| RouteError::no_detour(fabric, topology, &scenario, pair))
}

/// Refuses a fault that disconnects the surviving routers. The build decides this for links that run one way.
fn check_connected(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<(), RouteError> {
    let mut living = scene.topology.nodes().filter(|&node| scene.lives(node));
    let Some(first) = living.next().filter(|_| !scene.topology.has_simplex()) else { return Ok(()) };
    let seen = scene.topology.reachable(first, |link| scene.is_lit(link));
    let lost = living.any(|node| !seen.contains(node.index()));
    if lost { Err(RouteError::fault_disconnects(fabric, scene, scenario)) } else { Ok(()) }
}

/// The hops from a router next to the fault to the endpoint that is farthest from it now. A fault lengthens
/// those routes that used to go on from such a router.
fn longest_detour(scene: &Scene<'_>, fault: &ScenarioFault) -> u32 {
    let topology = scene.topology;
    let mut near: Vec<NodeId> = match *fault {
        ScenarioFault::Link(link) => [topology.links()[link].a.node, topology.links()[link].b.node].to_vec(),
        ScenarioFault::Router(dead) => {
            topology.channels_from(dead).map(|channel| topology.target(channel).node).take(2).collect()
        }
        ScenarioFault::None | ScenarioFault::Switches(_) => Vec::new(),
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

/// Refuses dimension order, which has one path per pair, if the fault breaks the path of a pair next to it.
fn check_dimension_order(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Result<(), RouteError> {
    if fabric.routing != RoutingChoice::DimensionOrder {
        return Ok(());
    }
    let topology = scene.topology;
    let mut near: Vec<NodeId> = match scenario.fault {
        ScenarioFault::Router(dead) => {
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
            dimension_order::check_pairs(fabric, pod, scene, *dims, scenario, pairs)
        }
        Plant::Pod(_) => Ok(()),
        Plant::Network(_) => axis_order::check_pairs(fabric, scene, scenario, pairs),
    }
}
