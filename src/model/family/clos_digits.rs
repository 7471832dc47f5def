//! The digits of a folded Clos network, and the symmetries that shift them.
//!
//! A switch and a cable are given by numbers: one neighbor below, one neighbor above and one cable for every
//! stage. Whoever adds a constant to one of them, modulo its side, takes switches to switches and cables to
//! cables. These shifts take any cable of a stage to any other one, and any switch of a tier as well.

use super::clos::Clos;

/// What one stage contributes to the number of a switch or of a cable. Numbers that a switch or cable does
/// not have are 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct StageDigits {
    /// The digit a of the stage, below [`super::ClosStage::down`].
    pub down: u32,
    /// The digit b of the stage, below [`super::ClosStage::up`].
    pub up: u32,
    /// The number of a cable between two neighbors, below [`super::ClosStage::parallel`].
    pub cable: u32,
}

impl StageDigits {
    /// Joins two lots of digits, number by number.
    fn zip(self, other: Self, join: impl Fn(u32, u32) -> u32) -> Self {
        Self {
            down: join(self.down, other.down),
            up: join(self.up, other.up),
            cable: join(self.cable, other.cable),
        }
    }
}

impl Clos {
    /// The tier of a switch, and its digits by stage.
    pub fn switch_digits(&self, switch: u32) -> (usize, Vec<StageDigits>) {
        let (mut tier, mut rest) = (0, u64::from(switch));
        while rest >= self.tier_size(tier) {
            rest -= self.tier_size(tier);
            tier += 1;
        }
        let mut digits = vec![StageDigits::default(); self.stages.len()];
        let mut take = |side: u32| {
            let digit = (rest % u64::from(side)) as u32;
            rest /= u64::from(side);
            digit
        };
        for (digits, stage) in digits.iter_mut().zip(&self.stages).take(tier) {
            digits.up = take(stage.up);
        }
        for (digits, stage) in digits.iter_mut().zip(&self.stages).skip(tier) {
            digits.down = take(stage.down);
        }
        (tier, digits)
    }

    /// The switch of a tier with these digits by stage. Digits that it does not have are ignored.
    fn switch_with(&self, tier: usize, digits: &[StageDigits]) -> u32 {
        let above =
            self.stages.iter().zip(digits).skip(tier).map(|(stage, digits)| (stage.down, digits.down));
        let below = self.stages.iter().zip(digits).take(tier).map(|(stage, digits)| (stage.up, digits.up));
        let digits = above.rev().chain(below.rev());
        let number = digits.fold(0, |number, (side, digit)| number * u64::from(side) + u64::from(digit));
        let first: u64 = (0..tier).map(|tier| self.tier_size(tier)).sum();
        (first + number) as u32
    }

    /// The tier of the lower switch of a cable, and the digits of the cable by stage. `port` is its port at
    /// that switch.
    pub fn cable_digits(&self, lower: u32, port: u16) -> (usize, Vec<StageDigits>) {
        let (tier, mut digits) = self.switch_digits(lower);
        let (parallel, above) = (self.stages[tier].parallel, u32::from(port) - self.ports_down(tier));
        (digits[tier].up, digits[tier].cable) = (above / parallel, above % parallel);
        (tier, digits)
    }

    /// The switch that a shift takes a switch to.
    pub fn shifted_switch(&self, shift: &[StageDigits], switch: u32) -> u32 {
        let (tier, digits) = self.switch_digits(switch);
        self.switch_with(tier, &self.shifted(shift, &digits))
    }

    /// The port that a shift takes a port of a switch to. `None` if the switch has no such port.
    pub fn shifted_port(&self, shift: &[StageDigits], switch: u32, port: u16) -> Option<u16> {
        let (tier, _) = self.switch_digits(switch);
        let (port, first_up) = (u32::from(port), self.ports_down(tier));
        let is_up = port >= first_up;
        let (first, place) = if is_up { (first_up, tier) } else { (0, tier - 1) };
        let (stage, by) = (self.stages.get(place)?, shift.get(place)?);
        let (side, by_neighbor) = if is_up { (stage.up, by.up) } else { (stage.down, by.down) };
        let (neighbor, cable) = ((port - first) / stage.parallel, (port - first) % stage.parallel);
        let shifted = (neighbor + by_neighbor % side) % side;
        let cable = (cable + by.cable % stage.parallel) % stage.parallel;
        (neighbor < side).then_some((first + shifted * stage.parallel + cable) as u16)
    }

    fn shifted(&self, shift: &[StageDigits], digits: &[StageDigits]) -> Vec<StageDigits> {
        let reduced = shift.iter().zip(self.sides()).map(|(by, side)| by.zip(side, |by, side| by % side));
        let sums = digits.iter().zip(reduced).map(|(digits, by)| digits.zip(by, |digit, by| digit + by));
        sums.zip(self.sides()).map(|(sum, side)| sum.zip(side, |sum, side| sum % side)).collect()
    }

    /// `[stage]`: the sides of its digits.
    fn sides(&self) -> impl Iterator<Item = StageDigits> {
        self.stages.iter().map(|stage| StageDigits { down: stage.down, up: stage.up, cable: stage.parallel })
    }

    /// Number of ports of a switch for cables down. They come before those for cables up.
    fn ports_down(&self, tier: usize) -> u32 {
        tier.checked_sub(1).map_or(0, |place| self.stages[place].down * self.stages[place].parallel)
    }
}

/// The shifts that take every fault of a folded Clos network to a fault of the same effect.
#[derive(Clone, Debug)]
pub struct ClosShifts<'a> {
    /// The network whose digits are shifted.
    pub clos: &'a Clos,
    /// `[stage]`: the side of every digit that may be shifted, and 1 for the others.
    sides: Vec<StageDigits>,
}

impl<'a> ClosShifts<'a> {
    /// The shifts by those digits of which `keeps` accepts a shift by 1.
    pub fn new(clos: &'a Clos, keeps: impl Fn(&[StageDigits]) -> bool) -> Self {
        let mut shifts = Self { clos, sides: clos.sides().collect() };
        for unit in shifts.units().into_iter().filter(|unit| !keeps(unit)) {
            for (side, unit) in shifts.sides.iter_mut().zip(unit) {
                *side = side.zip(unit, |side, unit| if unit > 0 { 1 } else { side });
            }
        }
        shifts
    }

    /// The shifts by 1 of one digit each. They generate all the others.
    pub fn units(&self) -> Vec<Vec<StageDigits>> {
        let none = vec![StageDigits::default(); self.sides.len()];
        let mut units = Vec::new();
        for (place, side) in self.sides.iter().enumerate() {
            let mut push = |side: u32, unit: StageDigits| {
                if side > 1 {
                    let mut shift = none.clone();
                    shift[place] = unit;
                    units.push(shift);
                }
            };
            push(side.down, StageDigits { down: 1, up: 0, cable: 0 });
            push(side.up, StageDigits { down: 0, up: 1, cable: 0 });
            push(side.cable, StageDigits { down: 0, up: 0, cable: 1 });
        }
        units
    }

    /// Splits the digits of a switch or cable into those that no shift changes and those that one does. The
    /// second are the shift that leads there from the first switch or cable of the class.
    pub fn split(&self, digits: &[StageDigits]) -> (Vec<StageDigits>, Vec<StageDigits>) {
        let fixed = |digit: u32, side: u32| if side > 1 { 0 } else { digit };
        let shifted = |digit: u32, side: u32| if side > 1 { digit } else { 0 };
        let by_side = |part: &dyn Fn(u32, u32) -> u32| {
            digits.iter().zip(&self.sides).map(|(digits, side)| digits.zip(*side, part)).collect()
        };
        (by_side(&fixed), by_side(&shifted))
    }

    /// Number of classes of cables.
    pub fn cable_classes(&self) -> u64 {
        let class_size = |tier: usize| {
            let side = self.sides[tier];
            self.switch_class_size(tier) * u64::from(side.up) * u64::from(side.cable)
        };
        (0..self.sides.len()).map(|tier| self.clos.cables_above(tier) / class_size(tier)).sum()
    }

    /// Number of classes of switches.
    pub fn switch_classes(&self) -> u64 {
        (0..=self.sides.len()).map(|tier| self.clos.tier_size(tier) / self.switch_class_size(tier)).sum()
    }

    fn switch_class_size(&self, tier: usize) -> u64 {
        let above: u64 = self.sides[tier..].iter().map(|side| u64::from(side.down)).product();
        let below: u64 = self.sides[..tier].iter().map(|side| u64::from(side.up)).product();
        above * below
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ClosForm, ClosStage, FamilyFacts};
    use super::*;
    use fabc_base::ids::LinkTypeId;

    fn stage(down: u32, up: u32, parallel: u32) -> ClosStage {
        ClosStage { down, up, parallel, link: LinkTypeId(0) }
    }

    /// Three tiers of 6, 4 and 6 switches, with two cables to every neighbor above the leaves.
    fn clos() -> Clos {
        let stages = vec![stage(3, 2, 2), stage(2, 3, 1)];
        Clos { form: ClosForm::General, stages, tier_words: Clos::default_words(3) }
    }

    #[test]
    fn digits_name_every_switch() {
        let clos = clos();
        for switch in 0..clos.router_count() as u32 {
            let (tier, digits) = clos.switch_digits(switch);
            assert_eq!(clos.switch_with(tier, &digits), switch);
        }
        // The third switch of the second block, and the core switch of the last numbers.
        let digits = |down, up| StageDigits { down, up, cable: 0 };
        assert_eq!(clos.switch_digits(5), (0, vec![digits(2, 0), digits(1, 0)]));
        assert_eq!(clos.switch_digits(15), (2, vec![digits(0, 1), digits(0, 2)]));
        // The last cable of leaf 5 leads to the second neighbor above.
        let cable = StageDigits { down: 2, up: 1, cable: 1 };
        assert_eq!(clos.cable_digits(5, 3), (0, vec![cable, digits(1, 0)]));
    }

    #[test]
    fn shifts_add_up() {
        let clos = clos();
        let units = ClosShifts::new(&clos, |_| true).units();
        assert_eq!(units.len(), 5);
        for shift in &units {
            for other in &units {
                let sum: Vec<StageDigits> =
                    shift.iter().zip(other).map(|(a, b)| a.zip(*b, |a, b| a + b)).collect();
                for switch in 0..clos.router_count() as u32 {
                    let through = clos.shifted_switch(shift, switch);
                    assert_eq!(clos.shifted_switch(&sum, switch), clos.shifted_switch(other, through));
                    for port in 0..10 {
                        let moved = clos.shifted_port(shift, switch, port);
                        let twice = moved.and_then(|port| clos.shifted_port(other, through, port));
                        assert_eq!(clos.shifted_port(&sum, switch, port), twice);
                    }
                }
            }
        }
    }

    #[test]
    fn fixed_digits_make_more_classes() {
        let clos = clos();
        let all = ClosShifts::new(&clos, |_| true);
        assert_eq!((all.cable_classes(), all.switch_classes()), (2, 3));
        // Without a shift of the blocks, cables and switches below the top tier fall into two classes each.
        let fixed = ClosShifts::new(&clos, |shift| shift[1].down == 0);
        assert_eq!((fixed.cable_classes(), fixed.switch_classes()), (4, 5));
        let (class, shift) = fixed.split(&clos.cable_digits(5, 3).1);
        assert_eq!((class[1].down, shift[1].down), (1, 0));
    }
}
