//! Forms of values that take more than a word, each with the word that it begins with.

/// Returns the written form that begins with this word, if there is one.
pub(crate) fn written_form(forms: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    forms.iter().find(|(name, _)| *name == word).map(|(_, form)| *form)
}

/// The words that some forms begin with.
pub(crate) fn form_words<const N: usize>(forms: [(&'static str, &'static str); N]) -> [&'static str; N] {
    forms.map(|(name, _)| name)
}
