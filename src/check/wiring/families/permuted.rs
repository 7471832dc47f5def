//! The rule of permuted networks. Within every cabinet, between every two, and at every router there are as
//! many links of every kind as in the base. Networks that drop duplicates may have fewer links, but none
//! twice.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{LinkTypeId, NodeId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Duplicates, Fabric, Network, Permuted};
use std::collections::BTreeMap;

/// The base, and the declared permutation.
pub(super) struct ExchangedLinks<'a> {
    pub(super) base: Box<dyn FamilyRule + Sync + 'a>,
    pub(super) permuted: &'a Permuted,
}

impl FamilyRule for ExchangedLinks<'_> {
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
        let max_copies =
            if self.permuted.duplicates == Duplicates::Keep { self.base.degree(from) } else { 1 };
        (from != to).then_some((max_copies, LinkClass::Local))
    }

    fn tells_kinds(&self) -> bool {
        false
    }

    fn has_hosts(&self, router: u32) -> bool {
        self.base.has_hosts(router)
    }

    fn has_gaps(&self) -> bool {
        self.permuted.duplicates == Duplicates::Drop
    }
}

/// A kind of link: whether it runs between groups, and its declared link type.
type ClassAndType = (bool, LinkTypeId);

/// Number of links of a kind between two cabinets, and at a router, minus those of the base.
#[derive(Default)]
struct LinkSurplus {
    cabinets: BTreeMap<((u32, u32), ClassAndType), i64>,
    routers: BTreeMap<(u32, ClassAndType), i64>,
}

impl LinkSurplus {
    fn add(&mut self, cabinet: u32, ends: [u32; 2], kind: ClassAndType, count: i64) {
        let [from, to] = ends;
        let between = (from.min(to) / cabinet, from.max(to) / cabinet);
        *self.cabinets.entry((between, kind)).or_default() += count;
        [from, to].into_iter().for_each(|router| *self.routers.entry((router, kind)).or_default() += count);
    }
}

/// Verifies that within every cabinet, between every two, and at every router there are as many links of
/// every kind as in the base. Networks that drop duplicates may have fewer.
pub(super) fn verify_conserved(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
    exchanged: &ExchangedLinks<'_>,
) -> Result<(), String> {
    let (cabinet, routers) = (exchanged.permuted.cabinet, exchanged.routers() as u32);
    // Where lengths decide the type of a cable, all links of the base count as one type.
    let by_length = fabric.floor.as_ref().is_some_and(|floor| floor.by_length.is_some());
    let kind = |class: LinkClass, link_type: LinkTypeId| {
        (class == LinkClass::Global, if by_length { LinkTypeId(0) } else { link_type })
    };
    let mut surplus = LinkSurplus::default();
    for from in 0..routers {
        for to in from + 1..routers {
            if let Some((copies, class)) = exchanged.base.joined(from, to) {
                let by_class = if class == LinkClass::Local { network.local } else { network.global };
                let link_type = exchanged.base.link_type(from, to).unwrap_or(by_class);
                surplus.add(cabinet, [from, to], kind(class, link_type), -i64::from(copies));
            }
        }
    }
    for link in topology.links().iter() {
        surplus.add(cabinet, [link.a.node.0, link.b.node.0], kind(link.class, link.link_type), 1);
    }
    let is_violated = |surplus: i64| surplus > 0 || surplus < 0 && !exchanged.has_gaps();
    let difference_text = |(global, link_type): ClassAndType, surplus: i64| {
        let (count, direction) = (surplus.abs(), if surplus > 0 { "more" } else { "less" });
        let class = if global { "global" } else { "local" };
        let name =
            if by_length { String::new() } else { format!(" of `{}`", fabric.link_types[link_type].name) };
        format!("{count} {class} links{name} {direction}")
    };
    if let Some((&((from, to), kind), &count)) =
        surplus.cabinets.iter().find(|&(_, &surplus)| is_violated(surplus))
    {
        let difference = difference_text(kind, count);
        let place = if from == to {
            format!("cabinet {from} has {difference} within it")
        } else {
            format!("between cabinets {from} and {to} run {difference}")
        };
        return Err(format!("{place} than in the base"));
    }
    match surplus.routers.iter().find(|&(_, &surplus)| is_violated(surplus)) {
        Some((&(router, kind), &count)) => Err(format!(
            "{} has {} than in the base",
            topology.name(NodeId(router)),
            difference_text(kind, count)
        )),
        None => Ok(()),
    }
}
