//! Starts for large pods: antipodal wirings, and known ones.
//!
//! Input: a pod in which one shift per OCS is the whole topology, and a known wiring of it. Output:
//! restarts under the symmetry of `antipodal.rs`, and the best of all improved without it.
//!
//! Long free searches of 64 cubes of 4x4x4 found such wirings by themselves. From 48 cubes on, a search
//! under the symmetry finds shorter distances in the same work than one without. Up to 32 cubes it does
//! not. Short hot restarts beat long ones. A short descent from the best of them gains the rest without the
//! symmetry. Measured with m = 1, m = -1, rotations, mirrors and exchanges of axes: worse. Source: our own.

use super::antipodal::Antipodal;
use super::climb::{Climb, ClimbRun, Thresholds};
use super::known;
use super::score::Goal;
use super::shape::{CandidateWiring, PodShape};
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_model::Pod;
use rayon::prelude::*;

/// Pods with more chips than this are large.
pub(super) const LARGE: usize = 2048;
/// The fewest cubes that gain (measured for cubes of 4x4x4).
const MIN_CUBES: usize = 48;
/// Restarts for each unit of effort, and evaluations of each.
const RESTARTS: u64 = 8;
const EVALUATIONS: u64 = 40_000;
/// Restarts for each unit of effort if a wiring is known that took much more work.
const RESTARTS_BESIDE_KNOWN: u64 = 1;
/// The effort from which on every restart has `LONGER` times as many evaluations, and there are fewer
/// restarts.
const LONG_EFFORT: u64 = 8;
const LONGER: u64 = 3;
/// The first threshold in distance units per cube and 64 chips of it. The last one is smaller by the factor
/// `COOLING`.
const HEAT: u64 = 15;
const COOLING: u64 = 10;
/// The starts that are searched on without the symmetry (one if a wiring is known). Also their evaluations
/// for each unit of effort, their most evaluations, and their thresholds per cube and 64 chips, in 16ths of
/// a distance unit.
const FREE_STARTS: usize = 2;
const FREE_EVALUATIONS: u64 = 20_000;
const MOST_FREE_EVALUATIONS: u64 = 150_000;
const FREE_HEAT: [u64; 2] = [64, 4];
/// The first stream of random numbers that no restart uses.
const FREE_STREAM: u64 = 1 << 33;

/// The symmetry of the starts, if it gains.
pub(super) fn symmetry(pod: &Pod, shape: &PodShape) -> Option<Antipodal> {
    (shape.order >= MIN_CUBES && pod.node_count() > LARGE).then(|| Antipodal::find(pod, shape)).flatten()
}

/// The note for the report on the start that won.
pub(super) fn note(name: &str) -> String {
    format!("the best wiring came from {name}")
}

/// The restarts of a search that starts from antipodal wirings.
pub(super) struct AntipodalStarts<'a> {
    pub(super) shape: &'a PodShape,
    pub(super) antipodal: &'a Antipodal,
    /// A known wiring to start from.
    pub(super) known: Option<CandidateWiring>,
    pub(super) goal: &'a Goal,
    pub(super) effort: u32,
    pub(super) seed: u64,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl AntipodalStarts<'_> {
    /// The number of descents of the whole search.
    pub(super) fn descents(&self) -> u64 {
        let (restarts, _) = self.restarts();
        restarts + u64::from(self.known.is_some()) + self.free_start_count() as u64
    }

    /// The number of starts that are searched on.
    fn free_start_count(&self) -> usize {
        if self.known.is_some() { 1 } else { FREE_STARTS }
    }

    /// The number of restarts, and the evaluations of each.
    fn restarts(&self) -> (u64, u64) {
        let total =
            if self.known.is_some() { RESTARTS_BESIDE_KNOWN } else { RESTARTS } * u64::from(self.effort);
        if u64::from(self.effort) < LONG_EFFORT {
            (total, EVALUATIONS)
        } else {
            (total / LONGER, EVALUATIONS * LONGER)
        }
    }

    /// All descents, best first, and the note for the report on the best.
    pub(super) fn run(&self, progress: &dyn Progress) -> (Vec<ClimbRun>, String) {
        let AntipodalStarts { shape, antipodal, goal, expired, .. } = *self;
        let (restarts, evaluations) = self.restarts();
        let per_cube = (shape.order * shape.nodes) as u64;
        // Other lengths than the tightest take the plain search, so they are used only when a restart is
        // done.
        let tightest = Goal { lengths: goal.lengths[..1].to_vec(), ..goal.clone() };
        let scored = |run: ClimbRun, name: String| {
            progress.advance();
            (ClimbRun { score: goal.score_wiring(shape, &run.wiring), ..run }, name)
        };
        let restart = |number: u64| {
            let mut stream = Stream::new(self.seed, number + 1);
            let start = antipodal.random_wiring(shape, &mut stream);
            let first = HEAT * per_cube / 64;
            let climb = Climb {
                shape,
                antipodal: Some(antipodal),
                goal: &tightest,
                thresholds: Thresholds { first, last: first / COOLING },
                expired,
            };
            scored(
                climb.run(start, evaluations, &mut stream),
                format!("antipodal restart {} of {restarts}", number + 1),
            )
        };
        let mut runs: Vec<(ClimbRun, String)> = (0..restarts).into_par_iter().map(restart).collect();
        runs.extend(self.known.clone().map(|wiring| {
            progress.advance();
            (ClimbRun::given(wiring, shape, goal), known::name(shape))
        }));
        runs.sort_by_key(|(run, _)| run.score);
        let free_run = |(number, (run, name)): (usize, &(ClimbRun, String))| {
            let mut stream = Stream::new(self.seed, FREE_STREAM + number as u64);
            let [first, last] = FREE_HEAT.map(|heat| heat * per_cube / (16 * 64));
            let thresholds = Thresholds { first, last };
            let climb = Climb { shape, antipodal: None, goal: &tightest, thresholds, expired };
            let evaluations = (FREE_EVALUATIONS * u64::from(self.effort)).min(MOST_FREE_EVALUATIONS);
            scored(
                climb.run(run.wiring.clone(), evaluations, &mut stream),
                format!("{name}, improved without the symmetry"),
            )
        };
        let free_runs: Vec<(ClimbRun, String)> =
            runs.par_iter().take(self.free_start_count()).enumerate().map(free_run).collect();
        // Of equal scores the symmetric wiring comes first.
        runs.extend(free_runs);
        runs.sort_by_key(|(run, _)| run.score);
        let note = note(&runs[0].1);
        (runs.into_iter().map(|(run, _)| run).collect(), note)
    }
}
