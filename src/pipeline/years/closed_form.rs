//! The capacity of a policy in closed form, as far as its assumptions hold.
//!
//! In: the counts of a pod, rates and a policy. Out: the share of the time that slices are served. The form
//! is that of `fabc availability`, with two refinements. A cube works if all of its parts work, each for
//! itself. And a restart that another failure interrupts begins again. `availability` takes a cube as one
//! part with the sum of the rates, and adds restarts up, which is the same to first order.

use super::parts::PodParts;
use fabc_emit::{CableResponse, DAY_MS, OperatePolicy, PerPart, SwapTime, YearsRequest};
use fabc_estimate::availability::{DownShares, FailureResponse, PodCounts, served_throughput};

/// A kind of slice, as the closed form takes it.
pub(super) struct KindCounts<'a> {
    /// Number of slices of the kind.
    pub(super) slices: u32,
    /// Number of cubes of a slice.
    pub(super) cubes: u32,
    /// `[dark switches]`: the throughput that remains, as far as it was measured.
    pub(super) flow: &'a [f64],
}

/// The capacity of a policy. `None` where the form does not hold: with parts on stock, or swaps at night.
/// It takes tables for every loss that the policy tolerates, and no lost throughput around cables.
pub(super) fn closed_form(
    parts: &PodParts,
    kinds: &[KindCounts<'_>],
    request: &YearsRequest,
    policy: OperatePolicy,
) -> Option<f64> {
    if policy.swap == SwapTime::AtNight || request.stock != PerPart::default() {
        return None;
    }
    let response = match (policy.swap, policy.cables) {
        (SwapTime::Never, _) => FailureResponse::Waiting,
        (_, CableResponse::Around) => FailureResponse::RoutedAround,
        (_, CableResponse::Swap) => FailureResponse::Swapped,
    };
    let days = |ms: u64| ms as f64 / DAY_MS as f64;
    let (repair, restart) = (days(request.repair_ms), days(request.restart_ms));
    let up = |rate: f64| 1.0 / (1.0 + rate * repair);
    let PerPart { host, cable, ocs } = request.per_day;
    // Multiplied one by one, which gives the same bits on every machine.
    let all_up = |rate: f64, count: u32| (0..count).fold(1.0, |product, _| product * up(rate));
    let hosts_up = all_up(host, parts.hosts);
    let cables_up = all_up(cable, parts.inside) * all_up(cable / 2.0, parts.fibers());
    let cube_up = match policy.cables {
        CableResponse::Around => hosts_up,
        CableResponse::Swap => hosts_up * cables_up,
    };
    let down = DownShares { cube: 1.0 - cube_up, ocs: 1.0 - up(ocs) };
    let cables = f64::from(parts.inside) + f64::from(parts.fibers()) / 2.0;
    let in_slices: u32 = kinds.iter().map(|kind| kind.slices * kind.cubes).sum();
    let of_kind = |kind: &KindCounts<'_>| {
        let plant = PodCounts {
            cubes: in_slices + policy.spare,
            job: kind.cubes,
            others: in_slices - kind.cubes,
            hosts: parts.hosts,
            cables,
            ocses: parts.switches,
        };
        let lowest = kind.flow.last().copied().unwrap_or(1.0);
        let tolerated = (policy.faults as usize + 1).min(parts.switches as usize + 1);
        let mut flow = kind.flow.to_vec();
        flow.resize(tolerated, lowest);
        let of_cube = f64::from(parts.hosts) * host + cables * cable;
        let interrupted = f64::from(kind.cubes) * of_cube + f64::from(parts.switches) * ocs;
        let running = libm::exp(-restart * interrupted);
        let weight = f64::from(kind.slices * kind.cubes) / f64::from(in_slices);
        weight * running * served_throughput(&plant, down, response, &flow)
    };
    Some(kinds.iter().map(of_kind).sum())
}
