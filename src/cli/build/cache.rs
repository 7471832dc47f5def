//! `fabc cache`: shows, clears and checks the results that builds keep.

use crate::args::options::CacheArgs;
use crate::build::front::new_watch;
use crate::build::sliced::kind_spec;
use crate::io::cache::{self, CacheComparison, CacheContents, LIMIT, ResultCache, VARIABLE};
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_out, size_text};
use fabc_base::diag::SourceMap;
use fabc_emit::{CacheState, CheckedResults};
use fabc_pipeline::compile::{KnownResults, Stage, compile_with};
use fabc_pipeline::library::Loaded;

/// Prints where the cache is and what it holds, after clearing or checking it if that is wanted.
///
/// # Errors
/// An entry cannot be removed, the spec to check cannot be built, or standard output cannot be written. An
/// empty `Stop` with exit code 3 if a checked result differed.
pub(crate) fn cache(args: &CacheArgs, terminal: Terminal) -> Result<(), Stop> {
    let directory = cache::cache_directory();
    if let Some(directory) = directory.as_deref().filter(|_| args.clear) {
        cache::clear(directory)?;
    }
    let checked = args.check.as_deref().map(|spec| check_spec(spec, terminal)).transpose()?.flatten();
    let contents = directory.as_deref().map(cache::contents);
    let CacheContents { entries, bytes } = contents.unwrap_or(CacheContents { entries: 0, bytes: 0 });
    let place = directory.as_deref().map(display);
    let state = CacheState { directory: place.as_deref(), entries, bytes, limit: LIMIT, checked };
    let line = if args.json { fabc_emit::cache_json(&state) } else { cache_text(&state) };
    print_out(&line)?;
    match checked {
        Some(CheckedResults { different, .. }) if different > 0 => {
            Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 3 })
        }
        _ => Ok(()),
    }
}

fn cache_text(state: &CacheState<'_>) -> String {
    let CacheState { directory, entries, bytes, limit, checked } = *state;
    let results = |count: usize| format!("{count} {}", if count == 1 { "result" } else { "results" });
    let Some(place) = directory else {
        return format!("there is no cache: `{VARIABLE}` is off, or the system has no place for one");
    };
    let holds = format!(
        "{place}: {}, {} of at most {}",
        results(entries),
        size_text(bytes as usize),
        size_text(limit as usize)
    );
    let Some(CheckedResults { same, different, missing }) = checked else { return holds };
    let removed = if different > 0 {
        format!("{different} differed and were removed")
    } else {
        "none differs".to_owned()
    };
    format!("{holds}\nchecked: {} as a new search finds them, {removed}, {missing} not kept", results(same))
}

/// Searches for everything of a spec again, and compares what is kept with that. `None` if there is no cache.
fn check_spec(spec: &str, terminal: Terminal) -> Result<Option<CheckedResults>, Stop> {
    let Some((cache, version)) = ResultCache::open(None, terminal).zip(cache::code_version()) else {
        return Ok(None);
    };
    let comparison = CacheComparison::new(cache);
    let loaded = read::read_spec(spec, &[])?;
    let kinds = &loaded.fabric.slices.kinds;
    let kinds: Vec<Loaded> = kinds.iter().map(|kind| kind_spec(kind, &loaded.sources)).collect();
    let watch = new_watch(terminal);
    for Loaded { fabric, spec, sources, .. } in if kinds.is_empty() { vec![loaded] } else { kinds } {
        let results = KnownResults::new(&comparison, &fabric, &spec, &version);
        compile_with(fabric, Stage::Emit, &results, &watch).map_err(|failure| (failure, sources))?;
    }
    Ok(Some(comparison.counts()))
}
