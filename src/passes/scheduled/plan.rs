//! The schedule of one collective by one algorithm: which send waits for which, and the cycle of each send.
//!
//! Input: a job and its site. Output: a [`Schedule`] with its bounds. All-to-alls follow `paths`, and gathers
//! are floods. Sums run along trees or by groups, and `send` deals messages to paths. Where several orders
//! are tried the shortest schedule counts.

use super::bounds::collective_bounds;
use super::busy::BusyCycles;
use super::error::ScheduledError;
use super::flood::{FloodSetting, InitialVectors, Shares, VectorCrossing, flood};
use super::graph::LaneGraph;
use super::job::{PlanningSite, VectorJob, VectorPlanner};
use super::list::{LaneTask, Tasks, schedule_tasks, starts};
use super::paths::balanced_paths;
use super::reduce::{ChipGroups, Recipe};
use super::send;
use fabc_base::ids::NodeId;
use fabc_base::random::KeyedStream;
use fabc_ir::{CollectiveBound, ResultRule, Scene, Schedule, Timed, TimedSend, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm, DESKEW_CYCLES, SlotPace};
use rayon::prelude::*;

/// Limit on the sends of a schedule.
const SENDS_LIMIT: u64 = 1 << 25;
/// Limit on the receptions of all tries of a flood together.
const FLOOD_WORK: u64 = 1 << 22;
/// Limit on the tries of a flood, or of an order of paths.
const TRIES_LIMIT: u64 = 24;
/// Number of vectors of which a channel takes the rarest.
const CANDIDATES: usize = 12;
/// The same number for a flood that is tried once. Draws cost the most then, and few candidates do as well.
const CANDIDATES_OF_LARGE_FLOOD: usize = 4;
/// Receptions from which on a flood is tried once. The lengths of such floods differ by a slot or less.
pub(super) const SINGLE_TRY_RECEPTIONS: u64 = 1 << 20;

/// Plans a collective by one of its algorithms.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, too many sends, and an algorithm that does not fit the
/// scene.
pub fn plan(
    site: PlanningSite<'_>,
    job: VectorJob<'_>,
    algorithm: CollectiveAlgorithm,
) -> Result<Schedule, ScheduledError> {
    let SlotPace { slot, deskew, .. } = site.pace;
    if deskew > 0 && deskew < slot.saturating_add(DESKEW_CYCLES) {
        return Err(ScheduledError::Restless { deskew, slot });
    }
    let has_asymmetric = site.earlier.iter().any(|timed| !timed.canonical);
    let by_groups = matches!(algorithm, CollectiveAlgorithm::Hops | CollectiveAlgorithm::Portions);
    let symmetric = !has_asymmetric
        && !by_groups
        && job.root.is_none()
        && job.members.is_none()
        && vectors_divide_evenly(site.scene, job);
    let symmetric =
        symmetric && job.messages.is_none_or(|messages| send::is_symmetric(site.scene, messages.list));
    let graph = LaneGraph::new(site.scene, symmetric, job.members)?;
    if let Some(root) = job.root.filter(|root| !graph.participants.contains(root)) {
        return Err(ScheduledError::Root { root });
    }
    let endpoints =
        job.messages.iter().flat_map(|messages| messages.list).flat_map(|message| [message.from, message.to]);
    if let Some(router) = endpoints.into_iter().find(|end| !graph.participants.contains(end)) {
        return Err(ScheduledError::NoChip { router: site.scene.topology.name(router) });
    }
    let plan = VectorPlanner {
        site,
        job,
        graph: &graph,
        busy: busy_cycles(&graph, site.earlier, job.start, site.pace.slot),
    };
    plan.check_send_limit(algorithm)?;
    if let Some(messages) = job.messages {
        let (sends, bounds) = plan.send(messages);
        return Ok(Schedule { bounds, ..plan.schedule(algorithm, sends, Recipe::NONE) });
    }
    let (sends, recipe) = match job.collective {
        Collective::AllToAll => plan.all_to_all(),
        Collective::AllGather | Collective::Broadcast => plan.gather(),
        _ => plan.sum_vectors(algorithm)?,
    };
    Ok(plan.schedule(algorithm, sends, recipe))
}

/// Lower bounds that hold for every schedule of a collective.
///
/// # Errors
/// Refuses a scene in which nothing can be planned.
pub fn bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Result<Vec<CollectiveBound>, ScheduledError> {
    Ok(collective_bounds(&LaneGraph::new(scene, root.is_none(), None)?, collective, root))
}

/// Lower bound on the cycles of an algorithm. By hops, a channel carries every vector, because every chip
/// receives all data. By portions, the busiest channel of one turn carries as much in every turn. For
/// separate groups the bound is one hop.
pub fn least_cycles(
    site: PlanningSite<'_>,
    job: VectorJob<'_>,
    algorithm: CollectiveAlgorithm,
    grouped: bool,
) -> u32 {
    let starts = match algorithm {
        CollectiveAlgorithm::Hops => job.vectors,
        CollectiveAlgorithm::Portions if !grouped => busiest_of_portions(site, job).unwrap_or(1),
        _ => 1,
    };
    let slots = starts.saturating_sub(1).saturating_mul(u64::from(site.pace.slot));
    u32::try_from(slots).unwrap_or(u32::MAX).saturating_add(site.pace.hop)
}

/// Vectors on the busiest channel in all whole turns of an all-reduce by portions.
fn busiest_of_portions(site: PlanningSite<'_>, job: VectorJob<'_>) -> Option<u64> {
    let graph = LaneGraph::new(site.scene, false, job.members).ok()?;
    if 2 * u128::from(job.vectors) * graph.participants.len() as u128 > u128::from(SENDS_LIMIT) {
        return None;
    }
    let groups = ChipGroups::new(&graph, job.block, CollectiveAlgorithm::Portions).ok()?;
    let turn = groups.vectors_per_turn().filter(|&turn| groups.len() > 1 && turn <= job.vectors)?;
    let mut carried = vec![0u64; graph.lanes.len()];
    groups
        .all_reduce_by_portions(turn)
        .tasks
        .entries
        .iter()
        .for_each(|task| carried[task.lane as usize] += 1);
    Some(carried.into_iter().max()? * (job.vectors / turn))
}

/// Whether every chip has the same number of vectors.
fn vectors_divide_evenly(scene: &Scene<'_>, job: VectorJob<'_>) -> bool {
    job.collective != Collective::AllReduce
        || job.vectors.is_multiple_of(scene.endpoints().count().max(1) as u64)
}

/// The cycles of earlier schedules, by lane.
fn busy_cycles(graph: &LaneGraph<'_>, earlier: &[&Timed], start: u32, slot: u32) -> BusyCycles {
    let mut starts: Vec<(usize, u32)> = Vec::new();
    for timed in earlier.iter().filter(|timed| timed.free_from() > start) {
        let topology = graph.scene.topology;
        let symmetry = topology.symmetry();
        let images = if timed.canonical && !graph.is_canonical() { symmetry.order() } else { 1 };
        for send in &timed.sends {
            for element in 0..images {
                let chip = if images > 1 { symmetry.image(element, send.chip) } else { send.chip };
                // Channels that are outside the graph do not matter to the chips that take part.
                let lane = graph.find_lane(graph.symmetry.class(chip), send.port);
                starts.extend(lane.map(|lane| (lane, send.cycle)));
            }
        }
    }
    if starts.is_empty() {
        return BusyCycles::default();
    }
    starts.sort_unstable();
    let mut busy = BusyCycles::new(graph.lanes.len());
    starts.into_iter().for_each(|(lane, cycle)| busy.take(lane, cycle, slot));
    busy
}

/// The shortest result of some tries, the first of equal ones. Stops when a result reaches the lower bound.
fn shortest_try<T: Send>(
    tries: u64,
    lower_bound: u32,
    make: impl Fn(u64) -> T + Sync,
    last_cycle_of: impl Fn(&T) -> u32,
) -> Option<T> {
    let mut best: Option<T> = None;
    // As many tries at once as threads exist. The result does not depend on that number.
    let at_once = rayon::current_num_threads() as u64;
    let mut started = 0;
    while started < tries && best.as_ref().is_none_or(|best| last_cycle_of(best) > lower_bound) {
        let next = tries.min(started + at_once);
        let tries_made: Vec<T> = (started..next).into_par_iter().map(&make).collect();
        best = best.into_iter().chain(tries_made).min_by_key(&last_cycle_of);
        started = next;
    }
    best
}

/// Sends sorted by cycle, chip and port. Most cycles have many sends, so sends are first sorted by cycle with
/// counters.
fn sort_sends(mut sends: Vec<TimedSend>) -> Vec<TimedSend> {
    let cycles = sends.iter().map(|send| send.cycle);
    let (first, last) = (cycles.clone().min().unwrap_or(0), cycles.max().unwrap_or(0));
    let cycle_count = (last - first) as usize + 1;
    if cycle_count > sends.len() {
        sends.par_sort_unstable();
        return sends;
    }
    let mut counts = vec![0u32; cycle_count];
    sends.iter().for_each(|send| counts[(send.cycle - first) as usize] += 1);
    let mut next = starts(counts.into_iter());
    let mut sorted = sends.clone();
    for send in sends {
        let next_index = &mut next[(send.cycle - first) as usize];
        sorted[*next_index as usize] = send;
        *next_index += 1;
    }
    sorted.par_chunk_by_mut(|a, b| a.cycle == b.cycle).for_each(<[TimedSend]>::sort_unstable);
    sorted
}

/// The cycle in which the last crossing starts.
pub(super) fn last_cycle(crossings: &[VectorCrossing]) -> u32 {
    crossings.iter().map(|crossing| crossing.cycle).max().unwrap_or(0)
}

/// The sends, and how sums are composed.
pub(super) type SendsAndRecipe = (Vec<TimedSend>, Recipe);

impl VectorPlanner<'_> {
    fn check_send_limit(&self, algorithm: CollectiveAlgorithm) -> Result<(), ScheduledError> {
        let (chips, canonical_chips) =
            (self.graph.participants.len() as u128, self.graph.chips.len() as u128);
        let vectors = u128::from(self.job.vectors);
        let sends = match (self.job.collective, algorithm) {
            (Collective::AllReduce, CollectiveAlgorithm::Hops) => vectors * chips * chips,
            (Collective::AllReduce, _) => 2 * vectors * chips / (self.graph.symmetry.order() as u128).max(1),
            (Collective::Broadcast, _) => vectors * chips,
            // Paths of more than 8 hops are rare.
            (Collective::Send, _) => vectors * 8,
            _ => vectors * chips * canonical_chips,
        };
        let limit = SENDS_LIMIT;
        if sends > u128::from(limit) { Err(ScheduledError::TooLarge { sends, most: limit }) } else { Ok(()) }
    }

    /// The sends of vectors between all pairs.
    fn all_to_all(&self) -> SendsAndRecipe {
        let Self { graph, job, site, .. } = self;
        let paths = balanced_paths(graph, job.seed);
        let nodes = graph.nodes() as u64;
        let mut tasks = Tasks::default();
        let mut vectors: Vec<u64> = Vec::new();
        for part in 0..job.vectors {
            for path in &paths {
                let mut router = path.source;
                let number =
                    (u64::from(path.source.0) * nodes + u64::from(path.destination.0)) * job.vectors + part;
                let mut predecessor = None;
                for (hops_done, &lane) in path.lanes.iter().enumerate() {
                    let rank = (path.lanes.len() - hops_done) as u32;
                    let task = LaneTask { lane, rank, sums: false };
                    predecessor = Some(tasks.add(task, predecessor.as_slice()));
                    vectors.push(self.rename_at_home(router, number));
                    router = graph.target_of(router, lane as usize);
                }
            }
        }
        let tries = (FLOOD_WORK / tasks.entries.len().max(1) as u64).clamp(1, TRIES_LIMIT);
        let lower_bound = tasks.least_cycles(graph.lanes.len(), site.pace) + job.start;
        let order = |number: u64| {
            let keyed = KeyedStream::new(job.seed, 2 + number);
            let rank_and_tie =
                |task: u32| (tasks.entries[task as usize].rank, (keyed.number(task, 0) >> 40) as u32);
            schedule_tasks(&tasks, graph.lane_ends(), &self.busy, site.pace, job.start, rank_and_tie)
        };
        let last = |cycles: &Vec<u32>| cycles.iter().max().copied().unwrap_or(0);
        let best = shortest_try(tries, lower_bound, order, last).unwrap_or_default();
        (self.sends(&tasks, &best, &vectors), Recipe::NONE)
    }

    /// The number of a message after the symmetry has taken the router that it is at to its canonical one.
    fn rename_at_home(&self, router: NodeId, number: u64) -> u64 {
        let symmetry = &self.graph.symmetry;
        let to_canonical = symmetry.inverse(symmetry.element_to(router));
        if to_canonical == 0 {
            return number;
        }
        let (nodes, parts) = (self.graph.nodes() as u64, self.job.vectors);
        let (pair, part) = (number / parts, number % parts);
        let [from, to] = [pair / nodes, pair % nodes]
            .map(|node| u64::from(symmetry.image(to_canonical, NodeId(node as u32)).0));
        (from * nodes + to) * parts + part
    }

    /// The vectors of all chips, or those of the root.
    fn gather(&self) -> SendsAndRecipe {
        let owners: Vec<NodeId> =
            self.job.root.map_or_else(Vec::new, |root| vec![root; self.job.vectors as usize]);
        let initial = if self.job.root.is_some() {
            InitialVectors::By(&owners)
        } else {
            InitialVectors::Each(self.job.vectors)
        };
        let crossings = self.flood(initial, self.site.pace, &Shares::default(), &self.busy);
        let send = |crossing: &VectorCrossing| {
            let lane = &self.graph.lanes[crossing.lane as usize];
            TimedSend {
                cycle: crossing.cycle,
                chip: self.graph.chips[lane.from],
                port: lane.port,
                vector: crossing.vector,
            }
        };
        (crossings.iter().map(send).collect(), Recipe::NONE)
    }

    /// The shortest of some floods.
    pub(super) fn flood(
        &self,
        initial: InitialVectors<'_>,
        pace: SlotPace,
        shares: &Shares,
        busy: &BusyCycles,
    ) -> Vec<VectorCrossing> {
        let receptions = initial.count(self.graph) * self.graph.chips.len() as u64;
        let (tries, candidates) = match receptions {
            SINGLE_TRY_RECEPTIONS.. => (1, CANDIDATES_OF_LARGE_FLOOD),
            fewer => ((FLOOD_WORK / fewer.max(1)).clamp(1, TRIES_LIMIT), CANDIDATES),
        };
        let (graph, start) = (self.graph, self.job.start);
        let setting = FloodSetting { graph, initial, pace, shares, start, busy, candidates };
        let one_flood = |number: u64| flood(setting, self.job.seed.wrapping_add(number));
        shortest_try(tries, initial.least_cycles(self.graph, pace) + self.job.start, one_flood, |crossings| {
            last_cycle(crossings)
        })
        .unwrap_or_default()
    }

    pub(super) fn sends(&self, tasks: &Tasks, cycles: &[u32], vectors: &[u64]) -> Vec<TimedSend> {
        let send = |((task, &cycle), &vector): ((&LaneTask, &u32), &u64)| {
            let lane = &self.graph.lanes[task.lane as usize];
            TimedSend { cycle, chip: self.graph.chips[lane.from], port: lane.port, vector }
        };
        tasks.entries.iter().zip(cycles).zip(vectors).map(send).collect()
    }

    fn schedule(&self, algorithm: CollectiveAlgorithm, sends: Vec<TimedSend>, recipe: Recipe) -> Schedule {
        let Self { graph, job, site, .. } = self;
        let sends = sort_sends(sends);
        let canonical = graph.is_canonical();
        let Recipe { sums, result } = recipe;
        // A result that chips receive as a whole needs no addition afterwards.
        let summed =
            if job.collective.adds_up() && result != ResultRule::Told { site.pace.reduce } else { 0 };
        let end = sends.last().map_or(job.start, |last| last.cycle + site.pace.hop + summed);
        let messages = job.messages.map_or_else(Vec::new, |messages| messages.list.to_vec());
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
            nodes: graph.nodes() as u32,
            chunks: job.vectors as u32,
            root: job.root,
            groups: None,
            transfers: Transfers::Timed(timed),
            bounds: collective_bounds(graph, job.collective, job.root),
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
            assert_eq!(sort_sends(sends), sorted, "{cycles} cycles");
        }
        assert_eq!(sort_sends(Vec::new()), []);
    }
}
