//! Decides whether a `require` line holds, and prints the error of one that does not.

use fabc_base::diag::Span;
use fabc_model::{Comparison, Require, ValueScale};
use miette::Diagnostic;
use std::cmp::Ordering;
use thiserror::Error;

/// A `require` that does not hold.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[error("`require {text}` does not hold: measured {measured}{}", scenario.as_ref().map(|name| format!(" with {name} dark")).unwrap_or_default())]
#[diagnostic(code(FAB0401), help("the spec is a contract: change the design or the line"))]
pub struct RequireError {
    /// The line without `require`, such as `diameter <= 6`.
    pub text: String,
    /// The measured value, with its unit.
    pub measured: String,
    /// The scenario it was measured in, for `fault.` metrics.
    pub scenario: Option<String>,
    /// Where the spec has the line.
    #[label("measured {measured}")]
    pub span: Span,
}

impl RequireError {
    /// The error of a `require` whose measured value does not satisfy it.
    pub fn new(require: &Require, measured: f64, wanted: f64, scenario: Option<&str>) -> Self {
        let [measured, wanted] = [measured, wanted].map(|value| in_written_unit(require, value));
        let digits = digits_after_point(measured);
        RequireError {
            text: require.as_written(),
            measured: format!(
                "{}{}{}",
                decisive_digits(require.comparison, measured, wanted, digits),
                unit_text(require),
                share_text(require, wanted, digits)
            ),
            scenario: scenario.map(str::to_owned),
            span: require.span,
        }
    }
}

/// Converts a value of a metric to the unit of the line.
fn in_written_unit(require: &Require, value: f64) -> f64 {
    if require.scale != ValueScale::Metric {
        return value;
    }
    match require.unit.factors(require.metric.unit()) {
        [metric_factor, written_factor] if metric_factor == written_factor => value,
        [metric_factor, written_factor] => value * metric_factor as f64 / written_factor as f64,
    }
}

/// Digits after the point: nine for small numbers such as flows, otherwise as many as make six digits in
/// all.
fn digits_after_point(value: f64) -> usize {
    match value.abs() {
        integer if integer.fract() == 0.0 => 0,
        small if small < 0.1 => 9,
        large => 5 - [10.0, 1e2, 1e3, 1e4, 1e5].into_iter().filter(|&power| large >= power).count(),
    }
}

/// The unit of a line, with a blank before it.
fn unit_text(require: &Require) -> String {
    match require.unit_name() {
        "" => String::new(),
        unit => format!(" {unit}"),
    }
}

/// Text for the value of a share, such as `, 80% comes to 0.01382`. Empty for other lines.
fn share_text(require: &Require, wanted: f64, digits: usize) -> String {
    match require.scale {
        ValueScale::ShareOf(_) => {
            format!(", {} comes to {wanted:.digits$}{}", require.value_text, unit_text(require))
        }
        _ => String::new(),
    }
}

/// Whether the order of the measured and the wanted value satisfies a comparison.
pub(super) fn is_satisfied(comparison: Comparison, ordering: Ordering) -> bool {
    match comparison {
        Comparison::AtMost => ordering != Ordering::Greater,
        Comparison::AtLeast => ordering != Ordering::Less,
        Comparison::Less => ordering == Ordering::Less,
        Comparison::Greater => ordering == Ordering::Greater,
        Comparison::Equal => ordering == Ordering::Equal,
    }
}

/// Prints a measured value with `digits` digits, or more if they are needed to show the verdict.
fn decisive_digits(comparison: Comparison, measured: f64, wanted: f64, digits: usize) -> String {
    const MORE_DIGITS: usize = 12;
    let holds =
        |value: f64| value.partial_cmp(&wanted).is_some_and(|ordering| is_satisfied(comparison, ordering));
    let verdict = holds(measured);
    let decides = |text: &String| text.parse().is_ok_and(|shown| holds(shown) == verdict);
    let mut texts = (0..=MORE_DIGITS).map(|more| format!("{measured:.*}", digits + more));
    texts.find(decides).unwrap_or_else(|| measured.to_string())
}
