//! Computes the values of all constants, in any order of declaration.
//!
//! In: every `let` and `param`, with the values that are set from outside. Out: the value of each, or why it
//! has none. If two have the same name, the first one counts.

use super::errors::BindError;
use super::value::{ConstantValue, NameValues, NoValue, evaluate};
use crate::syntax::ast::{Constant, ConstantKind, ExprKind, Param, Quantity, Text};
use crate::syntax::eval::names_in;
use fabc_base::diag::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A constant before it has a value.
pub(super) struct DeclaredConstant<'a> {
    /// The span of its name.
    pub(super) span: Span,
    /// `None` for a `let`. The value of a parameter may be a name that is no constant.
    pub(super) param: Option<&'a Param>,
    /// The value that is set, or else the declared one.
    pub(super) value: Constant,
}

/// A constant with its value.
pub(super) struct KnownConstant {
    /// The value of the constant.
    pub(super) value: ConstantValue,
    /// The span of the value.
    pub(super) span: Span,
    /// The span of the declared name.
    pub(super) declared: Span,
    /// Whether the constant is a parameter.
    pub(super) param: bool,
}

/// Returns the name if a quantity is a bare name.
pub(super) fn bare_name(quantity: &Quantity) -> Option<&Text> {
    match &quantity.number.kind {
        ExprKind::Name(name) if quantity.unit.is_none() => Some(name),
        _ => None,
    }
}

/// All constants with a value.
#[derive(Default)]
pub(super) struct BoundConstants {
    pub(super) known: BTreeMap<Text, KnownConstant>,
}

impl NameValues for BoundConstants {
    fn value(&self, name: &Text) -> Option<&ConstantValue> {
        self.known.get(name).map(|known| &known.value)
    }
}

impl BoundConstants {
    /// Computes all constants, each after those it needs. An explicit stack allows long chains.
    pub(super) fn compute_all(
        declared: &BTreeMap<Text, DeclaredConstant<'_>>,
        errors: &mut Vec<BindError>,
    ) -> Self {
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
                    names_in(&quantity.number, &mut needed);
                }
                let needed = needed
                    .into_iter()
                    .filter(|(need, _)| declared.contains_key(*need) && !open.contains(*need));
                stack.extend(needed.map(|(need, _)| (need.clone(), false)));
            }
        }
        constants
    }

    fn compute(
        &mut self,
        name: &Text,
        declared: &BTreeMap<Text, DeclaredConstant<'_>>,
        errors: &mut Vec<BindError>,
    ) {
        let constant = &declared[name];
        let value = match &constant.value.kind {
            ConstantKind::Text(text) => Ok(ConstantValue::Text(text.value.clone())),
            ConstantKind::Quantity(quantity) => match bare_name(quantity) {
                Some(word) if constant.param.is_some() && !declared.contains_key(word) => {
                    Ok(ConstantValue::Word(word.clone()))
                }
                _ => evaluate(quantity, self),
            },
        };
        match value {
            Ok(value) => {
                let (span, declared, param) = (constant.value.span, constant.span, constant.param.is_some());
                self.known.insert(name.clone(), KnownConstant { value, span, declared, param });
            }
            Err(NoValue::ReportedElsewhere) => {}
            Err(NoValue::Problem(problem, span)) => {
                let subject = format!("the constant `{name}`");
                let help = "add quantities of the same kind only, and multiply or divide them by plain numbers. Nothing is rounded";
                errors.push(BindError::NoValue { subject, problem, help, span });
            }
        }
    }
}
