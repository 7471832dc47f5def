//! `fabc plan NEW_DIR --live LIVE --out DIR`: forwarding tables for every moment of a plan.

use crate::args::running::{PlanArgs, TablesOrder};
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::read::display;
use crate::io::staging::{MANIFEST, OutputRules, Staging, refuse_others};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, size_text};
use fabc_emit::Artifact;
use fabc_ir::{StagedPlan, SwitchPlan};
use fabc_pipeline::operate::{BuiltFabric, BuiltSwitches, ChangeManifest, StagingRequest, stage_change};
use fabc_pipeline::refusal::Refusal;
use std::path::Path;

/// A folder of stages holds nothing else. An interrupted one needs no recovery, because a plan can be
/// computed again.
const STAGES: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// Finds tables for every moment, and writes them with the plan. Returns the plan in the order of its stages.
///
/// # Errors
/// `Refusal::NotBuilt` if LIVE is not a directory of this pod, `Refusal::NoWay` with exit code 3 if
/// no such tables exist, and errors of the disk.
pub(crate) fn stage_tables(
    args: &PlanArgs,
    out: &Path,
    switches: &BuiltSwitches,
    plan: &SwitchPlan,
    terminal: Terminal,
) -> Result<(SwitchPlan, StagedPlan), Stop> {
    let live = Path::new(&args.live);
    if !live.is_dir() {
        let reason = "`--out` needs the live tables: name the directory that runs".to_owned();
        return Err(Refusal::NotBuilt { path: args.live.clone(), reason }.into());
    }
    let running = args.running.as_deref().map(DiskFolder::new);
    let old = BuiltFabric::read_running(DiskFolder::new(live), running)?;
    let new = BuiltFabric::read(DiskFolder::new(&args.directory))?;
    let request = StagingRequest { own_order: args.order == TablesOrder::New, load: args.load.0 };
    let (plan, staged) = stage_change(&old, &new, plan, &request)?;
    let name = &switches.fabric.name;
    let mut staging = Staging::for_directory(out, STAGES)?;
    let (mut written, mut manifest) = (0, ChangeManifest::of_plan(&old, &new));
    let mut write = |artifact: Artifact| {
        written += artifact.bytes.len();
        manifest.list(&artifact);
        terminal.detail(&format!(
            "wrote {} ({})",
            display(&out.join(&artifact.path)),
            size_text(artifact.bytes.len())
        ));
        staging.write(&artifact.path, &artifact.bytes)
    };
    write(Artifact {
        path: "plan.json".to_owned(),
        bytes: fabc_emit::plan_json(name, switches.pod()?, &plan, Some(&staged)).into_bytes(),
    })?;
    fabc_emit::each_staged(name, &staged, &old.tables, &mut write)?;
    let Artifact { path, bytes } = manifest.file();
    staging.write(&path, &bytes)?;
    written += bytes.len();
    staging.publish()?;
    terminal.note(&format!("wrote {} ({})", display(out), size_text(written)));
    Ok((plan, staged))
}

/// Refuses a folder with anything but stages.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let in_stage = ["stage-", "above/", "final/"].iter().any(|folder| path.starts_with(folder));
        ["plan.json", MANIFEST].contains(&path)
            || in_stage && ["delta.json", "tables.json", "tables.bin"].contains(&file)
    })
}
