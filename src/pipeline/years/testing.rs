//! Pods and requests for the tests of this module.

use super::built::kind_switches;
use super::outcome::{Outcome, OutcomeStep, SliceRepairs};
use super::parts::PodParts;
use super::play::{Loss, PlayedPod, PlayedSlice};
use super::run::YearsPod;
use super::sample::PlayedKind;
use crate::library;
use crate::operate::initial_placement;
use fabc_emit::{
    CableResponse, DAY_MS, NightWindow, OperatePolicy, OperatedKind, PerPart, SwapTime, YearsRequest,
};
use fabc_ir::SlicePlacement;
use fabc_model::Fabric;
use fabc_passes::slices::Placing;

/// A pod of cubes of 4 x 4 x 4 chips behind 48 switches, with these slices.
pub(super) fn pod_of(cubes: u32, slices: &str) -> Fabric {
    let switches = ["x", "y", "z"].map(|axis| {
        let name = axis.to_uppercase();
        format!(
            "ocs {name}[u in 0..4, v in 0..4] {{ couple +{axis}[u, v] with -{axis}[u, v] over fiber; ports = 136; }}"
        )
    });
    let spec = format!(
        "fabric pod {{
            clock = 1 GHz;
            link copper {{ bandwidth = 128 GB/s; latency = 50 cycles; }}
            link fiber {{ bandwidth = 128 GB/s; latency = 25 cycles; }}
            chip {{ radix = 6; vcs = 4; }}
            cube {{ mesh 4 x 4 x 4 over copper; }}
            cubes = {cubes};
            routing = allowed_turns;
            {} {slices}
        }}",
        switches.join("\n")
    );
    let loaded = library::load("pod.fab", &|_: &str| Ok(spec.clone()), &[]);
    loaded.map_err(|(failure, _)| format!("{failure:?}")).expect("a valid spec").fabric
}

/// A request without failures: a day to repair, 15 minutes to restart, nights from 22:00 to 06:00.
pub(super) fn request(months: u32) -> YearsRequest {
    YearsRequest {
        months,
        seeds: 1,
        host_chips: 4,
        per_day: PerPart::default(),
        repair_ms: DAY_MS,
        restart_ms: DAY_MS / 96,
        stock: PerPart::default(),
        restock_ms: 0,
        night: NightWindow { from: 22 * 60, to: 6 * 60 },
        policies: Vec::new(),
    }
}

/// A policy that swaps cubes for their cables as well.
pub(super) fn policy(spare: u32, faults: u32, swap: SwapTime) -> OperatePolicy {
    OperatePolicy { spare, faults, cables: CableResponse::Swap, swap }
}

/// Repairs that need no tables: every loss stands for itself.
pub(super) struct NoTables;

impl SliceRepairs for NoTables {
    fn standing_for(&self, _: usize, loss: &Loss) -> Loss {
        loss.clone()
    }
}

/// Live tables with the whole throughput.
pub(super) const WHOLE: Outcome = Outcome { step: OutcomeStep::Local, live: true, throughput: 1.0 };

/// The slices of a fabric on their first cubes.
pub(super) fn played(fabric: &Fabric, hosts: u32) -> PlayedPod {
    let pod = fabric.pod().expect("it is a pod");
    let placement: SlicePlacement = initial_placement(fabric).expect("the slices fit");
    let kinds = &fabric.slices.kinds;
    let slices = placement.slices.iter().map(|slice| {
        let kind = kinds.iter().position(|kind| kind.name == slice.kind).expect("a declared kind");
        PlayedSlice { kind, switches: kind_switches(pod, kinds[kind].pod(), slice) }
    });
    PlayedPod { slices: slices.collect(), parts: PodParts::new(pod, hosts), placement }
}

/// Hands a pod whose tables repair everything to a test.
pub(super) fn with_years_pod<T>(fabric: &Fabric, test: impl FnOnce(&YearsPod<'_, NoTables>) -> T) -> T {
    let pod = fabric.pod().expect("it is a pod");
    let played = played(fabric, 16);
    let kind = |(index, kind): (usize, &fabc_model::SliceKind)| PlayedKind {
        operated: OperatedKind {
            kind: kind.name.clone(),
            slices: played.slices.iter().filter(|slice| slice.kind == index).count() as u32,
            cubes: kind.cubes(),
        },
        flow: vec![1.0],
    };
    let kinds = fabric.slices.kinds.iter().enumerate().map(kind).collect();
    test(&YearsPod {
        fabric,
        pod,
        kinds,
        played,
        repairs: NoTables,
        placing: &|| Placing::new(fabric, pod),
        moves: &|_| 96,
    })
}
