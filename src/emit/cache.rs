//! `fabc cache --json` (`fabc.cache/1`).

use super::json::quote;

/// What the cache of earlier results holds. `directory` is `None` where there is no cache.
pub fn cache_json(directory: Option<&str>, entries: usize, bytes: u64, limit: u64) -> String {
    let directory = directory.map_or("null".to_owned(), quote);
    format!(
        "{{\"format\":\"fabc.cache/1\",\"directory\":{directory},\"entries\":{entries},\"bytes\":{bytes},\"limit\":{limit}}}"
    )
}
