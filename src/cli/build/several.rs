//! Several specs in one `fabc build`.
//!
//! Comes in: the specs and where their outputs go. Goes out: whether they can be built one after the other.

use crate::args::options::BuildArgs;
use crate::build::requests::Request;
use crate::io::errors::{DriverError, Stop};
use crate::io::read;
use fabc_lang::syntax::{self, ast::Entry};

/// Refuses specs whose outputs would be one file or directory, before anything is compiled. A spec with
/// syntax errors is told when its turn comes.
///
/// # Errors
/// Standard input twice, single formats of several specs, or two fabrics of one name.
pub(crate) fn fit_each_other(args: &BuildArgs, requests: &[Request]) -> Result<(), Stop> {
    if !requests.is_empty() {
        return Err(DriverError::SeveralSpecs {
            what: "`--emit` writes single files, of one spec".to_owned(),
        }
        .into());
    }
    if args.specs.iter().filter(|spec| *spec == "-").count() > 1 {
        return Err(DriverError::SeveralSpecs { what: "standard input can be read once".to_owned() }.into());
    }
    let mut names: Vec<(String, &String)> = Vec::new();
    for spec in args.specs.iter().filter(|spec| *spec != "-") {
        let Ok(text) = read::spec_text(spec) else { continue };
        let Ok(file) = syntax::parse_file(spec, &text).0 else { continue };
        let fabric = file
            .entries
            .iter()
            .find_map(|entry| if let Entry::Fabric(fabric) = entry { Some(fabric) } else { None });
        let Some(name) = fabric.map(|fabric| fabric.name.value.to_string()) else { continue };
        // Some disks do not tell capitals from small letters.
        if let Some((_, first)) = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            return Err(DriverError::SeveralSpecs {
                what: format!("`{first}` and `{spec}` both declare the fabric `{name}`"),
            }
            .into());
        }
        names.push((name, spec));
    }
    Ok(())
}
