//! What all runs of one call come to.

use super::completion::{Completion, Volume};
use super::load::StaticLoad;
use super::point::Point;
use super::saturation::Saturation;
use super::setting::Setting;
use fabc_base::ids::NodeId;

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
    /// Classes of lit channels that the symmetry of the tables joins.
    pub classes: Vec<AlikeChannels>,
    /// Where it saturates, by seed; nothing where that was not asked.
    pub saturations: Vec<Saturation>,
    /// By rate, then by seed, both ascending.
    pub points: Vec<Point>,
    /// What traffic that ends sends; other traffic has rates.
    pub volume: Option<Volume>,
    /// Runs of it, by seed; nothing of other traffic.
    pub completions: Vec<Completion>,
}

/// A class of channels that the symmetry of the tables maps onto each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlikeChannels {
    /// How many there are.
    pub channels: u64,
    /// What the traffic puts on all of them, flits per cycle at rate 1, times the unit of the static load.
    pub load: u128,
}
