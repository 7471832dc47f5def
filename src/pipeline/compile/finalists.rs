//! The topology of a pod: the finalist of the search that carries most.
//!
//! In: a pod. Out: its topology, the record of the search, and the flow on the topology for uniform demand.
//! The search knows bounds only. Here the certified flow decides, of the healthy fabric and, where the spec
//! requires a flow under faults, of its faults.

use super::scenario;
use fabc_base::diag::Failure;
use fabc_base::progress::{Progress, Silent};
use fabc_base::units::Decimal;
use fabc_emit::number::{lower, upper};
use fabc_ir::{
    ConcurrentFlow, DualLengths, Fraction, PassRecord, Scenario, Scene, Topology, UniformTopology,
    surviving_scene,
};
use fabc_model::{Demand, Fabric, Pod, TopologyChoice};
use fabc_passes::{cross_connect, flow, synth};
use rayon::prelude::*;

/// A finalist is nearly as good as the best one if it reaches this part of its flow.
const NEARLY_BEST: f64 = 0.998;

/// Chooses the topology of a pod. Of several finalists, it takes the one that carries most after a few
/// rounds. Of those that are nearly as good, it takes the first.
///
/// Where the demand is not uniform, the topology for uniform demand is a finalist too. Its flow goes into the
/// report.
pub(super) fn choose_topology(
    fabric: &Fabric,
    pod: &Pod,
    progress: &dyn Progress,
) -> Result<(Topology, PassRecord, Option<UniformTopology>), Failure> {
    let (mut finalists, record) = finalists(fabric, pod, progress)?;
    let mut uniform_result = None;
    if !fabric.demand.is_uniform() && matches!(pod.topology, TopologyChoice::Synthesize(_)) {
        let uniform = uniform_topology(fabric, pod, progress)?;
        let scene = Scene::healthy(&uniform);
        let seeds = synth::start_lengths(&uniform, &fabric.demand);
        let settings = flow::FlowSettings::certificate(fabric.effort());
        let flow =
            flow::concurrent(&scene, &fabric.demand, flow::StartLengths::Seeds(&seeds), settings, progress);
        scenario::prove_flow(&scene, &fabric.demand, &flow)?;
        fabc_check::verify_dual(&scene, &fabric.demand, &flow.dual).map_err(Failure::internal)?;
        // Take the numbers as the report prints them. That topology is thrown away, and the gain in the
        // report must follow from printed numbers.
        let printed = |text: String| Decimal::parse(&text).map_or(Fraction::ZERO, Fraction::from);
        let (low, high) = (flow.lower_end(), flow.dual.upper_end().expect("a healthy fabric has a demand"));
        uniform_result =
            Some(UniformTopology { flow_low: printed(lower(low)), flow_high: printed(upper(high)) });
        finalists.push(uniform);
    }
    let topology = finalists.swap_remove(strongest_finalist(fabric, pod, &finalists)?);
    Ok((topology, record, uniform_result))
}

/// The topology of a search that carries most of the demand after a few rounds, and the record of the search.
pub(super) fn searched_topology(
    fabric: &Fabric,
    pod: &Pod,
    progress: &dyn Progress,
) -> Result<(Topology, PassRecord), Failure> {
    let (mut finalists, record) = finalists(fabric, pod, progress)?;
    Ok((finalists.swap_remove(strongest_finalist(fabric, pod, &finalists)?), record))
}

/// The finalists of the search, with the capacities of the fabric.
fn finalists(
    fabric: &Fabric,
    pod: &Pod,
    progress: &dyn Progress,
) -> Result<(Vec<Topology>, PassRecord), Failure> {
    let synth::Synthesized { finalists, record } = synth::synthesize(fabric, pod, progress)?;
    let capable = |topology: Topology| topology.with_capacities(fabric.capacities.clone());
    Ok((finalists.into_iter().map(capable).collect(), record))
}

/// The index of the finalist that carries most after a few rounds, or of the first that is nearly as good.
/// Where a flow under faults is required, only finalists that reach it count.
fn strongest_finalist(fabric: &Fabric, pod: &Pod, finalists: &[Topology]) -> Result<usize, Failure> {
    if finalists.len() == 1 {
        return Ok(0);
    }
    let trials: Vec<_> = finalists
        .iter()
        .map(|topology| trial(fabric, topology, &synth::start_lengths(topology, &fabric.demand)))
        .collect();
    let flow = |index: &usize| trials[*index].value();
    let best_flow = (0..trials.len()).map(|index| flow(&index)).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..trials.len()).collect();
    // A stable sort: all that are nearly as good as the best stay in their order.
    order.sort_by(|first, second| {
        flow(second).min(best_flow * NEARLY_BEST).total_cmp(&flow(first).min(best_flow * NEARLY_BEST))
    });
    let required_flow =
        if fabric.budget.faults.dark_ocses() > 0 { fabric.required_fault_flow() } else { 0.0 };
    let mut best = (0.0, order[0]);
    for index in order {
        let worst = if required_flow > 0.0 {
            worst_fault_flow(fabric, pod, &finalists[index], &trials[index].dual)?
        } else {
            0.0
        };
        if worst >= required_flow {
            return Ok(index);
        }
        if worst > best.0 {
            best = (worst, index);
        }
    }
    Ok(best.1)
}

/// The flow that a topology carries, estimated in a few rounds from its seeds.
pub(super) fn trial(fabric: &Fabric, topology: &Topology, seeds: &[Vec<u32>]) -> ConcurrentFlow {
    flow::concurrent(
        &Scene::healthy(topology),
        &fabric.demand,
        flow::StartLengths::Seeds(seeds),
        flow::FlowSettings::TRIAL,
        &Silent,
    )
}

/// The least flow under any single dark OCS, starting from the channel lengths of the healthy pod.
fn worst_fault_flow(
    fabric: &Fabric,
    pod: &Pod,
    topology: &Topology,
    healthy: &DualLengths,
) -> Result<f64, Failure> {
    let cross_connects = cross_connect::assign(pod, topology).map_err(Failure::spec)?;
    let flow_of = |scenario: &Scenario| {
        let scene = surviving_scene(&scenario.fault, topology, Some(&cross_connects));
        let connected = flow::distances(&scene).is_some();
        if connected {
            flow::concurrent(
                &scene,
                &fabric.demand,
                flow::StartLengths::Lengths(healthy),
                flow::FlowSettings::FAULT,
                &Silent,
            )
            .value()
        } else {
            0.0
        }
    };
    let flows: Vec<f64> = Scenario::of_ocses(fabric, 1)[1..].par_iter().map(flow_of).collect();
    Ok(flows.into_iter().fold(f64::INFINITY, f64::min))
}

/// The topology that the same search finds for uniform demand. It keeps only the symmetries that keep the
/// demand of the pod.
fn uniform_topology(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Topology, Failure> {
    let uniform = Fabric { demand: Demand::uniform(pod.node_count()), ..fabric.clone() };
    let (topology, _) = searched_topology(&uniform, pod, progress)?;
    let symmetry =
        topology.symmetry().subgroup(|g| fabric.demand.is_kept_by(|node| topology.symmetry().image(g, node)));
    Ok(topology.with_symmetry(symmetry))
}
