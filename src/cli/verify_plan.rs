//! `fabc verify NEW_DIR --plan OUT --from LIVE`: the tables of every moment against the two directories that
//! they lead between.

use super::change::{fit, room};
use super::collective_scene::convicted;
use super::errors::Stop;
use super::read::{self, display};
use super::repair::Built;
use super::switches::of_pod;
use super::terminal::Terminal;
use super::verify_repair::{WrittenAgain, delta_of, unlike};
use fabc_base::ids::OcsId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, RepairWalk};
use fabc_emit::Artifact;
use fabc_ir::read::{DeltaFile, PlanFile, tagged};
use fabc_ir::{Change, ChangeOrder, Delta, Mirrors, Scene, Stage, Staged, Step, TableChange, Topology, after};
use fabc_model::{FacePort, Pod};
use fabc_passes::{cross_connect, synth};
use fabc_pipeline::compile::change::{CHANGE, as_repair};
use std::collections::BTreeSet;
use std::path::Path;

/// Judges the files.
///
/// # Errors
/// A file is missing or not what its format says, or does not hold (exit code 3).
pub(super) fn verify(directory: &Path, out: &Path, (live, running): (&Path, Option<&Path>), terminal: Terminal) -> Result<(), Stop> {
    let (old, new) = (Built::running(live, running)?, Built::read(directory)?);
    fit(&old, &new)?;
    let (pod, fabric) = (of_pod(&new.fabric)?, &new.fabric);
    let stop = |error| convicted(error, &new.sources);
    let wrong = |what: String| stop(CheckError::Shape { scenario: CHANGE.to_owned(), what });
    let unfit = |file: &str, what: String| stop(unlike(file, what));
    let plan: PlanFile = tagged(&read::bytes(&out.join("plan.json"), ARTIFACT_BYTES)?).map_err(|what| unfit("plan.json", what))?;
    let ranks = old.ranks();
    let loads = (plan.load.old, plan.load.new, plan.load.parts);
    if plan.fabric != fabric.name || plan.ranks != ranks || plan.vcs != old.tables.vcs {
        return Err(wrong("the plan is of another fabric, or its ranks are not those in force".to_owned()));
    }
    if loads != (old.most_loaded()?, new.most_loaded()?, new.topology.capacities().parts()) {
        return Err(wrong("the loads before and after are not so".to_owned()));
    }
    let (steps, of_group) = steps(&plan, pod).map_err(wrong)?;
    let mut mirrors = old.mirrors();
    let mut counted = fabc_check::plan(pod, &mirrors, &new.mirrors(), &steps).map_err(wrong)?;
    let unproved_order = !counted.fewest;
    counted.fewest |= plan.fewest;
    let steps = counted.steps.clone();
    let mut changes = Vec::new();
    let mut tables = Delta::default().applied(&old.tables, &[], &old.tables.scenario);
    let mut sum = RepairWalk { pairs: 0, hops: 0, entries: 0 };
    let mut done = 0;
    let built = new.ranks();
    match plan.last.iter().map(|line| line.order.as_str()).collect::<Vec<_>>()[..] {
        ["kept"] => {}
        ["above", "below"] => room(&old, &new)?,
        _ => return Err(wrong("the last changes are none that there are".to_owned())),
    }
    for (number, line) in (1..).zip(plan.stages.iter().chain(&plan.last)) {
        let last = number > plan.stages.len();
        let [first, end] = line.steps.unwrap_or([done + 1, done]);
        let range = first.wrapping_sub(1)..end;
        let order = match line.order.as_str() {
            "above" if last => ChangeOrder::Above,
            "below" if last => ChangeOrder::Below,
            _ => ChangeOrder::Kept,
        };
        if range.start != done || end > steps.len() || last != (line.stage.is_none() && range.is_empty()) || line.order != order.name() {
            return Err(wrong(format!("stage {number} does not begin where the one before ends")));
        }
        let groups: BTreeSet<usize> = range.clone().map(|step| of_group[step]).collect();
        if line.stage.is_some_and(|at| at != number as u64) || !line.groups.iter().eq(&groups) {
            return Err(wrong(format!("the numbers of stage {number} are not so")));
        }
        let topology = wired(&new, pod, &mirrors).map_err(stop)?;
        let removes: Vec<Step> = steps[range.clone()].iter().filter(|step| step.change == Change::Remove).copied().collect();
        let scene = without(&topology, pod, &removes);
        let no_file = |_| unfit("plan.json", format!("there is no `{}`, which it names", line.delta));
        let bytes = read::bytes(&out.join(&line.delta), ARTIFACT_BYTES).map_err(no_file)?;
        let delta: DeltaFile = tagged(&bytes).map_err(|what| unfit(&line.delta, what))?;
        if delta.fabric != fabric.name {
            return Err(wrong(format!("the changes of stage {number} are of another fabric")));
        }
        let delta = delta_of(delta, &line.waits);
        let keys_most = delta.most_entries(&tables);
        let change = TableChange { order, delta, load: line.load, keys_most };
        if (change.delta.counts(), keys_most) != (line.changed, line.keys_most) {
            return Err(wrong(format!("the changes of stage {number} are counted wrong")));
        }
        let ranks = match order {
            ChangeOrder::Kept => ranks.clone(),
            ChangeOrder::Above => side_by_side(&ranks, &built, usize::from(plan.vcs)),
            ChangeOrder::Below => side_by_side(&built, &built, usize::from(plan.vcs)),
        };
        tables.vcs = if order == ChangeOrder::Kept { plan.vcs } else { 2 * plan.vcs };
        let walk = fabc_check::repair(fabric, &scene, (&tables, &ranks), None, &as_repair(fabric, &change)).map_err(stop)?;
        (sum.pairs, sum.hops, sum.entries) = (sum.pairs + walk.pairs, sum.hops + walk.hops, sum.entries + walk.entries);
        tables = change.delta.applied(&tables, &[], &tables.scenario);
        tables.vcs = order.vcs_after(plan.vcs);
        changes.push((range.clone(), change));
        mirrors = after(&mirrors, &steps[range]);
        done = end;
    }
    if done != steps.len() {
        return Err(wrong("no stage has the last steps".to_owned()));
    }
    let of_build = || new.topology.nodes().all(|node| tables.router(node) == new.tables.router(node));
    if plan.last.len() > 1 && !of_build() {
        return Err(wrong("the last tables are not those of the new build".to_owned()));
    }
    let last = changes.split_off(plan.stages.len()).into_iter().map(|(_, change)| change).collect();
    let stages: Vec<Stage> = changes.into_iter().map(|(steps, tables)| Stage { steps, tables }).collect();
    let batches = stages.len();
    let staged = Staged { vcs: plan.vcs, ranks: plan.ranks, stages, last, loads: [loads.0, loads.1], parts: loads.2 };
    let mut again = WrittenAgain::new(out);
    let text = fabc_emit::plan_json(&fabric.name, pod, &counted, Some(&staged));
    again.compare(Artifact { path: "plan.json".to_owned(), bytes: text.into_bytes() }).map_err(stop)?;
    let in_force = Delta::default().applied(&old.tables, &[], &old.tables.scenario);
    fabc_emit::each_staged(&fabric.name, &staged, &in_force, &mut |artifact| again.compare(artifact)).map_err(stop)?;
    again.finish().map_err(stop)?;
    terminal.say(&format!(
        "verified {} from {} to {}: {} steps in {} batches; {} routes of {} hops over {} table entries walked",
        display(out),
        display(live),
        display(directory),
        steps.len(),
        batches,
        sum.pairs,
        sum.hops,
        sum.entries
    ))?;
    terminal.say("at every moment, in any mix of old and new tables, every packet arrives, and nothing waits in a circle")?;
    terminal.say("every file comes out again to the byte from what was proved; nothing can prove")?;
    if unproved_order {
        terminal.say("  plan.json fewest  that no order has fewer steps after which the pod is in parts")?;
    }
    terminal.say("  plan.json waits   that no other way was left for what waits there")?;
    terminal.say("  plan.json steps   which order and which changes of tables, of all that lead there as well")?;
    Ok(())
}

/// Ranks of two blocks of virtual channels, `[(router * ports + port) * vcs + vc]` each.
fn side_by_side(below: &[u32], above: &[u32], vcs: usize) -> Vec<u32> {
    let mut all = Vec::with_capacity(below.len() + above.len());
    for (below, above) in below.chunks(vcs).zip(above.chunks(vcs)) {
        all.extend_from_slice(below);
        all.extend_from_slice(above);
    }
    all
}

/// All steps, and the number of the group of each.
fn steps(plan: &PlanFile, pod: &Pod) -> Result<(Vec<Step>, Vec<usize>), String> {
    let (mut steps, mut of_group) = (Vec::new(), Vec::new());
    for (number, group) in (1..).zip(&plan.groups) {
        let ocs: Option<OcsId> = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == group.ocs).map(|(id, _)| id);
        let ocs = ocs.ok_or_else(|| format!("there is no OCS `{}`", group.ocs))?;
        for step in &group.steps {
            let change = match step.op.as_str() {
                "remove" => Change::Remove,
                "add" => Change::Add,
                other => return Err(format!("`{other}` is no step")),
            };
            steps.push(Step { ocs, change, pair: step.pair, lit: 0, parts: 1 });
            of_group.push(number);
        }
    }
    Ok((steps, of_group))
}

/// The topology that switches make, checked against the spec.
fn wired(new: &Built, pod: &Pod, mirrors: &Mirrors) -> Result<Topology, CheckError> {
    let topology = synth::set(&new.fabric, pod, mirrors);
    let unfit = |what: String| CheckError::Shape { scenario: CHANGE.to_owned(), what };
    let cross_connects = cross_connect::assign(pod, &topology).map_err(|error| unfit(error.to_string()))?;
    if cross_connects.mirrors() != *mirrors {
        return Err(unfit("a topology on the way is not what the switches are set to".to_owned()));
    }
    fabc_check::wiring(&new.fabric, &topology, Some(&cross_connects))?;
    Ok(topology)
}

/// A topology without the fibers that steps remove.
fn without<'a>(topology: &'a Topology, pod: &Pod, removes: &[Step]) -> Scene<'a> {
    let dark: BTreeSet<FacePort> = removes.iter().flat_map(|step| pod.ocses[step.ocs].faces(step.pair)).collect();
    let is_dark = |node, port| dark.iter().any(|face| (face.node, face.port) == (node, port));
    let lit = topology.links().iter().map(|link| !is_dark(link.a.node, link.a.port));
    Scene { topology, lit: lit.collect(), dead: Vec::new() }
}
