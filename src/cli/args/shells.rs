//! Shell completions and man pages.
//!
//! Input: the command line as clap knows it. Output: a script that makes a shell ask fabc for completions,
//! the answers to such questions, and a man page per command. Invariant: everything is derived from the
//! options, so nothing has to be kept in step.

use crate::args::help::for_manual;
use crate::args::options::CommandLine;
use crate::io::errors::DriverError;
use crate::io::read::{display, error_words};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, write_out};
use crate::io::write;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use clap_mangen::Man;
use std::path::Path;

/// The environment variable that holds the name of the shell when it asks for completions.
const VARIABLE: &str = "FABC_COMPLETE";

/// Answers a shell that asks for completions. Returns whether one asked.
///
/// # Errors
/// The error of clap if the shell is unknown or its question is malformed.
pub(crate) fn answer_completion() -> clap::error::Result<bool> {
    let directory = std::env::current_dir().ok();
    CompleteEnv::with_factory(CommandLine::command)
        .var(VARIABLE)
        .try_complete(std::env::args_os(), directory.as_deref())
}

/// Prints the script that makes a shell ask fabc for completions.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn print_script(shell: Shell) -> Result<(), Stop> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        let written = completer.write_registration(VARIABLE, "fabc", "fabc", "fabc", &mut script);
        written.map_err(|error| DriverError::Stdout { reason: error_words(&error) })?;
    }
    write_out(&script)?;
    Ok(())
}

/// Writes a man page of every command.
///
/// # Errors
/// `DriverError::Unwritable` if the directory or a page cannot be written.
pub(crate) fn write_man_pages(directory: &Path, terminal: Terminal) -> Result<(), Stop> {
    let unwritable = |error: std::io::Error| DriverError::Unwritable {
        path: display(directory),
        reason: error_words(&error),
    };
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    let mut root_command = for_manual().disable_help_subcommand(true);
    root_command.build();
    let mut open = vec![root_command];
    let mut count = 0;
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|below| !below.is_hide_set()).cloned());
        let (name, page) = man_page(command).map_err(unwritable)?;
        write::write_file(&directory.join(name), &page)?;
        count += 1;
    }
    terminal.say(&format!("wrote {count} pages to {}", display(directory)))?;
    Ok(())
}

/// The file name of a man page, and its text.
fn man_page(command: Command) -> std::io::Result<(String, Vec<u8>)> {
    let man = Man::new(command).manual("fabc");
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), text))
}
