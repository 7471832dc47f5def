//! The rule of folded Clos networks: switches of neighboring tiers are connected if all their digits agree
//! but the one of the stage between them. Every switch is expanded into its digits here.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{ChannelId, Id, LinkTypeId, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Clos, ClosStage};

/// The tiers of a folded Clos network.
pub(super) struct DigitTiers {
    stages: Vec<ClosStage>,
    /// `[tier]`: number of switches in the tier.
    sizes: Vec<u32>,
}

/// A switch: its tier, and one digit per stage. Stages below the tier have the number of a neighbor above,
/// the others the number of a neighbor below.
struct ClosSwitch {
    tier: usize,
    digits: Vec<u32>,
}

impl DigitTiers {
    pub(super) fn new(clos: &Clos) -> Self {
        let stages = clos.stages.clone();
        let values = |tier: usize| {
            stages
                .iter()
                .enumerate()
                .map(move |(place, stage)| if place < tier { stage.up } else { stage.down })
        };
        let sizes = (0..=stages.len()).map(|tier| values(tier).product()).collect();
        Self { stages, sizes }
    }

    fn switch(&self, router: u32) -> ClosSwitch {
        let (mut tier, mut rest) = (0, router);
        while rest >= self.sizes[tier] {
            rest -= self.sizes[tier];
            tier += 1;
        }
        let mut digits = vec![0; self.stages.len()];
        // The digits of the stages below are the least significant ones.
        for (place, stage) in self.stages.iter().enumerate().take(tier) {
            (digits[place], rest) = (rest % stage.up, rest / stage.up);
        }
        for (place, stage) in self.stages.iter().enumerate().skip(tier) {
            (digits[place], rest) = (rest % stage.down, rest / stage.down);
        }
        ClosSwitch { tier, digits }
    }

    /// Number of ports of a switch for cables down. They come before those for cables up.
    fn ports_down(&self, tier: usize) -> u32 {
        tier.checked_sub(1).map_or(0, |place| self.stages[place].down * self.stages[place].parallel)
    }

    /// The number of a cable among those from a switch to a neighbor, by its port at the switch. Ports are
    /// ordered by neighbor. `None` if the port is for another neighbor.
    fn copy(&self, switch: &ClosSwitch, neighbor: &ClosSwitch, port: PortId) -> Option<u32> {
        let place = switch.tier.min(neighbor.tier);
        let parallel = self.stages[place].parallel;
        let ports_before = if neighbor.tier > switch.tier { self.ports_down(switch.tier) } else { 0 };
        let first = ports_before + neighbor.digits[place] * parallel;
        (port.index() as u32).checked_sub(first).filter(|&copy| copy < parallel)
    }

    /// The stage that connects two routers. `None` without a link.
    fn stage(&self, from: u32, to: u32) -> Option<&ClosStage> {
        let (lower, upper) = (self.switch(from.min(to)), self.switch(from.max(to)));
        let agree = |place: usize| place == lower.tier || lower.digits[place] == upper.digits[place];
        let joined = upper.tier == lower.tier + 1 && (0..self.stages.len()).all(agree);
        joined.then(|| &self.stages[lower.tier])
    }
}

impl FamilyRule for DigitTiers {
    fn routers(&self) -> usize {
        self.sizes.iter().sum::<u32>() as usize
    }

    fn links(&self) -> u64 {
        let links = |(stage, &size): (&ClosStage, &u32)| {
            u64::from(size) * u64::from(stage.up) * u64::from(stage.parallel)
        };
        self.stages.iter().zip(&self.sizes).map(links).sum()
    }

    fn degree(&self, router: u32) -> u32 {
        let tier = self.switch(router).tier;
        self.ports_down(tier) + self.stages.get(tier).map_or(0, |stage| stage.up * stage.parallel)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        self.stage(from, to).map(|stage| (stage.parallel, LinkClass::Local))
    }

    fn link_type(&self, from: u32, to: u32) -> Option<LinkTypeId> {
        self.stage(from, to).map(|stage| stage.link)
    }

    fn has_hosts(&self, router: u32) -> bool {
        router < self.sizes[0]
    }

    fn numbers_ports(&self, _class: LinkClass) -> bool {
        true
    }

    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let (from, to) = (topology.source(channel), topology.target(channel));
        let (source, target) = (self.switch(from.node.0), self.switch(to.node.0));
        let (near, far) = (self.copy(&source, &target, from.port), self.copy(&target, &source, to.port));
        let name = topology.channel_name(channel);
        (near.is_none() || near != far).then(|| {
            format!("{name} arrives at port{}, but ports follow the order of the neighbors", to.port)
        })
    }
}
