//! Joins the runs of all seeds and policies.

use super::account::RunAccount;
use super::closed_form::{KindCounts, closed_form};
use super::failures::History;
use super::play::PlayedPod;
use fabc_emit::{
    LossCause, MonthBand, OperateWork, OperatedKind, OperatedPolicy, OperatedYears, PartRepairs, PerPart,
    PolicyCounts, SampledMean, TableChanges, WorstMonth, YearsRequest,
};

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// The number of milliseconds of an hour.
const HOUR_MS: f64 = 3_600_000.0;

/// A kind of slice that is played.
pub(super) struct PlayedKind {
    /// The name and the numbers of slices and cubes.
    pub(super) operated: OperatedKind,
    /// `[dark switches]`: the throughput that the build measured, relative to the healthy one.
    pub(super) flow: Vec<f64>,
}

/// What of a pod belongs to its result.
pub(super) struct SampledPod<'a> {
    /// The name of the fabric.
    pub(super) fabric: &'a str,
    /// Whether all cubes can replace each other.
    pub(super) is_one_class: bool,
    /// The pod that was played.
    pub(super) played: &'a PlayedPod,
    /// The kinds of its slices.
    pub(super) kinds: &'a [PlayedKind],
}

/// The mean of the results of independent runs.
pub(super) fn sampled(values: &[f64]) -> SampledMean {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    SampledMean { mean, half: fabc_sim::half_width(values, CONFIDENCE) }
}

impl SampledPod<'_> {
    /// The result of all runs. `accounts` has the seeds of a policy one after the other.
    pub(super) fn joined(
        &self,
        request: YearsRequest,
        manifest: String,
        histories: &[History],
        accounts: &[RunAccount],
        work: OperateWork,
    ) -> OperatedYears {
        let kind_counts: Vec<KindCounts<'_>> = self
            .kinds
            .iter()
            .map(|kind| KindCounts {
                slices: kind.operated.slices,
                cubes: kind.operated.cubes,
                flow: &kind.flow,
            })
            .collect();
        let by_policy: Vec<&[RunAccount]> = accounts.chunks(histories.len().max(1)).collect();
        let policies = request.policies.iter().zip(&by_policy).enumerate();
        let policies = policies.map(|(index, (&policy, runs))| OperatedPolicy {
            policy,
            closed_form: self
                .is_one_class
                .then(|| closed_form(&self.played.parts, &kind_counts, &request, policy))
                .flatten(),
            difference: (index > 0).then(|| {
                let pairs = runs.iter().zip(by_policy[0]);
                sampled(&pairs.map(|(run, first)| run.capacity - first.capacity).collect::<Vec<_>>())
            }),
            ..policy_result(policy, runs)
        });
        OperatedYears {
            fabric: self.fabric.to_owned(),
            manifest,
            cubes: self.played.parts.cubes,
            in_slices: self.played.placement.slices.iter().map(|slice| slice.cubes.len() as u32).sum(),
            kinds: self.kinds.iter().map(|kind| kind.operated.clone()).collect(),
            repairs: self.part_repairs(histories),
            policies: policies.collect(),
            work,
            request,
        }
    }

    /// Failures and repairs of all seeds, by kind of part.
    fn part_repairs(&self, histories: &[History]) -> PerPart<PartRepairs> {
        let counts = self.played.parts.counts();
        PerPart::from_fn(|kind| {
            let runs: Vec<_> = histories.iter().map(|history| history.repairs.get(kind)).collect();
            let hours = |ms: u64| ms as f64 / HOUR_MS;
            let means: Vec<f64> = runs
                .iter()
                .filter(|run| !run.times.is_empty())
                .map(|run| hours(run.times.iter().sum::<u64>()) / run.times.len() as f64)
                .collect();
            let mut times: Vec<u64> = runs.iter().flat_map(|run| run.times.iter().copied()).collect();
            times.sort_unstable();
            // The least time that 95 % of the repairs do not exceed.
            let most = (times.len() * 95).div_ceil(100).saturating_sub(1);
            PartRepairs {
                parts: *counts.get(kind),
                failures: runs.iter().map(|run| run.failures).sum(),
                waited: runs.iter().map(|run| run.waited).sum(),
                unfinished: runs.iter().map(|run| run.unfinished).sum(),
                mean_h: (!means.is_empty()).then(|| sampled(&means)),
                most_h: times.get(most).map_or(0.0, |&time| hours(time)),
                longest_h: times.last().map_or(0.0, |&time| hours(time)),
            }
        })
    }
}

/// The result of the runs of a policy, without what needs other runs.
fn policy_result(policy: fabc_emit::OperatePolicy, runs: &[RunAccount]) -> OperatedPolicy {
    let over_seeds =
        |value: &dyn Fn(&RunAccount) -> f64| sampled(&runs.iter().map(value).collect::<Vec<_>>());
    let kinds = runs.first().map_or(0, |run| run.kinds.len());
    let months = runs.first().map_or(0, |run| run.months.len());
    let band = |month: usize| {
        let mut values: Vec<f64> = runs.iter().map(|run| run.months[month]).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => (values[middle - 1] + values[middle]) / 2.0,
        };
        MonthBand { low: values[0], median, high: values[values.len() - 1] }
    };
    let every_month = (1u32..).zip(runs).flat_map(|(seed, run)| {
        (1u32..).zip(&run.months).map(move |(month, &capacity)| WorstMonth { capacity, month, seed })
    });
    // Of equal months, the first one of the first seed.
    let worse =
        |worst: WorstMonth, next: WorstMonth| if next.capacity < worst.capacity { next } else { worst };
    let worst = every_month.reduce(worse).unwrap_or(WorstMonth { capacity: 1.0, month: 1, seed: 1 });
    OperatedPolicy {
        policy,
        capacity: over_seeds(&|run| run.capacity),
        difference: None,
        closed_form: None,
        lost: LossCause::ALL.map(|cause| over_seeds(&|run| run.lost[cause as usize])),
        kinds: (0..kinds).map(|kind| over_seeds(&|run| run.kinds[kind])).collect(),
        counts: runs.iter().fold(PolicyCounts::default(), |sum, run| added(sum, run.counts)),
        worst,
        months: (0..months).map(band).collect(),
    }
}

/// The sums of two sets of counts.
fn added(sum: PolicyCounts, next: PolicyCounts) -> PolicyCounts {
    let (tables, more) = (sum.tables, next.tables);
    PolicyCounts {
        interruptions: sum.interruptions + next.interruptions,
        swaps: sum.swaps + next.swaps,
        plans: sum.plans + next.plans,
        moves: sum.moves + next.moves,
        tables: TableChanges {
            covered: tables.covered + more.covered,
            local: tables.local + more.local,
            full: tables.full + more.full,
            new_order: tables.new_order + more.new_order,
            none: tables.none + more.none,
            back: tables.back + more.back,
            not_live: tables.not_live + more.not_live,
        },
    }
}
