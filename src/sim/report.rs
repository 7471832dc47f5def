//! What all runs of one call come to.

use super::load::StaticLoad;
use super::parameters::Setting;
use super::point::Point;
use super::saturation::Saturation;
use crate::ids::{ChannelClass, NodeId};

/// All runs of one fabric under one traffic.
#[derive(Clone, PartialEq, Debug)]
pub struct SimReport {
    /// Whose tables they are: `nominal`, or what is dark.
    pub scenario: String,
    /// How everything was modelled.
    pub setting: Setting,
    /// What the traffic puts on the channels.
    pub load: StaticLoad,
    /// `[endpoint]`: its router.
    pub sources: Vec<NodeId>,
    /// `[channel]`: the class that the symmetry of the tables puts it in; `None` of dark ones.
    pub classes: Vec<Option<ChannelClass>>,
    /// Where it saturates, by seed; nothing where that was not asked.
    pub saturations: Vec<Saturation>,
    /// By rate, then by seed, both ascending.
    pub points: Vec<Point>,
}
