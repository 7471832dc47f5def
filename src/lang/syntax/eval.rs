//! Evaluates integer expressions and the constants of `let`.
//!
//! In: a bound spec. Out: the value of every constant, in any order of the items. Invariants: no value
//! overflows. A constant that cannot be computed is reported once, at its `let`.

use super::ast::{Constant, ConstantKind, Expr, ExprKind, ItemKind, Operator, Quantity, Spec, Text};
use fabc_base::diag::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// The name is neither a constant nor an index.
    UnknownName(Text, Span),
    /// The value does not fit in 64 bits.
    TooLarge(Span),
    /// The divisor of a division is zero.
    DivisionByZero(Span),
    /// A decimal number where an integer belongs.
    NotAnInteger(Span),
    /// The constant depends on itself.
    Circular(Text, Span),
    /// The expression uses a constant without a value, which is reported elsewhere.
    Broken,
}

/// The constants of a spec. If two have the same name, the first one counts.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: BTreeMap<Text, Result<i64, EvalError>>,
}

impl Constants {
    /// Computes all constants of a spec.
    pub fn of_spec(spec: &Spec) -> Self {
        let mut lets: BTreeMap<Text, &Expr> = BTreeMap::new();
        for item in spec.items() {
            if let ItemKind::Let(constant) = &item.kind
                && let Constant { kind: ConstantKind::Quantity(Quantity { number, unit: None, .. }), .. } =
                    &constant.value
            {
                lets.entry(constant.name.value.clone()).or_insert(number);
            }
        }
        let mut constants = Constants::default();
        for name in lets.keys() {
            constants.compute(name, &lets);
        }
        constants
    }

    /// Computes one constant after those it needs. The depth-first search has an explicit stack, because
    /// chains may be long.
    fn compute(&mut self, name: &Text, lets: &BTreeMap<Text, &Expr>) {
        let mut stack = vec![(name.clone(), false)];
        let mut open = BTreeSet::new();
        while let Some((name, needs_known)) = stack.pop() {
            if self.values.contains_key(&name) {
                continue;
            }
            let constant = lets[&name];
            if needs_known {
                let value = self.eval(constant, &[]);
                self.values.insert(name, value);
                continue;
            }
            open.insert(name.clone());
            stack.push((name.clone(), true));
            let mut needed = Vec::new();
            names_in(constant, &mut needed);
            for (need, span) in needed {
                if open.contains(need) && !self.values.contains_key(need) {
                    self.values.insert(need.clone(), Err(EvalError::Circular(need.clone(), span)));
                } else if lets.contains_key(need) {
                    stack.push((need.clone(), false));
                }
            }
        }
    }

    /// Evaluates an expression. `indices` are further names with values.
    ///
    /// # Errors
    /// The first reason why the expression has no value.
    pub fn eval(&self, expr: &Expr, indices: &[(Text, i64)]) -> Result<i64, EvalError> {
        let too_large = || EvalError::TooLarge(expr.span);
        match &expr.kind {
            ExprKind::Integer(digits) => digits.replace('_', "").parse().map_err(|_| too_large()),
            ExprKind::Decimal(_) => Err(EvalError::NotAnInteger(expr.span)),
            ExprKind::Paren(inner) => self.eval(inner, indices),
            ExprKind::Negate(inner) => self.eval(inner, indices)?.checked_neg().ok_or_else(too_large),
            ExprKind::Name(name) => match indices.iter().find(|(index, _)| index == name) {
                Some((_, value)) => Ok(*value),
                None => match self.values.get(name) {
                    Some(Ok(value)) => Ok(*value),
                    Some(Err(_)) => Err(EvalError::Broken),
                    None => Err(EvalError::UnknownName(name.clone(), expr.span)),
                },
            },
            ExprKind::Chain(first, rest) => {
                let mut value = self.eval(first, indices)?;
                for (operator, operand) in rest {
                    let right = self.eval(operand, indices)?;
                    let result = match operator {
                        Operator::Add => value.checked_add(right),
                        Operator::Subtract => value.checked_sub(right),
                        Operator::Multiply => value.checked_mul(right),
                        Operator::Divide | Operator::Remainder if right == 0 => {
                            return Err(EvalError::DivisionByZero(operand.span));
                        }
                        Operator::Divide => value.checked_div(right),
                        Operator::Remainder => value.checked_rem(right),
                    };
                    value = result.ok_or_else(too_large)?;
                }
                Ok(value)
            }
        }
    }

    /// The errors of all constants without a value, by name.
    pub fn errors(&self) -> impl Iterator<Item = &EvalError> {
        self.values
            .values()
            .filter_map(|value| value.as_ref().err())
            .filter(|error| **error != EvalError::Broken)
    }

    /// The names of all constants.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|name| &**name)
    }
}

/// Collects all names in an expression.
pub(super) fn names_in<'a>(expr: &'a Expr, names: &mut Vec<(&'a Text, Span)>) {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Decimal(_) => {}
        ExprKind::Name(name) => names.push((name, expr.span)),
        ExprKind::Negate(inner) | ExprKind::Paren(inner) => names_in(inner, names),
        ExprKind::Chain(first, rest) => {
            names_in(first, names);
            rest.iter().for_each(|(_, operand)| names_in(operand, names));
        }
    }
}
