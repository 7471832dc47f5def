//! Schedules for collectives on a finished fabric: by every algorithm, timed size by size.
//!
//! In: a fabric, a scene of it, collectives and sizes. Out: the candidates of each collective by time, a
//! lower bound for all schedules, and the sizes at which the fastest algorithm changes. Invariant: the
//! independent checker has replayed every schedule that is named here.

mod algorithms;
mod declared;
mod errors;
mod grouped;
mod planner;
mod plans;
mod request;
mod scheduled;
mod times;
mod unasked;

pub(crate) use declared::plan_declared;
pub(super) use declared::{check_declared, check_groups_joined, check_router_names};
pub use errors::CollectivesError;
pub(super) use grouped::check_group_sizes;
pub use grouped::{GroupsProblem, check_groups};
pub use request::{CollectivesRequest, RequestedGroups};

use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, ChannelHops, CollectiveCost, CollectiveCrossover, CollectiveOutcome,
    CollectiveRow, ForwardingTables, MessageStarts, Scene, Schedule, cycle_time, hop_cycles, link_cycles,
};
use fabc_model::{Collective, Fabric, SwitchArithmetic};
use planner::Planner;
use std::rc::Rc;
use times::ScheduleTimes;

/// Sizes between which crossovers are searched where no curve is requested, in bytes.
const CURVE: [u64; 2] = [1 << 10, 1 << 32];

/// The most messages of a schedule that is cut into pieces for a run.
const CUT_MESSAGES: u64 = 1 << 18;

/// The fewest flits of a message of such a schedule, if it can have as many. The last flit is filled up.
const CUT_FLITS: u64 = 16;

/// The pieces, the parts and the time of a schedule for a size, without a list of start times. The schedule
/// was planned on this scene, for any size. The time is that with the best number of pieces. There are fewer
/// where these were too many messages, or too small ones.
///
/// # Errors
/// [`CollectivesError::NotPlanned`] for messages without tables, in a scenario that the caller names.
pub(crate) fn timed_starts(
    scene: &Scene<'_>,
    schedule: &Schedule,
    tables: Option<&ForwardingTables>,
    cost: &CollectiveCost,
    bytes: u64,
) -> Result<MessageStarts, CollectivesError> {
    let times = ScheduleTimes::new(scene, schedule, tables)?;
    let starts = |chunks: u32| times.starts(scene, schedule, cost, bytes, chunks, 0);
    if !schedule.is_pipelined() {
        return Ok(starts(schedule.chunks));
    }
    let whole = starts(1);
    let flits = bytes / (u64::from(cost.flit_bytes) * whole.parts.max(1));
    let most = (CUT_MESSAGES / whole.messages.max(1)).min(flits / CUT_FLITS).max(1);
    let best = times.chunks(schedule, cost, bytes, None);
    let cut = starts(u32::try_from(most).unwrap_or(u32::MAX).min(best));
    Ok(MessageStarts { end: starts(best).end, ..cut })
}

/// The cost of a channel of a scene. With a `barrier` all chips wait for each other after every round.
pub(crate) fn channel_cost(
    fabric: &Fabric,
    scene: &Scene<'_>,
    overhead_ps: u64,
    barrier: bool,
) -> CollectiveCost {
    let types = &fabric.link_types;
    let link_type = |link| scene.topology.links()[link].link_type;
    let slowness = |link| (link_cycles(fabric, scene.topology, link), std::cmp::Reverse(link_type(link)));
    let slowest = scene.links().max_by_key(|&link| slowness(link));
    let name = slowest.map_or("", |link| types[link_type(link)].name.as_str());
    let cycles = hop_cycles(fabric, scene.topology);
    let slowest_hop = scene.channels().map(|channel| cycles[channel]).max();
    let slowest_hop = slowest_hop.unwrap_or_else(|| fabric.router_latencies().most.into());
    CollectiveCost {
        hop: cycle_time(slowest_hop, fabric.clock_hz),
        channel_hops: channel_hops(scene, &cycles, fabric.clock_hz),
        hop_cycles: slowest_hop,
        slowest_link: name.to_owned(),
        overhead: u128::from(overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND,
        bandwidth_bps: fabric.capacities.unit_bps(),
        lanes: scene.links().map(|link| scene.topology.capacity(link)).max().unwrap_or(1),
        flit_bytes: fabric.router.flit_bytes,
        barrier,
    }
}

/// The cost of a hop over each channel. `None` where it is the same over all lit channels. `cycles` has the
/// cycles of these hops.
fn channel_hops(scene: &Scene<'_>, cycles: &IdVec<ChannelId, u64>, clock_hz: u64) -> Option<ChannelHops> {
    let topology = scene.topology;
    let lit = || scene.channels().map(|channel| cycles[channel]);
    let (least, greatest) = (lit().min()?, lit().max()?);
    if least == greatest {
        return None;
    }
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
    let mut slowest = vec![0u64; topology.class_count(&symmetry)];
    for channel in scene.channels() {
        let class_hop = &mut slowest[topology.channel_class(&symmetry, channel).index()];
        *class_hop = cycles[channel].max(*class_hop);
    }
    // A dark channel has no image that is lit.
    let image_hop = |channel| slowest[topology.channel_class(&symmetry, channel).index()];
    let time = |cycles: u64| cycle_time(cycles, clock_hz);
    Some(ChannelHops {
        by_channel: topology.channels().map(|channel| time(cycles[channel])).collect(),
        of_images: topology.channels().map(|channel| time(image_hop(channel))).collect(),
        fastest: time(least),
    })
}

/// The surviving routers without hosts.
fn switches<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = NodeId> + 'a {
    scene.topology.nodes().filter(|&node| scene.lives(node) && !scene.is_endpoint(node))
}

/// Whether some switches of a scene copy or add.
pub fn has_switch_arithmetic(fabric: &Fabric, scene: &Scene<'_>) -> bool {
    let works = |node| fabric.router_kind(node).arithmetic != SwitchArithmetic::default();
    switches(scene).any(works)
}

/// Plans the collectives of one scenario.
pub struct ScenarioCollectives<'a> {
    planner: Planner<'a>,
    request: Rc<CollectivesRequest>,
}

impl<'a> ScenarioCollectives<'a> {
    /// Prepares a scene for planning.
    pub fn new(fabric: &Fabric, scene: &'a Scene<'a>, request: &CollectivesRequest) -> Self {
        let cost = channel_cost(fabric, scene, request.overhead_ps, request.barrier);
        let request = Rc::new(request.clone());
        let mut planner = Planner::new(scene, cost, Rc::clone(&request));
        planner.adders = switches(scene).filter(|&node| fabric.router_kind(node).arithmetic.reduce).collect();
        Self { planner, request }
    }

    /// The same with the forwarding tables of the scene, if there are some. Messages follow them, and cannot
    /// be planned without them. `lengths` are lengths of its channel classes, such as those that certify its
    /// concurrent flow. They may give a better bound on an all-to-all than hops do. They may be empty, and
    /// wrong ones prove nothing.
    pub fn along(mut self, tables: Option<&'a ForwardingTables>, lengths: &'a [u64]) -> Self {
        (self.planner.tables, self.planner.lengths) = (tables, lengths);
        self
    }

    /// Whether a collective is little enough work to be planned unasked.
    ///
    /// # Errors
    /// [`CollectivesError::NotPlanned`] where nothing can be planned on the scene.
    pub fn is_tried(&mut self, collective: Collective) -> Result<bool, CollectivesError> {
        self.planner.is_tried(collective)
    }

    /// Whether a collective can only be sent along forwarding tables.
    pub fn is_sent(&self, collective: Collective) -> bool {
        self.planner.is_sent(collective)
    }

    /// The cost of a channel.
    pub fn cost(&self) -> &CollectiveCost {
        &self.planner.cost
    }

    /// Plans every collective at every size.
    ///
    /// # Errors
    /// [`CollectivesError::NotPlanned`] where nothing can be planned on the scene.
    /// [`CollectivesError::Convicted`] where the checker convicts a schedule.
    pub fn rows(&mut self, scenario: &str) -> Result<Vec<CollectiveRow>, CollectivesError> {
        let mut rows = Vec::new();
        for &collective in &Rc::clone(&self.request).collectives {
            for &size in &Rc::clone(&self.request).sizes {
                rows.push(self.planner.row(scenario, collective, size)?);
            }
        }
        Ok(rows)
    }

    /// Plans one collective at one size, in a scenario without a name.
    ///
    /// # Errors
    /// The errors of [`ScenarioCollectives::rows`].
    fn row(&mut self, collective: Collective, size: u64) -> Result<CollectiveRow, CollectivesError> {
        self.planner.row("", collective, size)
    }

    /// Plans one collective at one size, with the schedule of the fastest algorithm.
    ///
    /// # Errors
    /// The errors of [`ScenarioCollectives::rows`].
    pub fn outcome(
        &mut self,
        scenario: &str,
        collective: Collective,
        size: u64,
    ) -> Result<CollectiveOutcome, CollectivesError> {
        let row = self.planner.row(scenario, collective, size)?;
        let schedule = self.planner.schedule(collective, row.best().algorithm, size)?;
        Ok(CollectiveOutcome::new(row, schedule))
    }

    /// Finds the sizes at which the fastest algorithm changes.
    ///
    /// # Errors
    /// The errors of [`ScenarioCollectives::rows`].
    pub fn crossovers(&mut self) -> Result<Vec<CollectiveCrossover>, CollectivesError> {
        let [first, last] = match self.request.sizes[..] {
            [first, .., last] => [first, last],
            _ => CURVE,
        };
        let mut crossovers = Vec::new();
        for &collective in &Rc::clone(&self.request).collectives {
            if !self.planner.has_choice(collective) {
                continue;
            }
            let mut fastest = |size| self.planner.fastest_algorithm(collective, size);
            let (mut low, mut below) = (first, fastest(first)?);
            while low < last {
                let next = low.saturating_mul(2).min(last);
                let above = fastest(next)?;
                let mut high = next;
                while below != above && high - low > 1 + low / 4096 {
                    let middle = low + (high - low) / 2;
                    if fastest(middle)? == below { low = middle } else { high = middle }
                }
                if below != above {
                    crossovers.push(CollectiveCrossover { collective, size: high, below, above });
                }
                (low, below) = (next, above);
            }
        }
        Ok(crossovers)
    }

    /// The fastest schedule of a collective at a size, with the chunks for which its time was reported.
    ///
    /// # Errors
    /// The errors of [`ScenarioCollectives::rows`].
    pub fn schedule(&mut self, collective: Collective, size: u64) -> Result<Schedule, CollectivesError> {
        self.planner.fastest(collective, size)
    }

    /// The start times of the messages of that schedule. They are not listed where there are more than `most`
    /// messages, nor for trees with barriers.
    ///
    /// # Errors
    /// The errors of [`ScenarioCollectives::rows`].
    pub fn starts(
        &mut self,
        collective: Collective,
        size: u64,
        most: u64,
    ) -> Result<MessageStarts, CollectivesError> {
        self.planner.starts(collective, size, most)
    }
}
