//! Resolves `addresses { .. }`: the IPv4 prefixes and AS numbers of a network with next-hop groups.

use super::context::Context;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::settings::{BlockSettings, block_settings, integer, word, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{SettingValue, ValueKind};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_model::{
    AddressCounts, AddressPlan, AddressShortage, Addresses, FOUR_OCTET_AS, Family, Network, Prefix,
    PrefixError, Router, RoutingChoice, UsedRange,
};

/// The word for links without addresses.
const UNNUMBERED: &str = "unnumbered";

/// What gets addresses. A part with errors is `None`.
pub(super) struct Addressed<'a> {
    pub(super) routing: Option<(RoutingChoice, Span)>,
    pub(super) network: Option<&'a Network>,
    pub(super) router: Option<&'a Router>,
}

/// Resolves the addresses of a network. The outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn addresses(
    context: &mut Context,
    items: &SpecItems<'_>,
    addressed: &Addressed<'_>,
) -> Option<Option<Addresses>> {
    let Some((block, span)) = items.addresses else { return Some(None) };
    let routing = addressed.routing.map(|(routing, _)| routing);
    if let Some(routing) = routing.filter(|routing| !routing.has_many_paths()) {
        context.error(ResolveError::Misplaced {
            subject: "`addresses`".to_owned(),
            place: format!("a network with `routing = {}`", routing.name()),
            help: Some(
                "addresses are for next-hop groups: write `routing = spray;` or `ecmp`, or remove the item"
                    .to_owned(),
            ),
            span,
        });
        return None;
    }
    let settings = block_settings(context, block, "`addresses`".to_owned(), span, BlockKind::Addresses);
    let defaults = Addresses::default_at(span);
    let loopbacks = prefix(context, &settings, "loopbacks", defaults.loopbacks);
    let links = match settings.get("links") {
        None => Some(defaults.links),
        Some(value) if word(value).is_some_and(|word| &*word.value == UNNUMBERED) => Some(None),
        Some(value) => written_prefix(context, "links", value).map(Some),
    };
    let hosts = prefix(context, &settings, "hosts", defaults.hosts);
    let [first, last] = FOUR_OCTET_AS.map(i64::from);
    let first_as = match settings.get("as") {
        None => Some(defaults.first_as),
        Some(value) => integer(context, "`as`", value, first..=last).map(|number| number as u32),
    };
    let addresses =
        Addresses { loopbacks: loopbacks?, links: links?, hosts: hosts?, first_as: first_as?, span };
    if let (Some(network), Some(router)) = (addressed.network, addressed.router) {
        check_supply(context, &settings, addresses, network, router);
    }
    Some(Some(addresses))
}

/// Reports addresses that are too few for the network, or that two of its parts would share.
fn check_supply(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    addresses: Addresses,
    network: &Network,
    router: &Router,
) {
    let (hosts, links) = match &network.family {
        Family::Listed(listed) => (network.hosts(router.hosts), Some(listed.links.len() as u64)),
        Family::Boxes(boxes) => (boxes.nics_of_switches(), Some(boxes.outer_links())),
        family => (network.hosts(router.hosts), family.closed_form().map(|form| form.links)),
    };
    let Some(links) = links else { return };
    let counts = AddressCounts::new(&hosts, links);
    let Err(shortage) = AddressPlan::new(addresses, counts) else { return };
    let (pool, help) = match &shortage {
        AddressShortage::TooFew { pool, needed, .. } => {
            let length = 32 - needed.next_power_of_two().trailing_zeros();
            (*pool, format!("a prefix of length {length} or less has enough addresses"))
        }
        AddressShortage::TooFewNumbers { .. } => {
            ("as", format!("write `as = {};` or leave it out", FOUR_OCTET_AS[0]))
        }
        AddressShortage::Overlap(_, UsedRange { pool, .. }) => {
            (*pool, "every prefix is used from its first address on: move one of the two".to_owned())
        }
    };
    let span = settings.span_or_head(pool);
    context.error(ResolveError::BadAddresses { problem: shortage.to_string(), help, span });
}

/// Reports addresses in a pod, which has no next-hop groups.
pub(super) fn refuse_in_pod(context: &mut Context, items: &SpecItems<'_>, kind: PlantKind) {
    if let Some((_, span)) = items.addresses {
        let help = "remove it: only `routing = spray` or `ecmp` of a network has next-hop groups".to_owned();
        context.error(kind.misfit("`addresses`".to_owned(), help, span));
    }
}

/// The prefix of a setting, or the default.
fn prefix(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    default: Prefix,
) -> Option<Prefix> {
    match settings.get(name) {
        None => Some(default),
        Some(value) => written_prefix(context, name, value),
    }
}

/// Reads a prefix. Reports a value that is none.
fn written_prefix(context: &mut Context, name: &str, value: &SettingValue) -> Option<Prefix> {
    let ValueKind::Prefix(text) = &value.kind else {
        let subject = format!("`{name}`");
        context.error(match name {
            "links" => wrong_kind(&subject, "a prefix or `unnumbered`", "172.16.0.0/12", value.span),
            _ => wrong_kind(&subject, "a prefix", "10.0.0.0/8", value.span),
        });
        return None;
    };
    match Prefix::parse(text) {
        Ok(prefix) => Some(prefix),
        Err(error) => {
            let help = match error {
                PrefixError::HostBits(prefix) => format!("did you mean `{prefix}`?"),
                PrefixError::NoLength => format!("for example `{text}/16`"),
                _ => "for example `10.0.0.0/8`".to_owned(),
            };
            let problem = format!("`{name}` cannot be `{text}`: {error}");
            context.error(ResolveError::BadAddresses { problem, help, span: value.span });
            None
        }
    }
}
