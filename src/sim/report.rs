//! The report of all runs of one call.

use super::completion::{Completion, Volume};
use super::load::StaticLoad;
use super::overload::Overload;
use super::point::Point;
use super::saturation::Saturation;
use super::setting::Setting;
use fabc_base::ids::NodeId;
use fabc_ir::Fraction;

/// All runs of one fabric under one traffic.
#[derive(Clone, PartialEq, Debug)]
pub struct SimReport {
    /// The scenario of the tables: `nominal`, or what is dark.
    pub scenario: String,
    /// The settings of the model.
    pub setting: Setting,
    /// The loads that the traffic puts on the channels.
    pub load: StaticLoad,
    /// `[endpoint]`: the router of the endpoint.
    pub sources: Vec<NodeId>,
    /// The classes of lit channels that the symmetry of the tables joins.
    pub classes: Vec<AlikeChannels>,
    /// The rates at which the fabric saturates, by seed. Empty without a search.
    pub saturations: Vec<Saturation>,
    /// The points of the curve, by rate, then by seed, both ascending.
    pub points: Vec<Point>,
    /// What traffic that ends sends in all. `None` for other traffic, which has rates.
    pub volume: Option<Volume>,
    /// The runs of traffic that ends, by seed. Empty for other traffic.
    pub completions: Vec<Completion>,
}

impl SimReport {
    /// All runs in overload, each with its search.
    pub fn overload_runs(&self) -> impl Iterator<Item = (&Saturation, &Overload)> {
        self.saturations.iter().flat_map(|search| search.overloads.iter().map(move |run| (search, run)))
    }

    /// The accepted traffic of a run in overload, over the mean of the saturation. 0 if nothing is stable.
    pub fn sustained(&self, search: &Saturation, overload: &Overload) -> Fraction {
        let accepted = overload.accepted(&self.setting, self.load.senders);
        // Where endpoints offer unlike, an average one offers less than the rate.
        let saturation = Fraction::from(search.interval.mean).times(self.load.share);
        if saturation.is_zero() { saturation } else { accepted.over(saturation) }
    }
}

/// A class of channels that the symmetry of the tables maps onto each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlikeChannels {
    /// The number of channels in the class.
    pub channels: u64,
    /// The load on all of them together: flits per cycle at rate 1, times the unit of the static load.
    pub load: u128,
}
