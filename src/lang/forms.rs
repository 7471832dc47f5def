//! Forms of values that take more than a word, each with the word that it begins with.

/// The one of some forms that has this word, as it is written.
pub(crate) fn form(forms: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    forms.iter().find(|(name, _)| *name == word).map(|(_, form)| *form)
}

/// The words of some forms.
pub(crate) fn names<const N: usize>(forms: [(&'static str, &'static str); N]) -> [&'static str; N] {
    forms.map(|(name, _)| name)
}
