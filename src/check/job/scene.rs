//! A job with its placement in a scene.

use crate::hop_cycles::cycles_of_hop;
use crate::limit::NearestChips;
use crate::schedule::cycles_time;
use fabc_base::ids::{ChannelId, NodeId};
use fabc_ir::{ForwardingTables, Scene};
use fabc_model::{Fabric, Job};

/// Attoseconds are so many times finer than picoseconds.
pub(super) const PICOSECOND: u128 = 1_000_000;

/// A job in a scene in which all of its chips live.
pub(crate) struct JobScene<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) tables: Option<&'a ForwardingTables>,
    pub(crate) job: &'a Job,
    /// `[rank]`: the chip that is this rank.
    pub(crate) ranks: &'a [NodeId],
    /// The chips around every chip in any topology of a pod.
    pub(crate) nearest: &'a Option<NearestChips>,
}

impl JobScene<'_> {
    /// The time of a hop over a channel.
    pub(super) fn hop(&self, channel: ChannelId) -> u128 {
        cycles_time(cycles_of_hop(self.fabric, self.scene.topology, channel), self.fabric.clock_hz)
    }

    /// The time of a message in which its channel does nothing else.
    pub(super) fn overhead(&self) -> u128 {
        u128::from(self.job.overhead_ps) * PICOSECOND
    }
}
