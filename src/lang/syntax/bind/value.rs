//! Values of constants, and what is calculated of them.
//!
//! Comes in: expressions whose names have values. Goes out: an integer, a decimal number, a quantity, a name
//! or a text. Invariant: nothing is rounded; where the exact result has more than 18 digits there is none.

use crate::syntax::ast::{Expr, ExprKind, Name, Operator, Quantity, Text};
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, unit};

/// The value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Integer(i64),
    Decimal(Decimal),
    /// A number and its unit as it was written, known or not.
    Quantity(Decimal, Name),
    /// `up_down`
    Word(Text),
    /// What stood in quotes.
    Text(Text),
}

impl Value {
    /// What it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Integer(_) => "an integer",
            Value::Decimal(_) => "a decimal number",
            Value::Quantity(..) => "a quantity",
            Value::Word(_) => "a name",
            Value::Text(_) => "a text",
        }
    }

    /// As it would be written.
    pub(super) fn written(&self) -> String {
        match self {
            Value::Integer(number) => number.to_string(),
            Value::Decimal(number) => number.to_string(),
            Value::Quantity(number, unit) => format!("{number} {}", unit.value),
            Value::Word(word) => word.to_string(),
            Value::Text(text) => format!("\"{text}\""),
        }
    }

    /// The same as it stands in a spec, at a place.
    pub(super) fn literal(&self, span: Span) -> Option<Quantity> {
        let (kind, unit) = match self {
            Value::Integer(number) => {
                let digits = ExprKind::Integer(number.unsigned_abs().to_string().into());
                let negative = |digits| ExprKind::Negate(Box::new(Expr { kind: digits, span }));
                (if *number < 0 { negative(digits) } else { digits }, None)
            }
            Value::Decimal(number) => (digits(*number), None),
            Value::Quantity(number, unit) => (digits(*number), Some(unit.clone())),
            Value::Word(word) => (ExprKind::Name(word.clone()), None),
            Value::Text(_) => return None,
        };
        Some(Quantity { number: Expr { kind, span }, unit, span })
    }
}

fn digits(number: Decimal) -> ExprKind {
    let text: Text = number.to_string().into();
    if text.contains('.') { ExprKind::Decimal(text) } else { ExprKind::Integer(text) }
}

/// Why there is no value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum NoValue {
    /// It is told where integers are resolved: an unknown name, a circle, a division by zero.
    Elsewhere,
    /// It is told here.
    Told(String, Span),
}

/// What names stand for while something is calculated.
pub(super) trait Names {
    /// The value of a name.
    fn value(&self, name: &Text) -> Option<&Value>;
}

/// The value of a number with its unit.
///
/// # Errors
/// A name has no value, or the result has none that is exact.
pub(super) fn evaluate(written: &Quantity, names: &dyn Names) -> Result<Value, NoValue> {
    let number = expression(&written.number, names)?;
    let Some(unit) = &written.unit else { return Ok(number) };
    match number {
        Value::Integer(number) if number >= 0 => {
            Ok(Value::Quantity(Decimal::whole(number.unsigned_abs()), unit.clone()))
        }
        Value::Decimal(number) => Ok(Value::Quantity(number, unit.clone())),
        Value::Integer(number) => {
            Err(NoValue::Told(format!("{number} {} is negative", unit.value), written.span))
        }
        other => Err(NoValue::Told(format!("{} with the unit `{}`", other.kind(), unit.value), written.span)),
    }
}

fn expression(written: &Expr, names: &dyn Names) -> Result<Value, NoValue> {
    let told = |problem: String| NoValue::Told(problem, written.span);
    match &written.kind {
        ExprKind::Integer(digits) => {
            digits.replace('_', "").parse().map(Value::Integer).map_err(|_| NoValue::Elsewhere)
        }
        ExprKind::Decimal(digits) => Decimal::parse(digits)
            .map(Value::Decimal)
            .ok_or_else(|| told("it has more than 18 digits".to_owned())),
        ExprKind::Name(name) => names.value(name).cloned().ok_or(NoValue::Elsewhere),
        ExprKind::Paren(inner) => expression(inner, names),
        ExprKind::Negate(inner) => match expression(inner, names)? {
            Value::Integer(number) => number.checked_neg().map(Value::Integer).ok_or(NoValue::Elsewhere),
            other => Err(told(format!("{} is never negative", other.kind()))),
        },
        ExprKind::Chain(first, rest) => {
            let mut value = expression(first, names)?;
            for (operator, operand) in rest {
                let right = expression(operand, names)?;
                value = calculate(value, *operator, right, written.span)?;
            }
            Ok(value)
        }
    }
}

fn calculate(left: Value, operator: Operator, right: Value, span: Span) -> Result<Value, NoValue> {
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    if let (Value::Integer(left), Value::Integer(right)) = (&left, &right) {
        let (left, right) = (*left, *right);
        let result = match operator {
            Add => left.checked_add(right),
            Subtract => left.checked_sub(right),
            Multiply => left.checked_mul(right),
            Divide => left.checked_div(right),
            Remainder => left.checked_rem(right),
        };
        return result.map(Value::Integer).ok_or(NoValue::Elsewhere);
    }
    let text = format!("{} {} {}", left.written(), operator.symbol(), right.written());
    let told = |problem: &str| NoValue::Told(format!("{text} {problem}"), span);
    let inexact = || told("has no exact value of at most 18 digits");
    let negative = || told("is negative");
    let number = |value: &Value| match value {
        Value::Integer(number) => u64::try_from(*number).ok().map(Decimal::whole),
        Value::Decimal(number) | Value::Quantity(number, _) => Some(*number),
        Value::Word(_) | Value::Text(_) => None,
    };
    let (Some(a), Some(b)) = (number(&left), number(&right)) else {
        return Err(told("calculates with what is no number from 0 on"));
    };
    let units = |value: &Value| if let Value::Quantity(_, unit) = value { Some(unit.clone()) } else { None };
    match (operator, units(&left), units(&right)) {
        (Add, None, None) => a.plus(b).map(Value::Decimal).ok_or_else(inexact),
        (Subtract, None, None) => a.minus(b).map(Value::Decimal).ok_or_else(negative),
        (Multiply, None, None) => a.product(b).map(Value::Decimal).ok_or_else(inexact),
        (Divide, None, None) => a.divided(b).map(Value::Decimal).ok_or_else(inexact),
        (Multiply, Some(unit), None) | (Multiply, None, Some(unit)) => {
            a.product(b).map(|number| Value::Quantity(number, unit)).ok_or_else(inexact)
        }
        (Divide, Some(unit), None) => {
            a.divided(b).map(|number| Value::Quantity(number, unit)).ok_or_else(inexact)
        }
        (Add | Subtract | Divide, Some(to), Some(from)) => {
            let b = converted(b, &from.value, &to.value)
                .ok_or_else(|| told("mixes units that measure different things"))?;
            match operator {
                Add => a.plus(b).map(|number| Value::Quantity(number, to)).ok_or_else(inexact),
                Subtract => a.minus(b).map(|number| Value::Quantity(number, to)).ok_or_else(negative),
                _ => a.divided(b).map(Value::Decimal).ok_or_else(inexact),
            }
        }
        (Remainder, ..) => Err(told("asks for a remainder of what is no integer")),
        _ => Err(told("mixes a quantity with a plain number")),
    }
}

/// The same quantity in another unit of its dimension.
pub(super) fn converted(number: Decimal, from: &str, to: &str) -> Option<Decimal> {
    if from == to {
        return Some(number);
    }
    let (from, to) = (unit(from)?, unit(to)?);
    if from.dimension != to.dimension {
        return None;
    }
    number.product(Decimal::whole(from.factor))?.divided(Decimal::whole(to.factor))
}
