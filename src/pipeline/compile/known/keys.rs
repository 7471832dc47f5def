//! The keys of results: hashes of the texts that a search depends on.

/// The hash of texts. The lengths of the texts are hashed as well.
pub fn hash_of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
}

/// The key for some texts, as hexadecimal digits.
pub(super) fn key_of(parts: &[&str]) -> String {
    hash_of_texts(parts.iter().copied()).to_hex().to_string()
}
