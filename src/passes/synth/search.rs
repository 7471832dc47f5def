//! The search for a topology: threshold accepting over one translation per OCS, or over matchings if the
//! pod leaves more to choose.
//!
//! Input: a pod and the settings of `synthesize`. Output: the fibers of the best of several restarts, each
//! with a random stream of its own. A change is kept unless it makes the score worse by more than a
//! threshold that falls linearly to zero. Work is counted in evaluations, the same for any number of
//! threads. Cost: 8 us (128 chips) to 0.5 ms (8192) an evaluation. Sources: threshold accepting: Dueck &
//! Scheuer 1990. The rest is our own.

use super::SynthError;
use super::antipodal::Antipodal;
use super::climb::{Climb, ClimbRun, RESTARTS, evaluations, thresholds};
use super::evaluate::FiberLengths;
use super::groups::{FINALISTS_POD, SMALL_POD, shapes_to_search};
use super::known;
use super::score::{self, Goal};
use super::shape::{CandidateWiring, PodShape};
use super::starts::{self, AntipodalStarts, LARGE};
use super::steer::Steering;
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_model::{Fabric, FacePort, Objective, Pod, Synthesize};
use rayon::prelude::*;

/// The fibers of one topology, as pairs of ports.
pub(super) type Fibers = Vec<[FacePort; 2]>;

/// The result of a search: fibers and a record.
pub(super) struct SearchResult {
    /// The finalists, best score first. There is one if the score decides.
    pub(super) finalists: Vec<Fibers>,
    pub(super) counters: Vec<(String, u64)>,
    /// Notes for the report: why symmetry was not used, and what steered the search.
    pub(super) notes: Vec<String>,
    /// Whether the time limit ended the search.
    pub(super) out_of_time: bool,
}

impl From<Fibers> for SearchResult {
    /// The result for fibers that took no search.
    fn from(fibers: Fibers) -> Self {
        Self { finalists: vec![fibers], counters: Vec::new(), notes: Vec::new(), out_of_time: false }
    }
}

/// The first and the last threshold of a restart, in half units (see [`thresholds`]).
const HEATS: [u64; 2] = [2, 0];
/// The effort from which on restarts begin hotter, because a longer search can climb out of more. In large
/// pods they stay hot to the end (4096 chips: 0.14 % more flow, 8192: 0.29 %). Below 2048 chips that costs
/// up to 0.04 %.
const HOT_EFFORT: u32 = 8;
const HOT_HEATS: [u64; 2] = [5, 0];
const HOT_HEATS_LARGE: [u64; 2] = [10, 1];
/// The most finalists of a pod of up to [`FINALISTS_POD`] chips. Small pods have twice as many.
const FINALISTS: usize = 3;

/// Searches for the best wirings: all restarts at once, merged by score and then by restart number.
///
/// # Errors
/// [`SynthError::TooLarge`] if it would take too much memory.
pub(super) fn search(
    fabric: &Fabric,
    pod: &Pod,
    settings: Synthesize,
    progress: &dyn Progress,
) -> Result<SearchResult, SynthError> {
    let (shapes, mut notes) = shapes_to_search(fabric, pod, settings)?;
    let budget = evaluations(&shapes[0], settings.effort);
    let antipodal = starts::symmetry(pod, &shapes[0]);
    let lengths = deciding_lengths(pod, &shapes[0], antipodal.as_ref(), settings, budget);
    let goal = Goal { lengths, flow_counts: settings.objective == Objective::Flow, fault: None };
    let expired = || settings.time_limit.is_some_and(|seconds| progress.expired(seconds));
    let starts = antipodal.as_ref().map(|antipodal| {
        let Synthesize { effort, seed, .. } = settings;
        let known = known::wiring(pod, &shapes[0]);
        AntipodalStarts { shape: &shapes[0], antipodal, known, goal: &goal, effort, seed, expired: &expired }
    });
    let restarts = starts.as_ref().map_or(RESTARTS * shapes.len() as u64, AntipodalStarts::descents);
    progress.begin("synthesize", restarts);
    let restart =
        |restart: u64| {
            let shape = (restart / RESTARTS) as usize;
            let mut stream = Stream::new(settings.seed, restart + 1);
            let start = shapes[shape].random_wiring(&mut stream);
            let thresholds = thresholds(&shapes[shape], heats(pod, settings));
            let run =
                Climb { shape: &shapes[shape], antipodal: None, goal: &goal, thresholds, expired: &expired }
                    .run(start, budget, &mut stream);
            progress.advance();
            ClimbRun { shape, ..run }
        };
    let mut runs: Vec<ClimbRun> = match &starts {
        Some(starts) => {
            let (runs, note) = starts.run(progress);
            notes.push(note);
            runs
        }
        None => {
            let mut runs: Vec<ClimbRun> = (0..restarts).into_par_iter().map(restart).collect();
            if let Some(wiring) = known::wiring(pod, &shapes[0]) {
                let known = ClimbRun::given(wiring, &shapes[0], &goal);
                if runs.iter().all(|run| known.score < run.score) {
                    notes.push(starts::note(&known::name(&shapes[0])));
                }
                runs.push(known);
            }
            runs
        }
    };
    runs.sort_by_key(|run| run.score);
    let mut work: u64 = runs.iter().map(|run| run.evaluations).sum();
    let mut out_of_time = runs.iter().any(|run| run.out_of_time);
    let steered = Steering { fabric, pod, shapes: &shapes, settings, expired: &expired }.steer(&goal, runs);
    notes.extend(steered.note);
    work += steered.evaluations;
    out_of_time |= steered.out_of_time;
    runs = steered.runs;
    runs.truncate(match (settings.objective, pod.node_count()) {
        (Objective::Flow, ..=SMALL_POD) => 2 * FINALISTS,
        (Objective::Flow, ..=FINALISTS_POD) => FINALISTS,
        _ => 1,
    });
    runs.dedup_by(|a, b| (a.shape, &a.wiring) == (b.shape, &b.wiring));
    let finalists: Vec<Fibers> = runs.iter().map(|run| shapes[run.shape].fibers(&run.wiring)).collect();
    progress.end();
    if out_of_time {
        notes.push(
            "ended by its time limit, not by counted work: another run may give other bytes".to_owned(),
        );
    }
    let counters = [
        ("groups", shapes.len() as u64),
        ("restarts", restarts),
        ("evaluations", work),
        ("finalists", finalists.len() as u64),
    ];
    let counters = counters.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    Ok(SearchResult { finalists, counters, notes, out_of_time })
}

/// The first and the last heat of a restart.
fn heats(pod: &Pod, settings: Synthesize) -> [u64; 2] {
    match (settings.effort >= HOT_EFFORT, pod.node_count() > LARGE) {
        (false, _) => HEATS,
        (true, false) => HOT_HEATS,
        (true, true) => HOT_HEATS_LARGE,
    }
}

/// The lengths that decide, found on the wirings of short searches.
fn deciding_lengths(
    pod: &Pod,
    shape: &PodShape,
    antipodal: Option<&Antipodal>,
    settings: Synthesize,
    budget: u64,
) -> Vec<FiberLengths> {
    let candidates = score::candidates(shape, pod.cubes as usize, settings.objective);
    if candidates.len() <= 4 {
        return candidates;
    }
    let mut stream = Stream::new(settings.seed, 0);
    let random = |stream: &mut Stream| match antipodal {
        None => shape.random_wiring(stream),
        Some(antipodal) => antipodal.random_wiring(shape, stream),
    };
    let mut wirings: Vec<CandidateWiring> = (0..3).map(|_| random(&mut stream)).collect();
    let mut lengths = score::tight_lengths(shape, &candidates, &wirings);
    for _ in 0..2 {
        // For antipodal wirings the tightest length decides alone, because others take the plain search.
        lengths.truncate(if antipodal.is_some() { 1 } else { lengths.len() });
        let goal = Goal { lengths, flow_counts: true, fault: None };
        wirings = wirings
            .into_par_iter()
            .enumerate()
            .map(|(at, wiring)| {
                let mut stream = Stream::new(settings.seed, u64::MAX - at as u64);
                let thresholds = thresholds(shape, [1, 0]);
                let climb = Climb { shape, antipodal, goal: &goal, thresholds, expired: &|| false };
                climb.run(wiring, (budget / 40).clamp(50, 400), &mut stream).wiring
            })
            .collect();
        lengths = score::tight_lengths(shape, &candidates, &wirings);
    }
    lengths
}
