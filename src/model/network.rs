//! A network of routers without cubes: a family with its checked parameters, or a list from a file.
//!
//! Invariant: the parameters describe a connected network that fits the radix of the router. Generators in
//! `passes::wire` build it, predicates in `check::wiring` recognize it.

use super::family::Family;
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
    /// The place of `topology = ..` in the spec.
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
            family if family.is_grouped() && family.group_size().is_none() => self.global,
            _ => self.local,
        }
    }
}
