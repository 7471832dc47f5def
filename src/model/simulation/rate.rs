//! Rates of injection as people write them.

use fabc_topology::Fraction;
use std::fmt;

/// Flits per cycle and endpoint, as an integer of millionths, so that the printed rate is exactly the one
/// that was run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(u64);

/// Number of digits behind the point.
const PLACES: usize = 6;

impl Rate {
    /// The rate of this many millionths.
    pub const fn millionths(value: u64) -> Self {
        Self(value)
    }
    /// The number of millionths of the rate.
    pub fn in_millionths(self) -> u64 {
        self.0
    }
    /// Reads digits with at most six behind a point. `None` for other text and for 0.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > PLACES || !digits(whole) || !digits(part) || text.ends_with('.') {
            return None;
        }
        format!("{whole}{part:0<PLACES$}").parse().ok().filter(|&value| value > 0).map(Self)
    }
    /// The nearest float to the rate.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Rate {
    /// With two digits behind the point, or as many as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        let needed = text.trim_end_matches('0').len().max(text.len() - PLACES + 2);
        f.write_str(&text[..needed])
    }
}

impl From<Rate> for Fraction {
    /// In flits per cycle and endpoint.
    fn from(rate: Rate) -> Self {
        Self::new(rate.in_millionths(), 1_000_000u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_printed_exactly() {
        for (text, millionths, printed) in [
            ("1", 1_000_000, "1.00"),
            ("0.1", 100_000, "0.10"),
            ("1.7639", 1_763_900, "1.7639"),
            ("0.000001", 1, "0.000001"),
            ("12.50", 12_500_000, "12.50"),
        ] {
            let rate = Rate::parse(text).unwrap();
            assert_eq!((rate.in_millionths(), rate.to_string().as_str()), (millionths, printed));
        }
        for text in ["", ".5", "1.", "1e3", "-1", "0.0000001", "1.2.3", "0.0", "+1", "99999999999999999999"] {
            assert!(Rate::parse(text).is_none(), "{text}");
        }
    }
}
