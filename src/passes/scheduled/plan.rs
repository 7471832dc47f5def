//! A plan of one collective by one algorithm: what waits for what, and in which cycle it is sent.
//!
//! In: a job and where it is planned. Out: a [`Schedule`] with its bounds. All-to-alls follow `paths`,
//! gathers are floods, sums run along trees or by groups, messages go as `send` deals them; of what is tried
//! in several orders the shortest counts.

use super::bounds::bounds as of_ground;
use super::error::ScheduledError;
use super::flood::{Crossing, Held, Shares, flood};
use super::ground::Ground;
use super::job::{Job, Plan, Site};
use super::list::{Task, Tasks, list, starts};
use super::paths::ways;
use super::reduce::{Groups, Recipe, Sums, Trees};
use super::send;
use super::taken::Taken;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Keyed;
use fabc_ir::{CollectiveBound, Scene, Schedule, Timed, TimedSend, Total, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm, DESKEW_CYCLES, SlotPace};
use rayon::prelude::*;

/// The most sends that a plan lists.
const MOST_SENDS: u64 = 1 << 25;
/// Receptions that all tries of a flood together may take.
const FLOOD_WORK: u64 = 1 << 22;
/// The most tries of a flood, or of an order of ways.
const TRIES: u64 = 24;
/// Vectors of which a channel takes the rarest;
const DRAWN: usize = 12;
/// and of so many receptions that a flood is tried once: then what is drawn costs most, and few do as well.
const DRAWN_ONCE: usize = 4;
/// Receptions from which on a flood is tried once: how one ends differs from the next by a slot or none.
const ONCE: u64 = 1 << 20;

/// Plans a collective by one of its algorithms.
///
/// # Errors
/// A scene for which nothing can be planned, or too much of it; an algorithm that does not fit the scene.
pub fn plan(
    site: Site<'_>,
    job: Job<'_>,
    algorithm: CollectiveAlgorithm,
) -> Result<Schedule, ScheduledError> {
    let SlotPace { slot, deskew, .. } = site.pace;
    if deskew > 0 && deskew < slot.saturating_add(DESKEW_CYCLES) {
        return Err(ScheduledError::Restless { deskew, slot });
    }
    let plain = site.before.iter().any(|timed| !timed.canonical);
    let by_groups = matches!(algorithm, CollectiveAlgorithm::Hops | CollectiveAlgorithm::Portions);
    let symmetric =
        !plain && !by_groups && job.root.is_none() && job.members.is_none() && divides(site.scene, job);
    let symmetric =
        symmetric && job.messages.is_none_or(|messages| send::is_symmetric(site.scene, messages.all));
    let ground = Ground::new(site.scene, symmetric, job.members)?;
    if let Some(root) = job.root.filter(|root| !ground.living.contains(root)) {
        return Err(ScheduledError::Root { root });
    }
    let ends =
        job.messages.iter().flat_map(|messages| messages.all).flat_map(|message| [message.from, message.to]);
    if let Some(router) = ends.into_iter().find(|end| !ground.living.contains(end)) {
        return Err(ScheduledError::NoChip { router: site.scene.topology.name(router) });
    }
    let plan =
        Plan { site, job, ground: &ground, taken: taken(&ground, site.before, (job.start, site.pace.slot)) };
    plan.affordable(algorithm)?;
    if let Some(messages) = job.messages {
        let (sends, bounds) = plan.send(messages);
        return Ok(Schedule { bounds, ..plan.schedule(algorithm, sends, Recipe::NONE) });
    }
    let (sends, recipe) = match job.collective {
        Collective::AllToAll => plan.exchange(),
        Collective::AllGather | Collective::Broadcast => plan.gather(),
        _ => plan.reduce(algorithm)?,
    };
    Ok(plan.schedule(algorithm, sends, recipe))
}

/// What no plan of a collective takes less than.
///
/// # Errors
/// A scene for which nothing can be planned.
pub fn bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Result<Vec<CollectiveBound>, ScheduledError> {
    Ok(of_ground(&Ground::new(scene, root.is_none(), None)?, collective, root))
}

/// What an algorithm takes at least: where everybody is told everything, a channel carries every vector; by
/// portions some channel carries what it does of one turn in every turn. Of groups by themselves a hop.
pub fn least_cycles(site: Site<'_>, job: Job<'_>, algorithm: CollectiveAlgorithm, grouped: bool) -> u32 {
    let starts = match algorithm {
        CollectiveAlgorithm::Hops => job.vectors,
        CollectiveAlgorithm::Portions if !grouped => busiest_of_portions(site, job).unwrap_or(1),
        _ => 1,
    };
    let slots = starts.saturating_sub(1).saturating_mul(u64::from(site.pace.slot));
    u32::try_from(slots).unwrap_or(u32::MAX).saturating_add(site.pace.hop)
}

/// Vectors on the busiest channel in all whole turns of an all-reduce by portions.
fn busiest_of_portions(site: Site<'_>, job: Job<'_>) -> Option<u64> {
    let ground = Ground::new(site.scene, false, job.members).ok()?;
    if 2 * u128::from(job.vectors) * ground.living.len() as u128 > u128::from(MOST_SENDS) {
        return None;
    }
    let groups = Groups::new(&ground, job.block, CollectiveAlgorithm::Portions).ok()?;
    let turn = groups.turn().filter(|&turn| groups.len() > 1 && turn <= job.vectors)?;
    let mut carried = vec![0u64; ground.lanes.len()];
    groups.portions(turn).tasks.all.iter().for_each(|task| carried[task.lane as usize] += 1);
    Some(carried.into_iter().max()? * (job.vectors / turn))
}

/// Whether every chip has as many vectors as any other.
fn divides(scene: &Scene<'_>, job: Job<'_>) -> bool {
    job.collective != Collective::AllReduce
        || job.vectors.is_multiple_of(scene.endpoints().count().max(1) as u64)
}

/// The cycles of what was planned before, by lane.
fn taken(ground: &Ground<'_>, before: &[&Timed], (start, slot): (u32, u32)) -> Taken {
    let mut starts: Vec<(usize, u32)> = Vec::new();
    for timed in before.iter().filter(|timed| timed.free() > start) {
        let topology = ground.scene.topology;
        let own = topology.symmetry();
        let images = if timed.canonical && !ground.is_canonical() { own.order() } else { 1 };
        for send in &timed.sends {
            for element in 0..images {
                let chip = if images > 1 { own.image(element, send.chip) } else { send.chip };
                // What others use between them is no matter of those who take part.
                let lane = ground.find_lane(ground.symmetry.class(chip), send.port);
                starts.extend(lane.map(|lane| (lane, send.cycle)));
            }
        }
    }
    if starts.is_empty() {
        return Taken::default();
    }
    starts.sort_unstable();
    let mut taken = Taken::of(ground.lanes.len());
    starts.into_iter().for_each(|(lane, cycle)| taken.take(lane, cycle, slot));
    taken
}

/// The first of some tries after which least time has passed; when one has taken as little as any can, no
/// more are made.
fn shortest<T: Send>(
    tries: u64,
    least: u32,
    one: impl Fn(u64) -> T + Sync,
    end: impl Fn(&T) -> u32,
) -> Option<T> {
    let mut best: Option<T> = None;
    // At a time as many as run at once: which is best does not depend on how many those are.
    let together = rayon::current_num_threads() as u64;
    let mut begun = 0;
    while begun < tries && best.as_ref().is_none_or(|best| end(best) > least) {
        let next = tries.min(begun + together);
        let found: Vec<T> = (begun..next).into_par_iter().map(&one).collect();
        best = best.into_iter().chain(found).min_by_key(&end);
        begun = next;
    }
    best
}

/// Sends by cycle, chip and port. Most cycles of a plan have many of them: those are brought together first.
fn in_order(mut sends: Vec<TimedSend>) -> Vec<TimedSend> {
    let cycles = sends.iter().map(|send| send.cycle);
    let (first, last) = (cycles.clone().min().unwrap_or(0), cycles.max().unwrap_or(0));
    let days = (last - first) as usize + 1;
    if days > sends.len() {
        sends.par_sort_unstable();
        return sends;
    }
    let mut counts = vec![0u32; days];
    sends.iter().for_each(|send| counts[(send.cycle - first) as usize] += 1);
    let mut next = starts(counts.into_iter());
    let mut sorted = sends.clone();
    for send in sends {
        let place = &mut next[(send.cycle - first) as usize];
        sorted[*place as usize] = send;
        *place += 1;
    }
    sorted.par_chunk_by_mut(|one, other| one.cycle == other.cycle).for_each(<[TimedSend]>::sort_unstable);
    sorted
}

/// The cycle in which the last one starts.
fn last_of(crossings: &[Crossing]) -> u32 {
    crossings.iter().map(|crossing| crossing.cycle).max().unwrap_or(0)
}

/// What is sent, and what sums are made of.
type Sent = (Vec<TimedSend>, Recipe);

impl Plan<'_> {
    fn affordable(&self, algorithm: CollectiveAlgorithm) -> Result<(), ScheduledError> {
        let (chips, all) = (self.ground.living.len() as u128, self.ground.chips.len() as u128);
        let vectors = u128::from(self.job.vectors);
        let sends = match (self.job.collective, algorithm) {
            (Collective::AllReduce, CollectiveAlgorithm::Hops) => vectors * chips * chips,
            (Collective::AllReduce, _) => 2 * vectors * chips / (self.ground.symmetry.order() as u128).max(1),
            (Collective::Broadcast, _) => vectors * chips,
            // Ways of so many hops are rare.
            (Collective::Send, _) => vectors * 8,
            _ => vectors * chips * all,
        };
        let most = MOST_SENDS;
        if sends > u128::from(most) { Err(ScheduledError::TooLarge { sends, most }) } else { Ok(()) }
    }

    /// Vectors between all pairs.
    fn exchange(&self) -> Sent {
        let Self { ground, job, site, .. } = self;
        let ways = ways(ground, job.seed);
        let nodes = ground.nodes() as u64;
        let mut tasks = Tasks::default();
        let mut vectors: Vec<u64> = Vec::new();
        for part in 0..job.vectors {
            for way in &ways {
                let mut at = way.source;
                let number =
                    (u64::from(way.source.0) * nodes + u64::from(way.destination.0)) * job.vectors + part;
                let mut before = None;
                for (done, &lane) in way.lanes.iter().enumerate() {
                    let rank = (way.lanes.len() - done) as u32;
                    let task = Task { lane, rank, sums: false };
                    before = Some(tasks.add(task, before.as_slice()));
                    vectors.push(self.taken_home(at, number));
                    at = ground.leave(at, lane as usize);
                }
            }
        }
        let tries = (FLOOD_WORK / tasks.all.len().max(1) as u64).clamp(1, TRIES);
        let least = tasks.least(ground.lanes.len(), site.pace) + job.start;
        let order = |number: u64| {
            let keyed = Keyed::new(job.seed, 2 + number);
            let first = |task: u32| (tasks.all[task as usize].rank, (keyed.at(task, 0) >> 40) as u32);
            list(&tasks, ground.ends(), (&self.taken, site.pace), job.start, first)
        };
        let last = |cycles: &Vec<u32>| cycles.iter().max().copied().unwrap_or(0);
        let best = shortest(tries, least, order, last).unwrap_or_default();
        (self.sends(&tasks, &best, &vectors), Recipe::NONE)
    }

    /// What a message is called where the chip that it is at has been taken home.
    fn taken_home(&self, at: NodeId, number: u64) -> u64 {
        let symmetry = &self.ground.symmetry;
        let home = symmetry.inverse(symmetry.element_to(at));
        if home == 0 {
            return number;
        }
        let (nodes, parts) = (self.ground.nodes() as u64, self.job.vectors);
        let (pair, part) = (number / parts, number % parts);
        let [from, to] =
            [pair / nodes, pair % nodes].map(|node| u64::from(symmetry.image(home, NodeId(node as u32)).0));
        (from * nodes + to) * parts + part
    }

    /// Everybody's vectors, or those of the root.
    fn gather(&self) -> Sent {
        let owners: Vec<NodeId> =
            self.job.root.map_or_else(Vec::new, |root| vec![root; self.job.vectors as usize]);
        let held = if self.job.root.is_some() { Held::By(&owners) } else { Held::Each(self.job.vectors) };
        let crossings = self.flood(held, (self.site.pace, &Shares::default()), &self.taken);
        let send = |crossing: &Crossing| {
            let lane = &self.ground.lanes[crossing.lane as usize];
            TimedSend {
                cycle: crossing.cycle,
                chip: self.ground.chips[lane.from],
                port: lane.port,
                vector: crossing.vector,
            }
        };
        (crossings.iter().map(send).collect(), Recipe::NONE)
    }

    /// The shortest of some floods.
    fn flood(&self, held: Held<'_>, (pace, shares): (SlotPace, &Shares), taken: &Taken) -> Vec<Crossing> {
        let receptions = held.count(self.ground) * self.ground.chips.len() as u64;
        let (tries, drawn) = match receptions {
            ONCE.. => (1, DRAWN_ONCE),
            fewer => ((FLOOD_WORK / fewer.max(1)).clamp(1, TRIES), DRAWN),
        };
        let one = |number: u64| {
            flood(
                self.ground,
                held,
                (pace, shares),
                (self.job.start, taken),
                (drawn, self.job.seed.wrapping_add(number)),
            )
        };
        shortest(tries, held.least(self.ground, pace) + self.job.start, one, |crossings| last_of(crossings))
            .unwrap_or_default()
    }

    fn reduce(&self, algorithm: CollectiveAlgorithm) -> Result<Sent, ScheduledError> {
        let Self { ground, job, .. } = self;
        let all = job.collective == Collective::AllReduce;
        let sums = match algorithm {
            CollectiveAlgorithm::Hops => Groups::new(ground, job.block, algorithm)?.hops(job.vectors),
            CollectiveAlgorithm::Portions => {
                let groups = Groups::new(ground, job.block, algorithm)?;
                if groups.len() < 2 {
                    return Err(ScheduledError::NoGroups { algorithm: algorithm.name() });
                }
                groups.portions(job.vectors)
            }
            _ => return Ok(self.trees(all)),
        };
        let cycles = self.listed(&sums, |vector| vector as u32, (0, u32::MAX));
        Ok((self.sends(&sums.tasks, &cycles, &sums.values), sums.recipe))
    }

    /// The cycles of tasks in the order of their ranks, those of the first of so many turns raised by
    /// `spread`, of later ones by less; of equal ones those of the vector whose turn is first.
    fn listed(&self, sums: &Sums, turn: impl Fn(u64) -> u32 + Sync, (spread, turns): (u32, u32)) -> Vec<u32> {
        let Sums { tasks, values, recipe } = sums;
        let (levels, nodes) = (recipe.sums.len() as u64 + 1, self.ground.nodes() as u64);
        let first = |task: u32| {
            let turn = turn(values[task as usize] / nodes / levels);
            let raised = u64::from(spread) * u64::from(turns - turn) / u64::from(turns);
            (tasks.all[task as usize].rank + raised as u32, !turn)
        };
        list(tasks, self.ground.ends(), (&self.taken, self.site.pace), self.job.start, first)
    }

    /// The trees of a flood: run backwards as they are, then forwards; or listed anew, if that is shorter.
    fn trees(&self, all: bool) -> Sent {
        let Self { ground, job, site, .. } = self;
        let (vectors, chips) = (job.vectors, ground.living.len() as u64);
        let owners: Vec<NodeId> =
            (0..vectors).map(|vector| ground.living[(vector * chips / vectors) as usize]).collect();
        let held = match all {
            true if ground.is_canonical() => Held::Each(vectors / chips),
            true => Held::By(&owners),
            false => Held::Each(vectors),
        };
        // A vector that came is summed before it is sent on.
        let pace = SlotPace { hop: site.pace.hop + site.pace.reduce, deskew: 0, ..site.pace };
        let shares = if all { Shares::even(ground, held, pace.slot) } else { Shares::default() };
        let crossings = self.flood(held, (pace, &shares), &Taken::default());
        let trees = Trees::new(ground, held, &crossings);
        let mut sums = trees.tasks(all);
        sums.tasks.rank_by_tail(site.pace);
        // The first vector of every chip, then all second ones.
        let mut turns = vec![0u32; ground.nodes()];
        let mut next = |owner: &NodeId| {
            turns[owner.index()] += 1;
            turns[owner.index()] - 1
        };
        let owned: Vec<u32> =
            if let Held::By(owners) = held { owners.iter().map(&mut next).collect() } else { Vec::new() };
        let turn = |vector: u64| match held {
            Held::Each(each) => (vector % each) as u32,
            Held::By(_) => owned[vector as usize],
        };
        // What comes in its first turn may be told while later turns are still summed: all at once leaves
        // channels idle while the last sums are made, and again while the last of them are told.
        let longest = sums.tasks.all.iter().map(|task| task.rank).max().unwrap_or(0);
        let turns = 1 + (0..vectors).map(turn).max().unwrap_or(0);
        let spreads: &[u32] = match sums.tasks.all.len() as u64 {
            _ if !all || turns == 1 => &[0],
            // Of many turns the spread one has always been shorter.
            ONCE.. => &[longest / 2],
            _ => &[0, longest / 2],
        };
        let one = |&spread: &u32| self.listed(&sums, turn, (spread, turns));
        let tried = spreads.par_iter().map(one).collect::<Vec<_>>();
        let cycles = tried.into_iter().min_by_key(|cycles| cycles.iter().max().copied()).unwrap_or_default();
        let last = last_of(&crossings);
        let took = last.saturating_sub(job.start) + pace.hop;
        // Told forwards after all is summed: the flood ends as late as it does. A channel that has just
        // carried a sum is free after a slot, which may be longer than a hop.
        let forth = took + site.pace.slot.saturating_sub(pace.hop);
        let run = if all { last + forth } else { job.start + took - pace.hop };
        let as_listed = cycles.iter().max().copied().unwrap_or(0);
        if as_listed < run || !self.taken.is_empty() || site.pace.deskew > 0 {
            return (self.sends(&sums.tasks, &cycles, &sums.values), sums.recipe);
        }
        let levels = sums.recipe.levels();
        let mut sends = Vec::new();
        for (at, crossing) in crossings.iter().enumerate() {
            let (lane, vector) = trees.back(at, levels);
            let lane = &ground.lanes[lane];
            let before_end = crossing.cycle - job.start + pace.hop;
            sends.push(TimedSend {
                cycle: job.start + took - before_end,
                chip: ground.chips[lane.from],
                port: lane.port,
                vector,
            });
            if all {
                let (lane, vector) = (&ground.lanes[crossing.lane as usize], trees.forth(at, levels));
                sends.push(TimedSend {
                    cycle: crossing.cycle + forth,
                    chip: ground.chips[lane.from],
                    port: lane.port,
                    vector,
                });
            }
        }
        (sends, sums.recipe)
    }

    fn sends(&self, tasks: &Tasks, cycles: &[u32], vectors: &[u64]) -> Vec<TimedSend> {
        let send = |((task, &cycle), &vector): ((&Task, &u32), &u64)| {
            let lane = &self.ground.lanes[task.lane as usize];
            TimedSend { cycle, chip: self.ground.chips[lane.from], port: lane.port, vector }
        };
        tasks.all.iter().zip(cycles).zip(vectors).map(send).collect()
    }

    fn schedule(&self, algorithm: CollectiveAlgorithm, sends: Vec<TimedSend>, recipe: Recipe) -> Schedule {
        let Self { ground, job, site, .. } = self;
        let sends = in_order(sends);
        let canonical = ground.is_canonical();
        let Recipe { sums, result } = recipe;
        // A result that chips are told needs no addition after it has come.
        let summed = if job.collective.sums() && result != Total::Told { site.pace.reduce } else { 0 };
        let end = sends.last().map_or(job.start, |last| last.cycle + site.pace.hop + summed);
        let messages = job.messages.map_or_else(Vec::new, |messages| messages.all.to_vec());
        let groups = 1;
        let timed = Timed {
            canonical,
            groups,
            pace: site.pace,
            clock_hz: site.clock_hz,
            start: job.start,
            end,
            sums,
            result,
            messages,
            sends,
        };
        Schedule {
            collective: job.collective,
            algorithm,
            seed: job.seed,
            nodes: ground.nodes() as u32,
            chunks: job.vectors as u32,
            root: job.root,
            transfers: Transfers::Timed(timed),
            bounds: of_ground(ground, job.collective, job.root),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::ids::PortId;
    use fabc_base::random::Stream;

    #[test]
    fn sends_are_sorted_however_close_they_are() {
        let mut draw = Stream::new(1, 0);
        // In fewer and in more cycles than there are sends.
        for cycles in [1, 17, 100_000] {
            let mut send = |_| TimedSend {
                cycle: 1000 + draw.below(cycles) as u32,
                chip: NodeId(draw.below(9) as u32),
                port: PortId(draw.below(4) as u16),
                vector: draw.below(50) as u64,
            };
            let sends: Vec<TimedSend> = (0..500).map(&mut send).collect();
            let mut sorted = sends.clone();
            sorted.sort_unstable();
            assert_eq!(in_order(sends), sorted, "{cycles} cycles");
        }
        assert_eq!(in_order(Vec::new()), []);
    }
}
