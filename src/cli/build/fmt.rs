//! `fabc fmt`: the one layout.

use crate::args::options::FmtArgs;
use crate::io::errors::{DriverError, Stop};
use crate::io::read;
use crate::io::terminal::{Terminal, write_out};
use crate::io::write;
use fabc_base::diag::Failure;
use fabc_lang::syntax;
use std::path::Path;

/// `fabc fmt`. Every spec is looked at, also after one with errors.
///
/// # Errors
/// A spec has syntax errors or cannot be written; with `--check`, a spec is not laid out.
pub(crate) fn fmt(args: &FmtArgs, terminal: Terminal) -> Result<(), Stop> {
    let mut exit_code = 0;
    for spec in &args.specs {
        if let Err(stop) = one(spec, args.check, terminal) {
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

fn one(path: &str, check: bool, terminal: Terminal) -> Result<(), Stop> {
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
        write::take_away_leftovers(Path::new(path));
        write::write(Path::new(path), formatted.as_bytes())?;
        terminal.detail(&format!("formatted {path}"));
    }
    Ok(())
}
