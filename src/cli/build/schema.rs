//! `fabc schema`: the JSON Schemas of what fabc prints.

use crate::io::errors::{DriverError, Stop};
use crate::io::terminal::{print_out, write_out};
use fabc_base::diag;
use fabc_emit::{SCHEMAS, Schema};

/// Prints a schema, or a line of each.
///
/// # Errors
/// [`DriverError::UnknownSchema`].
pub(crate) fn schema(name: Option<&str>) -> Result<(), Stop> {
    let Some(name) = name else {
        let width = SCHEMAS.iter().map(|schema| schema.name.len()).max().unwrap_or(0);
        for schema in SCHEMAS {
            print_out(&format!("{:width$}  {}", schema.name, schema.title()))?;
        }
        return Ok(());
    };
    let Some(schema) = Schema::of(name) else {
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
