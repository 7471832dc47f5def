//! The values of all constants, in whatever order they stand.
//!
//! Comes in: every `let` and `param`, with what is set from outside. Goes out: the value of each, or why it
//! has none. Where two have the same name, the first one counts.

use super::errors::BindError;
use super::value::{Names, NoValue, Value, evaluate};
use crate::syntax::ast::{Constant, ConstantKind, ExprKind, Param, Quantity, Text};
use crate::syntax::eval::names;
use fabc_base::diag::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A constant before it has a value.
pub(super) struct Declared<'a> {
    /// Where its name stands.
    pub(super) span: Span,
    /// `None` for a `let`. The value of a parameter may be a name that is no constant.
    pub(super) param: Option<&'a Param>,
    /// What it is set to, or else what stands at its declaration.
    pub(super) value: Constant,
}

/// A constant.
pub(super) struct Known {
    /// What it stands for.
    pub(super) value: Value,
    /// Where the value was written.
    pub(super) span: Span,
    /// Where the name was declared.
    pub(super) declared: Span,
    /// Whether it is a parameter.
    pub(super) param: bool,
}

/// A name alone.
pub(super) fn bare(quantity: &Quantity) -> Option<&Text> {
    match &quantity.number.kind {
        ExprKind::Name(name) if quantity.unit.is_none() => Some(name),
        _ => None,
    }
}

/// All constants with a value.
#[derive(Default)]
pub(super) struct BoundConstants {
    pub(super) known: BTreeMap<Text, Known>,
}

impl Names for BoundConstants {
    fn value(&self, name: &Text) -> Option<&Value> {
        self.known.get(name).map(|known| &known.value)
    }
}

impl BoundConstants {
    /// Computes all, each after those it needs, with a stack of its own: chains may be long.
    pub(super) fn of(declared: &BTreeMap<Text, Declared<'_>>, errors: &mut Vec<BindError>) -> Self {
        let mut constants = BoundConstants::default();
        let mut done = BTreeSet::new();
        for name in declared.keys() {
            let mut stack = vec![(name.clone(), false)];
            let mut open = BTreeSet::new();
            while let Some((name, needs_known)) = stack.pop() {
                if done.contains(&name) {
                    continue;
                }
                let constant = &declared[&name];
                if needs_known || !open.insert(name.clone()) {
                    done.insert(name.clone());
                    constants.compute(&name, declared, errors);
                    continue;
                }
                stack.push((name, true));
                let mut needed = Vec::new();
                if let ConstantKind::Quantity(quantity) = &constant.value.kind {
                    names(&quantity.number, &mut needed);
                }
                let needed = needed
                    .into_iter()
                    .filter(|(need, _)| declared.contains_key(*need) && !open.contains(*need));
                stack.extend(needed.map(|(need, _)| (need.clone(), false)));
            }
        }
        constants
    }

    fn compute(&mut self, name: &Text, declared: &BTreeMap<Text, Declared<'_>>, errors: &mut Vec<BindError>) {
        let constant = &declared[name];
        let value = match &constant.value.kind {
            ConstantKind::Text(text) => Ok(Value::Text(text.value.clone())),
            ConstantKind::Quantity(quantity) => match bare(quantity) {
                Some(word) if constant.param.is_some() && !declared.contains_key(word) => {
                    Ok(Value::Word(word.clone()))
                }
                _ => evaluate(quantity, self),
            },
        };
        match value {
            Ok(value) => {
                let (span, declared, param) = (constant.value.span, constant.span, constant.param.is_some());
                self.known.insert(name.clone(), Known { value, span, declared, param });
            }
            Err(NoValue::Elsewhere) => {}
            Err(NoValue::Told(problem, span)) => {
                let what = format!("the constant `{name}`");
                let help = "quantities are added to their like, and multiplied and divided by plain numbers; nothing is rounded";
                errors.push(BindError::NoValue { what, problem, help, span });
            }
        }
    }
}
