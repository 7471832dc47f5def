//! Values of constants, and arithmetic on them.
//!
//! In: expressions whose names have values. Out: an integer, a decimal number, a quantity, a name or a text.
//! Invariant: nothing is rounded. A result with more than 18 digits is an error.

use crate::syntax::ast::{Expr, ExprKind, Name, Operator, Quantity, Text};
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, unit};

/// The value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ConstantValue {
    Integer(i64),
    Decimal(Decimal),
    /// A number and its unit as it was written, known or not.
    Quantity(Decimal, Name),
    /// A name such as `up_down`.
    Word(Text),
    /// A text that stood in quotes.
    Text(Text),
}

impl ConstantValue {
    /// The kind of the value, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ConstantValue::Integer(_) => "an integer",
            ConstantValue::Decimal(_) => "a decimal number",
            ConstantValue::Quantity(..) => "a quantity",
            ConstantValue::Word(_) => "a name",
            ConstantValue::Text(_) => "a text",
        }
    }

    /// The value as it would be written.
    pub(super) fn written(&self) -> String {
        match self {
            ConstantValue::Integer(number) => number.to_string(),
            ConstantValue::Decimal(number) => number.to_string(),
            ConstantValue::Quantity(number, unit) => format!("{number} {}", unit.value),
            ConstantValue::Word(word) => word.to_string(),
            ConstantValue::Text(text) => format!("\"{text}\""),
        }
    }

    /// The value as syntax at a place. `None` for a text.
    pub(super) fn literal(&self, span: Span) -> Option<Quantity> {
        let (kind, unit) = match self {
            ConstantValue::Integer(number) => {
                let digits = ExprKind::Integer(number.unsigned_abs().to_string().into());
                let negative = |digits| ExprKind::Negate(Box::new(Expr { kind: digits, span }));
                (if *number < 0 { negative(digits) } else { digits }, None)
            }
            ConstantValue::Decimal(number) => (digits(*number), None),
            ConstantValue::Quantity(number, unit) => (digits(*number), Some(unit.clone())),
            ConstantValue::Word(word) => (ExprKind::Name(word.clone()), None),
            ConstantValue::Text(_) => return None,
        };
        Some(Quantity { number: Expr { kind, span }, unit, span })
    }
}

fn digits(number: Decimal) -> ExprKind {
    let text: Text = number.to_string().into();
    if text.contains('.') { ExprKind::Decimal(text) } else { ExprKind::Integer(text) }
}

/// Why an expression has no value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum NoValue {
    /// The resolution of integers reports it: an unknown name, a cycle, a division by zero.
    ReportedElsewhere,
    /// A problem that is reported here, with its place.
    Problem(String, Span),
}

/// The values of names in a calculation.
pub(super) trait NameValues {
    /// Returns the value of a name.
    fn value(&self, name: &Text) -> Option<&ConstantValue>;
}

/// Evaluates a number with its unit.
///
/// # Errors
/// A name without a value, or a result that has no exact value.
pub(super) fn evaluate(written: &Quantity, names: &dyn NameValues) -> Result<ConstantValue, NoValue> {
    let number = expression(&written.number, names)?;
    let Some(unit) = &written.unit else { return Ok(number) };
    match number {
        ConstantValue::Integer(number) if number >= 0 => {
            Ok(ConstantValue::Quantity(Decimal::integer(number.unsigned_abs()), unit.clone()))
        }
        ConstantValue::Decimal(number) => Ok(ConstantValue::Quantity(number, unit.clone())),
        ConstantValue::Integer(number) => {
            Err(NoValue::Problem(format!("{number} {} is negative", unit.value), written.span))
        }
        value => {
            Err(NoValue::Problem(format!("{} with the unit `{}`", value.kind(), unit.value), written.span))
        }
    }
}

fn expression(written: &Expr, names: &dyn NameValues) -> Result<ConstantValue, NoValue> {
    let error = |problem: String| NoValue::Problem(problem, written.span);
    match &written.kind {
        ExprKind::Integer(digits) => digits
            .replace('_', "")
            .parse()
            .map(ConstantValue::Integer)
            .map_err(|_| NoValue::ReportedElsewhere),
        ExprKind::Decimal(digits) => Decimal::parse(digits)
            .map(ConstantValue::Decimal)
            .ok_or_else(|| error("it has more than 18 digits".to_owned())),
        ExprKind::Name(name) => names.value(name).cloned().ok_or(NoValue::ReportedElsewhere),
        ExprKind::Paren(inner) => expression(inner, names),
        ExprKind::Negate(inner) => match expression(inner, names)? {
            ConstantValue::Integer(number) => {
                number.checked_neg().map(ConstantValue::Integer).ok_or(NoValue::ReportedElsewhere)
            }
            value => Err(error(format!("{} is never negative", value.kind()))),
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

fn calculate(
    left: ConstantValue,
    operator: Operator,
    right: ConstantValue,
    span: Span,
) -> Result<ConstantValue, NoValue> {
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    if let (ConstantValue::Integer(left), ConstantValue::Integer(right)) = (&left, &right) {
        let (left, right) = (*left, *right);
        let result = match operator {
            Add => left.checked_add(right),
            Subtract => left.checked_sub(right),
            Multiply => left.checked_mul(right),
            Divide => left.checked_div(right),
            Remainder => left.checked_rem(right),
        };
        return result.map(ConstantValue::Integer).ok_or(NoValue::ReportedElsewhere);
    }
    let text = format!("{} {} {}", left.written(), operator.symbol(), right.written());
    let error = |problem: &str| NoValue::Problem(format!("{text} {problem}"), span);
    let inexact = || error("has no exact value of at most 18 digits");
    let negative = || error("is negative");
    let number = |value: &ConstantValue| match value {
        ConstantValue::Integer(number) => u64::try_from(*number).ok().map(Decimal::integer),
        ConstantValue::Decimal(number) | ConstantValue::Quantity(number, _) => Some(*number),
        ConstantValue::Word(_) | ConstantValue::Text(_) => None,
    };
    let (Some(a), Some(b)) = (number(&left), number(&right)) else {
        return Err(error("calculates with a value that is not a number of at least 0"));
    };
    let units = |value: &ConstantValue| {
        if let ConstantValue::Quantity(_, unit) = value { Some(unit.clone()) } else { None }
    };
    match (operator, units(&left), units(&right)) {
        (Add, None, None) => a.plus(b).map(ConstantValue::Decimal).ok_or_else(inexact),
        (Subtract, None, None) => a.minus(b).map(ConstantValue::Decimal).ok_or_else(negative),
        (Multiply, None, None) => a.product(b).map(ConstantValue::Decimal).ok_or_else(inexact),
        (Divide, None, None) => a.divided(b).map(ConstantValue::Decimal).ok_or_else(inexact),
        (Multiply, Some(unit), None) | (Multiply, None, Some(unit)) => {
            a.product(b).map(|number| ConstantValue::Quantity(number, unit)).ok_or_else(inexact)
        }
        (Divide, Some(unit), None) => {
            a.divided(b).map(|number| ConstantValue::Quantity(number, unit)).ok_or_else(inexact)
        }
        (Add | Subtract | Divide, Some(to), Some(from)) => {
            let b = converted(b, &from.value, &to.value)
                .ok_or_else(|| error("mixes units that measure different things"))?;
            match operator {
                Add => a.plus(b).map(|number| ConstantValue::Quantity(number, to)).ok_or_else(inexact),
                Subtract => a.minus(b).map(|number| ConstantValue::Quantity(number, to)).ok_or_else(negative),
                _ => a.divided(b).map(ConstantValue::Decimal).ok_or_else(inexact),
            }
        }
        (Remainder, ..) => Err(error("takes the remainder of a value that is not an integer")),
        _ => Err(error("mixes a quantity with a plain number")),
    }
}

/// Converts a quantity to another unit of its dimension.
pub(super) fn converted(number: Decimal, from: &str, to: &str) -> Option<Decimal> {
    if from == to {
        return Some(number);
    }
    let (from, to) = (unit(from)?, unit(to)?);
    if from.dimension != to.dimension {
        return None;
    }
    number.product(Decimal::integer(from.factor))?.divided(Decimal::integer(to.factor))
}
