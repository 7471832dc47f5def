//! "Did you mean": the known word closest to an unknown one.
//!
//! In: a word that is not known, and the known ones. Out: the word that was most likely meant, or a list.
//! Capitals, and `-` for `_`, count as no difference.

/// Longer names are not compared.
const COMPARED_LETTERS: usize = 64;
/// The most names that a word is compared with.
const COMPARED_NAMES: usize = 500;

/// `did you mean ..?`, or a list of the known words.
pub fn suggestion<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(unknown, known.iter().copied()) {
        Some(close) => Some(format!("did you mean `{close}`?")),
        None if known.is_empty() => None,
        None => Some(format!("known here: {}", list(&known))),
    }
}

/// The known name closest to an unknown one, if it is close enough.
pub fn closest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time and memory proportional to the product of the lengths.
    if unknown.len() > COMPARED_LETTERS {
        return None;
    }
    let word = plain(unknown);
    // Without this rule, every word of two letters would be close to every other.
    let far = |name: &str| if name.len() <= 2 { 0 } else { 1 + name.len() / 4 };
    let near = known
        .into_iter()
        .filter(|name| name.len() <= COMPARED_LETTERS && name.len().abs_diff(word.len()) <= far(name));
    let distance = |name: &str| strsim::damerau_levenshtein(&word, &plain(name));
    let close = near.take(COMPARED_NAMES).map(|name| (distance(name), name)).min()?;
    (close.0 <= far(close.1)).then_some(close.1)
}

/// `a`, `b` or `c`, at most twelve of them.
pub fn list(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    format!("{}{}", shown.join(", "), if names.len() > 12 { ", .." } else { "" })
}

/// A word in lower case, with `_` for `-`: two words with equal results look the same to people.
pub fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}
