//! Text and coordinates in SVG.

/// Escapes the special characters of XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A coordinate with at most one decimal.
pub(super) fn coordinate(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(integer) => integer.to_owned(),
        None => text,
    }
}
