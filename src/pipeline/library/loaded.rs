//! Loading of a spec, and decisions about its output, shared by the commands and the front door.

use super::options::TablesForm;
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_base::limits::{SPEC_BYTES, SPEC_TOKENS};
use fabc_check::RequireError;
use fabc_emit::compiled::CompiledFabric;
use fabc_emit::{json_entry_limit, listed_entries};
use fabc_ir::RequireOutcome;
use fabc_lang::Warning;
use fabc_lang::syntax::ast::Spec;
use fabc_lang::syntax::{Loader, ParseError, bind, count_tokens, print_spec};
use fabc_model::Fabric;
use miette::Diagnostic;

/// A spec that was read, parsed and resolved.
pub struct Loaded {
    /// The fabric after resolution of all names.
    pub fabric: Fabric,
    /// The normal form of the spec.
    pub spec: Spec,
    /// The normal form as text.
    pub text: String,
    /// The text of all its files.
    pub sources: SourceMap,
    /// Warnings about declarations that the spec does not need.
    pub warnings: Vec<Warning>,
    /// Its parameters, and its changes to the files that it uses, for the manifest.
    pub settings: Vec<(String, String)>,
}

/// Reads and resolves a spec, with `name=value` for some parameters.
///
/// # Errors
/// The [`Failure`] of reading or resolving, with the sources so far.
pub fn load(path: &str, loader: &dyn Loader, sets: &[String]) -> Result<Loaded, (Failure, SourceMap)> {
    let (fabric, spec, sources) = fabc_lang::read_with(path, loader, sets)?;
    let warnings = fabc_lang::warnings(&spec, &fabric);
    let settings = bind(&spec).settings;
    let spec = fabc_lang::normal_form(&fabric, &spec);
    Ok(Loaded { text: print_spec(&spec), fabric, spec, sources, warnings, settings })
}

/// The error if a normal form is too long to be read again. What fabc writes must be readable.
pub fn too_long_to_read(normal_form: &str) -> Option<ParseError> {
    let limits = [
        (normal_form.len() > SPEC_BYTES)
            .then(|| ParseError::TooLarge { limit: SPEC_BYTES, span: Span::default() }),
        (count_tokens(normal_form) > SPEC_TOKENS)
            .then(|| ParseError::TooManyTokens { limit: SPEC_TOKENS, span: Span::default() }),
    ];
    limits.into_iter().flatten().next()
}

/// Whether the tables, or the plans of a schedule, are written in their binary form.
pub fn binary_tables(form: TablesForm, compiled: &CompiledFabric) -> bool {
    match form {
        TablesForm::Auto => listed_entries(compiled) > json_entry_limit(compiled),
        TablesForm::Json => false,
        TablesForm::Binary => listed_entries(compiled) > 0,
    }
}

/// The errors of all `require` lines that failed, each at its line.
pub fn broken(outcomes: &[RequireOutcome]) -> Vec<Box<dyn Diagnostic + Send + Sync>> {
    let failed = outcomes.iter().filter(|outcome| outcome.holds() == Some(false));
    let errors =
        failed.filter_map(|outcome| {
            let (measured, wanted) = (outcome.measured?.as_f64(), outcome.wanted?.as_f64());
            Some(Box::new(RequireError::new(&outcome.require, measured, wanted, outcome.scenario.as_deref()))
                as _)
        });
    errors.collect()
}
