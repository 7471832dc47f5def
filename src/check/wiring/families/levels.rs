//! The rule of nested groups. A port of a router leads a number of blocks ahead, in one of several copies.
//! Two routers are connected if they have ports for each other's block in the same copy.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{ChannelId, Id, LinkTypeId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Arrangement, Level, Levels};

/// Blocks within blocks, from the inside out.
pub(super) struct Nested(Vec<Tier>);

/// A level, with the sizes of the levels below it.
struct Tier {
    level: Level,
    /// Number of routers in a block of the level below, and in the blocks of that.
    size: u32,
    part: u32,
    /// The number of its first port.
    first: u32,
}

impl Nested {
    pub(super) fn new(levels: &Levels) -> Self {
        let mut tiers: Vec<Tier> = Vec::new();
        for &level in &levels.0 {
            let below = tiers.last();
            tiers.push(Tier {
                level,
                size: below.map_or(1, |below| below.size * below.level.blocks),
                part: below.map_or(1, |below| below.size),
                first: below.map_or(0, |below| below.first + below.level.ports),
            });
        }
        Self(tiers)
    }
    /// The level that may connect two routers: the innermost one whose block contains both.
    fn tier(&self, first: u32, second: u32) -> Option<&Tier> {
        self.0
            .iter()
            .find(|tier| first / (tier.size * tier.level.blocks) == second / (tier.size * tier.level.blocks))
    }
}

/// The target of a port: how many blocks ahead it leads, and the copy.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PortTarget {
    ahead: u32,
    copy: u32,
}

impl Tier {
    /// Number of links that leave a block.
    fn leaving(&self) -> u32 {
        self.level.joined * (self.level.blocks - 1)
    }

    /// Number of blocks ahead from one router's to another's.
    fn ahead(&self, from: u32, to: u32) -> u32 {
        let blocks = self.level.blocks;
        (to / self.size % blocks + blocks - from / self.size % blocks) % blocks
    }

    /// The target of a port of a router, counted among those of this level. `None` if it is dark.
    fn port(&self, router: u32, port: u32) -> Option<PortTarget> {
        let Level { blocks, joined, ports, arrangement, .. } = self.level;
        let (others, member) = (blocks - 1, router % self.size);
        if port >= ports {
            return None;
        }
        if self.size == 1 {
            // By neighbor, then by copy.
            let (place, neighbor) = (router % blocks, port / joined);
            let neighbor = neighbor + u32::from(neighbor >= place);
            return Some(PortTarget { ahead: (neighbor + blocks - place) % blocks, copy: port % joined });
        }
        if arrangement == Arrangement::Consecutive && self.size == others {
            let start = port * (self.size / joined) % self.size;
            return (port < joined)
                .then_some(PortTarget { ahead: (member + self.size - start) % self.size + 1, copy: port });
        }
        if arrangement == Arrangement::Fold {
            let parts = self.size / self.part;
            let seat = member % self.part * parts + member / self.part;
            let (pair, pairs) = (seat * (ports / 2) + port / 2, others / 2);
            let near = pair % pairs + 1;
            let ahead = if port.is_multiple_of(2) { near } else { blocks - near };
            return (pair < joined * pairs).then_some(PortTarget { ahead, copy: pair / pairs });
        }
        let number = member * ports + port;
        let turn = number % others + 1;
        let ahead = if arrangement == Arrangement::Palmtree { blocks - turn } else { turn };
        (number < self.leaving()).then_some(PortTarget { ahead, copy: number / others })
    }

    /// The targets of a router's ports, without dark ones.
    fn ports(&self, router: u32) -> impl Iterator<Item = PortTarget> {
        (0..self.level.ports).filter_map(move |port| self.port(router, port))
    }

    /// The target of the port at the other end of the cable.
    fn opposite(&self, PortTarget { ahead, copy }: PortTarget) -> PortTarget {
        PortTarget { ahead: self.level.blocks - ahead, copy }
    }
}

impl FamilyRule for Nested {
    fn routers(&self) -> usize {
        self.0.iter().map(|tier| tier.level.blocks as usize).product()
    }

    fn links(&self) -> u64 {
        let routers = self.routers() as u64;
        self.0.iter().map(|tier| routers / u64::from(tier.size) * u64::from(tier.leaving()) / 2).sum()
    }

    fn degree(&self, router: u32) -> u32 {
        self.0.iter().map(|tier| tier.ports(router).count() as u32).sum()
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let tier = self.tier(from, to)?;
        let ahead = tier.ahead(from, to);
        let targets: Vec<PortTarget> = tier.ports(to).collect();
        let copies = tier
            .ports(from)
            .filter(|port| port.ahead == ahead && targets.contains(&tier.opposite(*port)))
            .count() as u32;
        (copies > 0).then_some((copies, if tier.size == 1 { LinkClass::Local } else { LinkClass::Global }))
    }

    fn link_type(&self, from: u32, to: u32) -> Option<LinkTypeId> {
        self.tier(from, to).map(|tier| tier.level.link)
    }

    fn has_hosts(&self, router: u32) -> bool {
        !self
            .0
            .iter()
            .any(|tier| tier.level.spare && router / tier.size % tier.level.blocks == tier.level.blocks - 1)
    }

    fn numbers_ports(&self, _class: LinkClass) -> bool {
        true
    }

    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let (from, to) = (topology.source(channel), topology.target(channel));
        let tier = self.tier(from.node.0, to.node.0)?;
        let target = |router: u32, port: usize| {
            (port as u32).checked_sub(tier.first).and_then(|port| tier.port(router, port))
        };
        let (near, far) = (target(from.node.0, from.port.index()), target(to.node.0, to.port.index()));
        let ahead = tier.ahead(from.node.0, to.node.0);
        let is_placed = near.is_some_and(|near| near.ahead == ahead && far == Some(tier.opposite(near)));
        let violation = || {
            let name = topology.channel_name(channel);
            format!("{name} arrives at port{}, but its level joins these blocks at other ports", to.port)
        };
        (!is_placed).then(violation)
    }
}
