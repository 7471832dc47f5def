//! The results of a build or a check. Each value holds everything that is known about it.

use crate::show::{MessageFormat, severity, shown};
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_emit::compiled;
use fabc_emit::{Artifact, Look};
use fabc_model::Metric;
use miette::LabeledSpan;
use std::collections::BTreeMap;
use std::fmt;

/// A compiled and proved fabric that keeps its contract, unless it comes from [`Diagnostics::built`].
#[derive(Debug)]
pub struct Compiled {
    compiled: compiled::CompiledFabric,
    normal_form: String,
    /// The options that the manifest records.
    settings: Vec<(String, String)>,
    warnings: Vec<Diagnostic>,
}

impl Compiled {
    pub(super) fn new(
        compiled: compiled::CompiledFabric,
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
    /// The metrics of the healthy fabric, by the names and in the units of `require`. Metrics that were not
    /// measured are absent. For an interval, the value is its proved end: `concurrent_flow` can be reached.
    pub fn metrics(&self) -> BTreeMap<&'static str, f64> {
        let compiled::CompiledFabric { scenarios, network, cables, hardware, .. } = &self.compiled;
        let value = |metric: Metric| match metric {
            Metric::Graph(metric) => network.as_ref()?.value(metric),
            Metric::Hardware(metric) => hardware.value(metric),
            Metric::Floor(metric) => cables.as_ref().map(|cables| cables.value(metric)),
            metric => scenarios.first()?.metrics.value(metric),
        };
        Metric::every().filter_map(|metric| Some((metric.name(), value(metric)?.as_f64()))).collect()
    }
    /// Every file that `fabc build` writes, with the same bytes. The files are sorted by path, with the
    /// manifest last.
    pub fn artifacts(&self) -> Vec<Artifact> {
        fabc_emit::artifacts(&self.compiled, &self.normal_form, &self.settings)
    }
    /// Passes the same files to `take` one at a time, since those of a large fabric need not fit into memory
    /// together.
    ///
    /// # Errors
    /// The first error that `take` returns.
    pub fn each_artifact<E>(&self, take: &mut dyn FnMut(Artifact) -> Result<(), E>) -> Result<(), E> {
        fabc_emit::each_artifact(&self.compiled, &self.normal_form, &self.settings, take)
    }
    /// The files of one format of `fabc build --emit list`; `None` if no format has this name.
    pub fn emit(&self, format: &str) -> Option<Vec<Artifact>> {
        fabc_emit::artifacts_of_format(format, &self.compiled, &self.normal_form)
    }
    /// The text of the report, as a file has it.
    pub fn report(&self) -> String {
        fabc_emit::terminal_report(&self.compiled, Look::FILE)
    }
    /// The normal form of the spec: every file inlined, every parameter in its place.
    pub fn normal_form(&self) -> &str {
        &self.normal_form
    }
    /// Warnings about declarations that the spec does not need.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
    /// The whole result: topology, flow, tables and proofs of every scenario.
    pub fn parts(&self) -> &compiled::CompiledFabric {
        &self.compiled
    }
}

/// A spec without errors, as far as they can be found before a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The name of the fabric.
    pub name: String,
    /// The normal form of the spec: every file inlined, every parameter in its place.
    pub normal_form: String,
    /// For a network that is too large to be built: the description by formulas and a sample.
    pub described: Option<String>,
    /// Warnings about declarations that the spec does not need.
    pub warnings: Vec<Diagnostic>,
}

/// The reasons why there is no result, or none that keeps its contract. Its `Display` text is what the
/// command line shows.
pub struct Diagnostics {
    all: Vec<Box<dyn miette::Diagnostic + Send + Sync>>,
    sources: SourceMap,
    exit_code: u8,
    built: Option<Box<Compiled>>,
}

impl Diagnostics {
    /// Diagnostics of another operation on a fabric, with the files that they point into.
    pub fn new(
        all: Vec<Box<dyn miette::Diagnostic + Send + Sync>>,
        sources: SourceMap,
        exit_code: u8,
    ) -> Self {
        Diagnostics { all, sources, exit_code, built: None }
    }

    pub(super) fn from_failure(failure: Failure, sources: SourceMap) -> Self {
        Diagnostics { exit_code: failure.exit_code(), all: failure.diagnostics(), sources, built: None }
    }

    pub(super) fn with(mut self, built: Compiled) -> Self {
        self.built = Some(Box::new(built));
        self
    }

    /// All diagnostics as data, in the order of the source.
    pub fn list(&self) -> Vec<Diagnostic> {
        self.all.iter().map(|diagnostic| Diagnostic::from_miette(&**diagnostic, &self.sources)).collect()
    }
    /// The text that the command line shows, in one of its forms.
    pub fn shown(&self, format: MessageFormat) -> String {
        let texts = shown(&self.all, &self.sources, format).into_iter();
        texts.map(|text| if text.ends_with('\n') { text } else { text + "\n" }).collect()
    }
    /// The exit code of the command line: 1 if the spec has errors, 3 if its demands do not hold, 4 for a bug
    /// of fabc.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
    /// The compiled fabric, if the only error is that it does not keep its contract.
    pub fn built(&self) -> Option<&Compiled> {
        self.built.as_deref()
    }
    /// The same as [`Diagnostics::built`], by value.
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

/// An error, a warning or an advice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The code, such as `FAB0101`, for `fabc explain`.
    pub code: String,
    /// The severity, which is `error`, `warning` or `advice`.
    pub severity: &'static str,
    /// The message in one sentence.
    pub message: String,
    /// A hint at what the user can do.
    pub help: Option<String>,
    /// The places in the source, the main place first.
    pub places: Vec<Place>,
}

/// A place in a file of a spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of the file, as the spec or the caller has it.
    pub file: String,
    /// The line within the file, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The range of bytes in the file.
    pub bytes: std::ops::Range<usize>,
    /// The text at this place.
    pub text: Option<String>,
}

impl Diagnostic {
    pub(super) fn from_miette(diagnostic: &dyn miette::Diagnostic, sources: &SourceMap) -> Self {
        let mut labels: Vec<LabeledSpan> = diagnostic.labels().into_iter().flatten().collect();
        if let Some(index) = labels.iter().position(LabeledSpan::primary) {
            labels[..=index].rotate_right(1);
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
