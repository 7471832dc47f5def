//! The topology of a fabric, by its plant, and what else is found of that plant alone.
//!
//! In: a fabric. Out: its topology with the proof that it is what was declared; of a pod also the setting of
//! every switch, what no wiring of it can exceed, and trees that share no switch.

use super::candidates::candidates;
use super::trade_off::weighed;
use super::{contract, finalists, size};
use fabc_base::diag::Failure;
use fabc_base::ids::LinkId;
use fabc_base::progress::Progress;
use fabc_check::{CheckError, Wired};
use fabc_emit::compiled::{CompiledPod, WiredFabric};
use fabc_ir::{
    CrossConnects, FloorMetrics, Link, NetworkMetrics, PassRecord, Placement, Symmetry, Topology, TradeOff,
};
use fabc_model::{Duplicates, Fabric, Family, Faults, FreeGraph, Network, Plant, Pod};
use fabc_passes::{cross_connect, limit, measure, place, synth, trees, wire};
use std::collections::BTreeSet;

/// What stands before any traffic is looked at.
pub(super) struct Built {
    pub(super) topology: Topology,
    pub(super) wired: Wired,
    pub(super) pod: Option<CompiledPod>,
    /// Where routers stand.
    pub(super) placement: Option<Placement>,
    /// What the cables of that floor come to.
    pub(super) cables: Option<FloorMetrics>,
    /// What flow costs in cable, where the search weighed it.
    pub(super) trade_off: Vec<TradeOff>,
    /// What was measured of the graph of a network.
    pub(super) network: Option<NetworkMetrics>,
    /// Channel lengths that the structure makes plausible.
    pub(super) seeds: Vec<Vec<u32>>,
    pub(super) passes: Vec<PassRecord>,
}

/// Wires a fabric, proves the wiring, and finds what is known of its plant before any traffic.
pub(super) fn build(fabric: &Fabric, progress: &dyn Progress) -> Result<Built, Failure> {
    match &fabric.plant {
        Plant::Pod(pod) => of_pod(fabric, pod, progress),
        Plant::Network(network) => of_network(fabric, network),
    }
}

/// Wires a fabric and proves that it is what was declared; nothing of it is measured. Only a build can decide
/// `undecided` of its `require` lines.
pub(super) fn wired(
    fabric: Fabric,
    undecided: usize,
    progress: &dyn Progress,
) -> Result<WiredFabric, Failure> {
    let (topology, cross_connects) = match &fabric.plant {
        Plant::Pod(pod) => {
            let (topology, ..) = finalists::topology(&fabric, pod, progress)?;
            let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
            (laid_pod(&fabric, pod, topology, &cross_connects).0, Some(cross_connects))
        }
        Plant::Network(network) => {
            let (topology, ..) = chosen(&fabric, network)?;
            (laid(&fabric, network, topology)?.0, None)
        }
    };
    let wired = fabc_check::wiring(&fabric, &topology, cross_connects.as_ref()).map_err(Failure::internal)?;
    Ok(WiredFabric { fabric, topology, wired, cross_connects, undecided })
}

fn of_pod(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Built, Failure> {
    let (topology, mut record, uniform) = finalists::topology(fabric, pod, progress)?;
    size::analysed(fabric, &topology).map_err(Failure::infeasible)?;
    let (limit, limit_record) = limit::universal(pod, &fabric.demand, &fabric.capacities);
    limit
        .iter()
        .try_for_each(|limit| fabc_check::limit(pod, &fabric.demand, &fabric.capacities, limit))
        .map_err(Failure::internal)?;
    let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
    let (topology, placed) = laid_pod(fabric, pod, topology, &cross_connects);
    // A floor may take the symmetry away, so it is counted behind it.
    record.counters.push(("symmetry_order".to_owned(), topology.symmetry().order() as u64));
    let wired = fabc_check::wiring(fabric, &topology, Some(&cross_connects)).map_err(Failure::internal)?;
    let (placement, placing) = placed.unzip();
    let cables = cables(fabric, &topology, Some(&cross_connects), placement.as_ref())?;
    let (trees, tree_bounds) = trees::disjoint_trees(pod, &topology, &cross_connects);
    fabc_check::trees(pod, &topology, &cross_connects, &trees).map_err(Failure::internal)?;
    fabc_check::tree_bounds(pod, &topology, &cross_connects, trees.len(), &tree_bounds)
        .map_err(Failure::internal)?;
    let pod = Some(CompiledPod { cross_connects, limit, uniform, trees, tree_bounds });
    let seeds = synth::start_lengths(&topology, &fabric.demand);
    let passes = [record, limit_record].into_iter().chain(placing).collect();
    Ok(Built { topology, wired, pod, placement, cables, trade_off: Vec::new(), network: None, seeds, passes })
}

/// The same pod with the ways of its floor, and where its cubes and racks stand. A fault of one link or chip
/// stands for its images no longer where these are not as long: such a pod has no symmetry.
fn laid_pod(
    fabric: &Fabric,
    pod: &Pod,
    topology: Topology,
    cross_connects: &CrossConnects,
) -> (Topology, Option<(Placement, PassRecord)>) {
    let Some(floor) = &fabric.floor else { return (topology, None) };
    let (placement, record) = place::place_pod(floor, pod);
    let way = |(id, link): (LinkId, &Link)| {
        (placement.way(floor, [link.a.node, link.b.node], cross_connects.ocs_of[id]), link.link_type)
    };
    let ways: Vec<_> = topology.links().enumerate().map(way).collect();
    let runs = topology.links().iter().any(|link| fabric.link_types[link.link_type].per_metre_ps > 0);
    let unlike = runs && matches!(fabric.budget.faults, Faults::Link | Faults::Router);
    let alone = || Symmetry::trivial(pod.chips_per_cube(), pod.cubes);
    let topology = if unlike { topology.with_symmetry(alone()) } else { topology };
    (topology.with_cables(ways), Some((placement, record)))
}

/// What the cables of a floor come to, twice counted.
fn cables(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    placement: Option<&Placement>,
) -> Result<Option<FloorMetrics>, Failure> {
    let (Some(floor), Some(placement)) = (&fabric.floor, placement) else { return Ok(None) };
    let sums = FloorMetrics::of(fabric, floor, placement, topology);
    if fabc_check::floor(fabric, floor, topology, cross_connects, placement).map_err(Failure::internal)?
        != sums
    {
        let what = "lengths, prices or powers of its cables are added up otherwise".to_owned();
        return Err(Failure::internal(CheckError::Floor { what, span: Some(floor.span) }));
    }
    Ok(Some(sums))
}

/// What the choice of a topology counted.
type Counters = Vec<(&'static str, usize)>;

/// The topology of a network; of a drawn one, which carries most after a few rounds (the first of equal
/// ones), also counters: how many candidates there were, and which was taken.
fn topology(fabric: &Fabric, network: &Network) -> Result<(Topology, Counters), Failure> {
    let mut topologies = candidates(fabric, network).map_err(Failure::infeasible)?;
    if !network.family.is_drawn() {
        return Ok((topologies.swap_remove(0), Vec::new()));
    }
    let count = topologies.len();
    let flow =
        |topology: &Topology| finalists::trial(fabric, topology, &wire::start_lengths(topology)).value();
    // One alone needs no trial.
    let flows: Vec<f64> = if count > 1 { topologies.iter().map(flow).collect() } else { vec![0.0] };
    let taken = (0..count).min_by(|&one, &other| flows[other].total_cmp(&flows[one])).unwrap_or(0);
    Ok((topologies.swap_remove(taken), vec![("candidates", count), ("taken", taken)]))
}

/// The same topology with the cables of its floor, and where its routers stand.
fn laid(
    fabric: &Fabric,
    network: &Network,
    topology: Topology,
) -> Result<(Topology, Option<(Placement, PassRecord)>), Failure> {
    let Some(floor) = &fabric.floor else { return Ok((topology, None)) };
    let (placement, record) = place::place(floor, &topology, &network.family);
    let cables = placement.cables(floor, &topology);
    let cut = cables
        .iter()
        .map(|&(length, of)| of.map(|of| (length, of)).ok_or(length))
        .collect::<Result<Vec<_>, u32>>();
    match cut {
        Ok(cables) => Ok((topology.with_cables(cables), Some((placement, record)))),
        Err(_) => {
            let longest =
                cables.iter().filter(|(_, of)| of.is_none()).map(|&(length, _)| length).max().unwrap_or(0);
            let uncut = cables.iter().filter(|(_, of)| of.is_none()).count();
            let span = floor.by_length.as_ref().map_or(floor.span, |by_length| by_length.span);
            Err(Failure::infeasible(place::NoLink::new(uncut, longest, span)))
        }
    }
}

/// What came out of a draw that was not asked for, counted and told: links that come twice, and routers that
/// lack some.
fn unasked(network: &Network, topology: &Topology) -> (Counters, Vec<String>) {
    match &network.family {
        Family::Permuted(of) => {
            let base: usize = wire::kinds(network, &of.base).iter().map(|kind| kind.links.len()).sum();
            let pairs = topology
                .links()
                .iter()
                .map(|link| [link.a.node.min(link.b.node), link.a.node.max(link.b.node)]);
            let twice = base - pairs.collect::<BTreeSet<_>>().len();
            let became = if of.duplicates == Duplicates::Drop {
                "came twice and were left out"
            } else {
                "run beside another one"
            };
            (vec![("duplicates", twice)], vec![format!("{twice} of {base} links {became}")])
        }
        Family::Shortcuts(of) => {
            let degree = of.degree as usize;
            let short =
                topology.nodes().filter(|&node| topology.channels_from(node).count() < degree).count();
            (
                vec![("short_routers", short)],
                vec![format!("{short} of {} routers have fewer than {degree} links", of.routers)],
            )
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// The [`topology`] of a network. Where short ways and short cables are weighed, also what flow costs in
/// cable.
fn chosen(fabric: &Fabric, network: &Network) -> Result<(Topology, Counters, Vec<TradeOff>), Failure> {
    match (&network.family, &fabric.floor) {
        (Family::Synthesized(free @ FreeGraph { cable: Some(own), .. }), Some(floor)) => {
            let (topology, curve) = weighed(fabric, network, floor, (free, *own));
            Ok((topology, vec![("weights", curve.len())], curve))
        }
        _ => topology(fabric, network).map(|(topology, drawn)| (topology, drawn, Vec::new())),
    }
}

fn of_network(fabric: &Fabric, network: &Network) -> Result<Built, Failure> {
    let (topology, drawn, trade_off) = chosen(fabric, network)?;
    let (topology, placed) = laid(fabric, network, topology)?;
    size::analysed(fabric, &topology).map_err(Failure::infeasible)?;
    let wired = fabc_check::wiring(fabric, &topology, None).map_err(Failure::internal)?;
    let counters = [("links", topology.links().len()), ("symmetry_order", topology.symmetry().order())]
        .into_iter()
        .chain(drawn);
    let (counted, notes) = unasked(network, &topology);
    let record = PassRecord {
        name: network.family.name().to_owned(),
        stopped_by: "done".to_owned(),
        counters: counters.chain(counted).map(|(name, count)| (name.to_owned(), count as u64)).collect(),
        notes,
    };
    let (placement, placing) = placed.unzip();
    let cables = cables(fabric, &topology, None, placement.as_ref())?;
    let (metrics, measured) = measure::measure(
        &topology,
        network,
        &fabric.demand,
        &network.family.facts().halves(),
        fabric.is_brief(),
    );
    contract::measured(fabric, &topology, &metrics)?;
    fabc_check::paths_and_failures(&topology, network.failures.as_ref(), &metrics)
        .map_err(Failure::internal)?;
    let mut seeds = wire::start_lengths(&topology);
    if let Some(bisection) = &metrics.bisection {
        fabc_check::bisection(&topology, &fabric.demand, bisection).map_err(Failure::internal)?;
        seeds.push(measure::cut_lengths(&topology, bisection));
    }
    let passes = std::iter::once(record).chain(placing).chain(measured).collect();
    Ok(Built {
        topology,
        wired,
        pod: None,
        placement,
        cables,
        trade_off,
        network: Some(metrics),
        seeds,
        passes,
    })
}
