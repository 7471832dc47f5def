//! What builds measured for the lines of a contract, so that an editor can show it.
//!
//! The cache keeps these figures under everything but the contract, and a build never reads them.

use super::keys::key_of;
use super::parts::PartTexts;
use super::{KnownResults, ResultStore};
use fabc_base::diag::Span;
use fabc_emit::Artifact;
use fabc_emit::compiled::CompiledFabric;
use fabc_ir::RequireOutcome;
use fabc_ir::read::KeptPlan;
use fabc_lang::syntax::ast::Spec;
use fabc_model::{Fabric, Require};

/// The path of the only file in an entry of figures.
const FIGURES: &str = "figures.txt";

/// A line of a contract, with what the last build of its fabric measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasuredLine {
    /// The place of the line.
    pub span: Span,
    /// The value with its unit, and the worst fault of a `fault.` metric.
    pub measured: String,
}

fn figures_key(texts: &PartTexts) -> String {
    key_of(&["figures", &texts.without_contract])
}

impl KnownResults<'_> {
    /// Stores what a build measured for the lines of its contract.
    pub(in crate::compile) fn store_figures(&self, compiled: &CompiledFabric) {
        let figure = |outcome: &RequireOutcome| {
            let RequireOutcome { require, scenario, .. } = outcome;
            let fault = scenario.as_ref().map_or_else(String::new, |fault| format!(" under {fault}"));
            Some(format!("{}\t{}{fault}\n", require.metric_text(), fabc_emit::measured_text(outcome)?))
        };
        let figures: String = compiled.requires.iter().filter_map(figure).collect();
        if !figures.is_empty() {
            let file = Artifact { path: FIGURES.to_owned(), bytes: figures.into_bytes() };
            let key = self.key(figures_key);
            self.store(&key, || fabc_emit::kept_plan(&key, false, &[file]));
        }
    }
}

/// The lines of the contract of a fabric, with what a store knows of them. Empty if the fabric was not built.
/// `normal` is the normal form of its spec, and `version` names the code that builds.
pub fn measured_lines(
    store: &dyn ResultStore,
    fabric: &Fabric,
    normal: &Spec,
    version: &str,
) -> Vec<MeasuredLine> {
    let key = figures_key(&PartTexts::new(fabric, normal, version));
    let Some(KeptPlan { files, .. }) = store.load(&key).and_then(|bytes| KeptPlan::read(&bytes, &key).ok())
    else {
        return Vec::new();
    };
    let text = files.get(FIGURES).map_or_else(String::new, |file| String::from_utf8_lossy(file).into_owned());
    let measured = |require: &Require| {
        let metric = require.metric_text();
        let mut lines = text.lines().filter_map(|line| line.split_once('\t'));
        let (_, measured) = lines.find(|(known, _)| *known == metric)?;
        Some(MeasuredLine { span: require.span, measured: measured.to_owned() })
    };
    fabric.requires.iter().filter_map(measured).collect()
}
