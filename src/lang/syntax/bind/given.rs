//! Parameters that the command line sets, and whether their values are allowed.

use super::constants::{BoundConstants, DeclaredConstant, KnownConstant, bare_name};
use super::errors::BindError;
use super::value::{ConstantValue, converted, evaluate};
use crate::syntax::ast::*;
use crate::syntax::words;
use fabc_base::diag::{Span, Spanned, list, suggestion};
use fabc_base::units::{Decimal, Unit, replacement_hint, unit};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns the values that the command line gives. Reports a parameter that is set twice, or that does not
/// exist.
pub(super) fn given_values(
    spec: &Spec,
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
    defaults: &BoundConstants,
    errors: &mut Vec<BindError>,
) -> BTreeMap<Text, Constant> {
    let mut values: BTreeMap<Text, (Constant, Span)> = BTreeMap::new();
    for given in &spec.given {
        let (name, span) = (&given.name.value, given.name.span);
        if let Some((_, first)) = values.get(name) {
            let (subject, first) = (format!("the parameter `{name}`"), *first);
            errors.push(BindError::Twice {
                subject,
                again: "set",
                help: "leave one of them out",
                span,
                first,
            });
            continue;
        }
        match declared.get(name) {
            Some(DeclaredConstant { param: Some(_), .. }) => {
                let default = defaults.known.get(name).map(|known| &known.value);
                let value = typed_value(given, default);
                values.insert(name.clone(), (value, span));
            }
            _ => errors.push(no_parameter(&given.name, declared)),
        }
    }
    values.into_iter().map(|(name, (value, _))| (name, value)).collect()
}

/// The error of a name that is no parameter.
fn no_parameter(name: &Name, declared: &BTreeMap<Text, DeclaredConstant<'_>>) -> BindError {
    let Spanned { value: name, span } = name;
    if let Some(constant) = declared.get(name) {
        let help = format!("a `let` cannot be set: write `param {name} = ..;` in the spec instead");
        let declared = Some(constant.span);
        return BindError::NoParameter {
            name: name.to_string(),
            help,
            span: *span,
            declared,
            declared_as: "a `let`",
        };
    }
    let parameters =
        declared.iter().filter(|(_, constant)| constant.param.is_some()).map(|(name, _)| &**name);
    let setting = words::item(name).is_some_and(|item| item.form.is_setting());
    let help = match suggestion(name, parameters) {
        _ if setting => format!("it is a setting: declare `param {name} = ..;` and write `{name} = {name};`"),
        Some(help) => help,
        None => format!("the spec has no parameters: declare one, such as `param {name} = ..;`"),
    };
    BindError::NoParameter { name: name.to_string(), help, span: *span, declared: None, declared_as: "" }
}

/// Reads a value as it was typed. The default of the parameter tells whether it is a text.
fn typed_value(given: &GivenParameter, default: Option<&ConstantValue>) -> Constant {
    let span = given.text.span;
    let text = || Constant { kind: ConstantKind::Text(given.text.clone()), span };
    match (&given.value, default) {
        (Some(value @ Constant { kind: ConstantKind::Text(_), .. }), _) => value.clone(),
        (_, Some(ConstantValue::Text(_))) | (None, _) => text(),
        (Some(value), _) => value.clone(),
    }
}

/// Reports a parameter that is set to a value of another kind than its default. Returns whether the kind is
/// the same.
pub(super) fn has_default_kind(
    name: &Text,
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
    defaults: &BoundConstants,
    constants: &BoundConstants,
    errors: &mut Vec<BindError>,
) -> bool {
    // The resolution of integers reports a constant without a value.
    let Some(KnownConstant { value, span, .. }) = constants.known.get(name) else { return true };
    let error = kind_error(name, value, *span, declared, defaults);
    let fits = error.is_none();
    errors.extend(error);
    fits
}

/// Why a parameter cannot have a value of this kind.
fn kind_error(
    name: &Text,
    value: &ConstantValue,
    span: Span,
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
    defaults: &BoundConstants,
) -> Option<BindError> {
    let (default, set) = (&defaults.known.get(name)?.value, declared.get(name)?);
    let wanted = match default {
        ConstantValue::Quantity(_, unit) => format!("a quantity such as `{}`", example(default, &unit.value)),
        value => value.kind().to_owned(),
    };
    let (fits, help) = match (default, value) {
        (ConstantValue::Integer(_), ConstantValue::Integer(_))
        | (ConstantValue::Text(_), ConstantValue::Text(_))
        | (ConstantValue::Word(_), ConstantValue::Word(_)) => (true, None),
        (ConstantValue::Decimal(_), ConstantValue::Integer(number)) => (*number >= 0, None),
        (ConstantValue::Decimal(_), ConstantValue::Decimal(_)) => (true, None),
        (ConstantValue::Quantity(_, as_default), ConstantValue::Quantity(number, written)) => {
            let wanted: Option<&'static Unit> = unit(&as_default.value);
            match (wanted, unit(&written.value)) {
                (Some(wanted), Some(actual)) if !same_measure(wanted, actual) => {
                    (false, replacement_hint(Some(*number), &written.value, &[wanted.dimension]))
                }
                (Some(wanted), None) => {
                    (false, replacement_hint(Some(*number), &written.value, &[wanted.dimension]))
                }
                _ => (true, None),
            }
        }
        _ => (false, None),
    };
    if fits {
        None
    } else {
        let note = match value {
            ConstantValue::Quantity(_, unit) if matches!(default, ConstantValue::Quantity(..)) => {
                format!("`{}` is the unit of something else", unit.value)
            }
            ConstantValue::Text(text) => format!("`{text}` is not a value of that kind"),
            value => format!("{} is {}", quoted(&value.written()), value.kind()),
        };
        let help = help.unwrap_or_else(|| {
            format!("its default is {}, so its values must be of the same kind", quoted(&default.written()))
        });
        Some(BindError::WrongValue { name: name.to_string(), wanted, help, span, note, declared: set.span })
    }
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// Whether a parameter of one unit may be set in the other. Latencies may also be in cycles or metres.
fn same_measure(left: &Unit, right: &Unit) -> bool {
    use fabc_base::units::Dimension::{Cycles, Length, Time};
    let latency = |unit: &Unit| matches!(unit.dimension, Time | Cycles | Length);
    left.dimension == right.dimension || latency(left) && latency(right)
}

fn example(default: &ConstantValue, unit: &str) -> String {
    if let ConstantValue::Quantity(number, _) = default {
        format!("{number} {unit}")
    } else {
        unit.to_owned()
    }
}

/// Reports parameters whose values are not allowed.
pub(super) fn check_ranges(
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
    constants: &BoundConstants,
    errors: &mut Vec<BindError>,
) {
    for (name, declared) in declared {
        let Some(among) = declared.param.and_then(|param| param.among.as_ref()) else { continue };
        let Some(KnownConstant { value, span, .. }) = constants.known.get(name) else { continue };
        errors.extend(among_error(name, value, *span, among, constants));
    }
}

/// Why a parameter cannot have a value.
fn among_error(
    name: &Text,
    value: &ConstantValue,
    span: Span,
    among: &Among,
    constants: &BoundConstants,
) -> Option<BindError> {
    let (fits, wanted, close) = match among {
        Among::List(items, _) => {
            let names: Vec<&str> = items.iter().map(|item| &*item.value).collect();
            let (ConstantValue::Word(text) | ConstantValue::Text(text)) = value else {
                return Some(not_listed(name, value, among, span));
            };
            (
                names.contains(&&**text),
                format!("one of {}", list(&names)),
                suggestion(text, names.iter().copied()),
            )
        }
        Among::Range(low, high, _) => {
            let bounds = [low, high].map(|end| evaluate(end, constants).ok());
            let inside = match &bounds {
                [Some(low), Some(high)] => compare(low, value).zip(compare(value, high)),
                _ => None,
            };
            let [low, high] = [low, high].map(crate::syntax::print::quantity);
            let inside = inside.map(|(from, to)| from != Ordering::Greater && to != Ordering::Greater);
            (inside == Some(true), format!("between {low} and {high}"), None)
        }
    };
    let note = format!("this is {}", value.written());
    let error = BindError::NotAmong {
        name: name.to_string(),
        wanted,
        help: close,
        span,
        note,
        declared: among.span(),
    };
    (!fits).then_some(error)
}

/// Reports a `sweep` over unknown parameters, or with values that are not allowed.
pub(super) fn check_sweeps(
    spec: &Spec,
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
    defaults: &BoundConstants,
    errors: &mut Vec<BindError>,
) {
    let mut first: BTreeMap<&Text, Span> = BTreeMap::new();
    let sweeps = spec
        .items()
        .into_iter()
        .filter_map(|item| if let ItemKind::Sweep(sweeps) = &item.kind { Some(sweeps) } else { None });
    for SweptParameter { name, values } in sweeps.flatten() {
        if let Some(&first) = first.get(&name.value) {
            let (subject, help) =
                (format!("the parameter `{}`", name.value), "write all values into one line");
            errors.push(BindError::Twice { subject, again: "swept", help, span: name.span, first });
            continue;
        }
        first.insert(&name.value, name.span);
        let Some(DeclaredConstant { param: Some(param), .. }) = declared.get(&name.value) else {
            errors.push(no_parameter(name, declared));
            continue;
        };
        for value in values {
            let candidates: Vec<(ConstantValue, Span)> = match value {
                SweptValue::Range { first, last, .. } => {
                    let end = |end: &Name| {
                        Some((ConstantValue::Integer(end.value.replace('_', "").parse().ok()?), end.span))
                    };
                    [first, last].into_iter().filter_map(end).collect()
                }
                SweptValue::One(constant) => {
                    let value = match &constant.kind {
                        ConstantKind::Text(text) => Some(ConstantValue::Text(text.value.clone())),
                        ConstantKind::Quantity(quantity) => match bare_name(quantity) {
                            Some(word) if !declared.contains_key(word) => {
                                Some(ConstantValue::Word(word.clone()))
                            }
                            _ => evaluate(quantity, defaults).ok(),
                        },
                    };
                    value.map(|value| (value, constant.span)).into_iter().collect()
                }
            };
            // The end of an open range may be one past the largest value.
            let open = matches!(value, SweptValue::Range { through: false, .. });
            for (index, (value, span)) in candidates.into_iter().enumerate() {
                let value = match value {
                    ConstantValue::Integer(end) if open && index == 1 => {
                        ConstantValue::Integer(end.saturating_sub(1))
                    }
                    value => value,
                };
                let error = kind_error(&name.value, &value, span, declared, defaults);
                let among = || among_error(&name.value, &value, span, param.among.as_ref()?, defaults);
                errors.extend(error.or_else(among));
            }
        }
    }
}

/// The error of a number where names are listed.
fn not_listed(name: &Text, value: &ConstantValue, among: &Among, span: Span) -> BindError {
    let (wanted, note) =
        ("a name or a text, where names are listed".to_owned(), format!("this is {}", value.written()));
    let help = Some("numbers have a range: `in 1..=128`".to_owned());
    BindError::NotAmong { name: name.to_string(), wanted, help, span, note, declared: among.span() }
}

/// Compares two values. Returns `None` if they are of different kinds.
fn compare(left: &ConstantValue, right: &ConstantValue) -> Option<Ordering> {
    let number = |value: &ConstantValue| match value {
        ConstantValue::Integer(number) => u64::try_from(*number).ok().map(Decimal::integer),
        ConstantValue::Decimal(number) => Some(*number),
        _ => None,
    };
    match (left, right) {
        (ConstantValue::Integer(left), ConstantValue::Integer(right)) => Some(left.cmp(right)),
        (ConstantValue::Quantity(left, unit), ConstantValue::Quantity(right, right_unit)) => {
            Some(left.compare(converted(*right, &right_unit.value, &unit.value)?))
        }
        _ => Some(number(left)?.compare(number(right)?)),
    }
}
