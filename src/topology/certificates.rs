//! Numbers about a topology with what proves them: hop distances, channel lengths, integer flows.

use crate::Fraction;

/// Hop distances over all ordered pairs of distinct routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distances {
    /// Largest distance.
    pub diameter: u32,
    /// Sum over ordered pairs.
    pub total: u64,
    /// `[h]`: ordered pairs at distance h; `[0]` is 0.
    pub histogram: Vec<u64>,
}

impl Distances {
    /// Mean over ordered pairs.
    pub fn average(&self) -> f64 {
        self.total as f64 / self.histogram.iter().sum::<u64>() as f64
    }
}

/// Channel lengths: by linear-programming duality lambda <= sum of lengths x capacities / sum of shortest
/// lengths over ordered pairs, each as often as its weight in the demand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DualLengths {
    /// `[channel class]` under the topology's symmetry; integers, so that the bound is exact. Dark channels
    /// have 0 here and do not count.
    pub lengths: Vec<u64>,
    /// Sum over all lit channels of length x capacity.
    pub volume: u128,
    /// Sum over all ordered pairs of weight x shortest length.
    pub distance: u128,
}

impl DualLengths {
    /// The upper bound on lambda, for searches; what is claimed of it is [`DualLengths::upper_end`].
    pub fn bound(&self) -> f64 {
        self.volume as f64 / self.distance as f64
    }
    /// The upper bound on lambda; `None` where nobody sends, so that nothing bounds it.
    pub fn upper_end(&self) -> Option<Fraction> {
        (self.distance > 0).then(|| Fraction::new(self.volume, self.distance))
    }
    /// No single-path routing has a smaller maximum channel load: distance / volume in parts of a unit,
    /// rounded up. 0 where nobody sends.
    pub fn least_load(&self, parts: u64) -> u64 {
        if self.distance == 0 {
            return 0;
        }
        u64::try_from(self.distance.saturating_mul(u128::from(parts)).div_ceil(self.volume))
            .unwrap_or(u64::MAX)
    }
}

/// A feasible flow in integers: from every canonical source, `demand` units per unit of weight to every other
/// node.
///
/// Where the demand is symmetric (as uniform demand is), it counts together with its reverse: a pair (u, v)
/// of weight w sends w `demand` units along the flow of u and as many along the reversed flow of v.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowCertificate {
    /// Units that a node absorbs from another per unit of weight.
    pub demand: u64,
    /// Whether the flow counts together with its reverse.
    pub mirrored: bool,
    /// All sources together, units x slowness: mirrored, on both channels of the busiest link: lambda >= 2
    /// demand parts / busiest; otherwise on the busiest channel: lambda >= demand parts / busiest.
    pub busiest: u64,
    /// Parts of a unit of load, by the capacities of the links ([`crate::Capacities::parts`]).
    pub parts: u64,
    /// `[source class][channel]`: units of that source's commodity on the channel (both directions of a link
    /// are channels).
    pub flows: Vec<Vec<u64>>,
}

impl FlowCertificate {
    /// The lower bound on lambda, for searches; what is claimed of it is [`FlowCertificate::lower_end`].
    pub fn value(&self) -> f64 {
        let sent = if self.mirrored { 2.0 * self.demand as f64 } else { self.demand as f64 };
        sent * self.parts as f64 / self.busiest as f64
    }
    /// The lower bound on lambda.
    pub fn lower_end(&self) -> Fraction {
        Fraction::new(
            u128::from(self.demand) * u128::from(self.parts) * if self.mirrored { 2 } else { 1 },
            self.busiest,
        )
    }
}
