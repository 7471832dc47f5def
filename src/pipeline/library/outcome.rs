//! What comes of a build or a check: values that hold all they know.

use crate::show::{MessageFormat, severity, shown};
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_emit::compiled;
use fabc_emit::{Artifact, Look};
use fabc_model::Metric;
use miette::LabeledSpan;
use std::collections::BTreeMap;
use std::fmt;

/// A compiled fabric, proved, with its contract kept (but see [`Diagnostics::built`]).
#[derive(Debug)]
pub struct Compiled {
    compiled: compiled::Compiled,
    normal_form: String,
    /// What of the options stands in the manifest.
    settings: Vec<(String, String)>,
    warnings: Vec<Diagnostic>,
}

impl Compiled {
    pub(super) fn new(
        compiled: compiled::Compiled,
        normal_form: String,
        settings: Vec<(String, String)>,
        warnings: Vec<Diagnostic>,
    ) -> Self {
        Self { compiled, normal_form, settings, warnings }
    }

    /// The name of the fabric: `fabc build` would write to a directory of that name.
    pub fn name(&self) -> &str {
        &self.compiled.fabric.name
    }
    /// The metrics of the healthy fabric, by the names that `require` has for them and in its units; what was
    /// not measured is not there. Of an interval the proved end: `concurrent_flow` is what can be reached.
    pub fn metrics(&self) -> BTreeMap<&'static str, f64> {
        let compiled::Compiled { scenarios, network, cables, .. } = &self.compiled;
        let value = |metric: Metric| match metric {
            Metric::Graph(metric) => network.as_ref()?.value(metric),
            Metric::Floor(metric) => cables.as_ref().map(|cables| cables.value(metric)),
            metric => scenarios.first()?.metrics.value(metric),
        };
        Metric::every().filter_map(|metric| Some((metric.name(), value(metric)?.as_f64()))).collect()
    }
    /// Every file that `fabc build` writes, the same to the byte, sorted by path and the manifest last.
    pub fn artifacts(&self) -> Vec<Artifact> {
        fabc_emit::artifacts(&self.compiled, &self.normal_form, &self.settings)
    }
    /// The same one at a time: those of a large fabric need not be in memory at once.
    ///
    /// # Errors
    /// The first one that `take` returns.
    pub fn each_artifact<E>(&self, take: &mut dyn FnMut(Artifact) -> Result<(), E>) -> Result<(), E> {
        fabc_emit::each_artifact(&self.compiled, &self.normal_form, &self.settings, take)
    }
    /// The files of one format of `fabc build --emit list`; `None` if no format has this name.
    pub fn emit(&self, format: &str) -> Option<Vec<Artifact>> {
        fabc_emit::artifacts_of_format(format, &self.compiled, &self.normal_form)
    }
    /// The report, as a file has it.
    pub fn report(&self) -> String {
        fabc_emit::terminal_report(&self.compiled, Look::FILE)
    }
    /// The normal form of the spec: every file inlined, every parameter in its place.
    pub fn normal_form(&self) -> &str {
        &self.normal_form
    }
    /// What the spec declares and does not need.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// All that was found: topology, flow, tables and proofs of every scenario.
    pub fn parts(&self) -> &compiled::Compiled {
        &self.compiled
    }
}

/// A spec in which nothing is wrong, as far as can be told before a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The name of the fabric.
    pub name: String,
    /// The normal form of the spec: every file inlined, every parameter in its place.
    pub normal_form: String,
    /// Of a network that is too large to be built: what formulas and a sample say of it.
    pub described: Option<String>,
    /// What the spec declares and does not need.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no result, or none that keeps its contract. Printed (`{}`), it is what the command line
/// shows.
pub struct Diagnostics {
    all: Vec<Box<dyn miette::Diagnostic + Send + Sync>>,
    sources: SourceMap,
    exit_code: u8,
    built: Option<Box<Compiled>>,
}

impl Diagnostics {
    pub(super) fn of(failure: Failure, sources: SourceMap) -> Self {
        Diagnostics { exit_code: failure.exit_code(), all: failure.diagnostics(), sources, built: None }
    }

    pub(super) fn with(mut self, built: Compiled) -> Self {
        self.built = Some(Box::new(built));
        self
    }

    /// All of them as data, in the order of the source.
    pub fn list(&self) -> Vec<Diagnostic> {
        self.all.iter().map(|one| Diagnostic::of(&**one, &self.sources)).collect()
    }
    /// What the command line shows of them, in one of its forms.
    pub fn shown(&self, format: MessageFormat) -> String {
        let texts = shown(&self.all, &self.sources, format).into_iter();
        texts.map(|text| if text.ends_with('\n') { text } else { text + "\n" }).collect()
    }
    /// What the command line would end with: 1 the spec has errors, 3 what it asks for does not hold, 4 a bug
    /// of fabc.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
    /// The fabric that was found, where all that is wrong is that it does not keep its contract.
    pub fn built(&self) -> Option<&Compiled> {
        self.built.as_deref()
    }
    /// The same, to keep.
    pub fn into_built(self) -> Option<Compiled> {
        self.built.map(|built| *built)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown(MessageFormat::Human).trim_end())
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown(MessageFormat::Short).trim_end())
    }
}

impl std::error::Error for Diagnostics {}

/// One thing that is wrong, or most likely not meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// `FAB0101`, for `fabc explain`.
    pub code: String,
    /// `error`, `warning` or `advice`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What can be done.
    pub help: Option<String>,
    /// Where, the main place first.
    pub places: Vec<Place>,
}

/// A place in a file of a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of the file, as the spec or the caller has it.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Bytes of the file.
    pub bytes: std::ops::Range<usize>,
    /// What is said there.
    pub text: Option<String>,
}

impl Diagnostic {
    pub(super) fn of(diagnostic: &dyn miette::Diagnostic, sources: &SourceMap) -> Self {
        let mut labels: Vec<LabeledSpan> = diagnostic.labels().into_iter().flatten().collect();
        if let Some(at) = labels.iter().position(LabeledSpan::primary) {
            labels[..=at].rotate_right(1);
        }
        let place = |label: &LabeledSpan| {
            let span = Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 };
            let ((file, line, column), (_, _, base)) =
                (sources.position(span.start)?, sources.file(span.start)?);
            let bytes = (span.start - base) as usize..(span.end - base) as usize;
            Some(Place { file: file.to_owned(), line, column, bytes, text: label.label().map(str::to_owned) })
        };
        Diagnostic {
            code: diagnostic.code().map(|code| code.to_string()).unwrap_or_default(),
            severity: severity(diagnostic),
            message: diagnostic.to_string(),
            help: diagnostic.help().map(|help| help.to_string()),
            places: labels.iter().filter_map(place).collect(),
        }
    }
}
