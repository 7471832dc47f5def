//! What is wrong with the words of a command line: options, and files and directories in each other's place.

use miette::Diagnostic;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An error of the command line.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum InputError {
    /// A directory in the place of a spec.
    #[error("cannot read `{path}`: it is a directory, not a regular file")]
    #[diagnostic(code(FAB0501), help("{hint}"))]
    NoSpec {
        /// As given.
        path: String,
        /// Which file is meant.
        hint: String,
    },
    /// Something else in the place of a built directory.
    #[error("`{path}` is not a directory that `fabc build` wrote: {reason}")]
    #[diagnostic(code(FAB0510), help("{hint}"))]
    NoDirectory {
        /// As given.
        path: String,
        /// What it is.
        reason: String,
        /// Which directory is meant.
        hint: String,
    },
    /// Options that do not exist, or do not go together.
    #[error("{what}")]
    #[diagnostic(code(FAB0548), help("{hint}"))]
    Usage {
        /// What is wrong.
        what: String,
        /// How it is written.
        hint: String,
    },
}

impl InputError {
    /// A line of clap, without its colors: the first sentence is the error, the rest its help.
    pub(crate) fn usage(text: &str) -> Self {
        let (what, rest) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest =
            rest.split("\n\n").map(words).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let hint =
            if rest.is_empty() { "`fabc --help` lists all commands and options".to_owned() } else { rest };
        Self::Usage { what: words(what.strip_prefix("error: ").unwrap_or(what)), hint }
    }
}

/// Refuses a directory where a spec is wanted.
///
/// # Errors
/// It is a directory; the hint names the spec in it, if there is one.
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

/// Refuses a spec, or the directory above, where a built directory is wanted.
///
/// # Errors
/// It is a file, is not there, or only holds built directories.
pub(crate) fn needs_directory(directory: &Path) -> Result<(), InputError> {
    let path = display(directory);
    if directory.is_file() {
        let stem = directory.file_stem().unwrap_or_default().to_string_lossy();
        let hint = match directory.extension().is_some_and(|end| end == "fab") {
            true => format!(
                "build it, and name the directory that the build writes: `fabc build {path}`, then for example `out/{stem}`"
            ),
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

fn display(path: &Path) -> String {
    path.display().to_string()
}

fn specs_in(directory: &Path) -> Vec<PathBuf> {
    entries(directory).into_iter().filter(|path| path.extension().is_some_and(|end| end == "fab")).collect()
}

/// What stands in a directory, sorted.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}
