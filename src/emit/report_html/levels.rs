//! A network with tiers as rows of items. A box of GPUs is one item. Neighbors of a tier share an item where
//! there are too many for a picture.

use crate::compiled::CompiledFabric;
use crate::host_blocks::HostBlocks;
use crate::number::grouped;
use crate::svg::LevelRow;
use fabc_base::ids::{Id, NodeId};
use fabc_model::{Family, Outside};
use std::collections::BTreeMap;

/// The most items of a row, the largest number that leaves few enough pairs of linked items first.
const ROW_ITEMS: [usize; 6] = [64, 48, 32, 24, 16, 8];
/// The most pairs of items with a line between them.
const LINES: usize = 1_200;

/// Rows of items, and the links between the items.
pub(super) struct LevelItems {
    /// The rows, from the bottom up.
    pub(super) rows: Vec<LevelRow>,
    /// `[item]`: its name. Items count on from row to row.
    pub(super) names: Vec<String>,
    /// Number of links between two items, the smaller item first.
    pub(super) links: BTreeMap<(usize, usize), u64>,
}

/// What stands in a row before neighbors are merged.
struct LevelTier {
    /// The word of the tier with a colon, such as `leaf: `. Empty for boxes.
    word: String,
    /// The word for what the row counts.
    words: &'static str,
    /// The hosts of all of them, such as ` with 128 hosts`.
    hosts: String,
    /// The name of each of them.
    names: Vec<String>,
}

/// The levels of a network. `None` if it has no tiers, or one only.
pub(super) fn levels(compiled: &CompiledFabric) -> Option<LevelItems> {
    let family = tiered_family(compiled)?;
    let blocks = HostBlocks::new(compiled);
    let tiers = tiers(compiled, family, &blocks);
    if tiers.len() < 2 {
        return None;
    }
    // `[router]`: its row, and its place there.
    let has_boxes = compiled.fabric.boxes().is_some();
    let mut next = vec![0usize; tiers.len()];
    let mut place_of = Vec::with_capacity(compiled.topology.node_count());
    for router in compiled.topology.nodes() {
        place_of.push(match blocks.tier(router) {
            None => (0, blocks.first_host(router) as usize),
            Some(tier) => {
                let row = tier as usize + usize::from(has_boxes);
                next[row] += 1;
                (row, next[row] - 1)
            }
        });
    }
    let merged = ROW_ITEMS.into_iter().map(|most| merged(compiled, &tiers, &place_of, most));
    let mut last = None;
    for levels in merged {
        let fits = levels.links.len() <= LINES;
        last = Some(levels);
        if fits {
            break;
        }
    }
    last
}

/// The levels with at most `most` items in a row.
fn merged(
    compiled: &CompiledFabric,
    tiers: &[LevelTier],
    place_of: &[(usize, usize)],
    most: usize,
) -> LevelItems {
    let (mut rows, mut names, mut first_items, mut shares) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, tier) in tiers.iter().enumerate() {
        let count = tier.names.len();
        let share = count.div_ceil(most);
        first_items.push(names.len());
        shares.push(share);
        names.extend(tier.names.chunks(share).map(|shared| match shared {
            [first, .., last] => format!("{first} to {last}"),
            _ => shared[0].clone(),
        }));
        let each = if share > 1 { format!(", {share} to a mark") } else { String::new() };
        rows.push(LevelRow {
            label: format!("{}{} {}{}{each}", tier.word, grouped(count as u64), tier.words, tier.hosts),
            items: count.div_ceil(share),
            filled: row == 0,
        });
    }
    let item = |router: NodeId| {
        let (row, place) = place_of[router.index()];
        first_items[row] + place / shares[row]
    };
    let mut links = BTreeMap::new();
    for link in compiled.topology.links().iter() {
        let ends = [item(link.a.node), item(link.b.node)];
        let [a, b] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        // Links inside of a box are inside of an item.
        if a != b {
            *links.entry((a, b)).or_insert(0) += 1;
        }
    }
    LevelItems { rows, names, links }
}

/// The rows from the bottom up: boxes if there are some, then the tiers of switches.
fn tiers(compiled: &CompiledFabric, family: &Family, blocks: &HostBlocks<'_>) -> Vec<LevelTier> {
    let topology = &compiled.topology;
    let mut rows = Vec::new();
    if let Family::Boxes(boxes) = family.unpermuted() {
        let gpus = grouped(u64::from(boxes.gpu_count()));
        rows.push(LevelTier {
            word: String::new(),
            words: if boxes.box_count() == 1 { "box" } else { "boxes" },
            hosts: format!(" with {gpus} GPUs"),
            names: (0..boxes.box_count()).map(|place| format!("box{place}")).collect(),
        });
    }
    let words = tier_words(family);
    for tier in 0..=blocks.top() {
        let names: Vec<String> = blocks.switches(tier).map(|switch| topology.name(switch)).collect();
        let hosts: u64 = blocks.switches(tier).map(|switch| u64::from(topology.hosts(switch))).sum();
        rows.push(LevelTier {
            word: words
                .get(tier as usize)
                .map_or_else(|| format!("tier {tier}: "), |word| format!("{word}: ")),
            words: if names.len() == 1 { "switch" } else { "switches" },
            hosts: match hosts {
                0 => String::new(),
                1 => " with 1 host".to_owned(),
                _ => format!(" with {} hosts", grouped(hosts)),
            },
            names,
        });
    }
    rows
}

/// The words of the tiers of switches, from the bottom up. Empty where tiers have none.
fn tier_words(family: &Family) -> Vec<String> {
    match family.unpermuted() {
        Family::Boxes(boxes) => boxes.outside.as_ref().map_or_else(Vec::new, Outside::tier_words),
        Family::Clos(clos) => clos.tier_words.clone(),
        _ => Vec::new(),
    }
}

/// The word of a tier, or its number.
fn tier_word(words: &[String], tier: u32) -> String {
    words.get(tier as usize).cloned().unwrap_or_else(|| format!("tier {tier}"))
}

/// `[channel]`: between which tiers it runs, such as `leaf to spine`. `None` if the network has no tiers.
pub(super) fn channel_levels(compiled: &CompiledFabric) -> Option<Vec<String>> {
    let family = tiered_family(compiled)?;
    let (topology, blocks, words) = (&compiled.topology, HostBlocks::new(compiled), tier_words(family));
    let name = |router: NodeId| blocks.tier(router).map(|tier| tier_word(&words, tier));
    let level = |channel| {
        let ends = [topology.source(channel), topology.target(channel)].map(|end| name(end.node));
        match ends {
            [None, None] => "inside of boxes".to_owned(),
            ends => ends.map(|end| end.unwrap_or_else(|| "box".to_owned())).join(" to "),
        }
    };
    Some(topology.channels().map(level).collect())
}

/// The family of a network with tiers outside of boxes.
fn tiered_family(compiled: &CompiledFabric) -> Option<&Family> {
    let is_lone_box = |family: &Family| matches!(family, Family::Boxes(boxes) if boxes.outside.is_none());
    compiled.fabric.family().filter(|family| family.facts().has_tiers() && !is_lone_box(family))
}
