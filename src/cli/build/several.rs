//! Several specs in one `fabc build`.
//!
//! Input: the specs and where their outputs go. Output: an error if their outputs would collide.

use crate::args::options::BuildArgs;
use crate::build::requests::EmitRequest;
use crate::io::declared_name::declared_name;
use crate::io::errors::DriverError;
use crate::io::read;
use crate::io::stop::Stop;

/// Refuses specs whose outputs would be the same file or directory, before anything is compiled. Syntax
/// errors are left to the build of that spec.
///
/// # Errors
/// `DriverError::SeveralSpecs` for standard input twice, single formats of several specs, or two fabrics with
/// the same name.
pub(crate) fn check_specs_together(args: &BuildArgs, requests: &[EmitRequest]) -> Result<(), Stop> {
    if !requests.is_empty() {
        return Err(DriverError::SeveralSpecs {
            problem: "`--emit` writes single files, of one spec".to_owned(),
        }
        .into());
    }
    if args.specs.iter().filter(|spec| *spec == "-").count() > 1 {
        return Err(
            DriverError::SeveralSpecs { problem: "standard input can be read once".to_owned() }.into()
        );
    }
    let mut names: Vec<(String, &String)> = Vec::new();
    for spec in args.specs.iter().filter(|spec| *spec != "-") {
        let Ok(text) = read::spec_text(spec) else { continue };
        let Some(name) = declared_name(spec, &text) else { continue };
        // Some file systems ignore the case of letters.
        if let Some((_, first)) = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            return Err(DriverError::SeveralSpecs {
                problem: format!("`{first}` and `{spec}` both declare the fabric `{name}`"),
            }
            .into());
        }
        names.push((name, spec));
    }
    Ok(())
}
