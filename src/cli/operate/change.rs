//! `fabc plan LIVE NEW_DIR --tables DIR`: the tables of every moment on the way.

use crate::args::running::{Order, PlanArgs};
use crate::io::errors::{DriverError, Stop, convicted};
use crate::io::read::display;
use crate::io::staging::{Ours, Staging, refuse_others};
use crate::io::terminal::{Terminal, size};
use crate::operate::repair::Built;
use fabc_base::progress::Silent;
use fabc_emit::Artifact;
use fabc_ir::{Change, Plan, Staged};
use fabc_model::{Fabric, Pod};
use fabc_passes::repair::Before;
use fabc_pipeline::compile::change::{NoChange, Planned};
use std::path::Path;

/// A folder of stages holds nothing else; earlier ones are never wanted back for their parts.
const STAGES: Ours = Ours { refuse_foreign, is_whole: |_| true };

/// Finds the tables of every moment, and writes them with the plan.
///
/// # Errors
/// LIVE is no directory that runs such a pod; no tables do it (exit code 3); something cannot be written.
pub(crate) fn staged(
    args: &PlanArgs,
    out: &Path,
    (fabric, pod): (&Fabric, &Pod),
    plan: &Plan,
    terminal: Terminal,
) -> Result<Staged, Stop> {
    let live = Path::new(&args.live);
    if !live.is_dir() {
        let reason = "`--tables` needs the tables in force, and so the directory that runs".to_owned();
        return Err(DriverError::NotBuilt { path: args.live.clone(), reason }.into());
    }
    let (old, new) = (Built::running(live, args.running.as_deref())?, Built::read(&args.directory)?);
    fit(&old, &new)?;
    if args.order == Order::New {
        room(&old, &new)?;
    }
    let (loads, mirrors) = ([old.most_loaded()?, new.most_loaded()?], old.mirrors());
    let planned = Planned {
        fabric,
        pod,
        live: &mirrors,
        plan,
        tables: &old.tables,
        ranks: &old.nominal.ranks,
        topology: &new.topology,
        built: Before { tables: &new.tables, ranks: &new.nominal.ranks },
        own_order: args.order == Order::New,
        lengths: &new.nominal.lengths,
        loads,
        limit: (args.load.0 * loads[0].max(loads[1]) as f64).floor() as u64,
    };
    let staged = planned.staged(&Silent).map_err(|error| explain_no_change(error, &planned, &new))?;
    let mut staging = Staging::at(out, STAGES)?;
    let mut written = 0;
    let mut write = |artifact: Artifact| {
        written += artifact.bytes.len();
        terminal.detail(&format!(
            "wrote {} ({})",
            display(&out.join(&artifact.path)),
            size(artifact.bytes.len())
        ));
        staging.write(&artifact.path, &artifact.bytes)
    };
    write(Artifact {
        path: "plan.json".to_owned(),
        bytes: fabc_emit::plan_json(&fabric.name, pod, plan, Some(&staged)).into_bytes(),
    })?;
    fabc_emit::each_staged(&fabric.name, &staged, &old.tables, &mut write)?;
    staging.publish()?;
    terminal.note(&format!("wrote {} ({})", display(out), size(written)));
    Ok(staged)
}

/// Whether tables of one pod are tables of the other, but for where fibers lead.
pub(crate) fn fit(old: &Built, new: &Built) -> Result<(), Stop> {
    let no_way = |what: String, hint: &str| DriverError::NoWay { what, hint: hint.to_owned() }.into();
    let names =
        |built: &Built| built.topology.nodes().map(|node| built.topology.name(node)).collect::<Vec<_>>();
    if old.topology.ports() != new.topology.ports() || names(old) != names(new) {
        let what = format!(
            "the chips of `{}` are not those of `{}`",
            display(&old.directory),
            display(&new.directory)
        );
        return Err(no_way(what, "both must be built from specs with the same cubes"));
    }
    let (used, budget) = (old.tables.vcs, new.fabric.budget.vcs);
    if used > budget {
        let what = format!(
            "the tables in force use {used} virtual channels, but the budget of the new pod has {budget}"
        );
        return Err(no_way(what, "give the new spec as large a budget as the old one"));
    }
    Ok(())
}

/// Whether two blocks of virtual channels have room.
fn room(old: &Built, new: &Built) -> Result<(), Stop> {
    let (used, own, has) = (old.tables.vcs, new.tables.vcs, new.fabric.router.vcs);
    let what = match used == own {
        true if 2 * used <= has => return Ok(()),
        true => format!("two orders side by side take {} virtual channels, but a chip has {has}", 2 * used),
        false => format!("the tables in force use {used} virtual channels, and those of the new build {own}"),
    };
    let hint = "`--order keep` needs no other virtual channels".to_owned();
    Err(DriverError::NoWay { what, hint }.into())
}

/// What can be done where ranks leave no way.
const OTHERWISE: &str = "let the new topology keep more of the live cross-connects (`start`, `moves`), or drain the pod and change it without";

fn explain_no_change(error: NoChange, planned: &Planned<'_>, new: &Built) -> Stop {
    match error {
        NoChange::Wrong(error) => convicted(error, &new.sources),
        NoChange::NoWay => DriverError::NoWay {
            what: "for some pairs no way on the new topology rises by the ranks in force".to_owned(),
            hint: OTHERWISE.to_owned(),
        }
        .into(),
        NoChange::TooMuch { step, load } => {
            let pod = planned.pod;
            let [a, b] = pod.ocses[step.ocs].faces(step.pair).map(|face| pod.face_port_name(face));
            let op = if step.change == Change::Remove { "without" } else { "before" };
            let what = format!("{op} the cross-connect of {a} with {b} on {}", pod.ocses[step.ocs].name);
            let most = planned.loads[0].max(planned.loads[1]);
            match load {
                Some(load) => {
                    // Rounded up, so that it does go.
                    let least = (load as f64 / most as f64 * 1000.0).ceil() / 1000.0;
                    DriverError::NoWay {
                        what: format!("{what} alone the load is {least:.3} times that before and after"),
                        hint: format!("`--load {least:.3}` allows it"),
                    }
                }
                None => DriverError::NoWay {
                    what: format!("{what} no way rises by the ranks in force for some pairs"),
                    hint: OTHERWISE.to_owned(),
                },
            }
            .into()
        }
    }
}

/// Complains unless a folder is absent or holds nothing but stages.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    refuse_others(directory, |path| {
        let file = path.rsplit('/').next().unwrap_or(path);
        let in_stage = ["stage-", "above/", "final/"].iter().any(|folder| path.starts_with(folder));
        path == "plan.json" || in_stage && ["delta.json", "tables.json", "tables.bin"].contains(&file)
    })
}
