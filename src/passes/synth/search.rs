//! The search for a topology: threshold accepting over one translation per OCS, or over matchings where the
//! pod leaves more to choose.
//!
//! In: a pod and the settings of `synthesize`. Out: fibers; the best of several restarts, each with a random
//! stream of its own. A change is kept unless it makes the score worse by more than a threshold that falls
//! linearly to zero. Work is counted in evaluations, the same for any number of threads; cost: 8 us (128
//! chips) to 0.5 ms (8192) an evaluation. Sources: threshold accepting: Dueck & Scheuer 1990; the rest is our
//! own.

use super::SynthError;
use super::action::{self, Action, kinds, largest_order};
use super::antipodal::Antipodal;
use super::climb::{Climb, RESTARTS, Run, evaluations, thresholds};
use super::evaluate::FiberLengths;
use super::known;
use super::score::{self, Goal};
use super::shape::{Shape, Wiring};
use super::starts::{self, LARGE, Starts};
use super::steer::Steering;
use fabc_base::ids::BlockId;
use fabc_base::limits::BUILD_BYTES;
use fabc_base::progress::Progress;
use fabc_base::random::Stream;
use fabc_model::{
    Budget, Demand, DemandShape, Fabric, FacePort, Objective, Ocs, Pod, SymmetryChoice, Synthesize,
};
use rayon::prelude::*;

/// The fibers of one topology.
pub(super) type Fibers = Vec<[FacePort; 2]>;

/// Fibers that the search settled on.
pub(super) struct Found {
    /// The finalists, best score first; one where the score decides.
    pub(super) finalists: Vec<Fibers>,
    pub(super) counters: Vec<(String, u64)>,
    /// What a reader of the report should know: why symmetry was not used, what steered the search.
    pub(super) notes: Vec<String>,
    /// Whether the clock ended the search.
    pub(super) out_of_time: bool,
}

impl From<Fibers> for Found {
    /// Fibers that took no search.
    fn from(fibers: Fibers) -> Self {
        Self { finalists: vec![fibers], counters: Vec::new(), notes: Vec::new(), out_of_time: false }
    }
}

/// The first and the last threshold of a restart, in half units (see [`thresholds`]).
const HEAT: [u64; 2] = [2, 0];
/// From this effort on restarts begin hotter: a longer search may climb out of more. In large pods they stay
/// hot to the end (4096 chips: 0.14 % more flow, 8192: 0.29 %; below 2048 chips it costs up to 0.04 %).
const HOT_EFFORT: u32 = 8;
const HOT: [u64; 2] = [5, 0];
const HOT_LARGE: [u64; 2] = [10, 1];
/// Up to this many chips the smaller groups are searched too: there they may leave better wirings, and cost
/// little.
const SMALL: usize = 64;
/// Up to this many chips the best restarts are finalists, for the certified flow to decide between.
const FEW_HUNDRED: usize = 512;
const FINALISTS: usize = 3;

/// Why not all cubes are interchangeable; `None` where they are.
///
/// # Errors
/// [`SynthError::TooLarge`] where finding out would take too much memory.
pub(super) fn asymmetry(demand: &Demand, pod: &Pod, budget: &Budget) -> Result<Option<String>, SynthError> {
    Ok(Freedom::new(demand, pod, budget)?.asymmetry(pod, budget))
}

/// The pod under the groups that were found.
struct Freedom {
    kinds: Vec<Vec<BlockId>>,
    /// Under the largest groups that act by number.
    numbered: Vec<Shape>,
    /// Where those do not move every cube to every other: under groups that do, if there are any.
    of_all_cubes: Vec<Shape>,
    /// Whether the search for such groups did not look at all of them.
    cut_short: bool,
}

impl Freedom {
    fn new(demand: &Demand, pod: &Pod, budget: &Budget) -> Result<Self, SynthError> {
        let kinds = kinds(pod);
        let numbered = shapes(demand, pod, &kinds, largest_order(&kinds))?;
        let enough = numbered[0].order == pod.cubes as usize;
        let (actions, cut_short) =
            if enough { (Vec::new(), false) } else { action::of_all_cubes(demand, pod, budget) };
        let of_all_cubes = actions.into_iter().map(|action| Shape::new(demand, pod, action)).collect();
        Ok(Self { kinds, numbered, of_all_cubes, cut_short })
    }

    /// Why not all cubes are interchangeable; `None` where they are.
    fn asymmetry(&self, pod: &Pod, budget: &Budget) -> Option<String> {
        if self.numbered[0].order == pod.cubes as usize || !self.of_all_cubes.is_empty() {
            return None;
        }
        let untried = match self.cut_short {
            true => "; not every group of all cubes was tried",
            // Without the faults there may be more to find.
            false if self.kinds.len() > 1 && budget.faults.dark_ocses() > 0 => {
                "; a group that moves switches would be broken by their faults"
            }
            false => "",
        };
        if self.kinds.len() == 1 {
            return Some(format!("no group of translations of all cubes keeps the demand{untried}"));
        }
        let like = |kind: &Vec<BlockId>| format!("{} like cube{}", kind.len(), kind[0]);
        let most = 4;
        let mut list: Vec<String> = self.kinds.iter().take(most).map(like).collect();
        if self.kinds.len() > most {
            list.push("..".to_owned());
        }
        let differing = first_difference(pod, self.kinds[0][0], self.kinds[1][0]);
        Some(format!("its cubes are of {} kinds ({}){differing}{untried}", self.kinds.len(), list.join(", ")))
    }

    /// What the report says of the group, where it is not one of all cubes by number.
    fn note(&self, pod: &Pod, budget: &Budget) -> Option<String> {
        if let Some(shape) = self.of_all_cubes.first() {
            let moved = shape.switches.len() < pod.ocses.len();
            let how = if moved {
                "move switches along with the cubes"
            } else {
                "do not follow the numbers of the cubes"
            };
            return Some(format!("searched with translations of order {} that {how}", shape.order));
        }
        let how = match self.numbered[0].order {
            1 => "searched without symmetry".to_owned(),
            order => format!("searched with translations of order {order}"),
        };
        self.asymmetry(pod, budget).map(|reason| format!("{how}: {reason}"))
    }
}

/// An OCS that serves two cubes differently.
fn first_difference(pod: &Pod, one: BlockId, other: BlockId) -> String {
    let chips = pod.chips_per_cube();
    let ends = |ocs: &Ocs, cube: BlockId| -> Vec<(bool, u32, u16)> {
        let side = |faces: &[FacePort], b: bool| {
            let here = faces.iter().filter(|face| face.cube == cube);
            here.map(|face| (b, face.node.0 % chips, face.port.0)).collect::<Vec<_>>()
        };
        [side(&ocs.a, false), side(&ocs.b, true)].concat()
    };
    match pod.ocses.iter().find(|ocs| ends(ocs, one) != ends(ocs, other)) {
        Some(ocs) => format!("; {} serves cube{one} and cube{other} differently", ocs.name),
        None => String::new(),
    }
}

/// The groups of this order that are tried: the cyclic one, and for few cubes every abelian one (measured:
/// the gain is within 0.1 % from 16 cubes on).
fn groups(order: usize) -> Vec<Vec<usize>> {
    match order {
        4 => vec![vec![4], vec![2, 2]],
        8 => vec![vec![8], vec![2, 4], vec![2, 2, 2]],
        9 => vec![vec![9], vec![3, 3]],
        _ => vec![vec![order]],
    }
}

/// The pod under the groups of the largest order that divides `most` and keeps the demand.
fn shapes(demand: &Demand, pod: &Pod, kinds: &[Vec<BlockId>], most: usize) -> Result<Vec<Shape>, SynthError> {
    for order in (1..=most).rev().filter(|order| most.is_multiple_of(*order)) {
        affordable(demand, pod, order)?;
        let actions = groups(order).into_iter().map(|factors| Action::by_number(kinds, factors));
        let keeping = actions.filter(|action| demand.is_uniform() || action.keeps_demand(demand, pod));
        let keeping: Vec<Shape> = keeping.map(|action| Shape::new(demand, pod, action)).collect();
        if !keeping.is_empty() {
            return Ok(keeping);
        }
    }
    unreachable!("the trivial group keeps any demand")
}

/// Levels of distances that all restarts together hold at once: the longest fiber that is tried, and one
/// more, in each.
const LEVELS: u64 = RESTARTS * 33;

/// Refuses a search under a group of this order that would take too much memory, before it takes any.
///
/// # Errors
/// [`SynthError::TooLarge`].
pub(super) fn affordable(demand: &Demand, pod: &Pod, order: usize) -> Result<(), SynthError> {
    let (chips, differing) = (pod.node_count(), pod.node_count() / order);
    let words = differing.div_ceil(64) as u64;
    let level = 2 * chips as u64 * words * 8;
    let planes = match demand.shape() {
        DemandShape::Uniform => 0,
        DemandShape::Groups(components) => components.len() as u64,
        DemandShape::Matrix(_) => u64::from(u32::BITS - demand.largest().leading_zeros()),
    };
    let cuts = pod.cube.dims.iter().map(|&side| u64::from(side) - 1).sum::<u64>() * differing as u64;
    let need = level.saturating_mul(LEVELS).saturating_add(level / 2 * planes).saturating_add(cuts);
    if need <= BUILD_BYTES {
        return Ok(());
    }
    let [need, most] = [need, BUILD_BYTES].map(|bytes| bytes as f64 / 1e9);
    Err(SynthError::TooLarge { differing, chips, need, most, span: pod.topology_span })
}

/// Refuses a search that takes too much memory under the largest group that it could find.
///
/// # Errors
/// [`SynthError::TooLarge`].
pub(super) fn fits(fabric: &Fabric, pod: &Pod, settings: Synthesize) -> Result<(), SynthError> {
    let order = if settings.symmetry == SymmetryChoice::None { 1 } else { largest_order(&kinds(pod)) };
    affordable(&fabric.demand, pod, order)
}

/// The best wiring found: all restarts at once, merged by score and then by restart number.
///
/// # Errors
/// [`SynthError::TooLarge`] where it would take too much memory.
pub(super) fn search(
    fabric: &Fabric,
    pod: &Pod,
    settings: Synthesize,
    progress: &dyn Progress,
) -> Result<Found, SynthError> {
    let freedom = (settings.symmetry != SymmetryChoice::None)
        .then(|| Freedom::new(&fabric.demand, pod, &fabric.budget))
        .transpose()?;
    let mut notes: Vec<String> =
        freedom.iter().filter_map(|freedom| freedom.note(pod, &fabric.budget)).collect();
    let kinds = kinds(pod);
    let mut shapes = match freedom {
        None => shapes(&fabric.demand, pod, &kinds, 1)?,
        Some(Freedom { numbered, of_all_cubes, .. }) if of_all_cubes.is_empty() => numbered,
        // Where the certified flow decides between finalists, the smaller group may win.
        Some(Freedom { numbered, of_all_cubes, .. }) if pod.node_count() <= FEW_HUNDRED => {
            of_all_cubes.into_iter().chain(numbered).collect()
        }
        Some(Freedom { of_all_cubes, .. }) => of_all_cubes,
    };
    if pod.node_count() <= SMALL && settings.symmetry == SymmetryChoice::Auto {
        let order = shapes.last().map_or(1, |shape| shape.order);
        for smaller in (1..order).rev().filter(|smaller| order.is_multiple_of(*smaller)) {
            shapes.extend(
                self::shapes(&fabric.demand, pod, &kinds, smaller)?
                    .into_iter()
                    .filter(|shape| shape.order == smaller),
            );
        }
    }
    let budget = evaluations(&shapes[0], settings.effort);
    let antipodal = starts::symmetry(pod, &shapes[0]);
    let lengths = lengths(pod, &shapes[0], antipodal.as_ref(), settings, budget);
    let goal = Goal { lengths, flow_counts: settings.objective == Objective::Flow, fault: None };
    let expired = || settings.time_limit.is_some_and(|seconds| progress.expired(seconds));
    let starts = antipodal.as_ref().map(|antipodal| {
        let Synthesize { effort, seed, .. } = settings;
        let known = known::wiring(pod, &shapes[0]);
        Starts { shape: &shapes[0], antipodal, known, goal: &goal, effort, seed, expired: &expired }
    });
    let restarts = starts.as_ref().map_or(RESTARTS * shapes.len() as u64, Starts::descents);
    progress.begin("synthesize", restarts);
    let restart =
        |restart: u64| {
            let shape = (restart / RESTARTS) as usize;
            let mut stream = Stream::new(settings.seed, restart + 1);
            let start = shapes[shape].random_wiring(&mut stream);
            let heat = match (settings.effort >= HOT_EFFORT, pod.node_count() > LARGE) {
                (false, _) => HEAT,
                (true, false) => HOT,
                (true, true) => HOT_LARGE,
            };
            let thresholds = thresholds(&shapes[shape], heat);
            let run =
                Climb { shape: &shapes[shape], antipodal: None, goal: &goal, thresholds, expired: &expired }
                    .run(start, budget, &mut stream);
            progress.advance();
            Run { shape, ..run }
        };
    let mut runs: Vec<Run> = match &starts {
        Some(starts) => {
            let (runs, note) = starts.run(progress);
            notes.push(note);
            runs
        }
        None => {
            let mut runs: Vec<Run> = (0..restarts).into_par_iter().map(restart).collect();
            if let Some(wiring) = known::wiring(pod, &shapes[0]) {
                let known = Run::given(wiring, &shapes[0], &goal);
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
        (Objective::Flow, ..=SMALL) => 2 * FINALISTS,
        (Objective::Flow, ..=FEW_HUNDRED) => FINALISTS,
        _ => 1,
    });
    runs.dedup_by(|one, other| (one.shape, &one.wiring) == (other.shape, &other.wiring));
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
    Ok(Found { finalists, counters, notes, out_of_time })
}

/// The lengths that decide, found on wirings that short searches come to.
fn lengths(
    pod: &Pod,
    shape: &Shape,
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
    let mut wirings: Vec<Wiring> = (0..3).map(|_| random(&mut stream)).collect();
    let mut lengths = score::tight(shape, &candidates, &wirings);
    for _ in 0..2 {
        // Of antipodal wirings the tightest length decides alone: others take the plain search.
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
        lengths = score::tight(shape, &candidates, &wirings);
    }
    lengths
}
