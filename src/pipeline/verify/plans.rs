//! Verifies a plan and its tables against the two builds that it leads between.

use super::comparison::{FolderComparison, format_error};
use crate::folder::Folder;
use crate::operate::{BuiltFabric, ChangeManifest, check_fit, pod_of};
use fabc_check::{CheckError, PlanEnd, ProvedPlan};
use fabc_emit::Artifact;
use fabc_ir::Delta;
use fabc_ir::read::{DeltaFile, PlanFile, tagged};

/// Verifies the plan in the folder `out`, which leads from one build to another.
///
/// # Errors
/// [`Refusal::NoWay`](crate::refusal::Refusal::NoWay) if tables of one build cannot run on the other,
/// and [`Convicted`](crate::refusal::Convicted) for any violation.
pub fn verify_plan<F: Folder>(
    old: &BuiltFabric<F>,
    new: &BuiltFabric<F>,
    out: &F,
) -> Result<ProvedPlan, F::Error> {
    check_fit(old, new)?;
    let (pod, fabric) = (pod_of(&new.fabric)?, &new.fabric);
    let stop = |error| new.convicted(error);
    let plan: PlanFile =
        tagged(&out.read("plan.json")?).map_err(|problem| stop(format_error("plan.json", problem)))?;
    let delta_of = |file: &str| -> Result<DeltaFile, CheckError> {
        let no_file =
            |_: F::Error| format_error("plan.json", format!("there is no `{file}`, which it names"));
        let bytes = out.read(file).map_err(no_file)?;
        tagged(&bytes).map_err(|problem| format_error(file, problem))
    };
    let (old_mirrors, new_mirrors) = (old.mirrors(), new.mirrors());
    let (old_ranks, new_ranks) = (old.ranks(), new.ranks());
    let old_end = PlanEnd {
        mirrors: &old_mirrors,
        tables: &old.tables,
        ranks: &old_ranks,
        most_loaded: old.max_channel_load()?,
    };
    let new_end = PlanEnd {
        mirrors: &new_mirrors,
        tables: &new.tables,
        ranks: &new_ranks,
        most_loaded: new.max_channel_load()?,
    };
    let proved =
        fabc_check::verify_stages(fabric, pod, &old_end, &new_end, &plan, &delta_of).map_err(stop)?;
    let mut again = FolderComparison::new(out);
    let text = fabc_emit::plan_json(&fabric.name, pod, &proved.plan, Some(&proved.staged));
    let mut manifest = ChangeManifest::of_plan(old, new).claimed_in(out).map_err(stop)?;
    let mut compare = |artifact: Artifact| {
        manifest.list(&artifact);
        again.compare(artifact)
    };
    compare(Artifact { path: "plan.json".to_owned(), bytes: text.into_bytes() }).map_err(stop)?;
    let in_force = Delta::default().applied(&old.tables, &[], &old.tables.scenario);
    fabc_emit::each_staged(&fabric.name, &proved.staged, &in_force, &mut compare).map_err(stop)?;
    again.compare(manifest.file()).map_err(stop)?;
    again.finish().map_err(stop)?;
    Ok(proved)
}
