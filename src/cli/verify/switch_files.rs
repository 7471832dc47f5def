//! `fabc verify DIR --frr DIR2 --sonic DIR3 --routes DIR4`: verifies the configurations of switches.

use crate::args::verify::VerifyArgs;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::verdict::VERIFIED;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Convicted;
use fabc_pipeline::verify::{SwitchFiles, VerifiedSwitches, switch_files};
use serde_json::json;
use std::path::Path;

/// Verifies the files that the options name against the tables of a directory.
///
/// # Errors
/// The errors of reading the files, and `CheckError`s with exit code 3 for what they violate.
pub(crate) fn verify(directory: &Path, args: &VerifyArgs, terminal: Terminal) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_spec(directory)?;
    let built = read::read_directory(directory)?;
    let read_folder = |folder: &Option<_>| folder.as_deref().map(read::read_directory).transpose();
    let (frr, routes) = (read_folder(&args.frr)?, read_folder(&args.routes)?);
    let sonic = read_folder(&args.sonic)?;
    let files = SwitchFiles { frr: frr.as_ref(), sonic: sonic.as_ref(), routes: routes.as_ref() };
    let VerifiedSwitches { switches, scenarios, bgp_routes, sonic_routes, static_routes } =
        match switch_files(&built, &fabric, files) {
            Ok(verified) => verified,
            Err(errors) => return Err(Convicted { errors, sources }.into()),
        };
    if terminal.json {
        let of_frr = args.frr.as_ref().map(
            |folder| json!({ "verified": display(folder), "routes": bgp_routes, "scenarios": scenarios }),
        );
        let of_sonic = args.sonic.as_ref().map(
            |folder| json!({ "verified": display(folder), "routes": sonic_routes, "scenarios": scenarios }),
        );
        let of_routes = args
            .routes
            .as_ref()
            .map(|folder| json!({ "verified": display(folder), "routes": static_routes }));
        let text = json!({ "format": VERIFIED, "directory": display(directory), "switches": switches, "frr": of_frr, "sonic": of_sonic, "static": of_routes });
        return Ok(terminal.say_document(&text.to_string())?);
    }
    for (folder, routes) in [(&args.frr, bgp_routes), (&args.sonic, sonic_routes)] {
        let Some(folder) = folder else { continue };
        terminal.say(&format!(
            "verified {}: BGP on {switches} switches finds the group of each of {routes} routes, in {scenarios} scenarios of {}",
            display(folder),
            display(directory)
        ))?;
    }
    if let Some(folder) = &args.routes {
        terminal.say(&format!(
            "verified {}: {static_routes} static routes on {switches} switches are the groups of {}",
            display(folder),
            display(directory)
        ))?;
    }
    Ok(())
}
