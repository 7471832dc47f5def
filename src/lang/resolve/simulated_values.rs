//! Reads the values in the settings of simulations: words, cycles, rates of injection and shares of packets.

use super::context::{Context, unknown_choice};
use super::settings::{BlockSettings, in_range, quantity, wrong_kind};
use crate::ResolveError;
use crate::syntax::ast::{Expr, ExprKind, Name, Quantity, SettingValue, Steps, ValueKind};
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, Dimension};
use fabc_model::{Rate, Word};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The most rates of one curve.
const MAX_RATES: u64 = 1000;

/// Rates are counted in millionths.
const MILLION: u64 = 1_000_000;

/// The largest rate, in millionths.
const MAX_RATE: u64 = 1000 * MILLION;

/// Reads rates in ascending order: `0.5`, `[0.2, 0.5]`, or `0.1 .. 1.8 step 0.1` with both ends.
pub(super) fn rates(context: &mut Context, value: &SettingValue) -> Option<Vec<Rate>> {
    let example = "0.1 .. 1.8 step 0.1";
    match &value.kind {
        ValueKind::Quantity(quantity) if quantity.unit.is_none() => {
            Some(vec![Rate::millionths(rate(context, &quantity.number)?)])
        }
        ValueKind::List(items) => listed_rates(context, items, value.span),
        ValueKind::Steps(Steps { first, last, step }) => {
            let [first, last, step] = [first, last, step].map(|expr| rate(context, expr));
            let (first, last, step) = (first?, last?, step?);
            let (note, wanted) = match () {
                () if last < first => ("it ends before it begins", "ascending rates".to_owned()),
                () if (last - first) / step >= MAX_RATES => return too_many(context, value.span),
                () => return Some((first..=last).step_by(step as usize).map(Rate::millionths).collect()),
            };
            let (subject, note, span) = ("`rates`".to_owned(), note.to_owned(), value.span);
            context.error(ResolveError::OutOfRange { subject, wanted, help: None, span, note });
            None
        }
        _ => {
            context.error(wrong_kind("`rates`", "flits per cycle, without a unit", example, value.span));
            None
        }
    }
}

/// Reports more than [`MAX_RATES`] rates.
fn too_many<T>(context: &mut Context, span: Span) -> Option<T> {
    let (subject, wanted) = ("`rates`".to_owned(), format!("at most {MAX_RATES} rates"));
    context.error(ResolveError::OutOfRange {
        subject,
        wanted,
        help: None,
        span,
        note: "these are more".to_owned(),
    });
    None
}

/// Reads the rates of a list. Reports duplicates.
fn listed_rates(context: &mut Context, items: &[Name], span: Span) -> Option<Vec<Rate>> {
    if items.len() as u64 > MAX_RATES {
        return too_many(context, span);
    }
    let mut spans: BTreeMap<Rate, Span> = BTreeMap::new();
    let mut all_valid = true;
    for item in items {
        let Some(rate) = Rate::parse(&item.value).filter(|&rate| rate <= Rate::millionths(MAX_RATE)) else {
            context.error(not_a_rate(item.span));
            all_valid = false;
            continue;
        };
        if let Some(first) = spans.insert(rate, item.span) {
            context.duplicate(format!("the rate `{}`", item.value), "remove one of them", item.span, first);
            all_valid = false;
        }
    }
    all_valid.then(|| spans.into_keys().collect())
}

/// Reads a rate, in millionths.
pub(super) fn rate(context: &mut Context, expr: &Expr) -> Option<u64> {
    let number = match &expr.kind {
        ExprKind::Decimal(digits) => Decimal::parse(digits),
        _ => {
            let number = context.eval(expr, &[])?;
            u64::try_from(number).ok().and_then(|number| Decimal::parse(&number.to_string()))
        }
    };
    let rate = number.and_then(|number| number.times(MILLION)).filter(|rate| (1..=MAX_RATE).contains(rate));
    if rate.is_none() {
        context.error(not_a_rate(expr.span));
    }
    rate
}

fn not_a_rate(span: Span) -> ResolveError {
    let (subject, wanted) = (
        "a rate".to_owned(),
        "above 0 and at most 1000, with at most six digits behind the point".to_owned(),
    );
    ResolveError::OutOfRange { subject, wanted, help: None, span, note: "this is not".to_owned() }
}

/// Reads a part of 1. `subject` names the setting, and `example` is a value.
pub(super) fn share(
    context: &mut Context,
    subject: &str,
    example: &str,
    value: &SettingValue,
) -> Option<Rate> {
    let ValueKind::Quantity(Quantity { number, unit: None, .. }) = &value.kind else {
        context.error(wrong_kind(subject, "a number without a unit", example, value.span));
        return None;
    };
    let share = rate(context, number)?;
    if share > MILLION {
        let (subject, wanted) = (subject.to_owned(), "at most 1".to_owned());
        context.error(ResolveError::OutOfRange {
            subject,
            wanted,
            help: None,
            span: value.span,
            note: "this is more".to_owned(),
        });
        return None;
    }
    Some(Rate::millionths(share))
}

/// The confidences that a simulation may ask for, in millionths.
const CONFIDENCES: RangeInclusive<u64> = 500_000..=999_000;

/// Reads the confidence of intervals.
pub(super) fn confidence(context: &mut Context, value: &SettingValue) -> Option<Rate> {
    let ValueKind::Quantity(Quantity { number, unit: None, .. }) = &value.kind else {
        context.error(wrong_kind("`confidence`", "a number without a unit", "0.95", value.span));
        return None;
    };
    let confidence = match &number.kind {
        ExprKind::Decimal(digits) => Decimal::parse(digits).and_then(|number| number.times(MILLION)),
        _ => None,
    };
    if let Some(confidence) = confidence.filter(|confidence| CONFIDENCES.contains(confidence)) {
        return Some(Rate::millionths(confidence));
    }
    let (subject, wanted) = ("`confidence`".to_owned(), "at least 0.5 and at most 0.999".to_owned());
    let (note, help) = ("this is not".to_owned(), Some("0.95 stands for 95 %".to_owned()));
    context.error(ResolveError::OutOfRange { subject, wanted, help, span: value.span, note });
    None
}

/// The longest wait, in cycles.
pub(super) const MAX_WAIT: u64 = 1 << 20;

/// Reads a word of `T` from a name.
pub(super) fn word_value<T: Word>(context: &mut Context, subject: &str, name: &Name) -> Option<T> {
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let value = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if value.is_none() {
        context.error(unknown_choice(subject, name, &names, None));
    }
    value
}

/// Reports the settings of a word that has none.
pub(super) fn refuse_settings(context: &mut Context, name: &Name) {
    let subject = format!("`{} {{ .. }}`", name.value);
    let help = Some(format!("it has no settings: write `{}`", name.value));
    context.error(ResolveError::Misplaced {
        subject,
        place: "a simulation".to_owned(),
        help,
        span: name.span,
    });
}

/// Reads a setting in cycles. The inner `None` says that it is not written.
#[allow(clippy::option_option)]
pub(super) fn cycles(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    range: RangeInclusive<u64>,
) -> Option<Option<u32>> {
    let Some(value) = settings.get(name) else { return Some(None) };
    whole_count(context, &format!("`{name}`"), value, Dimension::Cycles, "25 cycles", range).map(Some)
}

/// Reads a whole number of a unit.
pub(super) fn whole_count(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    dimension: Dimension,
    example: &str,
    range: RangeInclusive<u64>,
) -> Option<u32> {
    let (number, unit) = quantity(context, subject, value, &[dimension], example)?;
    match number.times(unit.factor).and_then(|number| i64::try_from(number).ok()) {
        Some(number) => {
            in_range(context, subject, number, *range.start() as i64..=*range.end() as i64, value.span)
                .map(|number| number as u32)
        }
        None => {
            context.error(wrong_kind(subject, "a whole number", example, value.span));
            None
        }
    }
}
