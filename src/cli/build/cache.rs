//! `fabc cache`: shows and clears the results that builds keep.

use crate::args::options::CacheArgs;
use crate::io::cache::{self, CacheContents, LIMIT, VARIABLE};
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, size_text};

/// Prints where the cache is and what it holds, after clearing it if that is wanted.
///
/// # Errors
/// An entry cannot be removed, or standard output cannot be written.
pub(crate) fn cache(args: &CacheArgs) -> Result<(), Stop> {
    let directory = cache::cache_directory();
    if let Some(directory) = directory.as_deref().filter(|_| args.clear) {
        cache::clear(directory)?;
    }
    let contents = directory.as_deref().map(cache::contents);
    let CacheContents { entries, bytes } = contents.unwrap_or(CacheContents { entries: 0, bytes: 0 });
    let place = directory.as_deref().map(display);
    if args.json {
        return Ok(print_out(&fabc_emit::cache_json(place.as_deref(), entries, bytes, LIMIT))?);
    }
    let line = match place {
        None => format!("there is no cache: `{VARIABLE}` is off, or the system has no place for one"),
        Some(place) => format!(
            "{place}: {entries} {}, {} of at most {}",
            if entries == 1 { "result" } else { "results" },
            size_text(bytes as usize),
            size_text(LIMIT as usize)
        ),
    };
    Ok(print_out(&line)?)
}
