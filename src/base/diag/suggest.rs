//! Did you mean: the known word closest to a wrong one.
//!
//! Comes in: a word that is not known, and those that are. Goes out: the one that was most likely meant, or a
//! list. Capitals, and `-` for `_`, count as no difference.

/// Longer names are not compared.
const COMPARED_LETTERS: usize = 64;
/// Names that one is compared with, at most.
const COMPARED_NAMES: usize = 500;

/// `did you mean ..?`, or a list of what there is.
pub fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(wrong, known.iter().copied()) {
        Some(close) => Some(format!("did you mean `{close}`?")),
        None if known.is_empty() => None,
        None => Some(format!("known here: {}", list(&known))),
    }
}

/// The known name closest to a wrong one, if it is close.
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time and memory like the product of the lengths.
    if wrong.len() > COMPARED_LETTERS {
        return None;
    }
    let wrong = plain(wrong);
    // Of two letters every other word of two letters would be close.
    let far = |name: &str| if name.len() <= 2 { 0 } else { 1 + name.len() / 4 };
    let near = known
        .into_iter()
        .filter(|name| name.len() <= COMPARED_LETTERS && name.len().abs_diff(wrong.len()) <= far(name));
    let distance = |name: &str| strsim::damerau_levenshtein(&wrong, &plain(name));
    let close = near.take(COMPARED_NAMES).map(|name| (distance(name), name)).min()?;
    (close.0 <= far(close.1)).then_some(close.1)
}

/// `a`, `b` or `c`, at most twelve of them.
pub fn list(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    format!("{}{}", shown.join(", "), if names.len() > 12 { ", .." } else { "" })
}

/// A word without what people do not see as a difference.
pub fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}
