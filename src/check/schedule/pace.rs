//! The pace of a schedule: the times of hops, messages and channels.

use crate::hop_cycles::cycles_of_hop;
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::Scene;
use fabc_kernel::scene_symmetry;
use fabc_model::{DeclaredCollective, Fabric};
use std::collections::BTreeMap;

/// Attoseconds in a second and in a picosecond. All times are counted in attoseconds.
pub(super) const SECOND: u128 = 1_000_000_000_000_000_000;
const PICOSECOND: u128 = 1_000_000;

/// The speed of hops, messages and channels, in attoseconds. A channel of several lanes carries that many
/// times as much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Time of a hop: the router, and the slowest lit link.
    pub hop: u128,
    /// Times of hops by channel. `None` if all lit channels are equal.
    pub hops: Option<HopTimes>,
    /// Overhead of a message, before its first byte.
    pub overhead: u128,
    /// Bandwidth of a channel, or the greatest common unit of all; bit/s.
    pub bandwidth_bps: u64,
    /// Whether all chips wait for each other after every round.
    pub barrier: bool,
}

/// Times of hops where lit channels differ, in attoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HopTimes {
    /// `[channel]`: the router before it and its link.
    pub exact: Vec<u128>,
    /// `[channel]`: the slowest image of the channel under the symmetry of the scene. A schedule that lists
    /// canonical routers treats all images alike.
    pub slowest: Vec<u128>,
}

impl Pace {
    /// The pace of a collective in a scene.
    pub fn of_collective(fabric: &Fabric, scene: &Scene<'_>, declared: &DeclaredCollective) -> Self {
        Self::new(fabric, scene, declared.overhead_ps, declared.barrier)
    }

    /// The pace of a scene, if messages have this overhead. With a barrier all chips wait for each other
    /// after every round.
    pub(crate) fn new(fabric: &Fabric, scene: &Scene<'_>, overhead_ps: u64, barrier: bool) -> Self {
        let hop = |channel| cycles_time(cycles_of_hop(fabric, scene.topology, channel), fabric.clock_hz);
        let slowest = scene
            .channels()
            .map(hop)
            .max()
            .unwrap_or_else(|| cycles_time(fabric.router_latencies().most.into(), fabric.clock_hz));
        let is_uniform = scene.channels().all(|channel| hop(channel) == slowest);
        Self {
            hop: slowest,
            hops: (!is_uniform).then(|| HopTimes::new(scene, hop)),
            overhead: u128::from(overhead_ps) * PICOSECOND,
            bandwidth_bps: fabric.capacities.unit_bps(),
            barrier,
        }
    }
}

impl Pace {
    /// Time of a hop over a channel.
    pub(super) fn hop_time(&self, channel: ChannelId) -> u128 {
        self.hops.as_ref().map_or(self.hop, |hops| hops.exact[channel.index()])
    }
    /// Time of a hop over a channel that stands for its images.
    pub(super) fn slowest_image(&self, channel: ChannelId) -> u128 {
        self.hops.as_ref().map_or(self.hop, |hops| hops.slowest[channel.index()])
    }
    /// The same pace, but hops and messages take no time.
    pub(super) fn without_hops(&self) -> Self {
        Self { hop: 0, hops: None, overhead: 0, ..self.clone() }
    }
    pub(super) fn without_overhead(&self) -> Self {
        Self { overhead: 0, ..self.clone() }
    }
}

impl HopTimes {
    fn new(scene: &Scene<'_>, hop: impl Fn(ChannelId) -> u128) -> Self {
        let topology = scene.topology;
        let exact: Vec<u128> = topology.channels().map(hop).collect();
        let mut slowest = exact.clone();
        let symmetry = scene_symmetry(scene);
        if symmetry.order() > 1 {
            let mut slowest_of_class = BTreeMap::new();
            let class = |channel| topology.channel_class(&symmetry, channel);
            for channel in scene.channels() {
                let class_time = slowest_of_class.entry(class(channel)).or_insert(0u128);
                *class_time = exact[channel.index()].max(*class_time);
            }
            for channel in scene.channels() {
                slowest[channel.index()] = slowest_of_class[&class(channel)];
            }
        }
        Self { exact, slowest }
    }
}

/// Attoseconds of cycles, rounded up.
pub(crate) fn cycles_time(cycles: u64, clock_hz: u64) -> u128 {
    (u128::from(cycles) * SECOND).div_ceil(u128::from(clock_hz.max(1)))
}
