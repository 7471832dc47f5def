//! The availability of jobs: the share of time in which a job has its pod, from builds and failure rates.

use crate::folder::Folder;
use crate::operate::PlacedFabric;
use crate::refusal::Refusal;
use crate::scenarios::{BuiltScenarios, NOMINAL};
use fabc_base::ids::BlockId;
use fabc_check::ReadScene;
use fabc_emit::{AvailabilityInput, KindAvailability};
use fabc_estimate::availability::PodCounts;
use fabc_model::{Pod, kind_files};
use fabc_passes::slices::Placing;
use serde::Deserialize;
use std::collections::BTreeMap;

pub use fabc_estimate::availability::FailureRates;

/// The least number of dark switches that the result has columns for.
const DARK: u32 = 2;

/// How often parts fail, and how they are counted.
#[derive(Clone, Copy)]
pub struct AvailabilityQuery {
    /// The rates of failures, and the times of repairs.
    pub failures: FailureRates,
    /// The number of chips that one host serves.
    pub host_chips: u32,
}

impl<F: Folder> BuiltScenarios<'_, F> {
    /// The availability of a job on this pod. Without a number of cubes, the job has all of them.
    ///
    /// # Errors
    /// [`Refusal::Availability`] for a network, or for numbers that do not fit the pod.
    pub fn availability(
        &self,
        job: Option<u32>,
        query: AvailabilityQuery,
    ) -> Result<AvailabilityInput, F::Error> {
        let Some(pod) = self.fabric.pod() else {
            return Err(no_availability(
                "a network has no cubes that could be swapped",
                "name the directory of a pod, or of a pod in slices",
            )
            .into());
        };
        let job = job.unwrap_or(pod.cubes);
        if job == 0 || job > pod.cubes {
            return Err(no_availability(
                &format!("a job of {job} cubes does not fit this pod"),
                &format!("the pod has {} cubes", pod.cubes),
            )
            .into());
        }
        availability_input(self, pod, CubeCounts { cubes: pod.cubes, job, others: 0 }, query)
    }
}

impl<F: Folder> PlacedFabric<F> {
    /// The availability of a job of every kind, beside all others.
    ///
    /// # Errors
    /// [`Refusal::Availability`] for numbers that do not fit a kind.
    pub fn availability(&self, query: AvailabilityQuery) -> Result<Vec<KindAvailability>, F::Error> {
        let (fabric, placement) = (&self.fabric, &self.placement);
        let placing = Placing::new(fabric, self.pod());
        let mut kinds = Vec::new();
        for kind in &fabric.slices.kinds {
            let of_kind = placement.slices.iter().filter(|slice| slice.kind == kind.name).count();
            let Some(first) = placement.slices.iter().find(|slice| slice.kind == kind.name) else { continue };
            // Cubes of one class can replace each other. Cubes that are down do not count.
            let class = placing.class_of(first.cubes[0]);
            let working = |cube: &BlockId| placing.class_of(*cube) == class && !placement.down.contains(cube);
            let in_slices = placement
                .slices
                .iter()
                .flat_map(|slice| &slice.cubes)
                .filter(|cube| placing.class_of(**cube) == class)
                .count() as u32;
            let spare = placement
                .spare
                .iter()
                .copied()
                .chain(placement.free(self.pod().cubes))
                .filter(working)
                .count() as u32;
            let count =
                CubeCounts { cubes: in_slices + spare, job: kind.cubes(), others: in_slices - kind.cubes() };
            let scenarios = BuiltScenarios {
                folder: &self.folder.below(&kind_files(&kind.name)),
                fabric: &kind.fabric,
                sources: &self.sources,
            };
            let input = availability_input(&scenarios, kind.pod(), count, query)?;
            kinds.push(KindAvailability { kind: kind.name.clone(), slices: of_kind, input });
        }
        Ok(kinds)
    }
}

/// The cubes that a job shares with others.
struct CubeCounts {
    cubes: u32,
    job: u32,
    others: u32,
}

/// The input of the formula for a built directory.
fn availability_input<F: Folder>(
    built: &BuiltScenarios<'_, F>,
    pod: &Pod,
    counts: CubeCounts,
    query: AvailabilityQuery,
) -> Result<AvailabilityInput, F::Error> {
    let AvailabilityQuery { failures, host_chips } = query;
    let CubeCounts { cubes, job, others } = counts;
    let ReadScene { topology, .. } = built
        .wiring(NOMINAL)?
        .ok_or_else(|| no_availability("the directory has no topology", "build it again"))?;
    let chips = pod.cube.dims.iter().product::<u32>();
    if host_chips == 0 || !chips.is_multiple_of(host_chips) {
        let hint = format!(
            "no host spans two cubes: write a divisor of {chips}, such as `--host-chips {}`",
            chips.min(4)
        );
        return Err(no_availability(
            &format!("hosts of {host_chips} chips do not divide a cube of {chips} chips"),
            &hint,
        )
        .into());
    }
    let plant = PodCounts {
        cubes,
        job,
        others,
        hosts: chips / host_chips,
        // A cable between cubes ends at two of them.
        cables: topology.links().len() as f64 / f64::from(pod.cubes),
        ocses: pod.ocses.len() as u32,
    };
    let measured = measured_throughput(built.folder, built.fabric.budget.faults.dark_ocses())?;
    let mut flow = measured.clone();
    // With more dark switches than were measured, the throughput cannot be higher than with fewer.
    let lowest = flow.last().copied().unwrap_or(1.0);
    flow.resize(flow.len().max(DARK as usize + 1).min(plant.ocses as usize + 1), lowest);
    Ok(AvailabilityInput {
        fabric: built.fabric.name.clone(),
        plant,
        failures,
        host_chips,
        flow,
        measured: measured.len(),
    })
}

#[derive(Deserialize)]
#[serde(expecting = "struct Report")]
struct MeasuredReport {
    metrics: MeasuredFlow,
    #[serde(default)]
    scenarios: BTreeMap<String, MeasuredFlow>,
}

#[derive(Deserialize)]
#[serde(expecting = "struct Flow")]
struct MeasuredFlow {
    #[serde(default)]
    concurrent_flow: Option<[f64; 2]>,
}

/// `[j]`: the least throughput with j dark switches, relative to none, as far as the report has it.
pub(crate) fn measured_throughput<F: Folder>(folder: &F, dark: u32) -> Result<Vec<f64>, F::Error> {
    let text = folder.read("report.json")?;
    let damaged = |error: serde_json::Error| Refusal::NotBuilt {
        path: folder.path(),
        reason: format!("`report.json` is damaged: {error}"),
    };
    let MeasuredReport { metrics, scenarios } = serde_json::from_slice(&text).map_err(damaged)?;
    let Some([healthy, _]) = metrics.concurrent_flow.filter(|[healthy, _]| *healthy > 0.0) else {
        return Ok(vec![1.0]);
    };
    let mut shares = vec![1.0];
    for count in 1..=dark as usize {
        let with_count = scenarios.iter().filter(|(name, _)| name.split('+').count() == count);
        let lowest = with_count
            .filter_map(|(_, figures)| figures.concurrent_flow)
            .map(|[lowest, _]| lowest / healthy)
            .reduce(f64::min);
        let Some(lowest) = lowest else { break };
        shares.push(lowest.min(1.0));
    }
    Ok(shares)
}

fn no_availability(problem: &str, hint: &str) -> Refusal {
    Refusal::Availability { problem: problem.to_owned(), hint: hint.to_owned() }
}
