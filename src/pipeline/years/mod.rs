//! Years of a pod: failures played through placements and repairs, for several policies.
//!
//! In: a built pod, whole or in slices, failure rates, and policies. Out: the share of the time that slices
//! are served, and where the rest goes.
//!
//! 1. `failures`: when parts fail and are repaired, for every seed. It is the same under every policy.
//! 2. `play`: each failure is a step of `fabc place`. That gives the cubes of every slice at any time.
//! 3. `repairs`: each set of broken parts is repaired once, as `fabc repair` does, and each swap is planned
//!    once, as `fabc plan` does.
//! 4. `account`: the time of every slice is served, or lost to one cause.
//!
//! Runs share nothing but these answers, and their results are joined in a fixed order. So any number of
//! threads gives the same result.

mod account;
mod closed_form;
mod failures;
mod outcome;
mod parts;
mod play;
mod policy;
mod query;
mod read;
mod repairs;
mod sample;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use policy::{PolicyError, PolicySettings, parse_policy};
pub use query::{YearsLimits, YearsQuery};
pub use read::{PlayedFile, read_played};

use crate::availability::measured_throughput;
use crate::folder::Folder;
use crate::library::Loaded;
use crate::operate::{PlacedFabric, placing};
use crate::refusal::Refusal;
use account::{Accounting, RunAccount};
use fabc_base::ids::{Id, OcsId};
use fabc_check::MANIFEST;
use fabc_emit::{OperateWork, OperatedKind, OperatedYears, PLACEMENT, YearsRequest};
use fabc_ir::{Slice, SlicePlacement};
use fabc_model::{Fabric, Pod, SliceKind, kind_files};
use fabc_passes::slices::{Placing, slice_plan};
use failures::{History, history};
use outcome::{Outcome, SliceRepairs};
use parts::PodParts;
use play::{Loss, PlayedPod, PlayedSlice, SwapExample, SwappedPlaces, Timeline, play};
use policy::{PolicyDefaults, complete_policies};
use rayon::prelude::*;
use repairs::{KindRepairer, PodRepairs};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of slice that is played.
struct PlayedKind {
    /// The name and the numbers of slices and cubes.
    operated: OperatedKind,
    /// `[dark switches]`: the throughput that the build measured, relative to the healthy one.
    flow: Vec<f64>,
}

/// A pod that is played, with its answers.
struct YearsPod<'a, R> {
    fabric: &'a Fabric,
    pod: &'a Pod,
    played: PlayedPod,
    kinds: Vec<PlayedKind>,
    repairs: R,
    /// The slices of the pod, with what decides between free cubes.
    placing: &'a (dyn Fn() -> Placing<'a> + Sync),
    /// The number of changed cross-connects of a swap.
    moves: &'a (dyn Fn(&SwapExample) -> u64 + Sync),
}

/// Plays the years of a built directory.
///
/// # Errors
/// [`Refusal::Years`] for a network and for numbers that do not fit, [`Refusal::Policy`] for policies that do
/// not fit, [`Refusal::NotBuilt`] for a damaged directory, and [`Convicted`](crate::refusal::Convicted) if
/// its tables violate the proof.
pub fn operate_years<F>(folder: F, query: &YearsQuery) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    query.check_numbers()?;
    let manifest = blake3::hash(&folder.read(MANIFEST)?).to_hex().to_string();
    if folder.has(PLACEMENT) {
        operate_slices(folder, query, manifest)
    } else {
        operate_whole(folder, query, manifest)
    }
}

/// Plays a pod in slices.
fn operate_slices<F>(folder: F, query: &YearsQuery, manifest: String) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    let placed = PlacedFabric::read(folder)?;
    let (fabric, pod, placement) = (&placed.fabric, placed.pod(), &placed.placement);
    let parts = PodParts::new(pod, query.hosts_of_cube(pod)?);
    let placed_kinds: Vec<&SliceKind> = fabric
        .slices
        .kinds
        .iter()
        .filter(|kind| placement.slices.iter().any(|slice| slice.kind == kind.name))
        .collect();
    if placed_kinds.is_empty() {
        let hint = "add one: `fabc place DIR --add KIND --out NEW_DIR`".to_owned();
        return Err(Refusal::Years { problem: "no slice is placed".to_owned(), hint }.into());
    }
    let mut kinds = Vec::new();
    let mut repairers = Vec::new();
    for kind in &placed_kinds {
        let kind_folder = placed.folder.below(&kind_files(&kind.name));
        let slices = placement.slices.iter().filter(|slice| slice.kind == kind.name).count() as u32;
        let operated = OperatedKind { kind: kind.name.clone(), slices, cubes: kind.cubes() };
        let dark = kind.fabric.budget.faults.dark_ocses();
        kinds.push(PlayedKind { operated, flow: measured_throughput(&kind_folder, dark)? });
        repairers.push(KindRepairer::read(kind_folder, &parts)?);
    }
    let slices = placement.slices.iter().map(|slice| {
        let kind = placed_kinds.iter().position(|kind| kind.name == slice.kind).unwrap_or(0);
        PlayedSlice { kind, switches: kind_switches(pod, placed_kinds[kind].pod(), slice) }
    });
    let played = PlayedPod { slices: slices.collect(), placement: placement.clone(), parts };
    let faults = placed_kinds.iter().map(|kind| kind.fabric.budget.faults.dark_ocses()).max().unwrap_or(0);
    let settings: Vec<_> = placed.kinds.iter().map(|kind| kind.settings.clone()).collect();
    let years_pod = YearsPod {
        fabric,
        pod,
        played,
        kinds,
        repairs: PodRepairs { kinds: repairers },
        placing: &|| placing(fabric, &placed.kinds),
        moves: &|SwapExample { before, after }| {
            let plain = Placing::new(fabric, pod);
            let [live, new] = [before, after].map(|placement| plain.settings(placement, &settings));
            let plan = slice_plan(pod, before, &live, after, &new);
            plan.changes.iter().map(|change| change.steps.len() as u64).sum()
        },
    };
    let request = query.request(complete_policies(&query.policies, years_pod.defaults(faults))?);
    years_pod.operate(request, manifest, &|repairs, kind, loss| repairs.repair(kind, loss))
}

/// Plays a pod that is a single slice of itself.
fn operate_whole<F>(folder: F, query: &YearsQuery, manifest: String) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    let Loaded { fabric, .. } = folder.fabric()?;
    let Some(pod) = fabric.pod() else {
        return Err(Refusal::Years {
            problem: "a network has no cubes and no switches of light that could be played".to_owned(),
            hint: "name the directory of a pod, or of a pod in slices".to_owned(),
        }
        .into());
    };
    let parts = PodParts::new(pod, query.hosts_of_cube(pod)?);
    let dark = fabric.budget.faults.dark_ocses();
    let name = fabric.name.clone();
    let cubes: Vec<_> = (0..pod.cubes).map(fabc_base::ids::BlockId).collect();
    let slice = Slice { name: name.clone(), kind: name.clone(), cubes };
    let operated = OperatedKind { kind: name, slices: 1, cubes: pod.cubes };
    let kinds = vec![PlayedKind { operated, flow: measured_throughput(&folder, dark)? }];
    let repairs = PodRepairs { kinds: vec![KindRepairer::read(folder.clone(), &parts)?] };
    let switches = pod.ocses.ids().map(Some).collect();
    let placement = SlicePlacement { slices: vec![slice], ..SlicePlacement::default() };
    let played = PlayedPod { placement, slices: vec![PlayedSlice { kind: 0, switches }], parts };
    let years_pod = YearsPod {
        fabric: &fabric,
        pod,
        played,
        kinds,
        repairs,
        placing: &|| Placing::new(&fabric, pod),
        moves: &|_| 0,
    };
    let request = query.request(complete_policies(&query.policies, years_pod.defaults(dark))?);
    years_pod.operate(request, manifest, &|repairs, kind, loss| repairs.repair(kind, loss))
}

/// `[switch of the pod]`: the switch of the kind that plays it for a slice.
fn kind_switches(pod: &Pod, kind: &Pod, slice: &Slice) -> Vec<Option<OcsId>> {
    let mut switches = vec![None; pod.ocses.len()];
    let of_pod = pod.classes().into_iter().find(|class| class.cubes.contains(&slice.cubes[0]));
    let of_kind = kind.classes().into_iter().next();
    for (outside, inside) in of_pod.iter().zip(&of_kind) {
        for ((_, (outside, _)), (_, (inside, _))) in outside.served.iter().zip(&inside.served) {
            switches[outside.index()] = Some(*inside);
        }
    }
    switches
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
    fn defaults(&self, faults: u32) -> PolicyDefaults {
        let placement = &self.played.placement;
        let spare =
            placement.spare.difference(&placement.down).count() + placement.free(self.pod.cubes).len();
        PolicyDefaults { spare: spare as u32, faults }
    }

    /// Plays all seeds and policies.
    fn operate<E: Send>(
        &self,
        request: YearsRequest,
        manifest: String,
        repair: &(dyn Fn(&R, usize, &Loss) -> Result<Outcome, E> + Sync),
    ) -> Result<OperatedYears, E> {
        let seeds: Vec<u64> = (1..=u64::from(request.seeds)).collect();
        let histories: Vec<History> =
            seeds.par_iter().map(|&seed| history(&self.played.parts, &request, seed)).collect();
        let pairs: Vec<(usize, usize)> = (0..request.policies.len())
            .flat_map(|policy| (0..histories.len()).map(move |seed| (policy, seed)))
            .collect();
        let runs: Vec<Run> = pairs
            .par_iter()
            .map(|&(policy, seed)| {
                let chosen = request.policies[policy];
                let timeline = play(&self.played, (self.placing)(), &histories[seed], chosen, request.night);
                Run { policy, timeline }
            })
            .collect();
        let wanted = self.wanted_losses(&request, &runs);
        let answers: Vec<((usize, Loss), Result<Outcome, E>)> = wanted
            .into_par_iter()
            .map(|(kind, loss)| {
                let outcome = repair(&self.repairs, kind, &loss);
                ((kind, loss), outcome)
            })
            .collect();
        let mut outcomes = StandingLosses::new();
        for (key, outcome) in answers {
            outcomes.insert(key, outcome?);
        }
        let moves = self.moves_of_swaps(&runs);
        let accounts: Vec<RunAccount> =
            runs.par_iter().map(|run| self.account(&request, run, &outcomes, &moves)).collect();
        let lookups = runs.iter().flat_map(|run| {
            let is_lost =
                |change: &&play::SliceChange| !run.timeline.losses[change.loss as usize].1.is_empty();
            run.timeline.changes.iter().filter(is_lost)
        });
        let work = OperateWork {
            changes: runs.iter().map(|run| run.timeline.changes.len() as u64).sum(),
            repairs: outcomes.len() as u64,
            lookups: lookups.count() as u64,
        };
        Ok(self.joined(request, manifest, &histories, &accounts, work))
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
