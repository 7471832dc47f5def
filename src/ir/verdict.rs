//! Prints measured values beside the `require` that they decide.

use super::{Fraction, RequireOutcome};
use fabc_base::units::Decimal;

/// The most additional digits that are tried.
const MORE_DIGITS: usize = 12;

impl RequireOutcome {
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
