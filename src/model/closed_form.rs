//! What formulas of the literature say of a network: sizes and distances that follow from its parameters.
//!
//! In: a family. Out: a [`ClosedForm`], or nothing where there is none. Nothing is wired, so that networks of
//! any size have one. Whoever wires a network, or looks at a sample of it, compares. Sources: the papers of
//! the families (`passes::wire`); the layers of PolarStars are derived from Lakhotia and others 2024.

use super::family::{Dragonfly, Family, PolarStar, Supernode};
use super::free_graph::Arcs;
use super::slim_fly_degree;
use fabc_base::algebra::Plane;

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
    fn everywhere(hops: u32) -> Self {
        Self { hops, reached: Reached::Everywhere }
    }
    /// At most so many hops, and that from everywhere if one hop less leads to too few others.
    fn unless(hops: u32, nearer: u64, others: u64) -> Self {
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
    fn regular(routers: u64, degree: u32, diameter: Farthest) -> Self {
        let links = routers * u64::from(degree) / 2;
        let degrees = [degree; 2];
        Self { routers, endpoints: routers, links, degrees, diameter, router_diameter: diameter, layers: None, alike: false }
    }
    /// One whose routers all see others at these distances, themselves at 0.
    fn of_view(degree: u32, view: Vec<u64>) -> Self {
        let routers: u64 = view.iter().sum();
        let form = Self::regular(routers, degree, Farthest::everywhere(view.len() as u32 - 1));
        let layers = view.iter().enumerate().map(|(hops, others)| if hops == 0 { 0 } else { others * routers }).collect();
        Self { layers: Some(layers), alike: true, ..form }
    }
}

impl Family {
    /// The words of the families that formulas describe: those of [`Family::closed_form`].
    pub const DESCRIBED: [&'static str; 13] = [
        "torus",
        "mesh",
        "hyperx",
        "hypercube",
        "folded_hypercube",
        "polarstar",
        "polarfly",
        "slim_fly",
        "bundlefly",
        "dragonfly",
        "megafly",
        "fat_tree",
        "kautz",
    ];

    /// What formulas say of a network; `None` of families without.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        let routers = self.router_count() as u64;
        match self {
            Family::Torus(sides) => Some(ClosedForm::of_view(along(sides, |side| (side - 1).min(2)), lines(sides, ring))),
            Family::HyperX(sides) => Some(ClosedForm::of_view(along(sides, |side| side - 1), lines(sides, |side| vec![1, side - 1]))),
            Family::Mesh(sides) => Some(mesh(sides, routers)),
            Family::Hypercube { dimensions, folded } => {
                Some(ClosedForm::of_view(dimensions + u32::from(*folded), weights(*dimensions, *folded)))
            }
            Family::PolarStar(star) => Some(polarstar(star)),
            Family::PolarFly { q } => Some(polarfly(u64::from(*q))),
            Family::SlimFly { q } => {
                let degree = slim_fly_degree(*q)?;
                let others = u64::from(degree);
                Some(ClosedForm::of_view(degree, vec![1, others, routers - 1 - others]))
            }
            Family::Bundlefly { q, p } => {
                let degree = slim_fly_degree(*q)? + (p - 1) / 2;
                Some(ClosedForm::regular(routers, degree, Farthest::unless(3, ball_of_two(degree), routers)))
            }
            Family::Dragonfly(dragonfly) => Some(of_dragonfly(dragonfly)),
            Family::Megafly(megafly) => Some(of_megafly(megafly.a / 2, megafly.rho)),
            Family::FatTree { levels, arity } => Some(fat_tree(*levels, u64::from(*arity))),
            Family::Kautz { degree, length, arcs } => Some(kautz(*degree, *length, *arcs, routers)),
            _ => None,
        }
    }
}

/// The sum of something over all sides.
fn along(sides: &[u32], links: fn(u32) -> u32) -> u32 {
    sides.iter().map(|&side| links(side)).sum()
}

/// How many are how far away where every side adds its own distance.
fn lines(sides: &[u32], line: fn(u64) -> Vec<u64>) -> Vec<u64> {
    let mut view = vec![1];
    for &side in sides.iter().filter(|&&side| side > 1) {
        let line = line(u64::from(side));
        let mut next = vec![0; view.len() + line.len() - 1];
        for (here, others) in view.iter().enumerate() {
            line.iter().enumerate().for_each(|(further, count)| next[here + further] += others * count);
        }
        view = next;
    }
    view
}

/// How many of a ring are how far away.
fn ring(side: u64) -> Vec<u64> {
    (0..=side / 2).map(|hops| if hops == 0 || 2 * hops == side { 1 } else { 2 }).collect()
}

fn mesh(sides: &[u32], routers: u64) -> ClosedForm {
    // Ordered pairs of a path by distance, each router with itself once.
    let path = |side: u64| (0..side).map(|hops| if hops == 0 { side } else { 2 * (side - hops) }).collect();
    let mut layers = lines(sides, path);
    layers[0] = 0;
    // From corner to corner.
    let diameter = Farthest { hops: along(sides, |side| side - 1), reached: Reached::From(0) };
    let links = sides.iter().map(|&side| routers / u64::from(side) * u64::from(side - 1)).sum();
    let degrees = [along(sides, |side| (side - 1).min(1)), along(sides, |side| (side - 1).min(2))];
    ClosedForm { links, degrees, layers: Some(layers), ..ClosedForm::regular(routers, 0, diameter) }
}

/// How many numbers differ from one in so many bits; folded, the way across counts as one.
fn weights(dimensions: u32, folded: bool) -> Vec<u64> {
    let mut view = vec![0; (if folded { dimensions.div_ceil(2) } else { dimensions }) as usize + 1];
    let mut binomial = 1u64;
    for weight in 0..=dimensions {
        let hops = if folded { weight.min(dimensions + 1 - weight) } else { weight };
        view[hops as usize] += binomial;
        binomial = binomial * u64::from(dimensions - weight) / u64::from(weight + 1);
    }
    view
}

/// Routers within two hops of one that has so many links, at most.
fn ball_of_two(degree: u32) -> u64 {
    u64::from(degree).pow(2) + 1
}

fn polarstar(star: &PolarStar) -> ClosedForm {
    let (q, size) = (u64::from(star.q), u64::from(star.supernode_size()));
    let points = u64::from(Plane::count(star.q));
    let (routers, ports) = (points * size, star.q + 1 + star.degree);
    // Routers at points that are no quadrics, and at quadrics.
    let (plain, quadric) = (q * q * size, (q + 1) * size);
    // Links that loops at quadrics do not give.
    let short = match star.supernode {
        Supernode::Iq => 0,
        Supernode::Paley => q + 1,
        Supernode::Complete => quadric,
    };
    let near = routers * u64::from(ports) - short;
    let far = match star.supernode {
        // Of two points that are not joined, all pairs of different places.
        Supernode::Complete => (points * (points - 1) - q * (q + 1) * (q + 1)) * size * (size - 1),
        _ => {
            let far = plain * (points - q - 2) * (size - 1) + quadric * (points - 1 - q) * (size - 1);
            // The two places that an inductive quad starts with have no common neighbor in it.
            let pairs = star.supernode == Supernode::Iq && star.degree.is_multiple_of(4);
            far + if pairs { 2 * q * q } else { 0 }
        }
    };
    let middle = routers * (routers - 1) - near - far;
    let hops = if far > 0 { 3 } else { 2 };
    let everywhere = if hops == 3 { ball_of_two(ports) < routers } else { 1 + u64::from(ports) < routers };
    let diameter = Farthest { hops, reached: if everywhere { Reached::Everywhere } else { Reached::Somewhere } };
    let layers = [0, near, middle, far].into_iter().take(hops as usize + 1).collect();
    let degrees = [ports - u32::from(short > 0), ports];
    ClosedForm { links: near / 2, degrees, layers: Some(layers), ..ClosedForm::regular(routers, ports, diameter) }
}

fn polarfly(q: u64) -> ClosedForm {
    let (routers, near) = (q * q + q + 1, q * (q + 1) * (q + 1));
    let layers = vec![0, near, routers * (routers - 1) - near];
    let form = ClosedForm::regular(routers, q as u32 + 1, Farthest::everywhere(2));
    ClosedForm { links: near / 2, degrees: [q as u32, q as u32 + 1], layers: Some(layers), ..form }
}

fn of_dragonfly(&Dragonfly { a, h, g, spare, .. }: &Dragonfly) -> ClosedForm {
    let [a, h, g] = [a, h, g].map(u64::from);
    let (routers, used) = (a * g, a * h / (g - 1) * (g - 1));
    let endpoints = routers - if spare { a } else { 0 };
    // A link inside the group and one to another, in either order; two inside are one.
    let nearer = 1 + (a - 1) + h + 2 * (a - 1) * h + h * (h - 1);
    let farthest = |others: u64| match a {
        1 => Farthest::everywhere(1),
        _ => Farthest::unless(3, nearer, others),
    };
    let last = used.saturating_sub((a - 1) * h).min(h);
    ClosedForm {
        endpoints,
        links: g * (a * (a - 1) / 2) + g * used / 2,
        degrees: [(a - 1 + last) as u32, (a - 1 + h.min(used)) as u32],
        diameter: farthest(endpoints),
        ..ClosedForm::regular(routers, 0, farthest(routers))
    }
}

/// Of so many leaves, and as many spines, in a group.
fn of_megafly(half: u32, rho: u32) -> ClosedForm {
    let (leaves, groups) = (u64::from(half), u64::from(half * rho) + 1);
    let (routers, endpoints) = (2 * leaves * groups, leaves * groups);
    // Over any spine of the group; over the one that is joined to the other group.
    let layers = vec![0, 0, endpoints * (leaves - 1), endpoints * (endpoints - leaves)];
    ClosedForm {
        endpoints,
        links: groups * leaves * leaves + groups * (groups - 1) / 2,
        degrees: [half, half + rho],
        diameter: Farthest::everywhere(3),
        layers: Some(layers),
        alike: true,
        // From a spine down and up, across, down and up again.
        ..ClosedForm::regular(routers, 0, Farthest { hops: 5, reached: Reached::Unsaid })
    }
}

fn fat_tree(levels: u32, arity: u64) -> ClosedForm {
    let width = arity.pow(levels - 1);
    // Leaves whose numbers differ in digit j and in none above meet at level j + 1.
    let mut layers = vec![0; 2 * levels as usize - 1];
    (0..levels - 1).for_each(|digit| layers[2 * digit as usize + 2] = width * (arity - 1) * arity.pow(digit));
    let diameter = Farthest::everywhere(2 * (levels - 1));
    ClosedForm {
        endpoints: width,
        links: u64::from(levels - 1) * width * arity,
        degrees: [arity as u32, arity as u32 * levels.min(3).div_ceil(2)],
        layers: Some(layers),
        alike: true,
        ..ClosedForm::regular(u64::from(levels) * width, 0, diameter)
    }
}

fn kautz(degree: u32, length: u32, arcs: Arcs, routers: u64) -> ClosedForm {
    let arcs_in_all = routers * u64::from(degree);
    // Opposite arcs: between words of two letters in turn.
    let opposite = u64::from(degree) * (u64::from(degree) + 1) / 2;
    let form = ClosedForm::regular(routers, degree, Farthest::everywhere(length));
    match (arcs, length) {
        (Arcs::Simplex, _) => ClosedForm { links: arcs_in_all, ..form },
        (Arcs::Duplex, 1) => form,
        (Arcs::Duplex, _) => {
            let most = if length == 2 { 2 * degree - 1 } else { 2 * degree };
            let bound = Farthest { hops: length, reached: Reached::Unsaid };
            let degrees = [2 * degree - 1, most];
            ClosedForm { links: arcs_in_all - opposite, degrees, diameter: bound, router_diameter: bound, ..form }
        }
    }
}
