//! Runs all seeds and policies on a pod.
//!
//! In: a pod with its answers: what places slices, repairs losses and plans swaps. Out: the result. Every
//! answer is computed once, for all runs.

use super::account::{Accounting, RunAccount};
use super::failures::{History, history};
use super::outcome::{Outcome, SliceRepairs};
use super::play::{Loss, PlayedPod, SliceChange, SwapExample, SwappedPlaces, Timeline, play};
use super::policy::PolicyDefaults;
use super::sample::{PlayedKind, SampledPod};
use fabc_base::progress::Progress;
use fabc_emit::{OperateWork, OperatedYears, YearsRequest};
use fabc_model::{Fabric, Pod};
use fabc_passes::slices::Placing;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A pod that is played, with its answers.
pub(super) struct YearsPod<'a, R> {
    pub(super) fabric: &'a Fabric,
    pub(super) pod: &'a Pod,
    pub(super) played: PlayedPod,
    pub(super) kinds: Vec<PlayedKind>,
    pub(super) repairs: R,
    /// The slices of the pod, with what decides between free cubes.
    pub(super) placing: &'a (dyn Fn() -> Placing<'a> + Sync),
    /// The number of changed cross-connects of a swap.
    pub(super) moves: &'a (dyn Fn(&SwapExample) -> u64 + Sync),
}

/// What happened under a policy with a seed.
struct Run {
    policy: usize,
    timeline: Timeline,
}

/// Sets of broken parts that stand for others, with their kinds.
type StandingLosses = BTreeMap<(usize, Loss), Outcome>;

impl<R: SliceRepairs + Sync> YearsPod<'_, R> {
    /// What the pod gives for settings of policies that are left out.
    pub(super) fn defaults(&self, faults: u32) -> PolicyDefaults {
        let placement = &self.played.placement;
        let spare =
            placement.spare.difference(&placement.down).count() + placement.free(self.pod.cubes).len();
        PolicyDefaults { spare: spare as u32, faults }
    }

    /// Plays all seeds and policies.
    pub(super) fn operate<E: Send>(
        &self,
        request: YearsRequest,
        manifest: String,
        progress: &dyn Progress,
        repair: &(dyn Fn(&R, usize, &Loss) -> Result<Outcome, E> + Sync),
    ) -> Result<OperatedYears, E> {
        let seeds: Vec<u64> = (1..=u64::from(request.seeds)).collect();
        let histories: Vec<History> =
            seeds.par_iter().map(|&seed| history(&self.played.parts, &request, seed)).collect();
        let pairs: Vec<(usize, usize)> = (0..request.policies.len())
            .flat_map(|policy| (0..histories.len()).map(move |seed| (policy, seed)))
            .collect();
        progress.begin("play", pairs.len() as u64);
        let runs: Vec<Run> = pairs
            .par_iter()
            .map(|&(policy, seed)| {
                let chosen = request.policies[policy];
                let timeline = play(&self.played, (self.placing)(), &histories[seed], chosen, request.night);
                progress.advance();
                Run { policy, timeline }
            })
            .collect();
        progress.end();
        let wanted = self.wanted_losses(&request, &runs);
        progress.begin("repair", wanted.len() as u64);
        let answers: Vec<((usize, Loss), Result<Outcome, E>)> = wanted
            .into_par_iter()
            .map(|(kind, loss)| {
                let outcome = repair(&self.repairs, kind, &loss);
                progress.advance();
                ((kind, loss), outcome)
            })
            .collect();
        progress.end();
        let mut outcomes = StandingLosses::new();
        for (key, outcome) in answers {
            outcomes.insert(key, outcome?);
        }
        let moves = self.moves_of_swaps(&runs);
        let accounts: Vec<RunAccount> =
            runs.par_iter().map(|run| self.account(&request, run, &outcomes, &moves)).collect();
        let lookups = runs.iter().flat_map(|run| {
            let is_lost = |change: &&SliceChange| !run.timeline.losses[change.loss as usize].1.is_empty();
            run.timeline.changes.iter().filter(is_lost)
        });
        let work = OperateWork {
            changes: runs.iter().map(|run| run.timeline.changes.len() as u64).sum(),
            repairs: outcomes.len() as u64,
            lookups: lookups.count() as u64,
        };
        let sampled = SampledPod {
            fabric: &self.fabric.name,
            // Classes of cubes share no spare cubes, so the closed form holds for one class only.
            is_one_class: self.pod.classes().len() == 1,
            played: &self.played,
            kinds: &self.kinds,
        };
        Ok(sampled.joined(request, manifest, &histories, &accounts, work))
    }

    /// The sets of broken parts that must be repaired: those of slices that have all cubes, with few enough
    /// dark switches for the policy.
    fn wanted_losses(&self, request: &YearsRequest, runs: &[Run]) -> BTreeSet<(usize, Loss)> {
        let mut distinct: BTreeSet<&(usize, Loss)> = BTreeSet::new();
        for Run { policy, timeline } in runs {
            let faults = request.policies[*policy].faults as usize;
            for change in timeline.changes.iter().filter(|change| change.lacks.is_none()) {
                let lost = &timeline.losses[change.loss as usize];
                if !lost.1.is_empty() && lost.1.switches.len() <= faults {
                    distinct.insert(lost);
                }
            }
        }
        let standing =
            distinct.into_iter().map(|(kind, loss)| (*kind, self.repairs.standing_for(*kind, loss)));
        standing.collect()
    }

    /// The number of changed cross-connects by the places of a kind that are swapped.
    fn moves_of_swaps(&self, runs: &[Run]) -> BTreeMap<SwappedPlaces, u64> {
        let mut examples: BTreeMap<&SwappedPlaces, &SwapExample> = BTreeMap::new();
        for run in runs {
            for (places, (_, example)) in &run.timeline.swapped {
                examples.entry(places).or_insert(example);
            }
        }
        let counted =
            examples.into_par_iter().map(|(places, example)| (places.clone(), (self.moves)(example)));
        counted.collect()
    }

    /// The account of a run.
    fn account(
        &self,
        request: &YearsRequest,
        run: &Run,
        outcomes: &StandingLosses,
        moves: &BTreeMap<SwappedPlaces, u64>,
    ) -> RunAccount {
        let flow: Vec<Vec<f64>> = self.kinds.iter().map(|kind| kind.flow.clone()).collect();
        let accounting = Accounting {
            pod: &self.played,
            kinds: self.kinds.len(),
            policy: request.policies[run.policy],
            months: request.months,
            restart_ms: request.restart_ms,
            flow: &flow,
            outcome: &|kind, loss| {
                let standing = (kind, self.repairs.standing_for(kind, loss));
                outcomes.get(&standing).copied().unwrap_or(Outcome::NONE)
            },
        };
        let mut account = accounting.account(&run.timeline);
        account.counts.moves = run
            .timeline
            .swapped
            .iter()
            .map(|(places, (times, _))| times * moves.get(places).copied().unwrap_or(0))
            .sum();
        account
    }
}
