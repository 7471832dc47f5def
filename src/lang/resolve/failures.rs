//! Resolves `failures { .. }`: links that fail at random.

use super::context::{Context, missing};
use super::items::SpecItems;
use super::kind::PlantKind;
use super::settings::{block_settings, in_range, integer, limit, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{ExprKind, Quantity, SettingValue};
use crate::syntax::words::BlockKind;
use fabc_base::diag::Span;
use fabc_base::limits::FAILURE_SEEDS;
use fabc_model::{LinkFailures, Network};

/// The default number of random orders.
const SEEDS: u32 = 100;

/// Resolves the failures of a network. The outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn failures(
    context: &mut Context,
    items: &SpecItems<'_>,
    network: Option<&Network>,
) -> Option<Option<LinkFailures>> {
    let Some((block, span)) = items.failures else { return Some(None) };
    let settings = block_settings(context, block, "`failures`".to_owned(), span, BlockKind::Failures);
    let percent = match settings.get("links") {
        Some(value) => percent(context, value),
        None => {
            context.error(missing("`failures`", "`links`", "links <= 60 %;", span));
            None
        }
    };
    let seeds = match settings.get("seeds") {
        Some(value) => {
            integer(context, "`seeds`", value, 1..=i64::from(FAILURE_SEEDS)).map(|seeds| seeds as u32)
        }
        None => Some(SEEDS),
    };
    if let Some(network) = network.filter(|network| network.family.is_simplex()) {
        let place = format!("a `{}` of links that run one way", network.family.name());
        let help =
            Some("links fail with both their channels: write `arcs = duplex;`, or remove it".to_owned());
        context.error(ResolveError::Misplaced { subject: "`failures`".to_owned(), place, help, span });
        return None;
    }
    Some(Some(LinkFailures { percent: percent?, seeds: seeds? }))
}

/// Reports failures in a pod, which has none.
pub(super) fn refuse_in_pod(context: &mut Context, items: &SpecItems<'_>, kind: PlantKind) {
    if let Some((_, span)) = items.failures {
        let help = "remove it: what a pod tolerates stands in `budget { faults = ..; }`".to_owned();
        context.error(kind.misfit("`failures`".to_owned(), help, span));
    }
}

/// Reads `<= 60 %` as a whole number of percent.
fn percent(context: &mut Context, value: &SettingValue) -> Option<u32> {
    let Some(Quantity { number, unit, span }) = limit(value, "<=") else {
        context.error(wrong_kind("`links`", "an upper limit", "links <= 60 %;", value.span));
        return None;
    };
    match unit {
        Some(unit) if &*unit.value == "%" => {}
        Some(unit) => {
            return wrong_unit(context, unit.span, format!("`{}` is the unit of something else", unit.value));
        }
        None => return wrong_unit(context, *span, "a share of the links expected".to_owned()),
    }
    if let ExprKind::Decimal(_) = number.kind {
        context.error(wrong_kind("`links`", "whole percent", "links <= 60 %;", number.span));
        return None;
    }
    let percent = context.eval(number, &[])?;
    in_range(context, "`links`", percent, 1..=99, *span).map(|percent| percent as u32)
}

fn wrong_unit(context: &mut Context, span: Span, note: String) -> Option<u32> {
    let help = Some("for example `links <= 60 %;`".to_owned());
    context.error(ResolveError::WrongUnit {
        subject: "`links`".to_owned(),
        wanted: "the unit `%`".to_owned(),
        help,
        span,
        note,
    });
    None
}
