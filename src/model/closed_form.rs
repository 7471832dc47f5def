//! What formulas of the literature say about a network: sizes and distances that follow from its parameters.
//!
//! In: a family. Out: a [`ClosedForm`], or `None` where there are no formulas. Nothing is wired, so networks
//! of any size have one. The code that wires a network, or samples it, compares. The formulas stand in the
//! files of the families.

/// The sizes and distances of a network that are known without wiring it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedForm {
    /// Number of routers, with or without hosts.
    pub routers: u64,
    /// Number of routers with hosts.
    pub endpoints: u64,
    /// Number of links. A simplex link is one channel.
    pub links: u64,
    /// The smallest and the largest number of links of a router. For simplex links, of outputs.
    pub degrees: DegreeRange,
    /// The largest distance between two routers with hosts.
    pub diameter: Farthest,
    /// The largest distance between any two routers.
    pub router_diameter: Farthest,
    /// `[h]`: ordered pairs of different routers with hosts at distance h. `None` where that is not known.
    pub layers: Option<Vec<u64>>,
    /// Whether every router with hosts has the same number of others at every distance.
    pub alike: bool,
}

/// The smallest and the largest degree of a network, in this order.
pub type DegreeRange = [u32; 2];

/// The largest distance between routers of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Farthest {
    /// The largest distance, in hops, or an upper bound of it.
    pub hops: u32,
    /// The routers from which that distance is reached.
    pub reached: ReachedFrom,
}

/// The routers from which the largest distance is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReachedFrom {
    /// Every router of the kind.
    Everywhere,
    /// At least this router, by id.
    From(u32),
    /// Some router, which the formula does not name.
    Somewhere,
    /// No router is certain to reach it: the formula is an upper bound.
    Unsaid,
}

impl Farthest {
    pub(crate) fn everywhere(hops: u32) -> Self {
        Self { hops, reached: ReachedFrom::Everywhere }
    }
    /// At most `hops` hops. Every router reaches that distance if fewer than `others` routers, at most
    /// `nearer`, are within one hop less.
    pub(crate) fn at_most(hops: u32, nearer: u64, others: u64) -> Self {
        Self { hops, reached: if nearer < others { ReachedFrom::Everywhere } else { ReachedFrom::Unsaid } }
    }
    /// Whether two routers are certain to be that far apart.
    pub fn is_exact(self) -> bool {
        self.reached != ReachedFrom::Unsaid
    }
}

impl ClosedForm {
    /// The Moore bound: the most routers that a graph of this degree and diameter can have. `None` where some
    /// routers have no hosts, because the bound does not apply, or beyond 64 bits.
    pub fn moore_bound(&self, simplex: bool) -> Option<u64> {
        if self.endpoints < self.routers {
            return None;
        }
        let degree = u64::from(self.degrees[1]);
        let (mut bound, mut layer) = (1u64, degree);
        for _ in 0..self.router_diameter.hops {
            bound = bound.checked_add(layer)?;
            layer = layer.checked_mul(if simplex { degree } else { degree - 1 })?;
        }
        Some(bound)
    }
    /// The sum of the distances of all ordered pairs, where they are known.
    pub fn distance_sum(&self) -> Option<u64> {
        self.layers.as_ref().map(|layers| layers.iter().zip(0u64..).map(|(pairs, hops)| pairs * hops).sum())
    }
    /// The form of a network whose routers all have hosts, the same degree and the same largest distance.
    pub(crate) fn regular(routers: u64, degree: u32, diameter: Farthest) -> Self {
        let links = routers * u64::from(degree) / 2;
        let degrees = [degree; 2];
        Self {
            routers,
            endpoints: routers,
            links,
            degrees,
            diameter,
            router_diameter: diameter,
            layers: None,
            alike: false,
        }
    }
    /// The form of a network in which `view[h]` routers are at distance h from every router, itself at 0.
    pub(crate) fn from_view(degree: u32, view: Vec<u64>) -> Self {
        let routers: u64 = view.iter().sum();
        let form = Self::regular(routers, degree, Farthest::everywhere(view.len() as u32 - 1));
        let layers = view
            .iter()
            .enumerate()
            .map(|(hops, others)| if hops == 0 { 0 } else { others * routers })
            .collect();
        Self { layers: Some(layers), alike: true, ..form }
    }
}

/// The most routers within two hops of a router with this degree, itself included.
pub(crate) fn ball_of_two(degree: u32) -> u64 {
    u64::from(degree).pow(2) + 1
}
