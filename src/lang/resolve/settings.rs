//! Reads blocks of settings and the values in them.

use super::context::{Context, missing, unknown_choice};
use super::unknown_settings::{places_of_field, unknown_setting};
use crate::ResolveError;
use crate::syntax::ast::{
    Block, Expr, ExprKind, Name, Operator, Quantity, Setting, SettingValue, StatementKind, ValueKind,
};
use crate::syntax::words::BlockKind;
use fabc_base::diag::{Span, Spanned, closest, list};
use fabc_base::units::{Decimal, Dimension, UNITS, Unit, replacement_hint};
use fabc_model::Word;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The settings of one block by name, each at most once.
pub(super) struct BlockSettings<'a> {
    /// The block in messages, such as ``link `copper` ``.
    pub(super) place: String,
    /// The span to report a missing setting at.
    head: Span,
    by_name: BTreeMap<&'static str, &'a Setting>,
    /// Whether some setting is unknown. If so, a missing setting is not reported, because the unknown one may
    /// mean it.
    has_unknown: bool,
}

/// Reads a block called `title`. Reports statements that do not belong there, unknown settings and
/// duplicates.
pub(super) fn block_settings<'a>(
    context: &mut Context,
    block: &'a Block,
    title: String,
    head: Span,
    place: BlockKind,
) -> BlockSettings<'a> {
    let mut by_name: BTreeMap<&'static str, &'a Setting> = BTreeMap::new();
    let mut has_unknown = false;
    for statement in &block.statements {
        if context.enough_errors() {
            break;
        }
        let word = statement.kind.keyword();
        let setting = match &statement.kind {
            StatementKind::Setting(setting) => setting,
            _ if place.statements().any(|known| known == word) => continue,
            // Blocks of a job were read already, or are read next.
            StatementKind::Inner(_) if matches!(place, BlockKind::Job | BlockKind::Phase) => continue,
            _ => {
                let help = match places_of_field(word) {
                    places if places.is_empty() => "remove it".to_owned(),
                    places => format!("`{word}` belongs in {places}"),
                };
                context.error(ResolveError::Misplaced {
                    subject: format!("`{word}`"),
                    place: title.clone(),
                    help: Some(help),
                    span: statement.span,
                });
                continue;
            }
        };
        let name = &setting.name;
        let known = place.settings().find(|known| *known == word);
        let Some(known) = known.or_else(|| unknown_setting(context, name, &title, place)) else {
            has_unknown = true;
            continue;
        };
        match by_name.get(known) {
            // A setting that was only meant is not reported twice.
            Some(_) if known != word => {}
            Some(first) if &*first.name.value != known => _ = by_name.insert(known, setting),
            Some(first) => {
                context.duplicate(format!("`{known}`"), "remove one of them", name.span, first.name.span)
            }
            None => _ = by_name.insert(known, setting),
        }
    }
    BlockSettings { place: title, head, by_name, has_unknown }
}

impl<'a> BlockSettings<'a> {
    /// The settings of a block that is not written.
    pub(super) fn none(place: String, head: Span) -> Self {
        Self { place, head, by_name: BTreeMap::new(), has_unknown: false }
    }

    /// Returns the value of a setting, if it is written.
    pub(super) fn get(&self, name: &str) -> Option<&'a SettingValue> {
        self.by_name.get(name).map(|setting| &setting.value)
    }

    /// Reads a required setting that is an integer without a unit. Reports it if it is missing.
    pub(super) fn need_integer(
        &self,
        context: &mut Context,
        name: &'static str,
        example: &str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let value = self.need(context, name, example)?;
        integer(context, &format!("`{name}`"), value, range)
    }

    /// Returns the value of a required setting. Reports it if it is missing.
    pub(super) fn need(
        &self,
        context: &mut Context,
        name: &'static str,
        example: &str,
    ) -> Option<&'a SettingValue> {
        let value = self.get(name);
        if value.is_none() && !self.has_unknown {
            context.error(missing(
                &self.place,
                &format!("`{name}`"),
                &format!("{name} = {example};"),
                self.head,
            ));
        }
        value
    }

    /// Whether a setting or a block is unknown, so that what is missing may be meant by it.
    pub(super) fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// Marks that something unknown stands in the block.
    pub(super) fn doubt_missing(&mut self) {
        self.has_unknown = true;
    }

    /// The span to report a missing setting at.
    pub(super) fn head(&self) -> Span {
        self.head
    }

    /// The span of a setting, or of the block's head if the setting is not written.
    pub(super) fn span_or_head(&self, name: &str) -> Span {
        self.span(name).unwrap_or(self.head)
    }

    /// The span of `name = value`, if it is written.
    pub(super) fn span(&self, name: &str) -> Option<Span> {
        self.by_name.get(name).map(|setting| setting.name.span.to(setting.value.span))
    }
}

/// Returns 40 for `moves <= 40` if `comparison` is `<=`. Returns `None` if the value is no such limit.
pub(super) fn limit<'a>(value: &'a SettingValue, comparison: &str) -> Option<&'a Quantity> {
    match &value.kind {
        ValueKind::Limit(sign, quantity) if &*sign.value == comparison => Some(quantity),
        _ => None,
    }
}

/// Reads a value that is an integer without a unit.
pub(super) fn integer(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        context.error(wrong_kind(subject, "an integer", "4", value.span));
        return None;
    };
    integer_of(context, subject, quantity, range)
}

/// Reads a quantity that is an integer without a unit.
pub(super) fn integer_of(
    context: &mut Context,
    subject: &str,
    quantity: &Quantity,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    if let Some(unit) = &quantity.unit {
        context.error(ResolveError::WrongUnit {
            subject: subject.to_owned(),
            wanted: "no unit".to_owned(),
            help: Some(format!("remove `{}`", unit.value)),
            span: unit.span,
            note: "a plain number expected".to_owned(),
        });
        return None;
    }
    if let ExprKind::Decimal(_) = quantity.number.kind {
        context.error(wrong_kind(subject, "an integer", "4", quantity.span));
        return None;
    }
    let number = context.eval(&quantity.number, &[])?;
    in_range(context, subject, number, range, quantity.span)
}

/// Reads an expression that is an integer of the range.
pub(super) fn integer_expr(
    context: &mut Context,
    subject: &str,
    written: &Expr,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    let number = context.eval(written, &[])?;
    in_range(context, subject, number, range, written.span)
}

/// Returns the number if it lies in the range, and reports it otherwise.
pub(super) fn in_range(
    context: &mut Context,
    subject: &str,
    number: i64,
    range: RangeInclusive<i64>,
    span: Span,
) -> Option<i64> {
    if range.contains(&number) {
        return Some(number);
    }
    let wanted = match (*range.start(), *range.end()) {
        (low, i64::MAX) => format!("at least {low}"),
        (low, high) => format!("between {low} and {high}"),
    };
    let note = format!("this is {number}");
    context.error(ResolveError::OutOfRange { subject: subject.to_owned(), wanted, help: None, span, note });
    None
}

/// Reads a value with one of the units of `dimensions`.
pub(super) fn quantity(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    dimensions: &[Dimension],
    example: &str,
) -> Option<(Decimal, &'static Unit)> {
    match &value.kind {
        ValueKind::Quantity(quantity) => quantity_of(context, subject, quantity, dimensions, example),
        _ => {
            context.error(wrong_kind(subject, "a quantity", example, value.span));
            None
        }
    }
}

/// Reads a number with one of the units of `dimensions`.
pub(super) fn quantity_of(
    context: &mut Context,
    subject: &str,
    quantity: &Quantity,
    dimensions: &[Dimension],
    example: &str,
) -> Option<(Decimal, &'static Unit)> {
    let number = decimal(context, subject, quantity);
    let fitting: Vec<&'static Unit> =
        UNITS.iter().filter(|unit| dimensions.contains(&unit.dimension)).collect();
    let names: Vec<&str> = fitting.iter().map(|unit| unit.name).collect();
    let written =
        quantity.unit.as_ref().map(|unit| (unit, fitting.iter().find(|known| known.name == &*unit.value)));
    let (span, note, help) = match written {
        Some((_, Some(unit))) => return Some((number?, unit)),
        Some((unit, None)) => {
            let close = || Some(format!("did you mean `{}`?", closest(&unit.value, names.iter().copied())?));
            let help = replacement_hint(number, &unit.value, dimensions).or_else(close);
            (unit.span, format!("`{}` is the unit of something else", unit.value), help)
        }
        // An unknown constant has no unit either, and is reported already.
        None if number.is_none() => return None,
        None => (quantity.span, "this number has no unit".to_owned(), None),
    };
    let wanted = match &names[..] {
        [unit] => format!("the unit `{unit}`"),
        _ => format!("one of the units {}", list(&names)),
    };
    let help = Some(help.unwrap_or_else(|| format!("for example `{example}`")));
    context.error(ResolveError::WrongUnit { subject: subject.to_owned(), wanted, help, span, note });
    None
}

/// Reads the number of a quantity: decimal, or a non-negative integer expression.
pub(super) fn decimal(context: &mut Context, subject: &str, quantity: &Quantity) -> Option<Decimal> {
    let span = quantity.number.span;
    let digits = match &quantity.number.kind {
        ExprKind::Decimal(digits) => digits.to_string(),
        ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Decimal(_)) => {
            let note = "this is negative".to_owned();
            context.error(ResolveError::OutOfRange {
                subject: subject.to_owned(),
                wanted: "at least 0".to_owned(),
                help: None,
                span,
                note,
            });
            return None;
        }
        _ => {
            let number = context.eval(&quantity.number, &[])?;
            in_range(context, subject, number, 0..=i64::MAX, span)?.to_string()
        }
    };
    let parsed = Decimal::parse(&digits);
    if parsed.is_none() {
        let note = "too many digits".to_owned();
        let wanted = "a number of at most 18 digits".to_owned();
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted,
            help: None,
            span,
            note,
        });
    }
    parsed
}

/// Reads a number without a unit, decimal or not.
pub(super) fn plain_number(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    example: &str,
) -> Option<Decimal> {
    match &value.kind {
        ValueKind::Quantity(quantity @ Quantity { unit: None, .. }) => decimal(context, subject, quantity),
        ValueKind::Quantity(Quantity { unit: Some(unit), .. }) => {
            context.error(ResolveError::WrongUnit {
                subject: subject.to_owned(),
                wanted: "no unit".to_owned(),
                help: Some(format!("remove `{}`", unit.value)),
                span: unit.span,
                note: "a plain number expected".to_owned(),
            });
            None
        }
        _ => {
            context.error(wrong_kind(subject, "a number", example, value.span));
            None
        }
    }
}

/// Reads a price in thousandths: a plain number with at most three digits behind the point.
pub(super) fn thousandths(
    context: &mut Context,
    subject: &str,
    value: &SettingValue,
    example: &str,
) -> Option<u64> {
    let number = plain_number(context, subject, value, example)?;
    let thousandths = number.times(1000).filter(|&thousandths| thousandths <= 1_000_000_000_000);
    if thousandths.is_none() {
        let wanted = "at most 1000000000, with at most three digits behind the point".to_owned();
        let (span, note) = (value.span, format!("this is {number}"));
        context.error(ResolveError::OutOfRange {
            subject: subject.to_owned(),
            wanted,
            help: None,
            span,
            note,
        });
    }
    thousandths
}

/// Reads a word of `T`, and the block behind it, if there is one.
pub(super) fn named_block<'a, T: Word>(
    context: &mut Context,
    subject: &str,
    value: &'a SettingValue,
) -> Option<(T, Option<&'a Block>)> {
    let ValueKind::Block(name, block) = &value.kind else {
        return one_of(context, subject, value).map(|chosen| (chosen, None));
    };
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let chosen = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if chosen.is_none() {
        context.error(unknown_choice(subject, name, &names, None));
    }
    chosen.map(|chosen| (chosen, Some(block)))
}

/// Returns the name if a value is a bare name.
pub(super) fn bare_name(value: &SettingValue) -> Option<Name> {
    match &value.kind {
        ValueKind::Quantity(Quantity { number, unit: None, .. }) => match &number.kind {
            ExprKind::Name(name) => Some(Spanned { value: name.clone(), span: number.span }),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value is this name, with or without a block behind it.
pub(super) fn is_named(value: &SettingValue, wanted: &str) -> bool {
    match &value.kind {
        ValueKind::Block(kind, _) => &*kind.value == wanted,
        _ => bare_name(value).is_some_and(|name| &*name.value == wanted),
    }
}

/// Returns the name if a value is a bare name, or names with `-` between them where no number can stand.
pub(super) fn word(value: &SettingValue) -> Option<Name> {
    let ValueKind::Quantity(Quantity { number, unit: None, .. }) = &value.kind else { return None };
    let ExprKind::Chain(first, rest) = &number.kind else { return bare_name(value) };
    let text =
        |expr: &Expr| if let ExprKind::Name(name) = &expr.kind { Some(name.to_string()) } else { None };
    let parts = rest.iter().map(|(operator, part)| text(part).filter(|_| *operator == Operator::Subtract));
    let parts: Vec<String> = std::iter::once(text(first)).chain(parts).collect::<Option<_>>()?;
    Some(Spanned { value: parts.join("-").into(), span: number.span })
}

/// Reads a value that is a word of `T`.
pub(super) fn one_of<T: Word>(context: &mut Context, subject: &str, value: &SettingValue) -> Option<T> {
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let Some(name) = word(value) else {
        context.error(wrong_kind(subject, "a name", names[0], value.span));
        return None;
    };
    let chosen = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if chosen.is_none() {
        context.error(unknown_choice(subject, &name, &names, None));
    }
    chosen
}

/// Reads a setting that is a word of `T`. Without the setting, returns the default.
pub(super) fn one_of_or<T: Word>(
    context: &mut Context,
    settings: &BlockSettings<'_>,
    name: &str,
    default: T,
) -> Option<T> {
    settings.get(name).map_or(Some(default), |value| one_of(context, &format!("`{name}`"), value))
}

/// Returns a word, alone or with a block of settings. Returns `None` if the value is neither.
pub(super) fn name_and_block(value: &SettingValue) -> Option<(Name, Option<&Block>)> {
    match &value.kind {
        ValueKind::Block(name, block) => Some((name.clone(), Some(block))),
        _ => bare_name(value).map(|name| (name, None)),
    }
}

/// As [`name_and_block`], but reports a value that is neither.
pub(super) fn need_name_and_block<'a>(
    context: &mut Context,
    subject: &str,
    value: &'a SettingValue,
    example: &str,
) -> Option<(Name, Option<&'a Block>)> {
    let parts = name_and_block(value);
    if parts.is_none() {
        context.error(wrong_kind(subject, "a name", example, value.span));
    }
    parts
}

/// Turns an optional setting inside out: `Some(None)` if it is not written, `None` if an error was reported.
#[allow(clippy::option_option)]
pub(super) fn optional<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(None) => None,
        Some(Some(value)) => Some(Some(value)),
    }
}

/// The error of a value of the wrong kind.
pub(super) fn wrong_kind(subject: &str, wanted: &str, example: &str, span: Span) -> ResolveError {
    let help = format!("for example `{example}`");
    ResolveError::WrongKind { subject: subject.to_owned(), wanted: wanted.to_owned(), help, span }
}
