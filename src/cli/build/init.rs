//! `fabc init`: writes a new spec from a template.

use crate::args::options::{InitArgs, Template};
use crate::io::errors::DriverError;
use crate::io::read::error_words;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::io::write;
use std::path::Path;

/// `fabc init NAME`: writes `NAME.fab`.
///
/// # Errors
/// `DriverError::BadName` if the name is no identifier, `DriverError::Exists` if the file exists,
/// `DriverError::Unwritable` if it cannot be written.
pub(crate) fn init(args: &InitArgs, terminal: Terminal) -> Result<(), Stop> {
    let name = &args.name;
    let mut letters = name.chars();
    let starts_well = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(DriverError::BadName { name: name.clone() }.into());
    }
    let path = format!("{name}.fab");
    // The file is created empty first, so that nobody else can take the name.
    std::fs::File::create_new(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => DriverError::Exists { path: path.clone() },
        _ => DriverError::Unwritable { path: path.clone(), reason: error_words(&error) },
    })?;
    if let Err(error) = write::write_file(Path::new(&path), text(args.template, name).as_bytes()) {
        let _ = std::fs::remove_file(&path);
        return Err(error.into());
    }
    terminal.say(&format!("wrote {path}; next: fabc build {path}"))?;
    Ok(())
}

/// The text of a template with the name of the fabric. Each template is a valid spec, formatted as by `fabc
/// fmt`.
fn text(template: Template, name: &str) -> String {
    let text = match template {
        Template::TpuV4 => include_str!("templates/tpu_v4.fab"),
        Template::Torus => include_str!("templates/torus.fab"),
        Template::SingleCube => include_str!("templates/single_cube.fab"),
    };
    text.replacen("fabric my_pod", &format!("fabric {name}"), 1)
}
