//! Shifts of a whole OCS, which keep the symmetry of the live wiring: threshold accepting over one choice
//! per OCS.

use super::area::{Neighborhood, PortSlot, PortSlots, pairs};
use crate::synth::evaluate::Evaluator;
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_base::random::Stream;
use fabc_ir::Symmetry;
use fabc_model::{CoupleRule, FacePort, Ocs, Pod};

/// The shifts of one OCS as a whole.
pub(super) struct SwitchShift<'a> {
    pod: &'a Pod,
    symmetry: &'a Symmetry,
    ocs: usize,
    /// `[side][cube]`: the port of the cube on that side.
    arms: [Vec<FacePort>; 2],
    /// The moves of a shift, and the cube to which it takes cube 0.
    choices: Vec<(u64, u32)>,
}

impl<'a> SwitchShift<'a> {
    /// All OCSes that serve the same two ports of every cube, with the shifts that keep the symmetry and
    /// are within the moves.
    pub(super) fn find_all(area: &Neighborhood<'a>, symmetry: &'a Symmetry) -> Vec<Self> {
        let shifts = area.pod.ocses.enumerate().filter_map(|(id, ocs)| {
            let mut shift = SwitchShift {
                pod: area.pod,
                symmetry,
                ocs: id.index(),
                arms: arms(area.pod, ocs)?,
                choices: Vec::new(),
            };
            let choices = (0..area.pod.cubes).filter_map(|cube| {
                let slots = shift.slots(cube);
                let moves = slots.iter().filter(|&&slot| area.is_move(slot)).count() as u64;
                let lit = pairs(&slots).count() == slots.len();
                (lit && moves > 0 && moves <= area.moves).then_some((moves, cube))
            });
            shift.choices = choices.collect();
            Some(shift)
        });
        shifts.filter(|shift| !shift.choices.is_empty()).collect()
    }

    /// The slots of a shift. Cube g(0) meets g(by), so that the wiring looks the same from every cube.
    fn slots(&self, by: u32) -> Vec<PortSlot> {
        let first = |cube: u32| NodeId(cube * self.pod.chips_per_cube());
        let to = |cube: u32| {
            self.pod.cube_of(self.symmetry.image(self.symmetry.element_to(first(cube)), first(by)))
        };
        let [a, b] = &self.arms;
        (0..self.pod.cubes).map(|cube| [Some(a[cube as usize]), Some(b[to(cube).index()])]).collect()
    }
}

impl Neighborhood<'_> {
    /// Threshold accepting over whole shifts. If there are too many moves, other OCSes are set back.
    pub(super) fn shift(
        &self,
        live: &PortSlots,
        score: u64,
        shifts: &[SwitchShift<'_>],
        evaluations: u64,
        stream: &mut Stream,
    ) -> (u64, PortSlots) {
        let mut evaluator = Evaluator::new(&self.shape);
        // Per OCS that can be shifted: its shift, or `None` for the live setting.
        let mut chosen: Vec<Option<usize>> = vec![None; shifts.len()];
        let moves = |chosen: &[Option<usize>]| {
            let moves_of = |(shift, chosen): (&SwitchShift<'_>, &Option<usize>)| {
                chosen.map_or(0, |by| shift.choices[by].0)
            };
            shifts.iter().zip(chosen).map(moves_of).sum::<u64>()
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
            let changed_shift = stream.below(shifts.len());
            // The number after the last choice stands for the live setting.
            let pick = stream.below(shifts[changed_shift].choices.len() + 1);
            chosen[changed_shift] = (pick < shifts[changed_shift].choices.len()).then_some(pick);
            while moves(&chosen) > self.moves {
                let others: Vec<usize> =
                    (0..chosen.len()).filter(|&at| at != changed_shift && chosen[at].is_some()).collect();
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
            let set = |slots: &mut PortSlots, chosen: &[Option<usize>]| {
                for &at in &changed {
                    let ocs = shifts[at].ocs;
                    slots[ocs] = chosen[at]
                        .map_or_else(|| live[ocs].clone(), |by| shifts[at].slots(shifts[at].choices[by].1));
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

/// `[side][cube]`: the port of every cube on an OCS that has one port of each side. `None` for other OCSes.
fn arms(pod: &Pod, ocs: &Ocs) -> Option<[Vec<FacePort>; 2]> {
    let local = |face: &FacePort| (face.node.0 % pod.chips_per_cube(), face.port);
    let faces_of_ocs: Vec<&FacePort> = ocs.a.iter().chain(&ocs.b).collect();
    let mut kinds: Vec<_> = faces_of_ocs.iter().map(|face| local(face)).collect();
    if ocs.rule == CoupleRule::Any {
        kinds.sort_unstable();
    }
    kinds.dedup();
    let [first, second] = kinds[..] else { return None };
    let arm = |kind| {
        let faces: Vec<FacePort> =
            faces_of_ocs.iter().filter(|face| local(face) == kind).map(|face| **face).collect();
        faces.iter().map(|face| face.cube).eq((0..pod.cubes).map(BlockId)).then_some(faces)
    };
    Some([arm(first)?, arm(second)?])
}
