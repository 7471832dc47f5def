//! What parameters are set to: by the command line, and whether it is what they take.

use super::constants::{BoundConstants, Declared, Known, bare};
use super::errors::BindError;
use super::value::{Value, converted, evaluate};
use crate::syntax::ast::*;
use crate::syntax::words;
use fabc_base::diag::{Span, Spanned, list, suggestion};
use fabc_base::units::{Decimal, Unit, instead, unit};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The values that the command line gives, each parameter once.
pub(super) fn given(
    spec: &Spec,
    declared: &BTreeMap<Text, Declared<'_>>,
    defaults: &BoundConstants,
    errors: &mut Vec<BindError>,
) -> BTreeMap<Text, Constant> {
    let mut found: BTreeMap<Text, (Constant, Span)> = BTreeMap::new();
    for given in &spec.given {
        let (name, span) = (&given.name.value, given.name.span);
        if let Some((_, first)) = found.get(name) {
            let (what, first) = (format!("the parameter `{name}`"), *first);
            errors.push(BindError::Twice { what, again: "set", help: "leave one of them out", span, first });
            continue;
        }
        match declared.get(name) {
            Some(Declared { param: Some(_), .. }) => {
                let default = defaults.known.get(name).map(|known| &known.value);
                let value = typed(given, default);
                found.insert(name.clone(), (value, span));
            }
            _ => errors.push(no_parameter(&given.name, declared)),
        }
    }
    found.into_iter().map(|(name, (value, _))| (name, value)).collect()
}

/// The error of a name that is no parameter.
fn no_parameter(name: &Name, declared: &BTreeMap<Text, Declared<'_>>) -> BindError {
    let Spanned { value: name, span } = name;
    if let Some(constant) = declared.get(name) {
        let help = format!("a `let` stays as it is: write `param {name} = ..;` in the spec to have it set");
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

/// A value as it was typed: what a parameter takes says whether it is a text.
fn typed(given: &Given, default: Option<&Value>) -> Constant {
    let span = given.text.span;
    let text = || Constant { kind: ConstantKind::Text(given.text.clone()), span };
    match (&given.value, default) {
        (Some(value @ Constant { kind: ConstantKind::Text(_), .. }), _) => value.clone(),
        (_, Some(Value::Text(_))) | (None, _) => text(),
        (Some(value), _) => value.clone(),
    }
}

/// Complains about a parameter that was set to what is of another kind than its default; whether it is of
/// the same.
pub(super) fn of_its_kind(
    name: &Text,
    declared: &BTreeMap<Text, Declared<'_>>,
    defaults: &BoundConstants,
    constants: &BoundConstants,
    errors: &mut Vec<BindError>,
) -> bool {
    // What has no value is told where integers are resolved.
    let Some(Known { value, span, .. }) = constants.known.get(name) else { return true };
    let error = kind_error(name, value, *span, declared, defaults);
    let fits = error.is_none();
    errors.extend(error);
    fits
}

/// Why a parameter cannot have a value of this kind.
fn kind_error(
    name: &Text,
    value: &Value,
    span: Span,
    declared: &BTreeMap<Text, Declared<'_>>,
    defaults: &BoundConstants,
) -> Option<BindError> {
    let (default, set) = (&defaults.known.get(name)?.value, declared.get(name)?);
    let wanted = match default {
        Value::Quantity(_, unit) => format!("a quantity such as `{}`", example(default, &unit.value)),
        other => other.kind().to_owned(),
    };
    let (fits, help) = match (default, value) {
        (Value::Integer(_), Value::Integer(_))
        | (Value::Text(_), Value::Text(_))
        | (Value::Word(_), Value::Word(_)) => (true, None),
        (Value::Decimal(_), Value::Integer(number)) => (*number >= 0, None),
        (Value::Decimal(_), Value::Decimal(_)) => (true, None),
        (Value::Quantity(_, as_default), Value::Quantity(number, written)) => {
            let wanted: Option<&'static Unit> = unit(&as_default.value);
            match (wanted, unit(&written.value)) {
                (Some(wanted), Some(found)) if !alike(wanted, found) => {
                    (false, instead(Some(*number), &written.value, &[wanted.dimension]))
                }
                (Some(wanted), None) => (false, instead(Some(*number), &written.value, &[wanted.dimension])),
                _ => (true, None),
            }
        }
        _ => (false, None),
    };
    if fits {
        None
    } else {
        let found = match value {
            Value::Quantity(_, unit) if matches!(default, Value::Quantity(..)) => {
                format!("`{}` does not measure this", unit.value)
            }
            Value::Text(text) => format!("`{text}` is no value of that kind"),
            other => format!("{} is {}", quoted(&other.written()), other.kind()),
        };
        let help = help.unwrap_or_else(|| {
            format!("it is {} unless it is set, and takes what is of that kind", quoted(&default.written()))
        });
        Some(BindError::WrongValue { name: name.to_string(), wanted, help, span, found, declared: set.span })
    }
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// Whether a parameter of one unit may be set with the other: latencies also in cycles or metres.
fn alike(one: &Unit, other: &Unit) -> bool {
    use fabc_base::units::Dimension::{Cycles, Length, Time};
    let latency = |unit: &Unit| matches!(unit.dimension, Time | Cycles | Length);
    one.dimension == other.dimension || latency(one) && latency(other)
}

fn example(default: &Value, unit: &str) -> String {
    if let Value::Quantity(number, _) = default { format!("{number} {unit}") } else { unit.to_owned() }
}

/// Complains about parameters that are not what they may be.
pub(super) fn fits(
    declared: &BTreeMap<Text, Declared<'_>>,
    constants: &BoundConstants,
    errors: &mut Vec<BindError>,
) {
    for (name, declared) in declared {
        let Some(among) = declared.param.and_then(|param| param.among.as_ref()) else { continue };
        let Some(Known { value, span, .. }) = constants.known.get(name) else { continue };
        errors.extend(among_error(name, value, *span, among, constants));
    }
}

/// Why a parameter cannot be this.
fn among_error(
    name: &Text,
    value: &Value,
    span: Span,
    among: &Among,
    constants: &BoundConstants,
) -> Option<BindError> {
    let (fits, wanted, close) = match among {
        Among::List(items, _) => {
            let names: Vec<&str> = items.iter().map(|item| &*item.value).collect();
            let (Value::Word(text) | Value::Text(text)) = value else {
                return Some(not_listed(name, value, among, span));
            };
            (
                names.contains(&&**text),
                format!("one of {}", list(&names)),
                suggestion(text, names.iter().copied()),
            )
        }
        Among::Range(low, high, _) => {
            let ends = [low, high].map(|end| evaluate(end, constants).ok());
            let inside = match &ends {
                [Some(low), Some(high)] => compare(low, value).zip(compare(value, high)),
                _ => None,
            };
            let [low, high] = [low, high].map(crate::syntax::print::quantity);
            let inside = inside.map(|(from, to)| from != Ordering::Greater && to != Ordering::Greater);
            (inside == Some(true), format!("between {low} and {high}"), None)
        }
    };
    let found = format!("this is {}", value.written());
    let error = BindError::NotAmong {
        name: name.to_string(),
        wanted,
        help: close,
        span,
        found,
        declared: among.span(),
    };
    (!fits).then_some(error)
}

/// Complains about what a `sweep` says of parameters that there are not, or that cannot be.
pub(super) fn swept(
    spec: &Spec,
    declared: &BTreeMap<Text, Declared<'_>>,
    defaults: &BoundConstants,
    errors: &mut Vec<BindError>,
) {
    let mut first: BTreeMap<&Text, Span> = BTreeMap::new();
    let all = spec
        .items()
        .into_iter()
        .filter_map(|item| if let ItemKind::Sweep(all) = &item.kind { Some(all) } else { None });
    for Swept { name, values } in all.flatten() {
        if let Some(&first) = first.get(&name.value) {
            let (what, help) = (format!("the parameter `{}`", name.value), "write all values into one line");
            errors.push(BindError::Twice { what, again: "swept", help, span: name.span, first });
            continue;
        }
        first.insert(&name.value, name.span);
        let Some(Declared { param: Some(param), .. }) = declared.get(&name.value) else {
            errors.push(no_parameter(name, declared));
            continue;
        };
        for value in values {
            let found: Vec<(Value, Span)> = match value {
                SweptValue::Range { first, last, .. } => {
                    let end = |end: &Name| {
                        Some((Value::Integer(end.value.replace('_', "").parse().ok()?), end.span))
                    };
                    [first, last].into_iter().filter_map(end).collect()
                }
                SweptValue::One(constant) => {
                    let value = match &constant.kind {
                        ConstantKind::Text(text) => Some(Value::Text(text.value.clone())),
                        ConstantKind::Quantity(quantity) => match bare(quantity) {
                            Some(word) if !declared.contains_key(word) => Some(Value::Word(word.clone())),
                            _ => evaluate(quantity, defaults).ok(),
                        },
                    };
                    value.map(|value| (value, constant.span)).into_iter().collect()
                }
            };
            // The end of a range may be one past what can be.
            let open = matches!(value, SweptValue::Range { through: false, .. });
            for (at, (value, span)) in found.into_iter().enumerate() {
                let value = match value {
                    Value::Integer(end) if open && at == 1 => Value::Integer(end.saturating_sub(1)),
                    value => value,
                };
                let error = kind_error(&name.value, &value, span, declared, defaults);
                let among = || among_error(&name.value, &value, span, param.among.as_ref()?, defaults);
                errors.extend(error.or_else(among));
            }
        }
    }
}

/// Numbers are not listed but have a range.
fn not_listed(name: &Text, value: &Value, among: &Among, span: Span) -> BindError {
    let (wanted, found) =
        ("a name or a text, where names are listed".to_owned(), format!("this is {}", value.written()));
    let help = Some("numbers have a range: `in 1..=128`".to_owned());
    BindError::NotAmong { name: name.to_string(), wanted, help, span, found, declared: among.span() }
}

/// Which of two values is more; `None` where they are of different kinds.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    let number = |value: &Value| match value {
        Value::Integer(number) => u64::try_from(*number).ok().map(Decimal::whole),
        Value::Decimal(number) => Some(*number),
        _ => None,
    };
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(right)),
        (Value::Quantity(left, unit), Value::Quantity(right, other)) => {
            Some(left.compare(converted(*right, &other.value, &unit.value)?))
        }
        _ => Some(number(left)?.compare(number(right)?)),
    }
}
