//! The first and last steps of `fabc build` and `fabc check`, of a single fabric as of one in slices.

use crate::args::options::CompileArgs;
use crate::build::dump::dump_spec;
use crate::io::cache::{self, ResultCache};
use crate::io::progress::Watch;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use fabc_base::diag::{Failure, SourceMap};
use fabc_emit::compiled::CompiledFabric;
use fabc_ir::RequireOutcome;
use fabc_lang::syntax::COMMAND_LINE;
use fabc_pipeline::compile::{KnownResults, Stage, compile_with};
use fabc_pipeline::library::{Loaded, TablesForm, binary_tables, broken, too_long_to_read};
use fabc_pipeline::show::MessageFormat;

/// Reads the spec. `None` if the build stops after that.
pub(crate) fn load(
    spec: &str,
    args: &CompileArgs,
    watch: &Watch,
    terminal: Terminal,
) -> Result<Option<Loaded>, Stop> {
    let mut loaded = watch.time("read", || read::read_spec(spec, &args.set))?;
    terminal.warn(std::mem::take(&mut loaded.warnings), &loaded.sources);
    for (name, text) in loaded.sources.files().filter(|(name, _)| *name != COMMAND_LINE) {
        terminal.detail(&format!("read {name} ({} lines)", text.lines().count()));
    }
    if let Some(error) = too_long_to_read(&loaded.text) {
        return Err((Failure::spec(error), loaded.sources).into());
    }
    dump_spec(&loaded.fabric, &loaded.text, &args.dump)?;
    if let Some(last) = args.until.filter(|last| *last <= Stage::Resolve) {
        terminal.detail(&format!("stopped after {}: nothing to write yet", last.name()));
        return Ok(None);
    }
    Ok(Some(loaded))
}

/// Compiles a fabric that [`load`] read, and reports the passes.
pub(crate) fn compile_loaded(
    loaded: Loaded,
    args: &CompileArgs,
    watch: &Watch,
    terminal: Terminal,
) -> Result<(CompiledFabric, SourceMap), Stop> {
    let Loaded { fabric, sources, spec, .. } = loaded;
    let last = args.until.unwrap_or(Stage::Emit);
    let cache = if args.no_cache { None } else { ResultCache::open(args.cache.clone(), terminal) };
    let results = match (&cache, cache::code_version()) {
        (Some(cache), Some(version)) => KnownResults::new(cache, &fabric, &spec, &version),
        _ => KnownResults::none(),
    };
    let compiled = match watch.time("compile", || compile_with(fabric, last, &results, watch)) {
        Ok(compiled) => compiled,
        Err(failure) => return Err((failure, sources).into()),
    };
    for pass in &compiled.passes {
        let counters: Vec<String> =
            pass.counters.iter().map(|(name, count)| format!("{name} {count}")).collect();
        terminal.detail(&format!(
            "pass {}: stopped by {}; {}",
            pass.name,
            pass.stopped_by,
            counters.join(", ")
        ));
    }
    Ok((compiled, sources))
}

/// The end of a line of `fabc check` that counts the requires it cannot decide.
pub(crate) fn unmeasured_note(requires: usize) -> String {
    match requires {
        0 => String::new(),
        1 => "; 1 require can only be measured by a build".to_owned(),
        many => format!("; {many} requires can only be measured by a build"),
    }
}

/// Turns every `require` that failed into an error at its line.
pub(crate) fn check_requires(outcomes: &[RequireOutcome], sources: SourceMap) -> Result<(), Stop> {
    let diagnostics = broken(outcomes);
    if diagnostics.is_empty() { Ok(()) } else { Err(Stop { diagnostics, sources, exit_code: 3 }) }
}

/// The options that affect the output, as recorded in the manifest.
pub(crate) fn manifest_options(args: &CompileArgs) -> Vec<(String, String)> {
    let early = args.until.filter(|last| *last < Stage::Emit);
    early.map(|last| ("stop_after".to_owned(), last.name().to_owned())).into_iter().collect()
}

/// The option for binary tables, if the tables are written in that form. The manifest records it too.
pub(crate) fn tables_option(
    form: TablesForm,
    compiled: &CompiledFabric,
    terminal: Terminal,
) -> Vec<(String, String)> {
    use fabc_emit::{BINARY_TABLES, json_entry_limit, listed_entries};
    let (entries, limit) = (listed_entries(compiled), json_entry_limit(compiled));
    let binary = binary_tables(form, compiled);
    if binary && form == TablesForm::Auto {
        let [subject, format] =
            if compiled.fabric.routing.is_scheduled() { ["plans", "schedule"] } else { ["tables", "tables"] };
        terminal.note(&format!(
            "the {subject} list {entries} entries, more than {limit}: they are written as fabc.{format}.bin/1, not as JSON \
             (`--tables-form json` insists, `fabc tables` prints both)"
        ));
    }
    let (name, value) = BINARY_TABLES;
    if binary { vec![(name.to_owned(), value.to_owned())] } else { Vec::new() }
}

pub(crate) fn new_watch(terminal: Terminal) -> Watch {
    Watch::new(!terminal.quiet && terminal.format == MessageFormat::Human)
}
