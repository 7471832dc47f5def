//! New tables for the surviving network, and the changes by which routers get them while packets are in
//! flight.

use super::{ForwardingTables, TableChange, TableEntry};
use fabc_base::ids::{Id, NodeId};
use std::collections::BTreeMap;

/// The step that found the new tables. The first step that succeeds is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RepairStep {
    /// The build has tables for exactly these failures: the name of their scenario.
    Covered(String),
    /// Broken routes get other paths under the ranks of the healthy fabric. All other routes stay.
    Local,
    /// After that, all routes were chosen once more, under the same ranks.
    Full,
    /// The surviving network has ranks of its own.
    NewOrder,
}

impl RepairStep {
    /// The word in files: `covered`, `local`, `full`, `new_order`.
    pub fn name(&self) -> &'static str {
        match self {
            RepairStep::Covered(_) => "covered",
            RepairStep::Local => "local",
            RepairStep::Full => "full",
            RepairStep::NewOrder => "new_order",
        }
    }
}

/// The key by which a router looks a packet up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryKey {
    /// The router that the packet goes to.
    pub dst: NodeId,
    /// Port that the packet came in by. -1 if it was injected there.
    pub in_port: i16,
    /// Virtual channel that the packet came in on. -1 if it was injected there.
    pub in_vc: i8,
}

impl From<TableEntry> for EntryKey {
    fn from(TableEntry { dst, in_port, in_vc, .. }: TableEntry) -> Self {
        Self { dst, in_port, in_vc }
    }
}

/// The changes to the table of one router, in three passes. Each list ascends by key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouterDelta {
    /// The router whose table changes.
    pub router: NodeId,
    /// Entries of keys that the old table lacks.
    pub add: Vec<TableEntry>,
    /// Entries that replace others with the same key, after all routers have added theirs.
    pub turn: Vec<TableEntry>,
    /// Keys whose entries are removed when nothing uses them any more.
    pub drop: Vec<EntryKey>,
}

/// The changes from the old tables to the new ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delta {
    /// The routers that change, ascending. None of them is dead.
    pub routers: Vec<RouterDelta>,
    /// Keys of old entries that lead nowhere and have no other path. Packets that wait there must be
    /// discarded. Ascending by router, then key.
    pub stranded: Vec<(NodeId, EntryKey)>,
}

impl Delta {
    /// `[added, turned, dropped]`: entries over all routers.
    pub fn counts(&self) -> [u64; 3] {
        self.routers.iter().fold([0; 3], |[add, turn, drop], router| {
            [add + router.add.len() as u64, turn + router.turn.len() as u64, drop + router.drop.len() as u64]
        })
    }

    /// The most entries that a router holds during the change.
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

    /// The tables of all routers after the change. Those of `idle` routers are empty.
    pub fn applied(&self, before: &ForwardingTables, idle: &[NodeId], scenario: &str) -> ForwardingTables {
        let symmetry = before.symmetry.to_trivial();
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
                let mut by_key: BTreeMap<EntryKey, TableEntry> =
                    entries.into_iter().map(|entry| (entry.into(), entry)).collect();
                by_key.extend(add.iter().chain(turn).map(|&entry| (EntryKey::from(entry), entry)));
                by_key.retain(|key, _| drop.binary_search(key).is_err());
                entries = by_key.into_values().collect();
            }
            routers.push(entries);
        }
        ForwardingTables { scenario: scenario.to_owned(), symmetry, routers, ..*before }
    }
}

/// A repair: new tables for a fabric with failures.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// The name of the fabric.
    pub fabric: String,
    /// The failed parts, by name.
    pub down: Vec<String>,
    /// The parts that had failed when the old tables were made. `None`: the old tables are those of the
    /// healthy fabric.
    pub since: Option<Vec<String>>,
    /// The step that found the new tables.
    pub step: RepairStep,
    /// `[(router * ports + port) * vcs + vc]`: the ranks by which the new tables rise. `None` where they are
    /// those of the healthy fabric.
    pub ranks: Option<Vec<u32>>,
    /// The changes to the tables.
    pub delta: Delta,
    /// Whether the repair is warm: live and new entries rise by the same ranks, so routers may change at any
    /// time. Otherwise it is cold, and routers make these changes only while no packet is in flight.
    pub warm: bool,
    /// For a cold repair: changes that lead to the same tables while packets are in flight, by way of unused
    /// virtual channels. `None` where a router has less than twice the virtual channels of the tables.
    pub blocks: Option<RepairBlocks>,
    /// The largest channel loads before and after.
    pub loads: RepairLoads,
    /// Number of ordered pairs of living endpoints without a route, because no path joins them.
    pub unserved: u64,
}

/// Two changes of tables one after the other, by way of as many virtual channels above those in use. The
/// upper block has ranks above those of the lower one, so packets at dark links may go up, and none comes
/// down. Under these ranks each change is warm.
#[derive(Clone, PartialEq, Debug)]
pub struct RepairBlocks {
    /// From the live tables to the new ones in the virtual channels above.
    pub above: TableChange,
    /// From there to the new tables in the virtual channels below.
    pub below: TableChange,
}

/// The largest load of a channel, in parts of a unit of load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepairLoads {
    /// The largest load under the tables of the healthy fabric.
    pub nominal: u64,
    /// The largest load under the new tables.
    pub repaired: u64,
    /// A lower bound for single-path routing on the surviving network, from the certified lengths of the
    /// healthy fabric. `None` where it is not known.
    pub bound: Option<u64>,
    /// Parts of a unit of load.
    pub parts: u64,
}

impl Repair {
    /// Whether routers may change while packets are in flight.
    pub fn is_live(&self) -> bool {
        self.warm || self.blocks.is_some()
    }

    /// The word for the ranks: `nominal` where the new tables rise by the ranks of the healthy fabric,
    /// otherwise `new`.
    pub fn order(&self) -> &'static str {
        if self.ranks.is_none() { "nominal" } else { "new" }
    }
}
