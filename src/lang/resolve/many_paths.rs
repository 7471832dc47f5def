//! Resolves `routing = ecmp { .. }`, and checks what a fabric of many paths can have.

use super::context::{Context, missing};
use super::items::SpecItems;
use super::outside;
use super::settings::{
    BlockSettings, block_settings, integer, is_named, name_and_block, one_of_or, wrong_kind,
};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Setting, StatementKind, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_model::{
    Ecmp, Family, HashInput, Listed, MAX_FLOWS, MOST_RELAYS, MemberWeights, Network, NextHopGroups,
    RoutingChoice, Spreading, TierOrder, TierOrderWord,
};

/// The words that name these routings.
pub(super) const ECMP: &str = "ecmp";
pub(super) const SPRAY: &str = "spray";

/// Resolves the settings of `routing = ecmp { .. }` or `routing = spray { .. }`.
pub(super) fn group_settings(context: &mut Context, kind: &Name, block: &Block) -> Option<NextHopGroups> {
    let is_hashed = &*kind.value == ECMP;
    let place = if is_hashed { BlockKind::Ecmp } else { BlockKind::Spray };
    let settings = block_settings(context, block, format!("`{}`", kind.value), kind.span, place);
    let weights = one_of_or(context, &settings, "weights", MemberWeights::default());
    let spreading = if is_hashed {
        hashed_flows(context, &settings).map(Spreading::Ecmp)
    } else {
        Some(Spreading::Spray)
    };
    let order = tier_order(context, &settings, kind);
    Some(NextHopGroups { spreading: spreading?, weights: weights?, order: order? })
}

/// Resolves the settings `order` and `root` of next-hop groups.
fn tier_order(context: &mut Context, settings: &BlockSettings<'_>, kind: &Name) -> Option<TierOrder> {
    let order = one_of_or(context, settings, "order", TierOrderWord::default())?;
    match (order, settings.get("root")) {
        (TierOrderWord::Tiers, None) => Some(TierOrder::Tiers),
        (TierOrderWord::Tiers, Some(value)) => {
            let help = Some("it belongs to `order = up_down`".to_owned());
            let (subject, place) = ("`root`".to_owned(), "an order by tiers".to_owned());
            context.error(ResolveError::Misplaced { subject, place, help, span: value.span });
            None
        }
        (TierOrderWord::UpDown, Some(value)) => {
            let root = integer(context, "`root`", value, 0..=i64::from(u32::MAX))?;
            Some(TierOrder::UpDown { root: root as u32 })
        }
        (TierOrderWord::UpDown, None) => {
            context.error(missing("`order = up_down`", "`root`", "root = 0;", kind.span));
            None
        }
    }
}

/// Checks that the routers of a network can have an order from a root.
pub(super) fn check_order(context: &mut Context, network: &Network, routing: RoutingChoice, span: Span) {
    let TierOrder::UpDown { root } = routing.tier_order() else { return };
    let Family::Listed(listed) = &network.family else {
        let place = format!("a `{}`, which is no graph file", network.family.name());
        let help =
            Some("remove `order` and `root`: such a network has tiers, or no next-hop groups".to_owned());
        let subject = "`order = up_down`".to_owned();
        return context.error(ResolveError::Misplaced { subject, place, help, span });
    };
    let last = listed.routers.len().saturating_sub(1);
    if root as usize > last {
        context.error(ResolveError::OutOfRange {
            subject: "`root`".to_owned(),
            wanted: format!("0 to {last}"),
            help: Some(format!("`{}` has {} routers", listed.path, listed.routers.len())),
            span,
            note: format!("{root} is no router"),
        });
    }
}

/// Resolves the settings of `routing = ecmp { .. }` in a simulation.
pub(super) fn simulated_flows(context: &mut Context, kind: &Name, block: &Block) -> Option<u32> {
    let settings = block_settings(context, block, "`ecmp`".to_owned(), kind.span, BlockKind::Ecmp);
    for name in ["weights", "order", "root"] {
        let Some(value) = settings.get(name) else { continue };
        let help = Some("it belongs in `routing = ecmp { .. }` of the fabric".to_owned());
        let (subject, place) = (format!("`{name}`"), "a simulation".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: value.span });
    }
    hashed_flows(context, &settings).map(|ecmp| ecmp.flows)
}

fn hashed_flows(context: &mut Context, settings: &BlockSettings<'_>) -> Option<Ecmp> {
    let hash = one_of_or(context, settings, "hash", HashInput::default());
    let flows = match settings.get("flows") {
        Some(value) => integer(context, "`flows`", value, 1..=i64::from(MAX_FLOWS)).map(|flows| flows as u32),
        None => Some(Ecmp::DEFAULT.flows),
    };
    Some(Ecmp { hash: hash?, flows: flows? })
}

/// Resolves `relay = gpu;` or `relay = gpu { most = 3; }` of `spray` to the most relays of a pair. It is 0
/// without the setting.
pub(super) fn relays(context: &mut Context, items: &SpecItems<'_>, network: Option<&Network>) -> Option<u32> {
    let routing = items.settings.get("routing").map(|setting| &setting.value.kind);
    let Some(ValueKind::Block(_, block)) = routing else { return Some(0) };
    let Some(value) = outside::setting(block, "relay") else { return Some(0) };
    let named = name_and_block(value);
    let Some((_, settings)) = named.filter(|(name, _)| *name.value == *"gpu") else {
        context.error(wrong_kind("`relay`", "`gpu`", "gpu", value.span));
        return None;
    };
    if !matches!(network?.family, Family::Boxes(_)) {
        context.error(ResolveError::Misplaced {
            subject: "`relay`".to_owned(),
            place: "a network without `boxes`".to_owned(),
            help: Some("GPUs of boxes hand packets on; remove it".to_owned()),
            span: value.span,
        });
        return None;
    }
    let Some(settings) = settings else { return Some(1) };
    let settings = block_settings(context, settings, "`relay`".to_owned(), value.span, BlockKind::Relay);
    let Some(most) = settings.get("most") else { return Some(1) };
    integer(context, "`most`", most, 1..=i64::from(MOST_RELAYS)).map(|most| most as u32)
}

/// The name of the routing of a spec, if it has many paths.
pub(super) fn many_path_method(items: &SpecItems<'_>) -> Option<&'static str> {
    let setting = items.settings.get("routing")?;
    let is_written = |method: &RoutingChoice| is_named(&setting.value, method.name());
    RoutingChoice::ALL
        .into_iter()
        .filter(|method| method.has_many_paths())
        .find(is_written)
        .map(|method| method.name())
}

/// Whether the routing of a spec says `weights = capacity`.
pub(super) fn is_weighted(items: &SpecItems<'_>) -> bool {
    let Some(setting) = items.settings.get("routing") else { return false };
    let ValueKind::Block(_, block) = &setting.value.kind else { return false };
    let is_capacity = |setting: &Setting| {
        &*setting.name.value == "weights" && is_named(&setting.value, MemberWeights::Capacity.name())
    };
    block
        .statements
        .iter()
        .any(|line| matches!(&line.kind, StatementKind::Setting(setting) if is_capacity(setting)))
}

/// Refuses the items that follow tables with one path per pair.
pub(super) fn refuse_single_path_users(context: &mut Context, items: &SpecItems<'_>, routing: RoutingChoice) {
    let mut misplaced = |subject: &str, help: &str, span| {
        let (subject, place) = (format!("`{subject}`"), format!("`routing = {}`", routing.name()));
        context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
    };
    for (setting, _) in &items.collectives {
        let ValueKind::Block(kind, block) = &setting.value.kind else { continue };
        let direct = outside::setting(block, "algorithm").filter(|value| is_named(value, "direct"));
        let help = "its messages follow one path per pair. Remove it, or write `routing = minimal;`";
        match (&*kind.value, direct) {
            ("pairs", _) => misplaced(&kind.value, help, kind.span),
            (_, Some(value)) => misplaced("direct", help, value.span),
            _ => {}
        }
    }
}

/// What a network without tiers is, for the label of an error. A file has a link that says why.
pub(super) fn untiered(network: &Network) -> String {
    let named = |listed: &Listed| {
        let [a, b] = listed.link_within_tier()?.ends.map(|end| &listed.routers[end as usize].name);
        Some(format!("a file whose link from {a} to {b} joins two routers of one tier"))
    };
    let listed = if let Family::Listed(listed) = &network.family { named(listed) } else { None };
    listed.unwrap_or_else(|| format!("a `{}`", network.family.name()))
}
