//! Parses sizes, times and bandwidths of the command line: `16MB`, `0.5us`, `900GB/s`, `400Gb/s`.

use super::errors::EstimateError;
use super::words::{CommandWord, parse_decimal};
use fabc_base::diag::{closest, list};
use fabc_base::units::{self, Dimension};

/// A kind of quantity and the units that it accepts.
pub(super) struct Measure {
    what: &'static str,
    dimension: Dimension,
    /// Plural name of the base unit.
    base: &'static str,
    /// Accepted units. Apart from bits and bytes per second, no two of them differ only in capitals.
    names: &'static [&'static str],
    example: &'static str,
}

/// Sizes, with bytes as base units.
pub(super) const SIZE: Measure = Measure {
    what: "size",
    dimension: Dimension::Data,
    base: "bytes",
    names: &["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"],
    example: "16MB",
};

/// Times, with picoseconds as base units.
pub(super) const TIME: Measure = Measure {
    what: "time",
    dimension: Dimension::Time,
    base: "picoseconds",
    names: &["ps", "ns", "us", "ms", "s"],
    example: "0.5us",
};

/// Bandwidths, with bits per second as base units.
pub(super) const BANDWIDTH: Measure = Measure {
    what: "bandwidth",
    dimension: Dimension::Bandwidth,
    base: "bits per second",
    names: &[
        "MB/s", "GB/s", "TB/s", "MiB/s", "GiB/s", "TiB/s", "Mb/s", "Gb/s", "Tb/s", "Mbps", "Gbps", "Tbps",
    ],
    example: "900GB/s",
};

/// Parses a number with a unit into base units. Zero is accepted only with `or_zero`.
pub(super) fn parse_quantity(
    word: &CommandWord,
    measure: &Measure,
    or_zero: bool,
) -> Result<u64, EstimateError> {
    let Measure { what, dimension, base, names, example } = *measure;
    let error = |why: String, part: Option<&str>, hint: String| {
        let span = part.filter(|part| !part.is_empty()).map_or(word.span, |part| word.part(part).span);
        EstimateError::Quantity { text: word.text.clone(), what, why, hint, span }
    };
    let usual_hint = || format!("write a number and a unit, such as `{example}`");
    let text = word.text.trim();
    if text.starts_with('-') {
        return Err(error("it is negative".to_owned(), None, usual_hint()));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (digits, unit) = (&text[..end], text[end..].trim());
    let Some(number) = parse_decimal(digits) else {
        return Err(error(
            "it does not begin with a number of at most 18 digits".to_owned(),
            None,
            usual_hint(),
        ));
    };
    if unit.is_empty() {
        return Err(error("it has no unit".to_owned(), None, usual_hint()));
    }
    let Some(factor) =
        Some(unit).filter(|unit| names.contains(unit)).and_then(|unit| units::factor(unit, dimension))
    else {
        let hint = match closest(unit, names.iter().copied()) {
            // Only a capital distinguishes bits from bytes, so a guess may be wrong by a factor of eight.
            Some(close) if dimension != Dimension::Bandwidth => format!("did you mean `{close}`?"),
            _ => format!("units are {}", list(names)),
        };
        return Err(error(format!("there is no unit `{unit}`"), Some(unit), hint));
    };
    match number.times(factor) {
        Some(0) if !or_zero => Err(error("it is zero".to_owned(), None, usual_hint())),
        Some(value) => Ok(value),
        None if number.as_f64() * factor as f64 >= u64::MAX as f64 => {
            Err(error("it is too large".to_owned(), None, usual_hint()))
        }
        None => Err(error(format!("it is not a whole number of {base}"), None, usual_hint())),
    }
}
