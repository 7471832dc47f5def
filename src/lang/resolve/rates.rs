//! Rates of injection, alone and as curves, and shares of packets.

use super::context::Context;
use super::settings::wrong_kind;
use crate::ResolveError;
use crate::syntax::ast::{Expr, ExprKind, Name, Quantity, Steps, Value, ValueKind};
use fabc_base::diag::Span;
use fabc_base::units::Decimal;
use fabc_model::Rate;
use std::collections::BTreeMap;

/// Rates of one curve at most.
const RATES: u64 = 1000;

/// Millionths: what rates are counted in.
const MILLION: u64 = 1_000_000;

/// The largest rate, in millionths.
const MOST: u64 = 1000 * MILLION;

/// `0.5`, `[0.2, 0.5]`, or `0.1 .. 1.8 step 0.1` with both ends. Out of it come ascending rates.
pub(super) fn rates(context: &mut Context, value: &Value) -> Option<Vec<Rate>> {
    let example = "0.1 .. 1.8 step 0.1";
    match &value.kind {
        ValueKind::Quantity(quantity) if quantity.unit.is_none() => {
            Some(vec![Rate::millionths(rate(context, &quantity.number)?)])
        }
        ValueKind::List(items) => listed_rates(context, items, value.span),
        ValueKind::Steps(Steps { first, last, step }) => {
            let [first, last, step] = [first, last, step].map(|expr| rate(context, expr));
            let (first, last, step) = (first?, last?, step?);
            let (found, wanted) = match () {
                () if last < first => ("it ends before it begins", "ascending rates".to_owned()),
                () if (last - first) / step >= RATES => return too_many(context, value.span),
                () => return Some((first..=last).step_by(step as usize).map(Rate::millionths).collect()),
            };
            let (what, found, span) = ("`rates`".to_owned(), found.to_owned(), value.span);
            context.error(ResolveError::OutOfRange { what, wanted, help: None, span, found });
            None
        }
        _ => {
            context.error(wrong_kind("`rates`", "flits per cycle, without a unit", example, value.span));
            None
        }
    }
}

/// Complains about more than [`RATES`] rates.
fn too_many<T>(context: &mut Context, span: Span) -> Option<T> {
    let (what, wanted) = ("`rates`".to_owned(), format!("at most {RATES} rates"));
    context.error(ResolveError::OutOfRange {
        what,
        wanted,
        help: None,
        span,
        found: "these are more".to_owned(),
    });
    None
}

/// The rates of a list, each once.
fn listed_rates(context: &mut Context, items: &[Name], span: Span) -> Option<Vec<Rate>> {
    if items.len() as u64 > RATES {
        return too_many(context, span);
    }
    let mut places: BTreeMap<Rate, Span> = BTreeMap::new();
    let mut whole = true;
    for item in items {
        let Some(rate) = Rate::parse(&item.value).filter(|&rate| rate <= Rate::millionths(MOST)) else {
            context.error(not_a_rate(item.span));
            whole = false;
            continue;
        };
        if let Some(first) = places.insert(rate, item.span) {
            context.duplicate(format!("the rate `{}`", item.value), "remove one of them", item.span, first);
            whole = false;
        }
    }
    whole.then(|| places.into_keys().collect())
}

/// A rate in millionths.
pub(super) fn rate(context: &mut Context, expr: &Expr) -> Option<u64> {
    let number = match &expr.kind {
        ExprKind::Decimal(digits) => Decimal::parse(digits),
        _ => {
            let number = context.eval(expr, &[])?;
            u64::try_from(number).ok().and_then(|number| Decimal::parse(&number.to_string()))
        }
    };
    let rate = number.and_then(|number| number.times(MILLION)).filter(|rate| (1..=MOST).contains(rate));
    if rate.is_none() {
        context.error(not_a_rate(expr.span));
    }
    rate
}

fn not_a_rate(span: Span) -> ResolveError {
    let (what, wanted) = (
        "a rate".to_owned(),
        "above 0 and at most 1000, with at most six digits behind the point".to_owned(),
    );
    ResolveError::OutOfRange { what, wanted, help: None, span, found: "this is not".to_owned() }
}

/// A part of all packets.
pub(super) fn share(context: &mut Context, value: &Value) -> Option<Rate> {
    let ValueKind::Quantity(Quantity { number, unit: None, .. }) = &value.kind else {
        context.error(wrong_kind("`share`", "a number without a unit", "0.2", value.span));
        return None;
    };
    let share = rate(context, number)?;
    if share > MILLION {
        let (what, wanted) = ("`share`".to_owned(), "at most 1".to_owned());
        context.error(ResolveError::OutOfRange {
            what,
            wanted,
            help: None,
            span: value.span,
            found: "this is more".to_owned(),
        });
        return None;
    }
    Some(Rate::millionths(share))
}
