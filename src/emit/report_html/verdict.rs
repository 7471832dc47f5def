//! The verdict: every `require` with its measured value, and the headroom to its limit.

use crate::compiled::CompiledFabric;
use crate::number::grouped;
use crate::summary;
use fabc_ir::{Fraction, RequireOutcome};
use fabc_model::Comparison;
use minijinja::{Value, context};
use std::cmp::Ordering;

/// One row per `require` line of the spec.
pub(super) fn requires(compiled: &CompiledFabric) -> Vec<Value> {
    let row = |outcome: &RequireOutcome| {
        let room = headroom(outcome);
        context! {
            text => outcome.require.text(),
            measured => summary::measured(outcome),
            holds => outcome.holds(),
            scenario => outcome.scenario,
            room => room.as_ref().map(|room| room.text.clone()),
            used => room.as_ref().map(|room| room.used.clone()),
            width => room.map(|room| room.width),
        }
    };
    summary::requires_as_written(compiled).into_iter().map(row).collect()
}

/// The distance of a measured value from its limit.
struct Headroom {
    text: String,
    /// Used part of the limit: `98.1 %`.
    used: String,
    /// Filled part of the bar in percent, at most 100.
    width: String,
}

/// The headroom of a `require`; `None` if nothing was measured.
fn headroom(outcome: &RequireOutcome) -> Option<Headroom> {
    let measured = outcome.measured?;
    let wanted = outcome.wanted?;
    let comparison = outcome.require.comparison;
    let (from, to) = if comparison.wants_more() { (wanted, measured) } else { (measured, wanted) };
    let difference = difference(measured, wanted);
    let share = |part: f64| {
        if wanted.is_zero() { String::new() } else { format!(" ({})", percent(part / wanted.as_f64())) }
    };
    let text = match (from.cmp(&to), comparison) {
        (Ordering::Equal, Comparison::Less | Comparison::Greater) => {
            "at the limit, which is excluded".to_owned()
        }
        (Ordering::Equal, _) => "none: exactly met".to_owned(),
        (_, Comparison::Equal) => format!("{} beside it", amount(difference)),
        (Ordering::Less, _) => format!("{}{}", amount(difference), share(difference)),
        (Ordering::Greater, _) => format!("misses it by {}{}", amount(difference), share(difference)),
    };
    let used = if to.is_zero() { 1.0 } else { from.as_f64() / to.as_f64() };
    Some(Headroom {
        text,
        used: format!("{:.1} %", (used * 1000.0).floor() / 10.0),
        width: format!("{:.1}", (used * 100.0).clamp(0.0, 100.0)),
    })
}

fn difference(a: Fraction, b: Fraction) -> f64 {
    (a.as_f64() - b.as_f64()).abs()
}

/// Whole numbers are printed exactly, others with three significant digits, rounded down.
fn amount(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e15 {
        return grouped(value as u64);
    }
    let mut places = 2usize;
    let mut scaled = value;
    while scaled < 1.0 && places < 15 {
        scaled *= 10.0;
        places += 1;
    }
    let places = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        places
    };
    let unit = (0..places).fold(1.0, |unit, _| unit * 10.0);
    format!("{:.places$}", (value * unit).floor() / unit)
}

/// A percentage rounded down, but never to zero.
fn percent(share: f64) -> String {
    if share < 0.001 { "under 0.1 %".to_owned() } else { format!("{:.1} %", (share * 1000.0).floor() / 10.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::diag::Span;
    use fabc_base::units::Decimal;
    use fabc_model::{Metric, Require, ValueScale, WrittenUnit};

    fn headroom_texts(comparison: Comparison, value_text: &str, measured: Fraction) -> (String, String) {
        let value = Decimal::parse(value_text).unwrap();
        let require = Require {
            metric: Metric::ConcurrentFlow,
            subject: None,
            fault: false,
            comparison,
            value,
            scale: ValueScale::Metric,
            value_text: value_text.to_owned(),
            unit: WrittenUnit::default(),
            span: Span::default(),
            position: 0,
        };
        let room = headroom(&RequireOutcome {
            require,
            measured: Some(measured),
            wanted: Some(Fraction::from(value)),
            scenario: None,
        })
        .unwrap();
        (room.text, room.used)
    }

    #[test]
    fn the_room_left_is_told_towards_the_limit() {
        let pair = |text: &str, used: &str| (text.to_owned(), used.to_owned());
        assert_eq!(
            headroom_texts(Comparison::AtMost, "162", Fraction::integer(159u32)),
            pair("3 (1.8 %)", "98.1 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtMost, "3", Fraction::integer(5u32)),
            pair("misses it by 2 (66.6 %)", "166.6 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtLeast, "0.5", Fraction::new(3u32, 4u32)),
            pair("0.250 (50.0 %)", "66.6 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtLeast, "0.0062", Fraction::new(632148u32, 100_000_000u32)),
            pair("0.000121 (1.9 %)", "98.0 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtLeast, "1", Fraction::ZERO),
            pair("misses it by 1 (100.0 %)", "100.0 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtMost, "159", Fraction::integer(159u32)),
            pair("none: exactly met", "100.0 %")
        );
        assert_eq!(
            headroom_texts(Comparison::Less, "159", Fraction::integer(159u32)),
            pair("at the limit, which is excluded", "100.0 %")
        );
        assert_eq!(
            headroom_texts(Comparison::Equal, "4", Fraction::integer(6u32)),
            pair("2 beside it", "150.0 %")
        );
        assert_eq!(
            headroom_texts(Comparison::AtMost, "100000", Fraction::new(999_999u32, 10u32)),
            pair("0.100 (under 0.1 %)", "99.9 %")
        );
    }
}
