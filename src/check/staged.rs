//! Judges the tables of every moment of a plan, from its files and the two builds that it connects.
//!
//! Input: the live tables with their ranks, the tables of the new build, `plan.json`, and the changes of
//! each stage. Output: the plan and its stages with every number recounted, so that the files can be written
//! again. Each stage is verified as a repair of the tables before it. Its topology is that of the moment,
//! without the fibers that the stage removes.

use super::deltas::{after_change, entry_counts, have_same_entries, peak_entries};
use super::mirrors::topology_of_mirrors;
use super::{CheckError, RepairWalk, verify_repair};
use fabc_base::ids::OcsId;
use fabc_ir::read::{DeltaFile, PlanFile, StageLine};
use fabc_ir::{
    ChangeOrder, CrossConnects, Delta, ForwardingTables, Mirrors, PlanStage, PlanStep, Scene, StagedPlan,
    StepChange, SwitchPlan, TableChange, Topology,
};
use fabc_model::{Fabric, Pod};
use std::collections::BTreeSet;
use std::ops::Range;

/// The scenario that convictions of a plan name.
const CHANGE: &str = "change";

/// One end of a plan: the parts of a build that a plan needs.
pub struct PlanEnd<'a> {
    /// The settings of the switches.
    pub mirrors: &'a Mirrors,
    /// The tables, which were proved.
    pub tables: &'a ForwardingTables,
    /// `[(router * ports + port) * vcs + vc]`: the ranks of the tables.
    pub ranks: &'a [u32],
    /// The maximum channel load, in parts of a unit of load.
    pub most_loaded: u64,
}

/// A plan whose stages were proved.
pub struct ProvedPlan {
    /// The plan with all of its numbers.
    pub plan: SwitchPlan,
    /// The tables of every moment.
    pub staged: StagedPlan,
    /// The sums of the walks of all stages.
    pub walk: RepairWalk,
    /// Whether `fewest` is taken as claimed.
    pub trusts_fewest: bool,
}

/// The state of the fabric between two stages.
struct PlanMoment {
    mirrors: Mirrors,
    tables: ForwardingTables,
    /// Number of steps that are done.
    done: usize,
}

/// Judges the tables of every moment. `delta_of` reads a file of changes by its name.
///
/// # Errors
/// The first number, step or table that violates the plan.
pub fn verify_stages(
    fabric: &Fabric,
    pod: &Pod,
    old: &PlanEnd<'_>,
    new: &PlanEnd<'_>,
    claimed: &PlanFile,
    delta_of: &dyn Fn(&str) -> Result<DeltaFile, CheckError>,
) -> Result<ProvedPlan, CheckError> {
    if claimed.fabric != fabric.name || claimed.ranks != old.ranks || claimed.vcs != old.tables.vcs {
        return Err(violation("the plan belongs to another fabric, or its ranks are not the live ones"));
    }
    if (claimed.load.old, claimed.load.new, claimed.load.parts)
        != (old.most_loaded, new.most_loaded, fabric.capacities.parts())
    {
        return Err(violation("the loads before and after the change disagree with a recount"));
    }
    let (steps, group_of_step) = steps_and_groups(claimed, pod).map_err(violation)?;
    let replaced = replaced_switches(claimed, pod).map_err(violation)?;
    let mut plan =
        super::recount_plan(pod, old.mirrors, new.mirrors, &steps, &replaced).map_err(violation)?;
    let trusts_fewest = !plan.fewest;
    plan.fewest |= claimed.fewest;
    let two_orders = match claimed.last.iter().map(|line| line.order.as_str()).collect::<Vec<_>>()[..] {
        ["kept"] => false,
        ["above", "below"] => true,
        _ => return Err(violation("the orders of the last changes must be `kept`, or `above` and `below`")),
    };
    if two_orders && old.tables.vcs != new.tables.vcs {
        return Err(violation(
            "two orders side by side need two builds that use equally many virtual channels",
        ));
    }
    if two_orders && u16::from(claimed.vcs) * 2 > u16::from(fabric.router.vcs) {
        return Err(violation("two orders side by side take more virtual channels than a router has"));
    }
    let judge = StageJudge {
        fabric,
        pod,
        old,
        new,
        vcs: claimed.vcs,
        steps: &plan.steps,
        group_of_step: &group_of_step,
        delta_of,
    };
    let tables = after_change(old.tables, &Delta::default(), &[], &old.tables.scenario);
    let mut moment = PlanMoment { mirrors: old.mirrors.clone(), tables, done: 0 };
    let mut walk = RepairWalk { pairs: 0, hops: 0, entries: 0 };
    let mut stages = Vec::new();
    for (number, line) in (1..).zip(&claimed.stages) {
        let (change, steps) = judge.judge_stage(number, line, false, &mut moment, &mut walk)?;
        stages.push(PlanStage { steps, tables: change });
    }
    let mut last = Vec::new();
    for (number, line) in (claimed.stages.len() + 1..).zip(&claimed.last) {
        last.push(judge.judge_stage(number, line, true, &mut moment, &mut walk)?.0);
    }
    if moment.done != plan.steps.len() {
        return Err(violation("the stages end before the last steps of the plan"));
    }
    if two_orders && !have_same_entries(&moment.tables, new.tables) {
        return Err(violation("the last tables are not those of the new build"));
    }
    let loads = [old.most_loaded, new.most_loaded];
    let staged = StagedPlan {
        vcs: claimed.vcs,
        ranks: old.ranks.to_vec(),
        stages,
        last,
        loads,
        parts: claimed.load.parts,
    };
    Ok(ProvedPlan { plan, staged, walk, trusts_fewest })
}

fn violation(text: impl Into<String>) -> CheckError {
    CheckError::Shape { scenario: CHANGE.to_owned(), violation: text.into() }
}

struct StageJudge<'a> {
    fabric: &'a Fabric,
    pod: &'a Pod,
    old: &'a PlanEnd<'a>,
    new: &'a PlanEnd<'a>,
    /// Number of virtual channels of the live tables.
    vcs: u8,
    steps: &'a [PlanStep],
    /// `[step]`: the number of its group, from 1.
    group_of_step: &'a [usize],
    delta_of: &'a dyn Fn(&str) -> Result<DeltaFile, CheckError>,
}

impl StageJudge<'_> {
    /// Carries out a stage: first its change of tables, then its steps. `is_last` stages come after all
    /// steps.
    fn judge_stage(
        &self,
        number: usize,
        line: &StageLine,
        is_last: bool,
        moment: &mut PlanMoment,
        walk: &mut RepairWalk,
    ) -> Result<(TableChange, Range<usize>), CheckError> {
        let [first, end] = line.steps.unwrap_or([moment.done + 1, moment.done]);
        let range = first.wrapping_sub(1)..end;
        let order = match line.order.as_str() {
            "above" if is_last => ChangeOrder::Above,
            "below" if is_last => ChangeOrder::Below,
            _ => ChangeOrder::Kept,
        };
        let is_numbered = line.stage.is_some() || !range.is_empty();
        if range.start != moment.done
            || end > self.steps.len()
            || is_last == is_numbered
            || line.order != order.name()
        {
            return Err(violation(format!("stage {number} does not begin where the previous one ends")));
        }
        let groups: BTreeSet<usize> = range.clone().map(|step| self.group_of_step[step]).collect();
        if line.stage.is_some_and(|stage| stage != number as u64) || !line.groups.iter().eq(&groups) {
            return Err(violation(format!("the numbers of stage {number} disagree with its steps")));
        }
        let (topology, cross_connects) = topology_of_mirrors(self.fabric, self.pod, &moment.mirrors)?;
        let scene = without_removed(&topology, &cross_connects, &self.steps[range.clone()]);
        let file = (self.delta_of)(&line.delta)?;
        if file.fabric != self.fabric.name {
            return Err(violation(format!("the changes of stage {number} belong to another fabric")));
        }
        let delta = file.delta(&line.waits);
        let change =
            TableChange { order, load: line.load, keys_most: peak_entries(&moment.tables, &delta), delta };
        if (entry_counts(&change.delta), change.keys_most) != (line.changed, line.keys_most) {
            return Err(violation(format!(
                "the counts of the changes of stage {number} disagree with a recount"
            )));
        }
        let ranks = match order {
            ChangeOrder::Kept => self.old.ranks.to_vec(),
            ChangeOrder::Above => interleaved_ranks(self.old.ranks, self.new.ranks, usize::from(self.vcs)),
            ChangeOrder::Below => interleaved_ranks(self.new.ranks, self.new.ranks, usize::from(self.vcs)),
        };
        moment.tables.vcs = if order == ChangeOrder::Kept { self.vcs } else { 2 * self.vcs };
        let walked = verify_repair(
            self.fabric,
            &scene,
            (&moment.tables, &ranks),
            None,
            &change.as_repair(&self.fabric.name),
        )?;
        (walk.pairs, walk.hops, walk.entries) =
            (walk.pairs + walked.pairs, walk.hops + walked.hops, walk.entries + walked.entries);
        let scenario = moment.tables.scenario.clone();
        moment.tables = after_change(&moment.tables, &change.delta, &[], &scenario);
        moment.tables.vcs = if order == ChangeOrder::Above { 2 * self.vcs } else { self.vcs };
        for step in &self.steps[range.clone()] {
            match step.change {
                StepChange::Remove => moment.mirrors[step.ocs].remove(&step.pair),
                StepChange::Add => moment.mirrors[step.ocs].insert(step.pair),
            };
        }
        moment.done = end;
        Ok((change, range))
    }
}

/// The switches that the plan replaces.
fn replaced_switches(claimed: &PlanFile, pod: &Pod) -> Result<Vec<OcsId>, String> {
    let find = |name: &String| {
        let found = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == *name);
        found.map(|(id, _)| id).ok_or_else(|| format!("there is no OCS `{name}`"))
    };
    claimed.replaced.iter().map(find).collect()
}

/// The steps of a plan, and the number of the group of each, from 1.
fn steps_and_groups(claimed: &PlanFile, pod: &Pod) -> Result<(Vec<PlanStep>, Vec<usize>), String> {
    let (mut steps, mut group_of_step) = (Vec::new(), Vec::new());
    for (number, group) in (1..).zip(&claimed.groups) {
        let ocs: Option<OcsId> =
            pod.ocses.enumerate().find(|(_, ocs)| ocs.name == group.ocs).map(|(id, _)| id);
        let ocs = ocs.ok_or_else(|| format!("there is no OCS `{}`", group.ocs))?;
        for step in &group.steps {
            let change = match step.op.as_str() {
                "remove" => StepChange::Remove,
                "add" => StepChange::Add,
                other => return Err(format!("`{other}` is not a step: steps are `remove` and `add`")),
            };
            steps.push(PlanStep { ocs, change, pair: step.pair, lit: 0, parts: 1 });
            group_of_step.push(number);
        }
    }
    Ok((steps, group_of_step))
}

/// A topology without the fibers that the steps remove.
fn without_removed<'a>(
    topology: &'a Topology,
    cross_connects: &CrossConnects,
    steps: &[PlanStep],
) -> Scene<'a> {
    let mut scene = Scene::healthy(topology);
    for step in steps.iter().filter(|step| step.change == StepChange::Remove) {
        let setting =
            cross_connects.settings[step.ocs].iter().find(|setting| [setting.a, setting.b] == step.pair);
        if let Some(setting) = setting {
            scene.lit[setting.link] = false;
        }
    }
    scene
}

/// The ranks of two blocks of virtual channels, each `[(router * ports + port) * vcs + vc]`.
fn interleaved_ranks(lower: &[u32], upper: &[u32], vcs: usize) -> Vec<u32> {
    lower.chunks(vcs).zip(upper.chunks(vcs)).flat_map(|(lower, upper)| [lower, upper].concat()).collect()
}
