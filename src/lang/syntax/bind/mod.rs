//! Parameters, constants of all kinds, and what is set from outside.
//!
//! Comes in: a spec as it was written, with what the command line sets. Goes out: the same spec with every
//! parameter and every constant that is no integer put in its place, and with what each `use` changes in its
//! file; what the resolution knows of constants are integers. Invariant: a spec that was bound is bound
//! already, and stays as it is.

mod changes;
mod constants;
mod errors;
mod given;
mod lower;
mod value;

pub use errors::BindError;

use super::ast::*;
use super::print::told;
use changes::{Changes, apply, changes};
use constants::{BoundConstants, Declared, Known};
use fabc_base::diag::Span;
use lower::Lower;
use std::collections::BTreeMap;
use value::Value;

/// A spec whose parameters have values.
pub struct Bound {
    /// Without parameters.
    pub spec: Spec,
    /// Every parameter with its value, and every setting of a used file that was changed, as they are
    /// written, by name: `param.cubes` `8`, `use.link copper.latency` `30 cycles`.
    pub settings: Vec<(String, String)>,
    /// What is wrong, in source order.
    pub errors: Vec<BindError>,
}

/// Binds a spec.
pub fn bind(spec: &Spec) -> Bound {
    let mut errors = Vec::new();
    let mut declared = declared(spec, &mut errors);
    let changes = changes(spec, &mut errors);
    let constants = values(spec, &mut declared, &changes, &mut errors);
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for (name, constant) in constants.known.iter().filter(|(_, constant)| constant.param) {
        settings.insert(format!("param.{name}"), constant.value.written());
    }
    let mut bound = spec.clone();
    bound.given.clear();
    let mut lower = Lower { constants: &constants, errors };
    let kept = |item: &mut Item| kept(item, &constants, &declared);
    for file in &mut bound.files {
        for entry in &mut file.entries {
            match entry {
                Entry::Fabric(fabric) => {
                    fabric.items.iter_mut().for_each(|item| lower.item(item));
                    fabric.items.retain_mut(|item| kept(item));
                }
                Entry::Item(item) => lower.item(item),
            }
        }
        file.entries.retain_mut(|entry| match entry {
            Entry::Fabric(_) => true,
            Entry::Item(item) => kept(item),
        });
    }
    for (key, changed) in &changes.settings {
        let mut statement = changed.statement.clone();
        lower.statement(&mut statement, &[]);
        settings.insert(format!("use.{key}"), told(&statement));
        apply(&mut bound, changed, &statement);
    }
    let mut errors = lower.errors;
    errors.sort_by_key(|error| error.span());
    Bound { spec: bound, settings: settings.into_iter().collect(), errors }
}

/// Whether an item stays: of constants, the integers do, and those that have no value, which is told where
/// integers are resolved.
fn kept(item: &mut Item, constants: &BoundConstants, declared: &BTreeMap<Text, Declared<'_>>) -> bool {
    let (name, value) = match &item.kind {
        ItemKind::Let(Let { name, value }) | ItemKind::Param(Param { name, value, .. }) => (name, value),
        // It says nothing of a single build.
        ItemKind::Sweep(_) => return false,
        ItemKind::Use(used) => {
            let (path, file) = (used.path.clone(), used.file);
            item.kind = ItemKind::Use(Use { path, changes: None, file });
            return true;
        }
        _ => return true,
    };
    let known = constants.known.get(&name.value).filter(|known| known.declared == name.span);
    // A second `let` is told where integers are resolved.
    if known.is_none() && matches!(item.kind, ItemKind::Let(_)) && integer(value) {
        return true;
    }
    let value = match known {
        Some(Known { value: Value::Integer(_), param: false, .. }) => return true,
        Some(Known { value: number @ Value::Integer(_), span, .. }) => number.literal(*span),
        Some(_) => None,
        None => match &declared.get(&name.value).map_or(value, |declared| &declared.value).kind {
            ConstantKind::Quantity(quantity)
                if quantity.unit.is_none() && !constants.known.contains_key(&name.value) =>
            {
                Some(quantity.clone())
            }
            _ => None,
        },
    };
    let Some(value) = value else { return false };
    let value = Constant { span: value.span, kind: ConstantKind::Quantity(value) };
    item.kind = ItemKind::Let(Let { name: name.clone(), value });
    true
}

/// All constants as they are declared; a second one of a name is told.
fn declared<'a>(spec: &'a Spec, errors: &mut Vec<BindError>) -> BTreeMap<Text, Declared<'a>> {
    let mut declared: BTreeMap<Text, Declared<'a>> = BTreeMap::new();
    for item in spec.items() {
        let (name, value, param) = match &item.kind {
            ItemKind::Let(constant) => (&constant.name, &constant.value, None),
            ItemKind::Param(param) => (&param.name, &param.value, Some(param)),
            _ => continue,
        };
        match declared.get(&name.value) {
            Some(first) if param.is_some() || first.param.is_some() || !integer(value) => {
                let (what, help) = (format!("the constant `{}`", name.value), "a constant has one value");
                errors.push(BindError::Twice {
                    what,
                    again: "declared",
                    help,
                    span: name.span,
                    first: first.span,
                });
            }
            // Two `let` of integers are told where the others are.
            Some(_) => {}
            None => {
                _ = declared
                    .insert(name.value.clone(), Declared { span: name.span, param, value: value.clone() })
            }
        }
    }
    declared
}

/// Whether a value can be an integer, by its looks.
fn integer(value: &Constant) -> bool {
    matches!(&value.kind, ConstantKind::Quantity(Quantity { unit: None, number, .. }) if !lower::decimals(number))
}

/// The values of all constants: first by what is declared, which says what parameters take, then with what
/// is set.
fn values(
    spec: &Spec,
    declared: &mut BTreeMap<Text, Declared<'_>>,
    changes: &Changes<'_>,
    errors: &mut Vec<BindError>,
) -> BoundConstants {
    let mut told = Vec::new();
    let defaults = BoundConstants::of(declared, &mut told);
    given::swept(spec, declared, &defaults, errors);
    let mut set: BTreeMap<Text, Constant> = changes.parameters.clone();
    set.extend(given::given(spec, declared, &defaults, errors));
    if set.is_empty() {
        errors.extend(told);
        given::fits(declared, &defaults, errors);
        return defaults;
    }
    for (name, value) in &set {
        if let Some(declared) = declared.get_mut(name) {
            declared.value = value.clone();
        }
    }
    let constants = BoundConstants::of(declared, errors);
    let mut constants = constants;
    for name in set.keys() {
        if !given::of_its_kind(name, declared, &defaults, &constants, errors) {
            constants.known.remove(name);
        }
    }
    given::fits(declared, &constants, errors);
    constants
}

impl BindError {
    /// Where the error is shown first.
    pub fn span(&self) -> Span {
        match self {
            BindError::Twice { span, .. }
            | BindError::NoParameter { span, .. }
            | BindError::WrongValue { span, .. }
            | BindError::NotAmong { span, .. }
            | BindError::NothingToChange { span, .. }
            | BindError::NoValue { span, .. }
            | BindError::WrongPlace { span, .. } => *span,
        }
    }
}
