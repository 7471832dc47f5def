//! Resolves `router name { .. }`, and which tier has which kind.

use super::context::{Context, missing};
use super::hardware::{LATENCY_CYCLES, latency_cycles, power_mw, price, switch_arithmetic};
use super::items::SpecItems;
use super::outside;
use super::scope::Scope;
use super::settings::{block_settings, integer, word, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name, Text, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::suggestion;
use fabc_base::units::Dimension;
use fabc_model::{Family, Network, Outside, Router, RouterKind, SwitchArithmetic};
use std::collections::BTreeMap;

/// Resolves the kinds of routers by name. Settings that a kind does not give are those of `router { .. }`.
fn router_kinds(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    common: Option<&Router>,
) -> Option<BTreeMap<Text, RouterKind>> {
    let mut kinds: BTreeMap<Text, RouterKind> = BTreeMap::new();
    for (name, block, _) in &items.router_kinds {
        let kind = router_kind(context, name, block, scope, common)?;
        if let Some(first) = kinds.insert(name.value.clone(), kind) {
            let help = "give them different names, or remove one";
            context.duplicate(format!("the router `{}`", name.value), help, name.span, first.span);
            return None;
        }
    }
    Some(kinds)
}

/// Resolves the settings of one kind of router.
fn router_kind(
    context: &mut Context,
    name: &Name,
    block: &Block,
    scope: &Scope<'_>,
    common: Option<&Router>,
) -> Option<RouterKind> {
    let title = format!("router `{}`", name.value);
    let settings = block_settings(context, block, title.clone(), name.span, BlockKind::RouterKind);
    let radix = match (settings.get("radix"), common) {
        (None, Some(common)) => Some(i64::from(common.radix)),
        _ => settings
            .need(context, "radix", "64")
            .and_then(|value| integer(context, "`radix`", value, 1..=1024)),
    };
    let latency = match settings.get("latency") {
        Some(value) => {
            latency_cycles(context, &title, value, scope.clock, &[Dimension::Cycles, Dimension::Time])
        }
        None => Some(common.map_or(LATENCY_CYCLES, |common| common.latency_cycles)),
    };
    let cost = match (settings.get("cost"), common) {
        (None, Some(common)) => Some(common.cost),
        _ => price(context, &settings, "cost"),
    };
    let power_mw = match (settings.get("power"), common) {
        (None, Some(common)) => Some(common.power_mw),
        _ => power_mw(context, &settings, &title),
    };
    let common = common.map_or_else(SwitchArithmetic::default, |common| common.arithmetic);
    let arithmetic = switch_arithmetic(context, &settings, common)?;
    let (radix, latency_cycles) = (radix? as u32, latency?);
    Some(RouterKind { radix, latency_cycles, cost: cost?, power_mw: power_mw?, arithmetic, span: name.span })
}

/// The kinds of the tiers of switches: `tiers = [a, b];`, or `leaf = a; spine = b;`. Empty where the spec
/// names none. `router` is `router { .. }`, or what boxes have without it.
pub(super) fn tier_kinds(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    network: &Network,
    router: Option<&Router>,
) -> Option<Vec<RouterKind>> {
    let common = router.filter(|_| items.router.is_some());
    refuse_adding_chips(context, items, network, common)?;
    let kinds = router_kinds(context, items, scope, common)?;
    let tiers = match &network.family {
        Family::Clos(clos) => clos.tiers(),
        Family::Boxes(boxes) => boxes.outside.as_ref().map_or(0, Outside::tiers),
        _ => 0,
    };
    let names = tier_names(context, items, network, tiers)?;
    refuse_unused(context, items, &names)?;
    if tiers > 0 && items.router.is_none() && names.contains(&None) {
        let example = "router { radix = 64; vcs = 1; }";
        context.error(missing("the fabric", "`router`", example, scope.head));
        return None;
    }
    if names.iter().all(Option::is_none) {
        return Some(Vec::new());
    }
    let mut resolved = Vec::with_capacity(tiers);
    for name in &names {
        let Some(name) = name else {
            let Router { radix, latency_cycles, cost, power_mw, arithmetic, span, .. } = *router?;
            resolved.push(RouterKind { radix, latency_cycles, cost, power_mw, arithmetic, span });
            continue;
        };
        let Some(kind) = kinds.get(&name.value) else {
            let help = suggestion(&name.value, kinds.keys().map(|known| &**known));
            let (name, span) = (name.value.to_string(), name.span);
            context.error(ResolveError::UnknownName { subject: "router", name, help, span });
            return None;
        };
        resolved.push(kind.clone());
    }
    Some(resolved)
}

/// Reports routers that copy or add in a network without a router that only forwards. There every router is
/// a chip, and chips copy and add anyway.
fn refuse_adding_chips(
    context: &mut Context,
    items: &SpecItems<'_>,
    network: &Network,
    common: Option<&Router>,
) -> Option<()> {
    let (Some(router), Some((block, _))) = (common, items.router) else { return Some(()) };
    let SwitchArithmetic { multicast, reduce } = router.arithmetic;
    let name = if reduce { "reduce" } else { "multicast" };
    if !(multicast || reduce) || network.hosts(router.hosts).contains(&0) {
        return Some(());
    }
    let span = outside::setting(block, name).map_or(router.span, |value| value.span);
    context.error(ResolveError::Misplaced {
        subject: format!("`{name}`"),
        place: "a network in which every router has hosts".to_owned(),
        help: Some("only switches without hosts can copy and add for others: remove it".to_owned()),
        span,
    });
    None
}

/// `[tier]`: the kind that the topology names, from the bottom up.
fn tier_names(
    context: &mut Context,
    items: &SpecItems<'_>,
    network: &Network,
    tiers: usize,
) -> Option<Vec<Option<Name>>> {
    let value = items.settings.get("topology").map(|setting| &setting.value.kind);
    let block = if let Some(ValueKind::Block(_, block)) = value { Some(block) } else { None };
    let named = |name: &str| block.and_then(|block| outside::setting(block, name));
    let mut names: Vec<Option<Name>> = vec![None; tiers];
    if let Some(value) = named("tiers") {
        let ValueKind::List(listed) = &value.kind else {
            context.error(wrong_kind("`tiers`", "a list of routers", "[leaf, spine]", value.span));
            return None;
        };
        if listed.len() != tiers {
            let problem = format!("`tiers` lists {} routers for {tiers} tiers", listed.len());
            let help = "write one router for every tier, the lowest first".to_owned();
            let (family, span) = (network.family.name(), value.span);
            context.error(ResolveError::NoSuchNetwork { family, problem, help, span });
            return None;
        }
        names = listed.iter().cloned().map(Some).collect();
    }
    for (tier, setting) in ["leaf", "spine"].into_iter().enumerate() {
        let Some(value) = named(setting) else { continue };
        let Some(name) = word(value) else {
            context.error(wrong_kind(&format!("`{setting}`"), "the name of a router", setting, value.span));
            return None;
        };
        if let Some(place) = names.get_mut(tier) {
            *place = Some(name);
        }
    }
    Some(names)
}

/// Reports a kind that no tier has.
fn refuse_unused(context: &mut Context, items: &SpecItems<'_>, names: &[Option<Name>]) -> Option<()> {
    let is_named = |kind: &Name| names.iter().flatten().any(|name| name.value == kind.value);
    let Some((kind, ..)) = items.router_kinds.iter().find(|(kind, ..)| !is_named(kind)) else {
        return Some(());
    };
    let help = match names {
        [] => {
            "only the tiers of `leaf_spine`, `rails`, `fat_tree` with `k` and `clos` have kinds of their own"
                .to_owned()
        }
        _ => format!("write `leaf = {0};`, or `tiers = [{0}, ..];` in the topology", kind.value),
    };
    let (subject, place) = (format!("router `{}`", kind.value), "this fabric: no tier has it".to_owned());
    context.error(ResolveError::Misplaced { subject, place, help: Some(help), span: kind.span });
    None
}
