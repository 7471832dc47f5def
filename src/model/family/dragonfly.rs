//! Dragonflies: complete graphs of routers, every two joined (Kim and others, 2008).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::arrangement::Arrangement;
use crate::closed_form::{ClosedForm, Farthest};
use crate::design_space::DesignSpace;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("dragonfly", "dragonfly { a = 8; h = 4; }");

/// Groups of `a` routers, each a complete graph, with `h` global ports per router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dragonfly {
    /// Number of routers of a group.
    pub a: u32,
    /// Number of global ports of a router.
    pub h: u32,
    /// Number of groups, at most `a h + 1`.
    pub g: u32,
    /// The rule that says which global port leads to which group.
    pub arrangement: Arrangement,
    /// Whether the last group is spare: it has no hosts, and any group may become it.
    pub spare: bool,
}

impl Dragonfly {
    /// Number of global ports of a group that are in use. Every other group gets the same number.
    fn used_ports(&self) -> u64 {
        let (ports, others) = (u64::from(self.a) * u64::from(self.h), u64::from(self.g - 1));
        ports / others * others
    }

    /// The designs whose routers have `radix` network ports, with the largest possible number of groups.
    pub(crate) fn of_radix(radix: u32) -> impl Iterator<Item = Dragonfly> {
        let sizes = (1..radix).map(move |h| (radix + 1 - h, h)).filter(|&(a, _)| a > 1);
        sizes.map(|(a, h)| Dragonfly {
            a,
            h,
            g: a * h + 1,
            arrangement: Arrangement::default(),
            spare: false,
        })
    }
}

impl FamilyFacts for Dragonfly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let Dragonfly { a, h, g, arrangement, spare } = self;
        let spare = if *spare { " spare = 1;" } else { "" };
        format!("dragonfly {{ a = {a}; h = {h}; g = {g}; arrangement = {};{spare} }}", arrangement.name())
    }

    fn router_count(&self) -> usize {
        self.a as usize * self.g as usize
    }

    /// Some global ports of a group may be dark.
    fn fewest_links(&self) -> u64 {
        u64::from(self.a) - 1
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any_grouped(FORM.0, u64::from(self.a - 1), u64::from(self.h).min(self.used_ports()))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "group", size: self.a }
    }

    fn blocks(&self) -> (u32, u32) {
        (self.a, self.g)
    }

    fn has_hosts(&self, router: u32) -> bool {
        !self.spare || router < self.a * (self.g - 1)
    }

    fn has_spare(&self) -> bool {
        self.spare
    }

    fn has_formula(&self) -> bool {
        true
    }

    fn rotates(&self) -> bool {
        self.arrangement != Arrangement::Consecutive && !self.spare
    }

    fn has_replacement_group(&self) -> bool {
        self.arrangement != Arrangement::Consecutive && self.spare
    }

    fn may_be_permuted(&self) -> bool {
        !self.spare
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let [a, h, g] = [self.a, self.h, self.g].map(u64::from);
        let (routers, used) = (a * g, self.used_ports());
        let endpoints = routers - if self.spare { a } else { 0 };
        // Routers within two hops: by a link inside the group and one to another group, in either order. Two
        // links inside count as one.
        let nearer = 1 + (a - 1) + h + 2 * (a - 1) * h + h * (h - 1);
        let farthest = |others: u64| match a {
            1 => Farthest::everywhere(1),
            _ => Farthest::at_most(3, nearer, others),
        };
        let last = used.saturating_sub((a - 1) * h).min(h);
        Some(ClosedForm {
            endpoints,
            links: g * (a * (a - 1) / 2) + g * used / 2,
            degrees: [(a - 1 + last) as u32, (a - 1 + h.min(used)) as u32],
            diameter: farthest(endpoints),
            ..ClosedForm::regular(routers, 0, farthest(routers))
        })
    }

    fn design_space(&self) -> Option<DesignSpace> {
        (self.g == self.a * self.h + 1).then_some(DesignSpace::Dragonfly)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.a - 1 + self.h)
    }
}
