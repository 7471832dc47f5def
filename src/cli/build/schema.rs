//! `fabc schema`: the JSON Schemas of the artifacts.

use crate::io::errors::DriverError;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use fabc_base::diag;
use fabc_emit::{SCHEMAS, Schema};

/// Prints a schema, or one line for every schema.
///
/// # Errors
/// [`DriverError::UnknownSchema`] if there is no schema of this name.
pub(crate) fn schema(name: Option<&str>) -> Result<(), Stop> {
    let Some(name) = name else {
        let width = SCHEMAS.iter().map(|schema| schema.name.len()).max().unwrap_or(0);
        for schema in SCHEMAS {
            print_out(&format!("{:width$}  {}", schema.name, schema.title()))?;
        }
        return Ok(());
    };
    let Some(schema) = Schema::find(name) else {
        let near = diag::closest(name, SCHEMAS.iter().map(|schema| schema.name));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        return Err(DriverError::UnknownSchema {
            name: name.to_owned(),
            hint: format!("{near}`fabc schema` lists all names"),
        }
        .into());
    };
    write_out(schema.text.as_bytes())?;
    Ok(())
}
