//! New tables for what is left of a fabric, and how its routers come to them while packets are on their way.

use super::{Entry, ForwardingTables};
use fabc_base::ids::{Id, NodeId};
use std::collections::BTreeMap;

/// How new tables were found; of the ways that hold, the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RepairStep {
    /// The build has tables for just this: the name of their scenario.
    Covered(String),
    /// Broken routes climb the ranks of the healthy fabric on other ways; all others stay.
    Local,
    /// After that all routes were chosen once more, under the same ranks.
    Full,
    /// What is left has ranks of its own.
    NewOrder,
}

impl RepairStep {
    /// `covered`, `local`, `full`, `new_order`.
    pub fn name(&self) -> &'static str {
        match self {
            RepairStep::Covered(_) => "covered",
            RepairStep::Local => "local",
            RepairStep::Full => "full",
            RepairStep::NewOrder => "new_order",
        }
    }
}

/// What a router looks a packet up by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// Destination of the packet.
    pub dst: NodeId,
    /// Port it came in by; -1 when injected there.
    pub in_port: i16,
    /// Virtual channel it came in on; -1 when injected there.
    pub in_vc: i8,
}

impl From<Entry> for Key {
    fn from(Entry { dst, in_port, in_vc, .. }: Entry) -> Self {
        Self { dst, in_port, in_vc }
    }
}

/// What changes in the table of one router, in three passes; each list ascends by key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouterDelta {
    /// The router.
    pub router: NodeId,
    /// Entries of keys that the old table lacks.
    pub add: Vec<Entry>,
    /// Entries that take the place of others with the same key, when all routers have added theirs.
    pub turn: Vec<Entry>,
    /// Keys whose entries go when nothing uses them any more.
    pub drop: Vec<Key>,
}

/// From the old tables to the new ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delta {
    /// The routers that change, ascending; none of the dead ones.
    pub routers: Vec<RouterDelta>,
    /// Keys of old entries that lead to nothing and for which there is no other way: whoever waits there must
    /// be discarded. Ascending by router, then key.
    pub stranded: Vec<(NodeId, Key)>,
}

impl Delta {
    /// Entries that are added, turned and dropped, over all routers.
    pub fn counts(&self) -> [u64; 3] {
        self.routers.iter().fold([0; 3], |[add, turn, drop], router| {
            [add + router.add.len() as u64, turn + router.turn.len() as u64, drop + router.drop.len() as u64]
        })
    }

    /// The most entries that a router holds on the way.
    pub fn most_entries(&self, before: &ForwardingTables) -> u64 {
        let mut changes = self.routers.iter().peekable();
        let nodes = (0..before.symmetry.node_count()).map(NodeId::new);
        let held = nodes.map(|node| {
            let added =
                changes.next_if(|changes| changes.router == node).map_or(0, |changes| changes.add.len());
            before.routers[before.symmetry.class(node)].len() + added
        });
        held.max().unwrap_or(0) as u64
    }

    /// The tables of all routers when everything is done; those of `idle` routers are empty.
    pub fn applied(&self, before: &ForwardingTables, idle: &[NodeId], scenario: &str) -> ForwardingTables {
        let symmetry = before.symmetry.without();
        let mut changes = self.routers.iter().peekable();
        let mut routers = Vec::with_capacity(symmetry.node_count());
        for node in (0..symmetry.node_count()).map(NodeId::new) {
            let changed = changes.next_if(|changes| changes.router == node);
            if idle.contains(&node) {
                routers.push(Vec::new());
                continue;
            }
            let mut entries = before.router(node);
            if let Some(RouterDelta { add, turn, drop, .. }) = changed {
                let mut by_key: BTreeMap<Key, Entry> =
                    entries.into_iter().map(|entry| (entry.into(), entry)).collect();
                by_key.extend(add.iter().chain(turn).map(|&entry| (Key::from(entry), entry)));
                by_key.retain(|key, _| drop.binary_search(key).is_err());
                entries = by_key.into_values().collect();
            }
            routers.push(entries);
        }
        ForwardingTables { scenario: scenario.to_owned(), symmetry, routers, ..*before }
    }
}

/// What a repair comes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// Name of the fabric.
    pub fabric: String,
    /// What is down, by name.
    pub down: Vec<String>,
    /// What was down when the tables were made that the changes start from; those of the healthy fabric where
    /// there is none.
    pub since: Option<Vec<String>>,
    /// How the new tables were found.
    pub step: RepairStep,
    /// `[(router * ports + port) * vcs + vc]`: the ranks that the new tables rise by, where they are not
    /// those of the healthy fabric.
    pub ranks: Option<Vec<u32>>,
    /// The changes.
    pub delta: Delta,
    /// Whether the repair is warm: the tables in force rise by the same ranks, so that routers may change at
    /// any time. Otherwise it is cold, and routers change only while no packet is in flight.
    pub warm: bool,
    /// Parts of a unit of load: before, now, and what no single-path routing goes below, if that is known.
    pub loads: RepairLoads,
    /// Ordered pairs of living endpoints without a route: no path joins them any more.
    pub unserved: u64,
}

/// The most that a channel carries, in parts of a unit of load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepairLoads {
    /// By the tables of the healthy fabric.
    pub nominal: u64,
    /// By the new ones.
    pub repaired: u64,
    /// By any on what is left, as far as the certified lengths of the healthy fabric tell.
    pub bound: Option<u64>,
    /// Parts of a unit.
    pub parts: u64,
}

impl Repair {
    /// `nominal` where the new tables rise by the ranks of the healthy fabric, else `new`.
    pub fn order(&self) -> &'static str {
        if self.ranks.is_none() { "nominal" } else { "new" }
    }
}
