//! The topology of a fabric, and everything that follows from its plant alone, before any traffic is looked
//! at.
//!
//! In: a fabric. Out: its topology, with the proof that it is what the spec declares. For a pod, also the
//! setting of every switch, the universal bound, and trees that share no switch.

use super::candidates::candidates;
use super::jobs::{JobTarget, TargetedTopology, topology_for_jobs};
use super::known::{KnownResults, searched_part};
use super::trade_off::weighed_topology;
use super::{contract, finalists, size};
use fabc_base::diag::Failure;
use fabc_base::ids::LinkId;
use fabc_base::progress::Progress;
use fabc_check::{CheckError, Wired};
use fabc_emit::compiled::{CompiledPod, WiredFabric};
use fabc_ir::{
    CrossConnects, FloorMetrics, Hardware, LightBudgets, Link, NetworkMetrics, PassRecord, Placement,
    Symmetry, Topology, TradeOff, UniformTopology, light_end_name,
};
use fabc_model::{Duplicates, Fabric, Family, Faults, FreeGraph, Network, Plant, Pod, TopologyChoice};
use fabc_passes::light::{self, BestCubes};
use fabc_passes::{cross_connect, limit, measure, place, synth, trees, wire};
use std::collections::BTreeSet;

/// The finished plant: everything that is known before any traffic is looked at.
pub(super) struct BuiltPlant {
    pub(super) topology: Topology,
    pub(super) wired: Wired,
    pub(super) pod: Option<CompiledPod>,
    /// Where routers stand on the floor.
    pub(super) placement: Option<Placement>,
    /// The lengths, prices and powers of the cables of that floor.
    pub(super) cables: Option<FloorMetrics>,
    /// The light budgets. `None` where no link has light.
    pub(super) light: Option<LightBudgets>,
    /// The switches, cables, prices and powers.
    pub(super) hardware: Hardware,
    /// Flow against cable, where the search weighs them.
    pub(super) trade_off: Vec<TradeOff>,
    /// The measured graph metrics of a network.
    pub(super) network: Option<NetworkMetrics>,
    /// Start lengths of the channels for the flow, suggested by the structure.
    pub(super) seeds: Vec<Vec<u32>>,
    /// The jobs that the topology was searched for, with their placements.
    pub(super) targets: Vec<JobTarget>,
    /// The sides of the torus that this search took, if it took one.
    pub(super) torus: Option<[u32; 3]>,
    pub(super) passes: Vec<PassRecord>,
}

/// Wires a fabric, proves the wiring, and measures its plant.
pub(super) fn build(
    fabric: &Fabric,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<BuiltPlant, Failure> {
    match &fabric.plant {
        Plant::Pod(pod) => build_pod(fabric, pod, results, progress),
        Plant::Network(network) => build_network(fabric, network, results, progress),
    }
}

/// Wires a fabric and proves that it is what the spec declares. Nothing is measured. Only a build can decide
/// `undecided` of its `require` lines.
pub(super) fn wire_fabric(
    fabric: Fabric,
    undecided: usize,
    progress: &dyn Progress,
) -> Result<WiredFabric, Failure> {
    let (topology, cross_connects) = match &fabric.plant {
        Plant::Pod(pod) => {
            let PodTopology { topology, .. } = pod_topology(&fabric, pod, &KnownResults::none(), progress)?;
            let topology = with_best_cubes(&fabric, pod, topology, None);
            let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
            (lay_pod_on_floor(&fabric, pod, topology, &cross_connects).0, Some(cross_connects))
        }
        Plant::Network(network) => {
            let nothing = KnownResults::none();
            let (topology, ..) = choose_network_topology(&fabric, network, &nothing, progress)?;
            (lay_network_on_floor(&fabric, network, topology)?.0, None)
        }
    };
    let wired =
        fabc_check::verify_wiring(&fabric, &topology, cross_connects.as_ref()).map_err(Failure::internal)?;
    Ok(WiredFabric { fabric, topology, wired, cross_connects, undecided })
}

/// The topology of a pod, with what its search found out.
struct PodTopology {
    topology: Topology,
    record: PassRecord,
    uniform: Option<UniformTopology>,
    targets: Vec<JobTarget>,
    torus: Option<[u32; 3]>,
}

/// The topology of a pod: for its demand, or for the jobs that it is searched for.
fn pod_topology(
    fabric: &Fabric,
    pod: &Pod,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<PodTopology, Failure> {
    if fabric.searched_for.is_empty() {
        let search = || finalists::choose_topology(&searched_part(fabric), pod, progress);
        let is_searched = matches!(pod.topology, TopologyChoice::Synthesize(_));
        let (topology, record, uniform) =
            if is_searched { results.topology(fabric, search)? } else { search()? };
        return Ok(PodTopology { topology, record, uniform, targets: Vec::new(), torus: None });
    }
    let TargetedTopology { topology, record, targets, torus } = topology_for_jobs(fabric, pod, progress)?;
    Ok(PodTopology { topology, record, uniform: None, targets, torus })
}

fn build_pod(
    fabric: &Fabric,
    pod: &Pod,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<BuiltPlant, Failure> {
    let PodTopology { topology, mut record, uniform, targets, torus } =
        pod_topology(fabric, pod, results, progress)?;
    size::refuse_large_analysis(fabric, &topology).map_err(Failure::infeasible)?;
    let (limit, limit_record) = limit::universal(pod, &fabric.demand, &fabric.capacities);
    limit
        .iter()
        .try_for_each(|limit| fabc_check::verify_limit(pod, &fabric.demand, &fabric.capacities, limit))
        .map_err(Failure::internal)?;
    let topology = with_best_cubes(fabric, pod, topology, Some(&mut record));
    let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
    let (topology, placed) = lay_pod_on_floor(fabric, pod, topology, &cross_connects);
    // A floor may take the symmetry away. Hence the symmetry is counted after the floor.
    record.counters.push(("symmetry_order".to_owned(), topology.symmetry().order() as u64));
    let wired =
        fabc_check::verify_wiring(fabric, &topology, Some(&cross_connects)).map_err(Failure::internal)?;
    let (placement, placing) = placed.unzip();
    let cables = floor_metrics(fabric, &topology, Some(&cross_connects), placement.as_ref())?;
    let budgets = light::pod_budgets(fabric, pod, &cross_connects.mirrors(), placement.as_ref());
    let light = proved_light(fabric, &topology, Some(&cross_connects), budgets)?;
    let hardware = hardware(fabric, &topology, cables.as_ref())?;
    let (trees, tree_bounds) = trees::disjoint_trees(pod, &topology, &cross_connects);
    fabc_check::verify_trees(pod, &topology, &cross_connects, &trees).map_err(Failure::internal)?;
    fabc_check::verify_tree_bounds(pod, &topology, &cross_connects, trees.len(), &tree_bounds)
        .map_err(Failure::internal)?;
    let pod = Some(CompiledPod { cross_connects, limit, uniform, trees, tree_bounds });
    let seeds = synth::start_lengths(&topology, &fabric.demand);
    let passes = [record, limit_record].into_iter().chain(placing).collect();
    Ok(BuiltPlant {
        topology,
        wired,
        pod,
        placement,
        cables,
        light,
        hardware,
        trade_off: Vec::new(),
        network: None,
        seeds,
        targets,
        torus,
        passes,
    })
}

/// The same topology with cubes exchanged so that light loses little, where that changes nothing else. The
/// record of the search for the topology says how many cubes moved.
fn with_best_cubes(
    fabric: &Fabric,
    pod: &Pod,
    topology: Topology,
    record: Option<&mut PassRecord>,
) -> Topology {
    if fabric.link_types.iter().all(|link| link.optics.is_none()) {
        return topology;
    }
    let placement = fabric.floor.as_ref().map(|floor| place::place_pod(floor, pod).0);
    let BestCubes { topology, moved, is_finished } =
        light::with_best_cubes(fabric, pod, topology, placement.as_ref());
    if let Some(record) = record {
        record.counters.extend((moved > 0).then(|| ("moved_cubes".to_owned(), moved as u64)));
        let note = "cubes were exchanged for their light up to the limit of looks";
        record.notes.extend((!is_finished).then(|| note.to_owned()));
    }
    topology
}

/// The same pod with the cables of its floor, and the places of its cubes and racks. A fault of one link or
/// chip stands for its images only if their cables are equally long. Where they are not, the pod has no
/// symmetry.
fn lay_pod_on_floor(
    fabric: &Fabric,
    pod: &Pod,
    topology: Topology,
    cross_connects: &CrossConnects,
) -> (Topology, Option<(Placement, PassRecord)>) {
    let Some(floor) = &fabric.floor else { return (topology, None) };
    let (placement, record) = place::place_pod(floor, pod);
    let cable = |(id, link): (LinkId, &Link)| {
        (placement.path_length(floor, [link.a.node, link.b.node], cross_connects.ocs_of[id]), link.link_type)
    };
    let cables: Vec<_> = topology.links().enumerate().map(cable).collect();
    let length_matters =
        topology.links().iter().any(|link| fabric.link_types[link.link_type].per_metre_ps > 0);
    let images_differ = length_matters && matches!(fabric.budget.faults, Faults::Link | Faults::Router);
    let no_symmetry = || Symmetry::trivial(pod.chips_per_cube(), pod.cubes);
    let topology = if images_differ { topology.with_symmetry(no_symmetry()) } else { topology };
    (topology.with_cables(cables), Some((placement, record)))
}

/// Adds up the cables of a floor. The checker adds them up a second time, and both sums must agree.
fn floor_metrics(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    placement: Option<&Placement>,
) -> Result<Option<FloorMetrics>, Failure> {
    let (Some(floor), Some(placement)) = (&fabric.floor, placement) else { return Ok(None) };
    let sums = FloorMetrics::for_placement(fabric, floor, placement, topology);
    if fabc_check::verify_floor(fabric, floor, topology, cross_connects, placement)
        .map_err(Failure::internal)?
        != sums
    {
        let violation = "lengths, prices or powers of its cables are added up otherwise".to_owned();
        return Err(Failure::internal(CheckError::Floor { violation, span: Some(floor.span) }));
    }
    Ok(Some(sums))
}

/// Refuses links that do not close. The checker adds up the light a second time, and both must agree.
fn proved_light(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    budgets: Option<LightBudgets>,
) -> Result<Option<LightBudgets>, Failure> {
    if let Some(budgets) = &budgets {
        let name = |end| light_end_name(fabric, topology, end);
        light::refuse_dark(fabric, budgets, &name).map_err(Failure::infeasible)?;
    }
    if fabc_check::verify_light(fabric, topology, cross_connects).map_err(Failure::internal)? != budgets {
        let violation = "its losses are added up otherwise".to_owned();
        return Err(Failure::internal(CheckError::Light { violation, span: None }));
    }
    Ok(budgets)
}

/// Adds up the switches, cables and prices. The checker adds them up a second time, and both must agree.
fn hardware(
    fabric: &Fabric,
    topology: &Topology,
    cables: Option<&FloorMetrics>,
) -> Result<Hardware, Failure> {
    let hardware = Hardware::new(fabric, topology, cables);
    fabc_check::verify_hardware(fabric, topology, cables, &hardware).map_err(Failure::internal)?;
    Ok(hardware)
}

/// Counters of the choice of a topology, by name.
type Counters = Vec<(String, u64)>;

/// The topology of a network. One that is drawn or searched is the known one, if there is one.
fn choose_topology(
    fabric: &Fabric,
    network: &Network,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<(Topology, Counters), Failure> {
    if !network.family.is_drawn() {
        let mut only = candidates(fabric, network).map_err(Failure::infeasible)?;
        return Ok((only.swap_remove(0), Vec::new()));
    }
    let search = || {
        progress.begin("synthesize", 1);
        let (topology, counters) = drawn_topology(&searched_part(fabric), network)?;
        progress.end();
        let (name, stopped_by) = (network.family.name().to_owned(), "done".to_owned());
        Ok((topology, PassRecord { name, stopped_by, counters, notes: Vec::new() }, None))
    };
    let (topology, record, _) = results.topology(fabric, search)?;
    Ok((topology, record.counters))
}

/// Of the candidates of a drawn network, the one that carries most after a few rounds, the first of equal
/// ones. The counters say how many candidates there were, and which one was taken.
fn drawn_topology(fabric: &Fabric, network: &Network) -> Result<(Topology, Counters), Failure> {
    let mut topologies = candidates(fabric, network).map_err(Failure::infeasible)?;
    let count = topologies.len();
    let flow =
        |topology: &Topology| finalists::trial(fabric, topology, &wire::start_lengths(topology)).value();
    // A single candidate needs no trial.
    let flows: Vec<f64> = if count > 1 { topologies.iter().map(flow).collect() } else { vec![0.0] };
    let taken = (0..count).min_by(|&first, &second| flows[second].total_cmp(&flows[first])).unwrap_or(0);
    let counters = [("candidates", count), ("taken", taken)];
    let counters = counters.map(|(name, count)| (name.to_owned(), count as u64)).to_vec();
    Ok((topologies.swap_remove(taken), counters))
}

/// The same topology with the cables of its floor, and the places of its routers.
fn lay_network_on_floor(
    fabric: &Fabric,
    network: &Network,
    topology: Topology,
) -> Result<(Topology, Option<(Placement, PassRecord)>), Failure> {
    let Some(floor) = &fabric.floor else { return Ok((topology, None)) };
    let (placement, record) = place::place(floor, &topology, &network.family);
    let cables = placement.cables(fabric, floor, &topology);
    let cut = cables
        .iter()
        .map(|&(length, link_type)| link_type.map(|link_type| (length, link_type)).ok_or(length))
        .collect::<Result<Vec<_>, u32>>();
    match cut {
        Ok(cables) => Ok((topology.with_cables(cables), Some((placement, record)))),
        Err(_) => {
            let longest = cables
                .iter()
                .filter(|(_, link_type)| link_type.is_none())
                .map(|&(length, _)| length)
                .max()
                .unwrap_or(0);
            let uncut = cables.iter().filter(|(_, link_type)| link_type.is_none()).count();
            let span = floor.by_length.as_ref().map_or(floor.span, |by_length| by_length.span);
            Err(Failure::infeasible(place::NoLink::new(uncut, longest, span)))
        }
    }
}

/// Unwanted results of a draw, as counters and as notes: duplicate links, and routers that lack links.
fn draw_flaws(network: &Network, topology: &Topology) -> (Counters, Vec<String>) {
    match &network.family {
        Family::Permuted(permuted) => {
            let base: usize =
                wire::links_by_kind(network, &permuted.base).iter().map(|kind| kind.links.len()).sum();
            let pairs = topology
                .links()
                .iter()
                .map(|link| [link.a.node.min(link.b.node), link.a.node.max(link.b.node)]);
            let twice = base - pairs.collect::<BTreeSet<_>>().len();
            let became = if permuted.duplicates == Duplicates::Drop {
                "came twice and were left out"
            } else {
                "run beside another one"
            };
            (vec![("duplicates".to_owned(), twice as u64)], vec![format!("{twice} of {base} links {became}")])
        }
        Family::Shortcuts(shortcuts) => {
            let degree = shortcuts.degree as usize;
            let short =
                topology.nodes().filter(|&node| topology.channels_from(node).count() < degree).count();
            (
                vec![("short_routers".to_owned(), short as u64)],
                vec![format!("{short} of {} routers have fewer than {degree} links", shortcuts.routers)],
            )
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// The topology of a network, by [`choose_topology`]. Where the search weighs cable, also the curve of flow
/// against cable.
fn choose_network_topology(
    fabric: &Fabric,
    network: &Network,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<(Topology, Counters, Vec<TradeOff>), Failure> {
    match (&network.family, &fabric.floor) {
        (Family::Synthesized(free @ FreeGraph { cable: Some(spec_weight), .. }), Some(floor)) => {
            let (topology, curve) = weighed_topology(fabric, network, floor, free, *spec_weight);
            Ok((topology, vec![("weights".to_owned(), curve.len() as u64)], curve))
        }
        _ => {
            let (topology, drawn) = choose_topology(fabric, network, results, progress)?;
            Ok((topology, drawn, Vec::new()))
        }
    }
}

fn build_network(
    fabric: &Fabric,
    network: &Network,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<BuiltPlant, Failure> {
    let (topology, drawn, trade_off) = choose_network_topology(fabric, network, results, progress)?;
    let (topology, placed) = lay_network_on_floor(fabric, network, topology)?;
    size::refuse_large_analysis(fabric, &topology).map_err(Failure::infeasible)?;
    let wired = fabc_check::verify_wiring(fabric, &topology, None).map_err(Failure::internal)?;
    let sizes = [("links", topology.links().len()), ("symmetry_order", topology.symmetry().order())];
    let counters = sizes.map(|(name, count)| (name.to_owned(), count as u64)).into_iter().chain(drawn);
    let (counted, notes) = draw_flaws(network, &topology);
    let record = PassRecord {
        name: network.family.name().to_owned(),
        stopped_by: "done".to_owned(),
        counters: counters.chain(counted).collect(),
        notes,
    };
    let (placement, placing) = placed.unzip();
    let cables = floor_metrics(fabric, &topology, None, placement.as_ref())?;
    let light = proved_light(fabric, &topology, None, light::network_budgets(fabric, &topology))?;
    let hardware = hardware(fabric, &topology, cables.as_ref())?;
    let (metrics, measured) = measure::measure(
        &topology,
        network,
        &fabric.demand,
        &network.family.facts().halves(),
        fabric.skips_bisection(),
    );
    contract::refuse_unmeasured(fabric, &topology, &metrics)?;
    fabc_check::verify_paths_and_failures(&topology, network.failures.as_ref(), &metrics)
        .map_err(Failure::internal)?;
    let mut seeds = wire::start_lengths(&topology);
    if let Some(bisection) = &metrics.bisection {
        fabc_check::verify_bisection(&topology, &fabric.demand, bisection).map_err(Failure::internal)?;
        seeds.push(measure::cut_lengths(&topology, bisection));
    }
    if let Some(bisection) = &metrics.host_bisection {
        fabc_check::verify_host_bisection(&topology, bisection).map_err(Failure::internal)?;
    }
    let passes = std::iter::once(record).chain(placing).chain(measured).collect();
    Ok(BuiltPlant {
        topology,
        wired,
        pod: None,
        placement,
        cables,
        light,
        hardware,
        trade_off,
        network: Some(metrics),
        seeds,
        targets: Vec::new(),
        torus: None,
        passes,
    })
}
