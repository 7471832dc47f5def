//! The vectors of a schedule, and all of its sends by vector.

use super::messages;
use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Scene, Schedule, Symmetry, Timed, TimedSend};
use fabc_model::Collective;
use rayon::prelude::*;

/// A conviction of a schedule as a whole.
pub(super) fn violation(violation: impl Into<String>) -> CheckError {
    ScheduleError::shape(violation).into()
}

/// A vector that crosses a channel, mapped so that it starts at a canonical chip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct VectorStep {
    /// The vector. For a sum, the number without level and origin.
    pub(super) vector: u64,
    pub(super) cycle: u32,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) level: u32,
    pub(super) origin: NodeId,
}

/// The schedule and the scene that a replay runs on.
pub(super) struct VectorReplay<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) schedule: &'a Schedule,
    pub(super) timed: &'a Timed,
    symmetry: Symmetry,
    pub(super) chips: Vec<NodeId>,
    pub(super) nodes: u64,
    /// `[router]`: its group, for collectives in groups. `usize::MAX` for routers without chips.
    group_of: Vec<usize>,
    /// Number of vectors of a chip, if vectors are numbered by chips.
    vectors_per_chip: Option<u64>,
}

impl<'a> VectorReplay<'a> {
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &'a Schedule,
        timed: &'a Timed,
    ) -> Result<Self, CheckError> {
        let topology_symmetry = scene.topology.symmetry();
        let symmetry =
            if timed.canonical { topology_symmetry.clone() } else { topology_symmetry.to_trivial() };
        let (nodes, vectors) = (schedule.nodes.into(), u64::from(schedule.chunks));
        let vectors_per_chip = match schedule.collective {
            Collective::AllToAll => Some(nodes * vectors),
            Collective::AllGather | Collective::ReduceScatter => Some(vectors),
            Collective::AllReduce if timed.canonical && vectors % nodes == 0 => Some(vectors / nodes),
            Collective::AllReduce if timed.canonical => {
                return Err(violation("its vectors are not the same for every chip".to_owned()));
            }
            _ => None,
        };
        let chips: Vec<NodeId> = scene.endpoints().collect();
        let size = group_size(schedule, timed, chips.len())?;
        let mut group_of = vec![usize::MAX; scene.topology.node_count()];
        chips.iter().enumerate().for_each(|(place, chip)| group_of[chip.index()] = place / size);
        Ok(Self { scene, schedule, timed, symmetry, chips, nodes, group_of, vectors_per_chip })
    }

    /// The chips that a vector is for.
    pub(super) fn members(&self, vector: u64) -> &[NodeId] {
        let size = self.chips.len() / self.timed.groups as usize;
        let group = match self.owner(vector) {
            _ if self.timed.groups == 1 => 0,
            Some(owner) => self.group_of[owner.index()],
            None => (vector / u64::from(self.schedule.chunks)) as usize,
        };
        self.chips.get(group.saturating_mul(size)..).map_or(&[], |rest| &rest[..size.min(rest.len())])
    }

    /// Whether a chip is a member of a vector's group.
    pub(super) fn takes_part(&self, chip: NodeId, vector: u64) -> bool {
        self.members(vector).binary_search(&chip).is_ok()
    }

    /// The chip that a vector starts at.
    pub(super) fn owner(&self, vector: u64) -> Option<NodeId> {
        if self.schedule.collective == Collective::Send {
            return messages::message_of(self.timed, vector).map(|message| message.from);
        }
        let owner = vector / self.vectors_per_chip?;
        (owner < self.nodes).then_some(NodeId(owner as u32))
    }

    pub(super) fn destination(&self, vector: u64) -> Option<NodeId> {
        if self.schedule.collective == Collective::Send {
            return messages::message_of(self.timed, vector).map(|message| message.to);
        }
        let to_all = self.schedule.collective != Collective::AllToAll;
        let pair = vector / u64::from(self.schedule.chunks);
        (!to_all).then_some(NodeId((pair % self.nodes) as u32))
    }

    /// All sends by vector and cycle, for the vectors that start at a canonical chip, on all channels.
    pub(super) fn steps(&self) -> Result<Vec<VectorStep>, CheckError> {
        let Self { scene, timed, symmetry, nodes, .. } = self;
        let topology = scene.topology;
        let step = |send: &TimedSend| {
            let TimedSend { cycle, chip, port, vector } = *send;
            let unknown = || {
                CheckError::from(ScheduleError::Vector {
                    vector,
                    cycle,
                    violation: "does not belong to this collective".to_owned(),
                })
            };
            let channel = scene.outgoing(chip, port).ok_or_else(unknown)?;
            let (vector, level, origin) = match self.schedule.collective.adds_up() {
                true => {
                    let (value, origin) = (vector / nodes, NodeId((vector % nodes) as u32));
                    (value / u64::from(timed.levels()), (value % u64::from(timed.levels())) as u32, origin)
                }
                false => (vector, 0, chip),
            };
            let to = topology.target(channel).node;
            if !self.is_vector(vector) || !scene.is_endpoint(origin) {
                return Err(unknown());
            }
            let home = self.owner(vector).map_or(0, |owner| symmetry.inverse(symmetry.element_to(owner)));
            if home == 0 {
                return Ok(VectorStep { vector, cycle, from: chip, to, level, origin });
            }
            let image = |node| symmetry.image(home, node);
            Ok(VectorStep {
                vector: self.image(home, vector),
                cycle,
                from: image(chip),
                to: image(to),
                level,
                origin: image(origin),
            })
        };
        Ok(sort_by_vector(timed.sends.par_iter().map(step).collect::<Result<Vec<VectorStep>, CheckError>>()?))
    }

    fn image(&self, element: usize, vector: u64) -> u64 {
        if self.schedule.collective == Collective::Send {
            return messages::image_of_vector(self.timed, &self.symmetry, element, vector);
        }
        let Some(per_chip) = self.vectors_per_chip else { return vector };
        let image = |node: u64| u64::from(self.symmetry.image(element, NodeId(node as u32)).0);
        let (owner, rest) = (image(vector / per_chip), vector % per_chip);
        let rest = match self.schedule.collective {
            Collective::AllToAll => {
                let parts = u64::from(self.schedule.chunks);
                image(rest / parts) * parts + rest % parts
            }
            _ => rest,
        };
        owner * per_chip + rest
    }

    /// The first cycle in which a vector may leave its source.
    pub(super) fn since(&self, vector: u64) -> u64 {
        let message = messages::message_of(self.timed, vector);
        u64::from(self.timed.start) + message.map_or(0, |message| u64::from(message.earliest))
    }

    /// Whether the collective has a vector of this number.
    fn is_vector(&self, vector: u64) -> bool {
        let takes_part = |node: NodeId| self.scene.is_endpoint(node);
        match self.vectors_per_chip {
            None => vector < u64::from(self.schedule.chunks) * u64::from(self.timed.groups),
            Some(_) => {
                let (owner, destination) = (self.owner(vector), self.destination(vector));
                let is_valid_destination =
                    |to: NodeId| takes_part(to) && Some(to) != owner && self.takes_part(to, vector);
                owner.is_some_and(takes_part) && destination.is_none_or(is_valid_destination)
            }
        }
    }

    /// Number of vectors that start at canonical chips.
    pub(super) fn count(&self) -> u64 {
        let vectors = u64::from(self.schedule.chunks);
        let (chips, canonical) = (self.chips.len() as u64, (self.chips.len() / self.symmetry.order()) as u64);
        match self.schedule.collective {
            Collective::AllToAll => canonical * (chips / u64::from(self.timed.groups) - 1) * vectors,
            // Every message has its images, and no chip is its own image.
            Collective::Send => vectors / self.symmetry.order() as u64,
            Collective::AllGather | Collective::ReduceScatter => canonical * vectors,
            _ => vectors * u64::from(self.timed.groups) / self.symmetry.order() as u64,
        }
    }
}

/// Sorts steps by vector and cycle. If vector numbers are dense, steps are first distributed by vector.
fn sort_by_vector(mut steps: Vec<VectorStep>) -> Vec<VectorStep> {
    let numbers = steps.iter().map(|step| step.vector).max().unwrap_or(0) as usize + 1;
    if numbers > steps.len() {
        steps.par_sort_unstable();
        return steps;
    }
    // `[vector]`: the index of its next step.
    let mut places = vec![0usize; numbers + 1];
    steps.iter().for_each(|step| places[step.vector as usize + 1] += 1);
    for vector in 1..=numbers {
        places[vector] += places[vector - 1];
    }
    let mut sorted = steps.clone();
    for step in steps {
        let place = &mut places[step.vector as usize];
        sorted[*place] = step;
        *place += 1;
    }
    sorted
        .par_chunk_by_mut(|first, second| first.vector == second.vector)
        .for_each(<[VectorStep]>::sort_unstable);
    sorted
}

/// Number of chips per group.
fn group_size(schedule: &Schedule, timed: &Timed, chips: usize) -> Result<usize, CheckError> {
    let groups = timed.groups as usize;
    if groups == 1 {
        return Ok(chips.max(1));
    }
    let is_ungrouped =
        matches!(schedule.collective, Collective::Send | Collective::Broadcast | Collective::Reduce);
    if groups == 0 || chips / groups < 2 || !chips.is_multiple_of(groups) || is_ungrouped || timed.canonical {
        return Err(violation(format!("{chips} chips cannot perform it in {groups} groups")));
    }
    Ok(chips / groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::random::Stream;

    #[test]
    fn steps_are_sorted_however_many_vectors_there_are() {
        let mut draw = Stream::new(1, 0);
        // Numbers of fewer and of more vectors than there are steps.
        for vectors in [1, 17, 1 << 40] {
            let mut step = |_| VectorStep {
                vector: draw.below(vectors) as u64,
                cycle: draw.below(90) as u32,
                from: NodeId(draw.below(9) as u32),
                to: NodeId(draw.below(9) as u32),
                level: 0,
                origin: NodeId(draw.below(9) as u32),
            };
            let steps: Vec<VectorStep> = (0..500).map(&mut step).collect();
            let mut sorted = steps.clone();
            sorted.sort_unstable();
            assert_eq!(sort_by_vector(steps), sorted, "{vectors} vectors");
        }
        assert_eq!(sort_by_vector(Vec::new()), []);
    }
}
