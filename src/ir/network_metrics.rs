//! What is measured of the graph of a network beside any traffic: integers, exact.
//!
//! The formulas here are the compiler's; the checker has its own (`check/network`).

use super::Fraction;
use crate::ids::NodeId;
use crate::limits;
use crate::model::Metric;

/// A network without faults, measured.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkMetrics {
    /// Routers.
    pub routers: u64,
    /// Hosts of all routers.
    pub hosts: u64,
    /// Links; of simplex ones each is one channel.
    pub links: u64,
    /// Links at routers with hosts.
    pub endpoint_links: u64,
    /// Links between two halves of the routers; `None` where that is not measured.
    pub bisection: Option<Bisection>,
}

/// The bisection width: how many links at least run between two halves of the routers, one of which has
/// floor(N / 2) of all N.
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    /// No two halves have fewer links between them.
    pub least: u64,
    /// The best halves found have so many.
    pub most: u64,
    /// So many of them are links at routers with hosts.
    pub at_endpoints: u64,
    /// The smaller of these halves, ascending; of equal ones that of router 0.
    pub half: Vec<NodeId>,
    /// Capacity of the channels from one to the other, in units, in the direction that lets less through.
    pub capacity: u64,
    /// The demand in that direction; 0 where nobody sends across.
    pub demand: u64,
}

impl Bisection {
    /// What these halves let through, as a rate of every pair per weight; `None` where nobody sends across.
    pub fn flow(&self) -> Option<Fraction> {
        (self.demand > 0).then(|| Fraction::new(self.capacity, self.demand))
    }
}

impl NetworkMetrics {
    /// The value of a metric of networks; `None` where it was not measured, and for all others.
    pub fn value(&self, metric: Metric) -> Option<Fraction> {
        Some(match metric {
            Metric::Routers => Fraction::whole(self.routers),
            Metric::Hosts => Fraction::whole(self.hosts),
            Metric::Links => Fraction::whole(self.links),
            Metric::Bisection => Fraction::whole(self.bisection.as_ref()?.least),
            _ => return None,
        })
    }
    /// A number of links as a share of all of them.
    pub fn share(&self, links: u64) -> Fraction {
        Fraction::new(links, self.links.max(1))
    }
}

/// Why the bisection of a network of so many routers is not measured; `None` where it is.
pub fn bisection_unmeasured(routers: usize, simplex: bool) -> Option<String> {
    if simplex {
        Some("its links run one way".to_owned())
    } else if routers > limits::BISECTION_ROUTERS {
        Some(format!("it has more than {} routers", limits::BISECTION_ROUTERS))
    } else if routers < 2 {
        Some("it has a single router".to_owned())
    } else {
        None
    }
}
