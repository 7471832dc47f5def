//! Forwarding tables: what a router needs to forward packets.

use crate::Symmetry;
use crate::ids::NodeId;
use std::collections::BTreeMap;

/// The key by which a router looks a packet up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TableKey {
    /// Destination, input port and input VC.
    #[default]
    DstInput,
    /// Destination alone: all packets to it leave alike, wherever they came in.
    Dst,
    /// Destination alone. The virtual channel follows from what the packet counts along its route.
    DstCount(VcCount),
}

impl TableKey {
    /// The name in specs. It does not tell how packets find their virtual channel.
    pub fn name(self) -> &'static str {
        match self {
            TableKey::DstInput => "dst_input",
            TableKey::Dst | TableKey::DstCount(_) => "dst",
        }
    }
    /// The columns of the key, as `fabc.tables/1` names them.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            TableKey::DstInput => &["dst", "in_port", "in_vc"],
            TableKey::Dst | TableKey::DstCount(_) => &["dst"],
        }
    }
    /// What a packet counts to find its virtual channel. `None` where the entries name it.
    #[inline]
    pub fn count(self) -> Option<VcCount> {
        if let TableKey::DstCount(count) = self { Some(count) } else { None }
    }
    /// The rule by which a packet finds its virtual channel, `hop` or `global`. `None` where the entries name
    /// it.
    pub fn vc_rule(self) -> Option<&'static str> {
        self.count().map(VcCount::name)
    }
    /// Whether the destination alone decides the port.
    pub fn is_by_destination(self) -> bool {
        self != TableKey::DstInput
    }
}

/// What a packet counts along its route. The count, 0 at the source, is the virtual channel on which the
/// packet leaves a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VcCount {
    /// Every hop counts as one.
    Hops,
    /// Only links between groups count.
    GlobalHops,
}

impl VcCount {
    /// All counting rules, in the order of their declaration.
    pub const ALL: [Self; 2] = [Self::Hops, Self::GlobalHops];

    /// The name of the rule in files of tables.
    pub fn name(self) -> &'static str {
        match self {
            VcCount::Hops => "hop",
            VcCount::GlobalHops => "global",
        }
    }
}

/// One line of a forwarding table, keyed by (dst, in_port, in_vc). Where the destination alone is the key,
/// both inputs are -1 and stand for all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableEntry {
    /// The router that the packet goes to.
    pub dst: NodeId,
    /// Port that the packet came in by. -1 if it was injected here, and where the destination alone is the
    /// key.
    pub in_port: i16,
    /// Virtual channel that the packet came in on. -1 if it was injected here, and where the destination
    /// alone is the key.
    pub in_vc: i8,
    /// Port that the packet leaves by.
    pub out_port: u16,
    /// Virtual channel that the packet leaves on. 0 under [`TableKey::DstCount`], where the count says it.
    pub out_vc: u8,
}

impl TableEntry {
    /// The numbers of a line of `fabc.tables/1`. They are the columns of the key, then `out_port`, then
    /// `out_vc` unless the virtual channel follows from a count.
    pub fn numbers(&self, key: TableKey) -> impl Iterator<Item = i64> {
        let (dst, port, vc) = (i64::from(self.dst.0), i64::from(self.out_port), i64::from(self.out_vc));
        let (line, width) = match key {
            TableKey::DstInput => ([dst, i64::from(self.in_port), i64::from(self.in_vc), port, vc], 5),
            TableKey::Dst => ([dst, port, vc, 0, 0], 3),
            TableKey::DstCount(_) => ([dst, port, 0, 0, 0], 2),
        };
        line.into_iter().take(width)
    }
}

/// One line of a group table: all destinations from `first` to `last` have the same next-hop group.
///
/// Routers without hosts are no destinations, so their ids between the two do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupEntry {
    /// The first destination of the range.
    pub first: NodeId,
    /// The last destination, which belongs to the range.
    pub last: NodeId,
    /// The group, an index in [`GroupTables::groups`].
    pub group: u32,
}

/// An endpoint that hands packets on between two endpoints that no valid path joins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Relay {
    /// The endpoint that sends first.
    pub source: NodeId,
    /// The endpoint that receives in the end.
    pub destination: NodeId,
    /// The endpoint that the source sends to instead. It sends on as if it were the source.
    pub relay: NodeId,
}

/// The most relays of a pair that a spec may allow.
pub const MOST_RELAYS: u32 = 16;

/// The group tables of one scenario. A router may send a packet by any port of a group. Every router is
/// listed, and packets use virtual channel 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupTables {
    /// The name of the scenario: `nominal`, or the fault.
    pub scenario: String,
    /// `[group]`: its output ports, ascending. Groups stand in the order of their first use, and no two are
    /// equal.
    pub groups: Vec<Vec<u16>>,
    /// `[group]`: the weights of its ports, by which packets are divided. They are positive and have no
    /// common divisor. Empty where all ports have the same weight.
    pub weights: Vec<Vec<u32>>,
    /// `[router]`: its entries, ascending. Destinations without an entry are the router itself, and those
    /// that it has no path to.
    pub routers: Vec<Vec<GroupEntry>>,
    /// The relays, by source and destination. Empty where valid paths join all endpoints.
    pub relays: Vec<Relay>,
}

impl GroupTables {
    /// The endpoint that a source sends to instead of a destination. `None` where it sends straight to it.
    pub fn relay(&self, source: NodeId, destination: NodeId) -> Option<NodeId> {
        let key = |relay: &Relay| (relay.source, relay.destination);
        let place = self.relays.binary_search_by_key(&(source, destination), key).ok()?;
        Some(self.relays[place].relay)
    }

    /// The legs of the route of a pair: pairs of endpoints that a valid path joins, if the tables are valid.
    pub fn legs(&self, source: NodeId, destination: NodeId) -> Vec<(NodeId, NodeId)> {
        let (mut legs, mut from) = (Vec::new(), source);
        while let Some(relay) = self.relay(from, destination).filter(|_| legs.len() < MOST_RELAYS as usize) {
            legs.push((from, relay));
            from = relay;
        }
        legs.push((from, destination));
        legs
    }

    /// The ports by which a router may send a packet to a destination, and their weights. Both are empty
    /// where it has no entry.
    pub fn group_members(&self, router: NodeId, destination: NodeId) -> GroupMembers<'_> {
        let members = |group: u32| GroupMembers {
            ports: &self.groups[group as usize],
            weights: &self.weights[group as usize],
        };
        self.group_number(router, destination).map(members).unwrap_or_default()
    }

    /// The ports by which a router may send a packet to a destination. Empty where it has no entry.
    pub fn group(&self, router: NodeId, destination: NodeId) -> &[u16] {
        self.group_members(router, destination).ports
    }

    /// The weights of these ports. Empty where all of them have the same weight.
    pub fn group_weights(&self, router: NodeId, destination: NodeId) -> &[u32] {
        self.group_members(router, destination).weights
    }

    /// These ports, each with its weight. It is 1 where all ports have the same weight.
    pub fn members(&self, router: NodeId, destination: NodeId) -> impl Iterator<Item = (u16, u64)> {
        self.group_members(router, destination).weighted()
    }

    /// Whether every group has no weights, or one positive weight per port.
    pub fn weights_fit(&self) -> bool {
        let fits = |(ports, weights): (&Vec<u16>, &Vec<u32>)| {
            weights.is_empty() || (weights.len() == ports.len() && !weights.contains(&0))
        };
        self.weights.len() == self.groups.len() && self.groups.iter().zip(&self.weights).all(fits)
    }

    /// Whether some group divides packets unequally.
    pub fn has_weights(&self) -> bool {
        self.weights.iter().any(|weights| !weights.is_empty())
    }

    /// The group of packets to a destination, an index in [`Self::groups`]. `None` without an entry.
    pub fn group_number(&self, router: NodeId, destination: NodeId) -> Option<u32> {
        let entries = &self.routers[router.0 as usize];
        let after = entries.partition_point(|entry| entry.first <= destination);
        entries[..after].last().filter(|entry| destination <= entry.last).map(|entry| entry.group)
    }
}

/// The ports of a group and their weights.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GroupMembers<'a> {
    /// The output ports of the group, ascending.
    pub ports: &'a [u16],
    /// One weight per port, without a common divisor. Empty where all are equal.
    pub weights: &'a [u32],
}

impl<'a> GroupMembers<'a> {
    /// The ports, each with its weight. It is 1 where all ports have the same weight.
    pub fn weighted(self) -> impl Iterator<Item = (u16, u64)> + 'a {
        let weight = move |member: usize| self.weights.get(member).map_or(1, |&weight| u64::from(weight));
        self.ports.iter().enumerate().map(move |(member, &port)| (port, weight(member)))
    }

    /// The sum of the weights.
    pub fn total_weight(self) -> u64 {
        match self.weights {
            [] => self.ports.len() as u64,
            weights => weights.iter().map(|&weight| u64::from(weight)).sum(),
        }
    }
}

/// Ports and weights of a group.
type OwnedMembers = (Vec<u16>, Vec<u32>);

/// Group tables that grow router by router.
#[derive(Default, Debug)]
pub struct GroupTablesBuilder {
    /// The number of every group so far.
    numbers: BTreeMap<OwnedMembers, u32>,
    groups: Vec<Vec<u16>>,
    weights: Vec<Vec<u32>>,
    routers: Vec<Vec<GroupEntry>>,
}

impl GroupTablesBuilder {
    /// Adds the next router. `destinations` gives, ascending, the destinations that it has a group to, each
    /// with its members. `is_endpoint` tells which routers of the topology are destinations.
    pub fn push_router<'a>(
        &mut self,
        destinations: impl Iterator<Item = (NodeId, GroupMembers<'a>)>,
        is_endpoint: impl Fn(NodeId) -> bool,
    ) {
        let mut entries: Vec<GroupEntry> = Vec::new();
        for (destination, members) in destinations {
            let group = self.number(members);
            let follows = |entry: &GroupEntry| {
                entry.group == group
                    && !(entry.last.0 + 1..destination.0).any(|between| is_endpoint(NodeId(between)))
            };
            match entries.last_mut() {
                Some(entry) if follows(entry) => entry.last = destination,
                _ => entries.push(GroupEntry { first: destination, last: destination, group }),
            }
        }
        self.routers.push(entries);
    }

    /// The number of a group. Groups are numbered in the order of their first use.
    fn number(&mut self, GroupMembers { ports, weights }: GroupMembers<'_>) -> u32 {
        let key = (ports.to_vec(), weights.to_vec());
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.groups.len() as u32;
        self.numbers.insert(key, number);
        self.groups.push(ports.to_vec());
        self.weights.push(weights.to_vec());
        number
    }

    /// The tables of the scenario of that name.
    pub fn finish(self, scenario: &str) -> GroupTables {
        let Self { groups, weights, routers, .. } = self;
        GroupTables { scenario: scenario.to_owned(), groups, weights, routers, relays: Vec::new() }
    }
}

/// The tables of one scenario: those of the canonical routers. The symmetry carries them to the others.
#[derive(Clone, Debug)]
pub struct ForwardingTables {
    /// The name of the scenario: `nominal`, or the fault.
    pub scenario: String,
    /// The number of virtual channels of the budget.
    pub vcs: u8,
    /// What routers look packets up by.
    pub key: TableKey,
    /// The symmetry that carries the tables. Trivial where every router is listed.
    pub symmetry: Symmetry,
    /// `[router class]`: the sorted entries of the canonical router.
    pub routers: Vec<Vec<TableEntry>>,
}

impl ForwardingTables {
    /// The full table of any router, sorted.
    pub fn router(&self, node: NodeId) -> Vec<TableEntry> {
        let g = self.symmetry.element_to(node);
        let canonical = &self.routers[self.symmetry.class(node)];
        let mut entries: Vec<TableEntry> = canonical
            .iter()
            .map(|entry| TableEntry { dst: self.symmetry.image(g, entry.dst), ..*entry })
            .collect();
        entries.sort_unstable();
        entries
    }
}
