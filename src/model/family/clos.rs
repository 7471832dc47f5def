//! Folded Clos networks: tiers of switches, each tier joined to the next one above.
//!
//! A stage joins two tiers. In it, a switch of the lower tier has `up` neighbors above, and a switch of the
//! upper tier has `down` neighbors below. Two neighbors share `parallel` cables. A switch of tier l is a
//! number with the digits (a_h-1, .., a_l; b_l-1, .., b_1). Digit a_i counts the switches below a switch of
//! tier i + 1, and digit b_i counts the neighbors above a switch of tier i. Switches of the tiers l and
//! l + 1 are neighbors if all other digits agree, whatever a_l and b_l are.
//!
//! Sources: Al-Fares and others 2008 (full radix); Zahavi 2011 (parallel ports); Petrini and Vanneschi 1997.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter, LinkCount};
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom};
use fabc_base::ids::LinkTypeId;
use fabc_topology::{RouterNames, TierNames};

pub(super) const GENERAL: FamilyForm = ("clos", "clos { down = 4 x 8; up = 4 x 4; }");
pub(super) const LEAF_SPINE: FamilyForm = ("leaf_spine", "leaf_spine { leaves = 8; spines = 4; }");
/// The word of a fat tree, which it shares with k-ary n-trees.
const FULL_RADIX: &str = super::fat_tree::FORM.0;

/// A folded Clos network. The bottom tier has the hosts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clos {
    /// The form in which a spec writes it.
    pub form: ClosForm,
    /// One stage between every two neighboring tiers, from the bottom up. Never empty.
    pub stages: Vec<ClosStage>,
    /// `[tier]`: the word that the names of its switches begin with. One more than there are stages.
    pub tier_words: Vec<String>,
}

/// The form in which a spec writes a folded Clos network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClosForm {
    /// `clos { down; up; parallel; }`: every number by itself.
    General,
    /// `leaf_spine { leaves; spines; parallel; }`: two tiers, every leaf below every spine.
    LeafSpine,
    /// `fat_tree { k; levels; }`: switches of k ports, all in use at every tier.
    FatTree {
        /// Number of ports of a switch, even.
        k: u32,
    },
}

/// The cables between two neighboring tiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClosStage {
    /// Number of neighbors below a switch of the upper tier, 2 or more.
    pub down: u32,
    /// Number of neighbors above a switch of the lower tier.
    pub up: u32,
    /// Number of cables between two neighbors.
    pub parallel: u32,
    /// The declared link of these cables.
    pub link: LinkTypeId,
}

impl Clos {
    /// Number of tiers of switches, 2 or more.
    pub fn tiers(&self) -> usize {
        self.stages.len() + 1
    }

    /// Number of switches of a tier, counted from 0.
    pub fn tier_size(&self, tier: usize) -> u64 {
        let above: u64 = self.stages[tier..].iter().map(|stage| u64::from(stage.down)).product();
        let below: u64 = self.stages[..tier].iter().map(|stage| u64::from(stage.up)).product();
        above * below
    }

    /// Number of cables between switches.
    pub fn cables(&self) -> u64 {
        (0..self.stages.len()).map(|tier| self.cables_above(tier)).sum()
    }

    /// Number of cables between a tier, counted from 0, and the next one above.
    pub(super) fn cables_above(&self, tier: usize) -> u64 {
        let stage = &self.stages[tier];
        self.tier_size(tier) * u64::from(stage.up) * u64::from(stage.parallel)
    }

    /// The words of the tiers where the spec names none, from the bottom up.
    pub fn default_words(tiers: usize) -> Vec<String> {
        match tiers {
            2 => ["leaf", "spine"].map(str::to_owned).into(),
            3 => ["edge", "agg", "core"].map(str::to_owned).into(),
            _ => (1..=tiers).map(|tier| format!("tier{tier}")).collect(),
        }
    }

    /// The stages of a fat tree of full radix: `levels` tiers of switches with `k` ports.
    pub fn full_radix(k: u32, levels: u32, link: LinkTypeId) -> Vec<ClosStage> {
        let half = k / 2;
        let stage =
            |tier| ClosStage { down: if tier + 2 == levels { k } else { half }, up: half, parallel: 1, link };
        (0..levels - 1).map(stage).collect()
    }

    /// The numbers of one kind of all stages, as a spec writes them: `4 x 8`.
    fn product(&self, number: impl Fn(&ClosStage) -> u32) -> String {
        self.stages.iter().map(|stage| number(stage).to_string()).collect::<Vec<_>>().join(" x ")
    }

    /// The links of a switch of a tier by kind, with hosts left out.
    pub(super) fn links_of_tier(&self, tier: usize) -> Vec<LinkCount> {
        let count = |neighbors: u32, parallel: u32, word: &str| LinkCount {
            count: u64::from(neighbors) * u64::from(parallel),
            kind: match parallel {
                1 => word.to_owned(),
                _ => format!("{word} ({neighbors} x {parallel})"),
            },
        };
        let below = tier.checked_sub(1).map(|lower| &self.stages[lower]);
        let down = below.map(|stage| count(stage.down, stage.parallel, "down"));
        let up = self.stages.get(tier).map(|stage| count(stage.up, stage.parallel, "up"));
        down.into_iter().chain(up).collect()
    }

    /// Number of cables of a switch of a tier.
    fn degree(&self, tier: usize) -> u64 {
        self.links_of_tier(tier).iter().map(|links| links.count).sum()
    }
}

/// The indefinite article before a word.
pub(super) fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

impl FamilyFacts for Clos {
    fn name(&self) -> &'static str {
        match self.form {
            ClosForm::General => GENERAL.0,
            ClosForm::LeafSpine => LEAF_SPINE.0,
            ClosForm::FatTree { .. } => FULL_RADIX,
        }
    }

    /// As a spec writes it, but without the links.
    fn written(&self) -> String {
        let (down, up) = (self.product(|stage| stage.down), self.product(|stage| stage.up));
        let parallel = match self.stages.iter().all(|stage| stage.parallel == 1) {
            true => String::new(),
            false => format!(" parallel = {};", self.product(|stage| stage.parallel)),
        };
        match self.form {
            ClosForm::General => {
                let words = self.tier_words.join(", ");
                let named = self.tier_words != Self::default_words(self.tiers());
                let names = if named { format!(" names = [{words}];") } else { String::new() };
                format!("clos {{ down = {down}; up = {up};{parallel}{names} }}")
            }
            ClosForm::LeafSpine => format!("leaf_spine {{ leaves = {down}; spines = {up};{parallel} }}"),
            ClosForm::FatTree { k } => format!("fat_tree {{ k = {k}; levels = {}; }}", self.tiers()),
        }
    }

    fn router_count(&self) -> usize {
        (0..self.tiers()).map(|tier| self.tier_size(tier) as usize).sum()
    }

    fn fewest_links(&self) -> u64 {
        (0..self.tiers()).map(|tier| self.degree(tier)).min().unwrap_or(0)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let kind = |(tier, word): (usize, &String)| FullestRouter {
            router: format!("{} `{word}` of this `{}`", article(word), self.name()),
            links: self.links_of_tier(tier),
            has_hosts: tier == 0,
        };
        self.tier_words.iter().enumerate().map(kind).collect()
    }

    fn router_names(&self) -> RouterNames {
        let mut first = 0;
        let tier_names = |(tier, word): (usize, &String)| {
            let above = self.stages[tier..].iter().rev().map(|stage| stage.down);
            let below = self.stages[..tier].iter().rev().map(|stage| stage.up);
            let names = TierNames { word: word.clone(), first, sides: above.chain(below).collect() };
            first += self.tier_size(tier) as u32;
            names
        };
        RouterNames::Tiers(self.tier_words.iter().enumerate().map(tier_names).collect())
    }

    fn has_hosts(&self, router: u32) -> bool {
        u64::from(router) < self.tier_size(0)
    }

    fn has_tiers(&self) -> bool {
        true
    }

    fn most_hosts(&self) -> Option<u32> {
        match self.form {
            ClosForm::FatTree { k } => Some(k / 2),
            ClosForm::General | ClosForm::LeafSpine => None,
        }
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let (leaves, climbs) = (self.tier_size(0), self.stages.len());
        // Leaves whose highest different digit is a_i meet at tier i + 1.
        let mut layers = vec![0; 2 * climbs + 1];
        let mut below = 1;
        for (tier, stage) in self.stages.iter().enumerate() {
            layers[2 * tier + 2] = leaves * below * u64::from(stage.down - 1);
            below *= u64::from(stage.down);
        }
        let hops = 2 * climbs as u32;
        // A switch above the leaves descends to a leaf to change digit b_1.
        let reached = if self.stages[0].up > 1 { ReachedFrom::Everywhere } else { ReachedFrom::From(0) };
        let degrees = (0..self.tiers()).map(|tier| self.degree(tier) as u32);
        Some(ClosedForm {
            endpoints: leaves,
            links: self.cables(),
            degrees: [degrees.clone().min().unwrap_or(0), degrees.max().unwrap_or(0)],
            diameter: Farthest::everywhere(hops),
            layers: Some(layers),
            alike: true,
            ..ClosedForm::regular(self.router_count() as u64, 0, Farthest { hops, reached })
        })
    }

    /// Half of the blocks below the top tier, with half of the top tier.
    fn halves(&self) -> Vec<Vec<bool>> {
        let top = self.tiers() - 1;
        let down = u64::from(self.stages[top - 1].down);
        let half_of_tier = |tier: usize| {
            let size = self.tier_size(tier);
            let blocks = if tier == top { size } else { down };
            (0..size).map(move |switch| switch / (size / blocks) < blocks / 2)
        };
        vec![(0..=top).flat_map(half_of_tier).collect()]
    }
}
