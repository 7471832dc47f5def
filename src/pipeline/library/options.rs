//! The options of a build or a check.

use fabc_base::progress::{Progress, Silent};
use fabc_lang::syntax::{Loader, join};

/// The options of a build or a check, besides the spec itself.
///
/// Files that a spec names (`use`, `graph`, `matrix`, ..) come through [`Options::files`]. Without it there
/// are no files.
///
/// ```
/// # use fabc_pipeline::library as fabc;
/// let links = "link cable { bandwidth = 100 Gbps; latency = 20 ns; }";
/// let spec = "fabric small {
///     use \"parts/links.fab\";
///     param side = 4 in 2..=16;
///     clock = 1 GHz;
///     router { radix = 5; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }
///     budget { vcs = 2; }
///     topology = torus side x side;
///     routing = dimension_order;
/// }";
/// let files = |path: &str| match path {
///     "parts/links.fab" => Ok(links.to_owned()),
///     _ => Err("there is none".to_owned()),
/// };
/// let options = fabc::Options::default().files(&files).set("side", "6");
/// let compiled = fabc::build(spec, &options)?;
/// assert_eq!(compiled.metrics()["routers"], 36.0);
/// # Ok::<(), fabc::Diagnostics>(())
/// ```
pub struct Options<'a> {
    pub(super) name: String,
    files: &'a dyn Loader,
    pub(super) settings: Vec<String>,
    pub(super) tables: TablesForm,
    pub(super) progress: &'a dyn Progress,
}

/// The form in which forwarding tables are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TablesForm {
    /// Whichever form fits their size.
    #[default]
    Auto,
    /// JSON, in the format `fabc.tables/1`.
    Json,
    /// Binary, fabc.tables.bin/1, about a byte per entry.
    Binary,
}

/// A loader without any files.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: u64) -> Result<String, String> {
        Err("no files were given with the spec".to_owned())
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            name: "spec.fab".to_owned(),
            files: &NoFiles,
            settings: Vec::new(),
            tables: TablesForm::Auto,
            progress: &Silent,
        }
    }
}

impl<'a> Options<'a> {
    /// Sets the name of the spec in messages, `spec.fab` by default. Relative paths in the spec start at its
    /// folder.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }
    /// Sets the source of the files that the spec names: a function from paths to texts, or
    /// `fabc::Directory`.
    pub fn files(mut self, files: &'a dyn Loader) -> Self {
        self.files = files;
        self
    }
    /// Sets the value of a `param`, as `--set name=value` does.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push(format!("{name}={value}"));
        self
    }
    /// Sets the form of the tables among the artifacts.
    pub fn tables(mut self, form: TablesForm) -> Self {
        self.tables = form;
        self
    }
    /// Sets the observer of a long build.
    pub fn progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// A loader for the spec under its name, and for the files of the caller under theirs.
    pub(super) fn loader<'s>(&'s self, spec: &'s str) -> impl Loader + 's {
        SpecAndFiles { name: join("", &self.name), spec, files: self.files }
    }
}

struct SpecAndFiles<'a> {
    name: String,
    spec: &'a str,
    files: &'a dyn Loader,
}

impl Loader for SpecAndFiles<'_> {
    fn load(&self, path: &str, most: u64) -> Result<String, String> {
        if path != self.name {
            return self.files.load(path, most);
        }
        let spec_text = |_: &str| Ok(self.spec.to_owned());
        spec_text.load(path, most)
    }

    fn load_bytes(&self, path: &str, most: u64) -> Result<Vec<u8>, String> {
        self.files.load_bytes(path, most)
    }

    fn identity(&self, path: &str) -> String {
        self.files.identity(path)
    }
}
