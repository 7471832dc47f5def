//! A network of routers without cubes: a family with its checked parameters, or a list from a file.
//!
//! Invariant: the parameters describe a connected network that fits the radix of the router. Generators in
//! `passes::wire` build it, predicates in `check::wiring` recognize it.

use super::arithmetic::SwitchArithmetic;
use super::family::{BoxPart, Family};
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;

/// A network as a spec declares it.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// The family, which says which routers are joined.
    pub family: Family,
    /// The declared link inside a group. In families without groups, every link.
    pub local: LinkTypeId,
    /// The declared link between groups.
    pub global: LinkTypeId,
    /// The curve of random link failures in the report, if the spec asks for it.
    pub failures: Option<LinkFailures>,
    /// `[tier]`: the kind of its switches, from the bottom up. Empty where all routers are of one kind. In a
    /// network of boxes, the tiers are those outside.
    pub tier_kinds: Vec<RouterKind>,
    /// The place of `topology = ..` in the spec.
    pub span: Span,
}

/// A kind of router: `router { .. }`, or `router name { .. }` for the switches of some tiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouterKind {
    /// Number of ports of the router.
    pub radix: u32,
    /// Latency of the router, cycles.
    pub latency_cycles: u32,
    /// Price of a router, in thousandths.
    pub cost: u64,
    /// Power of a router, mW.
    pub power_mw: u64,
    /// What it does with data besides forwarding it.
    pub arithmetic: SwitchArithmetic,
    /// The place of its declaration.
    pub span: Span,
}

/// `failures { links <= 60 %; seeds = 100; }`: links fail one after the other, in random orders. The curve
/// changes no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkFailures {
    /// The largest percentage of failed links for which distances are reported, 1..=99.
    pub percent: u32,
    /// Number of random orders, one per seed.
    pub seeds: u32,
}

impl Network {
    /// The tier of a router among those that may have kinds of their own. `None` for GPUs and the switches in
    /// their boxes, and in networks without tiers of switches.
    pub fn kind_tier(&self, router: u32) -> Option<usize> {
        match &self.family {
            Family::Clos(clos) => Some(clos.switch_digits(router).0),
            Family::Boxes(boxes) => match (boxes.part(router).0, &boxes.outside) {
                (BoxPart::Outer { switch, .. }, Some(outside)) => Some(outside.tier(switch)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Number of routers, with or without hosts.
    pub fn router_count(&self) -> usize {
        self.family.router_count()
    }
    /// `[router]`: its hosts. A router that carries hosts has `hosts_per_router`, and 0 means that it only
    /// forwards. An endpoint inside its router (`hosts_per_router` is 0) counts as one.
    pub fn hosts(&self, hosts_per_router: u16) -> Vec<u16> {
        let hosts_per_router = hosts_per_router.max(1);
        let count = self.router_count();
        match self.family.unpermuted() {
            Family::Listed(listed) => {
                listed.routers.iter().map(|router| router.hosts.unwrap_or(hosts_per_router)).collect()
            }
            family => (0..count as u32)
                .map(|router| if family.facts().has_hosts(router) { hosts_per_router } else { 0 })
                .collect(),
        }
    }
    /// Whether routers without hosts are spare. They forward nothing until they take the place of others.
    pub fn has_spare(&self) -> bool {
        self.family.facts().has_spare()
    }
    /// The declared links in use, ascending by id, each once.
    pub fn links_in_use(&self) -> Vec<LinkTypeId> {
        let mut used = match self.family.unpermuted() {
            Family::Listed(listed) => listed.links.iter().map(|link| link.link).collect(),
            Family::Levels(levels) => levels.0.iter().map(|level| level.link).collect(),
            Family::Clos(clos) => clos.stages.iter().map(|stage| stage.link).collect(),
            Family::Boxes(boxes) => boxes.links_in_use(),
            // Groups of one router have no links inside.
            family if family.is_grouped() && family.group_size().is_none() => vec![self.global],
            // A supernode of several routers and no links has those of the quadrics.
            family if family.is_grouped() => vec![self.local, self.global],
            _ => vec![self.local],
        };
        used.sort_unstable();
        used.dedup();
        used
    }
    /// One of the declared links in use.
    pub fn any_link(&self) -> LinkTypeId {
        match self.family.unpermuted() {
            Family::Listed(listed) => listed.links.first().map_or(self.local, |link| link.link),
            Family::Boxes(boxes) => boxes.links_in_use().first().copied().unwrap_or(self.local),
            family if family.is_grouped() && family.group_size().is_none() => self.global,
            _ => self.local,
        }
    }
}
