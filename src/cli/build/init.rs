//! `fabc init`: a spec to start from.

use crate::args::options::{InitArgs, Template};
use crate::io::errors::{DriverError, Stop};
use crate::io::read::plain;
use crate::io::terminal::Terminal;
use crate::io::write;
use std::path::Path;

/// `fabc init NAME`: writes `NAME.fab`.
///
/// # Errors
/// The name is none, the file exists, or the disk does not let us.
pub(crate) fn init(args: &InitArgs, terminal: Terminal) -> Result<(), Stop> {
    let name = &args.name;
    let mut letters = name.chars();
    let starts_well = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(DriverError::BadName { name: name.clone() }.into());
    }
    let path = format!("{name}.fab");
    // Made empty first: nobody else can take the name then.
    std::fs::File::create_new(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => DriverError::Exists { path: path.clone() },
        _ => DriverError::Unwritable { path: path.clone(), reason: plain(&error) },
    })?;
    if let Err(error) = write::write(Path::new(&path), text(args.template, name).as_bytes()) {
        let _ = std::fs::remove_file(&path);
        return Err(error.into());
    }
    terminal.say(&format!("wrote {path}; next: fabc build {path}"))?;
    Ok(())
}

/// A template under a name; each is a valid spec of its own, laid out as `fabc fmt` does.
fn text(template: Template, name: &str) -> String {
    let text = match template {
        Template::TpuV4 => include_str!("templates/tpu_v4.fab"),
        Template::Torus => include_str!("templates/torus.fab"),
        Template::SingleCube => include_str!("templates/single_cube.fab"),
    };
    text.replacen("fabric my_pod", &format!("fabric {name}"), 1)
}
