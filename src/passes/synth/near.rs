//! The search near live cross-connects: the best topology within so many moves.
//!
//! A move is a cross-connect of the result that the live setting does not have; what `fabc plan` adds is the same set. Two kinds of changes:
//! an exchange of two ends on one OCS (up to 2 moves; with a free port 1), and, where the live wiring is symmetric under translations, another
//! shift of a whole OCS (up to as many moves as there are cubes), which keeps the symmetry. Every port that is free and every move that is left
//! is used only where the score gains. The score is that of `search`: the largest of a few dual bounds, over all sources at once. Of equal
//! scores the symmetric result wins, and the live setting before all others. Source: threshold accepting, Dueck & Scheuer 1990.

use super::action::{Action, kinds};
use super::climb::{EVALUATIONS, RESTARTS};
use super::evaluate::Evaluator;
use super::random::Stream;
use super::score::{SCALE, score};
use super::search::{Found, affordable};
use super::shape::Shape;
use super::wiring::wire;
use super::{SynthError, from_file};
use crate::ids::{CubeId, Id, NodeId, OcsId};
use crate::ir::Symmetry;
use crate::model::{CoupleRule, Demand, Fabric, FacePort, Near, Objective, Ocs, Pod, SymmetryChoice};
use crate::progress::Progress;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the two ports of a slot are joined to; `None` is an idle port.
type Slot = [Option<FacePort>; 2];

/// The fibres of one OCS; a slot that would join a chip to itself stays dark.
fn pairs(slots: &[Slot]) -> impl Iterator<Item = [FacePort; 2]> {
    slots.iter().filter_map(|&[a, b]| Some([a?, b?])).filter(|[a, b]| a.node != b.node)
}

/// Slots of every OCS.
type Slots = Vec<Vec<Slot>>;

/// The best topology found within the moves.
///
/// # Errors
/// The file does not fit the pod, or symmetry is demanded and the live wiring has none.
pub(super) fn near(fabric: &Fabric, pod: &Pod, near: &Near, progress: &dyn Progress) -> Result<Found, SynthError> {
    affordable(&fabric.demand, pod, 1)?;
    let settings = from_file::settings(pod, &near.path, &near.text)?;
    let live_pairs: Vec<Vec<[FacePort; 2]>> =
        settings.enumerate().map(|(id, set)| set.iter().flatten().map(|&pair| pod.ocses[id].faces(pair)).collect()).collect();
    let live: Slots = pod.ocses.iter().zip(&live_pairs).map(|(ocs, pairs)| slots_of(ocs, pairs)).collect();
    let symmetry = wire(pod, &fabric.demand, &live_pairs.concat()).ok().map(|topology| topology.symmetry().clone());
    let symmetry = symmetry.filter(|symmetry| symmetry.order() == pod.cubes as usize);
    let only_shifts = near.search.symmetry == SymmetryChoice::Translation;
    if only_shifts && symmetry.is_none() {
        let reason = format!("the cross-connects of `{}` treat its cubes differently", near.path);
        return Err(SynthError::NoSymmetry { reason, span: pod.topology_span });
    }

    progress.begin("synthesize", 3 * RESTARTS);
    let expired = || near.search.time_limit.is_some_and(|seconds| progress.expired(seconds));
    let area = Area::new(&fabric.demand, pod, near, &live_pairs, &expired);
    let evaluations = (EVALUATIONS * u64::from(near.search.effort) * 256 / pod.node_count().max(256) as u64).max(200);
    let shifts = match (&symmetry, near.search.symmetry) {
        (Some(symmetry), SymmetryChoice::Auto | SymmetryChoice::Translation) => Shift::all(&area, symmetry),
        _ => Vec::new(),
    };
    let seed = near.search.seed;
    let run = |first: u64, search: &(dyn Fn(&mut Stream) -> (u64, Slots) + Sync)| {
        let runs: Vec<(u64, Slots)> = (0..RESTARTS)
            .into_par_iter()
            .map(|restart| {
                let found = search(&mut Stream::new(seed, first + restart));
                progress.advance();
                found
            })
            .collect();
        runs.into_iter().min_by_key(|(score, _)| *score).expect("at least one restart")
    };
    let at_start = area.score(&live, u64::MAX, &mut Evaluator::new(&area.shape));
    let mut best = (at_start, live.clone());
    let mut runs = 0;
    let mut better = |found: (u64, Slots)| {
        runs += RESTARTS;
        if found.0 < best.0 {
            best = found;
        }
        best.1.clone()
    };
    let mut starts = vec![live.clone()];
    if near.moves > 0 && !shifts.is_empty() {
        let shifted = better(run(1, &|stream| area.shift(&live, at_start, &shifts, evaluations, stream)));
        // What shifts leave over, exchanges may use.
        if shifted != live && area.moves(&shifted) < near.moves {
            starts.push(shifted);
        }
    }
    if near.moves > 0 && !only_shifts {
        for (start, first) in starts.iter().zip([1 + RESTARTS, 1 + 2 * RESTARTS]) {
            better(run(first, &|stream| area.exchange(area.completed(start), evaluations, stream)));
        }
    }

    let (_, slots) = best;
    let mut counters = vec![
        ("restarts".to_owned(), runs),
        ("evaluations".to_owned(), runs * evaluations),
        ("moves_allowed".to_owned(), near.moves),
        ("moves".to_owned(), area.moves(&slots)),
    ];
    for (name, slots) in [("live", &live), ("here", &slots)] {
        if let Some((hops, bound)) = area.measure(slots) {
            counters.push((format!("hops_{name}"), hops));
            counters.push((format!("flow_at_most_ppt_{name}"), bound));
        }
    }
    let fibers = slots.iter().flat_map(|slots| pairs(slots)).collect();
    // Asked once more: a search that the clock cut short ended only after it.
    let out_of_time = expired();
    progress.end();
    Ok(Found { finalists: vec![fibers], counters, notes: Vec::new(), out_of_time })
}

/// The slots of one OCS: a port that is not connected stands in a slot of its own.
fn slots_of(ocs: &Ocs, pairs: &[[FacePort; 2]]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = pairs.iter().map(|&[a, b]| [Some(a), Some(b)]).collect();
    let free = |face: &&FacePort| !pairs.iter().flatten().any(|used| used == *face);
    slots.extend(ocs.a.iter().filter(free).map(|&a| [Some(a), None]));
    slots.extend(ocs.b.iter().filter(free).map(|&b| [None, Some(b)]));
    slots
}

/// Everything that a search near a live wiring needs.
struct Area<'a> {
    demand: &'a Demand,
    pod: &'a Pod,
    /// The pod under the trivial group: every chip is a source.
    shape: Shape,
    /// What a port is joined to in the live wiring.
    live: BTreeMap<FacePort, FacePort>,
    moves: u64,
    /// Fibre lengths whose bounds decide.
    lengths: Vec<usize>,
    /// Whether the time limit of the spec is over.
    expired: &'a (dyn Fn() -> bool + Sync),
}

/// Two ends of one OCS that change places: (ocs, (slot, side), (slot, side)). Doing it twice undoes it.
type Exchange = (usize, (usize, usize), (usize, usize));

fn exchange(slots: &mut Slots, &(ocs, (one, side), (other, other_side)): &Exchange) {
    let kept = slots[ocs][one][side];
    slots[ocs][one][side] = slots[ocs][other][other_side];
    slots[ocs][other][other_side] = kept;
}

impl<'a> Area<'a> {
    fn new(
        demand: &'a Demand,
        pod: &'a Pod,
        near: &Near,
        live_pairs: &[Vec<[FacePort; 2]>],
        expired: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let live = live_pairs.iter().flatten().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        let mut area = Area {
            demand,
            pod,
            shape: Shape::new(demand, pod, Action::by_number(&kinds(pod), vec![1])),
            live,
            moves: near.moves,
            lengths: vec![1],
            expired,
        };
        if near.search.objective == Objective::Hops {
            return area;
        }
        let slots: Slots = pod.ocses.iter().zip(live_pairs).map(|(ocs, pairs)| slots_of(ocs, pairs)).collect();
        // The lengths whose bounds on the live wiring are within 3 % of the largest: three at most, and of large pods, where an evaluation is long, one.
        let candidates: &[usize] = if pod.node_count() > 1024 { &[1, 2, 3, 4] } else { &[1, 2, 3, 4, 6, 8] };
        let mut evaluator = Evaluator::new(&area.shape);
        let bounds: Vec<u64> = candidates.iter().map(|&length| area.score_at(&slots, length, u64::MAX, &mut evaluator)).collect();
        let largest = bounds.iter().copied().max().unwrap_or(0);
        let mut near: Vec<usize> = (0..bounds.len()).filter(|&at| bounds[at] >= largest / 100 * 97).collect();
        near.sort_by_key(|&at| std::cmp::Reverse(bounds[at]));
        near.truncate(if pod.node_count() > 1024 { 1 } else { 3 });
        area.lengths = near.into_iter().map(|at| candidates[at]).collect();
        area
    }

    /// Moves of one slot.
    fn is_move(&self, slot: Slot) -> bool {
        pairs(&[slot]).any(|[a, b]| self.live.get(&a) != Some(&b))
    }
    /// Moves of all.
    fn moves(&self, slots: &Slots) -> u64 {
        slots.iter().flatten().filter(|&&slot| self.is_move(slot)).count() as u64
    }

    /// Neighbours through fibres, and the total length of all channels.
    fn wired(&self, slots: &Slots, length: usize) -> (Vec<Vec<u32>>, u64) {
        let mut fibers: Vec<Vec<u32>> = vec![Vec::new(); self.shape.nodes];
        for [a, b] in slots.iter().flat_map(|slots| pairs(slots)) {
            fibers[a.node.index()].push(b.node.0);
            fibers[b.node.index()].push(a.node.0);
        }
        let copper: usize = self.shape.mesh.iter().map(Vec::len).sum();
        let volume = (copper + fibers.iter().map(Vec::len).sum::<usize>() * length) as u64;
        (fibers, volume)
    }
    fn score_at(&self, slots: &Slots, length: usize, limit: u64, evaluator: &mut Evaluator<'_>) -> u64 {
        let (fibers, volume) = self.wired(slots, length);
        // Beyond this sum the score is beyond the limit.
        let enough = (u128::from(limit.saturating_add(1)) * u128::from(volume) / u128::from(SCALE)).min(u128::from(u64::MAX)) as u64;
        score(evaluator.distance_sum_of(&fibers, length, enough), volume)
    }
    /// The largest bound; stops and returns a value above `limit` as soon as one exceeds it.
    fn score(&self, slots: &Slots, limit: u64, evaluator: &mut Evaluator<'_>) -> u64 {
        let mut worst = 0;
        for &length in &self.lengths {
            worst = worst.max(self.score_at(slots, length, limit, evaluator));
            if worst > limit {
                break;
            }
        }
        worst
    }
    /// Hops over all ordered pairs, and the best upper bound on the concurrent flow in parts per trillion, rounded up; `None` of a pod in parts.
    fn measure(&self, slots: &Slots) -> Option<(u64, u64)> {
        wire(self.pod, self.demand, &slots.iter().flat_map(|slots| pairs(slots)).collect::<Vec<_>>()).ok()?;
        let mut evaluator = Evaluator::new(&self.shape);
        let mut sum = |length: usize| {
            let (fibers, volume) = self.wired(slots, length);
            (evaluator.distance_sum_of(&fibers, length, u64::MAX), volume)
        };
        let (hops, _) = sum(1);
        let bound = self.lengths.iter().map(|&length| {
            let (distance, volume) = sum(length);
            (u128::from(volume) * 1_000_000_000_000).div_ceil(u128::from(distance.max(1))) as u64
        });
        Some((hops, bound.min().unwrap_or(u64::MAX)))
    }

    /// The slots with free ports joined as far as the moves reach, in order.
    fn completed(&self, slots: &Slots) -> Slots {
        let mut slots = slots.clone();
        let mut left = self.moves.saturating_sub(self.moves(&slots));
        for ocs in 0..slots.len() {
            while left > 0 {
                let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
                let half = |side: usize| move |slot: &&Slot| slot[side].is_some() && slot[1 - side].is_none();
                let joins = |one: FacePort, slot: &Slot, side: usize| slot[side].is_some_and(|other| other.node != one.node);
                let ends = slots[ocs].iter().filter(half(0)).find_map(|slot| {
                    let one = slot[0]?;
                    let other_side = if any { 0 } else { 1 };
                    let fits = |at: &usize| {
                        let slot = &slots[ocs][*at];
                        half(other_side)(&slot) && joins(one, slot, other_side)
                    };
                    let from = slots[ocs].iter().position(|slot| slot[0] == Some(one))?;
                    let to = (0..slots[ocs].len()).find(fits)?;
                    Some((from, (to, other_side)))
                });
                let Some((from, to)) = ends else { break };
                exchange(&mut slots, &(ocs, (from, 1), to));
                if self.is_move(slots[ocs][from]) {
                    left -= 1;
                }
            }
        }
        slots
    }

    /// How far above the current score a change may lead at first: as in `search`.
    fn threshold(&self, slots: &Slots) -> u64 {
        let nodes = self.shape.nodes as u64;
        score(nodes.isqrt() * nodes / 64, self.wired(slots, self.lengths[0]).1)
    }

    /// Threshold accepting over exchanges of two ends; what exceeds the moves is paid for by taking other moves back. Then descent.
    fn exchange(&self, start: Slots, evaluations: u64, stream: &mut Stream) -> (u64, Slots) {
        let mut evaluator = Evaluator::new(&self.shape);
        let mut slots = start;
        let mut current = self.score(&slots, u64::MAX, &mut evaluator);
        let mut best = (current, slots.clone());
        let busy: Vec<usize> = (0..slots.len()).filter(|&ocs| slots[ocs].len() > 1).collect();
        if busy.is_empty() {
            return best;
        }
        let mut used = self.moves(&slots);
        let threshold = self.threshold(&slots);
        // A third of the work is left for the descent.
        let tries = evaluations - evaluations / 3;
        for evaluation in 0..tries {
            if evaluation.is_multiple_of(64) && (self.expired)() {
                return best;
            }
            let limit = current.saturating_add(threshold * (tries - evaluation) / tries);
            let (done, after) = self.propose(&mut slots, used, &busy, stream);
            let fits = after <= self.moves && !done.is_empty();
            let candidate = if fits { self.score(&slots, limit, &mut evaluator) } else { u64::MAX };
            if fits && candidate <= limit {
                (current, used) = (candidate, after);
                if current < best.0 {
                    best = (current, slots.clone());
                }
            } else {
                done.iter().rev().for_each(|one| exchange(&mut slots, one));
            }
        }
        self.descend(best, evaluations / 3, &mut evaluator)
    }

    /// Makes a random exchange, and takes random moves back as long as there are too many; returns what was done and the moves after it.
    fn propose(&self, slots: &mut Slots, used: u64, busy: &[usize], stream: &mut Stream) -> (Vec<Exchange>, u64) {
        let ocs = busy[stream.below(busy.len())];
        let count = slots[ocs].len();
        let (one, side) = (stream.below(count), stream.below(2));
        let other = (one + 1 + stream.below(count - 1)) % count;
        let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
        let other_side = if any { stream.below(2) } else { side };
        let first = (ocs, (one, side), (other, other_side));
        let mut used = self.after(slots, used, &first);
        let mut done = vec![first];
        while used > self.moves && done.len() < 4 {
            let own = |at: usize, slot: usize| at == ocs && (slot == one || slot == other);
            let moved = |at: usize| slots[at].iter().enumerate().filter(move |&(slot, &set)| !own(at, slot) && self.is_move(set));
            let candidates: Vec<(usize, usize)> = (0..slots.len()).flat_map(|at| moved(at).map(move |(slot, _)| (at, slot))).collect();
            if candidates.is_empty() {
                break;
            }
            let (at, slot) = candidates[stream.below(candidates.len())];
            let back = self.back(slots, at, slot);
            used = self.after(slots, used, &back);
            done.push(back);
        }
        (done, used)
    }

    /// Makes an exchange; the moves after it.
    fn after(&self, slots: &mut Slots, used: u64, one: &Exchange) -> u64 {
        let &(ocs, (a, _), (b, _)) = one;
        let count = |slots: &Slots| [a, b].iter().filter(|&&slot| self.is_move(slots[ocs][slot])).count() as u64;
        let before = count(slots);
        exchange(slots, one);
        used + count(slots) - before
    }

    /// The exchange that takes one move back: an end gets its live partner, or what it had of live darkness.
    fn back(&self, slots: &Slots, ocs: usize, slot: usize) -> Exchange {
        let find = |face: FacePort| {
            let places = slots[ocs].iter().enumerate().flat_map(|(at, _)| (0..2).map(move |side| (at, side)));
            places.into_iter().find(|&(at, side)| slots[ocs][at][side] == Some(face))
        };
        let ends = slots[ocs][slot];
        for (side, end) in ends.into_iter().enumerate() {
            let partner = end.and_then(|face| self.live.get(&face)).and_then(|&face| find(face));
            if let Some(partner) = partner {
                return (ocs, (slot, 1 - side), partner);
            }
        }
        // Both ends were dark: one goes where nothing is.
        let empty = slots[ocs].iter().position(|set| set[0].is_none()).unwrap_or(slot);
        (ocs, (slot, 1), (empty, 1))
    }

    /// The first exchange that helps, again and again, until none does or the evaluations are used up.
    fn descend(&self, (mut current, mut slots): (u64, Slots), mut evaluations: u64, evaluator: &mut Evaluator<'_>) -> (u64, Slots) {
        let mut used = self.moves(&slots);
        loop {
            let before = current;
            for ocs in 0..slots.len() {
                let sides: &[usize] = if self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any { &[1, 0] } else { &[1] };
                for one in 0..slots[ocs].len() {
                    for (other, &side) in (one + 1..slots[ocs].len()).flat_map(|other| sides.iter().map(move |side| (other, side))) {
                        let change = (ocs, (one, 1), (other, side));
                        let after = self.after(&mut slots, used, &change);
                        let fits = after <= self.moves;
                        evaluations = evaluations.saturating_sub(u64::from(fits));
                        let candidate = if fits { self.score(&slots, current - 1, evaluator) } else { u64::MAX };
                        if candidate < current {
                            (current, used) = (candidate, after);
                        } else {
                            exchange(&mut slots, &change);
                        }
                        if evaluations == 0 {
                            return (current, slots);
                        }
                    }
                }
            }
            if current == before {
                return (current, slots);
            }
        }
    }

    /// Threshold accepting over whole shifts; what exceeds the moves is paid for by setting other OCSes back.
    fn shift(&self, live: &Slots, score: u64, shifts: &[Shift<'_>], evaluations: u64, stream: &mut Stream) -> (u64, Slots) {
        let mut evaluator = Evaluator::new(&self.shape);
        // Per OCS that can be shifted: its shift, or `None` for the live setting.
        let mut chosen: Vec<Option<usize>> = vec![None; shifts.len()];
        let moves = |chosen: &[Option<usize>]| {
            let of = |(shift, chosen): (&Shift<'_>, &Option<usize>)| chosen.map_or(0, |by| shift.choices[by].0);
            shifts.iter().zip(chosen).map(of).sum::<u64>()
        };
        let mut slots = live.clone();
        let mut current = score;
        let mut best = (current, slots.clone());
        let threshold = self.threshold(live);
        for evaluation in 0..evaluations {
            if evaluation.is_multiple_of(64) && (self.expired)() {
                break;
            }
            let limit = current.saturating_add(threshold * (evaluations - evaluation) / evaluations);
            let before = chosen.clone();
            let one = stream.below(shifts.len());
            // One more than there are choices stands for the live setting.
            let pick = stream.below(shifts[one].choices.len() + 1);
            chosen[one] = (pick < shifts[one].choices.len()).then_some(pick);
            while moves(&chosen) > self.moves {
                let others: Vec<usize> = (0..chosen.len()).filter(|&at| at != one && chosen[at].is_some()).collect();
                if others.is_empty() {
                    break;
                }
                chosen[others[stream.below(others.len())]] = None;
            }
            if moves(&chosen) > self.moves || chosen == before {
                chosen = before;
                continue;
            }
            let changed: Vec<usize> = (0..chosen.len()).filter(|&at| chosen[at] != before[at]).collect();
            let set = |slots: &mut Slots, chosen: &[Option<usize>]| {
                for &at in &changed {
                    let ocs = shifts[at].ocs;
                    slots[ocs] = chosen[at].map_or_else(|| live[ocs].clone(), |by| shifts[at].slots(shifts[at].choices[by].1));
                }
            };
            set(&mut slots, &chosen);
            let candidate = self.score(&slots, limit, &mut evaluator);
            if candidate <= limit {
                current = candidate;
                if current < best.0 {
                    best = (current, slots.clone());
                }
            } else {
                set(&mut slots, &before);
                chosen = before;
            }
        }
        best
    }
}

/// The ways to shift one OCS as a whole.
struct Shift<'a> {
    pod: &'a Pod,
    symmetry: &'a Symmetry,
    ocs: usize,
    /// The A port and the B port of every cube.
    arms: [Vec<FacePort>; 2],
    /// Moves of a shift, and where it takes cube 0.
    choices: Vec<(u64, u32)>,
}

impl<'a> Shift<'a> {
    /// All OCSes that serve the same two ports of every cube, with the shifts that keep the symmetry and the moves reach.
    fn all(area: &Area<'a>, symmetry: &'a Symmetry) -> Vec<Self> {
        let each = area.pod.ocses.enumerate().filter_map(|(id, ocs)| {
            let mut shift = Shift { pod: area.pod, symmetry, ocs: id.index(), arms: arms(area.pod, ocs)?, choices: Vec::new() };
            let choices = (0..area.pod.cubes).filter_map(|by| {
                let slots = shift.slots(by);
                let moves = slots.iter().filter(|&&slot| area.is_move(slot)).count() as u64;
                let lit = pairs(&slots).count() == slots.len();
                (lit && moves > 0 && moves <= area.moves).then_some((moves, by))
            });
            shift.choices = choices.collect();
            Some(shift)
        });
        each.filter(|shift| !shift.choices.is_empty()).collect()
    }

    /// The slots of a shift. Cube g(0) meets g(by), so that the wiring looks the same from every cube.
    fn slots(&self, by: u32) -> Vec<Slot> {
        let first = |cube: u32| NodeId(cube * self.pod.chips_per_cube());
        let to = |cube: u32| self.pod.cube_of(self.symmetry.image(self.symmetry.element_to(first(cube)), first(by)));
        let [a, b] = &self.arms;
        (0..self.pod.cubes).map(|cube| [Some(a[cube as usize]), Some(b[to(cube).index()])]).collect()
    }
}

/// The A port and the B port of every cube on an OCS that has one of each.
fn arms(pod: &Pod, ocs: &Ocs) -> Option<[Vec<FacePort>; 2]> {
    let local = |face: &FacePort| (face.node.0 % pod.chips_per_cube(), face.port);
    let all: Vec<&FacePort> = ocs.a.iter().chain(&ocs.b).collect();
    let mut kinds: Vec<_> = all.iter().map(|face| local(face)).collect();
    if ocs.rule == CoupleRule::Any {
        kinds.sort_unstable();
    }
    kinds.dedup();
    let [first, second] = kinds[..] else { return None };
    let arm = |kind| {
        let faces: Vec<FacePort> = all.iter().filter(|face| local(face) == kind).map(|face| **face).collect();
        faces.iter().map(|face| face.cube).eq((0..pod.cubes).map(CubeId)).then_some(faces)
    };
    Some([arm(first)?, arm(second)?])
}
