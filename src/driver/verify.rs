//! `fabc verify`: a built directory is checked from its files alone.

use super::errors::{DriverError, Stop};
use super::options::VerifyArgs;
use super::read::{self, display};
use super::staging::MANIFEST;
use super::terminal::Terminal;
use crate::check::{self, Verified};

/// `fabc verify`.
///
/// # Errors
/// The directory is not one of fabc's, or does not hold what it claims (exit code 3).
pub(super) fn verify(args: &VerifyArgs, terminal: Terminal) -> Result<(), Stop> {
    let directory = &args.directory;
    for needed in [MANIFEST, "spec.fab"] {
        if !directory.join(needed).is_file() {
            return Err(DriverError::NotBuilt { path: display(directory), reason: format!("there is no `{needed}`") }.into());
        }
    }
    let loaded = read::built_spec(directory)?;
    let files = read::directory(directory)?;
    let verified = check::directory(&files, &loaded.pod).map_err(|errors| {
        let diagnostics = errors.into_iter().map(|error| Box::new(error) as _).collect();
        Stop { diagnostics, sources: loaded.sources, exit_code: 3 }
    })?;
    let Verified { files, scenarios, routed, pairs, hops, entries, only_hashed } = verified;
    let routes = if routed == 0 {
        "no tables (the build stopped before routing)".to_owned()
    } else {
        format!("{pairs} routes of {hops} hops over {entries} table entries walked, no cycle of channels")
    };
    terminal.say(&format!("verified {}: {files} files, {scenarios} scenarios, {routes}", display(directory)));
    if !only_hashed.is_empty() {
        terminal.detail(&format!("hashed only: {}", only_hashed.join(", ")));
    }
    Ok(())
}
