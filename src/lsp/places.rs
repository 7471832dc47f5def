//! Which name space an item declares names in, and whose settings stand in the block of a choice.

use super::reading::NameSpace;
use fabc_lang::syntax::words::BlockKind;

/// The name space that an item declares a name in.
pub(super) fn item_space(item: &str) -> Option<NameSpace> {
    match item {
        "link" => Some(NameSpace::Link),
        "ocs" => Some(NameSpace::Ocs),
        "simulate" | "collective" => Some(NameSpace::Run),
        "slice" => Some(NameSpace::Slice),
        "box" => Some(NameSpace::Box),
        "router" => Some(NameSpace::Router),
        _ => None,
    }
}

/// The place in the language whose settings stand in the block of a statement.
pub(super) fn statement_place(word: &str) -> Option<BlockKind> {
    match word {
        "level" => Some(BlockKind::Level),
        "switch" => Some(BlockKind::InnerSwitch),
        "join" | "mesh" => Some(BlockKind::Join),
        "nics" => Some(BlockKind::Nics),
        _ => None,
    }
}

/// The place in the language whose settings stand in the block of a choice.
pub(super) fn block_place(setting: &str, choice: &str, simulated: bool, network: bool) -> Option<BlockKind> {
    use BlockKind::*;
    match (setting, choice) {
        ("topology" | "of", "torus" | "twisted_torus" | "mesh") => Some(Grid),
        ("topology" | "of", "hypercube" | "folded_hypercube") => Some(Hypercube),
        ("topology", "synthesize") => Some(if network { FreeGraph } else { Synthesize }),
        ("topology" | "of", family) => {
            let families = BlockKind::FAMILIES_WITH_LINKS.iter().chain(BlockKind::FAMILIES_WITHOUT_LINKS);
            families.copied().find(|place| place.name() == family)
        }
        ("routing", "allowed_turns") => Some(AllowedTurns),
        ("routing", "ecmp") => Some(Ecmp),
        ("routing", "spray") => Some(Spray),
        ("relay", "gpu") => Some(Relay),
        ("routing", "scheduled") => Some(Scheduled),
        ("routing", _) => simulated.then_some(Ways),
        ("model", "packet") => Some(PacketModel),
        ("model", "flit") => Some(FlitModel),
        ("traffic", "group_shift") => Some(Traffic),
        ("traffic", "hotspot") => Some(Hotspot),
        ("traffic", "all_to_all") => Some(AllToAll),
        ("control", "window") => Some(Window),
        ("control", "dctcp" | "dcqcn") => Some(Marks),
        ("births", "bursts") => Some(Bursts),
        ("clustering", "walktrap") => Some(Walktrap),
        ("placement", "annealed") => Some(Annealed),
        ("place", "search") => Some(PlaceSearch),
        _ => None,
    }
}
