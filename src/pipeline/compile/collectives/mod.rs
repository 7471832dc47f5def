//! What collectives take on a finished fabric: schedules by every algorithm, timed size by size.
//!
//! Comes in: a fabric, a scene of it, which collectives and sizes. Goes out: the candidates of each by time,
//! beside what no schedule goes below, and the sizes at which the fastest changes. Invariant: whatever is
//! named here, the independent checker has replayed first.

mod algorithms;
mod asked;
mod declared;
mod errors;
mod planner;
mod scheduled;
mod times;

pub use asked::CollectivesAsked;
pub(super) use declared::{are_in_joined_groups, named_routers, plannable};
pub use errors::CollectivesError;

use fabc_base::ids::Id;
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, CollectiveCost, CollectiveCrossover, CollectiveOutcome, CollectiveRow,
    ForwardingTables, LinkHops, Scene, Schedule, Starts, cycle_time, hop_cycles, link_cycles,
};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric};
use planner::{Along, Planner};

/// Sizes between which crossovers are looked for where no curve is asked for, bytes.
const CURVE: [u64; 2] = [1 << 10, 1 << 32];

/// What one channel of a scene takes.
fn cost(fabric: &Fabric, scene: &Scene<'_>, asked: &CollectivesAsked) -> CollectiveCost {
    let types = &fabric.link_types;
    let of = |link| scene.topology.links()[link].link_type;
    let over = |link| (link_cycles(fabric, scene.topology, link), std::cmp::Reverse(of(link)));
    let slowest = scene.links().max_by_key(|&link| over(link));
    let (cycles, name) = slowest.map_or((0, ""), |link| (over(link).0, types[of(link)].name.as_str()));
    let hop_cycles = u64::from(fabric.router.latency_cycles) + u64::from(cycles);
    CollectiveCost {
        hop: cycle_time(hop_cycles, fabric.clock_hz),
        link_hops: link_hops(fabric, scene),
        hop_cycles,
        slowest_link: name.to_owned(),
        overhead: u128::from(asked.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND,
        bandwidth_bps: fabric.capacities.unit_bps(),
        lanes: scene.links().map(|link| scene.topology.capacity(link)).max().unwrap_or(1),
        flit_bytes: fabric.router.flit_bytes,
        barrier: asked.barrier,
    }
}

/// What a hop takes over each link; `None` where it is the same over all that are lit.
fn link_hops(fabric: &Fabric, scene: &Scene<'_>) -> Option<LinkHops> {
    let topology = scene.topology;
    let cycles = hop_cycles(fabric, topology);
    let lit = || scene.links().map(|link| cycles[link]);
    let (least, most) = (lit().min()?, lit().max()?);
    if least == most {
        return None;
    }
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().without() };
    let mut slowest = vec![0u64; topology.class_count(&symmetry)];
    for channel in scene.channels() {
        let of_class = &mut slowest[topology.channel_class(&symmetry, channel).index()];
        *of_class = cycles[topology.link_of(channel)].max(*of_class);
    }
    let of_class = |channel| slowest[topology.channel_class(&symmetry, channel).index()];
    let of_images = |link| topology.channels_of(link).map(of_class).max().unwrap_or(0);
    let time = |cycles: u64| cycle_time(cycles, fabric.clock_hz);
    Some(LinkHops {
        own: cycles.iter().map(|&cycles| time(cycles)).collect(),
        of_images: topology.links().ids().map(|link| time(of_images(link))).collect(),
        least: time(least),
    })
}

/// The collectives of one scenario.
pub struct Planned<'a> {
    planner: Planner<'a>,
    asked: &'a CollectivesAsked,
}

impl<'a> Planned<'a> {
    /// A scene, ready to be planned for.
    pub fn new(fabric: &Fabric, scene: &'a Scene<'a>, asked: &'a CollectivesAsked) -> Self {
        Self { planner: Planner::new(scene, cost(fabric, scene, asked), asked), asked }
    }

    /// The same with the forwarding tables of the scene, if there are some: an all-to-all follows them, and
    /// without them it cannot be planned. `lengths` of its channel classes, such as those that certify its
    /// concurrent flow, may say more of what no tables beat than hops do; none need be given, and wrong ones
    /// prove nothing.
    pub fn along(mut self, tables: Option<&'a ForwardingTables>, lengths: &'a [u64]) -> Self {
        self.planner.along = tables.map(|tables| Along { tables, lengths });
        self
    }

    /// Whether a collective is little enough work to be planned unasked.
    ///
    /// # Errors
    /// Nothing can be planned on the scene.
    pub fn is_tried(&mut self, collective: Collective) -> Result<bool, CollectivesError> {
        self.planner.is_tried(collective)
    }

    /// Whether a collective can only be sent along forwarding tables.
    pub fn is_sent(&self, collective: Collective) -> bool {
        self.planner.is_sent(collective)
    }

    /// What a channel takes.
    pub fn cost(&self) -> &CollectiveCost {
        &self.planner.cost
    }

    /// Every collective at every size.
    ///
    /// # Errors
    /// Nothing can be planned on the scene, or the checker convicts a schedule.
    pub fn rows(&mut self, scenario: &str) -> Result<Vec<CollectiveRow>, CollectivesError> {
        let mut rows = Vec::new();
        for &collective in &self.asked.collectives {
            for &size in &self.asked.sizes {
                rows.push(self.planner.row(scenario, collective, size)?);
            }
        }
        Ok(rows)
    }

    /// One collective at one size, in the scenario that has no name.
    ///
    /// # Errors
    /// As [`Planned::rows`].
    fn row(&mut self, collective: Collective, size: u64) -> Result<CollectiveRow, CollectivesError> {
        self.planner.row("", collective, size)
    }

    /// One collective at one size, with the schedule of the fastest algorithm.
    ///
    /// # Errors
    /// As [`Planned::rows`].
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

    /// Where the fastest algorithm changes.
    ///
    /// # Errors
    /// As [`Planned::rows`].
    pub fn crossovers(&mut self) -> Result<Vec<CollectiveCrossover>, CollectivesError> {
        let [first, last] = match self.asked.sizes[..] {
            [first, .., last] => [first, last],
            _ => CURVE,
        };
        let mut found = Vec::new();
        for &collective in &self.asked.collectives {
            if self.asked.algorithm.is_some() || CollectiveAlgorithm::of(collective).len() < 2 {
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
                    found.push(CollectiveCrossover { collective, size: high, below, above });
                }
                (low, below) = (next, above);
            }
        }
        Ok(found)
    }

    /// The fastest schedule of a collective of a size, with the time that was printed for it.
    ///
    /// # Errors
    /// As [`Planned::rows`].
    pub fn schedule(&mut self, collective: Collective, size: u64) -> Result<Schedule, CollectivesError> {
        self.planner.fastest(collective, size)
    }

    /// When what that schedule sends leaves, as it was timed; nothing is listed of more than `most` messages,
    /// nor of trees with barriers.
    ///
    /// # Errors
    /// As [`Planned::rows`].
    pub fn starts(
        &mut self,
        collective: Collective,
        size: u64,
        most: u64,
    ) -> Result<Starts, CollectivesError> {
        self.planner.starts(collective, size, most)
    }
}
