//! PolarStars: star products of a projective plane and a supernode (Lakhotia and others, 2024).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom, ball_of_two};
use crate::design_space::DesignSpace;
use crate::word::words;
use fabc_base::algebra::{self, ProjectivePlane, is_paley_order};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("polarstar", "polarstar { q = 11; supernode = iq; degree = 3; }");

/// The star product of the points of a projective plane with a supernode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolarStar {
    /// Order of the field, a prime power.
    pub q: u32,
    /// The graph at every point.
    pub supernode: Supernode,
    /// Number of links of a router inside its supernode.
    pub degree: u32,
}

/// The kind of graph at every point of a PolarStar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Supernode {
    /// The inductive quad: 2 degree + 2 routers.
    Iq,
    /// The Paley graph of 2 degree + 1 routers.
    Paley,
    /// The complete graph of degree + 1 routers.
    Complete,
}

words!(Supernode { Iq = "iq", Paley = "paley", Complete = "complete" });

impl PolarStar {
    /// The graph at every point, with its links.
    pub fn graph(&self) -> algebra::SupernodeGraph {
        match self.supernode {
            Supernode::Iq => algebra::SupernodeGraph::inductive_quad(self.degree),
            Supernode::Paley => algebra::SupernodeGraph::paley(self.supernode_size()),
            Supernode::Complete => algebra::SupernodeGraph::complete(self.supernode_size()),
        }
    }

    /// Number of routers of a supernode.
    pub fn supernode_size(&self) -> u32 {
        match self.supernode {
            Supernode::Iq => 2 * self.degree + 2,
            Supernode::Paley => 2 * self.degree + 1,
            Supernode::Complete => self.degree + 1,
        }
    }

    /// Whether a supernode of this kind and degree exists. Inductive quads have a degree of 0 or 3 modulo 4.
    /// Paley graphs have a prime power of routers that is 1 modulo 4.
    pub fn has_supernode(&self) -> bool {
        match self.supernode {
            Supernode::Iq => matches!(self.degree % 4, 0 | 3),
            Supernode::Paley => is_paley_order(self.supernode_size()),
            Supernode::Complete => true,
        }
    }

    /// The designs with a field of order `q` whose fullest router has `radix` network ports.
    pub(crate) fn of_radix(q: u32, radix: u32) -> impl Iterator<Item = PolarStar> {
        let degree = radix.checked_sub(q + 1);
        let fitting = Supernode::ALL.into_iter().filter(|&supernode| supernode != Supernode::Complete);
        let stars = degree
            .into_iter()
            .flat_map(move |degree| fitting.clone().map(move |supernode| PolarStar { q, supernode, degree }));
        stars.filter(PolarStar::has_supernode)
    }
}

impl FamilyFacts for PolarStar {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let PolarStar { q, supernode, degree } = self;
        format!("polarstar {{ q = {q}; supernode = {}; degree = {degree}; }}", supernode.name())
    }

    fn router_count(&self) -> usize {
        ProjectivePlane::count(self.q) as usize * self.supernode_size() as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q + self.degree)
    }

    /// Some routers at quadrics have more links inside, and as many less between supernodes.
    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any_grouped(FORM.0, u64::from(self.degree), u64::from(self.q + 1))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "supernode", size: self.supernode_size() }
    }

    fn routers_of_group(&self) -> u32 {
        self.supernode_size()
    }

    fn plane(&self) -> Option<[u32; 2]> {
        Some([self.q, self.supernode_size()])
    }

    fn has_formula(&self) -> bool {
        true
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    /// The layers are derived from the construction.
    fn closed_form(&self) -> Option<ClosedForm> {
        let (q, size) = (u64::from(self.q), u64::from(self.supernode_size()));
        let points = u64::from(ProjectivePlane::count(self.q));
        let (routers, ports) = (points * size, self.q + 1 + self.degree);
        // Routers at points that are not quadrics, and at quadrics.
        let (plain, quadric) = (q * q * size, (q + 1) * size);
        // Links that are missing because loops at quadrics give none.
        let short = match self.supernode {
            Supernode::Iq => 0,
            Supernode::Paley => q + 1,
            Supernode::Complete => quadric,
        };
        let near = routers * u64::from(ports) - short;
        let far = match self.supernode {
            // For two points that are not joined: all pairs of different places.
            Supernode::Complete => (points * (points - 1) - q * (q + 1) * (q + 1)) * size * (size - 1),
            _ => {
                let far = plain * (points - q - 2) * (size - 1) + quadric * (points - 1 - q) * (size - 1);
                // The two places that an inductive quad starts with have no common neighbor in it.
                let pairs = self.supernode == Supernode::Iq && self.degree.is_multiple_of(4);
                far + if pairs { 2 * q * q } else { 0 }
            }
        };
        let middle = routers * (routers - 1) - near - far;
        let hops = if far > 0 { 3 } else { 2 };
        let everywhere =
            if hops == 3 { ball_of_two(ports) < routers } else { 1 + u64::from(ports) < routers };
        let diameter = Farthest {
            hops,
            reached: if everywhere { ReachedFrom::Everywhere } else { ReachedFrom::Somewhere },
        };
        let layers = [0, near, middle, far].into_iter().take(hops as usize + 1).collect();
        let degrees = [ports - u32::from(short > 0), ports];
        Some(ClosedForm {
            links: near / 2,
            degrees,
            layers: Some(layers),
            ..ClosedForm::regular(routers, ports, diameter)
        })
    }

    /// For inductive quads, half of the pairs {a, f(a)} of every supernode, which no link between supernodes
    /// leaves. If the number of pairs is odd, the middle pair goes with half of the points.
    fn halves(&self) -> Vec<Vec<bool>> {
        if self.supernode != Supernode::Iq {
            return Vec::new();
        }
        let across = self.graph().across;
        let mut pair = vec![0; across.len()];
        let lower = (0u32..).zip(&across).filter(|&(a, &b)| a < b);
        for (number, (a, &b)) in lower.enumerate() {
            (pair[a as usize], pair[b as usize]) = (number, number);
        }
        let (points, pairs) = (ProjectivePlane::count(self.q), across.len() / 2);
        let within =
            |point: u32, pair: usize| 2 * pair + 1 < pairs || 2 * pair + 1 == pairs && point < points / 2;
        vec![(0..points).flat_map(|point| pair.iter().map(move |&pair| within(point, pair))).collect()]
    }

    fn design_space(&self) -> Option<DesignSpace> {
        (self.supernode != Supernode::Complete).then_some(DesignSpace::PolarStar)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.q + 1 + self.degree)
    }
}
