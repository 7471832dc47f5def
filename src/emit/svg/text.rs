//! Text and coordinates in SVG.

/// Escapes the special characters of XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A coordinate with at most one decimal.
pub(crate) fn coordinate(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(integer) => integer.to_owned(),
        None => text,
    }
}

/// A number in a unit, with at most three decimals.
pub(crate) fn scaled(value: u64, unit: u64) -> String {
    let text = format!("{:.3}", value as f64 / unit as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
