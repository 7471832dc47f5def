//! Folded Clos networks: tiers of switches, hosts at the bottom.
//!
//! Within its tier, a switch has the number A u + B. Here u is the product of `up` over the stages below, A
//! counts blocks and B the switches of a block. The stage above leads to the switches
//! (A div down) u up + b u + B, where b is any number below `up`. Source: Zahavi 2011 (parallel ports).

use crate::wire::edge::UnnumberedLink;
use fabc_ir::LinkClass;
use fabc_model::{Clos, ClosStage};

/// A tier, and the stage above it if there is one.
pub(super) struct Tier {
    /// The id of its first switch.
    first: u32,
    size: u32,
    /// Number of switches of a block: the product of `up` over the stages below.
    block: u32,
}

/// The tiers of a network, from the bottom up.
pub(super) fn tiers(clos: &Clos) -> Vec<Tier> {
    let mut tiers: Vec<Tier> = Vec::new();
    for tier in 0..clos.tiers() {
        let first = tiers.last().map_or(0, |below| below.first + below.size);
        let block = clos.stages[..tier].iter().map(|stage| stage.up).product();
        tiers.push(Tier { first, size: clos.tier_size(tier) as u32, block });
    }
    tiers
}

/// The switches above a switch, given by its number in the tier.
fn uppers(stage: &ClosStage, lower: &Tier, upper: &Tier, switch: u32) -> impl Iterator<Item = u32> {
    let (block, place) = (switch / lower.block, switch % lower.block);
    let first = upper.first + block / stage.down * upper.block + place;
    let step = lower.block;
    (0..stage.up).map(move |digit| first + digit * step)
}

/// The switches below a switch, given by its number in the tier.
fn lowers(stage: &ClosStage, lower: &Tier, upper: &Tier, switch: u32) -> impl Iterator<Item = u32> {
    let (block, place) = (switch / upper.block, switch % upper.block % lower.block);
    let first = lower.first + block * stage.down * lower.block + place;
    let step = lower.block;
    (0..stage.down).map(move |digit| first + digit * step)
}

/// The links of a folded Clos network.
pub(super) fn edges(clos: &Clos) -> Vec<UnnumberedLink> {
    let tiers = tiers(clos);
    let mut edges = Vec::new();
    for (stage, pair) in clos.stages.iter().zip(tiers.windows(2)) {
        let [lower, upper] = pair else { unreachable!("windows of two tiers") };
        for switch in 0..lower.size {
            let from = lower.first + switch;
            let link = |to| UnnumberedLink {
                ends: [from, to],
                class: LinkClass::Local,
                link_type: stage.link,
                ports: [None, None],
            };
            let copies = |to| std::iter::repeat_n(link(to), stage.parallel as usize);
            edges.extend(uppers(stage, lower, upper, switch).flat_map(copies));
        }
    }
    edges
}

/// Adds the neighbors of a router, once per cable.
pub(super) fn neighbors(clos: &Clos, tiers: &[Tier], router: u32, list: &mut Vec<u32>) {
    let tier = tiers.partition_point(|tier| tier.first <= router) - 1;
    let switch = router - tiers[tier].first;
    let copies = |stage: &ClosStage| {
        let parallel = stage.parallel as usize;
        move |neighbor: u32| std::iter::repeat_n(neighbor, parallel)
    };
    if let Some(below) = tier.checked_sub(1) {
        let stage = &clos.stages[below];
        list.extend(lowers(stage, &tiers[below], &tiers[tier], switch).flat_map(copies(stage)));
    }
    if let Some(stage) = clos.stages.get(tier) {
        list.extend(uppers(stage, &tiers[tier], &tiers[tier + 1], switch).flat_map(copies(stage)));
    }
}
