//! Checks what a fabric of many paths can have: `routing = spray`.

use super::context::Context;
use super::items::SpecItems;
use super::settings::is_named;
use crate::ResolveError;
use fabc_model::{Family, Listed, Network};

/// Whether a spec has `routing = spray`.
pub(super) fn is_sprayed(items: &SpecItems<'_>) -> bool {
    items.settings.get("routing").is_some_and(|setting| is_named(&setting.value, "spray"))
}

/// Refuses the items that follow tables with one path per pair.
pub(super) fn refuse_single_path_users(context: &mut Context, items: &SpecItems<'_>) {
    let mut misplaced = |subject: &str, help: &str, span| {
        let (subject, place) = (format!("`{subject}`"), "`routing = spray`".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help: Some(help.to_owned()), span });
    };
    for (name, ..) in &items.simulations {
        let help =
            "the simulator sends the packets of a pair one way. Remove it, or write `routing = minimal;`";
        misplaced("simulate", help, name.span);
    }
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
