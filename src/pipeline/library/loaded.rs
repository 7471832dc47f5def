//! What the commands and the front door share: a spec that was read, and what a build is asked at its ends.

use super::options::TablesForm;
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_base::limits::{SPEC_BYTES, SPEC_TOKENS};
use fabc_check::RequireError;
use fabc_emit::compiled::Compiled;
use fabc_emit::{listed_entries, most_in_json};
use fabc_ir::RequireOutcome;
use fabc_lang::Warning;
use fabc_lang::syntax::ast::Spec;
use fabc_lang::syntax::{Loader, ParseError, bind, count_tokens, print_spec};
use fabc_model::Fabric;
use miette::Diagnostic;

/// A spec that was read, parsed and resolved.
pub struct Loaded {
    /// What it means.
    pub fabric: Fabric,
    /// Its normal form.
    pub spec: Spec,
    /// The same as text.
    pub text: String,
    /// The text of all its files.
    pub sources: SourceMap,
    /// What it declares and does not need.
    pub warnings: Vec<Warning>,
    /// Its parameters and what it changes in the files that it uses, for the manifest.
    pub settings: Vec<(String, String)>,
}

/// Reads and resolves a spec, with `name=value` for some parameters.
///
/// # Errors
/// The spec has errors.
pub fn load(path: &str, loader: &dyn Loader, sets: &[String]) -> Result<Loaded, (Failure, SourceMap)> {
    let (fabric, spec, sources) = fabc_lang::read_with(path, loader, sets)?;
    let warnings = fabc_lang::warnings(&spec, &fabric);
    let settings = bind(&spec).settings;
    let spec = fabc_lang::normal_form(&fabric, &spec);
    Ok(Loaded { text: print_spec(&spec), fabric, spec, sources, warnings, settings })
}

/// Why a normal form cannot be read again, which what is written must be.
pub fn too_long_to_read(normal_form: &str) -> Option<ParseError> {
    let limits = [
        (normal_form.len() > SPEC_BYTES)
            .then(|| ParseError::TooLarge { limit: SPEC_BYTES, span: Span::default() }),
        (count_tokens(normal_form) > SPEC_TOKENS)
            .then(|| ParseError::TooManyTokens { limit: SPEC_TOKENS, span: Span::default() }),
    ];
    limits.into_iter().flatten().next()
}

/// Whether tables (or the plans of what is scheduled) are written in their binary form.
pub fn binary_tables(form: TablesForm, compiled: &Compiled) -> bool {
    match form {
        TablesForm::Auto => listed_entries(compiled) > most_in_json(compiled),
        TablesForm::Json => false,
        TablesForm::Binary => listed_entries(compiled) > 0,
    }
}

/// Every `require` that failed, as an error at its line.
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
