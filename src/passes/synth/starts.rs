//! Starts for large pods: antipodal wirings, and known ones.
//!
//! In: a pod in which one shift per OCS is the whole topology, and a wiring that is known of it. Out:
//! restarts under the symmetry of `antipodal.rs`; the best of all searched on without it.
//!
//! Long free searches of 64 cubes of 4x4x4 came to such wirings by themselves. From 48 cubes on, a
//! search under the symmetry finds in the same work shorter distances than one without; up to 32 cubes it
//! does not. Short hot restarts beat long ones, and what is left to gain without the symmetry takes a short
//! descent from the best of them. Measured with m = 1, m = -1, rotations, mirrors and exchanges of axes:
//! worse. Source: our own.

use super::antipodal::Antipodal;
use super::climb::{Climb, Run};
use super::known;
use super::score::Goal;
use super::shape::{Shape, Wiring};
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_model::Pod;
use rayon::prelude::*;

/// Pods with more chips than this are large.
pub(super) const LARGE: usize = 2048;
/// Fewer cubes gain nothing (measured for cubes of 4x4x4).
const LEAST_CUBES: usize = 48;
/// Restarts for each unit of effort, and evaluations of each.
const RESTARTS: u64 = 8;
const EVALUATIONS: u64 = 40_000;
/// The same where a wiring is known that took much more work.
const RESTARTS_BESIDE_KNOWN: u64 = 1;
/// From this effort on there are `LONGER` times as many evaluations in every restart, and fewer restarts.
const LONG_EFFORT: u64 = 8;
const LONGER: u64 = 3;
/// The first threshold in distance units per cube and 64 chips of it; the last one is a `COOLED`th.
const HEAT: u64 = 15;
const COOLED: u64 = 10;
/// Starts that are searched on without the symmetry (one where a wiring is known), their evaluations for each
/// unit of effort, at most, and their thresholds per cube and 64 chips, in 16ths of a distance unit.
const FREED: usize = 2;
const FREE_EVALUATIONS: u64 = 20_000;
const MOST_FREE_EVALUATIONS: u64 = 150_000;
const FREE_HEAT: [u64; 2] = [64, 4];
/// Streams of random numbers that no restart has.
const FREE_STREAM: u64 = 1 << 33;

/// The symmetry that starts have, where that pays.
pub(super) fn symmetry(pod: &Pod, shape: &Shape) -> Option<Antipodal> {
    (shape.order >= LEAST_CUBES && pod.node_count() > LARGE).then(|| Antipodal::of(pod, shape)).flatten()
}

/// What the report says of the start that won.
pub(super) fn note(name: &str) -> String {
    format!("the best wiring came from {name}")
}

/// The restarts of a search that starts from antipodal wirings.
pub(super) struct Starts<'a> {
    pub(super) shape: &'a Shape,
    pub(super) antipodal: &'a Antipodal,
    /// A wiring to start from.
    pub(super) known: Option<Wiring>,
    pub(super) goal: &'a Goal,
    pub(super) effort: u32,
    pub(super) seed: u64,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl Starts<'_> {
    /// How many descents there are.
    pub(super) fn descents(&self) -> u64 {
        let (restarts, _) = self.restarts();
        restarts + u64::from(self.known.is_some()) + self.freed() as u64
    }

    /// Starts that are searched on.
    fn freed(&self) -> usize {
        if self.known.is_some() { 1 } else { FREED }
    }

    /// Restarts, and evaluations of each.
    fn restarts(&self) -> (u64, u64) {
        let all =
            if self.known.is_some() { RESTARTS_BESIDE_KNOWN } else { RESTARTS } * u64::from(self.effort);
        if u64::from(self.effort) < LONG_EFFORT {
            (all, EVALUATIONS)
        } else {
            (all / LONGER, EVALUATIONS * LONGER)
        }
    }

    /// All descents, best first, and what the report should say of the best.
    pub(super) fn run(&self, progress: &dyn Progress) -> (Vec<Run>, String) {
        let Starts { shape, antipodal, goal, expired, .. } = *self;
        let (restarts, evaluations) = self.restarts();
        let per_cube = (shape.order * shape.nodes) as u64;
        // Other lengths than the tightest take the plain search: they are looked at when a restart is done.
        let tightest = Goal { lengths: goal.lengths[..1].to_vec(), ..goal.clone() };
        let scored = |run: Run, name: String| {
            progress.advance();
            (Run { score: goal.score_of(shape, &run.wiring), ..run }, name)
        };
        let restart = |number: u64| {
            let mut stream = Stream::new(self.seed, number + 1);
            let start = antipodal.random_wiring(shape, &mut stream);
            let first = HEAT * per_cube / 64;
            let climb = Climb {
                shape,
                antipodal: Some(antipodal),
                goal: &tightest,
                thresholds: [first, first / COOLED],
                expired,
            };
            scored(
                climb.run(start, evaluations, &mut stream),
                format!("antipodal restart {} of {restarts}", number + 1),
            )
        };
        let mut runs: Vec<(Run, String)> = (0..restarts).into_par_iter().map(restart).collect();
        runs.extend(self.known.clone().map(|wiring| {
            progress.advance();
            (Run::given(wiring, shape, goal), known::name(shape))
        }));
        runs.sort_by_key(|(run, _)| run.score);
        let freed = |(number, (run, name)): (usize, &(Run, String))| {
            let mut stream = Stream::new(self.seed, FREE_STREAM + number as u64);
            let thresholds = FREE_HEAT.map(|heat| heat * per_cube / (16 * 64));
            let climb = Climb { shape, antipodal: None, goal: &tightest, thresholds, expired };
            let evaluations = (FREE_EVALUATIONS * u64::from(self.effort)).min(MOST_FREE_EVALUATIONS);
            scored(
                climb.run(run.wiring.clone(), evaluations, &mut stream),
                format!("{name}, improved without the symmetry"),
            )
        };
        let free: Vec<(Run, String)> = runs.par_iter().take(self.freed()).enumerate().map(freed).collect();
        // Of equal scores the symmetric wiring comes first.
        runs.extend(free);
        runs.sort_by_key(|(run, _)| run.score);
        let note = note(&runs[0].1);
        (runs.into_iter().map(|(run, _)| run).collect(), note)
    }
}
