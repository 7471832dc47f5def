//! Starts for large pods: wirings that the point reflection of the cubes keeps.
//!
//! In: a pod in which one shift per OCS is the whole topology. Out: restarts under that symmetry, the best of
//! them searched on without it.
//!
//! Reflect every cube in its center, (x, y, z) to the opposite corner, and multiply the numbers of the cubes
//! by m = C / 2 + 1 modulo C, the number of cubes (divisible by 4, so that m m = 1). The fiber of an OCS
//! joins +x\[u, v\] of cube g with -x\[u, v\] of cube g + s; its image joins the opposite ports of the
//! opposite positions, which another OCS serves, its *mate*. The map keeps the wiring if
//!
//! s(mate) = -m s = -s for even s, C / 2 - s for odd s (modulo C):
//!
//! opposite ports of a cube lead to the same cube, or to cubes C / 2 apart. Half of the shifts are free, and a
//! chip and its image have the same distance sum. Where the reflection exchanges the colors of `parity.rs`,
//! an evaluation looks at half of the sources.
//!
//! Why: long free searches of 64 cubes of 4x4x4 came to such wirings by themselves. From 48 cubes on, a
//! search under the symmetry finds in the same work shorter distances than one without; up to 32 cubes it
//! does not. Short hot restarts beat long ones, and what is left to gain without the symmetry takes a short
//! descent from the best of them. Measured with m = 1, m = -1, rotations, mirrors and exchanges of axes:
//! worse. Source: our own.

use super::climb::{Climb, Run};
use super::evaluate::Evaluator;
use super::score::Goal;
use super::shape::{Shape, Slot, Wiring};
use crate::ids::{BlockId, Id, NodeId};
use crate::model::{CoupleRule, Pod};
use crate::progress::Progress;
use crate::random::Stream;
use rayon::prelude::*;

/// Fewer cubes gain nothing (measured for cubes of 4x4x4).
const LEAST_CUBES: usize = 48;
/// Restarts for each unit of effort, and evaluations of each.
const RESTARTS: u64 = 8;
const EVALUATIONS: u64 = 40_000;
/// From this effort on there are `LONGER` times as many evaluations in every restart, and fewer restarts.
const LONG_EFFORT: u64 = 8;
const LONGER: u64 = 3;
/// The first threshold in distance units per cube and 64 chips of it; the last one is a `COOLED`th.
const HEAT: u64 = 15;
const COOLED: u64 = 10;
/// Restarts that are searched on without the symmetry, their evaluations for each unit of effort, at most,
/// and their thresholds per cube and 64 chips, in 16ths of a distance unit.
const FREED: usize = 2;
const FREE_EVALUATIONS: u64 = 20_000;
const MOST_FREE_EVALUATIONS: u64 = 150_000;
const FREE_HEAT: [u64; 2] = [64, 4];
/// Streams of random numbers that no restart has.
const FREE_STREAM: u64 = 1 << 33;

/// The symmetry of antipodal wirings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Antipodal {
    /// What the numbers of cubes are multiplied by.
    multiplier: usize,
    /// `[switch]`: the switch that serves the opposite ports.
    mates: Vec<usize>,
}

impl Antipodal {
    /// The symmetry, where one shift per OCS is the whole topology, the reflection exchanges the colors of the
    /// chips, and no OCS is its own mate.
    pub(super) fn of(pod: &Pod, shape: &Shape) -> Option<Self> {
        let order = shape.order;
        let alone = shape.group.factors.len() == 1 && shape.nodes == pod.chips_per_cube() as usize;
        let exchanges = pod.cube.dims.iter().map(|dim| dim - 1).sum::<u32>() % 2 == 1;
        if !alone || !exchanges || !order.is_multiple_of(4) || !shape.planes.is_empty() {
            return None;
        }
        let opposite = |node: usize| {
            let at = pod.at(NodeId::new(node));
            pod.node(BlockId(0), std::array::from_fn(|axis| pod.cube.dims[axis] - 1 - at[axis])).index()
        };
        // (Position, port) of both ends of every switch.
        let ends: Option<Vec<[(usize, u16); 2]>> = shape
            .switches
            .iter()
            .map(|switch| match switch.ends[..] {
                [a, b] if switch.rule == CoupleRule::Sided && switch.a_count == 1 && switch.kept_by.len() == order => {
                    Some([a, b].map(|end| (end.node, end.port.0)))
                }
                _ => None,
            })
            .collect();
        let ends = ends?;
        let mate = |own: usize| {
            let image = |(node, port): (usize, u16)| (opposite(node), port ^ 1);
            let [a, b] = ends[own];
            ends.iter().position(|&other| other == [image(b), image(a)]).filter(|&mate| mate != own)
        };
        let mates = (0..ends.len()).map(mate).collect::<Option<Vec<usize>>>()?;
        (!mates.is_empty()).then_some(Self { multiplier: order / 2 + 1, mates })
    }

    /// The same where such starts pay.
    pub(super) fn worthwhile(pod: &Pod, shape: &Shape) -> Option<Self> {
        (shape.order >= LEAST_CUBES && pod.node_count() > super::search::LARGE).then(|| Self::of(pod, shape)).flatten()
    }

    /// The switch that serves the opposite ports.
    pub(super) fn mate(&self, switch: usize) -> usize {
        self.mates[switch]
    }

    /// Sets the mate of a switch as the symmetry wants it.
    pub(super) fn follow(&self, shape: &Shape, wiring: &mut [Vec<Slot>], switch: usize) {
        let shift = wiring[switch][0].shift * self.multiplier % shape.order;
        wiring[self.mates[switch]][0].shift = shape.negative(shift);
    }

    /// A random wiring that the symmetry keeps.
    pub(super) fn random_wiring(&self, shape: &Shape, stream: &mut Stream) -> Wiring {
        let mut wiring = shape.random_wiring(stream);
        (0..wiring.len()).filter(|&switch| switch < self.mates[switch]).for_each(|switch| self.follow(shape, &mut wiring, switch));
        wiring
    }
}

/// The restarts of a search that starts from antipodal wirings.
pub(super) struct Starts<'a> {
    pub(super) shape: &'a Shape,
    pub(super) antipodal: &'a Antipodal,
    pub(super) goal: &'a Goal,
    pub(super) effort: u32,
    pub(super) seed: u64,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl Starts<'_> {
    /// How many descents there are.
    pub(super) fn descents(&self) -> u64 {
        let (restarts, _) = self.restarts();
        restarts + restarts.min(FREED as u64)
    }

    /// Restarts, and evaluations of each.
    fn restarts(&self) -> (u64, u64) {
        let all = RESTARTS * u64::from(self.effort);
        if u64::from(self.effort) < LONG_EFFORT { (all, EVALUATIONS) } else { (all / LONGER, EVALUATIONS * LONGER) }
    }

    /// All descents, best first, and what the report should say of the best.
    pub(super) fn run(&self, progress: &dyn Progress) -> (Vec<Run>, String) {
        let Starts { shape, antipodal, goal, expired, .. } = *self;
        let (restarts, evaluations) = self.restarts();
        let per_cube = (shape.order * shape.nodes) as u64;
        // Other lengths than the tightest take the plain search: they are looked at when a restart is done.
        let tightest = Goal { lengths: goal.lengths[..1].to_vec(), ..goal.clone() };
        let scored = |run: Run, name: String| {
            let mut order: Vec<usize> = (0..shape.switches.len()).collect();
            progress.advance();
            (Run { score: goal.score(&mut Evaluator::new(shape), shape, &run.wiring, &mut order, u64::MAX), ..run }, name)
        };
        let restart = |number: u64| {
            let mut stream = Stream::new(self.seed, number + 1);
            let start = antipodal.random_wiring(shape, &mut stream);
            let first = HEAT * per_cube / 64;
            let climb = Climb { shape, antipodal: Some(antipodal), goal: &tightest, thresholds: [first, first / COOLED], expired };
            scored(climb.run(start, evaluations, &mut stream), format!("antipodal restart {} of {restarts}", number + 1))
        };
        let mut runs: Vec<(Run, String)> = (0..restarts).into_par_iter().map(restart).collect();
        runs.sort_by_key(|(run, _)| run.score);
        let freed = |(number, (run, name)): (usize, &(Run, String))| {
            let mut stream = Stream::new(self.seed, FREE_STREAM + number as u64);
            let thresholds = FREE_HEAT.map(|heat| heat * per_cube / (16 * 64));
            let climb = Climb { shape, antipodal: None, goal: &tightest, thresholds, expired };
            let evaluations = (FREE_EVALUATIONS * u64::from(self.effort)).min(MOST_FREE_EVALUATIONS);
            scored(climb.run(run.wiring.clone(), evaluations, &mut stream), format!("{name}, improved without the symmetry"))
        };
        let free: Vec<(Run, String)> = runs.par_iter().take(FREED).enumerate().map(freed).collect();
        // Of equal scores the symmetric wiring comes first.
        runs.extend(free);
        runs.sort_by_key(|(run, _)| run.score);
        let note = format!("the best wiring came from {}", runs[0].1);
        (runs.into_iter().map(|(run, _)| run).collect(), note)
    }
}
