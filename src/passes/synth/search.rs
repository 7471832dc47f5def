//! The search for a topology: threshold accepting over one translation per OCS, or over arbitrary matchings.
//!
//! With translation symmetry the cubes are a group and OCS i joins the A port of cube g with the B port of cube g + s_i: the shifts s_i are the whole
//! topology. The score is the largest of a few dual bounds, D_w / volume_w with copper length 1 and fibre length w: average hops alone would
//! overload the fibres from 512 chips on. Everything is an integer and work is counted in evaluations. Guarantees a connected topology if
//! the search met one; cost: 8 us (128 chips) to 0.5 ms (8192) an evaluation. Source: our own measurements; threshold accepting: Dueck & Scheuer 1990.

use super::evaluate::{Evaluator, FiberLengths, Shape, distance_sum};
use crate::ids::{CubeId, Id, NodeId, OcsId};
use crate::model::{CoupleRule, FacePort, Ocs, PORT_NAMES, Pod, Synthesize};
use crate::progress::Progress;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

/// Fibres that the search settled on.
pub(super) struct Found {
    pub(super) fibers: Vec<[FacePort; 2]>,
    pub(super) counters: Vec<(String, u64)>,
}

impl From<Vec<[FacePort; 2]>> for Found {
    /// Fibres that took no search.
    fn from(fibers: Vec<[FacePort; 2]>) -> Self {
        Self { fibers, counters: Vec::new() }
    }
}

pub(super) const RESTARTS: u64 = 4;
pub(super) const EVALUATIONS: u64 = 12_000;
pub(super) const SCALE: u64 = 1 << 20;

/// A seeded stream; the modulo bias of `below` is far under anything the search could notice and costs no rejection loop.
pub(super) struct Stream(ChaCha8Rng);

impl Stream {
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self(generator)
    }
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

/// Whether every OCS serves one and the same A position and B position of every cube; otherwise why not.
pub(super) fn translations_fit(pod: &Pod) -> Result<(), String> {
    pod.ocses.iter().map(|ocs| arm(pod, ocs)).collect::<Result<Vec<_>, _>>().map(|_| ())
}

/// The two face ports of a cube that an OCS couples, as they stand in cube 0.
fn arm(pod: &Pod, ocs: &Ocs) -> Result<[FacePort; 2], String> {
    let home = |face: &&FacePort| face.cube == CubeId(0);
    let ports: Vec<FacePort> = match ocs.rule {
        CoupleRule::Sided => ocs.a.iter().filter(home).chain(ocs.b.iter().filter(home)).copied().collect(),
        CoupleRule::Any => ocs.a.iter().filter(home).copied().collect(),
    };
    let [a, b] = ports[..] else {
        return Err(format!("{} serves {} ports of cube 0, not one on each side", ocs.name, ports.len()));
    };
    if ocs.a.len() + ocs.b.len() != 2 * pod.cubes as usize {
        return Err(format!("{} serves some of the {} cubes only", ocs.name, pod.cubes));
    }
    Ok([a, b])
}

/// The groups that the cubes are tried as: the cyclic one, and for few cubes every abelian one (measured: the gain is within 0.1 % from 16 cubes on).
fn groups(cubes: usize) -> Vec<Vec<usize>> {
    match cubes {
        4 => vec![vec![4], vec![2, 2]],
        8 => vec![vec![8], vec![2, 4], vec![2, 2, 2]],
        _ => vec![vec![cubes]],
    }
}

/// The best shifts found, all restarts at once, merged by score and then by restart number.
pub(super) fn by_translation(pod: &Pod, settings: Synthesize, progress: &dyn Progress) -> Found {
    let arms: Vec<[FacePort; 2]> = pod.ocses.iter().map(|ocs| arm(pod, ocs).expect("checked by translations_fit")).collect();
    let shapes: Vec<Shape> = groups(pod.cubes as usize)
        .into_iter()
        .map(|factors| Shape {
            positions: pod.chips_per_cube() as usize,
            cubes: pod.cubes as usize,
            mesh: mesh(pod, 1),
            arms: arms.iter().map(|[a, b]| (a.node.0 as usize, b.node.0 as usize)).collect(),
            factors,
        })
        .collect();
    let lengths = tight_lengths(&shapes[0], settings.seed);
    let evaluations = EVALUATIONS * u64::from(settings.effort);
    let restarts = RESTARTS * shapes.len() as u64;
    progress.begin("synthesize", restarts);
    let runs: Vec<(u64, usize, Vec<usize>)> = (0..restarts)
        .into_par_iter()
        .map(|restart| {
            let group = (restart / RESTARTS) as usize;
            let (score, shifts) = accept_by_threshold(&shapes[group], &lengths, evaluations, &mut Stream::new(settings.seed, restart + 1));
            progress.advance();
            (score, group, shifts)
        })
        .collect();
    progress.end();
    let (_, group, shifts) = runs.into_iter().min_by_key(|(score, _, _)| *score).expect("at least one restart");
    let shape = &shapes[group];
    let chips = pod.chips_per_cube();
    let fibers = (0..shape.cubes)
        .flat_map(|cube| {
            let to = |face: FacePort, cube: usize| FacePort {
                cube: CubeId(cube as u32),
                node: NodeId(cube as u32 * chips + face.node.0),
                ..face
            };
            arms.iter().zip(&shifts).map(move |([a, b], &shift)| [to(*a, cube), to(*b, shape.add(cube, shift))])
        })
        .filter(|[a, b]| a.node != b.node)
        .collect();
    let counters = vec![
        ("groups".to_owned(), shapes.len() as u64),
        ("restarts".to_owned(), restarts),
        ("evaluations".to_owned(), restarts * evaluations),
    ];
    Found { fibers, counters }
}

/// Copper neighbours of every chip of the first `cubes` cubes.
pub(super) fn mesh<T: TryFrom<u32>>(pod: &Pod, cubes: u32) -> Vec<Vec<T>> {
    let dims = pod.cube.dims;
    (0..cubes * pod.chips_per_cube())
        .map(|node| {
            let (cube, at) = (pod.cube_of(NodeId(node)), pod.at(NodeId(node)));
            let mut neighbours = Vec::new();
            for dimension in 0..PORT_NAMES.len() / 2 {
                let mut step = |to: u32| {
                    let mut there = at;
                    there[dimension] = to;
                    neighbours.extend(T::try_from(pod.node(cube, there).0).ok());
                };
                if at[dimension] > 0 {
                    step(at[dimension] - 1);
                }
                if at[dimension] + 1 < dims[dimension] {
                    step(at[dimension] + 1);
                }
            }
            neighbours
        })
        .collect()
}

fn random_shifts(shape: &Shape, stream: &mut Stream) -> Vec<usize> {
    shape.arms.iter().map(|&arm| random_shift(shape, arm, stream)).collect()
}

/// A shift that joins no chip to itself.
fn random_shift(shape: &Shape, (a, b): (usize, usize), stream: &mut Stream) -> usize {
    match (a == b, shape.cubes) {
        // One cube of length 1 leaves nothing to join; the fibre is left out when the result is read.
        (true, 1) => 0,
        (true, cubes) => 1 + stream.below(cubes - 1),
        (false, cubes) => stream.below(cubes),
    }
}

/// The fibre lengths whose bounds decide for this shape: those within 3 % of the largest bound on random shifts, three at most.
fn tight_lengths(shape: &Shape, seed: u64) -> Vec<FiberLengths> {
    if shape.cubes < 4 {
        return [1, 2, 4, 9].map(|across| FiberLengths { inside: 1, across }).to_vec();
    }
    let candidates = [1, 2, 3, 4, 6, 8, 12, 16].map(|length| FiberLengths { inside: length, across: length });
    let mut stream = Stream::new(seed, 0);
    let mut evaluator = Evaluator::new(shape);
    let mut totals = [0u64; 8];
    for _ in 0..6 {
        let shifts = random_shifts(shape, &mut stream);
        for (total, lengths) in totals.iter_mut().zip(candidates) {
            *total += score(evaluator.distance_sum(&shifts, lengths, u64::MAX), shape.volume(&shifts, lengths));
        }
    }
    let largest = *totals.iter().max().expect("eight candidates");
    let mut near: Vec<usize> = (0..8).filter(|&at| totals[at] >= largest / 100 * 97).collect();
    near.sort_by_key(|&at| std::cmp::Reverse(totals[at]));
    near.truncate(3);
    near.into_iter().map(|at| candidates[at]).collect()
}

/// 1 / bound in fixed point: smaller is better.
pub(super) fn score(distance_sum: u64, volume: u64) -> u64 {
    (u128::from(distance_sum) * u128::from(SCALE) / u128::from(volume)) as u64
}

/// The largest score over the lengths, or anything above `limit`.
fn worst_score(evaluator: &mut Evaluator, shape: &Shape, shifts: &[usize], lengths: &[FiberLengths], limit: u64) -> u64 {
    let mut worst = 0;
    for &lengths in lengths {
        let volume = shape.volume(shifts, lengths);
        let enough = (u128::from(limit) * u128::from(volume) / u128::from(SCALE)).min(u128::from(u64::MAX - 1)) as u64 + 1;
        worst = worst.max(score(evaluator.distance_sum(shifts, lengths, enough), volume));
        if worst > limit {
            break;
        }
    }
    worst
}

/// Threshold accepting: a change is kept unless it makes the score worse by more than a threshold that falls linearly to 0.
fn accept_by_threshold(shape: &Shape, lengths: &[FiberLengths], evaluations: u64, stream: &mut Stream) -> (u64, Vec<usize>) {
    let mut evaluator = Evaluator::new(shape);
    let mut shifts = random_shifts(shape, stream);
    let mut current = worst_score(&mut evaluator, shape, &shifts, lengths, u64::MAX);
    let mut best = (current, shifts.clone());
    if shape.cubes == 1 || shape.arms.is_empty() {
        return best;
    }
    // In distance units: 20 at 256 chips, 40 at 1024, 110 at 8192 for 64 chips a cube.
    let nodes = (shape.positions * shape.cubes) as u64;
    let start = score((nodes.isqrt() * shape.positions as u64 * 5 / 256).max(6), shape.volume(&shifts, lengths[0]));
    for evaluation in 0..evaluations {
        let threshold = start * (evaluations - evaluation) / evaluations;
        let one = stream.below(shape.arms.len());
        let undo = if stream.below(4) < 3 || shape.arms.len() < 2 {
            let old = shifts[one];
            shifts[one] = random_shift(shape, shape.arms[one], stream);
            (one, old, one, shifts[one])
        } else {
            let other = (one + 1 + stream.below(shape.arms.len() - 1)) % shape.arms.len();
            let old = (one, shifts[one], other, shifts[other]);
            shifts.swap(one, other);
            old
        };
        let loops = |at: usize| shape.arms[at].0 == shape.arms[at].1 && shifts[at] == 0;
        let limit = current + threshold;
        let candidate = if loops(undo.0) || loops(undo.2) { u64::MAX } else { worst_score(&mut evaluator, shape, &shifts, lengths, limit) };
        if candidate <= limit {
            current = candidate;
            if current < best.0 {
                best = (current, shifts.clone());
            }
        } else if undo.0 == undo.2 {
            shifts[undo.0] = undo.1;
        } else {
            (shifts[undo.0], shifts[undo.2]) = (undo.1, undo.3);
        }
    }
    best
}

/// Arbitrary matchings, one exchange at a time; for pods whose cubes are not interchangeable.
pub(super) fn by_swaps(pod: &Pod, settings: Synthesize, progress: &dyn Progress) -> Found {
    let copper: Vec<Vec<u32>> = mesh(pod, pod.cubes);
    // A matching evaluation sees all sources, not those of one cube: the work is scaled down with the size of the pod.
    let evaluations = (EVALUATIONS * u64::from(settings.effort) * 256 / pod.node_count().max(256) as u64).max(200);
    progress.begin("synthesize", RESTARTS);
    let runs: Vec<(u64, Vec<[FacePort; 2]>)> = (0..RESTARTS)
        .into_par_iter()
        .map(|restart| {
            let run = exchange(pod, &copper, evaluations, &mut Stream::new(settings.seed, restart + 1));
            progress.advance();
            run
        })
        .collect();
    progress.end();
    let (_, fibers) = runs.into_iter().min_by_key(|(score, _)| *score).expect("at least one restart");
    Found { fibers, counters: vec![("restarts".to_owned(), RESTARTS), ("evaluations".to_owned(), RESTARTS * evaluations)] }
}

/// What the two ports of a slot are joined to; `None` is an idle port.
pub(super) type Slot = [Option<FacePort>; 2];

/// The fibres of one OCS; a slot that would join a chip to itself stays dark.
pub(super) fn pairs(slots: &[Slot]) -> impl Iterator<Item = [FacePort; 2]> {
    slots.iter().filter_map(|&[a, b]| Some([a?, b?])).filter(|[a, b]| a.node != b.node)
}

fn exchange(pod: &Pod, copper: &[Vec<u32>], evaluations: u64, stream: &mut Stream) -> (u64, Vec<[FacePort; 2]>) {
    let mut slots: Vec<Vec<Slot>> = pod.ocses.iter().map(|ocs| random_matching(ocs, stream)).collect();
    let busy: Vec<usize> = (0..slots.len()).filter(|&ocs| slots[ocs].len() > 1).collect();
    let mut levels = Vec::new();
    let mut evaluate = |slots: &[Vec<Slot>], limit: u64| {
        let mut fibers: Vec<Vec<u32>> = vec![Vec::new(); copper.len()];
        for slots in slots {
            for [a, b] in pairs(slots) {
                fibers[a.node.0 as usize].push(b.node.0);
                fibers[b.node.0 as usize].push(a.node.0);
            }
        }
        let fiber = if copper.len() > 1024 { 2 } else { 1 };
        distance_sum(copper, &fibers, fiber, limit, &mut levels)
    };
    let mut current = evaluate(&slots, u64::MAX);
    let mut best = (current, slots.clone());
    let start = (copper.len() as u64).isqrt() * copper.len() as u64 / 64;
    for evaluation in 0..evaluations {
        if busy.is_empty() {
            break;
        }
        let limit = current + start * (evaluations - evaluation) / evaluations;
        let ocs = busy[stream.below(busy.len())];
        let count = slots[ocs].len();
        let (one, side) = (stream.below(count), stream.below(2));
        let other = (one + 1 + stream.below(count - 1)) % count;
        // Only a switch without sides may exchange ports across sides.
        let other_side = if pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any { stream.below(2) } else { side };
        let exchange = |slots: &mut Vec<Vec<Slot>>| {
            let kept = slots[ocs][one][side];
            slots[ocs][one][side] = slots[ocs][other][other_side];
            slots[ocs][other][other_side] = kept;
        };
        exchange(&mut slots);
        let candidate = evaluate(&slots, limit);
        if candidate <= limit {
            current = candidate;
            if current < best.0 {
                best = (current, slots.clone());
            }
        } else {
            exchange(&mut slots);
        }
    }
    let fibers = best.1.iter().flat_map(|slots| pairs(slots)).collect();
    (best.0, fibers)
}

fn random_matching(ocs: &Ocs, stream: &mut Stream) -> Vec<Slot> {
    let mut shuffled = |faces: &[FacePort], slots: usize| {
        let mut ports: Vec<Option<FacePort>> = faces.iter().copied().map(Some).collect();
        ports.resize(slots, None);
        for at in (1..ports.len()).rev() {
            ports.swap(at, stream.below(at + 1));
        }
        ports
    };
    match ocs.rule {
        CoupleRule::Sided => {
            let slots = ocs.a.len().max(ocs.b.len());
            let a = ocs.a.iter().copied().map(Some).chain(std::iter::repeat(None)).take(slots);
            a.zip(shuffled(&ocs.b, slots)).map(|(a, b)| [a, b]).collect()
        }
        CoupleRule::Any => shuffled(&ocs.a, ocs.a.len().next_multiple_of(2)).chunks(2).map(|pair| [pair[0], pair[1]]).collect(),
    }
}
