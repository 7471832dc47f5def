//! `fabc cache --json` (`fabc.cache/1`).

use super::json::{push, quote};

/// What the cache of earlier results holds.
#[derive(Clone, Copy)]
pub struct CacheState<'a> {
    /// `None` where there is no cache.
    pub directory: Option<&'a str>,
    /// Number of results that are kept.
    pub entries: usize,
    /// The size of all of them.
    pub bytes: u64,
    /// The most bytes that it keeps.
    pub limit: u64,
    /// What a check found, if there was one.
    pub checked: Option<CheckedResults>,
}

/// What new searches found of the results of a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckedResults {
    /// Number of kept results that are the same.
    pub same: usize,
    /// Number of kept results that differed.
    pub different: usize,
    /// Number of results that were not kept.
    pub missing: usize,
}

/// The state of a cache as `fabc.cache/1`.
pub fn cache_json(state: &CacheState<'_>) -> String {
    let CacheState { directory, entries, bytes, limit, checked } = *state;
    let directory = directory.map_or("null".to_owned(), quote);
    let mut out = format!(
        "{{\"format\":\"fabc.cache/1\",\"directory\":{directory},\"entries\":{entries},\"bytes\":{bytes},\"limit\":{limit}"
    );
    if let Some(CheckedResults { same, different, missing }) = checked {
        push(
            &mut out,
            format_args!(",\"checked\":{{\"same\":{same},\"different\":{different},\"missing\":{missing}}}"),
        );
    }
    out.push('}');
    out
}
