//! Binds parameters, constants of all kinds, and values that are set from outside.
//!
//! In: a spec as it was written, with the values from the command line. Out: the same spec with its
//! parameters, and its constants other than integers, replaced by their values, and with the changes of each
//! `use` applied. Only integer constants remain for the resolution. Invariant: binding a bound spec changes
//! nothing.

mod changes;
mod constants;
mod errors;
mod given;
mod lower;
mod value;

pub use errors::BindError;

use super::ast::*;
use super::print::setting_text;
use changes::{UseChanges, apply, find_changes};
use constants::{BoundConstants, DeclaredConstant, KnownConstant};
use fabc_base::diag::Span;
use lower::Lower;
use std::collections::BTreeMap;
use value::ConstantValue;

/// A spec whose parameters have values.
pub struct Bound {
    /// The spec, in which no parameters remain.
    pub spec: Spec,
    /// Every parameter with its value, and every changed setting of a used file, by name. Both are as
    /// written: `param.cubes` `8`, `use.link copper.latency` `30 cycles`.
    pub settings: Vec<(String, String)>,
    /// The errors, in source order.
    pub errors: Vec<BindError>,
}

/// Binds the parameters and constants of a spec.
pub fn bind(spec: &Spec) -> Bound {
    let mut errors = Vec::new();
    let mut declared = declared_constants(spec, &mut errors);
    let changes = find_changes(spec, &mut errors);
    let constants = bind_values(spec, &mut declared, &changes, &mut errors);
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for (name, constant) in constants.known.iter().filter(|(_, constant)| constant.param) {
        settings.insert(format!("param.{name}"), constant.value.written());
    }
    let mut bound = spec.clone();
    bound.given.clear();
    let mut lower = Lower { constants: &constants, errors };
    let keep = |item: &mut Item| keep_item(item, &constants, &declared);
    for file in &mut bound.files {
        for entry in &mut file.entries {
            match entry {
                FileEntry::Fabric(fabric) => {
                    fabric.items.iter_mut().for_each(|item| lower.item(item));
                    fabric.items.retain_mut(|item| keep(item));
                }
                FileEntry::Item(item) => lower.item(item),
            }
        }
        file.entries.retain_mut(|entry| match entry {
            FileEntry::Fabric(_) => true,
            FileEntry::Item(item) => keep(item),
        });
    }
    for (key, changed) in &changes.settings {
        let mut statement = changed.statement.clone();
        lower.statement(&mut statement, &[]);
        settings.insert(format!("use.{key}"), setting_text(&statement));
        apply(&mut bound, changed, &statement);
    }
    let mut errors = lower.errors;
    errors.sort_by_key(|error| error.span());
    Bound { spec: bound, settings: settings.into_iter().collect(), errors }
}

/// Whether an item stays in the bound spec. Integer constants stay. So do constants without a value, which
/// the resolution of integers reports.
fn keep_item(
    item: &mut Item,
    constants: &BoundConstants,
    declared: &BTreeMap<Text, DeclaredConstant<'_>>,
) -> bool {
    let (name, value) = match &item.kind {
        ItemKind::Let(Let { name, value }) | ItemKind::Param(Param { name, value, .. }) => (name, value),
        // A sweep means nothing to a single build.
        ItemKind::Sweep(_) => return false,
        ItemKind::Use(used) => {
            let (path, file) = (used.path.clone(), used.file);
            item.kind = ItemKind::Use(UseItem { path, changes: None, file });
            return true;
        }
        _ => return true,
    };
    let known = constants.known.get(&name.value).filter(|known| known.declared == name.span);
    // The resolution of integers reports a second `let`.
    if known.is_none() && matches!(item.kind, ItemKind::Let(_)) && may_be_integer(value) {
        return true;
    }
    let value = match known {
        Some(KnownConstant { value: ConstantValue::Integer(_), param: false, .. }) => return true,
        Some(KnownConstant { value: number @ ConstantValue::Integer(_), span, .. }) => number.literal(*span),
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

/// Returns all constants as they are declared. Reports a second declaration of a name.
fn declared_constants<'a>(
    spec: &'a Spec,
    errors: &mut Vec<BindError>,
) -> BTreeMap<Text, DeclaredConstant<'a>> {
    let mut declared: BTreeMap<Text, DeclaredConstant<'a>> = BTreeMap::new();
    for item in spec.items() {
        let (name, value, param) = match &item.kind {
            ItemKind::Let(constant) => (&constant.name, &constant.value, None),
            ItemKind::Param(param) => (&param.name, &param.value, Some(param)),
            _ => continue,
        };
        match declared.get(&name.value) {
            Some(first) if param.is_some() || first.param.is_some() || !may_be_integer(value) => {
                let (subject, help) = (format!("the constant `{}`", name.value), "a constant has one value");
                errors.push(BindError::Twice {
                    subject,
                    again: "declared",
                    help,
                    span: name.span,
                    first: first.span,
                });
            }
            // The resolution of integers reports two `let` of integers.
            Some(_) => {}
            None => {
                _ = declared.insert(
                    name.value.clone(),
                    DeclaredConstant { span: name.span, param, value: value.clone() },
                )
            }
        }
    }
    declared
}

/// Whether a value may be an integer, judging by its form.
fn may_be_integer(value: &Constant) -> bool {
    matches!(&value.kind, ConstantKind::Quantity(Quantity { unit: None, number, .. }) if !lower::has_decimal(number))
}

/// Computes the values of all constants: first as declared, which tells what parameters take, then with the
/// values that are set.
fn bind_values(
    spec: &Spec,
    declared: &mut BTreeMap<Text, DeclaredConstant<'_>>,
    changes: &UseChanges<'_>,
    errors: &mut Vec<BindError>,
) -> BoundConstants {
    let mut default_errors = Vec::new();
    let defaults = BoundConstants::compute_all(declared, &mut default_errors);
    given::check_sweeps(spec, declared, &defaults, errors);
    let mut set: BTreeMap<Text, Constant> = changes.parameters.clone();
    set.extend(given::given_values(spec, declared, &defaults, errors));
    if set.is_empty() {
        errors.extend(default_errors);
        given::check_ranges(declared, &defaults, errors);
        return defaults;
    }
    for (name, value) in &set {
        if let Some(declared) = declared.get_mut(name) {
            declared.value = value.clone();
        }
    }
    let mut constants = BoundConstants::compute_all(declared, errors);

    for name in set.keys() {
        if !given::has_default_kind(name, declared, &defaults, &constants, errors) {
            constants.known.remove(name);
        }
    }
    given::check_ranges(declared, &constants, errors);
    constants
}

impl BindError {
    /// The span that the error is shown at first.
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
