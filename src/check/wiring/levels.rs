//! The predicate of nested groups: what a port of a router of a block is for, by how many blocks ahead it
//! leads and in which copy; two routers are joined where they have ports for each other's block, in the same
//! copy.

use super::rule::Rule;
use fabc_base::ids::{ChannelId, Id, LinkTypeId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Arrangement, Level, Levels};

/// Blocks in blocks, from the inside out.
pub(super) struct Nested(Vec<Tier>);

/// A level, and what lies below it.
struct Tier {
    level: Level,
    /// Routers of a block of the level below, and of the blocks in that.
    size: u32,
    part: u32,
    /// The first of its ports.
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
    /// The level that may join two routers: the innermost one in whose blocks they lie together.
    fn tier(&self, one: u32, other: u32) -> Option<&Tier> {
        self.0
            .iter()
            .find(|tier| one / (tier.size * tier.level.blocks) == other / (tier.size * tier.level.blocks))
    }
}

/// What a port is for: how many blocks ahead it leads, and the copy.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Use {
    ahead: u32,
    copy: u32,
}

impl Tier {
    /// Links that leave a block.
    fn leaving(&self) -> u32 {
        self.level.joined * (self.level.blocks - 1)
    }

    /// Blocks from one router's to another's.
    fn ahead(&self, from: u32, to: u32) -> u32 {
        let blocks = self.level.blocks;
        (to / self.size % blocks + blocks - from / self.size % blocks) % blocks
    }

    /// What port `own` of a router is for, counted among those of this level; `None` if it is dark.
    fn port(&self, router: u32, own: u32) -> Option<Use> {
        let Level { blocks, joined, ports, arrangement, .. } = self.level;
        let (others, member) = (blocks - 1, router % self.size);
        if own >= ports {
            return None;
        }
        if self.size == 1 {
            // By neighbor, then copy.
            let (place, neighbor) = (router % blocks, own / joined);
            let neighbor = neighbor + u32::from(neighbor >= place);
            return Some(Use { ahead: (neighbor + blocks - place) % blocks, copy: own % joined });
        }
        if arrangement == Arrangement::Consecutive && self.size == others {
            let start = own * (self.size / joined) % self.size;
            return (own < joined)
                .then_some(Use { ahead: (member + self.size - start) % self.size + 1, copy: own });
        }
        if arrangement == Arrangement::Fold {
            let parts = self.size / self.part;
            let seat = member % self.part * parts + member / self.part;
            let (pair, pairs) = (seat * (ports / 2) + own / 2, others / 2);
            let near = pair % pairs + 1;
            let ahead = if own.is_multiple_of(2) { near } else { blocks - near };
            return (pair < joined * pairs).then_some(Use { ahead, copy: pair / pairs });
        }
        let number = member * ports + own;
        let turn = number % others + 1;
        let ahead = if arrangement == Arrangement::Palmtree { blocks - turn } else { turn };
        (number < self.leaving()).then_some(Use { ahead, copy: number / others })
    }

    /// What the ports of a router are for, but for dark ones.
    fn ports(&self, router: u32) -> impl Iterator<Item = Use> {
        (0..self.level.ports).filter_map(move |own| self.port(router, own))
    }

    /// The same cable as its other end sees it.
    fn opposite(&self, Use { ahead, copy }: Use) -> Use {
        Use { ahead: self.level.blocks - ahead, copy }
    }
}

impl Rule for Nested {
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
        let there: Vec<Use> = tier.ports(to).collect();
        let copies = tier
            .ports(from)
            .filter(|port| port.ahead == ahead && there.contains(&tier.opposite(*port)))
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
        let of = |router: u32, port: usize| {
            (port as u32).checked_sub(tier.first).and_then(|own| tier.port(router, own))
        };
        let (near, far) = (of(from.node.0, from.port.index()), of(to.node.0, to.port.index()));
        let ahead = tier.ahead(from.node.0, to.node.0);
        let right = near.is_some_and(|near| near.ahead == ahead && far == Some(tier.opposite(near)));
        let what = || {
            let name = topology.channel_name(channel);
            format!("{name} arrives at port{}, which is not how its level joins these blocks", to.port)
        };
        (!right).then(what)
    }
}
