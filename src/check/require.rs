//! A `require` line: what it admits, and the error of one that does not hold.

use fabc_base::diag::Span;
use fabc_model::{Comparison, Require, Scale};
use miette::Diagnostic;
use std::cmp::Ordering;
use thiserror::Error;

/// A `require` that does not hold.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[error("`require {text}` does not hold: measured {measured}{}", scenario.as_ref().map(|name| format!(" with {name} dark")).unwrap_or_default())]
#[diagnostic(code(FAB0401), help("the spec is a contract: mend the design or the line"))]
pub struct RequireError {
    /// The line without `require`: `diameter <= 6`.
    pub text: String,
    /// The measured value.
    pub measured: String,
    /// The scenario it was measured in, for `fault.` metrics.
    pub scenario: Option<String>,
    /// The line.
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
                deciding(require.comparison, measured, wanted, digits),
                unit(require),
                share(require, wanted, digits)
            ),
            scenario: scenario.map(str::to_owned),
            span: require.span,
        }
    }
}

/// A value of the metric of a line, in the unit of the line.
fn in_written_unit(require: &Require, value: f64) -> f64 {
    if require.scale != Scale::Metric {
        return value;
    }
    match require.unit.factors(require.metric.unit()) {
        [of_metric, written] if of_metric == written => value,
        [of_metric, written] => value * of_metric as f64 / written as f64,
    }
}

/// Digits after the point: nine of small numbers such as flows, of larger ones as many as make six in all.
fn digits_after_point(value: f64) -> usize {
    match value.abs() {
        whole if whole.fract() == 0.0 => 0,
        small if small < 0.1 => 9,
        large => 5 - [10.0, 1e2, 1e3, 1e4, 1e5].into_iter().filter(|&power| large >= power).count(),
    }
}

/// The unit of the values of a line, with a blank before it.
fn unit(require: &Require) -> String {
    match require.unit_name() {
        "" => String::new(),
        unit => format!(" {unit}"),
    }
}

/// What a share comes to: `, which is to be at least 0.01382`.
fn share(require: &Require, wanted: f64, digits: usize) -> String {
    match require.scale {
        Scale::ShareOf(_) => format!(", {} comes to {wanted:.digits$}{}", require.value_text, unit(require)),
        _ => String::new(),
    }
}

/// Whether a value that stands so to the wanted one is what is asked for.
pub(super) fn admits(asked: Comparison, found: Ordering) -> bool {
    match asked {
        Comparison::AtMost => found != Ordering::Greater,
        Comparison::AtLeast => found != Ordering::Less,
        Comparison::Less => found == Ordering::Less,
        Comparison::Greater => found == Ordering::Greater,
        Comparison::Equal => found == Ordering::Equal,
    }
}

/// A measured value with so many digits, or as many more as show whether it satisfies the `require`.
fn deciding(asked: Comparison, measured: f64, wanted: f64, digits: usize) -> String {
    const MORE_DIGITS: usize = 12;
    let holds = |value: f64| value.partial_cmp(&wanted).is_some_and(|found| admits(asked, found));
    let verdict = holds(measured);
    let tells = |text: &String| text.parse().is_ok_and(|shown| holds(shown) == verdict);
    let mut texts = (0..=MORE_DIGITS).map(|more| format!("{measured:.*}", digits + more));
    texts.find(tells).unwrap_or_else(|| measured.to_string())
}
