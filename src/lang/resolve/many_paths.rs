//! Resolves `routing = ecmp { .. }`, and checks what a fabric of many paths can have.

use super::context::Context;
use super::items::SpecItems;
use super::settings::{block_settings, integer, is_named, one_of_or};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name};
use crate::syntax::words::BlockKind;
use fabc_model::{Ecmp, Family, HashInput, Listed, MAX_FLOWS, Network, RoutingChoice};

/// The word that names this routing.
pub(super) const ECMP: &str = "ecmp";

/// Resolves the settings of `ecmp`.
pub(super) fn ecmp_settings(context: &mut Context, kind: &Name, block: &Block) -> Option<Ecmp> {
    let settings = block_settings(context, block, "`ecmp`".to_owned(), kind.span, BlockKind::Ecmp);
    let hash = one_of_or(context, &settings, "hash", HashInput::default());
    let flows = match settings.get("flows") {
        Some(value) => integer(context, "`flows`", value, 1..=i64::from(MAX_FLOWS)).map(|flows| flows as u32),
        None => Some(Ecmp::DEFAULT.flows),
    };
    Some(Ecmp { hash: hash?, flows: flows? })
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

/// Refuses the items that follow tables with one path per pair.
pub(super) fn refuse_single_path_users(context: &mut Context, items: &SpecItems<'_>, routing: RoutingChoice) {
    let mut misplaced = |subject: &str, help: &str, span| {
        let (subject, place) = (format!("`{subject}`"), format!("`routing = {}`", routing.name()));
        context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
    };
    for (setting, _) in &items.collectives {
        let help = "fabc plans collectives on one path per pair. Remove it, or write `routing = minimal;`";
        misplaced("collective", help, setting.name.span);
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
