//! `fabc verify NEW_DIR --plan OUT --from LIVE`: the tables of every moment against the two directories that
//! they lead between.

use super::change::{fit, room};
use super::collective_scene::convicted;
use super::errors::{DriverError, Stop};
use super::read::{self, display};
use super::repair::Built;
use super::switches::of_pod;
use super::terminal::Terminal;
use super::verify_repair::delta_of;
use crate::check::{self, CheckError, RepairWalk};
use crate::compile::change::{CHANGE, as_repair};
use crate::emit;
use crate::ids::OcsId;
use crate::ir::{Change, ChangeOrder, Delta, Mirrors, Scene, Step, TableChange, Topology, after};
use crate::limits::ARTIFACT_BYTES;
use crate::model::{FacePort, Pod};
use crate::passes::{cross_connect, synth};
use crate::read::{DeltaFile, PlanFile, tagged};
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
    let unfit = |file: &str, what: String| DriverError::NotBuilt { path: display(out), reason: format!("`{file}`: {what}") };
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
    carried_out(pod, &mirrors, &steps).map_err(wrong)?;
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
        let delta: DeltaFile = tagged(&read::bytes(&out.join(&line.delta), ARTIFACT_BYTES)?).map_err(|what| unfit(&line.delta, what))?;
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
        let walk = check::repair(fabric, &scene, (&tables, &ranks), None, &as_repair(fabric, &change)).map_err(stop)?;
        (sum.pairs, sum.hops, sum.entries) = (sum.pairs + walk.pairs, sum.hops + walk.hops, sum.entries + walk.entries);
        tables = change.delta.applied(&tables, &[], &tables.scenario);
        tables.vcs = order.vcs_after(plan.vcs);
        let written = emit::repaired_tables(&tables);
        let path = Path::new(&line.delta).with_file_name(&written.path);
        if read::bytes(&out.join(&path), ARTIFACT_BYTES)? != written.bytes {
            return Err(wrong(format!("`{}` is not what the changes make of the tables before", display(&path))));
        }
        mirrors = after(&mirrors, &steps[range]);
        done = end;
    }
    if done != steps.len() || mirrors != new.mirrors() {
        return Err(wrong("the steps do not lead to the new topology".to_owned()));
    }
    let of_build = || new.topology.nodes().all(|node| tables.router(node) == new.tables.router(node));
    if plan.last.len() > 1 && !of_build() {
        return Err(wrong("the last tables are not those of the new build".to_owned()));
    }
    terminal.say(&format!(
        "verified {} from {} to {}: {} steps in {} batches; {} routes of {} hops over {} table entries walked",
        display(out),
        display(live),
        display(directory),
        steps.len(),
        plan.stages.len(),
        sum.pairs,
        sum.hops,
        sum.entries
    ))?;
    terminal.say("at every moment, in any mix of old and new tables, every packet arrives, and nothing waits in a circle")?;
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

/// Whether steps can be carried out one after the other: what is removed is there, and what is added finds
/// its ports free.
fn carried_out(pod: &Pod, live: &Mirrors, steps: &[Step]) -> Result<(), String> {
    let faces = |ocs: OcsId, [a, b]: [u32; 2]| -> Option<[FacePort; 2]> {
        let ocs = &pod.ocses[ocs];
        let second = if ocs.b.is_empty() { &ocs.a } else { &ocs.b };
        Some([*ocs.a.get(a as usize)?, *second.get(b as usize)?])
    };
    let mut used: BTreeSet<FacePort> =
        live.enumerate().flat_map(|(ocs, set)| set.iter().filter_map(move |&pair| faces(ocs, pair))).flatten().collect();
    let mut set = live.clone();
    for (number, step) in (1..).zip(steps) {
        let ends = faces(step.ocs, step.pair).ok_or_else(|| format!("step {number} names a port that there is not"))?;
        let goes = match step.change {
            Change::Remove => set[step.ocs].remove(&step.pair) && ends.iter().all(|end| used.remove(end)),
            Change::Add => ends.iter().all(|&end| used.insert(end)) && set[step.ocs].insert(step.pair),
        };
        if !goes {
            return Err(format!("step {number} removes what is not there, or adds where a port is taken"));
        }
    }
    Ok(())
}

/// The topology that switches make, checked against the spec.
fn wired(new: &Built, pod: &Pod, mirrors: &Mirrors) -> Result<Topology, CheckError> {
    let topology = synth::set(&new.fabric, pod, mirrors);
    let unfit = |what: String| CheckError::Shape { scenario: CHANGE.to_owned(), what };
    let cross_connects = cross_connect::assign(pod, &topology).map_err(|error| unfit(error.to_string()))?;
    if cross_connects.mirrors() != *mirrors {
        return Err(unfit("a topology on the way is not what the switches are set to".to_owned()));
    }
    check::wiring(&new.fabric, &topology, Some(&cross_connects))?;
    Ok(topology)
}

/// A topology without the fibers that steps remove.
fn without<'a>(topology: &'a Topology, pod: &Pod, removes: &[Step]) -> Scene<'a> {
    let dark: BTreeSet<FacePort> = removes.iter().flat_map(|step| pod.ocses[step.ocs].faces(step.pair)).collect();
    let is_dark = |node, port| dark.iter().any(|face| (face.node, face.port) == (node, port));
    let lit = topology.links().iter().map(|link| !is_dark(link.a.node, link.a.port));
    Scene { topology, lit: lit.collect(), dead: Vec::new() }
}
