//! What shells and readers of manuals want: completions, and man pages.
//!
//! Comes in: the command line as clap knows it. Goes out: a script that makes a shell ask fabc while one
//! types, the answers, and a page for every command. Invariant: all of it follows from the options, so that
//! nothing has to be kept in step.

use crate::args::options::Options;
use crate::io::errors::{DriverError, Stop};
use crate::io::read::{display, plain};
use crate::io::terminal::{Terminal, write_out};
use crate::io::write;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use clap_mangen::Man;
use std::path::Path;

/// A shell sets it to its name where it asks for completions.
const VARIABLE: &str = "FABC_COMPLETE";

/// Answers a shell that asks what may come next; whether one did.
///
/// # Errors
/// There is no such shell, or its question is none.
pub(crate) fn completed() -> clap::error::Result<bool> {
    let here = std::env::current_dir().ok();
    CompleteEnv::with_factory(Options::command)
        .var(VARIABLE)
        .try_complete(std::env::args_os(), here.as_deref())
}

/// Prints the script that makes a shell ask.
///
/// # Errors
/// It cannot be printed.
pub(crate) fn script(shell: Shell) -> Result<(), Stop> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        let written = completer.write_registration(VARIABLE, "fabc", "fabc", "fabc", &mut script);
        written.map_err(|error| DriverError::Stdout { reason: plain(&error) })?;
    }
    write_out(&script)?;
    Ok(())
}

/// Writes a man page of every command.
///
/// # Errors
/// The disk does not let us.
pub(crate) fn pages(directory: &Path, terminal: Terminal) -> Result<(), Stop> {
    let unwritable =
        |error: std::io::Error| DriverError::Unwritable { path: display(directory), reason: plain(&error) };
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    let mut all = Options::command().disable_help_subcommand(true);
    all.build();
    let mut open = vec![all];
    let mut count = 0;
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|below| !below.is_hide_set()).cloned());
        let (name, page) = page(command).map_err(unwritable)?;
        write::write(&directory.join(name), &page)?;
        count += 1;
    }
    terminal.say(&format!("wrote {count} pages to {}", display(directory)))?;
    Ok(())
}

/// The name of a page, and its text.
fn page(command: Command) -> std::io::Result<(String, Vec<u8>)> {
    let man = Man::new(command).manual("fabc");
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), text))
}
