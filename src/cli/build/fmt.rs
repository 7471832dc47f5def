//! `fabc fmt`: formats specs.

use crate::args::options::FmtArgs;
use crate::io::errors::DriverError;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, write_out};
use crate::io::write;
use fabc_base::diag::Failure;
use fabc_lang::syntax;
use std::path::Path;

/// `fabc fmt`: formats every spec, also those after one with errors.
///
/// # Errors
/// A spec has syntax errors or cannot be written. With `--check`, a spec is not formatted. The errors have
/// been shown, and the `Stop` has only the exit code.
pub(crate) fn fmt(args: &FmtArgs, terminal: Terminal) -> Result<(), Stop> {
    let mut exit_code = 0;
    for spec in &args.specs {
        if let Err(stop) = format_one(spec, args.check, terminal) {
            terminal.show(stop.diagnostics, &stop.sources);
            exit_code = exit_code.max(stop.exit_code);
        }
    }
    if exit_code == 0 {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: Default::default(), exit_code })
    }
}

fn format_one(path: &str, check: bool, terminal: Terminal) -> Result<(), Stop> {
    let text = read::spec_text(path)?;
    let name = if path == "-" { read::STDIN } else { path };
    let (parsed, sources) = syntax::parse_file(name, &text);
    let file = parsed.map_err(|errors| (Failure::spec_errors(errors), sources))?;
    let formatted = syntax::print(&file);
    if check {
        return if text == formatted {
            Ok(())
        } else {
            Err(DriverError::NotFormatted { path: path.to_owned() }.into())
        };
    }
    if path == "-" {
        write_out(formatted.as_bytes())?;
    } else if text != formatted {
        write::remove_leftovers(Path::new(path));
        write::write_file(Path::new(path), formatted.as_bytes())?;
        terminal.detail(&format!("formatted {path}"));
    }
    Ok(())
}
