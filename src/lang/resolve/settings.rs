//! Blocks of settings, and the values in them.

use super::context::{Context, missing, unknown_choice};
use super::foreign;
use crate::ResolveError;
use crate::syntax::ast::{
    Block, Expr, ExprKind, Name, Operator, Quantity, Setting, StatementKind, Value, ValueKind,
};
use crate::syntax::words::{self, Place};
use fabc_base::diag::{Span, Spanned, closest, list, plain, suggestion};
use fabc_base::units::{Decimal, Dimension, UNITS, Unit, instead};
use fabc_model::Word;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The settings of one block, each at most once.
pub(super) struct Settings<'a> {
    /// Such as ``link `copper` ``.
    pub(super) place: String,
    /// Where a missing setting is reported.
    head: Span,
    found: BTreeMap<&'static str, &'a Setting>,
    /// Whether some settings say what is not known here: what is missing may be meant by one of them.
    strange: bool,
}

/// Reads a block called `title`; what does not belong there is reported.
pub(super) fn settings<'a>(
    context: &mut Context,
    block: &'a Block,
    title: String,
    head: Span,
    place: Place,
) -> Settings<'a> {
    let mut found: BTreeMap<&'static str, &'a Setting> = BTreeMap::new();
    let mut strange = false;
    for statement in &block.statements {
        if context.enough() {
            break;
        }
        let word = statement.kind.keyword();
        let setting = match &statement.kind {
            StatementKind::Setting(setting) => setting,
            _ if place.statement() == Some(word) => continue,
            _ => {
                let help = Some(format!("`{word}` belongs in {}", places(word)));
                context.error(ResolveError::Misplaced {
                    what: format!("`{word}`"),
                    place: title.clone(),
                    help,
                    span: statement.span,
                });
                continue;
            }
        };
        let name = &setting.name;
        let known = place.settings().find(|known| *known == word);
        let Some(known) = known.or_else(|| unknown_setting(context, name, &title, place)) else {
            strange = true;
            continue;
        };
        match found.get(known) {
            // One that was meant is not told twice.
            Some(_) if known != word => {}
            Some(first) if &*first.name.value != known => _ = found.insert(known, setting),
            Some(first) => {
                context.duplicate(format!("`{known}`"), "remove one of them", name.span, first.name.span)
            }
            None => _ = found.insert(known, setting),
        }
    }
    Settings { place: title, head, found, strange }
}

/// Complains about a setting that a block does not have; returns the one that was meant, if that is clear.
fn unknown_setting(context: &mut Context, name: &Name, title: &str, place: Place) -> Option<&'static str> {
    let word = &*name.value;
    let known: Vec<&'static str> = place.settings().collect();
    let same = known.iter().copied().find(|known| *known == plain(word));
    let elsewhere = places(word);
    let mut meant = same.or_else(|| foreign::field(word, &known));
    let help = match meant {
        None if place == Place::Levels && ["link", "local", "global"].contains(&word) => {
            "every level names its own: `level 8 over name;`".to_owned()
        }
        None if matches!(place, Place::FlitModel | Place::PacketModel) && (word == "vcs" || foreign::hardware(word) == Some("vcs")) => {
            "a simulation has the virtual channels of the hardware: change `vcs` in `router { .. }` or `chip { .. }`; \
             `general = 2;` says how many of them packets take freely"
                .to_owned()
        }
        // A letter stands for something else in every paper: the hosts of a dragonfly are its `p`.
        None if word.len() == 1 && foreign::hardware(word).is_some() => {
            let meant = foreign::hardware(word).unwrap_or_default();
            format!("did you mean `{meant}`? It belongs in {}", places(meant))
        }
        None if !elsewhere.is_empty() => {
            context.excuse_missing(&format!("`{word}`"));
            format!("`{word}` belongs in {elsewhere}")
        }
        None => {
            meant = closest(word, known.iter().copied());
            match words::item(word) {
                _ if meant.is_some() => suggestion(word, known.iter().copied()).unwrap_or_default(),
                Some(item) => {
                    context.excuse_missing(&format!("`{word}`"));
                    format!("it stands in the fabric itself: `{}`", item.example)
                }
                None if foreign::hardware(word).is_some() => {
                    let meant = foreign::hardware(word).unwrap_or_default();
                    format!("did you mean `{meant}`? It belongs in {}", places(meant))
                }
                None => {
                    let all = known.iter().copied().chain(place.statement());
                    suggestion(word, all).unwrap_or_else(|| format!("`{}` has no settings", place.name()))
                }
            }
        }
        Some(meant) => format!("did you mean `{meant}`?"),
    };
    context.error(ResolveError::Misplaced {
        what: format!("`{word}`"),
        place: title.to_owned(),
        help: Some(help),
        span: name.span,
    });
    meant
}

/// Where a field belongs: `` `chip { .. }` or `budget { .. }` ``, or nothing.
pub(super) fn places(word: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let all = words::field(word).map_or(&[][..], |field| field.places);
    // What routers have is rarely meant to be of the model that simulates them.
    let model = |place: &Place| matches!(place, Place::PacketModel | Place::FlitModel);
    for place in all.iter().filter(|place| !model(place) || all.iter().all(model)) {
        let argument = match place {
            Place::Link | Place::Ocs | Place::Simulate => "name ",
            Place::Level => "n ",
            Place::Collective => "name = kind ",
            _ => "",
        };
        names.push(format!("`{} {}{{ .. }}`", place.name(), argument));
    }
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

impl<'a> Settings<'a> {
    /// Those of a block that is not written.
    pub(super) fn none(place: String, head: Span) -> Self {
        Self { place, head, found: BTreeMap::new(), strange: false }
    }

    /// The value of a setting, if it is written.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.found.get(name).map(|setting| &setting.value)
    }

    /// The value of a setting that must be written.
    pub(super) fn need(&self, context: &mut Context, name: &'static str, example: &str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() && !self.strange {
            context.error(missing(
                &self.place,
                &format!("`{name}`"),
                &format!("{name} = {example};"),
                self.head,
            ));
        }
        value
    }

    /// Where a missing setting is reported.
    pub(super) fn head(&self) -> Span {
        self.head
    }

    /// Where a setting stands, or its block where it is not written.
    pub(super) fn place_of(&self, name: &str) -> Span {
        self.span(name).unwrap_or(self.head)
    }

    /// Where a whole `name = value` stands.
    pub(super) fn span(&self, name: &str) -> Option<Span> {
        self.found.get(name).map(|setting| setting.name.span.to(setting.value.span))
    }
}

/// What a value limits to: of `moves <= 40` with `<=`, 40; `None` where it is no such limit.
pub(super) fn limit<'a>(value: &'a Value, comparison: &str) -> Option<&'a Quantity> {
    match &value.kind {
        ValueKind::Limit(sign, quantity) if &*sign.value == comparison => Some(quantity),
        _ => None,
    }
}

/// A value that is an integer without a unit.
pub(super) fn integer(
    context: &mut Context,
    what: &str,
    value: &Value,
    range: RangeInclusive<i64>,
) -> Option<i64> {
    let ValueKind::Quantity(quantity) = &value.kind else {
        context.error(wrong_kind(what, "an integer", "4", value.span));
        return None;
    };
    integer_of(context, what, quantity, range)
}

/// A quantity that is an integer without a unit.
pub(super) fn integer_of(
    context: &mut Context,
    what: &str,
    quantity: &Quantity,
    range: RangeInclusive<i64>,
) -> Option<i64> {
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
        context.error(wrong_kind(what, "an integer", "4", quantity.span));
        return None;
    }
    let number = context.eval(&quantity.number, &[])?;
    in_range(context, what, number, range, quantity.span)
}

/// The number, if it lies in the range.
pub(super) fn in_range(
    context: &mut Context,
    what: &str,
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
    let fitting: Vec<&'static Unit> =
        UNITS.iter().filter(|unit| dimensions.contains(&unit.dimension)).collect();
    let names: Vec<&str> = fitting.iter().map(|unit| unit.name).collect();
    let written =
        quantity.unit.as_ref().map(|unit| (unit, fitting.iter().find(|known| known.name == &*unit.value)));
    let (span, found, help) = match written {
        Some((_, Some(unit))) => return Some((number?, unit)),
        Some((unit, None)) => {
            let close = || Some(format!("did you mean `{}`?", closest(&unit.value, names.iter().copied())?));
            let help = instead(number, &unit.value, dimensions).or_else(close);
            (unit.span, format!("`{}` does not measure this", unit.value), help)
        }
        // A constant that is not there has no unit either.
        None if number.is_none() => return None,
        None => (quantity.span, "this number has no unit".to_owned(), None),
    };
    let wanted = match &names[..] {
        [unit] => format!("the unit `{unit}`"),
        _ => format!("one of the units {}", list(&names)),
    };
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
            context.error(ResolveError::OutOfRange {
                what: what.to_owned(),
                wanted: "at least 0".to_owned(),
                help: None,
                span,
                found,
            });
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

/// A number without a unit, decimal or not.
pub(super) fn plain_number(
    context: &mut Context,
    what: &str,
    value: &Value,
    example: &str,
) -> Option<Decimal> {
    match &value.kind {
        ValueKind::Quantity(quantity @ Quantity { unit: None, .. }) => decimal(context, what, quantity),
        ValueKind::Quantity(Quantity { unit: Some(unit), .. }) => {
            context.error(ResolveError::WrongUnit {
                what: what.to_owned(),
                wanted: "no unit".to_owned(),
                help: Some(format!("remove `{}`", unit.value)),
                span: unit.span,
                found: "a plain number expected".to_owned(),
            });
            None
        }
        _ => {
            context.error(wrong_kind(what, "a number", example, value.span));
            None
        }
    }
}

/// A price: a plain number with at most three digits behind the point, in thousandths.
pub(super) fn thousandths(context: &mut Context, what: &str, value: &Value, example: &str) -> Option<u64> {
    let number = plain_number(context, what, value, example)?;
    let thousandths = number.times(1000).filter(|&thousandths| thousandths <= 1_000_000_000_000);
    if thousandths.is_none() {
        let wanted = "at most 1000000000, with at most three digits behind the point".to_owned();
        let (span, found) = (value.span, format!("this is {number}"));
        context.error(ResolveError::OutOfRange { what: what.to_owned(), wanted, help: None, span, found });
    }
    thousandths
}

/// The value that a word stands for, and the block behind it, if there is one.
pub(super) fn named_block<'a, T: Word>(
    context: &mut Context,
    what: &str,
    value: &'a Value,
) -> Option<(T, Option<&'a Block>)> {
    let ValueKind::Block(name, block) = &value.kind else {
        return one_of(context, what, value).map(|chosen| (chosen, None));
    };
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let found = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if found.is_none() {
        context.error(unknown_choice(what, name, &names, None));
    }
    found.map(|chosen| (chosen, Some(block)))
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

/// A value that is a bare name, or names with `-` between them where no number can stand.
pub(super) fn word(value: &Value) -> Option<Name> {
    let ValueKind::Quantity(Quantity { number, unit: None, .. }) = &value.kind else { return None };
    let ExprKind::Chain(first, rest) = &number.kind else { return choice(value) };
    let text =
        |expr: &Expr| if let ExprKind::Name(name) = &expr.kind { Some(name.to_string()) } else { None };
    let parts = rest.iter().map(|(operator, part)| text(part).filter(|_| *operator == Operator::Subtract));
    let parts: Vec<String> = std::iter::once(text(first)).chain(parts).collect::<Option<_>>()?;
    Some(Spanned { value: parts.join("-").into(), span: number.span })
}

/// The value that a word stands for.
pub(super) fn one_of<T: Word>(context: &mut Context, what: &str, value: &Value) -> Option<T> {
    let names: Vec<&str> = T::WORDS.iter().map(|known| known.word()).collect();
    let Some(name) = word(value) else {
        context.error(wrong_kind(what, "a name", names[0], value.span));
        return None;
    };
    let found = T::WORDS.iter().find(|known| known.word() == &*name.value).copied();
    if found.is_none() {
        context.error(unknown_choice(what, &name, &names, None));
    }
    found
}

/// The value that a word stands for; without one, the default.
pub(super) fn one_of_or<T: Word>(
    context: &mut Context,
    settings: &Settings<'_>,
    name: &str,
    default: T,
) -> Option<T> {
    settings.get(name).map_or(Some(default), |value| one_of(context, &format!("`{name}`"), value))
}

/// A word, alone or with a block of settings; `None` if it is neither.
pub(super) fn with_block(value: &Value) -> Option<(Name, Option<&Block>)> {
    match &value.kind {
        ValueKind::Block(name, block) => Some((name.clone(), Some(block))),
        _ => choice(value).map(|name| (name, None)),
    }
}

/// The same; `None` if it was reported.
pub(super) fn word_and_block<'a>(
    context: &mut Context,
    what: &str,
    value: &'a Value,
    example: &str,
) -> Option<(Name, Option<&'a Block>)> {
    let found = with_block(value);
    if found.is_none() {
        context.error(wrong_kind(what, "a name", example, value.span));
    }
    found
}

/// Nothing where nothing is written; the outer `None` says that an error was reported.
#[allow(clippy::option_option)]
pub(super) fn whole<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(None) => None,
        Some(Some(value)) => Some(Some(value)),
    }
}

/// The error of a value of another kind.
pub(super) fn wrong_kind(what: &str, wanted: &str, example: &str, span: Span) -> ResolveError {
    let help = format!("for example `{example}`");
    ResolveError::WrongKind { what: what.to_owned(), wanted: wanted.to_owned(), help, span }
}
