//! Claims about a topology together with what proves them: hop distances, channel lengths, integer flows.

use crate::Fraction;

/// Hop distances over all ordered pairs of distinct routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distances {
    /// The largest distance of a pair, in hops.
    pub diameter: u32,
    /// Sum of the distances over ordered pairs, in hops.
    pub total: u64,
    /// `[h]`: number of ordered pairs at distance h. `[0]` is 0.
    pub histogram: Vec<u64>,
}

impl Distances {
    /// Mean distance over ordered pairs, in hops.
    pub fn average(&self) -> f64 {
        self.total as f64 / self.histogram.iter().sum::<u64>() as f64
    }
}

/// Channel lengths, which bound lambda by linear-programming duality. Lambda is at most the sum of lengths x
/// capacities over the sum of shortest lengths. Each ordered pair counts as often as its weight in the
/// demand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DualLengths {
    /// `[channel class]` under the topology's symmetry. Lengths are integers, so that the bound is exact.
    /// Dark channels have 0 here and do not count.
    pub lengths: Vec<u64>,
    /// Sum over all lit channels of length x capacity.
    pub volume: u128,
    /// Sum over all ordered pairs of weight x shortest length.
    pub distance: u128,
}

impl DualLengths {
    /// The upper bound on lambda as a float, for searches. Claims use [`DualLengths::upper_end`].
    pub fn bound(&self) -> f64 {
        self.volume as f64 / self.distance as f64
    }
    /// The upper bound on lambda, exactly. `None` where nobody sends, because nothing bounds it then.
    pub fn upper_end(&self) -> Option<Fraction> {
        (self.distance > 0).then(|| Fraction::new(self.volume, self.distance))
    }
    /// A lower bound on the maximum channel load of every single-path routing: distance / volume in parts of
    /// a unit, rounded up. 0 where nobody sends.
    pub fn least_load(&self, parts: u64) -> u64 {
        if self.distance == 0 {
            return 0;
        }
        u64::try_from(self.distance.saturating_mul(u128::from(parts)).div_ceil(self.volume))
            .unwrap_or(u64::MAX)
    }
}

/// A feasible flow in integers. Every canonical source sends `demand` units per unit of weight to every other
/// node.
///
/// Where the demand is symmetric, as uniform demand is, the flow may count together with its reverse. Then a
/// pair (u, v) of weight w sends w `demand` units along the flow of u, and as many along the reversed flow of
/// v.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowCertificate {
    /// Units that a node absorbs from another node per unit of weight.
    pub demand: u64,
    /// Whether the flow counts together with its reverse.
    pub mirrored: bool,
    /// The largest load, in units x slowness over all sources. If mirrored, it is the load of both channels
    /// of the busiest link, and lambda >= 2 demand parts / busiest. Otherwise it is the load of the busiest
    /// channel, and lambda >= demand parts / busiest.
    pub busiest: u64,
    /// Parts of a unit of load, from the capacities of the links ([`crate::Capacities::parts`]).
    pub parts: u64,
    /// `[source class][channel]`: units of that source's commodity on the channel. Both directions of a link
    /// are channels.
    pub flows: Vec<Vec<u64>>,
}

impl FlowCertificate {
    /// The lower bound on lambda as a float, for searches. Claims use [`FlowCertificate::lower_end`].
    pub fn value(&self) -> f64 {
        let sent = if self.mirrored { 2.0 * self.demand as f64 } else { self.demand as f64 };
        sent * self.parts as f64 / self.busiest as f64
    }
    /// The lower bound on lambda, exactly.
    pub fn lower_end(&self) -> Fraction {
        Fraction::new(
            u128::from(self.demand) * u128::from(self.parts) * if self.mirrored { 2 } else { 1 },
            self.busiest,
        )
    }
}
