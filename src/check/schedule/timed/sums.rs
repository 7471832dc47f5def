//! The replay of sums: every value with the set of chips whose contributions are in it.

use super::plan::{Replay, Step};
use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Schedule, Sum, Timed, Total};
use fabc_model::Collective;

/// A value that a chip has.
#[derive(Clone, Copy)]
struct Held {
    level: u32,
    origin: NodeId,
    /// Its set, by number.
    set: usize,
    /// When it came, or was made.
    since: u64,
}

/// Checks that sums are made of what there can be, and only where vectors are summed.
pub(super) fn recipe(schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let sums = schedule.collective.sums();
    let fits = |sum: &Sum, level: u32| {
        sum.from <= sum.below && sum.below <= level && sum.own.is_none_or(|own| own < level)
    };
    let of_levels = (1..).zip(&timed.sums).all(|(level, sum)| fits(sum, level));
    let of_result = match (&timed.result, schedule.collective) {
        (Total::Summed(sum), _) => sums && fits(sum, timed.levels()),
        (Total::Told, Collective::ReduceScatter) => false,
        (Total::Told, _) => true,
    };
    if (timed.sums.is_empty() || sums) && of_levels && of_result {
        return Ok(());
    }
    Err(ScheduleError::shape("its sums are made of what there is not").into())
}

/// One vector at a time.
pub(super) struct Sums {
    /// `[router]`
    held: Vec<Vec<Held>>,
    /// Sets of routers one after the other, `words` each.
    sets: Vec<u64>,
    words: usize,
}

impl Sums {
    pub(super) fn new(nodes: usize) -> Self {
        Self { held: vec![Vec::new(); nodes], sets: Vec::new(), words: nodes.div_ceil(64) }
    }

    /// Replays all sends of one vector, in the order of time.
    pub(super) fn replay(&mut self, of: &Replay<'_>, steps: &[Step]) -> Result<u64, CheckError> {
        let vector = steps[0].vector;
        let failed =
            |cycle: u32, what: String| CheckError::from(ScheduleError::Vector { vector, cycle, what });
        let name = |node: NodeId| of.scene.topology.name(node);
        let (hop, reduce, start) =
            (u64::from(of.timed.pace.hop), u64::from(of.timed.pace.reduce), u64::from(of.timed.start));
        self.held.iter_mut().for_each(Vec::clear);
        self.sets.clear();
        let members = of.members(vector);
        for &chip in members {
            let set = self.add_set();
            self.sets[set * self.words + chip.index() / 64] |= 1 << (chip.index() % 64);
            self.held[chip.index()].push(Held { level: 0, origin: chip, set, since: start });
        }
        let mut end = 0;
        for step in steps {
            let cycle = u64::from(step.cycle);
            if !of.takes_part(step.origin, vector) {
                return Err(failed(
                    step.cycle,
                    format!("is a value of {}, which has no part in it", name(step.origin)),
                ));
            }
            let known = |held: &&Held| (held.level, held.origin) == (step.level, step.origin);
            let set = match self.held[step.from.index()].iter().find(known) {
                Some(held) if held.since <= cycle => held.set,
                Some(held) => {
                    let what =
                        format!("leaves {}, where its value comes in cycle {}", name(step.from), held.since);
                    return Err(failed(step.cycle, what));
                }
                None if step.origin == step.from => {
                    let sum = of.timed.sums[step.level as usize - 1];
                    let set = self.made(of, step.from, sum, cycle.checked_sub(reduce)).map_err(|twice| {
                        failed(
                            step.cycle,
                            format!(
                                "is summed at {} with the contribution of {} twice",
                                name(step.from),
                                name(twice)
                            ),
                        )
                    })?;
                    let held = Held { level: step.level, origin: step.from, set, since: cycle };
                    self.held[step.from.index()].push(held);
                    set
                }
                None => {
                    return Err(failed(
                        step.cycle,
                        format!("leaves {}, which has no such value", name(step.from)),
                    ));
                }
            };
            let there = &mut self.held[step.to.index()];
            if there.iter().any(|held| (held.level, held.origin) == (step.level, step.origin))
                || step.origin == step.to
            {
                return Err(failed(step.cycle, format!("brings {} a value that it has", name(step.to))));
            }
            there.push(Held { level: step.level, origin: step.origin, set, since: cycle + hop });
            end = end.max(cycle + hop);
        }
        let last = steps[steps.len() - 1].cycle;
        let results: &[NodeId] = match of.schedule.collective {
            Collective::ReduceScatter => &[of.owner(vector).unwrap_or(NodeId(0))],
            _ => members,
        };
        let top = of.timed.levels() - 1;
        let mut made = Vec::with_capacity(results.len());
        for &chip in results {
            let here = &self.held[chip.index()];
            let told = here.iter().any(|held| held.level == top && held.origin != chip);
            let sum = match of.timed.result {
                Total::Summed(sum) => sum,
                Total::Told if told => Sum { from: top, below: top + 1, own: None },
                Total::Told => Sum { from: 0, below: 0, own: Some(top) },
            };
            // What a chip is told is there when it comes; a sum takes its time after its last part.
            let came =
                here.iter().filter(|held| held.origin != chip && (sum.from..sum.below).contains(&held.level));
            let last = came.map(|held| held.since).max();
            let copied = of.timed.result == Total::Told && told;
            end = end.max(last.map_or(0, |last| last + if copied { 0 } else { reduce }));
            made.push((chip, sum));
        }
        for (chip, sum) in made {
            let set = self.made(of, chip, sum, Some(end));
            if !set.is_ok_and(|set| self.members(set) == members.len()) {
                return Err(failed(
                    last,
                    format!("is not summed at {}: a contribution is missing, or there twice", name(chip)),
                ));
            }
        }
        Ok(end)
    }

    /// A set without members.
    fn add_set(&mut self) -> usize {
        self.sets.resize(self.sets.len() + self.words, 0);
        self.sets.len() / self.words - 1
    }

    /// Makes a sum at a chip, of what has come by a cycle (`None`: before the first one); the set, or who is
    /// in it twice.
    fn made(&mut self, of: &Replay<'_>, chip: NodeId, sum: Sum, by: Option<u64>) -> Result<usize, NodeId> {
        let set = self.add_set();
        let by = by.unwrap_or(0);
        let came = |held: &&Held| {
            held.origin != chip && (sum.from..sum.below).contains(&held.level) && held.since <= by
        };
        let parts: Vec<usize> = self.held[chip.index()].iter().filter(came).map(|held| held.set).collect();
        for part in parts {
            self.add(set, part)?;
        }
        let Some(level) = sum.own else { return Ok(set) };
        let own = self.held[chip.index()]
            .iter()
            .find(|held| held.origin == chip && held.level == level)
            .map(|held| held.set);
        let own = match own {
            Some(own) => own,
            // What it has not sent it makes now.
            None => self.made(of, chip, of.timed.sums[level as usize - 1], Some(by))?,
        };
        self.add(set, own)?;
        Ok(set)
    }

    /// Adds a set to another one; who is in both.
    fn add(&mut self, set: usize, part: usize) -> Result<(), NodeId> {
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

    fn members(&self, set: usize) -> usize {
        self.sets[set * self.words..(set + 1) * self.words]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}
