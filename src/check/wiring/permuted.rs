//! The predicate of permuted networks: as many links within every cabinet, and between every two, as the base
//! has there, and at every router; of those that drop duplicates at most as many, and none twice.

use super::rule::Rule;
use crate::ir::{LinkClass, Topology};
use crate::model::{Duplicates, Permuted};
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

    fn has_gaps(&self) -> bool {
        self.of.duplicates == Duplicates::Drop
    }
}

/// Every class of cables is as large as in the base.
pub(super) fn conserved(topology: &Topology, exchanged: &Exchanged<'_>) -> Result<(), String> {
    let (cabinet, routers) = (exchanged.of.cabinet, exchanged.routers() as u32);
    let class = |one: u32, other: u32| (one.min(other) / cabinet, one.max(other) / cabinet);
    let mut left: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for one in 0..routers {
        for other in one + 1..routers {
            if let Some((copies, _)) = exchanged.base.joined(one, other) {
                *left.entry(class(one, other)).or_default() += i64::from(copies);
            }
        }
    }
    for link in topology.links().iter() {
        *left.entry(class(link.a.node.0, link.b.node.0)).or_default() -= 1;
    }
    let gaps = exchanged.has_gaps();
    match left.into_iter().find(|&(_, left)| left < 0 || left > 0 && !gaps) {
        Some(((one, other), left)) if one == other => {
            Err(format!("cabinet {one} has {} links {} within it than the base", left.abs(), if left < 0 { "more" } else { "less" }))
        }
        Some(((one, other), left)) => {
            let more = if left < 0 { "more" } else { "less" };
            Err(format!("between cabinets {one} and {other} run {} links {more} than in the base", left.abs()))
        }
        None => Ok(()),
    }
}
