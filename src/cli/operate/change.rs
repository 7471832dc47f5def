//! `fabc plan LIVE NEW_DIR --tables DIR`: forwarding tables for every moment of a plan.

use crate::args::running::{PlanArgs, TablesOrder};
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::staging::{OutputRules, Staging, refuse_others};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::{Terminal, size_text};
use crate::operate::built::BuiltDirectory;
use fabc_base::progress::Silent;
use fabc_emit::Artifact;
use fabc_ir::{StagedPlan, StepChange, SwitchPlan};
use fabc_model::{Fabric, Pod};
use fabc_passes::repair::RankedTables;
use fabc_pipeline::compile::change::{NoChange, PlannedChange};
use std::path::Path;

/// A folder of stages holds nothing else. An interrupted one needs no recovery, because a plan can be
/// computed again.
const STAGES: OutputRules = OutputRules { refuse_foreign, is_whole: |_| true };

/// Finds tables for every moment, and writes them with the plan.
///
/// # Errors
/// `DriverError::NotBuilt` if LIVE is not a directory of this pod, `DriverError::NoWay` with exit code 3 if
/// no such tables exist, and errors of the disk.
pub(crate) fn stage_tables(
    args: &PlanArgs,
    out: &Path,
    fabric: &Fabric,
    pod: &Pod,
    plan: &SwitchPlan,
    terminal: Terminal,
) -> Result<StagedPlan, Stop> {
    let live = Path::new(&args.live);
    if !live.is_dir() {
        let reason = "`--tables` needs the live tables: name the directory that runs".to_owned();
        return Err(DriverError::NotBuilt { path: args.live.clone(), reason }.into());
    }
    let (old, new) = (
        BuiltDirectory::read_running(live, args.running.as_deref())?,
        BuiltDirectory::read(&args.directory)?,
    );
    check_fit(&old, &new)?;
    if args.order == TablesOrder::New {
        check_vcs(&old, &new)?;
    }
    let (loads, mirrors) = ([old.max_channel_load()?, new.max_channel_load()?], old.mirrors());
    let planned = PlannedChange {
        fabric,
        pod,
        live: &mirrors,
        plan,
        tables: &old.tables,
        ranks: &old.nominal.ranks,
        topology: &new.topology,
        built: RankedTables { tables: &new.tables, ranks: &new.nominal.ranks },
        own_order: args.order == TablesOrder::New,
        lengths: &new.nominal.lengths,
        loads,
        limit: (args.load.0 * loads[0].max(loads[1]) as f64).floor() as u64,
    };
    let staged = planned.staged(&Silent).map_err(|error| explain_no_change(error, &planned, &new))?;
    let mut staging = Staging::for_directory(out, STAGES)?;
    let mut written = 0;
    let mut write = |artifact: Artifact| {
        written += artifact.bytes.len();
        terminal.detail(&format!(
            "wrote {} ({})",
            display(&out.join(&artifact.path)),
            size_text(artifact.bytes.len())
        ));
        staging.write(&artifact.path, &artifact.bytes)
    };
    write(Artifact {
        path: "plan.json".to_owned(),
        bytes: fabc_emit::plan_json(&fabric.name, pod, plan, Some(&staged)).into_bytes(),
    })?;
    fabc_emit::each_staged(&fabric.name, &staged, &old.tables, &mut write)?;
    staging.publish()?;
    terminal.note(&format!("wrote {} ({})", display(out), size_text(written)));
    Ok(staged)
}

/// Checks that tables of one pod can run on the other. Only the cross-connects may differ.
pub(crate) fn check_fit(old: &BuiltDirectory, new: &BuiltDirectory) -> Result<(), Stop> {
    let no_way = |problem: String, hint: &str| DriverError::NoWay { problem, hint: hint.to_owned() }.into();
    let names = |built: &BuiltDirectory| {
        built.topology.nodes().map(|node| built.topology.name(node)).collect::<Vec<_>>()
    };
    if old.topology.ports() != new.topology.ports() || names(old) != names(new) {
        let problem =
            format!("`{}` and `{}` have different chips", display(&old.directory), display(&new.directory));
        return Err(no_way(problem, "both must be built from specs with the same cubes"));
    }
    let (live_vcs, budget) = (old.tables.vcs, new.fabric.budget.vcs);
    if live_vcs > budget {
        let problem = format!(
            "the live tables use {live_vcs} virtual channels, but the budget of the new pod has {budget}"
        );
        return Err(no_way(problem, "raise `vcs` in the budget of the new spec to that of the live one"));
    }
    Ok(())
}

/// Checks that a router has virtual channels for the live and the new order side by side.
fn check_vcs(old: &BuiltDirectory, new: &BuiltDirectory) -> Result<(), Stop> {
    let (live_vcs, new_vcs, chip_vcs) = (old.tables.vcs, new.tables.vcs, new.fabric.router.vcs);
    let problem = match live_vcs == new_vcs {
        true if 2 * live_vcs <= chip_vcs => return Ok(()),
        true => format!(
            "the live and the new tables together need {} virtual channels, but a chip has {chip_vcs}",
            2 * live_vcs
        ),
        false => format!(
            "the live tables use {live_vcs} virtual channels, but those of the new build use {new_vcs}"
        ),
    };
    let hint = "use `--order keep`, which needs no further virtual channels".to_owned();
    Err(DriverError::NoWay { problem, hint }.into())
}

/// The hint where no routes rise by the live ranks.
const OTHERWISE: &str = "let the new topology keep more of the live cross-connects (`start`, `moves`), or drain the pod before the change";

fn explain_no_change(error: NoChange, planned: &PlannedChange<'_>, new: &BuiltDirectory) -> Stop {
    match error {
        NoChange::Convicted(error) => convicted(error, &new.sources),
        NoChange::NoWay => DriverError::NoWay {
            problem: "some pairs have no path on the new topology that rises by the live ranks".to_owned(),
            hint: OTHERWISE.to_owned(),
        }
        .into(),
        NoChange::TooMuch { step, load } => {
            let pod = planned.pod;
            let [a, b] = pod.ocses[step.ocs].faces(step.pair).map(|face| pod.face_port_name(face));
            let op = if step.change == StepChange::Remove { "without" } else { "before" };
            let problem = format!("{op} the cross-connect of {a} with {b} on {}", pod.ocses[step.ocs].name);
            let larger_load = planned.loads[0].max(planned.loads[1]);
            match load {
                Some(load) => {
                    // Rounded up, so that the printed factor is enough.
                    let factor = (load as f64 / larger_load as f64 * 1000.0).ceil() / 1000.0;
                    DriverError::NoWay {
                        problem: format!(
                            "{problem}, the load is {factor:.3} times the larger one before and after"
                        ),
                        hint: format!("`--load {factor:.3}` allows it"),
                    }
                }
                None => DriverError::NoWay {
                    problem: format!("{problem}, some pairs have no path that rises by the live ranks"),
                    hint: OTHERWISE.to_owned(),
                },
            }
            .into()
        }
    }
}

/// Refuses a folder with anything but stages.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let in_stage = ["stage-", "above/", "final/"].iter().any(|folder| path.starts_with(folder));
        path == "plan.json" || in_stage && ["delta.json", "tables.json", "tables.bin"].contains(&file)
    })
}
