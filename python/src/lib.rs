//! What `fabc/__init__.py` stands on: builds and checks, their files as bytes, tables and links as columns.
//!
//! Arrays cross as bytes of little 32-bit integers, which numpy takes without copying.

use fabc::diag::explain;
use fabc::ids::{Id, NodeId};
use fabc::ir::LinkClass;
use fabc::{Compiled, Diagnostic, Diagnostics, Directory, Options, TablesForm};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

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
    fn with<T>(&self, run: impl FnOnce(&str, &Options<'_>) -> T) -> T {
        let files = Directory::new(&self.directory);
        let mut options = Options::default().named(&self.name).files(&files).tables(self.tables);
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
    match py.detach(|| asked.with(fabc::build)) {
        Ok(compiled) => Ok((Some(Built { compiled }), None)),
        Err(diagnostics) => {
            let wrong = Wrong::of(&diagnostics).dictionary(py)?;
            Ok((diagnostics.into_built().map(|compiled| Built { compiled }), Some(wrong)))
        }
    }
}

/// Checks a spec; returns its normal form and warnings, and what is wrong or `None`.
#[pyfunction]
fn check<'py>(
    py: Python<'py>,
    text: String,
    name: String,
    directory: String,
    settings: Vec<(String, String)>,
) -> PyResult<(Option<Bound<'py, PyDict>>, Option<Bound<'py, PyDict>>)> {
    let asked = Asked { text, name, directory, settings, tables: TablesForm::Auto };
    match py.detach(|| asked.with(fabc::check)) {
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

/// The title and the text of an error code; `None` if there is no such code.
#[pyfunction]
fn explained(code: &str) -> Option<(&'static str, &'static str)> {
    explain(code).map(|doc| (doc.title, doc.text.trim()))
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
        let topology = &self.compiled.parts().topology;
        let block = topology.symmetry().block_size();
        topology
            .nodes()
            .map(|node| (topology.name(node), topology.hosts(node), node.index() / block))
            .collect()
    }

    /// Of every link: both ends with their ports, whether it is global, its type, whether it is one channel,
    /// its length in 0.1 m.
    fn links<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let topology = &self.compiled.parts().topology;
        bytes(
            py,
            topology.links().enumerate().flat_map(|(id, link)| {
                let [a, b] = [link.a, link.b].map(|end| [end.node.0 as i32, end.port.index() as i32]);
                let global = i32::from(link.class == LinkClass::Global);
                let what = [
                    global,
                    link.link_type.index() as i32,
                    i32::from(link.simplex),
                    topology.length(id) as i32,
                ];
                a.into_iter().chain(b).chain(what).collect::<Vec<_>>()
            }),
        )
    }

    /// Name, bit/s and cycles of every declared link type.
    fn link_types(&self) -> Vec<(&str, u64, u32)> {
        let types = self.compiled.parts().fabric.link_types.iter();
        types.map(|link| (link.name.as_str(), link.bandwidth_bps, link.latency_cycles)).collect()
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
        let tables = routed.tables.unpacked();
        let count = tables.key.count().map(|count| match count {
            fabc::model::VcCount::Hops => "hop",
            fabc::model::VcCount::GlobalHops => "global",
        });
        let rows = (0..parts.topology.node_count()).map(NodeId::new).flat_map(|node| {
            let entries = tables.router(node).into_iter();
            entries.flat_map(move |entry| {
                let out_vc = if count.is_some() { -1 } else { i32::from(entry.out_vc) };
                let input = [i32::from(entry.in_port), i32::from(entry.in_vc)];
                [node.0 as i32, entry.dst.0 as i32, input[0], input[1], i32::from(entry.out_port), out_vc]
            })
        });
        Ok((bytes(py, rows), count))
    }
}

#[pymodule]
fn _fabc(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Built>()?;
    module.add_function(wrap_pyfunction!(build, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(explained, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
