//! Shifts of a whole OCS, which keep the symmetry of the live wiring: threshold accepting over one choice per
//! OCS.

use super::area::{Area, Slot, Slots, pairs};
use crate::synth::evaluate::Evaluator;
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_base::random::Stream;
use fabc_ir::Symmetry;
use fabc_model::{CoupleRule, FacePort, Ocs, Pod};

/// The ways to shift one OCS as a whole.
pub(super) struct Shift<'a> {
    pod: &'a Pod,
    symmetry: &'a Symmetry,
    ocs: usize,
    /// The A port and the B port of every cube.
    arms: [Vec<FacePort>; 2],
    /// Moves of a shift, and where it takes cube 0.
    choices: Vec<(u64, u32)>,
}

impl<'a> Shift<'a> {
    /// All OCSes that serve the same two ports of every cube, with the shifts that keep the symmetry and the
    /// moves reach.
    pub(super) fn all(area: &Area<'a>, symmetry: &'a Symmetry) -> Vec<Self> {
        let each = area.pod.ocses.enumerate().filter_map(|(id, ocs)| {
            let mut shift = Shift {
                pod: area.pod,
                symmetry,
                ocs: id.index(),
                arms: arms(area.pod, ocs)?,
                choices: Vec::new(),
            };
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
        let to = |cube: u32| {
            self.pod.cube_of(self.symmetry.image(self.symmetry.element_to(first(cube)), first(by)))
        };
        let [a, b] = &self.arms;
        (0..self.pod.cubes).map(|cube| [Some(a[cube as usize]), Some(b[to(cube).index()])]).collect()
    }
}

impl Area<'_> {
    /// Threshold accepting over whole shifts; what exceeds the moves is paid for by setting other OCSes back.
    pub(super) fn shift(
        &self,
        live: &Slots,
        score: u64,
        shifts: &[Shift<'_>],
        evaluations: u64,
        stream: &mut Stream,
    ) -> (u64, Slots) {
        let mut evaluator = Evaluator::new(&self.shape);
        // Per OCS that can be shifted: its shift, or `None` for the live setting.
        let mut chosen: Vec<Option<usize>> = vec![None; shifts.len()];
        let moves = |chosen: &[Option<usize>]| {
            let of =
                |(shift, chosen): (&Shift<'_>, &Option<usize>)| chosen.map_or(0, |by| shift.choices[by].0);
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
                let others: Vec<usize> =
                    (0..chosen.len()).filter(|&at| at != one && chosen[at].is_some()).collect();
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
        faces.iter().map(|face| face.cube).eq((0..pod.cubes).map(BlockId)).then_some(faces)
    };
    Some([arm(first)?, arm(second)?])
}
