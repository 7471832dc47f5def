//! The topology of a fabric, by its plant, and what else is found of that plant alone.
//!
//! In: a fabric. Out: its topology with the proof that it is what was declared; of a pod also the setting of
//! every switch, what no wiring of it can exceed, and trees that share no switch.

use super::{contract, finalists, size};
use crate::check::{self, CheckError, Wired};
use crate::compiled::CompiledPod;
use crate::diag::Failure;
use crate::ir::{FloorMetrics, NetworkMetrics, PassRecord, Placement, Topology};
use crate::model::{Fabric, Family, Network, Plant, Pod};
use crate::passes::{cross_connect, draw, limit, measure, place, synth, trees, wire};
use crate::progress::Progress;

/// What stands before any traffic is looked at.
pub(super) struct Built {
    pub(super) topology: Topology,
    pub(super) wired: Wired,
    pub(super) pod: Option<CompiledPod>,
    /// Where routers stand.
    pub(super) placement: Option<Placement>,
    /// What was measured of the graph of a network.
    pub(super) network: Option<NetworkMetrics>,
    /// Channel lengths that the structure makes plausible.
    pub(super) seeds: Vec<Vec<u32>>,
    pub(super) passes: Vec<PassRecord>,
}

/// Wires a fabric.
pub(super) fn build(fabric: &Fabric, progress: &dyn Progress) -> Result<Built, Failure> {
    match &fabric.plant {
        Plant::Pod(pod) => of_pod(fabric, pod, progress),
        Plant::Network(network) => of_network(fabric, network),
    }
}

fn of_pod(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Built, Failure> {
    let (topology, record, uniform) = finalists::topology(fabric, pod, progress)?;
    size::analysed(fabric, &topology).map_err(Failure::infeasible)?;
    let (limit, limit_record) = limit::universal(pod, &fabric.demand, &fabric.capacities);
    limit.iter().try_for_each(|limit| check::limit(pod, &fabric.demand, &fabric.capacities, limit)).map_err(Failure::internal)?;
    let cross_connects = cross_connect::assign(pod, &topology).map_err(Failure::spec)?;
    let wired = check::wiring(fabric, &topology, Some(&cross_connects)).map_err(Failure::internal)?;
    let (trees, tree_bounds) = trees::disjoint_trees(pod, &topology, &cross_connects);
    check::trees(pod, &topology, &cross_connects, &trees).map_err(Failure::internal)?;
    check::tree_bounds(pod, &topology, &cross_connects, trees.len(), &tree_bounds).map_err(Failure::internal)?;
    let pod = Some(CompiledPod { cross_connects, limit, uniform, trees, tree_bounds });
    let seeds = synth::seeds(&topology, &fabric.demand);
    Ok(Built { topology, wired, pod, placement: None, network: None, seeds, passes: vec![record, limit_record] })
}

/// What the choice of a topology counted.
type Counters = Vec<(&'static str, usize)>;

/// The topology of a network; of a drawn one, which carries most after a few rounds (the first of equal
/// ones), also counters: how many candidates there were, and which was taken.
fn topology(fabric: &Fabric, network: &Network) -> Result<(Topology, Counters), Failure> {
    if !network.family.is_drawn() {
        return Ok((wire::wire(fabric, network), Vec::new()));
    }
    let candidates = match &network.family {
        Family::Permuted(of) => draw::permuted(of, &wire::pairs(network, &of.base), network.span),
        family => draw::candidates(family, network.span),
    };
    let candidates = candidates.map_err(Failure::infeasible)?;
    let mut topologies: Vec<Topology> = candidates.iter().map(|links| wire::wire_drawn(fabric, network, links)).collect();
    let count = topologies.len();
    let flow = |topology: &Topology| finalists::trial(fabric, topology, &wire::seeds(topology)).value();
    // One alone needs no trial.
    let flows: Vec<f64> = if count > 1 { topologies.iter().map(flow).collect() } else { vec![0.0] };
    let taken = (0..count).min_by(|&one, &other| flows[other].total_cmp(&flows[one])).unwrap_or(0);
    Ok((topologies.swap_remove(taken), vec![("candidates", count), ("taken", taken)]))
}

/// The same topology with the cables of its floor, and where its routers stand.
fn laid(fabric: &Fabric, network: &Network, topology: Topology) -> Result<(Topology, Option<(Placement, PassRecord)>), Failure> {
    let Some(floor) = &fabric.floor else { return Ok((topology, None)) };
    let (placement, record) = place::place(floor, &topology, network.family.group_size());
    let cables = placement.cables(floor, &topology);
    let cut = cables.iter().map(|&(length, of)| of.map(|of| (length, of)).ok_or(length)).collect::<Result<Vec<_>, u32>>();
    match cut {
        Ok(cables) => Ok((topology.with_cables(cables), Some((placement, record)))),
        Err(_) => {
            let longest = cables.iter().filter(|(_, of)| of.is_none()).map(|&(length, _)| length).max().unwrap_or(0);
            let uncut = cables.iter().filter(|(_, of)| of.is_none()).count();
            let span = floor.by_length.as_ref().map_or(floor.span, |by_length| by_length.span);
            Err(Failure::infeasible(place::NoLink::new(uncut, longest, span)))
        }
    }
}

fn of_network(fabric: &Fabric, network: &Network) -> Result<Built, Failure> {
    let (topology, drawn) = topology(fabric, network)?;
    let (topology, placed) = laid(fabric, network, topology)?;
    size::analysed(fabric, &topology).map_err(Failure::infeasible)?;
    let wired = check::wiring(fabric, &topology, None).map_err(Failure::internal)?;
    let counters = [("links", topology.links().len()), ("symmetry_order", topology.symmetry().order())].into_iter().chain(drawn);
    let record = PassRecord {
        name: network.family.name().to_owned(),
        stopped_by: "done".to_owned(),
        counters: counters.map(|(name, count)| (name.to_owned(), count as u64)).collect(),
        notes: Vec::new(),
    };
    let (placement, placing) = placed.unzip();
    let (mut metrics, measured) = measure::measure(&topology, network, &fabric.demand, &wire::halves(network), fabric.is_brief());
    if let (Some(floor), Some(placement)) = (&fabric.floor, &placement) {
        let sums = FloorMetrics::of(fabric, floor, placement, &topology);
        if check::floor(fabric, floor, &topology, placement).map_err(Failure::internal)? != sums {
            let what = "lengths, prices or powers of its cables are added up otherwise".to_owned();
            return Err(Failure::internal(CheckError::Floor { what, span: Some(floor.span) }));
        }
        metrics.floor = Some(sums);
    }
    contract::measured(fabric, &topology, &metrics)?;
    check::paths_and_failures(&topology, network.failures.as_ref(), &metrics).map_err(Failure::internal)?;
    let mut seeds = wire::seeds(&topology);
    if let Some(bisection) = &metrics.bisection {
        check::bisection(&topology, &fabric.demand, bisection).map_err(Failure::internal)?;
        seeds.push(measure::cut_lengths(&topology, bisection));
    }
    let passes = std::iter::once(record).chain(placing).chain(measured).collect();
    Ok(Built { topology, wired, pod: None, placement, network: Some(metrics), seeds, passes })
}
