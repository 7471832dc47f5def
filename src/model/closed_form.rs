//! What formulas of the literature say of a network: sizes and distances that follow from its parameters.
//!
//! In: a family. Out: a [`ClosedForm`], or nothing where there is none. Nothing is wired, so that networks of
//! any size have one. Whoever wires a network, or looks at a sample of it, compares. The formulas stand in
//! the files of the families.

/// What is known of a network without wiring it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedForm {
    /// Number of routers.
    pub routers: u64,
    /// Number of routers with hosts.
    pub endpoints: u64,
    /// Number of links; of simplex ones each is one channel.
    pub links: u64,
    /// Links of the router that has fewest, and of the one that has most; outputs where they are simplex.
    pub degrees: [u32; 2],
    /// How far a router with hosts is from another one.
    pub diameter: Farthest,
    /// How far any router is from another one.
    pub router_diameter: Farthest,
    /// `[h]`: ordered pairs of different routers with hosts at distance h, where that is known.
    pub layers: Option<Vec<u64>>,
    /// Whether every router with hosts has as many others at every distance.
    pub alike: bool,
}

/// The largest distance between routers of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Farthest {
    /// No two are farther apart.
    pub hops: u32,
    /// From where some router is as far.
    pub reached: Reached,
}

/// From where the largest distance is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// From every router of the kind.
    Everywhere,
    /// From this one.
    From(u32),
    /// From some router.
    Somewhere,
    /// The formula is an upper bound: it may be reached from none.
    Unsaid,
}

impl Farthest {
    pub(crate) fn everywhere(hops: u32) -> Self {
        Self { hops, reached: Reached::Everywhere }
    }
    /// At most so many hops, and that from everywhere if one hop less leads to too few others.
    pub(crate) fn unless(hops: u32, nearer: u64, others: u64) -> Self {
        Self { hops, reached: if nearer < others { Reached::Everywhere } else { Reached::Unsaid } }
    }
    /// Whether two routers are as far apart for certain.
    pub fn is_exact(self) -> bool {
        self.reached != Reached::Unsaid
    }
}

impl ClosedForm {
    /// Routers that a graph of this degree and this diameter between all routers can have at most (Moore's
    /// bound); `None` where the routers without hosts make it another question, or beyond 64 bits.
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
    /// The distances of all ordered pairs together, where they are known.
    pub fn distance_sum(&self) -> Option<u64> {
        self.layers.as_ref().map(|layers| layers.iter().zip(0u64..).map(|(pairs, hops)| pairs * hops).sum())
    }
    /// One of routers that all have hosts and as many links, and are alike in their distances.
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
    /// One whose routers all see others at these distances, themselves at 0.
    pub(crate) fn of_view(degree: u32, view: Vec<u64>) -> Self {
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

/// Routers within two hops of one that has so many links, at most.
pub(crate) fn ball_of_two(degree: u32) -> u64 {
    u64::from(degree).pow(2) + 1
}
