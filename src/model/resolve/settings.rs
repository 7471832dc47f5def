//! Blocks of settings, and the values in them.

use super::context::{Context, missing, unknown_choice};
use crate::diag::{Span, Spanned};
use crate::model::errors::{ResolveError, suggestion};
use crate::syntax::ast::{Block, ExprKind, Name, Quantity, Setting, StatementKind, Value, ValueKind};
use crate::units::{Decimal, Dimension, UNITS, Unit};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The settings of one block, each at most once.
pub(super) struct Settings<'a> {
    /// Such as ``link `copper` ``.
    pub(super) place: String,
    /// Where a missing setting is reported.
    head: Span,
    found: BTreeMap<&'static str, &'a Setting>,
}

/// Reads a block; what is not `known` is reported, except for the statement that `special` names.
pub(super) fn settings<'a>(
    context: &mut Context,
    block: &'a Block,
    place: String,
    head: Span,
    known: &[&'static str],
    special: &str,
) -> Settings<'a> {
    let mut found: BTreeMap<&'static str, &'a Setting> = BTreeMap::new();
    for statement in &block.statements {
        if context.enough() {
            break;
        }
        let setting = match &statement.kind {
            StatementKind::Setting(setting) => setting,
            StatementKind::Mesh(_) if special == "mesh" => continue,
            StatementKind::Couple(_) if special == "couple" => continue,
            StatementKind::Component(_) if special == "all_to_all" => continue,
            StatementKind::Mesh(_) => {
                let help = Some("`mesh` belongs in `cube { .. }`".to_owned());
                context.error(ResolveError::Misplaced { what: "`mesh`".to_owned(), place: place.clone(), help, span: statement.span });
                continue;
            }
            StatementKind::Couple(_) => {
                let help = Some("`couple` belongs in `ocs name { .. }`".to_owned());
                context.error(ResolveError::Misplaced { what: "`couple`".to_owned(), place: place.clone(), help, span: statement.span });
                continue;
            }
            StatementKind::Component(_) => {
                let help = Some("`all_to_all` belongs in `demand { .. }`".to_owned());
                context.error(ResolveError::Misplaced {
                    what: "`all_to_all`".to_owned(),
                    place: place.clone(),
                    help,
                    span: statement.span,
                });
                continue;
            }
        };
        let name = &setting.name;
        let Some(&known) = known.iter().find(|known| **known == &*name.value) else {
            let help = suggestion(&name.value, known.iter().copied().chain((!special.is_empty()).then_some(special)));
            context.error(ResolveError::Misplaced { what: format!("`{}`", name.value), place: place.clone(), help, span: name.span });
            continue;
        };
        match found.get(known) {
            Some(first) => context.duplicate(format!("`{known}`"), "remove one of them", name.span, first.name.span),
            None => _ = found.insert(known, setting),
        }
    }
    Settings { place, head, found }
}

impl<'a> Settings<'a> {
    /// Those of a block that is not written.
    pub(super) fn none(place: String, head: Span) -> Self {
        Self { place, head, found: BTreeMap::new() }
    }

    /// The value of a setting, if it is written.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.found.get(name).map(|setting| &setting.value)
    }

    /// The value of a setting that must be written.
    pub(super) fn need(&self, context: &mut Context, name: &'static str, example: &str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            context.error(missing(&self.place, &format!("`{name}`"), &format!("{name} = {example};"), self.head));
        }
        value
    }

    /// Where a whole `name = value` stands.
    pub(super) fn span(&self, name: &str) -> Option<Span> {
        self.found.get(name).map(|setting| setting.name.span.to(setting.value.span))
    }
}

/// A value that is an integer without a unit.
pub(super) fn integer(context: &mut Context, what: &str, value: &Value, range: RangeInclusive<i64>) -> Option<i64> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        context.error(wrong_kind(what, "an integer", "4", value.span));
        return None;
    };
    if let Some(unit) = &quantity.unit {
        context.error(ResolveError::WrongUnit {
            what: what.to_owned(),
            wanted: "no unit".to_owned(),
            help: Some(format!("remove `{}`", unit.value)),
            span: unit.span,
            found: "a plain number expected".to_owned(),
        });
        return None;
    }
    if let ExprKind::Decimal(_) = quantity.number.kind {
        context.error(wrong_kind(what, "an integer", "4", value.span));
        return None;
    }
    let number = context.eval(&quantity.number, &[])?;
    in_range(context, what, number, range, value.span)
}

/// The number, if it lies in the range.
pub(super) fn in_range(context: &mut Context, what: &str, number: i64, range: RangeInclusive<i64>, span: Span) -> Option<i64> {
    if range.contains(&number) {
        return Some(number);
    }
    let wanted = match (*range.start(), *range.end()) {
        (low, i64::MAX) => format!("at least {low}"),
        (low, high) => format!("between {low} and {high}"),
    };
    let found = format!("this is {number}");
    context.error(ResolveError::OutOfRange { what: what.to_owned(), wanted, help: None, span, found });
    None
}

/// A value with one of the units of `dimensions`.
pub(super) fn quantity(
    context: &mut Context,
    what: &str,
    value: &Value,
    dimensions: &[Dimension],
    example: &str,
) -> Option<(Decimal, &'static Unit)> {
    match &value.kind {
        ValueKind::Quantity(found) => quantity_of(context, what, found, dimensions, example),
        _ => {
            context.error(wrong_kind(what, "a quantity", example, value.span));
            None
        }
    }
}

/// A number with one of the units of `dimensions`.
pub(super) fn quantity_of(
    context: &mut Context,
    what: &str,
    quantity: &Quantity,
    dimensions: &[Dimension],
    example: &str,
) -> Option<(Decimal, &'static Unit)> {
    let number = decimal(context, what, quantity);
    let fitting: Vec<&'static Unit> = UNITS.iter().filter(|unit| dimensions.contains(&unit.dimension)).collect();
    let names: Vec<&str> = fitting.iter().map(|unit| unit.name).collect();
    let written = quantity.unit.as_ref().map(|unit| (unit, fitting.iter().find(|known| known.name == &*unit.value)));
    let (span, found, help) = match written {
        Some((_, Some(unit))) => return Some((number?, unit)),
        Some((unit, None)) => {
            let close = crate::model::errors::closest(&unit.value, &names).map(|close| format!("did you mean `{close}`?"));
            (unit.span, format!("`{}` does not measure this", unit.value), close)
        }
        None => (quantity.span, "this number has no unit".to_owned(), None),
    };
    let wanted = format!("one of the units {}", crate::model::errors::list(&names));
    let help = Some(help.unwrap_or_else(|| format!("for example `{example}`")));
    context.error(ResolveError::WrongUnit { what: what.to_owned(), wanted, help, span, found });
    None
}

/// The number of a quantity: decimal, or a non-negative integer expression.
pub(super) fn decimal(context: &mut Context, what: &str, quantity: &Quantity) -> Option<Decimal> {
    let span = quantity.number.span;
    let digits = match &quantity.number.kind {
        ExprKind::Decimal(digits) => digits.to_string(),
        ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Decimal(_)) => {
            let found = "this is negative".to_owned();
            context.error(ResolveError::OutOfRange { what: what.to_owned(), wanted: "at least 0".to_owned(), help: None, span, found });
            return None;
        }
        _ => {
            let number = context.eval(&quantity.number, &[])?;
            in_range(context, what, number, 0..=i64::MAX, span)?.to_string()
        }
    };
    let parsed = Decimal::parse(&digits);
    if parsed.is_none() {
        let found = "too many digits".to_owned();
        let wanted = "a number of at most 18 digits".to_owned();
        context.error(ResolveError::OutOfRange { what: what.to_owned(), wanted, help: None, span, found });
    }
    parsed
}

/// A value that is a bare name.
pub(super) fn choice(value: &Value) -> Option<Name> {
    match &value.kind {
        ValueKind::Quantity(Quantity { number, unit: None, .. }) => match &number.kind {
            ExprKind::Name(name) => Some(Spanned { value: name.clone(), span: number.span }),
            _ => None,
        },
        _ => None,
    }
}

/// The value that a name stands for.
pub(super) fn one_of<T: Copy>(context: &mut Context, what: &str, value: &Value, known: &[(&'static str, T)]) -> Option<T> {
    let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
    let Some(name) = choice(value) else {
        context.error(wrong_kind(what, "a name", names[0], value.span));
        return None;
    };
    let found = known.iter().find(|(known, _)| *known == &*name.value).map(|&(_, found)| found);
    if found.is_none() {
        context.error(unknown_choice(what, &name, &names));
    }
    found
}

/// The error of a value of another kind.
pub(super) fn wrong_kind(what: &str, wanted: &str, example: &str, span: Span) -> ResolveError {
    let help = format!("for example `{example}`");
    ResolveError::WrongKind { what: what.to_owned(), wanted: wanted.to_owned(), help, span }
}
