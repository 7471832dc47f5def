//! Replays sums. Every value has the set of chips whose contributions it contains.

use super::plan::{VectorReplay, VectorStep};
use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ResultRule, Schedule, SumRule, Timed};
use fabc_model::Collective;

/// A value that a chip has.
#[derive(Clone, Copy)]
struct HeldValue {
    level: u32,
    origin: NodeId,
    /// The number of its set of contributors.
    set: usize,
    /// The cycle in which it arrived, or was made.
    since: u64,
}

/// Verifies that sums are made of values that exist, and only where the collective sums.
pub(super) fn verify_sum_rules(schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let sums = schedule.collective.adds_up();
    let fits = |sum: &SumRule, level: u32| {
        sum.from <= sum.below && sum.below <= level && sum.own_level.is_none_or(|sum_level| sum_level < level)
    };
    let levels_fit = (1..).zip(&timed.sums).all(|(level, sum)| fits(sum, level));
    let result_fits = match (&timed.result, schedule.collective) {
        (ResultRule::Summed(sum), _) => sums && fits(sum, timed.levels()),
        (ResultRule::Told, Collective::ReduceScatter) => false,
        (ResultRule::Told, _) => true,
    };
    if (timed.sums.is_empty() || sums) && levels_fit && result_fits {
        return Ok(());
    }
    Err(ScheduleError::shape("its sums use levels that do not exist").into())
}

/// The state of the replay of one vector.
pub(super) struct SumReplay {
    /// `[router]`: the values that it has.
    held: Vec<Vec<HeldValue>>,
    /// Sets of routers one after the other, `words` each.
    sets: Vec<u64>,
    words: usize,
}

impl SumReplay {
    pub(super) fn new(nodes: usize) -> Self {
        Self { held: vec![Vec::new(); nodes], sets: Vec::new(), words: nodes.div_ceil(64) }
    }

    /// Replays all sends of one vector, in time order.
    pub(super) fn replay(
        &mut self,
        replay: &VectorReplay<'_>,
        steps: &[VectorStep],
    ) -> Result<u64, CheckError> {
        let vector = steps[0].vector;
        let vector_error = |cycle: u32, violation: String| {
            CheckError::from(ScheduleError::Vector { vector, cycle, violation })
        };
        let name = |node: NodeId| replay.scene.topology.name(node);
        let (hop, start) = (u64::from(replay.timed.pace.hop), u64::from(replay.timed.start));
        self.held.iter_mut().for_each(Vec::clear);
        self.sets.clear();
        let members = replay.members(vector);
        for &chip in members {
            let set = self.add_set();
            self.sets[set * self.words + chip.index() / 64] |= 1 << (chip.index() % 64);
            self.held[chip.index()].push(HeldValue { level: 0, origin: chip, set, since: start });
        }
        let mut end = 0;
        for step in steps {
            let cycle = u64::from(step.cycle);
            if !replay.takes_part(step.origin, vector) {
                return Err(vector_error(
                    step.cycle,
                    format!("is a value of {}, which does not take part in it", name(step.origin)),
                ));
            }
            let set = self.sent_set(replay, step).map_err(|violation| vector_error(step.cycle, violation))?;
            let arrived = &mut self.held[step.to.index()];
            if arrived.iter().any(|held| (held.level, held.origin) == (step.level, step.origin))
                || step.origin == step.to
            {
                return Err(vector_error(
                    step.cycle,
                    format!("brings {} a value that it has already", name(step.to)),
                ));
            }
            arrived.push(HeldValue { level: step.level, origin: step.origin, set, since: cycle + hop });
            end = end.max(cycle + hop);
        }
        let last = steps[steps.len() - 1].cycle;
        self.finish(replay, vector, end).map_err(|chip| {
            vector_error(
                last,
                format!("is not summed at {}: a contribution is missing, or added twice", name(chip)),
            )
        })
    }

    /// The set of the value that a step sends. A value of the sender's own is made if it has not been sent.
    fn sent_set(&mut self, replay: &VectorReplay<'_>, step: &VectorStep) -> Result<usize, String> {
        let name = |node: NodeId| replay.scene.topology.name(node);
        let (cycle, reduce) = (u64::from(step.cycle), u64::from(replay.timed.pace.reduce));
        let known = |held: &&HeldValue| (held.level, held.origin) == (step.level, step.origin);
        match self.held[step.from.index()].iter().find(known) {
            Some(held) if held.since <= cycle => Ok(held.set),
            Some(held) => {
                Err(format!("leaves {}, where its value arrives in cycle {}", name(step.from), held.since))
            }
            None if step.origin == step.from => {
                let sum = replay.timed.sums[step.level as usize - 1];
                let set = self.make_sum(replay, step.from, sum, cycle.checked_sub(reduce)).map_err(
                    |duplicate| {
                        format!(
                            "is summed at {} with the contribution of {} twice",
                            name(step.from),
                            name(duplicate)
                        )
                    },
                )?;
                let held = HeldValue { level: step.level, origin: step.from, set, since: cycle };
                self.held[step.from.index()].push(held);
                Ok(set)
            }
            None => Err(format!("leaves {}, which does not have its value", name(step.from))),
        }
    }

    /// Makes the results of a vector after its last send. Returns the cycle in which they are there, or the
    /// first chip whose result has a contribution missing or twice.
    fn finish(&mut self, replay: &VectorReplay<'_>, vector: u64, mut end: u64) -> Result<u64, NodeId> {
        let (members, reduce) = (replay.members(vector), u64::from(replay.timed.pace.reduce));
        let results: &[NodeId] = match replay.schedule.collective {
            Collective::ReduceScatter => &[replay.owner(vector).unwrap_or(NodeId(0))],
            _ => members,
        };
        let top = replay.timed.levels() - 1;
        let mut sums = Vec::with_capacity(results.len());
        for &chip in results {
            let values = &self.held[chip.index()];
            let is_told = values.iter().any(|held| held.level == top && held.origin != chip);
            let sum = match replay.timed.result {
                ResultRule::Summed(sum) => sum,
                ResultRule::Told if is_told => SumRule { from: top, below: top + 1, own_level: None },
                ResultRule::Told => SumRule { from: 0, below: 0, own_level: Some(top) },
            };
            // A value that a chip is sent is there on arrival. A sum takes its time after its last part.
            let arrivals = values
                .iter()
                .filter(|held| held.origin != chip && (sum.from..sum.below).contains(&held.level));
            let last = arrivals.map(|held| held.since).max();
            let copied = replay.timed.result == ResultRule::Told && is_told;
            end = end.max(last.map_or(0, |last| last + if copied { 0 } else { reduce }));
            sums.push((chip, sum));
        }
        for (chip, sum) in sums {
            let set = self.make_sum(replay, chip, sum, Some(end));
            if !set.is_ok_and(|set| self.member_count(set) == members.len()) {
                return Err(chip);
            }
        }
        Ok(end)
    }

    /// Adds an empty set, and returns its number.
    fn add_set(&mut self) -> usize {
        self.sets.resize(self.sets.len() + self.words, 0);
        self.sets.len() / self.words - 1
    }

    /// Makes a sum at a chip from the values that have arrived by a cycle (`None`: before the first cycle).
    /// Returns its set, or the chip whose contribution is in it twice.
    fn make_sum(
        &mut self,
        replay: &VectorReplay<'_>,
        chip: NodeId,
        sum: SumRule,
        deadline: Option<u64>,
    ) -> Result<usize, NodeId> {
        let set = self.add_set();
        let deadline = deadline.unwrap_or(0);
        let has_arrived = |held: &&HeldValue| {
            held.origin != chip && (sum.from..sum.below).contains(&held.level) && held.since <= deadline
        };
        let parts: Vec<usize> =
            self.held[chip.index()].iter().filter(has_arrived).map(|held| held.set).collect();
        for part in parts {
            self.add_members(set, part)?;
        }
        let Some(level) = sum.own_level else { return Ok(set) };
        let own_set = self.held[chip.index()]
            .iter()
            .find(|held| held.origin == chip && held.level == level)
            .map(|held| held.set);
        let own_set = match own_set {
            Some(own_set) => own_set,
            // A part that it has not sent is made now.
            None => self.make_sum(replay, chip, replay.timed.sums[level as usize - 1], Some(deadline))?,
        };
        self.add_members(set, own_set)?;
        Ok(set)
    }

    /// Adds one set to another. Returns an element of both as an error.
    fn add_members(&mut self, set: usize, part: usize) -> Result<(), NodeId> {
        for word in 0..self.words {
            let more = self.sets[part * self.words + word];
            let sum = &mut self.sets[set * self.words + word];
            if *sum & more != 0 {
                return Err(NodeId((word * 64) as u32 + (*sum & more).trailing_zeros()));
            }
            *sum |= more;
        }
        Ok(())
    }

    fn member_count(&self, set: usize) -> usize {
        self.sets[set * self.words..(set + 1) * self.words]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}
