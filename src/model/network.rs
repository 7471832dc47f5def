//! A network of routers without cubes: a family with its checked parameters, or a list from a file.
//!
//! Invariant: the parameters describe a connected network that fits the radix of the router. Generators in
//! `passes::wire` build it, predicates in `check::wiring` recognize it.

use super::family::Family;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;

/// A network as declared.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Which routers are joined.
    pub family: Family,
    /// The link inside a group (of families without groups: every link).
    pub local: LinkTypeId,
    /// The link between groups.
    pub global: LinkTypeId,
    /// Links that fail at random in the report, if it is to say so.
    pub failures: Option<Failures>,
    /// Where `topology = ..` stands.
    pub span: Span,
}

/// `failures { links <= 60 %; seeds = 100; }`: links fail one after the other, in random orders. It changes
/// no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failures {
    /// Percent of the links up to which distances are told, 1..=99.
    pub percent: u32,
    /// How many orders.
    pub seeds: u32,
}

impl Network {
    /// Number of routers.
    pub fn router_count(&self) -> usize {
        self.family.router_count()
    }
    /// The hosts of every router, by id, where one that carries hosts has `each`; 0 for a router that only
    /// forwards. An endpoint inside its router (`each` is 0) counts as one.
    pub fn hosts(&self, each: u16) -> Vec<u16> {
        let each = each.max(1);
        let count = self.router_count();
        match self.family.unpermuted() {
            Family::Listed(listed) => {
                listed.routers.iter().map(|router| router.hosts.unwrap_or(each)).collect()
            }
            family => (0..count as u32)
                .map(|router| if family.facts().has_hosts(router) { each } else { 0 })
                .collect(),
        }
    }
    /// Whether routers without hosts are spare: they take the place of others, and forward nothing before.
    pub fn has_spare(&self) -> bool {
        self.family.facts().has_spare()
    }
    /// The declared links that are in use, by id, each once.
    pub fn links_in_use(&self) -> Vec<LinkTypeId> {
        let mut used = match self.family.unpermuted() {
            Family::Listed(listed) => listed.links.iter().map(|link| link.link).collect(),
            Family::Levels(levels) => levels.0.iter().map(|level| level.link).collect(),
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
    /// A declared link that is in use.
    pub fn any_link(&self) -> LinkTypeId {
        match self.family.unpermuted() {
            Family::Listed(listed) => listed.links.first().map_or(self.local, |link| link.link),
            family if family.is_grouped() && family.group_size().is_none() => self.global,
            _ => self.local,
        }
    }
}
