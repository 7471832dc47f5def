//! The certified maximum concurrent flow by multiplicative weights with soft splitting.
//!
//! Input: a topology whose lit links connect it. Output: a feasible integer flow (the lower bound) and
//! integer channel lengths (the upper bound).
//!
//! Every round routes all demand from the canonical sources over the near-shortest channels of the current
//! prices. It splits flow over all predecessors of a node with weight exp(-slack / tau), and raises the
//! prices of overloaded classes. Tau falls geometrically. Hard shortest paths converge an order of
//! magnitude slower. The lower bound is the best mixture of rounds, routed once more in integers
//! (`certify`).
//!
//! Sources: Garg & Koenemann (multicommodity flow by multiplicative weights); Leighton & Rao (duality). The
//! splitting is our own.

use super::certify::{certify, certify_flows, flattest, flows_by_source};
use super::descent::descend;
use super::lengths;
use super::quotient::FlowQuotient;
use super::rebalance;
use super::settings::{FlowSettings, StartLengths};
use fabc_base::progress::Progress;
use fabc_ir::{ConcurrentFlow, DualLengths, FlowCertificate, Scene, StopReason};
use fabc_model::Demand;

/// The gap (dual / primal - 1, in parts per million) above which sweeps are worthwhile. Rounds alone leave
/// a wider one only if few channels or few pairs decide.
const WIDE_PPM: u32 = 5000;
/// The certified interval of the maximum concurrent flow: every ordered pair sends lambda times its weight,
/// with capacities in units.
///
/// The scene and `demand` must keep the symmetry, and the lit links must connect all nodes. `start` may
/// hold the lengths of another scenario of the same topology, such as the healthy fabric.
pub fn concurrent(
    scene: &Scene<'_>,
    demand: &Demand,
    start: StartLengths<'_>,
    settings: FlowSettings,
    progress: &dyn Progress,
) -> ConcurrentFlow {
    let quotient = FlowQuotient::new(scene, demand);
    let settings = settings.within_work(quotient.sources.len() as u64 * quotient.incoming.len() as u64);
    progress.begin("flow", u64::from(settings.rounds));
    let (mut dual, rounds, mut stopped_by, window) = descend(&quotient, settings, start, progress);
    if !settings.primal {
        progress.end();
        return ConcurrentFlow { dual, primal: None, rounds, sweeps: 0, stopped_by };
    }
    let mut primal = certify(&quotient, &window);
    let is_within = |primal: &FlowCertificate, dual: &DualLengths, ppm: u32| {
        primal.value() * (1.0 + f64::from(ppm) * 1e-6) >= dual.bound()
    };
    let mut sweeps = 0;
    if settings.sweeps > 0 && !is_within(&primal, &dual, WIDE_PPM) {
        let mut flows = flows_by_source(&quotient, flattest(&window));
        (dual, sweeps) = rebalance::rebalance(
            &quotient,
            &mut flows,
            dual,
            settings.sweeps,
            f64::from(settings.gap_ppm) * 1e-6,
        );
        primal = Some(certify_flows(&quotient, &flows))
            .filter(|balanced| balanced.value() > primal.value())
            .unwrap_or(primal);
        if is_within(&primal, &dual, settings.gap_ppm) {
            stopped_by = StopReason::Gap;
        }
    }
    progress.end();
    if dual.upper_end().is_some_and(|upper| primal.lower_end() >= upper) {
        stopped_by = StopReason::Optimal;
    }
    ConcurrentFlow { dual, primal: Some(primal), rounds, sweeps, stopped_by }
}

/// The upper bound only, starting from the lengths of another scenario of the same topology.
pub fn price(scene: &Scene<'_>, demand: &Demand, start: &DualLengths, settings: FlowSettings) -> DualLengths {
    let quotient = FlowQuotient::new(scene, demand);
    if demand.total() == 0 {
        // Without demand no lengths bound the rate, but they still price routes.
        return lengths::bound(&quotient, &vec![1; quotient.classes]);
    }
    let settings = settings.within_work(quotient.sources.len() as u64 * quotient.incoming.len() as u64);
    descend(&quotient, settings, StartLengths::Lengths(start), &fabc_base::progress::Silent).0
}
