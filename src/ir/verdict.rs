//! Measured values beside the `require` that they decide.

use super::RequireOutcome;

/// More digits than this tell nothing of a 64-bit number.
const MORE_DIGITS: usize = 12;

impl RequireOutcome {
    /// The measured value as `write(value, more)` writes it, with the fewest digits `more` than usual that show whether it satisfies the
    /// `require`: a value that is rounded onto the wanted one hides why it fails. `None` if it was not measured.
    pub fn measured_text(&self, write: impl Fn(f64, usize) -> String) -> Option<String> {
        let (measured, require) = (self.measured?, &self.require);
        let verdict = require.comparison.holds(measured, require.value);
        // Thousands are parted by commas.
        let tells =
            |text: &String| text.replace(',', "").parse().is_ok_and(|shown| require.comparison.holds(shown, require.value) == verdict);
        if !measured.is_finite() {
            return Some(write(measured, 0));
        }
        let mut texts = (0..=MORE_DIGITS).map(|more| write(measured, more));
        Some(texts.find(tells).unwrap_or_else(|| measured.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;
    use crate::model::{Comparison, Metric, Require};

    fn shown(measured: f64, comparison: Comparison, value_text: &str) -> String {
        let value = value_text.parse().unwrap();
        let (metric, value_text) = (Metric::AverageHops, value_text.to_owned());
        let require = Require { metric, fault: false, comparison, value, value_text, span: Span::default() };
        let outcome = RequireOutcome { require, measured: Some(measured), scenario: None };
        outcome.measured_text(|value, more| format!("{value:.*}", 4 + more)).unwrap()
    }

    #[test]
    fn digits_come_where_they_decide() {
        let hops = 66.0 / 31.0;
        assert_eq!(shown(hops, Comparison::AtMost, "2.129032"), "2.1290323");
        assert_eq!(shown(hops, Comparison::AtMost, "2.129033"), "2.1290");
        assert_eq!(shown(hops, Comparison::AtMost, "2"), "2.1290");
        assert_eq!(shown(hops, Comparison::Greater, "2.129"), "2.12903");
        assert_eq!(shown(hops, Comparison::Equal, "2.129"), "2.12903");
        assert_eq!(shown(0.1 + 0.2, Comparison::AtMost, "0.3"), "0.30000000000000004");
        assert_eq!(shown(f64::NAN, Comparison::AtMost, "0.3"), "NaN");
    }
}
