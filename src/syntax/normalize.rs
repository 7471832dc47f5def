//! The normal form of a spec.

/// The place of a require in the normal form: plain metrics before `fault.` ones, then by name, comparison and value.
pub fn require_order(metric: &str, comparison: &str, value: &str) -> (bool, String, String, usize, String) {
    let whole_digits = value.find(['.', ' ']).unwrap_or(value.len());
    (metric.starts_with("fault."), metric.to_owned(), comparison.to_owned(), whole_digits, value.to_owned())
}
