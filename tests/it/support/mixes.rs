//! Random mixes of old tables and those that take their place.

use fabc::ids::{Id, NodeId, PortId};
use fabc::ir::{Delta, EntryKey, ForwardingTables, Scene, TableEntry};
use fabc::random::Stream;
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// Entries by router and key.
type Entries = BTreeMap<(NodeId, EntryKey), TableEntry>;

/// The old entries of routers that live. Those after the first two passes. Those after the third.
fn passes(scene: &Scene<'_>, tables: &ForwardingTables, delta: &Delta) -> [Entries; 3] {
    let living = || scene.topology.nodes().filter(|&node| scene.lives(node));
    let old: Entries = living()
        .flat_map(|node| tables.router(node).into_iter().map(move |entry| ((node, entry.into()), entry)))
        .collect();
    let mut between = old.clone();
    for router in &delta.routers {
        let keyed = |entry: &TableEntry| ((router.router, EntryKey::from(*entry)), *entry);
        between.extend(router.add.iter().map(keyed));
        between.extend(router.turn.iter().map(keyed));
    }
    let mut new = between.clone();
    for router in &delta.routers {
        router.drop.iter().for_each(|key| assert!(new.remove(&(router.router, *key)).is_some()));
    }
    [old, between, new]
}

/// Random mixes of old tables and those after the first two passes, from every key.
pub(crate) struct Mixes {
    pub(crate) random: Stream,
    /// Keys that were stranded, and packets that arrived.
    pub(crate) stranded: usize,
    pub(crate) arrived: usize,
    /// How many there are of every change.
    count: usize,
}

/// How many mixes there are of every change, unless `FABC_MIXES` says another number.
const COUNT: usize = 40;

impl Mixes {
    pub(crate) fn new(seed: u64) -> Self {
        let count =
            std::env::var("FABC_MIXES").map_or(COUNT, |count| count.parse().expect("FABC_MIXES is a number"));
        Self { random: Stream::new(seed, 0), stranded: 0, arrived: 0, count }
    }

    /// Walks from every key that there is on the way. Whoever meets the dark is gone.
    pub(crate) fn walk(&mut self, scene: &Scene<'_>, before: &ForwardingTables, delta: &Delta) {
        let topology = scene.topology;
        let lost: BTreeSet<(NodeId, EntryKey)> = delta.stranded.iter().copied().collect();
        let [old, between, new] = passes(scene, before, delta);
        let applied = delta.applied(before, &scene.dead, "repair");
        let listed: Entries = topology
            .nodes()
            .flat_map(|node| {
                applied.routers[node.index()].iter().map(move |&entry| ((node, entry.into()), entry))
            })
            .collect();
        assert_eq!(new, listed);
        self.stranded += lost.len();
        for _ in 0..self.count {
            let turned: Vec<bool> = topology.nodes().map(|_| self.random.below(2) == 1).collect();
            let entry = |node: NodeId, key: EntryKey| {
                let present =
                    if turned[node.index()] { between.get(&(node, key)) } else { old.get(&(node, key)) };
                present.or_else(|| between.get(&(node, key))).copied()
            };
            let mut waits = DiGraphMap::<(u32, u8), ()>::new();
            for &(router, key) in between.keys() {
                let (mut node, mut key) = (router, key);
                let mut held: Option<(u32, u8)> = None;
                for hop in 0.. {
                    assert!(hop <= topology.node_count() * 4, "no end");
                    if node == key.dst {
                        self.arrived += 1;
                        break;
                    }
                    if lost.contains(&(node, key)) {
                        break;
                    }
                    let Some(TableEntry { out_port, out_vc, .. }) = entry(node, key) else {
                        // A packet for a dark router, or for none, has nowhere to go.
                        assert!(!scene.lives(key.dst), "{:?}: {node} has nothing for {key:?}", scene.dead);
                        break;
                    };
                    let channel = topology.outgoing(node, PortId(out_port)).unwrap();
                    let (slot, end) = (channel.index() as u32, topology.target(channel));
                    if let Some(held) = held {
                        waits.add_edge(held, (slot, out_vc), ());
                    }
                    if !scene.is_channel_lit(channel) {
                        break;
                    }
                    held = Some((slot, out_vc));
                    (node, key) =
                        (end.node, EntryKey { in_port: end.port.0 as i16, in_vc: out_vc as i8, ..key });
                }
            }
            assert!(!is_cyclic_directed(&waits), "{:?}", scene.dead);
        }
    }
}
