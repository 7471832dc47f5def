//! `fabc verify DIR --operate OUT`: plays the years of a pod again, and compares the files.

use crate::build::front::new_watch;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::{display, read_bytes};
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::run::operate::{FILES, files};
use crate::verify::verdict::{say_unproved, verdict};
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_pipeline::operate::manifest_hash;
use fabc_pipeline::refusal::{Convicted, Refusal};
use fabc_pipeline::verify::Unproved;
use fabc_pipeline::years::{PlayedFile, operate_years, read_played};
use serde_json::json;
use std::path::Path;

/// What no play can prove.
const UNPROVED: [Unproved; 2] = [
    Unproved {
        file: FILES[0],
        place: "failures_per_day, repair_h, restart_min, stock, restock_h",
        what: "that parts fail and are repaired like this",
    },
    Unproved { file: FILES[0], place: "manifest", what: "that `fabc verify DIR` proves the pod" },
];

/// Plays the years again, and prints what was compared.
///
/// # Errors
/// `Refusal::NotBuilt` for missing files, and a `CheckError` with exit code 3 for a file with other bytes.
pub(crate) fn verify(directory: &Path, out: &Path, terminal: Terminal) -> Result<(), Stop> {
    needs_directory(directory)?;
    let convict = |path: &str, violation: &str| -> Stop {
        Convicted::file(&display(&out.join(path)), violation, &SourceMap::default()).into()
    };
    for file in FILES {
        if !out.join(file).is_file() {
            let hint = "`fabc operate --out` writes it";
            let reason = format!("there is no `{file}`: {hint}");
            return Err(Refusal::NotBuilt { path: display(out), reason }.into());
        }
    }
    let read = |file: &str| read_bytes(&out.join(file), ARTIFACT_BYTES);
    let PlayedFile { manifest, query } =
        read_played(&read(FILES[0])?).map_err(|problem| convict(FILES[0], &problem))?;
    let folder = DiskFolder::new(directory);
    if manifest_hash(&folder)? != manifest {
        let violation = format!("it is of another build than `{}`", display(directory));
        return Err(convict(FILES[0], &violation));
    }
    let years = operate_years(folder, &query, &new_watch(terminal))?;
    for (file, text) in FILES.into_iter().zip(files(&years)) {
        if read(file)? != text.as_bytes() {
            return Err(convict(file, "it is not what these years give"));
        }
    }
    let (policies, seeds, months) = (years.policies.len(), query.seeds, query.months);
    if terminal.json {
        let extent = json!({
            "directory": display(directory), "months": months, "seeds": seeds, "policies": policies,
            "changes": years.work.changes, "repairs": years.work.repairs,
        });
        return Ok(terminal.say_document(&verdict("operate", out, extent, &UNPROVED).to_string())?);
    }
    terminal.say(&format!(
        "verified {} on {}: {} years, {seeds} seeds, {policies} policies played again",
        display(out),
        display(directory),
        years.request.years()
    ))?;
    terminal.say("every file is reproduced to the byte. Taken on trust:")?;
    say_unproved(&UNPROVED, terminal)
}
