//! The replay of vectors in cycles: where every vector is when, and what every sum is made of.
//!
//! Nothing is known here of ways, trees or groups. Channels are looked at one by one for vectors too close to
//! each other, then vectors one by one, in the order of time. Under a symmetry the sends of canonical chips
//! are carried to where the vector starts at a canonical chip, so that all chips but only such vectors are
//! replayed.

mod bounds;
mod sums;

pub use bounds::cycles_at_least;

use super::{ScheduleError, wrong};
use crate::check::{CheckError, symmetry};
use crate::ids::{Id, NodeId};
use crate::ir::{Scene, Schedule, Symmetry, Timed, TimedSend};
use crate::model::Collective;
use rayon::prelude::*;
use sums::Sums;

/// What a replay has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The cycle in which everything has come, and is summed.
    pub end: u64,
    /// Vectors on the busiest channel.
    pub busiest: u64,
}

/// A vector that crosses a channel, where it starts at a canonical chip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    /// Of a sum the vector, without level and origin.
    vector: u64,
    cycle: u32,
    from: NodeId,
    to: NodeId,
    level: u32,
    origin: NodeId,
}

/// Checks that a plan of vectors does what its collective demands, and that its bounds hold.
///
/// # Errors
/// The first thing that is wrong: a symmetry that is none, a channel that is dark or too close to itself, a
/// vector that is sent before it came, comes twice or never, a sum with a contribution twice or not at all, a
/// bound that does not follow or that is beaten.
pub(super) fn replay(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<Replayed, CheckError> {
    let nodes = scene.topology.node_count();
    if schedule.nodes as usize != nodes || schedule.chunks == 0 || timed.pace.slot == 0 || timed.pace.hop == 0 {
        return Err(wrong(format!("it is not for these {nodes} routers, or has no vectors")));
    }
    sums::recipe(schedule, timed)?;
    if timed.canonical {
        symmetry::automorphisms_of_lit(scene, scene.topology.symmetry())?;
    }
    if (schedule.collective == Collective::Broadcast) != schedule.root.is_some() || (schedule.root.is_some() && timed.canonical) {
        return Err(wrong("only a broadcast has a root, and it has no symmetry".to_owned()));
    }
    if schedule.root.is_some_and(|root| root.index() >= nodes || !scene.is_endpoint(root)) {
        return Err(wrong("its root is no chip that takes part".to_owned()));
    }
    let busiest = channels(scene, timed)?;
    let replay = Replay::new(scene, schedule, timed)?;
    let steps = replay.steps()?;
    let end = replay.run(&steps)?;
    if end != u64::from(timed.end) {
        return Err(wrong(format!("it says that all has come in cycle {}, but that is cycle {end}", timed.end)));
    }
    bounds::bounds(scene, schedule, timed)?;
    Ok(Replayed { end, busiest })
}

/// Checks that no channel carries vectors of two plans too close to each other.
///
/// # Errors
/// The first channel that does.
pub fn together(scene: &Scene<'_>, plans: &[&Timed]) -> Result<(), CheckError> {
    if plans.len() < 2 {
        return Ok(());
    }
    let own = scene.topology.symmetry();
    let mut all: Vec<(NodeId, u16, u32)> = Vec::new();
    let canonical = plans.iter().all(|plan| plan.canonical);
    for plan in plans {
        let images = if plan.canonical && !canonical { own.order() } else { 1 };
        for send in &plan.sends {
            let image = |element| if images > 1 { own.image(element, send.chip) } else { send.chip };
            all.extend((0..images).map(|element| (image(element), send.port.0, send.cycle)));
        }
    }
    all.sort_unstable();
    let slot = plans[0].pace.slot;
    let close = all.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[1].2 - pair[0].2 < slot);
    close.map_or(Ok(()), |pair| Err(too_close(scene, pair[0], pair[1].2)))
}

fn too_close(scene: &Scene<'_>, (chip, port, cycle): (NodeId, u16, u32), next: u32) -> CheckError {
    let (name, ports) = (scene.topology.name(chip), scene.topology.names());
    let what = format!("{name}.{} starts a vector, and another one in cycle {next}", ports.port(crate::ids::PortId(port)));
    ScheduleError::Cycle { cycle, what }.into()
}

/// Checks every channel by itself; gives back how many vectors the busiest carries.
fn channels(scene: &Scene<'_>, timed: &Timed) -> Result<u64, CheckError> {
    let topology = scene.topology;
    let symmetry = topology.symmetry();
    let mut by_channel: Vec<(NodeId, u16, u32)> = Vec::with_capacity(timed.sends.len());
    for (at, send) in timed.sends.iter().enumerate() {
        let TimedSend { cycle, chip, port, .. } = *send;
        let failed = |what: &str| CheckError::from(ScheduleError::Cycle { cycle, what: format!("chip {chip}, port {port}: {what}") });
        if at > 0 && timed.sends[at - 1] >= *send {
            return Err(failed("is listed twice, or out of order"));
        }
        if cycle < timed.start {
            return Err(failed("sends before the plan starts"));
        }
        if chip.index() >= topology.node_count() || !scene.is_endpoint(chip) {
            return Err(failed("is no chip that takes part"));
        }
        if timed.canonical && symmetry.canonical_node(symmetry.class(chip)) != chip {
            return Err(failed("is listed, though the chip is the image of another"));
        }
        let channel = if port.index() < topology.ports() { scene.outgoing(chip, port) } else { None };
        if channel.is_none_or(|channel| !scene.is_endpoint(topology.target(channel).node)) {
            return Err(failed("leads nowhere, is dark, or touches a spare chip"));
        }
        by_channel.push((chip, port.0, cycle));
    }
    by_channel.sort_unstable();
    let mut busiest = 0;
    for of in by_channel.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        busiest = busiest.max(of.len() as u64);
        if let Some(pair) = of.windows(2).find(|pair| pair[1].2 - pair[0].2 < timed.pace.slot) {
            return Err(too_close(scene, pair[0], pair[1].2));
        }
    }
    Ok(busiest)
}

/// What a plan is replayed against.
struct Replay<'a> {
    scene: &'a Scene<'a>,
    schedule: &'a Schedule,
    timed: &'a Timed,
    symmetry: Symmetry,
    chips: Vec<NodeId>,
    nodes: u64,
    /// Numbers of vectors of one chip, where they are numbered by chips.
    each: Option<u64>,
}

impl<'a> Replay<'a> {
    fn new(scene: &'a Scene<'a>, schedule: &'a Schedule, timed: &'a Timed) -> Result<Self, CheckError> {
        let own = scene.topology.symmetry();
        let symmetry = if timed.canonical { own.clone() } else { own.without() };
        let (nodes, vectors) = (schedule.nodes.into(), u64::from(schedule.chunks));
        let each = match schedule.collective {
            Collective::AllToAll => Some(nodes * vectors),
            Collective::AllGather | Collective::ReduceScatter => Some(vectors),
            Collective::AllReduce if timed.canonical && vectors % nodes == 0 => Some(vectors / nodes),
            Collective::AllReduce if timed.canonical => return Err(wrong("its vectors are not the same for every chip".to_owned())),
            _ => None,
        };
        Ok(Self { scene, schedule, timed, symmetry, chips: scene.endpoints().collect(), nodes, each })
    }

    /// The chip whose vector it is.
    fn owner(&self, vector: u64) -> Option<NodeId> {
        let owner = vector / self.each?;
        (owner < self.nodes).then_some(NodeId(owner as u32))
    }

    fn destination(&self, vector: u64) -> Option<NodeId> {
        let to_all = self.schedule.collective != Collective::AllToAll;
        let pair = vector / u64::from(self.schedule.chunks);
        (!to_all).then_some(NodeId((pair % self.nodes) as u32))
    }

    /// All sends, by vector and cycle; each vector that starts at a canonical chip, on all channels.
    fn steps(&self) -> Result<Vec<Step>, CheckError> {
        let Self { scene, timed, symmetry, nodes, .. } = self;
        let topology = scene.topology;
        let step = |send: &TimedSend| {
            let TimedSend { cycle, chip, port, vector } = *send;
            let unknown = || CheckError::from(ScheduleError::Vector { vector, cycle, what: "is none of this collective".to_owned() });
            let channel = scene.outgoing(chip, port).ok_or_else(unknown)?;
            let (vector, level, origin) = match self.schedule.collective.sums() {
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
                return Ok(Step { vector, cycle, from: chip, to, level, origin });
            }
            let image = |node| symmetry.image(home, node);
            Ok(Step { vector: self.image(home, vector), cycle, from: image(chip), to: image(to), level, origin: image(origin) })
        };
        let mut steps = timed.sends.par_iter().map(step).collect::<Result<Vec<Step>, CheckError>>()?;
        steps.par_sort_unstable();
        Ok(steps)
    }

    fn image(&self, element: usize, vector: u64) -> u64 {
        let Some(each) = self.each else { return vector };
        let image = |node: u64| u64::from(self.symmetry.image(element, NodeId(node as u32)).0);
        let (owner, rest) = (image(vector / each), vector % each);
        let rest = match self.schedule.collective {
            Collective::AllToAll => {
                let parts = u64::from(self.schedule.chunks);
                image(rest / parts) * parts + rest % parts
            }
            _ => rest,
        };
        owner * each + rest
    }

    /// Whether there is such a vector.
    fn is_vector(&self, vector: u64) -> bool {
        let takes_part = |node: NodeId| self.scene.is_endpoint(node);
        match self.each {
            None => vector < u64::from(self.schedule.chunks),
            Some(_) => {
                let (owner, destination) = (self.owner(vector), self.destination(vector));
                owner.is_some_and(takes_part) && destination.is_none_or(|to| takes_part(to) && Some(to) != owner)
            }
        }
    }

    /// Vectors that start at canonical chips.
    fn count(&self) -> u64 {
        let vectors = u64::from(self.schedule.chunks);
        let (chips, canonical) = (self.chips.len() as u64, (self.chips.len() / self.symmetry.order()) as u64);
        match self.schedule.collective {
            Collective::AllToAll => canonical * (chips - 1) * vectors,
            Collective::AllGather | Collective::ReduceScatter => canonical * vectors,
            _ => vectors / self.symmetry.order() as u64,
        }
    }

    /// Replays all vectors; gives back when the last one is where it must be.
    fn run(&self, steps: &[Step]) -> Result<u64, CheckError> {
        let vectors: Vec<&[Step]> = steps.chunk_by(|one, other| one.vector == other.vector).collect();
        if vectors.len() as u64 != self.count() {
            return Err(wrong(format!("it sends {} vectors, but there are {}", vectors.len(), self.count())));
        }
        let sums = self.schedule.collective.sums();
        let one = |state: &mut (Vec<u64>, Sums), steps: &&[Step]| match sums {
            true => state.1.replay(self, steps),
            false => self.copies(&mut state.0, steps),
        };
        let new = || (vec![u64::MAX; self.nodes as usize], Sums::new(self.nodes as usize));
        let ends: Vec<Result<u64, CheckError>> = vectors.par_iter().map_init(new, one).collect();
        let mut end = 0;
        for of in ends {
            end = end.max(of?);
        }
        Ok(end)
    }

    /// A vector that is copied: `came[router]` is when, and nothing where the replay ends.
    fn copies(&self, came: &mut [u64], steps: &[Step]) -> Result<u64, CheckError> {
        let vector = steps[0].vector;
        let failed = |cycle: u32, what: String| CheckError::from(ScheduleError::Vector { vector, cycle, what });
        came.fill(u64::MAX);
        let owner = self.owner(vector).or(self.schedule.root).unwrap_or(NodeId(0));
        came[owner.index()] = u64::from(self.timed.start);
        let mut end = 0;
        for step in steps {
            let name = |node| self.scene.topology.name(node);
            if came[step.from.index()] > u64::from(step.cycle) {
                let since = came[step.from.index()];
                let since = if since == u64::MAX { "never".to_owned() } else { format!("in cycle {since}") };
                return Err(failed(step.cycle, format!("leaves {}, where it has come {since}", name(step.from))));
            }
            if came[step.to.index()] != u64::MAX {
                return Err(failed(step.cycle, format!("is sent to {}, which has it", name(step.to))));
            }
            came[step.to.index()] = u64::from(step.cycle) + u64::from(self.timed.pace.hop);
            end = end.max(came[step.to.index()]);
        }
        let lacks = |node: &&NodeId| came[node.index()] == u64::MAX;
        let missing = match self.destination(vector) {
            Some(to) => Some(&to).filter(lacks).copied(),
            None => self.chips.iter().find(lacks).copied(),
        };
        match missing {
            Some(node) => Err(failed(steps[steps.len() - 1].cycle, format!("never comes to {}", self.scene.topology.name(node)))),
            None => Ok(end),
        }
    }
}
