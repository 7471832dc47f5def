//! Formats the numbers of an estimate for people.

/// A unit of printed times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PrintedUnit {
    /// Name of the unit, as printed.
    pub name: &'static str,
    /// Length of the unit in nanoseconds.
    pub ns: f64,
}

impl PrintedUnit {
    /// The unit that prints times in nanoseconds.
    pub const NANOSECONDS: PrintedUnit = PrintedUnit { name: "ns", ns: 1.0 };
    /// The unit that prints times in microseconds.
    pub const MICROSECONDS: PrintedUnit = PrintedUnit { name: "us", ns: 1e3 };
    /// The unit that prints times in milliseconds.
    pub const MILLISECONDS: PrintedUnit = PrintedUnit { name: "ms", ns: 1e6 };

    /// A time in this unit, with three decimals.
    pub(super) fn format(self, ns: f64) -> String {
        format!("{:.3}", ns / self.ns)
    }
}

/// Decimal units of sizes, the largest first.
const DECIMAL: [(&str, u64); 4] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
/// Binary units of sizes, the largest first.
const BINARY: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// An exact size, in the unit that needs the fewest digits.
pub(crate) fn exact_size(bytes: u64) -> String {
    let in_unit = |units: [(&'static str, u64); 4]| {
        units
            .into_iter()
            .find(|(_, factor)| bytes.is_multiple_of(*factor))
            .map(move |(unit, factor)| (bytes / factor, unit))
    };
    let candidates = [in_unit(DECIMAL), in_unit(BINARY), Some((bytes, "B"))];
    let (count, unit) =
        candidates.into_iter().flatten().min_by_key(|(count, _)| *count).unwrap_or((bytes, "B"));
    format!("{count} {unit}")
}

/// A size with four digits.
pub(crate) fn approximate_size(bytes: f64) -> String {
    let (unit, factor) = DECIMAL.into_iter().find(|(_, factor)| bytes >= *factor as f64).unwrap_or(("B", 1));
    format!("{} {unit}", four_digits(bytes / factor as f64))
}

/// A number with three decimals, or four below 1, without zeros at the end: `2.333`, `0.1811`, `512`.
pub(super) fn without_zeros(value: f64) -> String {
    let places = if value < 1.0 { 4 } else { 3 };
    let text = format!("{value:.places$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number with four digits, or all digits of a larger one: `2.333`, `42.67`, `341.3`, `65536`.
fn four_digits(value: f64) -> String {
    let places = [(10.0, 3), (100.0, 2), (1000.0, 1)]
        .into_iter()
        .find(|(below, _)| value < *below)
        .map_or(0, |(_, places)| places);
    let text = format!("{value:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}
