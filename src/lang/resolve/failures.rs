//! `failures { .. }`: links that fail at random.

use super::context::{Context, missing};
use super::items::Items;
use super::kind::PlantKind;
use super::settings::{in_range, integer, limit, settings, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{ExprKind, Quantity, Value};
use crate::syntax::words::Place;
use fabc_base::diag::Span;
use fabc_base::limits::FAILURE_SEEDS;
use fabc_model::{Failures, Network};

/// Orders where the spec does not say how many.
const SEEDS: u32 = 100;

/// The failures of a network; the outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn failures(
    context: &mut Context,
    items: &Items<'_>,
    network: Option<&Network>,
) -> Option<Option<Failures>> {
    let Some((block, span)) = items.failures else { return Some(None) };
    let settings = settings(context, block, "`failures`".to_owned(), span, Place::Failures);
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
        context.error(ResolveError::Misplaced { what: "`failures`".to_owned(), place, help, span });
        return None;
    }
    Some(Some(Failures { percent: percent?, seeds: seeds? }))
}

/// Complains about failures in a pod.
pub(super) fn none_in_pods(context: &mut Context, items: &Items<'_>, kind: PlantKind) {
    if let Some((_, span)) = items.failures {
        let help = "remove it: what a pod tolerates stands in `budget { faults = ..; }`".to_owned();
        context.error(kind.misfit("`failures`".to_owned(), help, span));
    }
}

/// `<= 60 %`
fn percent(context: &mut Context, value: &Value) -> Option<u32> {
    let Some(Quantity { number, unit, span }) = limit(value, "<=") else {
        context.error(wrong_kind("`links`", "an upper limit", "links <= 60 %;", value.span));
        return None;
    };
    match unit {
        Some(unit) if &*unit.value == "%" => {}
        Some(unit) => {
            return wrong_unit(context, unit.span, format!("`{}` does not measure this", unit.value));
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

fn wrong_unit(context: &mut Context, span: Span, found: String) -> Option<u32> {
    let help = Some("for example `links <= 60 %;`".to_owned());
    context.error(ResolveError::WrongUnit {
        what: "`links`".to_owned(),
        wanted: "the unit `%`".to_owned(),
        help,
        span,
        found,
    });
    None
}
