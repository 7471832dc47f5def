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
use fabc_emit::{OperatePolicy, OperateWork, OperatedYears, YearsRequest};
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
        let mut outcomes = StandingLosses::new();
        let (mut accounts, mut work) = (Vec::new(), OperateWork::default());
        // One policy after the other, so that only the changes of one are in memory.
        for &policy in &request.policies {
            let runs: Vec<Timeline> = histories
                .par_iter()
                .map(|history| play(&self.played, (self.placing)(), history, policy, request.night))
                .collect();
            let mut wanted = self.wanted_losses(policy, &runs);
            wanted.retain(|key| !outcomes.contains_key(key));
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
            for (key, outcome) in answers {
                outcomes.insert(key, outcome?);
            }
            let moves = self.moves_of_swaps(&runs);
            let account = |run: &Timeline| self.account(&request, policy, run, &outcomes, &moves);
            accounts.extend(runs.par_iter().map(account).collect::<Vec<RunAccount>>());
            for Timeline { changes, losses, .. } in &runs {
                let is_lost = |change: &&SliceChange| !losses[change.loss as usize].1.is_empty();
                work.changes += changes.len() as u64;
                work.lookups += changes.iter().filter(is_lost).count() as u64;
            }
        }
        work.repairs = outcomes.len() as u64;
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
    fn wanted_losses(&self, policy: OperatePolicy, runs: &[Timeline]) -> BTreeSet<(usize, Loss)> {
        let mut distinct: BTreeSet<&(usize, Loss)> = BTreeSet::new();
        let faults = policy.faults as usize;
        for timeline in runs {
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
    fn moves_of_swaps(&self, runs: &[Timeline]) -> BTreeMap<SwappedPlaces, u64> {
        let mut examples: BTreeMap<&SwappedPlaces, &SwapExample> = BTreeMap::new();
        for run in runs {
            for (places, (_, example)) in &run.swapped {
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
        policy: OperatePolicy,
        run: &Timeline,
        outcomes: &StandingLosses,
        moves: &BTreeMap<SwappedPlaces, u64>,
    ) -> RunAccount {
        let flow: Vec<Vec<f64>> = self.kinds.iter().map(|kind| kind.flow.clone()).collect();
        let accounting = Accounting {
            pod: &self.played,
            kinds: self.kinds.len(),
            policy,
            months: request.months,
            restart_ms: request.restart_ms,
            flow: &flow,
            outcome: &|kind, loss| {
                let standing = (kind, self.repairs.standing_for(kind, loss));
                outcomes.get(&standing).copied().unwrap_or(Outcome::NONE)
            },
        };
        let mut account = accounting.account(run);
        account.counts.moves = run
            .swapped
            .iter()
            .map(|(places, (times, _))| times * moves.get(places).copied().unwrap_or(0))
            .sum();
        account
    }
}
