//! Numbers of an estimate, for people.

/// A unit of printed times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeUnit {
    /// As it is printed.
    pub name: &'static str,
    /// How many nanoseconds.
    pub ns: f64,
}

impl TimeUnit {
    /// ns.
    pub const NANOSECONDS: TimeUnit = TimeUnit { name: "ns", ns: 1.0 };
    /// us.
    pub const MICROSECONDS: TimeUnit = TimeUnit { name: "us", ns: 1e3 };
    /// ms.
    pub const MILLISECONDS: TimeUnit = TimeUnit { name: "ms", ns: 1e6 };

    /// Three decimals of it.
    pub(super) fn of(self, ns: f64) -> String {
        format!("{:.3}", ns / self.ns)
    }
}

/// Decimal units of sizes, the largest first.
const DECIMAL: [(&str, u64); 4] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
/// Binary ones.
const BINARY: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A size to the byte, in the unit that takes the fewest digits.
pub(crate) fn exact(bytes: u64) -> String {
    let whole = |units: [(&'static str, u64); 4]| {
        units
            .into_iter()
            .find(|(_, factor)| bytes.is_multiple_of(*factor))
            .map(move |(unit, factor)| (bytes / factor, unit))
    };
    let all = [whole(DECIMAL), whole(BINARY), Some((bytes, "B"))];
    let (count, unit) = all.into_iter().flatten().min_by_key(|(count, _)| *count).unwrap_or((bytes, "B"));
    format!("{count} {unit}")
}

/// A size of four digits.
pub(crate) fn about(bytes: f64) -> String {
    let (unit, factor) = DECIMAL.into_iter().find(|(_, factor)| bytes >= *factor as f64).unwrap_or(("B", 1));
    format!("{} {unit}", short(bytes / factor as f64))
}

/// Three decimals of a number, four below 1, without zeros at the end: `2.333`, `0.1811`, `512`.
pub(super) fn plain(value: f64) -> String {
    let places = if value < 1.0 { 4 } else { 3 };
    let text = format!("{value:.places$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Four digits of a number, more of a large one: `2.333`, `42.67`, `341.3`, `65536`.
fn short(value: f64) -> String {
    let places = [(10.0, 3), (100.0, 2), (1000.0, 1)]
        .into_iter()
        .find(|(below, _)| value < *below)
        .map_or(0, |(_, places)| places);
    let text = format!("{value:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}
