//! Prints measured values beside the `require` that they decide.

use super::{Fraction, RequireOutcome, nanoseconds};
use fabc_base::units::Decimal;
use fabc_model::{Fabric, Require, ValueScale};

/// The most additional digits that are tried.
const MORE_DIGITS: usize = 12;

/// A value, and the fault under which it was measured.
pub(super) type ScenarioValue = (Fraction, Option<String>);

impl RequireOutcome {
    /// The outcome of a line about a plan of the fabric: a collective or a job. Times of `value` are in ns.
    /// `None` if nothing was measured.
    pub(super) fn of_plan(fabric: &Fabric, require: &Require, value: Option<ScenarioValue>) -> Self {
        let (measured, scenario) = value.unzip();
        let one_cycle = nanoseconds(Fraction::integer(1u8), fabric.clock_hz);
        let measured = measured
            .map(|value| if require.scale == ValueScale::Cycles { value.over(one_cycle) } else { value });
        let wanted = measured.map(|_| Fraction::from(require.value));
        Self { require: require.clone(), measured, wanted, scenario: scenario.flatten() }
    }

    /// The measured value as `write(value, more)` writes it, with the fewest additional digits `more` that
    /// show whether it satisfies the `require`. A value that is rounded onto the wanted one would hide why it
    /// fails. `None` if nothing was measured.
    pub fn measured_text(&self, write: impl Fn(Fraction, usize) -> String) -> Option<String> {
        let (measured, holds) = (self.measured?, self.holds()?);
        // Thousands are separated by commas.
        let tells = |text: &String| {
            let shown = Decimal::parse(&text.replace(',', "")).map(Fraction::from);
            shown.is_some_and(|shown| self.holds_at(shown) == Some(holds))
        };
        let mut texts = (0..=MORE_DIGITS).map(|more| write(measured, more));
        Some(texts.find(tells).unwrap_or_else(|| write(measured, MORE_DIGITS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::diag::Span;
    use fabc_model::{Comparison, Metric, Require, ValueScale, WrittenUnit};

    fn shown(measured: Fraction, comparison: Comparison, value_text: &str) -> String {
        let value = Decimal::parse(value_text).unwrap();
        let (metric, scale, value_text) = (Metric::AverageHops, ValueScale::Metric, value_text.to_owned());
        let require = Require {
            metric,
            fault: false,
            subject: None,
            comparison,
            value,
            scale,
            value_text,
            unit: WrittenUnit::default(),
            span: Span::default(),
            position: 0,
        };
        let outcome = RequireOutcome {
            require,
            measured: Some(measured),
            wanted: Some(Fraction::from(value)),
            scenario: None,
        };
        outcome.measured_text(|value, more| format!("{:.*}", 4 + more, value.as_f64())).unwrap()
    }

    #[test]
    fn digits_come_where_they_decide() {
        let hops = Fraction::new(66u64, 31u64);
        assert_eq!(shown(hops, Comparison::AtMost, "2.129032"), "2.1290323");
        assert_eq!(shown(hops, Comparison::AtMost, "2.129033"), "2.1290");
        assert_eq!(shown(hops, Comparison::AtMost, "2"), "2.1290");
        assert_eq!(shown(hops, Comparison::Greater, "2.129"), "2.12903");
        assert_eq!(shown(hops, Comparison::Equal, "2.129"), "2.12903");
    }
}
