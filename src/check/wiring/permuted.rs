//! The predicate of permuted networks: as many links of every kind within every cabinet, between every two
//! and at every router as the base has there; of those that drop duplicates at most as many, and none twice.

use super::rule::Rule;
use fabc_base::ids::{LinkTypeId, NodeId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Duplicates, Fabric, Network, Permuted};
use std::collections::BTreeMap;

/// The base, and what may become of it.
pub(super) struct Exchanged<'a> {
    pub(super) base: Box<dyn Rule + Sync + 'a>,
    pub(super) of: &'a Permuted,
}

impl Rule for Exchanged<'_> {
    fn routers(&self) -> usize {
        self.base.routers()
    }

    fn links(&self) -> u64 {
        self.base.links()
    }

    fn degree(&self, router: u32) -> u32 {
        self.base.degree(router)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let most = if self.of.duplicates == Duplicates::Keep { self.base.degree(from) } else { 1 };
        (from != to).then_some((most, LinkClass::Local))
    }

    fn tells_kinds(&self) -> bool {
        false
    }

    fn has_hosts(&self, router: u32) -> bool {
        self.base.has_hosts(router)
    }

    fn has_gaps(&self) -> bool {
        self.of.duplicates == Duplicates::Drop
    }
}

/// A kind of link: whether it runs between groups, and which declared link it is.
type Kind = (bool, LinkTypeId);

/// How many links of a kind there are between two cabinets, and at a router, less those of the base.
#[derive(Default)]
struct Surplus {
    cabinets: BTreeMap<((u32, u32), Kind), i64>,
    routers: BTreeMap<(u32, Kind), i64>,
}

impl Surplus {
    fn add(&mut self, cabinet: u32, [one, other]: [u32; 2], kind: Kind, count: i64) {
        let between = (one.min(other) / cabinet, one.max(other) / cabinet);
        *self.cabinets.entry((between, kind)).or_default() += count;
        [one, other].into_iter().for_each(|router| *self.routers.entry((router, kind)).or_default() += count);
    }
}

/// Within every cabinet, between every two, and at every router there are as many links of every kind as in
/// the base; of what drops duplicates at most as many.
pub(super) fn conserved(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
    exchanged: &Exchanged<'_>,
) -> Result<(), String> {
    let (cabinet, routers) = (exchanged.of.cabinet, exchanged.routers() as u32);
    // Where lengths say which link a cable is, links of the base are one.
    let by_length = fabric.floor.as_ref().is_some_and(|floor| floor.by_length.is_some());
    let kind = |class: LinkClass, of: LinkTypeId| {
        (class == LinkClass::Global, if by_length { LinkTypeId(0) } else { of })
    };
    let mut surplus = Surplus::default();
    for one in 0..routers {
        for other in one + 1..routers {
            if let Some((copies, class)) = exchanged.base.joined(one, other) {
                let by_class = if class == LinkClass::Local { network.local } else { network.global };
                let of = exchanged.base.link_type(one, other).unwrap_or(by_class);
                surplus.add(cabinet, [one, other], kind(class, of), -i64::from(copies));
            }
        }
    }
    for link in topology.links().iter() {
        surplus.add(cabinet, [link.a.node.0, link.b.node.0], kind(link.class, link.link_type), 1);
    }
    let wrong = |surplus: i64| surplus > 0 || surplus < 0 && !exchanged.has_gaps();
    let told = |(global, of): Kind, surplus: i64| {
        let (count, more) = (surplus.abs(), if surplus > 0 { "more" } else { "less" });
        let class = if global { "global" } else { "local" };
        let name = if by_length { String::new() } else { format!(" of `{}`", fabric.link_types[of].name) };
        format!("{count} {class} links{name} {more}")
    };
    if let Some((&((one, other), kind), &count)) =
        surplus.cabinets.iter().find(|&(_, &surplus)| wrong(surplus))
    {
        let what = told(kind, count);
        let place = if one == other {
            format!("cabinet {one} has {what} within it")
        } else {
            format!("between cabinets {one} and {other} run {what}")
        };
        return Err(format!("{place} than in the base"));
    }
    match surplus.routers.iter().find(|&(_, &surplus)| wrong(surplus)) {
        Some((&(router, kind), &count)) => {
            Err(format!("{} has {} than in the base", topology.name(NodeId(router)), told(kind, count)))
        }
        None => Ok(()),
    }
}
