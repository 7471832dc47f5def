//! What schedules of repeated pieces put on channels.

use super::pace::Pace;
use fabc_base::ids::ChannelId;
use fabc_ir::Scene;
use std::collections::BTreeMap;

/// What a channel carries per piece.
#[derive(Clone, Copy, Default)]
pub(super) struct Carried {
    /// Number of parts, each of them the same share of the data.
    pub(super) parts: u128,
    /// Number of messages in which these parts come.
    pub(super) messages: u128,
}

/// What every channel in use carries per piece.
pub(super) type CarriedByChannel = BTreeMap<ChannelId, Carried>;

/// The lanes of a channel.
pub(super) fn lanes(scene: &Scene<'_>, channel: ChannelId) -> u128 {
    u128::from(scene.topology.channel_capacity(channel))
}

/// The most parts on a channel per lane, as (numerator, denominator).
pub(super) fn busiest_load(scene: &Scene<'_>, carried: &CarriedByChannel) -> (u128, u128) {
    let per_lane = carried.iter().map(|(&channel, carried)| (carried.parts, lanes(scene, channel)));
    per_lane.fold((0, 1), |most, next| if next.0 * most.1 > most.0 * next.1 { next } else { most })
}

impl Carried {
    /// The time in which a channel of so many lanes carries it. `part` is that of one part on one lane.
    pub(super) fn busy_time(self, lanes: u128, part: u128, pace: &Pace) -> u128 {
        (self.parts * part).div_ceil(lanes) + self.messages * pace.overhead
    }
}
