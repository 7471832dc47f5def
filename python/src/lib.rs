//! What `fabc/__init__.py` stands on: builds and checks, their files as bytes, tables and links as columns.
//!
//! Arrays cross as bytes of little 32-bit integers, which numpy takes without copying. `watched` is how a
//! build is interrupted, and `command_line` runs a command as the binary does.

mod watched;

use fabc::diag::explain;
use fabc::ids::{Id, NodeId};
use fabc::ir::{ForwardingTables, LinkClass, Topology};
use fabc::model::Fabric;
use fabc::progress::{Progress, Silent};
use fabc::{Compiled, Diagnostic, Diagnostics, Directory, OpenedBuild, Options, TablesForm};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A compiled fabric.
#[pyclass(frozen)]
struct Built {
    compiled: Compiled,
}

/// What went wrong: the text for people, the exit code, and each diagnostic as a dictionary.
struct Wrong {
    text: String,
    exit_code: u8,
    list: Vec<Diagnostic>,
}

impl Wrong {
    fn of(diagnostics: &Diagnostics) -> Self {
        Wrong { text: diagnostics.to_string(), exit_code: diagnostics.exit_code(), list: diagnostics.list() }
    }

    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("text", &self.text)?;
        all.set_item("exit_code", self.exit_code)?;
        all.set_item("diagnostics", dictionaries(py, &self.list)?)?;
        Ok(all)
    }
}

fn dictionaries<'py>(py: Python<'py>, list: &[Diagnostic]) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for one in list {
        let places = PyList::empty(py);
        for at in &one.places {
            let place = PyDict::new(py);
            place.set_item("file", &at.file)?;
            place.set_item("line", at.line)?;
            place.set_item("column", at.column)?;
            place.set_item("text", &at.text)?;
            places.append(place)?;
        }
        let each = PyDict::new(py);
        each.set_item("code", &one.code)?;
        each.set_item("severity", one.severity)?;
        each.set_item("message", &one.message)?;
        each.set_item("hint", &one.help)?;
        each.set_item("places", places)?;
        all.append(each)?;
    }
    Ok(all)
}

/// What is asked, kept apart from Python's values: a build runs without its lock.
struct Asked {
    text: String,
    name: String,
    directory: String,
    settings: Vec<(String, String)>,
    tables: TablesForm,
}

impl Asked {
    fn with<T>(&self, progress: &dyn Progress, run: impl FnOnce(&str, &Options<'_>) -> T) -> T {
        let files = Directory::new(&self.directory);
        let mut options =
            Options::default().named(&self.name).files(&files).tables(self.tables).progress(progress);
        for (name, value) in &self.settings {
            options = options.set(name, value);
        }
        run(&self.text, &options)
    }
}

/// Compiles a spec; returns a `Built` or `None`, and what is wrong or `None`.
#[pyfunction]
fn build<'py>(
    py: Python<'py>,
    text: String,
    name: String,
    directory: String,
    settings: Vec<(String, String)>,
    tables: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<Built>, Option<Bound<'py, PyDict>>)> {
    let tables = match tables {
        "auto" => TablesForm::Auto,
        "json" => TablesForm::Json,
        "binary" => TablesForm::Binary,
        other => {
            return Err(PyValueError::new_err(format!(
                "tables is 'auto', 'json' or 'binary', not {other:?}"
            )));
        }
    };
    let asked = Asked { text, name, directory, settings, tables };
    match watched::run(py, progress, |watch| asked.with(watch, fabc::build))? {
        Ok(compiled) => Ok((Some(Built { compiled }), None)),
        Err(diagnostics) => {
            let wrong = Wrong::of(&diagnostics).dictionary(py)?;
            Ok((diagnostics.into_built().map(|compiled| Built { compiled }), Some(wrong)))
        }
    }
}

/// A dictionary, or `None` for Python.
type MaybeDict<'py> = Option<Bound<'py, PyDict>>;

/// Checks a spec; returns its normal form and warnings, and what is wrong or `None`.
#[pyfunction]
fn check<'py>(
    py: Python<'py>,
    text: String,
    name: String,
    directory: String,
    settings: Vec<(String, String)>,
) -> PyResult<(MaybeDict<'py>, MaybeDict<'py>)> {
    let asked = Asked { text, name, directory, settings, tables: TablesForm::Auto };
    match py.detach(|| asked.with(&Silent, fabc::check)) {
        Ok(checked) => {
            let all = PyDict::new(py);
            all.set_item("name", checked.name)?;
            all.set_item("normal_form", checked.normal_form)?;
            all.set_item("described", checked.described)?;
            all.set_item("warnings", dictionaries(py, &checked.warnings)?)?;
            Ok((Some(all), None))
        }
        Err(diagnostics) => Ok((None, Some(Wrong::of(&diagnostics).dictionary(py)?))),
    }
}

/// What an error code, a word of the language, a metric or a field of `report.json` means; `None` if there is
/// no such word.
#[pyfunction]
fn explained(word: &str) -> Option<String> {
    if let Some(doc) = explain(word) {
        return Some(format!("{}\n\n{}", doc.title, doc.text.trim()));
    }
    let meanings = fabc::lsp::explain_word(word);
    let mut lines: Vec<String> =
        meanings.iter().map(|one| format!("{word} ({}): {}", one.kind, one.meaning)).collect();
    if lines.is_empty() {
        let fields = fabc::emit::find_report_fields(word);
        lines.extend(
            fields.iter().map(|field| format!("{} (field of report.json): {}", field.path, field.meaning)),
        );
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Runs a command as the binary does, and returns its exit code. `program` runs further commands, for those
/// that start processes.
#[pyfunction]
#[pyo3(signature = (words, program = None))]
fn command_line(py: Python<'_>, words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    let words = std::iter::once(OsString::from("fabc")).chain(words).collect();
    py.detach(|| fabc::run_words(words, program))
}

/// A directory that was opened.
#[pyclass(frozen)]
struct Opened {
    opened: OpenedBuild,
}

/// Opens a directory; returns it or `None`, and what is wrong or `None`.
#[pyfunction]
fn open<'py>(py: Python<'py>, directory: &str) -> PyResult<(Option<Opened>, Option<Bound<'py, PyDict>>)> {
    match py.detach(|| OpenedBuild::read(Path::new(directory))) {
        Ok(opened) => Ok((Some(Opened { opened }), None)),
        Err(diagnostics) => Ok((None, Some(Wrong::of(&diagnostics).dictionary(py)?))),
    }
}

impl Opened {
    fn topology(&self) -> PyResult<&Topology> {
        let sliced = "a pod in slices has no topology of its own: load one of its kinds, `slices/KIND`";
        self.opened.topology().ok_or_else(|| PyValueError::new_err(sliced))
    }
}

#[pymethods]
impl Opened {
    #[getter]
    fn name(&self) -> &str {
        &self.opened.fabric().name
    }
    #[getter]
    fn normal_form(&self) -> &str {
        self.opened.normal_form()
    }
    #[getter]
    fn scenarios(&self) -> Vec<String> {
        self.opened.scenarios().unwrap_or_default()
    }
    /// The metrics that a report tells, by the names that tables of sweeps have for them.
    #[staticmethod]
    fn metrics(report: &[u8]) -> PyResult<Vec<(String, f64)>> {
        let damaged = |error: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("`report.json` is damaged: {error}"))
        };
        let report = serde_json::from_slice(report).map_err(|error| damaged(&error))?;
        let metrics = fabc::operate::reported_metrics(&report).into_iter();
        metrics.map(|(name, text)| Ok((name, text.parse().map_err(|error| damaged(&error))?))).collect()
    }
    fn nodes(&self) -> PyResult<Vec<(String, u16, usize)>> {
        self.topology().map(nodes_of)
    }
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.topology().map(|topology| links_of(py, topology))
    }
    fn link_types(&self) -> Vec<(&str, u64, u32)> {
        link_types_of(self.opened.fabric())
    }

    /// The tables of a scenario as bytes with their rule, or `None` and what is wrong.
    #[expect(clippy::type_complexity, reason = "the stub file names both parts")]
    fn tables<'py>(
        &self,
        py: Python<'py>,
        scenario: &str,
    ) -> PyResult<(Option<(Bound<'py, PyBytes>, Option<&'static str>)>, Option<Bound<'py, PyDict>>)> {
        let count = self.topology()?.node_count();
        match py.detach(|| self.opened.tables(scenario)) {
            Ok(tables) => Ok((Some(entries_of(py, &tables, count)), None)),
            Err(diagnostics) => Ok((None, Some(Wrong::of(&diagnostics).dictionary(py)?))),
        }
    }
}

/// Name, hosts and block of every router.
fn nodes_of(topology: &Topology) -> Vec<(String, u16, usize)> {
    let block = topology.symmetry().block_size();
    topology.nodes().map(|node| (topology.name(node), topology.hosts(node), node.index() / block)).collect()
}

/// Name, bit/s and cycles of every declared link type.
fn link_types_of(fabric: &Fabric) -> Vec<(&str, u64, u32)> {
    let types = fabric.link_types.iter();
    types.map(|link| (link.name.as_str(), link.bandwidth_bps, link.latency_cycles)).collect()
}

/// Numbers as bytes.
fn bytes<'py>(py: Python<'py>, numbers: impl Iterator<Item = i32>) -> Bound<'py, PyBytes> {
    let all: Vec<u8> = numbers.flat_map(i32::to_le_bytes).collect();
    PyBytes::new(py, &all)
}

#[pymethods]
impl Built {
    #[getter]
    fn name(&self) -> &str {
        self.compiled.name()
    }
    #[getter]
    fn normal_form(&self) -> &str {
        self.compiled.normal_form()
    }
    #[getter]
    fn report(&self) -> String {
        self.compiled.report()
    }
    #[getter]
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        self.compiled.metrics().into_iter().try_for_each(|(name, value)| all.set_item(name, value))?;
        Ok(all)
    }
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        dictionaries(py, self.compiled.warnings())
    }
    #[getter]
    fn scenarios(&self) -> Vec<&str> {
        self.compiled.parts().scenarios.iter().map(|one| one.scenario.name.as_str()).collect()
    }

    /// Hands over every file that `fabc build` writes, one at a time.
    fn each_artifact(&self, py: Python<'_>, take: Bound<'_, PyAny>) -> PyResult<()> {
        self.compiled.each_artifact(&mut |artifact| {
            take.call1((artifact.path, PyBytes::new(py, &artifact.bytes))).map(|_| ())
        })
    }

    /// The files of one format; `None` if no format has this name.
    fn emit<'py>(&self, py: Python<'py>, format: &str) -> Option<Vec<(String, Bound<'py, PyBytes>)>> {
        let files = self.compiled.emit(format)?;
        Some(files.into_iter().map(|file| (file.path, PyBytes::new(py, &file.bytes))).collect())
    }

    /// Name, hosts and block of every router.
    fn nodes(&self) -> Vec<(String, u16, usize)> {
        nodes_of(&self.compiled.parts().topology)
    }

    /// Of every link: see [`links_of`].
    fn links<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        links_of(py, &self.compiled.parts().topology)
    }

    /// Name, bit/s and cycles of every declared link type.
    fn link_types(&self) -> Vec<(&str, u64, u32)> {
        link_types_of(&self.compiled.parts().fabric)
    }

    /// Of every table entry of every router: router, destination, port and channel it came in by, port and
    /// channel it leaves by; and the rule by which virtual channels are counted, if they are not listed.
    fn tables<'py>(
        &self,
        py: Python<'py>,
        scenario: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<&'static str>)> {
        let parts = self.compiled.parts();
        let Some(found) = parts.scenarios.iter().find(|one| one.scenario.name == scenario) else {
            return Err(PyKeyError::new_err(format!(
                "there is no scenario {scenario:?}: see Build.scenarios"
            )));
        };
        let Some(routed) = &found.routed else {
            return Err(PyValueError::new_err(match found.sprayed {
                Some(_) => {
                    "an entry has several ports here, any of which is taken: see the artifact tables/nominal.json"
                }
                None => "vectors are scheduled here, there are no tables: see the artifact schedule.json",
            }));
        };
        Ok(entries_of(py, &routed.tables.unpacked(), parts.topology.node_count()))
    }
}

/// Of every link: both ends with their ports, whether it is global, its type, whether it is one channel, its
/// length in 0.1 m.
fn links_of<'py>(py: Python<'py>, topology: &Topology) -> Bound<'py, PyBytes> {
    bytes(
        py,
        topology.links().enumerate().flat_map(|(id, link)| {
            let [a, b] = [link.a, link.b].map(|end| [end.node.0 as i32, end.port.index() as i32]);
            let global = i32::from(link.class == LinkClass::Global);
            let what =
                [global, link.link_type.index() as i32, i32::from(link.simplex), topology.length(id) as i32];
            a.into_iter().chain(b).chain(what).collect::<Vec<_>>()
        }),
    )
}

/// The entries of all routers as rows of six integers, and the rule by which virtual channels are counted, if
/// they are not listed.
fn entries_of<'py>(
    py: Python<'py>,
    tables: &ForwardingTables,
    routers: usize,
) -> (Bound<'py, PyBytes>, Option<&'static str>) {
    let count = tables.key.count().map(|count| match count {
        fabc::model::VcCount::Hops => "hop",
        fabc::model::VcCount::GlobalHops => "global",
    });
    let rows = (0..routers).map(NodeId::new).flat_map(|node| {
        let entries = tables.router(node).into_iter();
        entries.flat_map(move |entry| {
            let out_vc = if count.is_some() { -1 } else { i32::from(entry.out_vc) };
            let input = [i32::from(entry.in_port), i32::from(entry.in_vc)];
            [node.0 as i32, entry.dst.0 as i32, input[0], input[1], i32::from(entry.out_port), out_vc]
        })
    });
    (bytes(py, rows), count)
}

#[pymodule]
fn _fabc(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Built>()?;
    module.add_class::<Opened>()?;
    module.add_function(wrap_pyfunction!(build, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(explained, module)?)?;
    module.add_function(wrap_pyfunction!(open, module)?)?;
    module.add_function(wrap_pyfunction!(command_line, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
