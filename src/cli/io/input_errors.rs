//! Errors in the words of a command line: options, and files and directories in each other's place.

use crate::io::declared_name::declared_name;
use fabc_base::limits::SPEC_BYTES;
use miette::Diagnostic;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An error of the command line.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum InputError {
    /// A directory where a spec is expected.
    #[error("cannot read `{path}`: it is a directory, not a regular file")]
    #[diagnostic(code(FAB0501), help("{hint}"))]
    NoSpec { path: String, hint: String },
    /// A file or other directory where a built directory is expected.
    #[error("`{path}` is not a directory that `fabc build` wrote: {reason}")]
    #[diagnostic(code(FAB0510), help("{hint}"))]
    NoDirectory { path: String, reason: String, hint: String },
    /// Options that do not exist, or cannot be combined.
    #[error("{problem}")]
    #[diagnostic(code(FAB0548), help("{hint}"))]
    Usage { problem: String, hint: String },
}

impl InputError {
    /// Converts a message of clap without colors. The first paragraph is the error, and the rest its help.
    pub(crate) fn usage(text: &str) -> Self {
        let (problem, rest) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest =
            rest.split("\n\n").map(words).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let hint =
            if rest.is_empty() { "`fabc --help` lists all commands and options".to_owned() } else { rest };
        Self::Usage { problem: words(problem.strip_prefix("error: ").unwrap_or(problem)), hint }
    }
}

/// The error for what takes many cores for minutes, and is left out of the module for browsers.
pub(crate) fn not_in_a_browser(what: &str) -> InputError {
    InputError::Usage {
        problem: format!("{what} is not in the playground"),
        hint: "it plays many years on all cores: run it on a machine of your own".to_owned(),
    }
}

/// Refuses a directory where a spec is expected.
///
/// # Errors
/// [`InputError::NoSpec`]. The hint names the spec in the directory, if there is one.
pub(crate) fn needs_spec(path: &str) -> Result<(), InputError> {
    let directory = Path::new(path);
    if !directory.is_dir() {
        return Ok(());
    }
    let spec = directory.join("spec.fab");
    let hint = match specs_in(directory).first() {
        _ if spec.is_file() => format!("it is a built directory; its spec is `{}`", display(&spec)),
        Some(first) => format!("name the file, such as `{}`", display(first)),
        None => "name a file, such as `pod.fab`".to_owned(),
    };
    Err(InputError::NoSpec { path: path.to_owned(), hint })
}

/// Refuses a spec, or a parent of built directories, where a built directory is expected.
///
/// # Errors
/// [`InputError::NoDirectory`] if it is a file, does not exist, or only holds built directories.
pub(crate) fn needs_directory(directory: &Path) -> Result<(), InputError> {
    let path = display(directory);
    if directory.is_file() {
        let hint = match directory.extension().is_some_and(|end| end == "fab") {
            true => build_hint(directory),
            false => format!(
                "name the directory of the fabric, such as `{}`",
                display(directory.parent().unwrap_or(directory))
            ),
        };
        return Err(InputError::NoDirectory { path, reason: "it is a file".to_owned(), hint });
    }
    if !directory.exists() {
        let hint = "check the path; `fabc build pod.fab` writes `out/pod`".to_owned();
        return Err(InputError::NoDirectory { path, reason: "it does not exist".to_owned(), hint });
    }
    let built = |path: &PathBuf| path.join("manifest.json").is_file() && path.join("spec.fab").is_file();
    if !directory.join("spec.fab").is_file()
        && let Some(below) = entries(directory).into_iter().find(built)
    {
        let hint = format!("name the directory of one fabric, such as `{}`", display(&below));
        return Err(InputError::NoDirectory { path, reason: "it holds such directories".to_owned(), hint });
    }
    Ok(())
}

/// The command that builds a spec, and the directory that it writes.
fn build_hint(spec: &Path) -> String {
    let path = display(spec);
    let short = std::fs::metadata(spec).is_ok_and(|file| file.len() <= SPEC_BYTES as u64);
    let text = if short { std::fs::read_to_string(spec).unwrap_or_default() } else { String::new() };
    match declared_name(&path, &text) {
        Some(name) => format!("`fabc build {path}` writes `out/{name}`: name that directory"),
        None => format!("mend it first: `fabc check {path}` says what is wrong with it"),
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

fn specs_in(directory: &Path) -> Vec<PathBuf> {
    entries(directory).into_iter().filter(|path| path.extension().is_some_and(|end| end == "fab")).collect()
}

/// The entries of a directory, sorted.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
