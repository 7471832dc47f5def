//! The topology of a build: of the finalists of the search, the one that carries most.
//!
//! In: a pod. Out: its topology, what the search did, and what the topology for uniform demand reaches. The
//! search knows bounds only; here the certified flow judges, of the healthy fabric and, where the spec
//! requires a flow of them, of its faults.

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

/// The part of the best flow that is as good.
const NEARLY: f64 = 0.998;

/// The topology of the spec; of several finalists the one that carries most after a few rounds, the first of
/// those that are nearly as good.
///
/// Where the demand is not uniform, the topology for uniform demand is a finalist too, and what it carries is
/// for the report.
pub(super) fn topology(
    fabric: &Fabric,
    pod: &Pod,
    progress: &dyn Progress,
) -> Result<(Topology, PassRecord, Option<UniformTopology>), Failure> {
    let synth::Synthesized { mut finalists, record } = synth::synthesize(fabric, pod, progress)?;
    finalists =
        finalists.into_iter().map(|topology| topology.with_capacities(fabric.capacities.clone())).collect();
    let mut reached = None;
    if !fabric.demand.is_uniform() && matches!(pod.topology, TopologyChoice::Synthesize(_)) {
        let uniform = uniform_topology(fabric, pod, progress)?;
        let whole = Scene::whole(&uniform);
        let seeds = synth::start_lengths(&uniform, &fabric.demand);
        let settings = flow::Settings::certificate(fabric.effort());
        let flow = flow::concurrent(&whole, &fabric.demand, flow::Start::Seeds(&seeds), settings, progress);
        scenario::proved(&whole, &fabric.demand, &flow)?;
        fabc_check::dual(&whole, &fabric.demand, &flow.dual).map_err(Failure::internal)?;
        // As the report prints it: that topology is thrown away, and what is said of the gain must follow
        // from what is printed.
        let printed = |text: String| Decimal::parse(&text).map_or(Fraction::ZERO, Fraction::from);
        let (low, high) = (flow.lower_end(), flow.dual.upper_end().expect("a healthy fabric has a demand"));
        reached = Some(UniformTopology { flow_low: printed(lower(low)), flow_high: printed(upper(high)) });
        finalists.push(uniform);
    }
    let topology = finalists.swap_remove(strongest(fabric, pod, &finalists)?);
    Ok((topology, record, reached))
}

/// The finalist that carries most after a few rounds, or the first that is nearly as good; where a flow is
/// required of faults, of those that have it.
fn strongest(fabric: &Fabric, pod: &Pod, finalists: &[Topology]) -> Result<usize, Failure> {
    if finalists.len() == 1 {
        return Ok(0);
    }
    let found: Vec<_> = finalists
        .iter()
        .map(|topology| trial(fabric, topology, &synth::start_lengths(topology, &fabric.demand)))
        .collect();
    let flow = |at: &usize| found[*at].value();
    let most = (0..found.len()).map(|at| flow(&at)).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..found.len()).collect();
    // A stable sort: all that are nearly as good as the best stay in their order.
    order.sort_by(|one, other| flow(other).min(most * NEARLY).total_cmp(&flow(one).min(most * NEARLY)));
    let wanted = if fabric.budget.faults.dark_ocses() > 0 { fabric.required_fault_flow() } else { 0.0 };
    let mut best = (0.0, order[0]);
    for at in order {
        let worst = if wanted > 0.0 {
            under_the_worst_fault(fabric, pod, &finalists[at], &found[at].dual)?
        } else {
            0.0
        };
        if worst >= wanted {
            return Ok(at);
        }
        if worst > best.0 {
            best = (worst, at);
        }
    }
    Ok(best.1)
}

/// What a topology carries, as a few rounds from its seeds tell.
pub(super) fn trial(fabric: &Fabric, topology: &Topology, seeds: &[Vec<u32>]) -> ConcurrentFlow {
    flow::concurrent(
        &Scene::whole(topology),
        &fabric.demand,
        flow::Start::Seeds(seeds),
        flow::Settings::TRIAL,
        &Silent,
    )
}

/// The flow that every single dark OCS leaves, from the lengths of the healthy pod.
fn under_the_worst_fault(
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
                flow::Start::Lengths(healthy),
                flow::Settings::FAULT,
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

/// The topology that the same search finds for uniform demand, with the symmetry that keeps the demand of the
/// pod.
fn uniform_topology(fabric: &Fabric, pod: &Pod, progress: &dyn Progress) -> Result<Topology, Failure> {
    let other = Fabric { demand: Demand::uniform(pod.node_count()), ..fabric.clone() };
    let (found, _, _) = topology(&other, pod, progress)?;
    let kept =
        found.symmetry().subgroup(|g| fabric.demand.is_kept_by(|node| found.symmetry().image(g, node)));
    Ok(found.with_symmetry(kept))
}
