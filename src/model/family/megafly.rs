//! Megaflies: groups of leaves and spines, every two joined by one link (Flajslik and others, 2018).

use super::dragonfly::Dragonfly;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::arrangement::Arrangement;
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("megafly", "megafly { a = 16; rho = 8; }");

/// Groups of a / 2 leaves and a / 2 spines, each a complete bipartite graph. One link joins every two of the
/// rho a / 2 + 1 groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Megafly {
    /// Number of routers of a group, even: the leaves first, then the spines.
    pub a: u32,
    /// Number of global ports of a spine.
    pub rho: u32,
    /// The rule that says which global port leads to which group.
    pub arrangement: Arrangement,
}

impl Megafly {
    /// Number of groups: rho a / 2 + 1.
    pub fn groups(&self) -> u32 {
        self.rho * (self.a / 2) + 1
    }

    /// The spines alone. They form a dragonfly without the links inside its groups.
    pub fn spines(&self) -> Dragonfly {
        Dragonfly {
            a: self.a / 2,
            h: self.rho,
            g: self.groups(),
            arrangement: self.arrangement,
            spare: false,
        }
    }
}

impl FamilyFacts for Megafly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let Megafly { a, rho, arrangement } = self;
        format!("megafly {{ a = {a}; rho = {rho}; arrangement = {}; }}", arrangement.name())
    }

    fn router_count(&self) -> usize {
        self.a as usize * self.groups() as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.a / 2)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let half = u64::from(self.a / 2);
        let spine = [(half, "local"), (u64::from(self.rho), "global")];
        vec![
            FullestRouter::new("a leaf of this `megafly`".to_owned(), &[(half, "local")]),
            FullestRouter::new("a spine of this `megafly`".to_owned(), &spine).without_hosts(),
        ]
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "group", size: self.a }
    }

    fn blocks(&self) -> (u32, u32) {
        (self.a, self.groups())
    }

    fn has_hosts(&self, router: u32) -> bool {
        router % self.a < self.a / 2
    }

    fn rotates(&self) -> bool {
        self.arrangement != Arrangement::Consecutive
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let half = self.a / 2;
        let (leaves, groups) = (u64::from(half), u64::from(half * self.rho) + 1);
        let (routers, endpoints) = (2 * leaves * groups, leaves * groups);
        // Leaves of a group meet at any spine of it. Leaves of two groups use the spines that are joined.
        let layers = vec![0, 0, endpoints * (leaves - 1), endpoints * (endpoints - leaves)];
        Some(ClosedForm {
            endpoints,
            links: groups * leaves * leaves + groups * (groups - 1) / 2,
            degrees: [half, half + self.rho],
            diameter: Farthest::everywhere(3),
            layers: Some(layers),
            alike: true,
            // A spine may go down and up, across, and down and up again.
            ..ClosedForm::regular(routers, 0, Farthest { hops: 5, reached: ReachedFrom::Unsaid })
        })
    }
}
