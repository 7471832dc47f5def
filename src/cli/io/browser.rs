//! Opens a page in the browser of the user.

use crate::io::errors::DriverError;
use crate::io::read::error_words;
use std::process::{Command, Stdio};

/// Opens a file or an address: by the program that `BROWSER` names, or else by that of the desktop.
///
/// # Errors
/// `DriverError::NoBrowser` if the program cannot be started.
pub(crate) fn open_page(page: &str) -> Result<(), DriverError> {
    let named = std::env::var("BROWSER").ok().filter(|program| !program.is_empty());
    let (program, first): (String, &[&str]) = match named {
        Some(program) => (program, &[]),
        None if cfg!(target_os = "macos") => ("open".to_owned(), &[]),
        None if cfg!(windows) => ("cmd".to_owned(), &["/C", "start", ""]),
        None => ("xdg-open".to_owned(), &[]),
    };
    let started = Command::new(&program)
        .args(first)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(DriverError::NoBrowser { page: page.to_owned(), program, reason: error_words(&error) })
        }
    }
}
