//! Tables for every moment of a change from one build to another.

use super::built::BuiltFabric;
use super::pods::pod_of;
use crate::compile::change::{NoChange, PlannedChange};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::progress::Silent;
use fabc_ir::{StagedPlan, StepChange, SwitchPlan};
use fabc_passes::repair::RankedTables;

/// How a change is staged.
pub struct StagingRequest {
    /// Whether the last change leads to the tables of the new build although these rise by other ranks.
    pub own_order: bool,
    /// The largest load that is allowed, relative to the larger one before and after.
    pub load: f64,
}

/// Finds and proves the tables for every moment of a plan that leads from one build to another. Returns the
/// plan in the order of its stages, and the stages.
///
/// # Errors
/// [`Refusal::NoWay`] if no such tables exist, [`Refusal::NoSwitches`] for a network, and
/// [`Convicted`](crate::refusal::Convicted) if live or new tables violate the proof.
pub fn stage_change<F: Folder>(
    old: &BuiltFabric<F>,
    new: &BuiltFabric<F>,
    plan: &SwitchPlan,
    request: &StagingRequest,
) -> Result<(SwitchPlan, StagedPlan), F::Error> {
    check_fit(old, new)?;
    if request.own_order {
        check_vcs(old, new)?;
    }
    let (loads, mirrors) = ([old.max_channel_load()?, new.max_channel_load()?], old.mirrors());
    let planned = PlannedChange {
        fabric: &new.fabric,
        pod: pod_of(&new.fabric)?,
        live: &mirrors,
        plan,
        tables: &old.tables,
        ranks: &old.nominal.ranks,
        topology: &new.topology,
        built: RankedTables { tables: &new.tables, ranks: &new.nominal.ranks },
        own_order: request.own_order,
        lengths: &new.nominal.lengths,
        loads,
        limit: (request.load * loads[0].max(loads[1]) as f64).floor() as u64,
    };
    planned.staged(&Silent).map_err(|error| explain_no_change(error, &planned, new))
}

/// Checks that tables of one pod can run on the other. Only the cross-connects may differ.
///
/// # Errors
/// [`Refusal::NoWay`] for other chips, or live tables with more virtual channels than the new budget has.
pub(crate) fn check_fit<F: Folder>(old: &BuiltFabric<F>, new: &BuiltFabric<F>) -> Result<(), Refusal> {
    let no_way = |problem: String, hint: &str| Refusal::NoWay { problem, hint: hint.to_owned() };
    let names = |built: &BuiltFabric<F>| {
        built.topology.nodes().map(|node| built.topology.name(node)).collect::<Vec<_>>()
    };
    if old.topology.ports() != new.topology.ports() || names(old) != names(new) {
        let problem = format!("`{}` and `{}` have different chips", old.folder.path(), new.folder.path());
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
fn check_vcs<F>(old: &BuiltFabric<F>, new: &BuiltFabric<F>) -> Result<(), Refusal> {
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
    Err(Refusal::NoWay { problem, hint })
}

/// The hint where no routes rise by the live ranks.
const OTHERWISE: &str = "let the new topology keep more of the live cross-connects (`start`, `moves`), or drain the pod before the change";

fn explain_no_change<F: Folder>(
    error: NoChange,
    planned: &PlannedChange<'_>,
    new: &BuiltFabric<F>,
) -> F::Error {
    match error {
        NoChange::Convicted(error) => new.convicted(error).into(),
        NoChange::NoWay => Refusal::NoWay {
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
                    Refusal::NoWay {
                        problem: format!(
                            "{problem}, the load is {factor:.3} times the larger one before and after"
                        ),
                        hint: format!("`--load {factor:.3}` allows it"),
                    }
                }
                None => Refusal::NoWay {
                    problem: format!("{problem}, some pairs have no path that rises by the live ranks"),
                    hint: OTHERWISE.to_owned(),
                },
            }
            .into()
        }
    }
}
